// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/ttm/ttm_tt.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_event.h"
#include "loom_file.h"
#include "loom_ttm.h"
#include "loom_user.h"
#include "memory/bytes.h"
#include "memory/evict.h"
#include "loom_map.h"
#include "memory/window.h"
#include "sched/sched.h"

/**
 * DOC: Placement
 *
 * TTM implements overcommitted memory: an LRU, eviction, CPU mappings that follow. To TTM each
 * region is a resource manager, and this file has TTM's callbacks: they allocate and free a
 * buffer's block in its region.
 *
 * Without local memory a resource is only an address. The bytes of a buffer are in system pages,
 * whether it is resident or not (&ttm_resource_manager.use_tt), so a move copies nothing. memory/
 * handles local memory; the following is about the other regions.
 *
 * TTM may only swap out idle buffers, because it takes their pages, and no buffers whose pages were
 * imported by others.
 */

/* Maximum order of page allocations: a huge page of the processor. */
#define LOOM_TTM_MAX_ORDER	9

/* ---------------------------------------------------------------- regions */

static int loom_ttm_alloc(struct ttm_resource_manager *manager, struct ttm_buffer_object *tbo,
			  const struct ttm_place *place, struct ttm_resource **resource)
{
	struct loom_bo *bo = to_loom_bo(tbo);
	struct loom_region_block *block;

	block = loom_region_alloc(to_loom_region(manager), &bo->shape, &tbo->base, bo->owner,
				  bo->client ? &bo->client->share : NULL);
	bo->no_space = block == ERR_PTR(-ENOSPC);
	if (block == ERR_PTR(-EDQUOT))
		return loom_refuse(tbo->base.dev, -EDQUOT,
				   "buffer: %llu bytes are beyond the share of its file",
				   (u64)tbo->base.size);
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
	 * Must be removed from the LRU last: loom_ttm_region_fini() assumes an empty bank when the
	 * LRU is empty, while TTM may be freeing the last buffer in its own thread (delayed
	 * delete).
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

	ret = loom_region_init(region, id, loom->chip, loom_device_index(loom));
	if (ret || !loom_region_exists(region))
		return ret;
	ttm_resource_manager_init(&region->manager, &loom->ttm,
				  loom_region_total(region) * region->banks);
	region->manager.func = &loom_ttm_region_funcs;
	region->manager.use_tt = !loom_region_is_local(region);
	ttm_set_driver_manager(&loom->ttm, LOOM_REGION_PLACEMENT(id), &region->manager);
	ttm_resource_manager_set_used(&region->manager, true);
	return 0;
}

static void loom_ttm_region_fini(struct loom_device *loom, u32 id)
{
	struct loom_region *region = &loom->region[id];

	if (loom_region_exists(region)) {
		ttm_resource_manager_set_used(&region->manager, false);
		ttm_resource_manager_evict_all(&loom->ttm, &region->manager);
		ttm_resource_manager_cleanup(&region->manager);
		ttm_set_driver_manager(&loom->ttm, LOOM_REGION_PLACEMENT(id), NULL);
	}
	loom_region_fini(region);
}

/* ---------------------------------------------------------------- buffers */

static struct ttm_tt *loom_ttm_tt_create(struct ttm_buffer_object *tbo, u32 page_flags)
{
	struct ttm_tt *tt = kzalloc(sizeof(*tt), GFP_KERNEL_ACCOUNT);

	/*
	 * TTM does not zero pages that it expects to be copied to, but a copy may fail, and may end
	 * in the middle of a page
	 */
	page_flags |= TTM_TT_FLAG_ZERO_ALLOC;
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

static void loom_ttm_tt_unpopulate(struct ttm_device *ttm, struct ttm_tt *tt)
{
	u32 i;

	/* pages of the exporter */
	if (tt->page_flags & TTM_TT_FLAG_EXTERNAL)
		return;
	for (i = 0; i < tt->num_pages; i++) {
		if (tt->pages[i])
			__free_page(tt->pages[i]);
		tt->pages[i] = NULL;
	}
}

/* Allocate 2^@order pages, each of which can be freed separately. */
static struct page *loom_ttm_alloc_pages(const struct ttm_tt *tt, unsigned int order)
{
	gfp_t gfp = GFP_HIGHUSER | __GFP_ACCOUNT;
	struct page *pages;

