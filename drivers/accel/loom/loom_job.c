// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "loom_sync.h"
#include "loom_trace.h"

/**
 * DOC: Jobs
 *
 * A job is a plan with buffers bound to its slots. It is made and queued by loom_submit.c; here is
 * what happens to it from then on, called by the scheduler and by the back end.
 *
 * The scheduler lets one job run at a time; there is one engine and one scratch. It orders by
 * explicit fences only. Buffers get the job's fence too, but for eviction and BO_WAIT, not for
 * ordering.
 *
 * A job that takes longer than the timeout is stopped by asking its back end, which
 * looks between two pieces of work. There is nothing to reset, so the scheduler is
 * only paused meanwhile. The error of its fence is ETIME and its context is guilty;
 * &loom_context.resets counts such jobs.
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
	return READ_ONCE(job->stop);
}

/**
 * loom_job_busy() - the engine has worked on a job
 * @job: the job
 * @busy_ns: for how long
 *
 * Called while the job runs, so that fdinfo counts a long job before it has ended.
 */
void loom_job_busy(struct loom_job *job, u64 busy_ns)
{
	atomic64_add(busy_ns, &job->context->client->busy_ns);
}

/**
 * loom_job_end() - the back end is done with a job
 * @job: the job, which may be freed before this returns
 * @error: 0 or -errno
 * @counters: what it did
 */
void loom_job_end(struct loom_job *job, int error, const struct drm_loom_counters *counters)
{
	struct dma_fence *fence = dma_fence_get(&job->fence->base);

	trace_loom_done(loom_device_index(job->loom), job->context->client->id, job->base.id, error,
			counters->busy_ns);
	loom_region_release(&job->loom->region[DRM_LOOM_REGION_SRAM], &job->scratch);
	loom_context_account(job->context, counters, error == -ETIME);
	if (error)
		dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

/**
 * loom_job_wait_end() - wait until loom_job_end() was called
 * @job: a job that runs
 */
void loom_job_wait_end(struct loom_job *job)
{
	dma_fence_wait(&job->fence->base, false);
}

/**
 * loom_job_free() - free a job that was not queued, or that has ended
 * @job: the job; it may be as loom_submit.c has left it at any point
 */
void loom_job_free(struct loom_job *job)
{
	struct loom_fence *fence = job->fence;
	u32 i;

	if (job->base.s_fence)
		drm_sched_job_cleanup(&job->base);
	loom_region_release(&job->loom->region[DRM_LOOM_REGION_SRAM], &job->scratch);
	if (job->run)
		job->loom->backend->release(job);
	for (i = 0; i < job->slot_count; i++)
		if (job->slots[i].bo)
			drm_gem_object_put(&job->slots[i].bo->tbo.base);
	loom_plan_object_put(job->plan);
	loom_context_put(job->context);
	kfree(job);
	/* last: with the file closed already, it is what keeps the module in memory */
	if (fence)
		dma_fence_put(&fence->base);
}

/* -------------------------------------------------------------- scheduler */

static struct dma_fence *loom_job_sched_run(struct drm_sched_job *base)
{
	struct loom_job *job = to_loom_job(base);
	struct dma_fence *fence;
	int error = loom_job_stop_reason(job);

	/* set by the scheduler when the context became guilty meanwhile */
	if (!error)
		error = base->s_fence->finished.error;
	if (error)
		return ERR_PTR(error);

	fence = dma_fence_get(&job->fence->base);
	job->started = true;
	trace_loom_run(loom_device_index(job->loom), job->context->client->id, job->base.id);
	job->loom->backend->run(job);
	return fence;
}

static enum drm_gpu_sched_stat loom_job_sched_timedout(struct drm_sched_job *base)
{
	struct drm_gpu_scheduler *sched = base->sched;
	struct loom_job *job = to_loom_job(base);

	/* run_job() has returned, and no other job is started */
	drm_sched_wqueue_stop(sched);
	if (job->started && !dma_fence_is_signaled(&job->fence->base)) {
		cmpxchg(&job->stop, 0, -ETIME);
		job->loom->backend->cancel(job);
	}
	/* it was taken off the list for this call; back, so that it is freed */
	spin_lock(&sched->job_list_lock);
	list_add(&base->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
	drm_sched_wqueue_start(sched);
	return DRM_GPU_SCHED_STAT_NOMINAL;
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
 * loom_job_sched_init() - make the device take jobs
 * @loom: the device
 *
 * Return: 0 or -errno.
 */
int loom_job_sched_init(struct loom_device *loom)
{
	int ret;

	loom->timeout_wq = alloc_ordered_workqueue("loom-timeout", WQ_MEM_RECLAIM);
	if (!loom->timeout_wq)
		return -ENOMEM;
	ret = loom_compat_sched_init(&loom->sched, &loom_job_sched_ops, loom->timeout_wq,
				     msecs_to_jiffies(loom->job_timeout_ms), loom->drm.dev);
	if (ret)
		destroy_workqueue(loom->timeout_wq);
	return ret;
}

/**
 * loom_job_sched_fini() - undo loom_job_sched_init()
 * @loom: the device; nobody has a reference any more, so there are no jobs
 */
void loom_job_sched_fini(struct loom_device *loom)
{
	drm_sched_fini(&loom->sched);
	destroy_workqueue(loom->timeout_wq);
}
