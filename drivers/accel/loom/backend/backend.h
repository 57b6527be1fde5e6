/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BACKEND_H
#define LOOM_BACKEND_H

#include <linux/pm.h>
#include <linux/types.h>

#include <drm/loom_accel.h>

#include "core/loom_core.h"
#include "core/loom_native.h"
#include "loom_drv.h"

struct device;
struct drm_device;
struct drm_driver;
struct drm_printer;
struct iosys_map;
struct loom_backend_memory;
struct loom_bo;
struct loom_context;
struct loom_device;
struct loom_job;
struct loom_plan_object;

/**
 * DOC: Back ends
 *
 * A back end drives devices of one kind: it makes or finds them, and runs jobs on them. The core
 * does everything else: clients, memory of the banks, proofs, order between contexts, timeouts and
 * their attribution, unplugging, power. This file is their interface, and it includes no private
 * header of the core, so that a back end can be built outside of its tree: a description (&struct
 * loom_device_config), operations (&struct loom_backend), records of jobs that have ended (&struct
 * loom_job_record), and functions for back ends.
 *
 * The life of a device, in operations::
 *
 *   init                                         memory of the host; nothing runs
 *   start                                        it takes jobs
 *     plan_create                                once for each plan that was proved safe
 *       job_prepare, job_emit, job_run           once for each job; then a record, and
 *       job_unmap
 *       job_progress, job_stop                   if it takes too long, or is abandoned
 *       job_release
 *     plan_destroy
 *     stop, reset, start                         if it hangs
 *     stop, start                                if it sleeps
 *   stop                                         unplugged, or wedged
 *   (resources of init are released)
 *
 * Failure. A back end must take all resources of a job before the job is armed: memory in
 * @job_prepare, where nothing is locked; addresses in @job_emit, when its buffers are placed and
 * locked. Afterwards others wait for its fence, so these operations must not fail or allocate:
 * @job_run, @job_stop and @job_progress, and @stop, @reset and @start, because a hanging job waits
 * for them.
 *
 * Trust. A device is a peer that may be broken or hostile. The core takes only records from it. A
 * record must be of a job that the device has, in this epoch, with a known status; otherwise the
 * device is wedged and not asked again. Counters are information for clients; only the host's time
 * counts. A back end must read data of the device once, into its own memory, and check the copy.
 *
 * Timeouts: the core has the back end look for records (@poll), asks @job_progress whether the job
 * moved, has it stopped by @job_stop, waits, and if that does not help stops the device, resets it
 * with a new epoch and starts it again; or, for a job of a partition, has its lanes reset
 * (@job_reset) and waits once more before that. Records from before the stop count. The job at
 * fault ends with ETIME. Other jobs that had begun end with ECANCELED, because a job may have
 * overwritten its input and is not idempotent. Jobs that had not begun are run in the new epoch.
 * Records of an earlier epoch are dropped. A device is also reset if it reports a hang itself
 * (loom_device_hang()), or does not end an abandoned job.
 *
 * Begun jobs: the core assumes that a device works on its jobs in the order of @job_run, and on
 * those of partitions at the same time. A back end whose device takes them in another order must
 * call loom_job_turn_begin().
 *
 * Lifetimes. Resources of the bus are released when the driver is unbound: registers, interrupts,
 * rings and mappings for the device (devm_*). @job_release, @plan_destroy and @context_release (and
 * the release of moves) may be called later, until the last client has closed the node. They must
 * not touch these, and their own resources must belong to the DRM device (drmm_*, in @init).
 * loom_driver_exit() waits for them.
 *
 * Memory of the banks. Banks may be addresses only: then the bytes of buffers are in system pages.
 * Or they are local memory of the device, see backend/memory.h.
 *
 * Scheduling. A device that runs its jobs to completion takes a few at a time
 * (&loom_device_config.jobs_in_flight), and the core picks the next one, by backend/turn.c. A back
 * end that can preempt jobs takes all of them, and decides by the same lists in smaller pieces:
 * soft does.
 *
 * Rejected:
 *
 * * a call that stops a job and waits for its end. Each back end would have the same wait in it,
 *   and the wait is what a hanging device does not come back from;
 * * one call for "stop all jobs of a client", or of a device. The core has the lists;
 * * ending jobs by a call with a pointer, as trusted code can. Each back end for hardware would
 *   need a table of jobs in flight, with its races against timeouts and unplugging; soft, which has
 *   the pointer, pays for one hash lookup;
 * * resubmitting all jobs after a reset, as the scheduler once did: see above;
 * * suspend and resume as operations in addition to stop and start. They would differ in the jobs
 *   in flight only, and the core knows these.
 */

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
/**
 * struct loom_device_memory - kind of memory of a region's banks
 */
