// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"

/**
 * DOC: Reductions
 *
 * Floating point of any type is reduced in binary64: sums over a whole feature map in binary32
 * would be less exact than ONNX Runtime's results have to be matched, and compensated sums in
 * binary32 are no faster. Integers are reduced in 64 bits and wrap.
 *
 * If the last axis is kept, a tile of results lies along it, and each row of x is added to the tile
 * as a vector. If it is reduced, a tile is one result, summed in eight parts: element i of those
 * that go into it belongs to part i modulo 8, and the parts are combined last. A last axis of one
 * element counts as kept, since it may be a slice of a kept one. Results do not depend on the
 * layout of x in memory, nor on which axes are merged.
 */

#define REDUCE_PARTS	8

/**
 * struct reduce - a reduction with its operands prepared
 * @memory: where the operands lie
 * @x: the input, with reduced axes merged where they follow each other
 * @y_dims: dims of y on the axes of @x
 * @kind: an &enum drm_loom_reduce
 * @count: elements that go into one result
 * @parts: in which a result is summed
 * @is_signed: of an integer type
 */
struct reduce {
	const struct loom_memory *memory;
	struct loom_view x;
	u32 y_dims[DRM_LOOM_MAX_RANK];
	u32 kind;
	u64 count;
	u32 parts;
	bool is_signed;
};

static void reduce_begin(struct reduce *r, const struct loom_command *command,
			 const struct loom_memory *memory)
{
	const struct drm_loom_attr_reduce *attr = command->attr;
	const struct loom_view *y = &command->views[0];
	struct loom_view *x = &r->x;
	u32 i;

	r->memory = memory;
	r->kind = attr->kind;
	r->is_signed = loom_dtype_signed(y->dtype);
	r->count = 1;
	*x = command->views[1];
	r->parts = x->dims[x->rank - 1] == y->dims[x->rank - 1] ? 1 : REDUCE_PARTS;
	for (i = 0; i < x->rank; i++) {
		r->y_dims[i] = y->dims[i];
		if (x->dims[i] != y->dims[i])
			r->count *= x->dims[i];
	}
	/* merge reduced axes: the index of y on both is always 0 */
	for (i = x->rank - 1; i-- > 0;) {
		u64 dim = (u64)x->dims[i] * x->dims[i + 1];

		if (r->y_dims[i] != 1 || r->y_dims[i + 1] != 1 || dim > U32_MAX ||
		    x->lane_axis == i || x->lane_axis == i + 1)
			continue;
		if (x->dims[i] > 1 && x->strides[i] != x->strides[i + 1] * x->dims[i + 1])
			continue;
		x->dims[i] = 1;
		x->dims[i + 1] = dim;
	}
}

#define TILE(expr)					\
	do {						\
		for (i = 0; i < n; i++)			\
			acc[i] = (expr);		\
	} while (0)

static void reduce_f64(double *restrict acc, const double *restrict x, u32 n, u32 kind)
{
	u32 i;

	switch (kind) {
	case DRM_LOOM_REDUCE_SUM:
	case DRM_LOOM_REDUCE_MEAN:
		TILE(acc[i] + x[i]);
		break;
	case DRM_LOOM_REDUCE_MAX:
		TILE(loom_max(acc[i], x[i]));
		break;
	case DRM_LOOM_REDUCE_MIN:
		TILE(loom_min(acc[i], x[i]));
		break;
	case DRM_LOOM_REDUCE_PROD:
		TILE(acc[i] * x[i]);
		break;
	case DRM_LOOM_REDUCE_SUMSQ:
	case DRM_LOOM_REDUCE_L2:
		TILE(acc[i] + x[i] * x[i]);
		break;
	case DRM_LOOM_REDUCE_L1:
		TILE(acc[i] + __builtin_fabs(x[i]));
		break;
	}
}

