/* SPDX-License-Identifier: MIT */
/* Attributes of nodes: one struct per operator that has any. */
#ifndef LOOM_GRAPH_ATTRS_H
#define LOOM_GRAPH_ATTRS_H

#include "loom.h"
#include "function.h"

/** maximum number of spatial axes: width, height and depth */
#define LOOM_GRAPH_SPATIAL	3

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
 * enum loom_gpool_kind - reduction of a window
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
 * @pads_end: per spatial axis, >= 0. With ceil_mode, the last window may reach further than that;
 *	elements past the padding do not count.
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
 * Float: y = alpha * A * B + beta * c, the last four are NULL. Integer as for CONV, with alpha = 1,
 * beta = 1 and c in I32.
 *
 * @LOOM_GMATMUL_A: [..., M, K], or [..., K, M] with trans_a
 * @LOOM_GMATMUL_B: [..., K, N], or [..., N, K] with trans_b
 * @LOOM_GMATMUL_C: broadcasts to the result, or NULL
 * @LOOM_GMATMUL_A_ZP: one element, or [M], or NULL for 0
 * @LOOM_GMATMUL_B_ZP: one element, or [N], or NULL for 0
 * @LOOM_GMATMUL_MULT: F32, broadcasts to the result, or NULL
 * @LOOM_GMATMUL_Y_ZP: one element, or NULL for 0
 * @LOOM_GMATMUL_UP: of a pair of products, which only the planner makes (rewrite/pair.c): [L, K]; A
 *	is [..., M, L], and the function &loom_gmatmul.up_act of its product by UP replaces A
 * @LOOM_GMATMUL_UP_C: [K], added to that product, or NULL
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
	LOOM_GMATMUL_UP,
	LOOM_GMATMUL_UP_C,
	LOOM_GMATMUL_NUM_OPERANDS,
};

/**
 * struct loom_gmatmul - MATMUL
 * @trans_a: the last two dimensions of A are swapped
 * @trans_b: the last two dimensions of B are swapped
 * @alpha: factor of the product
 * @beta: factor of c
 * @up_act: function of the product by UP
 */
struct loom_gmatmul {
	bool trans_a;
	bool trans_b;
	float alpha;
	float beta;
	struct loom_gact up_act;
};

/**
 * struct loom_gbinary - BINARY
 * @fn: the function
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
 * @kind: the reduction
 * @axes: bit i set: axis i of the operand is reduced; at least one bit
 * @keepdims: the reduced axes stay in the result as 1; else they are removed. The result's elements
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

/**
 * struct loom_gtopk - TOPK
 * @axis: the axis along which elements are compared; the result has as many as are selected
 * @smallest: and not the largest
 */
struct loom_gtopk {
	uint32_t axis;
	bool smallest;
};

/**
 * struct loom_ggather - GATHER
 * @axis: the axis on which the second operand has the indices of the elements; negative ones count
 *	from the end, and one out of range gives zero
 */
struct loom_ggather {
	uint32_t axis;
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
 * @extrapolation_value: TF_CROP_AND_RESIZE only: value of elements outside the input
 * @scales: per axis; 1 for unchanged axes. If the model gives sizes, output / input.
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
 * @axis: the axis that scale and zero_point, both [dims[axis]], run along; -1: one element each, or
 *	those of DEQUANTIZE broadcast
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
 * @axis: the operands are contiguous along this axis
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
 * @mode: values of the border
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

/**
 * struct loom_gnative - NATIVE
 * @call: the kernel that computes it, of the room native/
 */
struct loom_gnative {
	const struct loom_native_call *call;
};

#endif /* LOOM_GRAPH_ATTRS_H */
