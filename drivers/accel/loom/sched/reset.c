// SPDX-License-Identifier: GPL-2.0
#include <linux/kobject.h>
#include <linux/workqueue.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "backend/backend.h"
#include "backend/budget.h"
#include "backend/flight.h"
#include "backend/power.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_job.h"
#include "reset.h"

/**
 * loom_reset() - the device hangs, or a job cannot be stopped: reset it
 * @loom: the device
 * @guilty: id of the job, whose loom_job_stop_reason() is not 0; 0 if no job is to blame
 *
 * When this returns the job has ended, or is about to. If the device cannot be reset, or its budget
 * is used up (budget.c), all jobs end with EIO. Must be called on &loom_device.timeout_wq, which is
 * ordered; fence safe.
 */
void loom_reset(struct loom_device *loom, u64 guilty)
{
	int ret;

	if (!guilty && !loom_budget_charge(loom)) {
		loom_device_wedge(loom, "3 resets within a minute without a completion record");
		return;
	}
	down_write(&loom->flight.gate);
	ret = loom_power_reset(loom);
	if (!ret) {
		drm_notice(&loom->drm, "reset, epoch %u\n", loom->epoch);
		loom_flight_renew(loom, guilty);
		loom_moves_renew(loom);
	}
	/* before the gate opens, otherwise jobs would be given to a device that is off */
	if (ret < 0)
		loom_device_wedge(loom, "reset failed");
	up_write(&loom->flight.gate);
}

/* The same uevent as drm_dev_wedged_event() of newer kernels. */
static void loom_reset_tell(struct loom_device *loom)
{
	char *envp[2] = { "WEDGED=rebind" };

	kobject_uevent_env(&loom->drm.accel->kdev->kobj, KOBJ_CHANGE, envp);
}

static void loom_reset_wedge_work(struct work_struct *work)
{
	struct loom_device *loom = container_of(work, struct loom_device, wedge_work);
	int idx;

	if (!drm_dev_enter(&loom->drm, &idx))
		return;
	down_write(&loom->flight.gate);
	loom_power_set(loom, &loom->on, false);
	loom_job_end_all(loom, -EIO);
	loom_moves_end_all(loom, -EIO);
	up_write(&loom->flight.gate);
	loom_reset_tell(loom);
	drm_dev_exit(idx);
}

static void loom_reset_hang_work(struct work_struct *work)
{
	struct loom_device *loom = container_of(work, struct loom_device, hang_work);
	int idx;

	if (!drm_dev_enter(&loom->drm, &idx))
		return;
	/* a job may have caused a reset since the hang was reported */
	if (READ_ONCE(loom->hang_epoch) == loom->epoch && !READ_ONCE(loom->wedged))
		loom_reset(loom, 0);
	drm_dev_exit(idx);
}

/* Initialise, not wedged. */
void loom_reset_init(struct loom_device *loom)
{
	INIT_WORK(&loom->wedge_work, loom_reset_wedge_work);
	INIT_WORK(&loom->hang_work, loom_reset_hang_work);
	init_waitqueue_head(&loom->shown);
	loom_budget_init(loom);
	loom->epoch = 1;
}
