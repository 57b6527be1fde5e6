// SPDX-License-Identifier: MIT
/*
 * Strategies that are one greedy run: an order of the items and a rule which gap to take. And the
 * baseline of all others, which lets the greedy engine find offsets above what is there.
 */
#include "greedy.h"
#include "strategy.h"

#include "loom_core.h"

static int place_by_size(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_size, loom_greedy_lowest, answer);
}

const struct loom_place_strategy loom_place_strategy_greedy_size = {
	.name = "greedy-size",
	.text = "largest first, each into the lowest gap that fits",
	.place = place_by_size,
};

static int place_by_area(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_area, loom_greedy_lowest, answer);
}

const struct loom_place_strategy loom_place_strategy_greedy_area = {
	.name = "greedy-area",
	.text = "largest size times lifetime first, each into the lowest gap that fits",
	.place = place_by_area,
};

static int place_by_breadth(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_breadth, loom_greedy_lowest, answer);
}

const struct loom_place_strategy loom_place_strategy_greedy_breadth = {
	.name = "greedy-breadth",
	.text = "what lives when most is alive first, each into the lowest gap that fits",
	.place = place_by_breadth,
};

static int place_by_overlaps(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_overlaps, loom_greedy_lowest, answer);
}

const struct loom_place_strategy loom_place_strategy_greedy_conflict = {
	.name = "greedy-conflict",
	.text = "what overlaps most others in time first, each into the lowest gap that fits",
	.place = place_by_overlaps,
};

/* The other later form of the GMEM planner: see DOC: GMEM, fit first. */
static int place_tightest(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_size, loom_greedy_tightest, answer);
}

const struct loom_place_strategy loom_place_strategy_gmem_opsize = {
	.name = "gmem-opsize",
	.text = "largest first, each into the tightest gap that fits",
	.place = place_tightest,
};

/* As if all items lived forever. */
static int place_one_after_the_other(const struct loom_place_task *task,
				     struct loom_place_answer *answer)
{
	const struct loom_place_problem *problem = &task->problem;
	struct loom_greedy g;
	uint64_t top = 0;
	uint32_t i;
	int ret;

	/* the engine finds offsets above the top that avoid fixed items and excluded ranges */
	ret = loom_greedy_init(&g, task);
	if (ret)
		return ret;
	loom_greedy_reset(&g);
	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    loom_place_is_fixed(&problem->items[i]))
			top = max(top, problem->items[i].fixed + problem->items[i].size_bytes);
	for (i = 0; i < problem->num_items && !ret; i++) {
		const struct loom_place_item *item = &problem->items[i];
		uint64_t first = top, last;
		size_t at = 0;

		if (!loom_place_has_room(item))
			continue;
		if (loom_place_is_fixed(item)) {
			answer->offsets[i] = item->fixed;
			continue;
		}
		ret = loom_greedy_look(&g, i);
		if (!ret && (!loom_greedy_next(&g, item->align_bytes, &at, &first, &last) ||
			     first > INT64_MAX - item->size_bytes))
			ret = -ERANGE;
		answer->offsets[i] = first;
		top = first + item->size_bytes;
	}
	loom_greedy_fini(&g);
	return ret;
}

const struct loom_place_strategy loom_place_strategy_naive = {
	.name = "naive",
	.text = "one after the other, nothing is reused",
	.place = place_one_after_the_other,
};
