// SPDX-License-Identifier: GPL-2.0
#include "backend/flight.h"
#include "loom_bo.h"
#include "loom_device.h"
#include "loom_job.h"
#include "loom_sync.h"
#include "sched.h"

/* Ends of jobs because other clients need their memory. */

/**
 * loom_job_revoked() - stop a started job because another client needs its scratch
 * @scratch: that of the job; the caller must hold &loom_region.scratch_lock
 */
void loom_job_revoked(struct loom_region_scratch *scratch)
{
	struct loom_job *job = container_of(scratch, struct loom_job, scratch);

	loom_flight_stop(job);
}

/**
 * loom_job_enlist() - add an armed job to those of its buffers in the SRAM
 * @job: the job; the caller must hold the reservations of its buffers
 */
void loom_job_enlist(struct loom_job *job)
{
	struct loom_job_slot *slot;

	spin_lock(&job->loom->job_lock);
	for (slot = job->slots; slot < job->slots + job->slot_count; slot++) {
		slot->job = job;
		INIT_LIST_HEAD(&slot->node);
		if (slot->bo->shape.region == DRM_LOOM_REGION_SRAM)
			list_add_tail(&slot->node, &slot->bo->jobs);
	}
	spin_unlock(&job->loom->job_lock);
}

/**
 * loom_job_delist_locked() - undo loom_job_enlist()
 * @job: the job; the caller must hold &loom_device.job_lock
 */
void loom_job_delist_locked(struct loom_job *job)
{
	u32 i;

	lockdep_assert_held(&job->loom->job_lock);
	for (i = 0; i < job->slot_count; i++)
		list_del(&job->slots[i].node);
}

/* End all jobs of a buffer with -ECANCELED. Return: those that were given to the back end. */
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
 * loom_job_revoke() - end all jobs that use the address of a buffer
 * @loom: the device
 * @bo: the buffer, in the SRAM; the caller must hold its reservation, which excludes new jobs
 *
 * Jobs that have not started never will. A running job is stopped and waited for, which takes one
 * piece of work of the back end. The reservation is not dropped meanwhile: otherwise a client that
 * goes on submitting jobs could starve this function.
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
	/* the next try waits for the rest */
	list_splice(&started, &bo->jobs);
	spin_unlock(&loom->job_lock);
	return ret;
}
