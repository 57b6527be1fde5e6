/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_REFUSALS_WINDOW_H
#define LOOM_TESTS_REFUSALS_WINDOW_H

/* POOL and RESIZE: planes of [N,C,D,H,W]. */
#include "refusal.h"

/* Batches and channels of y and x are the same, both have five axes. */
#define PLANES_ROWS(_form)							\
	BAD(_form, SHAPE, 0, R(0)), BAD(_form, SHAPE, 1, R(1)),			\
	BAD(_form, SHAPE, 1, D(0, 0, 1)), BAD(_form, SHAPE, 1, D(0, 1, 4)),	\
	BAD(_form, SHAPE, 1, D(1, 0, 3)), BAD(_form, SHAPE, 1, D(1, 1, 1)),	\
	BAD(_form, DISTINCT, 0, W(0, 0, 2))
/* One type of those that it has, and all others. */
#define SAME_TYPES(_form, _own, _types)						\
	OK(_form, T(0, _own)), BAD(_form, DTYPE, 1, T(0, (_types) & ~(_own))),	\
	BAD(_form, DTYPE, 0, T(0, BUT(_types))),				\
	OK(_form, T(1, _own)), BAD(_form, DTYPE, 1, T(1, BUT(_own))),		\
	OK(_form, T_ALL(_types)), BAD(_form, DTYPE, 0, T_ALL(BUT(_types)))

/* --- POOL: kernel, stride, dilation, pads before and behind, kind, flags */
#define MOST_POOL	DRM_LOOM_MAX_SPATIAL
#define POOL_FORM(_type, _kind) {						\
	.operands = 2, .images = 2, .lane_axis = 1, .units = 120, .cost = 25,	\
	.operand = { IN(_type, 2, 3, 4, 5, 5), IN(_type, 2, 3, 1, 7, 6) },	\
	.words = { 1, 1, 5, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, _kind } }

static const struct refusal_form refusal_forms_pool[] = {
	POOL_FORM(F32, DRM_LOOM_POOL_MAX), POOL_FORM(U16, DRM_LOOM_POOL_MAX),
	POOL_FORM(F16, DRM_LOOM_POOL_AVG),
};

#define POOL_ROWS(_form)							\
	PLANES_ROWS(_form),							\
	OK(_form, D(0, 2, 9)), OK(_form, D(0, 3, 1)), OK(_form, D(0, 4, 70)),	\
	OK(_form, D(1, 2, 9)), OK(_form, D(1, 3, 1)), OK(_form, D(1, 4, 70)),	\
	ATTR(_form, A(0, 0)), ATTR(_form, A(1, 0)), ATTR(_form, A(2, 0)),	\
	ATTR(_form, A(0, ~0U)), ATTR(_form, A(1, ~0U)), ATTR(_form, A(2, ~0U)),	\
	NO(_form, COST, A(0, MOST_POOL)), ATTR(_form, A(0, MOST_POOL + 1)),	\
	NO(_form, COST, A(1, MOST_POOL)), ATTR(_form, A(1, MOST_POOL + 1)),	\
	NO(_form, COST, A(2, MOST_POOL)), ATTR(_form, A(2, MOST_POOL + 1)),	\
	BETWEEN_3(_form, 3, 1, MOST_POOL), BETWEEN_3(_form, 6, 1, MOST_POOL),	\
	BETWEEN_3(_form, 9, 0, MOST_POOL), BETWEEN_3(_form, 12, 0, MOST_POOL),	\
	UP_TO(_form, 16, 1), ZERO(_form, 17),					\
	ATTR(_form, A(15, 2)), ATTR(_form, A(15, 0x80000000)), ATTR(_form, A(15, ~0U)),	\
	COSTS(_form, 4194300, A(2, 838860)), NO(_form, COST, A(2, 838861)),	\
	COSTS(_form, 320, D(0, 4, 65)),						\
	NO(_form, COST, A(0, MOST_POOL), A(1, MOST_POOL), A(2, MOST_POOL)),	\
	BAD(_form, DISTINCT, 0, W(0, 0, 2), A(2, 838861))

static const struct refusal_row refusal_rows_pool[] = {
	POOL_ROWS(0), SAME_TYPES(0, BIT_OF(F32), NUMBERS), OK(0, A_TO(15, 0, 1)),
	POOL_ROWS(1), SAME_TYPES(1, BIT_OF(U16), NUMBERS), BAD(1, DTYPE, 0, A(15, 1)),
	POOL_ROWS(2), SAME_TYPES(2, BIT_OF(F16), FLOATS), OK(2, A_TO(15, 0, 1)),
};

