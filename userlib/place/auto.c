// SPDX-License-Identifier: MIT
/*
 * DOC: The default strategy
 *
 * The greedy strategies run one after the other, the cheapest and most often best first, until one
 * reaches the lower bound, which proves it optimal. Most graphs end here, in microseconds.
 * Otherwise the greedy strategies run backwards in time, and then ejections and the exact search
 * (solve.h) start from the lowest placement. These accept problems of any size, never return a
 * higher placement, and raise the bound where they can.
 *
 * With more than one thread, all strategies but the first run in parallel (base/tasks.h). Answers
 * are examined in the sequential order, up to the first that is sufficient, so the result does not
 * depend on the number of threads.
 *
 * Every strategy gets the items in a canonical order (canonical.c), so the result does not depend
 * on the order of rows in a file.
 *
 * The cost of greedy placing is the number of pairs of items that overlap in time. A strategy fits
 * the budget if one run visits at most MAX_RUN_VISITS pairs, and all runs up to it at most
 * MAX_FORWARD_VISITS. The result is never worse than that of a strategy within the budget. A run
 * ends as soon as it is as high as the lowest placement so far, so most runs are short. The
 * backward direction is limited to MAX_VISITS. With hundreds of millions of pairs, items of nearly
 * the same lifetime are put into boxes first (box.c).
 *
 * Effort is counted in pairs and search nodes, not in seconds, so the result is the same on every
 * machine unless there is a deadline.
 */
#include "greedy.h"
#include "strategy.h"

#include "base/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

/*
 * Limits on pairs visited: by one run, by all runs forward in time, and by all runs including those
 * backward in time. One item counts as ITEM_VISITS.
 */
#define MAX_RUN_VISITS		1000000000ULL
#define MAX_FORWARD_VISITS	2000000000ULL
#define MAX_VISITS		40000000
#define ITEM_RUN_VISITS		1000
#define ITEM_VISITS		100
/* Boxes are made if there are more pairs than this, and more than this many for each item. */
#define MAX_FIRST_PAIRS		60000000
#define MAX_ITEM_PAIRS		200
#define MAX_BOX_PAIRS		70000000
/* Hill climbing is skipped for larger problems. */
#define MAX_CLIMB_VISITS	4000000
#define MAX_CLIMB_ITEMS		20000

/* One of the strategies tried first. */
struct start {
	const struct loom_place_strategy *strategy;
	unsigned int runs;				/* how many greedy runs it is */
	/* only where alignments differ; otherwise it equals another strategy */
	bool mixed;
};

static const struct start starts[] = {
	{ &loom_place_strategy_greedy_size, 1, false },
	{ &loom_place_strategy_greedy_breadth, 1, false },
	{ &loom_place_strategy_greedy_area, 1, false },
	{ &loom_place_strategy_greedy_conflict, 1, false },
	{ &loom_place_strategy_gmem_opsize, 1, false },
	{ &loom_place_strategy_greedy_total, 1, false },
	{ &loom_place_strategy_greedy_life, 1, false },
	{ &loom_place_strategy_greedy_aligned, 7, true },
	{ &loom_place_strategy_greedy_tail, 1, false },
	{ &loom_place_strategy_tokens, 1, false },
};

/* State of the trials, and the lowest placement. */
struct trials {
	const struct loom_place_task *task;	/* the problem */
	struct loom_place_answer *answer;	/* of the problem */
	/* of the placement in @answer, or LOOM_PLACE_ANYWHERE */
	uint64_t height;
	uint64_t visits;			/* visits of a greedy run */
	/* the same, compared with the budget of a run forward in time */
	uint64_t run_visits;
	/* so many items are alive at once that boxes are made */
	bool crowded;
	bool backward;				/* runs are backward in time */
	unsigned int runs;			/* greedy runs so far */
	struct loom_place_answer trial;		/* scratch memory for a placement */
};

