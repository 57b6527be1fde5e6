/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_COMPAT_H
#define LOOM_COMPAT_H

#include <linux/err.h>
#include <linux/module.h>

#include <drm/drm_drv.h>
#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>

#ifdef LOOM_HAVE_DMEM
#include <linux/cgroup_dmem.h>
#endif

/*
 * Differences between kernels, from 6.12 on. Stable trees take over interfaces from later releases,
 * so the Kbuild file tests the headers instead of the version, and defines LOOM_HAVE_*. In a kernel
 * tree this file must be removed; each #ifdef is replaced by the branch for the newer kernel.
 */

/* LOOM_COMPAT_NS: symbol namespace for back ends */
#ifdef LOOM_HAVE_NS_SYMBOL
#define LOOM_COMPAT_NS		LOOM
#define LOOM_COMPAT_NS_DMA_BUF	DMA_BUF
#define LOOM_COMPAT_NS_KUNIT	EXPORTED_FOR_KUNIT_TESTING
#else
#define LOOM_COMPAT_NS		"LOOM"
#define LOOM_COMPAT_NS_DMA_BUF	"DMA_BUF"
#define LOOM_COMPAT_NS_KUNIT	"EXPORTED_FOR_KUNIT_TESTING"
#endif

/* A member of struct drm_driver that older kernels warn about when it is not set. */
#ifdef LOOM_HAVE_DRIVER_DATE
#define LOOM_COMPAT_DRIVER_DATE	.date = "20251121",
#else
#define LOOM_COMPAT_DRIVER_DATE
#endif

#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
/* The first parameter of a generator of parameters of a KUnit test. */
#ifdef LOOM_HAVE_KUNIT_PARAM_TEST
#define LOOM_COMPAT_KUNIT_TEST	struct kunit *test,
#else
#define LOOM_COMPAT_KUNIT_TEST
#endif
#endif

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
/* Newer kernels print how much of a client's memory is active only where a driver knows. */
#ifdef LOOM_HAVE_GEM_ACTIVE
#define LOOM_COMPAT_GEM_STATUS	(DRM_GEM_OBJECT_RESIDENT | DRM_GEM_OBJECT_ACTIVE)
#else
#define LOOM_COMPAT_GEM_STATUS	DRM_GEM_OBJECT_RESIDENT
#endif
#endif

static inline int loom_compat_sched_init(struct drm_gpu_scheduler *sched,
					 const struct drm_sched_backend_ops *ops,
					 struct workqueue_struct *submit_wq,
					 struct workqueue_struct *timeout_wq, long timeout,
					 struct device *dev)
{
#ifdef LOOM_HAVE_SCHED_INIT_ARGS
	const struct drm_sched_init_args args = {
		.ops = ops,
		.submit_wq = submit_wq,
		.num_rqs = DRM_SCHED_PRIORITY_HIGH + 1,
		.credit_limit = 1,
		.timeout = timeout,
		.timeout_wq = timeout_wq,
		.name = "loom",
		.dev = dev,
	};

	return drm_sched_init(sched, &args);
#else
	return drm_sched_init(sched, ops, submit_wq, DRM_SCHED_PRIORITY_HIGH + 1, 1, 0, timeout,
			      timeout_wq, NULL, "loom", dev);
#endif
}

static inline int loom_compat_sched_job_init(struct drm_sched_job *job,
					     struct drm_sched_entity *entity, u64 client)
{
#ifdef LOOM_HAVE_SCHED_JOB_CLIENT
	return drm_sched_job_init(job, entity, 1, NULL, client);
#else
	return drm_sched_job_init(job, entity, 1, NULL);
#endif
}

/*
 * The scheduler has removed a job from its list to call timedout_job(). Put it back, otherwise it
 * is never freed. Must be called before the scheduler is started again. Returns the value for
 * timedout_job(). Newer kernels put it back themselves.
 */
static inline enum drm_gpu_sched_stat loom_compat_sched_keep(struct drm_sched_job *job)
{
#ifdef LOOM_HAVE_SCHED_NO_HANG
	return DRM_GPU_SCHED_STAT_NO_HANG;
#else
	struct drm_gpu_scheduler *sched = job->sched;

	spin_lock(&sched->job_list_lock);
	list_add(&job->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
	return DRM_GPU_SCHED_STAT_NOMINAL;
#endif
}

static inline int loom_compat_ttm_device_init(struct ttm_device *ttm,
					      const struct ttm_device_funcs *funcs,
					      struct drm_device *drm)
{
#ifdef LOOM_HAVE_TTM_ALLOC_FLAGS
	/* ttm_bo_validate() returns ENOSPC itself; see loom_bo_validate_locked() */
	return ttm_device_init(ttm, funcs, drm->dev, drm->anon_inode->i_mapping,
			       drm->vma_offset_manager, TTM_ALLOCATION_PROPAGATE_ENOSPC);
#else
	return ttm_device_init(ttm, (struct ttm_device_funcs *)funcs, drm->dev,
			       drm->anon_inode->i_mapping, drm->vma_offset_manager, false, false);
#endif
}

#ifdef LOOM_HAVE_TTM_BO_FINI
#define loom_compat_ttm_bo_fini	ttm_bo_fini
#else
#define loom_compat_ttm_bo_fini	ttm_bo_put
#endif

/* Allocate or swap in the pages of a buffer, which must be reserved. */
static inline int loom_compat_ttm_populate(struct ttm_buffer_object *tbo,
					   struct ttm_operation_ctx *ctx)
{
#ifdef LOOM_HAVE_TTM_BO_POPULATE
	return ttm_bo_populate(tbo, ctx);
#else
	return ttm_tt_populate(tbo->bdev, tbo->ttm, ctx);
#endif
}

/*
 * Make control groups (dmem) account for the buffers of a region, until @drm is released. @manager
 * must have its size.
 */
static inline int loom_compat_dmem_register(struct drm_device *drm,
					    struct ttm_resource_manager *manager, const char *name)
{
#ifdef LOOM_HAVE_DMEM
	static const struct dmem_cgroup_ops ops = {
		.reclaim = ttm_resource_manager_dmem_reclaim,
	};
	const struct dmem_cgroup_init init = {
		.size = manager->size,
		.ops = &ops,
		.reclaim_priv = manager,
	};
	struct dmem_cgroup_region *region = drmm_cgroup_register_region(drm, name, &init);

	if (IS_ERR(region))
		return PTR_ERR(region);
	ttm_resource_manager_set_dmem_region(manager, region);
#endif
	return 0;
}

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
/* Whether a control group protects the resource from eviction (dmem.min). */
static inline bool loom_compat_dmem_protected(const struct ttm_resource *resource)
{
#ifdef LOOM_HAVE_DMEM
	struct dmem_cgroup_pool_state *pool = READ_ONCE(resource->css);
	bool low;

	return pool && !dmem_cgroup_state_evict_valuable(NULL, pool, true, &low);
#else
	return false;
#endif
}
#endif

#endif /* LOOM_COMPAT_H */
