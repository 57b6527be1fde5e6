/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DEBUGFS_H
#define LOOM_DEBUGFS_H

struct loom_device;

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
void loom_debugfs_init(struct loom_device *loom);
#else
static inline void loom_debugfs_init(struct loom_device *loom)
{
}
#endif

#endif /* LOOM_DEBUGFS_H */
