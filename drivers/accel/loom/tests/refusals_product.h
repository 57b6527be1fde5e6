/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_REFUSALS_PRODUCT_H
#define LOOM_TESTS_REFUSALS_PRODUCT_H

/* CONV, DECONV, MATMUL, MATMUL_ADD: sums of products. */
#include "refusal.h"

/* Types of a and b where both are of one floating point type, that of y unless in _wide. */
#define FACTOR_TYPES(_form, _same, _wide)					\
	OK(_form, T(1, _same)), BAD(_form, DTYPE, 0, T(1, FLOATS & ~((_same) | (_wide)))),	\
	BAD(_form, DTYPE, 2, T(1, BYTES)), BAD(_form, DTYPE, 1, T(1, BUT(FLOATS | BYTES))),	\
	OK(_form, T(2, _same)), BAD(_form, DTYPE, 2, T(2, BUT(_same)))
/* Types of y, a, b where all are of one floating point type, _same of _others. */
#define FLOAT_TYPES(_form, _same)						\
	OK(_form, T(0, _same)), BAD(_form, DTYPE, 0, T(0, BUT(_same))),		\
	FACTOR_TYPES(_form, _same, 0)
/* Types of bytes, except those that do not match the zero points of the form. */
#define BYTE_TYPES(_form, _a, _b)						\
	OK(_form, T(1, _a)), ATTR(_form, T(1, BYTES & ~(_a))),			\
	BAD(_form, DTYPE, 0, T(1, FLOATS)), BAD(_form, DTYPE, 1, T(1, BUT(FLOATS | BYTES))),	\
	OK(_form, T(2, _b)), ATTR(_form, T(2, BYTES & ~(_b))),			\
	BAD(_form, DTYPE, 2, T(2, BUT(BYTES)))
#define ONE_TYPE(_form, _operand, _type)					\
	OK(_form, T(_operand, BIT_OF(_type))),					\
	BAD(_form, DTYPE, _operand, T(_operand, BUT(BIT_OF(_type))))
#define ACTS(_form, _word)	UP_TO(_form, _word, 7)
#define NO_ACT(_form, _word)	ATTR(_form, A_TO(_word, 1, 9)), ATTR(_form, A(_word, ~0U))

/* --- CONV and DECONV: strides, dilations and pads, groups, flags, act and its numbers, zeros */
#define CONV_ATTR(_groups, _flags, _act, _x_zero, _w_zero, _y_zero) {		\
	1, 1, 1, 1, 1, 1, 0, 1, 1, _groups, _flags, _act, 0, 0,			\
	(u32)(_x_zero), (u32)(_w_zero), (u32)(_y_zero) }
#define MOST		DRM_LOOM_MAX_SPATIAL

#define CONV_RANKS(_form)							\
	BAD(_form, SHAPE, 0, R(0)), BAD(_form, SHAPE, 1, R(1)), BAD(_form, SHAPE, 2, R(2))
#define CONV_WORDS(_form)							\
	BETWEEN_3(_form, 0, 1, MOST), BETWEEN_3(_form, 3, 1, MOST),		\
	ATTR(_form, A(0, 0x80000000)), ATTR(_form, A(4, 0x80000000)),		\
	ATTR(_form, A(6, 0x80000000)), ATTR(_form, A(8, 0x7fffffff)),		\
	ATTR(_form, A(9, 0)), ATTR(_form, A(10, 4)), ATTR(_form, A(10, 0x80000001)),	\
	ANYTHING(_form, 12), ANYTHING(_form, 13), ZERO(_form, 17)
