// SPDX-License-Identifier: MIT
/*
 * Importers of operators that return positions: of the largest element, of elements above a
 * diagonal, of earlier elements. The device has no such operations. Elements are compared with
 * their extreme or with their numbers, and matches are kept.
 */
#include "import.h"
#include "pick.h"
#include "proto.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/*
 * TopK of up to this many selects the largest remaining element repeatedly, seven nodes each, which
 * is fast in SRAM. Larger ones would take long to plan, so they are sorted.
 */
#define TOP_MAX		64
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

/* less than, or more than, all others */
static struct loom_value *emit_limit(struct loom_import *im, uint32_t dtype, bool largest)
{
	struct loom_value *limit = loom_emit_scalar(im->em, dtype, largest ? -INFINITY : INFINITY);

	if (limit && dtype == DRM_LOOM_DTYPE_I32)
		loom_value_set_int(limit, 0, largest ? INT32_MIN : INT32_MAX);
	else if (limit && dtype == DRM_LOOM_DTYPE_I64)
		loom_value_set_int(limit, 0, largest ? INT64_MIN : INT64_MAX);
	return limit;
}

/* K before opset 10 is an attribute */
static int64_t top_count(struct loom_import *im)
{
	int64_t k;

	if (im->opset < 10)
		return loom_attr_int(im, "k", -1);
	return loom_import_ints(im, 1, &k, 1) == 1 ? k : -1;
}

/* Elements to be chosen from or sorted, and their marks: twice the position, plus one for a NaN. */
struct pairs {
	struct loom_value *keys, *places;
};

/* Of elements along @axis. A NaN counts as infinity, with which it is among the largest. */
static struct pairs emit_pairs(struct loom_import *im, struct loom_value *x, uint32_t axis)
{
	struct pairs p = { x, loom_emit_binary(im->em, LOOM_GBIN_MUL,
					       loom_pick_numbers(im, x->rank, axis, x->dims[axis]),
					       scalar_i32(im, 2)) };
	struct loom_value *nan;

	if (!loom_dtype_is_float(x->dtype))
		return p;
	nan = loom_emit_fn(im->em, LOOM_GFN_ISNAN, x);
	p.keys = loom_emit_select(im->em, nan, loom_emit_scalar(im->em, x->dtype, INFINITY), x);
	p.places = loom_emit_binary(im->em, LOOM_GBIN_ADD, p.places,
				    loom_emit_cast(im->em, nan, DRM_LOOM_DTYPE_I32));
	return p;
}

/* The elements and positions that chosen ones stand for. */
static struct pairs read_pairs(struct loom_import *im, struct pairs p)
{
	struct loom_value *two = scalar_i32(im, 2), *nan;
	struct loom_value *half = loom_emit_binary(im->em, LOOM_GBIN_DIV, p.places, two);

	if (!p.keys || !loom_dtype_is_float(p.keys->dtype))
		return (struct pairs){ p.keys, half };
	nan = loom_emit_binary(im->em, LOOM_GBIN_GREATER, p.places,
			       loom_emit_binary(im->em, LOOM_GBIN_MUL, half, two));
	return (struct pairs){
		loom_emit_select(im->em, nan, loom_emit_scalar(im->em, p.keys->dtype, NAN), p.keys),
		half };
}

/*
 * Repeatedly selects the largest remaining element, and of equal ones the least mark. A selected
 * element keeps its position, but its mark becomes larger than all others, so that it is never the
 * first of equals again. A zero may have the sign of another zero.
 */
static struct pairs emit_top(struct loom_import *im, struct loom_value *x, uint32_t axis,
			     int64_t count)
{
	const size_t bytes = (size_t)count * sizeof(struct loom_value *);
	struct loom_value **keys = loom_pool_alloc(im->graph->pool, bytes);
	struct loom_value **places = loom_pool_alloc(im->graph->pool, bytes);
	bool largest = loom_attr_int(im, "largest", 1);
	struct loom_value *limit = emit_limit(im, x->dtype, largest), *hits, *marks;
	struct loom_value *taken = scalar_i32(im, INT32_MAX);
	struct pairs rest = emit_pairs(im, x, axis);
	int64_t i;

	if (!keys || !places)
		loom_import_fail(im, -ENOMEM, "out of memory");
	for (i = 0; i < count && !im->em->status; i++) {
		keys[i] = loom_emit_reduce(im->em, largest ? LOOM_GREDUCE_MAX : LOOM_GREDUCE_MIN,
					   rest.keys, 1u << axis, true);
		hits = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, rest.keys, keys[i]);
		marks = loom_emit_select(im->em, hits, rest.places, taken);
		places[i] = loom_emit_reduce(im->em, LOOM_GREDUCE_MIN, marks, 1u << axis, true);
		hits = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, marks, places[i]);
		rest.places = loom_emit_select(im->em, hits, taken, rest.places);
		rest.keys = loom_emit_select(im->em, hits, limit, rest.keys);
	}
	if (im->em->status)
		return (struct pairs){ };
	return (struct pairs){ loom_emit_concat(im->em, (uint32_t)count, keys, axis),
			       loom_emit_concat(im->em, (uint32_t)count, places, axis) };
}

