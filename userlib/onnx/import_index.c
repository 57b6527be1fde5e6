// SPDX-License-Identifier: MIT
/*
 * Importers of operators that return positions: of the largest element, of elements above a
 * diagonal, of earlier elements. But for TopK, the device has no such operations. Elements are
 * compared with their extreme or with their numbers, and matches are kept.
 */
#include "import.h"
#include "pick.h"
#include "proto.h"

#include <errno.h>

/* a triangle is a constant with a byte for each element of a matrix */
#define TRIANGLE_MAX	((int64_t)1 << 28)

static struct loom_value *scalar_i32(struct loom_import *im, int64_t number)
{
	return loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)number);
}

/*
 * Index of the largest or smallest element along @axis, I32; the axis stays as 1. Of equal elements
 * the first, or the last. A NaN is the largest and the smallest: the extreme is NaN then, which
 * equals no element.
 */
static struct loom_value *emit_where(struct loom_import *im, struct loom_value *x, uint32_t axis,
				     enum loom_greduce_kind kind, bool last)
{
	struct loom_value *extreme, *hits, *other;

	if (im->em->status || !x)
		return NULL;
	if (loom_dtype_is_int(x->dtype) && loom_dtype_size(x->dtype) < 4)
		x = loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_I32);
	extreme = loom_emit_reduce(im->em, kind, x, 1u << axis, true);
	hits = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, x, extreme);
	if (loom_dtype_is_float(x->dtype))
		hits = loom_emit_binary(im->em, LOOM_GBIN_OR, hits,
					loom_emit_fn(im->em, LOOM_GFN_ISNAN, x));
	if (!hits)
		return NULL;
	other = scalar_i32(im, last ? 0 : x->dims[axis] - 1);
	hits = loom_emit_select(im->em, hits,
				loom_pick_numbers(im, x->rank, axis, x->dims[axis]), other);
	return loom_emit_reduce(im->em, last ? LOOM_GREDUCE_MAX : LOOM_GREDUCE_MIN, hits,
				1u << axis, true);
}

static bool has_elements(struct loom_import *im, const struct loom_value *x)
{
	if (x && !im->em->status && (!x->num_elems || !x->rank))
		loom_import_fail(im, -EINVAL, "there is no element to choose");
	else if (x && x->num_elems > LOOM_PICK_MAX * 64)
		loom_import_fail(im, -EOPNOTSUPP, "%lld elements are not supported",
				 (long long)x->num_elems);
	return x && !im->em->status;
}

void loom_import_arg(struct loom_import *im, int kind)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t axis, i, rank = 0;

	if (!has_elements(im, x))
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", 0), x->rank);
	y = emit_where(im, x, axis, (enum loom_greduce_kind)kind,
		       loom_attr_int(im, "select_last_index", 0));
	if (im->em->status)
		return;
	for (i = 0; i < x->rank; i++)
		if (i != axis)
			dims[rank++] = x->dims[i];
		else if (loom_attr_int(im, "keepdims", 1))
			dims[rank++] = 1;
	y = loom_emit_cast(im->em, y, DRM_LOOM_DTYPE_I64);
	loom_import_result(im, 0, loom_emit_reshape(im->em, y, rank, dims));
}

static struct loom_value *emit_hardmax(struct loom_import *im, struct loom_value *x, uint32_t axis)
{
	struct loom_value *at = emit_where(im, x, axis, LOOM_GREDUCE_MAX, false);

	if (!at)
		return NULL;
	at = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, at,
			      loom_pick_numbers(im, x->rank, axis, x->dims[axis]));
	return loom_emit_cast(im->em, at, x->dtype);
}

/* before opset 13 all axes from the given one on counted as a single one */
void loom_import_hardmax(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	int64_t inner;
	uint32_t axis;

	(void)unused;
	if (!has_elements(im, x))
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", im->opset < 13 ? 1 : -1), x->rank);
	if (im->em->status)
		return;
	if (im->opset >= 13) {
		loom_import_result(im, 0, emit_hardmax(im, x, axis));
		return;
	}
	inner = loom_value_trailing(x, axis);
	y = loom_emit_reshape(im->em, x, 2, (int64_t[]){ x->num_elems / inner, inner });
	y = emit_hardmax(im, y, 1);
	loom_import_result(im, 0, loom_emit_reshape(im->em, y, x->rank, x->dims));
}

