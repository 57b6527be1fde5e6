/* SPDX-License-Identifier: MIT */
/*
 * A part of a graph as a graph of its own: a run of nodes in some order. Its inputs are the values
 * it reads from outside, its outputs those that are read outside, both with their names in the
 * whole graph.
 */
#ifndef LOOM_GRAPH_PART_H
#define LOOM_GRAPH_PART_H

#include "graph.h"

/**
 * loom_graph_part() - makes a graph of some nodes
 * @graph: the whole graph, finished; must outlive the part, which shares names and constants
 * @nodes: all nodes of @graph, in a topological order
 * @first: index in @nodes of the first node of the part
 * @count: number of its nodes, at least one
 * @part: [out] finished; end with loom_graph_destroy()
 *
 * Inputs are in the order of @graph's inputs, then in the order in which they are computed; outputs
 * likewise.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_part(const struct loom_graph *graph, struct loom_node *const *nodes, uint32_t first,
		    uint32_t count, struct loom_graph **part);

/**
 * loom_graph_crossing() - bytes that cross from one part of an order to the other
 * @graph: the graph, finished
 * @nodes: its nodes in a topological order
 * @bytes: [out] array of one more than nodes: by number of nodes before the cut, the bytes of the
 *	values that are computed before it and read behind it
 *
 * Linear in nodes and operands.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_crossing(const struct loom_graph *graph, struct loom_node *const *nodes,
			uint64_t *bytes);

#endif /* LOOM_GRAPH_PART_H */
