// SPDX-License-Identifier: MIT
/*
 * Reconstruction of a chosen group (&struct loom_group_cut); and candidates shared by all searches:
 * axes to cut, and numbers of slices.
 */
#include "group/search/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t locations_bytes(const struct loom_group *group)
{
	return ((size_t)group->list->lower->graph->num_values + 1) * sizeof(*group->locations);
}

u64 loom_group_cuts_price(const struct loom_group_cut *cuts, u32 num_cuts)
{
	u64 price = 0;
	u32 i;

	for (i = 0; i < num_cuts; i++)
		price += cuts[i].cost.price;
	return price;
}

int loom_group_division_set(struct loom_group_division *division, const struct loom_group *group,
			    const struct loom_group_cut *cuts, u32 num_cuts)
{
	division->cuts = calloc((size_t)num_cuts + 1, sizeof(*cuts));
	division->locations = calloc(1, locations_bytes(group));
	if (!division->cuts || !division->locations) {
		loom_group_division_clear(division);
		return -ENOMEM;
	}
	memcpy(division->cuts, cuts, num_cuts * sizeof(*cuts));
	memcpy(division->locations, group->locations, locations_bytes(group));
	division->num_cuts = num_cuts;
	division->price = loom_group_cuts_price(cuts, num_cuts);
	return 0;
}

int loom_group_division_get(const struct loom_group_division *division, struct loom_group *group,
			    struct loom_group_cut **cuts, u32 *num_cuts)
{
	*cuts = calloc((size_t)division->num_cuts + 1, sizeof(**cuts));
	if (!*cuts)
		return -ENOMEM;
	memcpy(*cuts, division->cuts, division->num_cuts * sizeof(**cuts));
	memcpy(group->locations, division->locations, locations_bytes(group));
	*num_cuts = division->num_cuts;
	return 0;
}

void loom_group_division_clear(struct loom_group_division *division)
{
	free(division->cuts);
	free(division->locations);
	*division = (struct loom_group_division){ .num_cuts = 0 };
}

void loom_group_alternatives_clear(struct loom_group_alternatives *alternatives)
{
	u32 i;

	for (i = 0; i < alternatives->count; i++) {
		loom_group_division_clear(&alternatives->joined[i]);
		loom_group_division_clear(&alternatives->without[i]);
	}
	free(alternatives->joined);
	free(alternatives->without);
	*alternatives = (struct loom_group_alternatives){ .count = 0 };
}

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
	/* columns are not cut where rows are as many and equivalent */
	return use->dims[axis] < 2 ||
	       (axis > 2 && !list->asymmetric && use->dims[axis] <= use->dims[2]);
}

bool loom_group_is_slice_count(u64 dim, u32 slices)
{
	return slices >= 2 && slices <= LOOM_GROUP_SLICES && slices <= dim;
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