/* @indices with an additional axis, compared with all of their possible values. */
void loom_import_one_hot(struct loom_import *im, int unused)
{
	struct loom_value *indices = loom_import_operand(im, 0), *hits, *on, *off;
	struct loom_value *values = loom_import_operand(im, 2);
	int64_t dims[LOOM_GRAPH_RANK + 1], depth;
	uint32_t i, axis, rank = 0;

	(void)unused;
	depth = loom_import_count(im, 1, 0);
	if (!indices || !values || im->em->status)
		return;
	if (values->rank != 1 || values->dims[0] != 2 || depth < 1 || depth > 1 << 30)
		loom_import_fail(im, -EINVAL, "depth %lld and %lld values", (long long)depth,
				 (long long)values->num_elems);
	if (indices->rank == LOOM_GRAPH_RANK)
		loom_import_fail(im, -EOPNOTSUPP, "a result of rank %u is not supported",
				 indices->rank + 1);
	axis = loom_import_axis(im, loom_attr_int(im, "axis", -1), indices->rank + 1);
	if (im->em->status)
		return;
	for (i = 0; i <= indices->rank; i++)
		if (i == axis)
			dims[rank++] = 1;
		else
			dims[rank++] = indices->dims[i - (i > axis)];
	hits = loom_emit_reshape(im->em, loom_pick_index(im, indices, depth), rank, dims);
	hits = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, hits,
				loom_pick_numbers(im, rank, axis, depth));
	off = loom_emit_reshape(im->em, loom_import_part(im, values, 0, 0, 1, 1), 0, NULL);
	on = loom_emit_reshape(im->em, loom_import_part(im, values, 0, 1, 1, 1), 0, NULL);
	loom_import_result(im, 0, loom_emit_select(im->em, hits, on, off));
}

/* K before opset 10 is an attribute */
static int64_t top_count(struct loom_import *im)
{
	int64_t k;

	if (im->opset < 10)
		return loom_attr_int(im, "k", -1);
	return loom_import_ints(im, 1, &k, 1) == 1 ? k : -1;
}

void loom_import_top(struct loom_import *im, int unused)
{
	bool smallest = !loom_attr_int(im, "largest", 1);
	struct loom_value *x = loom_import_operand(im, 0), *y;
	int64_t count = top_count(im);
	uint32_t axis, dtype;

	(void)unused;
	if (!has_elements(im, x))
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", -1), x->rank);
	if (x->dtype == DRM_LOOM_DTYPE_BOOL)
		loom_import_fail(im, -EINVAL, "truth values have no order");
	if (count < 1 || count > x->dims[axis])
		loom_import_fail(im, -EINVAL, "%lld of %lld elements", (long long)count,
				 (long long)x->dims[axis]);
	if (im->em->status)
		return;
	dtype = x->dtype;
	/* an element has to have room for a position, see struct drm_loom_attr_topk */
	if (loom_dtype_size(dtype) < 4 && (x->dims[axis] - 1) >> 8 * loom_dtype_size(dtype))
		x = loom_emit_cast(im->em, x, loom_dtype_is_float(dtype) ? DRM_LOOM_DTYPE_F32 :
				   DRM_LOOM_DTYPE_I32);
	y = loom_emit_topk(im->em, x, x, axis, count, smallest);
	loom_import_result(im, 0, loom_emit_cast(im->em, y, dtype));
	y = loom_emit_topk(im->em, x, NULL, axis, count, smallest);
	loom_import_result(im, 1, loom_emit_cast(im->em, y, DRM_LOOM_DTYPE_I64));
}

