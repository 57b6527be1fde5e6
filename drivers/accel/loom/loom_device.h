/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DEVICE_H
#define LOOM_DEVICE_H

#include <linux/mutex.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_device.h>

#include "backend/backend.h"
#include "backend/budget.h"
#include "backend/flight.h"
#include "core/loom_core.h"
#include "loom_quota.h"
#include "loom_region.h"
#include "memory/dying.h"
#include "memory/move.h"

/**
 * DOC: Ownership and locks
 *
 * Ownership is by reference, and without cycles:
 *
 * * The device owns its regions, the workqueues of the schedulers and the state of its back end.
 *   It is released with the last reference to &loom_device.drm, which files, contexts and dma-bufs
 *   hold.
 * * An open node (&struct loom_file) owns the ids of its contexts and plans, and no more: when it
 *   is closed the ids are dropped, and contexts and plans live on while jobs use them. It is also
 *   the account that contexts and buffers are charged to, so these hold a reference to it.
 * * A context owns its scheduler, and holds the device and the file.
 * * A job holds its context, plan and buffers until it has ended; only the scheduler holds a job.
 *   Its fence outlives it, for waiters.
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
 * 6. &loom_device.job_lock, &loom_flight.lock or loom_soft.lock, &loom_context.lock: spinlocks;
 *    &loom_moves.lock, a spinlock that is taken where fences signal, with interrupts off;
 * 7. those of TTM, the scheduler and DRM.
 *
 * Separate from these, and never nested with a lock of 1 to 4:
 *
 * * &loom_flight.gate, then &loom_device.power_lock, then the back end's lock for reading records,
 *   then &loom_flight.give_lock, then the spinlocks above. Threads in a critical section of fence
 *   signalling (annotated for lockdep) may take the last two only, and the gate by trylock.
 *   The locks of &loom_device.dying and &loom_device.budget are taken inside of all others;
 * * in debugfs: drm_device.filelist_mutex, then the locks of a file's tables, then
 *   &loom_context.lock;
 * * &loom_file.no_space_lock;
 * * &loom_device.imports_gate, then &loom_device.imports_lock, then reservation locks of imported
 *   buffers.
 */

/**
 * struct loom_device - a Loom device
 *
 * Freed with the last reference to @drm: files, contexts (and with them jobs) and dma-bufs hold
 * references. Unplugging only ends its activity.
 */
struct loom_device {
	/** @drm: base */
	struct drm_device drm;
	/** @node: in the list of all devices */
	struct list_head node;
	/** @config: description from its back end, constant */
	struct loom_device_config config;
	/** @chip: description of the chip, constant */
	const struct drm_loom_chip *chip;
	/** @backend: operations, constant */
	const struct loom_backend *backend;
	/** @backend_data: owned by @backend */
	void *backend_data;
	/** @ttm: placement of buffers in the regions */
	struct ttm_device ttm;
	/** @region: by &enum drm_loom_region */
	struct loom_region region[DRM_LOOM_REGION_COUNT];
	/** @sched_ops: of the schedulers of all contexts, constant */
	const struct drm_sched_backend_ops *sched_ops;
	/** @sched_wq: workqueue of all schedulers, concurrent */
	struct workqueue_struct *sched_wq;
	/** @timeout_wq: ordered workqueue for timeouts and resets */
	struct workqueue_struct *timeout_wq;
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	/**
	 * @place_lock: held while buffers are evicted to place others, and in SUBMIT from there
	 * until the job is queued. The holder must not wait for a job. Taken outside of reservation
	 * locks. See loom_bo.c
	 */
	struct mutex place_lock;
	/** @placings: number of times that @place_lock was taken to evict; under it */
	u64 placings;
	/** @imports_gate: held for reading by imports, for writing to unmap all of them */
	struct rw_semaphore imports_gate;
	/** @imports_lock: protects @imports and the mappings of its buffers; in @imports_gate */
	struct mutex imports_lock;
	/** @imports: &loom_bo.import_node of buffers of other drivers, see memory/share.c */
	struct list_head imports;
	/** @memory: kind of the banks, by region; NULL without local memory. Constant */
	const struct loom_device_memory *memory;
	/** @dying: buffers that are freed after their moves */
	struct loom_dying dying;
	/** @moves: copies to and from local memory */
	struct loom_moves moves;
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
	/** @lanes: lanes that contexts own, under a lock of loom_lanes.c */
	struct loom_mask lanes;
#endif
	/** @job_timeout_ms: a job that has the engine for longer is ended, constant */
	u32 job_timeout_ms;
	/** @job_ids: the last &loom_job.id that was given */
	atomic64_t job_ids;
	/** @job_lock: protects @jobs, and which jobs use a buffer (&loom_bo.jobs) */
	spinlock_t job_lock;
	/** @jobs: &struct loom_job that are queued, in flight or not yet freed, the oldest first */
	struct list_head jobs;
	/** @flight: jobs between the scheduler and the device */
	struct loom_flight flight;
	/**
	 * @epoch: incremented by each reset; records of other epochs are ignored. Written under
	 * @job_lock, while the device is stopped
	 */
	u32 epoch;
#ifdef CONFIG_DRM_ACCEL_LOOM_LIMITS
	/** @caps: limits of its clients; may change, read with READ_ONCE() */
	const struct loom_quota_caps *caps;
	/** @bo_bytes: bytes of all its buffers, see loom_quota.c */
	atomic64_t bo_bytes;
	/** @plans_bytes: bytes of all its plans, see loom_quota.c */
	atomic64_t plans_bytes;
	/** @budget: limits the number of resets */
	struct loom_budget budget;
#endif
	/** @wedged: it is broken, jobs are to end with -EIO; set once, read with READ_ONCE() */
	bool wedged;
	/** @wedge_work: stops a wedged device, on @timeout_wq */
	struct work_struct wedge_work;
	/** @hang_epoch: the epoch in which the back end has reported a hang, for @hang_work */
	u32 hang_epoch;
	/** @hang_work: resets a hanging device, on @timeout_wq */
	struct work_struct hang_work;
	/**
	 * @power_lock: protects @on, @asleep, @idle, @held, @started, and is held during start and
	 * stop
	 */
	struct mutex power_lock;
	/** @on: it is plugged in, and not wedged */
	bool on;
	/** @asleep: the system sleeps */
	bool asleep;
	/** @idle: runtime PM has suspended it */
	bool idle;
	/** @held: its bus resets it */
	bool held;
	/** @started: the back end has started it */
	bool started;
	/** @hidden: no process maps its memory; changed with the gate held for writing */
	bool hidden;
	/** @shown: woken up when @hidden is cleared */
	wait_queue_head_t shown;
	/** @unplugged: jobs are to end with -ENODEV; set once, read with READ_ONCE() */
	bool unplugged;
};

static inline struct loom_device *to_loom_device(struct drm_device *drm)
{
	return container_of(drm, struct loom_device, drm);
}

/* Number of the node, "dev" in traces. */
static inline u32 loom_device_index(const struct loom_device *loom)
{
	return loom->drm.accel->index;
}

#endif /* LOOM_DEVICE_H */
