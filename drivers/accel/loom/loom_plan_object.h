/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_PLAN_OBJECT_H
#define LOOM_PLAN_OBJECT_H

#include <linux/kref.h>

#include "core/loom_plan.h"
#include "loom_region.h"
#include "loom_user.h"

struct drm_file;
struct drm_loom_fit;
struct loom_device;
struct loom_file;

/**
 * struct loom_plan_object - a verified plan
 */
struct loom_plan_object {
	/** @ref: held by the id of its file, and by each job that runs it */
	struct kref ref;
	/** @plan: the decoded plan, constant */
	struct loom_plan *plan;
	/** @client: the file that created it, and is charged for it */
	struct loom_file *client;
	/** @charged_bytes: the charge; constant once it has an id */
	u64 charged_bytes;
	/** @loom: the device, kept alive by holders of the plan */
	struct loom_device *loom;
	/** @id: its current or former id in its file, for reports */
	u32 id;
	/** @created: the back end knows it; constant once it has an id */
	bool created;
	/** @backend_data: owned by the back end */
	void *backend_data;
	/** @scratch: held while the plan has an id, if it was asked for */
	struct loom_region_scratch scratch;
};

struct loom_plan_object *loom_plan_object_lookup(struct loom_file *client, u32 id);
void loom_plan_object_put(struct loom_plan_object *object);
void loom_plan_object_drop(struct loom_plan_object *object);
void loom_plan_object_drop_all(struct loom_file *client);

int __must_check loom_plan_conflict_solve(struct loom_device *loom,
					  const struct loom_region_conflict *conflict);

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
int __must_check loom_plan_conflict_write(const struct loom_region_conflict *conflict,
					  struct drm_file *file, u64 to, u32 size);
void loom_plan_object_fit(struct loom_plan_object *object, struct drm_file *file,
			  struct drm_loom_fit *fit);
#else
static inline int __must_check
loom_plan_conflict_write(const struct loom_region_conflict *conflict, struct drm_file *file,
			 u64 to, u32 size)
{
	/* a record of zeroes */
	return loom_user_write(to, size, NULL, 0);
}
#endif

#endif /* LOOM_PLAN_OBJECT_H */
