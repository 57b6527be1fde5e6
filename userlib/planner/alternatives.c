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
 */
#include "planner.h"
#include "rewrite/rewrite.h"

#include <errno.h>

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

static int create_grouped(const struct loom_graph *graph,
			  const struct loom_planner_options *options,
			  struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options how = *options;
	struct loom_program *best = NULL, *other = NULL;
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);
	enum loom_planner_objective objective = options->objective;
	bool compete = strategy && strategy->competes;
	int ret = loom_planner_create(graph, options, &best, err);
	u32 i;

	if (ret == -ENOMEM || ret == -EINVAL)
		return ret;
	how.grouping = NULL;
	if ((ret || compete) && !loom_planner_create(graph, &how, &other, ret ? err : NULL))
		keep_better(objective, &best, other);
	for (i = 0; (strategy = loom_group_strategy_get(i)) && compete && best; i++) {
		if (!strategy->compete_nodes || graph->num_nodes > strategy->compete_nodes ||
		    is_best(objective, best))
			continue;
		how.grouping = strategy->name;
		other = NULL;
		if (!loom_planner_create(graph, &how, &other, NULL))
			keep_better(objective, &best, other);
	}
	if (!best)
		return ret;
	*program = best;
	return 0;
}

int loom_program_create(const struct loom_graph *graph,
			const struct loom_planner_options *options,
			struct loom_program **program, struct loom_error *err)
{
	struct loom_graph *rewritten = NULL;
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
		ret = loom_planner_create(graph, options, program, err);
	if (ret)
		loom_graph_destroy(rewritten);
	else
		loom_planner_own(*program, rewritten);
	return ret;
}
