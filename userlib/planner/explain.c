// SPDX-License-Identifier: MIT
/*
 * Programs that explain the cuts of a plan. group/emit finds other divisions; each of them is
 * written as a program of the same graph and options, and counted like the plan itself. So a figure
 * of an explanation belongs to an existing plan, and a better plan is taken.
 *
 * Without LOOM_PLANNER_EXPLAIN the same is done to improve a plan, but then only divisions that are
 * promising by the prices of their groups are written, and in larger graphs only some of these. A
 * better one among the others is reported and not taken: a plan must not depend on whether it is
 * explained.
 */
#include "planner.h"

#include <errno.h>

/* Limit on the times that an improved plan is explained again. */
#define ROUNDS	8
/* By time, a division is promising if its price is at most 1/NEAR higher. */
#define NEAR	16
/* Commands of promising divisions, in graphs of more than PLANNER_SMALL_GRAPH nodes. */
#define MOST		40000

/**
 * struct explain - the plan that is explained
 * @graph: see loom_planner_explain()
 * @options: likewise
 * @candidate: likewise, with the groups of @program
 * @program: the program, with notes
 * @alternatives: other divisions of its nodes
 * @better: the best program that is better than @program, or NULL
 * @better_division: its groups
 * @better_takes_all: they were made for all of the SRAM
 * @bar_cycles: threshold for better programs, see &struct planner_bar
 * @written: commands of promising divisions that were written
 */
struct explain {
	const struct loom_graph *graph;
	const struct loom_planner_options *options;
	struct planner_candidate candidate;
	struct loom_program *program;
	struct loom_group_alternatives alternatives;
	struct loom_program *better;
	struct loom_group_division *better_division;
	bool better_takes_all;
	u64 bar_cycles;
	u64 written;
};

static u64 figure(const struct explain *e, const struct loom_program *program)
{
	const struct loom_program_stats *stats = &program->stats;

	if (e->options->objective == LOOM_OBJECTIVE_TIME)
		return stats->cycles;
	return stats->dram_read_bytes + stats->dram_write_bytes +
	       (e->options->objective == LOOM_OBJECTIVE_SRAM ? 0 : stats->rom_read_bytes);
}

/* Whether another promising division may be written. */
static bool may_write(const struct explain *e)
{
	u32 effort = loom_planner_effort(e->options);

	if (effort < 2)
		return false;
	return e->graph->num_nodes <= PLANNER_SMALL_GRAPH ||
	       (e->graph->num_nodes <= PLANNER_LARGE_GRAPH &&
		(effort > 2 || e->written < MOST));
}

/* Whether a plan of the division may be better. */
static bool is_promising(const struct explain *e, const struct loom_group_division *division)
{
	u64 price = e->alternatives.price;

	if (!may_write(e))
		return false;
	if (e->options->objective == LOOM_OBJECTIVE_TIME)
		return division->price <= price + price / NEAR;
	return division->price < price;
}

