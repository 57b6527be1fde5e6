/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_REFUSALS_ELEMENT_H
#define LOOM_TESTS_REFUSALS_ELEMENT_H

/* BINARY, UNARY, SELECT, CAST, QUANTIZE, DEQUANTIZE: element by element. */
#include "refusal.h"

/* y and an operand have the same dims: three axes, two elements, eight, three. */
#define SAME_SHAPE(_form, _operand)						\
	BAD(_form, SHAPE, _operand, R(_operand)),				\
	BAD(_form, SHAPE, _operand, D(_operand, 0, 1)),				\
	BAD(_form, SHAPE, _operand, D(_operand, 1, 1)),				\
	BAD(_form, SHAPE, _operand, D(_operand, 2, 1)),				\
	BAD(_form, SHAPE, _operand, D(_operand, 2, 4))
/* It has y's dims or one. */
#define BROADCASTS(_form, _operand)						\
	BAD(_form, SHAPE, _operand, R(_operand)),				\
	OK(_form, D(_operand, 0, 1)), OK(_form, D(_operand, 0, 2)),		\
	BAD(_form, SHAPE, _operand, D(_operand, 0, 3)),				\
	OK(_form, D(_operand, 1, 1)), OK(_form, D(_operand, 1, 8)),		\
	BAD(_form, SHAPE, _operand, D(_operand, 1, 7)),				\
	OK(_form, D(_operand, 2, 1)), OK(_form, D(_operand, 2, 3)),		\
	BAD(_form, SHAPE, _operand, D(_operand, 2, 2))
#define Y_SHAPE(_form, _0, _1, _2)						\
	BAD(_form, SHAPE, 1, R(0)), BAD(_form, SHAPE, _0, D(0, 0, 4)),		\
	BAD(_form, SHAPE, _1, D(0, 1, 9)), BAD(_form, SHAPE, _2, D(0, 2, 4)),	\
	BAD(_form, DISTINCT, 0, W(0, 0, 2))
#define Y(_type)	IN(_type, 2, 8, 3)

