// SPDX-License-Identifier: GPL-2.0
#include <linux/workqueue.h>

#include <drm/drm_print.h>

#include "backend.h"
#include "loom_compat.h"
#include "loom_device.h"

/**
 * loom_device_new_epoch() - what the device was told, or says of that, does not count any more
 * @loom: the device, stopped, or about to be started; it has no jobs and no moves, or they are
 *	taken care of
 *
 * Return: &loom_device.epoch.
 */
u32 loom_device_new_epoch(struct loom_device *loom)
{
	u32 epoch;

	spin_lock(&loom->job_lock);
	epoch = ++loom->epoch;
	spin_unlock(&loom->job_lock);
	return epoch;
}
EXPORT_SYMBOL_NS_GPL(loom_device_new_epoch, LOOM_COMPAT_NS);

/**
 * loom_device_hang() - a back end has found that the device hangs
 * @loom: the device
 * @epoch: &loom_device.epoch in which it does
 *
 * It is reset, a little later, on &loom_device.timeout_wq, unless it has been meanwhile. Jobs that
 * had begun end with ECANCELED. Called in any context, any number of times.
 */
void loom_device_hang(struct loom_device *loom, u32 epoch)
{
	WRITE_ONCE(loom->hang_epoch, epoch);
	queue_work(loom->timeout_wq, &loom->hang_work);
}
EXPORT_SYMBOL_NS_GPL(loom_device_hang, LOOM_COMPAT_NS);

/**
 * loom_device_wedge() - a device is broken, and is not used any more
 * @loom: the device
 * @why: for the log
 *
 * It is stopped, its jobs end with EIO, and so does each SUBMIT from now on, until somebody binds
 * it to its driver anew. That happens a little later, on &loom_device.timeout_wq; there is one line
 * in the log, and an uevent. Called in any context, and any number of times.
 */
void loom_device_wedge(struct loom_device *loom, const char *why)
{
	if (xchg(&loom->wedged, true))
		return;
	drm_err(&loom->drm, "wedged: %s\n", why);
	queue_work(loom->timeout_wq, &loom->wedge_work);
}
EXPORT_SYMBOL_NS_GPL(loom_device_wedge, LOOM_COMPAT_NS);
