/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BACKEND_H
#define LOOM_BACKEND_H

#include <linux/types.h>

#include <drm/loom_accel.h>

#include "loom_quota.h"

struct device;
struct drm_driver;
struct drm_printer;
struct loom_context;
struct loom_device;
struct loom_job;
struct loom_move;
struct loom_plan_object;

/**
 * DOC: Back ends
 *
 * A back end drives devices of one kind: it makes or finds them, and runs jobs on them. The core
 * does everything else: clients, memory of the banks, proofs, order between contexts, timeouts and
 * their attribution, unplugging, power. This file is their interface: a description (&struct
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
 *       job_progress, job_stop                   if it takes too long, or nobody wants it any more
 *       job_release
 *     plan_destroy
 *     move_prepare, move_run, move_release       once for each copy of a buffer's bytes
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
 * with a new epoch and starts it again. Records from before the stop count. The job at fault ends
 * with ETIME. Of the others, those that had
 * begun end with ECANCELED, as a job may have written over what it has read and cannot be run
 * again; those that had not are run by the new epoch. Records of an earlier epoch are dropped.
 * In the same way a device is reset that says itself that it hangs (loom_device_hang()), or
 * does not end a job that nobody wants any more.
 *
 * Which jobs have begun: a device works on the oldest of those that it has. A back end whose device
 * takes them in another order says so by loom_job_turn_begin().
 *
 * Lifetimes. Resources of the bus are released when the driver is unbound: registers, interrupts,
 * rings and mappings for the device (devm_*). @job_release, @move_release, @plan_destroy and
 * @context_release may be called later, as long as somebody has the node open. They must not touch
 * these, and their own resources must belong to the DRM device (drmm_*, in @init).
 * loom_driver_exit() waits for them.
 *
 * Memory of the banks. Banks may be addresses only: then the bytes of buffers are in system pages,
 * and moving a buffer copies nothing. Or they are local memory of the device
 * (&loom_device_config.memory): then the core has bytes copied when a buffer gets an address or
 * loses it (@move_run, see memory/), and processes map it through BAR or bus (@memory_pfn).
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
 * * ending jobs by a call with a pointer, as trusted code can. The table of jobs in flight would be
 *   in each back end for hardware, with its races against timeouts and unplugging; soft, which has
 *   the pointer, pays for a look into a hash table;
 * * resubmitting all jobs after a reset, as the scheduler once did: see above;
 * * suspend and resume as operations beside stop and start. They were the same but for jobs in
 *   flight, and of these the core knows.
 */

/**
 * struct loom_device_memory - kind of memory of a region's banks
 */
struct loom_device_memory {
	/** @own: memory of the device's own. Else addresses, for bytes that are in system pages */
	bool own;
	/**
	 * @map_bytes: of @own: buffers whose pages and pitch are multiples of that can be mapped
	 * where they lie (&loom_backend.memory_pfn); a multiple of the processor's page. 0: none
	 */
	u32 map_bytes;
};

/**
 * struct loom_device_config - description of a device before it is probed
 *
 * Copied by loom_device_probe(), with which it is refused if it makes no sense. A back end that
 * knows nothing gives NULL: then all this is as the module's parameters say, and the back end keeps
 * order itself.
 */
struct loom_device_config {
	/** @chip: its description, must pass loom_chip_check() */
	struct drm_loom_chip chip;
	/** @has_caps: @caps hold. Else the module's parameters do, as they are at the moment */
	bool has_caps;
	/** @caps: limits of its clients */
	struct loom_quota_caps caps;
	/** @job_timeout_ms: a job that has the engine for longer is ended; 1 to INT_MAX */
	u32 job_timeout_ms;
	/**
	 * @jobs_in_flight: how many jobs it takes; the core keeps the others. 0: all, and the back
	 * end gives them their turns by &loom_job.turn; then it has &loom_backend.keeps_jobs, as
	 * nobody else knows when it has none
	 */
	u32 jobs_in_flight;
	/** @memory: kind of the banks, by &enum drm_loom_region */
	struct loom_device_memory memory[DRM_LOOM_REGION_COUNT];
	/**
	 * @host_slots: of devices with memory of their own: jobs also reach buffers that are in
	 * system pages, not in the SRAM: those that others share (memory/share.c). A buffer is
	 * there at &loom_backend.job_emit if &loom_bo.resident is false
	 */
	bool host_slots;
	/** @moves_in_flight: how many moves it takes beside the jobs; 0 if no region is its own */
	u32 moves_in_flight;
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
	/** @LOOM_JOB_FAILED: the device could not do it, and is all right otherwise */
	LOOM_JOB_FAILED = 2,
};

