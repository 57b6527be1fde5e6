// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/mm.h>

#include "core/loom_chip.h"
#include "loom_file.h"
#include "loom_region.h"
#include "loom_shape.h"
#include "loom_user.h"

/**
 * DOC: Usage
 *
 * Usage of regions: sums and no-space records; list.c has lists of blocks. Both files limit the
 * information about other clients, see loom_user_rounded().
 */

/**
 * loom_region_used() - bytes of a file in a region
 * @share: the file's
 * @region: an &enum drm_loom_region
 * @mask: in which banks
 *
 * Return: maximum over the banks of @mask.
 */
u64 loom_region_used(const struct loom_region_share *share, u32 region,
		     const struct loom_mask *mask)
{
	u64 most = 0;
	u32 bank;

	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1))
		most = max(most, share->used[region][bank]);
	return most;
}

/*
 * Usage of the banks of @mask, for a file: sums over all clients are rounded up, so that the
 * reported free bytes are free. @share: of the file, or NULL for exact sums.
 */
static void loom_region_stats(const struct loom_bank *bank, u32 id, const struct loom_mask *mask,
			      const struct loom_region_share *share,
			      struct loom_bank_stats *stats)
{
	u64 own, total;

	loom_bank_stats(bank, mask, stats);
	if (!share || perfmon_capable())
		return;
	own = loom_region_used(share, id, mask);
	total = stats->total;
	stats->blocks = share->blocks[id];
	/* all of them belong to the file */
	if (stats->allocated <= own)
		return;
	stats->allocated = loom_user_rounded(stats->allocated, own, total);
	stats->free = total - stats->allocated;
	stats->largest_free = total - loom_user_rounded(total - stats->largest_free, 0, total);
	stats->largest_free = min(stats->largest_free, stats->free);
}

static void loom_region_stats_locked(struct loom_region *region, const struct loom_mask *mask,
				     const struct loom_region_share *share,
				     struct loom_bank_stats *stats)
{
	loom_region_stats(loom_region_bank_locked(region), region->id, mask, share, stats);
}

/**
 * loom_region_info() - properties and usage of a region
 * @region: the region
 * @share: of the file, or NULL
 * @info: out
 */
void loom_region_info(struct loom_region *region, const struct loom_region_share *share,
		      struct drm_loom_region_info *info)
{
	const struct drm_loom_chip_region *chip = region->chip;
	struct loom_bank_stats stats;
	struct rb_node *most;
	u64 scratch, used;

	if (!loom_region_exists(region)) {
		*info = (struct drm_loom_region_info) {};
		return;
	}
	mutex_lock(&region->lock);
	loom_region_stats_locked(region, &region->bank.all, share, &stats);
	spin_lock(&region->scratch_lock);
	most = rb_first_cached(&region->scratch);
	scratch = most ? rb_entry(most, struct loom_region_scratch, node)->bytes : 0;
	spin_unlock(&region->scratch_lock);
	used = share && region->sram.limited ?
		       loom_region_used(share, region->id, &region->bank.all) : 0;
	mutex_unlock(&region->lock);
	/* do not reveal begin and end of others' jobs, as long as they stay below the floor */
	if (share && !perfmon_capable())
		scratch = loom_user_rounded(max(scratch, region->sram.floor_bytes),
					    region->sram.floor_bytes, stats.total);

	*info = (struct drm_loom_region_info) {
		.banks = region->banks,
		.sub_banks = chip->sub_banks,
		.bank_bytes = chip->bank_bytes,
		.reserved_bytes = chip->reserved_bytes,
		.align_bytes = chip->align_bytes,
		.total_bytes = stats.total,
		.allocated_bytes = stats.allocated,
		.free_bytes = stats.free,
		.largest_free_bytes = stats.largest_free,
		.scratch_bytes = scratch,
		.blocks = stats.blocks,
		.scratch_floor_bytes = region->sram.floor_bytes,
		.share_bytes = region->sram.share_bytes,
		.share_used_bytes = used,
		.map_bytes = loom_region_map_bytes(region),
		.flags = loom_region_is_local(region) ? DRM_LOOM_REGION_OWN : 0,
	};
}

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
	loom_region_stats_locked(region, &mask, share, &stats);
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
 * loom_region_total() - allocatable bytes of a bank
 * @region: the region
 *
 * Return: bytes.
 */
u64 loom_region_total(const struct loom_region *region)
{
	return region->bank.limit - region->bank.base;
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

/**
 * loom_region_no_space() - loom_region_no_space_locked() with the lock, for the region as it is,
 * and with the largest buffer of the client's in the way
 * @region: the region
 * @shape: requested shape
 * @client: the client
 * @size_bytes: of the buffer, as requested
 * @record: out
 */
void loom_region_no_space(struct loom_region *region, const struct loom_shape *shape,
			  const struct loom_file *client, u64 size_bytes,
			  struct drm_loom_no_space *record)
{
	mutex_lock(&region->lock);
	loom_region_no_space_locked(region, loom_region_bank_locked(region), shape, &client->share,
				    size_bytes, record);
	loom_region_blocker_locked(region, &shape->mask, client->id, record);
	mutex_unlock(&region->lock);
}
