// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_nest.h"

u64 loom_fp_fill_run(const struct loom_command *command, const struct loom_memory *memory,
		     u64 first, u64 count, struct loom_part *part)
{
	const struct drm_loom_attr_fill *attr = command->attr;
	u32 bytes = command->views[0].elem_bytes;
	struct loom_row rows[LOOM_NEST_VIEWS];
	struct loom_nest nest;
	union loom_buf buf;
	u32 i, b;

	for (i = 0; i < LOOM_TILE; i++) {
		for (b = 0; b < bytes; b++)
			buf.u8[i * bytes + b] = (u8)(attr->bits >> (8 * b));
	}
	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	while (loom_nest_next(&nest, LOOM_TILE, rows))
		loom_row_write(&rows[0], bytes, nest.n, &buf);
	return nest.units;
}
