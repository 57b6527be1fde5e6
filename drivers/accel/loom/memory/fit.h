/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FIT_H
#define LOOM_FIT_H

struct drm_file;
struct drm_loom_fit_list;
struct loom_device;

int loom_fit_list(struct loom_device *loom, struct drm_file *file, struct drm_loom_fit_list *list);

#endif /* LOOM_FIT_H */
