// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp.h"
#include "loom_op.h"

/* Three directions for the verifier, one function here. */
#define loom_fp_load_run	loom_fp_copy_run
#define loom_fp_store_run	loom_fp_copy_run

#define LOOM_OP(_opcode, _name, ...) \
	[DRM_LOOM_OP_##_opcode] = loom_fp_##_name##_run,

/* One for every operation that the verifier lets pass: both tables are made from one list. */
static loom_fp_fn *const loom_functions[DRM_LOOM_OP_END] = {
#include "op/list.h"
};

/**
 * loom_engine_go_on() - compute some units of one command
 * @command: the command
 * @memory: where its operands lie
 * @first: first unit
 * @count: number of units, not zero
 * @part: budget, and where a call before stopped
 *
 * Return: number of units that are complete.
 */
u64 loom_engine_go_on(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count, struct loom_part *part)
{
	return loom_functions[command->op->opcode](command, memory, first, count, part);
}

void loom_engine_compute(const struct loom_command *command, const struct loom_memory *memory,
			 u64 first, u64 count)
{
	struct loom_part part = {};
	u64 done;

	for (; count; count -= done) {
		part.left = S64_MAX;
		done = loom_engine_go_on(command, memory, first, count, &part);
		first += done;
	}
}
