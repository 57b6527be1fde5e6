// SPDX-License-Identifier: MIT
/* Common parts of all strategies: pools, conflicts, the result. See DOC: Placing, place.h. */
#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loom_core.h"

/* Limits of the enumeration of assignments: items, those of them with a choice, searches. */
#define MAX_DEAL_PROBLEM	200
#define MAX_DEAL_ITEMS		24
#define MAX_DEAL_WORK		6000
#define DEAL_FAILURE		20
#define DEAL_BUDGET		5000ULL

/* --- one pool --------------------------------------------------------------------------------- */

/* Appends the storages of a pool to those of the pools before it. */
static int add_storages(struct loom_place_result *result, const struct loom_place_subproblem *sub,
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
	for (i = 0; i < sub->task.problem.num_items; i++)
		if (answer->storage_of[i] != LOOM_PLACE_NONE)
			result->storage_of[sub->global[i]] = result->num_storages +
							       answer->storage_of[i];
	result->num_storages = total;
	return 0;
}

/* A call of loom_place(). */
struct run {
	const struct loom_place_strategy *strategy;
	const struct loom_place_options *options;	/* the caller's */
	struct loom_place_resolved resolved;		/* the problem */
	struct loom_place_result *result;		/* the caller's */
	/* by item: an offset of a known placement of its pool */
	uint64_t *hints;
	struct loom_place_fault *fault;			/* the caller's, or NULL */
	int64_t deadline_ns;				/* for all pools together, or 0 */
};

/* The next pool of the set @pools after @pool, in ascending order of cost; or LOOM_PLACE_NONE. */
static uint32_t next_pool(const struct loom_place_resolved *resolved, uint32_t pools, uint32_t pool)
{
	uint32_t best = LOOM_PLACE_NONE, p;

	for (p = 0; p < resolved->problem.num_pools; p++) {
		if (!(pools >> p & 1))
			continue;
		if (pool != LOOM_PLACE_NONE &&
		    (resolved->pools[p].cost < resolved->pools[pool].cost ||
		     (resolved->pools[p].cost == resolved->pools[pool].cost && p <= pool)))
			continue;
		if (best == LOOM_PLACE_NONE || resolved->pools[p].cost < resolved->pools[best].cost)
			best = p;
	}
	return best;
}

/* Moves items that end above the capacity to their next pools. Returns false if one has none. */
static bool spill(struct run *run, const struct loom_place_subproblem *sub,
		  const struct loom_place_answer *answer, uint32_t pool)
{
	const struct loom_place_problem *problem = &sub->task.problem;
	uint64_t end;
	uint32_t i, next;

	for (i = 0; i < problem->num_items; i++) {
		if (!loom_place_has_room(&problem->items[i]))
			continue;
		end = answer->offsets[i] + problem->items[i].size_bytes;
		if (answer->storages)
			end = answer->storages[answer->storage_of[i]].offset +
			      answer->storages[answer->storage_of[i]].size_bytes;
		if (end <= sub->task.capacity_bytes)
			continue;
		next = next_pool(&run->resolved, problem->items[i].pools, pool);
		if (next == LOOM_PLACE_NONE)
			return false;
		run->result->pools[sub->global[i]] = next;
	}
	for (i = 0; i < problem->num_items; i++)
		if (loom_place_is_alias(&problem->items[i]))
			run->result->pools[sub->global[i]] =
				run->result->pools[sub->global[problem->items[i].alias]];
	return true;
}

