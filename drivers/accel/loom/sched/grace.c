// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-fence.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>

#include "backend/backend.h"
#include "backend/flight.h"
#include "backend/power.h"
#include "grace.h"
#include "loom_device.h"
#include "loom_job.h"
#include "loom_sync.h"
#include "reset.h"

/**
 * DOC: Grace
 *
 * A job that was told to stop must end within a grace period, otherwise its device is reset. The
 * timeout stops a job and waits for it: for LOOM_FLIGHT_GRACE_MS, or for LOOM_GRACE_STUCK_MS if the
 * device reported the same position twice. A client that closes its file, or needs the memory,
 * stops jobs without waiting; a work item checks these every LOOM_FLIGHT_GRACE_MS while there are
 * any. The timeout alone would be enough, but it can be minutes long, and the jobs of others would
 * wait.
 *
 * The grace period of a job that waits behind others on the device starts when the job begins. A
 * job of a partition has a second one, after a reset of its lanes: so a client that hangs does not
 * end the jobs of other partitions.
 *
 * Records are polled once more before a reset or a blame, because an interrupt may have been lost.
 */

#define LOOM_GRACE_STUCK_MS	250

/**
 * loom_grace_wait() - wait for a job that was told to stop
 * @job: the job; on &loom_device.timeout_wq
 * @moves: the job makes progress, or the device does not report any
 *
 * Return: true if it has ended.
 */
bool loom_grace_wait(struct loom_job *job, bool moves)
{
	u32 grace_ms = moves ? LOOM_FLIGHT_GRACE_MS : LOOM_GRACE_STUCK_MS;

	if (dma_fence_wait_timeout(&job->fence->base, false, msecs_to_jiffies(grace_ms)))
		return true;
	loom_power_poll(job->loom);
	return dma_fence_is_signaled(&job->fence->base);
}

static void loom_grace_work(struct work_struct *work)
{
	struct loom_device *loom = container_of(to_delayed_work(work), struct loom_device,
						flight.grace_work);
	bool more;
	u64 late;
	int idx;

	if (!drm_dev_enter(&loom->drm, &idx))
		return;
	late = loom_flight_overdue(loom, &more);
	if (late) {
		loom_power_poll(loom);
		late = loom_flight_overdue(loom, &more);
	}
	if (late && !READ_ONCE(loom->wedged) && !loom_flight_reset_lanes(loom, late))
		loom_reset(loom, late);
	if (more)
		loom_flight_expect(loom);
	drm_dev_exit(idx);
}

/* Initialise, without stopped jobs. */
void loom_grace_init(struct loom_device *loom)
{
	INIT_DELAYED_WORK(&loom->flight.grace_work, loom_grace_work);
}
