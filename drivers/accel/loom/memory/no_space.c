// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/mm.h>

#include "core/loom_span.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_region.h"
#include "sram/floor.h"
#include "loom_shape.h"
#include "loom_user.h"
#include "no_space.h"

/* Usage of single banks, and records of buffers for which there was no room; see usage.c. */

/**
 * loom_region_bank() - usage of a bank
 * @region: the region
 * @index: number of the bank
 * @share: of the file
 * @info: out
 */
void loom_region_bank(struct loom_region *region, u32 index, const struct loom_region_share *share,
		      struct drm_loom_bank_info *info)
{
	struct loom_bank_stats stats;
	struct loom_mask mask = {};

	loom_mask_set(&mask, index);
	mutex_lock(&region->lock);
	loom_region_stats(loom_region_bank_locked(region), region->id, &mask, share, &stats);
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
 * loom_region_tightest_locked() - the banks that decide whether a buffer fits
 * @region: the region
 * @bank: its blocks, or those it would have
 * @shape: requested shape
 * @share: of the client; NULL: the banks have no scratch
 *
 * Return: all banks of the shape; with an address per bank the one with the smallest hole that the
 * client may use.
 */
struct loom_mask loom_region_tightest_locked(struct loom_region *region,
					     const struct loom_bank *bank,
					     const struct loom_shape *shape,
					     const struct loom_region_share *share)
{
	u64 smallest = U64_MAX, hole, low = 0;
	struct loom_mask one, least = {};
	u32 i;

	lockdep_assert_held(&region->lock);
	if (!shape->per_bank)
		return shape->mask;
	for (i = loom_mask_next(&shape->mask, 0); i < DRM_LOOM_MAX_BANKS;
	     i = loom_mask_next(&shape->mask, i + 1)) {
		one = (struct loom_mask) {};
		loom_mask_set(&one, i);
		if (share)
			low = bank->base + loom_region_low_locked(region, &one, share);
		hole = loom_bank_hole(bank, &one, low);
		if (hole >= smallest)
			continue;
		smallest = hole;
		least = one;
	}
	return least;
}

/**
 * loom_region_no_space_locked() - fill in the record of a failed allocation
 * @region: the region
 * @bank: its blocks, or those it would have
 * @shape: requested shape
 * @share: of the client; NULL: all blocks of @bank are the client's, so exact figures do no harm
 * @size_bytes: of the buffer, as requested
 * @record: out
 */
void loom_region_no_space_locked(struct loom_region *region, const struct loom_bank *bank,
				 const struct loom_shape *shape,
				 const struct loom_region_share *share, u64 size_bytes,
				 struct drm_loom_no_space *record)
{
	const struct loom_mask mask = loom_region_tightest_locked(region, bank, shape, share);
	u64 asked = shape->layout.bytes_per_bank, fullest = 0, floor = region->sram.floor_bytes;
	struct loom_bank_stats stats;
	u64 bytes, low;
	u32 i;

	loom_region_stats(bank, region->id, &mask, share, &stats);
	for (i = loom_mask_next(&mask, 0); i < DRM_LOOM_MAX_BANKS;
	     i = loom_mask_next(&mask, i + 1)) {
		bytes = loom_bank_bytes(bank, i);
		if (share)
			bytes = loom_user_rounded(bytes, share->used[region->id][i], stats.total);
		fullest = max(fullest, bytes);
	}
	*record = (struct drm_loom_no_space) {
		.region = shape->region,
		.banks = loom_mask_count(&shape->mask),
		.size_bytes = shape->layout.size ?: size_bytes,
		.bytes_per_bank = asked,
		.bank_bytes = stats.total,
		.allocated_bytes = fullest,
		.free_bytes = stats.total - fullest,
		.common_free_bytes = stats.free,
		.largest_free_bytes = stats.largest_free,
	};
	if (share) {
		low = loom_region_low_locked(region, &mask, share);
		record->scratch_bytes = loom_user_rounded(low, low < floor ? 0 : floor,
							  stats.total);
	}
	record->reason = loom_bank_reason(&stats, fullest, asked);
}

/* For the region as it is, and with the largest buffer of the client's in the way. */
static void loom_region_no_space(struct loom_region *region, const struct loom_shape *shape,
				 const struct loom_file *client, u64 size_bytes,
				 struct drm_loom_no_space *record)
{
	mutex_lock(&region->lock);
	loom_region_no_space_locked(region, loom_region_bank_locked(region), shape, &client->share,
				    size_bytes, record);
	loom_region_blocker_locked(region, &shape->mask, client->id, record);
	mutex_unlock(&region->lock);
}

/**
 * loom_no_space() - record why there is no room, for BO_CREATE and for QUERY_NO_SPACE
 * @loom: the device
 * @shape: of the buffer
 * @args: of BO_CREATE
 * @client: the client
 * @limited: the limit of a control group was reached
 *
 * Return: -ENOSPC or -EFAULT.
 */
int loom_no_space(struct loom_device *loom, const struct loom_shape *shape,
		  const struct drm_loom_bo_create *args, struct loom_file *client, bool limited)
{
	struct drm_loom_no_space record;

	loom_region_no_space(&loom->region[args->region], shape, client, args->size, &record);
	if (limited)
		record.reason = DRM_LOOM_NO_SPACE_LIMIT;
	mutex_lock(&client->no_space_lock);
	client->no_space = record;
	mutex_unlock(&client->no_space_lock);
	loom_refuse(&loom->drm, -ENOSPC, "buffer: reason %u, %llu bytes in each of %u banks",
		    record.reason, record.bytes_per_bank, record.banks);
	return loom_user_write(args->no_space, args->no_space_size, &record, sizeof(record)) ?:
	       -ENOSPC;
}
