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

#include "base/tasks.h"

#include <errno.h>
#include <stdlib.h>

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
 * @bar_cycles: threshold for better programs at the begin of the round, see &struct planner_bar
 * @best_cycles: that of the best program so far
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
	u64 best_cycles;
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

/* Whether another promising division may be written, after @written commands of others. */
static bool may_write(const struct explain *e, u64 written)
{
	u32 effort = loom_planner_effort(e->options);

	if (effort < 2)
		return false;
	return e->graph->num_nodes <= PLANNER_SMALL_GRAPH ||
	       (e->graph->num_nodes <= PLANNER_LARGE_GRAPH && (effort > 2 || written < MOST));
}

/* Whether a plan of the division may be better, by the prices of its groups. */
static bool is_promising(const struct explain *e, const struct loom_group_division *division)
{
	u64 price = e->alternatives.price;

	if (e->options->objective == LOOM_OBJECTIVE_TIME)
		return division->price <= price + price / NEAR;
	return division->price < price;
}

/**
 * struct round - the divisions of a round, each without a cut or with groups joined
 * @e: the plan that is explained
 * @alternatives: plans that are written, by division
 * @count: number of @alternatives
 * @written: commands of promising divisions that were written, in all rounds
 * @error: 0 or -ENOMEM
 */
struct round {
	struct explain *e;
	struct alternative {
		struct loom_group_division *division;
		u32 cut;
		bool promising;
		bool takes_all;
		struct planner_bar bar;
		u64 bar_after;
		u64 written_after;
		struct loom_program *program;
		int ret;
	} *alternatives;
	u32 count;
	u64 written;
	int error;
};

static void run_division(void *arg, u32 i)
{
	struct round *round = arg;
	struct explain *e = round->e;
	struct alternative *a = &round->alternatives[i];
	const struct alternative *before = i < LOOM_TASKS_LAG ? NULL : a - LOOM_TASKS_LAG;
	struct planner_candidate candidate = e->candidate;

	a->promising &= may_write(e, before ? before->written_after : e->written);
	if (!a->promising && !(e->options->flags & LOOM_PLANNER_EXPLAIN)) {
		a->ret = -ENOSPC;
		return;
	}
	a->bar.cycles = before ? before->bar_after : e->bar_cycles;
	/* figures of what is not better are explained, too */
	a->bar.always = e->options->flags & LOOM_PLANNER_EXPLAIN;
	candidate.division = a->division;
	candidate.alternatives = NULL;
	candidate.bar = &a->bar;
	a->ret = loom_planner_within(e->graph, e->options, &candidate, &a->program, NULL);
	a->takes_all = !candidate.group_bytes;
	if (a->ret == -ENOSPC && candidate.group_bytes) {
		/* it also uses the room that was left for prefetch */
		candidate.group_bytes = 0;
		a->takes_all = true;
		a->ret = loom_planner_within(e->graph, e->options, &candidate, &a->program, NULL);
	}
}

/* Notes the figure of a division, and keeps its program if it is the best. */
static void note_division(struct explain *e, struct alternative *a)
{
	struct loom_program_cut *note = &loom_planner_cuts(e->program)[a->cut];
	const struct loom_program_group *sides = &e->program->groups[a->cut], *around;
	u64 cost = figure(e, a->program);

	for (around = a->program->groups; around->last_node < sides[1].first_node;)
		around++;
	/* the same nodes with other residents answer both questions */
	if (around->first_node == sides[0].first_node && around->last_node == sides[1].last_node) {
		note->why = LOOM_CUT_COST;
		note->short_bytes = 0;
		note->joined = min(note->joined, cost);
	}
	/* a plan of joined groups is also one without the cut */
	if (cost < note->without) {
		note->without = cost;
		note->around_first = around->first_node;
		note->around_last = around->last_node;
	}
	if (!a->promising || a->bar.estimate >= a->bar.cycles ||
	    cost >= figure(e, e->better ? e->better : e->program))
		return;
	e->best_cycles = planner_bar_next(&a->bar, cost);
	loom_program_destroy(e->better);
	e->better = a->program;
	e->better_division = a->division;
	e->better_takes_all = a->takes_all;
	a->program = NULL;
}

static bool merge_division(void *arg, u32 i)
{
	struct round *round = arg;
	struct alternative *a = &round->alternatives[i];
	bool rejected;

	loom_watch_reach(0.75 + 0.2 * i / round->count);
	/* alike whether it was rejected, or made only to be explained */
	rejected = a->ret == -ERANGE || a->bar.estimate >= a->bar.cycles;
	if (a->promising && (!a->ret || a->ret == -ERANGE))
		round->written += (rejected ? round->e->program : a->program)->stats.commands;
	if (a->ret == -ENOMEM)
		round->error = a->ret;
	else if (!a->ret)
		note_division(round->e, a);
	loom_program_destroy(a->program);
	a->program = NULL;
	a->bar_after = round->e->best_cycles;
	a->written_after = round->written;
	return !round->error &&
	       (round->e->options->flags & LOOM_PLANNER_EXPLAIN || !loom_watch_is_over());
}

/* Adds the divisions that are promising, or those that are not. */
static void add_divisions(struct round *round, bool promising)
{
	struct loom_group_alternatives *from = &round->e->alternatives;
	u32 i;

	for (i = 0; i < 2 * from->count; i++) {
		struct loom_group_division *division = i % 2 ? &from->without[i / 2] :
							       &from->joined[i / 2];

		if (division->num_cuts && is_promising(round->e, division) == promising)
			round->alternatives[round->count++] = (struct alternative){
				.division = division, .cut = i / 2, .promising = promising,
			};
	}
}

static int explain(struct explain *e)
{
	struct loom_program_cut *notes = loom_planner_cuts(e->program);
	struct round round = { .e = e, .written = e->written };
	struct loom_tasks tasks = {
		.jobs = loom_planner_jobs(e->options),
		.run = run_division, .merge = merge_division, .arg = &round,
	};
	u32 i;

	round.alternatives = calloc(2 * (size_t)e->alternatives.count + 1,
				    sizeof(*round.alternatives));
	if (!round.alternatives)
		return -ENOMEM;
	for (i = 0; i < e->alternatives.count; i++) {
		notes[i].cycles = e->options->objective == LOOM_OBJECTIVE_TIME;
		notes[i].with = figure(e, e->program);
		notes[i].apart = notes[i].with;
	}
	/* first, so that those that are only explained change no threshold */
	add_divisions(&round, true);
	if (e->options->flags & LOOM_PLANNER_EXPLAIN)
		add_divisions(&round, false);
	tasks.count = round.count;
	e->best_cycles = e->bar_cycles;
	loom_tasks_run(&tasks);
	e->written = round.written;
	for (i = 0; i < round.count; i++)
		loom_program_destroy(round.alternatives[i].program);
	free(round.alternatives);
	return round.error;
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

	for (round = 0; round < ROUNDS && !ret && (notes || may_write(e, e->written)); round++) {
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
