// SPDX-License-Identifier: MIT
/*
 * DOC: Small problems
 *
 * The arenas of most networks are placed at the lower bound by one of a few greedy orders. For
 * these, validation, canonical forms and allocation take longer than the placement. Here, the
 * moments of a problem become ranks, so that lifetimes are pairs of 32-bit numbers, and an order is
 * abandoned as soon as an item ends above the bound (or the capacity): only a placement that needs
 * no search is kept. The caller must place all other problems by loom_place().
 *
 * An item is placed by a pass over the placed items in the order of their offsets, without branches
 * that depend on whether two items meet in time. This is quadratic, so the size is limited.
 */
#include "quick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "memory.h"

#define MAX_ITEMS	4096
/* runs that are sorted by insertion before they are merged */
#define RUN_KEYS	16
/* No offset exceeds the sum of sizes and alignments. */
#define MAX_SUM		(1ULL << 62)

struct key {
	uint64_t value;
	uint32_t item;
};

/**
 * struct life - a lifetime in ranks: positions in the order of the items by their begin
 * @from: the first item that begins with it
 * @to: the first item that begins when it has ended
 * @ended: how many items have ended when it begins
 */
struct life {
	uint32_t from;
	uint32_t to;
	uint32_t ended;
};

struct slot {
	uint64_t begin;
	uint64_t end;
	uint32_t from;
	uint32_t to;
};

/**
 * struct quick - a problem, and arrays of the workspace
 * @problem: the problem
 * @n: number of items
 * @keys: two times @n
 * @slots: placed items, in the order of their begin
 * @lives: by item
 * @offsets: by item
 * @live: a tree of the most live bytes: leaf @n + p is the moment at which item p of the order by
 *	begin begins
 * @by_size: items, the largest first
 * @order: items in the current order
 */
struct quick {
	const struct loomplace_problem *problem;
	uint32_t n;
	struct key *keys;
	struct slot *slots;
	struct life *lives;
	uint64_t *offsets;
	uint64_t *live;
	uint32_t *by_size;
	uint32_t *order;
};

/* --- sorting ---------------------------------------------------------------------------------- */

static void insert_keys(struct key *keys, uint32_t count)
{
	uint32_t i, k;

	for (i = 1; i < count; i++) {
		const struct key key = keys[i];

		for (k = i; k && keys[k - 1].value > key.value; k--)
			keys[k] = keys[k - 1];
		keys[k] = key;
	}
}

static void merge_keys(struct key *to, const struct key *a, const struct key *a_end,
		       const struct key *b, const struct key *b_end)
{
	while (a < a_end && b < b_end)
		*to++ = b->value < a->value ? *b++ : *a++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*a));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*b));
}

/* Sorts stably. Returns the sorted half of @keys, which has room for two times @n. */
static struct key *sort_keys(struct key *keys, uint32_t n)
{
	struct key *from = keys, *to = keys + n, *swap;
	uint32_t i, run = n <= 2 * RUN_KEYS ? n : RUN_KEYS;

	for (i = 0; i < n; i += run)
		insert_keys(keys + i, min(run, n - i));
	for (; run < n; run *= 2) {
		for (i = 0; i < n; i += 2 * run) {
			const uint32_t middle = min(i + run, n), end = min(i + 2 * run, n);

			merge_keys(to + i, from + i, from + middle, from + middle, from + end);
		}
		swap = from;
		from = to;
		to = swap;
	}
	return from;
}

/* --- orders ----------------------------------------------------------------------------------- */

/* The most bytes that are alive at a moment of the item's lifetime. */
static uint64_t breadth_of(const struct quick *q, uint32_t item)
{
	uint32_t from = q->lives[item].from + q->n, to = q->lives[item].to + q->n;
	uint64_t most = 0;

	for (; from < to; from /= 2, to /= 2) {
		if (from & 1)
			most = max(most, q->live[from++]);
		if (to & 1)
			most = max(most, q->live[--to]);
	}
	return most;
}

