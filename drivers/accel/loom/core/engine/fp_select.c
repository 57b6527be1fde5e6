// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_nest.h"

/*
 * Elements move as they are, whatever their type: only their size matters.
 */
#define TILE(type)								\
	do {									\
		type a_, b_;							\
										\
		for (i = 0; i < n; i++) {					\
			memcpy(&a_, a + i * sizeof(a_), sizeof(a_));		\
			memcpy(&b_, b + i * sizeof(b_), sizeof(b_));		\
			a_ = cond[i] ? a_ : b_;					\
			memcpy(to.u8 + i * sizeof(a_), &a_, sizeof(a_));	\
		}								\
	} while (0)

static noinline void select_tile(const struct loom_row *rows, u32 bytes, u32 n)
{
	union loom_buf a_buf, b_buf, to;
	u8 cond_buf[LOOM_TILE];
	const u8 *cond = loom_row_raw(&rows[1], 1, n, cond_buf);
	const u8 *a = loom_row_raw(&rows[2], bytes, n, &a_buf);
	const u8 *b = loom_row_raw(&rows[3], bytes, n, &b_buf);
	u32 i;

	switch (bytes) {
	case 1:
		TILE(u8);
		break;
	case 2:
		TILE(u16);
		break;
	case 4:
		TILE(u32);
		break;
	default:
		TILE(u64);
		break;
	}
	loom_row_write(&rows[0], bytes, n, &to);
}

u64 loom_fp_select_run(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count, struct loom_part *part)
{
	struct loom_row rows[LOOM_NEST_VIEWS];
	struct loom_nest nest;

	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	while (loom_nest_next(&nest, LOOM_TILE, rows))
		select_tile(rows, command->views[0].elem_bytes, nest.n);
	return nest.units;
}
