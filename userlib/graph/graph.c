// SPDX-License-Identifier: MIT
/* The builder's calls: everything that makes the source form, and what asks about a graph. */
#include "graph.h"

#include "base/pool.h"
#include "onnx/source.h"
#include "value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPSET_MIN	1
#define OPSET_MAX	21

/* a node with more operands or results than this is no node but an attack */
#define NODE_OPERANDS_MAX	65536

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
	/* names come from the file and may hold anything; the promise is one line */
	for (char *c = graph->error.text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return code;
}

static int out_of_memory(struct loom_graph *graph)
{
	return loom_graph_fail(graph, -ENOMEM, "out of memory");
}

int loom_graph_create(const char *name, int opset, struct loom_graph **graph)
{
	struct loom_graph *created;
	const char *base = strrchr(name, '/');

	created = calloc(1, sizeof(*created));
	if (!created)
		return -ENOMEM;
	created->pool = loom_pool_create(LOOM_POOL_BUDGET_BYTES);
	created->source = created->pool ?
		loom_pool_alloc(created->pool, sizeof(*created->source)) : NULL;
	created->name = created->source ?
		loom_pool_string(created->pool, base ? base + 1 : name) : NULL;
	if (!created->name) {
		loom_graph_destroy(created);
		return -ENOMEM;
	}
	created->source->declared.pool = created->pool;
	created->source->producers.pool = created->pool;
	created->source->values.pool = created->pool;
	created->opset = opset;
	if (opset < OPSET_MIN || opset > OPSET_MAX)
		loom_graph_fail(created, -EOPNOTSUPP,
				"opset %d is not supported, only %d to %d are", opset, OPSET_MIN,
				OPSET_MAX);
	*graph = created;
	return 0;
}

void loom_graph_destroy(struct loom_graph *graph)
{
	if (!graph)
		return;
	loom_pool_destroy(graph->pool);
	free(graph);
}

static bool name_taken(const struct loom_graph *graph, const char *name)
{
	const struct loom_source *source = graph->source;

	return loom_names_find(&source->values, name) ||
	       loom_names_find(&source->producers, name) ||
	       loom_names_find(&source->declared, name);
}

static int name_twice(struct loom_graph *graph, const char *name)
{
	return loom_graph_fail(graph, -EINVAL, "two tensors are called \"%s\"", name);
}

int loom_graph_add_open_input(struct loom_graph *graph, const struct loom_source_input *input)
{
	struct loom_source *source = graph->source;
	struct loom_source_input *copy;
	void *inputs;
	uint32_t i;

	if (graph->status)
		return graph->status;
	/* before IR version 4 every initialiser was listed as an input, too */
	if (loom_names_find(&source->values, input->name))
		return 0;
	if (name_taken(graph, input->name))
		return name_twice(graph, input->name);
	copy = loom_pool_copy(graph->pool, input, sizeof(*input));
	inputs = loom_pool_grow(graph->pool, source->inputs, source->num_inputs,
				&source->cap_inputs, sizeof(*source->inputs));
	if (!copy || !inputs)
		return out_of_memory(graph);
	source->inputs = inputs;
	copy->name = loom_pool_string(graph->pool, input->name);
	if (!copy->name || loom_names_set(&source->declared, copy->name, copy))
		return out_of_memory(graph);
	for (i = 0; i < input->rank; i++) {
		if (input->dim_names[i])
			copy->dim_names[i] = loom_pool_string(graph->pool, input->dim_names[i]);
	}
	source->inputs[source->num_inputs++] = copy;
	return 0;
}

int loom_graph_add_input(struct loom_graph *graph, const struct loom_tensor_info *info)
{
	struct loom_source_input input = {
		.name = info->name,
		.dtype = info->dtype,
		.has_shape = true,
		.rank = info->rank,
	};

	if (!graph->status && info->rank > LOOM_GRAPH_RANK)
		return loom_graph_fail(graph, -EINVAL, "input \"%s\": rank %u is more than %d",
				       info->name, info->rank, LOOM_GRAPH_RANK);
	memcpy(input.dims, info->dims, sizeof(input.dims));
	return loom_graph_add_open_input(graph, &input);
}

