/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_OUTCOME_H
#define LOOM_TESTS_OUTCOME_H

/* Results of a program on the host, to be compared with those of another one. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_round.h"
#include "judge.h"
#include "loom_planner.h"
#include "loom_replay.h"
#include "loom_run.h"
#include "native/native.h"

#define MAX_OUTPUTS	40

/**
 * struct outcome - what became of a run
 * @outputs: by index of the program
 * @num_outputs: number of @outputs
 * @stats: figures, promised and counted alike
 */
struct outcome {
	struct loom_array outputs[MAX_OUTPUTS];
	uint32_t num_outputs;
	struct loom_program_stats stats;
};

/* Sets the line of @err. Return: false. */
static inline __attribute__((__format__(__printf__, 2, 3))) bool
outcome_fail(struct loom_error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return false;
}

/* A plan has the figure @is, though @other can be had. Return: false. */
static inline bool outcome_worse(struct loom_error *err, const char *what, uint64_t is,
				 uint64_t other)
{
	return outcome_fail(err, "%s: %llu, and %llu is there", what, (unsigned long long)is,
			    (unsigned long long)other);
}

static inline bool is_promise(const struct loom_program *program, struct drm_loom_counters c)
{
	const struct loom_program_stats *s = &program->stats;

	return c.dram_read_bytes == s->dram_read_bytes &&
	       c.dram_write_bytes == s->dram_write_bytes &&
	       c.sram_read_bytes == s->sram_read_bytes &&
	       c.sram_write_bytes == s->sram_write_bytes && c.macs == s->macs &&
	       c.steps == s->steps && c.commands == s->commands && c.cycles == s->cycles &&
	       c.dma_cycles == s->dma_cycles && c.compute_cycles == s->compute_cycles &&
	       c.rom_read_bytes == s->rom_read_bytes && c.energy_fj == s->energy_fj;
}

static inline bool counted_as_promised(const struct loom_program *program,
				       const struct loom_session *session)
{
	struct drm_loom_counters counted;

	loom_session_counters(session, &counted);
	return is_promise(program, counted);
}

/* By name: the model may declare inputs that nobody reads any more. */
static inline int outcome_feed(struct loom_session *session, const struct loom_program *program,
			       const struct loom_array *inputs, uint32_t num_inputs,
			       struct loom_error *err)
{
	uint32_t i, k;
	int ret = 0;

	for (i = 0; i < program->num_inputs && !ret; i++) {
		for (k = 0; k < num_inputs; k++)
			if (!strcmp(inputs[k].name, program->inputs[i].name))
				break;
		if (k == num_inputs) {
			outcome_fail(err, "there is no %s", program->inputs[i].name);
			return -ENOENT;
		}
		ret = loom_session_set_input(session, i, &inputs[k], err);
	}
	return ret;
}

/* The plan survives the round trip through the bytes for a device. */
static inline int outcome_code(const struct loom_program *program, const struct drm_loom_chip *chip,
			       struct loom_error *err)
{
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	int ret = loom_native_plan_create(program->plan, program->plan_bytes, chip, &plan, &reject);

	if (!ret)
		ret = code_round(plan, chip) ? -EPROTO : 0;
	loom_plan_destroy(plan);
	if (ret)
		outcome_fail(err, "not the same plan as bytes for a device");
	return ret;
}

/*
 * The judge, which shares no code with planner, verifier and engine, finds nothing in the plan, and
 * counts what was promised. Values are those of @reference, unless that is NULL.
 */
static inline int outcome_replay_beside(const struct loom_program *program,
					const struct loom_program *reference,
					const struct drm_loom_chip *chip, struct loom_error *err)
{
	struct loom_replay_options options = {
		.chip = chip, .reference = reference, .max_faults = 1,
	};
	struct loom_replay_report *report;
	int ret = loom_replay_program(program, &options, &report, err);

	if (ret)
		return ret;
	if (report->num_faults) {
		outcome_fail(err, "the judge: %s", report->faults[0].text);
		ret = -EPROTO;
	}
	loom_replay_destroy(report);
	return ret;
}

/* The same beside the reference of @graph. */
static inline int outcome_judge(const struct loom_graph *graph,
				const struct loom_planner_options *options,
				const struct loom_program *program, struct loom_error *err)
{
	struct loom_program *reference;
	int ret = loom_program_create_reference(graph, options, program, &reference, err);

	if (ret)
		return ret;
	ret = outcome_replay_beside(program, reference, options->chip, err);
	loom_program_destroy(reference);
	return ret;
}

