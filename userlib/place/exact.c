// SPDX-License-Identifier: MIT
/* The exact search (solve.h) as a strategy, from scratch or from another strategy's placement. */
#include "greedy.h"
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>

#include "solve.h"

int loom_place_improve(const struct loom_place_task *task, struct loom_place_answer *answer,
		       uint64_t height)
{
	const struct loom_place_problem *problem = &task->problem;
	struct loom_solve solve = {
		.items = problem->items,
		.num_items = problem->num_items,
		.apart = problem->apart,
		.num_apart = problem->num_apart,
		.capacity_bytes = task->capacity_bytes,
		.fit_only = task->fit_only,
		.budget = task->budget,
		.deadline_ns = task->deadline_ns,
		.offsets = answer->offsets,
		.height_bytes = height,
		.bound_bytes = answer->bound_bytes,
	};
	int ret = loom_place_solve(&solve);

	if (ret)
		return ret;
	answer->nodes += solve.nodes;
	if (answer->bound_bytes < solve.bound_bytes)
		answer->bound_bytes = solve.bound_bytes;
	if (solve.height_bytes < height)
		answer->strategy = "exact";
	return 0;
}

/* Searches from scratch. If the search finds no placement, the answer is a greedy one. */
static int search(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	int ret;

	answer->strategy = NULL;
	ret = loom_place_improve(task, answer, LOOM_PLACE_ANYWHERE);
	if (!ret && !answer->strategy)
		ret = loom_place_greedy(task, loom_place_order_size, loom_greedy_lowest, answer);
	answer->strategy = "exact";
	return ret;
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_canonical_call(search, task, answer);
}

const struct loom_place_strategy loom_place_strategy_exact = {
	.name = "exact",
	.text = "branch and bound until nothing lower is left, or the budget is spent",
	.place = place,
};
