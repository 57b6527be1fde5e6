/* SPDX-License-Identifier: MIT WITH Linux-syscall-note */
#ifndef _LOOM_ACCEL_OPS_H_
#define _LOOM_ACCEL_OPS_H_

/* Operations that compute: attributes, and time on a chip. Use <drm/loom_accel.h>. */

#include "loom_accel_chip.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: The clock of a chip
 *
 * A command takes a fixed number of cycles to start, and then:
 *
 * - of the DMA stream: the longer of what the source takes to be read and the destination to be
 *   written, or their sum if both are the same memory and its bus is shared;
 * - of the compute stream: the longer of its arithmetic and of what it reads and writes in place in
 *   another region than the SRAM.
 *
 * A memory takes its latency, once for all that a command reads and once for all that it writes,
 * and then its rate, each rounded up to a cycle. Each run of bytes of an operand that is contiguous
 * is rounded up to bursts: axes are merged from the smallest stride on, as long as one begins where
 * the one before ends, but in an SRAM of several banks the lane axis is not merged. Of x of GATHER
 * there is an element for each of y, and the axes that index runs along are not merged.
 *
 * Arithmetic is dealt over the lanes along the lane axis of y, or of x in REDUCE, and a row of
 * lanes takes as long however many of them have work: 33 channels on 32 lanes take two rounds, and
 * so do two channels of which the first is on the last lane. Elements that do not lie in the SRAM
 * are dealt over the lanes one by one. CONV, MATMUL and DECONV take their multiply-accumulates, by
 * the type of the first input, with bias, activation and requantisation included; those of DECONV
 * are divided evenly between the elements of y. Other commands take operations for each element, by
 * the slowest type of their operands: POOL one for each tap of its window; RESIZE two (LINEAR) or
 * four (CUBIC) times as many for each axis that changes its size; SOFTMAX four; QUANTIZE and
 * DEQUANTIZE two; all others one.
 *
 * Units work in blocks, see &struct drm_loom_chip_array: of CONV and MATMUL with y in the SRAM, the
 * channels of y in a lane (axis 1, of MATMUL axis 3), the product of all other dims in a lane, and
 * the channels of x that are summed (C / groups, of MATMUL the inner dimension) are each rounded up
 * to the blocks of the type of the first input, unless a block is zero. A CONV with one channel of
 * x for each of y takes the rate for that instead, if there is one, and no blocks.
 *
 * The streams of a step take as long as the sum of their commands, and a step as long as the
 * longer stream if both can run at the same time, else both after each other; at least one cycle.
 *
 * Energy is that of the bytes of all operands, those in the SRAM included and rounded up to bursts
 * as above, and of the arithmetic of the elements of the operands, idle lanes not included. Sums
 * saturate at 64 bits.
 */

/**
 * enum drm_loom_compute_opcode - operations of commands that compute
 *
 * y is the output. All operands are in SRAM, but for y and x of CONV and POOL, which may each be in
 * an image, too, and x of GATHER, which may be in any region. [x] is optional and says so in the
 * attributes. The numbers are those that &enum drm_loom_opcode does not have.
 */
