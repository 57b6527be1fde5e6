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
	/** @fence: signals when the back end is done with it */
	struct loom_fence *fence;
	/** @scratch: SRAM held from SUBMIT to the end of the job */
	struct loom_region_scratch scratch;
	/** @started: run_job() has given it to the back end; scheduler's workqueue only */
	bool started;
	/** @stop: -errno: why it shall end early, or 0; set once with cmpxchg() */
	int stop;
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

int loom_job_stop_reason(const struct loom_job *job);
void loom_job_busy(struct loom_job *job, u64 busy_ns);
void loom_job_end(struct loom_job *job, int error, const struct drm_loom_counters *counters);
void loom_job_wait_end(struct loom_job *job);

void loom_job_free(struct loom_job *job);

int loom_job_sched_init(struct loom_device *loom);
void loom_job_sched_fini(struct loom_device *loom);

#endif /* LOOM_JOB_H */
