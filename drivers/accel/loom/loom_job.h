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
	/** @client_node: in &loom_file.jobs_list, as @node */
	struct list_head client_node;
	/** @turn: its place among those who want the device; of who keeps order */
	struct loom_turn turn;
	/** @flight_node: in &loom_flight.jobs while the device has it; under @loom's job_lock */
	struct hlist_node flight_node;
	/** @order_node: in &loom_flight.order, or empty; under &loom_flight.lock */
	struct list_head order_node;
	/** @counted: it is one of &loom_flight.running; under &loom_flight.lock */
	bool counted;
	/** @given_ns: when the device got it; set before it does */
	u64 given_ns;
	/** @stop_ns: when the device was told to stop it, or 0; under &loom_flight.lock */
	u64 stop_ns;
	/** @begun: it has had the engine; under &loom_context.lock */
	bool begun;
	/** @seen: where it was when the timeout was looked at last; of &loom_device.timeout_wq */
	struct loom_job_position seen;
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
	/** @release: frees it */
	struct work_struct release;
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
void loom_job_turn_begin(struct loom_job *job);
void loom_job_turn_end(struct loom_job *job);
void loom_job_busy(struct loom_job *job, u64 busy_ns);
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
