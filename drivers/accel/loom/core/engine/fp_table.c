// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp.h"
#include "loom_op.h"

/* Three directions for the verifier, one function here. */
#define loom_fp_load_run	loom_fp_copy_run
#define loom_fp_store_run	loom_fp_copy_run

#define LOOM_OP(_opcode, _name, ...) \
	[DRM_LOOM_OP_##_opcode] = loom_fp_##_name##_run,

/* The verifier's table is made from the same list. */
loom_fp_fn *const loom_fp_table[DRM_LOOM_OP_END] = {
#include "op/list.h"
};
