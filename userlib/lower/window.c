// SPDX-License-Identifier: MIT
/* Operators with windows over up to three spatial axes. See window.h. */
#include "window.h"

#include <errno.h>

void loom_window_to_volume(struct loom_ref *ref, u32 num_spatial)
{
	while (num_spatial++ < 3)
		loom_ref_insert(ref, SPATIAL);
}

u32 loom_window_axis(u32 num_spatial, u32 i)
{
	return 3 - num_spatial + i;
}

void loom_window_follow(struct loom_operand *operand, u32 axis, enum loom_map_kind kind, u32 result)
{
	operand->map[axis].kind = kind;
	operand->map[axis].axis = result;
	operand->map[axis].spatial = result >= SPATIAL ? result - SPATIAL : 0;
}

void loom_window_follow_all(struct loom_operand *operand)
{
	u32 i;

	for (i = 0; i < operand->ref.rank; i++)
		loom_window_follow(operand, i, LOOM_MAP_SAME, i);
}

int loom_window_check(struct loom_lower *lower, const s64 *numbers, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (numbers[i] > 1 << 24 || numbers[i] < -(1 << 24))
			return loom_lower_fail(lower, -EOPNOTSUPP,
					       "%lld is too large for a kernel, stride or pad",
					       (long long)numbers[i]);
	return 0;
}

void loom_window_keep_whole(struct loom_kernel *kernel, u32 spatial)
{
	const struct loom_window *w = &kernel->window[spatial];
	s64 out = kernel->operands[0].ref.dims[SPATIAL + spatial];

	if ((out - 1) * w->stride - w->pad >= w->in)
		kernel->whole |= 1U << (SPATIAL + spatial);
}
