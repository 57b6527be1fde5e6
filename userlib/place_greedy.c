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
 * Which order is best depends on the problem, so there are three, and hill climbing from the best
 * of them: an item is moved elsewhere in the order, and the new order is kept unless it is worse.
 * The moves come from a fixed sequence and their number from the size of the problem alone.
 *
 * Rejected: testing each pair (60k items: four billion), and a sorted list of all that is placed
 * (long lists, of which hardly anything is alive at the same time).
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct key - what an item is sorted by, largest first
 * @high: first
 * @low: then
 * @item: then, smallest first
 */
struct key {
	uint64_t high;
	uint64_t low;
	uint32_t item;
};

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
 * @keys: room to sort
 * @order: the order to place in
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
	struct key *keys;
	uint32_t *order;
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

static int greedy_run(struct greedy *g, uint32_t n, const uint32_t *order)
{
	uint32_t i;
	int ret;

	for (i = 0; i < n; i++)
		g->latest[i] = INT64_MIN;
	memset(g->placed, 0, n * sizeof(*g->placed));
	/* what is fixed is there before all others */
	for (i = 0; i < n; i++) {
		const struct loom_place_item *item = &g->items[i];

		if (item->fixed == LOOM_PLACE_ANYWHERE || !item->size_bytes)
			continue;
		g->offsets[i] = item->fixed;
		tree_insert(g, n, i);
	}
	for (i = 0; i < n; i++) {
		uint32_t index = order[i];
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

static uint64_t greedy_height(const struct greedy *g, uint32_t n)
{
	uint64_t height = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		if (g->items[i].alias == LOOM_PLACE_NONE &&
		    height < g->offsets[i] + g->items[i].size_bytes)
			height = g->offsets[i] + g->items[i].size_bytes;
	return height;
}

/* Sorts by key into @order. */
static void sort_keys(struct key *keys, uint32_t n, uint32_t *order)
{
	uint32_t i;

	qsort(keys, n, sizeof(*keys), compare_keys);
	for (i = 0; i < n; i++)
		order[i] = keys[i].item;
}

/* So that ascending times are descending keys. */
static uint64_t time_key(int64_t time)
{
	return ~((uint64_t)time ^ (1ULL << 63));
}

static void greedy_fini(struct greedy *g)
{
	free(g->by_lower);
	free(g->rank);
	free(g->latest);
	free(g->placed);
	free(g->met);
	free(g->keys);
	free(g->order);
}

static int greedy_init(struct greedy *g, const struct loom_place_problem *problem,
		       uint64_t *offsets)
{
	size_t n = problem->num_items;
	uint32_t i;

	memset(g, 0, sizeof(*g));
	g->items = problem->items;
	g->offsets = offsets;
	g->by_lower = calloc(n + 1, sizeof(*g->by_lower));
	g->rank = calloc(n + 1, sizeof(*g->rank));
	g->latest = calloc(n + 1, sizeof(*g->latest));
	g->placed = calloc(n + 1, sizeof(*g->placed));
	g->met = calloc(n + 1, sizeof(*g->met));
	g->keys = calloc(n + 1, sizeof(*g->keys));
	g->order = calloc(n + 1, sizeof(*g->order));
	if (!g->by_lower || !g->rank || !g->latest || !g->placed || !g->met || !g->keys ||
	    !g->order) {
		greedy_fini(g);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		g->keys[i] = (struct key){ .high = time_key(g->items[i].lower), .item = i };
	sort_keys(g->keys, problem->num_items, g->by_lower);
	for (i = 0; i < n; i++)
		g->rank[g->by_lower[i]] = i;
	return 0;
}

static uint64_t life(const struct loom_place_item *item)
{
	return (uint64_t)item->upper - (uint64_t)item->lower;
}

static int order_by_size(struct greedy *g, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		g->keys[i] = (struct key){ g->items[i].size_bytes, life(&g->items[i]), i };
	sort_keys(g->keys, n, g->order);
	return 0;
}

static int order_by_area(struct greedy *g, uint32_t n)
{
	uint64_t area;
	uint32_t i;

	for (i = 0; i < n; i++) {
		/* what is past 64 bits is large enough to be first */
		if (__builtin_mul_overflow(g->items[i].size_bytes, life(&g->items[i]), &area))
			area = UINT64_MAX;
		g->keys[i] = (struct key){ area, g->items[i].size_bytes, i };
	}
	sort_keys(g->keys, n, g->order);
	return 0;
}

/* By position in by_lower: bytes alive when that item has begun, and all that begin with it. */
static int find_live(const struct greedy *g, uint32_t n, uint64_t *live)
{
	struct key *ends = calloc((size_t)n + 1, sizeof(*ends));
	uint64_t now = 0;
	uint32_t i, k, e = 0;

	if (!ends)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		ends[i] = (struct key){ .high = time_key(g->items[i].upper), .item = i };
	qsort(ends, n, sizeof(*ends), compare_keys);
	for (i = 0; i < n; i = k) {
		int64_t time = g->items[g->by_lower[i]].lower;

		for (; e < n && g->items[ends[e].item].upper <= time; e++)
			if (g->items[ends[e].item].alias == LOOM_PLACE_NONE)
				now -= g->items[ends[e].item].size_bytes;
		for (k = i; k < n && g->items[g->by_lower[k]].lower == time; k++)
			if (g->items[g->by_lower[k]].alias == LOOM_PLACE_NONE)
				now += g->items[g->by_lower[k]].size_bytes;
		while (i < k)
			live[i++] = now;
	}
	free(ends);
	return 0;
}

/* First position whose item begins at @time or later. */
static uint32_t first_from(const struct greedy *g, uint32_t n, int64_t time)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (g->items[g->by_lower[mid]].lower < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * The breadth of an item: most bytes alive at a moment of its life. Sums are largest when
 * something begins, so it is the maximum of a range of positions: a segment tree, leaves at n.
 */
static int order_by_breadth(struct greedy *g, uint32_t n)
{
	uint64_t *tree = calloc(2 * (size_t)n + 2, sizeof(*tree));
	uint32_t i;
	int ret;

	if (!tree)
		return -ENOMEM;
	ret = find_live(g, n, tree + n);
	for (i = n; !ret && i-- > 1;)
		tree[i] = tree[2 * i] > tree[2 * i + 1] ? tree[2 * i] : tree[2 * i + 1];
	for (i = 0; !ret && i < n; i++) {
		const struct loom_place_item *item = &g->items[i];
		uint64_t low = (uint64_t)first_from(g, n, item->lower) + n;
		uint64_t high = (uint64_t)first_from(g, n, item->upper) + n;
		uint64_t breadth = 0;

		for (; low < high; low /= 2, high /= 2) {
			if (low & 1) {
				if (breadth < tree[low])
					breadth = tree[low];
				low++;
			}
			if (high & 1) {
				high--;
				if (breadth < tree[high])
					breadth = tree[high];
			}
		}
		g->keys[i] = (struct key){ breadth, item->size_bytes, i };
	}
	if (!ret)
		sort_keys(g->keys, n, g->order);
	free(tree);
	return ret;
}

static int greedy(const struct loom_place_problem *problem, uint64_t *offsets,
		  int (*make_order)(struct greedy *g, uint32_t n))
{
	struct greedy g;
	int ret;

	ret = greedy_init(&g, problem, offsets);
	if (ret)
		return ret;
	ret = make_order(&g, problem->num_items);
	if (!ret)
		ret = greedy_run(&g, problem->num_items, g.order);
	greedy_fini(&g);
	return ret;
}

int loom_place_greedy_size(const struct loom_place_problem *problem, uint64_t *offsets)
{
	return greedy(problem, offsets, order_by_size);
}

int loom_place_greedy_area(const struct loom_place_problem *problem, uint64_t *offsets)
{
	return greedy(problem, offsets, order_by_area);
}

int loom_place_greedy_breadth(const struct loom_place_problem *problem, uint64_t *offsets)
{
	return greedy(problem, offsets, order_by_breadth);
}

/* The item at position @from moves to position @to. */
static void move_item(uint32_t *order, uint32_t from, uint32_t to)
{
	uint32_t item = order[from];

	if (from < to)
		memmove(&order[from], &order[from + 1], (to - from) * sizeof(*order));
	else
		memmove(&order[to + 1], &order[to], (from - to) * sizeof(*order));
	order[to] = item;
}

/* Numbers that look random and are the same each time. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33) % below;
}

/* From the best of the three orders; @offsets is the best so far throughout. */
static int climb(struct greedy *g, uint32_t n, uint64_t bound, uint64_t *offsets)
{
	static int (*const orders[])(struct greedy *g, uint32_t n) = {
		order_by_size, order_by_area, order_by_breadth,
	};
	uint32_t *best = calloc((size_t)n + 1, sizeof(*best));
	uint32_t tries = 400000 / (n + 1), i, from, to;
	uint64_t height = UINT64_MAX, now, state = 1;
	int ret = best ? 0 : -ENOMEM;

	if (tries > 1000)
		tries = 1000;
	for (i = 0; !ret && i < 3 + tries && height > bound; i++) {
		if (i < 3) {
			ret = orders[i](g, n);
		} else {
			memcpy(g->order, best, n * sizeof(*best));
			from = draw(&state, n);
			to = draw(&state, n);
			move_item(g->order, from, to);
		}
		if (!ret)
			ret = greedy_run(g, n, g->order);
		if (ret)
			break;
		now = greedy_height(g, n);
		/* an equal one is another place to climb from, but not from a worse start */
		if (i < 3 ? now >= height : now > height)
			continue;
		height = now;
		memcpy(best, g->order, n * sizeof(*best));
		memcpy(offsets, g->offsets, n * sizeof(*offsets));
	}
	free(best);
	return ret;
}

int loom_place_climb(const struct loom_place_problem *problem, uint64_t *offsets)
{
	uint32_t n = problem->num_items;
	uint64_t *trial = calloc((size_t)n + 1, sizeof(*trial)), bound;
	struct greedy g;
	int ret = -ENOMEM;

	if (!trial)
		return ret;
	ret = loom_place_bound(problem, &bound);
	if (!ret)
		ret = greedy_init(&g, problem, trial);
	if (!ret) {
		if (n)
			ret = climb(&g, n, bound, offsets);
		greedy_fini(&g);
	}
	free(trial);
	return ret;
}

static int order_as_is(struct greedy *g, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		g->order[i] = i;
	return 0;
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
		ret = greedy(&forever, offsets, order_as_is);
	free(items);
	return ret;
}
