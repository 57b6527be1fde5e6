// SPDX-License-Identifier: MIT
/*
 * Strategies that are one greedy run: an order of the items and a rule that selects a gap. Also the
 * baseline without sharing, which uses the greedy engine to find offsets above all others.
 */
#include "greedy.h"
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

/* A strategy: each item of an order into the gap that @rule finds. */
#define ONE_RUN(id, order, rule, strategy, what)						\
static int place_##id(const struct loom_place_task *task, struct loom_place_answer *answer)	\
{												\
	return loom_place_greedy(task, loom_place_order_##order, loom_greedy_##rule, answer);	\
}												\
												\
const struct loom_place_strategy loom_place_strategy_##id = {					\
	.name = strategy, .text = what, .place = place_##id,					\
}

ONE_RUN(greedy_size, size, lowest, "greedy-size",
	"largest first, each into the lowest gap that fits");
ONE_RUN(greedy_area, area, lowest, "greedy-area",
	"largest size times lifetime first, each into the lowest gap that fits");
ONE_RUN(greedy_breadth, breadth, lowest, "greedy-breadth",
	"what lives when most is alive first, each into the lowest gap that fits");
ONE_RUN(greedy_conflict, overlaps, lowest, "greedy-conflict",
	"what overlaps most others in time first, each into the lowest gap that fits");
ONE_RUN(greedy_total, total, lowest, "greedy-total",
	"the same moments first, of each what lives longest");
ONE_RUN(greedy_life, life, lowest, "greedy-life",
	"what lives longest first, each into the lowest gap that fits");
ONE_RUN(greedy_tail, tail, lowest, "greedy-tail",
	"what ends last first, each into the lowest gap that fits");
/* The second later form of the GMEM planner: see DOC: GMEM, fit first. */
ONE_RUN(gmem_opsize, size, tightest, "gmem-opsize",
	"largest first, each into the tightest gap that fits");

/* Keeps the placement of an order, the largest alignments first, if it is below @height. */
static int try_aligned(struct loom_greedy *greedy, loom_place_order *order,
		       uint32_t *items, struct loom_place_answer *answer, uint64_t *height)
{
	const struct loom_place_problem *problem = &greedy->task->problem;
	int ret = order(problem, items);

	if (!ret)
		ret = loom_place_order_by_alignment(problem, items);
	if (!ret)
		ret = loom_greedy_run(greedy, items, loom_greedy_lowest, *height);
	if (ret)
		return ret;
	*height = loom_place_height(problem, greedy->offsets);
	memcpy(answer->offsets, greedy->offsets, problem->num_items * sizeof(*answer->offsets));
	return 0;
}

/*
 * Items of small alignment fit into the pads of the others, so those are placed first. The best
 * order among items of equal alignment depends on the problem, as it does without alignments. Ends
 * at the deadline, but not before the first placement.
 */
static int place_aligned(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	static loom_place_order *const orders[] = {
		loom_place_order_size, loom_place_order_breadth, loom_place_order_area,
		loom_place_order_total, loom_place_order_life, loom_place_order_overlaps,
		loom_place_order_tail,
	};
	uint32_t *items = calloc((size_t)task->problem.num_items + 1, sizeof(*items));
	const uint64_t below = task->below_bytes ? task->below_bytes : LOOM_PLACE_ANYWHERE;
	uint64_t height = below;
	struct loom_greedy greedy;
	int ret = -ENOMEM, err = 0;
	size_t i;

	if (items)
		ret = loom_greedy_init(&greedy, task);
	if (ret) {
		free(items);
		return ret;
	}
	for (i = 0; i < ARRAY_SIZE(orders) && height > answer->bound_bytes; i++) {
		if (height != LOOM_PLACE_ANYWHERE && !loom_place_left_ns(task->deadline_ns))
			break;
		ret = try_aligned(&greedy, orders[i], items, answer, &height);
		if (ret == -ENOMEM)
			break;
		err = ret ? ret : err;
		ret = 0;
	}
	loom_greedy_fini(&greedy);
	free(items);
	if (ret)
		return ret;
	/* one order may exceed 63 bits where another does not */
	return height == below ? err : 0;
}

const struct loom_place_strategy loom_place_strategy_greedy_aligned = {
	.name = "greedy-aligned",
	.text = "the lowest of the other greedy orders, with the largest alignment first",
	.place = place_aligned,
};

/* Places items as if all lived forever. */
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
		ret = loom_greedy_find_spans(&g, i);
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
