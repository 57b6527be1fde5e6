// SPDX-License-Identifier: MIT
/* What the passes make of small models. */
#include "graph/graph.h"
#include "model.h"
#include "near.h"

#include <math.h>

#define EPSILON		0.00001

static const float *floats_of(const struct loom_value *value)
{
	return value ? value->data : NULL;
}

static bool near(float a, double b)
{
	return near_off(a, b) < EPSILON;
}

/* x[1,2,4,4] -> Conv 1x1 to 2 channels -> BatchNormalization -> Relu -> y */
static struct loom_graph *conv_bn_relu(void)
{
	struct loom_graph *graph = model_create(13);
	float weights[] = { 1, 2, 3, 4 }, bias[] = { 0.5f, -1 }, scale[] = { 2, 3 };
	float shift[] = { 1, 5 }, mean[] = { 0.25f, 1 }, variance[] = { 4, 0.25f };

	model_add_input(graph, "x", 4, (int64_t[]){ 1, 2, 4, 4 });
	model_add_floats(graph, "w", 4, (int64_t[]){ 2, 2, 1, 1 }, weights);
	model_add_floats(graph, "b", 1, (int64_t[]){ 2 }, bias);
	model_add_floats(graph, "scale", 1, (int64_t[]){ 2 }, scale);
	model_add_floats(graph, "shift", 1, (int64_t[]){ 2 }, shift);
	model_add_floats(graph, "mean", 1, (int64_t[]){ 2 }, mean);
	model_add_floats(graph, "var", 1, (int64_t[]){ 2 }, variance);
	/* not in the order in which they run */
	model_add_node(graph, "Relu", "normal", "y", NULL, 0);
	model_add_node(graph, "BatchNormalization", "conv scale shift mean var", "normal", NULL, 0);
	model_add_node(graph, "Conv", "x w b", "conv", NULL, 0);
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

	if (!tap_ok(!model_finish(graph, 0, &err), "a graph in any order %s", err.text))
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

