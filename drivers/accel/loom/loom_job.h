/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_JOB_H
#define LOOM_JOB_H

#include <drm/gpu_scheduler.h>
#include <drm/loom_accel.h>

#include "loom_region.h"

struct loom_bo;
struct loom_context;
struct loom_device;
struct loom_fence;
struct loom_plan_object;

/**
 * struct loom_job_slot - what is bound to a slot
 */
struct loom_job_slot {
	/** @node: in &loom_bo.jobs, or empty; under &loom_device.job_lock */
	struct list_head node;
	/** @job: whose slot */
	struct loom_job *job;
	/** @bo: the buffer, with a reference */
	struct loom_bo *bo;
	/** @offset: first byte in it */
	u64 offset;
	/** @size: bytes that the plan uses */
	u64 size;
	/** @flags: DRM_LOOM_SLOT_* */
	u32 flags;
};

/**
 * struct loom_job - a run of a plan
 *
 * Owned by the client's thread until it is queued, then by the scheduler, which frees
 * it when its fence has signalled.
 */
struct loom_job {
	/** @base: base */
	struct drm_sched_job base;
	/** @loom: the device; the context keeps it */
	struct loom_device *loom;
	/** @context: its queue, with a reference */
	struct loom_context *context;
	/** @plan: what is run, with a reference */
	struct loom_plan_object *plan;
	/** @fence: signals when it has ended; what the world outside of the driver waits for */
	struct loom_fence *fence;
	/** @scratch: SRAM held from SUBMIT to the end of the job */
	struct loom_region_scratch scratch;
	/** @id: number of the job on its device, 0 until it is armed; for traces and debugfs */
	u64 id;
	/** @charged: it counts against its file's cap; cleared when it ends, or is freed before */
	bool charged;
	/** @node: in &loom_device.jobs, under its lock, from being armed to being freed */
	struct list_head node;
	/** @busy_ns: how long the engine has worked on it; under &loom_context.lock */
	u64 busy_ns;
	/** @turn_ns: while it has the engine: since when it was not counted; under the same lock */
	u64 turn_ns;
	/**
	 * @started: the back end has it or had it; set once by the scheduler's workqueue, under
	 * &loom_device.job_lock, so that a job whose @stop was set before is not started
	 */
	bool started;
	/** @powered: holds a reference of runtime PM */
	bool powered;
	/** @stop: -errno: why it shall end early, or 0; set once with cmpxchg() */
	int stop;
	/** @ended: somebody has come to give it its end; set once with xchg() */
	bool ended;
	/** @run: owned by the back end */
	void *run;
	/** @slot_count: number of @slots */
	u32 slot_count;
	/** @slots: what is bound, by slot */
	struct loom_job_slot slots[] __counted_by(slot_count);
};

static inline struct loom_job *to_loom_job(struct drm_sched_job *base)
{
	return container_of(base, struct loom_job, base);
}

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

void loom_job_revoked(struct loom_region_scratch *scratch);
int loom_job_revoke(struct loom_device *loom, struct loom_bo *bo);
int loom_job_stop_reason(const struct loom_job *job);
void loom_job_turn_begin(struct loom_job *job);
void loom_job_turn_end(struct loom_job *job);
void loom_job_busy(struct loom_job *job, u64 busy_ns);
void loom_job_end(struct loom_job *job, int error, const struct drm_loom_counters *counters);
void loom_job_wait_end(struct loom_job *job);

void loom_job_arm(struct loom_job *job);
void loom_job_free(struct loom_job *job);

int loom_job_device_init(struct loom_device *loom);
void loom_job_device_fini(struct loom_device *loom);
void loom_job_end_all(struct loom_device *loom, int error);

#endif /* LOOM_JOB_H */