int loom_graph_add_const(struct loom_graph *graph, const struct loom_array *array)
{
	struct loom_value *value;
	const char *name;
	int64_t num_elems;

	if (graph->status)
		return graph->status;
	if (!array->name || !*array->name)
		return loom_graph_fail(graph, -EINVAL, "a constant has no name");
	if (name_taken(graph, array->name))
		return name_twice(graph, array->name);
	if (loom_dims_count(array->rank, array->dims, &num_elems) ||
	    !loom_dtype_size(array->dtype) ||
	    array->size_bytes != (size_t)num_elems * loom_dtype_size(array->dtype))
		return loom_graph_fail(graph, -EINVAL,
				       "constant \"%s\": data do not fit its shape", array->name);
	name = loom_pool_string(graph->pool, array->name);
	if (!name)
		return out_of_memory(graph);
	value = loom_value_create(graph, name, array->dtype, array->rank, array->dims);
	if (!value || loom_value_alloc(graph, value) ||
	    loom_names_set(&graph->source->values, name, value))
		return out_of_memory(graph);
	if (value->size_bytes)
		memcpy(value->data, array->data, value->size_bytes);
	return 0;
}

static bool copy_strings(struct loom_pool *pool, const char *const **strings, uint32_t count)
{
	const char **copy = loom_pool_array(pool, count, sizeof(*copy));
	uint32_t i;

	if (!copy)
		return false;
	for (i = 0; i < count; i++) {
		copy[i] = loom_pool_string(pool, (*strings)[i]);
		if (!copy[i])
			return false;
	}
	*strings = copy;
	return true;
}

static bool copy_attr(struct loom_pool *pool, struct loom_attr *attr)
{
	struct loom_array *tensor;

	attr->name = loom_pool_string(pool, attr->name);
	if (!attr->name)
		return false;
	switch (attr->type) {
	case LOOM_ATTR_INT:
	case LOOM_ATTR_INTS:
		attr->ints = loom_pool_copy(pool, attr->ints, attr->count * sizeof(*attr->ints));
		return attr->ints;
	case LOOM_ATTR_FLOAT:
	case LOOM_ATTR_FLOATS:
		attr->floats = loom_pool_copy(pool, attr->floats,
					      attr->count * sizeof(*attr->floats));
		return attr->floats;
	case LOOM_ATTR_STRING:
		attr->string = loom_pool_string(pool, attr->string);
		return attr->string;
	case LOOM_ATTR_TENSOR:
		tensor = loom_pool_copy(pool, attr->tensor, sizeof(*tensor));
		if (!tensor)
			return false;
		tensor->name = NULL;
		tensor->data = loom_pool_copy(pool, tensor->data, tensor->size_bytes);
		attr->tensor = tensor;
		return tensor->data;
	case LOOM_ATTR_OTHER:
		return true;
	}
	return false;
}

static struct loom_source_node *copy_node(struct loom_pool *pool, const struct loom_node_desc *desc)
{
	struct loom_source_node *node = loom_pool_alloc(pool, sizeof(*node));
	struct loom_attr *attrs;
	uint32_t i;

	if (!node)
		return NULL;
	node->desc = *desc;
	node->desc.op_type = loom_pool_string(pool, desc->op_type);
	/* a node without a name goes by that of its first result */
	if ((!desc->name || !*desc->name) && desc->num_outputs)
		node->desc.name = desc->outputs[0];
	node->desc.name = loom_pool_string(pool, node->desc.name);
	attrs = loom_pool_array(pool, desc->num_attrs, sizeof(*attrs));
	if (!node->desc.op_type || !node->desc.name || !attrs ||
	    !copy_strings(pool, &node->desc.inputs, desc->num_inputs) ||
	    !copy_strings(pool, &node->desc.outputs, desc->num_outputs))
		return NULL;
	for (i = 0; i < desc->num_attrs; i++) {
		attrs[i] = desc->attrs[i];
		if (!copy_attr(pool, &attrs[i]))
			return NULL;
	}
	node->desc.attrs = attrs;
	return node;
}

