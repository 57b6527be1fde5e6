// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-fence-chain.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>
#include <drm/gpu_scheduler.h>

#include "loom_sync.h"

/**
 * DOC: Synchronisation
 *
 * Explicit only: a job waits for the syncobjs it names and signals those it names, and
 * a point makes one a timeline. A syncobj without a fence to wait for is a
 * mistake of the client, not a reason to wait: EINVAL.
 *
 * What signalling needs is allocated beforehand, because it happens where nothing
 * can fail any more.
 */

/* Elements may grow, but not without bound. */
#define LOOM_ARRAY_MAX_STRIDE	4096

struct loom_sync_point {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/**
 * loom_array_check() - whether an array of a client can be read
 * @array: the array
 * @min_stride: bytes of an element's first version
 * @max_count: cap on its elements
 *
 * Return: 0, -E2BIG or -EINVAL.
 */
int loom_array_check(const struct drm_loom_array *array, u32 min_stride, u32 max_count)
{
	if (array->count > max_count)
		return -E2BIG;
	if (array->count && (array->stride < min_stride || array->stride > LOOM_ARRAY_MAX_STRIDE))
		return -EINVAL;
	return 0;
}

/**
 * loom_array_copy() - read an element of a client's array
 * @element: out
 * @size: bytes of @element; what the client's stride has beyond must be zero
 * @array: the array, checked
 * @index: below its count
 *
 * Return: 0, -EFAULT, or -E2BIG.
 */
int loom_array_copy(void *element, u32 size, const struct drm_loom_array *array, u32 index)
{
	return copy_struct_from_user(element, size,
				     u64_to_user_ptr(array->ptr) + (u64)index * array->stride,
				     array->stride);
}

static int loom_sync_copy(struct drm_loom_sync *sync, const struct drm_loom_array *syncs,
			  u32 index)
{
	int ret = loom_array_copy(sync, sizeof(*sync), syncs, index);

	if (ret)
		return ret;
	return sync->flags ? -EINVAL : 0;
}

/**
 * loom_sync_in() - make a job wait
 * @syncs: &struct drm_loom_sync
 * @file: the client
 * @job: initialised, not armed
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
		ret = loom_sync_copy(&sync, syncs, i);
		if (ret)
			return ret;
		ret = drm_syncobj_find_fence(file, sync.handle, sync.point, 0, &fence);
		if (ret)
			return ret;
		/* not drm_sched_job_add_syncobj_dependency(): its points have 32 bits */
		ret = drm_sched_job_add_dependency(job, fence);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * loom_sync_out_init() - look up what a job will signal
 * @out: zeroed
 * @syncs: &struct drm_loom_sync
 * @file: the client
 *
 * Return: 0, or -errno and nothing is left to undo.
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

		ret = loom_sync_copy(&sync, syncs, out->count);
		if (ret)
			goto err_fini;
		point->syncobj = drm_syncobj_find(file, sync.handle);
		ret = -ENOENT;
		if (!point->syncobj)
			goto err_fini;
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
 * loom_sync_out_signal() - the job is queued: give its fence to the syncobjs
 * @out: what it signals
 * @fence: when it has ended
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

/**
 * loom_sync_out_fini() - undo loom_sync_out_init()
 * @out: what would be, or was, signalled
 */
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
