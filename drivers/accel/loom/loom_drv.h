/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DRV_H
#define LOOM_DRV_H

#include <linux/fs.h>

#include <drm/drm_drv.h>

/* Each addition to the contract bumps the minor. */
#define LOOM_DRV_MAJOR	1
#define LOOM_DRV_MINOR	5

/**
 * struct loom_driver - what DRM is given for the devices of a back end
 *
 * Each back end has one, because in it is the module that an open node keeps in memory. Constant
 * once it was initialised: __ro_after_init is the place for it.
 */
struct loom_driver {
	/** @drm: the driver */
	struct drm_driver drm;
	/** @fops: of its nodes */
	struct file_operations fops;
};

void loom_driver_init(struct loom_driver *driver, struct module *owner);
void loom_driver_exit(void);

#endif /* LOOM_DRV_H */
