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
 * The cost of greedy placing is the number of pairs of items that overlap in time, or a part where
 * many are alive at once (free.c). A strategy fits the budget if one run visits at most
 * MAX_RUN_VISITS pairs, and all runs up to it at most MAX_FORWARD_VISITS, MAX_VISITS backwards. The
 * result is never worse than that of a strategy within the budget. A run ends as soon as it is as
 * high as the lowest placement so far, so most runs are short. With more than MAX_FIRST_PAIRS
 * pairs, tokens come first, which visit none. Effort is not counted in seconds, so the result is
 * the same on every machine unless there is a deadline.
 */
#include "greedy.h"
#include "strategy.h"

#include "base/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "solve.h"

/*
 * Limits on pairs visited: by one run, by all runs forward in time, and by all runs including those
 * backward in time. One item counts as ITEM_VISITS, and FREE_SHARE pairs in free.c as one.
 */
#define MAX_RUN_VISITS		1000000000ULL
#define MAX_FORWARD_VISITS	2000000000ULL
#define MAX_VISITS		40000000
#define ITEM_RUN_VISITS		1000
#define FREE_SHARE		2
#define ITEM_VISITS		100
/* Tokens come first with more pairs than this. */
#define MAX_FIRST_PAIRS		60000000
/* Index of the best with many items alive at once; gmem-opsize takes ten times as long there. */
#define CROWDED_FIRST		2
/* Time per item to sort backwards and to begin the search, which no deadline interrupts. */
#define BEGIN_NS		2000

/* One of the strategies tried first. */
struct start {
	const struct loom_place_strategy *strategy;
	unsigned int runs;				/* how many greedy runs it is */
};

static const struct start starts[] = {
	{ &loom_place_strategy_greedy_size, 1 },
	{ &loom_place_strategy_greedy_breadth, 1 },
	{ &loom_place_strategy_greedy_area, 1 },
	{ &loom_place_strategy_greedy_conflict, 1 },
	{ &loom_place_strategy_gmem_opsize, 1 },
	{ &loom_place_strategy_greedy_total, 1 },
	{ &loom_place_strategy_greedy_life, 1 },
	{ &loom_place_strategy_greedy_aligned, 7 },
	{ &loom_place_strategy_greedy_tail, 1 },
	{ &loom_place_strategy_tokens, 1 },
};

/* State of the trials, and the lowest placement. */
struct trials {
	const struct loom_place_task *task;	/* the problem */
	struct loom_place_answer *answer;	/* of the problem */
	uint64_t height;			/* of @answer, or LOOM_PLACE_ANYWHERE */
	uint64_t visits;			/* visits of a greedy run */
	uint64_t run_visits;			/* the same, for the budget forward in time */
	bool large;				/* so many pairs that tokens come first */
	bool crowded, backward;			/* runs visit a part, are backward in time */
	unsigned int runs;			/* greedy runs so far */
	struct loom_place_answer trial;		/* scratch memory for a placement */
};

/* Keeps a placement if it is lower than the best. */
static void keep(struct trials *t, const struct loom_place_canonical *canon,
		 const uint64_t *offsets, const char *name)
{
	uint64_t height = loom_place_height(&canon->task.problem, offsets);
	uint32_t i;

	if (height >= t->height)
		return;
	t->height = height;
	t->answer->strategy = name;
	for (i = 0; i < canon->task.problem.num_items; i++)
		t->answer->offsets[canon->global[i]] = offsets[i];
}

/* Whether the placement is low enough, or the time is up. */
static bool is_enough(const struct trials *t)
{
	return t->height <= t->answer->bound_bytes ||
	       (t->height != LOOM_PLACE_ANYWHERE && !loom_place_left_ns(t->task->deadline_ns)) ||
	       (t->task->fit_only && t->height <= t->task->capacity_bytes);
}

/* Whether @more runs after @runs exceed the budget. */
static bool exceeds(const struct trials *t, unsigned int runs, unsigned int more)
{
	if (t->backward && (t->crowded || (runs && t->visits > MAX_VISITS / runs)))
		return true;
	return t->run_visits > min(MAX_RUN_VISITS, MAX_FORWARD_VISITS / (runs + more));
}

/* Strategies that are tried, in parallel before it is known which are needed. */
struct batch {
	struct trials *trials;
	const struct loom_place_canonical *canon;	/* the problem */
	uint64_t below;					/* the height before */
	unsigned int jobs;				/* threads */
	const struct start *chosen[ARRAY_SIZE(starts)];	/* the strategies */
	unsigned int count;				/* number of @chosen */
	unsigned int first;				/* the first of them to run */
	uint64_t *offsets[ARRAY_SIZE(starts)];		/* by strategy: its placement */
	int results[ARRAY_SIZE(starts)];		/* by strategy: its return value */
	int ret;					/* of the batch */
};

