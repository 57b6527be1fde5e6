// SPDX-License-Identifier: MIT
/*
 * Graphs built by hand: what the passes make of them, and what is said about those that are wrong.
 */
#include "graph/graph.h"
#include "loom_core.h"
#include "base/base.h"
#include "tap.h"
#include "graph/value.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define EPSILON		0.00001

static struct loom_graph *create(int opset)
{
	struct loom_graph *graph;

	if (loom_graph_create("test", opset, &graph))
		tap_fatal("no memory");
	return graph;
}

static void add_input(struct loom_graph *graph, const char *name, uint32_t rank,
		      const int64_t *dims)
{
	struct loom_tensor_info info = { .name = name, .dtype = DRM_LOOM_DTYPE_F32, .rank = rank };

	memcpy(info.dims, dims, rank * sizeof(dims[0]));
	loom_graph_add_input(graph, &info);
}

static void add_floats(struct loom_graph *graph, const char *name, uint32_t rank,
		       const int64_t *dims, float *floats)
{
	struct loom_array array = {
		.name = (char *)name, .dtype = DRM_LOOM_DTYPE_F32, .rank = rank, .data = floats,
		.size_bytes = sizeof(float),
	};
	uint32_t i;

	for (i = 0; i < rank; i++) {
		array.dims[i] = dims[i];
		array.size_bytes *= (size_t)dims[i];
	}
	loom_graph_add_const(graph, &array);
}

static void add_ints(struct loom_graph *graph, const char *name, int64_t count, int64_t *ints)
{
	struct loom_array array = {
		.name = (char *)name, .dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { count },
		.data = ints, .size_bytes = (size_t)count * sizeof(*ints),
	};

	loom_graph_add_const(graph, &array);
}

/* operands and the one result are lists of names, parted by blanks */
static void add_node(struct loom_graph *graph, const char *op_type, const char *inputs,
		     const char *output, const struct loom_attr *attrs, uint32_t num_attrs)
{
	const char *names[8];
	char text[256], *rest = text, *name;
	struct loom_node_desc desc = {
		.name = op_type, .op_type = op_type, .inputs = names, .outputs = &output,
		.num_outputs = 1, .attrs = attrs, .num_attrs = num_attrs,
	};

	snprintf(text, sizeof(text), "%s", inputs);
	while ((name = strsep(&rest, " ")) && desc.num_inputs < ARRAY_SIZE(names))
		names[desc.num_inputs++] = strcmp(name, "-") ? name : "";
	loom_graph_add_node(graph, &desc);
}

static int finish(struct loom_graph *graph, uint32_t flags, struct loom_error *err)
{
	struct loom_graph_options options = { .flags = flags };

	memset(err, 0, sizeof(*err));
	return loom_graph_finish(graph, &options, err);
}

static const float *floats_of(const struct loom_value *value)
{
	return value ? value->data : NULL;
}

static bool near(float a, double b)
{
	return fabs((double)a - b) < EPSILON;
}

/* x[1,2,4,4] -> Conv 1x1 to 2 channels -> BatchNormalization -> Relu -> y */
static struct loom_graph *conv_bn_relu(void)
{
	struct loom_graph *graph = create(13);
	float weights[] = { 1, 2, 3, 4 }, bias[] = { 0.5f, -1 }, scale[] = { 2, 3 };
	float shift[] = { 1, 5 }, mean[] = { 0.25f, 1 }, variance[] = { 4, 0.25f };

	add_input(graph, "x", 4, (int64_t[]){ 1, 2, 4, 4 });
	add_floats(graph, "w", 4, (int64_t[]){ 2, 2, 1, 1 }, weights);
	add_floats(graph, "b", 1, (int64_t[]){ 2 }, bias);
	add_floats(graph, "scale", 1, (int64_t[]){ 2 }, scale);
	add_floats(graph, "shift", 1, (int64_t[]){ 2 }, shift);
	add_floats(graph, "mean", 1, (int64_t[]){ 2 }, mean);
	add_floats(graph, "var", 1, (int64_t[]){ 2 }, variance);
	/* not in the order in which they run */
	add_node(graph, "Relu", "normal", "y", NULL, 0);
	add_node(graph, "BatchNormalization", "conv scale shift mean var", "normal", NULL, 0);
	add_node(graph, "Conv", "x w b", "conv", NULL, 0);
	loom_graph_add_output(graph, "y");
	return graph;
}

