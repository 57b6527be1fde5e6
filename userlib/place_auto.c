// SPDX-License-Identifier: MIT
/*
 * DOC: The default strategy
 *
 * The best of the greedy strategies, which is a valid answer at once and mostly one that is at the
 * bound, so that there is nothing left to do.
 */
#include "place_greedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

static const char *const starts[] = {
	"greedy-size", "greedy-breadth", "greedy-area", "greedy-conflict", "gmem",
	"hill-climb",
};

int loom_place_auto(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	const struct loom_place_problem *problem = &task->problem;
	size_t n = problem->num_items, i;
	uint64_t best = UINT64_MAX, height;
	struct loom_place_answer trial = { .bound_bytes = answer->bound_bytes };
	int ret = 0;

	trial.offsets = calloc(n + 1, sizeof(*trial.offsets));
	if (!trial.offsets)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(starts) && !ret && best > answer->bound_bytes; i++) {
		const struct loom_place_strategy *start = loom_place_strategy_find(starts[i]);

		if (!loom_place_allows(start, problem))
			continue;
		ret = start->place(task, &trial);
		if (ret)
			break;
		height = loom_place_height(problem, trial.offsets);
		if (height >= best)
			continue;
		best = height;
		answer->strategy = start->name;
		memcpy(answer->offsets, trial.offsets, n * sizeof(*trial.offsets));
	}
	free(trial.offsets);
	return ret;
}
