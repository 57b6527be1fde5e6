// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>

#include "core/loom_mask.h"
#include "core/loom_core.h"
#include "sram/sram.h"

/**
 * DOC: Sharing the SRAM
 *
 * Each plan has its scratch at the bottom of the SRAM banks, and SRAM buffers are never evicted for
 * others. So without limits a client with 64 bytes at the bottom, or with a whole bank, would lock
 * out all others for good. These are the limits; loom_region.c checks them under its lock, and the
 * only state is counters:
 *
 * * The floor: the bottom of each bank, three quarters of it by default, is reserved for scratch.
 *   All plans share these bytes, so a plan that stays below the end of the floor takes nothing from
 *   others and can always run.
 * * The pool above the floor is reserved for buffers. A file may have half of it, in each bank, so
 *   that two files always fit. A client that opens the node many times has as many shares, as with
 *   the other caps, but can only get the pool and never the floor.
 * * An exclusive context suspends both rules for its file: buffers from address 0 on, the whole
 *   bank, scratch and reservations beyond the floor. CAP_SYS_NICE is required, and one file at a
 *   time may have such contexts; or the file must be the only one open on the device. The latter's
 *   exclusivity is suspended as soon as another file is opened. Its allocations stay until another
 *   client needs the space: then its buffers lose their addresses and keep their bytes, as in the
 *   DRAM, and jobs that use these or scratch beyond the floor are cancelled.
 *
 * Rejected: evicting any SRAM buffer whose space a scratch needs. Two clients could evict each
 * other's buffers with every job (thrashing). Every switch between them would cost copies on
 * hardware with local memory, and a planner could not rely on any size. A floor is a guarantee for
 * planners, and costs nothing.
 *
 * Rejected: scratch beyond the floor for all clients while no buffer conflicts. A continuous queue
 * of jobs would hold the pool for ever; and if jobs did not hold it, a buffer would wait for all
 * jobs queued before it, or another client could make these fail at any time.
 */

#define LOOM_SRAM_FLOOR_PERCENT	75

static uint loom_sram_floor_percent = LOOM_SRAM_FLOOR_PERCENT;
module_param_named(sram_floor_percent, loom_sram_floor_percent, uint, 0444);
MODULE_PARM_DESC(sram_floor_percent,
		 "Percent of each SRAM bank that is kept for the scratch of plans (default: 75)");

/**
 * loom_sram_entitled() - whether the limits are suspended for a file
 * @sram: the rules
 * @share: the file's
 *
 * Return: true if it is.
 */
bool loom_sram_entitled(const struct loom_sram *sram, const struct loom_region_share *share)
{
	return !sram->limited || share->privileged || (share->exclusive && sram->files == 1);
}

/**
 * loom_sram_low() - lowest address for the buffers of a file
 * @sram: the rules
 * @share: the file's
 *
 * Return: bytes from the first address that can be allocated.
 */
u64 loom_sram_low(const struct loom_sram *sram, const struct loom_region_share *share)
{
	return loom_sram_entitled(sram, share) ? 0 : sram->floor_bytes;
}

/**
 * loom_sram_is_storage() - whether a buffer is on no bank that computes
 * @sram: the rules
 * @mask: its banks
 *
 * Return: true if so. Plans have no scratch there, so the floor does not apply.
 */
bool loom_sram_is_storage(const struct loom_sram *sram, const struct loom_mask *mask)
{
	return sram->limited && loom_mask_next(mask, 0) >= sram->lanes;
}

/**
 * loom_sram_limit() - limit of a file in the banks of a buffer
 * @sram: the rules
 * @mask: the banks
 *
 * Return: bytes in each of them.
 */
u64 loom_sram_limit(const struct loom_sram *sram, const struct loom_mask *mask)
{
	return loom_sram_is_storage(sram, mask) ? sram->storage_bytes : sram->share_bytes;
}

