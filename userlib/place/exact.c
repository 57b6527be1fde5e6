// SPDX-License-Identifier: MIT
/* The exact search (solve.h) as a strategy, from scratch. */
#include "greedy.h"
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>

#include "solve.h"

/* If the search finds no placement, the answer is a greedy one. */
static int search(const struct loom_place_canonical *canon, struct loom_place_answer *answer,
		  uint64_t *offsets)
{
	struct loom_place_answer inner = {
		.offsets = offsets, .bound_bytes = answer->bound_bytes,
	};
	uint64_t height = LOOM_PLACE_ANYWHERE;
	uint32_t i;
	int ret;

	ret = loom_place_solve(&canon->task, &inner, &height);
	if (!ret && height == LOOM_PLACE_ANYWHERE)
		ret = loom_place_greedy(&canon->task, loom_place_order_size, loom_greedy_lowest,
					&inner);
	for (i = 0; i < canon->task.problem.num_items && !ret; i++)
		answer->offsets[canon->global[i]] = offsets[i];
	answer->bound_bytes = inner.bound_bytes;
	answer->nodes += inner.nodes;
	return ret;
}

/* In the canonical direction of time. */
static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	uint64_t *offsets = calloc((size_t)task->problem.num_items + 1, sizeof(*offsets));
	struct loom_place_canonical canon;
	int ret = loom_place_canonical_make(&canon, task);

	if (!ret)
		ret = offsets ? loom_place_canonical_turn(&canon, false) : -ENOMEM;
	if (!ret)
		ret = loom_place_canonical_turn(&canon, true);
	if (!ret)
		ret = loom_place_canonical_turn(&canon, loom_place_canonical_is_backward(&canon));
	if (!ret)
		ret = search(&canon, answer, offsets);
	free(offsets);
	loom_place_canonical_clear(&canon);
	return ret;
}

const struct loom_place_strategy loom_place_strategy_exact = {
	.name = "exact",
	.text = "branch and bound until nothing lower is left, or the budget is spent",
	.place = place,
};