/**
 * struct loom_job_record - a job has ended, as the device says
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
	/** @LOOM_STOP_SLEEP: it is idle, or the system sleeps: what it was told of plans holds */
	LOOM_STOP_SLEEP,
	/** @LOOM_STOP_RESET: it may hang, and will be reset */
	LOOM_STOP_RESET,
	/** @LOOM_STOP_END: for good: it was unplugged, is wedged, or the system ends */
	LOOM_STOP_END,
};

/**
 * struct loom_backend - operations on a device
 *
 * Those that touch the device are called while it is there, and started: @dump, @memory_pfn,
 * @move_run, @poll, and those of jobs, unless they say otherwise. An errno is told to the client,
 * but for some that mean something to the core (EAGAIN, EBADMSG, EBUSY, EDEADLK, ENOSPC): these
 * become EIO.
 *
 * "Fence safe" is what others' fences wait for: it may sleep, but not allocate with GFP_KERNEL,
 * take a reservation lock, or wait for a client or a job.
 */
struct loom_backend {
	/** @name: for the log, fdinfo and reports */
	const char *name;
	/** @driver: initialised by loom_driver_init() */
	const struct drm_driver *driver;

	/**
	 * @init: set up &loom_device.backend_data, with all memory that @start and @reset will
	 * need. There are no jobs, interrupts are off; it must not start the device. Called once,
	 * in probe; may sleep and allocate. Its resources must be released with the DRM device
	 * (drmm_add_action_or_reset()). Returns 0 or -errno
	 */
	int (*init)(struct loom_device *loom);
	/**
	 * @start: make the device take jobs: firmware, rings, interrupts. Called in probe, when it
	 * wakes up, and after @reset; fence safe. &loom_device.epoch is the epoch from now on. A
	 * device that was stopped with jobs that it keeps must go on with them. The back end must
	 * send plans again that the device has forgotten, now or with the first job. Returns 0
	 * or -errno, and then the device is wedged, or not made
	 */
	int (*start)(struct loom_device *loom);
	/**
	 * @stop: when this returns the device touches nothing any more, no memory of buffers and
	 * none of the host; all records that it had written until then were given to
	 * loom_jobs_complete(), also those of which no interrupt has told, and no other will be
	 * until @start. Called after @start, never twice without another one; fence safe, and does
	 * not wait for the end of jobs. The device may be gone or hang. Jobs that it had: with
	 * @keeps_jobs it goes on with them at the next @start, unless the core has ended them
	 * meanwhile (@job_release); else it forgets them
	 */
	void (*stop)(struct loom_device *loom, enum loom_stop_reason why);
	/**
	 * @reset: make a device that hangs forget all that it was told. Called between @stop and
	 * @start, when &loom_device.epoch is a new one; fence safe. Returns 0, or -errno, and then
	 * the device is wedged. NULL: the device cannot hang, and @job_stop always ends a job
	 */
	int (*reset)(struct loom_device *loom);
	/**
	 * @poll: look for records now, and give them to loom_jobs_complete(), as an interrupt may
	 * have been lost; call loom_device_hang() if the device says that it has stopped, and no
	 * job is blamed. Called on &loom_device.timeout_wq, before one is, while the device is
	 * started; fence safe. May be NULL where nothing gets lost
	 */
	void (*poll)(struct loom_device *loom);
	/**
	 * @dump: say what may help whoever looks into a job that took too long: lines of
	 * "key: value", without addresses of the kernel and without bytes of clients; 4 KiB at
	 * most. Called on &loom_device.timeout_wq, before the job is stopped and the device
	 * forgets; fence safe. May be NULL
	 */
	void (*dump)(struct loom_device *loom, struct drm_printer *p);

