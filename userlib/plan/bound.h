/* SPDX-License-Identifier: MIT */
/* The bottleneck of a group, from the cycles of its streams. */
#ifndef LOOM_PLAN_BOUND_H
#define LOOM_PLAN_BOUND_H

#include "loom_core.h"
#include "loom_program.h"

/** loom_bound_fill() - divides the cycles of a group by bottleneck; sets its bound */
void loom_bound_fill(struct loom_program_group *group);

#endif /* LOOM_PLAN_BOUND_H */