/* Keeps the placement of @canon if it is lower than the best. */
static void keep_trial(struct trials *t, const struct loom_place_canonical *canon, const char *name)
{
	uint64_t height = loom_place_height(&canon->task.problem, t->trial.offsets);
	uint32_t i;

	if (height >= t->height)
		return;
	t->height = height;
	t->answer->strategy = name;
	for (i = 0; i < canon->task.problem.num_items; i++)
		t->answer->offsets[canon->global[i]] = t->trial.offsets[i];
}

/*
 * Runs a strategy on the problem of one pool; returns -ERANGE also if it does not support the
 * problem.
 */
static int call(const struct loom_place_strategy *strategy, const struct loom_place_task *task,
		struct loom_place_answer *answer)
{
	int ret = -ERANGE;

	if (!loom_place_refusal(strategy, &task->problem))
		ret = loom_place_call(strategy, task, answer);
	/* only the offsets are used, not the storages */
	free(answer->storages);
	free(answer->storage_of);
	answer->storages = NULL;
	answer->storage_of = NULL;
	return ret;
}

/* Runs @start and keeps its placement if that is lower. */
static int try_start(struct trials *t, const struct loom_place_canonical *canon,
		     const struct loom_place_strategy *start)
{
	struct loom_place_task task = canon->task;
	int ret;

	task.below_bytes = t->height;
	ret = call(start, &task, &t->trial);
	if (!ret)
		keep_trial(t, canon, start->name);
	return ret == -ERANGE ? 0 : ret;
}

/* Whether the placement is low enough, or the time is up. */
static bool is_enough(const struct trials *t)
{
	return t->height <= t->answer->bound_bytes ||
	       (t->height != LOOM_PLACE_ANYWHERE && !loom_place_left_ns(t->task->deadline_ns)) ||
	       (t->task->fit_only && t->height <= t->task->capacity_bytes);
}

/* Whether a strategy of @runs more runs exceeds the budget. */
static bool exceeds(const struct trials *t, unsigned int runs)
{
	if (t->backward && (t->crowded || (t->runs && t->visits > MAX_VISITS / t->runs)))
		return true;
	if (t->height == LOOM_PLACE_ANYWHERE && !t->crowded)
		return false;
	return t->run_visits > min(MAX_RUN_VISITS, MAX_FORWARD_VISITS / (t->runs + runs));
}

/* "gmem" uses operators. It may refuse them, which must not make "auto" fail. */
static int try_operators(struct trials *t)
{
	const struct loom_place_strategy *gmem = &loom_place_strategy_gmem;
	uint64_t height;
	int ret;

	if (loom_place_refusal(gmem, &t->task->problem))
		return 0;
	ret = loom_place_call(gmem, t->task, &t->trial);
	if (ret == -EINVAL || ret == -ERANGE)
		return 0;
	if (ret)
		return ret;
	height = loom_place_height(&t->task->problem, t->trial.offsets);
	if (height >= t->height)
		return 0;
	t->height = height;
	t->answer->strategy = gmem->name;
	memcpy(t->answer->offsets, t->trial.offsets,
	       t->task->problem.num_items * sizeof(*t->trial.offsets));
	return 0;
}

static bool is_mixed(const struct loom_place_problem *problem)
{
	uint32_t i;

	for (i = 1; i < problem->num_items; i++)
		if (problem->items[i].align_bytes != problem->items[0].align_bytes)
			return true;
	return false;
}

/* Strategies that run in parallel, before it is known which are needed. */
struct batch {
	struct trials *trials;
	const struct loom_place_canonical *canon;	/* the problem */
	uint64_t below;					/* the height before */
	const struct start *chosen[ARRAY_SIZE(starts)];	/* the strategies */
	unsigned int count;				/* number of @chosen */
	struct loom_place_answer answers[ARRAY_SIZE(starts)];	/* by strategy: its answer */
	int results[ARRAY_SIZE(starts)];		/* by strategy: its return value */
	int ret;					/* of the batch */
};

