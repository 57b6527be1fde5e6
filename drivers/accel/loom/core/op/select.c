// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * SELECT: y, cond, a, b; cond is BOOL, the others of one type, any; cond, a and b have y's
 * dim or 1 on each axis.
 *
 * Unit: one tile of y (loom_tile_get() over y's dims). Cost: 2 per element.
 */
bool loom_op_select_check(struct loom_check *check)
{
	const struct loom_view *views = check->command->views;
	u32 i;

	if (!loom_op_check_sram(check))
		return false;
	if (views[1].dtype != DRM_LOOM_DTYPE_BOOL)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 1);
	if (!loom_op_check_one_dtype(check, 2))
		return false;
	for (i = 1; i < 4; i++)
		if (!loom_op_check_broadcast(check, i))
			return false;
	return loom_op_check_tiles(check, 2);
}
