/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_ONNX_PROTO_BUILD_H
#define LOOM_TESTS_ONNX_PROTO_BUILD_H

/* Models with graphs in graphs, for tests of the reader: they are packed and read. */

#include "base/pool.h"
#include "graph/graph.h"
#include "loom_chip_file.h"
#include "loom_core.h"
#include "loom_planner.h"
#include "near.h"
#include "onnx/proto.h"
#include "outcome.h"
#include "tap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct loom_pool *pool;

enum { FLOAT = 1, INT64 = 7, BOOL = 9 };

static inline void *take(size_t size_bytes)
{
	void *memory = loom_pool_alloc(pool, size_bytes);

	if (!memory)
		tap_fatal("no memory");
	return memory;
}

/* "a b c", "-" for what is left out */
static inline char **words(const char *text, size_t *count)
{
	char **list = take(8 * sizeof(*list)), *rest = loom_pool_string(pool, text), *word;

	for (*count = 0; (word = strsep(&rest, " ")) && *count < 8;)
		if (*word)
			list[(*count)++] = strcmp(word, "-") ? word : "";
	return list;
}

static inline Onnx__GraphProto *graph_create(void)
{
	Onnx__GraphProto *graph = take(sizeof(*graph));

	onnx__graph_proto__init(graph);
	graph->node = take(8 * sizeof(*graph->node));
	graph->input = take(8 * sizeof(*graph->input));
	graph->output = take(8 * sizeof(*graph->output));
	graph->initializer = take(8 * sizeof(*graph->initializer));
	return graph;
}

static inline Onnx__NodeProto *add_node(Onnx__GraphProto *graph, const char *op, const char *inputs,
					const char *outputs)
{
	Onnx__NodeProto *node = take(sizeof(*node));

	onnx__node_proto__init(node);
	node->op_type = (char *)op;
	node->name = (char *)op;
	node->input = words(inputs, &node->n_input);
	node->output = words(outputs, &node->n_output);
	graph->node[graph->n_node++] = node;
	return node;
}

static inline Onnx__AttributeProto *add_attribute(Onnx__NodeProto *node, const char *name, int type)
{
	Onnx__AttributeProto *attr = take(sizeof(*attr));

	onnx__attribute_proto__init(attr);
	attr->name = (char *)name;
	attr->has_type = 1;
	attr->type = type;
	if (!node->attribute)
		node->attribute = take(8 * sizeof(*node->attribute));
	node->attribute[node->n_attribute++] = attr;
	return attr;
}

