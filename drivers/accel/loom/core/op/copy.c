// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "check.h"

/*
 * LOAD, STORE, COPY: y, x. Elements of one size move; their type does not matter.
 *
 * Unit: one tile of y (loom_tile_get() over y's dims). Cost: 1 per element.
 */
static bool loom_op_move_check(struct loom_check *check)
{
	const struct loom_view *views = check->command->views;

	if (views[0].elem_bytes != views[1].elem_bytes)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 1);
	return loom_op_check_same_dims(check, 1) && loom_op_check_tiles(check, 1);
}

bool loom_op_load_check(struct loom_check *check)
{
	const struct loom_view *views = check->command->views;

	if (views[0].region != DRM_LOOM_REGION_SRAM)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, 0);
	if (views[1].region == DRM_LOOM_REGION_SRAM)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, 1);
	return loom_op_move_check(check);
}

bool loom_op_store_check(struct loom_check *check)
{
	const struct loom_view *views = check->command->views;

	if (views[0].region != DRM_LOOM_REGION_DRAM)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, 0);
	if (views[1].region != DRM_LOOM_REGION_SRAM)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, 1);
	return loom_op_move_check(check);
}

bool loom_op_copy_check(struct loom_check *check)
{
	const struct loom_view *views = check->command->views;

	if (views[0].region == DRM_LOOM_REGION_ROM)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, 0);
	if (views[0].region != views[1].region)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, 1);
	return loom_op_move_check(check);
}
