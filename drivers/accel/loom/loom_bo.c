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
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_quota.h"
#include "loom_user.h"

/**
 * DOC: Buffers
 *
 * A buffer is placed in its region when it is made, takes the same addresses in each of its banks,
 * and is seen by clients as a line of bytes. When the DRAM is full, the buffer that was used least
 * recently loses its address and keeps its bytes (see loom_ttm.c); a job that is bound to it brings
 * it back, maybe to another address. Clients cannot tell, because plans hold no addresses.
 *
 * SRAM buffers are never evicted: being in the SRAM is what they are for, and nothing would bring
 * them back. A full SRAM is ENOSPC.
 *
 * Images differ only in how their bytes are dealt out over the banks: clients see rows at a pitch,
 * and so do jobs and the kernel, all of them as one line of bytes. It consists of whole processor
 * pages whatever the pitch, because the bytes of a soft device are in system pages. A back end
 * that maps its banks themselves can do so only for images whose pitch is a multiple of such a
 * page, as with pages of interleaved buffers.
 *
 * The kernel's own mapping of a buffer is made by the first job that uses it and
 * kept until the pages go (swapped out, or the buffer destroyed). Making one for
 * each job was tried on paper and rejected: it costs more than a small job does.
 */

static const struct ttm_place loom_bo_system_place = {
	.mem_type = TTM_PL_SYSTEM,
};

/* No address in a region; the bytes are in system pages. */
struct ttm_placement loom_bo_system = {
	.num_placement = 1,
	.placement = &loom_bo_system_place,
};

/**
 * loom_bo_place_locked() - bring a buffer into its region
 * @bo: the buffer, reserved. With loom_device.place_lock held and @bo reserved in
 *	a wait-wound context, all other buffers can be evicted for it
 *
 * Return: 0; -ENOSPC when there is no room in the banks; -ENOMEM; -ERESTARTSYS.
 */
int loom_bo_place_locked(struct loom_bo *bo)
{
	struct loom_bo_place place = {
		.base.mem_type = LOOM_REGION_PLACEMENT(bo->shape.region),
		.mask = &bo->shape.mask,
	};
	struct ttm_placement placement = {
		.num_placement = 1,
		.placement = &place.base,
	};
	struct ttm_operation_ctx ctx = {
		.interruptible = true,
		.gfp_retry_mayfail = true,
	};
	int ret;

	dma_resv_assert_held(bo->tbo.base.resv);

	bo->no_space = false;
	ret = ttm_bo_validate(&bo->tbo, &placement, &ctx);
	/* TTM says ENOMEM for both */
	return ret == -ENOMEM && bo->no_space ? -ENOSPC : ret;
}

/**
 * loom_bo_map_locked() - make the bytes of a buffer visible to the kernel
 * @bo: the buffer, reserved
 *
 * Return: 0, and loom_bo.map is valid for as long as the buffer is not idle; -errno.
 */
int loom_bo_map_locked(struct loom_bo *bo)
{
	dma_resv_assert_held(bo->tbo.base.resv);

	return iosys_map_is_null(&bo->map) ? ttm_bo_vmap(&bo->tbo, &bo->map) : 0;
}

static int loom_bo_place(struct loom_bo *bo)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	struct drm_exec exec;
	int ret;

	ret = mutex_lock_interruptible(&loom->place_lock);
	if (ret)
		return ret;
	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT, 1);
	drm_exec_until_all_locked(&exec) {
		ret = drm_exec_lock_obj(&exec, &bo->tbo.base);
		drm_exec_retry_on_contention(&exec);
	}
	if (!ret)
		ret = loom_bo_place_locked(bo);
	drm_exec_fini(&exec);
	mutex_unlock(&loom->place_lock);
	return ret;
}

static void loom_bo_gem_free(struct drm_gem_object *gem)
{
	ttm_bo_put(&gem_to_loom_bo(gem)->tbo);
}

/* Importers may hold the pages for long, so the buffer is pinned where jobs need it. */
static int loom_bo_gem_pin(struct drm_gem_object *gem)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret = loom_bo_place_locked(bo);

	if (!ret)
		ttm_bo_pin(&bo->tbo);
	return ret;
}

static void loom_bo_gem_unpin(struct drm_gem_object *gem)
{
	ttm_bo_unpin(&gem_to_loom_bo(gem)->tbo);
}

static struct sg_table *loom_bo_gem_sg_table(struct drm_gem_object *gem)
{
	struct ttm_tt *tt = gem_to_loom_bo(gem)->tbo.ttm;

	return drm_prime_pages_to_sg(gem->dev, tt->pages, tt->num_pages);
}

static enum drm_gem_object_status loom_bo_gem_status(struct drm_gem_object *gem)
{
	return READ_ONCE(gem_to_loom_bo(gem)->resident) ? DRM_GEM_OBJECT_RESIDENT : 0;
}

