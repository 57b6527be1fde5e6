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

/* --- what cannot be, whoever places ---------------------------------------------------------- */

static int check_fixed_pairs(const struct loom_place_ready *ready, struct loom_place_fault *fault)
{
	uint32_t n = ready->problem.num_items, i;
	uint64_t *at = calloc((size_t)n + 1, sizeof(*at));
	uint32_t *pools = calloc((size_t)n + 1, sizeof(*pools));
	int ret = at && pools ? 0 : -ENOMEM;

	for (i = 0; i < n && !ret; i++) {
		at[i] = ready->items[i].fixed;
		pools[i] = __builtin_ctz(ready->items[i].pools);
	}
	if (!ret)
		ret = loom_place_sweep(&ready->problem, at, pools, true, fault);
	for (i = 0; i < ready->problem.num_apart && !ret; i++) {
		const struct loom_place_pair *pair = &ready->apart[i];
		const struct loom_place_item *a = &ready->items[pair->first];
		const struct loom_place_item *b = &ready->items[pair->second];

		if (a->fixed != LOOM_PLACE_ANYWHERE && b->fixed != LOOM_PLACE_ANYWHERE &&
		    a->pools == b->pools && a->fixed < b->fixed + b->size_bytes &&
		    b->fixed < a->fixed + a->size_bytes)
			ret = loom_place_fail(fault, -EINVAL, pair->first, pair->second,
					      "fixed on one another, and to be kept apart");
	}
	if (ret == -EBADMSG)
		ret = loom_place_fail(fault, -EINVAL, fault ? fault->first : 0,
				      fault ? fault->second : 0,
				      "fixed on one another, and alive together");
	free(at);
	free(pools);
	return ret;
}

/* @needed is proved. */
static int no_space(struct loom_place_fault *fault, uint32_t item, uint64_t needed,
		    uint64_t capacity, const char *what)
{
	loom_place_fail(fault, -ENOSPC, item, LOOM_PLACE_NONE,
			"%s %llu bytes, %llu more than the capacity of %llu", what,
			(unsigned long long)needed, (unsigned long long)(needed - capacity),
			(unsigned long long)capacity);
	if (fault)
		fault->missing_bytes = needed - capacity;
	return -ENOSPC;
}

static int check_sizes(const struct loom_place_ready *ready, struct loom_place_fault *fault)
{
	uint32_t i, p;

	for (i = 0; i < ready->problem.num_items; i++) {
		const struct loom_place_item *item = &ready->items[i];
		uint64_t end = item->size_bytes, most = 0;

		if (!loom_place_has_room(item))
			continue;
		for (p = 0; p < ready->problem.num_pools; p++)
			if (item->pools >> p & 1 && most < ready->pools[p].capacity_bytes)
				most = ready->pools[p].capacity_bytes;
		if (item->fixed != LOOM_PLACE_ANYWHERE)
			end += item->fixed;
		if (end > most)
			return no_space(fault, i, end, most, "needs");
	}
	return 0;
}

/* What may only go to @pools, at the moment at which it is most. */
static int check_peak(const struct loom_place_ready *ready, uint32_t pools,
		      struct loom_place_fault *fault)
{
	struct loom_place_problem some = ready->problem;
	struct loom_place_item *items = calloc((size_t)some.num_items + 1, sizeof(*items));
	struct loom_place_peak peak;
	uint64_t capacity = 0;
	char what[64];
	uint32_t i;
	int ret;

	if (!items)
		return -ENOMEM;
	for (i = 0; i < some.num_items; i++) {
		items[i] = ready->items[i];
		if (items[i].pools & ~pools)
			items[i].size_bytes = 0;
	}
	for (i = 0; i < some.num_pools; i++)
		if (pools >> i & 1 &&
		    (__builtin_add_overflow(capacity, ready->pools[i].capacity_bytes, &capacity) ||
		     capacity > INT64_MAX))
			capacity = INT64_MAX;
	some.items = items;
	ret = loom_place_find_peak(&some, &peak);
	snprintf(what, sizeof(what), "what is alive at moment %lld needs", (long long)peak.moment);
	if (ret == -ERANGE)
		loom_place_fail(fault, ret, peak.culprit, LOOM_PLACE_NONE,
				"the sum of what is alive leaves 63 bits");
	else if (!ret && peak.bytes > capacity)
		ret = no_space(fault, LOOM_PLACE_NONE, peak.bytes, capacity, what);
	free(items);
	return ret;
}