/* y[2,6,3,4,5], x[2,4,3,4,5], groups of two channels of x and three of y */
#define CONV_SHAPES(_form)							\
	BAD(_form, SHAPE, 1, D(0, 0, 1)), BAD(_form, SHAPE, 1, D(0, 0, 4)),	\
	BAD(_form, SHAPE, 0, D(0, 1, 7)), BAD(_form, SHAPE, 2, D(0, 1, 8)),	\
	OK(_form, D(0, 2, 9)), OK(_form, D(0, 3, 1)), OK(_form, D(0, 4, 11)),	\
	BAD(_form, SHAPE, 1, D(1, 0, 1)), BAD(_form, SHAPE, 1, D(1, 0, 4)),	\
	BAD(_form, SHAPE, 1, D(1, 1, 5)), BAD(_form, SHAPE, 2, D(1, 1, 6)),	\
	OK(_form, D(1, 2, 1)), OK(_form, D(1, 3, 9)), OK(_form, D(1, 4, 1)),	\
	BAD(_form, SHAPE, 2, D(2, 0, 1)), BAD(_form, SHAPE, 2, D(2, 0, 12)),	\
	BAD(_form, SHAPE, 2, D(2, 1, 1)), BAD(_form, SHAPE, 2, D(2, 1, 4)),	\
	OK(_form, D(2, 2, 2)), OK(_form, D(2, 3, 1)), OK(_form, D(2, 4, 4)),	\
	BAD(_form, SHAPE, 2, A(9, 1)), BAD(_form, SHAPE, 1, A(9, 3)),		\
	BAD(_form, SHAPE, 0, A(9, 4)), BAD(_form, SHAPE, 1, A(9, ~0U))
#define CONV_VECTOR(_form, _operand)						\
	BAD(_form, SHAPE, _operand, R(_operand)),				\
	BAD(_form, SHAPE, _operand, D(_operand, 0, 1)),				\
	BAD(_form, SHAPE, _operand, D(_operand, 0, 5)),				\
	BAD(_form, SHAPE, _operand, D(_operand, 0, 7))

#define CONV_Y(_type)	IN(_type, 2, 6, 3, 4, 5)
#define CONV_X(_type)	IN(_type, 2, 4, 3, 4, 5)
#define CONV_W(_type)	IN(_type, 6, 2, 1, 3, 3)
/* one tile in a row; 18 taps of two channels for each of five outputs; 18 for each of 720 */
#define CONV_WORK	.images = 2, .lane_axis = 1, .units = 144, .cost = 90, .macs = 12960

static const struct refusal_form refusal_forms_conv[] = {
	{ .operands = 4, CONV_WORK,
	  .operand = { CONV_Y(F32), CONV_X(F32), CONV_W(F32), IN(F32, 6) },
	  .words = CONV_ATTR(2, DRM_LOOM_ATTR_BIAS, DRM_LOOM_ACT_RELU, 0, 0, 0) },
	{ .operands = 3, CONV_WORK, .operand = { CONV_Y(F16), CONV_X(F16), CONV_W(F16) },
	  .words = CONV_ATTR(2, 0, 0, 0, 0, 0) },
	{ .operands = 4, CONV_WORK,
	  .operand = { CONV_Y(F64), CONV_X(F64), CONV_W(F64), IN(F32, 6) },
	  .words = CONV_ATTR(2, DRM_LOOM_ATTR_BIAS, DRM_LOOM_ACT_TANH, 0, 0, 0) },
	{ .operands = 4, CONV_WORK,
	  .operand = { CONV_Y(I32), CONV_X(U8), CONV_W(I8), IN(I32, 6) },
	  .words = CONV_ATTR(2, DRM_LOOM_ATTR_BIAS, 0, 255, -128, 0) },
	{ .operands = 5, CONV_WORK,
	  .operand = { CONV_Y(U8), CONV_X(I8), CONV_W(U8), IN(I32, 6), IN(F32, 6) },
	  .words = CONV_ATTR(2, DRM_LOOM_ATTR_BIAS | DRM_LOOM_ATTR_SCALE, 0, -128, 255, 255) },
	{ .operands = 4, CONV_WORK,
	  .operand = { CONV_Y(I8), CONV_X(U8), CONV_W(U8), IN(F32, 6) },
	  .words = CONV_ATTR(2, DRM_LOOM_ATTR_SCALE, 0, 255, 255, -128) },
};

#define CONV_PADS(_form)	BETWEEN_3(_form, 6, 0, MOST)
#define CONV_ROWS(_form)							\
	CONV_RANKS(_form), CONV_WORDS(_form), CONV_SHAPES(_form), CONV_PADS(_form)

