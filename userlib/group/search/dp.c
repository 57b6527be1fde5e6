// SPDX-License-Identifier: MIT
/*
 * DOC: Groups by cycles
 *
 * The strategy "layergroup-dp" divides like planners after the text, as a baseline: slices, halos
 * and weights are those of text.c, but the division is the one with the fewest cycles. It is found
 * by dynamic programming over the operators: the cost of all operators up to one is the cost of all
 * up to an earlier one plus that of the group between. The cost of a group is that of its pipeline
 * (cycles.c): at each step the longer of both streams, including the steps that fill and drain it;
 * for a single operator, its cost without groups. Only the first slicing of a group that fits is
 * considered; DRAM bytes count only as time.
 *
 * Placement differs from the text's, see text_rules.c, and a group is not refused because of rows
 * that are in two slices: they cost cycles.
 *
 * From each first operator, a group grows until it can grow no further, or MAX_MISSES in a row do
 * not fit. A group is skipped if a lower bound of its cycles shows that it cannot be on the
 * cheapest path: its operators compute at least once, and its weights are loaded at least once. It
 * is placed only if its exact cycles would make the path cheaper.
 */
#include "group/search/search.h"
#include "group/search/strategy.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_MISSES	3

/**
 * struct path - the cheapest division of all units before one
 * @cycles: its cost
 * @last: its last group
 * @compute: lower bound on the compute cycles of those units
 * @weights: cycles to load their weights once
 */
struct path {
	u64 cycles;
	struct loom_group_cut last;
	u64 compute;
	u64 weights;
};

/* Whether a group between both cannot make the path to @to cheaper. */
static bool is_hopeless(const struct path *from, const struct path *to)
{
	return from->cycles + max(to->compute - from->compute, to->weights - from->weights) >=
	       to->cycles;
}

static void sum_up(const struct loom_group_list *list, struct path *paths)
{
	u32 i;

	for (i = 0; i < list->num_units; i++) {
		paths[i + 1].compute = paths[i].compute;
		paths[i + 1].weights = paths[i].weights;
		loom_group_least_cycles(list, i, &paths[i + 1].compute, &paths[i + 1].weights);
	}
}

static void offer(struct path *paths, const struct loom_group_cut *cut, u64 cycles)
{
	const struct path *from = &paths[cut->first_unit];
	struct path *to = &paths[cut->first_unit + cut->num_units];
	u64 sum;

	if (from->cycles == U64_MAX || check_add_overflow(from->cycles, cycles, &sum) ||
	    sum >= to->cycles)
		return;
	to->cycles = sum;
	to->last = *cut;
	to->last.cost.price = cycles;
}

static int try_from(struct loom_group_list *list, struct loom_group *group, struct path *paths,
		    u32 first)
{
	const struct loom_group_cut layerwise = {
		.first_unit = first,
		.num_units = 1,
		.layerwise = true,
	};
	u32 misses = 0, count;
	u64 most;
	int ret;

	offer(paths, &layerwise, loom_group_layerwise_cycles(list, first));
	for (count = 2; first + count <= list->num_units && misses < MAX_MISSES; count++) {
		struct loom_group_cut cut = {
			.first_unit = first,
			.num_units = count,
		};

		if (is_hopeless(&paths[first], &paths[first + count]))
			continue;
		most = paths[first + count].cycles - paths[first].cycles;
		ret = loom_group_text_search(group, &cut, min(most, U64_MAX - 1));
		/* units that cannot be in one group cannot be in a longer one */
		if (ret == -EINVAL)
			break;
		misses++;
		if (ret == -ENOSPC)
			continue;
		misses = 0;
		if (ret == -ERANGE)
			continue;
		if (ret)
			return ret;
		offer(paths, &cut, cut.cost.price);
	}
	return 0;
}

static int collect(const struct path *paths, u32 end, struct loom_group_cut **cuts, u32 *num_cuts)
{
	u32 count = 0, at;

	for (at = end; at; at = paths[at].last.first_unit)
		count++;
	*cuts = calloc((size_t)count + 1, sizeof(**cuts));
	if (!*cuts)
		return -ENOMEM;
	*num_cuts = count;
	for (at = end; at; at = paths[at].last.first_unit)
		(*cuts)[--count] = paths[at].last;
	return 0;
}

static int divide(struct loom_group_list *list, struct loom_group *group,
		  struct loom_group_cut **cuts, u32 *num_cuts)
{
	struct path *paths = calloc((size_t)list->num_units + 1, sizeof(*paths));
	int ret = 0;
	u32 i;

	if (!paths)
		return -ENOMEM;
	for (i = 1; i <= list->num_units; i++)
		paths[i].cycles = U64_MAX;
	sum_up(list, paths);
	for (i = 0; i < list->num_units && !ret; i++)
		ret = try_from(list, group, paths, i);
	if (!ret)
		ret = collect(paths, list->num_units, cuts, num_cuts);
	free(paths);
	return ret;
}

const struct loom_group_strategy loom_group_dp = {
	.name = "layergroup-dp",
	.text = "the same slices, groups by cycles",
	.rules = &loom_group_dp_rules,
	.divide = divide,
};
