/* SPDX-License-Identifier: MIT */
/*
 * The floor of improvement: a placement of any number of items is made lower until the work is
 * spent, by dives (from the bottom up, valley by valley, in a time that is little more than linear:
 * dive.c) and ejections (what lies highest is moved into the placement, and what is in the way
 * there elsewhere: eject.c), in turn (polish.c).
 */
#ifndef LOOM_PLACE_POLISH_H
#define LOOM_PLACE_POLISH_H

#include "loom_place.h"

/* dive.c */

struct loom_dive;

/** loom_dive_num_rules() - how many rules there are for what is laid into a valley */
unsigned int loom_dive_num_rules(void);

/**
 * loom_dive_create() - prepare dives
 * @items: no aliases, gaps, fixed offsets or excluded ranges; sizes and alignments above 0
 * @num_items: number of @items, not 0
 * @bound_bytes: no placement is lower
 * @dive: [out] free with loom_dive_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_dive_create(const struct loom_place_item *items, uint32_t num_items, uint64_t bound_bytes,
		     struct loom_dive **dive);
/** loom_dive_destroy() - frees dives; NULL is fine */
void loom_dive_destroy(struct loom_dive *dive);

/**
 * struct loom_dive_try - a dive and what came of it
 * @rule: which rule, below loom_dive_num_rules()
 * @seed: of its noise
 * @limit_bytes: given up as soon as it is known not to end below
 * @max_looks: given up after about so many looks; 0: never
 * @deadline_ns: given up then; 0: never
 * @height_bytes: [out] of the placement; LOOM_PLACE_ANYWHERE if it was given up
 * @left: [out] items that were not placed then
 * @looks: [out] looks at items and sections: what it cost
 * @late: [out] it was given up for its looks or its time
 */
struct loom_dive_try {
	unsigned int rule;
	uint64_t seed;
	uint64_t limit_bytes;
	uint64_t max_looks;
	int64_t deadline_ns;
	uint64_t height_bytes;
	uint32_t left;
	uint64_t looks;
	bool late;
};

/** loom_dive_run() - makes a placement, from nothing */
void loom_dive_run(struct loom_dive *dive, struct loom_dive_try *try);
/** loom_dive_offsets() - by item, of the last placement; valid if it was not given up */
const uint64_t *loom_dive_offsets(const struct loom_dive *dive);

/* eject.c */

struct loom_eject;

/**
 * struct loom_eject_problem - what is to be improved
 * @items: no aliases, gaps, fixed offsets or excluded ranges; sizes and alignments above 0;
 *	ascending by begin
 * @num_items: number of @items
 * @offsets: by item: a valid placement
 * @height_bytes: of it
 * @goal_bytes: nothing below is looked for
 */
struct loom_eject_problem {
	const struct loom_place_item *items;
	uint32_t num_items;
	const uint64_t *offsets;
	uint64_t height_bytes;
	uint64_t goal_bytes;
};

/**
 * loom_eject_create() - prepare to improve a placement
 * @problem: the problem; its items have to stay
 * @eject: [out] free with loom_eject_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_eject_create(const struct loom_eject_problem *problem, struct loom_eject **eject);
/** loom_eject_destroy() - frees it; NULL is fine */
void loom_eject_destroy(struct loom_eject *eject);
/** loom_eject_run() - go on for about @looks looks at items; [out] those left */
void loom_eject_run(struct loom_eject *eject, uint64_t *looks);
/** loom_eject_take() - go on from a lower placement that was found elsewhere */
void loom_eject_take(struct loom_eject *eject, const uint64_t *offsets, uint64_t height_bytes);
/** loom_eject_height() - of the lowest placement so far */
uint64_t loom_eject_height(const struct loom_eject *eject);
/** loom_eject_offsets() - the lowest placement so far, by item */
const uint64_t *loom_eject_offsets(const struct loom_eject *eject);

/* polish.c */

struct loom_polish;

/** loom_polish_can() - whether a problem is plain enough: sizes, lifetimes and alignments only */
bool loom_polish_can(const struct loom_place_item *items, uint32_t num_items, uint32_t num_apart);

/**
 * loom_polish_create() - begin to improve
 * @items: the items, ascending by begin; they have to stay
 * @num_items: number of @items
 * @goal_bytes: nothing below is looked for
 * @polish: [out] free with loom_polish_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_polish_create(const struct loom_place_item *items, uint32_t num_items,
		       uint64_t goal_bytes, struct loom_polish **polish);
/** loom_polish_destroy() - frees it; NULL is fine */
void loom_polish_destroy(struct loom_polish *polish);
/**
 * loom_polish_run() - go on
 * @polish: the state
 * @looks: [in, out] looks at items that it may make, about; those left. It stops when it is at the
 *	goal
 * @deadline_ns: when it has to stop, or 0; it does not while there is no placement
 * @offsets: [in, out] by item: the lowest placement known
 * @height_bytes: [in, out] of it, or LOOM_PLACE_ANYWHERE
 *
 * Return: 0 or -ENOMEM.
 */
int loom_polish_run(struct loom_polish *polish, uint64_t *looks, int64_t deadline_ns,
		    uint64_t *offsets, uint64_t *height_bytes);

#endif /* LOOM_PLACE_POLISH_H */