/* Of pairs to be sorted, [outer, blocks, size, inner]. */
static struct pairs reshape_pairs(struct loom_import *im, struct pairs p, int64_t blocks,
				  int64_t size, int64_t inner)
{
	const int64_t dims[] = { p.keys ? p.keys->dims[0] : 0, blocks, size, inner };

	return (struct pairs){ loom_emit_reshape(im->em, p.keys, 4, dims),
			       loom_emit_reshape(im->em, p.places, 4, dims) };
}

/* @count blocks from @block on, each @step-th, and of each @size elements from @begin on or back */
static struct pairs slice_pairs(struct loom_import *im, struct pairs p, const int64_t blocks[3],
				int64_t begin, int64_t size, bool back)
{
	struct loom_gslice slice = { .start = { 0, blocks[0], begin },
				     .step = { 1, blocks[1], back ? -1 : 1, 1 } };
	int64_t counts[4];

	if (im->em->status || !p.keys || !p.places)
		return (struct pairs){ };
	memcpy(counts, p.keys->dims, sizeof(counts));
	counts[1] = blocks[2];
	counts[2] = size;
	return (struct pairs){ loom_emit_slice(im->em, p.keys, &slice, counts),
			       loom_emit_slice(im->em, p.places, &slice, counts) };
}

static struct pairs concat_pairs(struct loom_import *im, struct pairs a, struct pairs b,
				 uint32_t axis)
{
	return (struct pairs){
		loom_emit_concat(im->em, 2, (struct loom_value *[]){ a.keys, b.keys }, axis),
		loom_emit_concat(im->em, 2, (struct loom_value *[]){ a.places, b.places }, axis),
	};
}

/* Whether elements of @a precede those of @b; ties by the lower position. */
static struct loom_value *emit_before(struct loom_import *im, struct pairs a, struct pairs b,
				      bool largest)
{
	struct loom_value *equal = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, a.keys, b.keys);
	struct loom_value *first = loom_emit_binary(im->em, LOOM_GBIN_LESS, a.places, b.places);

	return loom_emit_select(im->em, equal, first,
				loom_emit_binary(im->em, largest ? LOOM_GBIN_GREATER :
						 LOOM_GBIN_LESS, a.keys, b.keys));
}

static struct pairs select_pairs(struct loom_import *im, struct loom_value *condition,
				 struct pairs a, struct pairs b)
{
	return (struct pairs){ loom_emit_select(im->em, condition, a.keys, b.keys),
			       loom_emit_select(im->em, condition, a.places, b.places) };
}

/* each block of @size elements; @back: its halves are both sorted, else they come bitonic */
static struct pairs order_halves(struct loom_import *im, struct pairs p, int64_t size, bool back,
				 bool largest)
{
	const int64_t all[3] = { 0, 1, p.keys ? p.keys->dims[1] : 0 };
	struct pairs a = slice_pairs(im, p, all, 0, size / 2, false), b, last;
	struct loom_value *before;

	b = slice_pairs(im, p, all, back ? size - 1 : size / 2, size / 2, back);
	before = emit_before(im, a, b, largest);
	last = select_pairs(im, before, b, a);
	if (back)
		last = slice_pairs(im, last, all, size / 2 - 1, size / 2, true);
	return concat_pairs(im, select_pairs(im, before, a, b), last, 2);
}

/* bitonic blocks of @size are sorted */
static struct pairs sort_bitonic(struct loom_import *im, struct pairs p, int64_t size,
				 int64_t total, int64_t inner, bool largest)
{
	for (; size > 1 && !im->em->status; size /= 2) {
		p = reshape_pairs(im, p, total / size, 2, size / 2 * inner);
		p = order_halves(im, p, 2, false, largest);
	}
	return p;
}

/*
 * The @size first of @total elements, sorted; @size is a power of two that divides @total. Blocks
 * of that size are sorted by a bitonic network. For two sorted blocks, the first of one and the
 * last of the other are compared and so on, which leaves the first of both.
 */