enum drm_loom_compute_opcode {
	/**
	 * @DRM_LOOM_OP_CONV: y[N,O,D,H,W], x[N,C,D,H,W], w[O,C/groups,KD,KH,KW], [bias[O]],
	 * [scale[O]]; &struct drm_loom_attr_conv. Elements of x outside of its dims
	 * are zero (the zero point)
	 */
	DRM_LOOM_OP_CONV = 16,
	/** @DRM_LOOM_OP_DECONV: as CONV with w[C,O/groups,KD,KH,KW], floating point only */
	DRM_LOOM_OP_DECONV = 17,
	/** @DRM_LOOM_OP_POOL: y[N,C,D,H,W], x[N,C,D,H,W]; &struct drm_loom_attr_pool */
	DRM_LOOM_OP_POOL = 18,
	/**
	 * @DRM_LOOM_OP_MATMUL: y[A,B,M,N], a[A|1,B|1,M,K], b[A|1,B|1,K,N],
	 * [bias[A|1,B|1,M|1,N|1]], [scale[A|1,B|1,M|1,N|1]]; &struct drm_loom_attr_matmul
	 */
	DRM_LOOM_OP_MATMUL = 19,
	/** @DRM_LOOM_OP_BINARY: y, a, b; a and b have y's dim or 1; &struct drm_loom_attr_binary */
	DRM_LOOM_OP_BINARY = 20,
	/** @DRM_LOOM_OP_UNARY: y, x; &struct drm_loom_attr_unary */
	DRM_LOOM_OP_UNARY = 21,
	/** @DRM_LOOM_OP_SELECT: y, cond (BOOL), a, b; each has y's dim or 1 */
	DRM_LOOM_OP_SELECT = 22,
	/**
	 * @DRM_LOOM_OP_REDUCE: y, x; y has x's dim, or 1 where it is reduced;
	 * &struct drm_loom_attr_reduce
	 */
	DRM_LOOM_OP_REDUCE = 23,
	/** @DRM_LOOM_OP_SOFTMAX: y, x; &struct drm_loom_attr_softmax */
	DRM_LOOM_OP_SOFTMAX = 24,
	/** @DRM_LOOM_OP_RESIZE: y[N,C,D,H,W], x[N,C,D,H,W]; &struct drm_loom_attr_resize */
	DRM_LOOM_OP_RESIZE = 25,
	/** @DRM_LOOM_OP_CAST: y, x; types differ, ONNX Cast semantics */
	DRM_LOOM_OP_CAST = 26,
	/**
	 * @DRM_LOOM_OP_QUANTIZE: y (I8, U8, I16, U16), x (F32), scale (F32), [zero point (y's
	 * type)]; scale and zero point have y's dim or 1
	 */
	DRM_LOOM_OP_QUANTIZE = 27,
	/**
	 * @DRM_LOOM_OP_DEQUANTIZE: y (F32), x (I8, U8, I16, U16, I32), scale (F32), [zero point
	 * (x's type)]; as above
	 */
	DRM_LOOM_OP_DEQUANTIZE = 28,
	/**
	 * @DRM_LOOM_OP_TOPK: y, x, [from]; x and from have the same dims, and y but for its axis;
	 * y is I32, or of the type of from, if that is there; &struct drm_loom_attr_topk. Since
	 * minor 9
	 */
	DRM_LOOM_OP_TOPK = 29,
	/**
	 * @DRM_LOOM_OP_GATHER: y, x, index (I32, I64); y and x are of one type, and x has y's dims
	 * but for the axis; index has y's dim or 1; &struct drm_loom_attr_gather. Since minor 10
	 */
	DRM_LOOM_OP_GATHER = 30,
	/**
	 * @DRM_LOOM_OP_MATMUL_ADD: as MATMUL, with sums[A,B,M,N] behind b: the sum of each element
	 * goes on from there, as if their terms were the first of K. Sums are F32, F64 where a is,
	 * I32 where a is of bytes; y may be the same view. Since minor 11; a chip that has it has
	 * MATMUL with y of F32 and a of F16, too
	 */
	DRM_LOOM_OP_MATMUL_ADD = 31,
};

/* DRM_LOOM_OP_END: behind the opcodes that &drm_loom_chip.opcodes can have */
#define DRM_LOOM_OP_END			32

/**
 * enum drm_loom_act - function of each result, in floating point
 *
 * Takes two parameters p0 and p1, the bits of an IEEE binary32.
 */
