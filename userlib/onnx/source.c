// SPDX-License-Identifier: MIT
/* Passes over the source form: order and shape binding. */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/**
 * struct order_frame - a node whose operands are being visited
 * @node: the node
 * @next_input: the next operand to visit
 */
struct order_frame {
	struct loom_source_node *node;
	uint32_t next_input;
};

static int order_known(struct loom_graph *graph, const struct loom_source_node *node,
		       const char *name)
{
	if (loom_names_find(&graph->source->values, name) ||
	    loom_names_find(&graph->source->declared, name))
		return 0;
	return loom_graph_fail(graph, -EINVAL,
			       "node \"%s\": operator %s: operand \"%s\" is never computed",
			       node->desc.name, node->desc.op_type, name);
}

/*
 * Producers first, then the node itself: a depth-first search, with an explicit stack because the
 * file determines its depth.
 */
static int order_from(struct loom_graph *graph, struct loom_source_node *root,
		      struct order_frame *stack, struct loom_source_node **order, uint32_t *count)
{
	uint32_t depth = 1;

	stack[0] = (struct order_frame){ .node = root };
	root->mark = LOOM_SOURCE_OPEN;
	while (depth) {
		struct order_frame *frame = &stack[depth - 1];
		const struct loom_node_desc *desc = &frame->node->desc;
		struct loom_source_node *producer;
		const char *name;

		if (frame->next_input == desc->num_inputs) {
			frame->node->mark = LOOM_SOURCE_DONE;
			order[(*count)++] = frame->node;
			depth--;
			continue;
		}
		name = desc->inputs[frame->next_input++];
		if (!*name)
			continue;
		producer = loom_names_find(&graph->source->producers, name);
		if (!producer) {
			if (order_known(graph, frame->node, name))
				return graph->status;
		} else if (producer->mark == LOOM_SOURCE_OPEN) {
			return loom_graph_fail(graph, -EINVAL,
					       "node \"%s\": operator %s: it depends on itself",
					       producer->desc.name, producer->desc.op_type);
		} else if (producer->mark == LOOM_SOURCE_NEW) {
			producer->mark = LOOM_SOURCE_OPEN;
			stack[depth++] = (struct order_frame){ .node = producer };
		}
	}
	return 0;
}

/*
 * Nodes of branches precede the If that reads them, and follow the producers of its condition,
 * because that is its first operand.
 */
int loom_source_order(struct loom_graph *graph)
{
	struct loom_source *source = graph->source;
	struct loom_source_node **order;
	struct order_frame *stack;
	uint32_t i, count = 0;

	order = loom_pool_array(graph->pool, source->num_nodes, sizeof(*order));
	stack = loom_pool_array(graph->pool, source->num_nodes, sizeof(*stack));
	if (!order || !stack)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < source->num_nodes; i++) {
		if (source->nodes[i]->mark == LOOM_SOURCE_NEW && !source->nodes[i]->branch &&
		    order_from(graph, source->nodes[i], stack, order, &count))
			return graph->status;
	}
	source->nodes = order;
	source->num_nodes = count;
	return 0;
}

static const struct loom_shape_binding *find_shape(const struct loom_graph_options *options,
						   const char *input)
{
	uint32_t i;

	for (i = 0; i < options->num_shapes; i++) {
		if (!strcmp(options->shapes[i].input, input))
			return &options->shapes[i];
	}
	return NULL;
}

static int bind_shape(struct loom_graph *graph, const struct loom_source_input *input,
		      const struct loom_shape_binding *shape, int64_t *dims)
{
	char given[LOOM_DIMS_TEXT], declared[LOOM_DIMS_TEXT];
	bool fits = true;
	uint32_t i;

	if (shape->rank > LOOM_GRAPH_RANK)
		return loom_graph_fail(graph, -EINVAL,
				       "input \"%s\": a shape of rank %u: %d is the most",
				       input->name, shape->rank, LOOM_GRAPH_RANK);
	if (input->has_shape && shape->rank != input->rank)
		fits = false;
	for (i = 0; fits && i < shape->rank; i++) {
		if (shape->dims[i] < 0)
			fits = false;
		if (input->has_shape && input->dims[i] != LOOM_DIM_OPEN &&
		    input->dims[i] != shape->dims[i])
			fits = false;
		dims[i] = shape->dims[i];
	}
	if (fits)
		return 0;
	loom_dims_print(given, sizeof(given), shape->rank, shape->dims);
	loom_dims_print(declared, sizeof(declared), input->rank, input->dims);
	return loom_graph_fail(graph, -EINVAL, "input \"%s\": shape %s does not fit the model's %s",
			       input->name, given, declared);
}

