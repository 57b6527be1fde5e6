/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SYNC_H
#define LOOM_SYNC_H

#include <linux/dma-fence.h>
#include <linux/spinlock.h>

#include <drm/loom_accel.h>

struct drm_file;
struct drm_sched_job;
struct loom_device;
struct module;
struct loom_sync_point;

/**
 * struct loom_fence - fence of a job or move
 */
struct loom_fence {
	/** @base: base */
	struct dma_fence base;
	/** @lock: lock of @base */
	spinlock_t lock;
	/** @loom: of the job; must only be compared, because it may have been freed */
	const struct loom_device *loom;
	/** @owner: the back end's module, with a reference */
	struct module *owner;
	/** @armed: @base is initialised; before, only the owner has it */
	bool armed;
};

/**
 * struct loom_sync_out - syncobjs that a job will signal
 */
struct loom_sync_out {
	/** @count: number of @points */
	u32 count;
	/** @points: syncobjs and their points */
	struct loom_sync_point *points;
};

struct loom_fence *loom_fence_create(const struct loom_device *loom);
bool loom_fence_is_job(const struct loom_device *loom, const struct dma_fence *base);
void loom_fence_arm(struct loom_fence *fence, u64 timeline, u64 seqno);
void loom_fence_put(struct loom_fence *fence);
void loom_fence_module_exit(void);

int loom_sync_in(const struct drm_loom_array *syncs, struct drm_file *file,
		 struct drm_sched_job *job);
int loom_sync_out_init(struct loom_sync_out *out, const struct drm_loom_array *syncs,
		       struct drm_file *file);
void loom_sync_out_signal(struct loom_sync_out *out, struct dma_fence *fence);
void loom_sync_out_fini(struct loom_sync_out *out);

#endif /* LOOM_SYNC_H */
