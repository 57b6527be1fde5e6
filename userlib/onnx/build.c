// SPDX-License-Identifier: MIT
/* Public calls that build a graph by hand, also used by the reader of files. */
#include "source.h"

#include <errno.h>
#include <string.h>

#define OPSET_MIN	1
/* opsets after 21 do not change the meaning of existing operators */
#define OPSET_MAX	26

/* only a hostile file has nodes with more operands or results */
#define NODE_OPERANDS_MAX	65536

/* of constants that are not copied: a page */
#define MAPPED_BYTES_MIN	4096

/*
 * Constants may become larger by folding: by so much, and so many times what the model has of them,
 * wherever their bytes are.
 */
#define GROW_BYTES	(512ULL << 20)
#define GROW_TIMES	8

static int out_of_memory(struct loom_graph *graph)
{
	return loom_graph_fail(graph, -ENOMEM, "out of memory");
}

int loom_source_set_opset(struct loom_graph *graph, int opset)
{
	graph->opset = opset;
	if (opset >= OPSET_MIN && opset <= OPSET_MAX)
		return 0;
	return loom_graph_fail(graph, -EOPNOTSUPP, "opset %d is not supported, only %d to %d are",
			       opset, OPSET_MIN, OPSET_MAX);
}

int loom_graph_create(const char *name, int opset, struct loom_graph **graph)
{
	struct loom_graph *created;
	struct loom_source *source;
	int err;

	*graph = NULL;
	if (!name)
		return -EINVAL;
	err = loom_graph_alloc(name, &created);
	if (err)
		return err;
	source = loom_pool_alloc(created->pool, sizeof(*source));
	if (!source) {
		loom_graph_destroy(created);
		return -ENOMEM;
	}
	created->most_grown_bytes = GROW_BYTES;
	source->declared.pool = created->pool;
	source->producers.pool = created->pool;
	source->values.pool = created->pool;
	created->source = source;
	loom_source_set_opset(created, opset);
	*graph = created;
	return 0;
}

/* Returns 0, or the reason why nothing can be added; errors after finishing are not the graph's. */
static int is_closed(const struct loom_graph *graph)
{
	if (!graph)
		return -EINVAL;
	return graph->status ? graph->status : graph->finished ? -EINVAL : 0;
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

	if (is_closed(graph))
		return is_closed(graph);
	/* before IR version 4 every initialiser was listed as an input as well */
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
	struct loom_source_input input = { .has_shape = true };

	if (is_closed(graph))
		return is_closed(graph);
	if (!info || !info->name || !*info->name)
		return loom_graph_fail(graph, -EINVAL, "an input has no name");
	if (!loom_dtype_size(info->dtype))
		return loom_graph_fail(graph, -EINVAL, "input \"%s\": type %u is not known",
				       info->name, info->dtype);
	if (info->rank > LOOM_GRAPH_RANK)
		return loom_graph_fail(graph, -EINVAL, "input \"%s\": rank %u is more than %d",
				       info->name, info->rank, LOOM_GRAPH_RANK);
	input.name = info->name;
	input.dtype = info->dtype;
	input.rank = info->rank;
	memcpy(input.dims, info->dims, sizeof(input.dims));
	return loom_graph_add_open_input(graph, &input);
}

/*
 * The elements of a constant, which are copied but for large ones that are in a file: these stay
 * there. Wide integers may be shapes and indices, which are checked once and read again; a file may
 * change in between.
 */
static void *keep_elements(struct loom_graph *graph, const struct loom_array *array)
{
	graph->most_grown_bytes += GROW_TIMES * (uint64_t)array->size_bytes;
	if (array->size_bytes >= MAPPED_BYTES_MIN && array->dtype != DRM_LOOM_DTYPE_I32 &&
	    array->dtype != DRM_LOOM_DTYPE_I64 && loom_pool_has_mapped(graph->pool, array->data))
		return array->data;
	return loom_pool_copy(graph->pool, array->data, array->size_bytes);
}

int loom_graph_add_const(struct loom_graph *graph, const struct loom_array *array)
{
	struct loom_value *value;
	const char *name;
	int64_t num_elems;

	if (is_closed(graph))
		return is_closed(graph);
	if (!array || !array->name || !*array->name)
		return loom_graph_fail(graph, -EINVAL, "a constant has no name");
	if (name_taken(graph, array->name))
		return name_twice(graph, array->name);
	if (!loom_dtype_size(array->dtype))
		return loom_graph_fail(graph, -EINVAL, "constant \"%s\": type %u is not known",
				       array->name, array->dtype);
	if (array->rank > LOOM_GRAPH_RANK)
		return loom_graph_fail(graph, -EINVAL, "constant \"%s\": rank %u is more than %d",
				       array->name, array->rank, LOOM_GRAPH_RANK);
	if (loom_dims_count(array->rank, array->dims, &num_elems) ||
	    array->size_bytes != (size_t)num_elems * loom_dtype_size(array->dtype))
		return loom_graph_fail(graph, -EINVAL,
				       "constant \"%s\": data do not fit its shape", array->name);
	if (array->size_bytes && !array->data)
		return loom_graph_fail(graph, -EINVAL, "constant \"%s\" has no data",
				       array->name);
	name = loom_pool_string(graph->pool, array->name);
	if (!name)
		return out_of_memory(graph);
	value = loom_value_create(graph, name, array->dtype, array->rank, array->dims);
	if (!value)
		return out_of_memory(graph);
	value->data = keep_elements(graph, array);
	if (!value->data || loom_names_set(&graph->source->values, name, value))
		return out_of_memory(graph);
	return 0;
}

