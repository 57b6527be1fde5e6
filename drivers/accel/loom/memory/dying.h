/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DYING_H
#define LOOM_DYING_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct loom_bo;
struct loom_device;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
/**
 * struct loom_dying - unreferenced buffers of a device that wait for their moves
 */
struct loom_dying {
	/** @lock: protects @list and @count */
	spinlock_t lock;
	/** @list: &loom_bo.dying, for @work */
	struct list_head list;
	/** @count: number of buffers ever added to @list */
	u64 count;
	/** @dead_count: number of these that are freed; written by @work only */
	u64 dead_count;
	/** @free: frees a buffer, constant */
	void (*free)(struct loom_bo *bo);
	/** @work: frees them after their moves have ended */
	struct work_struct work;
	/** @dead: woken up when @dead_count changes */
	wait_queue_head_t dead;
};

void loom_dying_init(struct loom_device *loom, void (*free)(struct loom_bo *bo));
bool loom_dying_takes(struct loom_bo *bo);
#else
static inline bool loom_dying_takes(struct loom_bo *bo)
{
	return false;
}
#endif

#endif /* LOOM_DYING_H */
