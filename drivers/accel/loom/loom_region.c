// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "core/loom_plan.h"
#include "loom_bo.h"
#include "loom_device.h"
#include "loom_region.h"
#include "loom_trace.h"

/**
 * DOC: Regions
 *
 * A region is a TTM resource manager. TTM brings what is hard about memory that
 * runs out: an LRU, eviction, waiting for idle buffers, CPU mappings that
 * follow. What is ours is where a buffer goes, and that is the business of
 * core/bank/bank.c: one address range that is free in every bank.
 *
 * A resource is only an address. The bytes of a buffer are in system pages,
 * whether it is resident or not (&ttm_resource_manager.use_tt); a back end whose
 * banks are memory of their own gets its copies with the move.
 *
 * The bottom of the SRAM is where plans have their scratch. Scratch is not
 * allocated, because only one job runs at a time and all of them use the same
 * bytes. Queued jobs hold it, and so do plans that were asked to: the largest sets the
 * floor that SRAM buffers stay above, and a job that would reach up into a buffer is
 * refused when it is submitted. So scratch and buffers never meet while a job runs.
 *
 * All of that is judged bank by bank. A plan with few rows uses the first banks only, and its
 * ends do not grow from a bank to the next (see &loom_plan.scratch_ends): a buffer meets
 * it in the first of its banks, if anywhere.
 */

static struct loom_region *to_loom_region(struct ttm_resource_manager *manager)
{
	return container_of(manager, struct loom_region, manager);
}

static struct loom_region_block *to_loom_region_block(struct ttm_resource *resource)
{
	return container_of(resource, struct loom_region_block, base);
}

static struct loom_device *loom_region_device(struct loom_region *region)
{
	return container_of(region->manager.bdev, struct loom_device, ttm);
}

/* What is held at the bottom of a bank, and of those behind it. The first one tells, mostly. */
static u64 loom_region_scratch_locked(struct loom_region *region, u32 bank)
{
	struct loom_region_scratch *scratch;
	struct rb_node *node;
	u64 most = 0;

	lockdep_assert_held(&region->lock);
	for (node = rb_first_cached(&region->scratch); node; node = rb_next(node)) {
		scratch = rb_entry(node, struct loom_region_scratch, node);
		if (scratch->bytes <= most)
			break;
		most = max(most, scratch->plan->scratch_ends[bank]);
	}
	return most;
}

static void loom_region_trace_alloc_locked(struct loom_region *region,
					   const struct loom_region_block *block,
					   const struct loom_bo *bo, int ret)
{
	u32 dev = loom_device_index(loom_region_device(region));
	struct loom_bank_stats stats;

	lockdep_assert_held(&region->lock);
	if (!ret) {
		trace_loom_alloc(dev, bo->owner, bo->shape.region, block->block.start,
				 block->block.size);
	} else if (trace_loom_full_enabled()) {
		loom_bank_stats(&region->bank, &bo->shape.mask, &stats);
		trace_loom_full(dev, bo->owner, bo->shape.region,
				bo->shape.layout.bytes_per_bank, stats.free, stats.largest_free);
	}
}

static int loom_region_alloc(struct ttm_resource_manager *manager, struct ttm_buffer_object *tbo,
			     const struct ttm_place *place, struct ttm_resource **resource)
{
	struct loom_region *region = to_loom_region(manager);
	struct loom_bo *bo = to_loom_bo(tbo);
	struct loom_bank_request request = {
		.size = bo->shape.layout.bytes_per_bank,
		.align = region->topology->align_bytes,
		.high = U64_MAX,
		.mask = bo->shape.partial ? &bo->shape.mask : NULL,
		.top_down = bo->shape.top_down,
	};
	struct loom_partial_chunk *spare = NULL;
	struct loom_region_block *block;
	int ret;

	bo->no_space = false;
	block = kzalloc(sizeof(*block), GFP_KERNEL);
	if (!block)
		return -ENOMEM;
	if (bo->shape.partial) {
		/* mostly for nothing, but nothing can be allocated under the lock */
		spare = loom_bank_chunk_create();
		if (!spare) {
			kfree(block);
			return -ENOMEM;
		}
		request.spare = &spare;
	}
	ttm_resource_init(tbo, place, &block->base);
	block->owner = bo->owner;

	mutex_lock(&region->lock);
	/* the lowest of its banks is where most is held */
	request.low = region->bank.base +
		      loom_region_scratch_locked(region, loom_mask_next(&bo->shape.mask, 0));
	ret = loom_bank_alloc(&region->bank, &block->block, &request);
	loom_region_trace_alloc_locked(region, block, bo, ret);
	mutex_unlock(&region->lock);
	loom_port_free(spare);
	if (ret) {
		bo->no_space = ret == -ENOSPC;
		ttm_resource_fini(manager, &block->base);
		kfree(block);
		return ret;
	}

	*resource = &block->base;
	return 0;
}

