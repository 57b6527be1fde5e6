/* SPDX-License-Identifier: MIT */
/*
 * DOC: The graph
 *
 * A graph goes through two forms. The *source* form is what the file (or the builder's caller)
 * said: named nodes with ONNX operators and attributes, see source.h. The *canonical* form, this
 * header, is what the planner reads: values with static shapes, and nodes out of the two dozen
 * operators of enum loom_gop, in topological order, with everything explicit: no automatic
 * padding, no negative axes, no omitted attributes, no dependence on the opset.
 *
 * What holds for a finished graph:
 *
 * - nodes[] is in topological order, and in the file's order wherever that is one;
 * - every value has a dtype, a rank and dimensions >= 0; it is an input (@is_input), a constant
 *   (@data != NULL) or has exactly one @producer;
 * - every graph output has a producer: an output that is an input or a constant of the model is
 *   copied by a RESHAPE node;
 * - nothing is dead: every node's results reach an output;
 * - operands broadcast by numpy's rule where it says so below, and are never broadcast elsewhere;
 * - @inputs entries of a node are NULL only where the operand list below says "or NULL".
 *
 * Everything a graph owns comes from its pool and lives until loom_graph_destroy().
 *
 * Rejected: one enum value per ONNX operator in the canonical form. ONNX spells the same
 * arithmetic in many ways and changes the spelling by opset; the importers (op_*.c) absorb that
 * once, so that neither planner nor device ever hears of it.
 */
#ifndef LOOM_GRAPH_H
#define LOOM_GRAPH_H

#include "loom.h"

#include <stdio.h>

#define LOOM_GRAPH_SPATIAL	3

/**
 * enum loom_gop - canonical operators
 *
 * @LOOM_GOP_CONV: &loom_gconv, operands enum loom_gconv_operand. x is [N, C, spatial...], w is
 *	[M, C / groups, kernel...]
 * @LOOM_GOP_DECONV: &loom_gconv. w is [C, M / groups, kernel...]; float only
 * @LOOM_GOP_POOL: &loom_gpool, operand x [N, C, spatial...]
 * @LOOM_GOP_MATMUL: &loom_gmatmul, operands enum loom_gmatmul_operand, ranks >= 2, leading
 *	dimensions broadcast
 * @LOOM_GOP_BINARY: &loom_gbinary, operands a, b broadcast
 * @LOOM_GOP_UNARY: &loom_gact, operand x
 * @LOOM_GOP_SELECT: operands condition (BOOL), a, b broadcast: condition ? a : b
 * @LOOM_GOP_REDUCE: &loom_greduce, operand x
 * @LOOM_GOP_SOFTMAX: &loom_gsoftmax, operand x
 * @LOOM_GOP_RESIZE: &loom_gresize, operand x
 * @LOOM_GOP_CAST: operand x, to the dtype of the result. To BOOL: x != 0
 * @LOOM_GOP_QUANTIZE: &loom_gquant, operands x, scale, zero_point
 * @LOOM_GOP_DEQUANTIZE: &loom_gquant, operands x, scale, zero_point
 * @LOOM_GOP_TRANSPOSE: &loom_gtranspose, operand x
 * @LOOM_GOP_SLICE: &loom_gslice, operand x
 * @LOOM_GOP_CONCAT: &loom_gconcat, one operand or more, of equal rank
 * @LOOM_GOP_PAD: &loom_gpad, operand x
 * @LOOM_GOP_EXPAND: operand x, broadcast to the result's shape
 * @LOOM_GOP_RESHAPE: operand x, the same elements in the same order under the result's shape.
 *	Also a plain copy.
 * @LOOM_GOP_COUNT: number of operators
 */
