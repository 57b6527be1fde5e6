// SPDX-License-Identifier: MIT
/*
 * DOC: Stacks of mixed alignments
 *
 * Where most items are aligned to A, items of smaller alignment mostly belong into the pads of the
 * others: above an item of the same lifetime, up to the next multiple of A. A search that places
 * both one by one must rediscover that for each pair, in bytes instead of units of A. So items of
 * one lifetime are stacked first: an item that leaves a pad gets one that fills it to the byte,
 * otherwise the one that fills most of it. The stacks are items of a smaller problem, which is
 * searched for half of the budget. Its placement is one of the whole problem, and the search
 * continues from there.
 *
 * Stacking restricts the placements, so it gives heights but no lower bounds.
 */
#include "greedy.h"
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>

#include "polish.h"

/* Larger groups of one lifetime are not stacked, because all pairs of a group are visited. */
#define MAX_GROUP	128

/**
 * struct stacks - the problem of stacks
 * @task: the whole problem, in canonical order
 * @items: the stacks
 * @num_items: number of @items
 * @align: the largest alignment
 * @stack: by item of the whole: its stack
 * @above: by item of the whole: where in its stack
 * @done: by item of the whole: it has a stack
 */
struct stacks {
	const struct loom_place_task *task;
	struct loom_place_item *items;
	uint32_t num_items;
	uint64_t align;
	uint32_t *stack;
	uint64_t *above;
	bool *done;
};

static void put(struct stacks *c, uint32_t item, uint32_t stack, uint64_t above)
{
	c->stack[item] = stack;
	c->above[item] = above;
	c->done[item] = true;
}

/*
 * Finds the item of [first, end) that best fills the rest above @top: one that ends at a multiple
 * of the alignment, otherwise the largest that ends below the next one. Returns its index, or
 * LOOM_PLACE_NONE.
 */
static uint32_t find_filler(const struct stacks *c, uint32_t first, uint32_t end, uint64_t top)
{
	const struct loom_place_item *items = c->task->problem.items;
	uint64_t limit = loom_place_align_up(top, c->align), most = 0;
	uint32_t best = LOOM_PLACE_NONE, i;

	for (i = first; i < end; i++) {
		uint64_t size = items[i].size_bytes, to;

		if (c->done[i] || items[i].align_bytes == c->align)
			continue;
		to = loom_place_align_up(top, items[i].align_bytes) + size;
		if (!(to % c->align))
			return i;
		if (to < limit && size > most) {
			best = i;
			most = size;
		}
	}
	return best;
}

/* Stacks the items [first, end), which have equal lifetimes. */
static void stack_group(struct stacks *c, uint32_t first, uint32_t end)
{
	const struct loom_place_item *items = c->task->problem.items;
	uint32_t i, other;

	for (i = first; i < end && end - first <= MAX_GROUP; i++) {
		uint64_t top = items[i].size_bytes;

		if (items[i].align_bytes != c->align || !(top % c->align))
			continue;
		put(c, i, c->num_items, 0);
		while (top % c->align) {
			other = find_filler(c, first, end, top);
			if (other == LOOM_PLACE_NONE)
				break;
			top = loom_place_align_up(top, items[other].align_bytes);
			put(c, other, c->num_items, top);
			top += items[other].size_bytes;
		}
		c->items[c->num_items] = items[i];
		c->items[c->num_items++].size_bytes = top;
	}
	for (i = first; i < end; i++) {
		if (c->done[i])
			continue;
		put(c, i, c->num_items, 0);
		c->items[c->num_items++] = items[i];
	}
}

static void stack_all(struct stacks *c)
{
	const struct loom_place_item *items = c->task->problem.items;
	uint32_t n = c->task->problem.num_items, first, end;

	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && items[end].lower == items[first].lower &&
		     items[end].upper == items[first].upper; end++)
			;
		stack_group(c, first, end);
	}
}

/* Whether stacks can be made: only plain items, whose alignments all divide the largest. */
static bool can_stack(struct stacks *c)
{
	const struct loom_place_problem *problem = &c->task->problem;
	uint32_t i;

	if (!loom_polish_can(problem->items, problem->num_items, problem->num_apart))
		return false;
	for (i = 0; i < problem->num_items; i++)
		if (problem->items[i].align_bytes > c->align)
			c->align = problem->items[i].align_bytes;
	for (i = 0; i < problem->num_items; i++)
		if (c->align % problem->items[i].align_bytes)
			return false;
	return c->align > 1;
}

static int search(struct stacks *c, struct loom_place_answer *answer, uint64_t height)
{
	struct loom_place_task stacked = *c->task;
	struct loom_place_answer trial = {
		.bound_bytes = answer->bound_bytes, .strategy = "exact",
	};
	int64_t left = loom_place_left_ns(stacked.deadline_ns);
	uint64_t *offsets = answer->offsets;
	uint32_t i;
	int ret;

	stacked.problem.items = c->items;
	stacked.problem.num_items = c->num_items;
	stacked.hint = NULL;
	stacked.budget /= 2;
	if (stacked.deadline_ns)
		stacked.deadline_ns -= left / 2;
	trial.offsets = calloc((size_t)c->num_items + 1, sizeof(*trial.offsets));
	if (!trial.offsets)
		return -ENOMEM;
	ret = loom_place_greedy(&stacked, &loom_place_order_size, loom_greedy_lowest, &trial);
	if (!ret)
		ret = loom_place_improve(&stacked, &trial,
					 loom_place_height(&stacked.problem, trial.offsets));
	answer->nodes += trial.nodes;
	if (!ret && loom_place_height(&stacked.problem, trial.offsets) < height) {
		answer->strategy = "exact";
		for (i = 0; i < c->task->problem.num_items; i++)
			offsets[i] = trial.offsets[c->stack[i]] + c->above[i];
	}
	free(trial.offsets);
	return ret == -ERANGE ? 0 : ret;
}

int loom_place_improve_stacks(const struct loom_place_task *task, struct loom_place_answer *answer,
			      uint64_t height)
{
	size_t n = (size_t)task->problem.num_items + 1;
	struct stacks c = { .task = task };
	int ret = 0;

	if (!can_stack(&c))
		return 0;
	c.items = calloc(n, sizeof(*c.items));
	c.stack = calloc(n, sizeof(*c.stack));
	c.above = calloc(n, sizeof(*c.above));
	c.done = calloc(n, sizeof(*c.done));
	if (!c.items || !c.stack || !c.above || !c.done)
		ret = -ENOMEM;
	if (!ret)
		stack_all(&c);
	if (!ret && c.num_items < task->problem.num_items)
		ret = search(&c, answer, height);
	free(c.items);
	free(c.stack);
	free(c.above);
	free(c.done);
	return ret;
}
