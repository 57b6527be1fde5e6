// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * REDUCE: y, x; one rank, one number type; y has x's dim, or 1 where it is reduced. An axis on
 * which both have 1 is not reduced, which comes to the same.
 *
 * Unit: one tile of y (loom_tile_get() over y's dims): up to LOOM_TILE results along the last
 * axis, which is one result where the last axis is reduced. Cost: the product of x's dims on the
 * reduced axes per element.
 */
bool loom_op_reduce_check(struct loom_check *check)
{
	const struct drm_loom_attr_reduce *attr = check->command->attr;
	const struct loom_view *y = &check->command->views[0];
	const struct loom_view *x = &check->command->views[1];
	u64 cost = 1;
	u32 i;

	if (attr->kind >= DRM_LOOM_REDUCE_END || attr->reserved)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	if (!loom_op_check_sram(check))
		return false;
	if (!loom_dtype_in(y, LOOM_DTYPES_NUMBER))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
	if (!loom_op_check_one_dtype(check, 1))
		return false;
	if (y->rank != x->rank)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 1);

	for (i = 0; i < y->rank; i++) {
		if (y->dims[i] == x->dims[i])
			continue;
		if (y->dims[i] != 1)
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 0);
		if (check_mul_overflow(cost, (u64)x->dims[i], &cost))
			return loom_op_refuse(check, DRM_LOOM_RULE_COST);
	}
	return loom_op_check_tiles(check, cost);
}
