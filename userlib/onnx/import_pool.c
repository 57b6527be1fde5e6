// SPDX-License-Identifier: MIT
/* Importers of pools. */
#include "import.h"
#include "pick.h"
#include "window.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* each element of the window takes four nodes */
#define INDICES_WINDOW_MAX	64
/* the windows' origins are a constant of 8 bytes each */
#define INDICES_ELEMS_MAX	((int64_t)1 << 24)

/* Distances of adjacent elements on each axis: the last axis is contiguous, or the first. */
static void image_strides(const struct loom_onnx_window *window, bool first_fastest,
			  int64_t *strides)
{
	uint32_t i, j, n = window->num_spatial;
	int64_t stride = 1;

	for (i = 0; i < n; i++) {
		j = first_fastest ? i : n - 1 - i;
		strides[j] = stride;
		stride *= window->in[j];
	}
}

/* For each result, the index in the whole of @x of the first element of its window. */
static struct loom_value *window_origins(struct loom_import *im, const struct loom_value *x,
					 const struct loom_onnx_window *window,
					 const int64_t *strides)
{
	int64_t dims[LOOM_GRAPH_RANK] = { x->dims[0], x->dims[1] };
	int64_t at, image = loom_value_trailing(x, 2), windows = 1;
	struct loom_value *origins;
	uint32_t i;

	for (i = 0; i < window->num_spatial; i++) {
		dims[2 + i] = window->out[i];
		windows *= window->out[i];
	}
	origins = loom_emit_const(im->em, DRM_LOOM_DTYPE_I64, x->rank, dims);
	for (at = 0; origins && at < origins->num_elems; at++) {
		int64_t origin = at / windows * image, rest = at % windows;

		for (i = window->num_spatial; i-- > 0;) {
			origin += (rest % window->out[i] * window->strides[i] -
				   window->pads_begin[i]) * strides[i];
			rest /= window->out[i];
		}
		loom_value_set_int(origins, at, origin);
	}
	return origins;
}

/* @x with @border on all sides, as far as any window reaches */
static struct loom_value *pad_for_windows(struct loom_import *im, struct loom_value *x,
					  const struct loom_onnx_window *window, double border)
{
	struct loom_value *number = loom_emit_scalar(im->em, x->dtype, border);
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT };
	uint32_t i;

	if (!number)
		return NULL;
	memcpy(&pad.value, number->data, number->size_bytes);
	for (i = 0; i < window->num_spatial; i++) {
		int64_t reach = (window->out[i] - 1) * window->strides[i] +
				loom_window_extent(window, i);

		pad.begin[2 + i] = window->pads_begin[i];
		pad.end[2 + i] = reach - window->in[i] - window->pads_begin[i];
		if (pad.end[2 + i] < 0)
			pad.end[2 + i] = 0;
	}
	return loom_emit_pad(im->em, x, &pad);
}

/*
 * Index of the largest element of each window, in the whole of @x. The device has no such
 * operation; element k of all windows is a slice of the padded data, and the best k so far is kept
 * unless the next is larger. Of equal elements the first wins, as in ONNX Runtime.
 */
static struct loom_value *emit_indices(struct loom_import *im, struct loom_value *x,
				       const struct loom_value *y,
				       const struct loom_onnx_window *window)
{
	struct loom_value *padded, *best = NULL, *offsets = NULL, *origins;
	int64_t strides[LOOM_GRAPH_SPATIAL], dims[LOOM_GRAPH_RANK], k, total = 1;
	bool first_fastest = loom_attr_int(im, "storage_order", 0);
	uint32_t i;

	for (i = 0; i < window->num_spatial && total <= INDICES_WINDOW_MAX; i++)
		total *= window->kernel[i];
	if (total > INDICES_WINDOW_MAX || y->num_elems > INDICES_ELEMS_MAX ||
	    !loom_dtype_is_float(x->dtype)) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "its Indices result is not supported for this type or size");
		return NULL;
	}
	image_strides(window, first_fastest, strides);
	origins = window_origins(im, x, window, strides);
	padded = pad_for_windows(im, x, window, -INFINITY);
	if (!origins)
		return NULL;
	memcpy(dims, origins->dims, sizeof(dims));
	for (k = 0; k < total && !im->em->status; k++) {
		struct loom_gslice slice = { .step = { 1, 1 } };
		struct loom_value *element, *offset, *larger;
		int64_t rest = k, distance = 0;

		for (i = window->num_spatial; i-- > 0;) {
			slice.start[2 + i] = rest % window->kernel[i] * window->dilations[i];
			slice.step[2 + i] = window->strides[i];
			distance += slice.start[2 + i] * strides[i];
			rest /= window->kernel[i];
		}
		element = loom_emit_slice(im->em, padded, &slice, dims);
		offset = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I64, 0);
		if (!element || !offset)
			return NULL;
		loom_value_set_int(offset, 0, distance);
		larger = k ? loom_emit_binary(im->em, LOOM_GBIN_GREATER, element, best) : NULL;
		offsets = k ? loom_emit_select(im->em, larger, offset, offsets) : offset;
		best = k ? loom_emit_binary(im->em, LOOM_GBIN_MAX, best, element) : element;
	}
	return loom_emit_binary(im->em, LOOM_GBIN_ADD, origins, offsets);
}

