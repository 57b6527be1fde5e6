/* SPDX-License-Identifier: MIT */
#ifndef LOOM_PLANNER_ORDERS_H
#define LOOM_PLANNER_ORDERS_H

#include "graph/sort.h"
#include "loom_core.h"

/**
 * struct loom_orders - a graph in several orders
 * @graphs: the graph, with nodes of its own in each; all else is shared
 * @count: number of @graphs, all of them different
 */
struct loom_orders {
	struct loom_graph graphs[LOOM_SORT_COUNT];
	u32 count;
};

/**
 * loom_orders_make() - a graph in all orders that there are, or in the one that it has
 * @orders: [out] clear with loom_orders_clear()
 * @graph: finished, outlives @orders
 * @given: in its own order only
 *
 * Return: 0 or -ENOMEM, when there is nothing to clear.
 */
int loom_orders_make(struct loom_orders *orders, const struct loom_graph *graph, bool given);
/** loom_orders_clear() - frees what loom_orders_make() made */
void loom_orders_clear(struct loom_orders *orders);

#endif /* LOOM_PLANNER_ORDERS_H */
