// SPDX-License-Identifier: MIT
/* One after the other, as if all items lived forever: the baseline of the other strategies. */
#include "greedy.h"
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_core.h"

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	const struct loom_place_problem *problem = &task->problem;
	struct loom_greedy g;
	uint64_t top = 0;
	uint32_t i;
	int ret;

	/* the engine finds offsets above the top that avoid fixed items and excluded ranges */
	ret = loom_greedy_init(&g, task);
	if (ret)
		return ret;
	loom_greedy_reset(&g);
	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    loom_place_is_fixed(&problem->items[i]))
			top = max(top, problem->items[i].fixed + problem->items[i].size_bytes);
	for (i = 0; i < problem->num_items && !ret; i++) {
		const struct loom_place_item *item = &problem->items[i];
		uint64_t first = top, last;
		size_t at = 0;

		if (!loom_place_has_room(item))
			continue;
		if (loom_place_is_fixed(item)) {
			answer->offsets[i] = item->fixed;
			continue;
		}
		ret = loom_greedy_look(&g, i);
		if (!ret && (!loom_greedy_next(&g, item->align_bytes, &at, &first, &last) ||
			     first > INT64_MAX - item->size_bytes))
			ret = -ERANGE;
		answer->offsets[i] = first;
		top = first + item->size_bytes;
	}
	loom_greedy_fini(&g);
	return ret;
}

const struct loom_place_strategy loom_place_strategy_naive = {
	.name = "naive",
	.text = "one after the other, nothing is reused",
	.place = place,
};