static int too_high(struct run *run, uint64_t height, const struct loom_place_subproblem *sub,
		    const struct loom_place_answer *answer, uint32_t pool)
{
	const unsigned long long capacity = sub->task.capacity_bytes;
	const bool alone = run->resolved.problem.num_pools == 1;

	if (alone && answer->bound_bytes > capacity)
		return loom_place_no_space(run->fault, LOOM_PLACE_NONE, 1, answer->bound_bytes,
					   capacity, "every placement needs");
	/* with several pools, the bound holds for this distribution only: another may fit */
	if (alone)
		loom_place_fail(run->fault, -ENOSPC, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				"found nothing lower than %llu, the capacity is %llu; at least %llu are needed",
				(unsigned long long)height, capacity,
				(unsigned long long)answer->bound_bytes);
	else
		loom_place_fail(run->fault, -ENOSPC, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				"found no distribution that fits: in the last one, pool %u ends at %llu, its capacity is %llu",
				pool, (unsigned long long)height, capacity);
	if (run->fault)
		run->fault->pools = 1U << pool;
	return -ENOSPC;
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

/*
 * Places the items of @pool. Returns 1 if some were moved to other pools: they must be placed
 * again.
 */
static int place_subproblem(struct run *run, struct loom_place_subproblem *sub,
			    struct loom_place_answer *answer, uint32_t pool)
{
	struct loom_place_result *result = run->result;
	const struct loom_place_problem *problem = &sub->task.problem;
	uint64_t height, limit;
	uint32_t i;
	int ret;

	ret = loom_place_call(run->strategy, &sub->task, answer);
	if (!ret)
		ret = check_offsets(problem, answer->offsets);
	if (ret == -ERANGE)
		loom_place_fail(run->fault, ret, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				"offsets leave 63 bits");
	if (ret == -EINVAL)
		loom_place_fail(run->fault, ret, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				"operators and items do not fit together");
	if (ret)
		return ret;
	height = loom_place_height(problem, answer->offsets);
	/* a storage may be larger than any of its items */
	for (i = 0; i < answer->num_storages; i++)
		height = max(height, answer->storages[i].offset + answer->storages[i].size_bytes);
	if (height > sub->task.capacity_bytes)
		return spill(run, sub, answer, pool) ? 1 :
						       too_high(run, height, sub, answer, pool);
	limit = height;
	if (problem->num_conflicts && run->strategy->reduces_conflicts) {
		if (sub->task.capacity_bytes < INT64_MAX)
			limit = sub->task.capacity_bytes;
		ret = loom_place_reduce_conflicts(&sub->task,
						  run->resolved.pools[pool].sub_bank_bytes,
						  limit, answer->offsets);
		if (ret)
			return ret;
		height = loom_place_height(problem, answer->offsets);
	}
	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]))
			result->offsets[sub->global[i]] = answer->offsets[i];
	result->height_bytes[pool] = height;
	result->bound_bytes[pool] = answer->bound_bytes;
	result->nodes += answer->nodes;
	if (height)
		result->strategy = answer->strategy;
	if (answer->storages)
		ret = add_storages(result, sub, answer, pool, run->resolved.problem.num_items);
	return ret;
}

/* Decides which items stay in @pool, and moves the others to their next pools. */
static int choose_for_pool(struct run *run, const struct loom_place_subproblem *sub, uint32_t pool,
			   struct loom_place_choice *choice)
{
	const struct loom_place_problem *problem = &sub->task.problem;
	struct loom_place_loss *losses = calloc((size_t)problem->num_items + 1, sizeof(*losses));
	uint32_t i, next, owner;
	int ret = -ENOMEM;

	if (!losses)
		return ret;
	for (i = 0; i < problem->num_items; i++) {
		next = next_pool(&run->resolved, problem->items[i].pools, pool);
		losses[i].must = next == LOOM_PLACE_NONE;
		if (!losses[i].must && loom_place_has_room(&problem->items[i]))
			losses[i].loss = loom_place_cost(&problem->items[i],
							 run->resolved.pools[next].cost -
							 run->resolved.pools[pool].cost);
	}
	ret = loom_place_choose(&sub->task, losses, choice);
	for (i = 0; i < problem->num_items && !ret; i++) {
		owner = loom_place_owner(problem->items, i);
		if (choice->fits)
			run->hints[sub->global[i]] = choice->offsets[i];
		if (!choice->keep[owner])
			run->result->pools[sub->global[i]] =
				next_pool(&run->resolved, problem->items[owner].pools, pool);
	}
	free(losses);
	return ret;
}

