/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DEVICE_H
#define LOOM_DEVICE_H

#include <linux/mutex.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_device.h>

#include "core/loom_chip.h"
#include "loom_quota.h"
#include "loom_region.h"

struct loom_context;
struct loom_device;
struct loom_driver;
struct loom_file;
struct loom_job;
struct loom_job_position;

/**
 * DOC: Who owns what
 *
 * &struct loom_device is what all files know; each of them adds one thing that the device does. A
 * file calls only those that stand below it in this list, and is told by them through a return
 * value, or by TTM, the scheduler and DRM through the function tables that it has given to them:
 *
 * ==============  =============================================================================
 * soft/           a back end, and a module of its own, loom_soft: makes devices, by itself and
 *                 through configfs, and runs jobs
 * module          loading of what all devices share, the module loom
 * device          assembles a device when it is probed, and ends it when it is unplugged
 * drv             the node: tables of ioctls and file operations; open and close
 * debugfs         which memory, plans and jobs all clients have, for root
 * query, fdinfo   what a client can ask; what /proc/PID/fdinfo says of a client
 * submit          makes a job out of a plan and buffers, and queues it
 * job, ttm        what the scheduler calls to run jobs; what TTM calls to place buffers
 * report/         what is left of a job that the timeout has ended: a line in the log, a dump
 * bo              buffers
 * plan_object     plans that were proved safe, and the buffers that their scratch conflicts with
 * backend/        for back ends: whose turn it is
 * context, quota  queues of jobs; caps on bytes
 * region          which addresses of the banks are taken
 * sram/           the scratch at the bottom of the SRAM; who may have what of the SRAM
 * shape, file     how a buffer is dealt out over banks; the ids and the account of an open node
 * sync, user      syncobjs and fences; structures in a client's memory
 * port, trace     what core/ asks of a kernel; tracepoints
 * compat, uapi    what differs between kernels; proof that the UAPI structures are unchanged
 * ==============  =============================================================================
 *
 * Owning is by reference, and goes one way:
 *
 * * The device owns its regions, the workqueues of the schedulers and the state of its back end.
 *   It is released with the last reference to &loom_device.drm, which files, contexts and dma-bufs
 *   hold.
 * * An open node (&struct loom_file) owns the ids of its contexts and plans, and no more: when it
 *   is closed the ids are dropped, and contexts and plans live on while jobs use them. It is also
 *   the account that contexts and buffers are charged to, so these hold a reference to it.
 * * A context owns its scheduler, and holds the device and the file.
 * * A job holds its context, plan and buffers until it has ended; nobody holds a job but the
 *   scheduler. What outlives it, for those who wait for it, is its fence.
 * * A buffer owns its block of the region while it is resident. A region knows blocks and not
 *   buffers.
 *
 * Order of locks, outermost first:
 *
 * 1. &loom_device.place_lock;
 * 2. reservation locks of buffers (with an acquire context if it is more than one);
 * 3. &loom_context.push_lock, from arming a job to pushing it, where nothing is waited for;
 * 4. &loom_region.lock, in which nothing is allocated;
 * 5. &loom_region.scratch_lock, a spinlock: the end of a job takes it before its fence signals;
 * 6. other spinlocks: &loom_context.lock, &loom_device.job_lock, loom_soft.lock, and those of TTM,
 *    the scheduler and DRM. Of the first three only loom_soft.lock is taken inside of another,
 *    which is &loom_device.job_lock.
 *
 * Aside of these, never together with a lock of 1 to 4:
 *
 * * in debugfs: drm_device.filelist_mutex, then the locks of a file's tables, then
 *   &loom_context.lock;
 * * &loom_file.no_space_lock.
 */

