// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * CONV: y[N,O,D,H,W], x[N,C,D,H,W], w[O,C/groups,KD,KH,KW], [bias[O]], [scale[O]].
 * DECONV: the same with w[C,O/groups,KD,KH,KW], floating point only.
 *
 * The spatial dims of y and x need not fit each other: elements outside of x are zero, so a slice
 * of a convolution is a convolution. With dims of 32 bits and DRM_LOOM_MAX_SPATIAL no coordinate
 * leaves 63 bits. Optional operands stand in the order bias, scale; each is dense in meaning only:
 * it is a view like any other. y and x of CONV may be in images.
 *
 * Unit: one tile of y (loom_tile_get() over y's five dims): up to LOOM_TILE outputs along W for
 * one (n, o, d, h); where four channels are computed together theirs are numbered in turn. Cost:
 * C/groups * KD * KH * KW per element, for both.
 */
enum {
	LOOM_CONV_Y,
	LOOM_CONV_X,
	LOOM_CONV_W,
	LOOM_CONV_OPTIONAL,
};

static bool loom_op_conv_attr_check(struct loom_check *check, bool forward)
{
	const struct drm_loom_attr_conv *attr = check->command->attr;
	u32 operands = LOOM_CONV_OPTIONAL;
	u32 i;

	if (attr->flags & ~(DRM_LOOM_ATTR_BIAS | DRM_LOOM_ATTR_SCALE) || attr->reserved ||
	    !attr->groups)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	if (!forward && attr->flags & DRM_LOOM_ATTR_SCALE)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	operands += !!(attr->flags & DRM_LOOM_ATTR_BIAS) + !!(attr->flags & DRM_LOOM_ATTR_SCALE);
	if (check->command->operands != operands)
		return loom_op_refuse(check, DRM_LOOM_RULE_OPERANDS);

	for (i = 0; i < 3; i++) {
		if (attr->stride[i] < 1 || attr->stride[i] > DRM_LOOM_MAX_SPATIAL ||
		    attr->dilation[i] < 1 || attr->dilation[i] > DRM_LOOM_MAX_SPATIAL ||
		    attr->pad[i] < (forward ? 0 : -DRM_LOOM_MAX_SPATIAL) ||
		    attr->pad[i] > DRM_LOOM_MAX_SPATIAL)
			return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	}
	return true;
}

static bool loom_op_conv_dtype_check(struct loom_check *check, bool forward)
{
	const struct drm_loom_attr_conv *attr = check->command->attr;
	const struct loom_view *views = check->command->views;

	if (!forward && !loom_dtype_in(&views[LOOM_CONV_X], LOOM_DTYPES_FLOAT))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, LOOM_CONV_X);
	if (!loom_op_check_product_types(check, attr->flags, attr->act))
		return false;
	if (!loom_op_zero_fits(&views[LOOM_CONV_X], attr->x_zero) ||
	    !loom_op_zero_fits(&views[LOOM_CONV_W], attr->w_zero) ||
	    !loom_op_zero_fits(&views[LOOM_CONV_Y], attr->y_zero))
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	return true;
}

static bool loom_op_conv_shape_check(struct loom_check *check, bool forward)
{
	const struct drm_loom_attr_conv *attr = check->command->attr;
	const struct loom_view *views = check->command->views;
	const struct loom_view *y = &views[LOOM_CONV_Y];
	const struct loom_view *x = &views[LOOM_CONV_X];
	const struct loom_view *w = &views[LOOM_CONV_W];
	u32 i;

	for (i = 0; i < LOOM_CONV_OPTIONAL; i++)
		if (!loom_op_check_rank(check, i, 5))
			return false;
	if (x->dims[0] != y->dims[0] || x->dims[1] % attr->groups)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, LOOM_CONV_X);
	if (y->dims[1] % attr->groups)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, LOOM_CONV_Y);
	if (w->dims[0] != (forward ? y : x)->dims[1] ||
	    w->dims[1] != (forward ? x : y)->dims[1] / attr->groups)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, LOOM_CONV_W);
	for (i = LOOM_CONV_OPTIONAL; i < check->command->operands; i++)
		if (views[i].rank != 1 || views[i].dims[0] != y->dims[1])
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, i);
	return true;
}

static bool loom_op_conv_cost_check(struct loom_check *check, bool forward)
{
	const struct drm_loom_attr_conv *attr = check->command->attr;
	const struct loom_view *views = check->command->views;
	const struct loom_view *from = &views[forward ? LOOM_CONV_Y : LOOM_CONV_X];
	u64 taps, macs;

	/* Multiplications are by tap for each output forward, for each input backward. */
	if (!loom_op_count(views[LOOM_CONV_W].dims, 1, 5, &macs) ||
	    !loom_op_count(views[LOOM_CONV_W].dims, 2, 5, &taps) ||
	    check_mul_overflow(taps, (u64)(views[LOOM_CONV_X].dims[1] / attr->groups), &taps))
		return loom_op_refuse(check, DRM_LOOM_RULE_COST);
	if (!loom_op_check_tiles(check, taps))
		return false;
	if (!loom_op_count(from->dims, 0, 5, &taps) || check_mul_overflow(macs, taps, &macs))
		return loom_op_refuse(check, DRM_LOOM_RULE_COST);
	check->command->macs = macs;
	return true;
}

static bool loom_op_conv_any_check(struct loom_check *check, bool forward)
{
	return loom_op_conv_attr_check(check, forward) &&
	       loom_op_check_sram_image(check, forward ? LOOM_CONV_W : 0) &&
	       loom_op_conv_dtype_check(check, forward) &&
	       loom_op_conv_shape_check(check, forward) &&
	       loom_op_conv_cost_check(check, forward);
}

bool loom_op_conv_check(struct loom_check *check)
{
	return loom_op_conv_any_check(check, true);
}

bool loom_op_deconv_check(struct loom_check *check)
{
	return loom_op_conv_any_check(check, false);
}
