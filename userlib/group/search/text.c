// SPDX-License-Identifier: MIT
/*
 * DOC: Groups by the text
 *
 * The strategy "layergroup-text" is the planner of the first description of LayerGroup, as a
 * baseline. It divides from the tail to the head: the last group is the longest run up to the last
 * operator with a slicing that fits, the one before it ends where that begins, and so on. Costs are
 * not compared: the first fit wins.
 *
 * A group is sliced along N up to its limit, and then also along H. The first number of slices is
 * the need of the operator with the largest operands alone: the bytes of its operands, result and
 * temporaries, divided by the size of SRAM. While no schedule or placement is found, N is cut into
 * one slice more, or then H. Slices are even cuts of the values that the group makes for others,
 * propagated back to its inputs (halo.c), and halos are loaded and computed again in each. A
 * slicing is refused if
 *
 * - a slice of some value is empty, or does not begin and end behind the one before;
 * - two readers of a value need disjoint rows of it in one slice;
 * - more than half of a value that an operator reads is in two slices: "h = 100, sliced into
 *   [0, 80) and [20, 100)". With more than two slices, all rows beyond their first are counted.
 *
 * Where the text is silent:
 *
 * - N and H are axes 0 and 2 of the group's first result, and of other values the axes that
 *   correspond to these.
 * - "the longest run that fits" is searched by adding one operator at a time towards the head. A
 *   run that does not fit may be part of one that does, as one that begins inside a concatenation
 *   is; after MAX_MISSES in a row that do not fit, the search ends.
 * - A run of one operator is no group: it is lowered as without groups. So is an operator that
 *   cannot be in a group.
 * - Loads and stores share steps with other operators' work, if the device may do that at all.
 */
#include "group/search/search.h"
#include "group/search/strategy.h"

#include <errno.h>
#include <stdlib.h>

/* Limit on the slicings tried per group. */
#define TRIES		20
/* Number of consecutive runs that may not fit before a longer one is given up. */
#define MAX_MISSES	8

/* Fits and places the current group. -ERANGE: it takes at least @limit cycles. */
static int try_it(struct loom_group *group, struct loom_group_cut *cut, u64 limit)
{
	u64 budget = group->list->lower->sram.bytes, height;
	int ret = loom_group_fit(group, budget);

	if (!ret && limit < U64_MAX) {
		group->cost.price = loom_group_cycles(group);
		ret = !group->cost.price ? -ENOMEM : group->cost.price < limit ? 0 : -ERANGE;
	}
	if (!ret)
		ret = loom_group_place(group, budget, &height);
	if (ret)
		return ret;
	cut->budget_bytes = budget;
	cut->cost = group->cost;
	return 0;
}

/* Tries @n slices along N, each cut into @h along H. */
static int try_slices(struct loom_group *group, struct loom_group_cut *cut, u64 n, u64 h,
		      u64 limit)
{
	int ret;

	if (n * h > LOOM_GROUP_SLICES)
		return -ENOSPC;
	cut->slices = n * h;
	cut->batches = h > 1 ? n : 1;
	cut->cut_axis = h > 1 ? 2 : 0;
	cut->recompute = n * h > 1;
	ret = loom_group_remake(group, cut);
	return ret ? ret : try_it(group, cut, limit);
}

/* Maximum number of slices of an axis of the first result: 1, or its length. */
static u64 find_limit(struct loom_group *group, const struct loom_group_cut *cut, u32 axis)
{
	const struct loom_group_list *list = group->list;
	const struct loom_group_use *use = loom_group_first_result(list, cut->first_unit);
	struct loom_group_cut two = *cut;

	two.slices = 2;
	two.batches = 1;
	two.recompute = true;
	two.cut_axis = axis;
	if (axis >= use->rank || use->dims[axis] < 2 || loom_group_remake(group, &two))
		return 1;
	return use->dims[axis];
}

/* Slices that the operator with the largest operands would need alone. */
static u64 estimate_slices(const struct loom_group *group)
{
	u64 most = 1, bytes, budget = group->list->lower->sram.bytes;
	u32 index, i;

	for (index = 0; index < group->num_parts; index++) {
		const struct loom_group_part *part = &group->parts[index];

		bytes = group->roots[part->root[0]].strip_bytes;
		for (i = 1; i < part->op->kernel.num_operands; i++) {
			if (part->root[i] != LOOM_GROUP_NONE)
				bytes += group->roots[part->root[i]].strip_bytes;
			else if (loom_group_is_own(group, part, i))
				bytes += part->bytes[i];
		}
		most = max(most, loom_div_round_up(bytes, budget));
	}
	return most;
}

int loom_group_text_search(struct loom_group *group, struct loom_group_cut *cut, u64 limit)
{
	u64 most_n, most_h, n, h, wanted;
	u32 i = 0;
	int ret;

	cut->slices = 1;
	cut->batches = 1;
	cut->cut_axis = 0;
	cut->overlap = group->list->lower->sram.overlap;
	ret = loom_group_remake(group, cut);
	if (!ret)
		ret = loom_group_schedule(group);
	if (ret)
		return ret;
	wanted = estimate_slices(group);
	if (wanted == 1) {
		ret = try_it(group, cut, limit);
		if (ret != -ENOSPC)
			return ret;
		wanted++;
		i++;
	}
	most_n = find_limit(group, cut, 0);
	most_h = find_limit(group, cut, 2);
	n = min(wanted, most_n);
	h = loom_div_round_up(wanted, n);
	for (; i < TRIES && h <= most_h; i++) {
		ret = try_slices(group, cut, n, h, limit);
		if (ret != -ENOSPC)
			return ret;
		/* thinner slices do not make halos smaller */
		if (h > 1 && group->faults)
			return -ENOSPC;
		if (n < most_n)
			n++;
		else
			h++;
	}
	return -ENOSPC;
}

/* The longest group that ends before unit @end. */
static int longest(struct loom_group_list *list, struct loom_group *group, u32 end,
		   struct loom_group_cut *best)
{
	u32 first = end - 1, misses = 0;
	int ret;

	*best = (struct loom_group_cut){ .first_unit = first, .num_units = 1, .layerwise = true };
	while (first > 0 && !list->units[first].ungroupable && misses < MAX_MISSES) {
		struct loom_group_cut cut = {
			.first_unit = --first,
			.num_units = end - first,
		};

		if (list->units[first].ungroupable)
			break;
		ret = loom_group_text_search(group, &cut, U64_MAX);
		misses++;
		if (!ret) {
			*best = cut;
			misses = 0;
		} else if (ret == -ENOMEM) {
			return ret;
		}
	}
	return 0;
}

static int divide(struct loom_group_list *list, struct loom_group *group,
		  struct loom_group_cut **cuts, u32 *num_cuts)
{
	u32 end = list->num_units, count = 0, i;
	struct loom_group_cut *found = calloc((size_t)end + 1, sizeof(*found)), swap;
	int ret = 0;

	if (!found)
		return -ENOMEM;
	while (end && !ret) {
		ret = longest(list, group, end, &found[count]);
		end = found[count++].first_unit;
	}
	for (i = 0; i < count / 2; i++) {
		swap = found[i];
		found[i] = found[count - 1 - i];
		found[count - 1 - i] = swap;
	}
	*cuts = found;
	*num_cuts = count;
	return ret;
}

const struct loom_group_strategy loom_group_text = {
	.name = "layergroup-text",
	.text = "the first way that fits, from the tail: halos recomputed, weights held",
	.rules = &loom_group_text_rules,
	.divide = divide,
};