/* --- BINARY: kind, act and its numbers */
#define BINARY_FORM(_y, _ab, _kind, _act, _cost) {				\
	.operands = 3, .lane_axis = 1, .units = 16, .cost = (_cost),		\
	.operand = { Y(_y), IN(_ab, 2, 1, 3), IN(_ab, 1, 8, 3) },		\
	.words = { DRM_LOOM_BINARY_##_kind, _act } }

static const struct refusal_form refusal_forms_binary[] = {
	BINARY_FORM(F32, F32, ADD, DRM_LOOM_ACT_RELU, 30),
	BINARY_FORM(I32, I32, PRELU, 0, 6),
	BINARY_FORM(BOOL, I32, EQ, 0, 6),
	BINARY_FORM(BOOL, F32, LT, 0, 6),
	BINARY_FORM(BOOL, BOOL, AND, 0, 6),
	BINARY_FORM(I32, I32, MOD, 0, 6),
	BINARY_FORM(F16, F16, FMOD, 0, 96),
	BINARY_FORM(F64, F64, POW, 0, 48),
};

#define BINARY_ROWS(_form)							\
	Y_SHAPE(_form, 1, 2, 1), BROADCASTS(_form, 1), BROADCASTS(_form, 2),	\
	ATTR(_form, A(0, 18)), ATTR(_form, A(0, 0x80000000)), ATTR(_form, A(0, ~0U)),	\
	ATTR(_form, A(1, 8)), ATTR(_form, A(1, ~0U)), ANYTHING(_form, 2), ANYTHING(_form, 3)
/* All three of one type. */
#define BINARY_TYPES(_form, _own, _types)					\
	OK(_form, T(0, _own)), BAD(_form, DTYPE, 0, T(0, BUT(_own))),		\
	OK(_form, T(1, _own)), BAD(_form, DTYPE, 0, T(1, BUT(_own))),		\
	OK(_form, T(2, _own)), BAD(_form, DTYPE, 2, T(2, BUT(_own))),		\
	OK(_form, T_ALL(_types)), BAD(_form, DTYPE, 1, T_ALL(BUT(_types)))
/* y says whether it is so. */
#define COMPARE_TYPES(_form, _own, _types)					\
	OK(_form, T(0, BIT_OF(BOOL))), BAD(_form, DTYPE, 0, T(0, BUT(BIT_OF(BOOL)))),	\
	OK(_form, T(1, _own)), BAD(_form, DTYPE, 2, T(1, (_types) & ~(_own))),	\
	BAD(_form, DTYPE, 1, T(1, BUT(_types))),				\
	OK(_form, T(2, _own)), BAD(_form, DTYPE, 2, T(2, BUT(_own)))
#define BINARY_NO_ACT(_form)	ATTR(_form, A_TO(1, 1, 7))

static const struct refusal_row refusal_rows_binary[] = {
	BINARY_ROWS(0), OK(0, A_TO(1, 1, 7)), COSTS(0, 6, A(1, 0)),
	OK(0, T(0, BIT_OF(F32))), ATTR(0, T(0, BUT(BIT_OF(F32)))),
	OK(0, T(1, BIT_OF(F32))), BAD(0, DTYPE, 0, T(1, BUT(BIT_OF(F32)))),
	OK(0, T(2, BIT_OF(F32))), BAD(0, DTYPE, 2, T(2, BUT(BIT_OF(F32)))),
	BINARY_ROWS(1), BINARY_TYPES(1, BIT_OF(I32), NUMBERS), BINARY_NO_ACT(1),
	BINARY_ROWS(2), COMPARE_TYPES(2, BIT_OF(I32), EVERY), BINARY_NO_ACT(2),
	BINARY_ROWS(3), COMPARE_TYPES(3, BIT_OF(F32), NUMBERS), BINARY_NO_ACT(3),
	BINARY_ROWS(4), BINARY_TYPES(4, BIT_OF(BOOL), BIT_OF(BOOL)), BINARY_NO_ACT(4),
	BINARY_ROWS(5), BINARY_TYPES(5, BIT_OF(I32), INTEGERS), BINARY_NO_ACT(5),
	BINARY_ROWS(6), BINARY_TYPES(6, BIT_OF(F16), NUMBERS), BINARY_NO_ACT(6),
	BINARY_ROWS(7), BINARY_TYPES(7, BIT_OF(F64), NUMBERS), BINARY_NO_ACT(7),
	/* every kind, of types that fit it and of others */
	OK(0, A_TO(0, 0, 6)), BAD(0, DTYPE, 1, A(0, 7)), OK(0, A_TO(0, 8, 9)),
	BAD(0, DTYPE, 0, A_TO(0, 10, 14)), BAD(0, DTYPE, 1, A_TO(0, 15, 17)),
	OK(1, A_TO(0, 0, 9)), BAD(1, DTYPE, 0, A_TO(0, 10, 14)), BAD(1, DTYPE, 1, A_TO(0, 15, 17)),
	BAD(2, DTYPE, 0, A_TO(0, 0, 9)), OK(2, A_TO(0, 10, 14)), BAD(2, DTYPE, 0, A_TO(0, 15, 17)),
	BAD(4, DTYPE, 1, A_TO(0, 0, 9)), OK(4, A(0, 10)), BAD(4, DTYPE, 1, A_TO(0, 11, 14)),
	OK(4, A_TO(0, 15, 17)),
	BAD(3, DTYPE, 1, T(1, BIT_OF(BOOL)), A_TO(0, 11, 14)),
	/* cost: a division of floats takes as many steps as the exponents differ */
	COSTS(6, 6, A_TO(0, 0, 3)), COSTS(6, 6, A_TO(0, 5, 6)), COSTS(6, 48, A(0, 4)),
	COSTS(7, 768, A(0, 8)), COSTS(7, 6, A(0, 9)), COSTS(1, 6, A(0, 8)), COSTS(1, 48, A(0, 4)),
	COSTS(1, 6, A_TO(0, 5, 7)), COSTS(4, 6, A_TO(0, 15, 17)), COSTS(2, 6, A_TO(0, 10, 14)),
	COSTS(0, 120, A(0, 8)), COSTS(0, 72, A(0, 4)),
};

/* --- UNARY: kind and its numbers */
#define UNARY_FORM(_type, _kind) {						\
	.operands = 2, .lane_axis = 1, .units = 16, .cost = 24,			\
	.operand = { Y(_type), Y(_type) }, .words = { DRM_LOOM_UNARY_##_kind } }

static const struct refusal_form refusal_forms_unary[] = {
	UNARY_FORM(F32, RELU), UNARY_FORM(U8, ABS), UNARY_FORM(I64, NEG), UNARY_FORM(I8, SIGN),
	UNARY_FORM(BOOL, NOT), UNARY_FORM(F16, EXP),
};

#define UNARY_ROWS(_form, _own, _types)						\
	Y_SHAPE(_form, 1, 1, 1), SAME_SHAPE(_form, 1),				\
	OK(_form, T(0, _own)), BAD(_form, DTYPE, 1, T(0, (_types) & ~(_own))),	\
	BAD(_form, DTYPE, 0, T(0, BUT(_types))),				\
	OK(_form, T(1, _own)), BAD(_form, DTYPE, 1, T(1, BUT(_own))),		\
	OK(_form, T_ALL(_types)), BAD(_form, DTYPE, 0, T_ALL(BUT(_types))),	\
	ATTR(_form, A(0, 23)), ATTR(_form, A(0, 0x80000000)), ATTR(_form, A(0, ~0U)),	\
	ANYTHING(_form, 1), ANYTHING(_form, 2), ZERO(_form, 3)
#define UNARY_FLOAT(_first, _last)						\
	OK(5, T_ALL(FLOATS), A_TO(0, _first, _last)),				\
	BAD(5, DTYPE, 0, T_ALL(BUT(FLOATS)), A_TO(0, _first, _last))

static const struct refusal_row refusal_rows_unary[] = {
	UNARY_ROWS(0, BIT_OF(F32), NUMBERS), UNARY_ROWS(1, BIT_OF(U8), NUMBERS),
	UNARY_ROWS(2, BIT_OF(I64), FLOATS | SIGNEDS), UNARY_ROWS(3, BIT_OF(I8), FLOATS | SIGNEDS),
	UNARY_ROWS(4, BIT_OF(BOOL), BIT_OF(BOOL)), UNARY_ROWS(5, BIT_OF(F16), FLOATS),
	/* the kinds that have no form of their own */
	UNARY_FLOAT(1, 9), UNARY_FLOAT(12, 16), UNARY_FLOAT(18, 21),
};

/* --- SELECT: y, cond, a, b */
static const struct refusal_form refusal_forms_select[] = {
	{ .operands = 4, .lane_axis = 1, .units = 16, .cost = 6,
	  .operand = { Y(F16), IN(BOOL, 2, 1, 3), IN(F16, 2, 8, 1), IN(F16, 1, 8, 3) } },
};

static const struct refusal_row refusal_rows_select[] = {
	Y_SHAPE(0, 1, 2, 1), BROADCASTS(0, 1), BROADCASTS(0, 2), BROADCASTS(0, 3),
	OK(0, T(0, BIT_OF(F16))), BAD(0, DTYPE, 2, T(0, BUT(BIT_OF(F16)))),
	OK(0, T(1, BIT_OF(BOOL))), BAD(0, DTYPE, 1, T(1, BUT(BIT_OF(BOOL)))),
	OK(0, T(2, BIT_OF(F16))), BAD(0, DTYPE, 2, T(2, BUT(BIT_OF(F16)))),
	OK(0, T(3, BIT_OF(F16))), BAD(0, DTYPE, 3, T(3, BUT(BIT_OF(F16)))),
	OK(0, T_ALL(BIT_OF(BOOL))), BAD(0, DTYPE, 1, T_ALL(BUT(BIT_OF(BOOL)))),
};

/* --- CAST */
static const struct refusal_form refusal_forms_cast[] = {
	{ .operands = 2, .lane_axis = 1, .units = 16, .cost = 6, .operand = { Y(I8), Y(F32) } },
};

static const struct refusal_row refusal_rows_cast[] = {
	Y_SHAPE(0, 1, 1, 1), SAME_SHAPE(0, 1),
	OK(0, T(0, BUT(BIT_OF(F32)))), BAD(0, DTYPE, 1, T(0, BIT_OF(F32))),
	OK(0, T(1, BUT(BIT_OF(I8)))), BAD(0, DTYPE, 1, T(1, BIT_OF(I8))),
	BAD(0, DTYPE, 1, T_ALL(EVERY)),
};

/* --- QUANTIZE, DEQUANTIZE: y, x, scale, [zero point] */
#define QUANTS		(BYTES | BIT_OF(I16) | BIT_OF(U16))
#define QUANT_WORK	.optional = true, .lane_axis = 1, .units = 16, .cost = 12
#define QUANT_SCALE	IN(F32, 1, 8, 1)
#define QUANT_SHAPES(_form)							\
	Y_SHAPE(_form, 1, 1, 1), SAME_SHAPE(_form, 1), BROADCASTS(_form, 2),	\
	OK(_form, T(2, BIT_OF(F32))), BAD(_form, DTYPE, 2, T(2, BUT(BIT_OF(F32))))
/* The operand that is quantised, and the other one. */
#define QUANT_TYPES(_form, _quant, _real, _types)				\
	OK(_form, T(_quant, _types)), BAD(_form, DTYPE, _quant, T(_quant, BUT(_types))),	\
	OK(_form, T(_real, BIT_OF(F32))), BAD(_form, DTYPE, _real, T(_real, BUT(BIT_OF(F32))))
/* The same with a zero point, which has to follow. */
#define QUANT_TYPES_ZERO(_form, _quant, _real, _types, _own)			\
	OK(_form, T(_quant, _own)), BAD(_form, DTYPE, 3, T(_quant, (_types) & ~(_own))),	\
	BAD(_form, DTYPE, _quant, T(_quant, BUT(_types))),			\
	OK(_form, T(_real, BIT_OF(F32))), BAD(_form, DTYPE, _real, T(_real, BUT(BIT_OF(F32)))),	\
	OK(_form, T(3, _own)), BAD(_form, DTYPE, 3, T(3, BUT(_own))), BROADCASTS(_form, 3)

static const struct refusal_form refusal_forms_quantize[] = {
	{ .operands = 3, QUANT_WORK, .operand = { Y(U8), Y(F32), QUANT_SCALE } },
	{ .operands = 4, QUANT_WORK, .operand = { Y(I16), Y(F32), QUANT_SCALE, IN(I16, 2, 1, 3) } },
};

static const struct refusal_row refusal_rows_quantize[] = {
	QUANT_SHAPES(0), QUANT_TYPES(0, 0, 1, QUANTS),
	QUANT_SHAPES(1), QUANT_TYPES_ZERO(1, 0, 1, QUANTS, BIT_OF(I16)),
};

static const struct refusal_form refusal_forms_dequantize[] = {
	{ .operands = 3, QUANT_WORK, .operand = { Y(F32), Y(I32), QUANT_SCALE } },
	{ .operands = 4, QUANT_WORK, .operand = { Y(F32), Y(U8), QUANT_SCALE, IN(U8, 2, 1, 3) } },
};

static const struct refusal_row refusal_rows_dequantize[] = {
	QUANT_SHAPES(0), QUANT_TYPES(0, 1, 0, QUANTS | BIT_OF(I32)),
	QUANT_SHAPES(1), QUANT_TYPES_ZERO(1, 1, 0, QUANTS | BIT_OF(I32), BIT_OF(U8)),
};

#endif /* LOOM_TESTS_REFUSALS_ELEMENT_H */
