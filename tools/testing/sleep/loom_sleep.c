// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>

/*
 * Lets a device sleep alone, for selftests/loom_suspend.c, loom_template.c and pci/loom_rounds.c: 1
 * or 0 in the module parameter asleep calls what the driver has given to the PM core for system
 * suspend or resume, as the core does, with the device locked; of a PCI device what its bus has
 * given. Not the whole system, because then nobody could look at the device meanwhile, and because
 * the VM's 9p file systems do not come back from it (virtio_9p has no freeze() and restore()).
 */

static bool loom_sleep_asleep;

static char *loom_sleep_device = "loom-soft";
module_param_named(device, loom_sleep_device, charp, 0400);
MODULE_PARM_DESC(device, "Which device, platform or PCI (default: loom-soft)");

static int loom_sleep_platform(struct device *dev, bool asleep)
{
	const struct dev_pm_ops *pm = dev->driver ? dev->driver->pm : NULL;

	if (!pm || !pm->suspend || !pm->resume)
		return 0;
	return asleep ? pm->suspend(dev) : pm->resume(dev);
}

static int loom_sleep_pci_suspend(struct device *dev)
{
	const struct dev_pm_ops *pm = dev->bus->pm;
	int ret;

	pm_runtime_get_sync(dev);
	ret = pm->suspend(dev);
	if (!ret) {
		ret = pm->suspend_late(dev) ?: pm->suspend_noirq(dev);
		if (!ret)
			return 0;
		pm->resume(dev);
	}
	pm_runtime_put(dev);
	return ret;
}

static int loom_sleep_pci_resume(struct device *dev)
{
	const struct dev_pm_ops *pm = dev->bus->pm;
	int ret = pm->resume_noirq(dev);

	ret = ret ?: pm->resume_early(dev);
	ret = ret ?: pm->resume(dev);
	pm_runtime_put(dev);
	return ret;
}

static int loom_sleep_pci(struct device *dev, bool asleep)
{
	return asleep ? loom_sleep_pci_suspend(dev) : loom_sleep_pci_resume(dev);
}

static int loom_sleep_set(const char *value, const struct kernel_param *param)
{
	struct device *dev;
	bool asleep;
	int ret = kstrtobool(value, &asleep);

	if (ret || asleep == loom_sleep_asleep)
		return ret;
	dev = bus_find_device_by_name(&platform_bus_type, NULL, loom_sleep_device) ?:
	      bus_find_device_by_name(&pci_bus_type, NULL, loom_sleep_device);
	if (!dev)
		return -ENODEV;
	device_lock(dev);
	ret = dev_is_pci(dev) ? loom_sleep_pci(dev, asleep) : loom_sleep_platform(dev, asleep);
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
