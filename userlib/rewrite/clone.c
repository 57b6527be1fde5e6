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
		struct loom_value *own = loom_value_copy(to, value);

		if (!own)
			return -ENOMEM;
		own->is_input = value->is_input;
		own->is_output = value->is_output;
		own->num_uses = value->num_uses;
	}
	return 0;
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

static int clone_states(const struct loom_graph *from, struct loom_graph *to)
{
	struct loom_graph_state *states = loom_pool_array(to->pool, (size_t)from->num_states + 1,
							  sizeof(*states));

	if (!states)
		return -ENOMEM;
	if (from->num_states)
		memcpy(states, from->states, from->num_states * sizeof(*states));
	to->states = states;
	to->num_states = from->num_states;
	to->num_hidden = from->num_hidden;
	return 0;
}

int loom_rewrite_clone(const struct loom_graph *from, struct loom_graph **to)
{
	struct loom_graph *graph;
	u32 i;
	int ret = loom_graph_alloc(from->name, &graph);

	if (ret)
		return ret;
	graph->opset = from->opset;
	graph->natives = from->natives;
	ret = clone_values(from, graph);
	for (i = 0; i < from->num_nodes && !ret; i++)
		ret = loom_graph_append_copy(graph, from->nodes[i], graph->values);
	if (!ret) {
		graph->inputs = clone_list(graph, from->inputs, from->num_inputs);
		graph->num_inputs = from->num_inputs;
		graph->outputs = clone_list(graph, from->outputs, from->num_outputs);
		graph->num_outputs = from->num_outputs;
		if (!graph->inputs || !graph->outputs)
			ret = -ENOMEM;
	}
	if (!ret)
		ret = clone_states(from, graph);
	if (ret)
		loom_graph_destroy(graph);
	else
		*to = graph;
	return ret;
}
