/* SPDX-License-Identifier: MIT */
/* Nodes that a chip does not support. */
#ifndef LOOM_PLANNER_LACKS_H
#define LOOM_PLANNER_LACKS_H

#include "lower/lower.h"
#include "loom_chip.h"

/**
 * loom_lacks_check() - refuse a graph with a node that a chip does not support
 * @lower: its storage must be decided; no commands are written
 * @chip: the chip
 *
 * The error names the first node, the missing feature, and the number of other such nodes.
 *
 * Return: 0, -EOPNOTSUPP, or another -errno.
 */
int loom_lacks_check(struct loom_lower *lower, const struct drm_loom_chip *chip);

#endif /* LOOM_PLANNER_LACKS_H */
