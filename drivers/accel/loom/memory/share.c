// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_prime.h>
#include <drm/ttm/ttm_tt.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_user.h"
#include "seal.h"
#include "share.h"

/**
 * DOC: Sharing
 *
 * The bytes of a buffer that another device has imported must be in system pages, which both
 * devices can access. Without local memory they already are: the pages stay, and are not swapped
 * out. With local memory a move evicts the buffer when the first importer attaches, and the first
 * job after the last one has detached brings it back. In between it has no address and takes no
 * space in the region, and jobs of its own device access it by DMA
 * (&loom_device_config.host_slots), like an imported buffer.
 *
 * Jobs on both sides add their fences to the reservation of the buffer. These are for moves and
 * BO_WAIT; clients must order jobs by syncobjs, which can be shared between devices as well.
 *
 * An imported buffer is mapped for the device from the import until it is destroyed. Unplugging
 * must undo these mappings at once, because the IOMMU tables do not belong to the device any more
 * (loom_share_end_all()). The attachments stay until the buffers are destroyed, because DRM follows
 * them when a buffer is exported again.
 *
 * An import may wait for the exporter's fences, so it must not be inside of drm_dev_enter(). It
 * holds &loom_device.imports_gate instead, for which only the unplugging of this device waits.
 *
 * Rejected: moving such a buffer to local memory for its own jobs and back for those of others. Two
 * devices that use it in turn would copy all of it twice each time, and a pinned buffer must not
 * move. Rejected: importing by a copy to local memory of the importer. It would be copied for each
 * job, because writes by others are not reported.
 *
 * Rejected for now: leaving it in local memory with addresses of the BAR for importers (peer to
 * peer). They must be notified when it moves, and when the device is reset or unplugged, so both
 * sides must be dynamic, and the kernel must allow it for the two devices:
 * CONFIG_DMABUF_MOVE_NOTIFY and CONFIG_PCI_P2PDMA, which distributions do not set (Debian's 6.12
 * has neither). Without them DRM pins the buffer, and a client could take all local memory.
 */

/*
 * Move a buffer to system pages. Its moves are waited for, because importers may not wait for
 * fences when they pin it.
 */
static int loom_share_to_host(struct loom_bo *bo)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	long ret;

	if (!loom->config.host_slots || bo->shape.region == DRM_LOOM_REGION_SRAM)
		return loom_refuse(&loom->drm, -EOPNOTSUPP, "export: memory of the device's own");
	ret = ttm_bo_validate(&bo->tbo, &loom_bo_system, &ctx);
	if (!ret)
		ret = loom_compat_ttm_populate(&bo->tbo, &ctx);
	if (ret)
		return ret;
	ret = dma_resv_wait_timeout(bo->tbo.base.resv, DMA_RESV_USAGE_KERNEL, true,
				    MAX_SCHEDULE_TIMEOUT);
	return min(ret, 0);
}

/**
 * loom_share_gem_pin() - pin a buffer for an importer
 * @gem: the buffer, reserved
 *
 * Importers may use the pages for a long time, so these stay. The address in the DRAM is not kept:
 * otherwise a client could take the DRAM from all others.
 *
 * Return: 0; -EOPNOTSUPP if it must stay in local memory; -EPERM if it is sealed, because importers
 * may write; -errno.
 */
int loom_share_gem_pin(struct drm_gem_object *gem)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret = 0;

	if (loom_bo_is_sealed(bo))
		return loom_refuse(gem->dev, -EPERM, "export: the buffer is sealed");
	if (!loom_region_is_local(loom_bo_region(bo)))
		ret = loom_bo_populate_locked(bo);
	else if (!bo->exports)
		ret = loom_share_to_host(bo);
	if (!ret)
		bo->exports++;
	return ret;
}

/**
 * loom_share_gem_unpin() - undo loom_share_gem_pin()
 * @gem: the buffer, reserved
 */
void loom_share_gem_unpin(struct drm_gem_object *gem)
{
	gem_to_loom_bo(gem)->exports--;
}

/**
 * loom_share_gem_sg_table() - get the pages of a buffer
 * @gem: the buffer, pinned
 *
 * Return: the table, or ERR_PTR(-errno).
 */
struct sg_table *loom_share_gem_sg_table(struct drm_gem_object *gem)
{
	struct ttm_tt *tt = gem_to_loom_bo(gem)->tbo.ttm;

	return drm_prime_pages_to_sg(gem->dev, tt->pages, tt->num_pages);
}

/* ----------------------------------------------------------------- imports */

/**
 * loom_share_import() - import a dma-buf of another device
 * @drm: the device
 * @dmabuf: the dma-buf
 *
 * Return: a buffer, or ERR_PTR(-errno).
 */
struct drm_gem_object *loom_share_import(struct drm_device *drm, struct dma_buf *dmabuf)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_gem_object *gem = ERR_PTR(-ENODEV);

	if (down_read_killable(&loom->imports_gate))
		return ERR_PTR(-EINTR);
	if (!READ_ONCE(loom->unplugged))
		gem = drm_gem_prime_import(drm, dmabuf);
	/* otherwise it is a buffer of this device */
	if (!IS_ERR(gem) && gem->import_attach) {
		mutex_lock(&loom->imports_lock);
		if (list_empty(&gem_to_loom_bo(gem)->import_node))
			list_add(&gem_to_loom_bo(gem)->import_node, &loom->imports);
		mutex_unlock(&loom->imports_lock);
	}
	up_read(&loom->imports_gate);
	return gem;
}

/* Undo the import of a buffer that is being destroyed. Return: false if it is not imported. */
bool loom_share_detach(struct loom_bo *bo)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);

	if (!bo->dmabuf)
		return false;
	mutex_lock(&loom->imports_lock);
	list_del_init(&bo->import_node);
	/* DRM sets it when the import has succeeded; mapped unless the device is unplugged */
	if (bo->tbo.base.import_attach)
		drm_prime_gem_destroy(&bo->tbo.base, bo->tbo.sg);
	mutex_unlock(&loom->imports_lock);
	dma_buf_put(bo->dmabuf);
	return true;
}

/**
 * loom_share_end_all() - wait for all moves, and unmap all imported buffers
 * @loom: the device, which must be unplugged, without jobs
 *
 * A device that is the processor has no mappings.
 */
void loom_share_end_all(struct loom_device *loom)
{
	struct loom_bo *bo, *next;

	loom_moves_drain(loom);
	if (!loom->config.host_slots)
		return;
	down_write(&loom->imports_gate);
	mutex_lock(&loom->imports_lock);
	list_for_each_entry_safe(bo, next, &loom->imports, import_node) {
		list_del_init(&bo->import_node);
		dma_buf_unmap_attachment_unlocked(bo->tbo.base.import_attach, bo->tbo.sg,
						  DMA_BIDIRECTIONAL);
		bo->tbo.sg = NULL;
	}
	mutex_unlock(&loom->imports_lock);
	up_write(&loom->imports_gate);
}
