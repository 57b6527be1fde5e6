// SPDX-License-Identifier: MIT
/* Names of operators and functions. */
#include "graph.h"

static const char *const gop_names[LOOM_GOP_COUNT] = {
	[LOOM_GOP_CONV] = "conv",
	[LOOM_GOP_DECONV] = "deconv",
	[LOOM_GOP_POOL] = "pool",
	[LOOM_GOP_MATMUL] = "matmul",
	[LOOM_GOP_BINARY] = "binary",
	[LOOM_GOP_UNARY] = "unary",
	[LOOM_GOP_SELECT] = "select",
	[LOOM_GOP_REDUCE] = "reduce",
	[LOOM_GOP_SOFTMAX] = "softmax",
	[LOOM_GOP_TOPK] = "topk",
	[LOOM_GOP_GATHER] = "gather",
	[LOOM_GOP_RESIZE] = "resize",
	[LOOM_GOP_CAST] = "cast",
	[LOOM_GOP_QUANTIZE] = "quantize",
	[LOOM_GOP_DEQUANTIZE] = "dequantize",
	[LOOM_GOP_TRANSPOSE] = "transpose",
	[LOOM_GOP_SLICE] = "slice",
	[LOOM_GOP_CONCAT] = "concat",
	[LOOM_GOP_PAD] = "pad",
	[LOOM_GOP_EXPAND] = "expand",
	[LOOM_GOP_RESHAPE] = "reshape",
	[LOOM_GOP_NATIVE] = "native",
};

static const char *const gfn_names[LOOM_GFN_COUNT] = {
	[LOOM_GFN_NONE] = "none",
	[LOOM_GFN_RELU] = "relu",
	[LOOM_GFN_CLIP] = "clip",
	[LOOM_GFN_LEAKY_RELU] = "leaky_relu",
	[LOOM_GFN_SIGMOID] = "sigmoid",
	[LOOM_GFN_HARD_SIGMOID] = "hard_sigmoid",
	[LOOM_GFN_HARD_SWISH] = "hard_swish",
	[LOOM_GFN_TANH] = "tanh",
	[LOOM_GFN_ELU] = "elu",
	[LOOM_GFN_SELU] = "selu",
	[LOOM_GFN_CELU] = "celu",
	[LOOM_GFN_THRESHOLDED_RELU] = "thresholded_relu",
	[LOOM_GFN_SHRINK] = "shrink",
	[LOOM_GFN_SOFTPLUS] = "softplus",
	[LOOM_GFN_SOFTSIGN] = "softsign",
	[LOOM_GFN_MISH] = "mish",
	[LOOM_GFN_GELU] = "gelu",
	[LOOM_GFN_GELU_TANH] = "gelu_tanh",
	[LOOM_GFN_SQRT] = "sqrt",
	[LOOM_GFN_EXP] = "exp",
	[LOOM_GFN_LOG] = "log",
	[LOOM_GFN_NEG] = "neg",
	[LOOM_GFN_ABS] = "abs",
	[LOOM_GFN_SIGN] = "sign",
	[LOOM_GFN_ERF] = "erf",
	[LOOM_GFN_RECIPROCAL] = "reciprocal",
	[LOOM_GFN_FLOOR] = "floor",
	[LOOM_GFN_CEIL] = "ceil",
	[LOOM_GFN_ROUND] = "round",
	[LOOM_GFN_NOT] = "not",
	[LOOM_GFN_SIN] = "sin",
	[LOOM_GFN_COS] = "cos",
	[LOOM_GFN_TAN] = "tan",
	[LOOM_GFN_ASIN] = "asin",
	[LOOM_GFN_ACOS] = "acos",
	[LOOM_GFN_ATAN] = "atan",
	[LOOM_GFN_SINH] = "sinh",
	[LOOM_GFN_COSH] = "cosh",
	[LOOM_GFN_ASINH] = "asinh",
	[LOOM_GFN_ACOSH] = "acosh",
	[LOOM_GFN_ATANH] = "atanh",
	[LOOM_GFN_ISNAN] = "isnan",
	[LOOM_GFN_ISINF] = "isinf",
};

static const char *const gbin_names[LOOM_GBIN_COUNT] = {
	[LOOM_GBIN_ADD] = "add",
	[LOOM_GBIN_SUB] = "sub",
	[LOOM_GBIN_MUL] = "mul",
	[LOOM_GBIN_DIV] = "div",
	[LOOM_GBIN_POW] = "pow",
	[LOOM_GBIN_MAX] = "max",
	[LOOM_GBIN_MIN] = "min",
	[LOOM_GBIN_MOD] = "mod",
	[LOOM_GBIN_FMOD] = "fmod",
	[LOOM_GBIN_EQUAL] = "equal",
	[LOOM_GBIN_LESS] = "less",
	[LOOM_GBIN_GREATER] = "greater",
	[LOOM_GBIN_LESS_EQUAL] = "less_equal",
	[LOOM_GBIN_GREATER_EQUAL] = "greater_equal",
	[LOOM_GBIN_AND] = "and",
	[LOOM_GBIN_OR] = "or",
	[LOOM_GBIN_XOR] = "xor",
	[LOOM_GBIN_PRELU] = "prelu",
};

const char *loom_gop_name(enum loom_gop op)
{
	return op < LOOM_GOP_COUNT ? gop_names[op] : "?";
}

const char *loom_gfn_name(enum loom_gfn fn)
{
	return fn < LOOM_GFN_COUNT ? gfn_names[fn] : "?";
}

const char *loom_gbin_name(enum loom_gbin fn)
{
	return fn < LOOM_GBIN_COUNT ? gbin_names[fn] : "?";
}
