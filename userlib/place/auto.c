// SPDX-License-Identifier: MIT
/*
 * DOC: The default strategy
 *
 * The greedy strategies are tried one after the other, the cheapest and most often best first,
 * until one is at the bound, which proves that it is optimal. Most graphs end here, in
 * microseconds. Else the exact search (solve.h) goes on from the lowest placement: it never returns
 * a worse one, and raises the bound where it can. If that proves nothing, hill climbing is tried
 * last.
 *
 * Greedy placing looks at every pair of items that overlap in time. Where these are many millions,
 * fewer strategies are tried, and there is no search; where they are hundreds of millions, items of
 * nearly the same lifetime are put in boxes (box.c).
 *
 * Effort is counted in pairs and search nodes, not in seconds, so the answer is the same on every
 * machine.
 */
#include "greedy.h"
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

/* Pairs that strategies after the first may look at, all together; an item counts as so many. */
#define MAX_LOOKS		40000000
#define ITEM_LOOKS		100
/* With more pairs than this, boxes are made, until their pairs are below the second. */
#define MAX_FIRST_LOOKS		60000000
#define MAX_BOX_LOOKS		70000000
/* Larger problems are not searched. */
#define MAX_SEARCH_PAIRS	2000000
#define MAX_SEARCH_ITEMS	20000

static const struct loom_place_strategy *const starts[] = {
	&loom_place_strategy_greedy_size,
	&loom_place_strategy_greedy_breadth,
	&loom_place_strategy_greedy_area,
	&loom_place_strategy_greedy_conflict,
	&loom_place_strategy_gmem_opsize,
	&loom_place_strategy_gmem,
};

/* Keeps a placement that is lower than @best. */
static void take_trial(const struct loom_place_task *task, struct loom_place_answer *answer,
		       const struct loom_place_answer *trial, const char *name, uint64_t *best)
{
	uint64_t height = loom_place_height(&task->problem, trial->offsets);

	if (height >= *best)
		return;
	*best = height;
	answer->strategy = name;
	memcpy(answer->offsets, trial->offsets,
	       task->problem.num_items * sizeof(*answer->offsets));
}

/* Runs @start, and keeps its placement if that is lower than @best. */
static int try_start(const struct loom_place_strategy *start, const struct loom_place_task *task,
		     struct loom_place_answer *answer, struct loom_place_answer *trial,
		     uint64_t *best)
{
	int ret;

	ret = loom_place_call(start, task, trial);
	/* "gmem" may refuse the operators, which is no failure of "auto" */
	if (ret == -EINVAL || ret == -ERANGE)
		return 0;
	if (ret)
		return ret;
	take_trial(task, answer, trial, start->name, best);
	return 0;
}

static bool is_enough(const struct loom_place_task *task, const struct loom_place_answer *answer,
		      uint64_t best)
{
	return best <= answer->bound_bytes || (task->fit_only && best <= task->capacity_bytes);
}

static int search(const struct loom_place_task *task, struct loom_place_answer *answer,
		  struct loom_place_answer *trial)
{
	uint64_t best = LOOM_PLACE_ANYWHERE, pairs, looks;
	size_t i;
	int ret;

	ret = loom_place_count_pairs(&task->problem, &pairs);
	if (ret)
		return ret;
	looks = pairs + ITEM_LOOKS * (uint64_t)task->problem.num_items;
	if (task->hint) {
		memcpy(answer->offsets, task->hint,
		       task->problem.num_items * sizeof(*answer->offsets));
		best = loom_place_height(&task->problem, answer->offsets);
	}
	if (looks > MAX_FIRST_LOOKS) {
		ret = loom_place_boxes(task, trial, MAX_BOX_LOOKS);
		if (ret && ret != -ERANGE)
			return ret;
		if (!ret)
			take_trial(task, answer, trial, "auto", &best);
	}
	for (i = 0; i < ARRAY_SIZE(starts) && !is_enough(task, answer, best); i++) {
		if (loom_place_refusal(starts[i], &task->problem) ||
		    looks * i > MAX_LOOKS || looks > MAX_FIRST_LOOKS)
			continue;
		ret = try_start(starts[i], task, answer, trial, &best);
		if (ret)
			return ret;
	}
	if (best == LOOM_PLACE_ANYWHERE)
		return -ERANGE;
	if (is_enough(task, answer, best) || pairs > MAX_SEARCH_PAIRS ||
	    task->problem.num_items > MAX_SEARCH_ITEMS)
		return 0;
	ret = loom_place_improve(task, answer, best);
	if (ret)
		return ret;
	best = loom_place_height(&task->problem, answer->offsets);
	if (is_enough(task, answer, best))
		return 0;
	trial->bound_bytes = answer->bound_bytes;
	return try_start(&loom_place_strategy_hill_climb, task, answer, trial, &best);
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	struct loom_place_answer trial = { .bound_bytes = answer->bound_bytes };
	int ret;

	trial.offsets = calloc((size_t)task->problem.num_items + 1, sizeof(*trial.offsets));
	if (!trial.offsets)
		return -ENOMEM;
	ret = search(task, answer, &trial);
	free(trial.offsets);
	return ret;
}

const struct loom_place_strategy loom_place_strategy_auto = {
	.name = "auto",
	.text = "the lowest of the greedy ones, then the exact search from there",
	.reduces_conflicts = true,
	.place = place,
};
