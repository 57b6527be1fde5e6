/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_LANES_H
#define LOOM_LANES_H

#include <linux/string.h>
#include <linux/types.h>

#include <drm/loom_accel.h>

struct loom_context;
struct loom_region;
struct loom_region_share;

#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
int __must_check loom_lanes_take(struct loom_context *context,
				 const struct drm_loom_context_create *args);
void loom_lanes_give(struct loom_context *context);
int __must_check loom_lanes_claim(struct loom_context *context,
				  const struct drm_loom_context_create *args);
void loom_lanes_unclaim(struct loom_context *context);
u32 loom_lanes_flags(const struct loom_context *context);

void loom_region_open(struct loom_region *region);
void loom_region_close(struct loom_region *region);
bool loom_region_entitled(struct loom_region *region, const struct loom_region_share *share);

/* flags of CONTEXT_CREATE */
#define LOOM_LANES_FLAGS	DRM_LOOM_CONTEXT_EXCLUSIVE
/* whether contexts of a device may own lanes */
#define loom_lanes_exist(loom)	((loom)->backend->has_lanes)
#else
#define LOOM_LANES_FLAGS	0
#define loom_lanes_exist(loom)	((void)(loom), false)

static inline int __must_check loom_lanes_take(struct loom_context *context,
					       const struct drm_loom_context_create *args)
{
	return args->lanes || memchr_inv(args->lane_mask, 0, sizeof(args->lane_mask)) ?
		       -EOPNOTSUPP : 0;
}

static inline void loom_lanes_give(struct loom_context *context)
{
}

static inline int __must_check loom_lanes_claim(struct loom_context *context,
						const struct drm_loom_context_create *args)
{
	return 0;
}

static inline void loom_lanes_unclaim(struct loom_context *context)
{
}

static inline u32 loom_lanes_flags(const struct loom_context *context)
{
	return 0;
}

static inline void loom_region_open(struct loom_region *region)
{
}

static inline void loom_region_close(struct loom_region *region)
{
}

static inline bool loom_region_entitled(struct loom_region *region,
					const struct loom_region_share *share)
{
	return true;
}
#endif

#endif /* LOOM_LANES_H */
