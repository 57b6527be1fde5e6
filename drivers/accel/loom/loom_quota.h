/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_QUOTA_H
#define LOOM_QUOTA_H

#include <linux/types.h>

#include "backend/backend.h"

struct drm_loom_device_info;
struct loom_device;
struct loom_file;

/**
 * enum loom_quota_kind - what a file is charged for
 */
enum loom_quota_kind {
	/** @LOOM_QUOTA_BO_BYTES: buffers, until the last reference is dropped */
	LOOM_QUOTA_BO_BYTES,
	/** @LOOM_QUOTA_PLAN_BYTES: memory of plans, likewise */
	LOOM_QUOTA_PLAN_BYTES,
	/** @LOOM_QUOTA_JOBS: jobs that have not ended */
	LOOM_QUOTA_JOBS,
	/** @LOOM_QUOTA_CONTEXTS: contexts that have an id */
	LOOM_QUOTA_CONTEXTS,
};

#ifdef CONFIG_DRM_ACCEL_LOOM_LIMITS
/* Module parameters, which can change at any time. */
extern struct loom_quota_caps loom_quota_params;

void loom_quota_module_init(void);
void loom_quota_device_init(struct loom_device *loom);
int __must_check loom_quota_charge(struct loom_device *loom, struct loom_file *client,
				   enum loom_quota_kind kind, u64 amount);
void loom_quota_uncharge(struct loom_device *loom, struct loom_file *client,
			 enum loom_quota_kind kind, u64 amount);
u64 loom_quota_missing(struct loom_device *loom, struct loom_file *client, u64 bytes);
void loom_quota_info(struct loom_device *loom, struct loom_file *client,
		     struct drm_loom_device_info *info);
#else
/* no caps but those of control groups */
static inline void loom_quota_module_init(void)
{
}

static inline void loom_quota_device_init(struct loom_device *loom)
{
}

static inline int __must_check loom_quota_charge(struct loom_device *loom,
						 struct loom_file *client,
						 enum loom_quota_kind kind, u64 amount)
{
	return 0;
}

static inline void loom_quota_uncharge(struct loom_device *loom, struct loom_file *client,
				       enum loom_quota_kind kind, u64 amount)
{
}

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
static inline u64 loom_quota_missing(struct loom_device *loom, struct loom_file *client, u64 bytes)
{
	return 0;
}
#endif

static inline void loom_quota_info(struct loom_device *loom, struct loom_file *client,
				   struct drm_loom_device_info *info)
{
}
#endif

#endif /* LOOM_QUOTA_H */
