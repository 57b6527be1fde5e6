// SPDX-License-Identifier: MIT
/*
 * DOC: Groups by cycles
 *
 * The strategy "layergroup-dp" is how planners after the text divide, to compare with: slices,
 * halos and weights are those of text.c, but the division is the one with the fewest cycles.
 * A dynamic program over the operators: what runs up to one of them costs what runs up to an
 * earlier one, and the group between. The cost of a group is that of its pipeline
 * (cycles.c): at each step the longer of both streams, with what fills and drains it; of an
 * operator alone, what it takes without groups. Of a group, the first way to slice it that fits is
 * the only one that is asked; DRAM bytes count only as far as they take time.
 *
 * Places are found otherwise than by the text, see text_placement.c, and how much of a value is
 * there twice is no reason to refuse a group: it costs cycles.
 *
 * From each begin, a group grows until it can be no longer, or PATIENCE in a row do not fit. What
 * cannot be the cheapest is not looked at: whatever a group is like, its operators take the time
 * that they take, and its weights come at least once. And what would be no cheaper if it had a
 * place as it is, is not given one.
 */
#include "group.h"

#include <errno.h>
#include <stdlib.h>

#define PATIENCE	3

/**
 * struct way - the cheapest way to run the units before one
 * @cycles: what it costs
 * @last: its last group
 * @compute: cycles that those units work at least
 * @weights: cycles that it takes to load their weights once
 */
struct way {
	u64 cycles;
	struct loom_group_cut last;
	u64 compute;
	u64 weights;
};

/* A group cannot be so cheap that it matters. */
static bool is_hopeless(const struct way *from, const struct way *to)
{
	return from->cycles + max(to->compute - from->compute, to->weights - from->weights) >=
	       to->cycles;
}

static void sum_up(const struct loom_group_list *list, struct way *ways)
{
	u32 i;

	for (i = 0; i < list->num_units; i++) {
		ways[i + 1].compute = ways[i].compute;
		ways[i + 1].weights = ways[i].weights;
		loom_group_least_cycles(list, i, &ways[i + 1].compute, &ways[i + 1].weights);
	}
}

static void offer(struct way *ways, const struct loom_group_cut *cut, u64 cycles)
{
	const struct way *from = &ways[cut->first_unit];
	struct way *to = &ways[cut->first_unit + cut->num_units];
	u64 sum;

	if (from->cycles == U64_MAX || check_add_overflow(from->cycles, cycles, &sum) ||
	    sum >= to->cycles)
		return;
	to->cycles = sum;
	to->last = *cut;
	to->last.cost.cycles = cycles;
}

static int try_from(struct loom_group_list *list, struct loom_group *group, struct way *ways,
		    u32 first)
{
	const struct loom_group_cut alone = {
		.first_unit = first, .num_units = 1, .alone = true,
	};
	u32 misses = 0, count;
	u64 most;
	int ret;

	offer(ways, &alone, loom_group_alone_cycles(list, first));
	for (count = 2; first + count <= list->num_units && misses < PATIENCE; count++) {
		struct loom_group_cut cut = {
			.first_unit = first, .num_units = count, .manner = LOOM_GROUP_LATER,
		};

		if (is_hopeless(&ways[first], &ways[first + count]))
			continue;
		most = ways[first + count].cycles - ways[first].cycles;
		ret = loom_group_text_search(group, &cut, min(most, U64_MAX - 1));
		/* what cannot be together cannot be in a longer one */
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
		offer(ways, &cut, cut.cost.cycles);
	}
	return 0;
}

static int collect(const struct way *ways, u32 end, struct loom_group_cut **cuts, u32 *num_cuts)
{
	u32 count = 0, at;

	for (at = end; at; at = ways[at].last.first_unit)
		count++;
	*cuts = calloc((size_t)count + 1, sizeof(**cuts));
	if (!*cuts)
		return -ENOMEM;
	*num_cuts = count;
	for (at = end; at; at = ways[at].last.first_unit)
		(*cuts)[--count] = ways[at].last;
	return 0;
}

int loom_group_dp_divide(struct loom_group_list *list, struct loom_group *group,
			 struct loom_group_cut **cuts, u32 *num_cuts)
{
	struct way *ways = calloc((size_t)list->num_units + 1, sizeof(*ways));
	int ret = 0;
	u32 i;

	if (!ways)
		return -ENOMEM;
	for (i = 1; i <= list->num_units; i++)
		ways[i].cycles = U64_MAX;
	sum_up(list, ways);
	for (i = 0; i < list->num_units && !ret; i++)
		ret = try_from(list, group, ways, i);
	if (!ret)
		ret = collect(ways, list->num_units, cuts, num_cuts);
	free(ways);
	return ret;
}
