/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_LANES_H
#define LOOM_LANES_H

#include <linux/string.h>
#include <linux/types.h>

#include <drm/loom_accel.h>

struct loom_context;

#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
int __must_check loom_lanes_take(struct loom_context *context,
				 const struct drm_loom_context_create *args);
void loom_lanes_give(struct loom_context *context);
#else
static inline int __must_check loom_lanes_take(struct loom_context *context,
					       const struct drm_loom_context_create *args)
{
	return args->lanes || memchr_inv(args->lane_mask, 0, sizeof(args->lane_mask)) ?
		       -EOPNOTSUPP : 0;
}

static inline void loom_lanes_give(struct loom_context *context)
{
}
#endif

#endif /* LOOM_LANES_H */
