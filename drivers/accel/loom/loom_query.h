/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_QUERY_H
#define LOOM_QUERY_H

struct drm_device;
struct drm_file;

int loom_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif /* LOOM_QUERY_H */
