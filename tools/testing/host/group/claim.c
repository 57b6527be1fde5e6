// SPDX-License-Identifier: MIT
/*
 * A plan claims no more SRAM than it needs: on a shared device others have the rest. Over random
 * graphs, all groupings and objectives: at most 1.1 times the bytes that are alive at once, in
 * whole units of the SRAM's alignment.
 */
#include "case.h"
#include "chips.h"
#include "loom_planner.h"

#include <stdlib.h>

#define GRAPHS	24

/* The most bytes of the scratch that are alive in a step. */
static u64 alive_at_once(const struct loom_program *program, u64 align)
{
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_tensor *tensors =
		(const void *)((const char *)program->plan + header->tensors.offset);
	u64 *bytes = calloc(header->steps.count + 1, sizeof(*bytes)), most = 0;
	u32 i, step;

	if (!bytes)
		tap_fatal("no memory");
	for (i = 0; i < header->tensors.count; i++) {
		const struct drm_loom_plan_tensor *t = &tensors[i];

		if (t->region != DRM_LOOM_REGION_SRAM || t->flags & DRM_LOOM_TENSOR_SLOT)
			continue;
		for (step = t->first_step; step <= t->last_step; step++)
			bytes[step] += (t->size + align - 1) / align * align;
	}
	for (step = 0; step < header->steps.count; step++)
		most = bytes[step] > most ? bytes[step] : most;
	free(bytes);
	return most;
}

int main(void)
{
	static const char *const groupings[] = { "layerwise", "layergroup", "layergroup-text",
						 "layergroup-dp" };
	static const uint32_t objectives[] = { LOOM_OBJECTIVE_TIME,
							  LOOM_OBJECTIVE_BYTES };
	u32 which, g, o, k, plans = 0, wide = 0;
	double worst = 0;

	make_weights();
	for (which = 1; which <= GRAPHS; which++) {
		struct test_case test;

		make_case(&test, which);
		for (k = 0; k < 3; k++) {
			const struct drm_loom_chip chip = CHIP("some", (4, 1, 1ULL << 32, 0, 64),
							       (2, 1, 4096U << 2 * k, 0, 64));

			for (g = 0; g < ARRAY_SIZE(groupings); g++)
				for (o = 0; o < ARRAY_SIZE(objectives); o++) {
					struct loom_planner_options how = {
						.grouping = groupings[g], .chip = &chip,
						.objective = objectives[o],
					};
					struct loom_program *program;
					u64 alive, claim;

					if (loom_program_create(test.graph, &how, &program, NULL))
						continue;
					claim = program->stats.scratch_bytes;
					alive = alive_at_once(program, 64);
					plans++;
					if (alive && (double)claim / (double)alive > worst)
						worst = (double)claim / (double)alive;
					if (10 * claim > 11 * alive && !wide++)
						tap_note("graph %u, %s: %llu of %llu bytes", which,
							 groupings[g], (unsigned long long)claim,
							 (unsigned long long)alive);
					loom_program_destroy(program);
				}
		}
		free_case(&test);
	}
	tap_ok(plans > 300 && !wide, "%u plans, %u claim too much, the worst %.3f times", plans,
	       wide, worst);
	return tap_end();
}
