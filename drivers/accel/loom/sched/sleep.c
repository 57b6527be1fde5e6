// SPDX-License-Identifier: GPL-2.0
/* Callbacks of the PM core, see backend/power.c. */
#include <linux/iopoll.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include "backend/backend.h"
#include "backend/flight.h"
#include "backend/power.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "memory/move.h"
#include "memory/view.h"

#define LOOM_SLEEP_DRAIN_MS	10000

/**
 * loom_device_move_out() - evict all buffers from local memory that is about to lose its bytes
 * @dev: the device, about to be suspended by its bus; user space is frozen
 *
 * The next job that uses a buffer brings it back. The bytes on a wedged device are lost.
 *
 * Return: 0; -EBUSY: the device has jobs; -errno.
 */
int loom_device_move_out(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);
	int ret = 0;
	bool idle;
	u32 id;

	if (read_poll_timeout(list_empty_careful, idle, idle, 10 * USEC_PER_MSEC,
			      LOOM_SLEEP_DRAIN_MS * USEC_PER_MSEC, false, &loom->jobs))
		return -EBUSY;
	for (id = 0; !ret && id < DRM_LOOM_REGION_COUNT; id++)
		if (loom->region[id].own && loom_region_exists(&loom->region[id]))
			ret = ttm_resource_manager_evict_all(&loom->ttm,
							     &loom->region[id].manager);
	if (!ret)
		loom_moves_drain(loom);
	return ret;
}
EXPORT_SYMBOL_NS_GPL(loom_device_move_out, LOOM_COMPAT_NS);

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
	loom_view_unmap_all(loom);
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
