// SPDX-License-Identifier: MIT
/* A graph in the orders for planning. See graph/sort.h. */
#include "orders.h"

#include "graph/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_new(const struct loom_orders *orders, struct loom_node *const *nodes)
{
	size_t size = orders->graphs[0].num_nodes * sizeof(*nodes);
	u32 i;

	for (i = 0; i < orders->count; i++)
		if (!memcmp(orders->graphs[i].nodes, nodes, size))
			return false;
	return true;
}

int loom_orders_make(struct loom_orders *orders, const struct loom_graph *graph, bool given)
{
	size_t n = (size_t)graph->num_nodes + 1;
	u32 i, most = given ? 1 : LOOM_SORT_COUNT;
	int ret;

	*orders = (struct loom_orders){ .count = 0 };
	for (i = 0; i < most; i++) {
		struct loom_graph *to = &orders->graphs[orders->count];
		struct loom_node **nodes = calloc(n, sizeof(*nodes));

		ret = nodes ? 0 : -ENOMEM;
		if (!ret && given)
			memcpy(nodes, graph->nodes, graph->num_nodes * sizeof(*nodes));
		else if (!ret)
			ret = loom_graph_sort(graph, i, nodes);
		if (ret) {
			free(nodes);
			loom_orders_clear(orders);
			return ret;
		}
		*to = *graph;
		to->nodes = nodes;
		if (is_new(orders, nodes))
			orders->count++;
		else
			free(nodes);
	}
	return 0;
}

void loom_orders_clear(struct loom_orders *orders)
{
	while (orders->count)
		free(orders->graphs[--orders->count].nodes);
}