enum loom_gop {
	LOOM_GOP_CONV,
	LOOM_GOP_DECONV,
	LOOM_GOP_POOL,
	LOOM_GOP_MATMUL,
	LOOM_GOP_BINARY,
	LOOM_GOP_UNARY,
	LOOM_GOP_SELECT,
	LOOM_GOP_REDUCE,
	LOOM_GOP_SOFTMAX,
	LOOM_GOP_RESIZE,
	LOOM_GOP_CAST,
	LOOM_GOP_QUANTIZE,
	LOOM_GOP_DEQUANTIZE,
	LOOM_GOP_TRANSPOSE,
	LOOM_GOP_SLICE,
	LOOM_GOP_CONCAT,
	LOOM_GOP_PAD,
	LOOM_GOP_EXPAND,
	LOOM_GOP_RESHAPE,
	LOOM_GOP_COUNT,
};

/**
 * enum loom_gfn - functions of one variable, with float parameters alpha and beta
 *
 * @LOOM_GFN_NONE: the identity; as a fused activation: no activation
 * @LOOM_GFN_RELU: max(x, 0)
 * @LOOM_GFN_CLIP: min(max(x, alpha), beta); an open bound is an infinity
 * @LOOM_GFN_LEAKY_RELU: x < 0 ? alpha * x : x
 * @LOOM_GFN_SIGMOID: 1 / (1 + exp(-x))
 * @LOOM_GFN_HARD_SIGMOID: max(0, min(1, alpha * x + beta))
 * @LOOM_GFN_HARD_SWISH: x * max(0, min(1, x / 6 + 0.5))
 * @LOOM_GFN_TANH: tanh(x)
 * @LOOM_GFN_ELU: x < 0 ? alpha * (exp(x) - 1) : x
 * @LOOM_GFN_SELU: beta * (x > 0 ? x : alpha * exp(x) - alpha)
 * @LOOM_GFN_CELU: max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
 * @LOOM_GFN_THRESHOLDED_RELU: x > alpha ? x : 0
 * @LOOM_GFN_SHRINK: x < -beta ? x + alpha : x > beta ? x - alpha : 0
 * @LOOM_GFN_SOFTPLUS: log(exp(x) + 1)
 * @LOOM_GFN_SOFTSIGN: x / (1 + |x|)
 * @LOOM_GFN_MISH: x * tanh(softplus(x))
 * @LOOM_GFN_GELU: 0.5 * x * (1 + erf(x / sqrt(2)))
 * @LOOM_GFN_GELU_TANH: 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
 * @LOOM_GFN_SQRT: square root
 * @LOOM_GFN_EXP: e^x
 * @LOOM_GFN_LOG: natural logarithm
 * @LOOM_GFN_NEG: -x
 * @LOOM_GFN_ABS: |x|
 * @LOOM_GFN_SIGN: -1, 0, 1
 * @LOOM_GFN_ERF: error function
 * @LOOM_GFN_RECIPROCAL: 1 / x
 * @LOOM_GFN_FLOOR: round down
 * @LOOM_GFN_CEIL: round up
 * @LOOM_GFN_ROUND: round half to even
 * @LOOM_GFN_NOT: !x, BOOL only
 * @LOOM_GFN_SIN: sine
 * @LOOM_GFN_COS: cosine
 * @LOOM_GFN_TAN: tangent
 * @LOOM_GFN_ASIN: inverse sine
 * @LOOM_GFN_ACOS: inverse cosine
 * @LOOM_GFN_ATAN: inverse tangent
 * @LOOM_GFN_SINH: hyperbolic sine
 * @LOOM_GFN_COSH: hyperbolic cosine
 * @LOOM_GFN_ASINH: inverse hyperbolic sine
 * @LOOM_GFN_ACOSH: inverse hyperbolic cosine
 * @LOOM_GFN_ATANH: inverse hyperbolic tangent
 * @LOOM_GFN_ISNAN: x is not a number, result BOOL
 * @LOOM_GFN_ISINF: alpha != 0 && x == -inf || beta != 0 && x == inf, result BOOL
 * @LOOM_GFN_COUNT: number of functions
 *
 * RELU, CLIP, NEG, ABS and SIGN also exist for integers.
 */
