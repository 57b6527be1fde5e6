// SPDX-License-Identifier: MIT
/* Strategies that are one greedy run: an order of the items and a rule which gap to take. */
#include "greedy.h"
#include "strategy.h"

static int place_by_size(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_size, loom_greedy_lowest, answer);
}

const struct loom_place_strategy loom_place_strategy_greedy_size = {
	.name = "greedy-size",
	.text = "largest first, each into the lowest gap that fits",
	.place = place_by_size,
};

static int place_by_area(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_area, loom_greedy_lowest, answer);
}

const struct loom_place_strategy loom_place_strategy_greedy_area = {
	.name = "greedy-area",
	.text = "largest size times lifetime first, each into the lowest gap that fits",
	.place = place_by_area,
};

static int place_by_breadth(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_breadth, loom_greedy_lowest, answer);
}

const struct loom_place_strategy loom_place_strategy_greedy_breadth = {
	.name = "greedy-breadth",
	.text = "what lives when most is alive first, each into the lowest gap that fits",
	.place = place_by_breadth,
};

static int place_by_overlaps(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_overlaps, loom_greedy_lowest, answer);
}

const struct loom_place_strategy loom_place_strategy_greedy_conflict = {
	.name = "greedy-conflict",
	.text = "what overlaps most others in time first, each into the lowest gap that fits",
	.place = place_by_overlaps,
};

/* The other later form of the GMEM planner: see DOC: GMEM, fit first. */
static int place_tightest(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_size, loom_greedy_tightest, answer);
}

const struct loom_place_strategy loom_place_strategy_gmem_opsize = {
	.name = "gmem-opsize",
	.text = "largest first, each into the tightest gap that fits",
	.place = place_tightest,
};