static bool binding_fits(const struct loom_dim_binding *binding,
			 const struct loom_source_input *input, uint32_t axis)
{
	size_t length = strlen(input->name);
	char number[16];

	if (input->dim_names[axis] && !strcmp(binding->name, input->dim_names[axis]))
		return true;
	snprintf(number, sizeof(number), ":%u", axis);
	return !strncmp(binding->name, input->name, length) &&
	       !strcmp(binding->name + length, number);
}

/* The name of a dimension for "--dim". */
static void dim_name(char *text, size_t size, const struct loom_source_input *input, uint32_t axis)
{
	if (input->dim_names[axis])
		snprintf(text, size, "%s", input->dim_names[axis]);
	else
		snprintf(text, size, "%s:%u", input->name, axis);
}

static bool is_open(const struct loom_source_input *input,
		    const struct loom_graph_options *options, uint32_t axis)
{
	uint32_t i;

	if (input->dims[axis] != LOOM_DIM_OPEN || find_shape(options, input->name))
		return false;
	for (i = 0; i < options->num_dims; i++)
		if (binding_fits(&options->dims[i], input, axis))
			return false;
	return true;
}

/* Lists the open dimensions except @known, each once, as far as they fit. */
static void list_open(const struct loom_graph *graph, const struct loom_graph_options *options,
		      const char *known, char *text, size_t size)
{
	const struct loom_source *source = graph->source;
	char name[128], listed[160];
	size_t at = 0;
	uint32_t i, axis;

	*text = '\0';
	for (i = 0; i < source->num_inputs; i++)
		for (axis = 0; source->inputs[i]->has_shape && axis < source->inputs[i]->rank;
		     axis++) {
			if (!is_open(source->inputs[i], options, axis))
				continue;
			dim_name(name, sizeof(name), source->inputs[i], axis);
			snprintf(listed, sizeof(listed), " --dim %s=VALUE", name);
			if (!strcmp(name, known) || strstr(text, listed) ||
			    at + strlen(listed) + sizeof("; open as well:") >= size)
				continue;
			at += (size_t)snprintf(text + at, size - at, "%s%s",
					       at ? "" : "; open as well:", listed);
		}
}

static int bind_dims(struct loom_graph *graph, const struct loom_source_input *input,
		     const struct loom_graph_options *options, int64_t *dims)
{
	char name[128], others[256];
	uint32_t axis, i;

	for (axis = 0; axis < input->rank; axis++) {
		for (i = 0; i < options->num_dims && dims[axis] == LOOM_DIM_OPEN; i++) {
			if (binding_fits(&options->dims[i], input, axis))
				dims[axis] = options->dims[i].value;
		}
		if (dims[axis] >= 0)
			continue;
		if (i && dims[axis] != LOOM_DIM_OPEN)
			return loom_graph_fail(graph, -EINVAL,
					       "input \"%s\": dimension %u cannot be %lld",
					       input->name, axis, (long long)dims[axis]);
		dim_name(name, sizeof(name), input, axis);
		list_open(graph, options, name, others, sizeof(others));
		return loom_graph_fail(graph, -EDESTADDRREQ,
				       "input \"%s\": dimension %u%s%s%s is not bound, use --dim %s=VALUE, or dims of loom_graph_options%s",
				       input->name, axis, input->dim_names[axis] ? " (" : "",
				       input->dim_names[axis] ? name : "",
				       input->dim_names[axis] ? ")" : "", name, others);
	}
	return 0;
}

/* by name; an array without a name is for the input at its index */
static bool value_is_for(const struct loom_graph *graph, const struct loom_array *array,
			 uint32_t index, const struct loom_value *value)
{
	const struct loom_source *source = graph->source;

	if (array->name && *array->name)
		return !strcmp(array->name, value->name);
	return index < source->num_inputs && !strcmp(source->inputs[index]->name, value->name);
}

