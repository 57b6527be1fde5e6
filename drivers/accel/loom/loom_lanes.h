/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_LANES_H
#define LOOM_LANES_H

#include <linux/string.h>
#include <linux/types.h>

#include "core/loom_verify.h"
#include "loom_device.h"

struct loom_context;

#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
int __must_check loom_lanes_take(struct loom_context *context,
				 struct drm_loom_context_create *args);
void loom_lanes_give(struct loom_context *context);
void loom_lanes_unclaim(struct loom_context *context);
u32 loom_lanes_flags(const struct loom_context *context);
u32 loom_lanes_device_flags(const struct loom_device *loom);
int loom_lanes_check(const struct loom_context *context, const struct loom_plan *plan, u64 to,
		     u32 size);
int loom_lanes_plan_create(const struct loom_device *loom, const void *blob, u64 size,
			   struct loom_plan **plan, struct drm_loom_reject *reject);

void loom_region_open(struct loom_region *region);
void loom_region_close(struct loom_region *region);
bool loom_region_entitled(struct loom_region *region, const struct loom_region_share *share);

/* flags of CONTEXT_CREATE */
#define LOOM_LANES_FLAGS	DRM_LOOM_CONTEXT_EXCLUSIVE
#else
#define LOOM_LANES_FLAGS	0

static inline int __must_check loom_lanes_take(struct loom_context *context,
					       const struct drm_loom_context_create *args)
{
	return args->lanes || memchr_inv(args->lane_mask, 0, sizeof(args->lane_mask)) ?
		       -EOPNOTSUPP : 0;
}

static inline void loom_lanes_give(struct loom_context *context)
{
}

static inline void loom_lanes_unclaim(struct loom_context *context)
{
}

static inline u32 loom_lanes_flags(const struct loom_context *context)
{
	return 0;
}

static inline u32 loom_lanes_device_flags(const struct loom_device *loom)
{
	return 0;
}

/* a verified plan is for all lanes */
static inline int loom_lanes_check(const struct loom_context *context,
				   const struct loom_plan *plan, u64 to, u32 size)
{
	return 0;
}

static inline int loom_lanes_plan_create(const struct loom_device *loom, const void *blob,
					 u64 size, struct loom_plan **plan,
					 struct drm_loom_reject *reject)
{
	return loom_plan_create_native(blob, size, loom->chip, loom->backend->native, plan, reject);
}

static inline void loom_region_open(struct loom_region *region)
{
}

static inline void loom_region_close(struct loom_region *region)
{
}

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
static inline bool loom_region_entitled(struct loom_region *region,
					const struct loom_region_share *share)
{
	return true;
}
#endif
#endif

#endif /* LOOM_LANES_H */