static uint64_t life_of(const struct quick *q, uint32_t item)
{
	return (uint64_t)q->problem->uppers[item] - (uint64_t)q->problem->lowers[item];
}

static uint64_t area_of(const struct quick *q, uint32_t item)
{
	uint64_t area;

	return __builtin_mul_overflow(q->problem->sizes[item], life_of(q, item), &area) ?
	       UINT64_MAX : area;
}

static uint64_t conflicts_of(const struct quick *q, uint32_t item)
{
	return q->lives[item].to - q->lives[item].ended;
}

/**
 * struct order - an order: by a number, the largest first
 * @of: the number; NULL: the size
 * @again: ties are in the order before, not by size
 */
struct order {
	uint64_t (*of)(const struct quick *q, uint32_t item);
	bool again;
};

static const struct order orders[] = {
	{ NULL, false },
	{ breadth_of, false },
	{ area_of, false },
	{ conflicts_of, false },
	{ life_of, false },
	{ breadth_of, true },
};

static void make_order(struct quick *q, const struct order *order)
{
	const uint32_t *before = order->again ? q->order : q->by_size;
	struct key *keys = q->keys;
	uint32_t i;

	if (!order->of) {
		memcpy(q->order, q->by_size, q->n * sizeof(*q->order));
		return;
	}
	for (i = 0; i < q->n; i++)
		keys[i] = (struct key){ ~order->of(q, before[i]), before[i] };
	keys = sort_keys(keys, q->n);
	for (i = 0; i < q->n; i++)
		q->order[i] = keys[i].item;
}

/* Places the items in the current order; false once one ends above @limit. */
static bool run_order(struct quick *q, uint64_t limit, uint64_t *height)
{
	const struct loomplace_problem *problem = q->problem;
	struct slot *slots = q->slots;
	uint32_t i, k, count = 0;

	*height = 0;
	for (i = 0; i < q->n; i++) {
		const uint32_t item = q->order[i];
		const struct life life = q->lives[item];
		const uint64_t size = problem->sizes[item];
		const uint64_t pad = problem->alignments && problem->alignments[item] ?
				     problem->alignments[item] - 1 : 0;
		uint64_t at = 0, end;

		q->offsets[item] = 0;
		if (!size)
			continue;
		for (k = 0; k < count; k++) {
			const bool meets = (slots[k].from < life.to) & (life.from < slots[k].to);

			if (meets & (slots[k].begin >= at + size))
				break;
			end = meets ? (slots[k].end + pad) & ~pad : 0;
			at = max(at, end);
		}
		if (at + size > limit)
			return false;
		q->offsets[item] = at;
		*height = max(*height, at + size);
		for (k = count++; k && slots[k - 1].begin > at; k--)
			slots[k] = slots[k - 1];
		slots[k] = (struct slot){ at, at + size, life.from, life.to };
	}
	return true;
}

/* --- the problem ------------------------------------------------------------------------------ */

static bool is_simple(const struct loomplace_problem *problem)
{
	uint64_t sum = 0, align;
	size_t i;

	if (problem->num_items > MAX_ITEMS)
		return false;
	for (i = 0; i < problem->num_items; i++) {
		align = problem->alignments ? problem->alignments[i] : 0;
		if (problem->lowers[i] >= problem->uppers[i] || problem->sizes[i] > MAX_SUM ||
		    align > MAX_SUM || (align & (align - 1)) ||
		    (problem->fixed && problem->fixed[i] != LOOMPLACE_FREE))
			return false;
		sum += problem->sizes[i] + align;
		if (sum > MAX_SUM)
			return false;
	}
	return true;
}

static void sort_sizes(struct quick *q, const uint32_t *by_begin)
{
	struct key *keys = q->keys;
	uint32_t i;

	for (i = 0; i < q->n; i++)
		keys[i] = (struct key){ ~q->problem->sizes[by_begin[i]], by_begin[i] };
	keys = sort_keys(keys, q->n);
	for (i = 0; i < q->n; i++)
		q->by_size[i] = keys[i].item;
}

