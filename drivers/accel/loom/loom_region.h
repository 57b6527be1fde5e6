/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_REGION_H
#define LOOM_REGION_H

#include <linux/mutex.h>
#include <linux/rbtree.h>

#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "core/loom_bank.h"

struct drm_gem_object;
struct loom_device;
struct loom_plan;
struct loom_shape;

/* TTM's name of a region. */
#define LOOM_REGION_PLACEMENT(region)	(TTM_PL_PRIV + (region))

/**
 * struct loom_region - the banks of a kind, in lockstep
 */
struct loom_region {
	/** @manager: base, as TTM sees it */
	struct ttm_resource_manager manager;
	/** @topology: its banks, constant */
	const struct loom_region_topology *topology;
	/**
	 * @lock: protects @bank and @scratch. Nothing is allocated under it: jobs take it
	 * on their way to signal their fence
	 */
	struct mutex lock;
	/** @bank: who has which address */
	struct loom_bank bank;
	/** @scratch: &struct loom_region_scratch of queued jobs, the largest first */
	struct rb_root_cached scratch;
};

/**
 * struct loom_region_scratch - the room that a queued job needs at the bottom of the SRAM
 */
struct loom_region_scratch {
	/** @node: in loom_region.scratch while held */
	struct rb_node node;
	/** @bytes: in bank 0, and so the most in any */
	u64 bytes;
	/** @plan: whose scratch; who holds it keeps the plan */
	const struct loom_plan *plan;
};

/**
 * struct loom_region_conflict - a buffer that lies in the scratch of a plan
 */
struct loom_region_conflict {
	/** @bank: where */
	u32 bank;
	/** @start: first byte of the scratch there */
	u64 start;
	/** @end: first byte behind it */
	u64 end;
	/** @address: first byte of the buffer */
	u64 address;
	/** @bytes: of the buffer, per bank */
	u64 bytes;
	/** @gem: the buffer with a reference, or NULL if it is about to go */
	struct drm_gem_object *gem;
};

/**
 * struct loom_region_block - the place of a resident buffer
 */
struct loom_region_block {
	/** @base: base, as TTM sees it */
	struct ttm_resource base;
	/** @block: address range, under loom_region.lock */
	struct loom_bank_block block;
	/** @owner: drm_file.client_id of who made the buffer, constant */
	u64 owner;
};

int loom_region_init(struct loom_device *loom, u32 id);
void loom_region_fini(struct loom_device *loom, u32 id);

u64 loom_region_address(struct ttm_resource *resource);

bool loom_region_meets(struct loom_region *region, const struct loom_plan *plan,
		       struct loom_region_conflict *conflict);
int loom_region_hold(struct loom_region *region, struct loom_region_scratch *scratch,
		     const struct loom_plan *plan, struct loom_region_conflict *conflict);
void loom_region_release(struct loom_region *region, struct loom_region_scratch *scratch);

void loom_region_info(struct loom_region *region, struct drm_loom_region_info *info);
void loom_region_bank(struct loom_region *region, u32 index, struct drm_loom_bank_info *info);
u64 loom_region_total(const struct loom_region *region);
void loom_region_no_space(struct loom_region *region, const struct loom_shape *shape,
			  u64 size_bytes, struct drm_loom_no_space *record);
u64 loom_region_blocks(struct loom_region *region, const struct loom_mask *mask,
		       struct drm_loom_block *blocks, u64 max, u64 client, u64 *owners);

#endif /* LOOM_REGION_H */