struct loom_device_memory {
	/** @own: local memory. Otherwise addresses only, with the bytes in system pages */
	bool own;
	/**
	 * @map_bytes: for @own: granularity of direct mappings (&loom_backend_memory.pfn), a
	 * multiple of PAGE_SIZE. A buffer can be mapped directly if its pages and pitch are
	 * multiples of it. 0: no direct mappings
	 */
	u32 map_bytes;
};
#endif

#ifdef CONFIG_DRM_ACCEL_LOOM_LIMITS
/**
 * struct loom_quota_caps - limits of the clients of a device; zero is no cap
 */
struct loom_quota_caps {
	/** @max_bytes: limit of the bytes of all buffers */
	u64 max_bytes;
	/** @max_file_bytes: limit of the bytes of buffers of one open file */
	u64 max_file_bytes;
	/** @max_plans_bytes: limit of the bytes of all plans */
	u64 max_plans_bytes;
	/** @max_file_plans_bytes: limit of the bytes of plans of one open file */
	u64 max_file_plans_bytes;
	/** @max_file_jobs: limit of pending jobs of one open file */
	u32 max_file_jobs;
	/** @max_file_contexts: limit of contexts of one open file */
	u32 max_file_contexts;
};
#endif

/**
 * struct loom_device_config - description of a device before it is probed
 *
 * loom_device_probe() copies it.
 */
struct loom_device_config {
	/** @chip: its description; the back end must have checked it, see loom_chip_check() */
	struct drm_loom_chip chip;
#ifdef CONFIG_DRM_ACCEL_LOOM_LIMITS
	/** @has_caps: @caps apply. Otherwise the current values of the module's parameters */
	bool has_caps;
	/** @caps: limits of its clients */
	struct loom_quota_caps caps;
#endif
	/** @job_timeout_ms: a job that has the engine for longer is ended; 1 to INT_MAX */
	u32 job_timeout_ms;
	/**
	 * @jobs_in_flight: limit of jobs on the device; the core queues the others. 0: no limit,
	 * and the back end schedules them by &loom_job.turn. It must then set
	 * &loom_backend.keeps_jobs, because the core does not know when it is idle
	 */
	u32 jobs_in_flight;
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	/** @memory: kind of the banks, by &enum drm_loom_region */
	struct loom_device_memory memory[DRM_LOOM_REGION_COUNT];
	/**
	 * @host_slots: for devices with local memory: jobs can also access buffers in system pages,
	 * outside of the SRAM (shared buffers, memory/share.c). A buffer is in system pages at
	 * &loom_backend.job_emit if &loom_bo.resident is false
	 */
	bool host_slots;
	/** @moves_in_flight: limit of moves on the device; 0 if it has no local memory */
	u32 moves_in_flight;
#endif
	/** @backend_data: initial value of &loom_device.backend_data */
	void *backend_data;
};

/**
 * enum loom_job_status - how a job ended
 */
enum loom_job_status {
	/** @LOOM_JOB_DONE: all of it was run */
	LOOM_JOB_DONE = 0,
	/** @LOOM_JOB_STOPPED: some of it was run, because of &loom_backend.job_stop */
	LOOM_JOB_STOPPED = 1,
	/** @LOOM_JOB_FAILED: the device could not run it, and needs no reset */
	LOOM_JOB_FAILED = 2,
};

/**
 * struct loom_job_record - completion record of a job, as the device reports it
 */
struct loom_job_record {
	/** @job: &loom_job.id */
	u64 job;
	/** @epoch: &loom_device.epoch when it was run */
	u32 epoch;
	/** @status: an &enum loom_job_status */
	u32 status;
	/** @counters: counters of the job */
	struct drm_loom_counters counters;
};

/**
 * struct loom_job_position - how far a job has come
 */
struct loom_job_position {
	/** @step: step of the plan */
	u32 step;
	/** @command: command, counted from the first one of the plan */
	u32 command;
	/** @unit: unit of it */
	u64 unit;
	/** @counters: counters of the job so far */
	struct drm_loom_counters counters;
};