static void batch_norm_folds(void)
{
	struct loom_graph *graph = conv_bn_relu();
	const struct loom_node *node;
	struct loom_error err;
	const float *w, *b;
	double s0 = 2 / sqrt(4 + EPSILON), s1 = 3 / sqrt(0.25 + EPSILON);

	if (!tap_ok(!finish(graph, 0, &err), "a graph in any order %s", err.text))
		return;
	node = graph->nodes[0];
	tap_ok(graph->num_nodes == 1 && node->op == LOOM_GOP_CONV &&
	       node->act.fn == LOOM_GFN_RELU && !strcmp(node->output->name, "y"),
	       "Conv + BatchNormalization + Relu is one node");
	w = floats_of(node->inputs[LOOM_GCONV_W]);
	b = floats_of(node->inputs[LOOM_GCONV_BIAS]);
	tap_ok(w && b && near(w[0], s0) && near(w[1], 2 * s0) && near(w[2], 3 * s1) &&
	       near(w[3], 4 * s1) && near(b[0], (0.5 - 0.25) * s0 + 1) &&
	       near(b[1], (-1 - 1) * s1 + 5), "its weights and bias are scaled per channel");
	loom_graph_destroy(graph);
}

static bool has_node_for(const struct loom_graph *graph, const char *name)
{
	uint32_t i;

	for (i = 0; i < graph->num_nodes; i++) {
		if (!strcmp(graph->nodes[i]->output->name, name))
			return true;
	}
	return false;
}

static void keep_all_keeps(void)
{
	struct loom_graph *graph = conv_bn_relu();
	struct loom_error err;

	tap_ok(!finish(graph, LOOM_GRAPH_KEEP_ALL | LOOM_GRAPH_OUTPUT_ALL, &err) &&
	       has_node_for(graph, "conv") && has_node_for(graph, "normal") &&
	       has_node_for(graph, "y") && graph->num_outputs == 3,
	       "with KEEP_ALL every tensor of the model is there, with OUTPUT_ALL as an output");
	loom_graph_destroy(graph);
}

static void extra_output_survives(void)
{
	const char *const names[] = { "conv", "w" };
	struct loom_graph_options options = { .outputs = names, .num_outputs = 2 };
	struct loom_graph *graph = conv_bn_relu();
	struct loom_error err;
	int code = loom_graph_finish(graph, &options, &err);

	tap_ok(!code && graph->num_outputs == 3 && has_node_for(graph, "conv") &&
	       has_node_for(graph, "w") && graph->outputs[2]->producer->op == LOOM_GOP_RESHAPE,
	       "an extra output is not folded away, one that is a constant is copied");
	loom_graph_destroy(graph);
}

