/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_QUOTA_H
#define LOOM_QUOTA_H

#include <linux/types.h>

#include "backend/backend.h"

struct drm_loom_device_info;
struct loom_device;
struct loom_file;

#ifdef CONFIG_DRM_ACCEL_LOOM_LIMITS
/* Module parameters, which can change at any time. */
extern struct loom_quota_caps loom_quota_params;

void loom_quota_module_init(void);

static inline const struct loom_quota_caps *loom_quota_default(void)
{
	return &loom_quota_params;
}

int __must_check loom_quota_charge(struct loom_device *loom, struct loom_file *client, u64 bytes);
u64 loom_quota_missing(struct loom_device *loom, struct loom_file *client, u64 bytes);
void loom_quota_uncharge(struct loom_device *loom, struct loom_file *client, u64 bytes);
int __must_check loom_quota_charge_plan(struct loom_device *loom, struct loom_file *client,
					u64 bytes);
void loom_quota_uncharge_plan(struct loom_device *loom, struct loom_file *client, u64 bytes);
int __must_check loom_quota_charge_job(struct loom_device *loom, struct loom_file *client);
void loom_quota_uncharge_job(struct loom_file *client);
int __must_check loom_quota_charge_context(struct loom_device *loom,
					   struct loom_file *client);
void loom_quota_uncharge_context(struct loom_file *client);
void loom_quota_info(struct loom_device *loom, struct loom_file *client,
		     struct drm_loom_device_info *info);
#else
/* no caps but those of control groups */
static inline void loom_quota_module_init(void)
{
}

static inline const struct loom_quota_caps *loom_quota_default(void)
{
	return NULL;
}

static inline int __must_check loom_quota_charge(struct loom_device *loom,
						 struct loom_file *client, u64 bytes)
{
	return 0;
}

static inline u64 loom_quota_missing(struct loom_device *loom, struct loom_file *client, u64 bytes)
{
	return 0;
}

static inline void loom_quota_uncharge(struct loom_device *loom, struct loom_file *client,
				       u64 bytes)
{
}

static inline int __must_check loom_quota_charge_plan(struct loom_device *loom,
						      struct loom_file *client, u64 bytes)
{
	return 0;
}

static inline void loom_quota_uncharge_plan(struct loom_device *loom, struct loom_file *client,
					    u64 bytes)
{
}

static inline int __must_check loom_quota_charge_job(struct loom_device *loom,
						     struct loom_file *client)
{
	return 0;
}

static inline void loom_quota_uncharge_job(struct loom_file *client)
{
}

static inline int __must_check loom_quota_charge_context(struct loom_device *loom,
							 struct loom_file *client)
{
	return 0;
}

static inline void loom_quota_uncharge_context(struct loom_file *client)
{
}

static inline void loom_quota_info(struct loom_device *loom, struct loom_file *client,
				   struct drm_loom_device_info *info)
{
}
#endif

#endif /* LOOM_QUOTA_H */
