/* SPDX-License-Identifier: MIT */
/*
 * DOC: Orders of a graph
 *
 * The nodes of a graph can run in many orders, all with the same results. Groups are runs of
 * neighbours, so the order decides which values can stay in the SRAM: of a detector for 640x640
 * pixels, in 2 MiB, one order moves 89.7 MiB and another one 51.7. No rule is the best
 * everywhere, therefore there are a few, and the planner takes the one whose plan is best.
 *
 * None of them looks at the order in which the model lists its nodes, nor at names: a model that is
 * written down otherwise has the same orders. All begin at the outputs: what an output needs runs
 * before it, depth first.
 *
 * - Which operand of a node is computed first is decided by height, the number of nodes on the
 *   longest way from an input (LOOM_SORT_LOW: the lowest first, so that what is short waits for
 *   what is long, and not the other way round), or by the list of operands, the last first
 *   (LOOM_SORT_LAST: where the shortcut of a residual block is listed first or last is a habit of
 *   exporters, and both orders are worth a look).
 * - *Late*: a node whose result is larger than what it reads (an upsampling, an expansion) waits
 *   until its result is needed; until then, what it reads is kept instead.
 * - *Greedy*: of the nodes that can run, the one that adds the fewest bytes to what must be kept.
 *
 * Measured on fifteen networks by ten chips in DRAM bytes, the model's own order was better than
 * the best of these five in one cell: RandWire of 322 nodes in 256 KiB, 10.9 MB instead of 12.1.
 * Rejected: by height, which moves 11.5 MB there, is better nowhere else in 114 cells, and would
 * make planning take a sixth longer. Rejected, as another was as good wherever they were: the
 * highest operand first, operands as they are listed, as late as possible by levels, Sethi and
 * Ullman's order by bytes, and the order with the least peak of all that is alive
 * (order/order.h), which is right for layers one by one: there it decides how large the arena
 * is.
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
 * @LOOM_SORT_GREEDY_LATE: greedy, where that is equal LOOM_SORT_LOW, and late
 * @LOOM_SORT_COUNT: how many there are
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
 * @graph: finished; it stays as it is
 * @how: which order
 * @nodes: [out] room for &loom_graph.num_nodes
 *
 * n log n in nodes and operands.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_sort(const struct loom_graph *graph, enum loom_graph_sort how,
		    struct loom_node **nodes);

/**
 * struct loom_sort - the state of sorting; nodes by their index in the graph
 * @graph: what is sorted
 * @begin: by node: where its operands begin in @operands
 * @operands: nodes whose results a node reads, each once, in the order in which they are computed
 * @height: by node: nodes on the longest way to it
 * @order: nodes in the order so far
 * @count: number of nodes in @order
 * @done: by node: it is in @order, or is about to be
 * @stack: nodes whose operands are being computed
 * @next: by node: the operand to look at next
 */
struct loom_sort {
	const struct loom_graph *graph;
	uint32_t *begin;
	uint32_t *operands;
	uint32_t *height;
	uint32_t *order;
	uint32_t count;
	bool *done;
	uint32_t *stack;
	uint32_t *next;
};

/** loom_sort_greedy() - sort_greedy.c: replaces the order of all nodes. 0 or -ENOMEM */
int loom_sort_greedy(struct loom_sort *sort);

#endif /* LOOM_GRAPH_SORT_H */
