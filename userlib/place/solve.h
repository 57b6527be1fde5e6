/* SPDX-License-Identifier: MIT */
/* The layer of the exact search, which "exact" and "auto" call. See DOC: The solver. */
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

#endif /* LOOM_PLACE_SOLVE_H */
