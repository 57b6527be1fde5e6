/* SPDX-License-Identifier: MIT */
/* Programs to look at: of random graphs, in little SRAM or much, with groups and without. */
#ifndef LOOM_TESTS_PLAN_PROGRAMS_H
#define LOOM_TESTS_PLAN_PROGRAMS_H

#include "host/group/case.h"
#include "loom_planner.h"

/* Calls @check with each program of graph @which that fits @chip. */
static inline void check_programs(uint32_t which, const struct drm_loom_chip *chip,
				  void (*check)(const struct loom_program *program,
						const struct drm_loom_chip *chip))
{
	static const char *const groupings[] = { "layerwise", "layergroup" };
	static const uint64_t limits[] = { 2 << 10, 4 << 10, 0 };
	struct loom_planner_options options = {
		.grouping = "layerwise",
		.chip = chip,
		.sram_limit_bytes = limits[which % ARRAY_SIZE(limits)],
	};
	struct loom_program *program;
	struct loom_error err;
	struct test_case test;
	uint32_t i;

	make_case(&test, which);
	for (i = 0; i < ARRAY_SIZE(groupings); i++) {
		options.grouping = groupings[i];
		if (loom_program_create(test.graph, &options, &program, &err))
			continue;
		check(program, chip);
		loom_program_destroy(program);
	}
	free_case(&test);
}

#endif /* LOOM_TESTS_PLAN_PROGRAMS_H */
