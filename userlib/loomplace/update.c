// SPDX-License-Identifier: MIT
/*
 * DOC: Placing again
 *
 * A placement stays valid where nothing changes, so all items keep their offsets at first, except
 * new ones and those that collide. If the rest does not fit, items that overlap these in time are
 * released, then those that overlap the released ones, and so on. From the first set that suffices,
 * items return one by one, the largest first, as long as the rest fits.
 *
 * Then all sets of released items are tried in the order of their bytes, up to the best one known.
 * An infeasible set is only known to be so if the search ended by itself; with a budget that is too
 * small the answer is valid, but may move more than necessary.
 */
#include "arrays.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "memory.h"

/* search nodes of a try; tries in all; items of which all sets are tried */
#define TRY_NODES	20000
#define MAX_TRIES	400
#define MAX_CHOICES	64

/**
 * struct update - the state
 * @problem: the items
 * @before: by item: its previous offset
 * @items: the items, fixed where they stay
 * @inner: of @items
 * @pool: the capacity
 * @can_stay: by item: it may stay at @before
 * @offsets: by item: the best placement
 * @moved_bytes: of it; UINT64_MAX: there is none yet
 * @tries: how many there were
 */
struct update {
	const struct loomplace_problem *problem;
	const uint64_t *before;
	struct loom_place_item *items;
	struct loom_place_problem inner;
	struct loom_place_pool pool;
	bool *can_stay;
	uint64_t *offsets;
	uint64_t moved_bytes;
	unsigned int tries;
};

static bool stays(const struct update *u, size_t item)
{
	return u->can_stay[item] && (u->items[item].flags & LOOM_PLACE_FIXED);
}

static void set_stay(struct update *u, size_t item, bool stay)
{
	u->items[item].flags = stay ? LOOM_PLACE_FIXED : 0;
	u->items[item].fixed = stay ? u->before[item] : 0;
}

static bool meet(const struct loom_place_item *a, const struct loom_place_item *b)
{
	return a->lower < b->upper && b->lower < a->upper;
}

/* Whether two items that are fixed share a byte. */
static bool collide(const struct loom_place_item *a, const struct loom_place_item *b)
{
	return meet(a, b) && a->fixed < b->fixed + b->size_bytes &&
	       b->fixed < a->fixed + a->size_bytes;
}

/* Whether an item that is fixed collides with another one. */
static bool is_in_the_way(const struct update *u, size_t item)
{
	size_t i;

	for (i = 0; i < u->problem->num_items; i++)
		if (i != item && (u->items[i].flags & LOOM_PLACE_FIXED) &&
		    collide(&u->items[item], &u->items[i]))
			return true;
	return false;
}

static uint64_t bytes_moved(const struct update *u, const uint64_t *offsets)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < u->problem->num_items; i++)
		if (u->before[i] != LOOMPLACE_FREE && u->before[i] != offsets[i])
			sum += u->items[i].size_bytes;
	return sum;
}

/* Places all items that do not stay. Keeps the placement if it moves less. 0, -ENOSPC, -errno. */
static int try(struct update *u)
{
	const struct loom_place_options options = {
		.budget = u->problem->budget ? u->problem->budget : TRY_NODES, .fit_only = true,
	};
	struct loom_place_result result;
	uint64_t moved;
	size_t i;
	int ret;

	for (i = 0; i < u->problem->num_items; i++)
		if (stays(u, i) && is_in_the_way(u, i))
			return -ENOSPC;
	u->tries++;
	ret = loom_place(&u->inner, &options, &result, NULL);
	if (ret)
		return ret;
	moved = bytes_moved(u, result.offsets);
	if (moved < u->moved_bytes) {
		u->moved_bytes = moved;
		memcpy(u->offsets, result.offsets, u->problem->num_items * sizeof(*u->offsets));
	}
	loom_place_result_free(&result);
	return 0;
}

