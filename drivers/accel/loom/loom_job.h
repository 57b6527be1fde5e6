/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_JOB_H
#define LOOM_JOB_H

#include <drm/gpu_scheduler.h>
#include <drm/loom_accel.h>

#include "backend/backend.h"
#include "backend/turn.h"
#include "loom_region.h"

struct loom_bo;
struct loom_context;
struct loom_device;
struct loom_fence;
struct loom_plan_object;

/**
 * struct loom_job_slot - binding of a buffer to a slot
 */
struct loom_job_slot {
#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
	/** @node: in &loom_bo.jobs, or empty, once armed; under &loom_device.job_lock */
	struct list_head node;
	/** @job: the job of this slot, once armed */
	struct loom_job *job;
#endif
	/** @bo: the buffer, with a reference */
	struct loom_bo *bo;
	/** @offset: first byte in @bo */
	u64 offset;
	/** @size: bytes that the plan uses */
	u64 size;
	/** @flags: DRM_LOOM_SLOT_* */
	u32 flags;
};

/**
 * struct loom_job - a run of a plan
 *
 * Owned by the client's thread until it is queued, then by the scheduler, which frees it after its
 * fence has signalled.
 */
struct loom_job {
	/** @base: base */
	struct drm_sched_job base;
	/** @loom: the device; @context holds a reference */
	struct loom_device *loom;
	/** @context: its queue, with a reference */
	struct loom_context *context;
	/** @plan: the plan, with a reference */
	struct loom_plan_object *plan;
	/** @fence: signals when it has ended; the only fence visible outside of the driver */
	struct loom_fence *fence;
	/** @scratch: SRAM held from SUBMIT to the end of the job */
	struct loom_region_scratch scratch;
	/** @id: number of the job on its device, 0 until it is armed; for traces and debugfs */
	u64 id;
	/** @charged: it counts against its file's cap; cleared when it ends or is freed */
	bool charged;
	/** @node: in &loom_device.jobs, under its lock, from being armed to being freed */
	struct list_head node;
	/** @client_node: in &loom_file.jobs_list, as @node */
	struct list_head client_node;
	/** @turn: its node in the run queue; under the lock of that */
	struct loom_turn turn;
	/** @flight_node: in &loom_flight.jobs while on the device; under &loom_device.job_lock */
	struct hlist_node flight_node;
	/** @order_node: in &loom_flight.order, or empty; under &loom_flight.lock */
	struct list_head order_node;
	/** @counted: it is one of &loom_flight.running; under &loom_flight.lock */
	bool counted;
	/** @given_ns: time when the device got it; set just before */
	u64 given_ns;
	/** @stop_ns: time when the device was told to stop it, or 0; under &loom_flight.lock */
	u64 stop_ns;
#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
	/** @was_reset: its lanes were reset; same lock */
	bool was_reset;
#endif
	/** @begun: it has had the engine; under &loom_context.lock */
	bool begun;
	/** @seen: position at the last timeout check; accessed on &loom_device.timeout_wq only */
	struct loom_job_position seen;
	/** @busy_ns: engine time so far; under &loom_context.lock */
	u64 busy_ns;
	/** @turn_ns: while it has the engine: begin of the time not yet in @busy_ns; same lock */
	u64 turn_ns;
	/**
	 * @started: it was given to the back end; set once by the scheduler's workqueue, under
	 * &loom_device.job_lock, so that a job is not started if @stop was set before
	 */
	bool started;
	/** @powered: holds a reference of runtime PM */
	bool powered;
	/** @stop: -errno if it must end early, or 0; set once with cmpxchg() */
	int stop;
	/** @ended: a thread has claimed its end; set once with xchg() */
	bool ended;
	/** @release: frees it */
	struct work_struct release;
	/** @run: owned by the back end */
	void *run;
	/** @slot_count: number of @slots */
	u32 slot_count;
	/** @slots: bindings, by slot */
	struct loom_job_slot slots[] __counted_by(slot_count);
};

static inline struct loom_job *to_loom_job(struct drm_sched_job *base)
{
	return container_of(base, struct loom_job, base);
}

bool loom_job_has_begun(struct loom_job *job);
u64 loom_job_engine_ns(struct loom_job *job);

bool __must_check loom_job_claim_end(struct loom_job *job);
void loom_job_end_claimed(struct loom_job *job, int error,
			  const struct drm_loom_counters *counters);
void loom_job_end(struct loom_job *job, int error);
void loom_job_end_all(struct loom_device *loom, int error);

void loom_job_arm(struct loom_job *job);
void loom_job_uncharge(struct loom_job *job);

#endif /* LOOM_JOB_H */
