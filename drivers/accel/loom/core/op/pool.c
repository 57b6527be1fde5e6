// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * POOL: y[N,C,D,H,W], x[N,C,D,H,W]; MAX of any number type, AVG of floating point. Either may
 * be in an image.
 *
 * The spatial dims of y and x need not fit each other: elements outside of x are omitted. A window
 * that meets nothing of x gives the lowest value (MAX) or zero (AVG).
 *
 * Unit: one tile of y (loom_tile_get() over y's five dims). Cost: KD * KH * KW per element.
 */
bool loom_op_pool_check(struct loom_check *check)
{
	const struct drm_loom_attr_pool *attr = check->command->attr;
	const struct loom_view *views = check->command->views;
	u64 taps = 1;
	u32 i;

	if (attr->kind > DRM_LOOM_POOL_AVG || attr->flags & ~DRM_LOOM_POOL_COUNT_PAD ||
	    attr->reserved)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	for (i = 0; i < 3; i++) {
		if (attr->kernel[i] < 1 || attr->kernel[i] > DRM_LOOM_MAX_SPATIAL ||
		    attr->stride[i] < 1 || attr->stride[i] > DRM_LOOM_MAX_SPATIAL ||
		    attr->dilation[i] < 1 || attr->dilation[i] > DRM_LOOM_MAX_SPATIAL ||
		    attr->pad_before[i] < 0 || attr->pad_before[i] > DRM_LOOM_MAX_SPATIAL ||
		    attr->pad_after[i] < 0 || attr->pad_after[i] > DRM_LOOM_MAX_SPATIAL)
			return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	}

	if (!loom_op_check_sram_image(check, 2))
		return false;
	if (!loom_dtype_in(&views[0], attr->kind == DRM_LOOM_POOL_AVG ? LOOM_DTYPES_FLOAT :
								    LOOM_DTYPES_NUMBER))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
	if (!loom_op_check_one_dtype(check, 1) || !loom_op_check_planes(check))
		return false;

	for (i = 0; i < 3; i++)
		if (check_mul_overflow(taps, (u64)attr->kernel[i], &taps))
			return loom_op_refuse(check, DRM_LOOM_RULE_COST);
	return loom_op_check_tiles(check, taps);
}