static int bind_value(struct loom_graph *graph, const struct loom_array *arrays, uint32_t count,
		      struct loom_value *value)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct loom_array *array = &arrays[i];

		if (!value_is_for(graph, array, i, value))
			continue;
		if (array->dtype != value->dtype || array->rank != value->rank ||
		    memcmp(array->dims, value->dims, value->rank * sizeof(value->dims[0])) ||
		    array->size_bytes != value->size_bytes)
			return loom_graph_fail(graph, -EINVAL,
					       "the value given for input \"%s\" does not fit it",
					       value->name);
		if (array->size_bytes && !array->data)
			return loom_graph_fail(graph, -EINVAL,
					       "the value given for input \"%s\" has no data",
					       value->name);
		value->data = loom_pool_copy(graph->pool, array->data, array->size_bytes);
		if (!value->data)
			return loom_graph_fail(graph, -ENOMEM, "out of memory");
		value->is_input = false;
		return 0;
	}
	return 0;
}

int loom_source_bind_value(struct loom_graph *graph, const struct loom_graph_options *options,
			   struct loom_value *value)
{
	return bind_value(graph, options->values, options->num_values, value);
}

/* The dimensions that the model leaves open, regardless of bindings. */
static uint32_t open_dims(const struct loom_source_input *input, uint32_t rank)
{
	uint32_t i, open = 0;

	for (i = 0; i < rank; i++)
		if (!input->has_shape || input->dims[i] == LOOM_DIM_OPEN)
			open |= 1u << i;
	return open;
}

static int bind_input(struct loom_graph *graph, const struct loom_source_input *input,
		      const struct loom_graph_options *options, struct loom_value **value)
{
	const struct loom_shape_binding *shape = find_shape(options, input->name);
	int64_t dims[LOOM_GRAPH_RANK];
	char text[LOOM_DIMS_TEXT];
	uint32_t rank = shape ? shape->rank : input->rank;

	memcpy(dims, input->dims, sizeof(dims));
	if (shape) {
		if (bind_shape(graph, input, shape, dims))
			return graph->status;
	} else if (!input->has_shape) {
		return loom_graph_fail(graph, -EDESTADDRREQ,
				       "input \"%s\": the model does not give its shape",
				       input->name);
	} else if (bind_dims(graph, input, options, dims)) {
		return graph->status;
	}
	*value = loom_value_create(graph, input->name, input->dtype, rank, dims);
	if (!*value || loom_names_set(&graph->source->values, input->name, *value))
		return loom_graph_fail(graph, -EINVAL, "input \"%s\": %s of %s is too large",
				       input->name, loom_dims_print(text, sizeof(text), rank, dims),
				       loom_dtype_name(input->dtype));
	(*value)->is_input = true;
	(*value)->open_dims = open_dims(input, rank);
	if (bind_value(graph, options->constants, options->num_constants, *value))
		return graph->status;
	if (options->flags & LOOM_GRAPH_BIND_VALUES)
		return loom_source_bind_value(graph, options, *value);
	return 0;
}

/* a binding that matches nothing is most likely a typing error */
static int check_bindings(struct loom_graph *graph, const struct loom_graph_options *options)
{
	const struct loom_source *source = graph->source;
	uint32_t i, j, axis;

	for (i = 0; i < options->num_dims; i++) {
		bool used = false;

		for (j = 0; j < source->num_inputs && !used; j++) {
			for (axis = 0; axis < source->inputs[j]->rank && !used; axis++)
				used = binding_fits(&options->dims[i], source->inputs[j], axis);
		}
		if (!used)
			return loom_graph_fail(graph, -EINVAL, "no input has a dimension \"%s\"",
					       options->dims[i].name);
	}
	for (i = 0; i < options->num_shapes; i++) {
		if (!loom_names_find(&source->declared, options->shapes[i].input))
			return loom_graph_fail(graph, -EINVAL, "there is no input \"%s\"",
					       options->shapes[i].input);
	}
	for (i = 0; i < options->num_constants; i++) {
		const char *name = options->constants[i].name;

		if (name && !loom_names_find(&source->declared, name))
			return loom_graph_fail(graph, -EINVAL, "there is no input \"%s\"", name);
	}
	return 0;
}

int loom_source_bind(struct loom_graph *graph, const struct loom_graph_options *options)
{
	struct loom_source *source = graph->source;
	uint32_t i;

	if (check_bindings(graph, options))
		return graph->status;
	graph->inputs = loom_pool_array(graph->pool, source->num_inputs, sizeof(*graph->inputs));
	if (!graph->inputs)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < source->num_inputs; i++) {
		if (bind_input(graph, source->inputs[i], options, &graph->inputs[i]))
			return graph->status;
		graph->num_inputs = i + 1;
	}
	return 0;
}
