/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_COUNTED_H
#define LOOM_TESTS_COUNTED_H

/* Apart from outcome.h: the engine's header and that of batches have a struct of the same name. */
#include "loom_engine.h"
#include "outcome.h"

/* Whether the engine's counts for the plan, made without computing, are the promised ones. */
static inline bool outcome_counts(const struct loom_program *program,
				  const struct drm_loom_chip *chip)
{
	struct drm_loom_counters counted;
	struct drm_loom_reject reject;
	struct loom_plan *plan;

	if (loom_native_plan_create(program->plan, program->plan_bytes, chip, &plan, &reject))
		return false;
	loom_engine_count(plan, &counted);
	loom_plan_destroy(plan);
	return is_promise(program, counted);
}

#endif /* LOOM_TESTS_COUNTED_H */
