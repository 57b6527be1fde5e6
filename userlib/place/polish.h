/* SPDX-License-Identifier: MIT */
/*
 * The floor of improvement: a placement of any number of items is made lower until the work is
 * spent, by dives (dive.h) and ejections (eject.h). See DOC: Improving large placements.
 */
#ifndef LOOM_PLACE_POLISH_H
#define LOOM_PLACE_POLISH_H

#include "loom_place.h"

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
