/* SPDX-License-Identifier: MIT */
/*
 * The layer of strategies. Each is a file, which defines its &struct loom_place_strategy, declared
 * below, and a line of the table in strategies.c. Strategies use the greedy parts (greedy.h) and
 * the exact search (solve.h) below them. Only "auto" uses other strategies, and none uses the
 * table.
 */
#ifndef LOOM_PLACE_STRATEGY_H
#define LOOM_PLACE_STRATEGY_H

#include "problem.h"

/**
 * enum loom_place_limits - features that a strategy lacks; all support gaps and alignments
 * @LOOM_PLACE_NEEDS_OPS: work without operators
 * @LOOM_PLACE_NO_FIXED: fixed offsets
 * @LOOM_PLACE_NO_EXCLUDED: excluded ranges
 * @LOOM_PLACE_NO_APART: pairs that must be kept apart
 */
enum loom_place_limits {
	LOOM_PLACE_NEEDS_OPS	= 1 << 0,
	LOOM_PLACE_NO_FIXED	= 1 << 1,
	LOOM_PLACE_NO_EXCLUDED	= 1 << 2,
	LOOM_PLACE_NO_APART	= 1 << 3,
};

/* A strategy. */
struct loom_place_strategy {
	const char *name;				/* its name in options */
	const char *text;				/* description in one line */
	unsigned int limits;				/* enum loom_place_limits */
	/* loom_place_reduce_conflicts() must run on its placement */
	bool reduces_conflicts;
	/*
	 * assigns an offset to each item that is no alias and has a size. It may exceed the
	 * capacity. Return: 0; -ENOMEM; -ERANGE where offsets leave 63 bits; -EINVAL for operators
	 * that are inconsistent. Deterministic
	 */
	int (*place)(const struct loom_place_task *task, struct loom_place_answer *answer);
};

extern const struct loom_place_strategy loom_place_strategy_auto;
extern const struct loom_place_strategy loom_place_strategy_greedy_size;
extern const struct loom_place_strategy loom_place_strategy_greedy_area;
extern const struct loom_place_strategy loom_place_strategy_greedy_breadth;
extern const struct loom_place_strategy loom_place_strategy_greedy_conflict;
extern const struct loom_place_strategy loom_place_strategy_greedy_total;
extern const struct loom_place_strategy loom_place_strategy_greedy_life;
extern const struct loom_place_strategy loom_place_strategy_greedy_tail;
extern const struct loom_place_strategy loom_place_strategy_greedy_aligned;
extern const struct loom_place_strategy loom_place_strategy_exact;
extern const struct loom_place_strategy loom_place_strategy_gmem;
extern const struct loom_place_strategy loom_place_strategy_gmem_fitfirst;
extern const struct loom_place_strategy loom_place_strategy_gmem_opsize;
extern const struct loom_place_strategy loom_place_strategy_tokens;
extern const struct loom_place_strategy loom_place_strategy_tokens_2d;
extern const struct loom_place_strategy loom_place_strategy_tokens_2d_v1;
extern const struct loom_place_strategy loom_place_strategy_naive;

/* strategies.c */

/** loom_place_strategy_find() - by name; NULL: the default. NULL if there is no such strategy */
const struct loom_place_strategy *loom_place_strategy_find(const char *name);

/* strategy.c */

/** loom_place_refusal() - the feature of @problem that it lacks, for a message; or NULL */
const char *loom_place_refusal(const struct loom_place_strategy *strategy,
			       const struct loom_place_problem *problem);
/**
 * loom_place_call() - run a strategy
 * @strategy: the strategy
 * @task: the problem
 * @answer: [in, out] the placement
 *
 * A strategy that follows operators relies on them. If items live longer than the operators say,
 * its answer may not be a placement, so it is verified.
 *
 * Return: the strategy's return value, or -EINVAL if the answer is no placement.
 */
int loom_place_call(const struct loom_place_strategy *strategy, const struct loom_place_task *task,
		    struct loom_place_answer *answer);

#endif /* LOOM_PLACE_STRATEGY_H */
