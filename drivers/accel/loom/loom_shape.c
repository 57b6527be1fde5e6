// SPDX-License-Identifier: GPL-2.0
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include <drm/drm_device.h>
#include <drm/loom_accel.h>

#include "core/loom_core.h"
#include "loom_compat.h"
#include "loom_shape.h"
#include "loom_user.h"

/**
 * DOC: Shapes
 *
 * A shape has the banks of a buffer, its bytes in each of them, and the end of the banks from which
 * it is allocated. It is built from BO_CREATE's arguments, all of which are checked before anything
 * is allocated. It needs no lock.
 *
 * A buffer takes the same addresses in all of its banks, or (DRM_LOOM_BO_CREATE_PER_BANK) some in
 * each bank that do not depend on those of other banks: core/bank allocates a block on each bank.
 *
 * A field that the layout does not use must be zero. loom_shards.c has sharded buffers and images.
 */

#define LOOM_SHAPE_PAGE_MAX	SZ_1M

static int loom_shape_copy_mask(struct loom_shape *shape, struct drm_device *drm, u32 banks,
				const struct drm_loom_bo_create *args)
{
	const struct loom_mask all = loom_mask_all(banks);

	if (!args->bank_mask != !args->bank_mask_words || args->bank_mask_words > LOOM_MASK_WORDS)
		return loom_refuse(drm, -EINVAL, "buffer: mask of %u words at %#llx",
				   args->bank_mask_words, args->bank_mask);
	shape->mask = all;
	if (!args->bank_mask)
		return 0;
	memset(&shape->mask, 0, sizeof(shape->mask));
	if (copy_from_user(shape->mask.word, u64_to_user_ptr(args->bank_mask),
			   args->bank_mask_words * sizeof(*shape->mask.word)))
		return loom_refuse(drm, -EFAULT, "buffer: no mask at %#llx", args->bank_mask);
	if (!loom_mask_within(&shape->mask, &all) || !loom_mask_count(&shape->mask))
		return loom_refuse(drm, -EINVAL, "buffer: mask %#llx, there are %u banks",
				   shape->mask.word[0], banks);
	return 0;
}

static int loom_shape_page(struct drm_device *drm, const struct drm_loom_chip_region *chip,
			   const struct drm_loom_bo_create *args, u32 *page_bytes)
{
	*page_bytes = loom_layout_page_bytes(args->page_bytes, chip->align_bytes);
	if (args->width || args->height || args->dtype || args->pitch_bytes)
		return loom_refuse(drm, -EINVAL, "buffer: fields of an image are set");
	if (!args->size || *page_bytes > LOOM_SHAPE_PAGE_MAX)
		return loom_refuse(drm, -EINVAL, "buffer: %llu bytes in pages of %u", args->size,
				   *page_bytes);
	return 0;
}

static int loom_shape_interleaved(struct loom_shape *shape, struct drm_device *drm,
				  const struct drm_loom_chip_region *chip,
				  const struct drm_loom_bo_create *args)
{
	u32 page_bytes;
	int ret = loom_shape_page(drm, chip, args, &page_bytes);

	if (ret)
		return ret;
	if (!loom_shape_no_shards(args))
		return loom_refuse(drm, -EINVAL, "buffer: fields of shards are set");
	return loom_layout_interleaved(&shape->layout, args->size, page_bytes,
				       loom_mask_count(&shape->mask), chip->align_bytes);
}

/**
 * loom_shape_init() - check a request and build its shape
 * @shape: out
 * @drm: the device
 * @chip: of the device
 * @args: arguments of BO_CREATE
 *
 * Return: 0; -EINVAL; -EFAULT; -EOVERFLOW if its size exceeds 64 bits.
 */
