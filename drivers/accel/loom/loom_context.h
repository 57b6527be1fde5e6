/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_CONTEXT_H
#define LOOM_CONTEXT_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>
#include <drm/loom_accel.h>

#include "core/loom_mask.h"

struct loom_device;
struct loom_file;

/**
 * struct loom_context - a queue of jobs
 */
struct loom_context {
	/** @ref: the id of its file, and each job in it */
	struct kref ref;
	/** @loom: the device, with a reference */
	struct loom_device *loom;
	/** @client: the file it was made on, with a reference */
	struct loom_file *client;
	/** @priority: DRM_LOOM_PRIORITY_*, constant; for the back end */
	u32 priority;
	/** @sched: hands over one job at a time to the back end; its queue is @entity */
	struct drm_gpu_scheduler sched;
	/** @entity: its queue, the only one of @sched; armed and pushed to under @push_lock */
	struct drm_sched_entity entity;
	/** @push_lock: held from arming a job to pushing it, so that the order is the same */
	struct mutex push_lock;
	/** @timeline: of the fences of its jobs, constant */
	u64 timeline;
	/** @seqno: of the job that was armed last; under @push_lock */
	u64 seqno;
	/** @backend_data: owned by the back end, NULL at first */
	void *backend_data;
	/** @lane_count: number of @lanes; zero: it has the whole device in its turns. Constant */
	u32 lane_count;
	/** @lanes: lanes that it owns until its last job has ended; constant */
	struct loom_mask lanes;
#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
	/** @exclusive: suspends the rules about the SRAM while it has an id, constant */
	bool exclusive;
	/** @privileged: was made with CAP_SYS_NICE, constant */
	bool privileged;
#endif
	/** @guilty: a job was ended by the timeout; set once */
	atomic_t guilty;
	/** @lock: protects @counters and @resets, and the times of its jobs */
	spinlock_t lock;
	/** @counters: sums over the jobs that have ended */
	struct drm_loom_counters counters;
	/**
	 * @resets: jobs ended by the timeout. Named as in the UAPI, where clients of other drivers
	 * look for resets; the device itself need not have been reset, see sched/sched.c
	 */
	u32 resets;
	/** @release: frees it after an RCU grace period, where waiting for @sched is safe */
	struct rcu_work release;
};

/* The lanes that a context owns; NULL: it has the whole device in its turns. */
static inline const struct loom_mask *loom_context_lanes(const struct loom_context *context)
{
	return context->lane_count ? &context->lanes : NULL;
}

struct loom_context *loom_context_lookup(struct loom_file *client, u32 id);
struct loom_context *loom_context_get(struct loom_context *context);
void loom_context_put(struct loom_context *context);
void loom_context_drop_all(struct loom_file *client);
void loom_context_account(struct loom_context *context,
			  const struct drm_loom_counters *counters, bool timed_out);

void loom_context_queue(struct work_struct *work);
int loom_context_module_init(void);
void loom_context_module_exit(void);

#endif /* LOOM_CONTEXT_H */
