// SPDX-License-Identifier: MIT
/* Importers of Resize and its predecessor Upsample. */
#include "import.h"
#include "pick.h"

#include "base/pool.h"
#include "graph/nearest.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const modes[] = { "nearest", "linear", "cubic", NULL };

static const char *const coords[] = {
	"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
	"tf_half_pixel_for_nn", "tf_crop_and_resize", NULL,
};

static const char *const rounds[] = {
	"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL,
};

static const char *const policies[] = { "stretch", "not_larger", "not_smaller", NULL };

#define SIZE_MAX_ELEMS	((int64_t)1 << 32)

/**
 * struct resize - parameters of a resize by axis
 * @axes: the axes of the lists below
 * @num_axes: number of @axes
 * @attrs: scales and region of interest, for all axes of the operand
 * @dims: result
 * @exact: by axis of the operand: the given sizes; num is zero if there are none
 * @smooth: antialias
 */
struct resize {
	uint32_t axes[LOOM_GRAPH_RANK];
	uint32_t num_axes;
	struct loom_gresize attrs;
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_nearest exact[LOOM_GRAPH_RANK];
	bool smooth;
};

static void resize_begin(struct loom_import *im, const struct loom_value *x, struct resize *resize)
{
	int64_t axes[LOOM_GRAPH_RANK];
	uint32_t i, count = loom_attr_ints(im, "axes", axes, LOOM_GRAPH_RANK);

	loom_import_axes(im, axes, count, x->rank);
	resize->num_axes = count ? count : x->rank;
	for (i = 0; i < resize->num_axes && !im->em->status; i++)
		resize->axes[i] = count ? loom_import_axis(im, axes[i], x->rank) : i;
	for (i = 0; i < x->rank; i++) {
		resize->attrs.scales[i] = 1;
		resize->attrs.roi_end[i] = 1;
		resize->dims[i] = x->dims[i];
	}
}

static void resize_by_scales(struct loom_import *im, const struct loom_value *x,
			     const float *scales, uint32_t count, struct resize *resize)
{
	uint32_t i;

	if (count != resize->num_axes) {
		loom_import_fail(im, -EINVAL, "%u scales for %u axes", count, resize->num_axes);
		return;
	}
	for (i = 0; i < count; i++) {
		uint32_t axis = resize->axes[i];
		float size = floorf(scales[i] * (float)x->dims[axis]);

		if (!(scales[i] > 0) || !(size <= (float)SIZE_MAX_ELEMS)) {
			loom_import_fail(im, -EINVAL, "scale %g is out of range",
					 (double)scales[i]);
			return;
		}
		resize->attrs.scales[axis] = scales[i];
		resize->dims[axis] = (int64_t)size;
	}
}

/* The axis whose scale keep_aspect_ratio_policy applies to all. */
static struct loom_nearest resize_common(const struct resize *resize, bool largest)
{
	const struct loom_nearest *common = &resize->exact[resize->axes[0]];
	uint32_t i;

	for (i = 1; i < resize->num_axes; i++) {
		const struct loom_nearest *other = &resize->exact[resize->axes[i]];
		int64_t left = common->num * other->den, right = other->num * common->den;

		if (largest ? right > left : right < left)
			common = other;
	}
	return *common;
}

static void resize_by_sizes(struct loom_import *im, const struct loom_value *x,
			    const int64_t *sizes, uint32_t count, struct resize *resize)
{
	uint32_t i, policy = loom_attr_choice(im, "keep_aspect_ratio_policy", policies);
	struct loom_nearest common;

	if (count != resize->num_axes) {
		loom_import_fail(im, -EINVAL, "%u sizes for %u axes", count, resize->num_axes);
		return;
	}
	for (i = 0; i < count; i++) {
		uint32_t axis = resize->axes[i];
		int64_t in = x->dims[axis];

		if (sizes[i] < 0 || sizes[i] > SIZE_MAX_ELEMS || !in ||
		    (policy && (sizes[i] > LOOM_NEAREST_MAX || in > LOOM_NEAREST_MAX))) {
			loom_import_fail(im, -EINVAL, "size %lld is out of range",
					 (long long)sizes[i]);
			return;
		}
		resize->attrs.scales[axis] = (float)sizes[i] / (float)in;
		resize->dims[axis] = sizes[i];
		resize->exact[axis] = (struct loom_nearest){ in, sizes[i], sizes[i], in };
	}
	if (!policy || !count)
		return;
	common = resize_common(resize, policy == 2);
	for (i = 0; i < count; i++) {
		uint32_t axis = resize->axes[i];
		struct loom_nearest *exact = &resize->exact[axis];

		exact->num = common.num;
		exact->den = common.den;
		/* rounded half up */
		exact->out = (2 * common.num * exact->in + common.den) / (2 * common.den);
		resize->attrs.scales[axis] = (float)common.num / (float)common.den;
		resize->dims[axis] = exact->out;
	}
}

