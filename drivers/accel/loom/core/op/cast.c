// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * CAST: y, x; the same dims, any two types that differ.
 *
 * Unit: one tile of y (loom_tile_get() over y's dims). Cost: 2 per element.
 */
bool loom_op_cast_check(struct loom_check *check)
{
	const struct loom_view *views = check->command->views;

	if (!loom_op_check_sram(check))
		return false;
	if (views[0].dtype == views[1].dtype)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 1);
	return loom_op_check_same_dims(check, 1) && loom_op_check_tiles(check, 2);
}