enum loom_gfn {
	LOOM_GFN_NONE,
	LOOM_GFN_RELU,
	LOOM_GFN_CLIP,
	LOOM_GFN_LEAKY_RELU,
	LOOM_GFN_SIGMOID,
	LOOM_GFN_HARD_SIGMOID,
	LOOM_GFN_HARD_SWISH,
	LOOM_GFN_TANH,
	LOOM_GFN_ELU,
	LOOM_GFN_SELU,
	LOOM_GFN_CELU,
	LOOM_GFN_THRESHOLDED_RELU,
	LOOM_GFN_SHRINK,
	LOOM_GFN_SOFTPLUS,
	LOOM_GFN_SOFTSIGN,
	LOOM_GFN_MISH,
	LOOM_GFN_GELU,
	LOOM_GFN_GELU_TANH,
	LOOM_GFN_SQRT,
	LOOM_GFN_EXP,
	LOOM_GFN_LOG,
	LOOM_GFN_NEG,
	LOOM_GFN_ABS,
	LOOM_GFN_SIGN,
	LOOM_GFN_ERF,
	LOOM_GFN_RECIPROCAL,
	LOOM_GFN_FLOOR,
	LOOM_GFN_CEIL,
	LOOM_GFN_ROUND,
	LOOM_GFN_NOT,
	LOOM_GFN_SIN,
	LOOM_GFN_COS,
	LOOM_GFN_TAN,
	LOOM_GFN_ASIN,
	LOOM_GFN_ACOS,
	LOOM_GFN_ATAN,
	LOOM_GFN_SINH,
	LOOM_GFN_COSH,
	LOOM_GFN_ASINH,
	LOOM_GFN_ACOSH,
	LOOM_GFN_ATANH,
	LOOM_GFN_ISNAN,
	LOOM_GFN_ISINF,
	LOOM_GFN_COUNT,
};

/**
 * enum loom_gbin - functions of two variables
 *
 * @LOOM_GBIN_ADD: a + b
 * @LOOM_GBIN_SUB: a - b
 * @LOOM_GBIN_MUL: a * b
 * @LOOM_GBIN_DIV: a / b; integers truncate towards zero
 * @LOOM_GBIN_POW: a to the power b
 * @LOOM_GBIN_MAX: the larger; a NaN wins
 * @LOOM_GBIN_MIN: the smaller; a NaN wins
 * @LOOM_GBIN_MOD: remainder with the sign of b (integers)
 * @LOOM_GBIN_FMOD: remainder with the sign of a
 * @LOOM_GBIN_EQUAL: a == b, result BOOL, as for the next four
 * @LOOM_GBIN_LESS: a < b
 * @LOOM_GBIN_GREATER: a > b
 * @LOOM_GBIN_LESS_EQUAL: a <= b
 * @LOOM_GBIN_GREATER_EQUAL: a >= b
 * @LOOM_GBIN_AND: a && b, BOOL
 * @LOOM_GBIN_OR: a || b, BOOL
 * @LOOM_GBIN_XOR: a != b, BOOL
 * @LOOM_GBIN_PRELU: a < 0 ? a * b : a
 * @LOOM_GBIN_COUNT: number of functions
 */
enum loom_gbin {
	LOOM_GBIN_ADD,
	LOOM_GBIN_SUB,
	LOOM_GBIN_MUL,
	LOOM_GBIN_DIV,
	LOOM_GBIN_POW,
	LOOM_GBIN_MAX,
	LOOM_GBIN_MIN,
	LOOM_GBIN_MOD,
	LOOM_GBIN_FMOD,
	LOOM_GBIN_EQUAL,
	LOOM_GBIN_LESS,
	LOOM_GBIN_GREATER,
	LOOM_GBIN_LESS_EQUAL,
	LOOM_GBIN_GREATER_EQUAL,
	LOOM_GBIN_AND,
	LOOM_GBIN_OR,
	LOOM_GBIN_XOR,
	LOOM_GBIN_PRELU,
	LOOM_GBIN_COUNT,
};

/**
 * struct loom_gact - a function of one variable with its parameters
 * @fn: which function
 * @alpha: first parameter, see enum loom_gfn
 * @beta: second parameter
 */
struct loom_gact {
	enum loom_gfn fn;
	float alpha;
	float beta;
};

