// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_nest.h"

/*
 * No arithmetic here: the file is called fp_ because the compiler may use vector registers for
 * moving elements, so it needs the same flags and rules.
 */

/* Elements that are side by side on both ends can be moved without a tile. */
static u64 copy_limit(const struct loom_nest *nest, u32 bytes)
{
	u32 last = nest->rank - 1;
	u32 v;

	for (v = 0; v < nest->count; v++) {
		if (nest->folded || nest->view[v].lane_axis == last ||
		    nest->view[v].strides[last] != bytes)
			return LOOM_TILE;
	}
	return U64_MAX;
}

u64 loom_fp_copy_run(const struct loom_command *command, const struct loom_memory *memory,
		     u64 first, u64 count, struct loom_part *part)
{
	u32 bytes = command->views[0].elem_bytes;
	struct loom_row rows[LOOM_NEST_VIEWS];
	struct loom_nest nest;
	union loom_buf buf;
	u64 limit;

	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	bytes = loom_nest_widen(&nest, bytes);
	limit = copy_limit(&nest, bytes);
	while (loom_nest_next(&nest, limit, rows))
		loom_row_write(&rows[0], bytes, nest.n,
			       loom_row_raw(&rows[1], bytes, nest.n, &buf));
	return nest.units;
}
