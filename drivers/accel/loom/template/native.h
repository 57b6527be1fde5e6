/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_NATIVE_H
#define LOOM_TEMPLATE_NATIVE_H

#include <linux/workqueue.h>

#include "loom_plan.h"
#include "template.h"

/**
 * struct template_native - state of a job in the back end, with local memory
 */
struct template_native {
	/** @base: the same without; first, because template.c frees it */
	struct template_run base;
	/** @work: runs native commands and data moves */
	struct work_struct work;
	/** @job: the job, must not be accessed after its end */
	struct loom_job *job;
	/** @stop: it is to end soon */
	bool stop;
	/** @banks: by slot, and by bank of the DRAM: loom_job_slot_bank_address() */
	u64 banks[];
};

u64 template_data_run(const struct template_native *run, const struct loom_command *command);

#endif /* LOOM_TEMPLATE_NATIVE_H */
