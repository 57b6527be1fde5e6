// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>

#include "core/loom_span.h"
#include "loom_region.h"
#include "memory/label.h"
#include "no_space.h"

/* Lists of the blocks of a region, see usage.c. */

static bool loom_region_is_own(const struct loom_bank_block *block, u64 client)
{
	return container_of(block, struct loom_region_block, block)->owner == client;
}

/* Number of blocks listed before the lock is dropped for others. */
#define LOOM_REGION_PIECE	1024

/* Drop the lock for others during a walk. */
static void loom_region_yield_locked(struct loom_region *region, struct loom_bank_iter *iter)
{
	mutex_unlock(&region->lock);
	cond_resched();
	mutex_lock(&region->lock);
	loom_bank_resume(loom_region_bank_locked(region), iter);
}

/**
 * loom_region_blocker_locked() - the largest buffer with a label that the client may know
 * @region: the region
 * @mask: the banks
 * @client: the client
 * @record: out: name and size of it
 */
void loom_region_blocker_locked(struct loom_region *region, const struct loom_mask *mask,
				u64 client, struct drm_loom_no_space *record)
{
	char label[DRM_LOOM_LABEL_BYTES];
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	u64 n = 0;

	loom_bank_walk(loom_region_bank_locked(region), mask, &iter);
	if (!perfmon_capable()) {
		iter.wanted = loom_region_is_own;
		iter.who = client;
	}
	while (loom_bank_next(&iter, &span)) {
		if (span.block && span.block->size > record->blocker_bytes) {
			loom_label_read(container_of(span.block, struct loom_region_block,
						     block)->gem, label);
			if (label[0]) {
				record->blocker_bytes = span.block->size;
				memcpy(record->blocker, label, sizeof(label));
			}
		}
		if (++n % LOOM_REGION_PIECE == 0)
			loom_region_yield_locked(region, &iter);
	}
}

/* Flags and label of a listed block. The caller must hold loom_region.lock. */
static void loom_region_describe(const struct loom_region_block *block, u64 client,
				 struct drm_loom_block *out)
{
	out->flags = DRM_LOOM_BLOCK_ALLOCATED | (block->owner == client ? DRM_LOOM_BLOCK_OWN : 0) |
		     (block->block.partial ? DRM_LOOM_BLOCK_PARTIAL : 0);
	loom_label_read(block->gem, out->label);
}

/**
 * loom_region_blocks() - list allocated and free blocks
 * @region: the region
 * @mask: the banks, NULL for all
 * @blocks: out: the first @max of them, in address order
 * @max: capacity of @blocks
 * @client: the client with DRM_LOOM_BLOCK_OWN
 * @all: list blocks of others, too. If false, the list is built as if there were no other blocks,
 *	with DRM_LOOM_BLOCK_HIDDEN for free: so the ends of partial blocks do not reveal others
 * @owners: out: drm_file.client_id of the creator of each block; or NULL
 *
 * Blocks may be allocated and freed meanwhile, because the lock is dropped at times; the list still
 * tiles the banks.
 *
 * Return: number of blocks.
 */
u64 loom_region_blocks(struct loom_region *region, const struct loom_mask *mask,
		       struct drm_loom_block *blocks, u64 max, u64 client, bool all,
		       u64 *owners)
{
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	u64 n = 0;

	if (!loom_region_exists(region))
		return 0;
	mutex_lock(&region->lock);
	if (region->bank.base) {
		if (n < max)
			blocks[n] = (struct drm_loom_block) {
				.bytes = region->bank.base,
				.flags = DRM_LOOM_BLOCK_RESERVED,
			};
		n++;
	}
	loom_bank_walk(loom_region_bank_locked(region), mask, &iter);
	if (!all) {
		iter.wanted = loom_region_is_own;
		iter.who = client;
	}
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
				loom_region_describe(block, client, &blocks[n]);
			else
				blocks[n].flags = all ? 0 : DRM_LOOM_BLOCK_HIDDEN;
		}
		if (++n % LOOM_REGION_PIECE == 0)
			loom_region_yield_locked(region, &iter);
	}
	mutex_unlock(&region->lock);
	return n;
}
