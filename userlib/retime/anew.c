// SPDX-License-Identifier: MIT
/*
 * Once the lifetime of each tensor is known, the scratch is an ordinary placement problem. It has
 * some percent of slack, so a simple order or a short search suffices.
 */
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_place.h"

/* Search nodes: a placement is found soon or not at all. */
#define BUDGET	4000

static bool is_placed(const struct retime_tensor *tensor)
{
	return tensor->space == RETIME_SCRATCH && tensor->first != RETIME_NONE;
}

static u32 list_items(const struct retime *r, struct loom_place_item *items)
{
	u32 count = 0, i;

	for (i = 0; i < r->build->num_tensors; i++) {
		const struct retime_tensor *tensor = &r->tensors[i];

		if (is_placed(tensor))
			items[count++] = (struct loom_place_item){
				.size_bytes = tensor->bytes,
				.lower = tensor->first,
				.upper = tensor->last + 1,
			};
	}
	return count;
}

int retime_place_again(struct retime *r)
{
	const struct loom_place_pool pool = {
		.capacity_bytes = r->options->room_bytes,
		.align_bytes = r->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes,
	};
	struct loom_place_problem problem = { .pools = &pool, .num_pools = 1 };
	const struct loom_place_options how = { .fit_only = true, .budget = BUDGET };
	struct loom_place_item *items;
	struct loom_place_result result;
	u32 count = 0, i;
	int ret;

	items = calloc((size_t)r->build->num_tensors + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	problem.items = items;
	problem.num_items = list_items(r, items);
	ret = loom_place(&problem, &how, &result, NULL);
	free(items);
	if (ret)
		return ret == -ENOMEM ? ret : -ENOSPC;
	for (i = 0; i < r->build->num_tensors; i++)
		if (is_placed(&r->tensors[i]))
			r->tensors[i].start = result.offsets[count++];
	loom_place_result_free(&result);
	return 0;
}
