/* SPDX-License-Identifier: MIT */
/*
 * The improvement layer: the exact search (DOC: The solver), and ejections (DOC: Ejection), which
 * lower a placement of any number of items.
 */
#ifndef LOOM_PLACE_SOLVE_H
#define LOOM_PLACE_SOLVE_H

#include "problem.h"

/**
 * loom_place_solve() - find a placement as low as possible, or one that fits
 * @task: the problem; items ascend by begin, and each has room
 * @answer: [in, out] a placement of @height_bytes, unless that is LOOM_PLACE_ANYWHERE; and a bound
 * @height_bytes: [in, out] the height; LOOM_PLACE_ANYWHERE: no placement is known
 *
 * If no placement exists, the bound is above the capacity. If the placement is optimal, the bound
 * is its height. The strategy of an answer that became lower is "exact".
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_solve(const struct loom_place_task *task, struct loom_place_answer *answer,
		     uint64_t *height_bytes);

/* eject.c */

struct loom_eject;

/** loom_eject_can() - whether no pair is kept apart, no range excluded, no gap has a window */
bool loom_eject_can(const struct loom_place_item *items, uint32_t num_items, uint32_t num_apart);

/**
 * loom_eject_create() - prepare to improve placements
 * @items: as loom_eject_can() demands, ascending by begin; they must outlive the ejections
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
/**
 * loom_eject_run() - continue improving, from a lower placement if one was found elsewhere
 * @eject: the state
 * @visits: [in, out] budget of visits of items, about; those left
 * @deadline_ns: when to stop, or 0
 * @offsets: [in, out] by item: the lowest placement known, as the call before left it if its height
 *	is the same
 * @height_bytes: [in, out] its height
 *
 * Return: 0 or -ENOMEM.
 */
int loom_eject_run(struct loom_eject *eject, uint64_t *visits, int64_t deadline_ns,
		   uint64_t *offsets, uint64_t *height_bytes);

#endif /* LOOM_PLACE_SOLVE_H */
