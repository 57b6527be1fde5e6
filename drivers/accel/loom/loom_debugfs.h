/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DEBUGFS_H
#define LOOM_DEBUGFS_H

struct loom_device;

void loom_debugfs_init(struct loom_device *loom);

#endif /* LOOM_DEBUGFS_H */
