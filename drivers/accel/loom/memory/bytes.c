// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "bytes.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_sync.h"
#include "move.h"

/**
 * DOC: Memory of a device's own
 *
 * In a region that is memory of its own (&struct loom_device_memory) a buffer has its bytes in one
 * place: there while it is resident, in pages of the host while it is not. When TTM moves it, they
 * are moved (move.c), and nobody waits for that here: TTM is told of the new place at once, and the
 * fence of the move is in the buffer's reservation, as one of the kernel's. Users of the
 * bytes must wait for it: jobs (loom_submit.c), page faults, the next move.
 *
 * A buffer leaves. Its address is free at once, and the fences of its jobs and of the copy stay
 * behind as a leftover (loom_region.c). The next buffer there must wait for them, by its own move.
 *
 * A buffer arrives. A new one has no bytes anywhere: it is zeroed in the device's memory, and no
 * pages are allocated for it. One that has pages is copied, and these go with a ghost of TTM's,
 * which frees them when the fence has signalled.
 *
 * The SRAM knows no leftovers, as who takes an address may have its scratch there. So a buffer that
 * leaves the SRAM keeps its address until its moves have ended. Users of the address must wait
 * for that, with the buffer reserved, unless it is killed: then the buffer stays. A buffer that
 * nobody wants any more is left to a worker (loom_bo.c). No job is waited for, as those that use a
 * buffer that leaves the SRAM have ended (loom_ttm_move()).
 *
 * A move is prepared and let go in one critical section of drm_dev_enter(), so that unplugging the
 * device waits for it (loom_moves_drain()). Nobody waits for a fence in there.
 *
 * On a device that is gone or wedged nothing is moved: the bytes are lost, and those on the host
 * are zeroes, or what they were at the last copy.
 *
 * Rejected: ghosts for buffers that leave (ttm_bo_move_accel_cleanup() with evict). They keep the
 * address until the copy has ended, so who makes room would wait for the jobs of others. Rejected:
 * to keep the pages beside the bytes in the device, which would save a copy of what was not
 * written. All of the device's memory would be in the host's as well.
 */

/* Jobs that use it and moves, of this device; what other drivers do with it does not count. */
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

/* Nobody has a name for the buffer any more, and no mapping of it. */
static bool loom_bytes_are_unwanted(const struct loom_bo *bo)
{
	return !kref_read(&bo->tbo.base.refcount) && kref_read(&bo->tbo.kref) <= 1;
}

/* ----------------------------------------------------------------- leaving */

/* Leave @fences behind, and @own if there is one. Takes the references of @fences over. */
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
	return loom_region_leave(block, all, count);
}

/**
 * loom_bytes_leave_fences() - a buffer loses its address, where jobs and moves go on
 * @bo: the buffer, resident and reserved, not in the SRAM
 *
 * Who has the address next waits for them.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_bytes_leave_fences(struct loom_bo *bo)
{
	struct dma_fence **fences;
	u32 count;
	int ret;

	ret = loom_bytes_fences(bo, DMA_RESV_USAGE_BOOKKEEP, &fences, &count);
	return ret ?: loom_bytes_leave_behind(bo, fences, count, NULL);
}

/* Nobody wants its bytes: it need not wait for what moves them, but who is placed there does. */
static int loom_bytes_drop(struct loom_bo *bo)
{
	if (bo->shape.region != DRM_LOOM_REGION_SRAM)
		return loom_bytes_leave_fences(bo);
	/* in a worker */
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
	move = loom_move_create(bo, LOOM_MOVE_OUT, loom_region_address(bo->tbo.resource),
				bo->tbo.ttm->pages);
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
	/* Nothing can fail from here on: TTM has reserved room for the fence. */
	*own = dma_fence_get(&move->fence->base);
	dma_resv_add_fence(bo->tbo.base.resv, *own, DMA_RESV_USAGE_KERNEL);
	loom_move_go(move);
	return 0;
}

static int loom_bytes_save(struct loom_bo *bo, struct ttm_operation_ctx *ctx)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	bool sram = bo->shape.region == DRM_LOOM_REGION_SRAM;
	int ret = loom_compat_ttm_populate(&bo->tbo, ctx), idx;
	struct dma_fence *fence;

	/* unplugging the device waits for all moves that were let go in here */
	if (ret || !drm_dev_enter(&loom->drm, &idx))
		return ret;
	ret = loom_bytes_copy_out(bo, sram, &fence);
	drm_dev_exit(idx);
	if (ret)
		return ret;
	/* after an error TTM drops its pages, and the move has references of its own */
	if (sram)
		ret = loom_fence_wait_killable(fence);
	dma_fence_put(fence);
	return ret;
}

/**
 * loom_bytes_leave() - a buffer loses its address: its bytes go to pages of the host
 * @bo: the buffer, resident and reserved; in the SRAM, no job uses it any more
 * @ctx: as TTM has it
 * @resource: where it goes: no region
 *
 * Return: 0 or -errno, and it stays where it is.
 */
int loom_bytes_leave(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
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

	/* what has moved it before, and may not have ended; jobs that use it where it is shared */
	ret = loom_bytes_fences(bo, DMA_RESV_USAGE_BOOKKEEP, &fences, &count);
	if (ret)
		return ret;
	ret = loom_bytes_depend(move, fences, count);
	loom_bytes_put_fences(fences, count);
	if (ret)
		return ret;
	/* who was there before */
	ret = loom_region_fences(&loom->region[bo->shape.region], to_loom_region_block(resource),
				 &fences, &count);
	if (ret)
		return ret;
	ret = loom_bytes_depend(move, fences, count);
	loom_bytes_put_fences(fences, count);
	return ret;
}

/* The pages go with a ghost, if there are any. Return: 0; -ENOMEM, and it stays. */
static int loom_bytes_take_place(struct loom_bo *bo, struct dma_fence *fence,
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
				loom_region_address(resource),
				copied ? bo->tbo.ttm->pages : NULL);
	if (IS_ERR(move))
		return PTR_ERR(move);
	ret = loom_bytes_depend_on_place(move, bo, resource);
	if (ret) {
		loom_move_free(move);
		return ret;
	}
	fence = dma_fence_get(&move->fence->base);
	ret = loom_bytes_take_place(bo, fence, resource, copied);
	if (!ret) {
		loom_move_go(move);
	} else {
		/* TTM has put it into the reservation, and gives the address back */
		dma_fence_signal(fence);
		loom_move_free(move);
	}
	dma_fence_put(fence);
	return ret;
}

/**
 * loom_bytes_arrive() - a buffer gets an address: its bytes go there
 * @bo: the buffer, not resident, reserved
 * @ctx: as TTM has it
 * @resource: its place in its region
 *
 * Return: 0 or -errno, and it stays where it is.
 */
int loom_bytes_arrive(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
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

/**
 * loom_bytes_copy() - copy some bytes of a buffer, which stays where it is
 * @bo: the buffer, resident and reserved
 * @kind: LOOM_MOVE_IN or LOOM_MOVE_OUT
 * @offset: first byte
 * @bytes: how many, not zero
 * @pages: of the host, which nobody needs to keep
 *
 * Return: what signals when they are copied, and is one of the kernel's fences of the buffer; a
 * reference. Or ERR_PTR(-errno).
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
	/* what has brought it here, and copies before */
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
	loom_move_go(move);
	return fence;
}
