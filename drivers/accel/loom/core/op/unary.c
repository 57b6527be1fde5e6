// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * UNARY: y, x; the same dims and type.
 *
 * Types: RELU and ABS any number type; NEG and SIGN floating point and signed integers; NOT
 * BOOL; all others floating point.
 *
 * Unit: one tile of y (loom_tile_get() over y's dims). Cost: 8 per element.
 */
static u32 loom_op_unary_dtypes(u32 kind)
{
	switch (kind) {
	case DRM_LOOM_UNARY_RELU:
	case DRM_LOOM_UNARY_ABS:
		return LOOM_DTYPES_NUMBER;
	case DRM_LOOM_UNARY_NEG:
	case DRM_LOOM_UNARY_SIGN:
		return LOOM_DTYPES_FLOAT | LOOM_DTYPES_SIGNED;
	case DRM_LOOM_UNARY_NOT:
		return LOOM_DTYPES_BOOL;
	}
	return LOOM_DTYPES_FLOAT;
}

bool loom_op_unary_check(struct loom_check *check)
{
	const struct drm_loom_attr_unary *attr = check->command->attr;
	const struct loom_view *views = check->command->views;

	if (attr->kind >= DRM_LOOM_UNARY_END || attr->reserved)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	if (!loom_op_check_sram(check))
		return false;
	if (!loom_dtype_in(&views[0], loom_op_unary_dtypes(attr->kind)))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
	if (!loom_op_check_one_dtype(check, 1))
		return false;
	return loom_op_check_same_dims(check, 1) && loom_op_check_tiles(check, 8);
}
