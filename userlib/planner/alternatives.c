// SPDX-License-Identifier: MIT
/*
 * Chooses, of the programs of several strategies, the best by the objective: the one that moves the
 * fewest DRAM bytes, or that takes the fewest cycles by the chip's clock.
 *
 * A search whose budget is spent may have missed what simple rules find, and the cost of a node
 * alone is an estimate while groups are chosen: in very little SRAM no groups at all may be better.
 * So a strategy that looks for the best is compared with no groups and with the other strategies,
 * and the best program is taken. The program of a strategy that is only a baseline is taken as it
 * is, if there is one.
 *
 * By time, the search is done several times, with different weights of both streams, and once for
 * the fewest bytes. What is finished is counted exactly, and the fastest program is taken.
 *
 * Likewise for operands of concatenations, which can be computed in the result or be values of
 * their own (lower/storage_join.c): that is decided before groups are, and which is better depends
 * on the groups.
 */
#include "planner.h"
#include "rewrite/rewrite.h"

#include <errno.h>

static const struct planner_way nothing_special = { .join = LOOM_JOIN_NONE };
static const struct loom_group_aim bytes;

/*
 * What to search for where time counts, one after the other: the longer stream step by step, as a
 * group is written; both streams in all, wherever loads will find time; and more of the former. A
 * division that is best by a sum over groups need not be the fastest plan, see group/cost.c.
 */
static const struct loom_group_aim times[] = {
	{ .time = true, .dma = 16, .compute = 16, .steps = 32 },
	{ .time = true, .dma = 32, .compute = 32, .steps = 0 },
	{ .time = true, .dma = 4, .compute = 4, .steps = 56 },
};

static u64 traffic(const struct loom_program *program)
{
	return program->stats.dram_read_bytes + program->stats.dram_write_bytes +
	       program->stats.rom_read_bytes;
}

/* A lower bound: inputs, outputs and weights have to be moved once each. */
static u64 least_traffic(const struct loom_program *program)
{
	u64 bytes = program->stats.weights_bytes;
	u32 i;

	for (i = 0; i < program->num_inputs; i++)
		bytes += program->inputs[i].size_bytes;
	for (i = 0; i < program->num_outputs; i++)
		bytes += program->outputs[i].size_bytes;
	return bytes;
}

static bool is_better(enum loom_planner_objective objective, const struct loom_program *a,
		      const struct loom_program *b)
{
	if (objective == LOOM_OBJECTIVE_TIME && a->stats.cycles != b->stats.cycles)
		return a->stats.cycles < b->stats.cycles;
	return traffic(a) < traffic(b);
}

/* Whether nothing can be better. */
static bool is_best(enum loom_planner_objective objective, const struct loom_program *program)
{
	return objective == LOOM_OBJECTIVE_BYTES && traffic(program) <= least_traffic(program);
}

/* Keeps the better one of both. */
static void keep_better(enum loom_planner_objective objective, struct loom_program **best,
			struct loom_program *other)
{
	if (!*best || is_better(objective, other, *best)) {
		loom_program_destroy(*best);
		*best = other;
	} else {
		loom_program_destroy(other);
	}
}

/**
 * struct choice - how the best program so far was made
 * @program: the program, or NULL
 * @options: its options
 * @way: what else was decided
 */
struct choice {
	struct loom_program *program;
	struct loom_planner_options options;
	struct planner_way way;
};

/* Tries one way, and keeps it if it is better. Return: as loom_planner_create() does. */
static int try_one(const struct loom_graph *graph, const struct loom_planner_options *options,
		   const struct planner_way *way, struct choice *best, struct loom_error *err)
{
	struct loom_program *before = best->program, *program = NULL;
	int ret = loom_planner_create(graph, options, way, &program, err);

	if (ret)
		return ret;
	keep_better(options->objective, &best->program, program);
	if (best->program != before) {
		best->options = *options;
		best->way = *way;
	}
	return 0;
}

