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
 *
 * Items are sorted and reversed in place, and restored later, because a copy of millions of items
 * takes more memory than all else.
 */
#include "problem.h"
#include "radix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* Properties that items are sorted by, the least important first. Lists count by a hash. */
enum {
	BY_GAPS,
	BY_EXCLUDED,
	BY_FIXED,
	BY_ALIGN,
	BY_SIZE,
	BY_LIFE,
	BY_BEGIN,
	NUM_PROPERTIES,
};

static uint64_t property(const struct loom_place_item *item, unsigned int which)
{
	uint64_t hash = 0;
	uint32_t i;

	switch (which) {
	case BY_GAPS:
		for (i = 0; i < item->num_gaps; i++) {
			const struct loom_place_gap *gap = &item->gaps[i];

			hash = mix(mix(hash, gap->window_lower), gap->window_upper) >> 54;
			hash += ((uint64_t)gap->lower - (uint64_t)item->lower) << 37;
			hash += ((uint64_t)gap->upper - (uint64_t)item->lower) << 10;
		}
		return hash;
	case BY_EXCLUDED:
		for (i = 0; i < item->num_excluded; i++)
			hash = mix(mix(hash, item->excluded[i].lower), item->excluded[i].upper);
		return hash;
	case BY_FIXED:
		return loom_place_is_fixed(item) ? item->fixed + 1 : 0;
	case BY_ALIGN:
		return item->align_bytes;
	case BY_SIZE:
		return item->size_bytes;
	case BY_LIFE:
		return (uint64_t)item->upper - (uint64_t)item->lower;
	default:
		return (uint64_t)item->lower ^ 1ULL << 63;
	}
}

/* Finds the order of the items; those without room are behind the others. */
static int find_order(struct loom_place_canonical *c)
{
	uint32_t n = c->given->problem.num_items, i;
	uint32_t *order = loom_arrays_take(&c->arrays, n, sizeof(*order)), last = n;
	struct loom_radix sort = { 0 };
	unsigned int which;

	if (loom_radix_reserve(&sort, n) || !order) {
		loom_radix_clear(&sort);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		if (!loom_place_has_room(&c->items[i]))
			order[--last] = i;
		else
			sort.entries[sort.count++].value = i;
	}
	for (which = 0; which < NUM_PROPERTIES; which++) {
		for (i = 0; i < sort.count; i++)
			sort.entries[i].key = (int64_t)(property(&c->items[sort.entries[i].value],
								 which) ^ 1ULL << 63);
		loom_radix_sort(&sort);
	}
	for (i = 0; i < sort.count; i++)
		order[i] = (uint32_t)sort.entries[i].value;
	c->orders[c->backward] = order;
	c->task.problem.num_items = sort.count;
	loom_radix_clear(&sort);
	return 0;
}

#define DONE	(1U << 31)

/* Brings the items into an order, or back; cycle by cycle. */
static void permute(struct loom_place_item *items, uint32_t *order, uint32_t n, bool back)
{
	struct loom_place_item item;
	uint32_t i, k, next;

	for (i = 0; i < n; i++) {
		for (k = i; !(order[k] & DONE); k = next) {
			next = order[k];
			order[k] |= DONE;
			if (next == i)
				break;
			item = items[next];
			items[next] = items[back ? i : k];
			items[back ? i : k] = item;
		}
	}
	for (i = 0; i < n; i++)
		order[i] &= ~DONE;
}

/* Reverses time, forth or back. -1 - x cannot overflow, and adjacent gaps stay adjacent. */
static void reverse(struct loom_place_canonical *c)
{
	struct loom_place_gap *gap = c->gaps;
	uint32_t i, k;

	for (i = 0; i < c->given->problem.num_items; i++) {
		struct loom_place_item *item = &c->items[i];
		int64_t lower = item->lower;

		item->lower = -1 - item->upper;
		item->upper = -1 - lower;
		if (!item->num_gaps)
			continue;
		if (c->backward) {
			item->gaps = c->given_gaps[i];
			continue;
		}
		c->given_gaps[i] = item->gaps;
		for (k = item->num_gaps; k--; gap++)
			*gap = (struct loom_place_gap){
				-1 - item->gaps[k].upper, -1 - item->gaps[k].lower,
				item->gaps[k].window_lower, item->gaps[k].window_upper,
			};
		item->gaps = gap - item->num_gaps;
	}
	c->backward = !c->backward;
}

