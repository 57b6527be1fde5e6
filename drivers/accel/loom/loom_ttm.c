// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/ttm/ttm_tt.h>

#include "loom_bo.h"
#include "loom_device.h"
#include "loom_trace.h"
#include "loom_ttm.h"

/**
 * DOC: Placement
 *
 * TTM has what is hard about memory that runs out: an LRU, eviction, waiting for idle buffers, CPU
 * mappings that follow. To TTM each region is a resource manager, and this file is what TTM calls:
 * a buffer gets a block of its region, and gives it back.
 *
 * A resource is only an address. The bytes of a buffer are in system pages, whether it is resident
 * or not (&ttm_resource_manager.use_tt), so a move copies nothing. A back end whose banks are
 * memory of their own will have to copy in the move.
 */

/* ---------------------------------------------------------------- regions */

static int loom_ttm_alloc(struct ttm_resource_manager *manager, struct ttm_buffer_object *tbo,
			  const struct ttm_place *place, struct ttm_resource **resource)
{
	struct loom_bo *bo = to_loom_bo(tbo);
	struct loom_region_block *block;

	block = loom_region_alloc(to_loom_region(manager), &bo->shape, &tbo->base, bo->owner);
	bo->no_space = block == ERR_PTR(-ENOSPC);
	if (IS_ERR(block))
		return PTR_ERR(block);
	ttm_resource_init(tbo, place, &block->base);
	*resource = &block->base;
	return 0;
}

static void loom_ttm_free(struct ttm_resource_manager *manager, struct ttm_resource *resource)
{
	struct loom_region_block *block = to_loom_region_block(resource);

	/*
	 * Off the LRU last: loom_ttm_region_fini() takes the bank for empty as soon as the LRU is,
	 * and TTM may be freeing the last buffer in a thread of its own (delayed delete) then.
	 */
	loom_region_free(to_loom_region(manager), block);
	ttm_resource_fini(manager, resource);
	kfree(block);
}

static const struct ttm_resource_manager_func loom_ttm_region_funcs = {
	.alloc = loom_ttm_alloc,
	.free = loom_ttm_free,
};

static int loom_ttm_region_init(struct loom_device *loom, u32 id)
{
	struct loom_region *region = &loom->region[id];
	int ret;

	ret = loom_region_init(region, id, &loom->topology->region[id], loom_device_index(loom));
	if (ret)
		return ret;
	ttm_resource_manager_init(&region->manager, &loom->ttm,
				  loom_region_total(region) * region->topology->banks);
	region->manager.func = &loom_ttm_region_funcs;
	region->manager.use_tt = true;
	ttm_set_driver_manager(&loom->ttm, LOOM_REGION_PLACEMENT(id), &region->manager);
	ttm_resource_manager_set_used(&region->manager, true);
	return 0;
}

static void loom_ttm_region_fini(struct loom_device *loom, u32 id)
{
	struct loom_region *region = &loom->region[id];

	ttm_resource_manager_set_used(&region->manager, false);
	ttm_resource_manager_evict_all(&loom->ttm, &region->manager);
	ttm_resource_manager_cleanup(&region->manager);
	ttm_set_driver_manager(&loom->ttm, LOOM_REGION_PLACEMENT(id), NULL);
	loom_region_fini(region);
}

/* ---------------------------------------------------------------- buffers */

static void loom_ttm_unmap_locked(struct ttm_buffer_object *tbo)
{
	struct loom_bo *bo = to_loom_bo(tbo);

	ttm_bo_vunmap(tbo, &bo->map);
}

static struct ttm_tt *loom_ttm_tt_create(struct ttm_buffer_object *tbo, u32 page_flags)
{
	struct ttm_tt *tt = kzalloc(sizeof(*tt), GFP_KERNEL);

	if (tt && ttm_tt_init(tt, tbo, page_flags, ttm_cached, 0)) {
		kfree(tt);
		return NULL;
	}
	return tt;
}

static void loom_ttm_tt_destroy(struct ttm_device *ttm, struct ttm_tt *tt)
{
	ttm_tt_fini(tt);
	kfree(tt);
}

static int loom_ttm_tt_populate(struct ttm_device *ttm, struct ttm_tt *tt,
				struct ttm_operation_ctx *ctx)
{
	/* A buffer larger than the host is refused, not tried until others are killed. */
	if (tt->num_pages > si_mem_available())
		return -ENOMEM;
	return ttm_pool_alloc(&ttm->pool, tt, ctx);
}

