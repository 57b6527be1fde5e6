// SPDX-License-Identifier: MIT
/*
 * DOC: Greedy placing
 *
 * Take the items in some order, put each into the lowest gap between those placed before that
 * live at the same time. Largest first is the classic: what is hard to fit goes while there is
 * still room, and the small ones fill the gaps.
 *
 * Items placed so far are found by lifetime in an augmented tree: items sorted by @lower are an
 * implicit balanced tree in which each node knows the latest @upper of what is placed below
 * it. Finding the k items that an item meets costs O(k + log n), sorting them by offset
 * O(k log k).
 *
 * Rejected: testing each pair (60k items: four billion), and a sorted list of all that is placed
 * (long lists, of which hardly anything is alive at the same time).
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct greedy - the state of a run
 * @items: what is to be placed
 * @offsets: where, once placed
 * @by_lower: items in order of begin
 * @rank: position of an item in @by_lower
 * @latest: by position: latest end of what is placed in the subtree with its root there
 * @placed: by item
 * @met: items that the current one meets
 * @num_met: number of @met
 */
struct greedy {
	const struct loom_place_item *items;
	uint64_t *offsets;
	uint32_t *by_lower;
	uint32_t *rank;
	int64_t *latest;
	bool *placed;
	struct block {
		uint64_t offset;
		uint64_t end;
	} *met;
	size_t num_met;
};

/* The subtree of positions [low, high) has its root in the middle. */
static void tree_insert(struct greedy *g, uint32_t num_items, uint32_t item)
{
	uint32_t low = 0, high = num_items, at = g->rank[item];

	for (;;) {
		uint32_t mid = low + (high - low) / 2;

		if (g->latest[mid] < g->items[item].upper)
			g->latest[mid] = g->items[item].upper;
		if (at == mid)
			break;
		if (at < mid)
			high = mid;
		else
			low = mid + 1;
	}
	g->placed[item] = true;
}

static void tree_collect(struct greedy *g, uint32_t low, uint32_t high,
			 const struct loom_place_item *item)
{
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		uint32_t other = g->by_lower[mid];

		if (g->latest[mid] <= item->lower)
			return;
		tree_collect(g, low, mid, item);
		if (g->items[other].lower >= item->upper)
			return;
		if (g->placed[other] && g->items[other].upper > item->lower) {
			g->met[g->num_met].offset = g->offsets[other];
			g->met[g->num_met++].end = g->offsets[other] +
						   g->items[other].size_bytes;
		}
		low = mid + 1;
	}
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* The lowest aligned offset with @item's size free between the blocks met, or past the last. */
static int lowest_gap(struct greedy *g, const struct loom_place_item *item, uint64_t *offset)
{
	uint64_t at = 0, gap;
	size_t i;

	qsort(g->met, g->num_met, sizeof(*g->met), compare_blocks);
	for (i = 0; i < g->num_met; i++) {
		if (g->met[i].offset >= at && g->met[i].offset - at >= item->size_bytes)
			break;
		if (at >= g->met[i].end)
			continue;
		at = g->met[i].end;
		gap = at % item->align_bytes;
		if (gap && __builtin_add_overflow(at, item->align_bytes - gap, &at))
			return -ERANGE;
	}
	if (at > INT64_MAX - item->size_bytes)
		return -ERANGE;
	*offset = at;
	return 0;
}

