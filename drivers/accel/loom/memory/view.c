// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-buf.h>
#include <linux/mm.h>

#include <drm/drm_gem_ttm_helper.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "seal.h"
#include "view.h"
#include "window.h"

/**
 * DOC: Mappings
 *
 * To clients a buffer is linear (mmap()). window.c maps system pages as they are, and local memory;
 * seal.c counts mappings that may write.
 */

/**
 * loom_view_gem_mmap() - a client maps a buffer
 * @gem: the buffer
 * @vma: the mapping; DRM holds a reference for it
 *
 * Return: 0; -EOPNOTSUPP for a buffer in local SRAM whose pages are no multiples of PAGE_SIZE;
 * -EPERM for a writable mapping of a sealed one; -errno.
 */
int loom_view_gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret = loom_window_mmap(bo, vma) ?: loom_seal_mmap(bo, vma);

	if (ret)
		return ret;
	ret = drm_gem_ttm_mmap(gem, vma);
	if (ret)
		loom_seal_munmap(bo, vma);
	return ret;
}

/**
 * loom_view_gem_vmap() - map a buffer for the kernel of an importer
 * @gem: the buffer, reserved
 * @map: out
 *
 * Return: 0; -EOPNOTSUPP if it has no linear mapping for the kernel; -EPERM if it is sealed,
 * because the importer may write; -errno.
 */
int loom_view_gem_vmap(struct drm_gem_object *gem, struct iosys_map *map)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret;

	if (loom_region_is_local(loom_bo_region(bo)) && !bo->exports)
		return -EOPNOTSUPP;
	ret = loom_seal_hold(bo);
	if (ret)
		return ret;
	ret = drm_gem_ttm_vmap(gem, map);
	if (ret)
		loom_seal_release(bo);
	return ret;
}

/**
 * loom_view_gem_vunmap() - undo loom_view_gem_vmap()
 * @gem: the buffer, reserved
 * @map: of it
 */
void loom_view_gem_vunmap(struct drm_gem_object *gem, struct iosys_map *map)
{
	drm_gem_ttm_vunmap(gem, map);
	loom_seal_release(gem_to_loom_bo(gem));
}
