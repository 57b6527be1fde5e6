// SPDX-License-Identifier: MIT
/*
 * Writes a small decoder transformer as an ONNX file: random weights, the same on every machine.
 *
 *	gpt_model OUT.onnx
 *
 * It has the shape of what exporters make of GPT-2, for one token at a time: layer norm, attention
 * with several heads, GELU by Erf. Keys and values of all positions are inputs and outputs, padded
 * to the most that there may be, and the position is an input. So one graph is enough for all
 * lengths: Where writes the new key at the position, and hides positions that are still to come.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx.pb-c.h"
#include "random.h"

#define LAYERS		2
#define WIDTH		64
#define HEADS		4
#define HEAD		(WIDTH / HEADS)
#define HIDDEN		(4 * WIDTH)
#define POSITIONS	256
#define VOCABULARY	96

/* enum TensorProto.DataType */
#define FLOAT	1
#define INT64	7

#define MOST	256

static Onnx__NodeProto *nodes[MOST];
static Onnx__TensorProto *constants[MOST];
static Onnx__ValueInfoProto *inputs[MOST], *outputs[MOST];
static Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;

/* It ends before anything of this would be freed. */
static void *take(size_t size_bytes)
{
	void *memory = calloc(1, size_bytes);

	if (!memory)
		exit(1);
	return memory;
}

static char *text(const char *format, const char *part, int layer)
{
	char *made = take(strlen(format) + strlen(part) + 16);

	sprintf(made, format, part, layer);
	return made;
}

static Onnx__TensorProto *constant(const char *name, int type, size_t elem_bytes, int rank,
				   const int64_t *dims)
{
	Onnx__TensorProto *tensor = take(sizeof(*tensor));
	size_t count = 1;
	int i;

	onnx__tensor_proto__init(tensor);
	tensor->name = (char *)name;
	tensor->has_data_type = 1;
	tensor->data_type = type;
	tensor->n_dims = rank;
	tensor->dims = take(rank * sizeof(*dims) + 1);
	for (i = 0; i < rank; i++) {
		tensor->dims[i] = dims[i];
		count *= dims[i];
	}
	tensor->has_raw_data = 1;
	tensor->raw_data.len = count * elem_bytes;
	tensor->raw_data.data = take(tensor->raw_data.len);
	constants[graph.n_initializer++] = tensor;
	return tensor;
}

/* Numbers around @mean, at most @spread away from it. */
static const char *weights(const char *name, int rank, const int64_t *dims, float mean,
			   float spread)
{
	Onnx__TensorProto *tensor = constant(name, FLOAT, sizeof(float), rank, dims);
	float *data = (float *)tensor->raw_data.data;
	size_t i;

	for (i = 0; i < tensor->raw_data.len / sizeof(*data); i++)
		data[i] = mean + spread * ((float)(random_u64() >> 40) / (1 << 23) - 1);
	return name;
}

static const char *number(const char *name, float value)
{
	return weights(name, 0, NULL, value, 0);
}

static const char *integers(const char *name, int64_t count, const int64_t *values)
{
	Onnx__TensorProto *tensor = constant(name, INT64, sizeof(int64_t), 1, &count);
	int64_t i;

	for (i = 0; i < count; i++)
		((int64_t *)tensor->raw_data.data)[i] = values ? values[i] : i;
	return name;
}

static void add_end(Onnx__ValueInfoProto **list, size_t *count, const char *name, int type,
		    int rank, const int64_t *dims)
{
	Onnx__TensorShapeProto *shape = take(sizeof(*shape));
	Onnx__TypeProto__Tensor *tensor = take(sizeof(*tensor));
	Onnx__ValueInfoProto *value = take(sizeof(*value));
	int i;

	onnx__value_info_proto__init(value);
	onnx__type_proto__tensor__init(tensor);
	onnx__tensor_shape_proto__init(shape);
	shape->n_dim = rank;
	shape->dim = take((rank + 1) * sizeof(*shape->dim));
	for (i = 0; i < rank; i++) {
		shape->dim[i] = take(sizeof(*shape->dim[i]));
		onnx__tensor_shape_proto__dimension__init(shape->dim[i]);
		shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		shape->dim[i]->dim_value = dims[i];
	}
	tensor->has_elem_type = 1;
	tensor->elem_type = type;
	tensor->shape = shape;
	value->name = (char *)name;
	value->type = take(sizeof(*value->type));
	onnx__type_proto__init(value->type);
	value->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	value->type->tensor_type = tensor;
	list[(*count)++] = value;
}

static Onnx__AttributeProto *attribute(Onnx__NodeProto *node, const char *name, int type)
{
	Onnx__AttributeProto *attr = take(sizeof(*attr));

	onnx__attribute_proto__init(attr);
	attr->name = (char *)name;
	attr->has_type = 1;
	attr->type = type;
	node->attribute = take(sizeof(*node->attribute));
	node->attribute[0] = attr;
	node->n_attribute = 1;
	return attr;
}