/**
 * enum loom_gconv_operand - operands of CONV and DECONV
 *
 * Float: x, w and y are F32 (or F16, F64), the bias is of the same dtype, the last four are NULL.
 *
 * Integer (x and w each I8 or U8): acc = sum((x - x_zp) * (w - w_zp)) + bias in I32, padding counts
 * as x_zp. With MULT NULL the result is acc, I32. With MULT, y = saturate(rint(acc * mult) + y_zp),
 * I8 or U8.
 *
 * @LOOM_GCONV_X: data
 * @LOOM_GCONV_W: weights, constant or not
 * @LOOM_GCONV_BIAS: [M], or NULL
 * @LOOM_GCONV_X_ZP: zero point of x, one element of its dtype, or NULL for 0
 * @LOOM_GCONV_W_ZP: zero point of w, one element or [M], or NULL for 0
 * @LOOM_GCONV_MULT: F32, one element or [M], or NULL
 * @LOOM_GCONV_Y_ZP: zero point of y, one element of its dtype, or NULL for 0
 * @LOOM_GCONV_NUM_OPERANDS: num_inputs of every CONV and DECONV
 */
enum loom_gconv_operand {
	LOOM_GCONV_X,
	LOOM_GCONV_W,
	LOOM_GCONV_BIAS,
	LOOM_GCONV_X_ZP,
	LOOM_GCONV_W_ZP,
	LOOM_GCONV_MULT,
	LOOM_GCONV_Y_ZP,
	LOOM_GCONV_NUM_OPERANDS,
};

/**
 * struct loom_gconv - CONV, DECONV
 * @num_spatial: 1 to 3
 * @groups: number of groups, divides C and M
 * @kernel: kernel size per spatial axis
 * @strides: per spatial axis, >= 1
 * @dilations: per spatial axis, >= 1
 * @pads_begin: per spatial axis. CONV: zeroes in front of the input, >= 0; output o reads input
 *	o * stride - pads_begin + k * dilation. DECONV: elements cut from the front of the full
 *	output; input i adds to output i * stride - pads_begin + k * dilation; may be negative
 * @pads_end: the same at the end. The result's shape is authoritative.
 */
struct loom_gconv {
	uint32_t num_spatial;
	int64_t groups;
	int64_t kernel[LOOM_GRAPH_SPATIAL];
	int64_t strides[LOOM_GRAPH_SPATIAL];
	int64_t dilations[LOOM_GRAPH_SPATIAL];
	int64_t pads_begin[LOOM_GRAPH_SPATIAL];
	int64_t pads_end[LOOM_GRAPH_SPATIAL];
};

/**
 * enum loom_gpool_kind - what a window becomes
 * @LOOM_GPOOL_MAX: its largest element
 * @LOOM_GPOOL_AVG: its mean
 * @LOOM_GPOOL_LP: (sum |x|^p)^(1/p)
 */
enum loom_gpool_kind {
	LOOM_GPOOL_MAX,
	LOOM_GPOOL_AVG,
	LOOM_GPOOL_LP,
};

/**
 * struct loom_gpool - POOL
 * @kind: max, mean or p-norm
 * @num_spatial: 1 to 3
 * @kernel: window per spatial axis
 * @strides: per spatial axis, >= 1
 * @dilations: per spatial axis, >= 1
 * @pads_begin: per spatial axis, >= 0, < window
 * @pads_end: per spatial axis, >= 0. Where ceil_mode was asked for, the last window may reach
 *	further than that; what lies past the padding counts for nothing.
 * @count_include_pad: AVG divides by the number of window elements that lie inside the padded
 *	input (true) or inside the input itself (false)
 * @p: LP only
 */
struct loom_gpool {
	enum loom_gpool_kind kind;
	uint32_t num_spatial;
	int64_t kernel[LOOM_GRAPH_SPATIAL];
	int64_t strides[LOOM_GRAPH_SPATIAL];
	int64_t dilations[LOOM_GRAPH_SPATIAL];
	int64_t pads_begin[LOOM_GRAPH_SPATIAL];
	int64_t pads_end[LOOM_GRAPH_SPATIAL];
	bool count_include_pad;
	int64_t p;
};

