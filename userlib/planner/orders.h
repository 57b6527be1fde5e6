/* SPDX-License-Identifier: MIT */
#ifndef LOOM_PLANNER_ORDERS_H
#define LOOM_PLANNER_ORDERS_H

#include "graph/sort.h"
#include "loom_core.h"

/**
 * struct loom_orders - a graph in several orders
 * @graphs: the graph, each with its own nodes; all other data is shared
 * @count: number of @graphs, all of them different
 */
struct loom_orders {
	struct loom_graph graphs[LOOM_SORT_COUNT];
	u32 count;
};

/**
 * loom_orders_make() - sort a graph in all known orders, or keep its own
 * @orders: [out] clear with loom_orders_clear()
 * @graph: finished; must outlive @orders
 * @given: its own order only
 *
 * Return: 0 or -ENOMEM, when there is nothing to clear.
 */
int loom_orders_make(struct loom_orders *orders, const struct loom_graph *graph, bool given);
/** loom_orders_clear() - frees the memory of loom_orders_make() */
void loom_orders_clear(struct loom_orders *orders);

#endif /* LOOM_PLANNER_ORDERS_H */
