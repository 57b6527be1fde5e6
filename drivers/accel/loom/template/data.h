/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_DATA_H
#define LOOM_TEMPLATE_DATA_H

#include "loom_plan.h"
#include "loom_tile.h"

struct loom_job;

u64 template_data_run(struct loom_job *job, const struct loom_command *command, const u64 *slots,
		      const bool *stop);

#endif /* LOOM_TEMPLATE_DATA_H */
