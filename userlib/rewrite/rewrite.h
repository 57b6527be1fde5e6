/* SPDX-License-Identifier: MIT */
/**
 * DOC: Rewriting
 *
 * A chip says which operations it has (&drm_loom_chip.opcodes). A node whose operation is not among
 * them is put into others that are, before anything is planned: planning and the device know of
 * nothing else than what the chip has.
 *
 *	CONV		MATMUL: windows side by side in DRAM; grouped ones by batches. Same bits
 *	MATMUL		CONV, of one tap. Same bits for what is multiplied and summed
 *	DECONV		CONV over the input with zeroes between its elements
 *	POOL		BINARY over shifted views, axis by axis; of whole planes REDUCE
 *	REDUCE		POOL of the axes that are reduced; or BINARY of halves of them
 *	SOFTMAX		REDUCE, BINARY, UNARY
 *	SELECT		BINARY and CAST
 *	RESIZE		nearest: COPY of runs, same bits; linear: MATMUL by a constant matrix
 *	QUANTIZE	BINARY, UNARY, CAST. Same bits
 *	DEQUANTIZE	CAST, BINARY. Same bits
 *	UNARY		BINARY, of those functions that are a few of them
 *	FILL		COPY of constants, for PAD
 *
 * "Same bits" is as on a chip that has the operation. Of the others sums are in another order, and
 * rounded to the type in between.
 *
 * Likewise for a node that does not fit into the SRAM, not even in the smallest slices (the planner
 * says which): a slice of its result needs all that is summed for it, or compared. What is
 * summed is cut instead, and partial sums are values:
 *
 *	REDUCE		REDUCE of pieces of the axes, then of what that gave. Means have weights
 *	SOFTMAX		as above, and its REDUCE likewise
 *	MATMUL		a sum of products of pieces of K
 *	CONV, DECONV	a sum over pieces of the channels, or of the kernel
 *	POOL		as above
 *
 * Partial sums are rounded to binary32, and bytes are summed in 32 bits as the command does: only
 * integers and maxima have the same bits as in an SRAM that holds all. A node that fits is not
 * touched. Rejected: commands that go on with a sum that is there already, which would keep the
 * bits. A reduction sums in binary64, so the SRAM and the plan format would have to hold that, for
 * networks that no one has.
 *
 *	rewrite.c	the tables; operations of a chip; the rounds
 *	clone.c		a graph of one's own: that of the caller is not changed
 *	put.c		small calls to make nodes, beyond graph/emit.h
 *	conv.c, matmul.c, pool.c, reduce.c, softmax.c, select.c, resize.c, quantize.c, unary.c,
 *	pad.c		a function for each line of the table, named after the operation that goes
 *	cut_reduce.c	reductions that do not fit, put together of pieces
 *	cut_sum.c	products and windows that do not fit
 *
 * A function makes nodes for the result of one node. They may be rewritten in the next
 * round (a DECONV becomes a CONV becomes a MATMUL). The last node takes over the value that the old
 * one computed, so that values keep their names, and users are not touched.
 *
 * Rejected: rewriting kernels of lower/. Their maps say which part of an operand a part of the
 * result needs, and what is rewritten here needs several nodes with values between them.
 */
#ifndef LOOM_REWRITE_H
#define LOOM_REWRITE_H

#include "graph/emit.h"
#include "loom_core.h"

/**
 * struct loom_rewriter - the state of rewriting a node
 * @em: where nodes go
 * @chip: what there is
 * @too_large: by id of the result: the node does not fit; NULL: what the chip lacks is rewritten
 * @num_marks: number of @too_large
 * @sram_bytes: SRAM per lane, where there is @too_large
 */
struct loom_rewriter {
	struct loom_emitter em;
	const struct drm_loom_chip *chip;
	const bool *too_large;
	u32 num_marks;
	u64 sram_bytes;
};

/**
 * loom_rewrite() - puts a graph into operations that a chip has
 * @from: finished; has to outlive @to
 * @chip: the chip
 * @to: [out] a graph that computes the same; NULL if nothing is missing
 * @err: [out] one line on failure, may be NULL
 *
 * What cannot be rewritten is in @to as it was.
 *
 * Return: 0 or -errno.
 */
int loom_rewrite(const struct loom_graph *from, const struct drm_loom_chip *chip,
		 struct loom_graph **to, struct loom_error *err);

/**
 * loom_rewrite_cut() - cuts what nodes sum or compare, where they do not fit
 * @graph: finished, in operations that the chip has; changed
 * @chip: the chip
 * @sram_bytes: SRAM per lane
 * @too_large: by id of the result: the node does not fit, as the planner found
 * @changed: [out] some node was cut: its pieces may have to be cut, too
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno.
 */
int loom_rewrite_cut(struct loom_graph *graph, const struct drm_loom_chip *chip, u64 sram_bytes,
		     const bool *too_large, bool *changed, struct loom_error *err);

/** loom_rewrite_wants() - bit mask of the opcodes that @opcode is rewritten into; 0: it is not */
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
 * One for each operation: returns the value that takes the place of the node's output, or NULL if
 * the node stays (or after an error, which is in the graph).
 */
struct loom_value *loom_rewrite_conv(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_deconv(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_matmul(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_pool(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_reduce(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_softmax(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_select(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_resize(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_quantize(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_dequantize(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_unary(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_rewrite_pad(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_cut_reduce(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_cut_matmul(struct loom_rewriter *rw, const struct loom_node *node);
struct loom_value *loom_cut_conv(struct loom_rewriter *rw, const struct loom_node *node);

/** loom_rewrite_clone() - a copy of a graph that shares the elements of constants. 0 or -ENOMEM */
int loom_rewrite_clone(const struct loom_graph *from, struct loom_graph **to);

/* put.c */

/** loom_put_window() - every @step-th of @count elements from @start of an axis */
struct loom_value *loom_put_window(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				   s64 start, s64 step, s64 count);
/** loom_put_border() - axis @axis grows by constants in front and behind; negative numbers cut */
struct loom_value *loom_put_border(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				   s64 begin, s64 end, u64 value);
/** loom_put_axis() - a new axis of one element in front of axis @axis */
struct loom_value *loom_put_axis(struct loom_rewriter *rw, struct loom_value *x, u32 axis);
/** loom_put_number() - y = x op number */
struct loom_value *loom_put_number(struct loom_rewriter *rw, enum loom_gbin fn,
				   struct loom_value *x, double number);
/** loom_put_act() - the activation of a node, fused into what computes @x where it can be */
struct loom_value *loom_put_act(struct loom_rewriter *rw, struct loom_value *x,
				const struct loom_gact *act);
/** loom_put_product() - MATMUL with the operands of enum loom_gmatmul_operand */
struct loom_value *loom_put_product(struct loom_rewriter *rw, struct loom_value *const *operands,
				    u32 dtype);
/** loom_put_wide() - F16 as F32, if the chip has that: sums of parts are rounded once more */
struct loom_value *loom_put_wide(struct loom_rewriter *rw, struct loom_value *x);
/**
 * loom_put_most() - how many elements of an axis that is summed are taken at once
 * @rw: the rewriter
 * @bytes: of SRAM that each takes
 *
 * Return: so many that they take a quarter of a lane, and not too much work for a unit; at least 1.
 */
s64 loom_put_most(const struct loom_rewriter *rw, u64 bytes);
/** loom_put_bits() - the bits of a number in a type, for PAD; integers saturate */
u64 loom_put_bits(u32 dtype, double number);

#endif /* LOOM_REWRITE_H */