/* Joins other operands of concatenations: those that a way before has joined, too, are as good. */
static void try_joins(const struct loom_graph *graph, const struct loom_planner_options *options,
		      const struct planner_way *like, struct choice *best)
{
	static const enum loom_storage_join joins[] = {
		LOOM_JOIN_NEAR, LOOM_JOIN_NONE, LOOM_JOIN_OWN, LOOM_JOIN_FAR,
	};
	struct planner_way way = *like;
	u32 i, k;

	for (i = 1; i < ARRAY_SIZE(joins); i++) {
		for (k = 0; k < i; k++)
			if (!loom_storage_joins_differ(graph, joins[k], joins[i]))
				break;
		way.join = joins[i];
		if (k == i && !(best->program && is_best(options->objective, best->program)))
			try_one(graph, options, &way, best, NULL);
	}
}

/* Looks for other things, with the operands joined that were best. */
static void try_aims(const struct loom_graph *graph, const struct loom_planner_options *options,
		     struct choice *best)
{
	struct planner_way way = best->program ? best->way : nothing_special;
	u32 i;

	way.aim = bytes;
	try_one(graph, options, &way, best, NULL);
	for (i = 1; i < ARRAY_SIZE(times); i++) {
		way.aim = times[i];
		try_one(graph, options, &way, best, NULL);
	}
}

static void try_others(const struct loom_graph *graph, const struct loom_planner_options *options,
		       struct choice *best)
{
	const struct planner_way near = { .join = LOOM_JOIN_NEAR };
	struct loom_planner_options how = *options;
	const struct loom_group_strategy *strategy;
	u32 i;

	for (i = 0; (strategy = loom_group_strategy_get(i)) && best->program; i++) {
		if (!strategy->compete_nodes || graph->num_nodes > strategy->compete_nodes ||
		    is_best(options->objective, best->program))
			continue;
		how.grouping = strategy->name;
		try_one(graph, &how, &near, best, NULL);
	}
}

static int create_grouped(const struct loom_graph *graph,
			  const struct loom_planner_options *options,
			  struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options how = *options;
	struct choice best = { .program = NULL };
	struct planner_way way = { .join = LOOM_JOIN_NEAR };
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);
	bool compete = strategy && strategy->competes;
	int ret;

	/* reasons are asked for once, of the plan that is taken */
	if (compete)
		how.flags &= ~LOOM_PLANNER_EXPLAIN;
	/* a baseline stays as it is in the text that it is from */
	else if (strategy)
		how.flags |= LOOM_PLANNER_NO_RETIME;
	if (compete && options->objective == LOOM_OBJECTIVE_TIME)
		way.aim = times[0];
	ret = try_one(graph, &how, &way, &best, err);
	if (ret == -ENOMEM || ret == -EINVAL)
		return ret;
	if (compete)
		try_joins(graph, &how, &way, &best);
	if (way.aim.time)
		try_aims(graph, &how, &best);
	how.grouping = NULL;
	if (ret || compete)
		try_one(graph, &how, &nothing_special, &best, best.program ? NULL : err);
	if (compete)
		try_others(graph, &how, &best);
	if (!best.program)
		return ret;
	if (options->flags & ~best.options.flags & LOOM_PLANNER_EXPLAIN) {
		loom_program_destroy(best.program);
		best.options.flags |= LOOM_PLANNER_EXPLAIN;
		return loom_planner_create(graph, &best.options, &best.way, program, err);
	}
	*program = best.program;
	return 0;
}

int loom_program_create(const struct loom_graph *graph,
			const struct loom_planner_options *options,
			struct loom_program **program, struct loom_error *err)
{
	struct loom_graph *rewritten = NULL;
	struct loom_program_least least;
	int ret = loom_planner_check(options, err);

	if (!ret)
		ret = loom_rewrite(graph, options->chip, &rewritten, err);
	if (ret)
		return ret;
	if (rewritten)
		graph = rewritten;
	if (loom_grouping_is_on(options))
		ret = create_grouped(graph, options, program, err);
	else
		ret = loom_planner_create(graph, options, &nothing_special, program, err);
	if (ret) {
		loom_graph_destroy(rewritten);
		return ret;
	}
	/* a plan is worth having without them */
	loom_planner_least(graph, options, &least);
	loom_planner_note_least(*program, &least);
	loom_planner_own(*program, rewritten);
	return 0;
}
