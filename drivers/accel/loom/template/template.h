/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_H
#define LOOM_TEMPLATE_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "backend/backend.h"
#include "nothing.h"

struct template_memory;

/**
 * struct template - a device
 */
struct template {
	/** @loom: the Loom device */
	struct loom_device *loom;
	/** @nothing: the hardware: for a chip, its registers and rings */
	struct nothing nothing;
	/** @memory: its memory, with module parameter own; otherwise NULL */
	struct template_memory *memory;
	/** @lock: held while reading records, by the interrupt or by polling */
	struct mutex lock;
	/** @read: number of records read since the reset; written by the driver only */
	u32 read;
	/** @stale: number of records of another epoch */
	u32 stale;
};

/**
 * struct template_run - state of a job in the back end: for a chip, its descriptor
 */
struct template_run {
	/** @at: by slot: loom_job_slot_address() */
	u64 at[DRM_LOOM_MAX_SLOTS];
};

static inline struct template *to_template(struct loom_device *loom)
{
	return *loom_device_data(loom);
}

/* plans with arithmetic are taken, too, so that tests of the core can run them */
#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
#define TEMPLATE_ARITHMETIC	GENMASK_ULL(DRM_LOOM_OP_END - 1, DRM_LOOM_OP_CONV)
#else
#define TEMPLATE_ARITHMETIC	0
#endif

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
void template_own_init(const struct loom_backend *plain);
const struct loom_backend *template_own_backend(const struct loom_backend *plain,
						struct loom_device_config *config);
#else
static inline void template_own_init(const struct loom_backend *plain)
{
}

static inline const struct loom_backend *template_own_backend(const struct loom_backend *plain,
							      struct loom_device_config *config)
{
	return plain;
}
#endif

#endif /* LOOM_TEMPLATE_H */
