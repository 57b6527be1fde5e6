/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_REFUSALS_AXIS_H
#define LOOM_TESTS_REFUSALS_AXIS_H

/* REDUCE, SOFTMAX, TOPK and GATHER: along axes. */
#include "refusal.h"

/* --- REDUCE: kind; y has x's dims, or one where it is reduced */
#define REDUCE_FORM(_type, _kind) {						\
	.operands = 2, .units = 2, .cost = 24, .words = { _kind },		\
	.operand = { IN(_type, 2, 1, 3), IN(_type, 2, 8, 3) } }

static const struct refusal_form refusal_forms_reduce[] = {
	REDUCE_FORM(F32, DRM_LOOM_REDUCE_SUM), REDUCE_FORM(U64, DRM_LOOM_REDUCE_L2),
};

#define REDUCE_ROWS(_form, _own)						\
	OK(_form, T(0, _own)), BAD(_form, DTYPE, 1, T(0, NUMBERS & ~(_own))),	\
	BAD(_form, DTYPE, 0, T(0, BIT_OF(BOOL))),				\
	OK(_form, T(1, _own)), BAD(_form, DTYPE, 1, T(1, BUT(_own))),		\
	OK(_form, T_ALL(NUMBERS)), BAD(_form, DTYPE, 0, T_ALL(BIT_OF(BOOL))),	\
	BAD(_form, SHAPE, 1, R(0)), BAD(_form, SHAPE, 1, R(1)),			\
	BAD(_form, SHAPE, 0, D(0, 0, 3)), BAD(_form, SHAPE, 0, D(0, 1, 2)),	\
	BAD(_form, SHAPE, 0, D(0, 2, 2)), COSTS(_form, 48, D(0, 0, 1)),		\
	COSTS(_form, 24, D(0, 2, 1)), COSTS(_form, 48, D(0, 0, 1), D(0, 2, 1)),	\
	BAD(_form, SHAPE, 0, D(1, 0, 1)), COSTS(_form, 3, D(1, 1, 1)),		\
	BAD(_form, SHAPE, 0, D(1, 2, 1)),					\
	UP_TO(_form, 0, 7), ZERO(_form, 1),					\
	COSTS(_form, 4194303, W(1, 1, 1398101)), NO(_form, COST, W(1, 1, 1398102)),	\
	NO(_form, COST, D(0, 2, 1), W(1, 1, ~0U), W(1, 2, ~0U)),		\
	NO(_form, COST, D(0, 0, 1), D(0, 2, 1), D(1, 0, 5), W(1, 1, ~0U), W(1, 2, ~0U)),	\
	BAD(_form, DISTINCT, 0, W(0, 2, 3)), BAD(_form, DISTINCT, 0, W(0, 2, 3), W(1, 1, 1398102))

static const struct refusal_row refusal_rows_reduce[] = {
	REDUCE_ROWS(0, BIT_OF(F32)), REDUCE_ROWS(1, BIT_OF(U64)),
};

/* --- SOFTMAX: axis, flags; a unit is a run along the axis */
static const struct refusal_form refusal_forms_softmax[] = {
	{ .operands = 2, .units = 24, .cost = 20, .words = { 1 },
	  .operand = { IN(F32, 4, 5, 6), IN(F32, 4, 5, 6) } },
	{ .operands = 2, .lane_axis = 2, .units = 30, .cost = 16, .words = { 0, 1 },
	  .operand = { IN(F16, 4, 5, 6), IN(F16, 4, 5, 6) } },
};