static int check_peaks(const struct loom_place_ready *ready, struct loom_place_fault *fault)
{
	uint32_t seen[LOOM_PLACE_MAX_POOLS + 1], num_seen = 0, i, k;
	int ret;

	/* every set of pools that items have, as long as these are few, and all together */
	seen[num_seen++] = UINT32_MAX;
	for (i = 0; i < ready->problem.num_items && ready->problem.num_pools > 1; i++) {
		for (k = 0; k < num_seen && seen[k] != ready->items[i].pools; k++)
			;
		if (k == num_seen && num_seen < ARRAY_SIZE(seen))
			seen[num_seen++] = ready->items[i].pools;
	}
	for (k = 0; k < num_seen; k++) {
		ret = check_peak(ready, seen[k], fault);
		if (ret)
			return ret;
	}
	return 0;
}

static int check_possible(const struct loom_place_ready *ready, struct loom_place_fault *fault)
{
	int ret = check_fixed_pairs(ready, fault);

	if (!ret)
		ret = check_sizes(ready, fault);
	if (!ret)
		ret = check_peaks(ready, fault);
	return ret;
}

/* --- one pool --------------------------------------------------------------------------------- */

/**
 * struct share - what is in one pool, as a problem of its own
 * @task: the problem
 * @items: what @task points to
 * @ops: likewise
 * @operands: what @ops point to
 * @apart: what @task points to
 * @global: by item of the share: its number outside
 * @local: by number outside: its number in the share, or LOOM_PLACE_NONE
 */
struct share {
	struct loom_place_task task;
	struct loom_place_item *items;
	struct loom_place_op *ops;
	uint32_t *operands;
	struct loom_place_pair *apart;
	uint32_t *global;
	uint32_t *local;
};

static void share_clear(struct share *share)
{
	free(share->items);
	free(share->ops);
	free(share->operands);
	free(share->apart);
	free(share->global);
	free(share->local);
}

static void share_ops(struct share *share, const struct loom_place_problem *all)
{
	size_t n = 0;
	uint32_t i, k;

	for (i = 0; i < all->num_ops; i++) {
		const struct loom_place_op *op = &all->ops[i];
		struct loom_place_op *own = &share->ops[i];

		*own = *op;
		own->inputs = &share->operands[n];
		own->num_inputs = 0;
		for (k = 0; k < op->num_inputs; k++)
			if (share->local[op->inputs[k]] != LOOM_PLACE_NONE) {
				share->operands[n++] = share->local[op->inputs[k]];
				own->num_inputs++;
			}
		if (op->output != LOOM_PLACE_NONE)
			own->output = share->local[op->output];
		own->in_place = op->in_place && own->output != LOOM_PLACE_NONE;
	}
}

static int share_items(struct share *share, const struct loom_place_ready *ready,
		       const uint32_t *pools, uint32_t pool, struct loom_place_fault *fault)
{
	struct loom_place_problem *own = &share->task.problem;
	uint32_t i;

	for (i = 0; i < ready->problem.num_items; i++) {
		struct loom_place_item *item = &share->items[own->num_items];

		share->local[i] = LOOM_PLACE_NONE;
		if (pools[i] != pool)
			continue;
		*item = ready->items[i];
		if (item->alias != LOOM_PLACE_NONE)
			item->alias = share->local[item->alias];
		else if (!loom_place_join_align(&item->align_bytes,
						ready->pools[pool].align_bytes))
			return loom_place_fail(fault, -ERANGE, i, LOOM_PLACE_NONE,
					       "common alignment with its pool leaves 63 bits");
		share->global[own->num_items] = i;
		share->local[i] = own->num_items++;
	}
	for (i = 0; i < ready->problem.num_apart; i++) {
		const struct loom_place_pair *pair = &ready->apart[i];

		if (pools[pair->first] == pool && pools[pair->second] == pool)
			share->apart[own->num_apart++] = (struct loom_place_pair){
				share->local[pair->first], share->local[pair->second], 0,
			};
	}
	return 0;
}

