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
/* A device has so long to end a job that it is told to stop; see grace.c. */
#define LOOM_FLIGHT_GRACE_MS	2000

/**
 * struct loom_flight - jobs between the scheduler and the device
 */
struct loom_flight {
	/** @gate: held for reading while a job is given to the device; who resets it closes it */
	struct rw_semaphore gate;
	/**
	 * @give_lock: held from choosing a job to when the device has it, so that the device gets
	 * them in the order of @order, and by who waits for the end of that; inside of @gate
	 */
	struct mutex give_lock;
	/** @lock: protects what follows, but for @jobs; inside of &loom_device.job_lock */
	spinlock_t lock;
	/** @turns: jobs that wait for the device to have room */
	struct loom_turns turns;
	/** @order: those that are counted in @running, the oldest first */
	struct list_head order;
	/** @running: jobs that the device has, where the core counts them */
	u32 running;
	/** @limit: most that @running may be; 0: any number, and @turns is empty. Constant */
	u32 limit;
	/** @paused: none is given to the device */
	bool paused;
	/** @on: the device is started, and may be told to stop jobs */
	bool on;
	/** @idle: for who waits until @running is 0 */
	wait_queue_head_t idle;
	/** @work: gives jobs to the device, for those who may not */
	struct work_struct work;
	/** @grace_work: looks for jobs that were told to stop long ago, on a timeout workqueue */
	struct delayed_work grace_work;
	/** @giving: &loom_job.id of who is being given, or 0; under &loom_device.job_lock */
	u64 giving;
	/** @jobs: what the device has, by &loom_job.id; under &loom_device.job_lock */
	DECLARE_HASHTABLE(jobs, LOOM_FLIGHT_BITS);
};

int loom_flight_init(struct loom_device *loom);
void loom_flight_add(struct loom_job *job);
void loom_flight_stop(struct loom_job *job);
void loom_flight_forget(struct loom_job *job);
u64 loom_flight_turn_ns(struct loom_device *loom, const struct loom_file *client);
int loom_flight_pause(struct loom_device *loom, u32 timeout_ms);
void loom_flight_resume(struct loom_device *loom);
void loom_flight_on(struct loom_device *loom);
void loom_flight_expect(struct loom_device *loom);
u64 loom_flight_overdue(struct loom_device *loom, bool *more);
void loom_flight_renew(struct loom_device *loom, u64 guilty);

#endif /* LOOM_FLIGHT_H */
