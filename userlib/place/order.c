// SPDX-License-Identifier: MIT
/*
 * DOC: Static orders
 *
 * Greedy planners differ in the order of items. An order sorts by two numbers, the largest first.
 * Ties are broken by begin and end, so that the order of rows does not matter. Aliases and items
 * without size are in the order as well; the engine skips them.
 */
#include "greedy.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_core.h"

/* A property of an item; larger ones come first. */
typedef uint64_t (*property)(const struct loom_place_item *item);

static uint64_t life(const struct loom_place_item *item)
{
	return (uint64_t)item->upper - (uint64_t)item->lower;
}

static uint64_t size(const struct loom_place_item *item)
{
	return item->size_bytes;
}

/* Saturates. */
static uint64_t area(const struct loom_place_item *item)
{
	uint64_t bytes;

	return __builtin_mul_overflow(item->size_bytes, life(item), &bytes) ? UINT64_MAX : bytes;
}

static uint64_t alignment(const struct loom_place_item *item)
{
	return item->align_bytes;
}

/* Moments as unsigned numbers of the same order. */
static uint64_t end(const struct loom_place_item *item)
{
	return (uint64_t)item->upper ^ 1ULL << 63;
}

static uint64_t end_first(const struct loom_place_item *item)
{
	return ~end(item);
}

static uint64_t begin_first(const struct loom_place_item *item)
{
	return ~((uint64_t)item->lower ^ 1ULL << 63);
}

/* Sorts stably by a property. */
static void sort_by(struct loom_radix *sort, const struct loom_place_item *items, property of)
{
	size_t i;

	for (i = 0; i < sort->count; i++)
		sort->entries[i].key = loom_radix_descending(of(&items[sort->entries[i].value]));
	loom_radix_sort(sort);
}

/* All items; the first by begin, end and alignment first. */
static int begin(struct loom_radix *sort, const struct loom_place_problem *problem)
{
	const struct loom_place_item *items = problem->items;
	static const property ties[] = { alignment, end_first, begin_first };
	bool sorted = true;
	unsigned int k;
	uint32_t i;

	*sort = (struct loom_radix){ .count = 0 };
	if (loom_radix_reserve(sort, problem->num_items))
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++) {
		sort->entries[sort->count++].value = i;
		/* canonical problems are */
		sorted = sorted && (!i || items[i - 1].lower < items[i].lower ||
				    (items[i - 1].lower == items[i].lower &&
				     items[i - 1].upper <= items[i].upper &&
				     items[i - 1].align_bytes == items[i].align_bytes));
	}
	for (k = 0; k < ARRAY_SIZE(ties) && !sorted; k++)
		sort_by(sort, items, ties[k]);
	return 0;
}

static void finish(struct loom_radix *sort, uint32_t *order)
{
	size_t i;

	for (i = 0; i < sort->count; i++)
		order[i] = (uint32_t)sort->entries[i].value;
	loom_radix_clear(sort);
}

static int order_by(const struct loom_place_problem *problem, property high, property low,
		    uint32_t *order)
{
	struct loom_radix sort;
	int ret = begin(&sort, problem);

	if (ret)
		return ret;
	sort_by(&sort, problem->items, low);
	sort_by(&sort, problem->items, high);
	finish(&sort, order);
	return 0;
}

int loom_place_order_size(const struct loom_place_problem *problem, uint32_t *order)
{
	return order_by(problem, size, life, order);
}

int loom_place_order_life(const struct loom_place_problem *problem, uint32_t *order)
{
	return order_by(problem, life, size, order);
}

int loom_place_order_area(const struct loom_place_problem *problem, uint32_t *order)
{
	return order_by(problem, area, size, order);
}

/* Latest end first, so that all items placed later end beside it or before. */
int loom_place_order_tail(const struct loom_place_problem *problem, uint32_t *order)
{
	return order_by(problem, end, size, order);
}

int loom_place_order_by_alignment(const struct loom_place_problem *problem, uint32_t *order)
{
	struct loom_radix sort = { 0 };

	if (loom_radix_reserve(&sort, problem->num_items))
		return -ENOMEM;
	for (; sort.count < problem->num_items; sort.count++)
		sort.entries[sort.count].value = order[sort.count];
	sort_by(&sort, problem->items, alignment);
	finish(&sort, order);
	return 0;
}

