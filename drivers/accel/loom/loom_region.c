// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "core/loom_plan.h"
#include "core/loom_core.h"
#include "loom_compat.h"
#include "loom_event.h"
#include "loom_leftover.h"
#include "loom_region.h"
#include "loom_shape.h"
#include "sram/floor.h"

/**
 * DOC: Regions
 *
 * A region is the banks of one kind. An allocation takes one address range that is free in each of
 * its banks; core/bank finds it. A region knows only blocks and their owners, not buffers;
 * loom_ttm.c allocates a block when TTM places a buffer.
 *
 * The bottom of the SRAM is where plans have their scratch. Scratch is not allocated, because only
 * one job runs at a time and all of them use the same bytes. Queued jobs hold it, and so do plans
 * with DRM_LOOM_PLAN_RESERVE: SRAM buffers are placed above the largest scratch, and SUBMIT refuses
 * a job whose scratch would overlap a buffer. Invariant: scratch and buffers do not overlap while a
 * job runs. sram/sram.c defines the shares of clients: most clients must keep their buffers above
 * and their scratch below a floor, so that these cannot conflict.
 *
 * These checks are per bank. A plan with few rows uses the first banks only, and its ends do not
 * grow from a bank to the next (see &loom_plan.scratch_ends): if a buffer overlaps it at all, it
 * does so in the first of the buffer's banks.
 */

const char * const loom_region_names[DRM_LOOM_REGION_COUNT] = { "dram", "sram", "rom" };
EXPORT_SYMBOL_NS_GPL(loom_region_names, LOOM_COMPAT_NS);

/* ------------------------------------------------------------------ blocks */

