// SPDX-License-Identifier: MIT
/*
 * RESIZE of up to three axes at any position. They become D, H and W, and the others N and C, by
 * reordering strides only. If more than two others remain, several kernels are made.
 */
#include "operators.h"

#include <errno.h>
#include <string.h>

#include "graph/value.h"

static const u8 coords[] = {
	[LOOM_GRESIZE_HALF_PIXEL] = DRM_LOOM_COORD_HALF_PIXEL,
	[LOOM_GRESIZE_HALF_PIXEL_SYMMETRIC] = DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC,
	[LOOM_GRESIZE_PYTORCH_HALF_PIXEL] = DRM_LOOM_COORD_PYTORCH_HALF_PIXEL,
	[LOOM_GRESIZE_ALIGN_CORNERS] = DRM_LOOM_COORD_ALIGN_CORNERS,
	[LOOM_GRESIZE_ASYMMETRIC] = DRM_LOOM_COORD_ASYMMETRIC,
	/* half a pixel more than HALF_PIXEL, for which the rounding compensates: see rounding() */
	[LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN] = DRM_LOOM_COORD_HALF_PIXEL,
	[LOOM_GRESIZE_TF_CROP_AND_RESIZE] = DRM_LOOM_COORD_TF_CROP_AND_RESIZE,
};

static const u8 roundings[] = {
	[LOOM_GRESIZE_ROUND_PREFER_FLOOR] = DRM_LOOM_NEAREST_ROUND_PREFER_FLOOR,
	[LOOM_GRESIZE_ROUND_PREFER_CEIL] = DRM_LOOM_NEAREST_ROUND_PREFER_CEIL,
	[LOOM_GRESIZE_FLOOR] = DRM_LOOM_NEAREST_FLOOR,
	[LOOM_GRESIZE_CEIL] = DRM_LOOM_NEAREST_CEIL,
};

/*
 * TF_HALF_PIXEL_FOR_NN is HALF_PIXEL + 1/2: its floor is the same as rounding half up there, its
 * rounding half down the same as the ceiling there. The device has no rounding for the other two.
 * Returns false for those.
 */
static bool rounding(const struct loom_gresize *r, u32 *nearest)
{
	*nearest = roundings[r->round];
	if (r->coord != LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN)
		return true;
	switch (r->round) {
	case LOOM_GRESIZE_FLOOR:
		*nearest = DRM_LOOM_NEAREST_ROUND_PREFER_CEIL;
		return r->mode == LOOM_GRESIZE_NEAREST;
	case LOOM_GRESIZE_ROUND_PREFER_FLOOR:
		*nearest = DRM_LOOM_NEAREST_CEIL;
		return r->mode == LOOM_GRESIZE_NEAREST;
	default:
		return false;
	}
}

static const u8 modes[] = {
	[LOOM_GRESIZE_NEAREST] = DRM_LOOM_RESIZE_NEAREST,
	[LOOM_GRESIZE_LINEAR] = DRM_LOOM_RESIZE_LINEAR,
	[LOOM_GRESIZE_CUBIC] = DRM_LOOM_RESIZE_CUBIC,
};

/* Work per element as the device counts it. */
static const u8 costs[] = {
	[DRM_LOOM_RESIZE_NEAREST] = 1,
	[DRM_LOOM_RESIZE_LINEAR] = 8,
	[DRM_LOOM_RESIZE_CUBIC] = 64,
};

static void move_axis(struct loom_ref *to, u32 axis, const struct loom_ref *from, u32 index)
{
	to->dims[axis] = from->dims[index];
	to->strides[axis] = from->strides[index];
}

static bool changes(const struct loom_gresize *r, const struct loom_ref *x,
		    const struct loom_ref *y, u32 axis)
{
	if (x->dims[axis] != y->dims[axis])
		return true;
	if (r->coord == LOOM_GRESIZE_TF_CROP_AND_RESIZE)
		return r->roi_begin[axis] != 0 || r->roi_end[axis] != 1;
	return r->scales[axis] != 1;
}

/**
 * struct resize - a resize with its axes sorted
 * @attr: attributes of the whole
 * @y: result: other axes in front, then D, H, W
 * @x: operand, likewise
 */
struct resize {
	struct drm_loom_attr_resize attr;
	struct loom_ref y;
	struct loom_ref x;
};

static void set_axis(struct resize *z, u32 spatial, const struct loom_gresize *r,
		     const struct loom_ref *x, const struct loom_ref *y, u32 axis)
{
	z->attr.in_size[spatial] = x->dims[axis];
	z->attr.out_size[spatial] = y->dims[axis];
	z->attr.scale[spatial] = loom_float_bits(r->scales[axis]);
	z->attr.roi_start[spatial] = loom_float_bits(r->roi_begin[axis]);
	z->attr.roi_end[spatial] = loom_float_bits(r->roi_end[axis]);
}

