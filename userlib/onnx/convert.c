// SPDX-License-Identifier: MIT
/* From the source form to the canonical one: walks the nodes, calls the importers. */
#include "import.h"
#include "onnx.h"

#include <errno.h>
#include <string.h>

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

/* what values without a name of their own are named after */
static const char *first_result(const struct loom_node_desc *desc)
{
	uint32_t i;

	for (i = 0; i < desc->num_outputs; i++) {
		if (*desc->outputs[i])
			return desc->outputs[i];
	}
	return desc->name;
}

static int convert_node(struct loom_import *im)
{
	const struct loom_node_desc *desc = &im->node->desc;
	const struct loom_importer *importer = loom_importer_find(desc->op_type);
	uint32_t i;

	loom_emit_source(im->em, desc->name, desc->op_type, im->node->index);
	importer->import(im, importer->arg);
	loom_emit_name_values(im->em, first_result(desc));
	for (i = 0; i < desc->num_outputs && !im->em->status; i++) {
		if (loom_import_wants(im, i) &&
		    !loom_names_find(&im->graph->source->values, desc->outputs[i]))
			loom_import_fail(im, -EOPNOTSUPP, "result %u is not supported", i);
	}
	return im->em->status;
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

int loom_source_convert(struct loom_graph *graph, const struct loom_graph_options *options)
{
	struct loom_emitter em = { .graph = graph };
	struct loom_import im = {
		.em = &em,
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

static int name_output(struct loom_graph *graph, const char *name)
{
	struct loom_value *value = loom_names_find(&graph->source->values, name);

	if (!value)
		return loom_graph_fail(graph, -EINVAL, "output \"%s\" is never computed", name);
	return loom_graph_add_result(graph, value, name, graph->source->num_nodes);
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

int loom_source_name_outputs(struct loom_graph *graph, const struct loom_graph_options *options)
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
