/* SPDX-License-Identifier: MIT */
/* What a group waits for most, from the cycles of its streams. */
#ifndef LOOM_PLAN_BOUND_H
#define LOOM_PLAN_BOUND_H

#include "loom_core.h"
#include "loom_program.h"

/** loom_bound_fill() - divides the cycles of a group by what they are waited for; sets its bound */
void loom_bound_fill(struct loom_program_group *group);

#endif /* LOOM_PLAN_BOUND_H */