/* Indices of items that may stay, the largest first. */
static size_t by_size(const struct update *u, size_t *order, bool released)
{
	size_t count = 0, i, k;

	for (i = 0; i < u->problem->num_items; i++) {
		if (!u->can_stay[i] || (released && stays(u, i)))
			continue;
		for (k = count++; k && u->items[order[k - 1]].size_bytes < u->items[i].size_bytes;
		     k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return count;
}

/* Releases what overlaps a released or new item in time; false if nothing does. */
static bool release_more(struct update *u, bool *out)
{
	const size_t n = u->problem->num_items;
	bool any = false;
	size_t i, k;

	for (i = 0; i < n; i++)
		out[i] = !(u->items[i].flags & LOOM_PLACE_FIXED);
	for (i = 0; i < n; i++) {
		if (!stays(u, i))
			continue;
		for (k = 0; k < n && !(out[k] && meet(&u->items[i], &u->items[k])); k++)
			;
		if (k == n)
			continue;
		set_stay(u, i, false);
		any = true;
	}
	return any;
}

/* A set of released items: the next ones add an item behind the last, or replace it. */
struct choice {
	uint64_t bytes;
	uint64_t set;
	unsigned int last;
};

/* Tries sets of @count released items, from none on; @order has the smallest last. */
static int try_sets(struct update *u, const size_t *order, unsigned int count,
		    struct choice *open)
{
	const unsigned int first_try = u->tries;
	unsigned int num_open = 1, i, best;
	int ret = -ENOSPC;

#define SIZE(i)	(u->items[order[count - 1 - (i)]].size_bytes)
	open[0] = (struct choice){ 0 };
	while (num_open && ret == -ENOSPC && u->tries - first_try < MAX_TRIES) {
		struct choice c;

		for (i = 1, best = 0; i < num_open; i++)
			if (open[i].bytes < open[best].bytes)
				best = i;
		c = open[best];
		open[best] = open[--num_open];
		if (c.bytes >= u->moved_bytes)
			break;
		for (i = 0; i < count; i++)
			set_stay(u, order[count - 1 - i], !(c.set >> i & 1));
		ret = try(u);
		i = c.set ? c.last + 1 : 0;
		if (i == count || num_open + 2 > 2 * MAX_TRIES)
			continue;
		open[num_open++] = (struct choice){ c.bytes + SIZE(i), c.set | 1ULL << i, i };
		if (c.set)
			open[num_open++] = (struct choice){
				c.bytes - SIZE(c.last) + SIZE(i),
				(c.set & ~(1ULL << c.last)) | 1ULL << i, i,
			};
	}
#undef SIZE
	return ret == -ENOSPC ? 0 : ret;
}

/* From a set that suffices: items return one by one, and then all smaller sets are tried. */
static int move_less(struct update *u, size_t *order, struct choice *open)
{
	const size_t count = by_size(u, order, true);
	size_t i;
	int ret;

	for (i = 0; i < count && u->tries < MAX_TRIES; i++) {
		set_stay(u, order[i], true);
		ret = try(u);
		if (ret && ret != -ENOSPC)
			return ret;
		if (ret)
			set_stay(u, order[i], false);
	}
	return count && count <= MAX_CHOICES && u->moved_bytes ?
	       try_sets(u, order, (unsigned int)count, open) : 0;
}

static int update(struct update *u, size_t *order, bool *out, struct choice *open)
{
	size_t count, i;
	int ret;

	for (i = 0; i < u->problem->num_items; i++) {
		const struct loom_place_item *item = &u->items[i];

		u->can_stay[i] = u->before[i] != LOOMPLACE_FREE && !item->flags &&
				 item->size_bytes && u->before[i] <= u->pool.capacity_bytes &&
				 item->size_bytes <= u->pool.capacity_bytes - u->before[i] &&
				 (!item->align_bytes || !(u->before[i] % item->align_bytes));
	}
	count = by_size(u, order, false);
	for (i = 0; i < count; i++) {
		set_stay(u, order[i], true);
		if (is_in_the_way(u, order[i]))
			set_stay(u, order[i], false);
	}
	do {
		ret = try(u);
	} while (ret == -ENOSPC && release_more(u, out));
	return ret ? ret : move_less(u, order, open);
}

static int finish(const struct update *u, int ret, uint64_t *offsets, uint64_t *moved_bytes,
		  struct loomplace_answer *answer)
{
	const size_t n = u->problem->num_items;

	if (ret == -ENOMEM)
		return place_fail(answer, ret, "out of memory");
	/* all are free by now: without a placement, this one has the reason */
	ret = ret ? loomplace_place(u->problem, u->offsets, answer) :
		    loomplace_check(u->problem, u->offsets, answer);
	if (ret)
		return ret;
	if (n)
		memcpy(offsets, u->offsets, n * sizeof(*offsets));
	if (moved_bytes)
		*moved_bytes = bytes_moved(u, u->offsets);
	return 0;
}

int loomplace_update(const struct loomplace_problem *problem, const uint64_t *before,
		     uint64_t *offsets, uint64_t *moved_bytes, struct loomplace_answer *answer)
{
	struct update u = { .problem = problem, .before = before, .moved_bytes = UINT64_MAX };
	const struct loomplace_memory *outer;
	int ret = place_check_problem(problem, offsets, answer), saved = errno;
	struct choice *open;
	size_t *order, n;
	bool *out;

	if (!ret && (!problem->capacity_bytes || (problem->num_items && !before)))
		ret = place_fail(answer, -EINVAL, "an update needs a capacity and offsets before");
	if (!ret && place_has_gaps(problem))
		ret = place_fail(answer, -EINVAL, "an update takes no items with gaps");
	if (ret)
		return ret;
	n = problem->num_items + 1;
	outer = place_memory_use(problem->memory);
	u.items = place_make_items(problem);
	u.can_stay = calloc(n, sizeof(*u.can_stay));
	u.offsets = calloc(n, sizeof(*u.offsets));
	order = calloc(n, sizeof(*order));
	out = calloc(n, sizeof(*out));
	open = calloc(2 * MAX_TRIES, sizeof(*open));
	u.pool.capacity_bytes = problem->capacity_bytes;
	u.inner = (struct loom_place_problem){
		.items = u.items, .num_items = (uint32_t)problem->num_items, .pools = &u.pool,
		.num_pools = 1,
	};
	ret = -ENOMEM;
	if (u.items && u.can_stay && u.offsets && order && out && open)
		ret = update(&u, order, out, open);
	ret = finish(&u, ret, offsets, moved_bytes, answer);
	free(u.items);
	free(u.can_stay);
	free(u.offsets);
	free(order);
	free(out);
	free(open);
	place_memory_use(outer);
	errno = saved;
	return ret;
}