static void loom_ttm_tt_unpopulate(struct ttm_device *ttm, struct ttm_tt *tt)
{
	ttm_pool_free(&ttm->pool, tt);
}

/* Evicting a buffer that shares no bank with the one that needs room would not help. */
static bool loom_ttm_eviction_valuable(struct ttm_buffer_object *tbo, const struct ttm_place *place)
{
	const struct loom_bo *bo = to_loom_bo(tbo);

	if (bo->shape.region == DRM_LOOM_REGION_SRAM || !ttm_bo_eviction_valuable(tbo, place))
		return false;
	if (!place || place->mem_type != LOOM_REGION_PLACEMENT(bo->shape.region))
		return true;
	return loom_mask_overlaps(&bo->shape.mask,
				  container_of(place, struct loom_bo_place, base)->mask);
}

static void loom_ttm_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
{
	*placement = loom_bo_system;
}

static void loom_ttm_trace_evict(const struct loom_bo *bo)
{
	trace_loom_evict(loom_device_index(to_loom_device(bo->tbo.base.dev)), bo->owner,
			 bo->shape.region, loom_region_address(bo->tbo.resource),
			 bo->shape.layout.bytes_per_bank);
}

static int loom_ttm_move(struct ttm_buffer_object *tbo, bool evict, struct ttm_operation_ctx *ctx,
			 struct ttm_resource *resource, struct ttm_place *hop)
{
	/* the address may be another buffer's next: not before the last job has ended */
	int ret = ttm_bo_wait_ctx(tbo, ctx);

	if (ret)
		return ret;
	if (evict && to_loom_bo(tbo)->resident)
		loom_ttm_trace_evict(to_loom_bo(tbo));
	/*
	 * Makes no ghost buffer. A back end whose moves copy (ttm_bo_move_accel_cleanup()) does: it
	 * has to update loom_region_block.gem then, as TTM does with ttm_resource_set_bo().
	 */
	ttm_bo_move_null(tbo, resource);
	WRITE_ONCE(to_loom_bo(tbo)->resident, resource->mem_type != TTM_PL_SYSTEM);
	return 0;
}

static struct ttm_device_funcs loom_ttm_device_funcs = {
	.ttm_tt_create = loom_ttm_tt_create,
	.ttm_tt_populate = loom_ttm_tt_populate,
	.ttm_tt_unpopulate = loom_ttm_tt_unpopulate,
	.ttm_tt_destroy = loom_ttm_tt_destroy,
	.eviction_valuable = loom_ttm_eviction_valuable,
	.evict_flags = loom_ttm_evict_flags,
	.move = loom_ttm_move,
	.swap_notify = loom_ttm_unmap_locked,
	.delete_mem_notify = loom_ttm_unmap_locked,
};

/* ----------------------------------------------------------------- device */

static void loom_ttm_device_fini(struct drm_device *drm, void *data)
{
	ttm_device_fini(&to_loom_device(drm)->ttm);
}

static void loom_ttm_regions_fini(struct drm_device *drm, void *data)
{
	u32 id;

	for (id = 0; id < DRM_LOOM_REGION_COUNT; id++)
		loom_ttm_region_fini(to_loom_device(drm), id);
}

/**
 * loom_ttm_init() - hand the regions of a device to TTM
 * @loom: the device; what this takes is released with it
 *
 * Return: 0 or -errno.
 */
int loom_ttm_init(struct loom_device *loom)
{
	struct drm_device *drm = &loom->drm;
	u32 id;
	int ret;

	ret = ttm_device_init(&loom->ttm, &loom_ttm_device_funcs, drm->dev,
			      drm->anon_inode->i_mapping, drm->vma_offset_manager, false, false);
	if (ret)
		return ret;
	ret = drmm_add_action_or_reset(drm, loom_ttm_device_fini, NULL);
	if (ret)
		return ret;

	for (id = 0; id < DRM_LOOM_REGION_COUNT; id++) {
		ret = loom_ttm_region_init(loom, id);
		if (ret)
			goto err_fini;
	}
	return drmm_add_action_or_reset(drm, loom_ttm_regions_fini, NULL);

err_fini:
	while (id--)
		loom_ttm_region_fini(loom, id);
	return ret;
}
