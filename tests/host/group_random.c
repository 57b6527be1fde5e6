// SPDX-License-Identifier: MIT
/*
 * Random graphs of every operator, with branches, joins, values that are read inside and seen
 * outside, on devices too small for them, in groups. Every plan goes through the verifier and the
 * engine, has to give the same bits as layer by layer in one piece, has to cost what was promised,
 * and moves no more than layer by layer would.
 */
#include "group_case.h"
#include "loom_run.h"
#include "loom_topology.h"

#include <errno.h>

#define ROUNDS		200
#define DEFAULT		1	/* "layergroup" among the strategies */

/**
 * struct tally - what became of a strategy's plans
 * @runs: number of them
 * @sliced: some nodes did not fit in one piece
 * @saved: it moves less than layer by layer
 * @third: it moves a third less
 */
struct tally {
	unsigned int runs;
	unsigned int sliced;
	unsigned int saved;
	unsigned int third;
};

static struct tally tallies[8];
static unsigned int num_misfits;

static const struct loom_topology huge = {
	"huge", { { 1, 1, 1ULL << 32, 0, 64 }, { 4, 1, 1ULL << 26, 0, 64 } }, 1,
};

static const struct loom_topology small[] = {
	{ "one lane", { { 1, 1, 1ULL << 32, 0, 64 }, { 1, 1, 9000, 0, 16 } }, 1 },
	{ "three lanes", { { 1, 1, 1ULL << 32, 0, 64 }, { 3, 1, 3600, 32, 8 } }, 1 },
	{ "eight lanes", { { 1, 1, 1ULL << 32, 0, 64 }, { 8, 1, 4000, 0, 64 } }, 1 },
	{ "roomy", { { 1, 1, 1ULL << 32, 0, 64 }, { 4, 1, 40000, 0, 64 } }, 1 },
};

struct outcome {
	struct loom_array outputs[MAX_MAPS];
	uint32_t num_outputs;
	uint64_t dram_bytes;
	bool sliced;
};

static bool counted_as_promised(const struct loom_program *program,
				const struct loom_session *session)
{
	const struct loom_program_stats *s = &program->stats;
	struct drm_loom_counters c;

	loom_session_counters(session, &c);
	return c.dram_read_bytes == s->dram_read_bytes &&
	       c.dram_write_bytes == s->dram_write_bytes &&
	       c.sram_read_bytes == s->sram_read_bytes &&
	       c.sram_write_bytes == s->sram_write_bytes && c.macs == s->macs &&
	       c.steps == s->steps && c.commands == s->commands;
}

static int run(struct test_case *test, const struct loom_planner_options *options,
	       struct outcome *outcome, struct loom_error *err)
{
	struct loom_session *session = NULL;
	struct loom_program *program = NULL;
	struct loom_target *target = NULL;
	uint32_t i;
	int ret;

	memset(outcome, 0, sizeof(*outcome));
	ret = loom_program_create(test->graph, options, &program, err);
	if (ret)
		return ret;
	ret = loom_target_open("host", options->topology, &target, err);
	if (!ret)
		ret = loom_session_create(target, program, &session, err);
	if (!ret && program->num_inputs)
		ret = loom_session_set_input(session, 0, &test->inputs[0], err);
	if (!ret)
		ret = loom_session_run(session, NULL, NULL, err);
	if (!ret && !counted_as_promised(program, session)) {
		snprintf(err->text, sizeof(err->text), "the engine counts otherwise");
		ret = -EPROTO;
	}
	outcome->dram_bytes = program->stats.dram_read_bytes + program->stats.dram_write_bytes;
	outcome->sliced = program->stats.sliced_nodes;
	for (i = 0; i < program->num_outputs && !ret; i++, outcome->num_outputs++)
		ret = loom_session_get_output(session, i, &outcome->outputs[i]);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	return ret == -ENOSPC ? -EIO : ret;
}

static void clear(struct outcome *outcome)
{
	uint32_t i;

	for (i = 0; i < outcome->num_outputs; i++)
		loom_array_clear(&outcome->outputs[i]);
}

