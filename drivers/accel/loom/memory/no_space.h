/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_NO_SPACE_H
#define LOOM_NO_SPACE_H

#include "loom_device.h"
#include "loom_region.h"
#include "loom_shape.h"
#include "loom_user.h"

struct drm_loom_bo_create;

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
struct loom_mask loom_region_tightest_locked(struct loom_region *region,
					     const struct loom_bank *bank,
					     const struct loom_shape *shape,
					     const struct loom_region_share *share);
void loom_region_no_space_locked(struct loom_region *region, const struct loom_bank *bank,
				 const struct loom_shape *shape,
				 const struct loom_region_share *share, u64 size_bytes,
				 struct drm_loom_no_space *record);
void loom_region_bank(struct loom_region *region, u32 index, const struct loom_region_share *share,
		      struct drm_loom_bank_info *info);
void loom_region_blocker_locked(struct loom_region *region, const struct loom_mask *mask,
				u64 client, struct drm_loom_no_space *record);
u64 loom_region_blocks(struct loom_region *region, const struct loom_mask *mask,
		       struct drm_loom_block *blocks, u64 max, u64 client, bool all,
		       u64 *owners);
int loom_no_space(struct loom_device *loom, const struct loom_shape *shape,
		  const struct drm_loom_bo_create *args, struct loom_file *client, bool limited);
#else
static inline int loom_no_space(struct loom_device *loom, const struct loom_shape *shape,
				const struct drm_loom_bo_create *args, struct loom_file *client,
				bool limited)
{
	/* a record of zeroes */
	return loom_user_write(args->no_space, args->no_space_size, NULL, 0) ?:
	       loom_refuse(&loom->drm, -ENOSPC, "buffer: %llu bytes in each of %u banks",
			   shape->layout.bytes_per_bank, loom_mask_count(&shape->mask));
}
#endif

#endif /* LOOM_NO_SPACE_H */
