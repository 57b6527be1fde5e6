// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-buf.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_gem_ttm_helper.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_user.h"
#include "memory/share.h"
#include "memory/view.h"

/**
 * DOC: Buffers of other drivers
 *
 * Buffers of other drivers can be imported (PRIME) and bound to slots in the DRAM. To jobs such a
 * buffer is like an exported one: it gets an address at SUBMIT, loses it when others need the
 * space, and its bytes stay in the exporter's memory. (With local memory it has no address, see
 * memory/share.c.) It is not charged to anybody and has no owner: the pages are the exporter's, and
 * DRM does not tell which file imports. It takes no memory of the host except a page directory, and
 * its address can always be taken by others. The driver's jobs reach the bytes through the
 * exporter's mapping for the kernel, and clients through its mapping for processes. Its reservation
 * is the exporter's, with fences of both drivers. Jobs wait for the exporter's kernel fences, such
 * as moves; clients must wait for its jobs by syncobjs, as for those of this driver.
 *
 * The soft device is the processor, so the exporter's memory must be coherent with it:
 * dma_buf_begin_cpu_access() takes the reservation lock, and a job must not.
 */

static void loom_import_gem_free(struct drm_gem_object *gem)
{
	/* the caller may hold the reservation, which is the exporter's */
	loom_compat_ttm_bo_fini(&gem_to_loom_bo(gem)->tbo);
}

/* TTM cannot handle faults of imported buffers. */
static int loom_import_gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	int ret;

	/* not all exporters set these */
	vma->vm_private_data = NULL;
	vma->vm_ops = NULL;
	vm_flags_set(vma, VM_DONTEXPAND);
	ret = dma_buf_mmap(gem_to_loom_bo(gem)->dmabuf, vma, 0);
	if (!ret) /* the mapping has a reference to the dma-buf instead */
		drm_gem_object_put(gem);
	return ret;
}

static const struct drm_gem_object_funcs loom_import_gem_funcs = {
	.free = loom_import_gem_free,
	.pin = loom_share_gem_pin,
	.unpin = loom_share_gem_unpin,
	.get_sg_table = loom_share_gem_sg_table,
	.vmap = loom_view_gem_vmap,
	.vunmap = loom_view_gem_vunmap,
	.mmap = loom_import_gem_mmap,
	.print_info = drm_gem_ttm_print_info,
	.status = loom_bo_gem_status,
};

/**
 * loom_bo_import() - create a buffer for the pages of another driver
 * @drm: the device
 * @attach: to the dma-buf
 * @sg: its pages; on success this driver must unmap them
 *
 * It is interleaved over all banks of the DRAM and has no address yet.
 *
 * Return: the buffer; ERR_PTR(-ENOSPC) if the DRAM is smaller than that; ERR_PTR(-errno).
 */
struct drm_gem_object *loom_bo_import(struct drm_device *drm, struct dma_buf_attachment *attach,
				      struct sg_table *sg)
{
	struct drm_loom_bo_create args = {
		.size = attach->dmabuf->size,
		.region = DRM_LOOM_REGION_DRAM,
		.layout = DRM_LOOM_LAYOUT_INTERLEAVED,
	};
	struct loom_device *loom = to_loom_device(drm);
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	struct dma_resv *resv = attach->dmabuf->resv;
	struct loom_bo *bo;
	int ret;

	if (loom_region_is_local(&loom->region[DRM_LOOM_REGION_DRAM]) && !loom->config.host_slots)
		return ERR_PTR(loom_refuse(drm, -EOPNOTSUPP,
					   "import: jobs reach the device's own memory only"));
	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	ret = loom_shape_init(&bo->shape, drm, loom->chip, &args);
	if (!ret && bo->shape.layout.bytes_per_bank >
		    loom_region_total(&loom->region[DRM_LOOM_REGION_DRAM]))
		ret = -ENOSPC;
	if (!ret && !PAGE_ALIGNED(args.size))
		ret = loom_refuse(drm, -EINVAL, "import: %llu bytes", args.size);
	if (!ret)
		ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret) {
		kfree(bo);
		return ERR_PTR(ret);
	}
	loom_bo_init(bo);
	/*
	 * a reference of its own: TTM may free the buffer after DRM has dropped that of the
	 * attachment
	 */
	bo->dmabuf = attach->dmabuf;
	get_dma_buf(bo->dmabuf);
	bo->tbo.base.funcs = &loom_import_gem_funcs;
	drm_gem_private_object_init(drm, &bo->tbo.base, args.size);
	/* frees it when it fails */
	ret = ttm_bo_init_reserved(&loom->ttm, &bo->tbo, ttm_bo_type_sg, &loom_bo_system, 0,
				   &ctx, sg, resv, loom_bo_destroy);
	dma_resv_unlock(resv);
	return ret ? ERR_PTR(ret) : &bo->tbo.base;
}
