// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_half.h"
#include "fp_row.h"

struct loom_row loom_row_along(const struct loom_view *view, const struct loom_memory *memory,
			       u8 *base, u32 axis, u32 start)
{
	struct loom_row row = {
		.at = base + loom_view_step(view, memory, axis, start),
		.stride = view->strides[axis],
	};

	if (view->region == DRM_LOOM_REGION_SRAM && axis == view->lane_axis && memory->lanes > 1) {
		row.lanes = memory->lanes;
		row.lane = ((u64)view->lane_start + start) % memory->lanes;
		row.stride = loom_view_lane_pitch(view, memory);
		row.wrap = view->strides[axis] - (s64)memory->lanes * row.stride;
	}
	return row;
}

struct loom_row loom_view_row(const struct loom_view *view, const struct loom_memory *memory,
			      const u32 *index, u32 rank, u32 axis)
{
	u8 *base = loom_view_origin(view, memory);
	u32 i;

	for (i = 0; i < rank; i++) {
		if (i != axis)
			base += loom_view_step(view, memory, i, index[i]);
	}
	return loom_row_along(view, memory, base, axis, index[axis]);
}

static __always_inline void row_gather(struct loom_row row, const u32 bytes, u32 n, u8 *to)
{
	u32 run, i;

	for (; n; n -= run) {
		run = loom_row_run(&row, n);
		for (i = 0; i < run; i++)
			memcpy(to + i * bytes, row.at + (s64)i * row.stride, bytes);
		to += (size_t)run * bytes;
		loom_row_skip(&row, run);
	}
}

/* Repeat one element of four bytes: most elements that are not adjacent are broadcast. */
static __always_inline void row_repeat(const u8 *at, u32 n, u32 *to)
{
	u32 word, i;

	memcpy(&word, at, sizeof(word));
	for (i = 0; i < n; i++)
		to[i] = word;
}

static __always_inline void row_scatter(struct loom_row row, const u32 bytes, u32 n,
					const u8 *from)
{
	u32 run, i;

	for (; n; n -= run) {
		run = loom_row_run(&row, n);
		for (i = 0; i < run; i++)
			memcpy(row.at + (s64)i * row.stride, from + i * bytes, bytes);
		from += (size_t)run * bytes;
		loom_row_skip(&row, run);
	}
}

const void *loom_row_raw(const struct loom_row *row, u32 bytes, u32 n, void *buffer)
{
	if (!row->lanes && row->stride == bytes)
		return row->at;
	switch (bytes) {
	case 1:
		row_gather(*row, 1, n, buffer);
		break;
	case 2:
		row_gather(*row, 2, n, buffer);
		break;
	case 4:
		if (!row->lanes && !row->stride)
			row_repeat(row->at, n, buffer);
		else
			row_gather(*row, 4, n, buffer);
		break;
	default:
		row_gather(*row, 8, n, buffer);
		break;
	}
	return buffer;
}

void loom_run_bases(const struct loom_command *command, const struct loom_memory *memory, u32 axis,
		    u64 run, u8 **bases)
{
	const struct loom_view *views = command->views;
	u32 i, v;

	for (v = 0; v < command->operands; v++)
		bases[v] = loom_view_origin(&views[v], memory);
	for (i = views[0].rank; i-- > 0;) {
		if (i == axis)
			continue;
		for (v = 0; v < command->operands; v++)
			bases[v] += loom_view_step(&views[v], memory, i, run % views[0].dims[i]);
		run /= views[0].dims[i];
	}
}

const void *loom_axis_raw(const struct loom_view *view, const struct loom_memory *memory, u8 *base,
			  u32 axis, u32 at, u32 step, u32 n, void *buffer)
{
	struct loom_row row = loom_row_along(view, memory, base, axis, at);
	u8 *to = buffer;
	u32 i;

	if (!row.lanes) {
		row.stride *= step;
	} else if (step > 1) {
		/* not a row: its steps jump over lanes */
		for (i = 0; i < n; i++)
			memcpy(to + i * view->elem_bytes,
			       base + loom_view_step(view, memory, axis, at + i * step),
			       view->elem_bytes);
		return buffer;
	}
	return loom_row_raw(&row, view->elem_bytes, n, buffer);
}

void loom_row_write(const struct loom_row *row, u32 bytes, u32 n, const void *from)
{
	if (!row->lanes && row->stride == bytes) {
		memcpy(row->at, from, (size_t)n * bytes);
		return;
	}
	switch (bytes) {
	case 1:
		row_scatter(*row, 1, n, from);
		break;
	case 2:
		row_scatter(*row, 2, n, from);
		break;
	case 4:
		row_scatter(*row, 4, n, from);
		break;
	default:
		row_scatter(*row, 8, n, from);
		break;
	}
}

float loom_half_to_f32(u16 h)
{
	float f = loom_half_widen(h);

	return f != f ? __builtin_nanf("") : f;
}

u16 loom_half_of_f32(float f)
{
	return loom_half_narrow(f);
}

u16 loom_half_of_f64(double d)
{
	float f = (float)d;
	u32 bits = loom_bits_of_f32(f);

	/* round to odd first: then rounding again gives what rounding once would */
	if ((double)f != d && d == d && (bits & 0x7fffffff) != 0x7f800000) {
		double a = d < 0 ? -d : d;
		double b = d < 0 ? -(double)f : (double)f;

		if (b > a)
			bits--;
		bits |= 1;
	}
	return loom_half_of_f32(loom_f32_of_bits(bits));
}