static void loom_region_free(struct ttm_resource_manager *manager, struct ttm_resource *resource)
{
	struct loom_region *region = to_loom_region(manager);
	struct loom_region_block *block = to_loom_region_block(resource);
	int ret;

	mutex_lock(&region->lock);
	trace_loom_free(loom_device_index(loom_region_device(region)), block->owner,
			resource->mem_type - LOOM_REGION_PLACEMENT(0), block->block.start,
			block->block.size);
	ret = loom_bank_free(&region->bank, &block->block);
	mutex_unlock(&region->lock);
	WARN_ON_ONCE(ret);
	ttm_resource_fini(manager, resource);
	kfree(block);
}

static const struct ttm_resource_manager_func loom_region_func = {
	.alloc = loom_region_alloc,
	.free = loom_region_free,
};

/**
 * loom_region_init() - hand the banks of a region to TTM
 * @loom: the device
 * @id: an &enum drm_loom_region
 *
 * Return: 0 or -errno.
 */
int loom_region_init(struct loom_device *loom, u32 id)
{
	struct loom_region *region = &loom->region[id];
	const struct loom_region_topology *topology = &loom->topology->region[id];
	u64 base, limit = topology->bank_bytes;
	int ret;

	if (!loom_round_up(topology->reserved_bytes, topology->align_bytes, &base))
		return -EINVAL;
	limit -= limit % topology->align_bytes;
	region->topology = topology;
	region->scratch = RB_ROOT_CACHED;
	mutex_init(&region->lock);
	ret = loom_bank_init(&region->bank, base, limit, topology->banks,
			     id == DRM_LOOM_REGION_DRAM ? LOOM_BANK_BEST_FIT :
						      LOOM_BANK_LARGE_BEST_FIT);
	if (ret)
		return ret;

	ttm_resource_manager_init(&region->manager, &loom->ttm,
				  (limit - base) * topology->banks);
	region->manager.func = &loom_region_func;
	region->manager.use_tt = true;
	ttm_set_driver_manager(&loom->ttm, LOOM_REGION_PLACEMENT(id), &region->manager);
	ttm_resource_manager_set_used(&region->manager, true);
	return 0;
}

/**
 * loom_region_fini() - undo loom_region_init()
 * @loom: the device
 * @id: an &enum drm_loom_region
 */
void loom_region_fini(struct loom_device *loom, u32 id)
{
	struct loom_region *region = &loom->region[id];

	ttm_resource_manager_set_used(&region->manager, false);
	ttm_resource_manager_evict_all(&loom->ttm, &region->manager);
	ttm_resource_manager_cleanup(&region->manager);
	ttm_set_driver_manager(&loom->ttm, LOOM_REGION_PLACEMENT(id), NULL);
	WARN_ON(loom_bank_fini(&region->bank));
	mutex_destroy(&region->lock);
}

/**
 * loom_region_address() - where a resident buffer lies
 * @resource: its resource, of one of our regions
 *
 * Return: its first byte, in every bank.
 */
u64 loom_region_address(struct ttm_resource *resource)
{
	return to_loom_region_block(resource)->block.start;
}

static bool loom_region_larger(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct loom_region_scratch, node)->bytes >
	       rb_entry(b, struct loom_region_scratch, node)->bytes;
}

/* The lowest buffer of a bank, or NULL. */
static struct loom_bank_block *loom_region_lowest_locked(struct loom_region *region, u32 bank)
{
	return loom_bank_bottom(&region->bank, bank);
}