enum drm_loom_act {
	/** @DRM_LOOM_ACT_NONE: the sum as it is */
	DRM_LOOM_ACT_NONE = 0,
	/** @DRM_LOOM_ACT_RELU: max(x, 0) */
	DRM_LOOM_ACT_RELU = 1,
	/** @DRM_LOOM_ACT_CLIP: min(max(x, p0), p1) */
	DRM_LOOM_ACT_CLIP = 2,
	/** @DRM_LOOM_ACT_LEAKY: x < 0 ? p0 * x : x */
	DRM_LOOM_ACT_LEAKY = 3,
	/** @DRM_LOOM_ACT_SIGMOID: 1 / (1 + exp(-x)) */
	DRM_LOOM_ACT_SIGMOID = 4,
	/** @DRM_LOOM_ACT_HARDSIGMOID: min(max(p0 * x + p1, 0), 1) */
	DRM_LOOM_ACT_HARDSIGMOID = 5,
	/** @DRM_LOOM_ACT_HARDSWISH: x * min(max(x / 6 + 0.5, 0), 1) */
	DRM_LOOM_ACT_HARDSWISH = 6,
	/** @DRM_LOOM_ACT_TANH: hyperbolic tangent */
	DRM_LOOM_ACT_TANH = 7,
};

#define DRM_LOOM_ACT_END			8

/* DRM_LOOM_ATTR_BIAS: the bias operand is there (F32, or I32 when quantised) */
#define DRM_LOOM_ATTR_BIAS			(1 << 0)
/*
 * DRM_LOOM_ATTR_SCALE: quantised, with a scale operand (F32): y is I8 or U8 and
 * holds saturate(round_half_even(sum * scale) + y_zero)
 */
#define DRM_LOOM_ATTR_SCALE			(1 << 1)

/**
 * struct drm_loom_attr_conv - attributes of CONV and DECONV
 *
 * CONV:   y[o] = sum over k of x[o * stride + k * dilation - pad] * w[k]
 * DECONV: y[i * stride + k * dilation - pad] += x[i] * w[k]
 *
 * Operands are floating point (all F32, all F16 or all F64), or x and w are I8 or U8 and y is I32
 * (or I8, U8 with DRM_LOOM_ATTR_SCALE).
 *
 * @stride, @dilation and the absolute value of @pad must not exceed DRM_LOOM_MAX_SPATIAL.
 *
 * @stride: D, H, W, from 1
 * @dilation: D, H, W, from 1
 * @pad: D, H, W before the first element; DECONV takes negative ones, too
 * @groups: from 1; divides C and O
 * @flags: DRM_LOOM_ATTR_*
 * @act: an &enum drm_loom_act; NONE when quantised
 * @act_p0: bits of a binary32
 * @act_p1: bits of a binary32
 * @x_zero: zero point of x; zero in floating point
 * @w_zero: zero point of w; zero in floating point
 * @y_zero: zero point of y; zero without DRM_LOOM_ATTR_SCALE
 * @reserved: zero
 */
struct drm_loom_attr_conv {
	__s32 stride[3];
	__s32 dilation[3];
	__s32 pad[3];
	__u32 groups;
	__u32 flags;
	__u32 act;
	__u32 act_p0;
	__u32 act_p1;
	__s32 x_zero;
	__s32 w_zero;
	__s32 y_zero;
	__u32 reserved;
};

/**
 * enum drm_loom_pool - kinds of pooling
 */
enum drm_loom_pool {
	/** @DRM_LOOM_POOL_MAX: the largest */
	DRM_LOOM_POOL_MAX = 0,
	/** @DRM_LOOM_POOL_AVG: the mean */
	DRM_LOOM_POOL_AVG = 1,
};

/* DRM_LOOM_POOL_COUNT_PAD: AVG divides by the taps in the padded input, not by those in x only */
#define DRM_LOOM_POOL_COUNT_PAD		(1 << 0)

/**
 * struct drm_loom_attr_pool - attributes of POOL
 *
 * The first five must not exceed DRM_LOOM_MAX_SPATIAL.
 *
 * @kernel: D, H, W, from 1
 * @stride: D, H, W, from 1
 * @dilation: D, H, W, from 1
 * @pad_before: D, H, W
 * @pad_after: D, H, W; taps beyond it are ignored
 * @kind: an &enum drm_loom_pool
 * @flags: DRM_LOOM_POOL_*
 * @reserved: zero
 */
