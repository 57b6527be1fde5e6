// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

bool loom_op_check_rank(struct loom_check *check, u32 operand, u32 rank)
{
	if (check->command->views[operand].rank != rank)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, operand);
	return true;
}

bool loom_op_check_broadcast(struct loom_check *check, u32 operand)
{
	const struct loom_view *y = &check->command->views[0];
	const struct loom_view *x = &check->command->views[operand];
	u32 i;

	if (!loom_op_check_rank(check, operand, y->rank))
		return false;
	for (i = 0; i < y->rank; i++)
		if (x->dims[i] != y->dims[i] && x->dims[i] != 1)
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, operand);
	return true;
}

bool loom_op_check_planes(struct loom_check *check)
{
	const struct loom_view *y = &check->command->views[0];
	const struct loom_view *x = &check->command->views[1];

	if (!loom_op_check_rank(check, 0, 5) || !loom_op_check_rank(check, 1, 5))
		return false;
	if (x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1])
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 1);
	return true;
}

bool loom_op_check_runs(struct loom_check *check, u32 axis, u64 unit_cost)
{
	const struct loom_view *y = &check->command->views[0];
	u64 before, after, units;

	if (!loom_op_count(y->dims, 0, axis, &before) ||
	    !loom_op_count(y->dims, axis + 1, y->rank, &after) ||
	    check_mul_overflow(before, after, &units))
		return loom_op_refuse(check, DRM_LOOM_RULE_COST);
	return loom_op_check_cost(check, units, unit_cost);
}

bool loom_op_check_act(struct loom_check *check, u32 act, bool floating)
{
	if (act >= DRM_LOOM_ACT_END || (act != DRM_LOOM_ACT_NONE && !floating))
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	return true;
}

bool loom_op_check_product_types(struct loom_check *check, u32 flags, u32 act)
{
	const struct loom_view *views = check->command->views;
	bool floating = loom_dtype_in(&views[1], LOOM_DTYPES_FLOAT);
	bool scaled = flags & DRM_LOOM_ATTR_SCALE;
	u32 opcode = check->command->op->opcode, next = check->command->op->min_operands;
	/* sums for others to go on from */
	bool wide = (opcode == DRM_LOOM_OP_MATMUL || opcode == DRM_LOOM_OP_MATMUL_ADD) &&
		    check->opcodes >> DRM_LOOM_OP_MATMUL_ADD & 1 &&
		    views[0].dtype == DRM_LOOM_DTYPE_F32 && views[1].dtype == DRM_LOOM_DTYPE_F16;

	if (floating) {
		if ((views[0].dtype != views[1].dtype && !wide) || scaled)
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
		if (views[2].dtype != views[1].dtype)
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 2);
	} else {
		if (!loom_dtype_in(&views[1], LOOM_DTYPES_BYTE))
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 1);
		if (!loom_dtype_in(&views[2], LOOM_DTYPES_BYTE))
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 2);
		if (!loom_dtype_in(&views[0], scaled ? LOOM_DTYPES_BYTE :
						       LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I32)))
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
	}
	if (flags & DRM_LOOM_ATTR_BIAS) {
		if (views[next].dtype != (floating ? DRM_LOOM_DTYPE_F32 : DRM_LOOM_DTYPE_I32))
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, next);
		next++;
	}
	if (scaled && views[next].dtype != DRM_LOOM_DTYPE_F32)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, next);

	/* this depends on the types: integers have no activation */
	return loom_op_check_act(check, act, floating);
}

bool loom_op_check_sram_image(struct loom_check *check, u32 images)
{
	const struct loom_command *command = check->command;
	u32 i;

	for (i = 0; i < command->operands; i++) {
		const struct loom_view *view = &command->views[i];

		if (view->region == DRM_LOOM_REGION_SRAM || (i < images && view->image))
			continue;
		/* operand 0 is written */
		if (!i || !(check->in_place >> view->region & 1))
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, i);
	}
	return true;
}

bool loom_op_check_sram(struct loom_check *check)
{
	return loom_op_check_sram_image(check, 0);
}

bool loom_op_check_one_dtype(struct loom_check *check, u32 first)
{
	const struct loom_command *command = check->command;
	u32 i;

	for (i = first; i < command->operands; i++)
		if (command->views[i].dtype != command->views[0].dtype)
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, i);
	return true;
}

bool loom_op_zero_fits(const struct loom_view *view, s32 zero)
{
	switch (view->dtype) {
	case DRM_LOOM_DTYPE_I8:
		return zero >= -128 && zero <= 127;
	case DRM_LOOM_DTYPE_U8:
		return zero >= 0 && zero <= 255;
	}
	return !zero;
}