static void run_one(void *arg, uint32_t i)
{
	struct batch *batch = arg;
	struct loom_place_task task = batch->canon->task;
	struct loom_place_answer *answer = &batch->answers[i];

	task.below_bytes = batch->below;
	answer->offsets = calloc((size_t)task.problem.num_items + 1, sizeof(*answer->offsets));
	batch->results[i] = !answer->offsets ? -ENOMEM :
		call(batch->chosen[i]->strategy, &task, answer);
}

/* Keeps the next answer, as if it ran only now. */
static bool merge_one(void *arg, uint32_t i)
{
	struct batch *batch = arg;
	struct trials *t = batch->trials;
	uint64_t *offsets = t->trial.offsets;

	batch->ret = batch->results[i] == -ERANGE ? 0 : batch->results[i];
	t->trial.offsets = batch->answers[i].offsets;
	if (!batch->results[i])
		keep_trial(t, batch->canon, batch->chosen[i]->strategy->name);
	t->trial.offsets = offsets;
	t->runs += batch->chosen[i]->runs;
	return !batch->ret && !is_enough(t);
}

/* Runs the strategies from @first on in parallel: those that would otherwise run one by one. */
static int try_at_once(struct trials *t, const struct loom_place_canonical *canon, size_t first,
		       bool mixed)
{
	struct batch batch = { .trials = t, .canon = canon, .below = t->height };
	const unsigned int runs = t->runs;
	size_t i;

	for (i = first; i < ARRAY_SIZE(starts); i++) {
		if ((starts[i].mixed && !mixed) || exceeds(t, starts[i].runs))
			continue;
		batch.answers[batch.count].bound_bytes = t->trial.bound_bytes;
		batch.chosen[batch.count++] = &starts[i];
		t->runs += starts[i].runs;
	}
	t->runs = runs;
	loom_tasks_run(&(struct loom_tasks){
		.count = batch.count, .jobs = canon->task.jobs,
		.run = run_one, .merge = merge_one, .arg = &batch,
	});
	for (i = 0; i < batch.count; i++)
		free(batch.answers[i].offsets);
	return batch.ret;
}

static int try_starts(struct trials *t, const struct loom_place_canonical *canon)
{
	bool mixed = is_mixed(&canon->task.problem);
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(starts) && !is_enough(t) && !ret; i++) {
		/* mostly the first suffices; a deadline counts CPU time of this thread only */
		if (i && canon->task.jobs > 1 && !canon->task.deadline_ns)
			return try_at_once(t, canon, i, mixed);
		if ((starts[i].mixed && !mixed) || exceeds(t, starts[i].runs))
			continue;
		ret = try_start(t, canon, starts[i].strategy);
		t->runs += starts[i].runs;
	}
	return ret;
}

/* The greedy strategies without improvement. */
static int begin(struct trials *t, const struct loom_place_canonical *canon)
{
	uint64_t pairs;
	int ret;

	ret = loom_place_count_pairs(&canon->task.problem, &pairs);
	if (ret)
		return ret;
	t->visits = pairs + ITEM_VISITS * (uint64_t)canon->task.problem.num_items;
	t->run_visits = pairs + ITEM_RUN_VISITS * (uint64_t)canon->task.problem.num_items;
	t->crowded = pairs > MAX_FIRST_PAIRS &&
		     pairs / MAX_ITEM_PAIRS > canon->task.problem.num_items;
	if (t->task->hint) {
		memcpy(t->trial.offsets, canon->hint,
		       canon->task.problem.num_items * sizeof(*canon->hint));
		keep_trial(t, canon, t->answer->strategy);
	}
	if (t->crowded) {
		ret = loom_place_boxes(&canon->task, &t->trial, MAX_BOX_PAIRS);
		if (!ret)
			keep_trial(t, canon, "auto");
		if (ret == -ERANGE)
			ret = 0;
	}
	if (!ret)
		ret = try_starts(t, canon);
	if (!ret && !is_enough(t) && !exceeds(t, 1))
		ret = try_operators(t);
	return ret;
}

