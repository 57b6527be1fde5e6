// SPDX-License-Identifier: MIT
/* Limits of strategies, and calls of strategies, whose answers are verified. */
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>

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

/* Verifies that the answer of a strategy is a placement of its task. */
static int check_answer(const struct loom_place_problem *given, uint64_t *offsets)
{
	struct loom_place_problem alone = *given;
	struct loom_place_item *items;
	uint32_t i;
	int ret;

	items = calloc((size_t)given->num_items + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	for (i = 0; i < given->num_items; i++) {
		items[i] = given->items[i];
		/* the task has one pool, whose number was another in the whole problem */
		items[i].pools = 0;
		if (loom_place_is_alias(&items[i]))
			offsets[i] = offsets[items[i].alias] + items[i].alias_offset;
		else if (!items[i].size_bytes)
			offsets[i] = loom_place_is_fixed(&items[i]) ? items[i].fixed : 0;
	}
	alone.items = items;
	ret = loom_place_check(&alone, offsets, NULL, NULL);
	free(items);
	return ret == -EBADMSG ? -EINVAL : ret;
}

int loom_place_call(const struct loom_place_strategy *strategy, const struct loom_place_task *task,
		    struct loom_place_answer *answer)
{
	int ret;

	ret = strategy->place(task, answer);
	if (ret || !(strategy->limits & LOOM_PLACE_NEEDS_OPS))
		return ret;
	return check_answer(&task->problem, answer->offsets);
}
