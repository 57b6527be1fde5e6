// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>

#include <drm/drm_print.h>

#include "backend/flight.h"
#include "backend/memory.h"
#include "backend/power.h"
#include "loom_compat.h"
#include "loom_device.h"

/* Resets of a device by its bus, while its memory is invisible. */

/**
 * loom_device_reset_prepare() - quiesce the device before a reset by its bus
 * @dev: the device, probed or being probed
 *
 * Drains the device for a limited time and blocks all accesses, because registers and memory are
 * invisible during the reset. The caller must call loom_device_reset_done() afterwards, whether or
 * not the reset succeeded, and must keep the device from being unbound in between.
 */
void loom_device_reset_prepare(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);

	if (!loom)
		return;
	down_write(&loom->flight.gate);
	loom_device_hide(loom);
	/* stopping a device does not fail */
	loom_power_set(loom, &loom->held, true);
}
EXPORT_SYMBOL_NS_GPL(loom_device_reset_prepare, LOOM_COMPAT_NS);

/**
 * loom_device_reset_done() - undo loom_device_reset_prepare()
 * @dev: the same device
 *
 * Begins a new epoch. Jobs that had begun end with ECANCELED, and moves are repeated.
 */
void loom_device_reset_done(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);

	if (!loom)
		return;
	loom_device_new_epoch(loom);
	if (loom_power_set(loom, &loom->held, false)) {
		loom_device_wedge(loom, "reset failed");
	} else if (!READ_ONCE(loom->wedged)) {
		drm_notice(&loom->drm, "reset, epoch %u, by the bus\n", loom->epoch);
		loom_flight_renew(loom, 0);
		loom_moves_renew(loom);
	}
	loom_device_show(loom);
	up_write(&loom->flight.gate);
}
EXPORT_SYMBOL_NS_GPL(loom_device_reset_done, LOOM_COMPAT_NS);
