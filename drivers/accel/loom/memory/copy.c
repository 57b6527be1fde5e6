// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/pfn.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/loom_accel.h>

#include "bytes.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_ioctl.h"
#include "loom_sync.h"
#include "loom_user.h"
#include "move.h"
#include "seal.h"

/**
 * DOC: Copies
 *
 * BO_READ and BO_WRITE copy bytes between a client and a buffer, in any memory. They are for
 * buffers in local memory without a direct mapping (memory/window.c): such a buffer in the SRAM
 * cannot be mapped at all; in the DRAM a mapping would evict it to system pages, and its next job
 * would bring it back.
 *
 * Bytes are copied through pages of the kernel, a piece at a time (&struct loom_copy). The client's
 * memory must be accessed without locks, because it may be a mapping of the same buffer. The
 * processor copies system pages; the DMA engine copies local memory, by a move of a part of the
 * resident buffer. The move's fence is a kernel fence: jobs, moves and later users of the address
 * wait for it. It has references to the pages, so a killed client need not wait. Other signals do
 * not interrupt a piece, otherwise a client with a fast timer might never make progress.
 *
 * The code inside of drm_dev_enter() must not wait for a fence: unplugging waits for that section
 * before it ends the moves of a hanging device, so it would deadlock.
 *
 * Rejected: a plan with a COPY between slots in the SRAM and in the DRAM, which clients can already
 * create. A slot in the SRAM only takes buffers of one row in each bank; the job needs a context
 * and waits for its turn; and a debugger would have to be a planner. Rejected: copying by the
 * processor through the BAR. It need not cover all banks, reads are slow on a real bus, and it
 * vanishes in a reset. Rejected: mapping the client's pages for the device. A broken device could
 * pin them for ever.
 */

/* Pages of a piece. */
#define LOOM_COPY_PAGES		64

/**
 * struct loom_copy - state of a call
 */
struct loom_copy {
	/** @bo: the buffer */
	struct loom_bo *bo;
	/** @write: to the buffer */
	bool write;
	/** @count: number of @pages */
	u32 count;
	/** @pages: for a piece */
	struct page *pages[];
};

static void loom_copy_free(struct loom_copy *copy)
{
	while (copy->count)
		put_page(copy->pages[--copy->count]);
	kfree(copy);
}

static struct loom_copy *loom_copy_create(struct loom_bo *bo, bool write, u64 bytes)
{
	u32 count = min_t(u64, PFN_UP(bytes), LOOM_COPY_PAGES);
	struct loom_copy *copy = kzalloc(struct_size(copy, pages, count), GFP_KERNEL_ACCOUNT);

	if (!copy)
		return NULL;
	copy->bo = bo;
	copy->write = write;
	for (; copy->count < count; copy->count++) {
		/* zeroed, because a device may lie about having written them */
		copy->pages[copy->count] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!copy->pages[copy->count]) {
			loom_copy_free(copy);
			return NULL;
		}
	}
	return copy;
}

static int loom_copy_user(const struct loom_copy *copy, u64 ptr, u64 bytes)
{
	u64 at, part;

	for (at = 0; at < bytes; at += part) {
		void *page = kmap_local_page(copy->pages[at >> PAGE_SHIFT]);
		unsigned long missing;

		part = min_t(u64, bytes - at, PAGE_SIZE);
		if (copy->write)
			missing = copy_from_user(page, u64_to_user_ptr(ptr + at), part);
		else
			missing = copy_to_user(u64_to_user_ptr(ptr + at), page, part);
		kunmap_local(page);
		if (missing)
			return -EFAULT;
	}
	return 0;
}

static void loom_copy_pages_locked(const struct loom_copy *copy, u64 offset, u64 bytes)
{
	struct page **pages = copy->bo->tbo.ttm->pages;
	u64 at, part;

	for (at = 0; at < bytes; at += part) {
		struct page *here = copy->pages[at >> PAGE_SHIFT];
		struct page *there = pages[(offset + at) >> PAGE_SHIFT];
		u32 from = at % PAGE_SIZE, to = (offset + at) % PAGE_SIZE;

		part = min_t(u64, bytes - at, PAGE_SIZE - max(from, to));
		if (copy->write)
			memcpy_page(there, to, here, from, part);
		else
			memcpy_page(here, from, there, to, part);
	}
}

/* Return: 0, maybe with a fence to wait for; 1 if moves must end first; -errno. */
static int loom_copy_begin_locked(const struct loom_copy *copy, u64 offset, u64 bytes,
				  struct dma_fence **fence)
{
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	struct loom_bo *bo = copy->bo;
	int ret;