#define SOFTMAX_ROWS(_form, _own)						\
	OK(_form, T(0, _own)), BAD(_form, DTYPE, 1, T(0, FLOATS & ~(_own))),	\
	BAD(_form, DTYPE, 0, T(0, BUT(FLOATS))),				\
	OK(_form, T(1, _own)), BAD(_form, DTYPE, 1, T(1, BUT(_own))),		\
	OK(_form, T_ALL(FLOATS)), BAD(_form, DTYPE, 0, T_ALL(BUT(FLOATS))),	\
	BAD(_form, SHAPE, 1, R(0)), BAD(_form, SHAPE, 1, R(1)),			\
	BAD(_form, SHAPE, 1, D(0, 0, 1)), BAD(_form, SHAPE, 1, D(0, 1, 1)),	\
	BAD(_form, SHAPE, 1, D(0, 2, 7)), BAD(_form, SHAPE, 1, D(1, 0, 1)),	\
	BAD(_form, SHAPE, 1, D(1, 1, 6)), BAD(_form, SHAPE, 1, D(1, 2, 1)),	\
	COSTS(_form, 16, A(0, 0)), COSTS(_form, 20, A(0, 1)), COSTS(_form, 24, A(0, 2)),	\
	ATTR(_form, A_TO(0, 3, 7)), ATTR(_form, A(0, 0x80000000)), ATTR(_form, A(0, ~0U)),	\
	UP_TO(_form, 1, 1),							\
	COSTS(_form, 1U << 22, A(0, 1), D(0, 1, 1U << 20), D(1, 1, 1U << 20)),	\
	NO(_form, COST, A(0, 1), D(0, 1, (1U << 20) + 1), D(1, 1, (1U << 20) + 1)),	\
	BAD(_form, DISTINCT, 0, W(0, 1, 5))

static const struct refusal_row refusal_rows_softmax[] = {
	SOFTMAX_ROWS(0, BIT_OF(F32)), SOFTMAX_ROWS(1, BIT_OF(F16)),
};

/* --- TOPK: axis, flags, count, reserved; positions, or elements of the same places */
static const struct refusal_form refusal_forms_topk[] = {
	{ .operands = 2, .optional = true, .units = 24, .cost = 24, .words = { 1, 0, 4 },
	  .operand = { IN(I32, 4, 4, 6), IN(F32, 4, 4, 6) } },
	{ .operands = 3, .optional = true, .lane_axis = 2, .units = 30, .cost = 24,
	  .words = { 0, 1, 4 },
	  .operand = { IN(U8, 4, 5, 6), IN(F16, 4, 5, 6), IN(U8, 4, 5, 6) } },
};

#define TOPK_ROWS(_form, _axis, _count)						\
	OK(_form, T(1, NUMBERS)), BAD(_form, DTYPE, 1, T(1, BIT_OF(BOOL))),	\
	BAD(_form, SHAPE, 1, R(0)), BAD(_form, SHAPE, 1, R(1)),			\
	BAD(_form, SHAPE, 0, D(0, _axis, (_count) + 1)),			\
	BAD(_form, SHAPE, 1, D(0, 1 - (_axis), 7)), BAD(_form, SHAPE, 1, D(0, 2, 7)),	\
	BAD(_form, SHAPE, 1, D(1, _axis, (_count) - 1)),			\
	BAD(_form, SHAPE, 1, D(1, 1 - (_axis), 1)), BAD(_form, SHAPE, 1, D(1, 2, 1)),	\
	ATTR(_form, A_TO(0, 3, 7)), ATTR(_form, A(0, 0x80000000)), ATTR(_form, A(0, ~0U)),	\
	UP_TO(_form, 1, 1), ZERO(_form, 3), ATTR(_form, A(2, 0)),		\
	BAD(_form, SHAPE, 0, A(2, (_count) - 1)), BAD(_form, SHAPE, 1, A(2, ~0U)),	\
	BAD(_form, SHAPE, 0, A(0, 2)), BAD(_form, DISTINCT, 0, W(0, _axis, _count))

static const struct refusal_row refusal_rows_topk[] = {
	TOPK_ROWS(0, 1, 4),
	OK(0, T(0, BIT_OF(I32))), BAD(0, DTYPE, 0, T(0, BUT(BIT_OF(I32)))),
	COSTS(0, 8, A(2, 1), D(0, 1, 1)), COSTS(0, 16, A(2, 2), D(0, 1, 2)),
	BAD(0, SHAPE, 1, A(2, 5), D(0, 1, 5)),
	COSTS(0, 4194300, W(1, 1, 699050)), NO(0, COST, W(1, 1, 699051)),
	TOPK_ROWS(1, 0, 4),
	OK(1, T(0, BIT_OF(U8))), BAD(1, DTYPE, 2, T(0, BUT(BIT_OF(U8)))),
	OK(1, T(2, BIT_OF(U8))), BAD(1, DTYPE, 2, T(2, BUT(BIT_OF(U8)))),
	OK(1, T(0, BIT_OF(BOOL)), T(2, BIT_OF(BOOL))),
	BAD(1, SHAPE, 2, R(2)), BAD(1, SHAPE, 2, D(2, 0, 5)), BAD(1, SHAPE, 2, D(2, 1, 1)),
	BAD(1, SHAPE, 2, D(2, 2, 1)),
	/* an element has room for a position */
	OK(1, D(1, 0, 256), D(2, 0, 256)), BAD(1, SHAPE, 0, D(1, 0, 257), D(2, 0, 257)),
	OK(1, T(0, BIT_OF(F16)), T(2, BIT_OF(F16)), W(1, 0, 65536), W(2, 0, 65536)),
	BAD(1, SHAPE, 0, T(0, BIT_OF(I16)), T(2, BIT_OF(I16)), W(1, 0, 65537), W(2, 0, 65537)),
	OK(1, T(0, BIT_OF(F32)), T(2, BIT_OF(F32)), W(1, 0, 65537), W(2, 0, 65537)),
};

