// SPDX-License-Identifier: MIT
/*
 * Why a cut is where it is, on random graphs, by all objectives and in several sizes of SRAM:
 * explaining changes no byte of the plan, figures are those of whole plans, both lines of a cut
 * agree, and no alternative is better than the plan. An argument is the number of graphs.
 */
#include "case.h"
#include "loom_planner.h"
#include "loom_chip.h"

#define GRAPHS	40

static struct {
	unsigned int cuts, whys[LOOM_CUT_COST + 1], joined, without, plans;
	unsigned int bad_plans, bad_nodes, bad_bytes, bad_around, bad_with, bad_pairs, better;
	unsigned int lacks, bad_lacks;
} seen;

static uint64_t figure(const struct loom_program *program, enum loom_planner_objective objective)
{
	const struct loom_program_stats *stats = &program->stats;

	if (objective == LOOM_OBJECTIVE_TIME)
		return stats->cycles;
	return stats->dram_read_bytes + stats->dram_write_bytes +
	       (objective == LOOM_OBJECTIVE_SRAM ? 0 : stats->rom_read_bytes);
}

/* A plan with both sides as one group is a plan without the cut. */
static bool is_pair_bad(const struct loom_program_group *sides, const struct loom_program_cut *cut)
{
	bool joined = cut->why == LOOM_CUT_COST && cut->joined != LOOM_CUT_NONE;
	bool both = cut->without != LOOM_CUT_NONE &&
		    cut->around_first == sides[0].first_node &&
		    cut->around_last == sides[1].last_node;

	if (joined)
		return cut->without > cut->joined || (both && cut->without != cut->joined);
	return both;
}

static void check_cut(const struct loom_program *program, uint32_t index,
		      enum loom_planner_objective objective)
{
	const struct loom_program_group *groups = &program->groups[index];
	const struct loom_program_cut *cut = &program->cuts[index];
	uint64_t taken = figure(program, objective);

	seen.cuts++;
	seen.whys[cut->why]++;
	if (cut->why == LOOM_CUT_NO_CHOICE)
		return;
	seen.bad_nodes += cut->why == LOOM_CUT_ALONE &&
			  (cut->node < groups[0].first_node || cut->node > groups[1].last_node);
	seen.bad_bytes += (cut->why == LOOM_CUT_SRAM) != (cut->short_bytes > 0);
	seen.bad_with += cut->with != taken || cut->apart != taken ||
			 cut->cycles != (objective == LOOM_OBJECTIVE_TIME);
	seen.bad_pairs += is_pair_bad(groups, cut);
	seen.joined += cut->why == LOOM_CUT_COST && cut->joined != LOOM_CUT_NONE;
	if (cut->without == LOOM_CUT_NONE)
		return;
	seen.without++;
	seen.better += cut->without < taken;
	seen.bad_around += cut->around_first > groups[0].last_node ||
			   cut->around_last < groups[1].first_node;
}

static bool has_residents(const struct loom_program *program, uint32_t first, uint32_t last)
{
	return (first && program->cuts[first - 1].sram_bytes) ||
	       (last + 1 < program->num_groups && program->cuts[last].sram_bytes);
}

/*
 * With a byte less than cut @index says that both sides lack as one group, no plan has that group.
 * With other residents beside it, it may need less. Where fewer nodes have to be cut into pieces
 * then, the same numbers are other nodes.
 */
static void check_lack(struct loom_graph *graph, struct loom_planner_options options,
		       const struct loom_program *explained, uint32_t index)
{
	const struct loom_program_group *sides = &explained->groups[index];
	struct loom_program *program;
	struct loom_error err;
	uint32_t i;

	options.sram_limit_bytes += explained->cuts[index].short_bytes - 1;
	options.flags &= ~LOOM_PLANNER_EXPLAIN;
	if (loom_program_create(graph, &options, &program, &err))
		return;
	seen.lacks += program->num_nodes == explained->num_nodes;
	for (i = 0; i < program->num_groups && program->num_nodes == explained->num_nodes; i++)
		seen.bad_lacks += program->groups[i].first_node == sides[0].first_node &&
				  program->groups[i].last_node == sides[1].last_node &&
				  !has_residents(program, i, i);
	loom_program_destroy(program);
}

