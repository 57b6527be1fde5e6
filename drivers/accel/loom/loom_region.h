/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_REGION_H
#define LOOM_REGION_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "core/loom_bank.h"
#include "sram/sram.h"

struct dma_fence;
struct drm_gem_object;
struct loom_file;
struct loom_plan;
struct loom_region_scratch;
struct loom_shape;

/* TTM's name of a region. */
#define LOOM_REGION_PLACEMENT(region)	(TTM_PL_PRIV + (region))

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
/**
 * struct loom_leftovers - fences of former blocks of a region, see loom_leftover.c
 */
struct loom_leftovers {
	/** @tree: &struct loom_region_leftover by address */
	struct rb_root_cached tree;
	/** @age: the same, the least recently checked first */
	struct list_head age;
};
#endif

/**
 * struct loom_region - the banks of one kind
 */
struct loom_region {
	/** @manager: base, as TTM sees it; see loom_ttm.c */
	struct ttm_resource_manager manager;
	/** @id: an &enum drm_loom_region, constant */
	u32 id;
	/** @dev: number of the device's node, for traces; constant */
	u32 dev;
	/** @chip: its banks, constant */
	const struct drm_loom_chip_region *chip;
	/** @banks: number of its banks; of the SRAM with those that do not compute; constant */
	u32 banks;
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	/** @own: it is local memory, not addresses of system pages; constant */
	bool own;
	/** @map_bytes: with @own: &loom_device_memory.map_bytes; constant */
	u32 map_bytes;
#endif
	/**
	 * @lock: protects @bank and @sram, and insertions into @scratch. The holder must not
	 * allocate memory. It may be held for a walk over all partial blocks
	 */
	struct mutex lock;
	/** @bank: allocated addresses */
	struct loom_bank bank;
	/** @revoked: called under both locks to stop a job because of its scratch; constant */
	void (*revoked)(struct loom_region_scratch *scratch);
	/**
	 * @scratch_lock: protects @scratch, and the changes of a job to its own entry at begin and
	 * end; nests inside of @lock for allocations. Must be held for O(1) steps only, because
	 * jobs take it before they signal their fence
	 */
	spinlock_t scratch_lock;
	/** @scratch: &struct loom_region_scratch of queued jobs, the largest first */
	struct rb_root_cached scratch;
	/** @scratch_next: cursor of a walk over @scratch, under both locks; or NULL */
	struct rb_node *scratch_next;
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	/** @leftovers: fences of former blocks, under @lock */
	struct loom_leftovers leftovers;
#endif
	/** @freed: number of blocks freed so far; written under @lock, read with READ_ONCE() */
	u64 freed;
	/** @freed_wait: woken up when @freed changes */
	wait_queue_head_t freed_wait;
	/** @sram: shares of files */
	struct loom_sram sram;
};

/**
 * struct loom_region_scratch - scratch of a queued job at the bottom of the SRAM
 */
struct loom_region_scratch {
	/** @node: in loom_region.scratch while held */
	struct rb_node node;
	/** @bytes: in the first of its banks, the maximum of all banks */
	u64 bytes;
	/** @plan: the plan; the holder of the scratch has a reference */
	const struct loom_plan *plan;
	/**
	 * @lanes: banks of the plan's lanes; NULL: lane i is bank i; set before it is held, and
	 * must live until the release
	 */
	const struct loom_mask *lanes;
	/** @share: of the file, which must outlive this */
	const struct loom_region_share *share;
	/** @job: held by a job, not by a reservation; set before it is held */
	bool job;
	/**
	 * @revoked: the job must not use it any more, and ends with -ECANCELED; set once under
	 * &loom_region.scratch_lock, read with READ_ONCE()
	 */
	bool revoked;
	/** @fence: of a started job, signals when it has ended; otherwise NULL */
	struct dma_fence *fence;
};

/**
 * struct loom_region_conflict - a buffer that overlaps the scratch of a plan
 */
struct loom_region_conflict {
	/** @bank: bank of the overlap */
	u32 bank;
	/** @start: first byte of the scratch there */
	u64 start;
	/** @end: first byte after it */
	u64 end;
	/** @address: first byte of the buffer */
	u64 address;
	/** @bytes: of the buffer, per bank */
	u64 bytes;
	/** @gem: the buffer with a reference, or NULL if it is being freed */
	struct drm_gem_object *gem;
	/** @freed: value of loom_region.freed at that time, in case it is being freed */
	u64 freed;
	/** @displaceable: loom_bo_displace() may displace the buffer */
	bool displaceable;
};

/**
 * struct loom_region_block - the address range of a resident buffer
 *
 * A buffer with an address of its own in each bank has an array of them, in the order of the banks.
 * The first one stands for the buffer where nothing else is said.
 */