/* --- GATHER: axis, reserved; x is anywhere and has its own dim on the axis, index y's dims or 1 */
static const struct refusal_form refusal_forms_gather[] = {
	{ .operands = 3, .anywhere = 1, .units = 12, .cost = 48, .words = { 1 },
	  .operand = { IN(F16, 4, 3, 6), AT(IN_DRAM, F16, 4, 5, 6), IN(I32, 1, 3, 1) } },
	{ .operands = 3, .anywhere = 1, .lane_axis = 2, .units = 15, .cost = 48, .words = { 0 },
	  .operand = { IN(I32, 3, 5, 6), IN(I32, 4, 5, 6), IN(I64, 3, 5, 6) } },
};

#define GATHER_ROWS(_form, _own, _axis)						\
	OK(_form, T(0, _own)), BAD(_form, DTYPE, 1, T(0, BUT(_own))),		\
	OK(_form, T(1, _own)), BAD(_form, DTYPE, 1, T(1, BUT(_own))),		\
	OK(_form, T(2, BIT_OF(I32) | BIT_OF(I64))),				\
	BAD(_form, DTYPE, 2, T(2, BUT(BIT_OF(I32) | BIT_OF(I64)))),		\
	OK(_form, T_ALL(BIT_OF(I32) | BIT_OF(I64))),				\
	OK(_form, T(0, EVERY & BIT_OF(BOOL)), T(1, BIT_OF(BOOL))),		\
	BAD(_form, SHAPE, 1, R(0)), BAD(_form, SHAPE, 1, R(1)), BAD(_form, SHAPE, 2, R(2)),	\
	BAD(_form, SHAPE, 1, D(0, 1 - (_axis), 7)), BAD(_form, SHAPE, 1, D(0, 2, 7)),	\
	BAD(_form, SHAPE, 2, D(0, _axis, 4)),					\
	BAD(_form, SHAPE, 1, D(1, 1 - (_axis), 1)), BAD(_form, SHAPE, 1, D(1, 2, 1)),	\
	OK(_form, D(1, _axis, 1)), OK(_form, D(1, _axis, 3)), OK(_form, W(1, _axis, ~0U)),	\
	OK(_form, D(2, 0, 1)), OK(_form, D(2, 1, 1)), OK(_form, D(2, 2, 1)),	\
	BAD(_form, SHAPE, 2, D(2, 0, 2)), BAD(_form, SHAPE, 2, D(2, 1, 2)),	\
	BAD(_form, SHAPE, 2, D(2, 2, 2)), OK(_form, D(2, 2, 6)),		\
	BAD(_form, SHAPE, 1, A(0, 1 - (_axis))), BAD(_form, SHAPE, 1, A(0, 2)),	\
	ATTR(_form, A_TO(0, 3, 7)), ATTR(_form, A(0, 0x80000000)), ATTR(_form, A(0, ~0U)),	\
	ZERO(_form, 1), COSTS(_form, 512, D(0, 2, 65), D(1, 2, 65), D(2, 2, 1)),	\
	BAD(_form, DISTINCT, 0, W(0, _axis, 3))

static const struct refusal_row refusal_rows_gather[] = {
	GATHER_ROWS(0, BIT_OF(F16), 1), GATHER_ROWS(1, BIT_OF(I32), 0),
};

#endif /* LOOM_TESTS_REFUSALS_AXIS_H */
