// SPDX-License-Identifier: MIT
/* The exact search (solve.h) as a strategy, from scratch or from another strategy's placement. */
#include "greedy.h"
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>

#include "solve.h"

/**
 * struct exact - the problem as the solver gets it: items with a size only
 * @items: the items
 * @apart: their pairs
 * @offsets: their offsets
 * @global: by item: its number in the task
 * @local: by item of the task: its number here
 */
struct exact {
	struct loom_place_item *items;
	struct loom_place_pair *apart;
	uint64_t *offsets;
	uint32_t *global;
	uint32_t *local;
};

static int solve(struct exact *e, const struct loom_place_task *task,
		 struct loom_place_answer *answer, uint64_t height)
{
	const struct loom_place_problem *problem = &task->problem;
	struct loom_solve solve = {
		.items = e->items,
		.apart = e->apart,
		.num_apart = problem->num_apart,
		.capacity_bytes = task->capacity_bytes,
		.fit_only = task->fit_only,
		.budget = task->budget,
		.deadline_ns = task->deadline_ns,
		.offsets = e->offsets,
		.height_bytes = height,
		.bound_bytes = answer->bound_bytes,
	};
	uint32_t i;
	int ret;

	for (i = 0; i < problem->num_items; i++) {
		if (!loom_place_has_room(&problem->items[i]))
			continue;
		e->local[i] = solve.num_items;
		e->global[solve.num_items] = i;
		e->offsets[solve.num_items] = answer->offsets[i];
		e->items[solve.num_items++] = problem->items[i];
	}
	for (i = 0; i < problem->num_apart; i++)
		e->apart[i] = (struct loom_place_pair){
			e->local[problem->apart[i].first], e->local[problem->apart[i].second], 0,
		};
	ret = loom_place_solve(&solve);
	if (ret)
		return ret;
	answer->nodes += solve.nodes;
	if (answer->bound_bytes < solve.bound_bytes)
		answer->bound_bytes = solve.bound_bytes;
	if (solve.height_bytes >= height)
		return 0;
	answer->strategy = "exact";
	for (i = 0; i < solve.num_items; i++)
		answer->offsets[e->global[i]] = e->offsets[i];
	return 0;
}

int loom_place_improve(const struct loom_place_task *task, struct loom_place_answer *answer,
		       uint64_t height)
{
	size_t n = (size_t)task->problem.num_items + 1;
	struct exact e = {
		.items = calloc(n, sizeof(*e.items)),
		.apart = calloc((size_t)task->problem.num_apart + 1, sizeof(*e.apart)),
		.offsets = calloc(n, sizeof(*e.offsets)),
		.global = calloc(n, sizeof(*e.global)),
		.local = calloc(n, sizeof(*e.local)),
	};
	int ret = -ENOMEM;

	if (e.items && e.apart && e.offsets && e.global && e.local)
		ret = solve(&e, task, answer, height);
	free(e.items);
	free(e.apart);
	free(e.offsets);
	free(e.global);
	free(e.local);
	return ret;
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
