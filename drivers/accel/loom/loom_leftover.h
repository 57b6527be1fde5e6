/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_LEFTOVER_H
#define LOOM_LEFTOVER_H

#include <linux/types.h>

struct dma_fence;
struct loom_region;
struct loom_region_block;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
void loom_region_leftovers_init(struct loom_region *region);
void loom_region_leftovers_fini(struct loom_region *region);
void loom_region_reach_leftovers_locked(struct loom_region *region,
					struct loom_region_block *block);
void loom_region_leave_leftover_locked(struct loom_region *region,
				       struct loom_region_block *block);
int loom_region_save_fences(struct loom_region_block *block, struct dma_fence **fences, u32 count);
int loom_region_fences(struct loom_region *region, struct loom_region_block *block,
		       struct dma_fence ***fences, u32 *count);
void loom_region_reap_leftovers(struct loom_region *regions);
#else
/* a block keeps its addresses until no job uses them */
static inline void loom_region_leftovers_init(struct loom_region *region)
{
}

static inline void loom_region_leftovers_fini(struct loom_region *region)
{
}

static inline void loom_region_reach_leftovers_locked(struct loom_region *region,
						      struct loom_region_block *block)
{
}

static inline void loom_region_leave_leftover_locked(struct loom_region *region,
						     struct loom_region_block *block)
{
}

static inline int loom_region_fences(struct loom_region *region, struct loom_region_block *block,
				     struct dma_fence ***fences, u32 *count)
{
	*fences = NULL;
	*count = 0;
	return 0;
}

static inline void loom_region_reap_leftovers(struct loom_region *regions)
{
}
#endif

#endif /* LOOM_LEFTOVER_H */
