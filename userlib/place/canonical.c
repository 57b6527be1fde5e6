// SPDX-License-Identifier: MIT
/*
 * DOC: Canonical problems
 *
 * Where a rule ranks two items equal, the first one wins, and every search tries some item first.
 * If that depended on the rows of a file, so would the success of a search: some shuffles of one
 * instance were solved and others were not. So items are sorted by all of their properties, and
 * items that are still equal are interchangeable. A placement stays valid when time is reversed; of
 * the two directions, the search uses the one whose sorted items compare lower.
 *
 * Pairs that are kept apart are the only property that is not compared: among items that are equal
 * otherwise, the order of the rows is kept.
 */
#include "problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Compares lists of numbers. */
static int compare_lists(const uint64_t *a, const uint64_t *b, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (a[i] != b[i])
			return a[i] > b[i] ? 1 : -1;
	return 0;
}

static int compare_gaps(const struct loom_place_item *a, const struct loom_place_item *b)
{
	uint32_t i;
	int order = compare_u64(a->num_gaps, b->num_gaps);

	for (i = 0; i < a->num_gaps && !order; i++) {
		const struct loom_place_gap *x = &a->gaps[i], *y = &b->gaps[i];

		order = compare_lists((uint64_t[]){
			(uint64_t)x->lower - (uint64_t)a->lower,
			(uint64_t)x->upper - (uint64_t)a->lower, x->window_lower, x->window_upper,
		}, (uint64_t[]){
			(uint64_t)y->lower - (uint64_t)b->lower,
			(uint64_t)y->upper - (uint64_t)b->lower, y->window_lower, y->window_upper,
		}, 4);
	}
	return order;
}

/* Compares all properties but the begin. */
static int compare_rest(const struct loom_place_item *a, const struct loom_place_item *b)
{
	uint32_t i;
	int order = compare_lists((uint64_t[]){
		(uint64_t)a->upper - (uint64_t)a->lower, a->size_bytes, a->align_bytes, a->flags,
		loom_place_is_fixed(a) ? a->fixed : 0, a->num_excluded,
	}, (uint64_t[]){
		(uint64_t)b->upper - (uint64_t)b->lower, b->size_bytes, b->align_bytes, b->flags,
		loom_place_is_fixed(b) ? b->fixed : 0, b->num_excluded,
	}, 6);

	for (i = 0; i < a->num_excluded && !order; i++) {
		const uint64_t of_a[] = { a->excluded[i].lower, a->excluded[i].upper };
		const uint64_t of_b[] = { b->excluded[i].lower, b->excluded[i].upper };

		order = compare_lists(of_a, of_b, 2);
	}
	return order ? order : compare_gaps(a, b);
}

/* An item, and its number in the problem. */
struct entry {
	struct loom_place_item item;
	uint32_t global;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = (x->item.lower > y->item.lower) - (x->item.lower < y->item.lower);

	if (!order)
		order = compare_rest(&x->item, &y->item);
	return order ? order : compare_u64(x->global, y->global);
}

/* Writes the reversed gaps of @item to @gaps; returns the first free entry behind them. */
static struct loom_place_gap *reverse(struct loom_place_item *item, struct loom_place_gap *gaps)
{
	int64_t lower = item->lower;
	uint32_t i;

	/* -1 - x cannot overflow, and adjacent gaps stay adjacent */
	item->lower = -1 - item->upper;
	item->upper = -1 - lower;
	for (i = 0; i < item->num_gaps; i++) {
		gaps[i] = item->gaps[item->num_gaps - 1 - i];
		lower = gaps[i].lower;
		gaps[i].lower = -1 - gaps[i].upper;
		gaps[i].upper = -1 - lower;
	}
	if (item->num_gaps)
		item->gaps = gaps;
	return gaps + item->num_gaps;
}

bool loom_place_canonical_is_before(const struct loom_place_canonical *a,
				    const struct loom_place_canonical *b)
{
	const struct loom_place_item *x = a->items, *y = b->items;
	uint32_t i;
	int order = 0;

	for (i = 0; i < a->task.problem.num_items && !order; i++) {
		order = compare_u64((uint64_t)x[i].lower - (uint64_t)x[0].lower,
				    (uint64_t)y[i].lower - (uint64_t)y[0].lower);
		if (!order)
			order = compare_rest(&x[i], &y[i]);
	}
	return order < 0;
}

static int fill_apart(struct loom_place_canonical *c, const struct loom_place_problem *given)
{
	uint32_t *local = malloc(((size_t)given->num_items + 1) * sizeof(*local)), i;
	uint32_t count = 0;

	if (!local)
		return -ENOMEM;
	/* an item without size is dropped; it overlaps nothing */
	for (i = 0; i < given->num_items; i++)
		local[i] = UINT32_MAX;
	for (i = 0; i < c->task.problem.num_items; i++)
		local[c->global[i]] = i;
	for (i = 0; i < given->num_apart; i++) {
		uint32_t a = local[given->apart[i].first], b = local[given->apart[i].second];

		if (a != UINT32_MAX && b != UINT32_MAX)
			c->apart[count++] = (struct loom_place_pair){
				a < b ? a : b, a < b ? b : a, 0
			};
	}
	c->task.problem.num_apart = count;
	free(local);
	return 0;
}

static void take(struct loom_place_canonical *c, const struct entry *entries,
		 const struct loom_place_task *task)
{
	uint32_t i;

	for (i = 0; i < c->task.problem.num_items; i++) {
		c->items[i] = entries[i].item;
		c->global[i] = entries[i].global;
		if (task->hint)
			c->hint[i] = task->hint[c->global[i]];
	}
}

int loom_place_canonical_make(struct loom_place_canonical *c, const struct loom_place_task *task,
			      bool backward)
{
	const struct loom_place_problem *given = &task->problem;
	size_t n = (size_t)given->num_items + 1, num_gaps = 1;
	struct entry *entries = malloc(n * sizeof(*entries));
	struct loom_place_gap *gap;
	uint32_t count = 0, i;
	int ret = -ENOMEM;

	*c = (struct loom_place_canonical){ .task = *task };
	for (i = 0; i < given->num_items; i++)
		num_gaps += given->items[i].num_gaps;
	c->items = loom_arrays_take(&c->arrays, n, sizeof(*c->items));
	c->gaps = loom_arrays_take(&c->arrays, num_gaps, sizeof(*c->gaps));
	c->apart = loom_arrays_take(&c->arrays, given->num_apart, sizeof(*c->apart));
	c->hint = loom_arrays_take(&c->arrays, n, sizeof(*c->hint));
	c->global = loom_arrays_take(&c->arrays, n, sizeof(*c->global));
	if (!entries || c->arrays.failed)
		goto out;
	gap = c->gaps;
	for (i = 0; i < given->num_items; i++) {
		if (!loom_place_has_room(&given->items[i]))
			continue;
		entries[count] = (struct entry){ given->items[i], i };
		if (backward)
			gap = reverse(&entries[count].item, gap);
		count++;
	}
	qsort(entries, count, sizeof(*entries), compare_entries);
	c->task.problem = (struct loom_place_problem){
		.items = c->items, .num_items = count,
		.apart = c->apart,
	};
	if (task->hint)
		c->task.hint = c->hint;
	take(c, entries, task);
	ret = fill_apart(c, given);
out:
	free(entries);
	return ret;
}

void loom_place_canonical_clear(struct loom_place_canonical *c)
{
	loom_arrays_free(&c->arrays);
}