struct drm_loom_attr_pool {
	__s32 kernel[3];
	__s32 stride[3];
	__s32 dilation[3];
	__s32 pad_before[3];
	__s32 pad_after[3];
	__u32 kind;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct drm_loom_attr_matmul - attributes of MATMUL
 *
 * y = act(alpha * (a x b) + beta * bias), or quantised as CONV is (alpha and beta 1).
 *
 * @flags: DRM_LOOM_ATTR_*
 * @act: an &enum drm_loom_act
 * @act_p0: bits of a binary32
 * @act_p1: bits of a binary32
 * @alpha: bits of a binary32
 * @beta: bits of a binary32; 1.0 without a bias
 * @a_zero: zero point of a
 * @b_zero: zero point of b
 * @y_zero: zero point of y
 * @reserved: zero
 */
struct drm_loom_attr_matmul {
	__u32 flags;
	__u32 act;
	__u32 act_p0;
	__u32 act_p1;
	__u32 alpha;
	__u32 beta;
	__s32 a_zero;
	__s32 b_zero;
	__s32 y_zero;
	__u32 reserved;
};

/**
 * enum drm_loom_binary - operations of BINARY
 *
 * Up to MOD, y, a and b are of one type; comparisons write BOOL; the logical ones
 * take BOOL only. Integer results wrap; integer division truncates, x / 0 is 0.
 */
enum drm_loom_binary {
	/** @DRM_LOOM_BINARY_ADD: a + b */
	DRM_LOOM_BINARY_ADD = 0,
	/** @DRM_LOOM_BINARY_SUB: a - b */
	DRM_LOOM_BINARY_SUB = 1,
	/** @DRM_LOOM_BINARY_MUL: a * b */
	DRM_LOOM_BINARY_MUL = 2,
	/** @DRM_LOOM_BINARY_DIV: a / b */
	DRM_LOOM_BINARY_DIV = 3,
	/** @DRM_LOOM_BINARY_POW: a to the power of b */
	DRM_LOOM_BINARY_POW = 4,
	/** @DRM_LOOM_BINARY_MAX: the larger; a NaN wins */
	DRM_LOOM_BINARY_MAX = 5,
	/** @DRM_LOOM_BINARY_MIN: the smaller; a NaN wins */
	DRM_LOOM_BINARY_MIN = 6,
	/** @DRM_LOOM_BINARY_MOD: sign of the divisor (integers) */
	DRM_LOOM_BINARY_MOD = 7,
	/** @DRM_LOOM_BINARY_FMOD: sign of the dividend */
	DRM_LOOM_BINARY_FMOD = 8,
	/** @DRM_LOOM_BINARY_PRELU: a < 0 ? a * b : a */
	DRM_LOOM_BINARY_PRELU = 9,
	/** @DRM_LOOM_BINARY_EQ: a == b */
	DRM_LOOM_BINARY_EQ = 10,
	/** @DRM_LOOM_BINARY_LT: a < b */
	DRM_LOOM_BINARY_LT = 11,
	/** @DRM_LOOM_BINARY_LE: a <= b */
	DRM_LOOM_BINARY_LE = 12,
	/** @DRM_LOOM_BINARY_GT: a > b */
	DRM_LOOM_BINARY_GT = 13,
	/** @DRM_LOOM_BINARY_GE: a >= b */
	DRM_LOOM_BINARY_GE = 14,
	/** @DRM_LOOM_BINARY_AND: a and b */
	DRM_LOOM_BINARY_AND = 15,
	/** @DRM_LOOM_BINARY_OR: a or b */
	DRM_LOOM_BINARY_OR = 16,
	/** @DRM_LOOM_BINARY_XOR: one of both */
	DRM_LOOM_BINARY_XOR = 17,
};

#define DRM_LOOM_BINARY_END			18

/**
 * struct drm_loom_attr_binary - attributes of BINARY
 * @kind: an &enum drm_loom_binary
 * @act: an &enum drm_loom_act, F32 only
 * @act_p0: bits of a binary32
 * @act_p1: bits of a binary32
 */
struct drm_loom_attr_binary {
	__u32 kind;
	__u32 act;
	__u32 act_p0;
	__u32 act_p1;
};

/**
 * enum drm_loom_unary - operations of UNARY
 *
 * Floating point, if not said otherwise; p0 and p1 are attributes.
 */
enum drm_loom_unary {
	/** @DRM_LOOM_UNARY_RELU: any type */
	DRM_LOOM_UNARY_RELU = 0,
	/** @DRM_LOOM_UNARY_CLIP: min(max(x, p0), p1) */
	DRM_LOOM_UNARY_CLIP = 1,
	/** @DRM_LOOM_UNARY_LEAKY: x < 0 ? p0 * x : x */
	DRM_LOOM_UNARY_LEAKY = 2,
	/** @DRM_LOOM_UNARY_SIGMOID: 1 / (1 + exp(-x)) */
	DRM_LOOM_UNARY_SIGMOID = 3,
	/** @DRM_LOOM_UNARY_HARDSIGMOID: min(max(p0 * x + p1, 0), 1) */
	DRM_LOOM_UNARY_HARDSIGMOID = 4,
	/** @DRM_LOOM_UNARY_HARDSWISH: x * min(max(x / 6 + 0.5, 0), 1) */
	DRM_LOOM_UNARY_HARDSWISH = 5,
	/** @DRM_LOOM_UNARY_TANH: hyperbolic tangent */
	DRM_LOOM_UNARY_TANH = 6,
	/** @DRM_LOOM_UNARY_SQRT: square root */
	DRM_LOOM_UNARY_SQRT = 7,
	/** @DRM_LOOM_UNARY_EXP: e to the power of x */
	DRM_LOOM_UNARY_EXP = 8,
	/** @DRM_LOOM_UNARY_LOG: natural logarithm */
	DRM_LOOM_UNARY_LOG = 9,
	/** @DRM_LOOM_UNARY_NEG: any signed type */
	DRM_LOOM_UNARY_NEG = 10,
	/** @DRM_LOOM_UNARY_ABS: any type */
	DRM_LOOM_UNARY_ABS = 11,
	/** @DRM_LOOM_UNARY_ERF: error function */
	DRM_LOOM_UNARY_ERF = 12,
	/** @DRM_LOOM_UNARY_RECIPROCAL: 1 / x */
	DRM_LOOM_UNARY_RECIPROCAL = 13,
	/** @DRM_LOOM_UNARY_FLOOR: round down */
	DRM_LOOM_UNARY_FLOOR = 14,
	/** @DRM_LOOM_UNARY_CEIL: round up */
	DRM_LOOM_UNARY_CEIL = 15,
	/** @DRM_LOOM_UNARY_ROUND: half to even */
	DRM_LOOM_UNARY_ROUND = 16,
	/** @DRM_LOOM_UNARY_NOT: BOOL only */
	DRM_LOOM_UNARY_NOT = 17,
	/** @DRM_LOOM_UNARY_ELU: x < 0 ? p0 * (exp(x) - 1) : x */
	DRM_LOOM_UNARY_ELU = 18,
	/** @DRM_LOOM_UNARY_SELU: p1 * (x < 0 ? p0 * (exp(x) - 1) : x) */
	DRM_LOOM_UNARY_SELU = 19,
	/** @DRM_LOOM_UNARY_SOFTPLUS: log(exp(x) + 1) */
	DRM_LOOM_UNARY_SOFTPLUS = 20,
	/** @DRM_LOOM_UNARY_SOFTSIGN: x / (1 + abs(x)) */
	DRM_LOOM_UNARY_SOFTSIGN = 21,
	/** @DRM_LOOM_UNARY_SIGN: any signed type */
	DRM_LOOM_UNARY_SIGN = 22,
};

#define DRM_LOOM_UNARY_END			23

/**
 * struct drm_loom_attr_unary - attributes of UNARY
 * @kind: an &enum drm_loom_unary
 * @p0: bits of a binary32
 * @p1: bits of a binary32
 * @reserved: zero
 */
struct drm_loom_attr_unary {
	__u32 kind;
	__u32 p0;
	__u32 p1;
	__u32 reserved;
};

/**
 * enum drm_loom_reduce - operations of REDUCE
 */
enum drm_loom_reduce {
	/** @DRM_LOOM_REDUCE_SUM: sum */
	DRM_LOOM_REDUCE_SUM = 0,
	/** @DRM_LOOM_REDUCE_MEAN: sum over count */
	DRM_LOOM_REDUCE_MEAN = 1,
	/** @DRM_LOOM_REDUCE_MAX: the largest */
	DRM_LOOM_REDUCE_MAX = 2,
	/** @DRM_LOOM_REDUCE_MIN: the smallest */
	DRM_LOOM_REDUCE_MIN = 3,
	/** @DRM_LOOM_REDUCE_PROD: product */
	DRM_LOOM_REDUCE_PROD = 4,
	/** @DRM_LOOM_REDUCE_SUMSQ: sum of squares */
	DRM_LOOM_REDUCE_SUMSQ = 5,
	/** @DRM_LOOM_REDUCE_L1: sum of absolute values */
	DRM_LOOM_REDUCE_L1 = 6,
	/** @DRM_LOOM_REDUCE_L2: square root of the sum of squares */
	DRM_LOOM_REDUCE_L2 = 7,
};

#define DRM_LOOM_REDUCE_END			8

/**
 * struct drm_loom_attr_reduce - attributes of REDUCE
 * @kind: an &enum drm_loom_reduce
 * @reserved: zero
 */
struct drm_loom_attr_reduce {
	__u32 kind;
	__u32 reserved;
};

/* DRM_LOOM_SOFTMAX_LOG: the logarithm of it */
#define DRM_LOOM_SOFTMAX_LOG		(1 << 0)

/**
 * struct drm_loom_attr_softmax - attributes of SOFTMAX
 * @axis: axis of the views
 * @flags: DRM_LOOM_SOFTMAX_*
 */
struct drm_loom_attr_softmax {
	__u32 axis;
	__u32 flags;
};

/* DRM_LOOM_TOPK_SMALLEST: the smallest elements, the smallest first */
#define DRM_LOOM_TOPK_SMALLEST		(1 << 0)

/**
 * struct drm_loom_attr_topk - attributes of TOPK
 *
 * Of each run of x along @axis, the @count largest elements in order: a NaN is above all numbers,
 * zeros are equal whatever their sign, and of equal elements the one with the lower position comes
 * first. y holds their positions in the run, or the elements of the third operand there. An element
 * of y must have room for every position, even if y holds none.
 *
 * @axis: axis of the views
 * @flags: DRM_LOOM_TOPK_*
 * @count: from 1; y's dim on @axis, and at most x's
 * @reserved: zero
 */
struct drm_loom_attr_topk {
	__u32 axis;
	__u32 flags;
	__u32 count;
	__u32 reserved;
};

/**
 * struct drm_loom_attr_gather - attributes of GATHER
 *
 * An element of y is the element of x with the same indices, but on @axis, where index says which:
 * from 0, or, if negative, -1 for the last and -2 for the one before. It is zero if x has no such
 * element.
 *
 * @axis: axis of the views
 * @reserved: zero
 */
struct drm_loom_attr_gather {
	__u32 axis;
	__u32 reserved;
};

/**
 * enum drm_loom_resize_mode - interpolation
 */
enum drm_loom_resize_mode {
	/** @DRM_LOOM_RESIZE_NEAREST: the nearest element */
	DRM_LOOM_RESIZE_NEAREST = 0,
	/** @DRM_LOOM_RESIZE_LINEAR: linear along each axis */
	DRM_LOOM_RESIZE_LINEAR = 1,
	/** @DRM_LOOM_RESIZE_CUBIC: cubic along H and W */
	DRM_LOOM_RESIZE_CUBIC = 2,
};

/**
 * enum drm_loom_resize_coord - coordinate of an output element in the input, ONNX names
 */
enum drm_loom_resize_coord {
	/** @DRM_LOOM_COORD_HALF_PIXEL: (y + 0.5) / scale - 0.5 */
	DRM_LOOM_COORD_HALF_PIXEL = 0,
	/** @DRM_LOOM_COORD_PYTORCH_HALF_PIXEL: the same, or 0 where the output has one element */
	DRM_LOOM_COORD_PYTORCH_HALF_PIXEL = 1,
	/** @DRM_LOOM_COORD_ALIGN_CORNERS: y * (in - 1) / (out - 1) */
	DRM_LOOM_COORD_ALIGN_CORNERS = 2,
	/** @DRM_LOOM_COORD_ASYMMETRIC: y / scale */
	DRM_LOOM_COORD_ASYMMETRIC = 3,
	/** @DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC: since opset 19 */
	DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC = 4,
	/** @DRM_LOOM_COORD_TF_CROP_AND_RESIZE: in the region of interest */
	DRM_LOOM_COORD_TF_CROP_AND_RESIZE = 5,
};

/**
 * enum drm_loom_resize_nearest - rounding of NEAREST, ONNX names
 */
enum drm_loom_resize_nearest {
	/** @DRM_LOOM_NEAREST_ROUND_PREFER_FLOOR: round half down */
	DRM_LOOM_NEAREST_ROUND_PREFER_FLOOR = 0,
	/** @DRM_LOOM_NEAREST_ROUND_PREFER_CEIL: round half up */
	DRM_LOOM_NEAREST_ROUND_PREFER_CEIL = 1,
	/** @DRM_LOOM_NEAREST_FLOOR: round down */
	DRM_LOOM_NEAREST_FLOOR = 2,
	/** @DRM_LOOM_NEAREST_CEIL: round up */
	DRM_LOOM_NEAREST_CEIL = 3,
};

/* DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE: weights outside of the input are zero (CUBIC) */
#define DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE	(1 << 0)

/**
 * struct drm_loom_attr_resize - attributes of RESIZE
 *
 * The views may be slices of the input and output; sizes and starts say which.
 *
 * @mode: an &enum drm_loom_resize_mode
 * @coord: an &enum drm_loom_resize_coord
 * @nearest: an &enum drm_loom_resize_nearest
 * @flags: DRM_LOOM_RESIZE_*
 * @in_size: D, H, W of the whole input
 * @out_size: D, H, W of the whole output
 * @in_start: D, H, W of x's first element in the whole input
 * @out_start: D, H, W of y's first element in the whole output
 * @scale: D, H, W: bits of binary32, output over input
 * @roi_start: D, H, W: bits of binary32 (TF_CROP_AND_RESIZE)
 * @roi_end: D, H, W: bits of binary32
 * @cubic_a: bits of a binary32
 * @extrapolation: bits of a binary32 (TF_CROP_AND_RESIZE)
 * @reserved: zero
 */
struct drm_loom_attr_resize {
	__u32 mode;
	__u32 coord;
	__u32 nearest;
	__u32 flags;
	__s32 in_size[3];
	__s32 out_size[3];
	__s32 in_start[3];
	__s32 out_start[3];
	__u32 scale[3];
	__u32 roi_start[3];
	__u32 roi_end[3];
	__u32 cubic_a;
	__u32 extrapolation;
	__u32 reserved;
};

#if defined(__cplusplus)
}
#endif

#endif /* _LOOM_ACCEL_OPS_H_ */