static int choose_pool(struct run *run, uint32_t pool, bool *fits)
{
	size_t n = (size_t)run->resolved.problem.num_items + 1;
	struct loom_place_choice choice = {
		.keep = calloc(n, sizeof(*choice.keep)),
		.offsets = calloc(n, sizeof(*choice.offsets)),
	};
	struct loom_place_subproblem sub;
	int ret;

	ret = loom_place_subproblem_make(&sub, &run->resolved, run->result->pools, pool,
					 run->options, run->fault);
	sub.task.deadline_ns = run->deadline_ns;
	if (!choice.keep || !choice.offsets)
		ret = -ENOMEM;
	if (!ret)
		ret = choose_for_pool(run, &sub, pool, &choice);
	*fits = choice.fits;
	loom_place_subproblem_clear(&sub);
	free(choice.keep);
	free(choice.offsets);
	return ret;
}

/*
 * @hints: by item of the problem: a known placement of @pool; or NULL
 * @spilled: [out] some items were moved to other pools
 */
static int place_pool(struct run *run, uint32_t pool, const uint64_t *hints, bool *spilled)
{
	struct loom_place_answer answer;
	uint64_t *sub_hints = NULL;
	struct loom_place_subproblem sub;
	uint32_t i;
	int ret;

	*spilled = false;
	do {
		memset(&answer, 0, sizeof(answer));
		answer.strategy = run->strategy->name;
		ret = loom_place_subproblem_make(&sub, &run->resolved, run->result->pools, pool,
						 run->options, run->fault);
		sub.task.deadline_ns = run->deadline_ns;
		if (!ret && hints) {
			sub_hints = calloc((size_t)sub.task.problem.num_items + 1,
					   sizeof(*sub_hints));
			if (!sub_hints)
				ret = -ENOMEM;
			for (i = 0; i < sub.task.problem.num_items && !ret; i++)
				sub_hints[i] = hints[sub.global[i]];
			sub.task.hint = sub_hints;
		}
		if (!ret)
			ret = loom_place_find_bound(&sub.task.problem, &run->resolved.peak,
						    &answer.bound_bytes);
		if (ret == -ERANGE)
			loom_place_fail(run->fault, ret, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
					"offsets leave 63 bits");
		answer.offsets = calloc((size_t)sub.task.problem.num_items + 1,
					sizeof(*answer.offsets));
		if (!ret && !answer.offsets)
			ret = -ENOMEM;
		if (!ret)
			ret = place_subproblem(run, &sub, &answer, pool);
		loom_place_subproblem_clear(&sub);
		free(answer.offsets);
		free(answer.storages);
		free(answer.storage_of);
		free(sub_hints);
		sub_hints = NULL;
		*spilled = *spilled || ret == 1;
	} while (ret == 1);
	return ret;
}

/* --- all pools -------------------------------------------------------------------------------- */

/*
 * Distributes the items that are in no pool of the set @done: from the cheapest pool after @pool
 * on, each keeps the items with the largest losses. @fits: [out] by pool: a placement is known
 */
static int choose_pools(struct run *run, uint32_t pool, uint32_t done, bool *fits)
{
	const struct loom_place_resolved *resolved = &run->resolved;
	const struct loom_place_item *owner;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < resolved->problem.num_items; i++) {
		owner = &resolved->items[loom_place_owner(resolved->items, i)];
		if (!(done >> run->result->pools[i] & 1))
			run->result->pools[i] = next_pool(resolved, owner->pools, pool);
	}
	while (!ret && (pool = next_pool(resolved, UINT32_MAX, pool)) != LOOM_PLACE_NONE)
		ret = choose_pool(run, pool, &fits[pool]);
	return ret;
}

/* Enumeration of the assignments of few items to pools. */
struct deal {
	struct run *run;			/* the call */
	/* items with a choice, by descending difference in cost */
	uint32_t order[MAX_DEAL_ITEMS + 1];
	/* by position in @order: least cost of the items from there on */
	uint64_t rest[MAX_DEAL_ITEMS + 1];
	uint32_t num_order;			/* number of @order */
	uint32_t *pools;			/* by item: its pool, or LOOM_PLACE_NONE */
	uint64_t *offsets;			/* by item: a placement of the pools tried last */
	uint64_t best;				/* cost of the cheapest assignment so far */
	uint32_t work;				/* placements tried; failures count more */
};

