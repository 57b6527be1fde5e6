// SPDX-License-Identifier: GPL-2.0
#include <linux/hwmon.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/sysfs.h>

#include <drm/drm_drv.h>

#include "loom_device.h"
#include "pci.h"

/*
 * Temperature, power, energy and clock in hwmon. hwmon has no type for clocks, so freq1_input is an
 * extra attribute, in hertz, as in other drivers. Reading wakes up a sleeping device.
 */

static int loom_pci_sensor_read64(struct loom_pci *pci, u32 offset, bool wide, u64 *value)
{
	struct device *dev = &pci->pdev->dev;
	int ret = -ENODEV, idx;

	if (!drm_dev_enter(&pci->loom->drm, &idx))
		return ret;
	ret = pm_runtime_resume_and_get(dev);
	if (!ret) {
		*value = wide ? lo_hi_readq(pci->regs + offset) : readl(pci->regs + offset);
		pm_runtime_mark_last_busy(dev);
		pm_runtime_put_autosuspend(dev);
	}
	drm_dev_exit(idx);
	return ret;
}

static umode_t loom_pci_sensor_visible(const void *data, enum hwmon_sensor_types type, u32 attr,
				       int channel)
{
	return 0444;
}

static int loom_pci_sensor_read(struct device *dev, enum hwmon_sensor_types type, u32 attr,
				int channel, long *out)
{
	struct loom_pci *pci = dev_get_drvdata(dev);
	u64 value = 0;
	int ret;

	switch (type) {
	case hwmon_temp:
		ret = loom_pci_sensor_read64(pci, LOOM_PCI_TEMPERATURE, false, &value);
		*out = (s32)value;
		return ret;
	case hwmon_power:
		ret = loom_pci_sensor_read64(pci, LOOM_PCI_POWER_UW, false, &value);
		break;
	case hwmon_energy:
		ret = loom_pci_sensor_read64(pci, LOOM_PCI_ENERGY_UJ, true, &value);
		break;
	default:
		return -EOPNOTSUPP;
	}
	*out = min_t(u64, value, LONG_MAX);
	return ret;
}

static const struct hwmon_channel_info * const loom_pci_sensor_channels[] = {
	HWMON_CHANNEL_INFO(temp, HWMON_T_INPUT),
	HWMON_CHANNEL_INFO(power, HWMON_P_INPUT),
	HWMON_CHANNEL_INFO(energy, HWMON_E_INPUT),
	NULL
};

static const struct hwmon_ops loom_pci_sensor_ops = {
	.is_visible = loom_pci_sensor_visible,
	.read = loom_pci_sensor_read,
};

static const struct hwmon_chip_info loom_pci_sensor_chip = {
	.ops = &loom_pci_sensor_ops,
	.info = loom_pci_sensor_channels,
};

static ssize_t freq1_input_show(struct device *dev, struct device_attribute *attr, char *out)
{
	u64 value = 0;
	int ret = loom_pci_sensor_read64(dev_get_drvdata(dev), LOOM_PCI_CLOCK_HZ, true, &value);

	return ret ?: sysfs_emit(out, "%llu\n", value);
}
static DEVICE_ATTR_RO(freq1_input);

static struct attribute *loom_pci_sensor_attrs[] = {
	&dev_attr_freq1_input.attr,
	NULL
};
ATTRIBUTE_GROUPS(loom_pci_sensor);

/**
 * loom_pci_sensor_init() - register with hwmon
 * @pci: the device, probed
 *
 * Return: 0, also without hwmon in the kernel; -errno.
 */
int loom_pci_sensor_init(struct loom_pci *pci)
{
	if (!IS_REACHABLE(CONFIG_HWMON))
		return 0;
	return PTR_ERR_OR_ZERO(devm_hwmon_device_register_with_info(&pci->pdev->dev, "loom", pci,
								    &loom_pci_sensor_chip,
								    loom_pci_sensor_groups));
}