/**
 * enum loom_gmatmul_operand - operands of MATMUL
 *
 * Float: y = alpha * A * B + beta * c, the last four are NULL. Integer as for CONV, with alpha = 1
 * and no c.
 *
 * @LOOM_GMATMUL_A: [..., M, K], or [..., K, M] with trans_a
 * @LOOM_GMATMUL_B: [..., K, N], or [..., N, K] with trans_b
 * @LOOM_GMATMUL_C: broadcasts to the result, or NULL
 * @LOOM_GMATMUL_A_ZP: one element, or [M], or NULL for 0
 * @LOOM_GMATMUL_B_ZP: one element, or [N], or NULL for 0
 * @LOOM_GMATMUL_MULT: F32, one element or [N], or NULL
 * @LOOM_GMATMUL_Y_ZP: one element, or NULL for 0
 * @LOOM_GMATMUL_NUM_OPERANDS: num_inputs of every MATMUL
 */
enum loom_gmatmul_operand {
	LOOM_GMATMUL_A,
	LOOM_GMATMUL_B,
	LOOM_GMATMUL_C,
	LOOM_GMATMUL_A_ZP,
	LOOM_GMATMUL_B_ZP,
	LOOM_GMATMUL_MULT,
	LOOM_GMATMUL_Y_ZP,
	LOOM_GMATMUL_NUM_OPERANDS,
};

/**
 * struct loom_gmatmul - MATMUL
 * @trans_a: the last two dimensions of A are swapped
 * @trans_b: the last two dimensions of B are swapped
 * @alpha: factor of the product
 * @beta: factor of c
 */
struct loom_gmatmul {
	bool trans_a;
	bool trans_b;
	float alpha;
	float beta;
};

/**
 * struct loom_gbinary - BINARY
 * @fn: which function
 */
struct loom_gbinary {
	enum loom_gbin fn;
};

/**
 * enum loom_greduce_kind - REDUCE
 * @LOOM_GREDUCE_SUM: sum
 * @LOOM_GREDUCE_MEAN: mean; integers truncate
 * @LOOM_GREDUCE_MAX: largest
 * @LOOM_GREDUCE_MIN: smallest
 * @LOOM_GREDUCE_PROD: product
 * @LOOM_GREDUCE_L1: sum of |x|
 * @LOOM_GREDUCE_L2: sqrt of the sum of x^2
 * @LOOM_GREDUCE_SUM_SQUARE: sum of x^2
 * @LOOM_GREDUCE_LOG_SUM: log of the sum
 * @LOOM_GREDUCE_LOG_SUM_EXP: log of the sum of e^x
 */
enum loom_greduce_kind {
	LOOM_GREDUCE_SUM,
	LOOM_GREDUCE_MEAN,
	LOOM_GREDUCE_MAX,
	LOOM_GREDUCE_MIN,
	LOOM_GREDUCE_PROD,
	LOOM_GREDUCE_L1,
	LOOM_GREDUCE_L2,
	LOOM_GREDUCE_SUM_SQUARE,
	LOOM_GREDUCE_LOG_SUM,
	LOOM_GREDUCE_LOG_SUM_EXP,
};

/**
 * struct loom_greduce - REDUCE
 * @kind: how
 * @axes: bit i set: axis i of the operand is reduced; at least one bit
 * @keepdims: the reduced axes stay in the result as 1; else they are gone. The result's elements
 *	are in the same order either way.
 */
struct loom_greduce {
	enum loom_greduce_kind kind;
	uint32_t axes;
	bool keepdims;
};

/**
 * struct loom_gsoftmax - SOFTMAX
 * @axis: the one axis along which the result sums up to 1
 * @log: LogSoftmax
 */
struct loom_gsoftmax {
	uint32_t axis;
	bool log;
};

/** enum loom_gresize_mode - interpolation */
enum loom_gresize_mode {
	LOOM_GRESIZE_NEAREST,
	LOOM_GRESIZE_LINEAR,
	LOOM_GRESIZE_CUBIC,
};