bool loom_place_canonical_is_backward(struct loom_place_canonical *c)
{
	const uint32_t *x = c->orders[true], *y = c->orders[false];
	const struct loom_place_item *items = c->items;
	unsigned int which;
	uint32_t i;
	int order = 0;

	loom_place_canonical_release(c);
	for (i = 0; i < c->task.problem.num_items && !order; i++) {
		order = compare_u64((uint64_t)items[x[0]].upper - (uint64_t)items[x[i]].upper,
				    (uint64_t)items[y[i]].lower - (uint64_t)items[y[0]].lower);
		for (which = BY_BEGIN; which-- > BY_EXCLUDED && !order;)
			order = compare_u64(property(&items[x[i]], which),
					    property(&items[y[i]], which));
	}
	return order < 0;
}

static int fill_apart(struct loom_place_canonical *c)
{
	const struct loom_place_problem *given = &c->given->problem;
	uint32_t *local = malloc(((size_t)given->num_items + 1) * sizeof(*local)), i;
	uint32_t count = 0, n = c->task.problem.num_items;

	if (!local)
		return -ENOMEM;
	for (i = 0; i < given->num_items; i++)
		local[c->global[i]] = i;
	/* an item without size is dropped; it overlaps nothing */
	for (i = 0; i < given->num_apart; i++) {
		uint32_t a = local[given->apart[i].first], b = local[given->apart[i].second];

		if (a < n && b < n)
			c->apart[count++] = (struct loom_place_pair){
				a < b ? a : b, a < b ? b : a, 0
			};
	}
	c->task.problem.num_apart = count;
	free(local);
	return 0;
}

void loom_place_canonical_release(struct loom_place_canonical *c)
{
	if (c->global)
		permute(c->items, c->global, c->given->problem.num_items, true);
	c->global = NULL;
	if (c->backward)
		reverse(c);
}

int loom_place_canonical_turn(struct loom_place_canonical *c, bool backward)
{
	uint32_t i;
	int ret = 0;

	loom_place_canonical_release(c);
	if (backward)
		reverse(c);
	if (!c->orders[backward])
		ret = find_order(c);
	if (ret)
		return ret;
	c->global = c->orders[backward];
	permute(c->items, c->global, c->given->problem.num_items, false);
	for (i = 0; i < c->task.problem.num_items && c->hint; i++)
		c->hint[i] = c->given->hint[c->global[i]];
	return c->given->problem.num_apart ? fill_apart(c) : 0;
}

int loom_place_canonical_make(struct loom_place_canonical *c, const struct loom_place_task *task)
{
	const struct loom_place_problem *given = &task->problem;
	size_t n = given->num_items, num_gaps = 0, i;

	*c = (struct loom_place_canonical){
		.task = *task, .given = task, .items = (struct loom_place_item *)given->items,
	};
	for (i = 0; i < n; i++)
		num_gaps += given->items[i].num_gaps;
	c->gaps = loom_arrays_take(&c->arrays, num_gaps, sizeof(*c->gaps));
	c->given_gaps = loom_arrays_take(&c->arrays, num_gaps ? n : 0, sizeof(*c->given_gaps));
	c->apart = loom_arrays_take(&c->arrays, given->num_apart, sizeof(*c->apart));
	if (task->hint)
		c->hint = loom_arrays_take(&c->arrays, n, sizeof(*c->hint));
	c->task.hint = c->hint;
	c->task.problem = (struct loom_place_problem){ .items = c->items, .apart = c->apart };
	return c->arrays.failed ? -ENOMEM : 0;
}

void loom_place_canonical_clear(struct loom_place_canonical *c)
{
	loom_place_canonical_release(c);
	loom_arrays_free(&c->arrays);
}
