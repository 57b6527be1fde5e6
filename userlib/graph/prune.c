// SPDX-License-Identifier: MIT
#include "pass.h"

#include <errno.h>
#include <string.h>

struct loom_node **loom_graph_users(const struct loom_graph *graph)
{
	struct loom_node **users = loom_pool_array(graph->pool, graph->num_values, sizeof(*users));
	uint32_t i, j;

	for (i = 0; users && i < graph->num_nodes; i++) {
		struct loom_node *node = graph->nodes[i];

		for (j = 0; j < node->num_inputs; j++) {
			if (node->inputs[j])
				users[node->inputs[j]->id] = node;
		}
	}
	return users;
}

static void count_uses(struct loom_graph *graph)
{
	uint32_t i, j;

	for (i = 0; i < graph->num_values; i++) {
		graph->values[i]->num_uses = 0;
		graph->values[i]->producer = NULL;
	}
	for (i = 0; i < graph->num_nodes; i++) {
		struct loom_node *node = graph->nodes[i];

		node->output->producer = node;
		for (j = 0; j < node->num_inputs; j++) {
			if (node->inputs[j])
				node->inputs[j]->num_uses++;
		}
	}
}

int loom_graph_prune(struct loom_graph *graph)
{
	uint32_t i, j, kept = graph->num_nodes;
	bool *needed;

	needed = loom_pool_array(graph->pool, graph->num_values, sizeof(*needed));
	if (!needed)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < graph->num_outputs; i++)
		needed[graph->outputs[i]->id] = true;
	/* users come after producers, so one walk from the end sees them first */
	for (i = graph->num_nodes; i-- > 0;) {
		struct loom_node *node = graph->nodes[i];

		if (!needed[node->output->id])
			continue;
		graph->nodes[--kept] = node;
		for (j = 0; j < node->num_inputs; j++) {
			if (node->inputs[j])
				needed[node->inputs[j]->id] = true;
		}
	}
	graph->num_nodes -= kept;
	if (kept)
		memmove(graph->nodes, graph->nodes + kept,
			graph->num_nodes * sizeof(*graph->nodes));
	count_uses(graph);
	return 0;
}