/* A strategy that does not support the problem has no placement: -ERANGE. */
static void run_one(void *arg, uint32_t i)
{
	struct batch *batch = arg;
	const struct loom_place_strategy *strategy = batch->chosen[i += batch->first]->strategy;
	struct loom_place_task task = batch->canon->task;
	struct loom_place_answer answer = { .bound_bytes = batch->trials->answer->bound_bytes };

	/* with several threads, another one may be changing the height */
	task.below_bytes = batch->jobs > 1 ? batch->below : batch->trials->height;
	answer.offsets = calloc((size_t)task.problem.num_items + 1, sizeof(*answer.offsets));
	batch->offsets[i] = answer.offsets;
	batch->results[i] = -ENOMEM;
	if (answer.offsets)
		batch->results[i] = loom_place_refusal(strategy, &task.problem) ? -ERANGE :
				    strategy->place(&task, &answer);
	free(answer.storages);
	free(answer.storage_of);
}

/* Keeps the next answer, as if it ran only now. */
static bool merge_one(void *arg, uint32_t i)
{
	struct batch *batch = arg;
	struct trials *t = batch->trials;

	i += batch->first;
	if (!batch->results[i])
		keep(t, batch->canon, batch->offsets[i], batch->chosen[i]->strategy->name);
	else if (batch->results[i] != -ERANGE)
		batch->ret = batch->results[i];
	free(batch->offsets[i]);
	batch->offsets[i] = NULL;
	t->runs += batch->chosen[i]->runs;
	return !batch->ret && !is_enough(t);
}

static bool is_mixed(const struct loom_place_problem *problem)
{
	uint32_t i;

	for (i = 1; i < problem->num_items; i++)
		if (problem->items[i].align_bytes != problem->items[0].align_bytes)
			return true;
	return false;
}

/* Chooses the strategies within the budget; the first one in any case. */
static void choose(struct batch *batch)
{
	const struct trials *t = batch->trials;
	bool must = !t->runs && !t->task->hint;
	bool mixed = is_mixed(&batch->canon->task.problem);
	unsigned int runs = t->runs;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		const size_t k = (i + (t->crowded ? CROWDED_FIRST : 0)) % ARRAY_SIZE(starts);
		const struct start *start = &starts[k];

		/* where alignments are equal, greedy-aligned equals others */
		if ((start->strategy == &loom_place_strategy_greedy_aligned && !mixed) ||
		    (!must && exceeds(t, runs, start->runs)) ||
		    (t->large && !t->backward && start->strategy == &loom_place_strategy_tokens) ||
		    (t->crowded && start->strategy == &loom_place_strategy_gmem_opsize))
			continue;
		must = false;
		batch->chosen[batch->count++] = start;
		runs += start->runs;
	}
}

static int try_starts(struct trials *t, const struct loom_place_canonical *canon)
{
	/* a deadline counts the processor time of this thread only */
	struct batch batch = {
		.trials = t, .canon = canon, .jobs = t->task->deadline_ns ? 1 : t->task->jobs,
	};
	unsigned int count, i;

	choose(&batch);
	/* mostly the first suffices, so it runs alone */
	for (; batch.first < batch.count && !batch.ret && !is_enough(t); batch.first += count) {
		count = batch.first ? batch.count - batch.first : 1;
		batch.below = t->height;
		loom_tasks_run(&(struct loom_tasks){
			.count = count, .jobs = batch.jobs, .run = run_one, .merge = merge_one,
			.arg = &batch,
		});
	}
	for (i = 0; i < batch.count; i++)
		free(batch.offsets[i]);
	return batch.ret;
}

/* Tries what takes no time per pair, so that there is an answer soon. */
static int try_first(struct trials *t, const struct loom_place_canonical *canon,
		     int (*place)(const struct loom_place_task *task,
				  struct loom_place_answer *answer), const char *name)
{
	struct loom_place_task task = canon->task;
	int ret;

	task.below_bytes = t->height;
	ret = place(&task, &t->trial);
	if (!ret)
		keep(t, canon, t->trial.offsets, name);
	free(t->trial.storages);
	free(t->trial.storage_of);
	t->trial.storages = NULL;
	t->trial.storage_of = NULL;
	return ret == -ERANGE ? 0 : ret;
}

