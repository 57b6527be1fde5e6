/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_TILE_H
#define LOOM_FP_TILE_H

#include "fp.h"
#include "loom_tile.h"

/**
 * DOC: Tiles, rows and nests
 *
 * The arithmetic files (fp_*.c) work on tiles: up to LOOM_TILE elements along one
 * axis, in local memory or, when they lie there side by side, in place. What is
 * between a view and a tile is here:
 *
 * - a row is where the elements along one axis of a view are: a start and a step, or a walk
 *   over the banks where the axis is the view's lane axis;
 * - a nest is the common loop of an elementwise command over its views. Axes that step
 *   alike in every view are merged first, so that a feature map is one long row and not many
 *   short ones. Units are consecutive in row-major order, so any run of units is a run of
 *   elements, however the axes are merged.
 *
 * Types fall into three classes, in which all arithmetic is done: f32 (F32 and F16), f64 (F64),
 * and u64 (everything else: two's complement, sign or zero extended, so that a result that is
 * cut to the type's size wraps as the contract says).
 *
 * A NaN that arithmetic made is written as the one canonical quiet NaN: which of two
 * NaN operands an instruction hands on depends on their order, and that is the
 * compiler's to choose. Without this, results would not be identical to the bit.
 *
 * Rejected: intrinsics. Loops over tiles with fixed bounds vectorise as they are, and the few
 * inner kernels that need more use struct loom_vec, which every GCC target takes.
 */

/* Kernel and glibc have it; with another libc the hint must do. */
#ifndef __always_inline
#define __always_inline inline
#endif

/* For functions with tiles on their stack: their frames must not add up in one caller's. */
#ifndef noinline
#define noinline __attribute__((__noinline__))
#endif

/**
 * struct loom_vec - four floats that are computed together
 * @v: the floats
 */
struct loom_vec {
	float v __attribute__((vector_size(16)));
};

static __always_inline struct loom_vec loom_vec_load(const void *from)
{
	struct loom_vec r;

	memcpy(&r, from, sizeof(r));
	return r;
}

static __always_inline void loom_vec_store(void *to, struct loom_vec r)
{
	memcpy(to, &r, sizeof(r));
}

/* By way of arrays, here and below, which sparse understands; to the compiler it is the same. */
static __always_inline struct loom_vec loom_vec_splat(float f)
{
	const float lanes[4] = { f, f, f, f };

	return loom_vec_load(lanes);
}

static __always_inline float loom_get_f32(const void *from)
{
	float f;

	memcpy(&f, from, sizeof(f));
	return f;
}

/* Four of the lanes of @a and @b, which @pick counts through. */
static __always_inline struct loom_vec loom_vec_pick(struct loom_vec a, struct loom_vec b,
						     const s32 *pick)
{
	s32 order __attribute__((vector_size(16)));

	memcpy(&order, pick, sizeof(order));
	a.v = __builtin_shuffle(a.v, b.v, order);
	return a;
}

/* Moves the lanes of @a up, or down, by @n from 1 to 3; zeroes come in. */
static __always_inline struct loom_vec loom_vec_up(struct loom_vec a, const s32 n)
{
	const s32 pick[4] = { 4 - n, 5 - n, 6 - n, 7 - n };

	return loom_vec_pick(loom_vec_splat(0.0f), a, pick);
}

static __always_inline struct loom_vec loom_vec_down(struct loom_vec a, const s32 n)
{
	const s32 pick[4] = { n, n + 1, n + 2, n + 3 };

	return loom_vec_pick(a, loom_vec_splat(0.0f), pick);
}

/* Lanes of @a where @mask is all ones, zeroes where it is zero. */
static __always_inline struct loom_vec loom_vec_mask(struct loom_vec a, const s32 *mask)
{
	s32 bits __attribute__((vector_size(16)));
	s32 keep __attribute__((vector_size(16)));

	memcpy(&bits, &a, sizeof(bits));
	memcpy(&keep, mask, sizeof(keep));
	bits &= keep;
	memcpy(&a, &bits, sizeof(a));
	return a;
}

/* The even, or odd, ones of eight floats. */
static __always_inline struct loom_vec loom_vec_even(struct loom_vec a, struct loom_vec b)
{
	const s32 pick[4] = { 0, 2, 4, 6 };

	return loom_vec_pick(a, b, pick);
}

