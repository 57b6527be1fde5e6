/* SPDX-License-Identifier: MIT */
/*
 * Operators of the graph. The g of loom_gop, LOOM_GOP_CONV, loom_gconv... stands for graph:
 * operators of plans and devices (DRM_LOOM_OP_CONV) are others, and fewer.
 */
#ifndef LOOM_GRAPH_OP_H
#define LOOM_GRAPH_OP_H

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
 * @LOOM_GOP_TOPK: &loom_gtopk, operands x, [from] of one shape. The result is of the type of from,
 *	or I32, the positions
 * @LOOM_GOP_GATHER: &loom_ggather, operands x, index (I32 or I64) of one rank; index has x's dim or
 *	1, but on the axis, where it has the result's
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
 * @LOOM_GOP_NATIVE: &struct loom_gnative, any operands
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
	LOOM_GOP_TOPK,
	LOOM_GOP_GATHER,
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
	LOOM_GOP_NATIVE,
	LOOM_GOP_COUNT,
};

/** loom_gop_name() - "conv", "matmul", ... for dumps and messages */
const char *loom_gop_name(enum loom_gop op);

#endif /* LOOM_GRAPH_OP_H */
