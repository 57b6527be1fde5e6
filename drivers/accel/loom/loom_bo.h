/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BO_H
#define LOOM_BO_H

#include <linux/iosys-map.h>

#include <drm/loom_accel.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>

#include "loom_device.h"
#include "loom_shape.h"

struct dma_buf;
struct dma_buf_attachment;
struct drm_device;
struct loom_file;
struct sg_table;

/**
 * struct loom_bo - a buffer
 *
 * Refcounted as a GEM object. Its reservation lock protects all fields without another lock.
 */
struct loom_bo {
	/** @tbo: base, with the GEM object in it */
	struct ttm_buffer_object tbo;
	/** @shape: its banks, and the distribution of its bytes over them; constant */
	struct loom_shape shape;
	/** @owner: drm_file.client_id of the client that created it, 0 if @dmabuf; constant */
	u64 owner;
	/** @dmabuf: of the exporter if it is imported, otherwise NULL; constant */
	struct dma_buf *dmabuf;
	/** @client: the same, with a reference, charged for its bytes; NULL if @dmabuf; constant */
	struct loom_file *client;
	/**
	 * @resident: it has an address in its region; written under the reservation lock,
	 * read without it for statistics
	 */
	bool resident;
	/**
	 * @no_space: the last try to place it found no room in the banks; under the reservation
	 * lock. ENOSPC without it is due to the limit of a control group
	 */
	bool no_space;
	/** @charged: its client is charged for it; accessed on creation and on release only */
	bool charged;
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	/** @exports: number of importers of its pages; under the reservation lock */
	u32 exports;
	/** @import_node: in &loom_device.imports, or empty; under &loom_device.imports_lock */
	struct list_head import_node;
	/**
	 * @jobs: &loom_job_slot.node of pending jobs that use its address in the SRAM; under
	 * &loom_device.job_lock. Jobs are added under the reservation lock, too
	 */
	struct list_head jobs;
	/** @dying: in &loom_dying.list; under &loom_dying.lock */
	struct list_head dying;
	/** @evicted: in loom_bo_room.evicted, or empty; under loom_device.place_lock */
	struct list_head evicted;
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_SHARE
	/** @writers: number of mappings that may write; negative: it is sealed, memory/seal.c */
	atomic_t writers;
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
	/** @label_lock: protects @label; innermost, see memory/label.c */
	raw_spinlock_t label_lock;
	/** @label: its name, padded with zeroes */
	char label[DRM_LOOM_LABEL_BYTES];
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
	/** @map: mapping for the kernel, once a job has needed it; under the reservation lock */
	struct iosys_map map;
#endif
};

static inline struct loom_bo *to_loom_bo(struct ttm_buffer_object *tbo)
{
	return container_of(tbo, struct loom_bo, tbo);
}

static inline struct loom_bo *gem_to_loom_bo(struct drm_gem_object *gem)
{
	return container_of(gem, struct loom_bo, tbo.base);
}

/* The region of a buffer, resident or not. */
static inline struct loom_region *loom_bo_region(const struct loom_bo *bo)
{
	return &to_loom_device(bo->tbo.base.dev)->region[bo->shape.region];
}

/* Initialise a zeroed buffer. */
static inline void loom_bo_init(struct loom_bo *bo)
{
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	INIT_LIST_HEAD(&bo->jobs);
	INIT_LIST_HEAD(&bo->evicted);
	INIT_LIST_HEAD(&bo->import_node);
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
	raw_spin_lock_init(&bo->label_lock);
#endif
}

/* Flag of ttm_place, unused by TTM: the place is part of a &struct loom_bo_place. */
#define LOOM_BO_PLACE		BIT(31)
/* Only idle buffers may be evicted for it. */
#define LOOM_BO_PLACE_IDLE	BIT(30)

/**
 * struct loom_bo_place - a place in a region, and the buffer that wants it
 */
struct loom_bo_place {
	/** @base: base, as TTM sees it; LOOM_BO_PLACE distinguishes it from places of TTM's own */
	struct ttm_place base;
	/** @bo: the buffer to be placed, reserved */
	struct loom_bo *bo;
};

extern struct ttm_placement loom_bo_system;

/* TTM context of client calls: no wait for jobs, interruptible. */
static inline struct ttm_operation_ctx loom_bo_ctx(void)
{
	return (struct ttm_operation_ctx) {
		.interruptible = true,
		.no_wait_gpu = true,
		.gfp_retry_mayfail = true,
	};
}

/* No job uses it, of this driver or of an importer. */
static inline bool loom_bo_is_idle(const struct loom_bo *bo)
{
	return dma_resv_test_signaled(bo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

bool loom_bo_is_ours(const struct ttm_buffer_object *tbo);
bool loom_bo_is_limited(const struct loom_bo *bo);
int loom_bo_populate_locked(struct loom_bo *bo);
int loom_bo_validate_locked(struct loom_bo *bo, u32 flags);
int __must_check loom_bo_place_free(struct loom_bo *bo);
int loom_bo_place_free_locked(struct loom_bo *bo);
int loom_bo_wait_freed(struct loom_device *loom, u32 id, u64 freed);
void loom_bo_free(struct loom_bo *bo);

enum drm_gem_object_status loom_bo_gem_status(struct drm_gem_object *gem);
void loom_bo_destroy(struct ttm_buffer_object *tbo);
#ifdef CONFIG_DRM_ACCEL_LOOM_SHARE
struct drm_gem_object *loom_bo_import(struct drm_device *drm, struct dma_buf_attachment *attach,
				      struct sg_table *sg);
#else
#define loom_bo_import	NULL
#endif

#endif /* LOOM_BO_H */
