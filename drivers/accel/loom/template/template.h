/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_H
#define LOOM_TEMPLATE_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "backend/backend.h"
#include "data.h"
#include "memory.h"
#include "nothing.h"

/**
 * struct template - a device
 */
struct template {
	/** @loom: the Loom device */
	struct loom_device *loom;
	/** @nothing: the hardware: for a chip, its registers and rings */
	struct nothing nothing;
	/** @memory: its memory, with module parameter own */
	struct template_memory memory;
	/** @queued: jobs on &template_memory.engine; others must not overtake them */
	atomic_t queued;
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
	/** @work: runs native commands */
	struct work_struct work;
	/** @job: the job, must not be accessed after its end */
	struct loom_job *job;
	/** @stop: it is to end soon */
	bool stop;
	/** @slots: its buffers */
	struct template_slots slots;
};

static inline struct template *to_template(struct loom_device *loom)
{
	return *loom_device_data(loom);
}

static inline struct template_memory *to_template_memory(struct loom_device *loom)
{
	return &to_template(loom)->memory;
}

#endif /* LOOM_TEMPLATE_H */