const float *loom_row_f32(const struct loom_row *row, u32 dtype, u32 n, union loom_buf *tile)
{
	if (dtype == DRM_LOOM_DTYPE_F32)
		return loom_row_raw(row, 4, n, tile->f32);
	loom_halves_widen(tile->f32, loom_row_raw(row, 2, n, tile->u8 + sizeof(tile->f32)), n);
	loom_canonical_f32(tile->f32, n);
	return tile->f32;
}

const double *loom_row_f64(const struct loom_row *row, u32 dtype, u32 n, union loom_buf *tile)
{
	const u8 *raw;
	u16 h;
	u32 i;

	switch (dtype) {
	case DRM_LOOM_DTYPE_F64:
		return loom_row_raw(row, 8, n, tile->f64);
	case DRM_LOOM_DTYPE_F32:
		/* after the first half, so that elements are read before they are overwritten */
		raw = loom_row_raw(row, 4, n, tile->u8 + sizeof(*tile) / 2);
		for (i = 0; i < n; i++)
			tile->f64[i] = loom_get_f32(raw + 4 * i);
		break;
	default:
		raw = loom_row_raw(row, 2, n, tile->u8 + sizeof(*tile) - 2 * LOOM_TILE);
		for (i = 0; i < n; i++) {
			memcpy(&h, raw + 2 * i, 2);
			tile->f64[i] = loom_half_to_f32(h);
		}
		break;
	}
	return tile->f64;
}

#define ROW_EXTEND(type)						\
	do {								\
		type e_;						\
									\
		for (i = 0; i < n; i++) {				\
			memcpy(&e_, raw + i * sizeof(e_), sizeof(e_));	\
			tile->u64[i] = (u64)(s64)e_;			\
		}							\
	} while (0)

const u64 *loom_row_u64(const struct loom_row *row, u32 dtype, u32 n, union loom_buf *tile)
{
	u32 bytes = loom_dtype_stride(dtype);
	const u8 *raw;
	u32 i;

	if (bytes == 8)
		return loom_row_raw(row, 8, n, tile->u64);

	/* Gathered at the tile's end: element i is read before its wide form reaches it. */
	raw = loom_row_raw(row, bytes, n, tile->u8 + sizeof(*tile) - (size_t)bytes * LOOM_TILE);
	switch (dtype) {
	case DRM_LOOM_DTYPE_I8:
		ROW_EXTEND(s8);
		break;
	case DRM_LOOM_DTYPE_U8:
		ROW_EXTEND(u8);
		break;
	case DRM_LOOM_DTYPE_BOOL:
		for (i = 0; i < n; i++)
			tile->u64[i] = !!raw[i];
		break;
	case DRM_LOOM_DTYPE_I16:
		ROW_EXTEND(s16);
		break;
	case DRM_LOOM_DTYPE_U16:
		ROW_EXTEND(u16);
		break;
	case DRM_LOOM_DTYPE_I32:
		ROW_EXTEND(s32);
		break;
	default:
		ROW_EXTEND(u32);
		break;
	}
	return tile->u64;
}

static void row_canonical_f32(float *restrict to, const float *restrict from, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		to[i] = from[i] != from[i] ? __builtin_nanf("") : from[i];
}

void loom_canonical_f32(float *v, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		v[i] = v[i] != v[i] ? __builtin_nanf("") : v[i];
}

void loom_row_put_f32(const struct loom_row *row, u32 dtype, u32 n, const float *from)
{
	union {
		float f32[LOOM_TILE];
		u16 f16[LOOM_TILE];
	} to;

	if (dtype == DRM_LOOM_DTYPE_F16) {
		loom_halves_narrow(to.f16, from, n);
		loom_row_write(row, 2, n, to.f16);
	} else if (!row->lanes && row->stride == 4) {
		row_canonical_f32((float *)row->at, from, n);
	} else {
		row_canonical_f32(to.f32, from, n);
		loom_row_write(row, 4, n, to.f32);
	}
}

void loom_row_put_f64(const struct loom_row *row, u32 n, const double *from)
{
	double to[LOOM_TILE];
	u32 i;

	for (i = 0; i < n; i++)
		to[i] = from[i] != from[i] ? __builtin_nan("") : from[i];
	loom_row_write(row, 8, n, to);
}

void loom_row_put_u64(const struct loom_row *row, u32 dtype, u32 n, const u64 *from)
{
	union {
		u8 b[LOOM_TILE];
		u16 h[LOOM_TILE];
		u32 w[LOOM_TILE];
	} to;
	u32 i;

	switch (loom_dtype_stride(dtype)) {
	case 1:
		for (i = 0; i < n; i++)
			to.b[i] = (u8)from[i];
		loom_row_write(row, 1, n, to.b);
		break;
	case 2:
		for (i = 0; i < n; i++)
			to.h[i] = (u16)from[i];
		loom_row_write(row, 2, n, to.h);
		break;
	case 4:
		for (i = 0; i < n; i++)
			to.w[i] = (u32)from[i];
		loom_row_write(row, 4, n, to.w);
		break;
	default:
		loom_row_write(row, 8, n, from);
		break;
	}
}
