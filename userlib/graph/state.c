// SPDX-License-Identifier: MIT
/* Outputs that are inputs of the next run. */
#include "update.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/dtype.h"

/* The index of the value with a name; @count if there is none. */
static uint32_t find(struct loom_value *const *values, uint32_t count, const char *name)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (values[i]->name && !strcmp(values[i]->name, name))
			break;
	return i;
}

static bool is_alike(const struct loom_value *a, const struct loom_value *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

/* Checks that no other state has an end of @state, the next one of the graph. */
static int check(struct loom_graph *graph, const struct loom_graph_state *state)
{
	const struct loom_value *output = graph->outputs[state->output];
	const struct loom_value *input = graph->inputs[state->input];
	char gives[LOOM_DIMS_TEXT], takes[LOOM_DIMS_TEXT];
	uint32_t i;

	for (i = 0; i < graph->num_states; i++) {
		if (graph->states[i].output == state->output)
			return loom_graph_fail(graph, -EINVAL,
					       "output \"%s\" is the state of two inputs",
					       output->name);
		if (graph->states[i].input == state->input)
			return loom_graph_fail(graph, -EINVAL,
					       "input \"%s\" is the state of two outputs",
					       input->name);
	}
	if (is_alike(output, input))
		return 0;
	return loom_graph_fail(graph, -EINVAL,
			       "state \"%s=%s\": the output is %s %s, the input %s %s",
			       output->name, input->name, loom_dtype_name(output->dtype),
			       loom_dims_print(gives, sizeof(gives), output->rank, output->dims),
			       loom_dtype_name(input->dtype),
			       loom_dims_print(takes, sizeof(takes), input->rank, input->dims));
}

int loom_graph_bind_states(struct loom_graph *graph, const struct loom_state_binding *states,
			   uint32_t count)
{
	struct loom_graph_state *own = loom_pool_array(graph->pool, (size_t)count + 1,
						       sizeof(*own));
	uint32_t i;

	if (!own)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	graph->states = own;
	for (i = 0; i < count; i++) {
		own[i].output = find(graph->outputs, graph->num_outputs, states[i].output);
		own[i].input = find(graph->inputs, graph->num_inputs, states[i].input);
		if (own[i].output == graph->num_outputs)
			return loom_graph_fail(graph, -ENOENT,
					       "state \"%s=%s\": there is no such output",
					       states[i].output, states[i].input);
		if (own[i].input == graph->num_inputs)
			return loom_graph_fail(graph, -ENOENT,
					       "state \"%s=%s\": there is no such input, or it is a constant",
					       states[i].output, states[i].input);
		if (check(graph, &own[i]))
			return graph->status;
		own[i].name = graph->outputs[own[i].output]->name;
		own[i].places = LOOM_STATE_WHOLE;
		graph->num_states = i + 1;
	}
	return 0;
}

int loom_graph_update_states(struct loom_graph *graph)
{
	struct loom_value **outputs = loom_pool_array(graph->pool, (size_t)graph->num_outputs +
						      graph->num_states + 1, sizeof(*outputs));
	uint32_t i;

	if (!outputs)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	memcpy(outputs, graph->outputs, graph->num_outputs * sizeof(*outputs));
	graph->outputs = outputs;
	for (i = 0; i < graph->num_states; i++)
		if (loom_graph_update_in_place(graph, &graph->states[i]))
			return graph->status;
	return 0;
}
