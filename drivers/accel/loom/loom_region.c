// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "core/loom_plan.h"
#include "core/loom_topology.h"
#include "loom_region.h"
#include "loom_shape.h"
#include "loom_trace.h"

/**
 * DOC: Regions
 *
 * A region is the banks of one kind. An allocation takes one address range that is free in each
 * of its banks; finding it is the business of core/bank. A region knows no buffers, only blocks and
 * who owns them; loom_ttm.c allocates a block when TTM places a buffer.
 *
 * The bottom of the SRAM is where plans have their scratch. Scratch is not allocated, because only
 * one job runs at a time and all of them use the same bytes. Queued jobs hold it, and so do plans
 * that were asked to: the largest sets the floor that SRAM buffers stay above, and a job whose
 * scratch would overlap a buffer is refused when it is submitted. So scratch and buffers never
 * overlap while a job runs.
 *
 * All of that is judged bank by bank. A plan with few rows uses the first banks only, and its
 * ends do not grow from a bank to the next (see &loom_plan.scratch_ends): if a buffer overlaps
 * it at all, it does in the first of the buffer's banks.
 */

/* Bytes held at the bottom of a bank and of those behind it; mostly the first node has the most. */
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
					   const struct loom_shape *shape, int ret)
{
	struct loom_bank_stats stats;

	lockdep_assert_held(&region->lock);
	if (!ret) {
		trace_loom_alloc(region->dev, block->owner, region->id, block->block.start,
				 block->block.size);
	} else if (trace_loom_full_enabled()) {
		loom_bank_stats(&region->bank, &shape->mask, &stats);
		trace_loom_full(region->dev, block->owner, region->id,
				shape->layout.bytes_per_bank, stats.free, stats.largest_free);
	}
}

/**
 * loom_region_alloc() - find a place for a buffer
 * @region: the region
 * @shape: the buffer's shape
 * @gem: the buffer, to name it in a &struct loom_region_conflict; it outlives the block
 * @owner: drm_file.client_id of the client that made it
 *
 * Return: the block, to be given to loom_region_free(); ERR_PTR(-ENOSPC) when the banks have no
 * room, ERR_PTR(-ENOMEM).
 */
struct loom_region_block *loom_region_alloc(struct loom_region *region,
					    const struct loom_shape *shape,
					    struct drm_gem_object *gem, u64 owner)
{
	struct loom_bank_request request = {
		.size = shape->layout.bytes_per_bank,
		.align = region->topology->align_bytes,
		.high = U64_MAX,
		.mask = shape->partial ? &shape->mask : NULL,
		.top_down = shape->top_down,
	};
	struct loom_partial_chunk *spare = NULL;
	struct loom_region_block *block;
	int ret;

	block = kzalloc(sizeof(*block), GFP_KERNEL);
	if (!block)
		return ERR_PTR(-ENOMEM);
	if (shape->partial) {
		/* rarely needed, but nothing can be allocated under the lock */
		spare = loom_bank_chunk_create();
		if (!spare) {
			kfree(block);
			return ERR_PTR(-ENOMEM);
		}
		request.spare = &spare;
	}
	block->gem = gem;
	block->owner = owner;

	mutex_lock(&region->lock);
	/* the lowest of its banks is where most is held */
	request.low = region->bank.base +
		      loom_region_scratch_locked(region, loom_mask_next(&shape->mask, 0));
	ret = loom_bank_alloc(&region->bank, &block->block, &request);
	loom_region_trace_alloc_locked(region, block, shape, ret);
	mutex_unlock(&region->lock);
	loom_port_free(spare);
	if (ret) {
		kfree(block);
		return ERR_PTR(ret);
	}
	return block;
}

/**
 * loom_region_free() - give the addresses of a block back
 * @region: the region
 * @block: from loom_region_alloc(); to be freed with kfree() after this
 */
