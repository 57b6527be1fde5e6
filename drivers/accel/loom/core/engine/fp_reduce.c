// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"

/**
 * DOC: Reductions
 *
 * Floating point of any type is reduced in binary64: sums over a whole feature map in binary32
 * would be less exact than ONNX Runtime's results must be matched, and compensated sums in
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
 * @index: index of the row on x's axes
 * @base: address of the current row
 * @done: no row is left
 */
struct reduce_walk {
	const struct reduce *r;
	u32 *index;
	u8 *base;
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

/* From the row at @index, which goes along. */
static void reduce_walk_begin(struct reduce_walk *walk, const struct reduce *r, u32 *index)
{
	walk->r = r;
	walk->index = index;
	walk->done = false;
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

/**
 * struct reduce_piece - elements of x that are added at once
 * @row: where they are
 * @n: how many
 */
struct reduce_piece {
	struct loom_row row;
	u32 n;
};

static bool reduce_along(const struct reduce *r)
{
	return r->x.dims[r->x.rank - 1] != r->y_dims[r->x.rank - 1];
}

/* The next elements, if there are any and @part pays for them. */
static bool reduce_next(struct reduce_walk *walk, const struct loom_tile *tile,
			struct loom_part *part, struct reduce_piece *piece)
{
	const struct reduce *r = walk->r;
	u32 last = r->x.rank - 1;
	u32 start = tile->index[last];

	if (walk->done || !loom_part_ready(part))
		return false;
	piece->n = tile->count;
	if (reduce_along(r)) {
		start = part->at;
		piece->n = min(r->x.dims[last] - start, (u32)LOOM_TILE);
	}
	piece->row = loom_row_along(&r->x, r->memory, walk->base, last, start);
	part->at += piece->n;
	if (!reduce_along(r) || part->at == r->x.dims[last]) {
		part->at = 0;
		reduce_walk_next(walk);
	}
	loom_part_charge(part, LOOM_ROW_COST + 2 * piece->n);
	return true;
}

static void reduce_tile_begin(const struct reduce *r, const struct loom_tile *tile,
			      struct loom_part *part)
{
	u32 i;

	loom_part_charge(part, LOOM_UNIT_COST);
	loom_part_begin(part);
	part->units = reduce_along(r) ? r->parts : tile->count;
	for (i = 0; i < r->x.rank - 1u; i++)
		part->index[i] = tile->index[i];
}

/* Adds @n elements to as many results, from @first on, of binary64 if @real. */
static void reduce_some(const struct reduce *r, bool real, union loom_sums *acc, u32 first,
			const void *x, u32 n, u32 kind)
{
	if (real)
		reduce_f64(acc->f64 + first, x, n, kind);
	else
		reduce_u64(acc->u64 + first, x, n, kind, r->is_signed);
}

static void reduce_start(const struct reduce *r, bool real, union loom_sums *acc, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (real)
			acc->f64[i] = reduce_start_f64(r->kind);
		else
			acc->u64[i] = reduce_start_u64(r->kind, r->is_signed);
	}
}

/* The results of a tile, of which there are @n, and out. */
static noinline void reduce_emit(const struct reduce *r, union loom_sums *acc, u32 n,
				 const struct loom_row *y, u32 dtype)
{
	float to[LOOM_TILE];
	u32 i;

	if (loom_dtype_class(dtype) == LOOM_CLASS_U64) {
		for (i = 0; i < n; i++)
			acc->u64[i] = reduce_end_u64(acc->u64[i], r->kind, r->count, r->is_signed);
		loom_row_put_u64(y, dtype, n, acc->u64);
		return;
	}
	for (i = 0; i < n; i++)
		acc->f64[i] = reduce_end_f64(acc->f64[i], r->kind, r->count);
	if (dtype == DRM_LOOM_DTYPE_F64) {
		loom_row_put_f64(y, n, acc->f64);
		return;
	}
	for (i = 0; i < n; i++)
		to[i] = (float)acc->f64[i];
	loom_row_put_f32(y, dtype, n, to);
}

static noinline void reduce_tile(const struct reduce *r, const struct loom_tile *tile,
				 const struct loom_row *y, u32 dtype, struct loom_part *part)
{
	bool along = reduce_along(r), real = loom_dtype_class(dtype) != LOOM_CLASS_U64;
	union loom_sums *acc = &part->sums;
	struct reduce_piece piece;
	struct reduce_walk walk;
	union loom_buf buf;
	const u64 *x;
	u32 i, j, m;

	if (!part->begun) {
		reduce_tile_begin(r, tile, part);
		reduce_start(r, real, acc, part->units);
	}
	reduce_walk_begin(&walk, r, part->index);
	while (reduce_next(&walk, tile, part, &piece)) {
		x = real ? (const void *)loom_row_f64(&piece.row, dtype, piece.n, &buf) :
			   loom_row_u64(&piece.row, dtype, piece.n, &buf);
		if (!along) {
			reduce_some(r, real, acc, 0, x, piece.n, r->kind);
			continue;
		}
		for (j = 0; j < piece.n; j += m) {
			m = min(piece.n - j, r->parts - part->phase);
			reduce_some(r, real, acc, part->phase, x + j, m, r->kind);
			part->phase = (part->phase + m) % r->parts;
		}
	}
	if (!walk.done)
		return;
	part->begun = false;
	for (i = r->parts / 2; along && i; i /= 2)
		reduce_some(r, real, acc, 0, acc->u64 + i, i, reduce_combine_kind(r->kind));
	reduce_emit(r, acc, tile->count, y, dtype);
}

u64 loom_fp_reduce_run(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count, struct loom_part *part)
{
	const struct loom_view *y = &command->views[0];
	struct loom_tile tile;
	struct loom_row row;
	struct reduce r;
	u64 done = 0;

	reduce_begin(&r, command, memory);
	loom_tile_get(&tile, y->dims, y->rank, first);
	do {
		row = loom_view_row(y, memory, tile.index, y->rank, y->rank - 1);
		reduce_tile(&r, &tile, &row, y->dtype, part);
		if (part->begun)
			break;
		loom_tile_next(&tile, y->dims, y->rank);
	} while (++done < count && loom_part_ready(part));
	return done;
}