void loom_source_set_bits(struct loom_graph *graph, const char *name, uint32_t bits)
{
	struct loom_value *value = loom_names_find(&graph->source->values, name);

	if (value)
		value->bits = bits;
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

static bool copy_attr(struct loom_graph *graph, struct loom_attr *attr)
{
	struct loom_pool *pool = graph->pool;
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
		tensor->data = keep_elements(graph, tensor);
		attr->tensor = tensor;
		return tensor->data;
	case LOOM_ATTR_STRINGS:
		return copy_strings(pool, &attr->strings, (uint32_t)attr->count);
	case LOOM_ATTR_OTHER:
		return true;
	}
	return false;
}

static struct loom_source_node *copy_node(struct loom_graph *graph,
					  const struct loom_node_desc *desc)
{
	struct loom_pool *pool = graph->pool;
	struct loom_source_node *node = loom_pool_alloc(pool, sizeof(*node));
	struct loom_attr *attrs;
	uint32_t i;

	if (!node)
		return NULL;
	node->desc = *desc;
	node->desc.op_type = loom_pool_string(pool, desc->op_type);
	/* an unnamed node is named after its first result */
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
		if (!copy_attr(graph, &attrs[i]))
			return NULL;
	}
	node->desc.attrs = attrs;
	return node;
}

int loom_source_name_in_body(struct loom_graph *graph, struct loom_source_body *body,
			     const char *name)
{
	if (name_taken(graph, name) || loom_names_find(&body->names, name))
		return name_twice(graph, name);
	return loom_names_set(&body->names, name, (void *)name) ? out_of_memory(graph) : 0;
}

/* A value of a body is local to it, and new in each round, so it has no producer. */
static int add_to_body(struct loom_graph *graph, struct loom_source_body *body,
		       struct loom_source_node *node)
{
	void *nodes = loom_pool_grow(graph->pool, body->nodes, body->num_nodes, &body->cap_nodes,
				     sizeof(*body->nodes));
	uint32_t i;

	if (!node || !nodes)
		return out_of_memory(graph);
	for (i = 0; i < node->desc.num_outputs; i++)
		if (*node->desc.outputs[i] &&
		    loom_source_name_in_body(graph, body, node->desc.outputs[i]))
			return graph->status;
	body->nodes = nodes;
	node->index = graph->source->num_nodes;
	node->branch = graph->source->branch;
	body->nodes[body->num_nodes++] = node;
	return 0;
}

/* Checks for omissions of a caller; the reader of files makes none. */
static int check_node(struct loom_graph *graph, const struct loom_node_desc *desc)
{
	const char *name;
	uint32_t i;

	if (!desc)
		return loom_graph_fail(graph, -EINVAL, "a node is not described");
	name = desc->name ? desc->name :
	       desc->outputs && desc->num_outputs && desc->outputs[0] ? desc->outputs[0] : "";
	if (!desc->op_type)
		return loom_graph_fail(graph, -EINVAL, "node \"%s\" has no operator", name);
	if ((desc->num_inputs && !desc->inputs) || (desc->num_outputs && !desc->outputs) ||
	    (desc->num_attrs && !desc->attrs))
		return loom_graph_fail(graph, -EINVAL,
				       "node \"%s\": operator %s: its %s are missing", name,
				       desc->op_type,
				       desc->num_inputs && !desc->inputs ? "inputs" :
				       desc->num_outputs && !desc->outputs ? "outputs" :
				       "attributes");
	if (desc->num_inputs > NODE_OPERANDS_MAX || desc->num_outputs > NODE_OPERANDS_MAX)
		return loom_graph_fail(graph, -E2BIG, "a node has more than %d operands",
				       NODE_OPERANDS_MAX);
	for (i = 0; i < desc->num_inputs; i++)
		if (!desc->inputs[i])
			return loom_graph_fail(graph, -EINVAL,
					       "node \"%s\": operator %s: operand %u is NULL: one that is left out is \"\"",
					       name, desc->op_type, i);
	for (i = 0; i < desc->num_outputs; i++)
		if (!desc->outputs[i])
			return loom_graph_fail(graph, -EINVAL,
					       "node \"%s\": operator %s: result %u is NULL: one that is left out is \"\"",
					       name, desc->op_type, i);
	for (i = 0; i < desc->num_attrs; i++)
		if (!desc->attrs[i].name)
			return loom_graph_fail(graph, -EINVAL,
					       "node \"%s\": operator %s: attribute %u has no name",
					       name, desc->op_type, i);
	return 0;
}

int loom_graph_add_node(struct loom_graph *graph, const struct loom_node_desc *desc)
{
	struct loom_source *source;
	struct loom_source_node *node;
	void *nodes;
	uint32_t i;

	if (is_closed(graph))
		return is_closed(graph);
	if (check_node(graph, desc))
		return graph->status;
	source = graph->source;
	node = copy_node(graph, desc);
	if (node) {
		node->body = source->repeats;
		source->repeats = NULL;
	}
	if (source->body)
		return add_to_body(graph, source->body, node);
	nodes = loom_pool_grow(graph->pool, source->nodes, source->num_nodes, &source->cap_nodes,
			       sizeof(*source->nodes));
	if (!node || !nodes)
		return out_of_memory(graph);
	source->nodes = nodes;
	node->index = source->num_nodes;
	node->branch = source->branch;
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
	struct loom_source *source;
	void *outputs;

	if (is_closed(graph))
		return is_closed(graph);
	if (!name)
		return loom_graph_fail(graph, -EINVAL, "an output has no name");
	source = graph->source;
	outputs = loom_pool_grow(graph->pool, source->outputs, source->num_outputs,
				 &source->cap_outputs, sizeof(*source->outputs));
	name = loom_pool_string(graph->pool, name);
	if (!outputs || !name)
		return out_of_memory(graph);
	source->outputs = outputs;
	source->outputs[source->num_outputs++] = name;
	return 0;
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