int loom_shape_init(struct loom_shape *shape, struct drm_device *drm,
		    const struct drm_loom_chip *chip, const struct drm_loom_bo_create *args)
{
	const struct drm_loom_chip_region *region;
	struct loom_mask all;
	u32 page_bytes;
	int ret;

	memset(shape, 0, sizeof(*shape));
	if (args->region >= DRM_LOOM_REGION_COUNT ||
	    args->flags & ~DRM_LOOM_BO_CREATE_PER_BANK || args->pad ||
	    args->direction > DRM_LOOM_DIRECTION_TINY_APART ||
	    !args->no_space != !args->no_space_size)
		return loom_refuse(drm, -EINVAL,
				   "buffer: region %u, direction %u, flags %#x, padding %#x, record of %u",
				   args->region, args->direction, args->flags, args->pad,
				   args->no_space_size);
	shape->region = array_index_nospec(args->region, DRM_LOOM_REGION_COUNT);
	region = &chip->region[shape->region];
	if (!region->banks)
		return loom_refuse(drm, -EINVAL, "buffer: the chip has no region %u", args->region);
	shape->kind = args->layout;
	ret = loom_shape_copy_mask(shape, drm, loom_chip_banks(chip, shape->region), args);
	if (ret)
		return ret;
	switch (args->layout) {
	case DRM_LOOM_LAYOUT_INTERLEAVED:
		ret = loom_shape_interleaved(shape, drm, region, args);
		break;
	case DRM_LOOM_LAYOUT_IMAGE:
		ret = loom_shape_image(shape, drm, region, args);
		break;
	case DRM_LOOM_LAYOUT_SHARDED_HEIGHT:
	case DRM_LOOM_LAYOUT_SHARDED_WIDTH:
	case DRM_LOOM_LAYOUT_SHARDED_BLOCK:
		ret = loom_shape_page(drm, region, args, &page_bytes) ?:
		      loom_shape_shards(shape, drm, region, args, page_bytes);
		break;
	default:
		ret = loom_refuse(drm, -EINVAL, "buffer: layout %u", args->layout);
	}
	if (ret)
		return ret;
	all = loom_mask_all(loom_chip_banks(chip, shape->region));
	shape->partial = !loom_mask_same(&shape->mask, &all);
	shape->per_bank = args->flags & DRM_LOOM_BO_CREATE_PER_BANK &&
			  loom_mask_count(&shape->mask) > 1;
	shape->top_down = loom_layout_is_top_down(shape->region, args->direction,
						  shape->layout.bytes_per_bank);
	return 0;
}

/* Whether each bank has a shard. Return: true if so, false if pages or rows are interleaved. */
bool loom_shape_sharded(const struct loom_shape *shape)
{
	return shape->kind >= DRM_LOOM_LAYOUT_SHARDED_HEIGHT;
}

/**
 * loom_shape_in_place() - whether a buffer can be mapped directly
 * @shape: the shape
 * @map_bytes: pages and their pitch must be multiples of it; 0: no direct mappings
 *
 * Return: true if the linear view consists of whole pages of the processor, bank by bank.
 */
bool loom_shape_in_place(const struct loom_shape *shape, u32 map_bytes)
{
	return map_bytes && !(shape->layout.page_bytes % map_bytes) &&
	       !(shape->layout.page_pitch_bytes % map_bytes);
}

/**
 * loom_shape_bank() - map a bank of the layout to a bank of the region
 * @shape: the shape
 * @number: as loom_layout_map() gives it
 *
 * Return: its number in the region; any bank for an unused position of the grid.
 */
u32 loom_shape_bank(const struct loom_shape *shape, u32 number)
{
	u32 bank = loom_mask_next(&shape->mask, 0), place;

	if (!shape->partial)
		return number;
	/* positions of a grid without a shard have no bank in the mask */
	for (place = 0; place < number; place++)
		if (loom_layout_uses(&shape->layout, place))
			bank = loom_mask_next(&shape->mask, bank + 1);
	return bank < DRM_LOOM_MAX_BANKS ? bank : 0;
}
EXPORT_SYMBOL_NS_GPL(loom_shape_bank, LOOM_COMPAT_NS);
