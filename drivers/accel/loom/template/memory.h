/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_MEMORY_H
#define LOOM_TEMPLATE_MEMORY_H

#include <linux/workqueue.h>

#include "template.h"

/**
 * struct template_memory - local memory
 */
struct template_memory {
	/** @banks: by region: bank after bank, or NULL; constant */
	u8 *banks[DRM_LOOM_REGION_COUNT];
	/** @engine: the DMA engine, an ordered workqueue */
	struct workqueue_struct *engine;
	/** @queued: jobs on @engine; others must not overtake them */
	atomic_t queued;
	/** @off: stopped: moves are dropped */
	bool off;
};

static inline struct template_memory *to_template_memory(struct loom_device *loom)
{
	return to_template(loom)->memory;
}

/* Operations of the back end without local memory, which those with it call. */
extern const struct loom_backend *template_plain;

void template_memory_backend(struct loom_backend *backend, const struct loom_backend *plain);
void template_memory_config(struct loom_device_config *config);
u8 *template_memory_at(struct loom_device *loom, u32 region, u32 bank, u64 address);

#endif /* LOOM_TEMPLATE_MEMORY_H */
