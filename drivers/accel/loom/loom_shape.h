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

int loom_shape_init(struct loom_shape *shape, struct drm_device *drm,
		    const struct drm_loom_chip *chip, const struct drm_loom_bo_create *args);
bool loom_shape_sharded(const struct loom_shape *shape);
bool loom_shape_in_place(const struct loom_shape *shape, u32 map_bytes);
u32 loom_shape_bank(const struct loom_shape *shape, u32 number);

#endif /* LOOM_SHAPE_H */