static uint64_t deal_cost(const struct deal *deal, uint32_t item, uint32_t pool)
{
	return loom_place_cost(&deal->run->resolved.items[item],
				     deal->run->resolved.pools[pool].cost);
}

/* Whether a placement of the items assigned to @pool is found; [out] @offsets. */
static int deal_fits(struct deal *deal, uint32_t pool, bool *fits)
{
	const struct loom_place_resolved *resolved = &deal->run->resolved;
	struct loom_place_subproblem sub;
	uint64_t *offsets = NULL;
	uint32_t i;
	int ret;

	*fits = false;
	for (i = 0; i < resolved->problem.num_items; i++)
		deal->pools[i] = deal->pools[loom_place_owner(resolved->items, i)];
	ret = loom_place_subproblem_make(&sub, resolved, deal->pools, pool, deal->run->options,
					 NULL);
	sub.task.deadline_ns = deal->run->deadline_ns;
	sub.task.budget = min(sub.task.budget, DEAL_BUDGET);
	if (!ret) {
		offsets = calloc((size_t)sub.task.problem.num_items + 1, sizeof(*offsets));
		ret = offsets ? loom_place_try_to_fit(&sub.task, sub.task.problem.items, offsets,
						      fits) : -ENOMEM;
	}
	for (i = 0; i < sub.task.problem.num_items && *fits; i++)
		deal->offsets[sub.global[i]] = offsets[i];
	deal->work += *fits ? 1 : DEAL_FAILURE;
	loom_place_subproblem_clear(&sub);
	free(offsets);
	return ret == -ERANGE ? 0 : ret;
}

/*
 * Enumerates the assignments that share the first @depth items, which cost @cost: each item in the
 * cheapest pool first. Branches end where they cost too much, or a pool has no placement.
 */
static int try_deals(struct deal *deal, uint32_t depth, uint64_t cost, bool *better)
{
	const struct loom_place_resolved *resolved = &deal->run->resolved;
	const uint32_t n = resolved->problem.num_items, item = deal->order[depth];
	uint32_t pool;
	bool fits = true;
	uint64_t next;
	int ret = 0;

	if (depth == deal->num_order) {
		for (pool = 0; pool < resolved->problem.num_pools && fits && !ret; pool++)
			ret = deal_fits(deal, pool, &fits);
		if (ret || !fits)
			return ret;
		*better = true;
		deal->best = cost;
		memcpy(deal->run->result->pools, deal->pools, n * sizeof(*deal->pools));
		memcpy(deal->run->hints, deal->offsets, n * sizeof(*deal->offsets));
		return 0;
	}
	for (pool = next_pool(resolved, resolved->items[item].pools, LOOM_PLACE_NONE);
	     pool != LOOM_PLACE_NONE && !ret;
	     pool = next_pool(resolved, resolved->items[item].pools, pool)) {
		next = cost + deal_cost(deal, item, pool);
		if (next + deal->rest[depth + 1] >= deal->best || deal->work > MAX_DEAL_WORK ||
		    !loom_place_left_ns(deal->run->deadline_ns))
			break;
		deal->pools[item] = pool;
		ret = deal_fits(deal, pool, &fits);
		if (!ret && fits)
			ret = try_deals(deal, depth + 1, next, better);
	}
	deal->pools[item] = LOOM_PLACE_NONE;
	return ret;
}

/* Cost of an item in its dearest pool, less that in its cheapest: @least. */
static uint64_t stake(const struct deal *deal, uint32_t item, uint64_t *least)
{
	const struct loom_place_resolved *resolved = &deal->run->resolved;
	uint32_t pool = next_pool(resolved, resolved->items[item].pools, LOOM_PLACE_NONE), last;

	*least = deal_cost(deal, item, pool);
	for (last = pool; pool != LOOM_PLACE_NONE;
	     pool = next_pool(resolved, resolved->items[item].pools, pool))
		last = pool;
	return deal_cost(deal, item, last) - *least;
}