/* The elements of an axis if a device would select others; NULL if not, or after an error. */
static int64_t *resize_elements(struct loom_import *im, const struct resize *resize, uint32_t axis)
{
	const struct loom_gresize *r = &resize->attrs;
	const struct loom_nearest *exact = &resize->exact[axis];
	/* the device has no such rounding, see lower/resize.c */
	bool differs = r->coord == LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN &&
		       r->round != LOOM_GRESIZE_FLOOR &&
		       r->round != LOOM_GRESIZE_ROUND_PREFER_FLOOR;
	int64_t *elements, i;

	if (exact->in > LOOM_NEAREST_MAX || exact->out > LOOM_NEAREST_MAX || exact->out < 1 ||
	    exact->num < 1)
		return NULL;
	for (i = 0; i < exact->out && !differs; i++)
		differs = loom_nearest_exact(r, exact, i) !=
			  loom_nearest_device(r, axis, exact->in, exact->out, i);
	if (!differs)
		return NULL;
	elements = loom_pool_array(im->graph->pool, (size_t)exact->out, sizeof(*elements));
	for (i = 0; elements && i < exact->out; i++)
		elements[i] = loom_nearest_exact(r, exact, i);
	if (!elements)
		loom_import_fail(im, -ENOMEM, "out of memory");
	return elements;
}

/* Gathers the axes on which binary32 selects other elements than exact fractions. */
static struct loom_value *resize_gather(struct loom_import *im, struct loom_value *x,
					struct resize *resize)
{
	uint32_t axis, rank = x->rank;

	if (resize->attrs.coord == LOOM_GRESIZE_TF_CROP_AND_RESIZE || !x->num_elems)
		return x;
	for (axis = 0; axis < rank && x; axis++) {
		int64_t *elements = resize_elements(im, resize, axis);

		if (!elements)
			continue;
		x = loom_pick_rows(im, x, axis, elements, resize->dims[axis]);
		resize->attrs.scales[axis] = 1;
	}
	return x;
}

static void resize_roi(struct loom_import *im, uint32_t operand, struct resize *resize)
{
	struct loom_value *roi = loom_import_known(im, operand);
	uint32_t i, n = resize->num_axes;

	if (!roi)
		return;
	if (roi->num_elems != 2 * n || !loom_dtype_is_float(roi->dtype)) {
		loom_import_fail(im, -EINVAL, "roi does not fit the data");
		return;
	}
	for (i = 0; i < n; i++) {
		resize->attrs.roi_begin[resize->axes[i]] = (float)loom_value_float(roi, i);
		resize->attrs.roi_end[resize->axes[i]] = (float)loom_value_float(roi, n + i);
	}
}

static uint32_t read_scales(struct loom_import *im, uint32_t operand, float *scales)
{
	struct loom_value *value = loom_import_known(im, operand);
	uint32_t i;

	if (!value)
		return 0;
	if (value->rank != 1 || value->num_elems > LOOM_GRAPH_RANK ||
	    !loom_dtype_is_float(value->dtype)) {
		loom_import_fail(im, -EINVAL, "operand %u is no list of floats", operand);
		return 0;
	}
	for (i = 0; i < value->num_elems; i++)
		scales[i] = (float)loom_value_float(value, i);
	return (uint32_t)value->num_elems;
}

/* The coordinate in the operand of element @i of an axis. */
static double resize_source(const struct loom_gresize *r, uint32_t axis, double in, double out,
			    double i)
{
	double scale = (double)r->scales[axis], middle = in / 2;

	switch (r->coord) {
	case LOOM_GRESIZE_ALIGN_CORNERS:
		return out > 1 ? i * (in - 1) / (out - 1) : 0;
	case LOOM_GRESIZE_ASYMMETRIC:
		return i / scale;
	case LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN:
		return (i + 0.5) / scale;
	case LOOM_GRESIZE_HALF_PIXEL_SYMMETRIC:
		return middle * (1 - out / (scale * in)) + (i + 0.5) / scale - 0.5;
	case LOOM_GRESIZE_PYTORCH_HALF_PIXEL:
		return out > 1 ? (i + 0.5) / scale - 0.5 : -0.5;
	default:
		return (i + 0.5) / scale - 0.5;
	}
}

