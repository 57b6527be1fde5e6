// SPDX-License-Identifier: GPL-2.0
#include <linux/completion.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "bytes.h"
#include "host.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_leftover.h"
#include "loom_sync.h"
#include "move.h"

/**
 * DOC: Memory of a device's own
 *
 * In local memory (&struct loom_device_memory.own) the bytes of a buffer exist once: in the banks
 * while it is resident, in pages of the host otherwise. When TTM moves a buffer, its bytes are
 * moved asynchronously (move.c): TTM gets the new resource at once, and the fence of the move is
 * added to the buffer's reservation as a kernel fence. Users of the bytes must wait for it: jobs
 * (loom_submit.c), page faults, the next move.
 *
 * Eviction. The address is free at once, and the fences of its jobs and of the copy become a
 * leftover (loom_leftover.c). The next buffer there must wait for them, by its own move.
 *
 * Placement. A new buffer has no bytes yet: it is zeroed in local memory, and no pages are
 * allocated for it. A buffer with pages is copied, and a ghost of TTM frees them when the fence has
 * signalled.
 *
 * The callbacks of TTM must not wait for jobs. A busy DRAM buffer loses only its address when it is
 * evicted: its jobs have the addresses of its system pages, which stay. The fences of these jobs
 * are kept with the address (see loom_leftover.c), and jobs that use the next buffer there wait for
 * them. Rejected: letting TTM wait for the victim (ttm_bo_wait_ctx()), as most drivers do. A client
 * that filled the DRAM with buffers of a long job could block others in their ioctls for a minute,
 * one victim after another, until they fail with ENOSPC.
 *
 * The jobs of a buffer that must leave the SRAM (see sram/sram.c) are cancelled, and a running one
 * is waited for until it has stopped. If they went on, jobs of others would wait for all jobs that
 * the owner has queued while it had the device for itself: for hours.
 *
 * The SRAM has no leftovers, because the next user of an address may be scratch. So a buffer that
 * leaves the SRAM keeps its address until its moves have ended. The evicting thread must wait for
 * that, with the buffer reserved; on a fatal signal the buffer stays. A worker frees unreferenced
 * buffers (dying.c). Jobs are not waited for, because those of a buffer that leaves the SRAM have
 * ended (loom_bytes_move()).
 *
 * A move is prepared and submitted in one critical section of drm_dev_enter(), so that unplugging
 * the device waits for it (loom_moves_drain()). The section must not wait for a fence.
 *
 * On an unplugged or wedged device nothing is moved: the bytes are lost, and the host's pages have
 * zeroes or the bytes of the last copy.
 *
 * Rejected: ghosts for buffers that leave (ttm_bo_move_accel_cleanup() with evict). They keep the
 * address until the copy has ended, so the evicting thread would wait for the jobs of others.
 * Rejected: keeping the pages while the buffer is resident, which would save copies of unmodified
 * bytes. All local memory would be duplicated on the host.
 */

/**
 * struct loom_bytes_waiter - a killable wait for a fence
 */
struct loom_bytes_waiter {
	/** @callback: of the fence */
	struct dma_fence_cb callback;
	/** @done: it has signalled */
	struct completion done;
};

static void loom_bytes_waiter_wake(struct dma_fence *fence, struct dma_fence_cb *callback)
{
	complete(&container_of(callback, struct loom_bytes_waiter, callback)->done);
}

/**
 * loom_bytes_wait_killable() - wait for a fence; only a fatal signal interrupts
 * @fence: the fence
 *
 * Return: 0, also if the fence has an error; -ERESTARTSYS on a fatal signal.
 */
int loom_bytes_wait_killable(struct dma_fence *fence)
{
	struct loom_bytes_waiter waiter;
	int ret;

	init_completion(&waiter.done);
	if (dma_fence_add_callback(fence, &waiter.callback, loom_bytes_waiter_wake))
		return 0;
	ret = wait_for_completion_killable(&waiter.done);
	/* otherwise the callback is running */
	if (ret && !dma_fence_remove_callback(fence, &waiter.callback))
		wait_for_completion(&waiter.done);
	return ret;
}

