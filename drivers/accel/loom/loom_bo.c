// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_exec.h>
#include <drm/drm_file.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/drm_prime.h>
#include <drm/drm_utils.h>
#include <drm/ttm/ttm_tt.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_quota.h"
#include "loom_sync.h"
#include "loom_user.h"
#include "memory/dying.h"
#include "memory/evict.h"
#include "memory/host.h"
#include "memory/no_space.h"
#include "memory/seal.h"
#include "memory/share.h"
#include "memory/view.h"

/**
 * DOC: Buffers
 *
 * A buffer is placed in its region when it is created, has the same addresses in each of its banks,
 * and is linear to clients. If the DRAM or ROM is full, the buffer least recently used loses its
 * address and keeps its bytes (see loom_ttm.c); a job that is bound to it brings it back, maybe to
 * another address. Clients cannot tell, because plans hold no addresses.
 *
 * Placing a buffer takes these steps, none of which waits for a job:
 *
 * 1. take a free address, without the device's lock for placing;
 * 2. with it, evict idle buffers, least recently used first, until there is room;
 * 3. evict busy buffers: their jobs go on, and jobs that use the new buffer will wait for them;
 * 4. lock a remaining buffer that another thread had locked, evict it, try again; wait for a buffer
 *    that is being freed.
 *
 * There is no room if nothing is left to evict. TTM takes steps 2 and 3 and skips locked buffers,
 * so without step 4 clients that access their buffers at that moment would cause ENOSPC.
 *
 * A control group may have a limit (dmem.max). At the limit TTM evicts buffers charged to the
 * group, whatever their banks, and step 4 evicts buffers of the same file only: the group of other
 * files is unknown, and evicting buffers of other groups would not help.
 *
 * SRAM buffers are not evicted for others: they are in the SRAM on purpose, and the share of a file
 * there is bounded (see sram/sram.c). A full SRAM is ENOSPC. The exception is a buffer that only an
 * exclusive context could create, once that has no effect any more: it is displaced when another
 * client needs the space, and placed by the general rules when its next job needs it. Pending jobs
 * that use it are cancelled, not waited for.
 *
 * A buffer gives its address back with the last reference, not when TTM frees it: TTM waits for its
 * mappings, which may stay for ever, and for all fences in its reservation, where any client can
 * add fences through a dma-buf. Jobs hold references, so none uses the address any more.
 *
 * Images differ only in the distribution of their bytes over the banks: clients, jobs and the
 * kernel see a linear buffer of rows with a pitch; see memory/window.c for maps of local memory.
 */

static void loom_bo_uncharge(struct loom_bo *bo)
{
	if (!bo->charged)
		return;
	bo->charged = false;
	loom_quota_uncharge(to_loom_device(bo->tbo.base.dev), bo->client, LOOM_QUOTA_BO_BYTES,
			    bo->tbo.base.size);
}

/**
 * loom_bo_free() - free a buffer without references
 * @bo: the buffer, not imported
 */
void loom_bo_free(struct loom_bo *bo)
{
	struct ttm_operation_ctx ctx = { .no_wait_gpu = true };
	struct drm_gem_object *gem = &bo->tbo.base;

	dma_resv_lock(gem->resv, NULL);
	/* otherwise TTM is about to free it. On ENOMEM it keeps the address */
	if (bo->resident && (kref_read(&bo->tbo.kref) > 1 || !loom_bo_is_idle(bo)))
		ttm_bo_validate(&bo->tbo, &loom_bo_system, &ctx);
	/* TTM may free it late, but it has no memory of the host */
	if (loom_bo_has_no_pages(bo))
		loom_bo_uncharge(bo);
	dma_resv_unlock(gem->resv);
	loom_compat_ttm_bo_fini(&bo->tbo);
}

static void loom_bo_gem_free(struct drm_gem_object *gem)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);

	if (!loom_dying_takes(bo))
		loom_bo_free(bo);
}

enum drm_gem_object_status loom_bo_gem_status(struct drm_gem_object *gem)
{
	return READ_ONCE(gem_to_loom_bo(gem)->resident) ? DRM_GEM_OBJECT_RESIDENT : 0;
}

static const struct drm_gem_object_funcs loom_bo_gem_funcs = {
	.free = loom_bo_gem_free,
	.pin = loom_share_gem_pin,
	.unpin = loom_share_gem_unpin,
	.get_sg_table = loom_share_gem_sg_table,
	.vmap = loom_view_gem_vmap,
	.vunmap = loom_view_gem_vunmap,
	.mmap = loom_view_gem_mmap,
	.print_info = drm_gem_ttm_print_info,
	.status = loom_bo_gem_status,
};