static bool loom_sram_exceeds(const struct loom_sram *sram, const struct loom_region_share *share,
			      const struct loom_mask *mask, u64 bytes)
{
	u64 limit = loom_sram_limit(sram, mask);
	u32 bank;

	if (bytes > limit)
		return true;
	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1))
		if (share->used[DRM_LOOM_REGION_SRAM][bank] > limit - bytes)
			return true;
	return false;
}

/**
 * loom_sram_check() - check an allocation against the share of a file
 * @sram: the rules
 * @share: the file's
 * @mask: in which banks
 * @bytes: in each of them
 *
 * Return: 0, or -EDQUOT.
 */
int loom_sram_check(const struct loom_sram *sram, const struct loom_region_share *share,
		    const struct loom_mask *mask, u64 bytes)
{
	if (loom_sram_entitled(sram, share) || !loom_sram_exceeds(sram, share, mask, bytes))
		return 0;
	return -EDQUOT;
}

/**
 * loom_sram_charge() - charge a buffer that has got an address
 * @sram: the rules
 * @block: the buffer
 * @share: of its file
 * @mask: its banks
 * @offset: of its address from the first allocatable one
 * @bytes: in each bank
 */
void loom_sram_charge(struct loom_sram *sram, struct loom_sram_block *block,
		      const struct loom_region_share *share, const struct loom_mask *mask,
		      u64 offset, u64 bytes)
{
	INIT_LIST_HEAD(&block->node);
	if (!sram->limited)
		return;
	if ((offset < sram->floor_bytes && !loom_sram_is_storage(sram, mask)) ||
	    loom_sram_exceeds(sram, share, mask, bytes))
		list_add(&block->node, &sram->taken);
}

/**
 * loom_sram_displaceable() - whether other clients may displace a buffer
 * @sram: the rules
 * @block: the buffer
 * @share: of its file
 *
 * Return: true if it requires an exclusive context, and its file has none in effect.
 */
bool loom_sram_displaceable(const struct loom_sram *sram, const struct loom_sram_block *block,
			    const struct loom_region_share *share)
{
	return !list_empty(&block->node) && !loom_sram_entitled(sram, share);
}

/**
 * loom_sram_enter() - create an exclusive context
 * @sram: the rules
 * @share: of its file
 * @privileged: created with CAP_SYS_NICE
 *
 * Return: 0; -EBUSY if another file has one that was created with that capability; -EACCES if
 * another file is open.
 */
int loom_sram_enter(struct loom_sram *sram, struct loom_region_share *share, bool privileged)
{
	if (sram->holder && sram->holder != share)
		return -EBUSY;
	if (!privileged && sram->files != 1)
		return -EACCES;
	share->exclusive++;
	if (privileged) {
		share->privileged++;
		sram->holder = share;
	}
	return 0;
}

/**
 * loom_sram_leave() - undo loom_sram_enter()
 * @sram: the rules
 * @share: of its file
 * @privileged: as for loom_sram_enter()
 */
void loom_sram_leave(struct loom_sram *sram, struct loom_region_share *share, bool privileged)
{
	share->exclusive--;
	if (privileged && !--share->privileged)
		sram->holder = NULL;
}

/**
 * loom_sram_init() - set floor and share
 * @sram: zeroed
 * @chip: of the SRAM
 * @total_bytes: allocatable bytes of a bank
 */
void loom_sram_init(struct loom_sram *sram, const struct drm_loom_chip_region *chip,
		    u64 total_bytes)
{
	u64 units = div64_u64(total_bytes, chip->align_bytes);
	u64 floor = div_u64(units * min(loom_sram_floor_percent, 100U), 100);

	INIT_LIST_HEAD(&sram->taken);
	sram->limited = true;
	sram->floor_bytes = floor * chip->align_bytes;
	sram->share_bytes = (units - floor) / 2 * chip->align_bytes;
	sram->storage_bytes = units / 2 * chip->align_bytes;
	sram->lanes = chip->banks;
}