/* Get the fences of jobs and moves of this device; those of other drivers are excluded. */
static int loom_bytes_fences(struct loom_bo *bo, enum dma_resv_usage usage,
			     struct dma_fence ***fences, u32 *count)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	unsigned int all, i;
	int ret;

	*count = 0;
	ret = dma_resv_get_fences(bo->tbo.base.resv, usage, &all, fences);
	if (ret)
		return ret;
	for (i = 0; i < all; i++)
		if (loom_fence_is_job(loom, (*fences)[i]))
			(*fences)[(*count)++] = (*fences)[i];
		else
			dma_fence_put((*fences)[i]);
	return 0;
}

static void loom_bytes_put_fences(struct dma_fence **fences, u32 count)
{
	while (count--)
		dma_fence_put(fences[count]);
	kvfree(fences);
}

static int loom_bytes_depend(struct loom_move *move, struct dma_fence **fences, u32 count)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < count; i++)
		ret = loom_move_depend(move, fences[i]);
	return ret;
}

/* The buffer has no handles and no mappings. */
static bool loom_bytes_are_unwanted(const struct loom_bo *bo)
{
	return !kref_read(&bo->tbo.base.refcount) && kref_read(&bo->tbo.kref) <= 1;
}

/* ----------------------------------------------------------------- leaving */

/* Make a leftover of @fences, and of @own if it is not NULL. Consumes the references of @fences. */
static int loom_bytes_leave_behind(struct loom_bo *bo, struct dma_fence **fences, u32 count,
				   struct dma_fence *own)
{
	struct loom_region_block *block = to_loom_region_block(bo->tbo.resource);
	struct dma_fence **all = fences;

	if (own) {
		all = krealloc_array(fences, count + 1, sizeof(*fences), GFP_KERNEL_ACCOUNT);
		if (!all) {
			loom_bytes_put_fences(fences, count);
			return -ENOMEM;
		}
		all[count++] = dma_fence_get(own);
	}
	if (!count) {
		kfree(all);
		return 0;
	}
	return loom_region_save_fences(block, all, count);
}

/* The next user of the address must wait for them. Return: 0 or -ENOMEM. */
static int loom_bytes_leave_fences(struct loom_bo *bo)
{
	struct dma_fence **fences;
	u32 count;
	int ret;

	ret = loom_bytes_fences(bo, DMA_RESV_USAGE_BOOKKEEP, &fences, &count);
	return ret ?: loom_bytes_leave_behind(bo, fences, count, NULL);
}

/* Drop the bytes without waiting for their moves; the next user of the address must wait. */
static int loom_bytes_drop(struct loom_bo *bo)
{
	if (bo->shape.region != DRM_LOOM_REGION_SRAM)
		return loom_bytes_leave_fences(bo);
	/* runs in a worker */
	dma_resv_wait_timeout(bo->tbo.base.resv, DMA_RESV_USAGE_KERNEL, false,
			      MAX_SCHEDULE_TIMEOUT);
	return 0;
}

/* @own: out: the fence of the move, a reference. */
static int loom_bytes_copy_out(struct loom_bo *bo, bool sram, struct dma_fence **own)
{
	struct dma_fence **fences;
	struct loom_move *move;
	u32 count;
	int ret;

	/* jobs that were to use it in the SRAM have ended, or never begin */
	ret = loom_bytes_fences(bo, sram ? DMA_RESV_USAGE_KERNEL : DMA_RESV_USAGE_BOOKKEEP,
				&fences, &count);
	if (ret)
		return ret;
	move = loom_move_create(bo, LOOM_MOVE_OUT, bo->tbo.resource, bo->tbo.ttm->pages);
	if (IS_ERR(move)) {
		loom_bytes_put_fences(fences, count);
		return PTR_ERR(move);
	}
	ret = loom_bytes_depend(move, fences, count);
	if (ret || sram)
		loom_bytes_put_fences(fences, count);
	else
		ret = loom_bytes_leave_behind(bo, fences, count, &move->fence->base);
	if (ret) {
		loom_move_free(move);
		return ret;
	}
	/* Nothing may fail from here on: TTM has reserved a slot for the fence. */
	*own = dma_fence_get(&move->fence->base);
	dma_resv_add_fence(bo->tbo.base.resv, *own, DMA_RESV_USAGE_KERNEL);
	loom_move_submit(move);
	return 0;
}