/* Assigns the items without a choice, and sorts the others. Returns false if those are too many. */
static bool begin_deal(struct deal *deal, uint64_t *cost)
{
	const struct loom_place_resolved *resolved = &deal->run->resolved;
	uint64_t least, other;
	uint32_t i, k;

	for (i = 0; i < resolved->problem.num_items; i++) {
		deal->pools[i] = deal->run->result->pools[i];
		if (!loom_place_has_room(&resolved->items[i]))
			continue;
		if (!(resolved->items[i].pools & (resolved->items[i].pools - 1))) {
			*cost += deal_cost(deal, i, deal->pools[i]);
			continue;
		}
		if (deal->num_order == MAX_DEAL_ITEMS)
			return false;
		for (k = deal->num_order++;
		     k && stake(deal, deal->order[k - 1], &other) < stake(deal, i, &least); k--)
			deal->order[k] = deal->order[k - 1];
		deal->order[k] = i;
		deal->pools[i] = LOOM_PLACE_NONE;
	}
	for (k = deal->num_order; k--;) {
		stake(deal, deal->order[k], &least);
		deal->rest[k] = deal->rest[k + 1] + least;
	}
	return deal->num_order;
}

/* Replaces the distribution by a cheaper one, if one is found; [out] @fits: by pool. */
static int deal_out(struct run *run, bool *fits)
{
	const struct loom_place_resolved *resolved = &run->resolved;
	const size_t n = resolved->problem.num_items;
	struct deal deal = { .run = run, .best = UINT64_MAX };
	uint64_t cost = 0, now = 0;
	bool better = false, all = true;
	uint32_t i;
	int ret = -ENOMEM;

	if (n > MAX_DEAL_PROBLEM)
		return 0;
	deal.pools = calloc(n + 1, sizeof(*deal.pools));
	deal.offsets = calloc(n + 1, sizeof(*deal.offsets));
	for (i = 0; i < n; i++)
		if (loom_place_has_room(&resolved->items[i]))
			now += deal_cost(&deal, i, run->result->pools[i]);
	for (i = 0; i < resolved->problem.num_pools; i++)
		all = all && fits[i];
	if (all)
		deal.best = now;
	if (deal.pools && deal.offsets)
		ret = begin_deal(&deal, &cost) ? try_deals(&deal, 0, cost, &better) : 0;
	for (i = 0; i < resolved->problem.num_pools && better; i++)
		fits[i] = true;
	free(deal.pools);
	free(deal.offsets);
	return ret;
}

static int place_pools(struct run *run)
{
	const struct loom_place_resolved *resolved = &run->resolved;
	bool fits[LOOM_PLACE_MAX_POOLS] = { false }, spilled;
	uint32_t pool = LOOM_PLACE_NONE, done = 0;
	int ret;

	if (resolved->problem.num_pools == 1)
		return place_pool(run, 0, NULL, &spilled);
	ret = choose_pools(run, pool, done, fits);
	if (!ret)
		ret = deal_out(run, fits);
	while (!ret && (pool = next_pool(resolved, UINT32_MAX, pool)) != LOOM_PLACE_NONE) {
		ret = place_pool(run, pool, fits[pool] ? run->hints : NULL, &spilled);
		done |= 1U << pool;
		/* moved items change the best choice for the rest */
		if (!ret && spilled)
			ret = choose_pools(run, pool, done, fits);
	}
	return ret;
}

/*
 * Raises @needed to the lower bound of the items that fit in @pool only, as if it had no capacity:
 * the height that a caller must provide does not depend on the capacity that was too small.
 */
