// SPDX-License-Identifier: MIT
/* A copy of a graph. Values keep their ids and names; the elements of constants are shared. */
#include "rewrite.h"

#include <errno.h>
#include <string.h>

static int clone_values(const struct loom_graph *from, struct loom_graph *to)
{
	u32 i;

	for (i = 0; i < from->num_values; i++) {
		const struct loom_value *value = from->values[i];
		struct loom_value *own = loom_value_create(to, value->name, value->dtype,
							   value->rank, value->dims);

		if (!own)
			return -ENOMEM;
		own->made_up = value->made_up;
		own->data = value->data;
		own->is_input = value->is_input;
		own->is_output = value->is_output;
		own->num_uses = value->num_uses;
		own->scope = value->scope;
	}
	return 0;
}

static int clone_node(const struct loom_node *node, struct loom_graph *to)
{
	struct loom_node *own = loom_pool_copy(to->pool, node, sizeof(*node));
	u32 i;

	if (!own)
		return -ENOMEM;
	own->inputs = loom_pool_copy(to->pool, node->inputs,
				     node->num_inputs * sizeof(struct loom_value *));
	if (!own->inputs)
		return -ENOMEM;
	for (i = 0; i < node->num_inputs; i++)
		if (node->inputs[i])
			own->inputs[i] = to->values[node->inputs[i]->id];
	own->output = to->values[node->output->id];
	own->output->producer = own;
	return loom_graph_append(to, own);
}

static struct loom_value **clone_list(struct loom_graph *to, struct loom_value *const *list,
				      u32 count)
{
	struct loom_value **own = loom_pool_array(to->pool, (size_t)count + 1,
						  sizeof(struct loom_value *));
	u32 i;

	for (i = 0; own && i < count; i++)
		own[i] = to->values[list[i]->id];
	return own;
}

int loom_rewrite_clone(const struct loom_graph *from, struct loom_graph **to)
{
	struct loom_graph *graph;
	u32 i;
	int ret = loom_graph_alloc(from->name, &graph);

	if (ret)
		return ret;
	graph->opset = from->opset;
	ret = clone_values(from, graph);
	for (i = 0; i < from->num_nodes && !ret; i++)
		ret = clone_node(from->nodes[i], graph);
	if (!ret) {
		graph->inputs = clone_list(graph, from->inputs, from->num_inputs);
		graph->num_inputs = from->num_inputs;
		graph->outputs = clone_list(graph, from->outputs, from->num_outputs);
		graph->num_outputs = from->num_outputs;
		if (!graph->inputs || !graph->outputs)
			ret = -ENOMEM;
	}
	if (ret)
		loom_graph_destroy(graph);
	else
		*to = graph;
	return ret;
}
