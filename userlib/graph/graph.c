// SPDX-License-Identifier: MIT
#include "graph.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int loom_graph_fail(struct loom_graph *graph, int code, const char *format, ...)
{
	va_list args;
	int used;

	if (graph->status)
		return graph->status;
	graph->status = code;
	used = snprintf(graph->error.text, sizeof(graph->error.text), "%s: ", graph->name);
	if (used < 0 || (size_t)used >= sizeof(graph->error.text))
		used = 0;
	va_start(args, format);
	vsnprintf(graph->error.text + used, sizeof(graph->error.text) - (size_t)used, format, args);
	va_end(args);
	/* names come from the file and may contain anything; the text must be one line */
	for (char *c = graph->error.text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return code;
}

struct loom_watch loom_graph_watch(const struct loom_graph *graph,
				   const struct loom_graph_options *options)
{
	return (struct loom_watch){
		.progress = options ? options->progress : NULL,
		.data = options ? options->progress_data : NULL,
		.max_memory_bytes = options ? options->max_memory_bytes : 0,
		.max_work = options ? options->max_work : 0,
		.memory_bytes = graph ? (int64_t)loom_pool_bytes(graph->pool) : 0,
		.stage = LOOM_STAGE_READ,
	};
}

int loom_graph_unwatch(struct loom_watch *watch, int ret, struct loom_graph **graph,
		       struct loom_error *err)
{
	int code = loom_watch_end(watch, ret, err);

	if (code && !ret) {
		loom_graph_destroy(*graph);
		*graph = NULL;
	}
	return code;
}

int loom_graph_check(const struct loom_graph *graph, struct loom_error *err)
{
	if (!graph)
		return loom_error_set(err, -EINVAL, "no graph");
	if (graph->status)
		return loom_error_set(err, -EINVAL, "the graph is of no use: %s",
				      graph->error.text);
	if (graph->source && !graph->finished)
		return loom_error_set(err, -EINVAL, "%s: the graph is not finished", graph->name);
	return 0;
}

int loom_graph_alloc(const char *name, struct loom_graph **graph)
{
	struct loom_graph *created;
	const char *base = strrchr(name, '/');

	created = calloc(1, sizeof(*created));
	if (!created)
		return -ENOMEM;
	created->pool = loom_pool_create(LOOM_POOL_BUDGET_BYTES);
	created->most_grown_bytes = UINT64_MAX;
	created->name = created->pool ?
		loom_pool_string(created->pool, base ? base + 1 : name) : NULL;
	if (!created->name) {
		loom_graph_destroy(created);
		return -ENOMEM;
	}
	*graph = created;
	return 0;
}

void loom_graph_destroy(struct loom_graph *graph)
{
	if (!graph)
		return;
	/* it may be one of this graph */
	loom_watch_node(NULL);
	loom_pool_destroy(graph->pool);
	free(graph);
}

int loom_graph_append(struct loom_graph *graph, struct loom_node *node)
{
	struct loom_node **nodes = loom_pool_grow(graph->pool, graph->nodes, graph->num_nodes,
						  &graph->cap_nodes, sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	graph->nodes = nodes;
	graph->nodes[graph->num_nodes++] = node;
	return 0;
}

int loom_graph_append_copy(struct loom_graph *graph, const struct loom_node *node,
			   struct loom_value *const *values)
{
	struct loom_node *own = loom_pool_copy(graph->pool, node, sizeof(*node));
	uint32_t i;

	if (!own)
		return -ENOMEM;
	own->inputs = loom_pool_array(graph->pool, node->num_inputs, sizeof(*own->inputs));
	if (!own->inputs)
		return -ENOMEM;
	for (i = 0; i < node->num_inputs; i++)
		if (node->inputs[i])
			own->inputs[i] = values[node->inputs[i]->id];
	own->output = values[node->output->id];
	own->output->producer = own;
	return loom_graph_append(graph, own);
}

/* @value itself if it can be an output called @name, else a copy */
static struct loom_value *own_value(struct loom_graph *graph, struct loom_value *value,
				    const char *name, uint32_t source)
{
	struct loom_node *node;

	if (value->producer && !value->is_output && !strcmp(value->name, name))
		return value;
	node = loom_pool_alloc(graph->pool, sizeof(*node));
	if (!node)
		return NULL;
	node->name = name;
	node->source_op = "Identity";
	node->op = LOOM_GOP_RESHAPE;
	node->source = source;
	node->num_inputs = 1;
	node->inputs = loom_pool_copy(graph->pool, &value, sizeof(struct loom_value *));
	node->output = loom_value_create(graph, name, value->dtype, value->rank, value->dims);
	if (!node->inputs || !node->output || loom_graph_append(graph, node))
		return NULL;
	node->output->producer = node;
	return node->output;
}

int loom_graph_add_result(struct loom_graph *graph, struct loom_value *value, const char *name,
			  uint32_t source)
{
	value = own_value(graph, value, name, source);
	if (!value)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	value->is_output = true;
	graph->outputs[graph->num_outputs++] = value;
	return 0;
}

int loom_graph_output_all(struct loom_graph *graph)
{
	struct loom_value **outputs;
	uint32_t i, num_outputs = graph->num_outputs;

	outputs = loom_pool_array(graph->pool, num_outputs + graph->num_nodes, sizeof(*outputs));
	if (!outputs)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	memcpy(outputs, graph->outputs, num_outputs * sizeof(*outputs));
	for (i = 0; i < graph->num_nodes; i++) {
		struct loom_value *value = graph->nodes[i]->output;

		if (value->is_output || value->made_up)
			continue;
		value->is_output = true;
		outputs[num_outputs++] = value;
	}
	graph->outputs = outputs;
	graph->num_outputs = num_outputs;
	return 0;
}

int loom_graph_set_scope(struct loom_graph *graph, const char *name, enum loom_scope scope)
{
	bool found = !name;
	uint32_t i;

	if (scope > LOOM_SCOPE_TEXTURE_NHWC || loom_graph_check(graph, NULL))
		return -EINVAL;
	for (i = 0; i < graph->num_values; i++) {
		struct loom_value *value = graph->values[i];

		if (name ? !value->name || strcmp(value->name, name) : !value->producer)
			continue;
		value->scope = scope;
		found = true;
	}
	return found ? 0 : -ENOENT;
}

uint32_t loom_graph_num_inputs(const struct loom_graph *graph)
{
	return graph->num_inputs;
}

uint32_t loom_graph_num_outputs(const struct loom_graph *graph)
{
	return graph->num_outputs - graph->num_hidden;
}

static void describe(const struct loom_value *value, struct loom_tensor_info *info)
{
	info->name = value->name;
	info->dtype = value->dtype;
	info->rank = value->rank;
	memcpy(info->dims, value->dims, sizeof(info->dims));
	info->size_bytes = value->size_bytes;
}

int loom_graph_input(const struct loom_graph *graph, uint32_t index, struct loom_tensor_info *info)
{
	if (loom_graph_check(graph, NULL))
		return -EINVAL;
	if (index >= graph->num_inputs)
		return -ENOENT;
	describe(graph->inputs[index], info);
	return 0;
}

int loom_graph_output(const struct loom_graph *graph, uint32_t index,
		      struct loom_tensor_info *info)
{
	uint32_t i;

	if (loom_graph_check(graph, NULL))
		return -EINVAL;
	if (index >= loom_graph_num_outputs(graph))
		return -ENOENT;
	describe(graph->outputs[index], info);
	for (i = 0; i < graph->num_states; i++) {
		if (graph->states[i].output == index) {
			describe(graph->inputs[graph->states[i].input], info);
			info->name = graph->states[i].name;
		}
	}
	return 0;
}
