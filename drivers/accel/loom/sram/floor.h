/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FLOOR_H
#define LOOM_FLOOR_H

#include "loom_region.h"

#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
u64 loom_region_low_locked(struct loom_region *region, const struct loom_mask *mask,
			   const struct loom_region_share *share);
int loom_region_place_locked(struct loom_region *region, struct loom_region_block *block,
			     struct loom_bank_request *request);

struct drm_gem_object *loom_region_find_displaceable(struct loom_region *region,
						     const struct loom_shape *shape,
						     const struct loom_region_share *share,
						     bool *dying);

static inline u64 loom_region_limit(const struct loom_region *region, const struct loom_mask *mask)
{
	return loom_sram_limit(&region->sram, mask);
}

static inline void loom_region_give_share_locked(struct loom_region_block *block)
{
	list_del_init(&block->sram.node);
}

/* Whether other clients may displace a buffer. The caller must hold loom_region.lock. */
static inline bool loom_region_displaceable_locked(struct loom_region *region,
						   const struct loom_region_block *block)
{
	lockdep_assert_held(&region->lock);
	return loom_sram_displaceable(&region->sram, &block->sram, block->share);
}
#else
/* no floor: a buffer may have all addresses above the scratch */
#define loom_region_low_locked	loom_region_scratch_locked

static inline int loom_region_place_locked(struct loom_region *region,
					   struct loom_region_block *block,
					   struct loom_bank_request *request)
{
	request->low = region->bank.base + loom_region_scratch_locked(region, &block->mask,
								      block->share);
	return loom_bank_alloc(loom_region_bank_locked(region), &block->block, request);
}

static inline void loom_region_give_share_locked(struct loom_region_block *block)
{
}

static inline bool loom_region_displaceable_locked(struct loom_region *region,
						   const struct loom_region_block *block)
{
	return false;
}

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
static inline u64 loom_region_limit(const struct loom_region *region, const struct loom_mask *mask)
{
	return U64_MAX;
}
#endif

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
static inline struct drm_gem_object *
loom_region_find_displaceable(struct loom_region *region, const struct loom_shape *shape,
			      const struct loom_region_share *share, bool *dying)
{
	*dying = false;
	return NULL;
}
#endif
#endif

#endif /* LOOM_FLOOR_H */
