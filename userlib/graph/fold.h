/* SPDX-License-Identifier: MIT */
/*
 * DOC: Constant folding
 *
 * A canonical node whose operands are all constants is computed once, here, instead of on the
 * device in every run. The operations of shape arithmetic and stored weights are folded: movement,
 * elementwise functions, reductions, casts, dequantisation. Conv, MatMul, pooling, softmax and
 * resizing are never folded, to avoid a second engine. A result larger than LOOM_FOLD_GROW_ELEMS
 * and than its operands together is not folded either: weights may be of any size, but a model of a
 * few bytes must not expand to gigabytes here.
 *
 * Integers are computed in 64 bits and wrap to their type. Floats are computed in double and
 * rounded once, which for +, -, *, / and sqrt is exactly what f32 arithmetic gives.
 */
#ifndef LOOM_GRAPH_FOLD_H
#define LOOM_GRAPH_FOLD_H

#include "graph.h"

/** results up to this many elements may be larger than their operands */
#define LOOM_FOLD_GROW_ELEMS	((int64_t)1 << 20)

/**
 * loom_fold_node() - gives a node's result data, if its operands have them
 * @graph: owner of the node
 * @node: not yet among the graph's nodes; a result that has elements already is written over them
 *
 * Return: 0, -EAGAIN if it must stay a node, -ENOMEM, -EDOM for an integer division by zero.
 */
int loom_fold_node(struct loom_graph *graph, struct loom_node *node);

/** loom_fold_has() - nodes of an operation are folded into new elements, if small enough */
bool loom_fold_has(enum loom_gop op);

/** loom_fold_float() - one element of a function of two variables, on floats */
double loom_fold_float(enum loom_gbin fn, double a, double b);

/** typedef loom_folder - computes a node, whose result's data are allocated; 0 or -errno */
typedef int loom_folder(const struct loom_node *node);

/* -EAGAIN: it is no large function of elements of at most 16 bits (fold_table.c) */
int loom_fold_by_table(const struct loom_node *node, loom_folder *fold);

/* elementwise (fold_math.c); the result's data are allocated */
int loom_fold_unary(const struct loom_node *node);
int loom_fold_binary(const struct loom_node *node);
int loom_fold_select(const struct loom_node *node);
int loom_fold_cast(const struct loom_node *node);
int loom_fold_reduce(const struct loom_node *node);
int loom_fold_topk(const struct loom_node *node);
int loom_fold_quantize(const struct loom_node *node);
int loom_fold_dequantize(const struct loom_node *node);

/* movement (fold_move.c) */
int loom_fold_transpose(const struct loom_node *node);
int loom_fold_slice(const struct loom_node *node);
int loom_fold_concat(const struct loom_node *node);
int loom_fold_pad(const struct loom_node *node);
int loom_fold_expand(const struct loom_node *node);
int loom_fold_gather(const struct loom_node *node);

#endif /* LOOM_GRAPH_FOLD_H */