/**
 * enum loom_stop_reason - why a device is stopped
 */
enum loom_stop_reason {
	/** @LOOM_STOP_SLEEP: it is idle, or the system sleeps: its plans stay valid */
	LOOM_STOP_SLEEP,
	/** @LOOM_STOP_RESET: it may hang, and will be reset */
	LOOM_STOP_RESET,
	/** @LOOM_STOP_END: for good: it was unplugged, is wedged, or the system ends */
	LOOM_STOP_END,
};

/**
 * struct loom_backend - operations on a device
 *
 * Operations that touch the device are called while it is bound and started: @dump, @poll, and
 * those of jobs, unless they say otherwise. An errno is returned to the client, except those with a
 * meaning for the core (EAGAIN, EBADMSG, EBUSY, EDEADLK, ENOSPC), which become EIO.
 *
 * "Fence safe" operations are in the critical section of fence signalling
 * (dma_fence_begin_signalling()): they may sleep, but must not allocate with GFP_KERNEL, take a
 * reservation lock, or wait for a client or a job.
 */
struct loom_backend {
	/** @name: for the log, fdinfo and reports */
	const char *name;
	/** @driver: initialised by loom_driver_init() */
	const struct drm_driver *driver;

	/**
	 * @init: set up &loom_device.backend_data, with all memory that @start and @reset will
	 * need. It must not start the device: there are no jobs, and interrupts are off. Called
	 * once, in probe; may sleep and allocate. Its resources must be released with the DRM
	 * device (drmm_add_action_or_reset()). Returns 0 or -errno
	 */
	int (*init)(struct loom_device *loom);
	/**
	 * @start: make the device take jobs: firmware, rings, interrupts. Called in probe, when it
	 * wakes up, and after @reset; fence safe. &loom_device.epoch is the epoch from now on. A
	 * device with @keeps_jobs must go on with its jobs. The back end must send lost plans
	 * again, now or with the first job. Returns 0 or -errno; on an error the device is wedged,
	 * or its probe fails
	 */
	int (*start)(struct loom_device *loom);
	/**
	 * @stop: stop all accesses of the device. On return it must not access any memory, of
	 * buffers or of the host. All records that it has written must have been given to
	 * loom_jobs_complete(), also those without an interrupt, and no others may be until @start.
	 * Called after each @start once; fence safe, and must not wait for the end of jobs. The
	 * device may be unplugged or hang. With @keeps_jobs it goes on with its jobs at the next
	 * @start, unless the core has ended them meanwhile (@job_release); otherwise it drops them
	 */
	void (*stop)(struct loom_device *loom, enum loom_stop_reason why);
	/**
	 * @reset: discard all state of a device that hangs. Called between @stop and @start, when
	 * &loom_device.epoch is a new one; fence safe. Returns 0 or -errno; on an error the device
	 * is wedged. NULL: the device cannot hang, and @job_stop must always end a job
	 */
	int (*reset)(struct loom_device *loom);
	/**
	 * @poll: look for records now, because an interrupt may have been lost, and give them to
	 * loom_jobs_complete(). If the device reports that it has stopped, it must call
	 * loom_device_hang(), and no job is blamed. Called on &loom_device.timeout_wq before a job
	 * is blamed, while the device is started; fence safe. May be NULL if interrupts cannot be
	 * lost
	 */
	void (*poll)(struct loom_device *loom);
	/**
	 * @dump: print state of the device for the report of a timeout: lines of "key: value", 4
	 * KiB at most. They must not contain kernel addresses or bytes of clients. Called on
	 * &loom_device.timeout_wq, before the job is stopped; fence safe. May be NULL
	 */
	void (*dump)(struct loom_device *loom, struct drm_printer *p);

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	/** @memory: operations on local memory; NULL for devices without */
	const struct loom_backend_memory *memory;
#endif

