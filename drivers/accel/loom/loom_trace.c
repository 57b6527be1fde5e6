// SPDX-License-Identifier: GPL-2.0
#include "loom_region.h"
#include "loom_shape.h"

/* Where the tracepoints of loom_trace.h live. */
#ifndef __CHECKER__
#define CREATE_TRACE_POINTS
#endif
#include "loom_event.h"

/**
 * loom_region_trace_alloc_locked() - trace an allocation
 * @region: the region
 * @block: the block
 * @shape: of the buffer
 * @ret: 0, or -ENOSPC
 */
void loom_region_trace_alloc_locked(struct loom_region *region,
				    const struct loom_region_block *block,
				    const struct loom_shape *shape, int ret)
{
	struct loom_bank_stats stats;

	lockdep_assert_held(&region->lock);
	if (!ret) {
		trace_loom_alloc(region->dev, block->owner, region->id, block->block.start,
				 block->block.size, block->gem);
	} else if (trace_loom_full_enabled()) {
		loom_bank_stats(loom_region_bank_locked(region), &shape->mask, &stats);
		trace_loom_full(region->dev, block->owner, region->id,
				shape->layout.bytes_per_bank, stats.free, stats.largest_free);
	}
}
