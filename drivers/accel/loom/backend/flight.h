/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FLIGHT_H
#define LOOM_FLIGHT_H

#include <linux/hashtable.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "turn.h"

struct loom_device;
struct loom_job;

#define LOOM_FLIGHT_BITS	6

/**
 * struct loom_flight - jobs between the scheduler and the device
 */
struct loom_flight {
	/** @gate: held for reading while a job is given to the device; who resets it closes it */
	struct rw_semaphore gate;
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
	/** @idle: for who waits until @running is 0 */
	wait_queue_head_t idle;
	/** @work: gives jobs to the device, for those who may not */
	struct work_struct work;
	/** @jobs: what the device has, by &loom_job.id; under &loom_device.job_lock */
	DECLARE_HASHTABLE(jobs, LOOM_FLIGHT_BITS);
};

void loom_flight_init(struct loom_device *loom);
void loom_flight_add(struct loom_job *job);
void loom_flight_stop(struct loom_job *job);
void loom_flight_forget(struct loom_job *job);
int loom_flight_pause(struct loom_device *loom, u32 timeout_ms);
void loom_flight_resume(struct loom_device *loom);
void loom_flight_renew(struct loom_device *loom, struct loom_job *guilty);

#endif /* LOOM_FLIGHT_H */
