/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DRV_H
#define LOOM_DRV_H

#include <linux/fs.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>

/* Each addition to the contract bumps the minor. */
#define LOOM_DRV_MAJOR	1
#define LOOM_DRV_MINOR	12

#ifndef CONFIG_COMPAT
#define loom_drv_compat_ioctl NULL
#endif

/*
 * File operations of a back end's nodes. Each back end needs its own, because their owner is the
 * module that an open node pins.
 */
#define LOOM_DRV_FOPS					\
	.owner = THIS_MODULE,				\
	.open = accel_open,				\
	.release = drm_release,				\
	.unlocked_ioctl = loom_drv_ioctl,		\
	.compat_ioctl = loom_drv_compat_ioctl,		\
	.poll = drm_poll,				\
	.read = drm_read,				\
	.llseek = noop_llseek,				\
	.mmap = drm_gem_mmap,				\
	.show_fdinfo = drm_show_fdinfo,			\
	.fop_flags = FOP_UNSIGNED_OFFSET

long loom_drv_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#ifdef CONFIG_COMPAT
long loom_drv_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#endif

void loom_driver_init(struct drm_driver *driver, const struct file_operations *fops);
void loom_driver_exit(const struct drm_driver *driver);

#endif /* LOOM_DRV_H */
