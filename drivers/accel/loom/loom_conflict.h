/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_CONFLICT_H
#define LOOM_CONFLICT_H

#include <linux/types.h>

struct drm_file;
struct drm_loom_fit;
struct loom_device;
struct loom_plan_object;
struct loom_region_conflict;

void loom_conflict_fini(struct loom_region_conflict *conflict);
int __must_check loom_conflict_copy(const struct loom_region_conflict *conflict,
				    struct drm_file *file, u64 to, u32 size);
void loom_conflict_fit(struct loom_device *loom, struct loom_plan_object *object,
		       struct drm_file *file, struct drm_loom_fit *fit);

#endif /* LOOM_CONFLICT_H */
