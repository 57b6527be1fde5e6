// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>
#include <linux/suspend.h>

/*
 * Lets a device sleep alone, for selftests/loom_suspend.c, loom_template.c and pci/loom_rounds.c:
 * the module parameter asleep calls what the driver has given to the PM core for system sleep, as
 * the core does, with the device locked; of a PCI device what its bus has given. 0 wakes it up. 1
 * suspends it to idle; of a PCI device 2 does it to RAM, by firmware, and 3 is hibernation:
 * frozen and thawed around the image, and powered off. Not the whole system, because then nobody
 * could look at the device meanwhile, and because the VM's 9p file systems do not come back from
 * it (virtio_9p has no freeze() and restore()). For 2 and 3 the caller stops all clients.
 */

enum loom_sleep {
	LOOM_SLEEP_AWAKE,
	LOOM_SLEEP_IDLE,
	LOOM_SLEEP_RAM,
	LOOM_SLEEP_DISK,
	LOOM_SLEEP_COUNT,
};

static unsigned int loom_sleep_asleep;

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

static int loom_sleep_pci_image(struct device *dev)
{
	const struct dev_pm_ops *pm = dev->bus->pm;
	int ret = pm->freeze(dev);

	if (!ret) {
		ret = pm->freeze_noirq(dev);
		ret = ret ?: pm->thaw_noirq(dev);
	}
	return pm->thaw(dev) ?: ret;
}

static int loom_sleep_pci_off(struct device *dev, bool disk)
{
	const struct dev_pm_ops *pm = dev->bus->pm;
	int ret = disk ? pm->poweroff(dev) : pm->suspend(dev);

	if (!ret && disk)
		ret = pm->poweroff_late(dev) ?: pm->poweroff_noirq(dev);
	else if (!ret)
		ret = pm->suspend_late(dev) ?: pm->suspend_noirq(dev);
	else
		return ret;
	if (ret)
		pm->resume(dev);
	return ret;
}

static int loom_sleep_pci_suspend(struct device *dev, unsigned int how)
{
	int ret = 0;

	/* without CONFIG_HIBERNATION */
	if (how == LOOM_SLEEP_DISK && !dev->bus->pm->freeze)
		return -EOPNOTSUPP;
	pm_runtime_get_sync(dev);
	if (how == LOOM_SLEEP_DISK)
		ret = loom_sleep_pci_image(dev);
	if (how == LOOM_SLEEP_RAM)
		pm_set_suspend_via_firmware();
	if (!ret)
		ret = loom_sleep_pci_off(dev, how == LOOM_SLEEP_DISK);
	if (ret) {
		pm_suspend_clear_flags();
		pm_runtime_put(dev);
	}
	return ret;
}

static int loom_sleep_pci_resume(struct device *dev)
{
	const struct dev_pm_ops *pm = dev->bus->pm;
	int ret;

	if (loom_sleep_asleep == LOOM_SLEEP_DISK)
		ret = pm->restore_noirq(dev) ?: pm->restore(dev);
	else
		ret = pm->resume_noirq(dev) ?: pm->resume_early(dev) ?: pm->resume(dev);
	pm_suspend_clear_flags();
	pm_runtime_put(dev);
	return ret;
}

static int loom_sleep_pci(struct device *dev, unsigned int how)
{
	return how ? loom_sleep_pci_suspend(dev, how) : loom_sleep_pci_resume(dev);
}

static int loom_sleep_set(const char *value, const struct kernel_param *param)
{
	struct device *dev;
	unsigned int how;
	int ret = kstrtouint(value, 0, &how);

	if (ret || how == loom_sleep_asleep)
		return ret;
	if (how >= LOOM_SLEEP_COUNT || (how && loom_sleep_asleep))
		return -EINVAL;
	dev = bus_find_device_by_name(&platform_bus_type, NULL, loom_sleep_device) ?:
	      bus_find_device_by_name(&pci_bus_type, NULL, loom_sleep_device);
	if (!dev)
		return -ENODEV;
	device_lock(dev);
	ret = dev_is_pci(dev) ? loom_sleep_pci(dev, how) : loom_sleep_platform(dev, how);
	if (!ret)
		loom_sleep_asleep = how;
	device_unlock(dev);
	put_device(dev);
	return ret;
}

static const struct kernel_param_ops loom_sleep_ops = {
	.set = loom_sleep_set,
	.get = param_get_uint,
};

module_param_cb(asleep, &loom_sleep_ops, &loom_sleep_asleep, 0600);
MODULE_PARM_DESC(asleep, "How the device sleeps: 0 awake, 1 idle, 2 RAM, 3 disk");

MODULE_DESCRIPTION("Lets a device of loom sleep");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
