// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>

/*
 * Lets a device sleep alone, for selftests/loom_suspend.c and loom_template.c: 1 or 0 in the module
 * parameter asleep calls what the driver has given to the PM core for system suspend or resume, as
 * the core does, with the device locked. Not the whole system, because then nobody could look at
 * the device meanwhile, and because the VM's 9p file systems do not come back from it (virtio_9p
 * has no freeze() and restore()).
 */

static bool loom_sleep_asleep;

static char *loom_sleep_device = "loom-soft";
module_param_named(device, loom_sleep_device, charp, 0400);
MODULE_PARM_DESC(device, "Which platform device (default: loom-soft)");

static int loom_sleep_set(const char *value, const struct kernel_param *param)
{
	const struct dev_pm_ops *pm;
	struct device *dev;
	bool asleep;
	int ret = kstrtobool(value, &asleep);

	if (ret || asleep == loom_sleep_asleep)
		return ret;
	dev = bus_find_device_by_name(&platform_bus_type, NULL, loom_sleep_device);
	if (!dev)
		return -ENODEV;
	device_lock(dev);
	pm = dev->driver ? dev->driver->pm : NULL;
	if (pm && pm->suspend && pm->resume)
		ret = asleep ? pm->suspend(dev) : pm->resume(dev);
	if (!ret)
		loom_sleep_asleep = asleep;
	device_unlock(dev);
	put_device(dev);
	return ret;
}

static const struct kernel_param_ops loom_sleep_ops = {
	.set = loom_sleep_set,
	.get = param_get_bool,
};

module_param_cb(asleep, &loom_sleep_ops, &loom_sleep_asleep, 0600);
MODULE_PARM_DESC(asleep, "Whether the device sleeps");

MODULE_DESCRIPTION("Lets a device of loom sleep");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