static const struct refusal_row refusal_rows_conv[] = {
	CONV_ROWS(0), CONV_VECTOR(0, 3), FLOAT_TYPES(0, BIT_OF(F32)), ONE_TYPE(0, 3, F32),
	CONV_ROWS(1), FLOAT_TYPES(1, BIT_OF(F16)),
	CONV_ROWS(2), CONV_VECTOR(2, 3), FLOAT_TYPES(2, BIT_OF(F64)), ONE_TYPE(2, 3, F32),
	CONV_ROWS(3), CONV_VECTOR(3, 3), BYTE_TYPES(3, BIT_OF(U8), BIT_OF(I8)),
	ONE_TYPE(3, 0, I32), ONE_TYPE(3, 3, I32),
	CONV_ROWS(4), CONV_VECTOR(4, 3), CONV_VECTOR(4, 4), BYTE_TYPES(4, BIT_OF(I8), BIT_OF(U8)),
	OK(4, T(0, BIT_OF(U8))), ATTR(4, T(0, BIT_OF(I8))), BAD(4, DTYPE, 0, T(0, BUT(BYTES))),
	ONE_TYPE(4, 3, I32), ONE_TYPE(4, 4, F32),
	CONV_ROWS(5), CONV_VECTOR(5, 3), BYTE_TYPES(5, BIT_OF(U8), BIT_OF(U8)),
	OK(5, T(0, BIT_OF(I8))), ATTR(5, T(0, BIT_OF(U8))), BAD(5, DTYPE, 0, T(0, BUT(BYTES))),
	ONE_TYPE(5, 3, F32),
	ACTS(0, 11), ACTS(1, 11), ACTS(2, 11), NO_ACT(3, 11), NO_ACT(4, 11), NO_ACT(5, 11),
	/* operands that the flags do not say, and a scale where nothing is quantised */
	NO(0, OPERANDS, A(10, 0)), BAD(0, DTYPE, 0, A(10, 2)), NO(0, OPERANDS, A(10, 3)),
	NO(1, OPERANDS, A_TO(10, 1, 3)), BAD(3, DTYPE, 0, A(10, 2)),
	NO(4, OPERANDS, A_TO(10, 0, 2)), BAD(5, DTYPE, 0, A(10, 1)),
	/* zero points */
	ZERO(0, 14), ZERO(0, 15), ZERO(0, 16), ZERO(1, 14), ZERO(1, 15), ZERO(1, 16),
	ZERO(2, 14), ZERO(2, 15), ZERO(2, 16), ZERO(3, 16),
	BETWEEN(3, 14, 0, 255), BETWEEN(3, 15, -128, 127),
	BETWEEN(4, 14, -128, 127), BETWEEN(4, 15, 0, 255), BETWEEN(4, 16, 0, 255),
	BETWEEN(5, 16, -128, 127),
	/* 6 taps and 5 outputs, times that; the last one is one operation too many */
	COSTS(1, 4194300, W(2, 4, 139810)), NO(1, COST, W(2, 4, 139811)),
	COSTS(1, 1U << 22, D(0, 4, 8), W(2, 3, 4), W(2, 4, 1U << 16)),
	NO(1, COST, D(0, 4, 9), W(2, 3, 4), W(2, 4, 1U << 16)),
	NO(1, COST, W(2, 2, ~0U)), NO(1, COST, W(2, 2, ~0U), W(2, 3, ~0U)),
	NO(1, COST, W(2, 2, ~0U), W(2, 3, ~0U), W(2, 4, ~0U)),
	BAD(1, DISTINCT, 0, W(0, 2, 2)), BAD(1, DISTINCT, 0, W(0, 2, 2), W(2, 4, 139811)),
	/* more products than 64 bits count */
	NO(5, COST, D(0, 2, 1U << 30), D(0, 3, 1U << 27)),
};

/* --- DECONV: w[C,O/groups,..], floating point */
#define DECONV_W(_type)	IN(_type, 4, 3, 1, 3, 3)
#define DECONV_WORK	.lane_axis = 1, .units = 144, .cost = 90, .macs = 12960