/* whether column - row >= k, or <= k */
static struct loom_value *emit_triangle(struct loom_import *im, int64_t rows, int64_t columns,
					int64_t k, bool upper)
{
	struct loom_value *mask = loom_emit_const(im->em, DRM_LOOM_DTYPE_BOOL, 2,
						  (int64_t[]){ rows, columns });
	int64_t at;

	for (at = 0; mask && at < mask->num_elems; at++) {
		int64_t off = at % columns - at / columns;

		loom_value_set_int(mask, at, upper ? off >= k : off <= k);
	}
	return mask;
}

void loom_import_trilu(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *mask;
	int64_t k = loom_import_count(im, 1, 0);

	(void)unused;
	if (!x || im->em->status)
		return;
	if (x->rank < 2) {
		loom_import_fail(im, -EINVAL, "data of rank %u are no matrix", x->rank);
		return;
	}
	if (!x->num_elems) {
		loom_import_result(im, 0, x);
		return;
	}
	if (x->dims[x->rank - 2] > TRIANGLE_MAX / x->dims[x->rank - 1]) {
		loom_import_fail(im, -EOPNOTSUPP, "matrices of %lld times %lld are not supported",
				 (long long)x->dims[x->rank - 2], (long long)x->dims[x->rank - 1]);
		return;
	}
	mask = emit_triangle(im, x->dims[x->rank - 2], x->dims[x->rank - 1], k,
			     loom_attr_int(im, "upper", 1));
	loom_import_result(im, 0, loom_emit_select(im->em, mask, x,
						   loom_emit_scalar(im->em, x->dtype, 0)));
}

/* @x shifted along @axis by @by; zeroes are shifted in */
static struct loom_value *emit_shift(struct loom_import *im, struct loom_value *x, uint32_t axis,
				     int64_t by, bool back)
{
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT };

	pad.begin[axis] = back ? -by : by;
	pad.end[axis] = back ? by : -by;
	return loom_emit_pad(im->em, x, &pad);
}

/* sums of 2, 4, 8, ... neighbours, so it takes few steps and not one for each element */
void loom_import_cum_sum(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	bool back = loom_attr_int(im, "reverse", 0);
	int64_t by, given = 0, size;
	uint32_t axis;

	(void)unused;
	if (!x || loom_import_ints(im, 1, &given, 1) != 1) {
		loom_import_fail(im, -EINVAL, "its axis is not one number");
		return;
	}
	axis = loom_import_axis(im, given, x->rank);
	if (im->em->status)
		return;
	size = x->dims[axis];
	if (loom_attr_int(im, "exclusive", 0) && size)
		x = emit_shift(im, x, axis, 1, back);
	for (by = 1; by < size && !im->em->status; by *= 2)
		x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x, emit_shift(im, x, axis, by, back));
	loom_import_result(im, 0, x);
}

void loom_import_eye_like(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	int64_t k = loom_attr_int(im, "k", 0), row, column;
	uint32_t dtype;

	(void)unused;
	if (!x)
		return;
	dtype = loom_attr_find(im, "dtype") ? loom_onnx_dtype(loom_attr_int(im, "dtype", 0)) :
					      x->dtype;
	if (!dtype)
		loom_import_fail(im, -EOPNOTSUPP, "type %s is not supported",
				 loom_onnx_dtype_name(loom_attr_int(im, "dtype", 0)));
	if (x->rank != 2)
		loom_import_fail(im, -EINVAL, "data of rank %u are no matrix", x->rank);
	if (im->em->status)
		return;
	y = loom_emit_const(im->em, dtype, 2, x->dims);
	for (row = 0; y && y->num_elems && row < x->dims[0]; row++) {
		column = row + loom_import_clamp(k, -x->dims[0], x->dims[1]);
		if (column < 0 || column >= x->dims[1])
			continue;
		if (loom_dtype_is_float(dtype))
			loom_value_set_float(y, row * x->dims[1] + column, 1);
		else
			loom_value_set_int(y, row * x->dims[1] + column, 1);
	}
	loom_import_result(im, 0, y);
}

