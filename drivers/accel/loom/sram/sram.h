/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SRAM_H
#define LOOM_SRAM_H

#include <linux/list.h>
#include <linux/types.h>

#include <drm/loom_accel.h>

struct loom_mask;
struct drm_loom_chip_region;
struct loom_region_share;

/**
 * struct loom_sram - shares of files in a region
 *
 * All zero for a region without limits: the DRAM. &loom_region.lock protects fields that are not
 * constant, and &struct loom_region_share.
 */
struct loom_sram {
	/** @floor_bytes: bytes at the bottom of each bank, reserved for scratch; constant */
	u64 floor_bytes;
	/** @share_bytes: limit of a file in each bank; constant */
	u64 share_bytes;
	/** @limited: the limits apply to this region; constant */
	bool limited;
#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
	/** @taken: &loom_sram_block.node of blocks that require an exclusive context */
	struct list_head taken;
	/** @storage_bytes: @share_bytes for buffers that are on no bank that computes; constant */
	u64 storage_bytes;
	/** @lanes: banks that compute, the first ones; constant */
	u32 lanes;
	/** @files: open files */
	u32 files;
	/** @holder: file with exclusive contexts created with CAP_SYS_NICE, or NULL */
	const struct loom_region_share *holder;
#endif
};

/**
 * struct loom_region_share - allocations of an open file in the regions
 */
struct loom_region_share {
#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
	/** @exclusive: number of its exclusive contexts */
	u32 exclusive;
	/** @privileged: number of these created with CAP_SYS_NICE */
	u32 privileged;
#endif
	/** @used: bytes of its resident buffers, by region and bank; under the region's lock */
	u64 used[DRM_LOOM_REGION_COUNT][DRM_LOOM_MAX_BANKS];
	/** @blocks: number of its resident buffers, by region; under the region's lock */
	u32 blocks[DRM_LOOM_REGION_COUNT];
};

#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
/**
 * struct loom_sram_block - state of a resident buffer for the limits
 */
struct loom_sram_block {
	/** @node: in loom_sram.taken, or empty if it needs no exclusive context */
	struct list_head node;
};

bool loom_sram_is_storage(const struct loom_sram *sram, const struct loom_mask *mask);
u64 loom_sram_limit(const struct loom_sram *sram, const struct loom_mask *mask);
bool loom_sram_entitled(const struct loom_sram *sram, const struct loom_region_share *share);
u64 loom_sram_low(const struct loom_sram *sram, const struct loom_region_share *share);
int __must_check loom_sram_check(const struct loom_sram *sram,
				 const struct loom_region_share *share,
				 const struct loom_mask *mask, u64 bytes);
void loom_sram_charge(struct loom_sram *sram, struct loom_sram_block *block,
		      const struct loom_region_share *share, const struct loom_mask *mask,
		      u64 offset, u64 bytes);
bool loom_sram_displaceable(const struct loom_sram *sram, const struct loom_sram_block *block,
			    const struct loom_region_share *share);

int __must_check loom_sram_enter(struct loom_sram *sram, struct loom_region_share *share,
				 bool privileged);
void loom_sram_leave(struct loom_sram *sram, struct loom_region_share *share, bool privileged);

void loom_sram_init(struct loom_sram *sram, const struct drm_loom_chip_region *chip,
		    u64 total_bytes);
#else
/* no limits: the SRAM is for who comes first */
static inline bool loom_sram_entitled(const struct loom_sram *sram,
				      const struct loom_region_share *share)
{
	return true;
}

static inline void loom_sram_init(struct loom_sram *sram, const struct drm_loom_chip_region *chip,
				  u64 total_bytes)
{
}
#endif

#endif /* LOOM_SRAM_H */