static int raise_needed(struct run *run, uint32_t pool, uint64_t *needed)
{
	const struct loom_place_resolved *resolved = &run->resolved;
	size_t n = (size_t)resolved->problem.num_items + 1;
	uint32_t *pools = calloc(n, sizeof(*pools)), i;
	struct loom_place_options options = *run->options;
	struct loom_place_answer answer = {
		.offsets = calloc(n, sizeof(*answer.offsets)), .strategy = run->strategy->name,
	};
	struct loom_place_subproblem sub = { 0 };
	int ret = -ENOMEM;

	options.fit_only = false;
	for (i = 0; i < resolved->problem.num_items && pools; i++) {
		const uint32_t owner = loom_place_owner(resolved->items, i);
		const bool allowed = resolved->items[owner].pools >> pool & 1;
		const uint32_t others = loom_place_pools_of(resolved, owner) & ~(1U << pool);

		pools[i] = allowed && !others ? pool : LOOM_PLACE_NONE;
	}
	if (pools && answer.offsets)
		ret = loom_place_subproblem_make(&sub, resolved, pools, pool, &options, NULL);
	if (!ret)
		ret = loom_place_find_bound(&sub.task.problem, &resolved->peak,
					    &answer.bound_bytes);
	answer.bound_bytes = max(answer.bound_bytes, *needed);
	sub.task.capacity_bytes = INT64_MAX;
	sub.task.deadline_ns = run->deadline_ns;
	if (!ret)
		ret = loom_place_call(run->strategy, &sub.task, &answer);
	if (!ret)
		*needed = answer.bound_bytes;
	loom_place_subproblem_clear(&sub);
	free(pools);
	free(answer.offsets);
	free(answer.storages);
	free(answer.storage_of);
	return ret;
}

/* Raises the number of a refusal to the largest that can be proved, if one pool falls short. */
static void refine_refusal(struct run *run)
{
	const struct loom_place_resolved *resolved = &run->resolved;
	struct loom_place_fault *fault = run->fault;
	const uint32_t pools = fault->missing_bytes ? fault->pools : UINT32_MAX;
	uint64_t capacity, before, needed;
	uint32_t p;

	/* no bound was proved for a single pool, so the message gives no number */
	if (!fault->missing_bytes && resolved->problem.num_pools == 1)
		return;
	for (p = 0; p < resolved->problem.num_pools; p++) {
		if (pools != UINT32_MAX && pools != 1U << p)
			continue;
		capacity = resolved->pools[p].capacity_bytes;
		before = capacity + fault->missing_bytes;
		needed = fault->missing_bytes ? before : 0;
		if (raise_needed(run, p, &needed) || needed <= before)
			continue;
		loom_place_no_space(fault, LOOM_PLACE_NONE, 1U << p, needed, capacity,
				    "every placement needs");
		return;
	}
}

static void sum_up(struct run *run)
{
	const struct loom_place_resolved *resolved = &run->resolved;
	struct loom_place_result *result = run->result;
	bool cheapest = true;
	uint32_t i;

	result->proved = true;
	for (i = 0; i < resolved->problem.num_items; i++) {
		const struct loom_place_item *item = &resolved->items[i];

		if (loom_place_is_alias(item)) {
			result->offsets[i] = result->offsets[item->alias] + item->alias_offset;
		} else if (!item->size_bytes) {
			result->offsets[i] = loom_place_is_fixed(item) ? item->fixed : 0;
		} else {
			result->spill_cost +=
				loom_place_cost(item, resolved->pools[result->pools[i]].cost);
			cheapest = cheapest && result->pools[i] ==
					       next_pool(resolved, item->pools, LOOM_PLACE_NONE);
		}
	}
	for (i = 0; i < result->num_pools; i++)
		result->proved = result->proved &&
				 result->height_bytes[i] <= result->bound_bytes[i];
	result->proved = result->proved && cheapest;
}

static bool share_sub_bank(const struct loom_place_resolved *resolved,
			   const struct loom_place_result *result, uint32_t a, uint32_t b)
{
	uint64_t size = resolved->pools[result->pools[a]].sub_bank_bytes;

	if (!size || result->pools[a] != result->pools[b] || !resolved->items[a].size_bytes ||
	    !resolved->items[b].size_bytes)
		return false;
	return result->offsets[a] / size <=
	       (result->offsets[b] + resolved->items[b].size_bytes - 1) / size &&
	       result->offsets[b] / size <=
	       (result->offsets[a] + resolved->items[a].size_bytes - 1) / size;
}

