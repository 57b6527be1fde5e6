// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * TOPK: y, x, [from]; x is a number. y is I32, or has the type of from. x and from have the same
 * dims, and y has them, too, but for the axis, where it has as many as are selected. The engine
 * keeps positions in y meanwhile, so y's elements must have room for each: those of a byte for 256,
 * those of two bytes for 65536.
 *
 * Unit: one run along the axis, as in SOFTMAX. Cost: 2 per element of x for each level of a heap of
 * those selected, which pays for filling and for emptying the heap, and 2 for reading it.
 */

/* An operand has y's dims, and @length on the axis. */
static bool topk_dims_fit(const struct loom_view *x, const struct loom_view *y, u32 axis,
			  u32 length)
{
	u32 i;

	if (x->rank != y->rank)
		return false;
	for (i = 0; i < y->rank; i++)
		if (x->dims[i] != (i == axis ? length : y->dims[i]))
			return false;
	return true;
}

bool loom_op_topk_check(struct loom_check *check)
{
	const struct drm_loom_attr_topk *attr = check->command->attr;
	const struct loom_view *views = check->command->views, *y = &views[0], *x = &views[1];
	u32 operands = check->command->operands, axis;

	if (attr->axis >= y->rank || attr->flags & ~DRM_LOOM_TOPK_SMALLEST || !attr->count ||
	    attr->reserved)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	axis = loom_index_nospec(attr->axis, DRM_LOOM_MAX_RANK);
	if (!loom_op_check_sram(check))
		return false;
	if (!loom_dtype_in(x, LOOM_DTYPES_NUMBER))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 1);
	if (operands == 2 && y->dtype != DRM_LOOM_DTYPE_I32)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
	if (!loom_op_check_one_dtype(check, 2))
		return false;
	if (!topk_dims_fit(x, y, axis, x->dims[axis]) || x->dims[axis] < attr->count)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 1);
	if (operands > 2 && !topk_dims_fit(&views[2], y, axis, x->dims[axis]))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 2);
	if (y->dims[axis] != attr->count)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 0);
	if (y->elem_bytes < 4 && (x->dims[axis] - 1) >> 8 * y->elem_bytes)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 0);
	return loom_op_check_runs(check, axis, loom_topk_cost(x->dims[axis], attr->count));
}
