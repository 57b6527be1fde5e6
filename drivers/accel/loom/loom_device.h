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
 * compat, uapi    what differs between kernels; proof that the UAPI structures are unchanged
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
 * Aside of these, never together with a lock of 1 to 3:
 *
 * * in debugfs: drm_device.filelist_mutex, then the locks of a file's tables, then
 *   &loom_context.lock;
 * * &loom_file.no_space_lock;
 * * loom_soft.lock, in which memory is allocated (GFP_KERNEL): SUBMIT takes it to prepare a job,
 *   before it takes &loom_device.place_lock. No job takes it on its way to its end.
 */

/**
 * struct loom_backend - who runs the jobs
 *
 * The rest of the module knows of a back end only these calls. What a device is made of is not
 * among them: &loom_device.topology is the preset that a module parameter names, set before @init.
 *
 * What a back end calls while it runs a job:
 *
 * * loom_job_stop_reason() before it starts, and then often enough to stop soon: if that is not 0,
 *   it ends the job with that error;
 * * loom_job_busy() from time to time, with the time that the engine has worked on it since;
 * * loom_job_end() exactly once, from a thread that may sleep (not from an interrupt handler), with
 *   the counters of the whole job. The job may be freed before that returns: neither it nor
 *   &loom_job.run is touched afterwards.
 *
 * loom_job_wait_end() is for @cancel.
 */
struct loom_backend {
	/** @name: for the log and for fdinfo */
	const char *name;
	/**
	 * @init: set up the device and &loom_device.backend_data. Called once, in probe, when the
	 * regions exist and the scheduler does not. What it takes is released with the DRM device
	 * (drmm_add_action_or_reset()), after the scheduler and before the regions. Returns 0 or
	 * -errno
	 */
	int (*init)(struct loom_device *loom);
	/**
	 * @quiesce: return when no job runs any more. Called once, in remove, when
	 * &loom_device.unplugged is set and all guarded ioctls have returned. A job that the
	 * scheduler was about to start may still reach @run afterwards, and @release is called
	 * for what was queued: both without touching the hardware
	 */
	void (*quiesce)(struct loom_device *loom);
	/**
	 * @prepare: allocate all that the job will need, and set &loom_job.run, which is not NULL
	 * then. Called by SUBMIT before the job is queued, without locks; may sleep. Plan and slots
	 * are set, but the buffers are neither placed nor mapped yet. Returns 0, or -errno with
	 * &loom_job.run NULL and nothing left to undo
	 */
	int (*prepare)(struct loom_job *job);
	/**
	 * @run: start the job, and return without waiting for it. Called on the scheduler's
	 * workqueue, for one job at a time. The buffers are placed and mapped (&loom_bo.map) until
	 * the job has ended. Neither this nor what it starts may allocate, take a reservation lock
	 * or wait for a client, until it has called loom_job_end()
	 */
	void (*run)(struct loom_job *job);
	/**
	 * @cancel: stop a job that has exceeded the timeout; return when loom_job_end() was called,
	 * which can have been before. loom_job_stop_reason() is -ETIME (or an earlier reason) by
	 * now. Called on &loom_device.timeout_wq while the scheduler starts no other job; may
	 * sleep, but what @run may not do is forbidden here, too. A back end that polls
	 * loom_job_stop_reason() needs loom_job_wait_end() only; one whose hardware can hang resets
	 * it here, and ends the job itself
	 */
	void (*cancel)(struct loom_job *job);
	/**
	 * @release: undo @prepare. Called once for each job that was prepared: on the scheduler's
	 * workqueue after its fence has signalled, whether it was run or not, or by SUBMIT if it
	 * could not be queued. May sleep, but not wait for other jobs, which it holds up
	 */
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
