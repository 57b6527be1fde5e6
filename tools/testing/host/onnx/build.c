// SPDX-License-Identifier: MIT
/* Error texts for models built by hand that are wrong or leave something open. */
#include "graph/graph.h"
#include "host/lower/case.h"
#include "onnx/onnx.h"

#include <errno.h>

static void expect_error(struct loom_graph *graph, int code, const char *text)
{
	struct loom_error err;
	int got = model_finish(graph, 0, &err);

	tap_ok(got == code && !strcmp(err.text, text), "%s", text);
	if (got != code || strcmp(err.text, text))
		tap_note("got %d: %s", got, err.text);
	loom_graph_destroy(graph);
}

/* An input of two dimensions, the first of which is open, and of that a node. */
static struct loom_graph *open_graph(void)
{
	struct loom_graph *graph = model_create(13);

	model_add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	model_add_node(graph, "Relu", "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	return graph;
}

static void errors_name_the_place(void)
{
	/* a graph of opset 13, and what is said about it */
	static const struct {
		const char *graph;
		int code;
		const char *line;
	} places[] = {
		{ "x f32 2; y = Det x; > y", -EOPNOTSUPP,
		  "test: node \"Det\": operator Det is not supported" },
		{ "y = Relu nowhere; > y", -EINVAL,
		  "test: node \"Relu\": operator Relu: operand \"nowhere\" is never computed" },
		{ "a = Relu b; b = Exp a; > b", -EINVAL,
		  "test: node \"Relu\": operator Relu: it depends on itself" },
		{ "x f32 2 3; two = f32 2 : 1 2; y = Add x two; > y", -EINVAL,
		  "test: node \"Add\": operator Add: shapes [2,3] and [2] do not fit together" },
		{ "x f32 2; > y", -EINVAL, "test: output \"y\" is never computed" },
		{ "x f32 2; x = Relu x; > x", -EINVAL, "test: two tensors are called \"x\"" },
		{ "x f32 4; y = Slice x starts=1, ends=2,; > y", -EINVAL,
		  "test: node \"Slice\": operator Slice of opset 13 has no attribute starts" },
		{ "x f32 2; y z = Split x split=1,; > y", -EINVAL,
		  "test: node \"Split\": operator Split of opset 13 has no attribute split" },
		{ "x f32 2; y = Relu x alpha=1,; > y", -EINVAL,
		  "test: node \"Relu\": operator Relu of opset 13 has no attribute alpha" },
	};
	struct loom_graph *graph;
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		expect_error(case_graph(13, "%s", places[i].graph), places[i].code,
			     places[i].line);
	graph = case_graph(9, "x f32 4; y = Slice x starts=1, ends=2,; > y");
	tap_ok(!model_finish(graph, 0, &err) && graph->outputs[0]->dims[0] == 1,
	       "an attribute is taken by the opset that has it");
	loom_graph_destroy(graph);
	graph = model_create(13);
	model_add_input(graph, "x", 4, (int64_t[]){ 1 << 20, 1 << 20, 1 << 20, 1 << 20 });
	loom_graph_add_output(graph, "x");
	expect_error(graph, -EINVAL,
		     "test: input \"x\": [1048576,1048576,1048576,1048576] of f32 is too large");
	expect_error(model_create(27), -EOPNOTSUPP,
		     "test: opset 27 is not supported, only 1 to 26 are");
	expect_error(open_graph(), -EDESTADDRREQ,
		     "test: input \"x\": dimension 0 is not bound, use --dim x:0=VALUE, or dims of loom_graph_options");
}

static void bindings_are_checked(void)
{
	struct loom_dim_binding dim = { "batch", 2 };
	struct loom_shape_binding shape = { "x", 2, { 2, 4 } };
	struct loom_graph_options options = { .dims = &dim, .num_dims = 1 };
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;

	graph = open_graph();
	tap_ok(loom_graph_finish(graph, &options, &err) == -EINVAL &&
	       !strcmp(err.text, "test: no input has a dimension \"batch\""), "%s", err.text);
	loom_graph_destroy(graph);

	options = (struct loom_graph_options){ .shapes = &shape, .num_shapes = 1 };
	graph = open_graph();
	tap_ok(loom_graph_finish(graph, &options, &err) == -EINVAL &&
	       !strcmp(err.text, "test: input \"x\": shape [2,4] does not fit the model's [-1,3]"),
	       "%s", err.text);
	loom_graph_destroy(graph);

	shape.dims[1] = 3;
	graph = open_graph();
	tap_ok(!loom_graph_finish(graph, &options, &err) && graph->outputs[0]->dims[0] == 2,
	       "a shape that fits binds");
	loom_graph_destroy(graph);
}

/**
 * struct moved - an attribute that not every opset has
 * @op_type: of this operator
 * @attr: its name
 * @with: an opset that has it
 * @without: one next to it that has not
 */
struct moved {
	const char *op_type;
	const char *attr;
	int with;
	int without;
};

/* Became operands, or came later. The lists of attributes are of the specification. */
static void attributes_belong_to_opsets(void)
{
	static const struct moved moved[] = {
		{ "Slice", "starts", 9, 10 }, { "Slice", "axes", 9, 10 },
		{ "Split", "split", 12, 13 }, { "Split", "num_outputs", 18, 17 },
		{ "Squeeze", "axes", 12, 13 }, { "Unsqueeze", "axes", 12, 13 },
		{ "ReduceSum", "axes", 12, 13 }, { "ReduceMean", "axes", 17, 18 },
		{ "ReduceMax", "noop_with_empty_axes", 18, 17 },
		{ "Clip", "min", 10, 11 }, { "Pad", "pads", 10, 11 }, { "Pad", "pads", 2, 1 },
		{ "Pad", "paddings", 1, 2 }, { "Dropout", "ratio", 11, 12 },
		{ "Reshape", "shape", 4, 5 }, { "Add", "axis", 6, 7 },
		{ "Relu", "consumed_inputs", 5, 6 }, { "Upsample", "scales", 7, 6 },
		{ "Upsample", "scales", 8, 9 }, { "MaxPool", "dilations", 10, 9 },
		{ "AveragePool", "dilations", 19, 18 }, { "Resize", "antialias", 18, 17 },
		{ "Shape", "start", 15, 14 }, { "QuantizeLinear", "axis", 13, 12 },
	};
	uint32_t i, wrong = 0;

	for (i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		const struct loom_importer *importer = loom_importer_find(moved[i].op_type);

		if (loom_importer_knows(importer, moved[i].attr, moved[i].with) &&
		    !loom_importer_knows(importer, moved[i].attr, moved[i].without))
			continue;
		tap_note("%s: %s", moved[i].op_type, moved[i].attr);
		wrong++;
	}
	tap_ok(!wrong, "attributes come and go with opsets");
	for (i = 0, wrong = 0; loom_importer_get(i); i++)
		wrong += loom_importer_knows(loom_importer_get(i), "", 13) ||
			 loom_importer_knows(loom_importer_get(i), "surprise", 13);
	tap_ok(!wrong, "no operator has an attribute without a name, or one of no opset");
}

/* Finishes a graph of one input, x, with @options. */
static void expect_refusal(const struct loom_graph_options *options, const char *text)
{
	struct loom_graph *graph = case_graph(13, "x f32 2; y = Relu x; > y");
	struct loom_error err = { .text = "" };
	int got;

	got = loom_graph_finish(graph, options, &err);
	tap_ok(got == -EINVAL && !strcmp(err.text, text), "%s", text);
	if (got != -EINVAL || strcmp(err.text, text))
		tap_note("got %d: %s", got, err.text);
	loom_graph_destroy(graph);
}

static void forgotten_options_are_refused(void)
{
	struct loom_dim_binding dim = { .value = 2 };
	struct loom_shape_binding nameless = { .rank = 1 }, deep = { .input = "x", .rank = 99 };
	struct loom_state_binding state = { .output = "y" };
	struct loom_array value = { .name = (char *)"x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 1,
				    .dims = { 2 }, .size_bytes = 8 };
	const char *output = NULL;
	struct loom_error err;

	tap_ok(loom_graph_finish(NULL, NULL, &err) == -EINVAL && !strcmp(err.text, "no graph"),
	       "no graph");
	expect_refusal(&(struct loom_graph_options){ .num_shapes = 2 },
		       "test: there are 2 shapes, and they are NULL");
	expect_refusal(&(struct loom_graph_options){ .num_states = 1 },
		       "test: there are 1 states, and they are NULL");
	expect_refusal(&(struct loom_graph_options){ .dims = &dim, .num_dims = 1 },
		       "test: a binding has no dimension");
	expect_refusal(&(struct loom_graph_options){ .shapes = &nameless, .num_shapes = 1 },
		       "test: a shape has no input");
	expect_refusal(&(struct loom_graph_options){ .shapes = &deep, .num_shapes = 1 },
		       "test: input \"x\": a shape of rank 99: 8 is the most");
	expect_refusal(&(struct loom_graph_options){ .outputs = &output, .num_outputs = 1 },
		       "test: an output has no name");
	expect_refusal(&(struct loom_graph_options){ .states = &state, .num_states = 1 },
		       "test: a state has no input");
	expect_refusal(&(struct loom_graph_options){ .constants = &value, .num_constants = 1 },
		       "test: the value given for input \"x\" has no data");
}

/* The first error of a graph whose only call is @call, as its end reports it. */
#define EXPECT_FORGOTTEN(call, text) do { \
	struct loom_graph *graph = model_create(13); \
	\
	tap_ok((call) == -EINVAL, "refused at once"); \
	expect_error(graph, -EINVAL, text); \
} while (0)

