/* SPDX-License-Identifier: MIT */
/*
 * The improvement layer: lowers a placement of any number of items until the budget is spent, by
 * alternating (polish.c) dives (from the bottom up, valley by valley, in little more than linear
 * time: dive.c) and ejections (the highest item is moved down, and items in its way are moved
 * elsewhere: eject.c).
 */
#ifndef LOOM_PLACE_POLISH_H
#define LOOM_PLACE_POLISH_H

#include "loom_place.h"

/* dive.c */

struct loom_dive;

/** loom_dive_num_rules() - number of rules for filling a valley */
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
 * struct loom_dive_try - one dive and its result
 * @rule: index of the rule, below loom_dive_num_rules()
 * @seed: of its noise
 * @limit_bytes: stop as soon as the height cannot be below
 * @max_visits: stop after about as many visits; 0: never
 * @deadline_ns: stop at this time; 0: never
 * @height_bytes: [out] of the placement; LOOM_PLACE_ANYWHERE if it was stopped
 * @left: [out] items that were not placed then
 * @visits: [out] visits of items and sections, a measure of time
 * @late: [out] it was stopped by @max_visits or @deadline_ns
 */
struct loom_dive_try {
	unsigned int rule;
	uint64_t seed;
	uint64_t limit_bytes;
	uint64_t max_visits;
	int64_t deadline_ns;
	uint64_t height_bytes;
	uint32_t left;
	uint64_t visits;
	bool late;
};

/** loom_dive_run() - makes a placement, from nothing */
void loom_dive_run(struct loom_dive *dive, struct loom_dive_try *try);
/** loom_dive_offsets() - by item, of the last placement; valid if it was not given up */
const uint64_t *loom_dive_offsets(const struct loom_dive *dive);

/* eject.c */

struct loom_eject;

/**
 * loom_eject_create() - prepare to improve placements, the first given by loom_eject_reset()
 * @items: as of loom_dive_create(), ascending by begin; they must outlive the ejections
 * @num_items: number of @items
 * @goal_bytes: sufficient height: stop there
 * @eject: [out] free with loom_eject_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_eject_create(const struct loom_place_item *items, uint32_t num_items, uint64_t goal_bytes,
		      struct loom_eject **eject);
/** loom_eject_destroy() - frees it; NULL is fine */
void loom_eject_destroy(struct loom_eject *eject);
/** loom_eject_run() - continue for about @visits visits of items; [out] those left */
void loom_eject_run(struct loom_eject *eject, uint64_t *visits);
/** loom_eject_reset() - continue from a lower placement that was found elsewhere */
void loom_eject_reset(struct loom_eject *eject, const uint64_t *offsets, uint64_t height_bytes);
/** loom_eject_height() - of the lowest placement so far, or LOOM_PLACE_ANYWHERE */
uint64_t loom_eject_height(const struct loom_eject *eject);
/** loom_eject_offsets() - the lowest placement so far, by item */
const uint64_t *loom_eject_offsets(const struct loom_eject *eject);

/* polish.c */

struct loom_polish;

/** loom_polish_can() - whether a problem has sizes, lifetimes and alignments only */
bool loom_polish_can(const struct loom_place_item *items, uint32_t num_items, uint32_t num_apart);

/**
 * loom_polish_create() - begin to improve
 * @items: the items, ascending by begin; they must outlive @polish
 * @num_items: number of @items
 * @goal_bytes: sufficient height: stop there
 * @polish: [out] free with loom_polish_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_polish_create(const struct loom_place_item *items, uint32_t num_items,
		       uint64_t goal_bytes, struct loom_polish **polish);
/** loom_polish_destroy() - frees it; NULL is fine */
void loom_polish_destroy(struct loom_polish *polish);
/**
 * loom_polish_run() - continue improving
 * @polish: the state
 * @visits: [in, out] budget of visits, about; those left. It stops at the goal
 * @deadline_ns: when it must stop, or 0; ignored while there is no placement
 * @offsets: [in, out] by item: the lowest placement known
 * @height_bytes: [in, out] of it, or LOOM_PLACE_ANYWHERE
 *
 * Return: 0 or -ENOMEM.
 */
int loom_polish_run(struct loom_polish *polish, uint64_t *visits, int64_t deadline_ns,
		    uint64_t *offsets, uint64_t *height_bytes);

#endif /* LOOM_PLACE_POLISH_H */
