// SPDX-License-Identifier: GPL-2.0
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "loom_quota.h"
#include "loom_sync.h"
#include "loom_trace.h"
#include "report/report.h"

/**
 * DOC: Jobs
 *
 * A job is a plan with buffers bound to its slots. It is made and queued by loom_submit.c; here is
 * what happens to it from then on, called by the scheduler and by the back end.
 *
 * The scheduler of a context hands its jobs to the back end, one after the other, when the fences
 * that they wait for have signalled. So many jobs can be in flight, but one of each context. Whose
 * turn it is, and for how long, is decided by the back end, which is the one that knows where a job
 * can be interrupted; see soft/turn.c for the order and for how long a turn is. Order between
 * contexts is by explicit fences only. Buffers get the job's fence too, but for eviction and
 * BO_WAIT, not for ordering.
 *
 * There is one engine and one scratch, and at any moment one job has both. Others that have begun
 * wait with what they had in the scratch kept aside; so the scratches of all jobs may overlap, as
 * loom_region.c has it, although many jobs are between their begin and their end.
 *
 * The timeout counts the time that the engine has worked on a job, and not what it waits for its
 * turn: a client cannot have the jobs of others ended by submitting many of its own. The scheduler
 * has it looked at every eighth of the timeout, and a job is ended by the first look that finds it
 * used up. Between two reports of the back end (loom_job_busy()) the clock on the wall counts for
 * the job that has the engine, so that an engine that hangs comes to its timeout as well.
 *
 * Such a job is stopped by asking its back end, which looks between two pieces of work. There is
 * nothing to reset, and jobs of other contexts are not touched. The error of its fence is ETIME,
 * and the scheduler's drm_sched_increase_karma() makes its context guilty; &loom_context.resets
 * counts such jobs. One line in the log and a devcoredump say where it was, see report/report.c.
 *
 * Unplugging: the gate between scheduler and back end is drm_dev_enter(). After drm_dev_unplug() no
 * job passes it, and those that have passed are ended by the back end (&loom_backend.quiesce). The
 * schedulers are not stopped: what is queued behind the gate has its fence signalled with ENODEV at
 * once by loom_job_end_all(), also if it waits for a fence of somebody else, and is taken through
 * the scheduler later, as a job that has ended. Stopping them first was rejected: a stopped
 * scheduler frees nothing, and has to be started again to drain.
 */

/* ------------------------------------------------------------------ a job */

/**
 * loom_job_stop_reason() - whether a job shall end early
 * @job: the job
 *
 * Return: 0, or -errno for its fence.
 */
int loom_job_stop_reason(const struct loom_job *job)
{
	if (READ_ONCE(job->loom->unplugged))
		return -ENODEV;
	if (READ_ONCE(job->context->client->closed))
		return -ECANCELED;
	if (READ_ONCE(job->scratch.revoked))
		return -ECANCELED;
	return READ_ONCE(job->stop);
}
LOOM_EXPORT(loom_job_stop_reason);

/* ------------------------------------------------------------- revocation */

/**
 * loom_job_revoked() - somebody waits for the scratch of a job that was given to the back end
 * @scratch: of the job, under &loom_region.scratch_lock, in a guarded ioctl
 */
void loom_job_revoked(struct loom_region_scratch *scratch)
{
	struct loom_job *job = container_of(scratch, struct loom_job, scratch);

	job->loom->backend->stop(job);
}

/* They end with -ECANCELED. Return: those that the back end has, or had. */
static void loom_job_revoke_all_locked(struct loom_device *loom, struct loom_bo *bo,
				       struct list_head *started)
{
	struct loom_job_slot *slot;

	lockdep_assert_held(&loom->job_lock);
	while ((slot = list_first_entry_or_null(&bo->jobs, struct loom_job_slot, node))) {
		struct loom_job *job = slot->job;

		list_del_init(&slot->node);
		cmpxchg(&job->stop, 0, -ECANCELED);
		if (job->started) {
			loom->backend->stop(job);
			list_add_tail(&slot->node, started);
		}
		/* thousands may be queued */
		cond_resched_lock(&loom->job_lock);
	}
}

/**
 * loom_job_revoke() - have no job use the place of a buffer any more
 * @loom: the device; this is called in a guarded ioctl
 * @bo: the buffer, in the SRAM, reserved: so there will be no more jobs
 *
 * Jobs that have not started never will. One that is running is stopped and waited for, which takes
 * as long as a piece of work between two looks at loom_job_stop_reason(). That is too short to
 * unlock the buffer meanwhile: who goes on submitting jobs could keep this from ending.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int loom_job_revoke(struct loom_device *loom, struct loom_bo *bo)
{
	struct loom_job_slot *slot;
	struct dma_fence *fence;
	LIST_HEAD(started);
	long ret = 0;

	dma_resv_assert_held(bo->tbo.base.resv);
	spin_lock(&loom->job_lock);
	loom_job_revoke_all_locked(loom, bo, &started);
	while (!ret && (slot = list_first_entry_or_null(&started, struct loom_job_slot, node))) {
		fence = &slot->job->fence->base;
		if (dma_fence_is_signaled(fence)) {
			list_del_init(&slot->node);
			continue;
		}
		dma_fence_get(fence);
		spin_unlock(&loom->job_lock);
		ret = dma_fence_wait(fence, true);
		dma_fence_put(fence);
		spin_lock(&loom->job_lock);
	}
	/* who tries again waits for the rest */
	list_splice(&started, &bo->jobs);
	spin_unlock(&loom->job_lock);
	return ret;
}

