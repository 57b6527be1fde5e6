/* SPDX-License-Identifier: MIT */
/*
 * The floor of canonical problems: one form for all ways to write a problem down, so that neither
 * the order of its items nor the direction of its time changes how well it is placed.
 */
#ifndef LOOM_PLACE_CANONICAL_H
#define LOOM_PLACE_CANONICAL_H

#include "problem.h"

/**
 * struct loom_place_canonical - a problem in a canonical form
 * @task: the problem: items that have room, ascending by begin, end, size, and so on; no operators
 *	and no conflicts
 * @items: what @task points to
 * @gaps: what @items point to, where time is reversed
 * @apart: what @task points to
 * @hint: what @task points to
 * @global: by item: its number in the problem that was given
 */
struct loom_place_canonical {
	struct loom_place_task task;
	struct loom_place_item *items;
	struct loom_place_gap *gaps;
	struct loom_place_pair *apart;
	uint64_t *hint;
	uint32_t *global;
};

/**
 * loom_place_canonical_make() - sort a problem
 * @canonical: [out] clear with loom_place_canonical_clear(), on failure, too
 * @task: the problem
 * @backward: reverse time; a placement is one in both directions
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_canonical_make(struct loom_place_canonical *canonical,
			      const struct loom_place_task *task, bool backward);
/** loom_place_canonical_clear() - frees what @canonical holds */
void loom_place_canonical_clear(struct loom_place_canonical *canonical);
/** loom_place_canonical_is_before() - which of two directions of a problem is the canonical one */
bool loom_place_canonical_is_before(const struct loom_place_canonical *a,
				    const struct loom_place_canonical *b);

/**
 * loom_place_canonical_call() - place a problem in its canonical form
 * @place: what to call
 * @task: the problem
 * @answer: [in, out] as of a strategy
 *
 * Return: what @place returns, or -ENOMEM.
 */
int loom_place_canonical_call(int (*place)(const struct loom_place_task *task,
					   struct loom_place_answer *answer),
			      const struct loom_place_task *task,
			      struct loom_place_answer *answer);

#endif /* LOOM_PLACE_CANONICAL_H */
