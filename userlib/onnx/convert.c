// SPDX-License-Identifier: MIT
/* From the source form to the canonical one: walks the nodes, calls the importers. */
#include "import.h"

#include <errno.h>
#include <string.h>

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

/* values that the node made on its way get a name after the node's first result */
static void name_values(struct loom_import *im)
{
	const struct loom_node_desc *desc = &im->node->desc;
	struct loom_graph *graph = im->graph;
	const char *base = desc->name;
	uint32_t i, made = 0;

	for (i = 0; i < desc->num_outputs; i++) {
		if (*desc->outputs[i]) {
			base = desc->outputs[i];
			break;
		}
	}
	for (i = im->first_value; i < graph->num_values; i++) {
		if (graph->values[i]->name)
			continue;
		graph->values[i]->made_up = true;
		graph->values[i]->name = loom_pool_print(graph->pool, "%s:%u", base, ++made);
		if (!graph->values[i]->name)
			loom_import_fail(im, -ENOMEM, "out of memory");
	}
}

int loom_source_check(struct loom_graph *graph)
{
	uint32_t i;

	for (i = 0; i < graph->source->num_nodes; i++) {
		const struct loom_node_desc *desc = &graph->source->nodes[i]->desc;

		if (!loom_importer_find(desc->op_type))
			return loom_graph_fail(graph, -EOPNOTSUPP,
					       "node \"%.100s\": operator %.100s is not supported",
					       desc->name, desc->op_type);
	}
	return 0;
}

static int convert_node(struct loom_import *im)
{
	const struct loom_node_desc *desc = &im->node->desc;
	const struct loom_importer *importer = loom_importer_find(desc->op_type);
	uint32_t i;

	im->first_value = im->graph->num_values;
	importer->import(im, importer->arg);
	name_values(im);
	for (i = 0; i < desc->num_outputs && !im->status; i++) {
		if (loom_import_wants(im, i) &&
		    !loom_names_find(&im->graph->source->values, desc->outputs[i]))
			loom_import_fail(im, -EOPNOTSUPP, "result %u is not supported", i);
	}
	return im->status;
}

static void drop_bound_inputs(struct loom_graph *graph)
{
	uint32_t i, kept = 0;

	for (i = 0; i < graph->num_inputs; i++) {
		if (graph->inputs[i]->is_input)
			graph->inputs[kept++] = graph->inputs[i];
	}
	graph->num_inputs = kept;
}

int loom_graph_convert(struct loom_graph *graph, const struct loom_graph_options *options)
{
	struct loom_import im = {
		.graph = graph,
		.options = options,
		.opset = graph->opset,
	};
	uint32_t i;

	for (i = 0; i < graph->source->num_nodes; i++) {
		im.node = graph->source->nodes[i];
		if (convert_node(&im))
			return graph->status;
	}
	drop_bound_inputs(graph);
	return 0;
}

/*
 * A result under a name of its own, computed by a node: what an output has to be. Copies where the
 * name is a second one, or belongs to an input or a constant.
 */
static struct loom_value *own_value(struct loom_graph *graph, struct loom_value *value,
				    const char *name)
{
	struct loom_node *node;

	if (value->producer && !value->is_output && !strcmp(value->name, name))
		return value;
	node = loom_pool_alloc(graph->pool, sizeof(*node));
	if (!node)
		return NULL;
	node->name = name;
	node->onnx_op = "Identity";
	node->op = LOOM_GOP_RESHAPE;
	node->source = graph->source->num_nodes;
	node->num_inputs = 1;
	node->inputs = loom_pool_copy(graph->pool, &value, sizeof(struct loom_value *));
	node->output = loom_value_create(graph, name, value->dtype, value->rank, value->dims);
	if (!node->inputs || !node->output || loom_graph_append(graph, node))
		return NULL;
	node->output->producer = node;
	return node->output;
}

static int name_output(struct loom_graph *graph, const char *name)
{
	struct loom_value *value = loom_names_find(&graph->source->values, name);

	if (!value)
		return loom_graph_fail(graph, -EINVAL, "output \"%s\" is never computed", name);
	value = own_value(graph, value, name);
	if (!value)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	value->is_output = true;
	graph->outputs[graph->num_outputs++] = value;
	return 0;
}

static bool is_named_output(const struct loom_graph *graph, const char *name)
{
	uint32_t i;

	for (i = 0; i < graph->num_outputs; i++) {
		if (!strcmp(graph->outputs[i]->name, name))
			return true;
	}
	return false;
}

int loom_graph_name_outputs(struct loom_graph *graph, const struct loom_graph_options *options)
{
	const struct loom_source *source = graph->source;
	uint32_t i;

	if (!source->num_outputs && !options->num_outputs)
		return loom_graph_fail(graph, -EINVAL, "the model has no outputs");
	graph->outputs = loom_pool_array(graph->pool,
					 (size_t)source->num_outputs + options->num_outputs,
					 sizeof(*graph->outputs));
	if (!graph->outputs)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < source->num_outputs; i++) {
		if (name_output(graph, source->outputs[i]))
			return graph->status;
	}
	for (i = 0; i < options->num_outputs; i++) {
		if (!is_named_output(graph, options->outputs[i]) &&
		    name_output(graph, options->outputs[i]))
			return graph->status;
	}
	return 0;
}

void loom_graph_count_uses(struct loom_graph *graph)
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
	loom_graph_count_uses(graph);
	return 0;
}
