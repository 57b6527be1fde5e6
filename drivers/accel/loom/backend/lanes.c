// SPDX-License-Identifier: GPL-2.0
#include <drm/drm_print.h>

#include "backend.h"
#include "budget.h"
#include "flight.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_job.h"

static bool loom_flight_reset_job_locked(struct loom_device *loom, struct loom_job *job)
{
	struct loom_flight *flight = &loom->flight;
	bool reset;

	lockdep_assert_held(&loom->job_lock);
	spin_lock(&flight->lock);
	reset = flight->on && !job->was_reset;
	if (reset) {
		job->was_reset = true;
		/* a grace period of its own */
		job->stop_ns = ktime_get_ns();
		loom->backend->job_reset(job);
	}
	spin_unlock(&flight->lock);
	if (reset)
		loom_budget_charge_user(loom, job->context->client);
	return reset;
}

/**
 * loom_flight_reset_lanes() - reset the lanes of a partition's job that does not end
 * @loom: the device
 * @id: of the job, whose grace period has ended
 *
 * Return: true if the job has another grace period; false: only a reset of the device can end it.
 */
bool loom_flight_reset_lanes(struct loom_device *loom, u64 id)
{
	struct loom_job *job;
	bool reset = false;

	if (!loom->backend->job_reset)
		return false;
	spin_lock(&loom->job_lock);
	hash_for_each_possible(loom->flight.jobs, job, flight_node, id)
		if (job->id == id && job->context->lane_count)
			reset = loom_flight_reset_job_locked(loom, job);
	spin_unlock(&loom->job_lock);
	if (reset)
		drm_notice(&loom->drm, "job %llu hangs, its lanes are reset\n", id);
	return reset;
}