/** enum loom_gresize_coord - ONNX coordinate_transformation_mode, same names */
enum loom_gresize_coord {
	LOOM_GRESIZE_HALF_PIXEL,
	LOOM_GRESIZE_HALF_PIXEL_SYMMETRIC,
	LOOM_GRESIZE_PYTORCH_HALF_PIXEL,
	LOOM_GRESIZE_ALIGN_CORNERS,
	LOOM_GRESIZE_ASYMMETRIC,
	LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN,
	LOOM_GRESIZE_TF_CROP_AND_RESIZE,
};

/** enum loom_gresize_round - ONNX nearest_mode, same names */
enum loom_gresize_round {
	LOOM_GRESIZE_ROUND_PREFER_FLOOR,
	LOOM_GRESIZE_ROUND_PREFER_CEIL,
	LOOM_GRESIZE_FLOOR,
	LOOM_GRESIZE_CEIL,
};

/**
 * struct loom_gresize - RESIZE
 * @mode: interpolation
 * @coord: how an output coordinate becomes one of the input
 * @round: NEAREST only
 * @cubic_a: CUBIC only
 * @exclude_outside: CUBIC and LINEAR: weights outside the input become 0, the others are rescaled
 * @extrapolation_value: TF_CROP_AND_RESIZE only: the value of what lies outside the input
 * @scales: per axis; 1 where nothing changes. Where the model gave sizes, output / input.
 * @roi_begin: per axis, TF_CROP_AND_RESIZE only
 * @roi_end: per axis, TF_CROP_AND_RESIZE only
 */
struct loom_gresize {
	enum loom_gresize_mode mode;
	enum loom_gresize_coord coord;
	enum loom_gresize_round round;
	float cubic_a;
	bool exclude_outside;
	float extrapolation_value;
	float scales[LOOM_GRAPH_RANK];
	float roi_begin[LOOM_GRAPH_RANK];
	float roi_end[LOOM_GRAPH_RANK];
};

/**
 * struct loom_gquant - QUANTIZE: y = saturate(rint(x / scale) + zero_point); DEQUANTIZE:
 *	y = (x - zero_point) * scale
 * @axis: the axis that scale and zero_point, both [dims[axis]], run along, or -1: one element each
 */
struct loom_gquant {
	int32_t axis;
};

/**
 * struct loom_gtranspose - TRANSPOSE
 * @perm: result axis i is operand axis perm[i]
 */
struct loom_gtranspose {
	uint32_t perm[LOOM_GRAPH_RANK];
};

/**
 * struct loom_gslice - SLICE: result[i] = operand[start + i * step] on every axis
 * @start: per axis, inside the operand unless the result is empty
 * @step: per axis, not 0, may be negative
 */
struct loom_gslice {
	int64_t start[LOOM_GRAPH_RANK];
	int64_t step[LOOM_GRAPH_RANK];
};

/**
 * struct loom_gconcat - CONCAT
 * @axis: the operands follow each other along this axis
 */
struct loom_gconcat {
	uint32_t axis;
};

/**
 * enum loom_gpad_mode - PAD
 * @LOOM_GPAD_CONSTANT: value
 * @LOOM_GPAD_EDGE: the nearest element
 * @LOOM_GPAD_REFLECT: mirrored at the edge element, which is not repeated
 * @LOOM_GPAD_WRAP: as if the operand were periodic
 */
enum loom_gpad_mode {
	LOOM_GPAD_CONSTANT,
	LOOM_GPAD_EDGE,
	LOOM_GPAD_REFLECT,
	LOOM_GPAD_WRAP,
};

/**
 * struct loom_gpad - PAD
 * @mode: what fills the border
 * @begin: per axis, >= 0
 * @end: per axis, >= 0
 * @value: CONSTANT only: one element of the operand's dtype, in its low bytes, little endian
 */
struct loom_gpad {
	enum loom_gpad_mode mode;
	int64_t begin[LOOM_GRAPH_RANK];
	int64_t end[LOOM_GRAPH_RANK];
	uint64_t value;
};

struct loom_node;