/**
 * struct loom_backend - who runs the jobs
 *
 * The rest of the module knows of a back end only these calls. What a device is made of is not
 * among them: &loom_device.chip is set before @init, see &struct loom_device_config.
 *
 * What a back end calls while it runs a job:
 *
 * * loom_job_stop_reason() before it starts, and then often enough to stop soon: if that is not 0,
 *   it ends the job with that error;
 * * loom_job_turn_begin() when the engine begins with it or goes on with it, and
 *   loom_job_turn_end() when the engine leaves it for another job before its end;
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
	/** @driver: initialised by loom_driver_init() */
	const struct loom_driver *driver;
	/**
	 * @init: set up the device and &loom_device.backend_data. Called once, in probe, when the
	 * regions exist and the scheduler does not. What it takes is released with the DRM device
	 * (drmm_add_action_or_reset()), after the scheduler and before the regions. Returns 0 or
	 * -errno
	 */
	int (*init)(struct loom_device *loom);
	/**
	 * @quiesce: return when all jobs that were given to @run have ended. Called once, in
	 * remove, when &loom_device.unplugged is set and all guarded ioctls, @run, @stop, @cancel
	 * and @closed have returned; they are not called any more. @release and @forget are,
	 * without touching the hardware
	 */
	void (*quiesce)(struct loom_device *loom);
	/**
	 * @prepare: allocate all that the job will need, and set &loom_job.run, which is not NULL
	 * then. Called by SUBMIT before the job is queued, without locks; may sleep. Plan and slots
	 * are set, but the buffers are neither placed nor mapped yet. That includes room to keep
	 * what the job has in the scratch while others have their turn. One room for each context
	 * is enough (&loom_context.backend_data), as its jobs run one after the other; it is
	 * charged to the client with loom_quota_charge(). Returns 0, or -errno with &loom_job.run
	 * NULL and nothing left to undo
	 */
	int (*prepare)(struct loom_job *job);
	/**
	 * @run: take the job, and return without waiting for it. Called on the scheduler's
	 * workqueue, for one job of each context at a time, so that many can be in flight. When it
	 * gets its turn is the back end's decision: by &loom_context.priority, then fairly between
	 * clients, and no longer than a time slice while others of the same priority wait; before
	 * another job gets its turn, what the scratch holds is kept. The buffers are placed and
	 * mapped (&loom_bo.map) until the job has ended. Neither this nor what it starts may
	 * allocate, take a reservation lock or wait for a client, until it has called
	 * loom_job_end()
	 */
	void (*run)(struct loom_job *job);
	/**
	 * @stop: loom_job_stop_reason() is not 0 any more: end the job soon, without waiting for
	 * its turn. Called under &loom_region.scratch_lock or &loom_device.job_lock for a job that
	 * was given to @run or is about to be; does not sleep
	 */
	void (*stop)(struct loom_job *job);
	/**
	 * @cancel: stop a job that has exceeded the timeout; return when loom_job_end() was called,
	 * which can have been before. loom_job_stop_reason() is -ETIME (or an earlier reason) by
	 * now. Called on &loom_device.timeout_wq; may sleep, but what @run may not do is forbidden
	 * here, too, and it does not wait for the turn of the job, which may be far away. A back
	 * end that polls loom_job_stop_reason() needs loom_job_wait_end() for a job that has its
	 * turn; one whose hardware can hang resets it here, and ends the job itself
	 */
	void (*cancel)(struct loom_job *job);
	/**
	 * @closed: loom_job_stop_reason() is -ECANCELED (or an earlier reason) by now for all jobs
	 * of a client: end those that were given to @run without waiting for their turn. They may
	 * end after this has returned. Called when the file is closed, not after the unplugging;
	 * may sleep. A job that is given to @run later can be ended at once, too
	 */
	void (*closed)(struct loom_device *loom, struct loom_file *client);
	/**
	 * @where: how far a job has come that has ended and was not released yet. Called on
	 * &loom_device.timeout_wq; what @run may not do is forbidden here, too
	 */
	void (*where)(struct loom_job *job, struct loom_job_position *position);
	/**
	 * @release: undo @prepare. Called once for each job that was prepared: on the scheduler's
	 * workqueue after its fence has signalled, whether it was run or not, or by SUBMIT if it
	 * could not be queued. May sleep, but not wait for other jobs, which it holds up
	 */
	void (*release)(struct loom_job *job);
	/**
	 * @forget: give back &loom_context.backend_data, if that is not NULL. Called once, when the
	 * last job of the context was released. May sleep
	 */
	void (*forget)(struct loom_context *context);
	/**
	 * @suspend: the system goes to sleep: pause. Returns when the engine touches no memory any
	 * more, without waiting for the end of jobs: those in flight stay where they are. Users
	 * are frozen, but workqueues are not: @run and @cancel may be called until @resume, and
	 * what they start waits for it. Buffers are in system pages, which keep their bytes; a
	 * back end with memory of its own that is lost has to evict it here
	 * (ttm_resource_manager_evict_all()). Returns 0, or -errno, which stops the system from
	 * sleeping and is not followed by @resume. May be NULL, where there is nothing to pause
	 */
	int (*suspend)(struct loom_device *loom);
	/**
	 * @resume: the system is awake again: jobs go on. Returns 0 or -errno. May be NULL, where
	 * @suspend is
	 */
	int (*resume)(struct loom_device *loom);
	/**
	 * @runtime_suspend: no job is in flight, and none was for LOOM_DEVICE_IDLE_MS: the device
	 * may lose its power. Returns 0, or -errno to keep it. May be NULL: nothing is done then,
	 * but that sysfs tells the device to be suspended
	 */
	int (*runtime_suspend)(struct loom_device *loom);
	/**
	 * @runtime_resume: a job is submitted: undo @runtime_suspend. Called by SUBMIT before
	 * @prepare, without locks; may sleep and allocate. An -errno is SUBMIT's. May be NULL
	 */
	int (*runtime_resume)(struct loom_device *loom);
};

