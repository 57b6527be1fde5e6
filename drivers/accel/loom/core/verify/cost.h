/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_VERIFY_COST_H
#define LOOM_VERIFY_COST_H

#include "loom_plan.h"

/* Cycles and energy of a command; without the clock they stay zero, and back ends report theirs. */
#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
#include "loom_clock.h"

static inline void loom_verify_cost(const struct drm_loom_chip *chip, struct loom_command *command)
{
	struct loom_clock_cost cost;

	loom_clock_command(chip, command, &cost);
	command->cycles = cost.cycles;
	command->energy_fj = cost.energy_fj;
}
#else
static inline void loom_verify_cost(const struct drm_loom_chip *chip, struct loom_command *command)
{
}
#endif

#endif /* LOOM_VERIFY_COST_H */