/* Weight of an element at distance @d, of a triangle or of Keys's cubic convolution. */
static double resize_weight(const struct loom_gresize *r, double d)
{
	double a = (double)r->cubic_a;

	d = fabs(d);
	if (r->mode == LOOM_GRESIZE_LINEAR)
		return d < 1 ? 1 - d : 0;
	if (d < 1)
		return ((a + 2) * d - (a + 3)) * d * d + 1;
	return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/*
 * Weights [1,out,in] of the elements of an axis: where it shrinks, those of all elements that
 * become one, so that none is left out.
 */
static struct loom_value *resize_matrix(struct loom_import *im, const struct resize *resize,
					uint32_t axis, int64_t in)
{
	const struct loom_gresize *r = &resize->attrs;
	double shrink = r->scales[axis] < 1 ? (double)r->scales[axis] : 1, at, reach, sum, weight;
	int64_t out = resize->dims[axis], i, k, place;
	struct loom_value *y = loom_emit_const(im->em, DRM_LOOM_DTYPE_F32, 3,
					       (int64_t[]){ 1, out, in });

	reach = (r->mode == LOOM_GRESIZE_LINEAR ? 1 : 2) / shrink;
	for (i = 0; y && i < out; i++) {
		float *row = (float *)y->data + i * in;

		at = resize_source(r, axis, (double)in, (double)out, (double)i);
		for (sum = 0, k = (int64_t)ceil(at - reach); k <= at + reach; k++)
			if (!r->exclude_outside || (k >= 0 && k < in))
				sum += resize_weight(r, ((double)k - at) * shrink);
		for (k = (int64_t)ceil(at - reach); k <= at + reach; k++) {
			place = loom_import_clamp(k, 0, in - 1);
			weight = resize_weight(r, ((double)k - at) * shrink) / sum;
			if (place == k || !r->exclude_outside)
				row[place] += (float)weight;
		}
	}
	return y;
}

/* Weighs elements by matrices, axis by axis. */
static struct loom_value *resize_smooth(struct loom_import *im, struct loom_value *x,
					struct resize *resize)
{
	uint32_t axis, rank = x->rank;
	int64_t dims[LOOM_GRAPH_RANK];

	memcpy(dims, x->dims, sizeof(dims));
	for (axis = 0; axis < rank && x && !im->em->status; axis++) {
		int64_t in = dims[axis], out = resize->dims[axis], inner = 1;
		uint32_t i;

		if (resize->attrs.scales[axis] == 1 && in == out)
			continue;
		if (!x->num_elems || !out || in > LOOM_PICK_MAX / out) {
			loom_import_fail(im, -EOPNOTSUPP,
					 "antialias from %lld to %lld is not supported",
					 (long long)in, (long long)out);
			return NULL;
		}
		for (i = axis + 1; i < rank; i++)
			inner *= dims[i];
		x = loom_emit_reshape(im->em, x, 3, (int64_t[]){
			x->num_elems / inner / in, in, inner });
		x = loom_import_scaled_product(im, resize_matrix(im, resize, axis, in), x, false,
					       1);
		dims[axis] = out;
		resize->attrs.scales[axis] = 1;
		x = x ? loom_emit_reshape(im->em, x, rank, dims) : NULL;
	}
	return x;
}

/* Bytes between bytes: towards zero, as ONNX's reference and ONNX Runtime do. */
static struct loom_value *resize_back(struct loom_import *im, struct loom_value *y, uint32_t dtype)
{
	double low = dtype == DRM_LOOM_DTYPE_U8 ? 0 : -128;

	if (!y || y->dtype == dtype)
		return y;
	if (dtype == DRM_LOOM_DTYPE_U8 || dtype == DRM_LOOM_DTYPE_I8) {
		y = loom_emit_binary(im->em, LOOM_GBIN_MAX, y,
				     loom_emit_scalar(im->em, y->dtype, low));
		y = loom_emit_binary(im->em, LOOM_GBIN_MIN, y,
				     loom_emit_scalar(im->em, y->dtype, low + 255));
	}
	return loom_emit_cast(im->em, y, dtype);
}

static void resize_end(struct loom_import *im, struct loom_value *x, struct resize *resize)
{
	uint32_t dtype = x->dtype, i, rank = x->rank;
	bool nearest = resize->attrs.mode == LOOM_GRESIZE_NEAREST;
	struct loom_node *node;
	bool same = resize->attrs.coord != LOOM_GRESIZE_TF_CROP_AND_RESIZE;

	if (im->em->status)
		return;
	if (!loom_dtype_is_float(dtype) && loom_dtype_size(dtype) > 1 && !nearest) {
		loom_import_fail(im, -EOPNOTSUPP, "operand of type %s is not supported",
				 loom_dtype_name(dtype));
		return;
	}
	if (nearest)
		x = resize_gather(im, x, resize);
	else if (resize->smooth || !loom_dtype_is_float(dtype))
		x = loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_F32);
	if (resize->smooth && !nearest && x)
		x = resize_smooth(im, x, resize);
	for (i = 0; i < rank && x; i++)
		same &= x->dims[i] == resize->dims[i] && resize->attrs.scales[i] == 1;
	if (x && !same) {
		node = loom_emit_begin(im->em, LOOM_GOP_RESIZE, x->dtype, x->rank, resize->dims, 1,
				       &x);
		if (node)
			node->resize = resize->attrs;
		x = loom_emit_end(im->em, node);
	}
	loom_import_result(im, 0, resize_back(im, x, dtype));
}