/**
 * struct loom_device_config - what a back end knows of a device before it is probed
 *
 * Lives as long as the device. A back end that knows nothing gives NULL: then all this is as the
 * module's parameters say.
 */
struct loom_device_config {
	/** @chip: what it is made of: loom_chip_check() finds no fault in it */
	struct drm_loom_chip chip;
	/** @caps: what its clients may have */
	struct loom_quota_caps caps;
	/** @job_timeout_ms: a job that has the engine for longer is ended; 1 to INT_MAX */
	u32 job_timeout_ms;
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
	/** @chip: what it is made of, constant */
	const struct drm_loom_chip *chip;
	/** @caps: what its clients may have; may change, read with READ_ONCE() */
	const struct loom_quota_caps *caps;
	/** @backend: who runs the jobs, constant */
	const struct loom_backend *backend;
	/** @backend_data: owned by @backend */
	void *backend_data;
	/** @ttm: placement of buffers in the regions */
	struct ttm_device ttm;
	/** @region: by &enum drm_loom_region */
	struct loom_region region[DRM_LOOM_REGION_COUNT];
	/** @sched_ops: of the schedulers of all contexts, constant */
	const struct drm_sched_backend_ops *sched_ops;
	/** @sched_wq: where the schedulers start and free jobs, those of several at a time */
	struct workqueue_struct *sched_wq;
	/** @timeout_wq: where jobs that take too long are stopped */
	struct workqueue_struct *timeout_wq;
	/**
	 * @place_lock: held while others are evicted so that buffers get an address, and in SUBMIT
	 * from there until the job is queued. Never while waiting for a job. Outside of reservation
	 * locks. See loom_bo.c
	 */
	struct mutex place_lock;
	/** @placings: how often @place_lock was taken to make room; under it */
	u64 placings;
	/** @bo_bytes: bytes of all its buffers, see loom_quota.c */
	atomic64_t bo_bytes;
	/** @job_timeout_ms: a job that has the engine for longer is ended, constant */
	u32 job_timeout_ms;
	/** @job_ids: the last &loom_job.id that was given */
	atomic64_t job_ids;
	/** @plans_bytes: bytes of all its plans, see loom_quota.c */
	atomic64_t plans_bytes;
	/** @job_lock: protects @jobs, and which jobs use a buffer (&loom_bo.jobs) */
	spinlock_t job_lock;
	/** @jobs: &struct loom_job that are queued, in flight or not yet freed, the oldest first */
	struct list_head jobs;
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

/* After so long without a job, the back end may take the device's power. */
#define LOOM_DEVICE_IDLE_MS	100

/* For the bus driver of a back end: what calls its suspend() to runtime_resume(). */
extern const struct dev_pm_ops loom_device_pm_ops;

int loom_device_check_params(void);
u32 loom_device_param_job_timeout_ms(void);
int loom_device_probe(struct device *dev, const struct loom_backend *backend,
		      const struct loom_device_config *config);
void loom_device_remove(struct device *dev);

#endif /* LOOM_DEVICE_H */
