// SPDX-License-Identifier: MIT
/* Limits of strategies, and calls of strategies, whose answers are verified. */
#include "strategy.h"

#include <errno.h>

const char *loom_place_refusal(const struct loom_place_strategy *strategy,
			       const struct loom_place_problem *problem)
{
	unsigned int limits = strategy->limits;
	uint32_t i;

	if (limits & LOOM_PLACE_NEEDS_OPS && !problem->ops)
		return "needs operators";
	if (limits & LOOM_PLACE_NO_APART && problem->num_apart)
		return "cannot keep pairs apart";
	for (i = 0; i < problem->num_items; i++) {
		if (limits & LOOM_PLACE_NO_FIXED &&
		    loom_place_is_fixed(&problem->items[i]))
			return "cannot do fixed offsets";
		if (limits & LOOM_PLACE_NO_EXCLUDED && problem->items[i].num_excluded)
			return "cannot do excluded ranges";
	}
	return NULL;
}

int loom_place_call(const struct loom_place_strategy *strategy, const struct loom_place_task *task,
		    struct loom_place_answer *answer)
{
	int ret = strategy->place(task, answer);

	if (ret || !(strategy->limits & LOOM_PLACE_NEEDS_OPS))
		return ret;
	ret = loom_place_sweep(&task->problem, answer->offsets, NULL, false, NULL);
	return ret == -EBADMSG ? -EINVAL : ret;
}
