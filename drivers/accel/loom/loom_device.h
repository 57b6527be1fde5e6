/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DEVICE_H
#define LOOM_DEVICE_H

#include <linux/mutex.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_device.h>

#include "core/loom_topology.h"
#include "loom_region.h"

struct loom_device;
struct loom_job;

/**
 * struct loom_backend - who runs the jobs
 *
 * The rest of the module knows a device by its topology and by these calls only.
 */
struct loom_backend {
	/** @name: for the log and for fdinfo */
	const char *name;
	/** @init: set up; what it takes is released with the DRM device */
	int (*init)(struct loom_device *loom);
	/** @quiesce: the device is unplugged: return when nothing runs any more */
	void (*quiesce)(struct loom_device *loom);
	/** @prepare: all that can fail for want of something; may sleep and allocate */
	int (*prepare)(struct loom_job *job);
	/**
	 * @run: start the job. Neither this nor what it starts may allocate, take a
	 * reservation lock or wait for a client, until it has called loom_job_end()
	 */
	void (*run)(struct loom_job *job);
	/** @cancel: a job that runs shall stop; return when loom_job_end() was called */
	void (*cancel)(struct loom_job *job);
	/** @release: undo @prepare */
	void (*release)(struct loom_job *job);
};

/**
 * struct loom_device - a Loom device
 *
 * Lives as long as anybody holds a reference to @drm: files, contexts (and with them
 * jobs), dma-bufs. Unplugging it only ends what it does.
 */
struct loom_device {
	/** @drm: base */
	struct drm_device drm;
	/** @topology: what it is made of, constant */
	const struct loom_topology *topology;
	/** @backend: who runs the jobs, constant */
	const struct loom_backend *backend;
	/** @backend_data: owned by @backend */
	void *backend_data;
	/** @ttm: placement of buffers in the regions */
	struct ttm_device ttm;
	/** @region: by &enum drm_loom_region */
	struct loom_region region[DRM_LOOM_REGION_COUNT];
	/** @sched: one job at a time */
	struct drm_gpu_scheduler sched;
	/** @timeout_wq: where jobs that take too long are stopped */
	struct workqueue_struct *timeout_wq;
	/**
	 * @place_lock: held where buffers are brought into a region, and in SUBMIT until
	 * the job is queued. Outside of reservation locks. See loom_job.c
	 */
	struct mutex place_lock;
	/** @bo_bytes: what its buffers take, see loom_quota.c */
	atomic64_t bo_bytes;
	/** @job_timeout_ms: a job that takes longer is ended, constant */
	u32 job_timeout_ms;
	/** @gone: jobs are to end with -ENODEV; set once, read with READ_ONCE() */
	bool gone;
};

static inline struct loom_device *to_loom_device(struct drm_device *drm)
{
	return container_of(drm, struct loom_device, drm);
}

/* Number of the node: what traces call dev. */
static inline u32 loom_device_index(const struct loom_device *loom)
{
	return loom->drm.accel->index;
}

int loom_device_check_params(void);
int loom_device_probe(struct device *dev, const struct loom_backend *backend);
void loom_device_remove(struct device *dev);

#endif /* LOOM_DEVICE_H */
