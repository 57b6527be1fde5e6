/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_MEMORY_H
#define LOOM_TEMPLATE_MEMORY_H

#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/loom_accel.h>

struct loom_backend_memory;
struct loom_device;
struct loom_device_config;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
/**
 * struct template_memory - local memory
 */
struct template_memory {
	/** @banks: by region: bank after bank, or NULL; constant */
	u8 *banks[DRM_LOOM_REGION_COUNT];
	/** @engine: the DMA engine, an ordered workqueue */
	struct workqueue_struct *engine;
	/** @off: stopped: moves are dropped */
	bool off;
};

extern const struct loom_backend_memory template_local;
#define TEMPLATE_LOCAL	(&template_local)

void template_memory_config(struct loom_device_config *config);
int template_memory_init(struct template_memory *memory, struct loom_device *loom);
void template_memory_start(struct template_memory *memory);
void template_memory_stop(struct template_memory *memory);

u8 *template_memory_at(const struct template_memory *memory, const struct loom_device *loom,
		       u32 region, u32 bank, u64 address);
#else
struct template_memory {
};

#define TEMPLATE_LOCAL	NULL

static inline void template_memory_config(struct loom_device_config *config)
{
}

static inline int template_memory_init(struct template_memory *memory, struct loom_device *loom)
{
	return 0;
}

static inline void template_memory_start(struct template_memory *memory)
{
}

static inline void template_memory_stop(struct template_memory *memory)
{
}
#endif

#endif /* LOOM_TEMPLATE_MEMORY_H */
