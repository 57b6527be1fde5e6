/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_REGION_H
#define LOOM_REGION_H

#include <linux/mutex.h>
#include <linux/rbtree.h>

#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "core/loom_bank.h"

struct drm_gem_object;
struct loom_plan;
struct loom_shape;

/* TTM's name of a region. */
#define LOOM_REGION_PLACEMENT(region)	(TTM_PL_PRIV + (region))

/**
 * struct loom_region - the banks of a kind, in lockstep
 */
struct loom_region {
	/** @manager: base, as TTM sees it; see loom_ttm.c */
	struct ttm_resource_manager manager;
	/** @id: an &enum drm_loom_region, constant */
	u32 id;
	/** @dev: number of the device's node, for traces; constant */
	u32 dev;
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
	/** @gem: the buffer with a reference, or NULL if it is being freed */
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
	/**
	 * @gem: the buffer, which gives the block back before it is freed. Constant, because no
	 * move makes a ghost buffer that takes over the block, see loom_ttm_move()
	 */
	struct drm_gem_object *gem;
	/** @owner: drm_file.client_id of the client that made the buffer, constant */
	u64 owner;
};

static inline struct loom_region *to_loom_region(struct ttm_resource_manager *manager)
{
	return container_of(manager, struct loom_region, manager);
}

static inline struct loom_region_block *to_loom_region_block(struct ttm_resource *resource)
{
	return container_of(resource, struct loom_region_block, base);
}

/* Where a resident buffer lies: its first byte, in each of its banks. */
static inline u64 loom_region_address(struct ttm_resource *resource)
{
	return to_loom_region_block(resource)->block.start;
}

int loom_region_init(struct loom_region *region, u32 id,
		     const struct loom_region_topology *topology, u32 dev);
void loom_region_fini(struct loom_region *region);

struct loom_region_block *loom_region_alloc(struct loom_region *region,
					    const struct loom_shape *shape,
					    struct drm_gem_object *gem, u64 owner);
void loom_region_free(struct loom_region *region, struct loom_region_block *block);

bool loom_region_find_conflict(struct loom_region *region, const struct loom_plan *plan,
			       struct loom_region_conflict *conflict);
void loom_region_conflict_fini(struct loom_region_conflict *conflict);
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
