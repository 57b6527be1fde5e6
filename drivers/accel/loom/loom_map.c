// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-buf.h>

#include "backend/backend.h"
#include "loom_compat.h"
#include "loom_job.h"
#include "loom_map.h"

/**
 * DOC: Mappings for the processor
 *
 * The kernel's own mapping of a buffer is created by the first job that uses it and kept until the
 * pages are freed (swapped out, or the buffer destroyed). Rejected: a mapping per job. It costs
 * more than a small job.
 */

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
 * loom_map_end_locked() - undo loom_bo_map_locked(), before the pages are freed
 * @tbo: the buffer of TTM's, reserved, mapped or not
 */
void loom_map_end_locked(struct ttm_buffer_object *tbo)
{
	struct loom_bo *bo = to_loom_bo(tbo);

	if (!loom_bo_is_ours(tbo) || iosys_map_is_null(&bo->map))
		return;
	if (bo->dmabuf)
		dma_buf_vunmap(bo->dmabuf, &bo->map);
	else
		ttm_bo_vunmap(tbo, &bo->map);
	iosys_map_clear(&bo->map);
}

/**
 * loom_job_slot_map() - map the buffer of a slot for the processor
 * @job: the job, in &loom_backend.job_emit
 * @slot: the slot, less than loom_job_slot_count()
 * @map: out: first byte of the buffer, valid until the job has ended
 *
 * Return: 0; -EOPNOTSUPP for local memory, and for I/O memory of an exporter; -errno.
 */
int loom_job_slot_map(const struct loom_job *job, u32 slot, struct iosys_map *map)
{
	struct loom_bo *bo = job->slots[slot].bo;
	int ret = loom_bo_map_locked(bo);

	if (!ret)
		*map = bo->map;
	return ret;
}
EXPORT_SYMBOL_NS_GPL(loom_job_slot_map, LOOM_COMPAT_NS);
