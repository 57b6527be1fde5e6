/* SPDX-License-Identifier: MIT */
/**
 * DOC: Rewriting
 *
 * A chip declares its operations (&drm_loom_chip.opcodes). A node with another operation is
 * rewritten into operations of the chip before planning: the planner and the device see only those.
 *
 *	CONV		MATMUL: windows side by side in DRAM; grouped ones by batches. Same bits
 *	MATMUL		CONV, of one tap. Same bits for what is multiplied and summed
 *	DECONV		CONV over the input with zeroes between its elements
 *	POOL		BINARY over shifted views, axis by axis; of whole planes REDUCE
 *	REDUCE		POOL over the reduced axes; or BINARY of halves of them
 *	SOFTMAX		REDUCE, BINARY, UNARY
 *	SELECT		BINARY and CAST
 *	GATHER		MATMUL of one-hot rows and a table; else BINARY, SELECT, REDUCE
 *	RESIZE		nearest: COPY of runs, same bits; linear: MATMUL by a constant matrix
 *	QUANTIZE	BINARY, UNARY, CAST. Same bits
 *	DEQUANTIZE	CAST, BINARY. Same bits
 *	UNARY		BINARY, for functions that are a short chain of them
 *	FILL		COPY of constants, for PAD
 *
 * "Same bits" is as on a chip that has the operation. The other rewrites sum in another order, and
 * round to the type in between.
 *
 * A node that does not fit into the SRAM, not even in the smallest slices (as the planner reports),
 * is rewritten likewise: a slice of its result needs all elements that are summed or compared for
 * it. The summed axis is cut, and partial sums are values:
 *
 *	REDUCE		REDUCE of pieces of the axes, then of their results. Means have weights
 *	SOFTMAX		as above, and its REDUCE likewise
 *	MATMUL		a sum of products of pieces of K, on chips without MATMUL_ADD
 *	CONV, DECONV	a sum over pieces of the channels, or of the kernel
 *	POOL		as above
 *
 * Partial sums are rounded to binary32, and bytes are summed in 32 bits as in the command: only
 * integers and maxima have the same bits as in a large enough SRAM. A node that fits is not
 * changed. Rejected: reductions that go on from an existing sum, as MATMUL_ADD does, which would
 * keep the bits. They sum in binary64, so the SRAM and the plan format would have to hold that, for
 * networks that do not occur.
 *
 *	rewrite.c	the tables; operations of a chip; the rounds
 *	expand.c	constants that are held packed, expanded for chips where that is faster
 *	clone.c		a copy of the graph: the caller's is not changed
 *	put.c		small calls to make nodes, beyond graph/emit.h
 *	conv.c, matmul.c, pool.c, reduce.c, softmax.c, select.c, gather.c, resize.c, quantize.c,
 *	unary.c, pad.c	a function for each line of the table, named after the operation replaced
 *	cut_reduce.c	reductions that do not fit, put together of pieces
 *	cut_sum.c	products and windows that do not fit
 *	pair.c		two products, the second of which sums the results of the first
 *	turn.c		matrices of products, as transposes in DRAM that works in bursts
 *
 * A function makes nodes for the result of one node. They may be rewritten in the next round (a
 * DECONV becomes a CONV becomes a MATMUL). The last node takes over the value of the old node, so
 * that values keep their names, and users need no change.
 *
 * Rejected: rewriting kernels of lower/. Their maps give the part of an operand that a part of the
 * result needs, but a rewrite needs several nodes with values between them.
 */
#ifndef LOOM_REWRITE_H
#define LOOM_REWRITE_H

#include "graph/emit.h"
#include "loom_core.h"

/**
 * struct loom_topk_halves - halves of an operand of TOPK
 * @x: the operand
 * @count: elements that are selected
 * @topk: how
 * @half: the halves
 * @keys: the selected elements of each
 */
struct loom_topk_halves {
	struct loom_value *x;
	s64 count;
	struct loom_gtopk topk;
	struct loom_value *half[2];
	struct loom_value *keys[2];
};

/**
 * struct loom_rewriter - the state of rewriting a node
 * @em: receives nodes
 * @chip: the chip
 * @too_large: by id of the result: the node does not fit; NULL: rewrite missing operations
 * @num_marks: number of @too_large
 * @sram_bytes: SRAM per lane, where there is @too_large
 * @halves: of the TOPK that was cut last: positions and elements are two nodes
 */
struct loom_rewriter {
	struct loom_emitter em;
	const struct drm_loom_chip *chip;
	const bool *too_large;
	u32 num_marks;
	u64 sram_bytes;
	struct loom_topk_halves halves;
};

/**
 * loom_rewrite() - rewrite a graph to operations of a chip
 * @from: finished; must outlive @to
 * @chip: the chip
 * @to: [out] a graph that computes the same; NULL if nothing is missing
 * @err: [out] one line on failure, may be NULL
 *
 * A node that cannot be rewritten is unchanged in @to.
 *
 * Return: 0 or -errno.
 */
int loom_rewrite(const struct loom_graph *from, const struct drm_loom_chip *chip,
		 struct loom_graph **to, struct loom_error *err);

/**
 * loom_rewrite_cut() - cut the summed or compared axes of nodes that do not fit
 * @graph: finished, in operations of the chip; changed
 * @chip: the chip
 * @sram_bytes: SRAM per lane
 * @too_large: by id of the result: the node does not fit, as the planner found
 * @changed: [out] some node was cut: its pieces may have to be cut as well
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno.
 */
