/* SPDX-License-Identifier: MIT */
/*
 * Greedy placing as anybody would write it, to compare with: items in some order, each into the
 * first or the tightest gap between those placed before that are alive with it. It shares nothing
 * with the library, looks at all pairs, and knows sizes, lifetimes and alignments only.
 */
#ifndef LOOM_TESTS_PLACE_ORDERS_H
#define LOOM_TESTS_PLACE_ORDERS_H

#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "loom_place.h"

/* What items are sorted by, the largest first. */
enum orders_key {
	ORDERS_SIZE,
	ORDERS_LIFE,
	ORDERS_AREA,
	/* the most bytes that are alive at a moment of its life */
	ORDERS_BREADTH,
	/* all bytes that are alive in its life, times how long */
	ORDERS_SECTIONS,
	/* how many others are alive in its life */
	ORDERS_OTHERS,
	/* the earliest, and what ends last */
	ORDERS_BEGIN,
	ORDERS_TAIL,
	ORDERS_KEYS,
};

/* By what, and what is equal in that; what is equal in both: the earliest. */
struct orders_rule {
	const char *name;
	enum orders_key first;
	enum orders_key second;
};

static const struct orders_rule orders_rules[] = {
	{ "size", ORDERS_SIZE, ORDERS_LIFE },
	{ "size, breadth", ORDERS_SIZE, ORDERS_BREADTH },
	{ "area", ORDERS_AREA, ORDERS_SIZE },
	{ "life, size", ORDERS_LIFE, ORDERS_SIZE },
	{ "life, area", ORDERS_LIFE, ORDERS_AREA },
	{ "life, breadth", ORDERS_LIFE, ORDERS_BREADTH },
	{ "life, sections", ORDERS_LIFE, ORDERS_SECTIONS },
	{ "breadth, size", ORDERS_BREADTH, ORDERS_SIZE },
	{ "breadth, life", ORDERS_BREADTH, ORDERS_LIFE },
	{ "breadth, area", ORDERS_BREADTH, ORDERS_AREA },
	{ "breadth, sections", ORDERS_BREADTH, ORDERS_SECTIONS },
	{ "breadth, begin", ORDERS_BREADTH, ORDERS_BEGIN },
	{ "sections", ORDERS_SECTIONS, ORDERS_SIZE },
	{ "others, size", ORDERS_OTHERS, ORDERS_SIZE },
	{ "others, area", ORDERS_OTHERS, ORDERS_AREA },
	{ "begin, size", ORDERS_BEGIN, ORDERS_SIZE },
	{ "begin, life", ORDERS_BEGIN, ORDERS_LIFE },
	{ "tail, size", ORDERS_TAIL, ORDERS_SIZE },
	{ "tail, life", ORDERS_TAIL, ORDERS_LIFE },
};

enum orders_fit {
	ORDERS_FIRST_FIT,
	/* the least left in the gap, and the same with the pad below the item */
	ORDERS_BEST_FIT,
	ORDERS_TIGHTEST,
	ORDERS_FITS,
};

static const char *const orders_fit_names[ORDERS_FITS] = {
	"first fit", "best fit", "tightest gap",
};

/**
 * struct orders_way - one of all orders
 * @rule: index into orders_rules
 * @fit: into which gap
 * @aligned: what is aligned to most comes first
 * @backward: with the last moment as the first
 */
struct orders_way {
	unsigned int rule;
	enum orders_fit fit;
	bool aligned;
	bool backward;
};

struct orders_entry {
	double keys[3];
	int64_t ties[4];
	uint32_t row;
};

/* Something that is placed. */
struct orders_placed {
	uint64_t begin;
	uint64_t end;
	int64_t lower;
	int64_t upper;
};

/**
 * struct orders - memory for all runs over a problem
 * @items: the problem
 * @num_items: number of @items
 * @first: by item: index of its first other in @others; one more entry at the end
 * @others: what is alive together with it
 * @keys: by item, by key; without those that depend on the direction of time
 * @entries: to be sorted
 * @placed: what is placed, the lowest first
 * @num_placed: number of @placed
 */
