// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-fence-chain.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <drm/gpu_scheduler.h>

#include "loom_device.h"
#include "loom_sync.h"
#include "loom_user.h"

/**
 * DOC: Synchronisation
 *
 * Explicit only: a job waits for the syncobjs that it names and signals those that it names, at a
 * point of their timeline if one is given. Waiting for a syncobj without a fence is EINVAL.
 *
 * All memory for signalling must be allocated beforehand, because it happens after the last step
 * that may fail.
 *
 * A fence of a job ends up in syncobjs of other processes and can outlive the job, the file and the
 * device, so it owns all its resources, its lock included, and pins the module. The scheduler's own
 * fences cannot do that: drm_sched_fence_get_timeline_name() follows a pointer to the scheduler,
 * which is freed with its context. So these must stay inside of the driver, and syncobjs and
 * buffers only get &struct loom_fence. One context is one timeline.
 *
 * The pinned module is the back end's, which depends on this one. Code of this module drops the
 * reference, because dma-buf's core has no owner for fences. So unloading a back end is safe;
 * unloading this module must wait until no thread is in the last instructions of that code: see
 * loom_fence_module_exit().
 */

struct loom_sync_point {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/* ----------------------------------------------------------------- fences */

static const char *loom_fence_driver_name(struct dma_fence *base)
{
	return "loom";
}

static const char *loom_fence_timeline_name(struct dma_fence *base)
{
	return "job";
}

static void loom_fence_release(struct dma_fence *base)
{
	struct module *owner = container_of(base, struct loom_fence, base)->owner;

	dma_fence_free(base);
	module_put(owner);
}

static const struct dma_fence_ops loom_fence_ops = {
	.get_driver_name = loom_fence_driver_name,
	.get_timeline_name = loom_fence_timeline_name,
	.release = loom_fence_release,
};

/* Allocate the fence of a job. Return: a fence that is not armed, or NULL. */
struct loom_fence *loom_fence_create(const struct loom_device *loom)
{
	/* @base must be first for dma_fence_free() */
	struct loom_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	BUILD_BUG_ON(offsetof(struct loom_fence, base));
	if (!fence)
		return NULL;
	fence->owner = loom->drm.driver->fops->owner;
	__module_get(fence->owner);
	fence->loom = loom;
	return fence;
}

/**
 * loom_fence_is_job() - whether a fence is that of a job
 * @loom: the device
 * @base: a fence, of a buffer for example
 *
 * Return: true if SUBMIT has added it for a job on this device.
 */
bool loom_fence_is_job(const struct loom_device *loom, const struct dma_fence *base)
{
	return base->ops == &loom_fence_ops &&
	       container_of(base, struct loom_fence, base)->loom == loom;
}

/**
 * loom_fence_arm() - initialise the fence of a job that is about to be queued
 * @fence: the fence, not armed
 * @timeline: of its context
 * @seqno: must be larger than those of earlier jobs
 */
void loom_fence_arm(struct loom_fence *fence, u64 timeline, u64 seqno)
{
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &loom_fence_ops, &fence->lock, timeline, seqno);
	fence->armed = true;
}

/**
 * loom_fence_put() - drop the reference of the owner
 * @fence: armed or not
 */
void loom_fence_put(struct loom_fence *fence)
{
	struct module *owner;

	if (fence->armed) {
		dma_fence_put(&fence->base);
		return;
	}
	owner = fence->owner;
	kfree(fence);
	module_put(owner);
}

/**
 * loom_fence_module_exit() - wait for threads in the last instructions of the module
 *
 * The module has no users, so each fence has dropped its reference. A thread may still be in
 * loom_fence_release() or loom_job_free(), between module_put() and the return to the caller,
 * preempted or with preemption off.
 */
void loom_fence_module_exit(void)
{
	synchronize_rcu_tasks();
	synchronize_rcu();
}

/* --------------------------------------------------------------- syncobjs */

static int loom_sync_copy(struct drm_file *file, struct drm_loom_sync *sync,
			  const struct drm_loom_array *syncs, u32 index)
{
	int ret = loom_user_array_read(sync, sizeof(*sync), syncs, index);

	if (ret)
		return loom_refuse(file->minor->dev, ret, "no syncobj %u at %#llx", index,
				   syncs->ptr);
	if (sync->flags)
		return loom_refuse(file->minor->dev, -EINVAL, "syncobj %u: flags %#x", index,
				   sync->flags);
	return 0;
}

/**
 * loom_sync_in() - add the dependencies of a job
 * @syncs: &struct drm_loom_sync
 * @file: the client
 * @job: the job, initialised, not armed
 *
 * Return: 0 or -errno.
 */
int loom_sync_in(const struct drm_loom_array *syncs, struct drm_file *file,
		 struct drm_sched_job *job)
{
	struct drm_loom_sync sync;
	struct dma_fence *fence;
	int ret;
	u32 i;

	for (i = 0; i < syncs->count; i++) {
		ret = loom_sync_copy(file, &sync, syncs, i);
		if (ret)
			return ret;
		ret = drm_syncobj_find_fence(file, sync.handle, sync.point, 0, &fence);
		if (ret)
			return loom_refuse(file->minor->dev, ret,
					   "no fence in syncobj %u, point %llu", sync.handle,
					   sync.point);
		/* not drm_sched_job_add_syncobj_dependency(): its points have 32 bits */
		ret = drm_sched_job_add_dependency(job, fence);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * loom_sync_out_init() - look up the syncobjs that a job will signal
 * @out: zeroed
 * @syncs: &struct drm_loom_sync
 * @file: the client
 *
 * Return: 0, or -errno with nothing left to undo.
 */
int loom_sync_out_init(struct loom_sync_out *out, const struct drm_loom_array *syncs,
		       struct drm_file *file)
{
	struct drm_loom_sync sync;
	int ret;

	if (!syncs->count)
		return 0;
	out->points = kvcalloc(syncs->count, sizeof(*out->points), GFP_KERNEL_ACCOUNT);
	if (!out->points)
		return -ENOMEM;
	while (out->count < syncs->count) {
		struct loom_sync_point *point = &out->points[out->count];

		ret = loom_sync_copy(file, &sync, syncs, out->count);
		if (ret)
			goto err_fini;
		point->syncobj = drm_syncobj_find(file, sync.handle);
		if (!point->syncobj) {
			ret = loom_refuse(file->minor->dev, -ENOENT, "no syncobj %u", sync.handle);
			goto err_fini;
		}
		out->count++;
		point->point = sync.point;
		if (!sync.point)
			continue;
		point->chain = dma_fence_chain_alloc();
		ret = -ENOMEM;
		if (!point->chain)
			goto err_fini;
	}
	return 0;

err_fini:
	loom_sync_out_fini(out);
	return ret;
}

/**
 * loom_sync_out_signal() - add the fence of a queued job to its syncobjs
 * @out: the syncobjs
 * @fence: of the job
 */
void loom_sync_out_signal(struct loom_sync_out *out, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < out->count; i++) {
		struct loom_sync_point *point = &out->points[i];

		if (point->chain)
			drm_syncobj_add_point(point->syncobj, point->chain, fence, point->point);
		else
			drm_syncobj_replace_fence(point->syncobj, fence);
		point->chain = NULL;
	}
}

/* Undo loom_sync_out_init(). */
void loom_sync_out_fini(struct loom_sync_out *out)
{
	while (out->count--) {
		struct loom_sync_point *point = &out->points[out->count];

		dma_fence_chain_free(point->chain);
		drm_syncobj_put(point->syncobj);
	}
	kvfree(out->points);
	*out = (struct loom_sync_out) {};
}
