// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * BINARY: y, a, b; a and b have y's dim or 1 on each axis.
 *
 * Types: ADD, SUB, MUL, DIV, POW, MAX, MIN, FMOD, PRELU any number type, one for all three; MOD
 * integers; EQ any type for a and b, LT, LE, GT, GE any number type, y BOOL; AND, OR, XOR BOOL.
 * An activation only where y is F32.
 *
 * Unit: one tile of y (loom_tile_get() over y's dims). Cost: 2 per element, 16 for POW; FMOD of
 * floating point is a long division, of as many steps as the exponents are apart: 32, or 256 for
 * F64; plus 8 with an activation.
 */
static u32 loom_op_binary_cost(u32 kind, const struct loom_view *a)
{
	if (kind == DRM_LOOM_BINARY_POW)
		return 16;
	if (kind == DRM_LOOM_BINARY_FMOD && loom_dtype_in(a, LOOM_DTYPES_FLOAT))
		return a->dtype == DRM_LOOM_DTYPE_F64 ? 256 : 32;
	return 2;
}

bool loom_op_binary_check(struct loom_check *check)
{
	const struct drm_loom_attr_binary *attr = check->command->attr;
	const struct loom_view *views = check->command->views;
	bool compares = attr->kind >= DRM_LOOM_BINARY_EQ && attr->kind <= DRM_LOOM_BINARY_GE;
	u32 dtypes = LOOM_DTYPES_NUMBER;
	u32 cost;

	if (attr->kind >= DRM_LOOM_BINARY_END)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	if (!loom_op_check_act(check, attr->act, views[0].dtype == DRM_LOOM_DTYPE_F32))
		return false;
	if (!loom_op_check_sram(check))
		return false;

	if (attr->kind >= DRM_LOOM_BINARY_AND)
		dtypes = LOOM_DTYPES_BOOL;
	else if (attr->kind == DRM_LOOM_BINARY_EQ)
		dtypes = LOOM_DTYPES_ANY;
	else if (attr->kind == DRM_LOOM_BINARY_MOD)
		dtypes = LOOM_DTYPES_INTEGER;
	if (views[0].dtype != (compares ? DRM_LOOM_DTYPE_BOOL : views[1].dtype))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
	if (!loom_dtype_in(&views[1], dtypes))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 1);
	if (views[2].dtype != views[1].dtype)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 2);

	if (!loom_op_check_broadcast(check, 1) || !loom_op_check_broadcast(check, 2))
		return false;
	cost = loom_op_binary_cost(attr->kind, &views[1]);
	if (attr->act != DRM_LOOM_ACT_NONE)
		cost += 8;
	return loom_op_check_tiles(check, cost);
}