static void reduce_u64(u64 *restrict acc, const u64 *restrict x, u32 n, u32 kind, bool is_signed)
{
	u32 i;

	switch (kind) {
	case DRM_LOOM_REDUCE_SUM:
	case DRM_LOOM_REDUCE_MEAN:
		TILE(acc[i] + x[i]);
		break;
	case DRM_LOOM_REDUCE_MAX:
		if (is_signed)
			TILE((s64)acc[i] > (s64)x[i] ? acc[i] : x[i]);
		else
			TILE(acc[i] > x[i] ? acc[i] : x[i]);
		break;
	case DRM_LOOM_REDUCE_MIN:
		if (is_signed)
			TILE((s64)acc[i] < (s64)x[i] ? acc[i] : x[i]);
		else
			TILE(acc[i] < x[i] ? acc[i] : x[i]);
		break;
	case DRM_LOOM_REDUCE_PROD:
		TILE(acc[i] * x[i]);
		break;
	case DRM_LOOM_REDUCE_SUMSQ:
	case DRM_LOOM_REDUCE_L2:
		TILE(acc[i] + x[i] * x[i]);
		break;
	case DRM_LOOM_REDUCE_L1:
		TILE(acc[i] + (is_signed && (s64)x[i] < 0 ? 0 - x[i] : x[i]));
		break;
	}
}

/* How the parts of one result are combined: squares and absolute values were taken before. */
static u32 reduce_combine_kind(u32 kind)
{
	switch (kind) {
	case DRM_LOOM_REDUCE_MAX:
	case DRM_LOOM_REDUCE_MIN:
	case DRM_LOOM_REDUCE_PROD:
		return kind;
	}
	return DRM_LOOM_REDUCE_SUM;
}

static double reduce_start_f64(u32 kind)
{
	switch (kind) {
	case DRM_LOOM_REDUCE_MAX:
		return -__builtin_inf();
	case DRM_LOOM_REDUCE_MIN:
		return __builtin_inf();
	case DRM_LOOM_REDUCE_PROD:
		return 1.0;
	}
	return 0.0;
}

static u64 reduce_start_u64(u32 kind, bool is_signed)
{
	switch (kind) {
	case DRM_LOOM_REDUCE_MAX:
		return is_signed ? 1ULL << 63 : 0;
	case DRM_LOOM_REDUCE_MIN:
		return is_signed ? ~0ULL >> 1 : ~0ULL;
	case DRM_LOOM_REDUCE_PROD:
		return 1;
	}
	return 0;
}

static double reduce_end_f64(double v, u32 kind, u64 count)
{
	if (kind == DRM_LOOM_REDUCE_MEAN)
		return v / (double)count;
	return kind == DRM_LOOM_REDUCE_L2 ? __builtin_sqrt(v) : v;
}

static u64 reduce_end_u64(u64 v, u32 kind, u64 count, bool is_signed)
{
	if (kind == DRM_LOOM_REDUCE_MEAN)
		return is_signed ? (u64)((s64)v / (s64)count) : v / count;
	return kind == DRM_LOOM_REDUCE_L2 ? (u64)(s64)__builtin_sqrt((double)v) : v;
}

/**
 * struct reduce_walk - the rows of x that go into a tile of results
 * @r: the reduction
 * @base: address of the current row
 * @index: index of the row on x's axes
 * @done: no row is left
 */
struct reduce_walk {
	const struct reduce *r;
	u8 *base;
	u32 index[DRM_LOOM_MAX_RANK];
	bool done;
};

static void reduce_walk_base(struct reduce_walk *walk)
{
	const struct loom_view *x = &walk->r->x;
	u32 i;

	walk->base = loom_view_origin(x, walk->r->memory);
	for (i = 0; i < x->rank - 1u; i++)
		walk->base += loom_view_step(x, walk->r->memory, i, walk->index[i]);
}

static void reduce_walk_begin(struct reduce_walk *walk, const struct reduce *r,
			      const struct loom_tile *tile)
{
	u32 i;

	walk->r = r;
	walk->done = false;
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		walk->index[i] = tile->index[i];
	reduce_walk_base(walk);
}

static void reduce_walk_next(struct reduce_walk *walk)
{
	const struct reduce *r = walk->r;
	u32 i;

	for (i = r->x.rank - 1; i-- > 0;) {
		if (r->y_dims[i] == r->x.dims[i])
			continue;
		if (++walk->index[i] < r->x.dims[i]) {
			reduce_walk_base(walk);
			return;
		}
		walk->index[i] = 0;
	}
	walk->done = true;
}

