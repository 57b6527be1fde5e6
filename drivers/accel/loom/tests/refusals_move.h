/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_REFUSALS_MOVE_H
#define LOOM_TESTS_REFUSALS_MOVE_H

/* LOAD, STORE, COPY, FILL: places, and elements of one size. */
#include "refusal.h"

#define FOUR_BYTES	(BIT_OF(F32) | BIT_OF(I32) | BIT_OF(U32))
#define ONE_BYTE	(BYTES | BIT_OF(BOOL))
#define OUTSIDE		(1U << IN_DRAM | 1U << IN_ROM | 1U << IN_IMAGE)

/* Shapes and types of y and x, which all three share. */
#define MOVE_ROWS(_form)							\
	OK(_form, T(0, FOUR_BYTES)), BAD(_form, DTYPE, 1, T(0, BUT(FOUR_BYTES))),	\
	OK(_form, T(1, FOUR_BYTES)), BAD(_form, DTYPE, 1, T(1, BUT(FOUR_BYTES))),	\
	OK(_form, T_ALL(EVERY)),						\
	BAD(_form, SHAPE, 1, R(0)), BAD(_form, SHAPE, 1, R(1)),			\
	BAD(_form, SHAPE, 1, D(0, 0, 3)), BAD(_form, SHAPE, 1, D(0, 1, 7)),	\
	BAD(_form, SHAPE, 1, D(0, 2, 1)), BAD(_form, SHAPE, 1, D(1, 0, 1)),	\
	BAD(_form, SHAPE, 1, D(1, 1, 1)), BAD(_form, SHAPE, 1, D(1, 2, 71)),	\
	COSTS(_form, 64, D(0, 2, 65), D(1, 2, 65)),				\
	COSTS(_form, 63, D(0, 2, 63), D(1, 2, 63)),				\
	BAD(_form, DISTINCT, 0, W(0, 0, 2))

#define MOVE_FORM(_to, _from) {							\
	.operands = 2, .lane_axis = 1, .units = 32, .cost = 64,			\
	.operand = { AT(_to, F32, 2, 8, 70), AT(_from, F32, 2, 8, 70) } }

static const struct refusal_form refusal_forms_load[] = { MOVE_FORM(IN_SRAM, IN_DRAM) };
static const struct refusal_row refusal_rows_load[] = {
	MOVE_ROWS(0),
	OK(0, P(0, 1U << IN_SRAM)), BAD(0, REGION, 0, P(0, OUTSIDE)),
	OK(0, P(1, OUTSIDE)), BAD(0, REGION, 1, P(1, 1U << IN_SRAM)),
};

static const struct refusal_form refusal_forms_store[] = { MOVE_FORM(IN_DRAM, IN_SRAM) };
static const struct refusal_row refusal_rows_store[] = {
	MOVE_ROWS(0),
	OK(0, P(0, 1U << IN_DRAM | 1U << IN_IMAGE)),
	BAD(0, REGION, 0, P(0, 1U << IN_SRAM | 1U << IN_ROM)),
	OK(0, P(1, 1U << IN_SRAM)), BAD(0, REGION, 1, P(1, OUTSIDE)),
};

static const struct refusal_form refusal_forms_copy[] = {
	MOVE_FORM(IN_SRAM, IN_SRAM),
	MOVE_FORM(IN_DRAM, IN_DRAM),
};

static const struct refusal_row refusal_rows_copy[] = {
	MOVE_ROWS(0), MOVE_ROWS(1),
	OK(0, P(0, 1U << IN_SRAM)), BAD(0, REGION, 0, P(0, 1U << IN_ROM)),
	BAD(0, REGION, 1, P(0, 1U << IN_DRAM | 1U << IN_IMAGE)),
	OK(0, P(1, 1U << IN_SRAM)), BAD(0, REGION, 1, P(1, OUTSIDE)),
	OK(1, P(0, 1U << IN_DRAM | 1U << IN_IMAGE)), BAD(1, REGION, 0, P(0, 1U << IN_ROM)),
	BAD(1, REGION, 1, P(0, 1U << IN_SRAM)),
	OK(1, P(1, 1U << IN_DRAM | 1U << IN_IMAGE)),
	BAD(1, REGION, 1, P(1, 1U << IN_SRAM | 1U << IN_ROM)),
};

/* Words 0 and 1 are the bits, of which the element has to have all that are set. */
static const struct refusal_form refusal_forms_fill[] = {
	{ .operands = 1, .lane_axis = 1, .units = 32, .cost = 64,
	  .operand = { IN(F32, 2, 8, 70) }, .words = { ~0U } },
	{ .operands = 1, .units = 1, .cost = 5, .operand = { IN(I8, 5) }, .words = { 0xff } },
	{ .operands = 1, .units = 1, .cost = 5, .operand = { IN(U16, 5) }, .words = { 0xffff } },
	{ .operands = 1, .units = 1, .cost = 5, .operand = { IN(F64, 5) }, .words = { ~0U, ~0U } },
};

#define FILL_SHAPES(_form) OK(_form, R(0)), OK(_form, D(0, 0, 9))
#define FILL_PLACES(_form)							\
	OK(_form, P(0, 1U << IN_SRAM | 1U << IN_DRAM | 1U << IN_IMAGE)),	\
	BAD(_form, REGION, 0, P(0, 1U << IN_ROM))
#define EIGHT_BYTES	(BIT_OF(F64) | BIT_OF(I64) | BIT_OF(U64))
#define TWO_BYTES	(BIT_OF(F16) | BIT_OF(I16) | BIT_OF(U16))

static const struct refusal_row refusal_rows_fill[] = {
	FILL_SHAPES(0), FILL_SHAPES(1), FILL_SHAPES(2), FILL_SHAPES(3),
	FILL_PLACES(0), FILL_PLACES(1), FILL_PLACES(2), FILL_PLACES(3),
	OK(0, D(0, 1, 1)), OK(0, D(0, 2, 1)), COSTS(0, 64, D(0, 2, 64)), COSTS(0, 63, D(0, 2, 63)),
	OK(0, T(0, FOUR_BYTES | EIGHT_BYTES)), ATTR(0, T(0, BUT(FOUR_BYTES | EIGHT_BYTES))),
	OK(1, T(0, EVERY)),
	OK(2, T(0, BUT(ONE_BYTE))), ATTR(2, T(0, ONE_BYTE)),
	OK(3, T(0, EIGHT_BYTES)), ATTR(3, T(0, BUT(EIGHT_BYTES))),
	ANYTHING(0, 0), ATTR(0, A(1, 1)), ATTR(0, A(1, 0x80000000)),
	OK(1, A_TO(0, 0, 255)), ATTR(1, A_TO(0, 256, 260)), ATTR(1, A(0, ~0U)), ATTR(1, A(1, 1)),
	ATTR(2, A(0, 0x10000)), ATTR(2, A(1, 1)), ANYTHING(3, 0), ANYTHING(3, 1),
	BAD(0, DISTINCT, 0, W(0, 0, 2)),
};

#endif /* LOOM_TESTS_REFUSALS_MOVE_H */