static void forgotten_pointers_are_refused(void)
{
	const char *const names[] = { "y", NULL };
	struct loom_array array = { .name = (char *)"c", .dtype = DRM_LOOM_DTYPE_F32, .rank = 1,
				    .dims = { 2 }, .size_bytes = 8 };
	struct loom_tensor_info info = { .dtype = DRM_LOOM_DTYPE_F32 };
	struct loom_node_desc desc = { .name = "n", .outputs = names, .num_outputs = 1 };
	struct loom_graph *none = (void *)&desc;
	struct loom_error err;

	tap_ok(loom_graph_create(NULL, 13, &none) == -EINVAL && !none, "a graph has a name");
	tap_ok(loom_graph_import_onnx(NULL, NULL, &none, &err) == -EINVAL && !none, "%s",
	       err.text);
	tap_ok(loom_graph_import_onnx("net.onnx", NULL, NULL, &err) == -EINVAL, "%s", err.text);
	tap_ok(loom_graph_import_onnx_bytes(NULL, 5, "net", NULL, &none, &err) == -EINVAL, "%s",
	       err.text);
	tap_ok(loom_graph_add_input(NULL, &info) == -EINVAL &&
	       loom_graph_add_const(NULL, &array) == -EINVAL &&
	       loom_graph_add_node(NULL, &desc) == -EINVAL &&
	       loom_graph_add_output(NULL, "y") == -EINVAL, "nothing is added to no graph");
	EXPECT_FORGOTTEN(loom_graph_add_input(graph, NULL), "test: an input has no name");
	EXPECT_FORGOTTEN(loom_graph_add_input(graph, &info), "test: an input has no name");
	info.name = "x";
	info.dtype = 99;
	EXPECT_FORGOTTEN(loom_graph_add_input(graph, &info),
			 "test: input \"x\": type 99 is not known");
	EXPECT_FORGOTTEN(loom_graph_add_const(graph, NULL), "test: a constant has no name");
	EXPECT_FORGOTTEN(loom_graph_add_const(graph, &array), "test: constant \"c\" has no data");
	array.dtype = 99;
	EXPECT_FORGOTTEN(loom_graph_add_const(graph, &array),
			 "test: constant \"c\": type 99 is not known");
	EXPECT_FORGOTTEN(loom_graph_add_output(graph, NULL), "test: an output has no name");
	EXPECT_FORGOTTEN(loom_graph_add_node(graph, NULL), "test: a node is not described");
	EXPECT_FORGOTTEN(loom_graph_add_node(graph, &desc), "test: node \"n\" has no operator");
	desc.op_type = "Relu";
	desc.num_inputs = 1;
	EXPECT_FORGOTTEN(loom_graph_add_node(graph, &desc),
			 "test: node \"n\": operator Relu: its inputs are missing");
	desc.inputs = names + 1;
	EXPECT_FORGOTTEN(loom_graph_add_node(graph, &desc),
			 "test: node \"n\": operator Relu: operand 0 is NULL: one that is left out is \"\"");
}

int main(void)
{
	forgotten_options_are_refused();
	forgotten_pointers_are_refused();
	errors_name_the_place();
	attributes_belong_to_opsets();
	bindings_are_checked();
	return tap_end();
}
