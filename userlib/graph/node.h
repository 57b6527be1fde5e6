/* SPDX-License-Identifier: MIT */
/* A node: one operation of the graph. */
#ifndef LOOM_GRAPH_NODE_H
#define LOOM_GRAPH_NODE_H

#include "attrs.h"
#include "op.h"

struct loom_value;

/**
 * struct loom_node - an operation of the graph
 * @name: its name in the model, or that of its first output if it has none
 * @source_op: its source operator, as named in the model file, for messages
 * @op: its operator; selects the member of the union
 * @source: index in the model file of the node it came from
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
 * @topk: TOPK
 * @gather: GATHER
 * @resize: RESIZE
 * @quant: QUANTIZE, DEQUANTIZE
 * @transpose: TRANSPOSE
 * @slice: SLICE
 * @concat: CONCAT
 * @pad: PAD
 * @native: NATIVE
 */
struct loom_node {
	const char *name;
	const char *source_op;
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
		struct loom_gtopk topk;
		struct loom_ggather gather;
		struct loom_gresize resize;
		struct loom_gquant quant;
		struct loom_gtranspose transpose;
		struct loom_gslice slice;
		struct loom_gconcat concat;
		struct loom_gpad pad;
		struct loom_gnative native;
	};
};

#endif /* LOOM_GRAPH_NODE_H */
