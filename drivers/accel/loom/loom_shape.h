/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SHAPE_H
#define LOOM_SHAPE_H

#include "core/loom_layout.h"
#include "core/loom_mask.h"

struct drm_device;
struct drm_loom_bo_create;
struct drm_loom_chip_region;
struct drm_loom_chip;

/**
 * struct loom_shape - requested layout of a buffer
 */
struct loom_shape {
	/** @layout: distribution over its banks */
	struct loom_layout layout;
	/** @mask: its banks */
	struct loom_mask mask;
	/** @kind: an &enum drm_loom_layout */
	u32 kind;
	/** @region: an &enum drm_loom_region */
	u32 region;
	/** @top_down: allocated from the end of the banks */
	bool top_down;
	/** @partial: it does not use all banks */
	bool partial;
	/** @per_bank: it has an address of its own in each bank, and more than one bank */
	bool per_bank;
};

/* Whether the fields of sharded buffers are zero. */
static inline bool loom_shape_no_shards(const struct drm_loom_bo_create *args)
{
	return !args->page_columns && !args->shard_rows && !args->shard_columns &&
	       !args->grid_columns && !args->shard_order;
}

int loom_shape_init(struct loom_shape *shape, struct drm_device *drm,
		    const struct drm_loom_chip *chip, const struct drm_loom_bo_create *args);
bool loom_shape_sharded(const struct loom_shape *shape);
bool loom_shape_in_place(const struct loom_shape *shape, u32 map_bytes);
u32 loom_shape_bank(const struct loom_shape *shape, u32 number);

#ifdef CONFIG_DRM_ACCEL_LOOM_LAYOUTS
int loom_shape_image(struct loom_shape *shape, struct drm_device *drm,
		     const struct drm_loom_chip_region *chip,
		     const struct drm_loom_bo_create *args);
int loom_shape_shards(struct loom_shape *shape, struct drm_device *drm,
		      const struct drm_loom_chip_region *chip,
		      const struct drm_loom_bo_create *args, u32 page_bytes);
#else
static inline int loom_shape_image(struct loom_shape *shape, struct drm_device *drm,
				   const struct drm_loom_chip_region *chip,
				   const struct drm_loom_bo_create *args)
{
	return -EOPNOTSUPP;
}

static inline int loom_shape_shards(struct loom_shape *shape, struct drm_device *drm,
				    const struct drm_loom_chip_region *chip,
				    const struct drm_loom_bo_create *args, u32 page_bytes)
{
	return -EOPNOTSUPP;
}
#endif

#endif /* LOOM_SHAPE_H */
