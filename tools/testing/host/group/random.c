// SPDX-License-Identifier: MIT
/*
 * Random graphs of every operator, with branches, joins, values that are read inside and seen
 * outside, on devices too small for them, in groups. Every plan goes through the verifier and the
 * engine, has to give the same bits as layer by layer in one piece, has to cost what was promised,
 * and moves no more than layer by layer would.
 */
#include "case.h"
#include "chips.h"
#include "outcome.h"
#include "host/lower/rounds.h"

#define ROUNDS		100
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

static const struct drm_loom_chip huge = CHIP_HUGE;

static const struct drm_loom_chip small[] = {
	CHIP_SRAM("one-lane", (1, 1, 9000, 0, 16)),
	CHIP_SRAM("three-lanes", (3, 1, 3600, 32, 8)),
	CHIP_SRAM("eight-lanes", (8, 1, 4000, 0, 64)),
	CHIP_SRAM("roomy", (4, 1, 40000, 0, 64)),
};

static int run(struct test_case *test, const struct loom_planner_options *options,
	       struct outcome *outcome, struct loom_error *err)
{
	return outcome_plan(outcome, test->graph, options, test->inputs, test->num_inputs, err);
}

/* In groups by one strategy. Those to compare with may move more than no groups would. */
static bool run_grouped(struct test_case *test, const struct loom_planner_options *options,
			uint32_t strategy, uint64_t plain_bytes, const struct outcome *want,
			struct loom_error *err)
{
	struct tally *tally = &tallies[strategy];
	struct outcome grouped;
	uint64_t bytes;
	bool good;

	if (run(test, options, &grouped, err)) {
		outcome_clear(&grouped);
		return false;
	}
	bytes = outcome_dram_bytes(&grouped);
	tally->runs++;
	tally->saved += bytes < plain_bytes;
	tally->third += bytes < plain_bytes * 2 / 3;
	tally->sliced += grouped.stats.sliced_nodes != 0;
	good = outcome_same(&grouped, want);
	if (!good)
		snprintf(err->text, sizeof(err->text), "%s: other bits", options->grouping);
	if (good && strategy == DEFAULT && bytes > plain_bytes) {
		snprintf(err->text, sizeof(err->text), "%llu DRAM bytes, layer by layer %llu",
			 (unsigned long long)bytes, (unsigned long long)plain_bytes);
		good = false;
	}
	outcome_clear(&grouped);
	return good;
}

static bool run_small(struct test_case *test, const struct drm_loom_chip *chip, uint32_t flags,
		      const struct outcome *want, struct loom_error *err)
{
	struct loom_planner_options options = {
		.grouping = "layerwise",
		.chip = chip, .flags = flags | LOOM_PLANNER_WHOLE_SUMS,
		.objective = LOOM_OBJECTIVE_BYTES,
	};
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
		good = run_grouped(test, &options, i, outcome_dram_bytes(&plain), want, err);
	}
	outcome_clear(&plain);
	return good;
}

static bool try_round(uint32_t round)
{
	struct loom_planner_options options = { .grouping = "layerwise", .chip = &huge };
	struct test_case test;
	struct loom_error err = { .text = "" };
	const char *where = huge.name;
	struct outcome want;
	bool good;
	uint32_t i;

	make_case(&test, round * 7919 + 5);
	good = !run(&test, &options, &want, &err);
	for (i = 0; i < ARRAY_SIZE(small) && good; i++) {
		where = small[i].name;
		good = run_small(&test, &small[i], 0, &want, &err) &&
		       run_small(&test, &small[i], LOOM_PLANNER_NO_OVERLAP, &want, &err);
	}
	if (!good)
		tap_note("round %u, %s: %s", round, where, err.text);
	outcome_clear(&want);
	free_case(&test);
	return good;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);
	uint32_t i;

	tap_ok(!rounds.bad, "%u of %u graphs are the same in groups, and cost no more",
	       rounds.count - rounds.bad, rounds.count);
	if (argc > 1)
		return tap_end();
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
