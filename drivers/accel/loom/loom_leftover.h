/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_LEFTOVER_H
#define LOOM_LEFTOVER_H

#include <linux/types.h>

struct dma_fence;
struct drm_sched_job;
struct loom_bo;
struct loom_file;
struct loom_region;
struct loom_region_block;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
void loom_region_leftovers_fini(struct loom_region *region);
int __must_check loom_region_save_fences(struct loom_region_block *block, struct dma_fence **fences,
					 u32 count);
void loom_region_reach_leftovers_locked(struct loom_region *region,
					struct loom_region_block *block);
void loom_region_leave_leftover_locked(struct loom_region *region, struct loom_region_block *block);
int loom_region_fences(struct loom_region *region, struct loom_region_block *block,
		       struct dma_fence ***fences, u32 *count);
int loom_leftover_depend_locked(struct drm_sched_job *job, struct loom_bo *bo);
void loom_region_job_freed(struct loom_region *regions, const struct loom_file *client);
void loom_region_reap_leftovers(struct loom_region *regions);
#else
/* a block keeps its addresses until no job uses them */
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

static inline int loom_leftover_depend_locked(struct drm_sched_job *job, struct loom_bo *bo)
{
	return 0;
}

static inline void loom_region_job_freed(struct loom_region *regions,
					 const struct loom_file *client)
{
}
#endif

#endif /* LOOM_LEFTOVER_H */