/* Charge a block to its file in each bank, or with @sign -1 uncharge it. */
static void loom_region_count_locked(struct loom_region *region, struct loom_region_block *block,
				     int sign)
{
	struct loom_region_share *share = block->share;
	u32 bank;

	lockdep_assert_held(&region->lock);
	/* imported buffers have no owner */
	if (!share)
		return;
	share->blocks[region->id] += sign;
	for (bank = loom_mask_next(&block->mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(&block->mask, bank + 1))
		share->used[region->id][bank] += sign * block->block.size;
}

/**
 * loom_region_request() - what a buffer asks core/bank for
 * @region: the region
 * @shape: the buffer's shape, which must outlive the request
 *
 * Return: the request, with any address.
 */
struct loom_bank_request loom_region_request(const struct loom_region *region,
					     const struct loom_shape *shape)
{
	u64 align = region->chip->align_bytes;

	/* a mapped buffer must not share its pages */
	if (loom_shape_in_place(shape, loom_region_map_bytes(region)))
		align = max_t(u64, align, loom_region_map_bytes(region));
	return (struct loom_bank_request) {
		.size = shape->layout.bytes_per_bank,
		.align = align,
		.high = U64_MAX,
		.mask = shape->partial ? &shape->mask : NULL,
		.top_down = shape->top_down,
	};
}

/* As loom_region_take_locked(), for one block. */
static int loom_region_take_one_locked(struct loom_region *region, struct loom_region_block *block,
				       const struct loom_shape *shape,
				       struct loom_bank_chunk **spare)
{
	struct loom_bank_request request = loom_region_request(region, shape);
	int ret;

	lockdep_assert_held(&region->lock);
	request.spare = spare;
	if (shape->per_bank)
		request.mask = &block->mask;
	ret = loom_region_place_locked(region, block, &request);
	if (!ret)
		loom_region_count_locked(region, block, 1);
	return ret;
}

/**
 * loom_region_give_locked() - undo loom_region_take_locked()
 * @region: the region
 * @block: the block, or the first of an array that is allocated in part
 */
void loom_region_give_locked(struct loom_region *region, struct loom_region_block *block)
{
	u32 i;

	lockdep_assert_held(&region->lock);
	for (i = 0; i < block->count && loom_bank_allocated(&block[i].block); i++) {
		loom_region_give_share_locked(&block[i]);
		loom_region_count_locked(region, &block[i], -1);
		WARN_ON_ONCE(loom_bank_free(loom_region_bank_locked(region), &block[i].block));
	}
}

/**
 * loom_region_take_locked() - find addresses for a buffer and charge them
 * @region: the region
 * @block: the block, with its mask and share, or the first of an array
 * @shape: the buffer's shape
 * @spares: chunks or NULL, see &struct loom_bank_request
 * @spare_count: number of @spares, not zero
 *
 * Return: 0, -ENOSPC, -EDQUOT, or -ENOMEM if it needs more chunks.
 */
int loom_region_take_locked(struct loom_region *region, struct loom_region_block *block,
			    const struct loom_shape *shape, struct loom_bank_chunk **spares,
			    u32 spare_count)
{
	u32 spare = 0, i;
	int ret = 0;

	for (i = 0; i < block->count && !ret; i++) {
		while (spare + 1 < spare_count && !spares[spare])
			spare++;
		ret = loom_region_take_one_locked(region, &block[i], shape, &spares[spare]);
	}
	if (ret)
		loom_region_give_locked(region, block);
	return ret;
}

/* Allocate an address. Return: as loom_region_take_locked(). */
static int loom_region_allocate(struct loom_region *region, struct loom_region_block *block,
				const struct loom_shape *shape, struct loom_bank_chunk **spares)
{
	int ret;

	mutex_lock(&region->lock);
	ret = loom_region_take_locked(region, block, shape, spares, block->count);
	if (!ret || ret == -ENOSPC)
		loom_region_trace_alloc_locked(region, block, shape, ret);
	if (!ret)
		loom_region_reach_leftovers_locked(region, block);
	mutex_unlock(&region->lock);
	return ret;
}

/**
 * loom_region_create() - blocks of a buffer, without addresses
 * @shape: the buffer's shape
 * @gem: the buffer, or NULL for blocks that are freed under the same lock
 * @owner: drm_file.client_id of the client
 * @share: share of that client; it must outlive the blocks
 *
 * Return: the block or the first of an array, which the caller must kfree(); NULL without memory.
 */
struct loom_region_block *loom_region_create(const struct loom_shape *shape,
					     struct drm_gem_object *gem, u64 owner,
					     struct loom_region_share *share)
{
	u32 count = shape->per_bank ? loom_mask_count(&shape->mask) : 1, bank = 0, i;
	struct loom_region_block *block = kcalloc(count, sizeof(*block), GFP_KERNEL_ACCOUNT);

	if (!block)
		return NULL;
	block->count = count;
	for (i = 0; i < count; i++) {
		block[i].whole = block;
		block[i].gem = gem;
		block[i].owner = owner;
		block[i].share = share;
		bank = loom_mask_next(&shape->mask, bank);
		loom_mask_set(&block[i].mask, bank++);
	}
	if (count == 1)
		block->mask = shape->mask;
	return block;
}

/**
 * loom_region_alloc() - allocate an address for a buffer
 * @region: the region
 * @shape: the buffer's shape
 * @gem: the buffer, for &struct loom_region_conflict; it must outlive the block
 * @owner: drm_file.client_id of the client that made it
 * @share: share of that client; it must outlive the block
 *
 * Return: the block, which the caller must give to loom_region_free(); ERR_PTR(-ENOSPC) if the
 * banks are full, ERR_PTR(-EDQUOT) if the share of the client is used up, ERR_PTR(-ENOMEM).
 */
struct loom_region_block *loom_region_alloc(struct loom_region *region,
					    const struct loom_shape *shape,
					    struct drm_gem_object *gem, u64 owner,
					    struct loom_region_share *share)
{
	struct loom_bank_chunk **spares, *none = NULL;
	struct loom_region_block *block;
	u32 count, i;
	int ret;

	block = loom_region_create(shape, gem, owner, share);
	if (!block)
		return ERR_PTR(-ENOMEM);
	count = block->count;
	/* rarely enough for an array of many, but nothing can be allocated under the lock */
	spares = count > 1 ? kcalloc(count, sizeof(*spares), GFP_KERNEL) : &none;
	ret = spares ? loom_region_allocate(region, block, shape, spares) : -ENOMEM;
	for (i = 0; spares && ret == -ENOMEM && i < count; i++) {
		spares[i] = loom_bank_chunk_create();
		if (!spares[i])
			break;
	}
	if (ret == -ENOMEM && i == count)
		ret = loom_region_allocate(region, block, shape, spares);
	for (i = 0; spares && i < count; i++)
		loom_port_free(spares[i]);
	if (spares != &none)
		kfree(spares);
	if (ret) {
		kfree(block);
		return ERR_PTR(ret);
	}
	return block;
}

/**
 * loom_region_free() - free the addresses of a block
 * @region: the region
 * @block: from loom_region_alloc(); the caller must kfree() it after this
 */
void loom_region_free(struct loom_region *region, struct loom_region_block *block)
{
	mutex_lock(&region->lock);
	trace_loom_free(region->dev, block->owner, region->id, block->block.start,
			block->block.size, block->gem);
	loom_region_leave_leftover_locked(region, block);
	loom_region_give_locked(region, block);
	WRITE_ONCE(region->freed, region->freed + 1);
	mutex_unlock(&region->lock);
	wake_up_all(&region->freed_wait);
}

/**
 * loom_region_addresses() - addresses of a buffer in all of its banks
 * @resource: of the buffer
 *
 * Return: an array by bank of the region, for kfree(), zero in other banks; NULL without memory.
 */
u64 *loom_region_addresses(struct ttm_resource *resource)
{
	const struct loom_region_block *block = to_loom_region_block(resource);
	u64 *addresses = kcalloc(DRM_LOOM_MAX_BANKS, sizeof(*addresses), GFP_KERNEL_ACCOUNT);
	u32 bank, i;

	for (i = 0; addresses && i < block->count; i++)
		for (bank = loom_mask_next(&block[i].mask, 0); bank < DRM_LOOM_MAX_BANKS;
		     bank = loom_mask_next(&block[i].mask, bank + 1))
			addresses[bank] = block[i].block.start;
	return addresses;
}
EXPORT_SYMBOL_NS_GPL(loom_region_addresses, LOOM_COMPAT_NS);

/**
 * loom_region_init() - set up a region, with free banks or without banks
 * @region: zeroed
 * @id: an &enum drm_loom_region
 * @chip: of the device; must outlive the region
 * @dev: number of the device's node, for traces
 *
 * Return: 0 or -errno.
 */
int loom_region_init(struct loom_region *region, u32 id, const struct drm_loom_chip *chip, u32 dev)
{
	const struct drm_loom_chip_region *part = &chip->region[id];
	u64 base, limit = part->bank_bytes;

	region->id = id;
	region->dev = dev;
	region->chip = part;
	region->banks = loom_chip_banks(chip, id);
	region->scratch = RB_ROOT_CACHED;
	init_waitqueue_head(&region->freed_wait);
	mutex_init(&region->lock);
	spin_lock_init(&region->scratch_lock);
	if (!loom_region_exists(region))
		return 0;
	if (!loom_round_up(part->reserved_bytes, part->align_bytes, &base))
		return -EINVAL;
	limit -= limit % part->align_bytes;
	if (id == DRM_LOOM_REGION_SRAM)
		loom_sram_init(&region->sram, part, limit - base);
	return loom_bank_init(&region->bank, base, limit, region->banks,
			      id == DRM_LOOM_REGION_SRAM ? LOOM_BANK_NEAR_FIT :
							   LOOM_BANK_BEST_FIT);
}

/**
 * loom_region_fini() - undo loom_region_init()
 * @region: the region, without blocks
 */
void loom_region_fini(struct loom_region *region)
{
	if (loom_region_exists(region))
		WARN_ON(loom_bank_fini(&region->bank));
	loom_region_leftovers_fini(region);
	mutex_destroy(&region->lock);
}