static noinline void reduce_tile_f64(const struct reduce *r, const struct loom_tile *tile,
				     const struct loom_row *y, u32 dtype)
{
	u32 last = r->x.rank - 1;
	bool along = r->x.dims[last] != r->y_dims[last];
	double acc[LOOM_TILE];
	struct reduce_walk walk;
	struct loom_row row;
	union loom_buf buf;
	const double *x;
	u32 part = 0, i, j, m, n;

	for (i = 0; i < (along ? r->parts : tile->count); i++)
		acc[i] = reduce_start_f64(r->kind);
	for (reduce_walk_begin(&walk, r, tile); !walk.done; reduce_walk_next(&walk)) {
		if (!along) {
			row = loom_row_along(&r->x, r->memory, walk.base, last, tile->index[last]);
			x = loom_row_f64(&row, dtype, tile->count, &buf);
			reduce_f64(acc, x, tile->count, r->kind);
			continue;
		}
		for (i = 0; i < r->x.dims[last]; i += n) {
			n = min(r->x.dims[last] - i, (u32)LOOM_TILE);
			row = loom_row_along(&r->x, r->memory, walk.base, last, i);
			x = loom_row_f64(&row, dtype, n, &buf);
			for (j = 0; j < n; j += m) {
				m = min(n - j, r->parts - part);
				reduce_f64(acc + part, x + j, m, r->kind);
				part = part + m == r->parts ? 0 : part + m;
			}
		}
	}
	for (i = r->parts / 2; along && i; i /= 2)
		reduce_f64(acc, acc + i, i, reduce_combine_kind(r->kind));
	for (i = 0; i < tile->count; i++)
		acc[i] = reduce_end_f64(acc[i], r->kind, r->count);
	if (dtype == DRM_LOOM_DTYPE_F64) {
		loom_row_put_f64(y, tile->count, acc);
		return;
	}
	for (i = 0; i < tile->count; i++)
		buf.f32[i] = (float)acc[i];
	loom_row_put_f32(y, dtype, tile->count, buf.f32);
}

static noinline void reduce_tile_u64(const struct reduce *r, const struct loom_tile *tile,
				     const struct loom_row *y, u32 dtype)
{
	u32 last = r->x.rank - 1;
	bool along = r->x.dims[last] != r->y_dims[last];
	u64 acc[LOOM_TILE];
	struct reduce_walk walk;
	struct loom_row row;
	union loom_buf buf;
	const u64 *x;
	u32 part = 0, i, j, m, n;

	for (i = 0; i < (along ? r->parts : tile->count); i++)
		acc[i] = reduce_start_u64(r->kind, r->is_signed);
	for (reduce_walk_begin(&walk, r, tile); !walk.done; reduce_walk_next(&walk)) {
		if (!along) {
			row = loom_row_along(&r->x, r->memory, walk.base, last, tile->index[last]);
			x = loom_row_u64(&row, dtype, tile->count, &buf);
			reduce_u64(acc, x, tile->count, r->kind, r->is_signed);
			continue;
		}
		for (i = 0; i < r->x.dims[last]; i += n) {
			n = min(r->x.dims[last] - i, (u32)LOOM_TILE);
			row = loom_row_along(&r->x, r->memory, walk.base, last, i);
			x = loom_row_u64(&row, dtype, n, &buf);
			for (j = 0; j < n; j += m) {
				m = min(n - j, r->parts - part);
				reduce_u64(acc + part, x + j, m, r->kind, r->is_signed);
				part = part + m == r->parts ? 0 : part + m;
			}
		}
	}
	for (i = r->parts / 2; along && i; i /= 2)
		reduce_u64(acc, acc + i, i, reduce_combine_kind(r->kind), r->is_signed);
	for (i = 0; i < tile->count; i++)
		acc[i] = reduce_end_u64(acc[i], r->kind, r->count, r->is_signed);
	loom_row_put_u64(y, dtype, tile->count, acc);
}

void loom_fp_reduce_run(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count)
{
	const struct loom_view *y = &command->views[0];
	struct loom_tile tile;
	struct loom_row row;
	struct reduce r;

	reduce_begin(&r, command, memory);
	loom_tile_get(&tile, y->dims, y->rank, first);
	for (; count--; loom_tile_next(&tile, y->dims, y->rank)) {
		row = loom_view_row(y, memory, tile.index, y->rank, y->rank - 1);
		if (loom_dtype_class(y->dtype) == LOOM_CLASS_U64)
			reduce_tile_u64(&r, &tile, &row, y->dtype);
		else
			reduce_tile_f64(&r, &tile, &row, y->dtype);
	}
}
