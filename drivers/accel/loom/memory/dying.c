// SPDX-License-Identifier: GPL-2.0
#include <linux/sched/signal.h>

#include <drm/drm_drv.h>

#include "dying.h"
#include "loom_bo.h"
#include "loom_context.h"
#include "loom_device.h"

/*
 * Buffers in local SRAM without references, whose moves have not ended: a worker frees them after
 * that, because their addresses are in use until then.
 */

/* Return: whether freeing it waits for moves: an SRAM address is free after they have ended. */
static bool loom_dying_is_late(const struct loom_bo *bo)
{
	if (bo->shape.region != DRM_LOOM_REGION_SRAM || !loom_region_is_local(loom_bo_region(bo)))
		return false;
	return bo->resident && (kref_read(&bo->tbo.kref) > 1 ||
				!dma_resv_test_signaled(bo->tbo.base.resv, DMA_RESV_USAGE_KERNEL));
}

/*
 * One buffer per run, each with a reference to the device; a work item never runs twice at a time.
 */
static void loom_dying_work(struct work_struct *work)
{
	struct loom_device *loom = container_of(work, struct loom_device, dying.work);
	struct loom_bo *bo;
	bool more;

	do {
		spin_lock(&loom->dying.lock);
		bo = list_first_entry(&loom->dying.list, struct loom_bo, dying);
		list_del(&bo->dying);
		spin_unlock(&loom->dying.lock);
		loom->dying.free(bo);
		spin_lock(&loom->dying.lock);
		WRITE_ONCE(loom->dying.dead_count, loom->dying.dead_count + 1);
		more = loom->dying.dead_count != loom->dying.count;
		spin_unlock(&loom->dying.lock);
		wake_up_all(&loom->dying.dead);
		drm_dev_put(&loom->drm);
	} while (more);
}

/**
 * loom_dying_takes() - free a buffer after its moves, if it has to wait for them
 * @bo: the buffer, without references
 *
 * A process that closes a buffer waits until its space is free. A killed process does not wait, nor
 * does a thread that frees jobs.
 *
 * Return: false if the caller must free it.
 */
bool loom_dying_takes(struct loom_bo *bo)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	u64 count;
	bool idle;

	if (!loom_dying_is_late(bo))
		return false;
	drm_dev_get(&loom->drm);
	spin_lock(&loom->dying.lock);
	list_add_tail(&bo->dying, &loom->dying.list);
	idle = loom->dying.dead_count == loom->dying.count;
	count = ++loom->dying.count;
	spin_unlock(&loom->dying.lock);
	if (idle)
		loom_context_queue(&loom->dying.work);
	if (current->flags & (PF_KTHREAD | PF_EXITING))
		return true;
	/* a process that is killed meanwhile leaves it to the worker */
	wait_event_killable(loom->dying.dead, READ_ONCE(loom->dying.dead_count) >= count);
	return true;
}

/**
 * loom_dying_init() - initialise, without buffers
 * @loom: the device
 * @free: frees a buffer
 */
void loom_dying_init(struct loom_device *loom, void (*free)(struct loom_bo *bo))
{
	loom->dying.free = free;
	spin_lock_init(&loom->dying.lock);
	INIT_LIST_HEAD(&loom->dying.list);
	INIT_WORK(&loom->dying.work, loom_dying_work);
	init_waitqueue_head(&loom->dying.dead);
}
