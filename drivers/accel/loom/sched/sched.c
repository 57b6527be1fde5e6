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
#include "loom_plan_object.h"
#include "loom_sync.h"
#include "report/report.h"
#include "reset.h"
#include "sched.h"

/**
 * DOC: Jobs
 *
 * A job is a plan with buffers bound to its slots. It is made and queued by loom_submit.c; here is
 * what happens to it from then on, called by the scheduler.
 *
 * The scheduler of a context hands its jobs to the back end, one after the other, when the fences
 * that they wait for have signalled. So many jobs can be in flight, but one of each context. Whose
 * turn it is, and for how long, is decided by the back end, which is the one that knows where a job
 * can be interrupted; see turn.c for the order and for how long a turn is. Order between
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
 * Such a job is stopped by asking its back end, which looks between two pieces of work. If that
 * does not help within the job's grace (grace.c), the device is reset (reset.c); where a device
 * cannot hang there is nothing to reset, and jobs of other contexts are not touched. The error of
 * its fence is ETIME, and the scheduler's drm_sched_increase_karma() makes its context guilty;
 * &loom_context.resets counts such jobs. One line in the log and a devcoredump say where it was,
 * see report/report.c.
 *
 * Unplugging: the gate between scheduler and back end is drm_dev_enter(). After drm_dev_unplug() no
 * job passes it, the device is stopped, and all jobs end with ENODEV (loom_job_end_all()). The
 * schedulers are not stopped: what is queued behind the gate has its fence signalled at once, also
 * if it waits for a fence of somebody else, and is taken through the scheduler later, as a job that
 * has ended. Stopping them first was rejected: a stopped scheduler frees nothing, and must be
 * started again to drain.
 */

/* ------------------------------------------------------------- revocation */

/**
 * loom_job_revoked() - somebody waits for the scratch of a job that was given to the back end
 * @scratch: of the job, under &loom_region.scratch_lock
 */
void loom_job_revoked(struct loom_region_scratch *scratch)
{
	struct loom_job *job = container_of(scratch, struct loom_job, scratch);

	loom_flight_stop(job);
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
			loom_flight_stop(job);
			list_add_tail(&slot->node, started);
		}
		/* thousands may be queued */
		cond_resched_lock(&loom->job_lock);
	}
}

/**
 * loom_job_revoke() - have no job use the place of a buffer any more
 * @loom: the device
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

/**
 * loom_job_stop_all() - nobody wants the jobs of a file any more
 * @loom: the device, which is there
 * @client: the file; loom_job_stop_reason() is not 0 for its jobs
 *
 * Those that were started end soon. The others will not be started.
 */
void loom_job_stop_all(struct loom_device *loom, struct loom_file *client)
{
	struct loom_job *job;
	LIST_HEAD(seen);

	spin_lock(&loom->job_lock);
	while ((job = list_first_entry_or_null(&client->jobs_list, struct loom_job, client_node))) {
		/* who frees a job takes it off whichever list it is on */
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
 * @job: the job; it may be as loom_submit.c has left it at any point
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
		for (i = 0; i < job->slot_count; i++)
			list_del(&job->slots[i].node);
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
	/* the last one of a closed file */
	if (READ_ONCE(job->context->client->closed) &&
	    !atomic64_read(&job->context->client->queued_jobs))
		loom_region_forget_all(job->loom->region);
	loom_plan_object_put(job->plan);
	if (job->powered)
		loom_power_put(job->loom);
	loom_context_put(job->context);
	kfree(job);
	/* last: with the file closed already, it is what keeps the module in memory */
	if (fence)
		loom_fence_put(fence);
}

/* -------------------------------------------------------------- scheduler */

/* From here on who stops the job has to tell the back end, too. */
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

/* Where a job is now. Return: whether that is somewhere else than before, or not known. */
static bool loom_job_see(struct loom_job *job)
{
	struct loom_job_position position = {}, before = job->seen;

	if (loom_power_hold(job->loom)) {
		job->loom->backend->job_progress(job, &position);
		loom_power_release(job->loom);
	}
	/* a device says what it likes */
	position.step = min(position.step, job->plan->plan->step_count);
	position.command = min(position.command, job->plan->plan->command_count);
	job->seen = position;
	return memcmp(&position, &before, sizeof(position)) ||
	       !memchr_inv(&position, 0, sizeof(position));
}

/* It ends, or its device does. */
static void loom_job_stop(struct loom_job *job, bool moves)
{
	struct loom_device *loom = job->loom;

	cmpxchg(&job->stop, 0, -ETIME);
	spin_lock(&loom->job_lock);
	loom_flight_stop(job);
	spin_unlock(&loom->job_lock);
	if (!loom->backend->reset)
		dma_fence_wait(&job->fence->base, false);
	else if (!loom_grace_wait(job, moves))
		loom_reset(loom, job->id);
}

/* Has it used up its time? The job is not freed meanwhile. */
static void loom_job_look(struct loom_job *job)
{
	u64 timeout_ns = (u64)job->loom->job_timeout_ms * NSEC_PER_MSEC;
	bool hangs = job->loom->backend->reset, moves = true;
	struct loom_report *report = NULL;

	/* its record may be there, and the interrupt lost */
	loom_power_poll(job->loom);
	if (hangs && loom_job_has_begun(job))
		moves = loom_job_see(job);
	/* the device is what has stopped */
	if (READ_ONCE(job->loom->hang_epoch) == job->loom->epoch)
		return;
	/* the engine has worked on it, so the back end has it, unless it has ended */
	if (loom_job_engine_ns(job) < timeout_ns || dma_fence_is_signaled(&job->fence->base))
		return;
	/* a device that was reset does not know any more */
	if (hangs)
		report = loom_report_create(job);
	loom_job_stop(job, moves);
	if (!hangs) {
		loom_job_see(job);
		report = loom_report_create(job);
	}
	loom_report_end(report, job);
}

static enum drm_gpu_sched_stat loom_job_sched_timedout(struct drm_sched_job *base)
{
	struct drm_gpu_scheduler *sched = base->sched;
	struct loom_job *job = to_loom_job(base);
	/* the scheduler is the context's, and used after the job was given back to it */
	struct loom_context *context = loom_context_get(job->context);
	enum drm_gpu_sched_stat status;
	int idx;

	if (drm_dev_enter(&job->loom->drm, &idx)) {
		loom_job_look(job);
		drm_dev_exit(idx);
	}
	/* it was taken off the list for this call; back, so that it is freed or looked at again */
	status = loom_compat_sched_keep(base);
	/* nothing was stopped: this has it looked at whether there is a job to be freed */
	drm_sched_wqueue_start(sched);
	loom_context_put(context);
	return status;
}

static void loom_job_release_work(struct work_struct *work)
{
	loom_job_free(container_of(work, struct loom_job, release));
}

/* Not on the workqueue of jobs and moves, which reclaim needs: freeing a buffer may allocate. */
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
	cancel_delayed_work_sync(&loom->flight.grace_work);
	destroy_workqueue(loom->timeout_wq);
	destroy_workqueue(loom->sched_wq);
}