/* TTM has no reference to a buffer any more. */
void loom_bo_destroy(struct ttm_buffer_object *tbo)
{
	struct loom_bo *bo = to_loom_bo(tbo);

	if (!loom_share_detach(bo)) {
		loom_bo_uncharge(bo);
		loom_file_put(bo->client);
	}
	drm_gem_object_release(&tbo->base);
	kfree(bo);
}

/**
 * loom_bo_is_ours() - whether a buffer of TTM's is a &struct loom_bo
 * @tbo: the buffer
 *
 * Return: false for a ghost, which has the pages of a moved buffer.
 */
bool loom_bo_is_ours(const struct ttm_buffer_object *tbo)
{
	return tbo->destroy == loom_bo_destroy;
}

/* Whether the host has memory for a new buffer. An eighth of it is reserved for other users. */
static bool loom_bo_has_memory(u64 bytes)
{
	u64 reserve = totalram_pages() / 8;

	return PFN_UP(bytes) + reserve <= (u64)max(si_mem_available(), 0L);
}

/* A buffer of zeroes, not yet in its region; the caller has the only reference. */
static int loom_bo_create(struct loom_device *loom, const struct loom_shape *shape,
			  struct drm_file *file, struct loom_bo **out)
{
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	u64 size = PAGE_ALIGN(shape->layout.size);
	struct loom_bo *bo;
	int ret;

	/*
	 * Refuse a buffer larger than the host's memory instead of invoking the OOM killer. Later
	 * failures, in page faults or SUBMIT, can only be reported by a signal.
	 */
	if (!loom_bo_has_memory(size))
		return -ENOMEM;
	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return -ENOMEM;
	bo->shape = *shape;
	loom_bo_init(bo);
	bo->owner = file->client_id;
	bo->client = file->driver_priv;
	ret = loom_quota_charge(loom, bo->client, LOOM_QUOTA_BO_BYTES, size);
	if (ret) {
		kfree(bo);
		return ret;
	}
	bo->charged = true;
	loom_file_get(bo->client);
	bo->tbo.base.funcs = &loom_bo_gem_funcs;
	drm_gem_private_object_init(&loom->drm, &bo->tbo.base, size);
	/* frees it when it fails */
	ret = ttm_bo_init_reserved(&loom->ttm, &bo->tbo, ttm_bo_type_device, &loom_bo_system, 0,
				   &ctx, NULL, NULL, loom_bo_destroy);
	if (ret)
		return ret;
	/* zero the pages here, not under the lock of placing */
	ret = loom_bo_populate_locked(bo);
	ttm_bo_unreserve(&bo->tbo);
	if (ret) {
		drm_gem_object_put(&bo->tbo.base);
		return ret;
	}
	*out = bo;
	return 0;
}

/* BO_CREATE, with &struct drm_loom_bo_create. Return: 0 or -errno. */
int loom_bo_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_loom_bo_create *args = data;
	struct loom_shape shape;
	struct loom_bo *bo;
	u32 handle;
	int ret;

	ret = loom_shape_init(&shape, drm, loom->chip, args);
	if (ret == -EOVERFLOW) {
		shape.layout.bytes_per_bank = U64_MAX;
		ret = -ENOSPC;
	}
	if (!ret && shape.layout.bytes_per_bank > loom_region_total(&loom->region[shape.region]))
		ret = -ENOSPC;
	if (ret == -ENOSPC)
		return loom_no_space(loom, &shape, args, file->driver_priv, false);
	if (ret)
		return ret;
	ret = loom_bo_create(loom, &shape, file, &bo);
	if (ret)
		return ret;
	ret = loom_bo_place(bo);
	if (ret == -ENOSPC)
		ret = loom_no_space(loom, &shape, args, file->driver_priv,
				    loom_bo_is_limited(bo));
	if (ret)
		goto out_put;
	ret = drm_gem_handle_create(file, &bo->tbo.base, &handle);
	if (ret)
		goto out_put;
	args->handle = handle;
	/* an image's size and pitch are chosen here */
	args->size = shape.layout.size;
	args->pitch_bytes = shape.layout.dtype ? shape.layout.page_pitch_bytes : 0;
out_put:
	drm_gem_object_put(&bo->tbo.base);
	return ret;
}

/* Write the first @count of a buffer's addresses, in the order of its banks. */
static int loom_bo_write_addresses(const struct loom_bo *bo, const u64 *addresses, u64 to,
				   u32 count)
{
	u32 bank = 0, i;

	if (count && !addresses)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		bank = loom_mask_next(&bo->shape.mask, bank);
		if (put_user(addresses[bank++], (u64 __user *)u64_to_user_ptr(to) + i))
			return -EFAULT;
	}
	return 0;
}

