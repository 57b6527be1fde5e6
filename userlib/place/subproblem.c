// SPDX-License-Identifier: MIT
/* The items of one pool as a problem of its own. See place.h. */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void loom_place_subproblem_clear(struct loom_place_subproblem *sub)
{
	loom_arrays_free(&sub->arrays);
}

static void fill_ops(struct loom_place_subproblem *sub, const struct loom_place_problem *all)
{
	size_t n = 0;
	uint32_t i, k;

	for (i = 0; i < all->num_ops; i++) {
		const struct loom_place_op *op = &all->ops[i];
		struct loom_place_op *part = &sub->ops[i];

		*part = *op;
		part->inputs = &sub->operands[n];
		part->num_inputs = 0;
		for (k = 0; k < op->num_inputs; k++)
			if (sub->local[op->inputs[k]] != LOOM_PLACE_NONE) {
				sub->operands[n++] = sub->local[op->inputs[k]];
				part->num_inputs++;
			}
		if (op->output != LOOM_PLACE_NONE)
			part->output = sub->local[op->output];
		part->in_place = op->in_place && part->output != LOOM_PLACE_NONE;
	}
}

static int fill_items(struct loom_place_subproblem *sub, const struct loom_place_resolved *resolved,
		      const uint32_t *pools, uint32_t pool, struct loom_place_fault *fault)
{
	struct loom_place_problem *part = &sub->task.problem;
	uint32_t i;

	for (i = 0; i < resolved->problem.num_items; i++) {
		struct loom_place_item *item = &sub->items[part->num_items];

		sub->local[i] = LOOM_PLACE_NONE;
		if (pools[i] != pool)
			continue;
		*item = resolved->items[i];
		if (loom_place_is_alias(item))
			item->alias = sub->local[item->alias];
		else if (!loom_place_join_align(&item->align_bytes,
						resolved->pools[pool].align_bytes))
			return loom_place_fail(fault, -ERANGE, i, LOOM_PLACE_NONE,
					       "common alignment with its pool leaves 63 bits");
		sub->global[part->num_items] = i;
		sub->local[i] = part->num_items++;
	}
	for (i = 0; i < resolved->problem.num_apart; i++) {
		const struct loom_place_pair *pair = &resolved->apart[i];

		if (pools[pair->first] == pool && pools[pair->second] == pool)
			sub->apart[part->num_apart++] = (struct loom_place_pair){
				sub->local[pair->first], sub->local[pair->second], 0,
			};
	}
	if (!resolved->pools[pool].sub_bank_bytes)
		return 0;
	for (i = 0; i < resolved->problem.num_conflicts; i++) {
		const struct loom_place_pair *pair = &resolved->problem.conflicts[i];

		if (pools[pair->first] == pool && pools[pair->second] == pool)
			sub->conflicts[part->num_conflicts++] = (struct loom_place_pair){
				sub->local[pair->first], sub->local[pair->second],
				pair->weight,
			};
	}
	return 0;
}

int loom_place_subproblem_make(struct loom_place_subproblem *sub,
			       const struct loom_place_resolved *resolved, const uint32_t *pools,
			       uint32_t pool, const struct loom_place_options *options,
			       struct loom_place_fault *fault)
{
	const struct loom_place_problem *all = &resolved->problem;
	size_t n = (size_t)all->num_items + 1, num_operands = 1;
	struct loom_place_problem *part = &sub->task.problem;
	uint32_t i;
	int ret;

	memset(sub, 0, sizeof(*sub));
	for (i = 0; i < all->num_ops; i++)
		num_operands += all->ops[i].num_inputs;
	/* with one pool all items are in it, and have its alignment */
	sub->items = all->num_pools == 1 ? resolved->items :
		     loom_arrays_take(&sub->arrays, n, sizeof(*sub->items));
	sub->ops = loom_arrays_take(&sub->arrays, (size_t)all->num_ops + 1, sizeof(*sub->ops));
	sub->operands = loom_arrays_take(&sub->arrays, num_operands, sizeof(*sub->operands));
	sub->apart = loom_arrays_take(&sub->arrays, (size_t)all->num_apart + 1,
				      sizeof(*sub->apart));
	sub->conflicts = loom_arrays_take(&sub->arrays, (size_t)all->num_conflicts + 1,
					  sizeof(*sub->conflicts));
	sub->global = loom_arrays_take(&sub->arrays, n, sizeof(*sub->global));
	sub->local = malloc(n * sizeof(*sub->local));
	ret = sub->arrays.failed || !sub->local ? -ENOMEM : 0;
	if (!ret)
		ret = fill_items(sub, resolved, pools, pool, fault);
	if (!ret)
		fill_ops(sub, all);
	free(sub->local);
	sub->local = NULL;
	if (ret)
		return ret;
	part->items = sub->items;
	part->apart = sub->apart;
	part->conflicts = sub->conflicts;
	if (all->ops) {
		part->ops = sub->ops;
		part->num_ops = all->num_ops;
	}
	sub->task.capacity_bytes = resolved->pools[pool].capacity_bytes;
	sub->task.budget = options->budget;
	if (!options->budget)
		sub->task.budget = LOOM_PLACE_BUDGET /
				   (2 + 3 * (part->num_items / LOOM_PLACE_BUDGET_ITEMS));
	sub->task.fit_only = options->fit_only;
	sub->task.jobs = options->jobs ? options->jobs : 1;
	/* the budget is what the time allows, unless one is given */
	if (options->time_ns && !options->budget)
		sub->task.budget = INT64_MAX;
	return 0;
}
