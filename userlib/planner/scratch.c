// SPDX-License-Identifier: MIT
/*
 * The scratch of a finished plan. Grouping and retiming use all SRAM that a plan may have if that
 * makes it faster, and leave holes. Plans that share a device compete for SRAM, so unneeded scratch
 * is released: steps and lifetimes are fixed here, and the rest is a placement problem. Cycles do
 * not depend on addresses.
 */
#include "planner.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_place.h"

/* A scratch within 1/CLOSE of the bytes alive is not searched again. */
#define CLOSE		32
/* Search nodes, and the number of items above which a greedy order is used instead. */
#define BUDGET		4000
#define MOST_ITEMS	4096

static bool is_scratch(const struct drm_loom_plan_tensor *tensor)
{
	return !loom_build_in_slot(tensor) && tensor->size &&
	       tensor->first_step <= tensor->last_step;
}

/* Fills in @items. *@most: the peak of bytes alive. */
static int list_items(const struct loom_build *build, u64 align, struct loom_place_item *items,
		      u32 *count, u64 *most)
{
	u64 *change = calloc((size_t)build->num_steps + 1, sizeof(*change)), alive = 0;
	size_t i;

	*count = 0;
	*most = 0;
	if (!change)
		return -ENOMEM;
	for (i = 0; i < build->num_tensors; i++) {
		const struct drm_loom_plan_tensor *tensor = &build->tensors[i];
		u64 bytes = loom_div_round_up(tensor->size, align) * align;

		if (!is_scratch(tensor))
			continue;
		items[(*count)++] = (struct loom_place_item){
			.size_bytes = tensor->size,
			.lower = tensor->first_step,
			.upper = (s64)tensor->last_step + 1,
		};
		change[tensor->first_step] += bytes;
		change[tensor->last_step + 1] -= bytes;
	}
	for (i = 0; i < build->num_steps; i++) {
		alive += change[i];
		*most = max(*most, alive);
	}
	free(change);
	return 0;
}

static bool has_aliases(const struct loom_build *build)
{
	size_t i;

	for (i = 0; i < build->num_tensors; i++)
		if (build->tensors[i].flags & DRM_LOOM_TENSOR_ALIAS)
			return true;
	return false;
}

int loom_planner_compact(struct planner *p)
{
	const u64 align = p->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	const struct loom_place_pool pool = {
		.capacity_bytes = p->lower.scratch_bytes, .align_bytes = align,
	};
	struct loom_place_problem problem = { .pools = &pool, .num_pools = 1 };
	struct loom_place_options how = { .budget = BUDGET };
	struct loom_place_result result;
	struct loom_place_item *items;
	u32 count = 0;
	u64 alive;
	size_t i;
	int ret;

	if (p->build.status || has_aliases(&p->build))
		return 0;
	items = calloc(p->build.num_tensors + 1, sizeof(*items));
	ret = items ? list_items(&p->build, align, items, &problem.num_items, &alive) : -ENOMEM;
	if (ret || !alive || p->lower.scratch_bytes <= alive + alive / CLOSE) {
		free(items);
		return ret;
	}
	problem.items = items;
	if (problem.num_items > MOST_ITEMS)
		how.strategy = "greedy-breadth";
	ret = loom_place(&problem, &how, &result, NULL);
	free(items);
	/* the current placement is kept */
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (result.height_bytes[0] < p->lower.scratch_bytes) {
		for (i = 0; i < p->build.num_tensors; i++)
			if (is_scratch(&p->build.tensors[i]))
				p->build.tensors[i].offset = result.offsets[count++];
		p->lower.scratch_bytes = result.height_bytes[0];
	}
	loom_place_result_free(&result);
	return 0;
}
