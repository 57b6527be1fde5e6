/* SPDX-License-Identifier: MIT */
/*
 * DOC: Emitting canonical nodes
 *
 * A front end makes canonical nodes with the calls here. They check operands, compute the shape of
 * the result, and pass the node to the constant folder; if it is folded, the result is a constant,
 * and no node exists. So shape arithmetic (Shape, Gather, Concat, Reshape of ONNX) vanishes while
 * it is read, without a second pass.
 *
 * The first error is sticky: it is recorded in the graph, prefixed with the name and the operator
 * of the source node, and every later call returns NULL. Each call accepts NULL operands after an
 * error. So a front end has a straight line of calls, and must check a pointer only before it
 * dereferences it.
 */
#ifndef LOOM_GRAPH_EMIT_H
#define LOOM_GRAPH_EMIT_H

#include "graph.h"

#include <stdarg.h>

/**
 * struct loom_emitter - receiver of nodes, and the source node that they are made for
 * @graph: the graph
 * @name: name of the source node
 * @op_name: operator of the source node, as the model file calls it
 * @source: index of the source node
 * @first_value: id of the first value that was made for the source node
 * @status: 0 or the first error
 */
struct loom_emitter {
	struct loom_graph *graph;
	const char *name;
	const char *op_name;
	uint32_t source;
	uint32_t first_value;
	int status;
};

/** loom_emit_fail() - records the first error; code is a negative errno */
void loom_emit_fail(struct loom_emitter *em, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** loom_emit_vfail() - loom_emit_fail() with a list of arguments */
void loom_emit_vfail(struct loom_emitter *em, int code, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

/**
 * loom_emit_source() - begin to emit nodes for another source node
 * @em: the emitter
 * @name: name of the node; kept, not copied
 * @op_name: its operator; kept, not copied
 * @index: its index in the model file
 */
void loom_emit_source(struct loom_emitter *em, const char *name, const char *op_name,
		      uint32_t index);
/** loom_emit_name_values() - names the source node's unnamed values BASE:1, BASE:2, ... */
void loom_emit_name_values(struct loom_emitter *em, const char *base);

/**
 * loom_emit_broadcast() - numpy's rule for two shapes
 * @em: the emitter, for errors
 * @rank: shape so far, updated
 * @dims: shape so far, updated
 * @other_rank: the other shape
 * @other_dims: the other shape
 */
void loom_emit_broadcast(struct loom_emitter *em, uint32_t *rank, int64_t *dims,
			 uint32_t other_rank, const int64_t *other_dims);

/**
 * loom_emit_begin() - starts a node; the caller sets its attributes
 * @em: the emitter
 * @op: operator
 * @dtype: of the result
 * @rank: of the result
 * @dims: of the result
 * @num_inputs: number of @inputs
 * @inputs: operands, copied
 *
 * Return: the node, NULL after an error.
 */
struct loom_node *loom_emit_begin(struct loom_emitter *em, enum loom_gop op, uint32_t dtype,
				  uint32_t rank, const int64_t *dims, uint32_t num_inputs,
				  struct loom_value *const *inputs);
/** loom_emit_end() - adds the node, or folds it; returns its result */
struct loom_value *loom_emit_end(struct loom_emitter *em, struct loom_node *node);

/** loom_emit_const() - a constant with zeroed elements */
struct loom_value *loom_emit_const(struct loom_emitter *em, uint32_t dtype, uint32_t rank,
				   const int64_t *dims);
/** loom_emit_scalar() - a constant of rank 0 */
struct loom_value *loom_emit_scalar(struct loom_emitter *em, uint32_t dtype, double element);
/** loom_emit_ints() - a constant I64 vector */
struct loom_value *loom_emit_ints(struct loom_emitter *em, uint32_t count, const int64_t *ints);

/** loom_emit_unary() - a function of one variable */
struct loom_value *loom_emit_unary(struct loom_emitter *em, struct loom_gact act,
				   struct loom_value *x);
/** loom_emit_fn() - a function without parameters */
struct loom_value *loom_emit_fn(struct loom_emitter *em, enum loom_gfn fn, struct loom_value *x);
/** loom_emit_binary() - a function of two variables, broadcast */
struct loom_value *loom_emit_binary(struct loom_emitter *em, enum loom_gbin fn,
				    struct loom_value *a, struct loom_value *b);
/** loom_emit_select() - elements of @a where @condition holds, else of @b; broadcast */
struct loom_value *loom_emit_select(struct loom_emitter *em, struct loom_value *condition,
				    struct loom_value *a, struct loom_value *b);
/** loom_emit_cast() - @x itself if it has that type already */
struct loom_value *loom_emit_cast(struct loom_emitter *em, struct loom_value *x, uint32_t dtype);
/** loom_emit_reduce() - over no @axes only the elementwise part: |x|, x * x, log x, x */
struct loom_value *loom_emit_reduce(struct loom_emitter *em, enum loom_greduce_kind kind,
				    struct loom_value *x, uint32_t axes, bool keepdims);
/**
 * loom_emit_topk() - the @count largest or smallest along an axis, in order
 * @em: the emitter
 * @x: elements to compare
 * @from: gives the elements at their positions, of the shape of @x; NULL: the positions, I32
 * @axis: an axis of @x
 * @count: from 1 to that axis' length
 * @smallest: and not the largest
 *
 * Return: the result, of @count on @axis; NULL after an error.
 */
struct loom_value *loom_emit_topk(struct loom_emitter *em, struct loom_value *x,
				  struct loom_value *from, uint32_t axis, int64_t count,
				  bool smallest);
/**
 * loom_emit_gather() - elements at indices along an axis
 * @em: the emitter
 * @x: the elements
 * @index: I32 or I64, of the rank of @x, see LOOM_GOP_GATHER
 * @axis: an axis of @x
 *
 * Return: the result, with @index's dim on @axis; NULL after an error.
 */
struct loom_value *loom_emit_gather(struct loom_emitter *em, struct loom_value *x,
				    struct loom_value *index, uint32_t axis);
/** loom_emit_reshape() - @x itself if it has that shape already */
struct loom_value *loom_emit_reshape(struct loom_emitter *em, struct loom_value *x, uint32_t rank,
				     const int64_t *dims);
/** loom_emit_transpose() - @x itself if nothing moves */
struct loom_value *loom_emit_transpose(struct loom_emitter *em, struct loom_value *x,
				       const uint32_t *perm);
/** loom_emit_slice() - @counts elements per axis from @slice on; @x itself if that is all */
struct loom_value *loom_emit_slice(struct loom_emitter *em, struct loom_value *x,
				   const struct loom_gslice *slice, const int64_t *counts);
/** loom_emit_concat() - contiguous operands; the operand itself if there is only one */
struct loom_value *loom_emit_concat(struct loom_emitter *em, uint32_t num_inputs,
				    struct loom_value *const *inputs, uint32_t axis);
/** loom_emit_pad() - begin and end may be negative, which cuts */
struct loom_value *loom_emit_pad(struct loom_emitter *em, struct loom_value *x,
				 const struct loom_gpad *pad);
/** loom_emit_expand() - to exactly @dims; @x itself if it has that shape already */
struct loom_value *loom_emit_expand(struct loom_emitter *em, struct loom_value *x, uint32_t rank,
				    const int64_t *dims);

#endif /* LOOM_GRAPH_EMIT_H */
