/* SPDX-License-Identifier: MIT */
/*
 * The layer of greedy parts: placing items one by one into gaps. Used by the greedy strategies, by
 * the choice of pools and by the reduction of conflicts. See greedy.c for the
 * engine, free.c for many items alive at once, order.c for static orders.
 */
#ifndef LOOM_PLACE_GREEDY_H
#define LOOM_PLACE_GREEDY_H

#include "problem.h"
#include "radix.h"

#define LOOM_GREEDY_LEVELS	8

/* Place of a part of an item. */
struct loom_greedy_slot {
	int64_t upper;			/* its end; INT64_MIN if it is not placed */
	int64_t begin;			/* its first byte */
	int64_t end;			/* first byte behind it */
};

/* The state of a run. */
struct loom_greedy {
	const struct loom_place_task *task;	/* the problem */
	struct loom_arrays arrays;		/* arrays by item, part and position */
	uint64_t *offsets;			/* by item: its offset, once placed */
	bool *placed;				/* by item */
	/* by item: number of its first part (profile.h); one more entry at the end */
	uint32_t *first_part;
	uint32_t *rank;				/* by part: its position in order of begin */
	int64_t *lowers;			/* by position: begin */
	struct loom_greedy_slot *slots;		/* by position */
	/* by level, by group of 16 of the level below: the latest end of a placed part in it */
	int64_t *latest[LOOM_GREEDY_LEVELS];
	unsigned int num_levels;		/* number of @latest */
	struct loom_place_apart apart;		/* pairs that must be kept apart */
	/*
	 * spans of offsets at which the current item must not begin: it may at the key or lower,
	 * and at the value or higher
	 */
	struct loom_radix sort;
	struct loom_free *free;		/* used instead of slots, or NULL */
};

/** loom_greedy_init() - 0, then loom_greedy_fini(), or -ENOMEM; @remove: some items will be */
int loom_greedy_init(struct loom_greedy *greedy, const struct loom_place_task *task, bool remove);
/** loom_greedy_fini() - frees what @greedy holds */
void loom_greedy_fini(struct loom_greedy *greedy);
/** loom_greedy_reset() - removes all items but those that are fixed */
void loom_greedy_reset(struct loom_greedy *greedy);
/** loom_greedy_put() - places @item at @offset, which must be free */
void loom_greedy_put(struct loom_greedy *greedy, uint32_t item, uint64_t offset);
/** loom_greedy_remove() - removes @item */
void loom_greedy_remove(struct loom_greedy *greedy, uint32_t item);
/** loom_greedy_find_spans() - fills in @greedy's spans for @item, sorted. 0 or -ENOMEM */
int loom_greedy_find_spans(struct loom_greedy *greedy, uint32_t item);
/**
 * loom_greedy_next() - the next range of offsets that are free, after loom_greedy_find_spans()
 * @greedy: the state
 * @align_bytes: of the item
 * @at: [in, out] index of the span to continue with; 0 at first
 * @first: [in, out] lowest offset; 0 at first
 * @last: [out] highest offset, not below @first; INT64_MAX behind the last span
 *
 * To continue, the caller must pass @at and @first as they were returned.
 *
 * Return: true; false if offsets would leave 63 bits.
 */
bool loom_greedy_next(const struct loom_greedy *greedy, uint64_t align_bytes, size_t *at,
		      uint64_t *first, uint64_t *last);
/** loom_greedy_lowest() - the lowest free offset of @item. 0, -ERANGE or -ENOMEM */
int loom_greedy_lowest(struct loom_greedy *greedy, uint32_t item, uint64_t *offset);
/** loom_greedy_tightest() - the free offset of @item with the least rest of its gap, or the top */
int loom_greedy_tightest(struct loom_greedy *greedy, uint32_t item, uint64_t *offset);

/** typedef loom_greedy_find - rule that selects a gap, such as loom_greedy_lowest() */
typedef int (*loom_greedy_find)(struct loom_greedy *greedy, uint32_t item, uint64_t *offset);
/**
 * loom_greedy_run() - reset and place all in @order
 * @greedy: the engine
 * @order: the order
 * @find: the rule
 * @below: stop with -ERANGE once an item ends there or above; LOOM_PLACE_ANYWHERE: never
 *
 * Return: 0, -ERANGE or -ENOMEM.
 */
int loom_greedy_run(struct loom_greedy *greedy, const uint32_t *order, loom_greedy_find find,
		    uint64_t below);

/** loom_greedy_random() - a number below @below; the same sequence from the same @state */
static inline uint32_t loom_greedy_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33) % below;
}

/** typedef loom_place_order - fills in a static order of all items. 0 or -ENOMEM */
typedef int loom_place_order(const struct loom_place_problem *problem, uint32_t *order);

loom_place_order loom_place_order_size;
loom_place_order loom_place_order_area;
loom_place_order loom_place_order_breadth;
loom_place_order loom_place_order_overlaps;
loom_place_order loom_place_order_life;
loom_place_order loom_place_order_total;
loom_place_order loom_place_order_tail;

/** loom_place_order_by_alignment() - sorts an order by alignment, the largest first, stably */
int loom_place_order_by_alignment(const struct loom_place_problem *problem, uint32_t *order);
/** loom_place_count_overlaps() - pairs in sorted events; adds those of each to @overlaps if any */
uint64_t loom_place_count_overlaps(const struct loom_radix *events, uint32_t *overlaps);
/** loom_place_count_pairs() - number of pairs that overlap in time: the visits of a run */
int loom_place_count_pairs(const struct loom_place_problem *problem, uint64_t *pairs);
/** loom_place_greedy() - one run into answer->offsets. 0, -ERANGE or -ENOMEM */
int loom_place_greedy(const struct loom_place_task *task, loom_place_order *order,
		      loom_greedy_find find, struct loom_place_answer *answer);

/* free.c */

/** loom_free_pays() - says whether it is faster than slots, with @pairs in all */
static inline bool loom_free_pays(size_t num_items, uint64_t pairs)
{
	return num_items >= 10000 && pairs / 1000 > num_items;
}

/** loom_free_create() - of a problem without gaps; NULL: slots are better, or no memory */
struct loom_free *loom_free_create(const struct loom_place_problem *problem);
/** loom_free_destroy() - frees @f, which may be NULL */
void loom_free_destroy(struct loom_free *f);
/** loom_free_reset() - removes all items */
void loom_free_reset(struct loom_free *f);
/** loom_free_put() - places @item at @offset */
void loom_free_put(struct loom_free *f, uint32_t item, uint64_t offset);
/** loom_free_find() - prepares leaps of @item, and adds spans that these ignore. 0 or -ENOMEM */
int loom_free_find(struct loom_free *f, uint32_t item, struct loom_radix *spans);
/** loom_free_leap() - raises @first to a free offset, true if it was none; lowers @last with it */
bool loom_free_leap(struct loom_free *f, uint64_t *first, uint64_t *last);

#endif /* LOOM_PLACE_GREEDY_H */
