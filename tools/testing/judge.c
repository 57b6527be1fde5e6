// SPDX-License-Identifier: MIT
/*
 * The judge looks at every plan that a test makes or runs, and at what each run counted. The linker
 * gives it the calls that make a program, load one into a session and run it (--wrap, see the
 * Makefile), the library's own included. Plans are replayed by a checker that shares no code with
 * planner, verifier and engine (loom_replay.h). The counts of the engine and of each run must be
 * the promised ones. A fault ends the test, or the tool, with a status that neither has otherwise.
 * The VM is slow, and its plans were judged outside: there only runs are judged.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"
#include "loom_engine.h"
#include "loom_verify.h"
#include "outcome.h"
#include "run/run.h"

#define STATUS	3
#define KNOWN	1024

/* Plans are made and run by several threads, and the same ones again and again. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t known[KNOWN];

static uint64_t hash(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	while (size--)
		hash = (hash ^ *bytes++) * 0x100000001b3ULL;
	return hash;
}

/* Of all that a replay depends on, but for where arrays lie. */
static uint64_t key_of(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	uint64_t key = hash(0xcbf29ce484222325ULL, program->plan, program->plan_bytes);

	key = hash(key, &program->stats, sizeof(program->stats));
	return hash(key, chip, sizeof(*chip)) | 1;
}

static bool has_seen(uint64_t key)
{
	bool seen;

	pthread_mutex_lock(&lock);
	seen = known[key / 2 % KNOWN] == key;
	pthread_mutex_unlock(&lock);
	return seen;
}

bool judge_has_seen(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	return has_seen(key_of(program, chip));
}

static void note(uint64_t key)
{
	pthread_mutex_lock(&lock);
	known[key / 2 % KNOWN] = key;
	pthread_mutex_unlock(&lock);
}

static void end(const char *why)
{
	fflush(stdout);
	fprintf(stderr, "Bail out! %s\n", why);
	exit(STATUS);
}

/* A plan that nobody runs is counted, too. */
static int count(const struct loom_program *program, const struct drm_loom_chip *chip,
		 struct loom_error *err)
{
	struct drm_loom_counters counted;
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	int ret = loom_native_plan_create(program->plan, program->plan_bytes, chip, &plan, &reject);

	if (ret == -EBADMSG)
		snprintf(err->text, sizeof(err->text), "the judge: the verifier refuses it: %s",
			 loom_rule_text(reject.rule));
	if (ret)
		return ret;
	loom_engine_count(plan, &counted);
	loom_plan_destroy(plan);
	if (is_promise(program, counted))
		return 0;
	snprintf(err->text, sizeof(err->text), "the judge: the engine counts otherwise");
	return -EPROTO;
}

static void judge_plan(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	struct loom_error err = { .text = "" };
	uint64_t key;
	int ret;

	/* tools/vm/init sets it */
	if (getenv("LOOM_VM"))
		return;
	key = key_of(program, chip);
	if (has_seen(key))
		return;
	ret = outcome_replay_anew(program, chip, &err);
	if (!ret)
		ret = count(program, chip, &err);
	/* there are tests in which there is no memory */
	if (ret == -ENOMEM)
		return;
	if (ret)
		end(err.text);
	note(key);
}

static void judge_run(const struct loom_session *session)
{
	if (!counted_as_promised(session->program, session))
		end("the judge: the run counted otherwise than was promised");
}

int __wrap_loom_program_create(const struct loom_graph *graph,
			       const struct loom_planner_options *options,
			       struct loom_program **program, struct loom_error *err)
{
	int ret = __real_loom_program_create(graph, options, program, err);

	if (!ret)
		judge_plan(*program, options->chip);
	return ret;
}

int __wrap_loom_session_create(struct loom_target *target, const struct loom_program *program,
			       struct loom_session **session, struct loom_error *err)
{
	int ret = __real_loom_session_create(target, program, session, err);
	const struct drm_loom_plan_header *header = program->plan;
	struct drm_loom_chip chip;

	if (ret)
		return ret;
	/* a target with more lanes runs it in a partition */
	chip = *target->chip;
	if (header->lanes < chip.region[DRM_LOOM_REGION_SRAM].banks)
		chip.region[DRM_LOOM_REGION_SRAM].banks = header->lanes;
	judge_plan(program, &chip);
	return 0;
}

int __wrap_loom_session_run(struct loom_session *session, loom_progress_fn progress, void *arg,
			    struct loom_error *err)
{
	int ret = __real_loom_session_run(session, progress, arg, err);

	if (!ret)
		judge_run(session);
	return ret;
}

int __wrap_loom_session_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			       struct loom_error *err)
{
	int ret = __real_loom_session_finish(session, progress, arg, err);

	if (!ret)
		judge_run(session);
	return ret;
}
