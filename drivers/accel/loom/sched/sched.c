// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "backend/backend.h"
#include "backend/flight.h"
#include "backend/power.h"
#include "grace.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_job.h"
#include "loom_leftover.h"
#include "loom_plan_object.h"
#include "loom_sync.h"
#include "report/report.h"
#include "reset.h"
#include "sched.h"

/**
 * DOC: Jobs
 *
 * A job is a plan with buffers bound to its slots. loom_submit.c creates and queues it; this file
 * has the callbacks of the scheduler from then on.
 *
 * The scheduler of a context hands its jobs to the back end, one after the other, when the fences
 * that they wait for have signalled. So many jobs can be in flight, but only one per context. The
 * back end picks the next job and its time slice, because only the back end knows where a job can
 * be preempted; see turn.c for the order and the slices. Order between contexts is by explicit
 * fences only. Buffers get the job's fence too, for eviction and BO_WAIT, not for ordering.
 *
 * There is one engine and one scratch, and one job owns both at any time; or jobs of partitions
 * (loom_lanes.c), which share no lane, own their lanes of both. The scratch of a
 * preempted job is saved, so the scratches of all jobs may overlap (see loom_region.c).
 *
 * The timeout counts the engine time of a job, not the wait for its turn: otherwise a client could
 * end the jobs of others by submitting many of its own. The scheduler checks it every eighth of the
 * timeout, and the first check that finds it exceeded ends the job. Between two reports of the back
 * end (loom_job_busy()) wall-clock time counts for the job that has the engine, so that a hanging
 * engine reaches the timeout as well.
 *
 * The back end is then asked to stop the job, which takes effect between two pieces of work. If the
 * job does not end within its grace period (grace.c), the device is reset (reset.c), or at first
 * only the lanes of its partition. A device that cannot hang is not reset, and jobs of other
 * contexts are not affected. The error of the job's fence is ETIME, and the scheduler's
 * drm_sched_increase_karma() makes its context guilty; &loom_context.resets counts such jobs. One
 * line in the log and a devcoredump report its position, see report/report.c.
 *
 * Unplugging: the gate between scheduler and back end is drm_dev_enter(). After drm_dev_unplug() no
 * job passes it, the device is stopped, and all jobs end with ENODEV (loom_job_end_all()). The
 * schedulers are not stopped: the fences of queued jobs are signalled at once, even if they wait
 * for other fences, and the scheduler frees these jobs later. Stopping the schedulers first was
 * rejected: a stopped scheduler frees nothing, and must be started again to drain.
 */

/* ------------------------------------------------------------------- jobs */

/**
 * loom_job_stop_all() - stop all jobs of a file
 * @loom: the device, not unplugged
 * @client: the file; loom_job_stop_reason() is not 0 for its jobs
 *
 * Started jobs end soon. The others will not be started.
 */
void loom_job_stop_all(struct loom_device *loom, struct loom_file *client)
{
	struct loom_job *job;
	LIST_HEAD(seen);

	spin_lock(&loom->job_lock);
	while ((job = list_first_entry_or_null(&client->jobs_list, struct loom_job, client_node))) {
		/* freeing a job calls list_del() on whichever list holds it, so @seen is safe */
		list_move_tail(&job->client_node, &seen);
		if (job->started)
			loom_flight_stop(job);
		cond_resched_lock(&loom->job_lock);
	}
	list_splice(&seen, &client->jobs_list);
	spin_unlock(&loom->job_lock);
}

/**
 * loom_job_free() - free a job that was not queued, or that has ended
 * @job: the job, in any state of its construction by loom_submit.c
 */
void loom_job_free(struct loom_job *job)
{
	struct loom_fence *fence = job->fence;
	u32 i;

	loom_flight_forget(job);
	if (job->id) {
		spin_lock(&job->loom->job_lock);
		list_del(&job->node);
		list_del(&job->client_node);
		loom_job_delist_locked(job);
		spin_unlock(&job->loom->job_lock);
	}
	if (job->base.s_fence)
		drm_sched_job_cleanup(&job->base);
	loom_region_release(&job->loom->region[DRM_LOOM_REGION_SRAM], &job->scratch);
	if (job->run)
		job->loom->backend->job_release(job);
	for (i = 0; i < job->slot_count; i++)
		if (job->slots[i].bo)
			drm_gem_object_put(&job->slots[i].bo->tbo.base);
	loom_job_uncharge(job);
	loom_region_job_freed(job->loom->region, job->context->client);
	loom_plan_object_put(job->plan);
	if (job->powered)
		loom_power_put(job->loom);
	loom_context_put(job->context);
	kfree(job);
	/* must be last: if the file is closed, the fence keeps the module in memory */
	if (fence)
		loom_fence_put(fence);
}

/* -------------------------------------------------------------- scheduler */

/* From here on a thread that stops the job must also call the back end. */
static int loom_job_mark_started(struct loom_job *job)
{
	int error;

	spin_lock(&job->loom->job_lock);
	error = loom_job_stop_reason(job);
	WRITE_ONCE(job->started, !error);
	spin_unlock(&job->loom->job_lock);
	return error;
}

static int loom_job_start(struct loom_job *job)
{
	int error = loom_job_stop_reason(job), idx;

	/* set by the scheduler when the context became guilty meanwhile */
	if (!error)
		error = job->base.s_fence->finished.error;
	if (!error)
		error = loom_region_start(&job->loom->region[DRM_LOOM_REGION_SRAM], &job->scratch,
					  &job->fence->base);
	if (error)
		return error;
	if (!drm_dev_enter(&job->loom->drm, &idx))
		return -ENODEV;
	error = loom_job_mark_started(job);
	if (!error)
		loom_flight_add(job);
	drm_dev_exit(idx);
	return error;
}

