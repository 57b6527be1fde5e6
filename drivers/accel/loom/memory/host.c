// SPDX-License-Identifier: GPL-2.0
/* Buffers of local memory in system pages. */
#include <drm/ttm/ttm_tt.h>

#include "host.h"
#include "loom_region.h"

/**
 * loom_bo_on_host() - whether a buffer has pages, or has them swapped out
 * @bo: the buffer, reserved, and not resident
 *
 * Return: false for a buffer that was never accessed.
 */
bool loom_bo_on_host(const struct loom_bo *bo)
{
	const struct ttm_tt *tt = bo->tbo.ttm;

	return tt && (ttm_tt_is_populated(bo->tbo.ttm) || tt->page_flags & TTM_TT_FLAG_SWAPPED);
}

/**
 * loom_bo_has_no_pages() - whether the bytes of a buffer are in local memory only, or all zero
 * @bo: the buffer, reserved
 *
 * Return: false where banks are addresses only.
 */
bool loom_bo_has_no_pages(const struct loom_bo *bo)
{
	return loom_region_is_local(loom_bo_region(bo)) && !loom_bo_on_host(bo);
}

/**
 * loom_bo_stays_on_host() - whether jobs access a buffer of local memory in system pages
 * @bo: the buffer, reserved
 *
 * Return: true for a shared buffer, see memory/share.c.
 */
bool loom_bo_stays_on_host(const struct loom_bo *bo)
{
	return loom_region_is_local(loom_bo_region(bo)) && (bo->dmabuf || bo->exports);
}
