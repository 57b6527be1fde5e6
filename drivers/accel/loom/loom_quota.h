/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_QUOTA_H
#define LOOM_QUOTA_H

#include <linux/types.h>

struct drm_loom_device_info;
struct loom_device;
struct loom_file;

void loom_quota_module_init(void);
int __must_check loom_quota_charge(struct loom_device *loom, struct loom_file *client, u64 bytes);
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

#endif /* LOOM_QUOTA_H */