static struct dma_fence *loom_job_sched_run(struct drm_sched_job *base)
{
	struct loom_job *job = to_loom_job(base);
	struct dma_fence *fence = dma_fence_get(&job->fence->base);
	int error = loom_job_start(job);

	if (!error)
		return fence;
	loom_job_end(job, error);
	dma_fence_put(fence);
	return ERR_PTR(error);
}

/* Update the position of a job. Return: whether it has changed, or is unknown. */
static bool loom_job_update_position(struct loom_job *job)
{
	struct loom_job_position position = {}, before = job->seen;

	if (loom_power_hold(job->loom)) {
		job->loom->backend->job_progress(job, &position);
		loom_power_release(job->loom);
	}
	/* the device is not trusted */
	position.step = min(position.step, job->plan->plan->step_count);
	position.command = min(position.command, job->plan->plan->command_count);
	job->seen = position;
	return memcmp(&position, &before, sizeof(position)) ||
	       !memchr_inv(&position, 0, sizeof(position));
}

/* Stop a job; if it does not end, reset its lanes, then reset or wedge the device. */
static void loom_job_stop(struct loom_job *job, bool moves)
{
	struct loom_device *loom = job->loom;

	cmpxchg(&job->stop, 0, -ETIME);
	spin_lock(&loom->job_lock);
	loom_flight_stop(job);
	spin_unlock(&loom->job_lock);
	if (!loom->backend->reset)
		dma_fence_wait(&job->fence->base, false);
	else if (!loom_grace_wait(job, moves) &&
		 !(loom_flight_reset_lanes(loom, job->id) && loom_grace_wait(job, true)))
		loom_reset(loom, job->id);
}

/* Check the timeout of a job. The caller must keep the job from being freed. */
static void loom_job_check_timeout(struct loom_job *job)
{
	u64 timeout_ns = (u64)job->loom->job_timeout_ms * NSEC_PER_MSEC;
	bool hangs = job->loom->backend->reset, moves = true;
	struct loom_report *report = NULL;

	/* its record may have been written, and the interrupt lost */
	loom_power_poll(job->loom);
	if (hangs && loom_job_has_begun(job))
		moves = loom_job_update_position(job);
	/* the device hangs, so the job is not blamed */
	if (READ_ONCE(job->loom->hang_epoch) == job->loom->epoch)
		return;
	/* nonzero engine time: the back end has the job, unless it has ended */
	if (loom_job_engine_ns(job) < timeout_ns || dma_fence_is_signaled(&job->fence->base))
		return;
	/* must precede the reset, which discards the state of the device */
	if (hangs)
		report = loom_report_create(job);
	loom_job_stop(job, moves);
	if (!hangs) {
		loom_job_update_position(job);
		report = loom_report_create(job);
	}
	loom_report_end(report, job);
}

static enum drm_gpu_sched_stat loom_job_sched_timedout(struct drm_sched_job *base)
{
	struct drm_gpu_scheduler *sched = base->sched;
	struct loom_job *job = to_loom_job(base);
	/* the scheduler is part of the context, and is used after the job was given back */
	struct loom_context *context = loom_context_get(job->context);
	enum drm_gpu_sched_stat status;
	int idx;

	if (drm_dev_enter(&job->loom->drm, &idx)) {
		loom_job_check_timeout(job);
		drm_dev_exit(idx);
	}
	/*
	 * the scheduler has removed the job from its list: put it back, so that it is freed or
	 * checked again
	 */
	status = loom_compat_sched_keep(base);
	/* the queue was not stopped; this queues the work that frees jobs */
	drm_sched_wqueue_start(sched);
	loom_context_put(context);
	return status;
}

static void loom_job_release_work(struct work_struct *work)
{
	loom_job_free(container_of(work, struct loom_job, release));
}

/* Freeing a buffer may allocate, so this must not run on the workqueue that reclaim needs. */
static void loom_job_sched_free(struct drm_sched_job *base)
{
	struct loom_job *job = to_loom_job(base);

	INIT_WORK(&job->release, loom_job_release_work);
	loom_context_queue(&job->release);
}

static const struct drm_sched_backend_ops loom_job_sched_ops = {
	.run_job = loom_job_sched_run,
	.timedout_job = loom_job_sched_timedout,
	.free_job = loom_job_sched_free,
};

/* Set up scheduling of jobs. Return: 0 or -errno. */
int loom_job_device_init(struct loom_device *loom)
{
	spin_lock_init(&loom->job_lock);
	INIT_LIST_HEAD(&loom->jobs);
	loom->sched_ops = &loom_job_sched_ops;
	loom->sched_wq = alloc_workqueue("loom-sched", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!loom->sched_wq)
		return -ENOMEM;
	loom->timeout_wq = alloc_ordered_workqueue("loom-timeout", WQ_MEM_RECLAIM);
	if (loom->timeout_wq)
		return 0;
	destroy_workqueue(loom->sched_wq);
	return -ENOMEM;
}

/**
 * loom_job_device_fini() - undo loom_job_device_init()
 * @loom: the device, without references, so without contexts and jobs
 */
void loom_job_device_fini(struct loom_device *loom)
{
	cancel_delayed_work_sync(&loom->flight.grace_work);
	destroy_workqueue(loom->timeout_wq);
	destroy_workqueue(loom->sched_wq);
}