struct loom_region_block {
	/** @base: base, as TTM sees it */
	struct ttm_resource base;
	/** @block: address range, under loom_region.lock */
	struct loom_bank_block block;
#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
	/** @sram: state for the shares of the SRAM, under loom_region.lock */
	struct loom_sram_block sram;
#endif
	/** @share: of the file that created the buffer; must outlive the block. Constant */
	struct loom_region_share *share;
	/**
	 * @gem: the buffer, which frees the block before itself. Constant, because no ghost buffer
	 * takes over a block, see loom_ttm_move()
	 */
	struct drm_gem_object *gem;
	/** @owner: drm_file.client_id of the client that made the buffer, constant */
	u64 owner;
	/** @mask: its banks, of an array one for each block; constant */
	struct loom_mask mask;
	/** @whole: first block of the array; constant */
	struct loom_region_block *whole;
	/** @count: blocks of the array, in the first one; constant */
	u32 count;
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	/**
	 * @leftover: becomes a leftover of the region when the block is freed, or NULL; under the
	 * buffer's reservation lock
	 */
	struct loom_region_leftover *leftover;
	/**
	 * @on_leftovers: jobs of others may still use its addresses; under the buffer's
	 * reservation lock, see loom_region_fences()
	 */
	bool on_leftovers;
	/**
	 * @keep: number of the &struct loom_bo_room that must not evict it; under
	 * loom_device.place_lock
	 */
	u64 keep;
#endif
};

/* Whether the chip has it. Otherwise it has no banks, no blocks and no TTM manager. */
static inline bool loom_region_exists(const struct loom_region *region)
{
	return region->chip->banks;
}

/* Whether it is local memory, not addresses of system pages. */
static inline bool loom_region_is_local(const struct loom_region *region)
{
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	return region->own;
#else
	return false;
#endif
}

/* Granularity of direct mappings (&loom_device_memory.map_bytes); 0: there are none. */
static inline u32 loom_region_map_bytes(const struct loom_region *region)
{
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	return region->map_bytes;
#else
	return 0;
#endif
}

/* Allocatable bytes of a bank. */
static inline u64 loom_region_total(const struct loom_region *region)
{
	return region->bank.limit - region->bank.base;
}

static inline struct loom_region *to_loom_region(struct ttm_resource_manager *manager)
{
	return container_of(manager, struct loom_region, manager);
}

static inline struct loom_region_block *to_loom_region_block(struct ttm_resource *resource)
{
	return container_of(resource, struct loom_region_block, base);
}

/* Address of a resident buffer, in each of its banks, or in the lowest one. */
static inline u64 loom_region_address(struct ttm_resource *resource)
{
	return to_loom_region_block(resource)->block.start;
}

u64 *loom_region_addresses(struct ttm_resource *resource);
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
u64 loom_region_bank_address(struct ttm_resource *resource, u32 bank);
#endif

/* "dram", "sram" and "rom", by &enum drm_loom_region */
extern const char * const loom_region_names[DRM_LOOM_REGION_COUNT];

int loom_region_init(struct loom_region *region, u32 id, const struct drm_loom_chip *chip,
		     u32 dev);
void loom_region_fini(struct loom_region *region);

struct loom_bank_request loom_region_request(const struct loom_region *region,
					     const struct loom_shape *shape);
int loom_region_take_locked(struct loom_region *region, struct loom_region_block *block,
			    const struct loom_shape *shape, struct loom_bank_chunk **spares,
			    u32 spare_count);
void loom_region_give_locked(struct loom_region *region, struct loom_region_block *block);
struct loom_region_block *loom_region_create(const struct loom_shape *shape,
					     struct drm_gem_object *gem, u64 owner,
					     struct loom_region_share *share);
struct loom_region_block *loom_region_alloc(struct loom_region *region,
					    const struct loom_shape *shape,
					    struct drm_gem_object *gem, u64 owner,
					    struct loom_region_share *share);
void loom_region_free(struct loom_region *region, struct loom_region_block *block);

/* The blocks of a region. All accesses except its setup must use this, under its lock. */
static inline struct loom_bank *loom_region_bank_locked(struct loom_region *region)
{
	lockdep_assert_held(&region->lock);
	return &region->bank;
}

u64 loom_region_scratch_locked(struct loom_region *region, const struct loom_mask *mask,
			       const struct loom_region_share *share);
void loom_region_conflict_fini(struct loom_region_conflict *conflict);
int loom_region_hold(struct loom_region *region, struct loom_region_scratch *scratch,
		     const struct loom_plan *plan, const struct loom_region_share *share,
		     struct loom_region_conflict *conflict);
int __must_check loom_region_start(struct loom_region *region, struct loom_region_scratch *scratch,
				   struct dma_fence *fence);
void loom_region_release(struct loom_region *region, struct loom_region_scratch *scratch);

u64 loom_region_used(const struct loom_region_share *share, u32 region,
		     const struct loom_mask *mask);
void loom_region_info(struct loom_region *region, const struct loom_region_share *share,
		      struct drm_loom_region_info *info);
void loom_region_stats(const struct loom_bank *bank, u32 id, const struct loom_mask *mask,
		       const struct loom_region_share *share, struct loom_bank_stats *stats);

#endif /* LOOM_REGION_H */