	tap_ok(!model_finish(graph, LOOM_GRAPH_KEEP_ALL | LOOM_GRAPH_OUTPUT_ALL, &err) &&
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
	struct loom_graph *graph = model_create(13);
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
	model_add_input(graph, "x", 3, (int64_t[]){ 1, 4, 5 });
	/* 4 channels in, 2 per group out */
	model_add_floats(graph, "w", 3, (int64_t[]){ 4, 2, 1 }, weights);
	model_add_floats(graph, "f", 2, (int64_t[]){ 4, 1 }, factor);
	model_add_node(graph, "ConvTranspose", "x w", "t", &attr, 1);
	model_add_node(graph, "Mul", "f t", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	if (!tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 1,
		    "ConvTranspose + Mul %s", err.text))
		return;
	w = floats_of(graph->nodes[0]->inputs[LOOM_GCONV_W]);
	tap_ok(w[0] == 1 && w[1] == 20 && w[2] == 3 && w[3] == 40 && w[4] == 500 && w[5] == 6000 &&
	       w[6] == 700 && w[7] == 8000, "each weight got the factor of its output channel");
	loom_graph_destroy(graph);
}

static void not_everything_folds(void)
{
	struct loom_graph *graph = model_create(13);
	float weights[] = { 1, 2, 3, 4 }, rows[] = { 1, 2, 3, 4 };
	struct loom_error err;

	model_add_input(graph, "x", 4, (int64_t[]){ 1, 2, 4, 1 });
	model_add_floats(graph, "w", 4, (int64_t[]){ 2, 2, 1, 1 }, weights);
	model_add_floats(graph, "rows", 2, (int64_t[]){ 4, 1 }, rows);
	model_add_node(graph, "Conv", "x w", "c", NULL, 0);
	model_add_node(graph, "Mul", "c rows", "m", NULL, 0);
	model_add_node(graph, "Sub", "m c", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 3,
	       "a factor per row, and a tensor of two uses, stay %s", err.text);
	loom_graph_destroy(graph);
}

static void shapes_fold(void)
{
	struct loom_graph *graph = model_create(13);
	int64_t zero[] = { 0 }, minus_one[] = { -1 };
	int64_t axis = 0;
	struct loom_attr attr = {
		.name = "axis", .type = LOOM_ATTR_INT, .count = 1, .ints = &axis,
	};
	struct loom_error err;

	model_add_input(graph, "x", 3, (int64_t[]){ 2, 3, 4 });
	model_add_ints(graph, "zero", 1, zero);
	model_add_ints(graph, "rest", 1, minus_one);
	model_add_node(graph, "Shape", "x", "shape", NULL, 0);
	model_add_node(graph, "Gather", "shape zero", "first", &attr, 1);
	model_add_node(graph, "Concat", "first rest", "target", &attr, 1);
	model_add_node(graph, "Reshape", "x target", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 1 &&
	       graph->outputs[0]->rank == 2 && graph->outputs[0]->dims[0] == 2 &&
	       graph->outputs[0]->dims[1] == 12,
	       "shape arithmetic leaves one reshape %s", err.text);
	loom_graph_destroy(graph);
}

static void hard_swish_is_found(void)
{
	struct loom_graph *graph = model_create(9);
	float weights[] = { 1, 2, 3, 4 }, three = 3, six = 6, zero = 0;
	struct loom_attr bounds[] = {
		{ .name = "min", .type = LOOM_ATTR_FLOAT, .count = 1, .floats = &zero },
		{ .name = "max", .type = LOOM_ATTR_FLOAT, .count = 1, .floats = &six },
	};
	struct loom_error err;

	model_add_input(graph, "x", 4, (int64_t[]){ 1, 2, 4, 4 });
	model_add_floats(graph, "w", 4, (int64_t[]){ 2, 2, 1, 1 }, weights);
	model_add_floats(graph, "three", 0, NULL, &three);
	model_add_floats(graph, "six", 0, NULL, &six);
	model_add_node(graph, "Conv", "x w", "c", NULL, 0);
	model_add_node(graph, "Add", "c three", "p", NULL, 0);
	model_add_node(graph, "Clip", "p", "q", bounds, 2);
	model_add_node(graph, "Mul", "c q", "m", NULL, 0);
	model_add_node(graph, "Div", "m six", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 1 &&
	       graph->nodes[0]->act.fn == LOOM_GFN_HARD_SWISH,
	       "x * clip(x + 3, 0, 6) / 6 becomes the Conv's activation %s", err.text);
	loom_graph_destroy(graph);
}

static void dumps_are_equal(void)
{
	struct loom_graph *first = conv_bn_relu(), *second = conv_bn_relu();
	char *text = NULL, *other = NULL;
	struct loom_error err;

	tap_ok(!model_finish(first, 0, &err) && !model_finish(second, 0, &err) &&
	       !loom_graph_dump(first, &text) && !loom_graph_dump(second, &other) &&
	       strlen(text) > 100 && !strcmp(text, other), "the same graph dumps as the same text");
	free(text);
	free(other);
	loom_graph_destroy(first);
	loom_graph_destroy(second);
}

/* a constant that is much larger than what it is made from is not folded */
static void huge_constants_stay_nodes(void)
{
	struct loom_graph *graph = model_create(13);
	int64_t shape[] = { 1 << 20, 1 << 20 };
	struct loom_error err;

	model_add_ints(graph, "shape", 2, shape);
	model_add_node(graph, "ConstantOfShape", "shape", "zero", NULL, 0);
	model_add_node(graph, "Neg", "zero", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 2 &&
	       graph->nodes[0]->op == LOOM_GOP_EXPAND, "a huge constant is left to the device %s",
	       err.text);
	loom_graph_destroy(graph);
}

/* [x a], then [x a b] and [b x a c], then [c x a]: each is made of what another begins or ends */
static void concats_are_shared(void)
{
	static const char *const operands[] = { "x a", "x a b", "b x a c", "c x a", "b c" };
	static const uint32_t counts[] = { 2, 2, 4, 2, 2 };
	struct loom_graph *graph = model_create(13);
	int64_t one = 1;
	struct loom_attr axis = {
		.name = "axis", .type = LOOM_ATTR_INT, .count = 1, .ints = &one,
	};
	const struct loom_node *node;
	struct loom_error err;
	bool right = true;
	char name[] = "y0";
	uint32_t i;

	model_add_input(graph, "x", 2, (int64_t[]){ 2, 3 });
	model_add_input(graph, "a", 2, (int64_t[]){ 2, 1 });
	model_add_input(graph, "b", 2, (int64_t[]){ 2, 2 });
	model_add_input(graph, "c", 2, (int64_t[]){ 2, 4 });
	for (i = 0; i < ARRAY_SIZE(operands); i++, name[1]++) {
		model_add_node(graph, "Concat", operands[i], name, &axis, 1);
		loom_graph_add_output(graph, name);
	}
	if (!tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 5,
		    "five concatenations %s", err.text))
		return;
	for (i = 0; i < 5; i++) {
		node = graph->nodes[i];
		/* the third has [x a] in the middle, where it is not looked for */
		right &= node->num_inputs == counts[i];
	}
	tap_ok(right && graph->nodes[1]->inputs[0] == graph->nodes[0]->output &&
	       graph->nodes[3]->inputs[1] == graph->nodes[0]->output,
	       "those that begin or end like another one read it");
	loom_graph_destroy(graph);
}

int main(void)
{
	concats_are_shared();
	batch_norm_folds();
	keep_all_keeps();
	extra_output_survives();
	deconv_folds_by_group();
	not_everything_folds();
	shapes_fold();
	hard_swish_is_found();
	dumps_are_equal();
	huge_constants_stay_nodes();
	return tap_end();
}