/* --- RESIZE: mode, coordinates, rounding, flags, whole sizes, where the views begin in them */
#define RESIZE_FORM(_type, _mode, _cost) {					\
	.operands = 2, .lane_axis = 1, .units = 48, .cost = (_cost),		\
	.operand = { IN(_type, 2, 3, 2, 4, 6), IN(_type, 2, 3, 1, 3, 4) },	\
	.words = { _mode, 0, 0, 0, 2, 5, 8, 3, 8, 16, 1, 2, 4, 1, 4, 10,	\
		   TWO_F32, TWO_F32, TWO_F32 } }
#define TWO_F32		0x40000000

static const struct refusal_form refusal_forms_resize[] = {
	RESIZE_FORM(I8, DRM_LOOM_RESIZE_NEAREST, 6),
	RESIZE_FORM(F32, DRM_LOOM_RESIZE_LINEAR, 48),
	RESIZE_FORM(F64, DRM_LOOM_RESIZE_CUBIC, 384),
};

/* A slice has to end where the whole does, or before. */
#define RESIZE_AXIS(_form, _axis, _in, _in_start, _out, _out_start)		\
	BAD(_form, SHAPE, 0, A(7 + (_axis), (_out) - 1)), OK(_form, A(7 + (_axis), (_out) + 1)),\
	OK(_form, A(7 + (_axis), 0x7fffffff)), ATTR(_form, A(7 + (_axis), 0)),	\
	ATTR(_form, A(7 + (_axis), ~0U)), BAD(_form, SHAPE, 0, A(7 + (_axis), 1)),	\
	BAD(_form, SHAPE, 1, A(4 + (_axis), (_in) - 1)), OK(_form, A(4 + (_axis), (_in) + 1)),	\
	OK(_form, A(4 + (_axis), 0x7fffffff)), ATTR(_form, A(4 + (_axis), 0)),	\
	ATTR(_form, A(4 + (_axis), ~0U)), BAD(_form, SHAPE, 1, A(4 + (_axis), 1)),	\
	OK(_form, A(10 + (_axis), 0)), BAD(_form, SHAPE, 1, A(10 + (_axis), (_in_start) + 1)),	\
	ATTR(_form, A(10 + (_axis), ~0U)), BAD(_form, SHAPE, 1, A(10 + (_axis), 0x7fffffff)),	\
	OK(_form, A(13 + (_axis), 0)), BAD(_form, SHAPE, 0, A(13 + (_axis), (_out_start) + 1)),	\
	ATTR(_form, A(13 + (_axis), ~0U)), BAD(_form, SHAPE, 0, A(13 + (_axis), 0x7fffffff)),	\
	OK(_form, D(0, 2 + (_axis), 1)), OK(_form, D(1, 2 + (_axis), 1)),	\
	BAD(_form, SHAPE, 0, D(0, 2 + (_axis), (_out) - (_out_start) + 1)),	\
	BAD(_form, SHAPE, 1, D(1, 2 + (_axis), (_in) - (_in_start) + 1)),	\
	BAD(_form, SHAPE, 1, W(1, 2 + (_axis), ~0U))
#define RESIZE_ROWS(_form)							\
	PLANES_ROWS(_form),							\
	RESIZE_AXIS(_form, 0, 2, 1, 3, 1), RESIZE_AXIS(_form, 1, 5, 2, 8, 4),	\
	RESIZE_AXIS(_form, 2, 8, 4, 16, 10),					\
	ATTR(_form, A(0, 3)), ATTR(_form, A(0, ~0U)),				\
	UP_TO(_form, 1, 5), UP_TO(_form, 2, 3), UP_TO(_form, 3, 1),		\
	ANYTHING_3(_form, 16), ANYTHING_3(_form, 19), ANYTHING_3(_form, 22),	\
	ANYTHING(_form, 25), ANYTHING(_form, 26), ZERO(_form, 27)

static const struct refusal_row refusal_rows_resize[] = {
	RESIZE_ROWS(0), SAME_TYPES(0, BIT_OF(I8), EVERY), OK(0, A(0, 0)),
	BAD(0, DTYPE, 0, A_TO(0, 1, 2)),
	RESIZE_ROWS(1), SAME_TYPES(1, BIT_OF(F32), FLOATS), COSTS(1, 6, A(0, 0)),
	COSTS(1, 48, A(0, 1)), COSTS(1, 384, A(0, 2)),
	RESIZE_ROWS(2), SAME_TYPES(2, BIT_OF(F64), FLOATS), OK(2, A_TO(0, 0, 2)),
};

#endif /* LOOM_TESTS_REFUSALS_WINDOW_H */