static void set_int(Onnx__NodeProto *node, const char *name, int64_t value)
{
	Onnx__AttributeProto *attr =
		attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	attr->has_i = 1;
	attr->i = value;
}

static void set_perm(Onnx__NodeProto *node, int a, int b, int c, int d)
{
	Onnx__AttributeProto *attr =
		attribute(node, "perm", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

	attr->n_ints = 4;
	attr->ints = take(4 * sizeof(*attr->ints));
	attr->ints[0] = a;
	attr->ints[1] = b;
	attr->ints[2] = c;
	attr->ints[3] = d;
}

/* A node; the names of what it takes and gives end with NULL. */
static Onnx__NodeProto *node(const char *op, const char *const *takes, const char *const *gives)
{
	Onnx__NodeProto *made = take(sizeof(*made));

	onnx__node_proto__init(made);
	made->op_type = (char *)op;
	made->name = (char *)gives[0];
	made->input = (char **)takes;
	while (takes[made->n_input])
		made->n_input++;
	made->output = (char **)gives;
	while (gives[made->n_output])
		made->n_output++;
	nodes[graph.n_node++] = made;
	return made;
}

/* The same with one result; up to three operands, NULL for none. */
static Onnx__NodeProto *compute(const char *op, const char *y, const char *a, const char *b,
				const char *c)
{
	const char **takes = take(4 * sizeof(*takes)), **gives = take(2 * sizeof(*gives));

	takes[0] = a;
	takes[1] = b;
	takes[2] = c;
	gives[0] = y;
	return node(op, takes, gives);
}

/* y = x * w + bias */
static void linear(const char *y, const char *x, int64_t from, int64_t to, float spread)
{
	const char *product = text("%s.product", y, 0);

	compute("MatMul", product, x,
		weights(text("%s.weight", y, 0), 2, (int64_t[]){ from, to }, 0, spread), NULL);
	compute("Add", y, product, weights(text("%s.bias", y, 0), 1, &to, 0, 0.1f), NULL);
}

static void layer_norm(const char *y, const char *x)
{
	const int64_t width = WIDTH;
	Onnx__NodeProto *made;

	made = compute("LayerNormalization", y, x,
		       weights(text("%s.weight", y, 0), 1, &width, 1, 0.2f),
		       weights(text("%s.bias", y, 0), 1, &width, 0, 0.1f));
	set_int(made, "axis", -1);
}

/* The row of a table that an index picks. */
static void pick(const char *y, const char *index, const char *table, int64_t rows)
{
	compute("Gather", y, weights(table, 2, (int64_t[]){ rows, WIDTH }, 0, 1), index, NULL);
}

/* The heads of a row: [1, WIDTH] to [1, HEADS, 1, HEAD] */
static void split_heads(const char *y, const char *x)
{
	const char *heads = text("%s.heads", y, 0);

	compute("Reshape", heads, x, "to_heads", NULL);
	set_perm(compute("Transpose", y, heads, NULL, NULL), 0, 2, 1, 3);
}

/* What is known of earlier positions with what is new at this one: an input and an output. */
static const char *remember(const char *what, int layer, const char *new)
{
	static const int64_t dims[] = { 1, HEADS, POSITIONS, HEAD };
	const char *past = text("past_%s_%d", what, layer);
	const char *present = text("present_%s_%d", what, layer);

	add_end(inputs, &graph.n_input, past, FLOAT, 4, dims);
	add_end(outputs, &graph.n_output, present, FLOAT, 4, dims);
	compute("Where", present, "here_4d", new, past);
	return present;
}

static void attention(int layer, const char *y, const char *x)
{
	const char *in = text("%s.%d.in", "attention", layer);
	const char *q = text("%s.%d.q", "attention", layer);
	const char *k = text("%s.%d.k", "attention", layer);
	const char *v = text("%s.%d.v", "attention", layer);
	const char **parts = take(4 * sizeof(*parts)), **whole = take(3 * sizeof(*whole));
	const char *keys, *values, *turned = text("%s.turned", k, 0);
	const char *scores = text("%s.scores", q, 0), *scaled = text("%s.scaled", q, 0);
	const char *seen = text("%s.seen", q, 0), *parts_of = text("%s.softmax", q, 0);
	const char *heads = text("%s.sum", q, 0), *rows = text("%s.rows", q, 0);
	const char *joined = text("%s.joined", q, 0);

	linear(in, x, WIDTH, 3 * WIDTH, 0.3f);
	whole[0] = in;
	whole[1] = "thirds";
	parts[0] = text("%s.flat", q, 0);
	parts[1] = text("%s.flat", k, 0);
	parts[2] = text("%s.flat", v, 0);
	set_int(node("Split", whole, parts), "axis", 1);
	split_heads(q, parts[0]);
	split_heads(k, parts[1]);
	split_heads(v, parts[2]);
	keys = remember("key", layer, k);
	values = remember("value", layer, v);
	set_perm(compute("Transpose", turned, keys, NULL, NULL), 0, 1, 3, 2);
	compute("MatMul", scores, q, turned, NULL);
	compute("Mul", scaled, scores, "scale", NULL);
	compute("Where", seen, "until_here", scaled, "lowest");
	set_int(compute("Softmax", parts_of, seen, NULL, NULL), "axis", -1);
	compute("MatMul", heads, parts_of, values, NULL);
	set_perm(compute("Transpose", rows, heads, NULL, NULL), 0, 2, 1, 3);
	compute("Reshape", joined, rows, "to_row", NULL);
	linear(y, joined, WIDTH, WIDTH, 0.3f);
}

static void gelu(const char *y, const char *x)
{
	const char *part = text("%s.part", y, 0), *erf = text("%s.erf", y, 0);
	const char *more = text("%s.more", y, 0), *twice = text("%s.twice", y, 0);

	compute("Div", part, x, "root_2", NULL);
	compute("Erf", erf, part, NULL, NULL);
	compute("Add", more, erf, "one", NULL);
	compute("Mul", twice, x, more, NULL);
	compute("Mul", y, twice, "half", NULL);
}

/* x + attention(norm(x)), and the same with two layers of neurons. Returns the result. */
static const char *block(int layer, const char *x)
{
	const char *norm_1 = text("%s.%d", "norm_1", layer);
	const char *norm_2 = text("%s.%d", "norm_2", layer);
	const char *attended = text("%s.%d", "attended", layer);
	const char *between = text("%s.%d", "between", layer);
	const char *wide = text("%s.%d", "wide", layer), *bent = text("%s.%d", "gelu", layer);
	const char *narrow = text("%s.%d", "narrow", layer), *y = text("%s.%d", "block", layer);

	layer_norm(norm_1, x);
	attention(layer, attended, norm_1);
	compute("Add", between, x, attended, NULL);
	layer_norm(norm_2, between);
	linear(wide, norm_2, WIDTH, HIDDEN, 0.3f);
	gelu(bent, wide);
	linear(narrow, bent, HIDDEN, WIDTH, 0.15f);
	compute("Add", y, between, narrow, NULL);
	return y;
}

static void write_graph(void)
{
	const int64_t one = 1;
	const char *x = "embedded";
	int layer;

	add_end(inputs, &graph.n_input, "token", INT64, 1, &one);
	add_end(inputs, &graph.n_input, "position", INT64, 1, &one);
	add_end(outputs, &graph.n_output, "logits", FLOAT, 2, (int64_t[]){ 1, VOCABULARY });
	number("scale", 0.25f);
	number("lowest", -1e9f);
	number("root_2", 1.41421356f);
	number("one", 1);
	number("half", 0.5f);
	integers("thirds", 3, (int64_t[]){ WIDTH, WIDTH, WIDTH });
	integers("to_heads", 4, (int64_t[]){ 1, 1, HEADS, HEAD });
	integers("to_row", 2, (int64_t[]){ 1, WIDTH });
	integers("here_shape", 4, (int64_t[]){ 1, 1, POSITIONS, 1 });
	integers("positions", POSITIONS, NULL);

	compute("Equal", "here", "positions", "position", NULL);
	compute("LessOrEqual", "until_here", "positions", "position", NULL);
	compute("Reshape", "here_4d", "here", "here_shape", NULL);
	pick("token_row", "token", "wte", VOCABULARY);
	pick("position_row", "position", "wpe", POSITIONS);
	compute("Add", x, "token_row", "position_row", NULL);
	for (layer = 0; layer < LAYERS; layer++)
		x = block(layer, x);
	layer_norm("norm", x);
	compute("MatMul", "logits", "norm",
		weights("head", 2, (int64_t[]){ WIDTH, VOCABULARY }, 0, 1), NULL);
}

int main(int argc, char **argv)
{
	Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT, *opsets = &opset;
	Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
	uint8_t *bytes;
	size_t size;
	FILE *file;

	if (argc != 2) {
		fprintf(stderr, "usage: gpt_model OUT.onnx\n");
		return 2;
	}
	random_state = 2024;
	write_graph();
	graph.name = "gpt";
	graph.node = nodes;
	graph.initializer = constants;
	graph.input = inputs;
	graph.output = outputs;
	opset.has_version = 1;
	opset.version = 17;
	model.has_ir_version = 1;
	model.ir_version = 8;
	model.n_opset_import = 1;
	model.opset_import = &opsets;
	model.graph = &graph;
	bytes = take(onnx__model_proto__get_packed_size(&model));
	size = onnx__model_proto__pack(&model, bytes);
	file = fopen(argv[1], "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