static const struct refusal_form refusal_forms_deconv[] = {
	{ .operands = 4, DECONV_WORK,
	  .operand = { CONV_Y(F32), CONV_X(F32), DECONV_W(F32), IN(F32, 6) },
	  .words = CONV_ATTR(2, DRM_LOOM_ATTR_BIAS, DRM_LOOM_ACT_CLIP, 0, 0, 0) },
	{ .operands = 3, DECONV_WORK, .operand = { CONV_Y(F16), CONV_X(F16), DECONV_W(F16) },
	  .words = CONV_ATTR(2, 0, 0, 0, 0, 0) },
};

#define DECONV_TYPES(_form, _same)						\
	OK(_form, T(0, _same)), BAD(_form, DTYPE, 0, T(0, BUT(_same))),		\
	OK(_form, T(1, _same)), BAD(_form, DTYPE, 0, T(1, FLOATS & ~(_same))),	\
	BAD(_form, DTYPE, 1, T(1, BUT(FLOATS))),				\
	OK(_form, T(2, _same)), BAD(_form, DTYPE, 2, T(2, BUT(_same))),		\
	BAD(_form, DTYPE, 1, T_ALL(BUT(FLOATS)))
#define DECONV_ROWS(_form)							\
	CONV_RANKS(_form), CONV_WORDS(_form), CONV_SHAPES(_form),		\
	BETWEEN_3(_form, 6, -MOST, MOST), ACTS(_form, 11), ATTR(_form, A_TO(10, 2, 3)),	\
	ZERO(_form, 14), ZERO(_form, 15), ZERO(_form, 16)

static const struct refusal_row refusal_rows_deconv[] = {
	DECONV_ROWS(0), CONV_VECTOR(0, 3), DECONV_TYPES(0, BIT_OF(F32)), ONE_TYPE(0, 3, F32),
	DECONV_ROWS(1), DECONV_TYPES(1, BIT_OF(F16)),
	NO(0, OPERANDS, A(10, 0)), NO(1, OPERANDS, A(10, 1)),
	COSTS(1, 4194300, W(2, 4, 139810)), NO(1, COST, W(2, 4, 139811)),
	NO(1, COST, W(2, 2, ~0U), W(2, 3, ~0U), W(2, 4, ~0U)),
	/* more products than 64 bits count: they are by elements of x */
	NO(1, COST, W(1, 2, ~0U), W(1, 3, 1U << 30)),
	BAD(1, DISTINCT, 0, W(0, 2, 2)),
};

/* --- MATMUL: flags, act and its numbers, alpha, beta, zeros */
#define ONE		0x3f800000
#define TWO		0x40000000
#define MATMUL_Y(_type)	IN(_type, 2, 3, 4, 5)
#define MATMUL_A(_type)	IN(_type, 2, 1, 4, 6)
#define MATMUL_B(_type)	IN(_type, 1, 3, 6, 5)
#define MATMUL_WORK	.lane_axis = 1, .units = 24, .cost = 30, .macs = 720

static const struct refusal_form refusal_forms_matmul[] = {
	{ .operands = 4, MATMUL_WORK,
	  .operand = { MATMUL_Y(F32), MATMUL_A(F32), MATMUL_B(F32), IN(F32, 1, 3, 1, 5) },
	  .words = { DRM_LOOM_ATTR_BIAS, DRM_LOOM_ACT_RELU, 0, 0, TWO, TWO } },
	{ .operands = 3, MATMUL_WORK, .operand = { MATMUL_Y(F64), MATMUL_A(F64), MATMUL_B(F64) },
	  .words = { 0, 0, 0, 0, TWO, ONE } },
	{ .operands = 4, MATMUL_WORK,
	  .operand = { MATMUL_Y(I32), MATMUL_A(U8), MATMUL_B(I8), IN(I32, 1, 1, 4, 1) },
	  .words = { DRM_LOOM_ATTR_BIAS, 0, 0, 0, ONE, ONE, 255, -128, 0 } },
	{ .operands = 5, MATMUL_WORK,
	  .operand = { MATMUL_Y(U8), MATMUL_A(I8), MATMUL_B(U8), IN(I32, 1, 1, 1, 5),
		       IN(F32, 2, 3, 4, 5) },
	  .words = { 3, 0, 0, 0, ONE, ONE, -128, 255, 255 } },
	{ .operands = 4, MATMUL_WORK,
	  .operand = { MATMUL_Y(I8), MATMUL_A(U8), MATMUL_B(U8), IN(F32, 1, 1, 1, 1) },
	  .words = { DRM_LOOM_ATTR_SCALE, 0, 0, 0, ONE, ONE, 255, 255, -128 } },
	{ .operands = 3, MATMUL_WORK, .operand = { MATMUL_Y(F16), MATMUL_A(F16), MATMUL_B(F16) },
	  .words = { 0, DRM_LOOM_ACT_LEAKY, 0, 0, TWO, ONE } },
};