/* Upsample, and Resize before opset 11: asymmetric coordinates, rounded down */
static void resize_old(struct loom_import *im, struct loom_value *x, const float *scales,
		       uint32_t count)
{
	static const char *const old_modes[] = { "nearest", "linear", "bilinear", NULL };
	struct resize resize = { 0 };
	uint32_t mode = loom_attr_choice(im, "mode", old_modes);

	if (!x || im->em->status)
		return;
	resize_begin(im, x, &resize);
	resize.attrs.mode = mode ? LOOM_GRESIZE_LINEAR : LOOM_GRESIZE_NEAREST;
	resize.attrs.coord = LOOM_GRESIZE_ASYMMETRIC;
	resize.attrs.round = LOOM_GRESIZE_FLOOR;
	resize_by_scales(im, x, scales, count, &resize);
	resize_end(im, x, &resize);
}

void loom_import_upsample(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	const struct loom_attr *attr;
	float scales[LOOM_GRAPH_RANK];
	uint32_t count = 0;

	(void)unused;
	if (im->opset < 7)
		loom_import_fail(im, -EOPNOTSUPP, "it is not supported before opset 7");
	if (im->opset >= 9) {
		count = read_scales(im, 1, scales);
	} else {
		attr = loom_attr_find(im, "scales");
		if (attr && attr->type == LOOM_ATTR_FLOATS && attr->count <= LOOM_GRAPH_RANK) {
			count = (uint32_t)attr->count;
			memcpy(scales, attr->floats, count * sizeof(*scales));
		}
	}
	resize_old(im, x, scales, count);
}

static void resize_new(struct loom_import *im, struct loom_value *x)
{
	struct resize resize = { 0 };
	struct loom_gresize *attrs = &resize.attrs;
	int64_t sizes[LOOM_GRAPH_RANK];
	float scales[LOOM_GRAPH_RANK];
	uint32_t count;

	resize_begin(im, x, &resize);
	/* the lists are in the order of the enums, with ONNX's default first */
	attrs->mode = (enum loom_gresize_mode)loom_attr_choice(im, "mode", modes);
	attrs->coord = (enum loom_gresize_coord)
		       loom_attr_choice(im, "coordinate_transformation_mode", coords);
	attrs->round = (enum loom_gresize_round)loom_attr_choice(im, "nearest_mode", rounds);
	attrs->cubic_a = loom_attr_float(im, "cubic_coeff_a", -0.75f);
	attrs->exclude_outside = loom_attr_int(im, "exclude_outside", 0);
	attrs->extrapolation_value = loom_attr_float(im, "extrapolation_value", 0);
	resize.smooth = loom_attr_int(im, "antialias", 0);
	if (resize.smooth && attrs->coord == LOOM_GRESIZE_TF_CROP_AND_RESIZE)
		loom_import_fail(im, -EOPNOTSUPP, "antialias of a crop is not supported");
	if (attrs->coord == LOOM_GRESIZE_TF_CROP_AND_RESIZE)
		resize_roi(im, 1, &resize);
	/* exporters omit scales by an empty list */
	count = loom_import_has(im, 2) && !loom_import_has(im, 3) ? read_scales(im, 2, scales) : 0;
	if (!loom_import_has(im, 3)) {
		resize_by_scales(im, x, scales, count, &resize);
	} else {
		count = loom_import_ints(im, 3, sizes, LOOM_GRAPH_RANK);
		resize_by_sizes(im, x, sizes, count, &resize);
	}
	resize_end(im, x, &resize);
}

void loom_import_resize(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	float scales[LOOM_GRAPH_RANK];

	(void)unused;
	if (!x)
		return;
	if (im->opset >= 11)
		resize_new(im, x);
	else
		resize_old(im, x, scales, read_scales(im, 1, scales));
}