int loom_graph_add_node(struct loom_graph *graph, const struct loom_node_desc *desc)
{
	struct loom_source *source = graph->source;
	struct loom_source_node *node;
	void *nodes;
	uint32_t i;

	if (graph->status)
		return graph->status;
	if (desc->num_inputs > NODE_OPERANDS_MAX || desc->num_outputs > NODE_OPERANDS_MAX)
		return loom_graph_fail(graph, -E2BIG, "a node has more than %d operands",
				       NODE_OPERANDS_MAX);
	node = copy_node(graph->pool, desc);
	nodes = loom_pool_grow(graph->pool, source->nodes, source->num_nodes, &source->cap_nodes,
			       sizeof(*source->nodes));
	if (!node || !nodes)
		return out_of_memory(graph);
	source->nodes = nodes;
	node->index = source->num_nodes;
	source->nodes[source->num_nodes++] = node;
	for (i = 0; i < node->desc.num_outputs; i++) {
		const char *name = node->desc.outputs[i];

		if (!*name)
			continue;
		if (name_taken(graph, name))
			return name_twice(graph, name);
		if (loom_names_set(&source->producers, name, node))
			return out_of_memory(graph);
	}
	return 0;
}

int loom_graph_add_output(struct loom_graph *graph, const char *name)
{
	struct loom_source *source = graph->source;
	void *outputs;

	if (graph->status)
		return graph->status;
	outputs = loom_pool_grow(graph->pool, source->outputs, source->num_outputs,
				 &source->cap_outputs, sizeof(*source->outputs));
	name = loom_pool_string(graph->pool, name);
	if (!outputs || !name)
		return out_of_memory(graph);
	source->outputs = outputs;
	source->outputs[source->num_outputs++] = name;
	return 0;
}

static void mark_all_outputs(struct loom_graph *graph)
{
	struct loom_value **outputs;
	uint32_t i, num_outputs = graph->num_outputs;

	outputs = loom_pool_array(graph->pool, num_outputs + graph->num_nodes, sizeof(*outputs));
	if (!outputs) {
		out_of_memory(graph);
		return;
	}
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
}

static void finish(struct loom_graph *graph, const struct loom_graph_options *options)
{
	if (graph->status || loom_source_check(graph) || loom_source_order(graph) ||
	    loom_source_bind(graph, options) || loom_graph_convert(graph, options) ||
	    loom_graph_name_outputs(graph, options) || loom_graph_prune(graph))
		return;
	if (!(options->flags & LOOM_GRAPH_KEEP_ALL)) {
		if (loom_graph_simplify(graph) || loom_graph_fold_affine(graph) ||
		    loom_graph_fuse(graph))
			return;
	}
	if (options->flags & LOOM_GRAPH_OUTPUT_ALL)
		mark_all_outputs(graph);
	loom_graph_prune(graph);
}

int loom_graph_finish(struct loom_graph *graph, const struct loom_graph_options *options,
		      struct loom_error *err)
{
	static const struct loom_graph_options defaults;

	if (!graph->source->finished)
		finish(graph, options ? options : &defaults);
	graph->source->finished = true;
	if (graph->status && err)
		*err = graph->error;
	return graph->status;
}

int loom_graph_set_scope(struct loom_graph *graph, const char *name, enum loom_scope scope)
{
	bool found = !name;
	uint32_t i;

	if (scope > LOOM_SCOPE_TEXTURE_NHWC)
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

uint32_t loom_graph_num_declared(const struct loom_graph *graph)
{
	return graph->source->num_inputs;
}

int loom_graph_declared(const struct loom_graph *graph, uint32_t index,
			struct loom_tensor_info *info, const char **dim_names, bool *has_shape)
{
	const struct loom_source_input *input;

	if (index >= graph->source->num_inputs)
		return -ENOENT;
	input = graph->source->inputs[index];
	*has_shape = input->has_shape;
	*info = (struct loom_tensor_info){
		.name = input->name,
		.dtype = input->dtype,
		.rank = input->rank,
	};
	memcpy(info->dims, input->dims, sizeof(info->dims));
	memcpy(dim_names, input->dim_names, sizeof(input->dim_names));
	return 0;
}

uint32_t loom_graph_num_inputs(const struct loom_graph *graph)
{
	return graph->num_inputs;
}

uint32_t loom_graph_num_outputs(const struct loom_graph *graph)
{
	return graph->num_outputs;
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
	if (index >= graph->num_inputs)
		return -ENOENT;
	describe(graph->inputs[index], info);
	return 0;
}

int loom_graph_output(const struct loom_graph *graph, uint32_t index,
		      struct loom_tensor_info *info)
{
	if (index >= graph->num_outputs)
		return -ENOENT;
	describe(graph->outputs[index], info);
	return 0;
}
