// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp.h"
#include "loom_op.h"

typedef void loom_compute_fn(const struct loom_command *command, const struct loom_memory *memory,
			     u64 first, u64 count);

/* Three directions for the verifier, one function here. */
#define loom_fp_load_run	loom_fp_copy_run
#define loom_fp_store_run	loom_fp_copy_run

#define LOOM_OP(_opcode, _name, ...) \
	[DRM_LOOM_OP_##_opcode] = loom_fp_##_name##_run,

/* One for every operation that the verifier lets pass: both tables are made from one list. */
static loom_compute_fn *const loom_functions[DRM_LOOM_OP_END] = {
#include "op/list.h"
};

void loom_engine_compute(const struct loom_command *command, const struct loom_memory *memory,
			 u64 first, u64 count)
{
	loom_functions[command->op->opcode](command, memory, first, count);
}