/* The search, from a placement of the greedy strategies: @height and @offsets. */
static int improve(struct trials *t, const struct loom_place_canonical *canon, uint64_t height,
		   const uint64_t *offsets)
{
	const uint32_t n = canon->task.problem.num_items;
	struct loom_place_answer *trial = &t->trial;
	uint32_t i;
	int ret;

	for (i = 0; i < n; i++)
		trial->offsets[i] = offsets[canon->global[i]];
	trial->bound_bytes = t->answer->bound_bytes;
	trial->nodes = 0;
	trial->strategy = t->answer->strategy;
	ret = loom_place_improve(&canon->task, trial, height);
	if (ret)
		return ret;
	t->answer->bound_bytes = trial->bound_bytes;
	t->answer->nodes += trial->nodes;
	keep_trial(t, canon, trial->strategy);
	return 0;
}

/*
 * Search and hill climbing, both from the greedy placement, so the lower of them does not depend on
 * their order. Climbing takes long compared to a search that ends early, but a search up to a
 * deadline would leave no time for it.
 */
static int improve_all(struct trials *t, const struct loom_place_canonical canon[2])
{
	const struct loom_place_problem *problem = &t->task->problem;
	const bool climbs = t->visits <= MAX_CLIMB_VISITS && problem->num_items <= MAX_CLIMB_ITEMS;
	const bool first = climbs && t->task->deadline_ns;
	const uint64_t height = t->height;
	uint64_t *offsets = malloc((problem->num_items + 1ULL) * sizeof(*offsets));
	int ret = 0;

	if (!offsets)
		return -ENOMEM;
	memcpy(offsets, t->answer->offsets, problem->num_items * sizeof(*offsets));
	if (first)
		ret = try_start(t, &canon[0], &loom_place_strategy_hill_climb);
	if (!ret && !is_enough(t))
		ret = improve(t, &canon[loom_place_canonical_is_before(&canon[1], &canon[0])],
			      height, offsets);
	if (!ret && climbs && !first && !is_enough(t))
		ret = try_start(t, &canon[0], &loom_place_strategy_hill_climb);
	free(offsets);
	return ret;
}

/*
 * One sequence: a budget or a deadline ends it, and changes nothing before, so more of either is
 * never worse.
 */
static int search(struct trials *t, struct loom_place_canonical canon[2])
{
	int ret;

	ret = loom_place_canonical_make(&canon[0], t->task, false);
	if (!ret)
		ret = begin(t, &canon[0]);
	if (ret || is_enough(t))
		return ret;
	if (t->height == LOOM_PLACE_ANYWHERE)
		return canon[0].task.problem.num_items ? -ERANGE : 0;
	ret = loom_place_canonical_make(&canon[1], t->task, true);
	t->backward = true;
	if (!ret)
		ret = try_starts(t, &canon[1]);
	return ret || is_enough(t) ? ret : improve_all(t, canon);
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	struct loom_place_canonical canon[2] = { 0 };
	struct trials t = {
		.task = task,
		.answer = answer,
		.height = LOOM_PLACE_ANYWHERE,
		.trial.bound_bytes = answer->bound_bytes,
	};
	int ret = -ENOMEM;

	t.trial.offsets = calloc((size_t)task->problem.num_items + 1, sizeof(*t.trial.offsets));
	if (t.trial.offsets)
		ret = search(&t, canon);
	free(t.trial.offsets);
	loom_place_canonical_clear(&canon[0]);
	loom_place_canonical_clear(&canon[1]);
	return ret;
}

const struct loom_place_strategy loom_place_strategy_auto = {
	.name = "auto",
	.text = "the lowest of the greedy ones, then the exact search from there",
	.reduces_conflicts = true,
	.place = place,
};
