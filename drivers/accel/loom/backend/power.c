// SPDX-License-Identifier: GPL-2.0
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include <drm/drm_managed.h>

#include "backend.h"
#include "flight.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "power.h"

/**
 * DOC: Power
 *
 * A device is started and stopped for three reasons that know nothing of each other: it is idle,
 * the system sleeps, it is reset or gone. It runs while none of them speaks against it; back ends
 * see start and stop in turn.
 *
 * When the system is about to sleep, devices that keep their jobs stop in the middle of them; for
 * others their end is waited for, and if that takes more than LOOM_POWER_DRAIN_MS the system stays
 * awake. Jobs that come meanwhile wait.
 */

#define LOOM_POWER_DRAIN_MS	10000

static int loom_power_update_locked(struct loom_device *loom)
{
	bool run = loom->on && !loom->asleep && !loom->idle;
	int ret = 0;

	lockdep_assert_held(&loom->power_lock);
	if (run == loom->started)
		return 0;
	if (run)
		ret = loom->backend->start(loom);
	else
		loom->backend->stop(loom);
	if (!ret)
		loom->started = run;
	return ret;
}

static int loom_power_set(struct loom_device *loom, bool *what, bool value)
{
	int ret;

	mutex_lock(&loom->power_lock);
	*what = value;
	ret = loom_power_update_locked(loom);
	mutex_unlock(&loom->power_lock);
	return ret;
}

/**
 * loom_power_on() - the device may run
 * @loom: the device
 *
 * Return: 0 or -errno.
 */
int loom_power_on(struct loom_device *loom)
{
	return loom_power_set(loom, &loom->on, true);
}

/**
 * loom_power_off() - the device must not run any more
 * @loom: the device; it is stopped when this returns
 */
void loom_power_off(struct loom_device *loom)
{
	loom_power_set(loom, &loom->on, false);
}

/**
 * loom_power_reset() - stop the device, reset it, and start it again
 * @loom: the device, with a new epoch
 *
 * Return: 0, or -errno, and it is off.
 */
int loom_power_reset(struct loom_device *loom)
{
	int ret = -ENODEV;

	mutex_lock(&loom->power_lock);
	if (loom->started) {
		loom->backend->stop(loom);
		loom->started = false;
		ret = loom->backend->reset(loom);
		if (!ret)
			ret = loom_power_update_locked(loom);
		if (ret)
			loom->on = false;
	}
	mutex_unlock(&loom->power_lock);
	return ret;
}

/* ------------------------------------------------------- what PM calls */

static int loom_power_suspend(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);
	int ret = loom_flight_pause(loom, LOOM_POWER_DRAIN_MS);

	return ret ?: loom_power_set(loom, &loom->asleep, true);
}

static int loom_power_resume(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);
	int ret = loom_power_set(loom, &loom->asleep, false);

	if (ret)
		loom_device_wedge(loom, "it does not wake up");
	loom_flight_resume(loom);
	return ret;
}

static int loom_power_runtime_suspend(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);

	return loom_power_set(loom, &loom->idle, true);
}

static int loom_power_runtime_resume(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);

	return loom_power_set(loom, &loom->idle, false);
}

const struct dev_pm_ops loom_device_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(loom_power_suspend, loom_power_resume)
	RUNTIME_PM_OPS(loom_power_runtime_suspend, loom_power_runtime_resume, NULL)
};
EXPORT_SYMBOL_NS_GPL(loom_device_pm_ops, LOOM_COMPAT_NS);

/**
 * loom_power_init() - the device is off, and has a lock
 * @loom: the device
 *
 * Return: 0 or -errno.
 */
int loom_power_init(struct loom_device *loom)
{
	return drmm_mutex_init(&loom->drm, &loom->power_lock);
}
