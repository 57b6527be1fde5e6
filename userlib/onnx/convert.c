// SPDX-License-Identifier: MIT
/* Conversion of the source form to the canonical form: walks the nodes, calls the importers. */
#include "import.h"
#include "onnx.h"

#include "base/watch.h"
#include "native/native.h"

#include <errno.h>
#include <string.h>

/* Limit on the nodes of unrolled bodies, which bounds the time. */
#define MOST_WRITTEN	100000
/* The same of nodes that the importer of one node makes, which may be a Loop. */
#define MOST_MADE	16384

static int check_node(struct loom_graph *graph, const struct loom_source_node *node)
{
	const struct loom_node_desc *desc = &node->desc;
	const struct loom_importer *importer = loom_importer_find(desc->op_type);
	uint32_t i;

	if (node->native)
		return 0;

	if (!importer)
		return loom_graph_fail(graph, -EOPNOTSUPP,
				       "node \"%.100s\": operator %.100s is not supported",
				       desc->name, desc->op_type);
	for (i = 0; i < desc->num_attrs; i++)
		if (!loom_importer_knows(importer, desc->attrs[i].name, graph->opset))
			return loom_graph_fail(graph, -EINVAL,
					       "node \"%.100s\": operator %.100s of opset %d has no attribute %.100s",
					       desc->name, desc->op_type, graph->opset,
					       desc->attrs[i].name);
	return 0;
}

int loom_source_check(struct loom_graph *graph)
{
	const struct loom_source *source = graph->source;
	uint32_t i;

	/* branches may never be taken: they are checked when they are converted */
	for (i = 0; i < source->num_nodes; i++)
		if (!source->nodes[i]->branch && check_node(graph, source->nodes[i]))
			return graph->status;
	return 0;
}

static void name_values(struct loom_import *im)
{
	const char *base = loom_import_base(im);

	if (*im->round)
		base = loom_pool_print(im->graph->pool, "%s%s", base, im->round);
	if (base)
		loom_emit_name_values(im->em, base);
	else
		loom_import_fail(im, -ENOMEM, "out of memory");
}

static int convert_node(struct loom_import *im);

/* Converts the nodes that a native kernel does not take. */
static int give_back(const struct loom_import *im)
{
	uint32_t count = im->node->run ? im->node->native->num_ops : 1, i;
	struct loom_source_node part = *im->node;
	struct loom_import inner = *im;

	part.native = NULL;
	part.run = NULL;
	inner.node = &part;
	for (i = 0; i < count && !im->em->status; i++) {
		if (im->node->run)
			part.desc = *im->node->run[i];
		if (check_node(im->graph, &part))
			im->em->status = im->graph->status;
		else
			convert_node(&inner);
	}
	return im->em->status;
}

static int convert_node(struct loom_import *im)
{
	const struct loom_node_desc *desc = &im->node->desc;
	const struct loom_importer *importer = loom_importer_find(desc->op_type);
	uint32_t i, before = im->graph->num_nodes;

	loom_emit_source(im->em, desc->name, desc->op_type, im->node->index);
	loom_watch_node(desc->name);
	if (im->node->native) {
		if (!loom_import_native(im))
			return give_back(im);
	} else {
		importer->import(im, importer->arg);
	}
	if (im->graph->num_nodes - before > MOST_MADE)
		loom_import_fail(im, -EOPNOTSUPP, "written out it has more than %d nodes",
				 MOST_MADE);
	if (!im->em->status && loom_watch_spend(10))
		loom_import_fail(im, -ENOMEM, "out of memory");
	if (!im->em->status)
		name_values(im);
	for (i = 0; i < desc->num_outputs && !im->em->status; i++) {
		if (loom_import_wants(im, i) &&
		    !loom_names_find(&im->graph->source->values, desc->outputs[i]))
			loom_import_fail(im, -EOPNOTSUPP, "result %u is not supported", i);
	}
	return im->em->status;
}

/* Whether it is in a branch that is never taken, for any data. */
static bool is_left_out(const struct loom_import *im)
{
	const struct loom_source_branch *branch;
	bool taken;

	for (branch = im->node->branch; branch; branch = branch->outer)
		if (loom_import_decides(im, branch->condition, &taken) && taken != branch->when)
			return true;
	return false;
}

/* Nodes of bodies are in the order of the file, which is topological. */
static bool convert_nodes(struct loom_import *im, struct loom_source_node *const *nodes,
			  uint32_t count, bool checked)
{
	uint32_t i;

	for (i = 0; i < count && !im->em->status; i++) {
		im->node = nodes[i];
		if (checked)
			loom_watch_reach(0.1 + 0.8 * i / count);
		if (is_left_out(im))
			continue;
		if ((im->node->branch || !checked) && check_node(im->graph, im->node))
			im->em->status = im->graph->status;
		else
			convert_node(im);
	}
	return !im->em->status;
}

static bool convert_body(struct loom_import *im, struct loom_value *const *inputs,
			 struct loom_value **outputs, uint32_t round)
{
	const struct loom_source_body *body = im->node->body;
	struct loom_names *values = &im->graph->source->values;
	const struct loom_node_desc *desc = &im->node->desc;
	struct loom_import inner = *im;
	uint32_t i;

	if (im->em->status)
		return false;
	/* for nested loops the product counts */
	im->graph->source->written += body->num_nodes + 1;
	if (im->graph->source->written > MOST_WRITTEN)
		loom_import_fail(im, -EOPNOTSUPP, "written out it has more than %d nodes",
				 MOST_WRITTEN);
	name_values(im);
	inner.round = loom_pool_print(im->graph->pool, "%s@%u", im->round, round);
	for (i = 0; i < body->num_inputs; i++)
		if (!inner.round || loom_names_set(values, body->inputs[i], inputs[i]))
			loom_import_fail(im, -ENOMEM, "out of memory");
	if (im->em->status || !convert_nodes(&inner, body->nodes, body->num_nodes, false))
		return false;
	loom_emit_source(im->em, desc->name, desc->op_type, im->node->index);
	for (i = 0; i < body->num_outputs; i++) {
		outputs[i] = loom_names_find(values, body->outputs[i]);
		if (!outputs[i])
			loom_import_fail(im, -EINVAL, "result %u of its body is never computed", i);
		outputs[i] = loom_import_filled(im, outputs[i]);
	}
	return !im->em->status;
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
		.round = "",
		.repeat = convert_body,
	};

	if (!convert_nodes(&im, graph->source->nodes, graph->source->num_nodes, true))
		return graph->status;
	drop_bound_inputs(graph);
	return 0;
}

static int name_output(struct loom_graph *graph, const char *name)
{
	struct loom_value *value = loom_names_find(&graph->source->values, name);

	if (!value)
		return loom_graph_fail(graph, -EINVAL, "output \"%s\" is never computed", name);
	if (loom_value_expand(graph, value))
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
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
