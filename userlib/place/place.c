// SPDX-License-Identifier: MIT
/* The table of strategies, and what is the same for all of them. See place.h. */
#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

#define BLOCKS_ONLY	(LOOM_PLACE_NO_FIXED | LOOM_PLACE_NO_EXCLUDED)

/* The first is the default. */
static const struct loom_place_strategy strategies[] = {
	{
		.name = "auto",
		.text = "the lowest of the greedy ones, then the exact search from there",
		.calms = true,
		.place = loom_place_auto,
	},
	{
		.name = "greedy-size",
		.text = "largest first, each into the lowest gap that fits",
		.place = loom_place_greedy_size,
	},
	{
		.name = "greedy-area",
		.text = "largest size times lifetime first, each into the lowest gap that fits",
		.place = loom_place_greedy_area,
	},
	{
		.name = "greedy-breadth",
		.text = "what lives when most is alive first, each into the lowest gap that fits",
		.place = loom_place_greedy_breadth,
	},
	{
		.name = "greedy-conflict",
		.text = "what meets most others first, each into the lowest gap that fits",
		.place = loom_place_greedy_conflict,
	},
	{
		.name = "hill-climb",
		.text = "the best greedy order, changed bit by bit as long as that helps",
		.place = loom_place_climb,
	},
	{
		.name = "exact",
		.text = "branch and bound until nothing lower is left, or the budget is spent",
		.place = loom_place_exact,
	},
	{
		.name = "gmem",
		.text = "operator by operator, each takes a whole block whose tensor is dead",
		.limits = LOOM_PLACE_NEEDS_OPS | BLOCKS_ONLY | LOOM_PLACE_NO_APART,
		.place = loom_place_gmem,
	},
	{
		.name = "gmem-fitfirst",
		.text = "by begin, each takes the largest free block, which grows if it must",
		.limits = BLOCKS_ONLY | LOOM_PLACE_NO_APART,
		.place = loom_place_fitfirst,
	},
	{
		.name = "gmem-opsize",
		.text = "largest first, each into the tightest gap that fits",
		.place = loom_place_opsize,
	},
	{
		.name = "tokens",
		.text = "storages that are shared in turn, chosen by size within a range of 16",
		.limits = BLOCKS_ONLY,
		.place = loom_place_tokens,
	},
	{
		.name = "tokens-2d",
		.text = "as tokens, but images share by what growth adds and wastes, and by shape",
		.limits = BLOCKS_ONLY,
		.place = loom_place_tokens_2d,
	},
	{
		.name = "tokens-2d-v1",
		.text = "as tokens-2d, without regard to shape",
		.limits = BLOCKS_ONLY,
		.place = loom_place_tokens_2d_v1,
	},
	{
		.name = "naive",
		.text = "one after the other, nothing is reused",
		.place = loom_place_naive,
	},
};

#define NUM_STRATEGIES ARRAY_SIZE(strategies)

const struct loom_place_strategy *loom_place_strategy_find(const char *name)
{
	size_t i;

	if (!name)
		return &strategies[0];
	for (i = 0; i < NUM_STRATEGIES; i++)
		if (!strcmp(strategies[i].name, name))
			return &strategies[i];
	return NULL;
}

const char *loom_place_strategy_name(unsigned int index)
{
	return index < NUM_STRATEGIES ? strategies[index].name : NULL;
}

const char *loom_place_strategy_text(unsigned int index)
{
	return index < NUM_STRATEGIES ? strategies[index].text : NULL;
}

uint64_t loom_place_height(const struct loom_place_problem *problem, const uint64_t *offsets)
{
	uint64_t height = 0;
	uint32_t i;

	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    height < offsets[i] + problem->items[i].size_bytes)
			height = offsets[i] + problem->items[i].size_bytes;
	return height;
}

/* What of @problem a strategy with these limits cannot do, or NULL. */
static const char *refusal(unsigned int limits, const struct loom_place_problem *problem)
{
	uint32_t i;

	if (limits & LOOM_PLACE_NEEDS_OPS && !problem->ops)
		return "needs operators";
	if (limits & LOOM_PLACE_NO_APART && problem->num_apart)
		return "cannot keep pairs apart";
	for (i = 0; i < problem->num_items; i++) {
		if (limits & LOOM_PLACE_NO_FIXED &&
		    problem->items[i].fixed != LOOM_PLACE_ANYWHERE)
			return "cannot do fixed offsets";
		if (limits & LOOM_PLACE_NO_EXCLUDED && problem->items[i].num_excluded)
			return "cannot do excluded ranges";
	}
	return NULL;
}