/* Axes that keep their size come first, then those that change, padded with axes of one element. */
static int sort_axes(struct loom_lower *lower, const struct loom_gresize *r,
		     const struct loom_ref *x, const struct loom_ref *y, struct resize *z)
{
	u32 count = 0, spatial, other = 0, i;

	for (i = 0; i < y->rank; i++)
		count += changes(r, x, y, i);
	if (count > 3)
		return loom_lower_fail(lower, -EOPNOTSUPP,
				       "it resizes %u axes, the device can resize 3", count);
	z->x = *x;
	z->y = *y;
	spatial = y->rank - count;
	for (i = 0; i < y->rank; i++) {
		bool changed = changes(r, x, y, i);
		u32 to = changed ? spatial++ : other++;

		move_axis(&z->x, to, x, i);
		move_axis(&z->y, to, y, i);
		if (changed)
			set_axis(z, spatial - 1 - (y->rank - count) + 3 - count, r, x, y, i);
	}
	for (i = 0; i < 3 - count; i++) {
		if (z->y.rank == LOOM_GRAPH_RANK)
			return loom_lower_fail(lower, -EOPNOTSUPP, "it has too many axes");
		loom_ref_insert(&z->x, other);
		loom_ref_insert(&z->y, other);
		z->attr.in_size[i] = 1;
		z->attr.out_size[i] = 1;
		z->attr.scale[i] = loom_float_bits(1);
		z->attr.roi_end[i] = loom_float_bits(1);
	}
	return 0;
}

static void merge_others(struct resize *z)
{
	struct loom_ref *refs[] = { &z->x, &z->y };
	u32 i, k;

	/* merge pairs of the axes in front of D, H and W, from the back */
	for (i = z->y.rank - 3; i-- > 1;) {
		bool one = true;

		for (k = 0; k < 2; k++)
			one &= refs[k]->strides[i - 1] ==
			       refs[k]->strides[i] * (s64)refs[k]->dims[i];
		if (!one || z->y.rank <= 5)
			continue;
		for (k = 0; k < 2; k++) {
			struct loom_ref *ref = refs[k];

			ref->dims[i] *= ref->dims[i - 1];
			memmove(&ref->dims[i - 1], &ref->dims[i],
				(ref->rank - i) * sizeof(ref->dims[0]));
			memmove(&ref->strides[i - 1], &ref->strides[i],
				(ref->rank - i) * sizeof(ref->strides[0]));
			ref->rank--;
		}
	}
	while (z->y.rank < 5) {
		loom_ref_insert(&z->x, 0);
		loom_ref_insert(&z->y, 0);
	}
}

static int emit_resize(struct loom_lower *lower, const struct resize *z)
{
	static const u32 operands[] = { 0, 1 };
	struct loom_kernel_room room;
	struct loom_kernel kernel = loom_kernel_in(&room);
	struct loom_stage *stage;
	u32 i, k;
	u64 n;
	int ret;

	if (z->y.rank > 5) {
		for (n = 0; n < z->y.dims[0]; n++) {
			struct resize part = *z;

			part.x = loom_ref_at(&z->x, n);
			part.y = loom_ref_at(&z->y, n);
			ret = emit_resize(lower, &part);
			if (ret)
				return ret;
		}
		return 0;
	}
	kernel.resize = &z->attr;
	kernel.last_resort = 1U << 4;
	kernel.unit_cost = costs[z->attr.mode];
	loom_kernel_operand(&kernel, LOOM_ROLE_STORE, &z->y);
	loom_kernel_operand(&kernel, LOOM_ROLE_LOAD, &z->x);
	for (k = 0; k < 2; k++) {
		kernel.operands[k].lane_axis = 1;
		for (i = 0; i < 5; i++) {
			kernel.operands[k].map[i].axis = i;
			kernel.operands[k].map[i].kind = LOOM_MAP_SAME;
			if (k && i >= 2) {
				kernel.operands[k].map[i].kind = LOOM_MAP_RESIZE;
				kernel.operands[k].map[i].spatial = i - 2;
			}
		}
	}
	stage = loom_kernel_stage(&kernel, DRM_LOOM_OP_RESIZE, 2, operands);
	stage->resize = z->attr;
	stage->attr_bytes = sizeof(z->attr);
	return loom_sink_kernel(lower, &kernel);
}

static int check_resize(struct loom_lower *lower, const struct loom_node *node)
{
	const struct loom_gresize *r = &node->resize;

	if (r->mode != LOOM_GRESIZE_NEAREST && !loom_dtype_is_float(node->output->dtype))
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device does not interpolate %s",
				       loom_dtype_name(node->output->dtype));
	if (r->mode == LOOM_GRESIZE_LINEAR && r->exclude_outside)
		return loom_lower_fail(lower, -EOPNOTSUPP,
				       "the device knows exclude_outside with cubic only");
	return 0;
}

int loom_lower_resize(struct loom_lower *lower, const struct loom_node *node)
{
	const struct loom_gresize *r = &node->resize;
	struct loom_ref x, y;
	struct resize z = { .attr = { .mode = modes[r->mode] } };
	int ret;

	z.attr.coord = coords[r->coord];
	if (r->exclude_outside)
		z.attr.flags = DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE;
	z.attr.cubic_a = loom_float_bits(r->cubic_a);
	z.attr.extrapolation = loom_float_bits(r->extrapolation_value);

	ret = check_resize(lower, node);
	if (!ret && !rounding(r, &z.attr.nearest))
		ret = loom_lower_fail(lower, -EOPNOTSUPP,
				      "the device has no such rounding with tf_half_pixel_for_nn");
	if (!ret)
		ret = loom_storage_write(lower, node->output, &y);
	if (!ret)
		ret = loom_storage_read(lower, node->inputs[0], &x);
	if (!ret)
		ret = sort_axes(lower, r, &x, &y, &z);
	if (ret)
		return ret;
	merge_others(&z);
	return emit_resize(lower, &z);
}
