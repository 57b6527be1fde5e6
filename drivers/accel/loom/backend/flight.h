/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FLIGHT_H
#define LOOM_FLIGHT_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "turn.h"

struct loom_device;
struct loom_file;
struct loom_job;

#define LOOM_FLIGHT_BITS	6
/* Time for a device to end a job after it was told to stop; see grace.c. */
#define LOOM_FLIGHT_GRACE_MS	2000

/**
 * struct loom_flight - jobs between the scheduler and the device
 */
struct loom_flight {
	/** @gate: held for reading while giving a job to the device, for writing during a reset */
	struct rw_semaphore gate;
	/**
	 * @give_lock: held from choosing a job until the device has it, so that the device gets
	 * jobs in the order of @order; nests inside of @gate
	 */
	struct mutex give_lock;
	/**
	 * @lock: protects the fields below except @giving and @jobs; nests inside of
	 * &loom_device.job_lock
	 */
	spinlock_t lock;
	/** @turns: jobs that wait for the device to have room */
	struct loom_turns turns;
	/** @order: jobs counted in @running, the oldest first */
	struct list_head order;
	/** @running: number of jobs on the device, if @limit is not 0 */
	u32 running;
	/** @limit: maximum of @running; 0: no limit, and @turns is empty. Constant */
	u32 limit;
	/** @paused: no jobs are given to the device */
	bool paused;
	/** @on: the device is started, and may be told to stop jobs */
	bool on;
	/** @idle: woken up when @running becomes 0 */
	wait_queue_head_t idle;
	/** @work: gives jobs to the device, for contexts that cannot take @gate */
	struct work_struct work;
	/** @grace_work: looks for jobs that were told to stop long ago, on a timeout workqueue */
	struct delayed_work grace_work;
	/** @giving: &loom_job.id of the job being given, or 0; under &loom_device.job_lock */
	u64 giving;
	/** @jobs: jobs on the device, by &loom_job.id; under &loom_device.job_lock */
	DECLARE_HASHTABLE(jobs, LOOM_FLIGHT_BITS);
};

int loom_flight_init(struct loom_device *loom);
void loom_flight_add(struct loom_job *job);
void loom_flight_stop(struct loom_job *job);
void loom_flight_forget(struct loom_job *job);
int loom_flight_pause(struct loom_device *loom, u32 timeout_ms);
void loom_flight_resume(struct loom_device *loom);
void loom_flight_on(struct loom_device *loom);
void loom_flight_expect(struct loom_device *loom);
u64 loom_flight_overdue(struct loom_device *loom, bool *more);
void loom_flight_renew(struct loom_device *loom, u64 guilty);

#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
bool loom_flight_reset_lanes(struct loom_device *loom, u64 id);
#else
static inline bool loom_flight_reset_lanes(struct loom_device *loom, u64 id)
{
	return false;
}
#endif

#endif /* LOOM_FLIGHT_H */
