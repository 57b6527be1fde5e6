/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_CLASH_H
#define LOOM_CLASH_H

#include <linux/types.h>

struct drm_file;
struct drm_loom_fit;
struct loom_device;
struct loom_plan_object;
struct loom_region_clash;

void loom_clash_fini(struct loom_region_clash *clash);
int __must_check loom_clash_copy(const struct loom_region_clash *clash, struct drm_file *file,
				 u64 to, u32 size);
void loom_clash_fit(struct loom_device *loom, struct loom_plan_object *object,
		    struct drm_file *file, struct drm_loom_fit *fit);

#endif /* LOOM_CLASH_H */
