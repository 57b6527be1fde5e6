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

/*
 * Items of small alignment fit into the pads of the others, so those are placed first. The best
 * order among items of equal alignment depends on the problem, as it does without alignments. Ends
 * at the deadline, but not before the first placement.
 */
static int place_aligned(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	static loom_place_order * const orders[] = {
		loom_place_order_size, loom_place_order_breadth, loom_place_order_area,
		loom_place_order_total, loom_place_order_life, loom_place_order_overlaps,
		loom_place_order_tail,
	};
	const struct loom_place_problem *problem = &task->problem;
	uint32_t *items = calloc((size_t)problem->num_items + 1, sizeof(*items));
	const uint64_t below = task->below_bytes ? task->below_bytes : LOOM_PLACE_ANYWHERE;
	uint64_t height = below;
	struct loom_greedy greedy;
	int ret = items ? loom_greedy_init(&greedy, task, false) : -ENOMEM;
	bool made = !ret;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(orders) && height > answer->bound_bytes && ret != -ENOMEM; i++) {
		if (height != LOOM_PLACE_ANYWHERE && !loom_place_left_ns(task->deadline_ns))
			break;
		ret = orders[i](problem, items);
		if (!ret)
			ret = loom_place_order_by_alignment(problem, items);
		if (!ret)
			ret = loom_greedy_run(&greedy, items, loom_greedy_lowest, height);
		if (ret)
			continue;
		height = loom_place_height(problem, greedy.offsets);
		memcpy(answer->offsets, greedy.offsets,
		       problem->num_items * sizeof(*answer->offsets));
	}
	if (made)
		loom_greedy_fini(&greedy);
	free(items);
	/* one order may exceed 63 bits where another does not; late, none was tried */
	return ret == -ENOMEM ? ret : height < below ? 0 : -ERANGE;
}

const struct loom_place_strategy loom_place_strategy_greedy_aligned = {
	.name = "greedy-aligned",
	.text = "the lowest of the other greedy orders, with the largest alignment first",
	.place = place_aligned,
};

/* Places items as if all lived forever, above those that are fixed. */
static int place_one_after_the_other(const struct loom_place_task *task,
				     struct loom_place_answer *answer)
{
	uint64_t top = 0;
	uint32_t i, k;

	for (i = 0; i < task->problem.num_items; i++) {
		const struct loom_place_item *item = &task->problem.items[i];

		if (!loom_place_has_room(item) || !loom_place_is_fixed(item))
			continue;
		answer->offsets[i] = item->fixed;
		top = max(top, item->fixed + item->size_bytes);
	}
	for (i = 0; i < task->problem.num_items; i++) {
		const struct loom_place_item *item = &task->problem.items[i];
		bool good;

		if (!loom_place_has_room(item) || loom_place_is_fixed(item))
			continue;
		good = loom_place_align(&top, item->align_bytes);
		for (k = 0; k < item->num_excluded && good; k++) {
			if (top + item->size_bytes <= item->excluded[k].lower ||
			    item->excluded[k].upper <= top)
				continue;
			top = item->excluded[k].upper;
			good = loom_place_align(&top, item->align_bytes);
		}
		if (!good || top > INT64_MAX - item->size_bytes)
			return -ERANGE;
		answer->offsets[i] = top;
		top += item->size_bytes;
	}
	return 0;
}

const struct loom_place_strategy loom_place_strategy_naive = {
	.name = "naive",
	.text = "one after the other, nothing is reused",
	.place = place_one_after_the_other,
};