/* ------------------------------------------------------------------ turns */

/**
 * loom_job_turn_begin() - the engine begins with a job, or goes on with it
 * @job: the job
 */
void loom_job_turn_begin(struct loom_job *job)
{
	spin_lock(&job->context->lock);
	job->turn_ns = ktime_get_ns();
	spin_unlock(&job->context->lock);
	trace_loom_run(loom_device_index(job->loom), job->context->client->id, job->id);
}
LOOM_EXPORT(loom_job_turn_begin);

/**
 * loom_job_turn_end() - the engine leaves a job that has not ended, for another one
 * @job: the job
 */
void loom_job_turn_end(struct loom_job *job)
{
	spin_lock(&job->context->lock);
	job->turn_ns = 0;
	spin_unlock(&job->context->lock);
	trace_loom_preempt(loom_device_index(job->loom), job->context->client->id, job->id,
			   job->busy_ns);
}
LOOM_EXPORT(loom_job_turn_end);

/**
 * loom_job_busy() - the engine has worked on a job
 * @job: the job that has the engine
 * @busy_ns: for how long since this was called last, or since its turn began
 *
 * Called while the job runs, so that fdinfo counts a long job before it has ended.
 */
void loom_job_busy(struct loom_job *job, u64 busy_ns)
{
	spin_lock(&job->context->lock);
	job->busy_ns += busy_ns;
	job->turn_ns = ktime_get_ns();
	spin_unlock(&job->context->lock);
	atomic64_add(busy_ns, &job->context->client->busy_ns);
}
LOOM_EXPORT(loom_job_busy);

static u64 loom_job_engine_ns(struct loom_job *job)
{
	u64 ns;

	spin_lock(&job->context->lock);
	ns = job->busy_ns;
	if (job->turn_ns)
		ns += ktime_get_ns() - job->turn_ns;
	spin_unlock(&job->context->lock);
	return ns;
}

/* Whoever comes first gives the job its end, once and for all. */
static bool loom_job_claim_end(struct loom_job *job)
{
	return !xchg(&job->ended, true);
}

/* Before the fence signals: who waited for it may submit the next one. */
static void loom_job_uncharge(struct loom_job *job)
{
	if (!job->charged)
		return;
	job->charged = false;
	loom_quota_uncharge_job(job->context->client);
}