/* A number, or some with a comma behind each but the last, which may have one. */
static inline void add_ints(Onnx__NodeProto *node, const char *name, char *value)
{
	bool many = strchr(value, ',');
	Onnx__AttributeProto *attr = add_attribute(node, name, many ?
						   ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS :
						   ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	attr->has_i = !many;
	attr->i = strtoll(value, NULL, 10);
	attr->ints = take(8 * sizeof(*attr->ints));
	for (; *value && many; value += *value == ',')
		attr->ints[attr->n_ints++] = strtoll(value, &value, 10);
}

static inline void add_output(Onnx__GraphProto *graph, const char *name)
{
	Onnx__ValueInfoProto *output = take(sizeof(*output));

	onnx__value_info_proto__init(output);
	output->name = (char *)name;
	graph->output[graph->n_output++] = output;
}

static inline void add_input(Onnx__GraphProto *graph, const char *name, int data_type, size_t rank,
			     const int64_t *dims)
{
	Onnx__ValueInfoProto *input = take(sizeof(*input));
	Onnx__TypeProto__Tensor *tensor = take(sizeof(*tensor));
	Onnx__TensorShapeProto *shape = take(sizeof(*shape));
	Onnx__TypeProto *type = take(sizeof(*type));
	size_t i;

	onnx__value_info_proto__init(input);
	onnx__type_proto__tensor__init(tensor);
	onnx__tensor_shape_proto__init(shape);
	onnx__type_proto__init(type);
	shape->n_dim = rank;
	shape->dim = take((rank + 1) * sizeof(*shape->dim));
	for (i = 0; i < rank; i++) {
		shape->dim[i] = take(sizeof(*shape->dim[i]));
		onnx__tensor_shape_proto__dimension__init(shape->dim[i]);
		shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		shape->dim[i]->dim_value = dims[i];
	}
	tensor->has_elem_type = 1;
	tensor->elem_type = data_type;
	tensor->shape = shape;
	type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	type->tensor_type = tensor;
	input->name = (char *)name;
	input->type = type;
	graph->input[graph->n_input++] = input;
}

static inline void add_constant(Onnx__GraphProto *graph, const char *name, int data_type,
				const void *data, size_t size_bytes)
{
	Onnx__TensorProto *tensor = take(sizeof(*tensor));

	onnx__tensor_proto__init(tensor);
	tensor->name = (char *)name;
	tensor->has_data_type = 1;
	tensor->data_type = data_type;
	tensor->has_raw_data = 1;
	tensor->raw_data.data = take(size_bytes);
	tensor->raw_data.len = size_bytes;
	memcpy(tensor->raw_data.data, data, size_bytes);
	graph->initializer[graph->n_initializer++] = tensor;
}

/* Return: whether @text is a number or true, which makes a constant. */
static inline bool add_number(Onnx__GraphProto *graph, const char *name, const char *text)
{
	const uint8_t yes = 1;
	const float real = strtof(text, NULL);
	char *end;
	const int64_t whole = strtoll(text, &end, 10);

	if (!strcmp(text, "true"))
		add_constant(graph, name, BOOL, &yes, sizeof(yes));
	else if (end == text)
		return false;
	else if (*end == '.')
		add_constant(graph, name, FLOAT, &real, sizeof(real));
	else
		add_constant(graph, name, INT64, &whole, sizeof(whole));
	return true;
}

/*
 * Statements with semicolons between them: "y z = Op a - b", with "-" for what is left out, and
 * attributes "i=1", "ints=1,2" or "body=@", a graph among the arguments, NULL for none; "n = 3",
 * "n = 0.5" and "n = true" for constants; "> y z" for outputs.
 */
static inline Onnx__GraphProto *add_text(Onnx__GraphProto *graph, const char *text, ...)
{
	char *rest = loom_pool_string(pool, text), *statement, *of, *word, *value, **outputs;
	Onnx__GraphProto *branch;
	Onnx__NodeProto *node;
	size_t count, i;
	va_list args;

	va_start(args, text);
	while ((statement = strsep(&rest, ";"))) {
		statement += strspn(statement, " ");
		if (*statement == '>') {
			outputs = words(statement + 1, &count);
			for (i = 0; i < count; i++)
				add_output(graph, outputs[i]);
			continue;
		}
		of = strstr(statement, " = ");
		*of = '\0';
		of += 3;
		if (add_number(graph, statement, of))
			continue;
		node = add_node(graph, strsep(&of, " "), "", statement);
		while ((word = strsep(&of, " "))) {
			value = strchr(word, '=');
			if (!value) {
				node->input[node->n_input++] = strcmp(word, "-") ? word : "";
				continue;
			}
			*value++ = '\0';
			if (*value != '@') {
				add_ints(node, word, value);
				continue;
			}
			branch = va_arg(args, Onnx__GraphProto *);
			if (branch)
				add_attribute(node, word,
					      ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH)->g =
					branch;
		}
	}
	va_end(args);
	return graph;
}

static const int64_t six[] = { 2, 3 };

/* An input x of two rows. */
static inline Onnx__GraphProto *model_create(void)
{
	Onnx__GraphProto *graph;

	loom_pool_destroy(pool);
	pool = loom_pool_create(1 << 20);
	if (!pool)
		tap_fatal("no memory");
	graph = graph_create();
	add_input(graph, "x", FLOAT, 2, six);
	return graph;
}

static inline int import(Onnx__GraphProto *proto, const struct loom_graph_options *options,
			 struct loom_graph **graph, struct loom_error *err)
{
	Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT, *opsets = &opset;
	Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
	uint8_t *bytes;

	opset.has_version = 1;
	opset.version = 13;
	model.n_opset_import = 1;
	model.opset_import = &opsets;
	model.graph = proto;
	bytes = take(onnx__model_proto__get_packed_size(&model));
	return loom_graph_import_onnx_bytes(bytes, onnx__model_proto__pack(&model, bytes), "test",
					    options, graph, err);
}

static inline void expect_line(Onnx__GraphProto *proto, int code, const char *line)
{
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;
	int got = import(proto, NULL, &graph, &err);

	tap_ok(got == code && !strcmp(err.text, line), "%s", line);
	if (got != code || strcmp(err.text, line))
		tap_note("got %d: %s", got, err.text);
	loom_graph_destroy(graph);
}

/* the elements of input x */
static float x[] = { -3, -0.5f, 0, 1, 2.5f, -1 };

/*
 * Compares all outputs, one behind the other, with @want; the graph has @nodes nodes at most. A
 * second input is @condition, if that is not NULL.
 */
static inline void expect_results(Onnx__GraphProto *proto, const struct loom_graph_options *options,
				  const struct loom_array *condition, const float *want,
				  size_t count, uint32_t nodes, const char *what)
{
	struct loom_array inputs[] = {
		{ .name = "x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 2, .dims = { 2, 3 }, .data = x,
		  .size_bytes = sizeof(x) },
		condition ? *condition : (struct loom_array){ .name = "" },
	};
	struct loom_planner_options planner = { .grouping = "layerwise" };
	struct loom_error err = { .text = "" };
	struct loom_graph *graph = NULL;
	struct outcome outcome = { 0 };
	struct drm_loom_chip chip;
	uint32_t i, bad = 0;
	size_t at = 0, k;
	int ret;

	loom_chip_find("tiny", &chip);
	planner.chip = &chip;
	ret = import(proto, options, &graph, &err);
	if (!ret)
		ret = outcome_plan(&outcome, graph, &planner, inputs, 2, &err);
	for (i = 0; !ret && i < outcome.num_outputs; i++)
		for (k = 0; k < outcome.outputs[i].size_bytes / sizeof(float); k++, at++)
			bad += at >= count ||
			       near_off(((float *)outcome.outputs[i].data)[k], want[at]) > 0.00001;
	if (!tap_ok(!ret && !bad && at == count && graph->num_nodes <= nodes, "%s", what))
		tap_note("%d, %u of %zu wrong, %zu wanted, %u nodes: %s", ret, bad, at, count,
			 graph ? graph->num_nodes : 0, err.text);
	outcome_clear(&outcome);
	loom_graph_destroy(graph);
}

#endif /* LOOM_TESTS_ONNX_PROTO_BUILD_H */