static void pool_attrs(struct loom_import *im, enum loom_gpool_kind kind,
		       const struct loom_onnx_window *window, struct loom_gpool *pool)
{
	uint32_t i;

	pool->kind = kind;
	pool->num_spatial = window->num_spatial;
	memcpy(pool->kernel, window->kernel, sizeof(pool->kernel));
	memcpy(pool->strides, window->strides, sizeof(pool->strides));
	memcpy(pool->dilations, window->dilations, sizeof(pool->dilations));
	memcpy(pool->pads_begin, window->pads_begin, sizeof(pool->pads_begin));
	memcpy(pool->pads_end, window->pads_end, sizeof(pool->pads_end));
	pool->count_include_pad = loom_attr_int(im, "count_include_pad", 0);
	pool->p = kind == LOOM_GPOOL_LP ? loom_attr_int(im, "p", 2) : 0;
	if (kind == LOOM_GPOOL_LP && (pool->p < 1 || pool->p > 64))
		loom_import_fail(im, -EOPNOTSUPP, "p %lld is not supported", (long long)pool->p);
	for (i = 0; i < window->num_spatial; i++) {
		int64_t extent = loom_window_extent(window, i);

		if (window->pads_begin[i] >= extent || window->pads_end[i] >= extent)
			loom_import_fail(im, -EINVAL, "pads are larger than the window");
	}
}

void loom_import_pool(struct loom_import *im, int kind)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	struct loom_onnx_window window = { 0 };
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_gpool pool = { 0 };
	struct loom_node *node;
	uint32_t dtype, i;

	if (!x)
		return;
	if (x->rank < 3 || x->rank > 2 + LOOM_GRAPH_SPATIAL || x->dtype == DRM_LOOM_DTYPE_BOOL ||
	    (kind != LOOM_GPOOL_MAX && !loom_dtype_is_float(x->dtype))) {
		loom_import_fail(im, -EOPNOTSUPP, "data of rank %u and type %s are not supported",
				 x->rank, loom_dtype_name(x->dtype));
		return;
	}
	window.num_spatial = x->rank - 2;
	window.is_pool = true;
	window.ceil_mode = loom_attr_int(im, "ceil_mode", 0);
	if (loom_attr_ints(im, "kernel_shape", window.kernel, LOOM_GRAPH_SPATIAL) !=
	    window.num_spatial)
		loom_import_fail(im, -EINVAL, "kernel_shape does not fit data of rank %u", x->rank);
	loom_window_shape(im, x, &window);
	pool_attrs(im, (enum loom_gpool_kind)kind, &window, &pool);
	dims[0] = x->dims[0];
	dims[1] = x->dims[1];
	for (i = 0; i < window.num_spatial; i++)
		dims[2 + i] = window.out[i];
	dtype = x->dtype;
	if (kind == LOOM_GPOOL_LP)
		x = loom_import_wide(im, x);
	/* zeroes are neutral for a norm, and the device supports no norms of partial windows */
	if (kind == LOOM_GPOOL_LP && window.ceil_mode && !im->em->status) {
		x = pad_for_windows(im, x, &window, 0);
		memset(pool.pads_begin, 0, sizeof(pool.pads_begin));
		memset(pool.pads_end, 0, sizeof(pool.pads_end));
	}
	node = x ? loom_emit_begin(im->em, LOOM_GOP_POOL, x->dtype, x->rank, dims, 1, &x) : NULL;
	if (node)
		node->pool = pool;
	y = loom_emit_cast(im->em, loom_emit_end(im->em, node), dtype);
	loom_import_result(im, 0, y);
	if (y && loom_import_wants(im, 1))
		loom_import_result(im, 1, emit_indices(im, x, y, &window));
}

void loom_import_global_pool(struct loom_import *im, int kind)
{
	struct loom_value *x = loom_import_operand(im, 0);

	if (!x)
		return;
	if (x->rank < 3)
		loom_import_fail(im, -EINVAL, "data of rank %u", x->rank);
	loom_import_result(im, 0, loom_emit_reduce(im->em, (enum loom_greduce_kind)kind, x,
						   ((1u << x->rank) - 1) & ~3u, true));
}