static void loom_job_signal(struct loom_job *job, int error, u64 busy_ns)
{
	struct dma_fence *fence = dma_fence_get(&job->fence->base);

	trace_loom_done(loom_device_index(job->loom), job->context->client->id, job->id, error,
			busy_ns);
	loom_region_release(&job->loom->region[DRM_LOOM_REGION_SRAM], &job->scratch);
	loom_job_uncharge(job);
	if (error)
		dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

/**
 * loom_job_end() - the back end is done with a job
 * @job: the job, which may be freed before this returns
 * @error: 0 or -errno
 * @counters: what it did
 */
void loom_job_end(struct loom_job *job, int error, const struct drm_loom_counters *counters)
{
	spin_lock(&job->context->lock);
	job->turn_ns = 0;
	spin_unlock(&job->context->lock);
	loom_context_account(job->context, counters, error == -ETIME);
	if (error == -ETIME)
		drm_sched_increase_karma(&job->base);
	if (loom_job_claim_end(job))
		loom_job_signal(job, error, counters->busy_ns);
}
LOOM_EXPORT(loom_job_end);

/**
 * loom_job_wait_end() - wait until loom_job_end() was called
 * @job: a job that the back end has
 */
void loom_job_wait_end(struct loom_job *job)
{
	dma_fence_wait(&job->fence->base, false);
}
LOOM_EXPORT(loom_job_wait_end);

/**
 * loom_job_arm() - nothing can fail any more: the job is about to be queued
 * @job: all is set, its buffers are reserved
 *
 * From here to the push no other job of the context may be armed.
 */
void loom_job_arm(struct loom_job *job)
{
	struct loom_device *loom = job->loom;
	struct loom_job_slot *slot;

	drm_sched_job_arm(&job->base);
	loom_fence_arm(job->fence, job->context->timeline, ++job->context->seqno);
	job->id = atomic64_inc_return(&loom->job_ids);
	spin_lock(&loom->job_lock);
	list_add_tail(&job->node, &loom->jobs);
	for (slot = job->slots; slot < job->slots + job->slot_count; slot++)
		if (slot->bo->shape.region == DRM_LOOM_REGION_SRAM)
			list_add_tail(&slot->node, &slot->bo->jobs);
	spin_unlock(&loom->job_lock);
}

/**
 * loom_job_free() - free a job that was not queued, or that has ended
 * @job: the job; it may be as loom_submit.c has left it at any point
 */
void loom_job_free(struct loom_job *job)
{
	struct loom_fence *fence = job->fence;
	u32 i;

	if (job->id) {
		spin_lock(&job->loom->job_lock);
		list_del(&job->node);
		for (i = 0; i < job->slot_count; i++)
			list_del(&job->slots[i].node);
		spin_unlock(&job->loom->job_lock);
	}
	if (job->base.s_fence)
		drm_sched_job_cleanup(&job->base);
	loom_region_release(&job->loom->region[DRM_LOOM_REGION_SRAM], &job->scratch);
	if (job->run)
		job->loom->backend->release(job);
	for (i = 0; i < job->slot_count; i++)
		if (job->slots[i].bo)
			drm_gem_object_put(&job->slots[i].bo->tbo.base);
	loom_job_uncharge(job);
	/* the last one of a closed file */
	if (READ_ONCE(job->context->client->closed) &&
	    !atomic64_read(&job->context->client->queued_jobs))
		loom_region_forget_all(job->loom->region);
	loom_plan_object_put(job->plan);
	if (job->powered) {
		pm_runtime_mark_last_busy(job->loom->drm.dev);
		pm_runtime_put_autosuspend(job->loom->drm.dev);
	}
	loom_context_put(job->context);
	kfree(job);
	/* last: with the file closed already, it is what keeps the module in memory */
	if (fence)
		loom_fence_put(fence);
}

/**
 * loom_job_end_all() - end all jobs that the back end does not have
 * @loom: the device; no job gets to the back end any more, and it has ended those that it had
 * @error: -errno for their fences
 */
void loom_job_end_all(struct loom_device *loom, int error)
{
	struct loom_job *job;
	LIST_HEAD(seen);

	spin_lock(&loom->job_lock);
	while ((job = list_first_entry_or_null(&loom->jobs, struct loom_job, node))) {
		struct loom_fence *fence;

		/* who frees a job takes it off whichever list it is on */
		list_move_tail(&job->node, &seen);
		if (!loom_job_claim_end(job))
			continue;
		fence = job->fence;
		dma_fence_get(&fence->base);
		spin_unlock(&loom->job_lock);
		/* the job may go now, or have gone through the scheduler to its end */
		dma_fence_set_error(&fence->base, error);
		dma_fence_signal(&fence->base);
		dma_fence_put(&fence->base);
		spin_lock(&loom->job_lock);
	}
	list_splice(&seen, &loom->jobs);
	spin_unlock(&loom->job_lock);
}

/* -------------------------------------------------------------- scheduler */

/* From here on who stops the job has to tell the back end, too. */
static int loom_job_mark_started(struct loom_job *job)
{
	int error;

	spin_lock(&job->loom->job_lock);
	error = job->stop;
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
		job->loom->backend->run(job);
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
	if (loom_job_claim_end(job))
		loom_job_signal(job, error, 0);
	dma_fence_put(fence);
	return ERR_PTR(error);
}

static enum drm_gpu_sched_stat loom_job_sched_timedout(struct drm_sched_job *base)
{
	struct drm_gpu_scheduler *sched = base->sched;
	struct loom_job *job = to_loom_job(base);
	/* the scheduler is the context's, and used after the job was given back to it */
	struct loom_context *context = loom_context_get(job->context);
	u64 timeout_ns = (u64)job->loom->job_timeout_ms * NSEC_PER_MSEC;
	enum drm_gpu_sched_stat status;
	int idx;

	/* the engine has worked on it, so the back end has it, unless it has ended */
	if (loom_job_engine_ns(job) >= timeout_ns && drm_dev_enter(&job->loom->drm, &idx)) {
		cmpxchg(&job->stop, 0, -ETIME);
		job->loom->backend->cancel(job);
		if (job->fence->base.error == -ETIME)
			loom_report_timeout(job);
		drm_dev_exit(idx);
	}
	/* it was taken off the list for this call; back, so that it is freed or looked at again */
	status = loom_compat_sched_keep(base);
	/* nothing was stopped: this has it looked at whether there is a job to be freed */
	drm_sched_wqueue_start(sched);
	loom_context_put(context);
	return status;
}

static void loom_job_sched_free(struct drm_sched_job *base)
{
	loom_job_free(to_loom_job(base));
}

static const struct drm_sched_backend_ops loom_job_sched_ops = {
	.run_job = loom_job_sched_run,
	.timedout_job = loom_job_sched_timedout,
	.free_job = loom_job_sched_free,
};

/**
 * loom_job_device_init() - make the device take jobs
 * @loom: the device
 *
 * Return: 0 or -errno.
 */
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
 * @loom: the device; nobody has a reference any more, so there are no contexts and no jobs
 */
void loom_job_device_fini(struct loom_device *loom)
{
	destroy_workqueue(loom->timeout_wq);
	destroy_workqueue(loom->sched_wq);
}
