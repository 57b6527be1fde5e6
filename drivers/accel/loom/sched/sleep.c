// SPDX-License-Identifier: GPL-2.0
/* Callbacks of the PM core, see backend/power.c. */
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include "backend/backend.h"
#include "backend/flight.h"
#include "backend/power.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "memory/move.h"
#include "memory/window.h"

#define LOOM_SLEEP_DRAIN_MS	10000

static int loom_sleep_suspend(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);
	int ret = loom_flight_pause(loom, LOOM_SLEEP_DRAIN_MS);

	if (ret)
		return ret;
	ret = loom_moves_pause(loom, LOOM_SLEEP_DRAIN_MS);
	if (ret) {
		loom_flight_resume(loom);
		return ret;
	}
	return loom_power_set(loom, &loom->asleep, true);
}

static int loom_sleep_resume(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);
	int ret = loom_power_set(loom, &loom->asleep, false);

	if (ret)
		loom_device_wedge(loom, "resume failed");
	loom_flight_resume(loom);
	loom_moves_resume(loom);
	return ret;
}

static int loom_sleep_runtime_suspend(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);

	/*
	 * no page fault is in progress, because it would hold a reference of runtime PM; later ones
	 * wake the device
	 */
	loom_window_unmap_all(loom);
	return loom_power_set(loom, &loom->idle, true);
}

static int loom_sleep_runtime_resume(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);

	/* runtime PM would keep an error across a rebind; loom_power_get() returns it */
	if (loom_power_set(loom, &loom->idle, false))
		loom_device_wedge(loom, "resume failed");
	return 0;
}

const struct dev_pm_ops loom_device_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(loom_sleep_suspend, loom_sleep_resume)
	RUNTIME_PM_OPS(loom_sleep_runtime_suspend, loom_sleep_runtime_resume, NULL)
};
EXPORT_SYMBOL_NS_GPL(loom_device_pm_ops, LOOM_COMPAT_NS);