static int loom_bytes_save(struct loom_bo *bo, struct ttm_operation_ctx *ctx)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	bool sram = bo->shape.region == DRM_LOOM_REGION_SRAM;
	int ret = loom_compat_ttm_populate(&bo->tbo, ctx), idx;
	struct dma_fence *fence;

	/* unplugging the device waits for all moves submitted in this section */
	if (ret || !drm_dev_enter(&loom->drm, &idx))
		return ret;
	ret = loom_bytes_copy_out(bo, sram, &fence);
	drm_dev_exit(idx);
	if (ret)
		return ret;
	/* after an error TTM drops its pages; the move has its own references */
	if (sram)
		ret = loom_bytes_wait_killable(fence);
	dma_fence_put(fence);
	return ret;
}

/* Evict a buffer. Return: 0 or -errno, and it stays where it is. */
static int loom_bytes_leave(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
			    struct ttm_resource *resource)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	int ret = 0;

	if (loom_bytes_are_unwanted(bo))
		ret = loom_bytes_drop(bo);
	else if (!READ_ONCE(loom->wedged) && !drm_dev_is_unplugged(&loom->drm))
		ret = loom_bytes_save(bo, ctx);
	if (!ret)
		ttm_bo_move_null(&bo->tbo, resource);
	return ret;
}

/* ---------------------------------------------------------------- arriving */

static int loom_bytes_depend_on_place(struct loom_move *move, struct loom_bo *bo,
				      struct ttm_resource *resource)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	struct dma_fence **fences;
	u32 count;
	int ret;

	/* earlier moves that may be pending; jobs that use it while it is shared */
	ret = loom_bytes_fences(bo, DMA_RESV_USAGE_BOOKKEEP, &fences, &count);
	if (ret)
		return ret;
	ret = loom_bytes_depend(move, fences, count);
	loom_bytes_put_fences(fences, count);
	if (ret)
		return ret;
	/* previous users of the address */
	ret = loom_region_fences(&loom->region[bo->shape.region], to_loom_region_block(resource),
				 &fences, &count);
	if (ret)
		return ret;
	ret = loom_bytes_depend(move, fences, count);
	loom_bytes_put_fences(fences, count);
	return ret;
}

/* Assign @resource; a ghost gets the pages, if any. Return: 0; -ENOMEM, and nothing has changed. */
static int loom_bytes_assign(struct loom_bo *bo, struct dma_fence *fence,
			     struct ttm_resource *resource, bool copied)
{
	if (copied)
		return ttm_bo_move_accel_cleanup(&bo->tbo, fence, false, true, resource);
	dma_resv_add_fence(bo->tbo.base.resv, fence, DMA_RESV_USAGE_KERNEL);
	ttm_bo_move_null(&bo->tbo, resource);
	return 0;
}

/* Begin a move to @resource. */
static int loom_bytes_bring(struct loom_bo *bo, struct ttm_resource *resource, bool copied)
{
	struct dma_fence *fence;
	struct loom_move *move;
	int ret;

	move = loom_move_create(bo, copied ? LOOM_MOVE_IN : LOOM_MOVE_CLEAR,
				resource, copied ? bo->tbo.ttm->pages : NULL);
	if (IS_ERR(move))
		return PTR_ERR(move);
	ret = loom_bytes_depend_on_place(move, bo, resource);
	if (ret) {
		loom_move_free(move);
		return ret;
	}
	fence = dma_fence_get(&move->fence->base);
	ret = loom_bytes_assign(bo, fence, resource, copied);
	if (!ret) {
		loom_move_submit(move);
	} else {
		/* TTM has added it to the reservation, and will free the address */
		dma_fence_signal(fence);
		loom_move_free(move);
	}
	dma_fence_put(fence);
	return ret;
}