	/**
	 * @plan_create: load a verified plan on the device, or encode it for later. The source must
	 * be &loom_plan_object.plan, because the client's bytes are no longer valid. Called once
	 * for each plan, by PLAN_CREATE; may sleep and allocate, and set
	 * &loom_plan_object.backend_data. The device is awake, but may be reset at any time.
	 * Returns 0 or -errno, which PLAN_CREATE returns. May be NULL
	 */
	int (*plan_create)(struct loom_plan_object *plan);
	/**
	 * @plan_destroy: undo @plan_create, which has succeeded. No job uses the plan any more. May
	 * sleep, but must not wait for jobs, because they may wait for it. The device may be
	 * unplugged: any access must be inside of drm_dev_enter(). May be NULL where @plan_create
	 * is
	 */
	void (*plan_destroy)(struct loom_plan_object *plan);

	/**
	 * @job_prepare: allocate all memory that the job will need, and set &loom_job.run to a
	 * pointer other than NULL. Called by SUBMIT, without locks; may sleep and allocate. Plan
	 * and buffers are known, their addresses are not. A back end that preempts jobs must also
	 * allocate memory to save the scratch; one area per context is enough
	 * (&loom_context.backend_data), because its jobs run one after the other. It must be
	 * charged to the client with loom_quota_charge(). Returns 0, or -errno with &loom_job.run
	 * NULL and nothing left to undo
	 */
	int (*job_prepare)(struct loom_job *job);
	/**
	 * @job_emit: the buffers are placed and locked: record their addresses, or map them
	 * (loom_bo_map_locked()). This is the last operation of a job that may fail. Called by
	 * SUBMIT with reservation locks held; may sleep and allocate. Called again if SUBMIT starts
	 * over, and followed by @job_release without @job_run if SUBMIT fails. Returns 0 or -errno.
	 * The addresses are valid until the job has ended
	 */
	int (*job_emit)(struct loom_job *job);
	/**
	 * @job_unmap: the device has finished the job: undo the mappings of @job_emit. Called once
	 * for a job that was armed, before its fence signals and while the driver is bound; fence
	 * safe, must not sleep. @job_release must undo the mappings of a job that was not armed.
	 * May be NULL
	 */
	void (*job_unmap)(struct loom_job *job);
	/**
	 * @job_run: ring the doorbell: the device owns the job until its record is given to
	 * loom_jobs_complete(). Called for one job of each context at a time. With
	 * &loom_device_config.jobs_in_flight it is called for one job of the device at a time, and
	 * loom_jobs_complete() waits until it returns; so it must not call loom_jobs_complete().
	 * Without, the device may be stopped, and the job be freed, as soon as the device owns it.
	 * Fence safe, and must not wait for the job. If loom_job_stop_reason() becomes nonzero
	 * meanwhile, @job_stop is called too, maybe before @job_run returns
	 */
	void (*job_run)(struct loom_job *job);
	/**
	 * @job_progress: position of a job on the device, or of an ended one where the device
	 * cannot be reset. Called on &loom_device.timeout_wq; fence safe. Unknown fields must be
	 * zero; if all are zero, the job counts as making progress
	 */
	void (*job_progress)(struct loom_job *job, struct loom_job_position *position);
	/**
	 * @job_stop: loom_job_stop_reason() has become nonzero: make the job end soon, ahead of its
	 * turn, or at its begin if the device has it behind others. Called under spinlocks, maybe
	 * more than once, also for a job that is about to be given to @job_run or has just ended;
	 * must not sleep. The device is reset if the job has not ended within the grace period
	 * (grace.c) after this call, or after its begin
	 */
	void (*job_stop)(struct loom_job *job);
	/**
	 * @job_reset: a job of a context with lanes of its own has not ended within the grace
	 * period after @job_stop: reset its lanes, so that it ends as a stopped one, and jobs of
	 * other lanes go on. Called under spinlocks, once; must not sleep. The device is reset if
	 * the job has not ended after another grace period. NULL: the device is reset at once
	 */
	void (*job_reset)(struct loom_job *job);
	/**
	 * @job_release: undo @job_prepare and @job_emit. Called once for each prepared job: after
	 * its fence has signalled, whether it was run or not, or by SUBMIT if it could not be
	 * queued. If the device still owns it, the device is stopped and must drop it. May sleep,
	 * but must not wait for other jobs, because they wait for it. Must not touch the device,
	 * which may be unplugged
	 */
	void (*job_release)(struct loom_job *job);
	/**
	 * @context_release: free &loom_context.backend_data, which is not NULL. Called once, when
	 * the last job of the context was released; may sleep. The device may be unplugged
	 */
	void (*context_release)(struct loom_context *context);