	if (tt->page_flags & TTM_TT_FLAG_ZERO_ALLOC)
		gfp |= __GFP_ZERO;
	/* large orders are optional; order 0 must only fail if the machine is out of memory */
	gfp |= order ? __GFP_NORETRY | __GFP_NOWARN : __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	pages = alloc_pages(gfp, order);
	if (pages && order)
		split_page(pages, order);
	return pages;
}

/*
 * The pages are charged to the caller's memory cgroup, which ttm_pool_alloc() does not do, because
 * its pages outlive a buffer in pools without a cgroup. Its support for caching modes and DMA masks
 * is not needed here.
 */
static int loom_ttm_tt_populate(struct ttm_device *ttm, struct ttm_tt *tt,
				struct ttm_operation_ctx *ctx)
{
	unsigned int order = LOOM_TTM_MAX_ORDER, i;
	u32 done = 0;

	if (tt->page_flags & TTM_TT_FLAG_EXTERNAL)
		return 0;
	while (done < tt->num_pages) {
		struct page *pages;

		order = min_t(unsigned int, order, ilog2(tt->num_pages - done));
		pages = loom_ttm_alloc_pages(tt, order);
		if (!pages && !order) {
			loom_ttm_tt_unpopulate(ttm, tt);
			return -ENOMEM;
		}
		if (!pages) {
			order--;
			continue;
		}
		for (i = 0; i < 1U << order; i++)
			tt->pages[done++] = pages + i;
		cond_resched();
	}
	return 0;
}

static bool loom_ttm_eviction_valuable(struct ttm_buffer_object *tbo, const struct ttm_place *place)
{
	/* not a ghost: pages that are being copied to the device, and are freed afterwards */
	return loom_bo_is_ours(tbo) && loom_bo_may_evict(tbo, place);
}

static void loom_ttm_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
{
	*placement = loom_bo_system;
}

static void loom_ttm_trace_evict(struct loom_bo *bo, u64 address)
{
	trace_loom_evict(loom_device_index(to_loom_device(bo->tbo.base.dev)), bo->owner,
			 bo->shape.region, address, bo->shape.layout.bytes_per_bank, &bo->tbo.base);
}

static int loom_ttm_move(struct ttm_buffer_object *tbo, bool evict, struct ttm_operation_ctx *ctx,
			 struct ttm_resource *resource, struct ttm_place *hop)
{
	struct loom_bo *bo = to_loom_bo(tbo);
	u64 address = bo->resident ? loom_region_address(tbo->resource) : 0;
	int ret = 0;

	/* the next user of the address may be scratch, which does not wait for fences */
	if (bo->resident && bo->shape.region == DRM_LOOM_REGION_SRAM)
		ret = loom_job_revoke(to_loom_device(tbo->base.dev), bo);
	if (ret)
		return ret;
	/* new, not in a region yet */
	if (!tbo->resource)
		ttm_bo_move_null(tbo, resource);
	else
		ret = loom_bytes_move(bo, ctx, resource);
	if (ret)
		return ret;
	if (bo->resident)
		loom_ttm_trace_evict(bo, address);
	WRITE_ONCE(bo->resident, resource->mem_type != TTM_PL_SYSTEM);
	return 0;
}

static const struct ttm_device_funcs loom_ttm_device_funcs = {
	.ttm_tt_create = loom_ttm_tt_create,
	.ttm_tt_populate = loom_ttm_tt_populate,
	.ttm_tt_unpopulate = loom_ttm_tt_unpopulate,
	.ttm_tt_destroy = loom_ttm_tt_destroy,
	.eviction_valuable = loom_ttm_eviction_valuable,
	.evict_flags = loom_ttm_evict_flags,
	.move = loom_ttm_move,
	.io_mem_reserve = loom_window_io_reserve,
	.io_mem_pfn = loom_window_io_pfn,
	.swap_notify = loom_map_end_locked,
	.delete_mem_notify = loom_map_end_locked,
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
 * @loom: the device; resources are released with it
 *
 * Return: 0 or -errno.
 */
int loom_ttm_init(struct loom_device *loom)
{
	struct drm_device *drm = &loom->drm;
	u32 id;
	int ret;

	ret = loom_compat_ttm_device_init(&loom->ttm, &loom_ttm_device_funcs, drm);
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
	ret = drmm_add_action_or_reset(drm, loom_ttm_regions_fini, NULL);
	/* control groups charge a buffer for its pages; the capacity is that of all banks */
	for (id = 0; !ret && id < DRM_LOOM_REGION_COUNT; id++)
		if (loom_region_exists(&loom->region[id]))
			ret = loom_compat_dmem_register(drm, &loom->region[id].manager,
							loom_region_names[id]);
	return ret;

err_fini:
	while (id--)
		loom_ttm_region_fini(loom, id);
	return ret;
}
