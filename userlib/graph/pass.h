/* SPDX-License-Identifier: MIT */
/*
 * Passes: each transforms a canonical graph into one that computes the same outputs. All return 0
 * or a negative errno, which is recorded in the graph.
 */
#ifndef LOOM_GRAPH_PASS_H
#define LOOM_GRAPH_PASS_H

#include "graph.h"

/** loom_graph_prune() - removes nodes that no output needs, sets num_uses and producers */
int loom_graph_prune(struct loom_graph *graph);
/** loom_graph_simplify() - reassembles functions that exporters have split (simplify.c) */
int loom_graph_simplify(struct loom_graph *graph);
/** loom_graph_share_concats() - shares common prefixes and suffixes (concat.c) */
int loom_graph_share_concats(struct loom_graph *graph);
/** loom_graph_share_integers() - computes equal integers once; prune next (share.c) */
int loom_graph_share_integers(struct loom_graph *graph);
/** loom_graph_fold_affine() - folds mul and add of constants into the layer before (affine.c) */
int loom_graph_fold_affine(struct loom_graph *graph);
/** loom_graph_fuse() - fuses activations into the node before (fuse.c) */
int loom_graph_fuse(struct loom_graph *graph);
/** loom_graph_take_bytes() - makes layers of floats between bytes integer layers (integer.c) */
int loom_graph_take_bytes(struct loom_graph *graph);
/** loom_graph_number() - gives values numbers that do not depend on the model's order (number.c) */
int loom_graph_number(struct loom_graph *graph);

/**
 * loom_graph_users() - by value id, its last reader: the only one if num_uses is 1
 * @graph: the graph
 *
 * Return: an array in the pool, NULL without memory.
 */
struct loom_node **loom_graph_users(const struct loom_graph *graph);

#endif /* LOOM_GRAPH_PASS_H */