/* Place a buffer. Return: 0 or -errno, and it stays where it is. */
static int loom_bytes_arrive(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
			     struct ttm_resource *resource)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	bool copied = loom_bo_on_host(bo);
	int ret = 0, idx;

	if (READ_ONCE(loom->wedged))
		return -EIO;
	if (copied)
		ret = loom_compat_ttm_populate(&bo->tbo, ctx);
	if (ret)
		return ret;
	if (!drm_dev_enter(&loom->drm, &idx))
		return -ENODEV;
	ret = loom_bytes_bring(bo, resource, copied);
	drm_dev_exit(idx);
	return ret;
}

/* ----------------------------------------------------------------- staying */

/*
 * The jobs of its address go on, and the next user of the address must wait for them. In the SRAM,
 * where only loom_bo_displace() evicts a busy buffer, they have ended.
 *
 * Makes no ghost buffer, so loom_region_block.gem stays as it is.
 */
static int loom_bytes_stay(struct loom_bo *bo, struct ttm_resource *resource)
{
	int ret = 0;

	/* jobs have references */
	if (bo->resident && bo->shape.region != DRM_LOOM_REGION_SRAM &&
	    kref_read(&bo->tbo.base.refcount))
		ret = loom_bytes_leave_fences(bo);
	if (!ret)
		ttm_bo_move_null(&bo->tbo, resource);
	return ret;
}

/**
 * loom_bytes_move() - a buffer gets or loses its address
 * @bo: the buffer, reserved; in the SRAM its jobs must have ended
 * @ctx: as TTM has it
 * @resource: its new resource
 *
 * Return: 0 or -errno, and it stays where it is.
 */
int loom_bytes_move(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
		    struct ttm_resource *resource)
{
	bool own = loom_region_is_local(loom_bo_region(bo));

	if (own && bo->resident)
		return loom_bytes_leave(bo, ctx, resource);
	if (own && resource->mem_type != TTM_PL_SYSTEM)
		return loom_bytes_arrive(bo, ctx, resource);
	return loom_bytes_stay(bo, resource);
}

/**
 * loom_bytes_copy() - copy bytes from or to a resident buffer
 * @bo: the buffer, resident and reserved
 * @kind: LOOM_MOVE_IN or LOOM_MOVE_OUT
 * @offset: first byte
 * @bytes: how many, not zero
 * @pages: of the host; the copy takes references
 *
 * Return: a reference to the fence of the copy, which is also a kernel fence of the buffer; or
 * ERR_PTR(-errno).
 */
struct dma_fence *loom_bytes_copy(struct loom_bo *bo, enum loom_move_kind kind, u64 offset,
				  u64 bytes, struct page **pages)
{
	struct dma_fence **fences, *fence;
	struct loom_move *move;
	u32 count;
	int ret;

	move = loom_move_create_part(bo, kind, offset, bytes, pages);
	if (IS_ERR(move))
		return ERR_CAST(move);
	/* the move that placed it, and earlier copies */
	ret = loom_bytes_fences(bo, DMA_RESV_USAGE_KERNEL, &fences, &count);
	if (!ret) {
		ret = loom_bytes_depend(move, fences, count);
		loom_bytes_put_fences(fences, count);
	}
	if (!ret)
		ret = dma_resv_reserve_fences(bo->tbo.base.resv, 1);
	if (ret) {
		loom_move_free(move);
		return ERR_PTR(ret);
	}
	fence = dma_fence_get(&move->fence->base);
	dma_resv_add_fence(bo->tbo.base.resv, fence, DMA_RESV_USAGE_KERNEL);
	loom_move_submit(move);
	return fence;
}
