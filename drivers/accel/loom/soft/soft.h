/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SOFT_H
#define LOOM_SOFT_H

#include <linux/kconfig.h>

/* Of the platform devices and their driver. */
#define LOOM_SOFT_NAME	"loom-soft"

int loom_soft_module_init(void);
void loom_soft_module_exit(void);

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
