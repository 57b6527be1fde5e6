/* SPDX-License-Identifier: MIT */
/*
 * DOC: Orders of a graph
 *
 * The nodes of a graph can run in many orders, all with the same results. Groups are runs of
 * adjacent nodes, so the order decides which values can stay in the SRAM, with large effects on
 * traffic. No rule is best for all networks, so there are a few, and the planner keeps the order
 * with the best plan.
 *
 * The orders depend neither on the order of nodes in the model nor on names, so a model that is
 * written differently has the same orders. All are depth-first from the outputs: the dependences of
 * an output run before it.
 *
 * - The operand of a node to compute first is selected by height, the number of nodes on the
 *   longest path from an input (LOOM_SORT_LOW: the lowest first, so that short branches wait for
 *   long ones), or by the list of operands, the last first (LOOM_SORT_LAST: the position of the
 *   shortcut of a residual block depends on the exporter, so both orders are candidates).
 * - *Late*: a node whose result is larger than its operands (an upsampling, an expansion) waits
 *   until its result is needed; until then, its operands are kept instead. In every order, so does
 *   a node that depends on no input (weights that are expanded).
 * - *Greedy*: of the nodes that can run, the one that adds the fewest bytes alive.
 *
 * Rejected, because another order was as good wherever they were: by height; the highest operand
 * first; operands as they are listed; as late as possible by levels; Sethi and Ullman's order by
 * bytes; and the order with the least peak of all bytes alive (order/order.h). The latter is right
 * for layers one by one: there it decides the size of the arena.
 */
#ifndef LOOM_GRAPH_SORT_H
#define LOOM_GRAPH_SORT_H

#include "graph.h"

/**
 * enum loom_graph_sort - orders
 * @LOOM_SORT_LOW: depth first, the lowest operand first
 * @LOOM_SORT_LAST: depth first, the last operand first
 * @LOOM_SORT_LOW_LATE: as LOOM_SORT_LOW, and late
 * @LOOM_SORT_LAST_LATE: as LOOM_SORT_LAST, and late
 * @LOOM_SORT_GREEDY_LATE: greedy, ties by LOOM_SORT_LOW, and late
 * @LOOM_SORT_COUNT: number of orders
 */
enum loom_graph_sort {
	LOOM_SORT_LOW,
	LOOM_SORT_LAST,
	LOOM_SORT_LOW_LATE,
	LOOM_SORT_LAST_LATE,
	LOOM_SORT_GREEDY_LATE,
	LOOM_SORT_COUNT,
};

/**
 * loom_graph_sort() - the nodes of a graph in another topological order
 * @graph: must be finished; it is not changed
 * @how: the order
 * @nodes: [out] array of &loom_graph.num_nodes
 *
 * O(n log n) in nodes and operands.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_sort(const struct loom_graph *graph, enum loom_graph_sort how,
		    struct loom_node **nodes);

/**
 * struct loom_sort - the state of sorting; nodes by their index in the graph
 * @graph: the graph
 * @begin: by node: begin of its operands in @operands
 * @operands: nodes whose results a node reads, each once, in the order in which they are computed
 * @height: by node: number of nodes on the longest path to it
 * @varies: by node: it depends on an input
 * @order: nodes in the order so far
 * @count: number of nodes in @order
 * @done: by node: it is in @order, or is about to be
 * @stack: nodes whose operands are being computed
 * @next: by node: the next operand to visit
 */
struct loom_sort {
	const struct loom_graph *graph;
	uint32_t *begin;
	uint32_t *operands;
	uint32_t *height;
	bool *varies;
	uint32_t *order;
	uint32_t count;
	bool *done;
	uint32_t *stack;
	uint32_t *next;
};

/** loom_sort_greedy() - sort_greedy.c: replaces the order of all nodes. 0 or -ENOMEM */
int loom_sort_greedy(struct loom_sort *sort);

#endif /* LOOM_GRAPH_SORT_H */
