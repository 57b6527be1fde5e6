// SPDX-License-Identifier: MIT
/* Results of the passes on small models. */
#include "host/lower/case.h"
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
	/* not in the order in which they run */
	return case_graph(13,
			  "x f32 1 2 4 4; w = f32 2 2 1 1 : 1 2 3 4; b = f32 2 : 0.5 -1; "
			  "scale = f32 2 : 2 3; shift = f32 2 : 1 5; mean = f32 2 : 0.25 1; "
			  "var = f32 2 : 4 0.25; y = Relu normal; "
			  "normal = BatchNormalization conv scale shift mean var; "
			  "conv = Conv x w b; > y");
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
	/* 4 channels in, 2 per group out */
	struct loom_graph *graph = case_graph(13,
		"x f32 1 4 5; w = f32 4 2 1 : 1 2 3 4 5 6 7 8; f = f32 4 1 : 1 10 100 1000; "
		"t = ConvTranspose x w group=2; y = Mul f t; > y");
	struct loom_error err;
	const float *w;

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
	struct loom_graph *graph = case_graph(13,
		"x f32 1 2 4 1; w = f32 2 2 1 1; rows = f32 4 1; c = Conv x w; m = Mul c rows; "
		"y = Sub m c; > y");
	struct loom_error err;

	tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 3,
	       "a factor per row, and a tensor of two uses, stay %s", err.text);
	loom_graph_destroy(graph);
}

static void shapes_fold(void)
{
	struct loom_graph *graph = case_graph(13,
		"x f32 2 3 4; zero = i64 1 : 0; rest = i64 1 : -1; shape = Shape x; "
		"first = Gather shape zero axis=0; target = Concat first rest axis=0; "
		"y = Reshape x target; > y");
	struct loom_error err;

	tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 1 &&
	       graph->outputs[0]->rank == 2 && graph->outputs[0]->dims[0] == 2 &&
	       graph->outputs[0]->dims[1] == 12,
	       "shape arithmetic leaves one reshape %s", err.text);
	loom_graph_destroy(graph);
}

static void hard_swish_is_found(void)
{
	struct loom_graph *graph = case_graph(9,
		"x f32 1 2 4 4; w = f32 2 2 1 1; three = f32 : 3; six = f32 : 6; c = Conv x w; "
		"p = Add c three; q = Clip p min=0.0 max=6.0; m = Mul c q; y = Div m six; > y");
	struct loom_error err;

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
	struct loom_graph *graph = case_graph(13,
		"shape = i64 2 : 1048576 1048576; zero = ConstantOfShape shape; y = Neg zero; > y");
	struct loom_error err;

	tap_ok(!model_finish(graph, 0, &err) && graph->num_nodes == 2 &&
	       graph->nodes[0]->op == LOOM_GOP_EXPAND, "a huge constant is left to the device %s",
	       err.text);
	loom_graph_destroy(graph);
}

/* [x a], then [x a b] and [b x a c], then [c x a]: each is made of what another begins or ends */
static void concats_are_shared(void)
{
	static const uint32_t counts[] = { 2, 2, 4, 2, 2 };
	struct loom_graph *graph = case_graph(13,
		"x f32 2 3; a f32 2 1; b f32 2 2; c f32 2 4; y0 = Concat x a axis=1; "
		"y1 = Concat x a b axis=1; y2 = Concat b x a c axis=1; y3 = Concat c x a axis=1; "
		"y4 = Concat b c axis=1; > y0 y1 y2 y3 y4");
	const struct loom_node *node;
	struct loom_error err;
	bool right = true;
	uint32_t i;

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

/* Number of nodes of a graph, or 0. */
static uint32_t count_nodes(const char *text, uint32_t flags)
{
	struct loom_graph *graph = case_graph(13, "%s", text);
	struct loom_error err;
	uint32_t count = model_finish(graph, flags, &err) ? 0 : graph->num_nodes;

	loom_graph_destroy(graph);
	return count;
}

static void integers_are_shared(void)
{
	/* equal chains but for the last node; constants of the same bytes */
	const char *indices = "x i64 4; a = i64 1 : 3; b = i64 1 : 3; p = Add x a; q = Mul p a; "
		"r = Add x b; s = Mul r b; t = Sub q s; u = Sub s x; > t u";

	tap_ok(count_nodes(indices, 0) == 4, "integers are computed once");
	tap_ok(count_nodes(indices, LOOM_GRAPH_KEEP_ALL) == 6, "with KEEP_ALL all nodes stay");
	tap_ok(count_nodes("x i64 4; a = i64 1 : 3; p = Add x a; q = Add x a; > p q", 0) == 2,
	       "outputs stay");
	tap_ok(count_nodes("x i64 4; y i64 4; a = i64 1 : 3; b = i64 1 : 2; p = Add x a; "
			   "q = Add x b; r = Add y a; s = Sub x a; t = Max p q r s; > t", 0) == 7,
	       "others are not the same");
	tap_ok(count_nodes("x f32 4; a = f32 1 : 3; p = Add x a; q = Add x a; t = Mul p q; > t",
			   0) == 3, "floats are not looked at");
	tap_ok(count_nodes("x f32 4; y f32 4; c = f32 1 : 0; p = Less x c; q = Less x c; "
			   "r = Where p x y; s = Where q y x; t = Mul r s; > t", 0) == 4,
	       "masks are computed once");
	tap_ok(count_nodes("x i64 2 3; p = Transpose x perm=1,0; q = Transpose x perm=1,0; "
			   "s = i64 1 : 6; r = Reshape p s; u = Reshape q s; t = Add r u; > t",
			   0) == 3, "as are views of them");
}

int main(void)
{
	integers_are_shared();
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
