/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_ROW_H
#define LOOM_FP_ROW_H

#include "fp.h"
#include "fp_vec.h"
#include "loom_tile.h"

/**
 * DOC: Rows
 *
 * The arithmetic files (fp_*.c) work on tiles: up to LOOM_TILE elements along one axis, in local
 * memory or, when they are side by side, in place. A row is where the elements along one axis of a
 * view are: a start and a step, or a walk over the banks where the axis is the view's lane axis.
 *
 * Types fall into three classes, in which all arithmetic is done: f32 (F32 and F16), f64 (F64),
 * and u64 (everything else: two's complement, sign or zero extended, so that a result that is
 * cut to the type's size wraps as the contract says).
 *
 * A NaN that arithmetic made is written as the one canonical quiet NaN: which of two NaN operands
 * an instruction passes on depends on their order, which the compiler chooses. Without
 * this, results would not be identical to the bit.
 */

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

/*
 * The same for inner loops, which add the stride themselves and have no register to spare for the
 * banks: how many of @most elements come before the row goes back to its first bank, and the step
 * to the element behind @n, which is no more than that.
 */
static __always_inline u32 loom_row_run(const struct loom_row *row, u32 most)
{
	return row->lanes ? min(most, row->lanes - row->lane) : most;
}

static __always_inline void loom_row_skip(struct loom_row *row, u32 n)
{
	row->at += n * row->stride;
	if (row->lanes) {
		row->lane += n;
		if (row->lane == row->lanes) {
			row->lane = 0;
			row->at += row->wrap;
		}
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
 * loom_run_bases() - where a run of a command begins in each operand
 * @command: a command whose units are runs: operands differ on @axis at most
 * @memory: where its operands lie
 * @axis: the axis that the runs go along
 * @run: number of the run, by its other indices in row-major order
 * @bases: out: by operand: first byte of the run, less what @axis adds to it
 */
void loom_run_bases(const struct loom_command *command, const struct loom_memory *memory, u32 axis,
		    u64 run, u8 **bases);

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
/* Replace NaN by the canonical one, in place, like loom_row_put_f32(). */
void loom_canonical_f32(float *v, u32 n);
void loom_row_put_f64(const struct loom_row *row, u32 n, const double *from);
void loom_row_put_u64(const struct loom_row *row, u32 dtype, u32 n, const u64 *from);

u16 loom_half_of_f32(float f);
u16 loom_half_of_f64(double d);
float loom_half_to_f32(u16 h);

#endif /* LOOM_FP_ROW_H */
