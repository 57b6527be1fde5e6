/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FENCE_H
#define LOOM_FENCE_H

#include <linux/dma-fence.h>
#include <linux/spinlock.h>

/**
 * struct loom_fence - signals when a back end is done with a job
 */
struct loom_fence {
	/** @base: base */
	struct dma_fence base;
	/** @lock: lock of @base */
	spinlock_t lock;
};

struct loom_fence *loom_fence_create(void);

#endif /* LOOM_FENCE_H */