/* a transposed convolution with groups: output channel m is in group m / (M / groups) */
static void deconv_folds_by_group(void)
{
	struct loom_graph *graph = create(13);
	float weights[8], factor[] = { 1, 10, 100, 1000 };
	int64_t group = 2;
	struct loom_attr attr = {
		.name = "group", .type = LOOM_ATTR_INT, .count = 1, .ints = &group,
	};
	struct loom_error err;
	const float *w;
	int i;

	for (i = 0; i < 8; i++)
		weights[i] = (float)(i + 1);
	add_input(graph, "x", 3, (int64_t[]){ 1, 4, 5 });
	/* 4 channels in, 2 per group out */
	add_floats(graph, "w", 3, (int64_t[]){ 4, 2, 1 }, weights);
	add_floats(graph, "f", 2, (int64_t[]){ 4, 1 }, factor);
	add_node(graph, "ConvTranspose", "x w", "t", &attr, 1);
	add_node(graph, "Mul", "f t", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	if (!tap_ok(!finish(graph, 0, &err) && graph->num_nodes == 1, "ConvTranspose + Mul %s",
		    err.text))
		return;
	w = floats_of(graph->nodes[0]->inputs[LOOM_GCONV_W]);
	tap_ok(w[0] == 1 && w[1] == 20 && w[2] == 3 && w[3] == 40 && w[4] == 500 && w[5] == 6000 &&
	       w[6] == 700 && w[7] == 8000, "each weight got the factor of its output channel");
	loom_graph_destroy(graph);
}

static void not_everything_folds(void)
{
	struct loom_graph *graph = create(13);
	float weights[] = { 1, 2, 3, 4 }, rows[] = { 1, 2, 3, 4 };
	struct loom_error err;

	add_input(graph, "x", 4, (int64_t[]){ 1, 2, 4, 1 });
	add_floats(graph, "w", 4, (int64_t[]){ 2, 2, 1, 1 }, weights);
	add_floats(graph, "rows", 2, (int64_t[]){ 4, 1 }, rows);
	add_node(graph, "Conv", "x w", "c", NULL, 0);
	add_node(graph, "Mul", "c rows", "m", NULL, 0);
	add_node(graph, "Sub", "m c", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!finish(graph, 0, &err) && graph->num_nodes == 3,
	       "a factor per row, and a tensor of two uses, stay %s", err.text);
	loom_graph_destroy(graph);
}

static void shapes_fold(void)
{
	struct loom_graph *graph = create(13);
	int64_t zero[] = { 0 }, minus_one[] = { -1 };
	int64_t axis = 0;
	struct loom_attr attr = {
		.name = "axis", .type = LOOM_ATTR_INT, .count = 1, .ints = &axis,
	};
	struct loom_error err;

	add_input(graph, "x", 3, (int64_t[]){ 2, 3, 4 });
	add_ints(graph, "zero", 1, zero);
	add_ints(graph, "rest", 1, minus_one);
	add_node(graph, "Shape", "x", "shape", NULL, 0);
	add_node(graph, "Gather", "shape zero", "first", &attr, 1);
	add_node(graph, "Concat", "first rest", "target", &attr, 1);
	add_node(graph, "Reshape", "x target", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!finish(graph, 0, &err) && graph->num_nodes == 1 && graph->outputs[0]->rank == 2 &&
	       graph->outputs[0]->dims[0] == 2 && graph->outputs[0]->dims[1] == 12,
	       "shape arithmetic leaves one reshape %s", err.text);
	loom_graph_destroy(graph);
}

static void hard_swish_is_found(void)
{
	struct loom_graph *graph = create(9);
	float weights[] = { 1, 2, 3, 4 }, three = 3, six = 6, zero = 0;
	struct loom_attr bounds[] = {
		{ .name = "min", .type = LOOM_ATTR_FLOAT, .count = 1, .floats = &zero },
		{ .name = "max", .type = LOOM_ATTR_FLOAT, .count = 1, .floats = &six },
	};
	struct loom_error err;

	add_input(graph, "x", 4, (int64_t[]){ 1, 2, 4, 4 });
	add_floats(graph, "w", 4, (int64_t[]){ 2, 2, 1, 1 }, weights);
	add_floats(graph, "three", 0, NULL, &three);
	add_floats(graph, "six", 0, NULL, &six);
	add_node(graph, "Conv", "x w", "c", NULL, 0);
	add_node(graph, "Add", "c three", "p", NULL, 0);
	add_node(graph, "Clip", "p", "q", bounds, 2);
	add_node(graph, "Mul", "c q", "m", NULL, 0);
	add_node(graph, "Div", "m six", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!finish(graph, 0, &err) && graph->num_nodes == 1 &&
	       graph->nodes[0]->act.fn == LOOM_GFN_HARD_SWISH,
	       "x * clip(x + 3, 0, 6) / 6 becomes the Conv's activation %s", err.text);
	loom_graph_destroy(graph);
}

static void dumps_are_equal(void)
{
	struct loom_graph *first = conv_bn_relu(), *second = conv_bn_relu();
	char *text = NULL, *other = NULL;
	struct loom_error err;

	tap_ok(!finish(first, 0, &err) && !finish(second, 0, &err) &&
	       !loom_graph_dump(first, &text) && !loom_graph_dump(second, &other) &&
	       strlen(text) > 100 && !strcmp(text, other), "the same graph dumps as the same text");
	free(text);
	free(other);
	loom_graph_destroy(first);
	loom_graph_destroy(second);
}

static void expect_error(struct loom_graph *graph, int code, const char *text)
{
	struct loom_error err;
	int got = finish(graph, 0, &err);

	tap_ok(got == code && !strcmp(err.text, text), "%s", text);
	if (got != code || strcmp(err.text, text))
		tap_note("got %d: %s", got, err.text);
	loom_graph_destroy(graph);
}

static void errors_name_the_place(void)
{
	struct loom_graph *graph;
	float two[] = { 1, 2 };

	graph = create(13);
	add_input(graph, "x", 1, (int64_t[]){ 2 });
	add_node(graph, "LSTM", "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EOPNOTSUPP, "test: node \"LSTM\": operator LSTM is not supported");

	graph = create(13);
	add_node(graph, "Relu", "nowhere", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EINVAL,
		     "test: node \"Relu\": operator Relu: operand \"nowhere\" is never computed");

	graph = create(13);
	add_node(graph, "Relu", "b", "a", NULL, 0);
	add_node(graph, "Exp", "a", "b", NULL, 0);
	loom_graph_add_output(graph, "b");
	expect_error(graph, -EINVAL,
		     "test: node \"Relu\": operator Relu: it depends on itself");

	graph = create(13);
	add_input(graph, "x", 2, (int64_t[]){ 2, 3 });
	add_floats(graph, "two", 1, (int64_t[]){ 2 }, two);
	add_node(graph, "Add", "x two", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EINVAL,
		     "test: node \"Add\": operator Add: shapes [2,3] and [2] do not fit together");

	graph = create(13);
	add_input(graph, "x", 1, (int64_t[]){ 2 });
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EINVAL, "test: output \"y\" is never computed");

	graph = create(13);
	add_input(graph, "x", 1, (int64_t[]){ 2 });
	add_node(graph, "Relu", "x", "x", NULL, 0);
	loom_graph_add_output(graph, "x");
	expect_error(graph, -EINVAL, "test: two tensors are called \"x\"");

	graph = create(22);
	expect_error(graph, -EOPNOTSUPP,
		     "test: opset 22 is not supported, only 1 to 21 are");

	graph = create(13);
	add_input(graph, "x", 4, (int64_t[]){ 1 << 20, 1 << 20, 1 << 20, 1 << 20 });
	loom_graph_add_output(graph, "x");
	expect_error(graph, -EINVAL,
		     "test: input \"x\": [1048576,1048576,1048576,1048576] of f32 is too large");
}