/**
 * struct loom_value - a tensor of the graph
 * @name: its name in the model, or one made up from that of the node's first result
 * @made_up: the model does not know it under this name
 * @id: index in &loom_graph.values
 * @dtype: enum loom_dtype
 * @rank: number of dimensions
 * @dims: the dimensions, outermost first
 * @num_elems: their product
 * @size_bytes: bytes of the whole tensor
 * @data: the elements of a constant, row-major, 16-byte aligned; else NULL
 * @producer: the node that computes it, NULL for inputs and constants
 * @is_input: it is in &loom_graph.inputs
 * @is_output: it is in &loom_graph.outputs
 * @num_uses: number of operands that refer to it; the graph's outputs do not count
 * @scope: what kind of storage it wants
 */
struct loom_value {
	const char *name;
	bool made_up;
	uint32_t id;
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	int64_t num_elems;
	size_t size_bytes;
	void *data;
	struct loom_node *producer;
	bool is_input;
	bool is_output;
	uint32_t num_uses;
	enum loom_scope scope;
};

/**
 * struct loom_node - an operation of the graph
 * @name: its name in the model, or that of its first output where it has none
 * @onnx_op: the ONNX operator it came from, for messages
 * @op: what it does; selects the member of the union
 * @source: index of the source node it came from
 * @num_inputs: number of @inputs
 * @inputs: operands, see enum loom_gop
 * @output: the result
 * @act: CONV, DECONV, MATMUL, BINARY: applied to the result last; fn NONE elsewhere
 * @conv: CONV, DECONV
 * @pool: POOL
 * @matmul: MATMUL
 * @binary: BINARY
 * @unary: UNARY
 * @reduce: REDUCE
 * @softmax: SOFTMAX
 * @resize: RESIZE
 * @quant: QUANTIZE, DEQUANTIZE
 * @transpose: TRANSPOSE
 * @slice: SLICE
 * @concat: CONCAT
 * @pad: PAD
 */
struct loom_node {
	const char *name;
	const char *onnx_op;
	enum loom_gop op;
	uint32_t source;
	uint32_t num_inputs;
	struct loom_value **inputs;
	struct loom_value *output;
	struct loom_gact act;
	union {
		struct loom_gconv conv;
		struct loom_gpool pool;
		struct loom_gmatmul matmul;
		struct loom_gbinary binary;
		struct loom_gact unary;
		struct loom_greduce reduce;
		struct loom_gsoftmax softmax;
		struct loom_gresize resize;
		struct loom_gquant quant;
		struct loom_gtranspose transpose;
		struct loom_gslice slice;
		struct loom_gconcat concat;
		struct loom_gpad pad;
	};
};

struct loom_pool;
struct loom_source;

/**
 * struct loom_graph - see DOC: The graph
 * @name: the file, without its directories
 * @opset: of the model
 * @pool: owner of all memory
 * @source: the source form
 * @values: all values ever made, by id; those of no use have no producer and no uses
 * @num_values: number of @values
 * @cap_values: room in @values
 * @nodes: in topological order
 * @num_nodes: number of @nodes
 * @cap_nodes: room in @nodes
 * @inputs: in the model's order, without initialisers and those bound as constants
 * @num_inputs: number of @inputs
 * @outputs: the model's, then the extra ones
 * @num_outputs: number of @outputs
 * @status: 0 or the first error of the builder
 * @error: text of the first error
 */
struct loom_graph {
	const char *name;
	int opset;
	struct loom_pool *pool;
	struct loom_source *source;
	struct loom_value **values;
	uint32_t num_values;
	uint32_t cap_values;
	struct loom_node **nodes;
	uint32_t num_nodes;
	uint32_t cap_nodes;
	struct loom_value **inputs;
	uint32_t num_inputs;
	struct loom_value **outputs;
	uint32_t num_outputs;
	int status;
	struct loom_error error;
};

/** loom_gop_name() - "conv", "matmul", ... for dumps and messages */
const char *loom_gop_name(enum loom_gop op);
/** loom_gfn_name() - "relu", ... */
const char *loom_gfn_name(enum loom_gfn fn);
/** loom_gbin_name() - "add", ... */
const char *loom_gbin_name(enum loom_gbin fn);

#endif /* LOOM_GRAPH_H */