	/**
	 * @memory_pfn: where a byte of a region is for the processor: the page that begins at
	 * @address, a multiple of it, in a bank. Called under a reservation lock; does not sleep.
	 * Returns true and the frame; false where it cannot be seen, and the bytes are copied to
	 * system pages for whoever maps them. May be NULL where &loom_device_memory.map_bytes is 0
	 */
	bool (*memory_pfn)(struct loom_device *loom, u32 region, u32 bank, u64 address,
			   unsigned long *pfn);
	/**
	 * @memory_clear: write zeroes to bytes of a bank, at most 1 MiB, by the processor. Called
	 * with &loom_flight.gate held for reading; fence safe. Returns false where it cannot reach
	 * all of them, and then the device is told to (LOOM_MOVE_CLEAR). May be NULL
	 */
	bool (*memory_clear)(struct loom_device *loom, u32 region, u32 bank, u64 address,
			     u64 bytes);
	/**
	 * @move_prepare: take all memory that a move will need, map its pages for DMA, and set
	 * &loom_move.run, which is not NULL then. The move may be of a part of the buffer, from
	 * &loom_move.offset on. Called under a reservation lock; may sleep and allocate. Returns 0,
	 * or -errno with nothing left to undo. NULL where no region is the device's own, as are the
	 * next two
	 */
	int (*move_prepare)(struct loom_move *move);
	/**
	 * @move_run: the device has the move from now on, until loom_moves_complete(). Fence safe,
	 * and does not wait for it. Called again, after @stop, @reset and @start, for one that had
	 * not ended
	 */
	void (*move_run)(struct loom_move *move);
	/**
	 * @move_release: undo @move_prepare; fence safe. The device does not have the move, or is
	 * stopped; it may be gone
	 */
	void (*move_release)(struct loom_move *move);

	/**
	 * @plan_create: a plan was proved safe: tell the device of it, or encode it for later. Not
	 * the bytes of a client, which are gone, but &loom_plan_object.plan. Called once for each
	 * plan, by PLAN_CREATE; may sleep and allocate, and leave something in
	 * &loom_plan_object.backend_data. The device is awake, but may be reset meanwhile, also
	 * afterwards. Returns 0, or -errno, which is PLAN_CREATE's. May be NULL
	 */
	int (*plan_create)(struct loom_plan_object *plan);
	/**
	 * @plan_destroy: undo @plan_create, which has succeeded. No job uses the plan any more. May
	 * sleep, but must not wait for jobs, as it may hold them up. The device may be gone: any
	 * access must be inside of drm_dev_enter(). May be NULL where @plan_create is
	 */
	void (*plan_destroy)(struct loom_plan_object *plan);