	/**
	 * @native: native commands that its devices run, or NULL: formats of payloads, which QUERY
	 * lists, and their check, which PLAN_CREATE calls without locks before @plan_create, and
	 * while the device may be unplugged or asleep. A translated form of payloads can be made by
	 * @plan_create: the bytes behind a command's attr stay as they were checked. The device
	 * must write zeroes to the outputs in a command's zero before it runs the command
	 */
	const struct loom_native *native;

	/**
	 * @keeps_jobs: a stopped device goes on with its jobs at the next @start. Otherwise the
	 * core waits for their end before the system sleeps
	 */
	bool keeps_jobs;
	/**
	 * @has_lanes: jobs of contexts with lanes of their own (&loom_context.lane_count) run on no
	 * other lanes, at the same time, and never beside a job of another context without. With
	 * &loom_device_config.jobs_in_flight one of those runs when the jobs given before it have
	 * ended, and those given after it run when it has
	 */
	bool has_lanes;
};

/*
 * Calls that a back end must make while it runs a job:
 *
 * - loom_job_turn_begin() when the engine begins with it or goes on with it, and
 *   loom_job_turn_end() when the engine leaves it for another job before its end: the time in
 *   between counts for the timeout;
 * - loom_job_busy() from time to time, with the engine time since the last call, if it has a better
 *   measure than the begin of the turn;
 * - loom_jobs_complete(), from a thread that may sleep (a threaded interrupt handler, a work);
 * - loom_device_hang() if it detects that the device hangs;
 * - loom_device_new_epoch(), in @start, if the device has lost state during its sleep.
 *
 * A job may be freed before loom_jobs_complete() returns: the caller must not touch it or its
 * &loom_job.run afterwards.
 */
int loom_jobs_complete(struct loom_device *loom, const struct loom_job_record *records, u32 count);
void loom_device_hang(struct loom_device *loom, u32 epoch);
u32 loom_device_new_epoch(struct loom_device *loom);
void loom_device_wedge(struct loom_device *loom, const char *why);
int loom_job_stop_reason(const struct loom_job *job);
void loom_job_turn_begin(struct loom_job *job);
#ifdef CONFIG_DRM_ACCEL_LOOM_TURNS
void loom_job_turn_end(struct loom_job *job);
void loom_job_busy(struct loom_job *job, u64 busy_ns);
#endif

/*
 * For the driver of the bus. loom_driver_init() and loom_driver_exit() must be called around the
 * registration of the driver.
 */
extern const struct dev_pm_ops loom_device_pm_ops;

u32 loom_device_param_job_timeout_ms(void);
int loom_device_probe(struct device *dev, const struct loom_backend *backend,
		      const struct loom_device_config *config);
void loom_device_remove(struct device *dev);
void loom_device_shutdown(struct device *dev);

/*
 * The core's objects are opaque outside of its tree. loom_*_data() returns a pointer to the field
 * that the back end owns: &loom_device.backend_data, &loom_plan_object.backend_data,
 * &loom_context.backend_data, &loom_job.run.
 */
void **loom_device_data(struct loom_device *loom);
struct drm_device *loom_device_drm(struct loom_device *loom);
const struct drm_loom_chip *loom_device_chip(const struct loom_device *loom);
u32 loom_device_epoch(const struct loom_device *loom);

void **loom_plan_object_data(struct loom_plan_object *object);
struct loom_device *loom_plan_object_device(const struct loom_plan_object *object);
const struct loom_plan *loom_plan_object_plan(const struct loom_plan_object *object);

void **loom_job_data(struct loom_job *job);
struct loom_device *loom_job_device(const struct loom_job *job);
struct loom_plan_object *loom_job_plan(const struct loom_job *job);
u64 loom_job_id(const struct loom_job *job);
u32 loom_job_slot_count(const struct loom_job *job);
bool loom_job_slot_address(const struct loom_job *job, u32 slot, u64 *address);
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
u64 loom_job_slot_bank_address(const struct loom_job *job, u32 slot, u32 bank);
u64 loom_job_slot_byte(const struct loom_job *job, u32 slot, u64 offset, u32 *bank);
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
int loom_job_slot_map(const struct loom_job *job, u32 slot, struct iosys_map *map);
#endif
struct loom_context *loom_job_context(const struct loom_job *job);
void **loom_context_data(struct loom_context *context);

#endif /* LOOM_BACKEND_H */
