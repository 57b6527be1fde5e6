/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BACKEND_H
#define LOOM_BACKEND_H

#include <linux/types.h>

#include <drm/loom_accel.h>

#include "loom_quota.h"

struct drm_driver;
struct drm_printer;
struct loom_context;
struct loom_device;
struct loom_job;
struct loom_plan_object;

/**
 * DOC: What a back end is
 *
 * A back end drives devices of one kind: it makes or finds them, and runs jobs on them. Everything
 * else is the core's: clients, memory of the banks, proofs, order between contexts, timeouts, who
 * is to blame for one, unplugging, power. The two know of each other what is in this file: a
 * description (&struct loom_device_config), operations (&struct loom_backend), records of jobs that
 * have ended (&struct loom_job_record), and what a back end may call.
 *
 * The life of a device, in operations::
 *
 *   init                                         memory of the host; no registers, no interrupts
 *   start                                        it takes jobs
 *     plan_create                                once for each plan that was proved safe
 *       job_prepare, job_emit, job_run           once for each job; then a record
 *       job_progress, job_stop                   if it takes too long, or nobody wants it any more
 *       job_release
 *     plan_destroy
 *     stop, reset, start                         if it hangs
 *     stop, start                                if it sleeps
 *   stop                                         unplugged, or wedged
 *   (what init took is given back)
 *
 * What may fail, and when. Everything that a job needs is taken before it is armed: memory in
 * @job_prepare, where nothing is locked; addresses in @job_emit, when its buffers are placed and
 * locked. From then on others wait for its fence, so nothing may fail or allocate: not @job_run,
 * @job_stop and @job_progress, and not @stop, @reset and @start, which are what a hanging job
 * waits for.
 *
 * Who may be believed. A device is a peer that may be broken or hostile. The core takes nothing
 * from it but records, and looks each one up: it is of a job that the device has, in this epoch,
 * and says something that is known. If it does not, the device is not asked again (it is wedged).
 * Counters are for clients to look at; time that counts is the host's. A back end does the
 * same with what it reads: once, into memory of its own, and checks that.
 *
 * How a job that takes too long ends: the core asks @job_progress whether it moved, has it stopped
 * by @job_stop, waits, and if that does not help stops the device, resets it with a new epoch and
 * starts it again. The job at fault ends with ETIME. Of the others, those that had begun end with
 * ECANCELED, as a job may have written over what it has read and cannot be run again; those that
 * had not are run by the new epoch. Records of an earlier epoch are dropped.
 *
 * Two kinds of order. A device that goes from job to job by itself takes a few at a time
 * (&loom_device_config.jobs_in_flight), and the core decides who comes next, by backend/turn.c. A
 * back end that can interrupt jobs takes all of them, and decides by the same lists in smaller
 * pieces: soft does.
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
 * struct loom_device_config - what a back end knows of a device before it is probed
 *
 * Lives as long as the device. A back end that knows nothing gives NULL: then all this is as the
 * module's parameters say, and the back end keeps order itself.
 */
struct loom_device_config {
	/** @chip: what it is made of: loom_chip_check() finds no fault in it */
	struct drm_loom_chip chip;
	/** @caps: what its clients may have */
	struct loom_quota_caps caps;
	/** @job_timeout_ms: a job that has the engine for longer is ended; 1 to INT_MAX */
	u32 job_timeout_ms;
	/**
	 * @jobs_in_flight: how many jobs it takes; the core keeps the others. 0: all, and the back
	 * end gives them their turns by &loom_job.turn
	 */
	u32 jobs_in_flight;
};

/**
 * enum loom_job_status - how a job ended
 */
enum loom_job_status {
	/** @LOOM_JOB_DONE: all of it was run */
	LOOM_JOB_DONE = 0,
	/** @LOOM_JOB_STOPPED: some of it was run, because of &loom_backend.job_stop */
	LOOM_JOB_STOPPED = 1,
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
	/** @counters: what it did */
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
	/** @counters: what the job has done */
	struct drm_loom_counters counters;
};