/* Lifetimes in ranks, and the bytes that are alive; returns the most. */
static uint64_t sweep(struct quick *q)
{
	const uint64_t sign = 1ULL << 63;
	const uint64_t *sizes = q->problem->sizes;
	uint64_t *live = q->live + q->n, now = 0, most = 0;
	struct key *keys = q->keys;
	uint32_t p, ended = 0, from = 0;

	for (p = 0; p < q->n; p++)
		keys[p] = (struct key){ (uint64_t)q->problem->lowers[p] ^ sign, p };
	keys = sort_keys(keys, q->n);
	for (p = 0; p < q->n; p++)
		q->order[p] = keys[p].item;
	keys = q->keys;
	for (p = 0; p < q->n; p++)
		keys[p] = (struct key){ (uint64_t)q->problem->uppers[p] ^ sign, p };
	keys = sort_keys(keys, q->n);
	for (p = 0; p < q->n; p++) {
		const uint32_t item = q->order[p];
		const int64_t lower = q->problem->lowers[item];

		for (; q->problem->uppers[keys[ended].item] <= lower; ended++) {
			now -= sizes[keys[ended].item];
			q->lives[keys[ended].item].to = p;
		}
		if (p && q->problem->lowers[q->order[p - 1]] != lower)
			from = p;
		now += sizes[item];
		q->lives[item] = (struct life){ from, q->n, ended };
		live[p] = now;
		most = max(most, now);
	}
	return most;
}

static int reserve(struct loomplace_workspace *workspace, size_t bytes)
{
	const struct loomplace_memory *before;

	if (bytes <= workspace->block_bytes)
		return 0;
	before = place_memory_use(workspace->memory.allocate ? &workspace->memory : NULL);
	free(workspace->block);
	workspace->block = malloc(bytes);
	place_memory_use(before);
	workspace->block_bytes = workspace->block ? bytes : 0;
	return workspace->block ? 0 : -ENOMEM;
}

int place_quick(const struct loomplace_problem *problem, struct loomplace_workspace *workspace,
		uint64_t *offsets, uint64_t *height, uint64_t *bound, bool *placed)
{
	const uint32_t n = (uint32_t)problem->num_items;
	struct quick q = { .problem = problem, .n = n };
	uint64_t limit;
	uint32_t i;
	int ret;

	*placed = false;
	if (!n || !is_simple(problem))
		return 0;
	ret = reserve(workspace, n * (2 * sizeof(*q.keys) + sizeof(*q.slots) + 3 * sizeof(*q.live) +
				      sizeof(*q.lives) + 2 * sizeof(*q.order)));
	if (ret)
		return ret;
	q.keys = workspace->block;
	q.slots = (struct slot *)(q.keys + 2 * n);
	q.offsets = (uint64_t *)(q.slots + n);
	q.live = q.offsets + n;
	q.lives = (struct life *)(q.live + 2 * n);
	q.by_size = (uint32_t *)(q.lives + n);
	q.order = q.by_size + n;
	*bound = sweep(&q);
	limit = max(*bound, problem->capacity_bytes);
	if (problem->capacity_bytes && limit > problem->capacity_bytes)
		return 0;
	sort_sizes(&q, q.order);
	for (i = 0; i < ARRAY_SIZE(orders) && !*placed; i++) {
		/* the second order is the first that needs the tree */
		if (i == 1)
			for (uint32_t k = n; k-- > 1;)
				q.live[k] = max(q.live[2 * k], q.live[2 * k + 1]);
		make_order(&q, &orders[i]);
		*placed = run_order(&q, limit, height);
	}
	if (*placed)
		memcpy(offsets, q.offsets, n * sizeof(*offsets));
	return 0;
}