#define MATMUL_ROWS(_form)							\
	BAD(_form, SHAPE, 0, R(0)), BAD(_form, SHAPE, 1, R(1)), BAD(_form, SHAPE, 2, R(2)),	\
	BAD(_form, SHAPE, 1, D(0, 0, 3)), BAD(_form, SHAPE, 2, D(0, 1, 2)),	\
	BAD(_form, SHAPE, 1, D(0, 2, 1)), BAD(_form, SHAPE, 2, D(0, 3, 1)),	\
	OK(_form, D(1, 0, 1)), BAD(_form, SHAPE, 1, D(1, 0, 3)),		\
	OK(_form, D(1, 1, 3)), BAD(_form, SHAPE, 1, D(1, 1, 2)),		\
	BAD(_form, SHAPE, 1, D(1, 2, 1)), BAD(_form, SHAPE, 1, D(1, 2, 5)),	\
	BAD(_form, SHAPE, 2, D(1, 3, 1)), BAD(_form, SHAPE, 2, D(1, 3, 7)),	\
	OK(_form, D(2, 0, 2)), BAD(_form, SHAPE, 2, D(2, 0, 3)),		\
	OK(_form, D(2, 1, 1)), BAD(_form, SHAPE, 2, D(2, 1, 2)),		\
	BAD(_form, SHAPE, 2, D(2, 2, 1)), BAD(_form, SHAPE, 2, D(2, 2, 7)),	\
	BAD(_form, SHAPE, 2, D(2, 3, 1)), BAD(_form, SHAPE, 2, D(2, 3, 6)),	\
	ATTR(_form, A(0, 4)), ATTR(_form, A(0, 0x80000001)),			\
	ANYTHING(_form, 2), ANYTHING(_form, 3), ZERO(_form, 9)
#define MATMUL_ADDED(_form, _operand)						\
	BAD(_form, SHAPE, _operand, R(_operand)),				\
	OK(_form, D(_operand, 0, 2)), BAD(_form, SHAPE, _operand, D(_operand, 0, 3)),	\
	OK(_form, D(_operand, 1, 3)), BAD(_form, SHAPE, _operand, D(_operand, 1, 2)),	\
	OK(_form, D(_operand, 2, 4)), BAD(_form, SHAPE, _operand, D(_operand, 2, 5)),	\
	OK(_form, D(_operand, 3, 1)), BAD(_form, SHAPE, _operand, D(_operand, 3, 4))
/* y of F32 takes factors of F16 as well: then b is of the wrong type */
#define MATMUL_F32(_form)							\
	OK(_form, T(0, BIT_OF(F32))), BAD(_form, DTYPE, 0, T(0, BUT(BIT_OF(F32)))),	\
	BAD(_form, DTYPE, 2, T(1, BIT_OF(F16))),				\
	FACTOR_TYPES(_form, BIT_OF(F32), BIT_OF(F16))
#define MATMUL_F16(_form)							\
	OK(_form, T(0, BIT_OF(F16) | BIT_OF(F32))),				\
	BAD(_form, DTYPE, 0, T(0, BUT(BIT_OF(F16) | BIT_OF(F32)))),		\
	FACTOR_TYPES(_form, BIT_OF(F16), 0)
#define MATMUL_ZEROS(_form)	ZERO(_form, 6), ZERO(_form, 7), ZERO(_form, 8)

