// SPDX-License-Identifier: GPL-2.0
#include <drm/drm_device.h>
#include <drm/loom_accel.h>

#include "loom_shape.h"
#include "loom_user.h"

/**
 * loom_shape_image() - build the shape of an image
 * @shape: the shape, with its banks
 * @drm: the device
 * @chip: the region
 * @args: arguments of BO_CREATE
 *
 * Return: 0, -EINVAL, -EOVERFLOW.
 */
int loom_shape_image(struct loom_shape *shape, struct drm_device *drm,
		     const struct drm_loom_chip_region *chip,
		     const struct drm_loom_bo_create *args)
{
	int ret;

	if (args->size || args->page_bytes || !loom_shape_no_shards(args))
		return loom_refuse(drm, -EINVAL, "image: fields of other layouts are set");
	ret = loom_layout_image(&shape->layout, args->width, args->height, args->dtype,
				args->pitch_bytes, loom_mask_count(&shape->mask),
				chip->align_bytes);
	if (ret == -EINVAL)
		return loom_refuse(drm, ret, "image: %u x %u of type %u, pitch %u", args->width,
				   args->height, args->dtype, args->pitch_bytes);
	return ret;
}

/**
 * loom_shape_shards() - build the shape of a sharded buffer
 * @shape: the shape, with its banks; those without a shard are removed, and so not charged
 * @drm: the device
 * @chip: the region
 * @args: arguments of BO_CREATE
 * @page_bytes: bytes of a page
 *
 * Return: 0, -EINVAL, -EOVERFLOW.
 */
int loom_shape_shards(struct loom_shape *shape, struct drm_device *drm,
		      const struct drm_loom_chip_region *chip,
		      const struct drm_loom_bo_create *args, u32 page_bytes)
{
	struct loom_layout_shards shards;
	int ret;

	if (args->shard_order > DRM_LOOM_SHARD_COLUMN_MAJOR)
		return loom_refuse(drm, -EINVAL, "shards: order %u", args->shard_order);
	shards = loom_layout_shards_of(args, page_bytes, loom_mask_count(&shape->mask),
				       chip->align_bytes);
	ret = loom_layout_sharded(&shape->layout, &shards);
	if (ret == -EINVAL)
		loom_refuse(drm, ret, "shards: %u x %u pages of %u columns over %u of %u banks",
			    args->shard_rows, args->shard_columns, args->page_columns,
			    args->grid_columns, shards.banks);
	if (ret)
		return ret;
	loom_layout_keep_used(&shape->layout, &shape->mask);
	return 0;
}