	if (copy->write && loom_bo_is_sealed(bo))
		return loom_refuse(bo->tbo.base.dev, -EPERM, "copy: the buffer is sealed");
	if (loom_bo_region(bo)->own && bo->resident) {
		*fence = loom_bytes_copy(bo, copy->write ? LOOM_MOVE_IN : LOOM_MOVE_OUT, offset,
					 bytes, (struct page **)copy->pages);
		return PTR_ERR_OR_ZERO(*fence);
	}
	if (!dma_resv_test_signaled(bo->tbo.base.resv, DMA_RESV_USAGE_KERNEL))
		return 1;
	ret = loom_compat_ttm_populate(&bo->tbo, &ctx);
	if (!ret)
		loom_copy_pages_locked(copy, offset, bytes);
	return ret;
}

/* Return: as loom_copy_begin_locked(). */
static int loom_copy_begin(const struct loom_copy *copy, u64 offset, u64 bytes,
			   struct dma_fence **fence)
{
	struct loom_device *loom = to_loom_device(copy->bo->tbo.base.dev);
	struct dma_resv *resv = copy->bo->tbo.base.resv;
	int ret, idx;

	if (READ_ONCE(loom->wedged))
		return loom_refuse(&loom->drm, -EIO, "copy: the device is wedged");
	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return ret;
	if (drm_dev_enter(&loom->drm, &idx)) {
		ret = loom_copy_begin_locked(copy, offset, bytes, fence);
		drm_dev_exit(idx);
	} else {
		ret = loom_refuse(&loom->drm, -ENODEV, "the device is unplugged");
	}
	dma_resv_unlock(resv);
	return ret;
}

static int loom_copy_piece(const struct loom_copy *copy, u64 offset, u64 bytes)
{
	struct dma_resv *resv = copy->bo->tbo.base.resv;
	struct dma_fence *fence = NULL;
	long left;
	int ret;

	do {
		ret = loom_copy_begin(copy, offset, bytes, &fence);
		if (ret <= 0)
			break;
		left = dma_resv_wait_timeout(resv, DMA_RESV_USAGE_KERNEL, true,
					     MAX_SCHEDULE_TIMEOUT);
	} while (left >= 0);
	if (ret > 0)
		return left;
	if (ret || !fence)
		return ret;
	ret = loom_bytes_wait_killable(fence) ?: min(dma_fence_get_status(fence), 0);
	dma_fence_put(fence);
	return ret;
}

/* Return: number of bytes copied, not zero; -errno. */
static s64 loom_copy_run(const struct loom_copy *copy, const struct drm_loom_bo_copy *args)
{
	u64 done = 0, bytes;
	int ret;

	do {
		bytes = min(args->size - done, (u64)copy->count << PAGE_SHIFT);
		ret = copy->write ? loom_copy_user(copy, args->ptr + done, bytes) : 0;
		if (!ret)
			ret = loom_copy_piece(copy, args->offset + done, bytes);
		if (!ret && !copy->write)
			ret = loom_copy_user(copy, args->ptr + done, bytes);
		if (ret)
			break;
		done += bytes;
		cond_resched();
	} while (done < args->size && !signal_pending(current));
	if (done && (ret == -EINTR || ret == -ERESTARTSYS))
		ret = 0;
	return ret ?: done;
}

static int loom_copy_ioctl(struct drm_device *drm, struct drm_loom_bo_copy *args,
			   struct drm_file *file, bool write)
{
	struct drm_gem_object *gem;
	struct loom_copy *copy;
	struct loom_bo *bo;
	s64 ret;

	if (args->flags)
		return loom_refuse(drm, -EINVAL, "copy: flags %#x", args->flags);
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return loom_refuse(drm, -ENOENT, "no buffer %u", args->handle);
	bo = gem_to_loom_bo(gem);
	if (!args->size || args->offset >= bo->shape.layout.size ||
	    args->size > bo->shape.layout.size - args->offset) {
		ret = loom_refuse(drm, -EINVAL, "copy: %llu bytes at %llu of %llu", args->size,
				  args->offset, bo->shape.layout.size);
		goto out_put;
	}
	if (bo->dmabuf) {
		ret = loom_refuse(drm, -EOPNOTSUPP, "copy: a buffer of another driver");
		goto out_put;
	}
	copy = loom_copy_create(bo, write, args->size);
	ret = copy ? loom_copy_run(copy, args) : -ENOMEM;
	if (copy)
		loom_copy_free(copy);
	if (ret > 0)
		args->size = ret;
out_put:
	drm_gem_object_put(gem);
	return min_t(s64, ret, 0);
}

/* BO_READ, with &struct drm_loom_bo_copy. Return: 0 or -errno. */
int loom_copy_ioctl_read(struct drm_device *drm, void *data, struct drm_file *file)
{
	return loom_copy_ioctl(drm, data, file, false);
}

/* BO_WRITE, with &struct drm_loom_bo_copy. Return: 0 or -errno. */
int loom_copy_ioctl_write(struct drm_device *drm, void *data, struct drm_file *file)
{
	return loom_copy_ioctl(drm, data, file, true);
}