static bool same(const struct outcome *a, const struct outcome *b)
{
	uint32_t i;

	for (i = 0; i < a->num_outputs; i++)
		if (a->outputs[i].size_bytes != b->outputs[i].size_bytes ||
		    memcmp(a->outputs[i].data, b->outputs[i].data, a->outputs[i].size_bytes))
			return false;
	return a->num_outputs == b->num_outputs;
}

/* In groups by one strategy. Those to compare with may move more than no groups would. */
static bool run_grouped(struct test_case *test, const struct loom_planner_options *options,
			uint32_t strategy, uint64_t plain_bytes, const struct outcome *want,
			struct loom_error *err)
{
	struct tally *tally = &tallies[strategy];
	struct outcome grouped;
	bool good;

	if (run(test, options, &grouped, err))
		return false;
	tally->runs++;
	tally->saved += grouped.dram_bytes < plain_bytes;
	tally->third += grouped.dram_bytes < plain_bytes * 2 / 3;
	tally->sliced += grouped.sliced;
	good = same(&grouped, want);
	if (!good)
		snprintf(err->text, sizeof(err->text), "%s: other bits", options->grouping);
	if (good && strategy == DEFAULT && grouped.dram_bytes > plain_bytes) {
		snprintf(err->text, sizeof(err->text), "%llu DRAM bytes, layer by layer %llu",
			 (unsigned long long)grouped.dram_bytes, (unsigned long long)plain_bytes);
		good = false;
	}
	clear(&grouped);
	return good;
}

static bool run_small(struct test_case *test, const struct loom_topology *topology, uint32_t flags,
		      const struct outcome *want, struct loom_error *err)
{
	struct loom_planner_options options = { .topology = topology, .flags = flags };
	struct outcome plain;
	bool good = true;
	uint32_t i;
	int ret;

	ret = run(test, &options, &plain, err);
	if (ret == -ENOSPC) {
		num_misfits++;
		return true;
	}
	if (ret)
		return false;
	for (i = 1; loom_grouping_name(i) && good; i++) {
		options.grouping = loom_grouping_name(i);
		good = run_grouped(test, &options, i, plain.dram_bytes, want, err);
	}
	clear(&plain);
	return good;
}

static bool try_round(uint32_t round)
{
	struct loom_planner_options options = { .topology = &huge };
	struct test_case test = { 0 };
	struct loom_error err = { "" };
	const char *where = "graph";
	struct outcome want = { .num_outputs = 0 };
	bool good;
	uint32_t i;

	seed = round * 7919 + 5;
	if (loom_graph_create("test", 14, &test.graph))
		tap_fatal("no memory");
	make_graph(&test);
	good = !loom_graph_finish(test.graph, NULL, &err);
	if (good) {
		where = huge.name;
		good = !run(&test, &options, &want, &err);
	}
	for (i = 0; i < ARRAY_SIZE(small) && good; i++) {
		where = small[i].name;
		good = run_small(&test, &small[i], 0, &want, &err) &&
		       run_small(&test, &small[i], LOOM_PLANNER_NO_OVERLAP, &want, &err);
	}
	if (!good)
		tap_note("round %u, %s: %s", round, where, err.text);
	clear(&want);
	loom_graph_destroy(test.graph);
	for (i = 0; i < test.num_inputs; i++)
		free(test.inputs[i].data);
	return good;
}

int main(int argc, char **argv)
{
	uint32_t round, bad = 0, i;

	make_weights();
	if (argc > 1) {
		tap_ok(try_round((uint32_t)atoi(argv[1])), "round %s", argv[1]);
		return tap_end();
	}
	for (round = 0; round < ROUNDS; round++)
		bad += !try_round(round);
	tap_ok(!bad, "%u of %u graphs are the same in groups, and cost no more", ROUNDS - bad,
	       ROUNDS);
	tap_note("%u did not fit", num_misfits);
	for (i = 1; loom_grouping_name(i); i++) {
		const struct tally *t = &tallies[i];

		tap_note("%s: %u plans, %u sliced, %u that move less, %u a third less",
			 loom_grouping_name(i), t->runs, t->sliced, t->saved, t->third);
		tap_ok(t->saved > t->runs / 4, "%s: groups were made", loom_grouping_name(i));
		tap_ok(t->sliced > t->runs / 4, "%s: slicing was put to the test",
		       loom_grouping_name(i));
	}
	return tap_end();
}
