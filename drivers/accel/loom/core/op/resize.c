// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * RESIZE: y[N,C,D,H,W], x[N,C,D,H,W]; NEAREST of any type, LINEAR and CUBIC of floating point.
 *
 * Coordinates are computed in floating point, so nothing is proved about them here: the
 * engine clamps each source index to [0, in_size), and after taking in_start off, to x's dims.
 *
 * Unit: one tile of y (loom_tile_get() over y's five dims). Cost: per element 1 for NEAREST, 8
 * for LINEAR, 64 for CUBIC.
 */
bool loom_op_resize_check(struct loom_check *check)
{
	static const u8 cost[] = {
		[DRM_LOOM_RESIZE_NEAREST] = 1,
		[DRM_LOOM_RESIZE_LINEAR] = 8,
		[DRM_LOOM_RESIZE_CUBIC] = 64,
	};
	const struct drm_loom_attr_resize *attr = check->command->attr;
	const struct loom_view *views = check->command->views;
	u32 i;

	if (attr->mode > DRM_LOOM_RESIZE_CUBIC || attr->coord > DRM_LOOM_COORD_TF_CROP_AND_RESIZE ||
	    attr->nearest > DRM_LOOM_NEAREST_CEIL ||
	    attr->flags & ~DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE || attr->reserved)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	for (i = 0; i < 3; i++)
		if (attr->in_size[i] < 1 || attr->out_size[i] < 1 || attr->in_start[i] < 0 ||
		    attr->out_start[i] < 0)
			return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);

	if (!loom_op_check_sram(check))
		return false;
	if (!loom_dtype_in(&views[0], attr->mode == DRM_LOOM_RESIZE_NEAREST ? LOOM_DTYPES_ANY :
									  LOOM_DTYPES_FLOAT))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 0);
	if (!loom_op_check_one_dtype(check, 1) || !loom_op_check_planes(check))
		return false;
	for (i = 0; i < 3; i++) {
		if ((u64)attr->out_start[i] + views[0].dims[2 + i] > (u64)attr->out_size[i])
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 0);
		if ((u64)attr->in_start[i] + views[1].dims[2 + i] > (u64)attr->in_size[i])
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, 1);
	}
	return loom_op_check_tiles(check, cost[loom_index_nospec(attr->mode, ARRAY_SIZE(cost))]);
}
