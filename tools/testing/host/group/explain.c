// SPDX-License-Identifier: MIT
/*
 * Why a cut is where it is, on random graphs: explaining changes no byte of the plan, what is said
 * of a cut is about the nodes on both sides of it, and a division without a cut has none there.
 */
#include "case.h"
#include "loom_planner.h"
#include "loom_chip.h"

#define GRAPHS	40

static struct {
	unsigned int cuts, whys[LOOM_CUT_COST + 1], without, cheaper;
	unsigned int bad_plans, bad_nodes, bad_bytes, bad_around;
} seen;

static void check_cut(const struct loom_program *program, uint32_t index)
{
	const struct loom_program_group *groups = &program->groups[index];
	const struct loom_program_cut *cut = &program->cuts[index];

	seen.cuts++;
	seen.whys[cut->why]++;
	seen.bad_nodes += cut->why == LOOM_CUT_ALONE &&
			  (cut->node < groups[0].first_node || cut->node > groups[1].last_node);
	seen.bad_bytes += (cut->why == LOOM_CUT_SRAM) != (cut->short_bytes > 0) ||
			  (cut->why != LOOM_CUT_COST && cut->joined);
	if (cut->why == LOOM_CUT_NO_CHOICE || cut->without == LOOM_CUT_NONE)
		return;
	seen.without++;
	seen.cheaper += cut->without < cut->with;
	seen.bad_bytes += !cut->without || !cut->with;
	seen.bad_around += cut->around_first > groups[0].last_node ||
			   cut->around_last < groups[1].first_node;
}

static void check_graph(uint32_t which)
{
	static const uint64_t limits[] = { 1 << 10, 2 << 10, 3 << 10, 4 << 10 };
	struct loom_planner_options options = {
		.chip = loom_preset_find("tiny"), .grouping = "layergroup",
	};
	struct test_case test;
	struct loom_program *plain, *explained;
	struct loom_error err;
	uint32_t i;

	make_case(&test, which);
	options.sram_limit_bytes = limits[which % ARRAY_SIZE(limits)];
	if (!loom_program_create(test.graph, &options, &plain, &err)) {
		options.flags = LOOM_PLANNER_EXPLAIN;
		if (loom_program_create(test.graph, &options, &explained, &err))
			tap_fatal("%s", err.text);
		seen.bad_plans += plain->plan_bytes != explained->plan_bytes ||
				  memcmp(plain->plan, explained->plan, plain->plan_bytes);
		for (i = 0; i + 1 < explained->num_groups; i++)
			check_cut(explained, i);
		loom_program_destroy(explained);
		loom_program_destroy(plain);
	}
	free_case(&test);
}

int main(void)
{
	uint32_t i;

	make_weights();
	for (i = 1; i <= GRAPHS; i++)
		check_graph(i);
	tap_ok(seen.cuts > 20 && seen.without, "%u cuts, for %u there is a division without",
	       seen.cuts, seen.without);
	tap_note("alone %u, shape %u, SRAM %u, cost %u; %u divisions cheaper than what was taken",
		 seen.whys[LOOM_CUT_ALONE], seen.whys[LOOM_CUT_SHAPE], seen.whys[LOOM_CUT_SRAM],
		 seen.whys[LOOM_CUT_COST], seen.cheaper);
	tap_ok(seen.whys[LOOM_CUT_SRAM] && seen.whys[LOOM_CUT_COST],
	       "some lack SRAM, some cost more");
	tap_ok(!seen.bad_plans, "explaining changes no byte of the plan");
	tap_ok(!seen.bad_nodes, "the node that has to be alone is next to the cut");
	tap_ok(!seen.bad_bytes, "what is lacking is said where that is the reason");
	tap_ok(!seen.bad_around, "a division without the cut has a group around it");
	return tap_end();
}
