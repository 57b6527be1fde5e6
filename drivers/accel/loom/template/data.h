/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_DATA_H
#define LOOM_TEMPLATE_DATA_H

#include "loom_plan.h"
#include "loom_tile.h"

struct loom_job;

/**
 * struct template_slots - where the buffers of a job are
 * @at: by slot: loom_job_slot_address()
 * @banks: by slot, and by bank of the DRAM: loom_job_slot_bank_address()
 */
struct template_slots {
	u64 at[DRM_LOOM_MAX_SLOTS];
	u64 banks[];
};

u64 template_data_run(struct loom_job *job, const struct loom_command *command,
		      const struct template_slots *slots, const bool *stop);

#endif /* LOOM_TEMPLATE_DATA_H */