struct key {
	uint64_t high;
	uint64_t low;
	uint32_t item;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	/* descending, and the earlier item first */
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	if (x->low != y->low)
		return x->low > y->low ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static int greedy_run(struct greedy *g, const struct loom_place_problem *problem,
		      const struct key *order)
{
	uint32_t n = problem->num_items, i;
	int ret;

	/* what is fixed is there before all others */
	for (i = 0; i < n; i++) {
		const struct loom_place_item *item = &g->items[i];

		if (item->fixed == LOOM_PLACE_ANYWHERE || !item->size_bytes)
			continue;
		g->offsets[i] = item->fixed;
		tree_insert(g, n, i);
	}
	for (i = 0; i < n; i++) {
		uint32_t index = order[i].item;
		const struct loom_place_item *item = &g->items[index];

		if (item->alias != LOOM_PLACE_NONE || item->fixed != LOOM_PLACE_ANYWHERE)
			continue;
		g->offsets[index] = 0;
		if (!item->size_bytes)
			continue;
		g->num_met = 0;
		tree_collect(g, 0, n, item);
		ret = lowest_gap(g, item, &g->offsets[index]);
		if (ret)
			return ret;
		tree_insert(g, n, index);
	}
	return 0;
}

/* Sorting by begin, with the keys that are there anyway. */
static void sort_by_lower(struct greedy *g, struct key *keys, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		keys[i] = (struct key){ .high = ~((uint64_t)g->items[i].lower ^ (1ULL << 63)),
					.item = i };
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (i = 0; i < n; i++) {
		g->by_lower[i] = keys[i].item;
		g->rank[keys[i].item] = i;
		g->latest[i] = INT64_MIN;
	}
}

static int greedy(const struct loom_place_problem *problem, uint64_t *offsets,
		  struct key (*key)(const struct loom_place_item *item))
{
	size_t n = problem->num_items;
	struct greedy g = { .items = problem->items, .offsets = offsets };
	struct key *keys = calloc(n + 1, sizeof(*keys));
	int ret = -ENOMEM;
	uint32_t i;

	g.by_lower = calloc(n + 1, sizeof(*g.by_lower));
	g.rank = calloc(n + 1, sizeof(*g.rank));
	g.latest = calloc(n + 1, sizeof(*g.latest));
	g.placed = calloc(n + 1, sizeof(*g.placed));
	g.met = calloc(n + 1, sizeof(*g.met));
	if (keys && g.by_lower && g.rank && g.latest && g.placed && g.met) {
		sort_by_lower(&g, keys, problem->num_items);
		for (i = 0; i < n; i++) {
			keys[i] = key(&problem->items[i]);
			keys[i].item = i;
		}
		qsort(keys, n, sizeof(*keys), compare_keys);
		ret = greedy_run(&g, problem, keys);
	}
	free(keys);
	free(g.by_lower);
	free(g.rank);
	free(g.latest);
	free(g.placed);
	free(g.met);
	return ret;
}

static struct key key_size(const struct loom_place_item *item)
{
	return (struct key){ item->size_bytes, (uint64_t)item->upper - (uint64_t)item->lower, 0 };
}

static struct key key_area(const struct loom_place_item *item)
{
	uint64_t life = (uint64_t)item->upper - (uint64_t)item->lower, area;

	/* what is past 64 bits is large enough to be first */
	if (__builtin_mul_overflow(item->size_bytes, life, &area))
		area = UINT64_MAX;
	return (struct key){ area, item->size_bytes, 0 };
}

int loom_place_greedy_size(const struct loom_place_problem *problem, uint64_t *offsets)
{
	return greedy(problem, offsets, key_size);
}

int loom_place_greedy_area(const struct loom_place_problem *problem, uint64_t *offsets)
{
	return greedy(problem, offsets, key_area);
}

static struct key key_none(const struct loom_place_item *item)
{
	(void)item;
	return (struct key){ 0 };
}

/* As if everything lived forever: the gap is always past the last. */
int loom_place_naive(const struct loom_place_problem *problem, uint64_t *offsets)
{
	struct loom_place_item *items = calloc((size_t)problem->num_items + 1, sizeof(*items));
	struct loom_place_problem forever = *problem;
	uint64_t top = 0, gap;
	bool fixed = false;
	int ret = 0;
	uint32_t i;

	if (!items)
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++) {
		items[i] = problem->items[i];
		items[i].lower = 0;
		items[i].upper = 1;
		fixed |= items[i].fixed != LOOM_PLACE_ANYWHERE;
	}
	forever.items = items;
	for (i = 0; i < problem->num_items && !fixed && !ret; i++) {
		if (items[i].alias != LOOM_PLACE_NONE)
			continue;
		gap = top % items[i].align_bytes;
		if (gap && __builtin_add_overflow(top, items[i].align_bytes - gap, &top))
			ret = -ERANGE;
		else if (top > INT64_MAX - items[i].size_bytes)
			ret = -ERANGE;
		offsets[i] = top;
		top += items[i].size_bytes;
	}
	if (fixed)
		ret = greedy(&forever, offsets, key_none);
	free(items);
	return ret;
}