static __always_inline struct loom_vec loom_vec_odd(struct loom_vec a, struct loom_vec b)
{
	const s32 pick[4] = { 1, 3, 5, 7 };

	return loom_vec_pick(a, b, pick);
}

/* Four floats from four places. */
static __always_inline struct loom_vec loom_vec_gather(const u8 *base, const s64 *offset)
{
	float lanes[4];
	u32 i;

#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		lanes[i] = *(const float *)(base + offset[i]);
	return loom_vec_load(lanes);
}

static __always_inline float loom_f32_of_bits(u32 bits)
{
	return loom_get_f32(&bits);
}

static __always_inline u32 loom_bits_of_f32(float f)
{
	u32 bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static __always_inline double loom_f64_of_bits(u64 bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static __always_inline u64 loom_bits_of_f64(double d)
{
	u64 bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/**
 * union loom_buf - local memory for a tile of any type
 * @f32: F32, and what else is computed in binary32
 * @f64: F64, and what else is computed in binary64
 * @u64: integers, extended
 * @s32: sums of products of bytes
 * @u8: raw memory
 */
union loom_buf {
	float f32[LOOM_TILE];
	double f64[LOOM_TILE];
	u64 u64[LOOM_TILE];
	s32 s32[LOOM_TILE];
	u8 u8[LOOM_TILE * 8];
};

enum loom_class {
	LOOM_CLASS_F32,
	LOOM_CLASS_F64,
	LOOM_CLASS_U64,
};

static inline enum loom_class loom_dtype_class(u32 dtype)
{
	if (dtype == DRM_LOOM_DTYPE_F32 || dtype == DRM_LOOM_DTYPE_F16)
		return LOOM_CLASS_F32;
	return dtype == DRM_LOOM_DTYPE_F64 ? LOOM_CLASS_F64 : LOOM_CLASS_U64;
}

static inline bool loom_dtype_signed(u32 dtype)
{
	return dtype == DRM_LOOM_DTYPE_I8 || dtype == DRM_LOOM_DTYPE_I16 ||
	       dtype == DRM_LOOM_DTYPE_I32 || dtype == DRM_LOOM_DTYPE_I64;
}

/**
 * struct loom_row - elements along an axis
 * @at: the first
 * @stride: bytes to the next; from bank to bank where it runs over lanes
 * @lanes: banks it runs over, zero where it stays in one
 * @lane: bank of the first
 * @wrap: bytes to add when the last bank is passed
 */
struct loom_row {
	u8 *at;
	s64 stride;
	u32 lanes;
	u32 lane;
	s64 wrap;
};

static __always_inline void loom_row_next(struct loom_row *row)
{
	row->at += row->stride;
	if (row->lanes && ++row->lane == row->lanes) {
		row->lane = 0;
		row->at += row->wrap;
	}
}

/* First byte of what an SRAM view lies in, in bank 0. */
static inline u8 *loom_view_bank(const struct loom_view *view, const struct loom_memory *memory)
{
	return view->bound ? memory->slots[view->slot] : memory->scratch;
}

/* Bytes from there to the same byte in the next bank. */
static inline u64 loom_view_lane_pitch(const struct loom_view *view,
				       const struct loom_memory *memory)
{
	return view->bound ? memory->slot_pitches[view->slot] : memory->lane_pitch;
}

/* First byte of a view, less what its lane axis adds to it. */
static inline u8 *loom_view_origin(const struct loom_view *view, const struct loom_memory *memory)
{
	if (view->region == DRM_LOOM_REGION_SRAM)
		return loom_view_bank(view, memory) + view->offset;
	return memory->slots[view->slot] + view->offset;
}

/* Bytes from the origin to index @i of an axis. */
static inline s64 loom_view_step(const struct loom_view *view, const struct loom_memory *memory,
				 u32 axis, u32 i)
{
	if (view->region == DRM_LOOM_REGION_SRAM && axis == view->lane_axis) {
		u64 l = (u64)view->lane_start + i;

		return (s64)(l % memory->lanes * loom_view_lane_pitch(view, memory)) +
		       (s64)(l / memory->lanes) * view->strides[axis];
	}
	return (s64)i * view->strides[axis];
}

/**
 * loom_view_row() - the elements along an axis
 * @view: the view
 * @memory: where it lies
 * @index: index on every axis below @rank; on @axis that of the row's first element
 * @rank: number of indices
 * @axis: the axis that the row runs along
 *
 * Return: the row.
 */
struct loom_row loom_view_row(const struct loom_view *view, const struct loom_memory *memory,
			      const u32 *index, u32 rank, u32 axis);

/**
 * loom_row_along() - a row that begins at a place already known
 * @view: the view
 * @memory: where it lies
 * @base: first byte, less what @axis adds to it
 * @axis: the axis that the row runs along
 * @start: index of the first element
 *
 * Return: the row.
 */
struct loom_row loom_row_along(const struct loom_view *view, const struct loom_memory *memory,
			       u8 *base, u32 axis, u32 start);

/**
 * loom_row_raw() - elements as they are, side by side
 * @row: where they are
 * @bytes: of an element
 * @n: number of elements, at most LOOM_TILE
 * @buffer: where to gather them if they are apart
 *
 * Return: the row itself, or @buffer.
 */
const void *loom_row_raw(const struct loom_row *row, u32 bytes, u32 n, void *buffer);

/**
 * loom_row_write() - write elements as they are
 * @row: where to
 * @bytes: of an element
 * @n: number of elements
 * @from: the elements, side by side, not in the row
 */
void loom_row_write(const struct loom_row *row, u32 bytes, u32 n, const void *from);

/**
 * loom_axis_raw() - elements in steps along an axis, side by side
 * @view: the view
 * @memory: where it lies
 * @base: first byte, less what @axis adds to it
 * @axis: the axis
 * @at: index of the first element
 * @step: from index to index
 * @n: number of elements, at most LOOM_TILE
 * @buffer: where to gather them if they are apart
 *
 * Return: the elements, in place or in @buffer.
 */
const void *loom_axis_raw(const struct loom_view *view, const struct loom_memory *memory, u8 *base,
			  u32 axis, u32 at, u32 step, u32 n, void *buffer);

/* Elements of a class, from any type of that class. At most LOOM_TILE. */
const float *loom_row_f32(const struct loom_row *row, u32 dtype, u32 n, union loom_buf *tile);
const double *loom_row_f64(const struct loom_row *row, u32 dtype, u32 n, union loom_buf *tile);
const u64 *loom_row_u64(const struct loom_row *row, u32 dtype, u32 n, union loom_buf *tile);

/* Write results. NaN become the canonical one, integers are cut to the type. */
void loom_row_put_f32(const struct loom_row *row, u32 dtype, u32 n, const float *from);
void loom_row_put_f64(const struct loom_row *row, u32 n, const double *from);
void loom_row_put_u64(const struct loom_row *row, u32 dtype, u32 n, const u64 *from);

u16 loom_half_of_f32(float f);
u16 loom_half_of_f64(double d);
float loom_half_to_f32(u16 h);

#define LOOM_NEST_VIEWS	4

/**
 * struct loom_nest - the loop of an elementwise command
 * @memory: where it all lies
 * @rank: axes left after merging
 * @count: number of views
 * @dims: elements per axis
 * @view: per view: its first element, bytes per axis (0 where it is broadcast), the axis
 *	that runs over lanes (DRM_LOOM_MAX_RANK: none), where that starts, and bytes from a lane to
 *	the next
 * @index: where it is
 * @left: elements still to do
 * @n: elements of the current tile
 */
struct loom_nest {
	const struct loom_memory *memory;
	u32 rank;
	u32 count;
	u32 dims[DRM_LOOM_MAX_RANK];
	struct {
		u8 *origin;
		s64 strides[DRM_LOOM_MAX_RANK];
		u32 lane_axis;
		u32 lane_start;
		u64 lane_pitch;
	} view[LOOM_NEST_VIEWS];
	u32 index[DRM_LOOM_MAX_RANK];
	u64 left;
	u32 n;
};

/**
 * loom_nest_begin() - begin the loop over some units of a command
 * @nest: out
 * @command: the command; its first view has the dims, the others those or 1
 * @memory: where it lies
 * @first: first unit
 * @count: number of units
 */
void loom_nest_begin(struct loom_nest *nest, const struct loom_command *command,
		     const struct loom_memory *memory, u64 first, u64 count);

/**
 * loom_nest_next() - the next tile
 * @nest: the loop; @n is set
 * @limit: most elements wanted
 * @rows: out: where the tile is, per view
 *
 * Return: false when there is none left.
 */
bool loom_nest_next(struct loom_nest *nest, u64 limit, struct loom_row *rows);

#endif /* LOOM_FP_TILE_H */
