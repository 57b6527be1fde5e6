// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-buf.h>
#include <linux/mm.h>

#include <drm/drm_gem_ttm_helper.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "view.h"
#include "window.h"

/**
 * DOC: Mappings
 *
 * To clients a buffer is linear (mmap()). System pages are mapped as they are; window.c maps local
 * memory.
 *
 * The kernel's own mapping of a buffer is created by the first job that uses it and kept until the
 * pages are freed (swapped out, or the buffer destroyed). Rejected: a mapping per job. It costs
 * more than a small job.
 */

/**
 * loom_view_gem_mmap() - a client maps a buffer
 * @gem: the buffer
 * @vma: the mapping; DRM holds a reference for it
 *
 * Return: 0; -EOPNOTSUPP for a buffer in local SRAM whose pages are no multiples of PAGE_SIZE;
 * -errno.
 */
int loom_view_gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret;

	if (!bo->dmabuf) {
		ret = loom_window_mmap(bo, vma);
		return ret ?: drm_gem_ttm_mmap(gem, vma);
	}
	/* TTM cannot handle faults of imported buffers. Not all exporters set these */
	vma->vm_private_data = NULL;
	vma->vm_ops = NULL;
	vm_flags_set(vma, VM_DONTEXPAND);
	ret = dma_buf_mmap(bo->dmabuf, vma, 0);
	if (!ret) /* the mapping has a reference to the dma-buf instead */
		drm_gem_object_put(gem);
	return ret;
}

/**
 * loom_view_gem_vmap() - map a buffer for the kernel of an importer
 * @gem: the buffer, reserved
 * @map: out
 *
 * Return: 0; -EOPNOTSUPP if it has no linear mapping for the kernel; -errno.
 */
int loom_view_gem_vmap(struct drm_gem_object *gem, struct iosys_map *map)
{
	const struct loom_bo *bo = gem_to_loom_bo(gem);

	if (loom_region_is_local(loom_bo_region(bo)) && !bo->exports)
		return -EOPNOTSUPP;
	return drm_gem_ttm_vmap(gem, map);
}

/* ------------------------------------------------------------- the kernel's */

/**
 * loom_bo_map_locked() - map a buffer for the kernel
 * @bo: the buffer, reserved
 *
 * Return: 0, and loom_bo.map is valid while the buffer is busy; -EOPNOTSUPP for I/O memory of an
 * exporter and for local memory; -errno.
 */
int loom_bo_map_locked(struct loom_bo *bo)
{
	int ret;

	dma_resv_assert_held(bo->tbo.base.resv);

	if (loom_region_is_local(loom_bo_region(bo)))
		return -EOPNOTSUPP;
	if (!iosys_map_is_null(&bo->map))
		return 0;
	if (!bo->dmabuf)
		return ttm_bo_vmap(&bo->tbo, &bo->map);
	ret = dma_buf_vmap(bo->dmabuf, &bo->map);
	if (!ret && bo->map.is_iomem) {
		dma_buf_vunmap(bo->dmabuf, &bo->map);
		ret = -EOPNOTSUPP;
	}
	if (ret)
		iosys_map_clear(&bo->map);
	return ret;
}
EXPORT_SYMBOL_NS_GPL(loom_bo_map_locked, LOOM_COMPAT_NS);

/**
 * loom_bo_unmap_locked() - undo loom_bo_map_locked(), before the pages are freed
 * @bo: the buffer, reserved, mapped or not
 */
void loom_bo_unmap_locked(struct loom_bo *bo)
{
	if (iosys_map_is_null(&bo->map))
		return;
	if (bo->dmabuf)
		dma_buf_vunmap(bo->dmabuf, &bo->map);
	else
		ttm_bo_vunmap(&bo->tbo, &bo->map);
	iosys_map_clear(&bo->map);
}
