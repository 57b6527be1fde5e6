// SPDX-License-Identifier: MIT
/*
 * DOC: Hill climbing
 *
 * The best static order depends on the problem. Hill climbing starts from the best of them, changes
 * it slightly, places again, and keeps the new order unless it is worse: 500 tries, as TVM does.
 * The topmost item decides the height, so every other try moves that one before an item that it
 * overlaps in time. The other tries move a random item anywhere, to leave local minima.
 *
 * The moves come from a fixed pseudorandom sequence. Their number depends on the problem alone:
 * fewer where so many items overlap in time that placing takes long.
 */
#include "greedy.h"
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

#define MAX_TRIES	500
#define MAX_VISITS	20000000
#define ITEM_VISITS	100

static loom_place_order *const orders[] = {
	loom_place_order_size,
	loom_place_order_area,
	loom_place_order_breadth,
	loom_place_order_overlaps,
};

/* Moves the item at position @from to position @to. */
static void move_item(uint32_t *order, uint32_t from, uint32_t to)
{
	uint32_t item = order[from];

	if (from < to)
		memmove(&order[from], &order[from + 1], (to - from) * sizeof(*order));
	else
		memmove(&order[to + 1], &order[to], (from - to) * sizeof(*order));
	order[to] = item;
}

/* Position in @order of an item that ends at @height. */
static uint32_t find_top(const struct loom_place_problem *problem, const uint64_t *offsets,
			 uint64_t height, const uint32_t *order)
{
	uint32_t i;

	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[order[i]]) &&
		    offsets[order[i]] + problem->items[order[i]].size_bytes == height)
			return i;
	return 0;
}

/* A random position before @top of an item that overlaps the item at @top in time, or 0. */
static uint32_t find_overlapping(const struct loom_place_problem *problem, const uint32_t *order,
				 uint32_t top, uint64_t *state)
{
	const struct loom_place_item *item = &problem->items[order[top]];
	uint32_t count = 0, found = 0, i;

	for (i = 0; i < top; i++) {
		const struct loom_place_item *other = &problem->items[order[i]];

		if (loom_place_has_room(other) && other->lower < item->upper &&
		    item->lower < other->upper && !loom_greedy_random(state, ++count))
			found = i;
	}
	return found;
}

/* State of the climb. */
struct climb {
	struct loom_greedy greedy;	/* the engine */
	uint32_t *order;		/* the current order */
	uint32_t *best;			/* the best order so far */
	uint64_t height;		/* of its placement */
};

static int try_order(struct climb *climb, struct loom_place_answer *answer, bool equal)
{
	const struct loom_place_problem *problem = &climb->greedy.task->problem;
	uint64_t height;
	int ret = loom_greedy_run(&climb->greedy, climb->order, loom_greedy_lowest,
				  LOOM_PLACE_ANYWHERE);

	if (ret)
		return ret;
	height = loom_place_height(problem, climb->greedy.offsets);
	if (height > climb->height || (height == climb->height && !equal))
		return 0;
	climb->height = height;
	memcpy(climb->best, climb->order, problem->num_items * sizeof(*climb->best));
	memcpy(answer->offsets, climb->greedy.offsets,
	       problem->num_items * sizeof(*answer->offsets));
	return 0;
}

static int climb_on(struct climb *climb, struct loom_place_answer *answer)
{
	const struct loom_place_problem *problem = &climb->greedy.task->problem;
	uint32_t n = problem->num_items, tries = MAX_TRIES, i, top, from, to;
	uint64_t state = 1, pairs;
	int ret;

	ret = loom_place_count_pairs(problem, &pairs);
	if (!ret && MAX_VISITS / (pairs + ITEM_VISITS * (uint64_t)n) < MAX_TRIES)
		tries = MAX_VISITS / (pairs + ITEM_VISITS * (uint64_t)n);

	climb->height = UINT64_MAX;
	for (i = 0; i < ARRAY_SIZE(orders) && !ret && climb->height > answer->bound_bytes; i++) {
		ret = orders[i](problem, climb->order);
		if (!ret)
			ret = try_order(climb, answer, false);
	}
	for (i = 0; i < tries && !ret && climb->height > answer->bound_bytes &&
	     loom_place_left_ns(climb->greedy.task->deadline_ns); i++) {
		memcpy(climb->order, climb->best, n * sizeof(*climb->order));
		if (i % 2) {
			to = loom_greedy_random(&state, n);
			from = loom_greedy_random(&state, n);
			move_item(climb->order, from, to);
		} else {
			top = find_top(problem, answer->offsets, climb->height, climb->order);
			to = find_overlapping(problem, climb->order, top, &state);
			move_item(climb->order, top, to);
		}
		/* an equal height is accepted: the new order is another starting point */
		ret = try_order(climb, answer, true);
	}
	return ret;
}

static int climb(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	size_t n = task->problem.num_items;
	struct climb climb;
	int ret;

	if (!n)
		return 0;
	ret = loom_greedy_init(&climb.greedy, task);
	if (ret)
		return ret;
	climb.order = calloc(n, sizeof(*climb.order));
	climb.best = calloc(n, sizeof(*climb.best));
	ret = climb.order && climb.best ? climb_on(&climb, answer) : -ENOMEM;
	free(climb.order);
	free(climb.best);
	loom_greedy_fini(&climb.greedy);
	return ret;
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_canonical_call(climb, task, answer);
}

const struct loom_place_strategy loom_place_strategy_hill_climb = {
	.name = "hill-climb",
	.text = "the best greedy order, changed bit by bit as long as that helps",
	.place = place,
};
