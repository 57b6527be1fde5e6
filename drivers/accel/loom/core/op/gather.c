// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * GATHER: y, x, index. x is of y's type and may be in any region. It has y's dims, but for the
 * axis; index is I32 or I64, and has y's dim or 1. The engine alone knows the numbers in index, and
 * compares them with x's dim: the command reads nothing but x, whatever the client writes.
 *
 * Unit: one tile of y, whose elements may be anywhere in x. Cost: 8 per element.
 */
bool loom_op_gather_check(struct loom_check *check)
{
	const struct drm_loom_attr_gather *attr = check->command->attr;
	const struct loom_view *views = check->command->views, *y = &views[0], *x = &views[1];
	u32 i;

	if (attr->axis >= y->rank || attr->reserved)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	for (i = 0; i < 3; i += 2)
		if (views[i].region != DRM_LOOM_REGION_SRAM &&
		    (!i || !(check->in_place >> views[i].region & 1)))
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, i);
	if (x->dtype != y->dtype)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 1);
	if (!loom_dtype_in(&views[2], LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I32) |
				      LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I64)))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 2);
	if (!loom_op_check_rank(check, 1, y->rank))
		return false;
	for (i = 0; i < y->rank; i++)
		if (i != attr->axis && x->dims[i] != y->dims[i])
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 1);
	return loom_op_check_broadcast(check, 2) && loom_op_check_tiles(check, 8);
}