static const struct refusal_row refusal_rows_matmul[] = {
	MATMUL_ROWS(0), MATMUL_ADDED(0, 3), MATMUL_F32(0), ONE_TYPE(0, 3, F32),
	MATMUL_ROWS(1), FLOAT_TYPES(1, BIT_OF(F64)),
	MATMUL_ROWS(2), MATMUL_ADDED(2, 3), BYTE_TYPES(2, BIT_OF(U8), BIT_OF(I8)),
	ONE_TYPE(2, 0, I32), ONE_TYPE(2, 3, I32),
	MATMUL_ROWS(3), MATMUL_ADDED(3, 3), MATMUL_ADDED(3, 4),
	BYTE_TYPES(3, BIT_OF(I8), BIT_OF(U8)), OK(3, T(0, BIT_OF(U8))), ATTR(3, T(0, BIT_OF(I8))),
	BAD(3, DTYPE, 0, T(0, BUT(BYTES))), ONE_TYPE(3, 3, I32), ONE_TYPE(3, 4, F32),
	MATMUL_ROWS(4), MATMUL_ADDED(4, 3), BYTE_TYPES(4, BIT_OF(U8), BIT_OF(U8)),
	OK(4, T(0, BIT_OF(I8))), ATTR(4, T(0, BIT_OF(U8))), BAD(4, DTYPE, 0, T(0, BUT(BYTES))),
	ONE_TYPE(4, 3, F32),
	MATMUL_ROWS(5), MATMUL_F16(5),
	ACTS(0, 1), ACTS(1, 1), ACTS(5, 1), NO_ACT(2, 1), NO_ACT(3, 1), NO_ACT(4, 1),
	NO(0, OPERANDS, A(0, 0)), BAD(0, DTYPE, 0, A(0, 2), A(5, ONE)), NO(0, OPERANDS, A(0, 3)),
	NO(1, OPERANDS, A_TO(0, 1, 3)), BAD(2, DTYPE, 0, A(0, 2)), NO(3, OPERANDS, A_TO(0, 0, 2)),
	BAD(4, DTYPE, 0, A(0, 1)), ATTR(0, A(0, 2)),
	/* factors: any in floating point, of the bias where there is one; else one */
	ANYTHING(0, 4), ANYTHING(0, 5), ANYTHING(1, 4), ATTR(1, A(5, TWO)), ATTR(1, A(5, 0)),
	ANYTHING(5, 4), ATTR(5, A(5, 0)), ATTR(2, A(4, TWO)), ATTR(2, A(5, TWO)), ATTR(2, A(4, 0)),
	ATTR(3, A(4, TWO)), ATTR(3, A(5, TWO)), ATTR(4, A(4, TWO)), ATTR(4, A(5, TWO)),
	MATMUL_ZEROS(0), MATMUL_ZEROS(1), MATMUL_ZEROS(5), ZERO(2, 8),
	BETWEEN(2, 6, 0, 255), BETWEEN(2, 7, -128, 127),
	BETWEEN(3, 6, -128, 127), BETWEEN(3, 7, 0, 255), BETWEEN(3, 8, 0, 255),
	BETWEEN(4, 8, -128, 127),
	/* five outputs in a tile */
	COSTS(1, 4194300, W(1, 3, 838860), W(2, 2, 838860)),
	NO(1, COST, W(1, 3, 838861), W(2, 2, 838861)), NO(1, COST, W(1, 3, ~0U), W(2, 2, ~0U)),
	BAD(1, DISTINCT, 0, W(0, 0, 2)),
	BAD(1, DISTINCT, 0, W(0, 0, 2), W(1, 3, 838861), W(2, 2, 838861)),
	/* more products than 64 bits count */
	NO(4, COST, D(0, 2, 1U << 30), D(0, 3, 1U << 28), W(1, 2, 1U << 30), W(2, 3, 1U << 28),
	   W(1, 3, 12), W(2, 2, 12)),
};