/* What is in the way of a plan's scratch, the worst of it. */
static bool loom_region_meets_locked(struct loom_region *region, const struct loom_plan *plan,
				     struct loom_region_conflict *conflict)
{
	u64 base = region->bank.base, worst = 0;
	struct loom_bank_block *block;
	struct loom_region_block *found = NULL;
	u32 bank;

	lockdep_assert_held(&region->lock);
	for (bank = 0; bank < plan->lanes && plan->scratch_ends[bank]; bank++) {
		u64 end = base + plan->scratch_ends[bank];

		block = loom_region_lowest_locked(region, bank);
		if (!block || end <= block->start || end - block->start <= worst)
			continue;
		worst = end - block->start;
		found = container_of(block, struct loom_region_block, block);
		*conflict = (struct loom_region_conflict) {
			.bank = bank,
			.start = base,
			.end = end,
			.address = block->start,
			.bytes = block->size,
		};
	}
	/* a buffer gives its place back before it is freed, so it is there */
	if (found && kref_get_unless_zero(&found->base.bo->base.refcount))
		conflict->gem = &found->base.bo->base;
	return found;
}

/**
 * loom_region_meets() - whether a buffer lies in the scratch of a plan
 * @region: the SRAM
 * @plan: the plan
 * @conflict: out: which one, if there is one
 *
 * Return: true if there is one.
 */
bool loom_region_meets(struct loom_region *region, const struct loom_plan *plan,
		       struct loom_region_conflict *conflict)
{
	bool meets;

	*conflict = (struct loom_region_conflict) {};
	mutex_lock(&region->lock);
	meets = loom_region_meets_locked(region, plan, conflict);
	mutex_unlock(&region->lock);
	return meets;
}

/**
 * loom_region_hold() - keep the bottom of the SRAM for a job or a plan
 * @region: the SRAM
 * @scratch: zeroed or released
 * @plan: whose scratch; lives until it is released
 * @conflict: out: what is in the way, if this fails
 *
 * Return: 0, or -EBUSY when a buffer is in the way.
 */
int loom_region_hold(struct loom_region *region, struct loom_region_scratch *scratch,
		     const struct loom_plan *plan, struct loom_region_conflict *conflict)
{
	int ret = 0;

	*conflict = (struct loom_region_conflict) {};
	if (!plan->scratch_ends[0])
		return 0;
	mutex_lock(&region->lock);
	if (loom_region_meets_locked(region, plan, conflict)) {
		ret = -EBUSY;
	} else {
		scratch->bytes = plan->scratch_ends[0];
		scratch->plan = plan;
		rb_add_cached(&scratch->node, &region->scratch, loom_region_larger);
	}
	mutex_unlock(&region->lock);
	return ret;
}

/**
 * loom_region_release() - the job does not need it any more
 * @region: the SRAM
 * @scratch: held or not
 */
void loom_region_release(struct loom_region *region, struct loom_region_scratch *scratch)
{
	if (!scratch->bytes)
		return;
	mutex_lock(&region->lock);
	rb_erase_cached(&scratch->node, &region->scratch);
	scratch->bytes = 0;
	mutex_unlock(&region->lock);
}

/**
 * loom_region_info() - what it is and how full
 * @region: the region
 * @info: out
 */
void loom_region_info(struct loom_region *region, struct drm_loom_region_info *info)
{
	const struct loom_region_topology *topology = region->topology;
	struct loom_bank_stats stats;
	u64 scratch;

	mutex_lock(&region->lock);
	loom_bank_stats(&region->bank, NULL, &stats);
	scratch = loom_region_scratch_locked(region, 0);
	mutex_unlock(&region->lock);

	*info = (struct drm_loom_region_info) {
		.banks = topology->banks,
		.sub_banks = topology->sub_banks,
		.bank_bytes = topology->bank_bytes,
		.reserved_bytes = topology->reserved_bytes,
		.align_bytes = topology->align_bytes,
		.total_bytes = stats.total,
		.allocated_bytes = stats.allocated,
		.free_bytes = stats.free,
		.largest_free_bytes = stats.largest_free,
		.scratch_bytes = scratch,
		.blocks = stats.blocks,
	};
}

/**
 * loom_region_bank() - how full one of its banks is
 * @region: the region
 * @index: which one
 * @info: out
 */
