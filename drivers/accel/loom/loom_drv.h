/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DRV_H
#define LOOM_DRV_H

#include <drm/drm_drv.h>

/* Each addition to the contract bumps the minor. */
#define LOOM_DRV_MAJOR	1
#define LOOM_DRV_MINOR	5

extern const struct drm_driver loom_drm_driver;

#endif /* LOOM_DRV_H */
