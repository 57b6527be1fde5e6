/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SOFT_H
#define LOOM_SOFT_H

#include <linux/kconfig.h>

#include "loom_device.h"

/* Of the platform devices and their driver. */
#define LOOM_SOFT_NAME	"loom-soft"

/**
 * struct loom_soft_data - platform data of a device that is not as the module's parameters say
 */
struct loom_soft_data {
	/** @device: what it is made of */
	struct loom_device_config device;
	/** @threads: workers of its engine */
	u32 threads;
	/** @probe_ret: what the driver made of it, at last */
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