/* Writes a division as a program. *@to: its figure; unchanged if it cannot be written. */
static int count(struct explain *e, u32 cut, struct loom_group_division *division, u64 *to)
{
	struct loom_program_cut *note = &loom_planner_cuts(e->program)[cut];
	const struct loom_program_group *sides = &e->program->groups[cut], *around;
	struct planner_candidate candidate = e->candidate;
	struct loom_program *program;
	struct planner_bar bar = { .cycles = e->bar_cycles };
	bool promising;
	u64 cost;
	int ret;

	if (!division->num_cuts)
		return 0;
	promising = is_promising(e, division);
	if (!promising && !(e->options->flags & LOOM_PLANNER_EXPLAIN))
		return 0;
	candidate.division = division;
	candidate.alternatives = NULL;
	candidate.bar = &bar;
	/* figures of what is not better are explained, too */
	bar.always = e->options->flags & LOOM_PLANNER_EXPLAIN;
	ret = loom_planner_within(e->graph, e->options, &candidate, &program, NULL);
	if (ret == -ENOSPC && candidate.group_bytes) {
		/* it also uses the room that was left for prefetch */
		candidate.group_bytes = 0;
		ret = loom_planner_within(e->graph, e->options, &candidate, &program, NULL);
	}
	e->written += promising ? e->program->stats.commands : 0;
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	cost = figure(e, program);
	for (around = program->groups; around->last_node < sides[1].first_node;)
		around++;
	/* the same nodes with other residents answer both questions */
	if (around->first_node == sides[0].first_node && around->last_node == sides[1].last_node) {
		note->why = LOOM_CUT_COST;
		note->short_bytes = 0;
		note->joined = min(note->joined, cost);
	}
	if (cost < *to) {
		*to = cost;
		note->around_first = around->first_node;
		note->around_last = around->last_node;
	}
	if (promising && bar.estimate < bar.cycles &&
	    cost < figure(e, e->better ? e->better : e->program)) {
		e->bar_cycles = planner_bar_next(&bar, cost);
		loom_program_destroy(e->better);
		e->better = program;
		e->better_division = division;
		e->better_takes_all = !candidate.group_bytes;
		return 0;
	}
	loom_program_destroy(program);
	return 0;
}

static int explain(struct explain *e)
{
	struct loom_program_cut *notes = loom_planner_cuts(e->program);
	u32 i;
	int ret = 0;

	for (i = 0; i < e->alternatives.count && !ret; i++) {
		loom_watch_reach(0.75 + 0.2 * i / e->alternatives.count);
		notes[i].cycles = e->options->objective == LOOM_OBJECTIVE_TIME;
		notes[i].with = figure(e, e->program);
		notes[i].apart = notes[i].with;
		/* a plan of joined groups is also one without the cut */
		ret = count(e, i, &e->alternatives.joined[i], &notes[i].without);
		if (!ret)
			ret = count(e, i, &e->alternatives.without[i], &notes[i].without);
	}
	return ret;
}

static void replace(struct loom_program **program, struct loom_program **by)
{
	loom_program_destroy(*program);
	*program = *by;
	*by = NULL;
}

/* Explains a program, and those that are better, until none is. */
static int improve(struct explain *e, struct loom_group_division *taken,
		   struct loom_program **program)
{
	struct planner_bar bar = { .cycles = U64_MAX };
	bool notes = e->options->flags & LOOM_PLANNER_EXPLAIN;
	u32 round;
	int ret = 0;

	for (round = 0; round < ROUNDS && !ret && (notes || may_write(e)); round++) {
		e->candidate.division = round ? taken : NULL;
		e->candidate.bar = &bar;
		ret = loom_planner_within(e->graph, e->options, &e->candidate, &e->program, NULL);
		e->candidate.bar = NULL;
		if (!ret) {
			e->bar_cycles = planner_bar_next(&bar, figure(e, e->program));
			ret = explain(e);
		}
		if (!ret && notes)
			replace(program, &e->program);
		if (ret || !e->better)
			break;
		loom_group_division_clear(taken);
		*taken = *e->better_division;
		loom_planner_note_candidate(e->better, "near divisions");
		if (e->better_takes_all)
			e->candidate.group_bytes = 0;
		*e->better_division = (struct loom_group_division){ .num_cuts = 0 };
		if (!notes)
			replace(program, &e->better);
		loom_program_destroy(e->better);
		loom_program_destroy(e->program);
		e->better = NULL;
		e->program = NULL;
	}
	return ret;
}

int loom_planner_explain(const struct loom_graph *graph, const struct loom_planner_options *options,
			 const struct planner_candidate *candidate, struct loom_program **program)
{
	struct explain e = { .graph = graph, .options = options, .candidate = *candidate };
	struct loom_group_division taken = { .num_cuts = 0 };
	int ret;

	e.candidate.alternatives = &e.alternatives;
	ret = improve(&e, &taken, program);
	loom_program_destroy(e.program);
	loom_program_destroy(e.better);
	loom_group_division_clear(&taken);
	loom_group_alternatives_clear(&e.alternatives);
	return ret;
}