struct orders {
	const struct loom_place_item *items;
	uint32_t num_items;
	uint32_t *first;
	uint32_t *others;
	double (*keys)[ORDERS_KEYS];
	struct orders_entry *entries;
	struct orders_placed *placed;
	uint32_t num_placed;
};

static inline bool orders_meet(const struct loom_place_item *a, const struct loom_place_item *b)
{
	return a->lower < b->upper && b->lower < a->upper;
}

static inline void orders_find_keys(struct orders *orders, uint32_t i)
{
	const struct loom_place_item *items = orders->items, *own = &items[i];
	double life = (double)(own->upper - own->lower), size = (double)own->size_bytes;
	double *keys = orders->keys[i];
	uint32_t k, other;

	keys[ORDERS_SIZE] = size;
	keys[ORDERS_LIFE] = life;
	keys[ORDERS_AREA] = size * life;
	keys[ORDERS_OTHERS] = orders->first[i + 1] - orders->first[i];
	keys[ORDERS_SECTIONS] = size * life;
	/* for now, what is alive when it begins */
	keys[ORDERS_BREADTH] = size;
	for (k = orders->first[i]; k < orders->first[i + 1]; k++) {
		int64_t from, to;

		other = orders->others[k];
		size = (double)items[other].size_bytes;
		from = items[other].lower > own->lower ? items[other].lower : own->lower;
		to = items[other].upper < own->upper ? items[other].upper : own->upper;
		keys[ORDERS_SECTIONS] += size * (double)(to - from);
		if (items[other].lower <= own->lower)
			keys[ORDERS_BREADTH] += size;
	}
}

/* The broadest moment of a life is when it begins, or when another begins in it. */
static inline void orders_find_breadth(struct orders *orders)
{
	double *loads = calloc(orders->num_items + 1, sizeof(*loads));
	uint32_t i, k, other;

	if (!loads)
		exit(1);
	for (i = 0; i < orders->num_items; i++)
		loads[i] = orders->keys[i][ORDERS_BREADTH];
	for (i = 0; i < orders->num_items; i++) {
		double *most = &orders->keys[i][ORDERS_BREADTH];

		for (k = orders->first[i]; k < orders->first[i + 1]; k++) {
			other = orders->others[k];
			if (orders->items[other].lower >= orders->items[i].lower &&
			    loads[other] > *most)
				*most = loads[other];
		}
	}
	free(loads);
}

static inline void orders_init(struct orders *orders, const struct loom_place_item *items,
			       uint32_t num_items)
{
	size_t pairs = 0, n = (size_t)num_items + 1;
	uint32_t i, k;

	*orders = (struct orders){ .items = items, .num_items = num_items };
	for (i = 0; i < num_items; i++)
		for (k = 0; k < num_items; k++)
			pairs += k != i && orders_meet(&items[i], &items[k]);
	orders->first = calloc(n, sizeof(*orders->first));
	orders->others = calloc(pairs + 1, sizeof(*orders->others));
	orders->keys = calloc(n, sizeof(*orders->keys));
	orders->entries = calloc(n, sizeof(*orders->entries));
	orders->placed = calloc(n, sizeof(*orders->placed));
	if (!orders->first || !orders->others || !orders->keys || !orders->entries ||
	    !orders->placed)
		exit(1);
	for (i = 0, pairs = 0; i < num_items; i++) {
		for (k = 0; k < num_items; k++)
			if (k != i && orders_meet(&items[i], &items[k]))
				orders->others[pairs++] = k;
		orders->first[i + 1] = (uint32_t)pairs;
		orders_find_keys(orders, i);
	}
	orders_find_breadth(orders);
}

static inline void orders_fini(struct orders *orders)
{
	free(orders->first);
	free(orders->others);
	free(orders->keys);
	free(orders->entries);
	free(orders->placed);
}

static inline int orders_compare(const void *a, const void *b)
{
	const struct orders_entry *x = a, *y = b;
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (x->keys[i] != y->keys[i])
			return x->keys[i] > y->keys[i] ? -1 : 1;
	for (i = 0; i < 4; i++)
		if (x->ties[i] != y->ties[i])
			return x->ties[i] < y->ties[i] ? -1 : 1;
	return 0;
}