int loom_rewrite_cut(struct loom_graph *graph, const struct drm_loom_chip *chip, u64 sram_bytes,
		     const bool *too_large, bool *changed, struct loom_error *err);

/**
 * loom_rewrite_expand() - expand the packed constants of a graph
 * @from: finished; must outlive @to
 * @chip: the chip
 * @sram_bytes: SRAM per lane
 * @to: [out] a graph that computes the same bits, with the results of all nodes that depend on
 *	constants alone, packed ones among them, as constants, turned as by loom_rewrite_turn()
 *
 * Return: 0 or -errno.
 */
int loom_rewrite_expand(const struct loom_graph *from, const struct drm_loom_chip *chip,
			u64 sram_bytes, struct loom_graph **to);

/**
 * loom_rewrite_expanded_bytes() - bytes of the constants that loom_rewrite_expand() makes
 * @graph: finished
 * @bytes: [out] the bytes; 0: no constants are packed
 *
 * Return: 0 or -ENOMEM.
 */
int loom_rewrite_expanded_bytes(const struct loom_graph *graph, u64 *bytes);

/**
 * loom_rewrite_pairs() - join pairs of products whose values between do not fit into the SRAM
 * @from: finished, in operations of the chip; must outlive @to
 * @chip: the chip
 * @sram_bytes: SRAM per lane
 * @to: [out] a graph that computes the same bits; NULL: there are no pairs
 *
 * Return: 0 or -errno.
 */
int loom_rewrite_pairs(const struct loom_graph *from, const struct drm_loom_chip *chip,
		       u64 sram_bytes, struct loom_graph **to);

/**
 * loom_rewrite_turn() - turn matrices of products around, where bursts of the DRAM are long
 * @from: finished, in operations of the chip; must outlive @to
 * @chip: the chip
 * @sram_bytes: SRAM per lane
 * @own: by value id of *@to: its elements may be changed; NULL: none are
 * @to: [in, out] graph that replaces @from and may be changed, or NULL: it is made if needed
 *
 * Return: 0 or -ENOMEM.
 */
int loom_rewrite_turn(const struct loom_graph *from, const struct drm_loom_chip *chip,
		      u64 sram_bytes, const bool *own, struct loom_graph **to);

/** loom_rewrite_wants() - bit mask of the opcodes that replace @opcode; 0: it is not rewritten */
u64 loom_rewrite_wants(u32 opcode);

/** loom_chip_has() - the chip has an opcode */
static inline bool loom_chip_has(const struct drm_loom_chip *chip, u32 opcode)
{
	return chip->opcodes >> opcode & 1;
}

/** loom_chip_has_type() - the chip has an element type */
static inline bool loom_chip_has_type(const struct drm_loom_chip *chip, u32 dtype)
{
	return chip->dtypes >> dtype & 1;
}

/*
 * One for each operation: returns the value that replaces the node's output, or NULL if the node
 * stays (or after an error, which is in the graph).
 */
struct loom_value *loom_rewrite_conv(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_deconv(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_matmul(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_pool(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_reduce(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_softmax(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_select(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_gather(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_resize(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_quantize(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_dequantize(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_unary(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_pad(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_cut_reduce(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_cut_topk(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_cut_matmul(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_cut_conv(struct loom_rewriter *rw, const struct loom_node *node);

/** loom_rewrite_clone() - a copy of a graph that shares the elements of constants. 0 or -ENOMEM */
int loom_rewrite_clone(const struct loom_graph *from, struct loom_graph **to);

/* put.c */

/** loom_put_window() - every @step-th of @count elements from @start of an axis */
struct loom_value *loom_put_window(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				   s64 start, s64 step, s64 count);
/** loom_put_border() - pads axis @axis with constants on both sides; negative numbers crop */
struct loom_value *loom_put_border(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				   s64 begin, s64 end, u64 value);
/** loom_put_axis() - a new axis of one element in front of axis @axis */
struct loom_value *loom_put_axis(struct loom_rewriter *rw, struct loom_value *x, u32 axis);
/** loom_put_number() - y = x op number */
struct loom_value *loom_put_number(struct loom_rewriter *rw, enum loom_gbin fn,
				   struct loom_value *x, double number);
/** loom_put_act() - the activation of a node, fused into the node of @x if possible */
struct loom_value *loom_put_act(struct loom_rewriter *rw, struct loom_value *x,
				const struct loom_gact *act);
/** loom_put_product() - MATMUL with the operands of enum loom_gmatmul_operand */
struct loom_value *loom_put_product(struct loom_rewriter *rw, struct loom_value *const *operands,
				    u32 dtype);
/** loom_put_wide() - F16 as F32, if the chip has it: partial sums are rounded once more */
struct loom_value *loom_put_wide(struct loom_rewriter *rw, struct loom_value *x);
/**
 * loom_put_most() - length of a piece of a summed axis
 * @rw: the rewriter
 * @bytes: SRAM per element
 *
 * Return: elements in a quarter of a lane, limited by the work of a unit; at least 1.
 */
s64 loom_put_most(const struct loom_rewriter *rw, u64 bytes);
/** loom_put_bits() - the bits of a number in a type, for PAD; integers saturate */
u64 loom_put_bits(u32 dtype, double number);

#endif /* LOOM_REWRITE_H */