static void bindings_are_checked(void)
{
	struct loom_dim_binding dim = { "batch", 2 };
	struct loom_shape_binding shape = { "x", 2, { 2, 4 } };
	struct loom_graph_options options = { .dims = &dim, .num_dims = 1 };
	struct loom_error err = { "" };
	struct loom_graph *graph;

	graph = create(13);
	add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	add_node(graph, "Relu", "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EDESTADDRREQ,
		     "test: input \"x\": dimension 0 is not bound, use --dim x:0=VALUE");

	graph = create(13);
	add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	tap_ok(loom_graph_finish(graph, &options, &err) == -EINVAL &&
	       !strcmp(err.text, "test: no input has a dimension \"batch\""), "%s", err.text);
	loom_graph_destroy(graph);

	options = (struct loom_graph_options){ .shapes = &shape, .num_shapes = 1 };
	graph = create(13);
	add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	tap_ok(loom_graph_finish(graph, &options, &err) == -EINVAL &&
	       !strcmp(err.text, "test: input \"x\": shape [2,4] does not fit the model's [-1,3]"),
	       "%s", err.text);
	loom_graph_destroy(graph);

	shape.dims[1] = 3;
	graph = create(13);
	add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	add_node(graph, "Relu", "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!loom_graph_finish(graph, &options, &err) && graph->outputs[0]->dims[0] == 2,
	       "a shape that fits binds");
	loom_graph_destroy(graph);
}

/* what is much larger than what it is made from stays a node */
static void bombs_fizzle(void)
{
	struct loom_graph *graph = create(13);
	int64_t shape[] = { 1 << 20, 1 << 20 };
	struct loom_error err;

	add_ints(graph, "shape", 2, shape);
	add_node(graph, "ConstantOfShape", "shape", "zero", NULL, 0);
	add_node(graph, "Neg", "zero", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!finish(graph, 0, &err) && graph->num_nodes == 2 &&
	       graph->nodes[0]->op == LOOM_GOP_EXPAND, "a huge constant is left to the device %s",
	       err.text);
	loom_graph_destroy(graph);
}

static void pools_have_a_budget(void)
{
	struct loom_pool *pool = loom_pool_create(1 << 20);
	struct loom_names names = { .pool = pool };
	unsigned int i;
	char *name;

	if (!pool)
		tap_fatal("no memory");
	tap_ok(loom_pool_alloc(pool, 1 << 19) && !loom_pool_alloc(pool, 1 << 19 | 1) &&
	       loom_pool_alloc(pool, 1 << 10) && !loom_pool_array(pool, SIZE_MAX / 2, 4),
	       "a pool gives no more than its budget");
	for (i = 0; i < 1000; i++) {
		name = loom_pool_print(pool, "%u", i);
		if (!name || loom_names_set(&names, name, name))
			break;
	}
	name = loom_names_find(&names, "777");
	tap_ok(i == 1000 && name && !strcmp(name, "777") && !loom_names_find(&names, "1000"),
	       "names are found again");
	loom_pool_destroy(pool);
}

static void halves_are_exact(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < 0x10000; i++) {
		float value = loom_half_to_float((uint16_t)i);
		uint16_t back = loom_half_from_double((double)value);

		bad += isnan(value) ? (back & 0x7fff) <= 0x7c00 : back != i;
	}
	tap_ok(!bad && loom_half_from_double(65519) == 0x7bff &&
	       loom_half_from_double(65520) == 0x7c00 && loom_half_from_double(2049) == 0x6800 &&
	       loom_half_from_double(2051) == 0x6802 && loom_half_from_double(0.000000001) == 0,
	       "all 65536 halves survive the way to float and back");
}

int main(void)
{
	batch_norm_folds();
	keep_all_keeps();
	extra_output_survives();
	deconv_folds_by_group();
	not_everything_folds();
	shapes_fold();
	hard_swish_is_found();
	dumps_are_equal();
	errors_name_the_place();
	bindings_are_checked();
	bombs_fizzle();
	pools_have_a_budget();
	halves_are_exact();
	return tap_end();
}
