/* SPDX-License-Identifier: MIT */
/*
 * The floor of dives: placements made from the bottom up, valley by valley, of any number of items
 * in a time that is little more than linear. See DOC: Dives. It knows the public types only.
 */
#ifndef LOOM_PLACE_DIVE_H
#define LOOM_PLACE_DIVE_H

#include "loom_place.h"

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

#endif /* LOOM_PLACE_DIVE_H */