static struct pairs emit_sorted(struct loom_import *im, struct pairs p, int64_t size,
				int64_t total, int64_t inner, bool largest)
{
	int64_t blocks = total / size, part;

	for (part = 2; part <= size && !im->em->status; part *= 2) {
		p = reshape_pairs(im, p, total / part, part, inner);
		p = order_halves(im, p, part, part > 2, largest);
		p = sort_bitonic(im, p, part / 2, total, inner, largest);
	}
	for (; blocks > 1 && !im->em->status; blocks = (blocks + 1) / 2) {
		const int64_t pairs = blocks / 2, even[] = { 0, 2, pairs }, odd[] = { 1, 2, pairs };
		const int64_t last[] = { blocks - 1, 1, 1 };
		struct pairs a, b, single = { };

		p = reshape_pairs(im, p, blocks, size, inner);
		a = slice_pairs(im, p, even, 0, size, false);
		b = slice_pairs(im, p, odd, size - 1, size, true);
		if (blocks & 1)
			single = slice_pairs(im, p, last, 0, size, false);
		p = select_pairs(im, emit_before(im, a, b, largest), a, b);
		p = sort_bitonic(im, p, size, pairs * size, inner, largest);
		p = reshape_pairs(im, p, pairs, size, inner);
		if (blocks & 1)
			p = concat_pairs(im, p, single, 1);
	}
	return p;
}

/* the least power of two that is not below @count */
static int64_t sorted_size(int64_t count)
{
	int64_t size = 1;

	while (size < count)
		size *= 2;
	return size;
}

/* The @count first along @axis of @x, which is f32, f16 or an integer of 32 bits, by sorting. */
static struct pairs emit_top_sorted(struct loom_import *im, struct loom_value *x, uint32_t axis,
				    int64_t count)
{
	int64_t size = sorted_size(count), n = x->dims[axis], total = (n + size - 1) / size * size;
	int64_t inner = loom_value_trailing(x, axis + 1), dims[LOOM_GRAPH_RANK];
	const int64_t flat[] = { x->num_elems / n / inner, n, inner };
	bool largest = loom_attr_int(im, "largest", 1);
	struct loom_value *limit = emit_limit(im, x->dtype, largest);
	struct pairs p = { loom_emit_reshape(im->em, x, 3, flat), NULL };

	if (im->em->status)
		return p;
	p = emit_pairs(im, p.keys, 1);
	p.places = loom_emit_expand(im->em, p.places, 3, flat);
	if (total > n) {
		const int64_t rest[] = { flat[0], total - n, inner };

		p = concat_pairs(im, p, (struct pairs){
			loom_emit_expand(im->em, limit, 3, rest),
			loom_emit_expand(im->em, scalar_i32(im, INT32_MAX), 3, rest) }, 1);
	}
	p = emit_sorted(im, p, size, total, inner, largest);
	p = reshape_pairs(im, p, 1, size, inner);
	p = slice_pairs(im, p, (int64_t[]){ 0, 1, 1 }, 0, count, false);
	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] = count;
	return (struct pairs){ loom_emit_reshape(im->em, p.keys, x->rank, dims),
			       loom_emit_reshape(im->em, p.places, x->rank, dims) };
}

void loom_import_top(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t count = top_count(im);
	uint32_t axis, dtype;
	struct pairs top;

	(void)unused;
	if (!has_elements(im, x))
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", -1), x->rank);
	if (count < 1 || count > x->dims[axis])
		loom_import_fail(im, -EINVAL, "%lld of %lld elements", (long long)count,
				 (long long)x->dims[axis]);
	if (count > TOP_MAX && x->num_elems > LOOM_PICK_MAX)
		loom_import_fail(im, -EOPNOTSUPP, "more than %d of %lld elements are not supported",
				 TOP_MAX, (long long)x->num_elems);
	if (im->em->status)
		return;
	dtype = x->dtype;
	if (loom_dtype_is_int(dtype) && loom_dtype_size(dtype) < 4)
		x = loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_I32);
	if (!x)
		return;
	top = count > TOP_MAX ? emit_top_sorted(im, x, axis, count) : emit_top(im, x, axis, count);
	top = read_pairs(im, top);
	loom_import_result(im, 0, loom_emit_cast(im->em, top.keys, dtype));
	loom_import_result(im, 1, loom_emit_cast(im->em, top.places, DRM_LOOM_DTYPE_I64));
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
