/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SOFT_H
#define LOOM_SOFT_H

#include <linux/kconfig.h>

#include "loom_device.h"

/* Name of the platform devices and their driver. */
#define LOOM_SOFT_NAME	"loom-soft"

/**
 * struct loom_soft_data - platform data of a device that was configured by configfs
 */
struct loom_soft_data {
	/** @device: its description */
	struct loom_device_config device;
	/** @threads: workers of its engine */
	u32 threads;
	/** @probe_ret: out: result of the last probe */
	int probe_ret;
};

#if IS_ENABLED(CONFIG_CONFIGFS_FS)
int loom_config_module_init(void);
void loom_config_module_exit(void);
#else
static inline int loom_config_module_init(void)
{
	return 0;
}

static inline void loom_config_module_exit(void)
{
}
#endif

#endif /* LOOM_SOFT_H */
