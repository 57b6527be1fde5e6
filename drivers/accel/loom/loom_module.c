// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "loom_compat.h"
#include "loom_context.h"
#include "loom_quota.h"
#include "loom_sync.h"

/*
 * Loading and unloading of the state shared by all devices. Back ends are separate modules that
 * depend on this one, and probe their devices through loom_device_probe(). modprobe of this module
 * also loads the soft device.
 */

static int __init loom_module_init(void)
{
	loom_quota_module_init();
	return loom_context_module_init();
}

static void __exit loom_module_exit(void)
{
	loom_context_module_exit();
	loom_fence_module_exit();
}

module_init(loom_module_init);
module_exit(loom_module_exit);

MODULE_DESCRIPTION("Driver for Loom neural accelerators");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("post: loom_soft");
MODULE_IMPORT_NS(LOOM_COMPAT_NS_DMA_BUF);
