// SPDX-License-Identifier: GPL-2.0
#include <linux/workqueue.h>

#include <drm/drm_print.h>

#include "backend.h"
#include "loom_compat.h"
#include "loom_device.h"

/**
 * loom_device_new_epoch() - begin a new epoch: records of earlier ones are ignored
 * @loom: the device, which must be stopped or about to be started; the caller must have handled its
 *	jobs and moves
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
 * @epoch: the value of &loom_device.epoch in which it hangs
 *
 * &loom_device.timeout_wq resets it, unless the epoch has changed by then. Jobs that had begun end
 * with ECANCELED. May be called in any context, any number of times.
 */
void loom_device_hang(struct loom_device *loom, u32 epoch)
{
	WRITE_ONCE(loom->hang_epoch, epoch);
	queue_work(loom->timeout_wq, &loom->hang_work);
}
EXPORT_SYMBOL_NS_GPL(loom_device_hang, LOOM_COMPAT_NS);

/**
 * loom_device_wedge() - take a broken device out of use
 * @loom: the device
 * @why: for the log
 *
 * The device is stopped, its jobs end with EIO, and SUBMIT fails with EIO until the driver is bound
 * again. This is done by &loom_device.timeout_wq, with one line in the log and a uevent. May be
 * called in any context, any number of times.
 */
void loom_device_wedge(struct loom_device *loom, const char *why)
{
	if (xchg(&loom->wedged, true))
		return;
	drm_err(&loom->drm, "wedged: %s\n", why);
	queue_work(loom->timeout_wq, &loom->wedge_work);
}
EXPORT_SYMBOL_NS_GPL(loom_device_wedge, LOOM_COMPAT_NS);
