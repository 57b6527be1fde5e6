// SPDX-License-Identifier: MIT
/*
 * NaN: where it is, whether it is the largest, and that functions keep it, folded and computed
 * alike. And reductions over no axes, which leave their element-wise part.
 */
#include "form.h"

#define N	NAN
#define ROWS	F32(2, { 3, 4 }, { 3, N, 1, 5, 1, 2, N, 0, N, 1, 2, 3 })
#define ROWS2	F32(2, { 3, 4 }, { 3, N, 1, 5, N, N, N, N, 1, 2, N, 0 })
#define NOOP	INT("noop_with_empty_axes", 1)
#define FEW	F32(2, { 2, 2 }, { -3, 4, 0.5, -0.25 })

static const struct form forms[] = {
	{ "the first that is none is the largest", "ArgMax", 13, { INT("axis", 1),
	  INT("keepdims", 0) }, 2, { ROWS }, 1, 0,
	  { I64(1, { 3 }, { 1, 2, 0 }) }, 1 },
	{ "and the smallest", "ArgMin", 13, { INT("axis", 1), INT("keepdims", 0) }, 2,
	  { ROWS2 }, 1, 0,
	  { I64(1, { 3 }, { 1, 0, 2 }) }, 1 },
	{ "or the last", "ArgMax", 13, { INT("axis", 1), INT("keepdims", 0),
	  INT("select_last_index", 1) }, 3, { ROWS2 }, 1, 0,
	  { I64(1, { 3 }, { 1, 3, 2 }) }, 1 },
	{ "of constants as well", "ArgMax", 13, { INT("axis", 1), INT("keepdims", 0) }, 2,
	  { ROWS }, 1, 1,
	  { I64(1, { 3 }, { 1, 2, 0 }) }, 1 },
	{ "one hit in each row", "Hardmax", 13, { INT("axis", 1) }, 1, { ROWS2 }, 1, 0,
	  { F32(2, { 3, 4 }, { 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0 }) }, 1 },
	{ "each place once, with its element", "TopK", 11, { INT("axis", 1) }, 1,
	  { ROWS2, I64(1, { 1 }, { 4 }) }, 2, 2,
	  { F32(2, { 3, 4 }, { N, 5, 3, 1, N, N, N, N, N, 2, 1, 0 }),
	    I64(2, { 3, 4 }, { 1, 3, 0, 2, 0, 1, 2, 3, 2, 1, 0, 3 }) }, 2 },
	{ "the smallest first", "TopK", 11, { INT("axis", 1), INT("largest", 0) }, 2,
	  { ROWS2, I64(1, { 1 }, { 4 }) }, 2, 2,
	  { F32(2, { 3, 4 }, { 1, 3, 5, N, N, N, N, N, 0, 1, 2, N }),
	    I64(2, { 3, 4 }, { 2, 0, 3, 1, 0, 1, 2, 3, 3, 0, 1, 2 }) }, 2 },
	{ "infinities and signs of zero", "TopK", 11, { INT("axis", 0) }, 1,
	  { F32(1, { 4 }, { -INFINITY, -0.0, N, -INFINITY }), I64(1, { 1 }, { 4 }) }, 2, 2,
	  { F32(1, { 4 }, { N, -0.0, -INFINITY, -INFINITY }), I64(1, { 4 }, { 2, 1, 0, 3 }) }, 2 },
	{ "|x|", "ReduceL1", 18, { NOOP }, 1, { FEW }, 1, 0,
	  { F32(2, { 2, 2 }, { 3, 4, 0.5, 0.25 }) }, 1 },
	{ "|x|", "ReduceL2", 18, { NOOP }, 1, { FEW }, 1, 0,
	  { F32(2, { 2, 2 }, { 3, 4, 0.5, 0.25 }) }, 1 },
	{ "x * x", "ReduceSumSquare", 18, { NOOP }, 1, { FEW }, 1, 0,
	  { F32(2, { 2, 2 }, { 9, 16, 0.25, 0.0625 }) }, 1 },
	{ "x * x of constants, with axes that are empty", "ReduceSumSquare", 18, { NOOP }, 1,
	  { FEW, I64(1, { 0 }, { 0 }) }, 2, 3, { F32(2, { 2, 2 }, { 9, 16, 0.25, 0.0625 }) }, 1 },
	{ "log x", "ReduceLogSum", 18, { NOOP }, 1, { F32(1, { 2 }, { 1, INFINITY }) }, 1, 0,
	  { F32(1, { 2 }, { 0, INFINITY }) }, 1 },
	{ "x", "ReduceLogSumExp", 18, { NOOP }, 1, { FEW }, 1, 0, { FEW }, 1 },
	{ "x", "ReduceMax", 18, { NOOP }, 1, { FEW }, 1, 0, { FEW }, 1 },
	{ "a scalar", "ReduceL1", 18, { }, 0, { F32(0, { 0 }, { -3 }) }, 1, 0,
	  { F32(0, { 0 }, { 3 }) }, 1 },
	{ "all, without the attribute", "ReduceL1", 18, { }, 0, { FEW }, 1, 0,
	  { F32(2, { 1, 1 }, { 7.75 }) }, 1 },
	{ "the largest of a window", "MaxPool", 12, { INTS("kernel_shape", 1, 2) }, 1,
	  { F32(3, { 1, 1, 4 }, { 1, N, 2, 3 }) }, 1, 0, { F32(3, { 1, 1, 3 }, { N, N, 3 }) }, 1 },
	{ "of two", "Max", 13, { }, 0, { F32(1, { 3 }, { N, 1, 2 }), F32(1, { 3 }, { 1, N, 3 }) },
	  2, 0, { F32(1, { 3 }, { N, N, 3 }) }, 1 },
	{ "of two", "Min", 13, { }, 0, { F32(1, { 3 }, { N, 1, 2 }), F32(1, { 3 }, { 1, N, 3 }) },
	  2, 0, { F32(1, { 3 }, { N, N, 2 }) }, 1 },
	{ "where it is of f16", "ArgMax", 13, { INT("axis", 1), INT("keepdims", 0) }, 2,
	  { { DRM_LOOM_DTYPE_F16, 2, { 1, 3 }, { 7, N, 9 } } }, 1, 0, { I64(1, { 1 }, { 1 }) },
	  1 },
	{ "of two that are known", "Max", 13, { }, 0,
	  { F32(1, { 2 }, { N, 1 }), F32(1, { 2 }, { 1, N }) }, 2, 3,
	  { F32(1, { 2 }, { N, N }) }, 1 },
	{ "of two that are known", "Min", 13, { }, 0,
	  { F32(1, { 2 }, { N, 1 }), F32(1, { 2 }, { 1, N }) }, 2, 3,
	  { F32(1, { 2 }, { N, N }) }, 1 },
	{ "of all that are known", "ReduceMax", 18, { INT("keepdims", 0) }, 1,
	  { F32(1, { 3 }, { 1, N, 7 }) }, 1, 1, { F32(0, { 0 }, { N }) }, 1 },
	{ "of integers", "ReduceL2", 18, { NOOP }, 1, { I64(1, { 2 }, { -3, 4 }) }, 1, 0,
	  { I64(1, { 2 }, { 3, 4 }) }, 1 },
	{ "each place once, of f16", "TopK", 11, { INT("axis", 0) }, 1,
	  { { DRM_LOOM_DTYPE_F16, 1, { 4 }, { 1, N, 7, INFINITY } }, I64(1, { 1 }, { 4 }) }, 2, 2,
	  { { DRM_LOOM_DTYPE_F16, 1, { 4 }, { N, INFINITY, 7, 1 } },
	    I64(1, { 4 }, { 1, 3, 2, 0 }) }, 2 },
	{ "between limits", "Clip", 13, { }, 0,
	  { F32(1, { 3 }, { N, -1, 9 }), F32(0, { 0 }, { 0 }), F32(0, { 0 }, { 6 }) }, 3, 6,
	  { F32(1, { 3 }, { N, 0, 6 }) }, 1 },
};

/* Functions of one operand of which something that is not a number remains so. */
static const char *const functions[] = {
	"Abs", "Ceil", "Celu", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish",
	"LeakyRelu", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Selu", "Sigmoid",
	"Sign", "Sin", "Softplus", "Softsign", "Sqrt", "Tanh",
};

int main(void)
{
	uint32_t i, known;

	try_forms(forms, ARRAY_SIZE(forms));
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		for (known = 0; known < 2; known++) {
			const struct form form = {
				known ? "folded" : "computed", functions[i], 20, { }, 0,
				{ F32(1, { 2 }, { N, N }) }, 1, known,
				{ F32(1, { 2 }, { N, N }) }, 1,
			};

			try_form(&form);
		}
	return tap_end();
}