static void check_plan(struct loom_graph *graph, struct loom_planner_options options)
{
	struct loom_program *plain, *explained;
	struct loom_error err;
	uint32_t i;

	if (loom_program_create(graph, &options, &plain, &err))
		return;
	options.flags |= LOOM_PLANNER_EXPLAIN;
	if (loom_program_create(graph, &options, &explained, &err))
		tap_fatal("%s", err.text);
	seen.plans++;
	seen.bad_plans += plain->plan_bytes != explained->plan_bytes ||
			  memcmp(plain->plan, explained->plan, plain->plan_bytes);
	for (i = 0; i + 1 < explained->num_groups; i++) {
		check_cut(explained, i, options.objective);
		if (explained->cuts[i].why == LOOM_CUT_SRAM && options.sram_limit_bytes &&
		    !has_residents(explained, i, i + 1))
			check_lack(graph, options, explained, i);
	}
	loom_program_destroy(explained);
	loom_program_destroy(plain);
}

/* All objectives take turns; the one for the least SRAM takes as long as twenty others. */
static void check_graph(uint32_t which)
{
	static const uint64_t limits[] = { 1 << 10, 2 << 10, 3 << 10, 4 << 10 };
	struct loom_planner_options options = {
		.chip = loom_preset_find("tiny"), .grouping = "layergroup",
		/* another order of the nodes may need less */
		.flags = LOOM_PLANNER_GIVEN_ORDER,
	};
	struct test_case test;

	make_case(&test, which);
	options.sram_limit_bytes = limits[which % ARRAY_SIZE(limits)];
	options.objective = LOOM_OBJECTIVE_BYTES;
	check_plan(test.graph, options);
	options.objective = LOOM_OBJECTIVE_TIME;
	check_plan(test.graph, options);
	if (which % 8 == 0) {
		options.objective = LOOM_OBJECTIVE_SRAM;
		options.sram_limit_bytes = 0;
		check_plan(test.graph, options);
	}
	free_case(&test);
}

int main(int argc, char **argv)
{
	uint32_t graphs = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : GRAPHS, i;

	for (i = 1; i <= graphs; i++)
		check_graph(i);
	tap_ok(seen.cuts > 20 && seen.joined && seen.without,
	       "%u cuts of %u plans: %u as one group, %u divisions without", seen.cuts, seen.plans,
	       seen.joined, seen.without);
	tap_note("alone %u, shape %u, SRAM %u, cost %u", seen.whys[LOOM_CUT_ALONE],
		 seen.whys[LOOM_CUT_SHAPE], seen.whys[LOOM_CUT_SRAM], seen.whys[LOOM_CUT_COST]);
	tap_ok(seen.whys[LOOM_CUT_SRAM] && seen.whys[LOOM_CUT_COST],
	       "some lack SRAM, some cost more");
	tap_ok(!seen.bad_plans, "explaining changes no byte of the plan (%u)", seen.bad_plans);
	tap_ok(!seen.bad_nodes, "the node that has to be alone is next to the cut");
	tap_ok(!seen.bad_bytes, "what is lacking is said where that is the reason");
	tap_ok(seen.lacks && !seen.bad_lacks,
	       "a byte less than that is too little (%u of %u times not)", seen.bad_lacks,
	       seen.lacks);
	tap_ok(!seen.bad_with, "the plan's own figure is counted (%u others)", seen.bad_with);
	tap_ok(!seen.bad_pairs, "both lines of a cut agree (%u do not)", seen.bad_pairs);
	tap_ok(!seen.better, "no alternative is better than the plan (%u are)", seen.better);
	tap_ok(!seen.bad_around, "a division without the cut has a group around it");
	return tap_end();
}