/* Of each item, itself included: those that begin before it ends, less those that end before. */
uint64_t loom_place_count_overlaps(const struct loom_radix *events, uint32_t *overlaps)
{
	uint32_t begun = 0, ended = 0, i;
	uint64_t pairs = 0;
	size_t k;

	for (k = 0; k < events->count; k++) {
		i = (uint32_t)loom_place_event_of(&events->entries[k]);
		if (loom_place_event_begins(&events->entries[k])) {
			pairs += begun++ - ended;
			if (overlaps)
				overlaps[i] -= ended;
		} else {
			ended++;
			if (overlaps)
				overlaps[i] += begun;
		}
	}
	return pairs;
}

int loom_place_count_pairs(const struct loom_place_problem *problem, uint64_t *pairs)
{
	struct loom_radix events;

	if (loom_place_item_events(problem, &events))
		return -ENOMEM;
	*pairs = loom_place_count_overlaps(&events, NULL);
	loom_radix_clear(&events);
	return 0;
}

/* By number of items that overlap in time, then by size. */
int loom_place_order_overlaps(const struct loom_place_problem *problem, uint32_t *order)
{
	struct loom_radix sort, events;
	size_t i;

	if (loom_place_item_events(problem, &events))
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++)
		order[i] = 0;
	loom_place_count_overlaps(&events, order);
	loom_radix_clear(&events);
	if (begin(&sort, problem))
		return -ENOMEM;
	sort_by(&sort, problem->items, size);
	for (i = 0; i < sort.count; i++)
		sort.entries[i].key = loom_radix_descending(order[sort.entries[i].value]);
	loom_radix_sort(&sort);
	finish(&sort, order);
	return 0;
}

/* Largest of [low, high) in a max tree with @leaves leaves at @leaves. */
static uint64_t range_max(const uint64_t *tree, size_t leaves, size_t low, size_t high)
{
	uint64_t most = 0;

	for (low += leaves, high += leaves; low < high; low /= 2, high /= 2) {
		if (low & 1)
			most = max(most, tree[low++]);
		if (high & 1)
			most = max(most, tree[--high]);
	}
	return most;
}

/* By the broadest moment of an item's life, stably. */
static int sort_by_breadth(struct loom_radix *sort, const struct loom_place_item *items,
			   const struct loom_place_profile *profile)
{
	size_t n = profile->num_moments, i;
	uint64_t *tree = calloc(2 * n + 2, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		tree[n + i] = profile->bytes[i];
	for (i = n; i-- > 1;)
		tree[i] = max(tree[2 * i], tree[2 * i + 1]);
	for (i = 0; i < sort->count; i++) {
		const struct loom_place_item *item = &items[sort->entries[i].value];
		uint64_t broadest = 0;

		if (loom_place_has_room(item))
			broadest = range_max(tree, n,
					     loom_place_profile_find(profile, item->lower),
					     loom_place_profile_find(profile, item->upper));
		sort->entries[i].key = loom_radix_descending(broadest);
	}
	free(tree);
	loom_radix_sort(sort);
	return 0;
}

static int order_by_breadth(const struct loom_place_problem *problem, property low, uint32_t *order)
{
	struct loom_place_profile profile;
	struct loom_place_part *parts;
	struct loom_radix sort = { 0 };
	size_t num_parts;
	uint32_t culprit;
	int ret;

	ret = loom_place_parts(problem, &parts, &num_parts);
	if (ret)
		return ret;
	ret = loom_place_profile_make(&profile, parts, num_parts, &culprit);
	free(parts);
	if (!ret)
		ret = begin(&sort, problem);
	if (!ret) {
		sort_by(&sort, problem->items, low);
		ret = sort_by_breadth(&sort, problem->items, &profile);
	}
	loom_place_profile_clear(&profile);
	if (ret)
		loom_radix_clear(&sort);
	else
		finish(&sort, order);
	return ret;
}

/*
 * The breadth of a moment is the sum of the bytes alive. Moments are visited broadest first, and
 * each places the items alive and not placed yet, largest first. So an item's key is the broadest
 * moment of its life.
 */
int loom_place_order_breadth(const struct loom_place_problem *problem, uint32_t *order)
{
	return order_by_breadth(problem, size, order);
}

/* By breadth, then longest life first: few long items leave the gaps that short ones need. */
int loom_place_order_total(const struct loom_place_problem *problem, uint32_t *order)
{
	return order_by_breadth(problem, life, order);
}