/* --- MATMUL_ADD: sums of y's dims behind b */
static const struct refusal_form refusal_forms_matmul_add[] = {
	{ .operands = 5, MATMUL_WORK,
	  .operand = { MATMUL_Y(F32), MATMUL_A(F32), MATMUL_B(F32), MATMUL_Y(F32),
		       IN(F32, 1, 3, 1, 5) },
	  .words = { DRM_LOOM_ATTR_BIAS, DRM_LOOM_ACT_RELU, 0, 0, TWO, TWO } },
	{ .operands = 4, MATMUL_WORK,
	  .operand = { MATMUL_Y(F64), MATMUL_A(F64), MATMUL_B(F64), MATMUL_Y(F64) },
	  .words = { 0, 0, 0, 0, TWO, ONE } },
	{ .operands = 6, MATMUL_WORK,
	  .operand = { MATMUL_Y(U8), MATMUL_A(I8), MATMUL_B(U8), MATMUL_Y(I32), IN(I32, 1, 1, 1, 5),
		       IN(F32, 2, 3, 4, 5) },
	  .words = { 3, 0, 0, 0, ONE, ONE, -128, 255, 255 } },
	{ .operands = 4, MATMUL_WORK,
	  .operand = { MATMUL_Y(F16), MATMUL_A(F16), MATMUL_B(F16), MATMUL_Y(F32) },
	  .words = { 0, DRM_LOOM_ACT_LEAKY, 0, 0, TWO, ONE } },
};

#define MATMUL_SUMS(_form, _type)						\
	ONE_TYPE(_form, 3, _type), BAD(_form, SHAPE, 3, R(3)),			\
	BAD(_form, SHAPE, 3, D(3, 0, 1)), BAD(_form, SHAPE, 3, D(3, 0, 3)),	\
	BAD(_form, SHAPE, 3, D(3, 1, 1)), BAD(_form, SHAPE, 3, D(3, 1, 2)),	\
	BAD(_form, SHAPE, 3, D(3, 2, 1)), BAD(_form, SHAPE, 3, D(3, 2, 5)),	\
	BAD(_form, SHAPE, 3, D(3, 3, 1)), BAD(_form, SHAPE, 3, D(3, 3, 4))

static const struct refusal_row refusal_rows_matmul_add[] = {
	MATMUL_ROWS(0), MATMUL_SUMS(0, F32), MATMUL_ADDED(0, 4), MATMUL_F32(0), ONE_TYPE(0, 4, F32),
	MATMUL_ROWS(1), MATMUL_SUMS(1, F64), FLOAT_TYPES(1, BIT_OF(F64)),
	MATMUL_ROWS(2), MATMUL_SUMS(2, I32), MATMUL_ADDED(2, 4), MATMUL_ADDED(2, 5),
	BYTE_TYPES(2, BIT_OF(I8), BIT_OF(U8)), OK(2, T(0, BIT_OF(U8))), ATTR(2, T(0, BIT_OF(I8))),
	BAD(2, DTYPE, 0, T(0, BUT(BYTES))), ONE_TYPE(2, 4, I32), ONE_TYPE(2, 5, F32),
	MATMUL_ROWS(3), MATMUL_SUMS(3, F32), MATMUL_F16(3),
	ACTS(0, 1), ACTS(1, 1), ACTS(3, 1), NO_ACT(2, 1),
	NO(0, OPERANDS, A(0, 0)), BAD(0, DTYPE, 0, A(0, 2), A(5, ONE)), NO(0, OPERANDS, A(0, 3)),
	NO(1, OPERANDS, A_TO(0, 1, 3)), NO(2, OPERANDS, A_TO(0, 0, 2)), ATTR(0, A(0, 2)),
	NO(3, OPERANDS, A_TO(0, 1, 3)),
	ANYTHING(0, 4), ANYTHING(0, 5), ANYTHING(1, 4), ATTR(1, A(5, TWO)), ANYTHING(3, 4),
	ATTR(3, A(5, 0)), ATTR(2, A(4, TWO)), ATTR(2, A(5, TWO)),
	MATMUL_ZEROS(0), MATMUL_ZEROS(1), MATMUL_ZEROS(3),
	BETWEEN(2, 6, -128, 127), BETWEEN(2, 7, 0, 255), BETWEEN(2, 8, 0, 255),
	COSTS(1, 4194300, W(1, 3, 838860), W(2, 2, 838860)),
	NO(1, COST, W(1, 3, 838861), W(2, 2, 838861)),
	BAD(1, DISTINCT, 0, W(0, 0, 2)),
};

#endif /* LOOM_TESTS_REFUSALS_PRODUCT_H */
