/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_COMPAT_H
#define LOOM_COMPAT_H

#include <drm/gpu_scheduler.h>

/*
 * What differs between kernels that call themselves 6.12. Stable trees take over
 * interfaces from later releases, so the Kbuild file looks into the headers
 * instead of at the version.
 */

static inline int loom_compat_sched_init(struct drm_gpu_scheduler *sched,
					 const struct drm_sched_backend_ops *ops,
					 struct workqueue_struct *timeout_wq, long timeout,
					 struct device *dev)
{
#ifdef LOOM_HAVE_SCHED_INIT_ARGS
	const struct drm_sched_init_args args = {
		.ops = ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = 1,
		.timeout = timeout,
		.timeout_wq = timeout_wq,
		.name = "loom",
		.dev = dev,
	};

	return drm_sched_init(sched, &args);
#else
	return drm_sched_init(sched, ops, NULL, DRM_SCHED_PRIORITY_COUNT, 1, 0, timeout,
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

#endif /* LOOM_COMPAT_H */