/* The greedy strategies without improvement. */
static int begin(struct trials *t, const struct loom_place_canonical *canon)
{
	const uint64_t n = canon->task.problem.num_items;
	uint64_t pairs;
	int ret;

	ret = loom_place_count_pairs(&canon->task.problem, &pairs);
	if (ret)
		return ret;
	t->visits = pairs + ITEM_VISITS * n;
	t->large = pairs > MAX_FIRST_PAIRS;
	t->crowded = t->large && loom_free_pays(n, pairs);
	t->run_visits = (t->crowded ? pairs / FREE_SHARE : pairs) + ITEM_RUN_VISITS * n;
	if (t->task->hint)
		keep(t, canon, canon->hint, t->answer->strategy);
	if (t->large &&
	    !loom_place_refusal(&loom_place_strategy_tokens, &canon->task.problem))
		ret = try_first(t, canon, loom_place_strategy_tokens.place, "tokens");
	return ret ? ret : try_starts(t, canon);
}

/* Ejections and the search, from the lowest placement if there is one. */
static int improve(struct trials *t, struct loom_place_canonical *canon)
{
	struct loom_place_answer *trial = &t->trial;
	uint64_t height = t->height;
	uint32_t i;
	int ret;

	ret = loom_place_canonical_turn(canon, loom_place_canonical_is_backward(canon));
	if (ret)
		return ret;
	for (i = 0; i < canon->task.problem.num_items; i++)
		trial->offsets[i] = t->answer->offsets[canon->global[i]];
	trial->strategy = t->answer->strategy;
	ret = loom_place_solve(&canon->task, trial, &height);
	if (ret)
		return ret;
	t->answer->bound_bytes = trial->bound_bytes;
	t->answer->nodes += trial->nodes;
	if (height != LOOM_PLACE_ANYWHERE)
		keep(t, canon, trial->offsets, trial->strategy);
	return 0;
}

/*
 * One sequence: a budget or a deadline ends it, and changes nothing before, so more of either is
 * never worse.
 */
static int search(struct trials *t, struct loom_place_canonical *canon)
{
	int ret;

	ret = loom_place_canonical_turn(canon, false);
	if (!ret)
		ret = begin(t, canon);
	loom_place_canonical_release(canon);
	if (ret || is_enough(t))
		return ret;
	if (t->height == LOOM_PLACE_ANYWHERE)
		return canon->task.problem.num_items ? -ERANGE : 0;
	if (loom_place_left_ns(t->task->deadline_ns) / BEGIN_NS < canon->task.problem.num_items)
		return 0;
	ret = loom_place_canonical_turn(canon, true);
	t->backward = true;
	if (!ret)
		ret = try_starts(t, canon);
	return ret || is_enough(t) ? ret : improve(t, canon);
}

/* The search from scratch; if it finds no placement, the answer is a greedy one. */
static int search_only(struct trials *t, struct loom_place_canonical *canon)
{
	int ret = loom_place_canonical_turn(canon, false);

	if (!ret)
		ret = loom_place_canonical_turn(canon, true);
	if (!ret)
		ret = improve(t, canon);
	if (!ret && t->height == LOOM_PLACE_ANYWHERE)
		ret = try_first(t, canon, loom_place_strategy_greedy_size.place, "exact");
	return ret || t->height != LOOM_PLACE_ANYWHERE ? ret : -ERANGE;
}

static int run(const struct loom_place_task *task, struct loom_place_answer *answer,
	       int (*steps)(struct trials *t, struct loom_place_canonical *canon))
{
	struct loom_place_canonical canon;
	struct trials t = {
		.task = task,
		.answer = answer,
		.height = LOOM_PLACE_ANYWHERE,
		.trial.bound_bytes = answer->bound_bytes,
	};
	int ret = loom_place_canonical_make(&canon, task);

	t.trial.offsets = calloc((size_t)task->problem.num_items + 1, sizeof(*t.trial.offsets));
	if (!ret)
		ret = t.trial.offsets ? steps(&t, &canon) : -ENOMEM;
	free(t.trial.offsets);
	loom_place_canonical_clear(&canon);
	return ret;
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return run(task, answer, search);
}

const struct loom_place_strategy loom_place_strategy_auto = {
	.name = "auto",
	.text = "the lowest of the greedy ones, then the exact search from there",
	.reduces_conflicts = true,
	.place = place,
};

static int place_exact(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return run(task, answer, search_only);
}

const struct loom_place_strategy loom_place_strategy_exact = {
	.name = "exact",
	.text = "branch and bound until nothing lower is left, or the budget is spent",
	.place = place_exact,
};
