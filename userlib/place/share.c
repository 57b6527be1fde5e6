// SPDX-License-Identifier: MIT
/* What is in one pool, as a problem of its own. See place.h. */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void loom_place_share_clear(struct loom_place_share *share)
{
	free(share->items);
	free(share->ops);
	free(share->operands);
	free(share->apart);
	free(share->conflicts);
	free(share->global);
	free(share->local);
}

static void share_ops(struct loom_place_share *share, const struct loom_place_problem *all)
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

static int share_items(struct loom_place_share *share, const struct loom_place_ready *ready,
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
	for (i = 0; i < ready->problem.num_conflicts && ready->pools[pool].sub_bank_bytes; i++) {
		const struct loom_place_pair *pair = &ready->problem.conflicts[i];

		if (pools[pair->first] == pool && pools[pair->second] == pool)
			share->conflicts[own->num_conflicts++] = (struct loom_place_pair){
				share->local[pair->first], share->local[pair->second],
				pair->weight,
			};
	}
	return 0;
}

int loom_place_share_make(struct loom_place_share *share, const struct loom_place_ready *ready,
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
	share->conflicts = calloc((size_t)all->num_conflicts + 1, sizeof(*share->conflicts));
	share->global = calloc(n, sizeof(*share->global));
	share->local = calloc(n, sizeof(*share->local));
	if (!share->items || !share->ops || !share->operands || !share->apart ||
	    !share->conflicts || !share->global || !share->local)
		return -ENOMEM;
	ret = share_items(share, ready, pools, pool, fault);
	if (ret)
		return ret;
	share_ops(share, all);
	own->items = share->items;
	own->apart = share->apart;
	own->conflicts = share->conflicts;
	if (all->ops) {
		own->ops = share->ops;
		own->num_ops = all->num_ops;
	}
	share->task.capacity_bytes = ready->pools[pool].capacity_bytes;
	share->task.budget = options->budget;
	if (!options->budget)
		share->task.budget = LOOM_PLACE_BUDGET /
				     (1 + own->num_items / LOOM_PLACE_BUDGET_ITEMS);
	share->task.fit_only = options->fit_only;
	return 0;
}

/* A bound of what is in the share; fixed items end where they end. */
int loom_place_share_bound(const struct loom_place_share *share, uint64_t *bound_bytes)
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
