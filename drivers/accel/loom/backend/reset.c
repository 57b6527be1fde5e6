// SPDX-License-Identifier: GPL-2.0
#include <linux/kobject.h>
#include <linux/workqueue.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "backend.h"
#include "flight.h"
#include "loom_device.h"
#include "loom_job.h"
#include "power.h"
#include "reset.h"

/**
 * loom_reset() - a job cannot be stopped: reset the device
 * @loom: the device
 * @guilty: the job, whose loom_job_stop_reason() is not 0
 *
 * When this returns the job has ended, or is about to: of a device that cannot be reset all jobs
 * end with EIO. Called on &loom_device.timeout_wq, which does one thing at a time; fence safe.
 */
void loom_reset(struct loom_device *loom, struct loom_job *guilty)
{
	int ret;

	down_write(&loom->flight.gate);
	/* from here on records of the old epoch do not count */
	spin_lock(&loom->job_lock);
	loom->epoch++;
	spin_unlock(&loom->job_lock);
	ret = loom_power_reset(loom);
	if (!ret) {
		drm_notice(&loom->drm, "reset, epoch %u\n", loom->epoch);
		loom_flight_renew(loom, guilty);
	}
	up_write(&loom->flight.gate);
	if (ret)
		loom_device_wedge(loom, "it does not come back from a reset");
}

/* What newer kernels send in drm_dev_wedged_event(). */
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
	loom_power_off(loom);
	loom_job_end_all(loom, -EIO);
	up_write(&loom->flight.gate);
	loom_reset_tell(loom);
	drm_dev_exit(idx);
}

/**
 * loom_reset_init() - the device is not wedged
 * @loom: the device
 */
void loom_reset_init(struct loom_device *loom)
{
	INIT_WORK(&loom->wedge_work, loom_reset_wedge_work);
	loom->epoch = 1;
}
