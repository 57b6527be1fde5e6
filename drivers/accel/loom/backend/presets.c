// SPDX-License-Identifier: GPL-2.0
#include <kunit/visibility.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sysfs.h>

#include "backend/presets.h"
#include "loom_compat.h"

/* Chips for back ends, and module parameters of those whose devices have no description. */

static const struct drm_loom_chip *loom_presets_topology;

static int loom_presets_set(const char *name, const struct kernel_param *param)
{
	const struct drm_loom_chip *chip = loom_preset_find(name);
	char names[128] = "";
	unsigned int i;

	if (chip) {
		loom_presets_topology = chip;
		return 0;
	}
	for (i = 0; (chip = loom_preset_get(i)); i++) {
		strlcat(names, " ", sizeof(names));
		strlcat(names, chip->name, sizeof(names));
	}
	pr_err("loom: unknown topology '%s', known:%s\n", name, names);
	return -EINVAL;
}

static int loom_presets_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n", loom_presets_chip()->name);
}

static const struct kernel_param_ops loom_presets_ops = {
	.set = loom_presets_set,
	.get = loom_presets_get,
};

module_param_cb(topology, &loom_presets_ops, NULL, 0444);
__MODULE_PARM_TYPE(topology, "charp");
MODULE_PARM_DESC(topology, "Preset that says what the device is made of (default: soft)");

static uint loom_presets_threads_param = 1;
module_param_named(threads, loom_presets_threads_param, uint, 0444);
MODULE_PARM_DESC(threads,
		 "Kernel threads that compute a job of a soft device (1 to 64, at most one for each processor; default: 1)");

/**
 * loom_presets_chip() - value of the module parameter "topology"
 *
 * Return: the chip.
 */
const struct drm_loom_chip *loom_presets_chip(void)
{
	return loom_presets_topology ? loom_presets_topology : loom_preset_get(0);
}
EXPORT_SYMBOL_NS_GPL(loom_presets_chip, LOOM_COMPAT_NS);

/**
 * loom_presets_threads() - value of the module parameter "threads"
 *
 * Return: number of workers of a soft device.
 */
u32 loom_presets_threads(void)
{
	return clamp_t(uint, loom_presets_threads_param, 1, 64);
}
EXPORT_SYMBOL_NS_GPL(loom_presets_threads, LOOM_COMPAT_NS);

EXPORT_SYMBOL_NS_GPL(loom_chip_check, LOOM_COMPAT_NS);
EXPORT_SYMBOL_NS_GPL(loom_preset_get, LOOM_COMPAT_NS);
EXPORT_SYMBOL_IF_KUNIT(loom_preset_find);
