/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PLAN_WORK_H
#define LOOM_TESTS_PLAN_WORK_H

#include "plan_builder.h"
#include "tap.h"
#include "verify/verify.h"

/* Units of work that the verifier does for a plan, which has to be accepted; @pb is used up. */
static inline u64 plan_work(struct plan_builder *pb, const struct drm_loom_chip *chip)
{
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	struct loom_work work;
	u64 size;
	void *blob = pb_blob(pb, &size);

	pb_fini(pb);
	if (loom_plan_create_counted(blob, size, chip, &plan, &reject, &work))
		tap_fatal("refused for %s", loom_rule_name(reject.rule));
	loom_plan_destroy(plan);
	pb_free(blob);
	return work.done;
}

#endif /* LOOM_TESTS_PLAN_WORK_H */