static int share_make(struct share *share, const struct loom_place_ready *ready,
		      const uint32_t *pools, uint32_t pool,
		      const struct loom_place_options *options, struct loom_place_fault *fault)
{
	const struct loom_place_problem *all = &ready->problem;
	size_t n = (size_t)all->num_items + 1, num_operands = 1;
	struct loom_place_problem *own = &share->task.problem;
	uint32_t i;
	int ret;

	memset(share, 0, sizeof(*share));
	for (i = 0; i < all->num_ops; i++)
		num_operands += all->ops[i].num_inputs;
	share->items = calloc(n, sizeof(*share->items));
	share->ops = calloc((size_t)all->num_ops + 1, sizeof(*share->ops));
	share->operands = calloc(num_operands, sizeof(*share->operands));
	share->apart = calloc((size_t)all->num_apart + 1, sizeof(*share->apart));
	share->global = calloc(n, sizeof(*share->global));
	share->local = calloc(n, sizeof(*share->local));
	if (!share->items || !share->ops || !share->operands || !share->apart || !share->global ||
	    !share->local)
		return -ENOMEM;
	ret = share_items(share, ready, pools, pool, fault);
	if (ret)
		return ret;
	share_ops(share, all);
	own->items = share->items;
	own->apart = share->apart;
	if (all->ops) {
		own->ops = share->ops;
		own->num_ops = all->num_ops;
	}
	share->task.capacity_bytes = ready->pools[pool].capacity_bytes;
	share->task.budget = options->budget ? options->budget : LOOM_PLACE_BUDGET;
	share->task.fit_only = options->fit_only;
	return 0;
}

/* A bound of what is in the share; fixed items end where they end. */
static int share_bound(const struct share *share, uint64_t *bound_bytes)
{
	const struct loom_place_problem *own = &share->task.problem;
	struct loom_place_peak peak;
	uint32_t i;
	int ret = loom_place_find_peak(own, &peak);

	*bound_bytes = peak.bytes;
	for (i = 0; i < own->num_items; i++)
		if (loom_place_has_room(&own->items[i]) &&
		    own->items[i].fixed != LOOM_PLACE_ANYWHERE &&
		    *bound_bytes < own->items[i].fixed + own->items[i].size_bytes)
			*bound_bytes = own->items[i].fixed + own->items[i].size_bytes;
	return ret;
}

/* The storages of a pool join those of the pools before it. */
static int take_storages(struct loom_place_result *result, const struct share *share,
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
 * @fault: what is wrong
 */
struct run {
	const struct loom_place_strategy *strategy;
	const struct loom_place_options *options;
	struct loom_place_ready ready;
	struct loom_place_result *result;
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
static bool spill(struct run *run, const struct share *share,
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

static int too_high(struct run *run, uint64_t height, const struct share *share,
		    const struct loom_place_answer *answer)
{
	/* with more pools than one, others may hold what is in the way here */
	if (answer->bound_bytes > share->task.capacity_bytes && run->ready.problem.num_pools == 1)
		return no_space(run->fault, LOOM_PLACE_NONE, answer->bound_bytes,
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
static int place_share(struct run *run, struct share *share, struct loom_place_answer *answer,
		       uint32_t pool)
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

static int place_pool(struct run *run, uint32_t pool)
{
	struct loom_place_answer answer;
	struct share share;
	int ret;

	do {
		memset(&answer, 0, sizeof(answer));
		answer.strategy = run->strategy->name;
		ret = share_make(&share, &run->ready, run->result->pools, pool, run->options,
				 run->fault);
		if (!ret)
			ret = share_bound(&share, &answer.bound_bytes);
		answer.offsets = calloc((size_t)share.task.problem.num_items + 1,
					sizeof(*answer.offsets));
		if (!ret && !answer.offsets)
			ret = -ENOMEM;
		if (!ret)
			ret = place_share(run, &share, &answer, pool);
		share_clear(&share);
		free(answer.offsets);
		free(answer.storages);
		free(answer.storage_of);
	} while (ret == 1);
	return ret;
}

/* --- all pools -------------------------------------------------------------------------------- */

static uint32_t owner_of(const struct loom_place_item *items, uint32_t i)
{
	return items[i].alias == LOOM_PLACE_NONE ? i : items[i].alias;
}

static int place_pools(struct run *run)
{
	const struct loom_place_ready *ready = &run->ready;
	uint32_t pool, i;
	int ret;

	for (i = 0; i < ready->problem.num_items; i++)
		run->result->pools[i] = next_pool(ready,
						  ready->items[owner_of(ready->items, i)].pools,
						  LOOM_PLACE_NONE);
	pool = next_pool(ready, UINT32_MAX, LOOM_PLACE_NONE);
	while (pool != LOOM_PLACE_NONE) {
		ret = place_pool(run, pool);
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
	result->offsets = calloc(n, sizeof(*result->offsets));
	result->pools = calloc(n, sizeof(*result->pools));
	result->height_bytes = calloc(result->num_pools, sizeof(*result->height_bytes));
	result->bound_bytes = calloc(result->num_pools, sizeof(*result->bound_bytes));
	if (!result->offsets || !result->pools || !result->height_bytes || !result->bound_bytes)
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
		ret = check_possible(&run.ready, fault);
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
