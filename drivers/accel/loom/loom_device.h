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
 * DOC: Who owns what
 *
 * &struct loom_device is what all files know; each of them adds one thing that the device does. A
 * file calls only those that stand below it in this list, and is told by them through a return
 * value, or by TTM, the scheduler and DRM through the function tables that it has given to them:
 *
 * ==============  =============================================================================
 * module          loading: registers the back ends
 * soft/           a back end: finds or makes devices, and runs jobs
 * device          assembles a device when it is probed, and ends it when it is unplugged
 * drv             the node: tables of ioctls and file operations; open and close
 * debugfs         which memory, plans and jobs all clients have, for root
 * query, fdinfo   what a client can ask; what /proc/PID/fdinfo says of a client
 * submit          makes a job out of a plan and buffers, and queues it
 * job, ttm        what the scheduler calls to run jobs; what TTM calls to place buffers
 * bo              buffers
 * plan_object     plans that were proved safe, and the buffers that their scratch conflicts with
 * context, quota  queues of jobs; caps on bytes
 * region          which addresses of the banks are taken, and the scratch at their bottom
 * shape, file     how a buffer is dealt out over banks; the ids and the account of an open node
 * sync, user      syncobjs and fences; structures in a client's memory
 * port, trace     what core/ asks of a kernel; tracepoints
 * ==============  =============================================================================
 *
 * Owning is by reference, and goes one way:
 *
 * * The device owns its regions, the scheduler and the state of its back end. It is released with
 *   the last reference to &loom_device.drm, which files, contexts and dma-bufs hold.
 * * An open node (&struct loom_file) owns the ids of its contexts and plans, and no more: when it
 *   is closed the ids are dropped, and contexts and plans live on while jobs use them. It is also
 *   the account that contexts and buffers are charged to, so these hold a reference to it.
 * * A context owns its entity in the scheduler, and holds the device and the file.
 * * A job holds its context, plan and buffers until it has ended; nobody holds a job but the
 *   scheduler.
 * * A buffer owns its block of the region while it is resident. A region knows blocks and not
 *   buffers.
 *
 * Order of locks, outermost first:
 *
 * 1. &loom_device.place_lock;
 * 2. reservation locks of buffers (with an acquire context if it is more than one);
 * 3. &loom_region.lock, in which nothing is allocated: the end of a job takes it before its fence
 *    signals;
 * 4. spinlocks: &loom_context.lock, and those of TTM, the scheduler and DRM.
 *
 * Aside of these: drm_device.filelist_mutex, then the locks of a file's tables (debugfs); and
 * &loom_file.no_space_lock, in which nothing else is taken.
 */

/**
 * struct loom_backend - who runs the jobs
 *
 * The rest of the module knows of a back end only the topology of its device and these calls.
 */
struct loom_backend {
	/** @name: for the log and for fdinfo */
	const char *name;
	/** @init: set up; what it takes is released with the DRM device */
	int (*init)(struct loom_device *loom);
	/** @quiesce: the device was unplugged: return when no job runs any more */
	void (*quiesce)(struct loom_device *loom);
	/** @prepare: allocate all that the job will need, before it is queued; may sleep */
	int (*prepare)(struct loom_job *job);
	/**
	 * @run: start the job. Neither this nor what it starts may allocate, take a
	 * reservation lock or wait for a client, until it has called loom_job_end()
	 */
	void (*run)(struct loom_job *job);
	/** @cancel: stop a job that runs; return when loom_job_end() was called */
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
	 * the job is queued. Outside of reservation locks. See loom_submit.c
	 */
	struct mutex place_lock;
	/** @bo_bytes: bytes of all its buffers, see loom_quota.c */
	atomic64_t bo_bytes;
	/** @job_timeout_ms: a job that takes longer is ended, constant */
	u32 job_timeout_ms;
	/** @unplugged: jobs are to end with -ENODEV; set once, read with READ_ONCE() */
	bool unplugged;
};

static inline struct loom_device *to_loom_device(struct drm_device *drm)
{
	return container_of(drm, struct loom_device, drm);
}

/* Number of the node, which traces call dev. */
static inline u32 loom_device_index(const struct loom_device *loom)
{
	return loom->drm.accel->index;
}

int loom_device_check_params(void);
int loom_device_probe(struct device *dev, const struct loom_backend *backend);
void loom_device_remove(struct device *dev);

#endif /* LOOM_DEVICE_H */
