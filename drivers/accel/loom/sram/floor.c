// SPDX-License-Identifier: GPL-2.0
#include <drm/drm_gem.h>

#include "floor.h"
#include "loom_shape.h"

/* Addresses of buffers above the floor of the SRAM, see sram.c. */

/**
 * loom_region_low_locked() - lowest address for the buffers of a file
 * @region: the region
 * @mask: banks of the buffer
 * @share: of the file
 *
 * Return: bytes from the first address that can be allocated.
 */
u64 loom_region_low_locked(struct loom_region *region, const struct loom_mask *mask,
			   const struct loom_region_share *share)
{
	/* no plan has scratch there */
	if (loom_sram_is_storage(&region->sram, mask))
		return 0;
	return max(loom_sram_low(&region->sram, share),
		   loom_region_scratch_locked(region, mask, share));
}

/*
 * Find an address for a buffer at @request->low or above. Addresses above the floor of the SRAM are
 * preferred: below it the buffer would be displaced by the scratch of others.
 */
static int loom_region_place_above_locked(struct loom_region *region,
					  struct loom_region_block *block,
					  struct loom_bank_request *request)
{
	const u64 low = request->low, floor = region->bank.base + region->sram.floor_bytes;
	int ret;

	lockdep_assert_held(&region->lock);
	if (request->top_down && low < floor &&
	    !loom_sram_is_storage(&region->sram, &block->mask)) {
		request->low = floor;
		ret = loom_bank_alloc(loom_region_bank_locked(region), &block->block, request);
		if (ret != -ENOSPC)
			return ret;
		request->low = low;
	}
	return loom_bank_alloc(loom_region_bank_locked(region), &block->block, request);
}

/**
 * loom_region_place_locked() - find an address for a block, within the share of its file
 * @region: the region
 * @block: the block, with its mask and share
 * @request: size and alignment of the block; its lowest address is set here
 *
 * Return: 0, -ENOSPC, -EDQUOT, or as loom_bank_alloc().
 */
int loom_region_place_locked(struct loom_region *region, struct loom_region_block *block,
			     struct loom_bank_request *request)
{
	int ret = loom_sram_check(&region->sram, block->share, &block->mask, request->size);

	lockdep_assert_held(&region->lock);
	if (ret)
		return ret;
	request->low = region->bank.base + loom_region_low_locked(region, &block->mask,
								  block->share);
	ret = loom_region_place_above_locked(region, block, request);
	if (!ret)
		loom_sram_charge(&region->sram, &block->sram, block->share, &block->mask,
				 block->block.start - region->bank.base, request->size);
	return ret;
}

/**
 * loom_region_find_displaceable() - find a buffer in the SRAM to displace for another
 * @region: the SRAM
 * @shape: of the other
 * @share: of its file
 * @dying: out: there is a buffer that is being freed
 *
 * Return: a reference, or NULL if there is none.
 */
struct drm_gem_object *loom_region_find_displaceable(struct loom_region *region,
						     const struct loom_shape *shape,
						     const struct loom_region_share *share,
						     bool *dying)
{
	struct drm_gem_object *gem = NULL;
	struct loom_region_block *block;
	u64 low;

	*dying = false;
	mutex_lock(&region->lock);
	low = region->bank.base + loom_region_low_locked(region, &shape->mask, share);
	list_for_each_entry(block, &region->sram.taken, sram.node) {
		if (block->block.start + block->block.size <= low ||
		    !loom_mask_overlaps(&block->mask, &shape->mask) ||
		    !loom_region_displaceable_locked(region, block))
			continue;
		if (kref_get_unless_zero(&block->gem->refcount)) {
			gem = block->gem;
			break;
		}
		*dying = true;
	}
	mutex_unlock(&region->lock);
	return gem;
}
