// SPDX-License-Identifier: MIT
/* The nodes of a graph as an ordering problem. See order.h and storage.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order/order.h"
#include "storage.h"

/* The node whose result owns the bytes of this value, if they are in the arena. */
static u32 node_owner(const struct loom_storage *storage, const u32 *node_of,
		      const struct loom_value *value)
{
	const struct loom_location *location = &storage->locations[value->id];

	if (location->kind == LOOM_LOCATION_NONE ||
	    storage->locations[location->root].kind != LOOM_LOCATION_ARENA)
		return LOOM_ORDER_NONE;
	return node_of[location->root];
}

static void fill_ops(const struct loom_storage *storage, struct loom_order_op *ops, u32 *inputs,
		     u32 *node_of)
{
	const struct loom_graph *graph = storage->graph;
	u32 i, k;

	for (i = 0; i < graph->num_values; i++)
		node_of[i] = LOOM_ORDER_NONE;
	for (i = 0; i < graph->num_nodes; i++)
		node_of[graph->nodes[i]->output->id] = i;
	for (i = 0; i < graph->num_nodes; i++) {
		const struct loom_node *node = graph->nodes[i];

		ops[i].inputs = inputs;
		ops[i].owner = node_owner(storage, node_of, node->output);
		/* including the padding that aligns the next value */
		ops[i].size_bytes = (node->output->size_bytes + LOOM_NEURON_ALIGN_BYTES - 1) /
				    LOOM_NEURON_ALIGN_BYTES * LOOM_NEURON_ALIGN_BYTES;
		for (k = 0; k < node->num_inputs; k++)
			if (node->inputs[k] && node_of[node->inputs[k]->id] != LOOM_ORDER_NONE)
				inputs[ops[i].num_inputs++] = node_of[node->inputs[k]->id];
		inputs += ops[i].num_inputs;
	}
}

static void take_order(struct loom_storage *storage, const struct loom_order_result *result)
{
	u32 i;

	for (i = 0; i < storage->graph->num_nodes; i++)
		storage->nodes[i] = storage->graph->nodes[result->order[i]];
	storage->order.given_bytes = result->given_bytes;
	storage->order.bytes = result->peak_bytes;
	storage->order.proved = result->proved;
	storage->order.moved = result->peak_bytes < result->given_bytes;
}

int loom_storage_order(struct loom_storage *storage)
{
	const struct loom_graph *graph = storage->graph;
	size_t n = (size_t)graph->num_nodes + 1, num_inputs = 1;
	struct loom_order_result result = { 0 };
	struct loom_order_op *ops = calloc(n, sizeof(*ops));
	u32 *node_of = calloc((size_t)graph->num_values + 1, sizeof(*node_of));
	u32 *inputs, i;
	int ret = -ENOMEM;

	for (i = 0; i < graph->num_nodes; i++)
		num_inputs += graph->nodes[i]->num_inputs;
	inputs = calloc(num_inputs, sizeof(*inputs));
	result.order = calloc(n, sizeof(*result.order));
	if (ops && node_of && inputs && result.order) {
		fill_ops(storage, ops, inputs, node_of);
		ret = loom_order(ops, graph->num_nodes, 0, &result);
	}
	if (!ret)
		take_order(storage, &result);
	free(ops);
	free(node_of);
	free(inputs);
	free(result.order);
	return ret;
}

void loom_storage_keep_order(struct loom_storage *storage)
{
	u32 i;

	for (i = 0; i < storage->graph->num_nodes; i++)
		storage->nodes[i] = storage->graph->nodes[i];
	storage->order.bytes = storage->order.given_bytes;
	storage->order.moved = false;
}
