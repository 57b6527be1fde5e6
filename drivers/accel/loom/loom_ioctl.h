/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_IOCTL_H
#define LOOM_IOCTL_H

/*
 * Handlers for the ioctl table in loom_drv.c. Each function is in the file of its noun:
 * loom_bo_ioctl_create() is in loom_bo.c.
 */

struct drm_device;
struct drm_file;
struct drm_printer;

int loom_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

int loom_bo_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file);
int loom_bo_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file);
int loom_bo_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file);

int loom_plan_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file);
int loom_plan_ioctl_destroy(struct drm_device *drm, void *data, struct drm_file *file);

int loom_context_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file);
int loom_context_ioctl_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int loom_context_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file);

int loom_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* NULL: DRM refuses it */
#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
int loom_label_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
void loom_fdinfo_show(struct drm_printer *p, struct drm_file *file);
#else
#define loom_label_ioctl	NULL
#define loom_fdinfo_show	NULL
#endif

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
int loom_copy_ioctl_read(struct drm_device *drm, void *data, struct drm_file *file);
int loom_copy_ioctl_write(struct drm_device *drm, void *data, struct drm_file *file);
#else
#define loom_copy_ioctl_read	NULL
#define loom_copy_ioctl_write	NULL
#endif

#ifdef CONFIG_DRM_ACCEL_LOOM_SHARE
int loom_seal_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
#else
#define loom_seal_ioctl		NULL
#endif

#endif /* LOOM_IOCTL_H */
