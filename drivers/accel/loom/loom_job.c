// SPDX-License-Identifier: GPL-2.0
#include <linux/ktime.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_event.h"
#include "loom_file.h"
#include "loom_job.h"
#include "loom_quota.h"
#include "loom_sync.h"

/**
 * DOC: Ends of jobs
 *
 * Stop requests, engine time and completion of jobs. A job ends by a completion record, by a reset,
 * or because the device is unplugged. Several threads may try to end it at the same time; the first
 * one claims it, and only that one signals its fence. After that the scheduler may free it.
 */

/* ------------------------------------------------------------------ a job */

/**
 * loom_job_stop_reason() - whether a job must end early
 * @job: the job
 *
 * Return: 0, or -errno for its fence.
 */
int loom_job_stop_reason(const struct loom_job *job)
{
	if (READ_ONCE(job->loom->unplugged))
		return -ENODEV;
	if (READ_ONCE(job->loom->wedged))
		return -EIO;
	if (READ_ONCE(job->context->client->closed))
		return -ECANCELED;
	if (READ_ONCE(job->scratch.revoked))
		return -ECANCELED;
	return READ_ONCE(job->stop);
}
EXPORT_SYMBOL_NS_GPL(loom_job_stop_reason, LOOM_COMPAT_NS);

/* ------------------------------------------------------------------ turns */

/**
 * loom_job_turn_begin() - the engine begins or resumes a job
 * @job: the job
 */
void loom_job_turn_begin(struct loom_job *job)
{
	spin_lock(&job->context->lock);
	job->begun = true;
	job->turn_ns = ktime_get_ns();
	spin_unlock(&job->context->lock);
	trace_loom_run(loom_device_index(job->loom), job->context->client->id, job->id);
}
EXPORT_SYMBOL_NS_GPL(loom_job_turn_begin, LOOM_COMPAT_NS);

/* Whether a job has had the engine. Return: true if it may have written to memory. */
bool loom_job_has_begun(struct loom_job *job)
{
	bool begun;

	spin_lock(&job->context->lock);
	begun = job->begun;
	spin_unlock(&job->context->lock);
	return begun;
}

/* Engine time of a job so far. Return: nanoseconds. */
u64 loom_job_engine_ns(struct loom_job *job)
{
	u64 ns;

	spin_lock(&job->context->lock);
	ns = job->busy_ns;
	if (job->turn_ns)
		ns += ktime_get_ns() - job->turn_ns;
	spin_unlock(&job->context->lock);
	return ns;
}

/* ------------------------------------------------------------------- ends */

/**
 * loom_job_claim_end() - claim the end of a job
 * @job: the job; the caller must keep it from being freed, or hold &loom_device.job_lock
 *
 * Return: true to the first caller, which must call loom_job_end_claimed().
 */
bool loom_job_claim_end(struct loom_job *job)
{
	return !xchg(&job->ended, true);
}

/**
 * loom_job_uncharge() - uncharge a job from the quota of its file
 * @job: the job
 *
 * Must be called before the fence signals, because its waiter may submit the next job.
 */
void loom_job_uncharge(struct loom_job *job)
{
	if (!job->charged)
		return;
	job->charged = false;
	loom_quota_uncharge(job->loom, job->context->client, LOOM_QUOTA_JOBS, 1);
}

/* Must precede the fence: pages may be freed after it has signalled. */
static void loom_job_unmap(struct loom_job *job)
{
	if (job->run && job->loom->backend->job_unmap)
		job->loom->backend->job_unmap(job);
}

static void loom_job_signal(struct loom_job *job, int error, u64 busy_ns)
{
	struct dma_fence *fence = dma_fence_get(&job->fence->base);

	trace_loom_done(loom_device_index(job->loom), job->context->client->id, job->id, error,
			busy_ns);
	loom_region_release(&job->loom->region[DRM_LOOM_REGION_SRAM], &job->scratch);
	loom_job_uncharge(job);
	loom_job_unmap(job);
	if (error)
		dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

/**
 * loom_job_end_claimed() - end a job
 * @job: the job, claimed by the caller; it may be freed before this returns
 * @error: 0 or -errno
 * @counters: its counters; NULL if the device has never had it
 */
void loom_job_end_claimed(struct loom_job *job, int error,
			  const struct drm_loom_counters *counters)
{
	if (counters) {
		s64 more_ns;

		spin_lock(&job->context->lock);
		job->turn_ns = 0;
		more_ns = counters->busy_ns - job->busy_ns;
		spin_unlock(&job->context->lock);
		if (more_ns > 0)
			atomic64_add(more_ns, &job->context->client->busy_ns);
		loom_context_account(job->context, counters, error == -ETIME);
	}
	if (error == -ETIME)
		drm_sched_increase_karma(&job->base);
	loom_job_signal(job, error, counters ? counters->busy_ns : 0);
}

/**
 * loom_job_end() - end a job that was not given to the device
 * @job: the job, which may be freed before this returns
 * @error: -errno
 */
void loom_job_end(struct loom_job *job, int error)
{
	if (loom_job_claim_end(job))
		loom_job_end_claimed(job, error, NULL);
}

/**
 * loom_job_arm() - arm a job that is about to be queued; nothing may fail after this
 * @job: the job, completely set up; its buffers must be reserved
 *
 * The caller must not arm another job of the context before it has pushed this one.
 */
void loom_job_arm(struct loom_job *job)
{
	struct loom_device *loom = job->loom;

	drm_sched_job_arm(&job->base);
	loom_fence_arm(job->fence, job->context->timeline, ++job->context->seqno);
	job->id = atomic64_inc_return(&loom->job_ids);
	spin_lock(&loom->job_lock);
	list_add_tail(&job->node, &loom->jobs);
	list_add_tail(&job->client_node, &job->context->client->jobs_list);
	spin_unlock(&loom->job_lock);
}

/**
 * loom_job_end_all() - end all jobs
 * @loom: the device; it must be stopped, and the caller must hold &loom_flight.gate for writing
 * @error: -errno for their fences
 */
void loom_job_end_all(struct loom_device *loom, int error)
{
	struct loom_job *job;
	LIST_HEAD(seen);

	spin_lock(&loom->job_lock);
	while ((job = list_first_entry_or_null(&loom->jobs, struct loom_job, node))) {
		struct loom_fence *fence;

		/* freeing a job calls list_del() on whichever list holds it, so @seen is safe */
		list_move_tail(&job->node, &seen);
		if (!loom_job_claim_end(job))
			continue;
		loom_job_unmap(job);
		fence = job->fence;
		dma_fence_get(&fence->base);
		spin_unlock(&loom->job_lock);
		/* the job may be freed from here on; the fence has a reference */
		dma_fence_set_error(&fence->base, error);
		dma_fence_signal(&fence->base);
		dma_fence_put(&fence->base);
		spin_lock(&loom->job_lock);
	}
	list_splice(&seen, &loom->jobs);
	spin_unlock(&loom->job_lock);
}
