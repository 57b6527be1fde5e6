/* SPDX-License-Identifier: MIT */
/*
 * A part of a graph as a graph of its own: some nodes that follow each other in an order. What
 * they read from outside are its inputs, what is read outside its outputs, both by the names that
 * they have in the whole graph.
 */
#ifndef LOOM_GRAPH_PART_H
#define LOOM_GRAPH_PART_H

#include "graph.h"

/**
 * loom_graph_part() - makes a graph of some nodes
 * @graph: the whole graph, finished; has to outlive the part, which shares names and constants
 * @nodes: all nodes of @graph, in a topological order
 * @first: place in @nodes of the first node of the part
 * @count: how many there are, at least one
 * @part: [out] finished; end with loom_graph_destroy()
 *
 * Inputs come in the order in which @graph has its inputs, then in the order in which they are
 * made; outputs likewise.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_part(const struct loom_graph *graph, struct loom_node *const *nodes, uint32_t first,
		    uint32_t count, struct loom_graph **part);

/**
 * loom_graph_crossing() - bytes that cross from one part of an order to the other
 * @graph: the graph, finished
 * @nodes: its nodes in a topological order
 * @bytes: [out] room for one more than nodes: by number of nodes before the cut, the bytes of the
 *	values that are made before it and read behind it
 *
 * Linear in nodes and operands.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_crossing(const struct loom_graph *graph, struct loom_node *const *nodes,
			uint64_t *bytes);

#endif /* LOOM_GRAPH_PART_H */