bool loom_place_allows(const struct loom_place_strategy *strategy,
		       const struct loom_place_problem *problem)
{
	return !refusal(strategy->limits, problem);
}

/* --- one pool --------------------------------------------------------------------------------- */

/* The storages of a pool join those of the pools before it. */
static int take_storages(struct loom_place_result *result, const struct loom_place_share *share,
			 const struct loom_place_answer *answer, uint32_t pool, uint32_t num_items)
{
	uint32_t total = result->num_storages + answer->num_storages, i;
	struct loom_place_storage *all;

	all = realloc(result->storages, ((size_t)total + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	result->storages = all;
	if (!result->storage_of) {
		result->storage_of = malloc(((size_t)num_items + 1) * sizeof(*result->storage_of));
		if (!result->storage_of)
			return -ENOMEM;
		for (i = 0; i < num_items; i++)
			result->storage_of[i] = LOOM_PLACE_NONE;
	}
	for (i = 0; i < answer->num_storages; i++) {
		all[result->num_storages + i] = answer->storages[i];
		all[result->num_storages + i].pool = pool;
	}
	for (i = 0; i < share->task.problem.num_items; i++)
		if (answer->storage_of[i] != LOOM_PLACE_NONE)
			result->storage_of[share->global[i]] = result->num_storages +
							       answer->storage_of[i];
	result->num_storages = total;
	return 0;
}

/**
 * struct run - a call of loom_place()
 * @strategy: how
 * @options: with what options
 * @ready: what
 * @result: where to
 * @hints: by item: where a pool is known to have room for it
 * @fault: what is wrong
 */
struct run {
	const struct loom_place_strategy *strategy;
	const struct loom_place_options *options;
	struct loom_place_ready ready;
	struct loom_place_result *result;
	uint64_t *hints;
	struct loom_place_fault *fault;
};

/* The pool after @pool, in the order in which they are filled, that @pools allow; or NONE. */
static uint32_t next_pool(const struct loom_place_ready *ready, uint32_t pools, uint32_t pool)
{
	uint32_t best = LOOM_PLACE_NONE, p;

	for (p = 0; p < ready->problem.num_pools; p++) {
		if (!(pools >> p & 1))
			continue;
		if (pool != LOOM_PLACE_NONE &&
		    (ready->pools[p].cost < ready->pools[pool].cost ||
		     (ready->pools[p].cost == ready->pools[pool].cost && p <= pool)))
			continue;
		if (best == LOOM_PLACE_NONE || ready->pools[p].cost < ready->pools[best].cost)
			best = p;
	}
	return best;
}

/* Sends what sticks out of @pool to the next. False if something cannot go. */
static bool spill(struct run *run, const struct loom_place_share *share,
		  const struct loom_place_answer *answer, uint32_t pool)
{
	const struct loom_place_problem *own = &share->task.problem;
	uint64_t end;
	uint32_t i, next;

	for (i = 0; i < own->num_items; i++) {
		if (!loom_place_has_room(&own->items[i]))
			continue;
		end = answer->offsets[i] + own->items[i].size_bytes;
		if (answer->storages)
			end = answer->storages[answer->storage_of[i]].offset +
			      answer->storages[answer->storage_of[i]].size_bytes;
		if (end <= share->task.capacity_bytes)
			continue;
		next = next_pool(&run->ready, own->items[i].pools, pool);
		if (next == LOOM_PLACE_NONE)
			return false;
		run->result->pools[share->global[i]] = next;
	}
	for (i = 0; i < own->num_items; i++)
		if (own->items[i].alias != LOOM_PLACE_NONE)
			run->result->pools[share->global[i]] =
				run->result->pools[share->global[own->items[i].alias]];
	return true;
}

static int too_high(struct run *run, uint64_t height, const struct loom_place_share *share,
		    const struct loom_place_answer *answer)
{
	/* with more pools than one, others may hold what is in the way here */
	if (answer->bound_bytes > share->task.capacity_bytes && run->ready.problem.num_pools == 1)
		return loom_place_no_space(run->fault, LOOM_PLACE_NONE, answer->bound_bytes,
				share->task.capacity_bytes, "every placement needs");
	return loom_place_fail(run->fault, -ENOSPC, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
			       "found nothing lower than %llu, the capacity is %llu; %llu is proved to be needed",
			       (unsigned long long)height,
			       (unsigned long long)share->task.capacity_bytes,
			       (unsigned long long)answer->bound_bytes);
}

static int check_offsets(const struct loom_place_problem *problem, const uint64_t *offsets)
{
	uint32_t i;

	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    offsets[i] > INT64_MAX - problem->items[i].size_bytes)
			return -ERANGE;
	return 0;
}

/* Whether what a strategy returned is a placement of its share. */
static int check_share(const struct loom_place_problem *own, uint64_t *offsets)
{
	struct loom_place_problem alone = *own;
	struct loom_place_item *items;
	uint32_t i;
	int ret;

	items = calloc((size_t)own->num_items + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	for (i = 0; i < own->num_items; i++) {
		items[i] = own->items[i];
		/* there is one pool now, whatever its number was */
		items[i].pools = 0;
		if (items[i].alias != LOOM_PLACE_NONE)
			offsets[i] = offsets[items[i].alias] + items[i].alias_offset;
		else if (!items[i].size_bytes)
			offsets[i] = items[i].fixed == LOOM_PLACE_ANYWHERE ? 0 : items[i].fixed;
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
	return check_share(&task->problem, answer->offsets);
}

/* Places what is in @pool. 1: something was spilled, so once more. */
static int place_share(struct run *run, struct loom_place_share *share,
		       struct loom_place_answer *answer, uint32_t pool)
{
	struct loom_place_result *result = run->result;
	const struct loom_place_problem *own = &share->task.problem;
	uint64_t height;
	uint32_t i;
	int ret;

	ret = loom_place_call(run->strategy, &share->task, answer);
	if (!ret)
		ret = check_offsets(own, answer->offsets);
	if (ret == -ERANGE)
		loom_place_fail(run->fault, ret, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				"offsets leave 63 bits");
	if (ret == -EINVAL)
		loom_place_fail(run->fault, ret, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				"operators and items do not fit together");
	if (ret)
		return ret;
	height = loom_place_height(own, answer->offsets);
	/* a storage may be larger than any of its items */
	for (i = 0; i < answer->num_storages; i++)
		height = max(height, answer->storages[i].offset + answer->storages[i].size_bytes);
	if (height > share->task.capacity_bytes)
		return spill(run, share, answer, pool) ? 1 :
								 too_high(run, height, share,
									  answer);
	if (own->num_conflicts && run->strategy->calms) {
		ret = loom_place_calm(&share->task, run->ready.pools[pool].sub_bank_bytes,
				      share->task.capacity_bytes < INT64_MAX ?
				      share->task.capacity_bytes : height, answer->offsets);
		if (ret)
			return ret;
		height = loom_place_height(own, answer->offsets);
	}
	for (i = 0; i < own->num_items; i++)
		if (loom_place_has_room(&own->items[i]))
			result->offsets[share->global[i]] = answer->offsets[i];
	result->height_bytes[pool] = height;
	result->bound_bytes[pool] = answer->bound_bytes;
	result->nodes += answer->nodes;
	if (height)
		result->strategy = answer->strategy;
	if (answer->storages)
		ret = take_storages(result, share, answer, pool, run->ready.problem.num_items);
	return ret;
}

static uint32_t owner_of(const struct loom_place_item *items, uint32_t i)
{
	return items[i].alias == LOOM_PLACE_NONE ? i : items[i].alias;
}

/* Decides who stays in @pool; the others are in the next one then. */
static int choose_for_pool(struct run *run, const struct loom_place_share *share, uint32_t pool,
			   struct loom_place_choice *choice)
{
	const struct loom_place_problem *own = &share->task.problem;
	struct loom_place_loss *losses = calloc((size_t)own->num_items + 1, sizeof(*losses));
	uint32_t i, next, owner;
	int ret = -ENOMEM;

	if (!losses)
		return ret;
	for (i = 0; i < own->num_items; i++) {
		next = next_pool(&run->ready, own->items[i].pools, pool);
		losses[i].must = next == LOOM_PLACE_NONE;
		if (!losses[i].must &&
		    __builtin_mul_overflow(own->items[i].size_bytes,
					   run->ready.pools[next].cost -
					   run->ready.pools[pool].cost, &losses[i].loss))
			losses[i].loss = UINT64_MAX;
	}
	ret = loom_place_choose(&share->task, losses, choice);
	for (i = 0; i < own->num_items && !ret; i++) {
		owner = owner_of(own->items, i);
		if (choice->fits)
			run->hints[share->global[i]] = choice->offsets[i];
		if (!choice->keep[owner])
			run->result->pools[share->global[i]] =
				next_pool(&run->ready, own->items[owner].pools, pool);
	}
	free(losses);
	return ret;
}

static int choose_pool(struct run *run, uint32_t pool, bool *fits)
{
	size_t n = (size_t)run->ready.problem.num_items + 1;
	struct loom_place_choice choice = {
		.keep = calloc(n, sizeof(*choice.keep)),
		.offsets = calloc(n, sizeof(*choice.offsets)),
	};
	struct loom_place_share share;
	int ret;

	ret = loom_place_share_make(&share, &run->ready, run->result->pools, pool, run->options,
				    run->fault);
	if (!choice.keep || !choice.offsets)
		ret = -ENOMEM;
	if (!ret)
		ret = choose_for_pool(run, &share, pool, &choice);
	*fits = choice.fits;
	loom_place_share_clear(&share);
	free(choice.keep);
	free(choice.offsets);
	return ret;
}

/* @hints: by item of the problem: a placement in @pool that is known; or NULL */
static int place_pool(struct run *run, uint32_t pool, const uint64_t *hints)
{
	struct loom_place_answer answer;
	uint64_t *own_hints = NULL;
	struct loom_place_share share;
	uint32_t i;
	int ret;

	do {
		memset(&answer, 0, sizeof(answer));
		answer.strategy = run->strategy->name;
		ret = loom_place_share_make(&share, &run->ready, run->result->pools, pool,
					    run->options, run->fault);
		if (!ret && hints) {
			own_hints = calloc((size_t)share.task.problem.num_items + 1,
					   sizeof(*own_hints));
			if (!own_hints)
				ret = -ENOMEM;
			for (i = 0; i < share.task.problem.num_items && !ret; i++)
				own_hints[i] = hints[share.global[i]];
			share.task.hint = own_hints;
		}
		if (!ret)
			ret = loom_place_share_bound(&share, &answer.bound_bytes);
		answer.offsets = calloc((size_t)share.task.problem.num_items + 1,
					sizeof(*answer.offsets));
		if (!ret && !answer.offsets)
			ret = -ENOMEM;
		if (!ret)
			ret = place_share(run, &share, &answer, pool);
		loom_place_share_clear(&share);
		free(answer.offsets);
		free(answer.storages);
		free(answer.storage_of);
		free(own_hints);
		own_hints = NULL;
	} while (ret == 1);
	return ret;
}

/* --- all pools -------------------------------------------------------------------------------- */

static int place_pools(struct run *run)
{
	const struct loom_place_ready *ready = &run->ready;
	uint32_t pool, i;
	bool fits;
	int ret;

	for (i = 0; i < ready->problem.num_items; i++)
		run->result->pools[i] = next_pool(ready,
						  ready->items[owner_of(ready->items, i)].pools,
						  LOOM_PLACE_NONE);
	if (ready->problem.num_pools == 1)
		return place_pool(run, 0, NULL);
	pool = next_pool(ready, UINT32_MAX, LOOM_PLACE_NONE);
	while (pool != LOOM_PLACE_NONE) {
		ret = choose_pool(run, pool, &fits);
		if (!ret)
			ret = place_pool(run, pool, fits ? run->hints : NULL);
		if (ret)
			return ret;
		pool = next_pool(ready, UINT32_MAX, pool);
	}
	return 0;
}

static void sum_up(struct run *run)
{
	const struct loom_place_ready *ready = &run->ready;
	struct loom_place_result *result = run->result;
	bool cheapest = true;
	uint64_t cost;
	uint32_t i;

	result->proved = true;
	for (i = 0; i < ready->problem.num_items; i++) {
		const struct loom_place_item *item = &ready->items[i];

		if (item->alias != LOOM_PLACE_NONE) {
			result->offsets[i] = result->offsets[item->alias] + item->alias_offset;
		} else if (!item->size_bytes) {
			result->offsets[i] = item->fixed == LOOM_PLACE_ANYWHERE ? 0 : item->fixed;
		} else {
			if (__builtin_mul_overflow(item->size_bytes,
						   ready->pools[result->pools[i]].cost, &cost) ||
			    __builtin_add_overflow(result->spill_cost, cost,
						   &result->spill_cost))
				result->spill_cost = UINT64_MAX;
			cheapest = cheapest && result->pools[i] ==
					       next_pool(ready, item->pools, LOOM_PLACE_NONE);
		}
	}
	for (i = 0; i < result->num_pools; i++)
		result->proved = result->proved &&
				 result->height_bytes[i] <= result->bound_bytes[i];
	result->proved = result->proved && cheapest;
}

static bool share_sub_bank(const struct loom_place_ready *ready,
			   const struct loom_place_result *result, uint32_t a, uint32_t b)
{
	uint64_t size = ready->pools[result->pools[a]].sub_bank_bytes;

	if (!size || result->pools[a] != result->pools[b] || !ready->items[a].size_bytes ||
	    !ready->items[b].size_bytes)
		return false;
	return result->offsets[a] / size <=
	       (result->offsets[b] + ready->items[b].size_bytes - 1) / size &&
	       result->offsets[b] / size <=
	       (result->offsets[a] + ready->items[a].size_bytes - 1) / size;
}

static void weigh_conflicts(struct run *run)
{
	struct loom_place_result *result = run->result;
	uint32_t i;

	for (i = 0; i < run->ready.problem.num_conflicts; i++) {
		const struct loom_place_pair *pair = &run->ready.problem.conflicts[i];

		if (share_sub_bank(&run->ready, result, pair->first, pair->second) &&
		    __builtin_add_overflow(result->conflict_weight, pair->weight,
					   &result->conflict_weight))
			result->conflict_weight = UINT64_MAX;
	}
}

static int make_result(struct run *run)
{
	struct loom_place_result *result = run->result;
	size_t n = (size_t)run->ready.problem.num_items + 1;

	result->strategy = run->strategy->name;
	result->num_pools = run->ready.problem.num_pools;
	run->hints = calloc(n, sizeof(*run->hints));
	result->offsets = calloc(n, sizeof(*result->offsets));
	result->pools = calloc(n, sizeof(*result->pools));
	result->height_bytes = calloc(result->num_pools, sizeof(*result->height_bytes));
	result->bound_bytes = calloc(result->num_pools, sizeof(*result->bound_bytes));
	if (!run->hints || !result->offsets || !result->pools || !result->height_bytes ||
	    !result->bound_bytes)
		return -ENOMEM;
	return 0;
}

static int check_strategy(const struct run *run)
{
	const char *why;

	if (!run->strategy)
		return loom_place_fail(run->fault, -EINVAL, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				       "there is no strategy '%.80s'", run->options->strategy);
	why = refusal(run->strategy->limits, &run->ready.problem);
	if (why)
		return loom_place_fail(run->fault, -EINVAL, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				       "strategy '%s' %s", run->strategy->name, why);
	return 0;
}

int loom_place(const struct loom_place_problem *problem, const struct loom_place_options *options,
	       struct loom_place_result *result, struct loom_place_fault *fault)
{
	static const struct loom_place_options defaults;
	struct run run = {
		.options = options ? options : &defaults,
		.result = result,
		.fault = fault,
	};
	int ret;

	memset(result, 0, sizeof(*result));
	run.strategy = loom_place_strategy_find(run.options->strategy);
	ret = loom_place_resolve(&run.ready, problem, fault);
	if (!ret)
		ret = check_strategy(&run);
	if (!ret)
		ret = loom_place_possible(&run.ready, fault);
	if (!ret)
		ret = make_result(&run);
	if (!ret)
		ret = place_pools(&run);
	if (!ret) {
		sum_up(&run);
		weigh_conflicts(&run);
	} else {
		loom_place_result_free(result);
		if (ret == -ENOMEM)
			loom_place_fail(fault, ret, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
					"out of memory");
	}
	free(run.hints);
	loom_place_ready_clear(&run.ready);
	return ret;
}

void loom_place_result_free(struct loom_place_result *result)
{
	free(result->offsets);
	free(result->pools);
	free(result->height_bytes);
	free(result->bound_bytes);
	free(result->storages);
	free(result->storage_of);
	memset(result, 0, sizeof(*result));
}