/* Without values: those who have a reference compare them. */
static inline int outcome_replay_anew(const struct loom_program *program,
				      const struct drm_loom_chip *chip, struct loom_error *err)
{
	int ret = outcome_replay_beside(program, NULL, chip, err);

	/* there are plans that it has no memory for */
	return ret == -E2BIG ? 0 : ret;
}

/* The same, unless it is known. */
static inline int outcome_replay(const struct loom_program *program,
				 const struct drm_loom_chip *chip, struct loom_error *err)
{
	if (judge_has_seen && judge_has_seen(program, chip))
		return 0;
	return outcome_replay_anew(program, chip, err);
}

/*
 * Control of the tests themselves, see blind.sh: all results of all runs, or of each second, are
 * ones, of which floats are NaN.
 */
static inline void outcome_spoil(struct outcome *outcome)
{
	const char *which = getenv("LOOM_NAN_OUTPUTS");
	static unsigned int runs;
	uint32_t i;

	if (!which || (!strcmp(which, "second") && runs++ % 2 == 0))
		return;
	for (i = 0; i < outcome->num_outputs; i++)
		memset(outcome->outputs[i].data, 0xff, outcome->outputs[i].size_bytes);
}

/*
 * Proves and runs it, 0 or an errno with a line about it. Whatever is returned,
 * outcome_clear() has to follow.
 */
static inline int outcome_run(struct outcome *outcome, const struct loom_program *program,
			      const struct drm_loom_chip *chip, const struct loom_array *inputs,
			      uint32_t num_inputs, struct loom_error *err)
{
	struct loom_session *session = NULL;
	struct loom_target *target = NULL;
	int ret;

	memset(outcome, 0, sizeof(*outcome));
	outcome->stats = program->stats;
	ret = loom_target_open("host", chip, &target, err);
	if (!ret)
		ret = loom_session_create(target, program, &session, err);
	if (!ret)
		ret = outcome_code(program, loom_target_chip(target), err);
	if (!ret)
		ret = outcome_replay(program, loom_target_chip(target), err);
	if (!ret)
		ret = outcome_feed(session, program, inputs, num_inputs, err);
	if (!ret)
		ret = loom_session_run(session, NULL, NULL, err);
	if (!ret && !counted_as_promised(program, session)) {
		outcome_fail(err, "the engine counts otherwise");
		ret = -EPROTO;
	}
	if (!ret && program->num_outputs > MAX_OUTPUTS) {
		outcome_fail(err, "%u outputs", program->num_outputs);
		ret = -E2BIG;
	}
	while (!ret && outcome->num_outputs < program->num_outputs) {
		ret = loom_session_get_output(session, outcome->num_outputs,
					      &outcome->outputs[outcome->num_outputs], NULL);
		outcome->num_outputs += !ret;
	}
	outcome_spoil(outcome);
	loom_session_destroy(session);
	loom_target_close(target);
	return ret;
}

/* Plans it, too: -ENOSPC only if there is no plan. */
static inline int outcome_plan(struct outcome *outcome, const struct loom_graph *graph,
			       const struct loom_planner_options *options,
			       const struct loom_array *inputs, uint32_t num_inputs,
			       struct loom_error *err)
{
	struct loom_program *program;
	int ret;

	memset(outcome, 0, sizeof(*outcome));
	ret = loom_program_create(graph, options, &program, err);
	if (ret)
		return ret;
	ret = outcome_run(outcome, program, options->chip, inputs, num_inputs, err);
	loom_program_destroy(program);
	return ret == -ENOSPC ? -EIO : ret;
}

static inline void outcome_clear(struct outcome *outcome)
{
	uint32_t i;

	for (i = 0; i < outcome->num_outputs; i++)
		loom_array_clear(&outcome->outputs[i]);
}

/* Bit for bit */
static inline bool outcome_same(const struct outcome *a, const struct outcome *b)
{
	uint32_t i;

	if (a->num_outputs != b->num_outputs)
		return false;
	for (i = 0; i < a->num_outputs; i++)
		if (a->outputs[i].size_bytes != b->outputs[i].size_bytes ||
		    memcmp(a->outputs[i].data, b->outputs[i].data, a->outputs[i].size_bytes))
			return false;
	return true;
}

static inline uint64_t outcome_dram_bytes(const struct outcome *outcome)
{
	return outcome->stats.dram_read_bytes + outcome->stats.dram_write_bytes;
}

#endif /* LOOM_TESTS_OUTCOME_H */
