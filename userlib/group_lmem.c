// SPDX-License-Identifier: MIT
/*
 * Where the items of a group lie in SRAM. Time is the positions of one slice; an item that is alive
 * over the end of the period is there at its begin, too, with a gap between. All slices use the
 * same places.
 */
#include "group.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_place.h"

static s32 wrap(const struct loom_group *group, s32 position)
{
	s32 at = position % group->period;

	return at < 0 ? at + group->period : at;
}

static void describe(const struct loom_group *group, const struct loom_group_item *item,
		     struct loom_place_item *to, struct loom_place_gap *gap)
{
	s32 first = wrap(group, item->from), last = wrap(group, item->to);

	*to = (struct loom_place_item){
		.size_bytes = item->bytes,
		.align_bytes = group->list->lower->sram.align_bytes,
		.upper = group->period,
		.fixed = LOOM_PLACE_ANYWHERE,
		.alias = LOOM_PLACE_NONE,
	};
	if (item->whole || item->to - item->from + 1 >= group->period)
		return;
	if (first <= last) {
		to->lower = first;
		to->upper = last + 1;
	} else if (last + 1 < first) {
		gap->lower = last + 1;
		gap->upper = first;
		to->gaps = gap;
		to->num_gaps = 1;
	}
}

static int place_items(struct loom_group *group, u32 count, struct loom_place_item *items,
		       struct loom_place_gap *gaps, u64 budget_bytes, u64 *height_bytes)
{
	struct loom_place_pool pool = { .capacity_bytes = budget_bytes };
	const struct loom_place_problem problem = {
		.items = items, .num_items = count, .pools = &pool, .num_pools = 1,
	};
	const struct loom_place_options how = { .fit_only = true, .budget = 20000 };
	struct loom_place_result result;
	u32 n = 0, i, k;
	int ret;

	for (i = 0; i < group->num_items; i++)
		for (k = 0; k < group->items[i].buffers; k++, n++)
			describe(group, &group->items[i], &items[n], &gaps[n]);
	ret = loom_place(&problem, &how, &result, NULL);
	if (ret)
		return ret;
	for (i = 0, n = 0; i < group->num_items; i++)
		for (k = 0; k < group->items[i].buffers; k++)
			group->items[i].offset[k] = result.offsets[n++];
	*height_bytes = result.height_bytes[0];
	loom_place_result_free(&result);
	return 0;
}

int loom_group_place(struct loom_group *group, u64 budget_bytes, u64 *height_bytes)
{
	struct loom_place_item *items;
	struct loom_place_gap *gaps;
	u32 count = 0, i;
	int ret = -ENOMEM;

	for (i = 0; i < group->num_items; i++) {
		if (group->items[i].buffers > ARRAY_SIZE(group->items[i].offset))
			return -ENOSPC;
		count += group->items[i].buffers;
	}
	items = calloc((size_t)count + 1, sizeof(*items));
	gaps = calloc((size_t)count + 1, sizeof(*gaps));
	if (items && gaps)
		ret = place_items(group, count, items, gaps, budget_bytes, height_bytes);
	free(items);
	free(gaps);
	return ret;
}
