// SPDX-License-Identifier: MIT
/*
 * Random graphs by the least SRAM: results are the same to the bit, plans keep to their caps, no
 * plan that is asked for by bytes fits in less, and what cannot be is refused.
 */
#include "case.h"
#include "chips.h"
#include "outcome.h"
#include "host/lower/rounds.h"

#include <errno.h>

#define ROUNDS		12

static const struct drm_loom_chip chips[] = {
	CHIP_SRAM("one-lane", (1, 1, 100000, 0, 16)),
	CHIP_SRAM("eight-lanes", (8, 1, 40000, 0, 64)),
	CHIP_SRAM("alone", (1, 1, 2000000, 0, 16)),
};

static unsigned int num_runs, num_less, num_capped, num_recomputed;

static struct drm_loom_chip chip_number(uint32_t index)
{
	static const struct drm_loom_chip_region none;
	struct drm_loom_chip chip = chips[index];

	if (!strcmp(chip.name, "alone"))
		chip.region[DRM_LOOM_REGION_DRAM] = none;
	return chip;
}

/* Plans and runs; 0, -ENOSPC, or what is wrong. */
static int run(struct test_case *test, const struct loom_planner_options *how,
	       const struct outcome *want, struct outcome *got, struct loom_error *err)
{
	int ret = outcome_plan(got, test->graph, how, test->inputs, test->num_inputs, err);

	if (!ret && !outcome_same(got, want)) {
		outcome_fail(err, "other bits");
		ret = -EPROTO;
	}
	outcome_clear(got);
	return ret;
}

static bool try_caps(struct test_case *test, struct loom_planner_options how,
		     const struct outcome *want, const struct outcome *bytes,
		     const struct outcome *least, struct loom_error *err)
{
	struct outcome got;
	int ret;

	how.max_bytes = outcome_dram_bytes(bytes);
	ret = run(test, &how, want, &got, err);
	if (ret && how.max_bytes)
		return false;
	if (outcome_dram_bytes(&got) > how.max_bytes)
		return outcome_worse(err, "capped bytes", outcome_dram_bytes(&got), how.max_bytes);
	if (got.stats.scratch_bytes < least->stats.scratch_bytes)
		return outcome_worse(err, "a cap makes it smaller", least->stats.scratch_bytes,
				     got.stats.scratch_bytes);
	num_capped += got.stats.scratch_bytes > least->stats.scratch_bytes;
	how.max_bytes = 0;
	how.max_recompute_permille = 1500;
	if (run(test, &how, want, &got, err))
		return false;
	if (2 * got.stats.macs > 3 * (got.stats.macs - got.stats.recomputed_macs))
		return outcome_worse(err, "recomputed", got.stats.recomputed_macs, got.stats.macs);
	num_recomputed += got.stats.recomputed_macs > 0;
	return true;
}

static bool try_chip(struct test_case *test, const struct drm_loom_chip *chip,
		     const struct outcome *want, struct loom_error *err)
{
	struct loom_planner_options how = {
		.chip = chip, .grouping = "layergroup", .flags = LOOM_PLANNER_WHOLE_SUMS,
	};
	struct outcome bytes, least, other;
	int ret = run(test, &how, want, &bytes, err);

	if (ret)
		return ret == -ENOSPC;
	how.objective = LOOM_OBJECTIVE_SRAM;
	ret = run(test, &how, want, &least, err);
	if (ret)
		return false;
	num_runs++;
	num_less += 2 * least.stats.scratch_bytes < bytes.stats.scratch_bytes;
	if (least.stats.recomputed_macs)
		return outcome_worse(err, "recomputed", least.stats.recomputed_macs, 0);
	if (!chip->region[DRM_LOOM_REGION_DRAM].banks)
		return true;
	/* in three quarters of it, by bytes and with nothing recomputed, there is no plan */
	how.objective = LOOM_OBJECTIVE_BYTES;
	how.max_recompute_permille = 1000;
	how.sram_limit_bytes = least.stats.scratch_bytes * 3 / 4;
	ret = how.sram_limit_bytes ? run(test, &how, want, &other, err) : -ENOSPC;
	if (ret != -ENOSPC)
		return outcome_worse(err, "by bytes", least.stats.scratch_bytes,
				     how.sram_limit_bytes);
	how.objective = LOOM_OBJECTIVE_SRAM;
	how.max_recompute_permille = 0;
	how.sram_limit_bytes = 0;
	return try_caps(test, how, want, &bytes, &least, err);
}

static bool try_round(uint32_t round)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct loom_error err = { .text = "" };
	struct drm_loom_chip chip;
	struct test_case test;
	struct outcome want;
	bool good = true;
	uint32_t i;

	make_case(&test, round * 7919 + 11);
	if (outcome_plan(&want, test.graph, &how, test.inputs, test.num_inputs, &err))
		tap_fatal("round %u on soft: %s", round, err.text);
	for (i = 0; i < ARRAY_SIZE(chips) && good; i++) {
		chip = chip_number(i);
		good = try_chip(&test, &chip, &want, &err);
		if (!good)
			tap_note("round %u, %s: %s", round, chip.name, err.text);
	}
	outcome_clear(&want);
	free_case(&test);
	return good;
}

static void test_refusals(void)
{
	struct loom_planner_options how = {
		.chip = &chips[0], .grouping = "layergroup", .objective = LOOM_OBJECTIVE_SRAM,
	};
	struct test_case test;

	make_case(&test, 5);
	how.max_bytes = 1;
	case_refused(&test, &how, -ENOSPC, "at most 1 are allowed");
	how.max_bytes = 0;
	how.max_cycles = 1;
	case_refused(&test, &how, -ENOSPC, "cycles, at most 1 are allowed");
	how.objective = LOOM_OBJECTIVE_BYTES;
	case_refused(&test, &how, -EINVAL, "for the objective 'sram'");
	how.max_cycles = 0;
	how.max_recompute_permille = 999;
	case_refused(&test, &how, -EINVAL, "999");
	how.max_recompute_permille = 0;
	how.objective = 99;
	case_refused(&test, &how, -EINVAL, "99");
	free_case(&test);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs are planned in the least SRAM",
	       rounds.count - rounds.bad, rounds.count);
	if (argc > 1)
		return tap_end();
	test_refusals();
	tap_ok(num_less > num_runs / 2, "%u of %u take less than half of what bytes take", num_less,
	       num_runs);
	tap_ok(num_capped > num_runs / 8, "%u take more because bytes are capped", num_capped);
	tap_note("%u recompute where they may", num_recomputed);
	return tap_end();
}
