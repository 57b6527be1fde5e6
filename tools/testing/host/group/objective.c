// SPDX-License-Identifier: MIT
/*
 * Random graphs on devices too small for them, by each objective: results are the same to the bit,
 * no other strategy makes a better plan by what was asked for, and the plan by bytes is no faster
 * than the one by time.
 */
#include "case.h"
#include "chips.h"
#include "outcome.h"
#include "host/lower/rounds.h"

#define ROUNDS		10

static const struct drm_loom_chip small[] = {
	CHIP_SRAM("one-lane", (1, 1, 9000, 0, 16)),
	CHIP_SRAM("eight-lanes", (8, 1, 4000, 0, 64)),
	CHIP_SRAM("roomy", (4, 1, 40000, 0, 64)),
};

/* Chips whose commands cost something to start, and whose DRAM moves bursts. */
static struct drm_loom_chip slow_start(const struct drm_loom_chip *chip)
{
	struct drm_loom_chip slow = *chip;

	slow.dma_start = 40;
	slow.compute_start = 25;
	slow.region[DRM_LOOM_REGION_DRAM].burst_bytes = 64;
	slow.region[DRM_LOOM_REGION_DRAM].read_latency = 100;
	return slow;
}

static unsigned int num_faster, num_runs;

/* No strategy is faster than @time, or moves less than @bytes. */
static bool compare_others(struct test_case *test, const struct drm_loom_chip *chip,
			   const struct outcome *time, const struct outcome *bytes,
			   struct loom_error *err)
{
	struct loom_planner_options how = { .grouping = "layerwise", .chip = chip };
	struct outcome other;
	bool good = true;
	uint32_t i;

	for (i = 0; loom_grouping_name(i) && good; i++) {
		how.grouping = loom_grouping_name(i);
		if (!outcome_plan(&other, test->graph, &how, test->inputs, test->num_inputs,
				  err)) {
			if (other.stats.cycles < time->stats.cycles)
				good = outcome_worse(err, how.grouping, time->stats.cycles,
						     other.stats.cycles);
			if (outcome_dram_bytes(&other) < outcome_dram_bytes(bytes))
				good = outcome_worse(err, how.grouping,
						     outcome_dram_bytes(bytes),
						     outcome_dram_bytes(&other));
		}
		outcome_clear(&other);
	}
	return good;
}

static bool try_chip(struct test_case *test, const struct drm_loom_chip *chip,
		     struct loom_error *err)
{
	struct loom_planner_options how = { .chip = chip, .grouping = "layergroup" };
	struct outcome time = { 0 }, bytes = { 0 };
	bool good = true;
	int ret;

	how.objective = LOOM_OBJECTIVE_TIME;
	ret = outcome_plan(&time, test->graph, &how, test->inputs, test->num_inputs, err);
	if (!ret) {
		how.objective = LOOM_OBJECTIVE_BYTES;
		ret = outcome_plan(&bytes, test->graph, &how, test->inputs, test->num_inputs, err);
	}
	if (!ret) {
		num_runs++;
		num_faster += time.stats.cycles < bytes.stats.cycles;
		if (!outcome_same(&time, &bytes))
			good = outcome_fail(err, "other bits");
		else if (bytes.stats.cycles < time.stats.cycles)
			good = outcome_worse(err, "by bytes", time.stats.cycles,
					     bytes.stats.cycles);
		else
			good = compare_others(test, chip, &time, &bytes, err);
	}
	outcome_clear(&time);
	outcome_clear(&bytes);
	return good && (!ret || ret == -ENOSPC);
}

static bool try_round(uint32_t round)
{
	struct drm_loom_chip slow;
	struct test_case test;
	struct loom_error err = { .text = "" };
	bool good = true;
	uint32_t i;

	make_case(&test, round * 7919 + 11);
	for (i = 0; i < ARRAY_SIZE(small) && good; i++) {
		slow = slow_start(&small[i]);
		good = try_chip(&test, &small[i], &err) && try_chip(&test, &slow, &err);
		if (!good)
			tap_note("round %u, %s: %s", round, small[i].name, err.text);
	}
	free_case(&test);
	return good;
}

static void test_unknown(void)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = &small[0], .objective = 99,
	};
	struct test_case test;

	make_case(&test, 5);
	case_refused(&test, &how, -EINVAL, "99");
	free_case(&test);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs are best by what was asked for",
	       rounds.count - rounds.bad, rounds.count);
	if (argc > 1)
		return tap_end();
	test_unknown();
	tap_ok(num_faster > num_runs / 20, "%u of %u plans are faster than those by bytes",
	       num_faster, num_runs);
	return tap_end();
}
