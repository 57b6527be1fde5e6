// SPDX-License-Identifier: MIT
/* Lower bounds: the driver. See least.h. */
#include "least.h"

#include <errno.h>
#include <string.h>

#include "loom_clock.h"
#include "lower/storage.h"

/* memory limit for sets of indices: larger values are not bounded */
#define BUDGET_BYTES	((size_t)1 << 28)

static int find_all(struct least *least, struct loom_program_least *out)
{
	u64 ends;
	int ret = least_live(least);

	if (!ret)
		ret = least_edges(least);
	if (ret)
		return ret;
	least_streams(least, out);
	least_ends(least);
	out->first_load_cycles = least->first_load;
	out->last_store_cycles = least->last_store;
	out->end_cycles = out->stream_cycles;
	if (least->chip->flags & DRM_LOOM_CHIP_OVERLAP) {
		ends = loom_clock_add(least->first_load, least->last_store);
		out->end_cycles = max(out->end_cycles,
				      loom_clock_add(out->compute_cycles, ends));
	}
	out->held_cycles = least_held(least, out->end_cycles);
	out->relaxed_cycles = least_relaxed(least, out);
	return 0;
}

int loom_least_find(struct loom_lower *lower, struct loom_program_least *out)
{
	struct loom_group_list list;
	struct least least = {
		.list = &list,
		.chip = lower->chip,
		.sram_bytes = lower->sram.bytes * lower->sram.lanes,
		.lanes = lower->sram.lanes,
		.images = lower->storage->num_images,
		.num_values = lower->graph->num_values,
	};
	const struct drm_loom_chip_region *sram = &lower->chip->region[DRM_LOOM_REGION_SRAM];
	int ret = loom_group_list_make(&list, lower);

	/* without DRAM there are slots beside the scratch */
	if (!lower->chip->region[DRM_LOOM_REGION_DRAM].banks)
		least.sram_bytes = (sram->bank_bytes - sram->reserved_bytes) * sram->banks;
	memset(out, 0, sizeof(*out));
	least.pool = loom_pool_create(BUDGET_BYTES);
	if (!ret && !least.pool)
		ret = -ENOMEM;
	if (!ret) {
		least.values = loom_pool_array(least.pool, (size_t)least.num_values + 1,
					       sizeof(*least.values));
		least.ops = loom_pool_array(least.pool, (size_t)list.num_ops + 1,
					    sizeof(*least.ops));
		ret = least.values && least.ops ? find_all(&least, out) : -ENOMEM;
	}
	if (ret)
		memset(out, 0, sizeof(*out));
	/* past the budget there are no bounds */
	if (ret == -ENOMEM && least.pool && loom_pool_is_full(least.pool))
		ret = 0;
	loom_pool_destroy(least.pool);
	loom_group_list_clear(&list);
	return ret;
}