/* BO_INFO, with &struct drm_loom_bo_info. Return: 0 or -errno. */
int loom_bo_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_bo_info *args = data;
	u64 address = 0, *addresses = NULL, to = args->addresses;
	u32 flags = 0, room = args->address_count, count = 0;
	struct drm_gem_object *gem;
	struct loom_bo *bo;
	int ret;

	if (args->pad || args->pad3 || !to != !room)
		return loom_refuse(drm, -EINVAL, "buffer: padding %#x, %u addresses at %#llx",
				   args->pad | args->pad3, room, to);
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return loom_refuse(drm, -ENOENT, "no buffer %u", args->handle);
	bo = gem_to_loom_bo(gem);
	ret = dma_resv_lock_interruptible(gem->resv, NULL);
	if (ret)
		goto out_put;
	if (bo->resident) {
		address = loom_region_address(bo->tbo.resource);
		addresses = to ? loom_region_addresses(bo->tbo.resource) : NULL;
		count = loom_mask_count(&bo->shape.mask);
	} else {
		flags |= DRM_LOOM_BO_EVICTED;
	}
	if (bo->shape.per_bank)
		flags |= DRM_LOOM_BO_PER_BANK;
	if (loom_bo_is_sealed(bo))
		flags |= DRM_LOOM_BO_SEALED;
	dma_resv_unlock(gem->resv);
	ret = loom_bo_write_addresses(bo, addresses, to, min(room, count));
	kfree(addresses);
	if (ret)
		goto out_put;

	*args = (struct drm_loom_bo_info) {
		.handle = args->handle,
		.region = bo->shape.region,
		.size = bo->shape.layout.size,
		.mmap_offset = drm_vma_node_offset_addr(&gem->vma_node),
		.address = address,
		.bytes_per_bank = bo->shape.layout.bytes_per_bank,
		.padding_bytes = bo->shape.layout.padding_bytes,
		.page_bytes = bo->shape.layout.page_bytes,
		.page_pitch_bytes = bo->shape.layout.page_pitch_bytes,
		.banks = bo->shape.layout.banks,
		.layout = bo->shape.kind,
		.flags = flags,
		.addresses = to,
		.address_count = count,
		.align_padding_bytes = bo->shape.layout.align_padding_bytes,
		.page_columns = bo->shape.layout.page_columns,
		.shard_rows = bo->shape.layout.shard_rows,
		.shard_columns = bo->shape.layout.shard_columns,
		.shards_across = bo->shape.layout.shards_across,
		.grid_columns = bo->shape.layout.grid_columns,
		.shard_order = bo->shape.layout.column_major ? DRM_LOOM_SHARD_COLUMN_MAJOR :
							       DRM_LOOM_SHARD_ROW_MAJOR,
	};
	memcpy(args->bank_mask, bo->shape.mask.word, sizeof(args->bank_mask));
	if (bo->shape.layout.dtype) {
		args->width = bo->shape.layout.width;
		args->height = bo->shape.layout.height;
		args->dtype = bo->shape.layout.dtype;
		args->pitch_bytes = bo->shape.layout.page_pitch_bytes;
		args->rows_per_bank = div64_u64(bo->shape.layout.bytes_per_bank,
						bo->shape.layout.page_pitch_bytes);
	}
out_put:
	drm_gem_object_put(gem);
	return ret;
}

/*
 * Wait for jobs, and for the other driver if the buffer is imported. Moves of this driver are
 * excluded: accesses to the bytes wait for these (memory/window.c). Return: as
 * dma_resv_wait_timeout().
 */
static long loom_bo_wait_jobs(struct drm_gem_object *gem, long timeout)
{
	struct loom_device *loom = to_loom_device(gem->dev);
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	long ret = timeout ?: 1;

	dma_resv_iter_begin(&cursor, gem->resv, DMA_RESV_USAGE_BOOKKEEP);
	dma_resv_for_each_fence_unlocked(&cursor, fence) {
		if (dma_resv_iter_usage(&cursor) == DMA_RESV_USAGE_KERNEL &&
		    loom_fence_is_job(loom, fence))
			continue;
		ret = dma_fence_wait_timeout(fence, true, timeout);
		if (ret <= 0)
			break;
		/* dma_fence_wait_timeout() returns 1 for a signalled fence even if @timeout is 0 */
		if (timeout)
			timeout = ret;
	}
	dma_resv_iter_end(&cursor);
	return ret;
}

/* BO_WAIT, with &struct drm_loom_bo_wait. Return: 0 or -errno. */
int loom_bo_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_bo_wait *args = data;
	struct drm_gem_object *gem;
	long ret;

	if (args->pad)
		return loom_refuse(drm, -EINVAL, "buffer: padding %#x", args->pad);
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return loom_refuse(drm, -ENOENT, "no buffer %u", args->handle);
	ret = loom_bo_wait_jobs(gem, drm_timeout_abs_to_jiffies(args->timeout_ns));
	drm_gem_object_put(gem);
	if (ret < 0)
		return ret;
	return ret ? 0 : -ETIME;
}
