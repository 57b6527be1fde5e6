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
#include "share.h"

/**
 * DOC: Sharing
 *
 * A buffer that another device has imported has its bytes where both reach them: in system pages.
 * Where the region's buffers are there anyway that is all there is to it: the pages stay, and are
 * not swapped out. In a region that is memory of the device's own the buffer leaves it when the
 * first importer comes, by a move like any other, and is back with the first job after the last one
 * has gone. In between it has no address, takes nothing of the region, and jobs of its own device
 * reach it there by DMA (&loom_device_config.host_slots), as they do buffers that were imported.
 *
 * Jobs on both sides put their fences into the one reservation that the buffer has. These are for
 * moves and BO_WAIT; the order between jobs is the clients', by syncobjs, which go from device to
 * device as well.
 *
 * An imported buffer is mapped for the device from the import on until the buffer is destroyed. A
 * device that is unplugged loses these mappings at once, as they would refer to an IOMMU's tables
 * that are not its own any more (loom_share_end_all()). The attachments stay until the buffers are
 * destroyed, because the core follows them when a buffer is exported again.
 *
 * An import may wait for the exporter's fences, so it holds &loom_device.imports_gate, for which
 * this device's unplugging alone waits, and not drm_dev_enter().
 *
 * Rejected: to move such a buffer to the device's memory for its own jobs and back for those of
 * others. Two devices that work on it in turn would copy all of it twice each time, and who has
 * pinned it must not see it move. Rejected: to import by copying to memory of the importer's own.
 * It would be copied for each job, as nobody tells who has written to it meanwhile.
 *
 * Rejected for now: to leave it where it is and give importers addresses of the BAR (peer to peer).
 * They must be told when it moves, and when the device is reset or goes, so both sides must be
 * dynamic, and the kernel must allow it for the two devices: CONFIG_DMABUF_MOVE_NOTIFY and
 * CONFIG_PCI_P2PDMA, which distributions leave out (Debian's 6.12 has neither). Without them core
 * pins the buffer, and a client could take the device's memory from all others.
 */

/* It stays on the host from now on. Who pins it may not wait for fences, so moves end here. */
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
 * loom_share_gem_pin() - somebody imports a buffer
 * @gem: the buffer, reserved
 *
 * Importers may hold the pages for long, so these stay. An address in the DRAM means nothing to
 * them: to keep it would let a client take the DRAM from all others.
 *
 * Return: 0; -EOPNOTSUPP: it is in memory of the device's own, and cannot be elsewhere; -errno.
 */
int loom_share_gem_pin(struct drm_gem_object *gem)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret = 0;

	if (!loom_bo_region(bo)->own)
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
 * loom_share_gem_sg_table() - the pages of a buffer
 * @gem: the buffer, pinned
 *
 * Return: them, or ERR_PTR(-errno).
 */
struct sg_table *loom_share_gem_sg_table(struct drm_gem_object *gem)
{
	struct ttm_tt *tt = gem_to_loom_bo(gem)->tbo.ttm;

	return drm_prime_pages_to_sg(gem->dev, tt->pages, tt->num_pages);
}

/* ----------------------------------------------------------------- imports */

/**
 * loom_share_import() - a client has the dma-buf of another device
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
	/* else it is one of this device */
	if (!IS_ERR(gem) && gem->import_attach) {
		mutex_lock(&loom->imports_lock);
		if (list_empty(&gem_to_loom_bo(gem)->import_node))
			list_add(&gem_to_loom_bo(gem)->import_node, &loom->imports);
		mutex_unlock(&loom->imports_lock);
	}
	up_read(&loom->imports_gate);
	return gem;
}

/**
 * loom_share_detach() - a buffer that was imported is destroyed
 * @bo: the buffer
 */
void loom_share_detach(struct loom_bo *bo)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);

	mutex_lock(&loom->imports_lock);
	list_del_init(&bo->import_node);
	/* core sets it when the import has succeeded; mapped unless the device is unplugged */
	if (bo->tbo.base.import_attach)
		drm_prime_gem_destroy(&bo->tbo.base, bo->tbo.sg);
	mutex_unlock(&loom->imports_lock);
}

/**
 * loom_share_end_all() - nothing of others is mapped for the device any more
 * @loom: the device, unplugged; all its jobs have ended
 *
 * Where the device is the processor nothing is mapped for it.
 */
void loom_share_end_all(struct loom_device *loom)
{
	struct loom_bo *bo, *next;

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