static inline double orders_key(const struct orders *orders, uint32_t i, enum orders_key key,
				bool backward)
{
	const struct loom_place_item *item = &orders->items[i];

	if (key == ORDERS_BEGIN)
		return backward ? (double)item->upper : -(double)item->lower;
	if (key == ORDERS_TAIL)
		return backward ? -(double)item->lower : (double)item->upper;
	return orders->keys[i][key];
}

static inline void orders_sort(struct orders *orders, struct orders_way way)
{
	const struct orders_rule *rule = &orders_rules[way.rule];
	uint32_t i;

	for (i = 0; i < orders->num_items; i++) {
		const struct loom_place_item *item = &orders->items[i];

		orders->entries[i] = (struct orders_entry){
			.keys = {
				way.aligned ? (double)item->align_bytes : 0,
				orders_key(orders, i, rule->first, way.backward),
				orders_key(orders, i, rule->second, way.backward),
			},
			.ties = {
				way.backward ? -item->upper : item->lower,
				way.backward ? -item->lower : item->upper,
				(int64_t)item->size_bytes, (int64_t)item->align_bytes,
			},
			.row = i,
		};
	}
	qsort(orders->entries, orders->num_items, sizeof(*orders->entries), orders_compare);
}

static inline uint64_t orders_align(uint64_t offset, uint64_t align)
{
	return (offset + align - 1) / align * align;
}

/* Where @own goes, among what is placed. */
static inline uint64_t orders_find(const struct orders *orders, const struct loom_place_item *own,
				   enum orders_fit fit)
{
	uint64_t top = 0, best = LOOM_PLACE_ANYWHERE, least = UINT64_MAX, at, rest;
	uint32_t k;

	for (k = 0; k < orders->num_placed; k++) {
		const struct orders_placed *placed = &orders->placed[k];

		if (placed->lower >= own->upper || placed->upper <= own->lower)
			continue;
		at = orders_align(top, own->align_bytes);
		if (at + own->size_bytes <= placed->begin) {
			if (fit == ORDERS_FIRST_FIT)
				return at;
			rest = placed->begin - (fit == ORDERS_TIGHTEST ? top : at);
			if (rest < least) {
				least = rest;
				best = at;
			}
		}
		top = placed->end > top ? placed->end : top;
	}
	return best == LOOM_PLACE_ANYWHERE ? orders_align(top, own->align_bytes) : best;
}

static inline void orders_put(struct orders *orders, const struct loom_place_item *own,
			      uint64_t offset)
{
	uint32_t low = 0, high = orders->num_placed;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (orders->placed[mid].begin < offset)
			low = mid + 1;
		else
			high = mid;
	}
	memmove(&orders->placed[low + 1], &orders->placed[low],
		(orders->num_placed - low) * sizeof(*orders->placed));
	orders->placed[low] = (struct orders_placed){
		offset, offset + own->size_bytes, own->lower, own->upper,
	};
	orders->num_placed++;
}

/* The height that @way makes. */
static inline uint64_t orders_run(struct orders *orders, struct orders_way way)
{
	uint64_t height = 0, offset;
	uint32_t k;

	orders_sort(orders, way);
	orders->num_placed = 0;
	for (k = 0; k < orders->num_items; k++) {
		const struct loom_place_item *own = &orders->items[orders->entries[k].row];

		offset = orders_find(orders, own, way.fit);
		orders_put(orders, own, offset);
		if (offset + own->size_bytes > height)
			height = offset + own->size_bytes;
	}
	return height;
}

/* The next way after @way, or false if there is none. The first is all zeroes. */
static inline bool orders_next(struct orders_way *way)
{
	way->backward = !way->backward;
	if (way->backward)
		return true;
	way->aligned = !way->aligned;
	if (way->aligned)
		return true;
	if (++way->fit < ORDERS_FITS)
		return true;
	way->fit = ORDERS_FIRST_FIT;
	return ++way->rule < ARRAY_SIZE(orders_rules);
}

#endif /* LOOM_TESTS_PLACE_ORDERS_H */
