/* SPDX-License-Identifier: MIT */
/*
 * Placing items one by one into what is free. The engine of all greedy strategies, of the spilling
 * to other pools and of the avoidance of conflicts. See greedy.c.
 */
#ifndef LOOM_PLACE_GREEDY_H
#define LOOM_PLACE_GREEDY_H

#include "place.h"

struct loom_place_part;

/**
 * struct loom_greedy_span - offsets at which an item must not begin
 * @after: at this or lower is fine
 * @until: at this or higher is fine
 */
struct loom_greedy_span {
	int64_t after;
	int64_t until;
};

#define LOOM_GREEDY_LEVELS	8

/**
 * struct loom_greedy_slot - where a part is, if it is placed
 * @upper: its end; INT64_MIN if it is not placed
 * @begin: its first byte
 * @end: first byte behind it
 */
struct loom_greedy_slot {
	int64_t upper;
	int64_t begin;
	int64_t end;
};

/**
 * struct loom_greedy - the state of a run
 * @task: what is to be placed
 * @offsets: by item: where, once placed
 * @placed: by item
 * @parts: items without their gaps
 * @first_part: by item: index of its first part; one more entry at the end
 * @rank: by part: its position in order of begin
 * @lowers: by position: begin
 * @slots: by position
 * @latest: by level, by group of 16 of the level below: the latest end of what is placed in it
 * @num_levels: number of @latest
 * @apart: who must not share a byte with whom
 * @spans: where the current item must not begin
 * @spare: room to sort them
 * @num_spans: number of @spans
 * @max_spans: room in @spans and @spare
 */
struct loom_greedy {
	const struct loom_place_task *task;
	uint64_t *offsets;
	bool *placed;
	struct loom_place_part *parts;
	uint32_t *first_part;
	uint32_t *rank;
	int64_t *lowers;
	struct loom_greedy_slot *slots;
	int64_t *latest[LOOM_GREEDY_LEVELS];
	unsigned int num_levels;
	struct loom_place_apart apart;
	struct loom_greedy_span *spans;
	struct loom_greedy_span *spare;
	size_t num_spans;
	size_t max_spans;
};

/** loom_greedy_init() - 0 or -ENOMEM; end with loom_greedy_fini() if it is 0 */
int loom_greedy_init(struct loom_greedy *greedy, const struct loom_place_task *task);
/** loom_greedy_fini() - frees what @greedy holds */
void loom_greedy_fini(struct loom_greedy *greedy);
/** loom_greedy_reset() - nothing is placed but what is fixed */
void loom_greedy_reset(struct loom_greedy *greedy);
/** loom_greedy_put() - @item is placed at @offset, which was found to be free */
void loom_greedy_put(struct loom_greedy *greedy, uint32_t item, uint64_t offset);
/** loom_greedy_take() - @item is not placed any more */
void loom_greedy_take(struct loom_greedy *greedy, uint32_t item);
/** loom_greedy_look() - fills in @greedy's spans for @item, sorted. 0 or -ENOMEM */
int loom_greedy_look(struct loom_greedy *greedy, uint32_t item);
/**
 * loom_greedy_next() - the next range of offsets that are free, after loom_greedy_look()
 * @greedy: the state
 * @align_bytes: of the item
 * @at: [in, out] index of the span to go on with; 0 at first
 * @first: [in, out] lowest offset; 0 at first
 * @last: [out] highest offset, not below @first; INT64_MAX behind the last span
 *
 * To go on, call again with what it left in @at and @first alone.
 *
 * Return: true; false where offsets leave 63 bits.
 */
bool loom_greedy_next(const struct loom_greedy *greedy, uint64_t align_bytes, size_t *at,
		      uint64_t *first, uint64_t *last);
/** loom_greedy_lowest() - the lowest free offset of @item. 0, -ERANGE or -ENOMEM */
int loom_greedy_lowest(struct loom_greedy *greedy, uint32_t item, uint64_t *offset);
/** loom_greedy_tightest() - the free offset of @item that leaves least of its gap, or the top */
int loom_greedy_tightest(struct loom_greedy *greedy, uint32_t item, uint64_t *offset);

/** loom_greedy_find - loom_greedy_lowest() and its kind */
typedef int (*loom_greedy_find)(struct loom_greedy *greedy, uint32_t item, uint64_t *offset);
/** loom_greedy_run() - reset and place all in @order. 0, -ERANGE or -ENOMEM */
int loom_greedy_run(struct loom_greedy *greedy, const uint32_t *order, loom_greedy_find find);

/**
 * struct loom_place_order - a static order
 * @name: of the greedy strategy that has it
 * @make: fills in an order of all items. 0 or -ENOMEM
 */
struct loom_place_order {
	const char *name;
	int (*make)(const struct loom_place_problem *problem, uint32_t *order);
};

extern const struct loom_place_order loom_place_order_size;
extern const struct loom_place_order loom_place_order_area;
extern const struct loom_place_order loom_place_order_breadth;
extern const struct loom_place_order loom_place_order_conflict;
extern const struct loom_place_order loom_place_order_life;

/** loom_place_count_pairs() - pairs of items that meet, each with itself, too. 0 or -ENOMEM */
int loom_place_count_pairs(const struct loom_place_problem *problem, uint64_t *pairs);
/** loom_place_greedy() - one run into answer->offsets. 0, -ERANGE or -ENOMEM */
int loom_place_greedy(const struct loom_place_task *task, const struct loom_place_order *order,
		      loom_greedy_find find, struct loom_place_answer *answer);

/**
 * loom_place_boxes() - place by size, but what has nearly the same lifetime as one
 * @task: the problem
 * @answer: [in, out] as of a strategy
 * @max_pairs: about how many pairs may be looked at
 *
 * Return: 0, -ERANGE or -ENOMEM.
 */
int loom_place_boxes(const struct loom_place_task *task, struct loom_place_answer *answer,
		     uint64_t max_pairs);

#endif /* LOOM_PLACE_GREEDY_H */
