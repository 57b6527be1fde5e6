// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/slab.h>

#include "loom_fence.h"

/**
 * DOC: Fences
 *
 * A fence ends up in syncobjs of other processes and can outlive the job, the file and
 * the device, so it owns all it needs, its lock included, and keeps the module in
 * memory. Each is a timeline of its own: jobs get their fence before the
 * scheduler has decided on their order.
 */

static const char *loom_fence_driver_name(struct dma_fence *base)
{
	return "loom";
}

static const char *loom_fence_timeline_name(struct dma_fence *base)
{
	return "job";
}

static void loom_fence_release(struct dma_fence *base)
{
	dma_fence_free(base);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops loom_fence_ops = {
	.get_driver_name = loom_fence_driver_name,
	.get_timeline_name = loom_fence_timeline_name,
	.release = loom_fence_release,
};

/**
 * loom_fence_create() - a fence that has not signalled
 *
 * Return: the fence, or NULL.
 */
struct loom_fence *loom_fence_create(void)
{
	/* dma_fence_free() wants base to be first */
	struct loom_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	BUILD_BUG_ON(offsetof(struct loom_fence, base));
	if (!fence)
		return NULL;
	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &loom_fence_ops, &fence->lock, dma_fence_context_alloc(1), 1);
	return fence;
}