void loom_region_bank(struct loom_region *region, u32 index, struct drm_loom_bank_info *info)
{
	struct loom_bank_stats stats;
	struct loom_mask mask = {};

	loom_mask_set(&mask, index);
	mutex_lock(&region->lock);
	loom_bank_stats(&region->bank, &mask, &stats);
	mutex_unlock(&region->lock);
	*info = (struct drm_loom_bank_info) {
		.total_bytes = stats.total,
		.allocated_bytes = stats.allocated,
		.free_bytes = stats.free,
		.largest_free_bytes = stats.largest_free,
		.blocks = stats.blocks,
	};
}

/**
 * loom_region_total() - what a bank can give out
 * @region: the region
 *
 * Return: bytes.
 */
u64 loom_region_total(const struct loom_region *region)
{
	return region->bank.limit - region->bank.base;
}

/**
 * loom_region_no_space() - why a buffer has no room
 * @region: the region
 * @shape: what was asked for
 * @size_bytes: of the buffer, as the client said
 * @record: out
 */
void loom_region_no_space(struct loom_region *region, const struct loom_shape *shape,
			  u64 size_bytes, struct drm_loom_no_space *record)
{
	u64 asked = shape->layout.bytes_per_bank, fullest = 0;
	struct loom_bank_stats stats;
	u32 bank;

	*record = (struct drm_loom_no_space) {
		.region = shape->region,
		.banks = loom_mask_count(&shape->mask),
		.size_bytes = shape->layout.size ?: size_bytes,
		.bytes_per_bank = asked,
		.bank_bytes = loom_region_total(region),
	};
	mutex_lock(&region->lock);
	loom_bank_stats(&region->bank, &shape->mask, &stats);
	for (bank = loom_mask_next(&shape->mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(&shape->mask, bank + 1))
		fullest = max(fullest, loom_bank_bytes(&region->bank, bank));
	record->scratch_bytes = loom_region_scratch_locked(region,
							   loom_mask_next(&shape->mask, 0));
	mutex_unlock(&region->lock);

	record->allocated_bytes = fullest;
	record->free_bytes = stats.total - fullest;
	record->common_free_bytes = stats.free;
	record->largest_free_bytes = stats.largest_free;
	if (asked > stats.total)
		record->reason = DRM_LOOM_NO_SPACE_TOO_LARGE;
	else if (asked > record->free_bytes)
		record->reason = DRM_LOOM_NO_SPACE_EXHAUSTED;
	else if (asked > stats.free)
		record->reason = DRM_LOOM_NO_SPACE_LOCKSTEP;
	else
		record->reason = DRM_LOOM_NO_SPACE_FRAGMENTED;
}

/**
 * loom_region_blocks() - list what is allocated and what is free
 * @region: the region
 * @mask: of which banks, NULL for all
 * @blocks: out: the first @max of them, in address order
 * @max: room in @blocks
 * @client: whose blocks are DRM_LOOM_BLOCK_OWN
 * @owners: out: drm_file.client_id of who made each, as many as @blocks; or NULL
 *
 * Return: how many there are.
 */
u64 loom_region_blocks(struct loom_region *region, const struct loom_mask *mask,
		       struct drm_loom_block *blocks, u64 max, u64 client, u64 *owners)
{
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	u64 n = 0;

	mutex_lock(&region->lock);
	if (region->bank.base) {
		if (n < max)
			blocks[n] = (struct drm_loom_block) {
				.bytes = region->bank.base,
				.flags = DRM_LOOM_BLOCK_RESERVED,
			};
		n++;
	}
	loom_bank_walk(&region->bank, mask, &iter);
	while (loom_bank_next(&iter, &span)) {
		if (n < max) {
			struct loom_region_block *block =
				container_of(span.block, struct loom_region_block, block);

			blocks[n] = (struct drm_loom_block) {
				.address = span.start,
				.bytes = span.end - span.start,
			};
			if (owners)
				owners[n] = span.block ? block->owner : 0;
			if (span.block)
				blocks[n].flags =
					DRM_LOOM_BLOCK_ALLOCATED |
					(block->owner == client ? DRM_LOOM_BLOCK_OWN : 0) |
					(span.block->partial ? DRM_LOOM_BLOCK_PARTIAL : 0);
		}
		n++;
	}
	mutex_unlock(&region->lock);
	return n;
}