/**
 * struct loom_backend - operations on a device
 *
 * Those that touch the device are called while it is there: drm_dev_enter() has succeeded, or the
 * core is about to let it go (@stop). Others say so.
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
	 * need. There are no jobs, interrupts are off, nothing is to be started. Called once, in
	 * probe; may sleep and allocate. What it takes is released with the DRM device
	 * (drmm_add_action_or_reset()). Returns 0 or -errno
	 */
	int (*init)(struct loom_device *loom);
	/**
	 * @start: make the device take jobs: firmware, rings, interrupts. Called in probe, when it
	 * wakes up, and after @reset; fence safe. &loom_device.epoch is the epoch from now on. A
	 * device that was stopped with jobs that it keeps goes on with them. Returns 0 or -errno,
	 * and then the device is wedged, or not made
	 */
	int (*start)(struct loom_device *loom);
	/**
	 * @stop: when this returns the device touches nothing any more, no memory of buffers and
	 * none of the host, and no record will be given to loom_jobs_complete() until @start.
	 * Called after @start, never twice without another one; fence safe, and does not wait for
	 * the end of jobs. The device may be gone or hang. Jobs that it had: with @keeps_jobs it
	 * goes on with them at the next @start, unless the core has ended them meanwhile
	 * (@job_release); else it forgets them
	 */
	void (*stop)(struct loom_device *loom);
	/**
	 * @reset: make a device that hangs forget all that it was told. Called between @stop and
	 * @start, when &loom_device.epoch is a new one; fence safe. Returns 0, or -errno, and then
	 * the device is wedged. NULL: the device cannot hang, and @job_stop always ends a job
	 */
	int (*reset)(struct loom_device *loom);
	/**
	 * @dump: say what may help whoever looks into a job that took too long: lines of
	 * "key: value", without addresses of the kernel and without bytes of clients. Called for a
	 * devcoredump, later and more than once; may sleep and allocate. May be NULL
	 */
	void (*dump)(struct loom_device *loom, struct drm_printer *p);

	/**
	 * @plan_create: a plan was proved safe: tell the device of it, or encode it for later. Not
	 * the bytes of a client, which are gone, but &loom_plan_object.plan. Called once for each
	 * plan, by PLAN_CREATE; may sleep and allocate, and leave something in
	 * &loom_plan_object.backend_data. Returns 0, or -errno, which is PLAN_CREATE's. May be NULL
	 */
	int (*plan_create)(struct loom_plan_object *plan);
	/**
	 * @plan_destroy: undo @plan_create, which has succeeded. No job uses the plan any more. May
	 * sleep; may hold up jobs, so does not wait for any. The device may be gone: who touches it
	 * asks drm_dev_enter(). May be NULL where @plan_create is
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
	 * @job_run: the doorbell: the device has the job from now on, until its record is given to
	 * loom_jobs_complete(). Called for one job of each context at a time; fence safe, and does
	 * not wait for the job. loom_job_stop_reason() is 0, or has become something else at this
	 * moment: then @job_stop comes, or has come already
	 */
	void (*job_run)(struct loom_job *job);
	/**
	 * @job_progress: how far is the job? Of one that the device has, or that has ended and was
	 * not released. Called on &loom_device.timeout_wq; fence safe. What is not known is zero
	 */
	void (*job_progress)(struct loom_job *job, struct loom_job_position *position);
	/**
	 * @job_stop: loom_job_stop_reason() is not 0 any more: have the job end soon, without
	 * waiting for its turn. Called under spinlocks, for a job that was given to @job_run or is
	 * about to be, and perhaps more than once; does not sleep
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
 * What a back end calls while it runs a job:
 *
 * - loom_job_turn_begin() when the engine begins with it or goes on with it, and
 *   loom_job_turn_end() when the engine leaves it for another job before its end: the time in
 *   between is what the timeout counts;
 * - loom_job_busy() from time to time, with the time that the engine has worked on it since, if it
 *   knows that better than by when its turn began;
 * - loom_jobs_complete(), from a thread that may sleep (a threaded interrupt handler, a work).
 *
 * A job may be freed before loom_jobs_complete() returns: neither it nor its &loom_job.run is
 * touched afterwards.
 */
int loom_jobs_complete(struct loom_device *loom, const struct loom_job_record *records, u32 count);
void loom_device_wedge(struct loom_device *loom, const char *why);

#endif /* LOOM_BACKEND_H */