static void weigh_conflicts(struct run *run)
{
	struct loom_place_result *result = run->result;
	uint32_t i;

	for (i = 0; i < run->resolved.problem.num_conflicts; i++) {
		const struct loom_place_pair *pair = &run->resolved.problem.conflicts[i];

		if (share_sub_bank(&run->resolved, result, pair->first, pair->second))
			result->conflict_weight += pair->weight;
	}
}

static int make_result(struct run *run)
{
	struct loom_place_result *result = run->result;
	size_t n = (size_t)run->resolved.problem.num_items + 1;

	result->strategy = run->strategy->name;
	result->num_pools = run->resolved.problem.num_pools;
	run->hints = calloc(result->num_pools > 1 ? n : 1, sizeof(*run->hints));
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
	why = loom_place_refusal(run->strategy, &run->resolved.problem);
	if (why)
		return loom_place_fail(run->fault, -EINVAL, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				       "strategy '%s' %s", run->strategy->name, why);
	return 0;
}

/*
 * Checks that sums of costs fit in 64 bits for any distribution: costs that overflow cannot be
 * compared. Weights of conflicts are added up from both sides.
 */
static int check_costs(const struct run *run)
{
	const struct loom_place_resolved *resolved = &run->resolved;
	uint64_t sum = 0, most;
	uint32_t i, p;

	for (i = 0; i < resolved->problem.num_items; i++) {
		const struct loom_place_item *item = &resolved->items[i];

		if (!loom_place_has_room(item))
			continue;
		for (p = 0, most = 0; p < resolved->problem.num_pools; p++)
			if (item->pools >> p & 1)
				most = max(most, resolved->pools[p].cost);
		if (__builtin_mul_overflow(item->size_bytes, most, &most) ||
		    __builtin_mul_overflow(most, item->weight ? item->weight : 1, &most) ||
		    __builtin_add_overflow(sum, most, &sum))
			return loom_place_fail(run->fault, -ERANGE, i, LOOM_PLACE_NONE,
					       "the sum of the costs exceeds 64 bits");
	}
	for (i = 0, sum = 0; i < resolved->problem.num_conflicts; i++)
		if (__builtin_add_overflow(sum, resolved->problem.conflicts[i].weight, &sum) ||
		    sum > INT64_MAX)
			return loom_place_fail(run->fault, -ERANGE,
					       resolved->problem.conflicts[i].first,
					       resolved->problem.conflicts[i].second,
					       "the sum of the weights of conflicts leaves 63 bits");
	return 0;
}

static int64_t deadline_after(uint64_t time_ns)
{
	struct timespec now;
	int64_t deadline;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	deadline = now.tv_sec * 1000000000LL + now.tv_nsec;
	return time_ns > (uint64_t)(INT64_MAX - deadline) ? INT64_MAX :
							     deadline + (int64_t)time_ns;
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
	const int saved = errno;
	int ret;

	memset(result, 0, sizeof(*result));
	if (!problem)
		return loom_place_fail(fault, -EINVAL, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				       "there is no problem");
	if (run.options->time_ns)
		run.deadline_ns = deadline_after(run.options->time_ns);
	run.strategy = loom_place_strategy_find(run.options->strategy);
	ret = loom_place_resolve(&run.resolved, problem, fault);
	if (!ret)
		ret = check_strategy(&run);
	if (!ret)
		ret = check_costs(&run);
	if (!ret)
		ret = loom_place_check_feasible(&run.resolved, fault);
	if (!ret)
		ret = make_result(&run);
	if (!ret)
		ret = place_pools(&run);
	if (!ret) {
		sum_up(&run);
		weigh_conflicts(&run);
	} else {
		if (ret == -ENOSPC && fault)
			refine_refusal(&run);
		loom_place_result_free(result);
		if (ret == -ENOMEM)
			loom_place_fail(fault, ret, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
					"out of memory");
	}
	free(run.hints);
	loom_place_resolved_clear(&run.resolved);
	errno = saved;
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
