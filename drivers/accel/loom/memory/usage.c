// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/mm.h>

#include "loom_file.h"
#include "loom_region.h"
#include "loom_user.h"

/**
 * DOC: Usage
 *
 * Usage of regions: sums. no_space.c has records of a lack of space, list.c lists of blocks. All
 * limit the information about other clients, see loom_user_rounded().
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

/**
 * loom_region_stats() - usage of some banks, for a file
 * @bank: blocks of a region, locked
 * @id: the region
 * @mask: the banks
 * @share: of the file, or NULL for exact sums
 * @stats: out
 *
 * Sums over all clients are rounded up, so that the reported free bytes are free.
 */
void loom_region_stats(const struct loom_bank *bank, u32 id, const struct loom_mask *mask,
		       const struct loom_region_share *share, struct loom_bank_stats *stats)
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
	loom_region_stats(loom_region_bank_locked(region), region->id, &region->bank.all, share,
			  &stats);
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