void loom_region_free(struct loom_region *region, struct loom_region_block *block)
{
	int ret;

	mutex_lock(&region->lock);
	trace_loom_free(region->dev, block->owner, region->id, block->block.start,
			block->block.size);
	ret = loom_bank_free(&region->bank, &block->block);
	mutex_unlock(&region->lock);
	WARN_ON_ONCE(ret);
}

/**
 * loom_region_init() - set up the banks of a region, all of them free
 * @region: zeroed
 * @id: an &enum drm_loom_region
 * @topology: its banks; lives as long as the region
 * @dev: number of the device's node, for traces
 *
 * Return: 0 or -errno.
 */
int loom_region_init(struct loom_region *region, u32 id,
		     const struct loom_region_topology *topology, u32 dev)
{
	u64 base, limit = topology->bank_bytes;

	if (!loom_round_up(topology->reserved_bytes, topology->align_bytes, &base))
		return -EINVAL;
	limit -= limit % topology->align_bytes;
	region->id = id;
	region->dev = dev;
	region->topology = topology;
	region->scratch = RB_ROOT_CACHED;
	mutex_init(&region->lock);
	return loom_bank_init(&region->bank, base, limit, topology->banks,
			      id == DRM_LOOM_REGION_DRAM ? LOOM_BANK_BEST_FIT :
							   LOOM_BANK_LARGE_BEST_FIT);
}

/**
 * loom_region_fini() - undo loom_region_init()
 * @region: the region, without blocks
 */
void loom_region_fini(struct loom_region *region)
{
	WARN_ON(loom_bank_fini(&region->bank));
	mutex_destroy(&region->lock);
}

/* ---------------------------------------------------------------- scratch */

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

/* Of the buffers that overlap a plan's scratch the one that reaches furthest below its end. */
static bool loom_region_find_conflict_locked(struct loom_region *region,
					     const struct loom_plan *plan,
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
	/* a buffer gives its block back before it is freed, so the pointer is valid */
	if (found && kref_get_unless_zero(&found->gem->refcount))
		conflict->gem = found->gem;
	return found;
}

/**
 * loom_region_find_conflict() - whether a buffer overlaps the scratch of a plan
 * @region: the SRAM
 * @plan: the plan
 * @conflict: out: which one, if there is one; to be given to loom_region_conflict_fini()
 *
 * Return: true if there is one.
 */
bool loom_region_find_conflict(struct loom_region *region, const struct loom_plan *plan,
			       struct loom_region_conflict *conflict)
{
	bool found;

	*conflict = (struct loom_region_conflict) {};
	mutex_lock(&region->lock);
	found = loom_region_find_conflict_locked(region, plan, conflict);
	mutex_unlock(&region->lock);
	return found;
}

/**
 * loom_region_conflict_fini() - drop the reference of a conflict
 * @conflict: filled in by loom_region_find_conflict() or loom_region_hold()
 */
void loom_region_conflict_fini(struct loom_region_conflict *conflict)
{
	if (conflict->gem)
		drm_gem_object_put(conflict->gem);
	conflict->gem = NULL;
}

/**
 * loom_region_hold() - keep the bottom of the SRAM for a job or a plan
 * @region: the SRAM
 * @scratch: zeroed or released
 * @plan: whose scratch; lives until it is released
 * @conflict: out: which buffer overlaps it, if this fails; to be given to
 *	loom_region_conflict_fini()
 *
 * Return: 0, or -EBUSY when a buffer overlaps it.
 */
int loom_region_hold(struct loom_region *region, struct loom_region_scratch *scratch,
		     const struct loom_plan *plan, struct loom_region_conflict *conflict)
{
	int ret = 0;

	*conflict = (struct loom_region_conflict) {};
	if (!plan->scratch_ends[0])
		return 0;
	mutex_lock(&region->lock);
	if (loom_region_find_conflict_locked(region, plan, conflict)) {
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
 * loom_region_release() - undo loom_region_hold()
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

/* ----------------------------------------------------------------- reports */

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