/* (sum of |x|^p)^(1/p) over all positions */
void loom_import_global_norm(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	float old = im->opset < 2 ? loom_attr_float(im, "p", 2) : 0;
	int64_t p = im->opset < 2 ? 0 : loom_attr_int(im, "p", 2);
	uint32_t axes;

	(void)unused;
	if (old >= 1 && old <= 64)
		p = (int64_t)old;
	if (!x || im->em->status)
		return;
	if (x->rank < 3 || !loom_dtype_is_float(x->dtype) || p < 1 || p > 64) {
		loom_import_fail(im, -EOPNOTSUPP, "rank %u, type %s or p %lld is not supported",
				 x->rank, loom_dtype_name(x->dtype), (long long)p);
		return;
	}
	axes = ((1u << x->rank) - 1) & ~3u;
	y = loom_import_wide(im, x);
	if (p < 3) {
		y = loom_emit_reduce(im->em, p == 1 ? LOOM_GREDUCE_L1 : LOOM_GREDUCE_L2, y, axes,
				     true);
	} else if (y) {
		y = loom_emit_binary(im->em, LOOM_GBIN_POW, loom_emit_fn(im->em, LOOM_GFN_ABS, y),
				     loom_emit_scalar(im->em, y->dtype, (double)p));
		y = loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, y, axes, true);
		if (y)
			y = loom_emit_binary(im->em, LOOM_GBIN_POW, y,
					     loom_emit_scalar(im->em, y->dtype, 1 / (double)p));
	}
	loom_import_result(im, 0, loom_emit_cast(im->em, y, x->dtype));
}

/* Indices count elements of the result; each one belongs to the plane of its channel. */
static struct loom_value *unpool(struct loom_import *im, struct loom_value *x,
				 struct loom_value *indices, const int64_t *dims)
{
	const int64_t planes = x->dims[0] * x->dims[1], in = loom_value_trailing(x, 2);
	int64_t out = 1, i;
	struct loom_value *first, *y;

	for (i = 2; i < x->rank; i++)
		out *= dims[i];
	if (!x->num_elems || out > LOOM_PICK_MAX / x->num_elems ||
	    planes > (int64_t)INT32_MAX / (out ? out : 1)) {
		loom_import_fail(im, -EOPNOTSUPP, "data of this size are not supported");
		return NULL;
	}
	first = loom_pick_numbers(im, 3, 0, planes);
	first = loom_emit_binary(im->em, LOOM_GBIN_MUL, first,
				 loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)out));
	indices = loom_emit_reshape(im->em, indices, 3, (int64_t[]){ planes, in, 1 });
	indices = loom_pick_index(im, indices, planes * out);
	indices = loom_emit_binary(im->em, LOOM_GBIN_SUB, indices, first);
	y = loom_emit_expand(im->em, loom_emit_scalar(im->em, x->dtype, 0), 3,
			     (int64_t[]){ planes, out, 1 });
	y = loom_pick_scatter(im, y, indices,
			      loom_emit_reshape(im->em, x, 3, (int64_t[]){ planes, in, 1 }),
			      LOOM_PICK_LAST);
	return loom_emit_reshape(im->em, y, x->rank, dims);
}

void loom_import_max_unpool(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *indices = loom_import_operand(im, 1);
	int64_t pads[2 * LOOM_GRAPH_SPATIAL], dims[LOOM_GRAPH_RANK], sizes[LOOM_GRAPH_RANK];
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT };
	struct loom_onnx_window window = { 0 };
	struct loom_value *y;
	uint32_t i, n;

	(void)unused;
	if (!x || !indices)
		return;
	n = x->rank - 2;
	window.num_spatial = n;
	if (x->rank < 3 || n > LOOM_GRAPH_SPATIAL || !loom_dims_equal(x, indices) ||
	    indices->dtype != DRM_LOOM_DTYPE_I64 ||
	    loom_attr_ints(im, "kernel_shape", window.kernel, LOOM_GRAPH_SPATIAL) != n) {
		loom_import_fail(im, -EINVAL, "data, indices and kernel_shape do not fit together");
		return;
	}
	loom_window_attrs(im, x, &window, pads);
	memcpy(dims, x->dims, sizeof(dims));
	for (i = 0; i < n; i++)
		dims[2 + i] = (window.in[i] - 1) * window.strides[i] + window.kernel[i] - pads[i] -
			      pads[n + i];
	for (i = 0; i < n && !im->em->status; i++)
		if (dims[2 + i] < 1 || dims[2 + i] > LOOM_WINDOW_MAX)
			loom_import_fail(im, -EINVAL, "a result of this size");
	if (im->em->status)
		return;
	y = unpool(im, x, indices, dims);
	if (loom_import_has(im, 2) && loom_import_ints(im, 2, sizes, LOOM_GRAPH_RANK) != x->rank)
		loom_import_fail(im, -EINVAL, "the shape of the result has another rank");
	for (i = 0; loom_import_has(im, 2) && i < x->rank && !im->em->status; i++) {
		pad.end[i] = sizes[i] > 0 ? sizes[i] - dims[i] : 0;
		if (pad.end[i] < 0 || sizes[i] < 1)
			loom_import_fail(im, -EINVAL, "the shape of the result is too small");
	}
	loom_import_result(im, 0, loom_emit_pad(im->em, y, &pad));
}
