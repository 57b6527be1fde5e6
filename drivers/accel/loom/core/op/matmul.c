// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * MATMUL: y[A,B,M,N], a[A|1,B|1,M,K], b[A|1,B|1,K,N], [bias], [scale], the last two with y's
 * dims or 1. MATMUL_ADD has sums[A,B,M,N] behind b.
 *
 * Unit: one tile of y (loom_tile_get() over y's four dims): up to LOOM_TILE outputs along N of
 * one row (a, b, m). Cost: K per element.
 */
#define LOOM_F32_ONE 0x3f800000

static bool loom_op_matmul_attr_check(struct loom_check *check)
{
	const struct drm_loom_attr_matmul *attr = check->command->attr;
	u32 operands = check->command->op->min_operands;

	if (attr->flags & ~(DRM_LOOM_ATTR_BIAS | DRM_LOOM_ATTR_SCALE) || attr->reserved)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	operands += !!(attr->flags & DRM_LOOM_ATTR_BIAS) + !!(attr->flags & DRM_LOOM_ATTR_SCALE);
	if (check->command->operands != operands)
		return loom_op_refuse(check, DRM_LOOM_RULE_OPERANDS);
	if (!(attr->flags & DRM_LOOM_ATTR_BIAS) && attr->beta != LOOM_F32_ONE)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	return true;
}

/* The type in which the products of an operand are summed. */
static u32 loom_op_sum_dtype(const struct loom_view *a)
{
	if (!loom_dtype_in(a, LOOM_DTYPES_FLOAT))
		return DRM_LOOM_DTYPE_I32;
	return a->dtype == DRM_LOOM_DTYPE_F16 ? DRM_LOOM_DTYPE_F32 : a->dtype;
}

static bool loom_op_matmul_dtype_check(struct loom_check *check)
{
	const struct drm_loom_attr_matmul *attr = check->command->attr;
	const struct loom_view *views = check->command->views;

	if (!loom_op_check_product_types(check, attr->flags, attr->act))
		return false;
	if (check->command->op->opcode == DRM_LOOM_OP_MATMUL_ADD &&
	    views[3].dtype != loom_op_sum_dtype(&views[1]))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 3);
	if (!loom_op_zero_fits(&views[1], attr->a_zero) ||
	    !loom_op_zero_fits(&views[2], attr->b_zero) ||
	    !loom_op_zero_fits(&views[0], attr->y_zero))
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	if (!loom_dtype_in(&views[1], LOOM_DTYPES_FLOAT) &&
	    (attr->alpha != LOOM_F32_ONE || attr->beta != LOOM_F32_ONE))
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	return true;
}

static bool loom_op_matmul_shape_check(struct loom_check *check)
{
	const struct loom_view *views = check->command->views;
	const struct loom_view *y = &views[0], *a = &views[1], *b = &views[2];
	u32 i;

	for (i = 0; i < 3; i++)
		if (!loom_op_check_rank(check, i, 4))
			return false;
	for (i = 0; i < 2; i++) {
		if (a->dims[i] != y->dims[i] && a->dims[i] != 1)
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 1);
		if (b->dims[i] != y->dims[i] && b->dims[i] != 1)
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 2);
	}
	if (a->dims[2] != y->dims[2])
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 1);
	if (b->dims[2] != a->dims[3] || b->dims[3] != y->dims[3])
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 2);
	if (check->command->op->opcode == DRM_LOOM_OP_MATMUL_ADD &&
	    !loom_op_check_same_dims(check, 3))
		return false;
	for (i = 3; i < check->command->operands; i++)
		if (!loom_op_check_broadcast(check, i))
			return false;
	return true;
}

bool loom_op_matmul_check(struct loom_check *check)
{
	const struct loom_view *views = check->command->views;
	u64 macs;

	if (!loom_op_matmul_attr_check(check) || !loom_op_check_sram(check) ||
	    !loom_op_matmul_dtype_check(check) || !loom_op_matmul_shape_check(check))
		return false;
	if (!loom_op_check_tiles(check, views[1].dims[3]))
		return false;
	if (!loom_op_count(views[0].dims, 0, 4, &macs) ||
	    check_mul_overflow(macs, (u64)views[1].dims[3], &macs))
		return loom_op_refuse(check, DRM_LOOM_RULE_COST);
	check->command->macs = macs;
	return true;
}

bool loom_op_matmul_add_check(struct loom_check *check)
{
	return loom_op_matmul_check(check);
}
