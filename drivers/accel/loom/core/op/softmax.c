// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * SOFTMAX: y, x; the same dims, one floating point type.
 *
 * Unit: one run along the axis: all elements whose other indices are the same. Runs are numbered
 * by their other indices in row-major order (axes in order, without the softmax axis).
 * Cost: 4 per element of the run.
 */
bool loom_op_softmax_check(struct loom_check *check)
{
	const struct drm_loom_attr_softmax *attr = check->command->attr;
	const struct loom_view *y = &check->command->views[0];
	u32 axis;

	if (attr->axis >= y->rank || attr->flags & ~DRM_LOOM_SOFTMAX_LOG)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	axis = loom_index_nospec(attr->axis, DRM_LOOM_MAX_RANK);
	if (!loom_op_check_sram(check))
		return false;
	if (!loom_dtype_in(y, LOOM_DTYPES_FLOAT))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
	if (!loom_op_check_one_dtype(check, 1) || !loom_op_check_same_dims(check, 1))
		return false;
	return loom_op_check_runs(check, axis, loom_softmax_cost(y->dims[axis]));
}
