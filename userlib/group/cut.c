// SPDX-License-Identifier: MIT
/*
 * A group that was chosen (&struct loom_group_cut), made once more; and what all searches try:
 * which axes can be worth cutting, and into how many slices.
 */
#include "search.h"

#include <errno.h>

int loom_group_remake(struct loom_group *group, const struct loom_group_cut *cut)
{
	u32 i;

	if (cut->recompute)
		loom_group_begin_recompute(group, cut->first_unit, cut->slices,
					   max(cut->batches, 1U), cut->cut_axis);
	else
		loom_group_begin(group, cut->first_unit, cut->slices, cut->cut_axis);
	group->overlap = cut->overlap;
	for (i = 0; i < cut->num_units; i++)
		if (!loom_group_append(group))
			return -EINVAL;
	return loom_group_set_residents(group, cut->in, cut->out) ? 0 : -EINVAL;
}

int loom_group_refit(struct loom_group *group, const struct loom_group_cut *cut)
{
	int ret = loom_group_remake(group, cut);

	return ret ? ret : loom_group_fit(group, cut->budget_bytes);
}

const struct loom_group_use *loom_group_first_result(const struct loom_group_list *list, u32 unit)
{
	return &list->uses[list->ops[list->units[unit].first_op]->access[0].value];
}

bool loom_group_skip_axis(const struct loom_group_list *list, const struct loom_group_use *use,
			  u32 axis)
{
	/* columns are not cut where rows are as many, and nothing tells them apart */
	return use->dims[axis] < 2 ||
	       (axis > 2 && !list->asymmetric && use->dims[axis] <= use->dims[2]);
}

u32 loom_group_slice_counts(u64 dim, u32 *counts)
{
	u64 most = dim < LOOM_GROUP_SLICES ? dim : LOOM_GROUP_SLICES, rows, slices;
	u32 count = 0;

	/* each number of rows, where they are few; steps of an eighth where they are many */
	for (rows = dim / 2; rows && count < LOOM_GROUP_SLICE_COUNTS;
	     rows -= max(rows / 8, (u64)1)) {
		slices = loom_div_round_up(dim, rows);
		if (slices > most)
			break;
		if (!count || counts[count - 1] < slices)
			counts[count++] = slices;
	}
	return count;
}