/* For constants only, because the shape of the result depends on the data. */
void loom_import_non_zero(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_known(im, 0), *y;
	int64_t i, count = 0, rest, dims[2];
	uint32_t axis;

	(void)unused;
	if (!x)
		return;
	for (i = 0; i < x->num_elems; i++)
		count += loom_value_float(x, i) != 0;
	dims[0] = x->rank;
	dims[1] = count;
	y = loom_emit_const(im->em, DRM_LOOM_DTYPE_I64, 2, dims);
	for (i = 0, count = 0; y && i < x->num_elems; i++) {
		if (loom_value_float(x, i) == 0)
			continue;
		for (axis = x->rank, rest = i; axis-- > 0; rest /= x->dims[axis])
			loom_value_set_int(y, axis * dims[1] + count, rest % x->dims[axis]);
		count++;
	}
	loom_import_result(im, 0, y);
}

/* The first steps of each sequence backwards: rows [time, batch] in another order. */
void loom_import_reverse_sequence(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *lengths = loom_import_known(im, 1), *y;
	int64_t time_axis = loom_attr_int(im, "time_axis", 0), *rows, t, b, length;
	int64_t batch_axis = loom_attr_int(im, "batch_axis", 1);

	(void)unused;
	if (!x || !lengths)
		return;
	if (x->rank < 2 || (time_axis | batch_axis) != 1 || (time_axis & batch_axis) ||
	    lengths->rank != 1 || lengths->dims[0] != x->dims[batch_axis] ||
	    !loom_dtype_is_int(lengths->dtype)) {
		loom_import_fail(im, -EINVAL, "its operands or axes do not fit together");
		return;
	}
	if (!x->num_elems) {
		loom_import_result(im, 0, x);
		return;
	}
	rows = loom_pool_array(im->graph->pool, (size_t)(x->dims[0] * x->dims[1]), sizeof(*rows));
	for (b = 0; rows && b < lengths->dims[0]; b++) {
		length = loom_value_int(lengths, b);
		if (length < 0 || length > x->dims[time_axis])
			loom_import_fail(im, -EINVAL, "a sequence of %lld steps",
					 (long long)length);
		for (t = 0; t < x->dims[time_axis]; t++) {
			int64_t from = t < length ? length - 1 - t : t;

			if (time_axis)
				rows[b * x->dims[1] + t] = b * x->dims[1] + from;
			else
				rows[t * x->dims[1] + b] = from * x->dims[1] + b;
		}
	}
	if (!rows || im->em->status)
		return;
	y = loom_emit_reshape(im->em, x, 2, (int64_t[]){
		x->dims[0] * x->dims[1], loom_value_trailing(x, 2) });
	y = loom_pick_rows(im, y, 0, rows, x->dims[0] * x->dims[1]);
	loom_import_result(im, 0, loom_emit_reshape(im->em, y, x->rank, x->dims));
}

/* Applies a known condition to an axis, or to all elements. */
void loom_import_compress(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *condition = loom_import_known(im, 1);
	uint32_t axis = 0;
	int64_t i, count = 0, *rows;

	(void)unused;
	if (!x || !condition)
		return;
	if (loom_attr_find(im, "axis"))
		axis = loom_import_axis(im, loom_attr_int(im, "axis", 0), x->rank);
	else
		x = loom_emit_reshape(im->em, x, 1, &x->num_elems);
	if (!x || im->em->status)
		return;
	if (condition->rank != 1 || condition->dtype != DRM_LOOM_DTYPE_BOOL ||
	    condition->dims[0] > x->dims[axis]) {
		loom_import_fail(im, -EINVAL, "a condition of %lld for %lld elements",
				 (long long)condition->num_elems, (long long)x->dims[axis]);
		return;
	}
	rows = loom_pool_array(im->graph->pool, (size_t)condition->num_elems, sizeof(*rows));
	for (i = 0; rows && i < condition->num_elems; i++)
		if (loom_value_int(condition, i))
			rows[count++] = i;
	loom_import_result(im, 0, rows ? loom_pick_rows(im, x, axis, rows, count) : NULL);
}
