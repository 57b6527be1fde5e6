// SPDX-License-Identifier: GPL-2.0
#include <linux/pm_runtime.h>

#include "backend.h"
#include "flight.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "power.h"

/**
 * DOC: Power
 *
 * A device is stopped for four independent reasons: it is idle, the system sleeps, it is reset or
 * removed, its bus resets it. It is started if and only if none of them applies; back ends see
 * start and stop alternate. Nothing may be sent to a stopped device: callers that give it jobs or
 * moves, or create plans, must hold a reference of runtime PM; all others must hold
 * &loom_device.power_lock.
 *
 * When the system is about to sleep, devices that keep their jobs stop in the middle of them; for
 * others their end is waited for, and if that takes more than LOOM_SLEEP_DRAIN_MS the system stays
 * awake. Jobs that come meanwhile wait.
 */

static void loom_power_stop_locked(struct loom_device *loom, enum loom_stop_reason why)
{
	lockdep_assert_held(&loom->power_lock);
	/* no stops are sent until loom_flight_on() */
	spin_lock(&loom->flight.lock);
	loom->flight.on = false;
	spin_unlock(&loom->flight.lock);
	loom->backend->stop(loom, why);
	loom->started = false;
}

static int loom_power_update_locked(struct loom_device *loom)
{
	bool run = loom->on && !loom->asleep && !loom->idle && !loom->held;
	int ret;

	lockdep_assert_held(&loom->power_lock);
	if (run == loom->started)
		return 0;
	if (!run) {
		loom_power_stop_locked(loom, loom->on ? LOOM_STOP_SLEEP : LOOM_STOP_END);
		return 0;
	}
	ret = loom->backend->start(loom);
	if (ret)
		return ret;
	loom->started = true;
	loom_flight_on(loom);
	return 0;
}

/**
 * loom_power_set() - set or clear a reason for being stopped
 * @loom: the device
 * @what: &loom_device.on, &loom_device.asleep, &loom_device.idle or &loom_device.held
 * @value: its new value
 *
 * Return: 0; -errno if the device does not start.
 */
int loom_power_set(struct loom_device *loom, bool *what, bool value)
{
	int ret;

	mutex_lock(&loom->power_lock);
	*what = value;
	ret = loom_power_update_locked(loom);
	mutex_unlock(&loom->power_lock);
	return ret;
}

/**
 * loom_power_reset() - stop the device, reset it, and start it again in a new epoch
 * @loom: the device
 *
 * Records that arrive before the stop belong to the old epoch, and count.
 *
 * Return: 0; 1 if it was already stopped, and nothing was done; -errno, and it stays off.
 */
int loom_power_reset(struct loom_device *loom)
{
	int ret = 1;

	mutex_lock(&loom->power_lock);
	if (loom->started) {
		loom_power_stop_locked(loom, LOOM_STOP_RESET);
		loom_device_new_epoch(loom);
		ret = loom->backend->reset(loom);
		if (!ret)
			ret = loom_power_update_locked(loom);
		if (ret)
			loom->on = false;
	}
	mutex_unlock(&loom->power_lock);
	return ret;
}

/**
 * loom_power_hold() - keep the device from being stopped, for a short access
 * @loom: the device; fence safe
 *
 * Return: true if it is started; the caller must then call loom_power_release(). Otherwise false.
 */
bool loom_power_hold(struct loom_device *loom)
{
	mutex_lock(&loom->power_lock);
	if (loom->started)
		return true;
	mutex_unlock(&loom->power_lock);
	return false;
}

/* Undo loom_power_hold(). */
void loom_power_release(struct loom_device *loom)
{
	mutex_unlock(&loom->power_lock);
}

/**
 * loom_power_poll() - make the back end look for records, in case an interrupt was lost
 * @loom: the device; fence safe
 */
void loom_power_poll(struct loom_device *loom)
{
	if (!loom->backend->poll || !loom_power_hold(loom))
		return;
	loom->backend->poll(loom);
	loom_power_release(loom);
}

/**
 * loom_power_get() - keep the device awake
 * @loom: the device; it is woken up if it sleeps
 *
 * Return: 0, and the caller must call loom_power_put(); -EIO if it is wedged; -ENODEV; -errno.
 */
int loom_power_get(struct loom_device *loom)
{
	int ret = pm_runtime_resume_and_get(loom->drm.dev);

	if (READ_ONCE(loom->unplugged) || READ_ONCE(loom->wedged)) {
		if (!ret)
			loom_power_put(loom);
		ret = READ_ONCE(loom->unplugged) ? -ENODEV : -EIO;
	}
	return ret;
}

/* Undo loom_power_get(). */
void loom_power_put(struct loom_device *loom)
{
	pm_runtime_mark_last_busy(loom->drm.dev);
	pm_runtime_put_autosuspend(loom->drm.dev);
}
