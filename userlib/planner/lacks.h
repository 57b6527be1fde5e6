/* SPDX-License-Identifier: MIT */
/* Which nodes a chip cannot do. */
#ifndef LOOM_PLANNER_LACKS_H
#define LOOM_PLANNER_LACKS_H

#include "lower/lower.h"
#include "loom_chip.h"

/**
 * loom_lacks_check() - refuses a graph of which a chip cannot do a node
 * @lower: whose storage is decided; nothing is written
 * @chip: the chip
 *
 * The error names the first node, what the chip has not, and how many others there are.
 *
 * Return: 0, -EOPNOTSUPP, or another -errno.
 */
int loom_lacks_check(struct loom_lower *lower, const struct drm_loom_chip *chip);

#endif /* LOOM_PLANNER_LACKS_H */