	/**
	 * @job_prepare: take all memory that the job will need, and set &loom_job.run, which is not
	 * NULL then. Called by SUBMIT, without locks; may sleep and allocate. Plan and buffers are
	 * known, their addresses are not. That includes room to keep what the job has in the
	 * scratch while others have their turn, where they have; one room for each context is
	 * enough (&loom_context.backend_data), as its jobs run one after the other, and is
	 * charged to the client with loom_quota_charge(). Returns 0, or -errno with &loom_job.run
	 * NULL and nothing left to undo
	 */
	int (*job_prepare)(struct loom_job *job);
	/**
	 * @job_emit: the buffers are placed and locked: note their addresses, or map them
	 * (loom_bo_map_locked()). The last that may fail. Called by SUBMIT with reservation locks
	 * held; may sleep and allocate. Called again if SUBMIT has to start over, and followed by
	 * @job_release without @job_run if it is given up. Returns 0 or -errno. The addresses hold
	 * until the job has ended
	 */
	int (*job_emit)(struct loom_job *job);
	/**
	 * @job_unmap: the job is about to end, and the device does not have it any more: take back
	 * what @job_emit has mapped for it. Called once for a job that was armed, before its fence
	 * signals and while the driver is bound; fence safe, must not sleep. Mappings of a job
	 * that was given up are left to @job_release. May be NULL
	 */
	void (*job_unmap)(struct loom_job *job);
	/**
	 * @job_run: the doorbell: the device has the job from now on, until its record is given to
	 * loom_jobs_complete(). Called for one job of each context at a time, and for one at all
	 * with &loom_device_config.jobs_in_flight: then a record of it waits until this returns, so
	 * loom_jobs_complete() is not called from here. Else the device may be stopped, and the job
	 * be freed as soon as the device has it. Fence safe, and does not wait for the job.
	 * loom_job_stop_reason() is 0, or has become something else at this moment: then @job_stop
	 * comes, or has come already
	 */
	void (*job_run)(struct loom_job *job);
	/**
	 * @job_progress: how far is the job? Of one that the device has; or of one that has ended,
	 * where the device cannot be reset. Called on &loom_device.timeout_wq; fence safe.
	 * Unknown fields must be zero; if all are, the job counts as one that moves
	 */
	void (*job_progress)(struct loom_job *job, struct loom_job_position *position);
	/**
	 * @job_stop: loom_job_stop_reason() is not 0 any more: have the job end soon, without
	 * waiting for its turn; if it waits behind others, as soon as it begins. Called under
	 * spinlocks, for a job that was given to @job_run or is about to be, or has just ended, and
	 * perhaps more than once; does not sleep. If the job has not ended soon after it was told,
	 * or after it has begun, the device is reset
	 */
	void (*job_stop)(struct loom_job *job);
	/**
	 * @job_release: undo @job_prepare and @job_emit. Called once for each job that was
	 * prepared: after its fence has signalled, whether it was run or not, or by SUBMIT if it
	 * could not be queued. If the device still has it, that is stopped, and forgets it. May
	 * sleep, but not wait for other jobs, which it holds up; may be called when the device is
	 * gone, and does not touch it
	 */
	void (*job_release)(struct loom_job *job);
	/**
	 * @context_release: give back &loom_context.backend_data, which is not NULL. Called once,
	 * when the last job of the context was released; may sleep. The device may be gone
	 */
	void (*context_release)(struct loom_context *context);

	/**
	 * @keeps_jobs: a device that was stopped goes on with its jobs at the next @start. Else
	 * the core waits for their end before the system sleeps
	 */
	bool keeps_jobs;
};

/*
 * Calls that a back end must make while it runs a job:
 *
 * - loom_job_turn_begin() when the engine begins with it or goes on with it, and
 *   loom_job_turn_end() when the engine leaves it for another job before its end: the time in
 *   between counts for the timeout;
 * - loom_job_busy() from time to time, with the time that the engine has worked on it since, if it
 *   knows that better than by when its turn began;
 * - loom_jobs_complete(), from a thread that may sleep (a threaded interrupt handler, a work), and
 *   loom_moves_complete() for moves;
 * - loom_device_hang() if it finds out by itself that the device hangs;
 * - loom_device_new_epoch(), in @start, if the device has lost more in its sleep than it should;
 * - loom_device_hide() and loom_device_show() around anything that makes its memory invisible to
 *   the processor (a reset of the function), in @reset;
 * - loom_device_move_out() when the system is about to sleep in a way that loses the memory;
 * - loom_device_reset_prepare() and loom_device_reset_done() when its bus resets it, because
 *   somebody wants that.
 *
 * A job may be freed before loom_jobs_complete() returns: neither it nor its &loom_job.run is
 * touched afterwards.
 */
int loom_jobs_complete(struct loom_device *loom, const struct loom_job_record *records, u32 count);
int loom_moves_complete(struct loom_device *loom, u64 id, u32 epoch, bool failed);
void loom_device_hang(struct loom_device *loom, u32 epoch);
u32 loom_device_new_epoch(struct loom_device *loom);
void loom_device_wedge(struct loom_device *loom, const char *why);
void loom_device_hide(struct loom_device *loom);
void loom_device_show(struct loom_device *loom);
int loom_device_move_out(struct device *dev);
void loom_device_reset_prepare(struct device *dev);
void loom_device_reset_done(struct device *dev);

#endif /* LOOM_BACKEND_H */