static const struct drm_gem_object_funcs loom_bo_gem_funcs = {
	.free = loom_bo_gem_free,
	.pin = loom_bo_gem_pin,
	.unpin = loom_bo_gem_unpin,
	.get_sg_table = loom_bo_gem_sg_table,
	.vmap = drm_gem_ttm_vmap,
	.vunmap = drm_gem_ttm_vunmap,
	.mmap = drm_gem_ttm_mmap,
	.print_info = drm_gem_ttm_print_info,
	.status = loom_bo_gem_status,
};

static void loom_bo_destroy(struct ttm_buffer_object *tbo)
{
	struct loom_bo *bo = to_loom_bo(tbo);

	loom_quota_uncharge(to_loom_device(tbo->base.dev), bo->client, tbo->base.size);
	loom_file_put(bo->client);
	drm_gem_object_release(&tbo->base);
	kfree(bo);
}

/* A buffer of zeroes, not yet in its region; the caller has the only reference. */
static int loom_bo_create(struct loom_device *loom, const struct loom_shape *shape,
			  struct drm_file *file, struct loom_bo **out)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct loom_bo *bo;
	int ret;

	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return -ENOMEM;
	bo->shape = *shape;
	bo->owner = file->client_id;
	bo->client = file->driver_priv;
	ret = loom_quota_charge(loom, bo->client, PAGE_ALIGN(bo->shape.layout.size));
	if (ret) {
		kfree(bo);
		return ret;
	}
	loom_file_get(bo->client);
	bo->tbo.base.funcs = &loom_bo_gem_funcs;
	drm_gem_private_object_init(&loom->drm, &bo->tbo.base, PAGE_ALIGN(bo->shape.layout.size));
	/* frees it when it fails */
	ret = ttm_bo_init_reserved(&loom->ttm, &bo->tbo, ttm_bo_type_device, &loom_bo_system, 0,
				   &ctx, NULL, NULL, loom_bo_destroy);
	if (ret)
		return ret;
	/* pages are zeroed here, not under the lock that placing it takes */
	ret = ttm_tt_populate(&loom->ttm, bo->tbo.ttm, &ctx);
	ttm_bo_unreserve(&bo->tbo);
	if (ret) {
		drm_gem_object_put(&bo->tbo.base);
		return ret;
	}
	*out = bo;
	return 0;
}

/* Record why there is no room, for this call and for QUERY_NO_SPACE. */
static int loom_bo_no_space(struct loom_device *loom, const struct loom_shape *shape,
			    const struct drm_loom_bo_create *args, struct loom_file *client)
{
	struct drm_loom_no_space record;

	loom_region_no_space(&loom->region[args->region], shape, args->size, &record);
	mutex_lock(&client->no_space_lock);
	client->no_space = record;
	mutex_unlock(&client->no_space_lock);
	return loom_user_write(args->no_space, args->no_space_size, &record, sizeof(record)) ?:
	       -ENOSPC;
}

/**
 * loom_bo_ioctl_create() - BO_CREATE
 * @drm: the device
 * @data: &struct drm_loom_bo_create
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_bo_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_loom_bo_create *args = data;
	struct loom_shape shape;
	struct loom_bo *bo;
	u32 handle;
	int ret;

	ret = loom_shape_init(&shape, loom->topology, args);
	if (ret == -EOVERFLOW) {
		shape.layout.bytes_per_bank = U64_MAX;
		ret = -ENOSPC;
	}
	if (!ret && shape.layout.bytes_per_bank > loom_region_total(&loom->region[shape.region]))
		ret = -ENOSPC;
	if (ret == -ENOSPC)
		return loom_bo_no_space(loom, &shape, args, file->driver_priv);
	if (ret)
		return ret;
	ret = loom_bo_create(loom, &shape, file, &bo);
	if (ret)
		return ret;
	ret = loom_bo_place(bo);
	if (ret == -ENOSPC)
		ret = loom_bo_no_space(loom, &shape, args, file->driver_priv);
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

/**
 * loom_bo_ioctl_info() - BO_INFO
 * @drm: the device
 * @data: &struct drm_loom_bo_info
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_bo_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_bo_info *args = data;
	struct drm_gem_object *gem;
	struct loom_bo *bo;
	u64 address = 0;
	u32 flags = 0;
	int ret;

	if (args->pad)
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	bo = gem_to_loom_bo(gem);
	ret = dma_resv_lock_interruptible(gem->resv, NULL);
	if (ret)
		goto out_put;
	if (bo->resident)
		address = loom_region_address(bo->tbo.resource);
	else
		flags |= DRM_LOOM_BO_EVICTED;
	dma_resv_unlock(gem->resv);

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

/**
 * loom_bo_ioctl_wait() - BO_WAIT
 * @drm: the device
 * @data: &struct drm_loom_bo_wait
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_bo_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_bo_wait *args = data;
	struct drm_gem_object *gem;
	long ret;

	if (args->pad)
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	ret = dma_resv_wait_timeout(gem->resv, DMA_RESV_USAGE_BOOKKEEP, true,
				    drm_timeout_abs_to_jiffies(args->timeout_ns));
	drm_gem_object_put(gem);
	if (ret < 0)
		return ret;
	return ret ? 0 : -ETIME;
}
