// SPDX-License-Identifier: MIT
/*
 * Loop and Scan, planned and run on the host beside the same written as loops here, and those that
 * are wrong.
 */
#include "proto_build.h"

#include <errno.h>

static void add_ints(Onnx__NodeProto *node, const char *name, size_t count, const int64_t *ints)
{
	Onnx__AttributeProto *attr = take(sizeof(*attr));

	onnx__attribute_proto__init(attr);
	attr->name = (char *)name;
	attr->has_type = 1;
	attr->type = count ? ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS :
			     ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
	attr->has_i = !count;
	attr->i = *ints;
	attr->n_ints = count;
	attr->ints = take((count + 1) * sizeof(*ints));
	memcpy(attr->ints, ints, count * sizeof(*ints));
	if (!node->attribute)
		node->attribute = take(8 * sizeof(*node->attribute));
	node->attribute[node->n_attribute++] = attr;
}

/* A node with a body, and room for more attributes. */
static Onnx__NodeProto *add_repeated(Onnx__GraphProto *graph, const char *op, const char *inputs,
				     const char *outputs, Onnx__GraphProto *body)
{
	Onnx__NodeProto *node = add_node(graph, op, inputs, outputs);

	node->attribute = take(8 * sizeof(*node->attribute));
	if (body)
		add_branch(node, "body", body);
	return node;
}

static Onnx__GraphProto *body_create(const char *inputs)
{
	Onnx__GraphProto *body = graph_create();
	size_t count, i;
	char **names = words(inputs, &count);

	for (i = 0; i < count; i++)
		add_input(body, names[i], FLOAT, 0, NULL);
	return body;
}

static void add_outputs(Onnx__GraphProto *graph, const char *outputs)
{
	size_t count, i;
	char **names = words(outputs, &count);

	for (i = 0; i < count; i++)
		add_output(graph, names[i]);
}

static void add_count(Onnx__GraphProto *graph, const char *name, int64_t count)
{
	add_constant(graph, name, INT64, &count, sizeof(count));
}

/* A loop over x of so many rounds, whose results are those of the model. */
static void add_loop(Onnx__GraphProto *graph, int64_t count, const char *outputs,
		     Onnx__GraphProto *body)
{
	add_count(graph, "count", count);
	add_repeated(graph, "Loop", "count - x", outputs, body);
	add_outputs(graph, outputs);
}

static void expect_loop_line(Onnx__GraphProto *graph, int code, const char *why)
{
	char line[256];

	snprintf(line, sizeof(line), "test: node \"Loop\": operator Loop: %s", why);
	expect_line(graph, code, line);
}

static void expect_floats(Onnx__GraphProto *proto, const float *want, size_t count,
			  const char *what)
{
	expect_results(proto, NULL, NULL, want, count, UINT32_MAX, what);
}

/* v = v * x + round; all v are stacked, and what a body reads of outside is x */
static Onnx__GraphProto *power_body(void)
{
	Onnx__GraphProto *body = body_create("i c v");
	Onnx__NodeProto *cast;
	const int64_t to = FLOAT;

	cast = add_node(body, "Cast", "i", "f");
	add_ints(cast, "to", 0, &to);
	add_text(body, "t = Mul v x; n = Add t f; d = Identity c; > d n n");
	return body;
}

static void a_count(void)
{
	Onnx__GraphProto *graph = model_create();
	float want[6 * 5], v;
	int i, t;

	add_loop(graph, 4, "y all", power_body());
	for (i = 0; i < 6; i++) {
		v = x[i];
		for (t = 0; t < 4; t++) {
			v = v * x[i] + (float)t;
			want[6 + 6 * t + i] = v;
		}
		want[i] = v;
	}
	expect_floats(graph, want, 30, "a loop with a count, a state and a result of all rounds");
}

static void no_round(void)
{
	Onnx__GraphProto *graph = model_create();

	add_count(graph, "count", 0);
	add_repeated(graph, "Loop", "count - x", "s", power_body());
	add_text(graph, "y = Abs s; > y");
	expect_floats(graph, (float[]){ 3, 0.5f, 0, 1, 2.5f, 1 }, 6, "a loop that never runs");
}

/* ends when the round, times the rows of x, is 6 */
static void a_condition(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("i c v");
	const uint8_t yes = 1;
	float want[6];
	int i;

	add_constant(graph, "go", BOOL, &yes, 1);
	add_text(body, "zero = 0; end = 6; shape = Shape x; rows = Gather shape zero; "
		 "done = Mul rows i; d = Less done end; n = Add v x; > d n");
	add_repeated(graph, "Loop", "- go x", "y", body);
	add_outputs(graph, "y");
	for (i = 0; i < 6; i++)
		want[i] = 5 * x[i];
	expect_floats(graph, want, 6, "a loop that ends by what is known of shapes");
}

/* two rounds of three each: v = v + x, then v = v / 2; names are the same in both bodies */
static void loops_in_loops(void)
{
	Onnx__GraphProto *graph = model_create(), *outer, *inner;
	const float half = 0.5f;
	float want[6];
	int i;

	inner = body_create("i c v");
	add_text(inner, "t = Add v x; > c t");
	outer = body_create("i c v");
	add_count(outer, "three", 3);
	add_constant(outer, "half", FLOAT, &half, sizeof(half));
	add_repeated(outer, "Loop", "three - v", "w", inner);
	add_text(outer, "t = Mul w half; > c t");
	add_loop(graph, 2, "y", outer);
	for (i = 0; i < 6; i++)
		want[i] = (4 * x[i] / 2 + 3 * x[i]) / 2;
	expect_floats(graph, want, 6, "loops in loops");
}

/* In even rounds x is added, in odd ones 1. */
static void branches_in_loops(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("i c v"), *even, *odd;
	const float one = 1;
	float want[6];
	int i;

	even = graph_create();
	add_text(even, "r = Add v x; > r");
	odd = graph_create();
	add_constant(odd, "one", FLOAT, &one, sizeof(one));
	add_text(odd, "r = Add v one; > r");
	add_text(body, "two = 2; zero = 0; m = Mod i two; e = Equal m zero");
	add_if(body, "e", "n", even, odd);
	add_outputs(body, "c n");
	add_loop(graph, 5, "y", body);
	for (i = 0; i < 6; i++)
		want[i] = 4 * x[i] + 2;
	expect_floats(graph, want, 6, "branches in loops, by the round");
}

/* over columns from the last: sums so far, stacked from the last, as columns */
static void a_scan(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("s e");
	Onnx__NodeProto *node;
	const int64_t one = 1;
	const float zeroes[2] = { 0 };
	float want[2 + 6];
	int r, c;

	add_text(body, "t = Add s e; u = Identity t; > t u");
	add_constant(graph, "flat", FLOAT, zeroes, sizeof(zeroes));
	graph->initializer[graph->n_initializer - 1]->n_dims = 1;
	graph->initializer[graph->n_initializer - 1]->dims = take(sizeof(int64_t));
	graph->initializer[graph->n_initializer - 1]->dims[0] = 2;
	node = add_repeated(graph, "Scan", "flat x", "s all", body);
	add_ints(node, "num_scan_inputs", 0, &one);
	add_ints(node, "scan_input_axes", 1, &one);
	add_ints(node, "scan_input_directions", 1, &one);
	add_ints(node, "scan_output_axes", 1, (int64_t[]){ -1 });
	add_ints(node, "scan_output_directions", 1, &one);
	add_outputs(graph, "s all");
	for (r = 0; r < 2; r++) {
		float sum = 0;

		for (c = 2; c >= 0; c--) {
			sum += x[3 * r + c];
			want[2 + 3 * r + c] = sum;
		}
		want[r] = sum;
	}
	expect_floats(graph, want, 8, "a scan over columns, from the last");
}

static void wrong_loops(void)
{
	Onnx__GraphProto *graph = model_create(), *body;
	const uint8_t yes = 1;

	add_constant(graph, "go", BOOL, &yes, 1);
	add_repeated(graph, "Loop", "- go x", "y", power_body());
	add_outputs(graph, "y");
	expect_loop_line(graph, -EOPNOTSUPP, "it runs more than 2048 times");

	graph = model_create();
	add_input(graph, "n", INT64, 0, NULL);
	add_repeated(graph, "Loop", "n - x", "y", power_body());
	add_outputs(graph, "y");
	expect_loop_line(graph, -ENODATA,
			 "operand \"n\" has to be known when the model is planned");

	graph = model_create();
	body = body_create("i c v");
	add_text(body, "d = Greater v v; > d v");
	add_loop(graph, 3, "y", body);
	expect_loop_line(graph, -EINVAL, "its condition is not one bool");

	graph = model_create();
	body = body_create("i c v");
	add_text(body, "s = ReduceSum v; d = Greater s s; > d v");
	add_loop(graph, 3, "y", body);
	expect_loop_line(graph, -EOPNOTSUPP,
			 "how often it runs depends on the data, only constants can say that");

	graph = model_create();
	body = body_create("i c v");
	add_node(body, "Concat", "v v", "n");
	add_ints(body->node[0], "axis", 0, (int64_t[]){ 0 });
	add_outputs(body, "c n v");
	add_count(graph, "count", 3);
	add_repeated(graph, "Loop", "count - x", "y all", body);
	add_outputs(graph, "all");
	expect_loop_line(graph, -EINVAL,
			 "result 1 is f32 [2,3] in one round and f32 [4,3] in another");

	graph = model_create();
	add_count(graph, "count", 3);
	add_repeated(graph, "Loop", "count -", "y", power_body());
	add_outputs(graph, "y");
	expect_loop_line(graph, -EINVAL, "its body has 3 inputs, and not 2");

	graph = model_create();
	add_loop(graph, 3, "y", NULL);
	expect_loop_line(graph, -EINVAL, "it has no body");

	graph = model_create();
	body = power_body();
	add_outputs(body, "nothing");
	add_loop(graph, 3, "y", body);
	expect_loop_line(graph, -EINVAL, "operand \"nothing\" is never computed");
}

/* What a loop in a loop gave in an earlier round is not what it gives in this one. */
static void loop_that_ends(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("i c v");

	add_text(body, "one = 1; d = Less i one; count = 2");
	add_repeated(body, "Loop", "count d v", "n all", power_body());
	add_text(body, "s = ReduceSum all; m = Add n s; > c m");
	add_loop(graph, 2, "y", body);
	expect_loop_line(graph, -EOPNOTSUPP, "it never runs, so result 1 has no shape");
}

/* The names of a body are told apart as those of a model are. */
static void names_twice(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("i c v");

	add_text(body, "n = Mul v x; n = Add n v; > c n");
	add_loop(graph, 2, "y", body);
	expect_line(graph, -EINVAL, "test: two tensors are called \"n~1\"");

	graph = model_create();
	body = body_create("i c v");
	add_text(body, "v = Mul v x; > c v");
	add_loop(graph, 2, "y", body);
	expect_line(graph, -EINVAL, "test: two tensors are called \"v~1\"");

	graph = model_create();
	body = body_create("i c v v");
	add_outputs(body, "c v v");
	add_count(graph, "count", 2);
	add_repeated(graph, "Loop", "count - x x", "y", body);
	add_outputs(graph, "y");
	expect_line(graph, -EINVAL, "test: two tensors are called \"v~1\"");
}

/* Each loop is short, and all of them together are not. */
static void many_rounds(void)
{
	Onnx__GraphProto *graph = model_create(), *body = power_body(), *around;
	int i;

	for (i = 0; i < 3; i++) {
		around = body_create("i c v");
		add_count(around, "count", 100);
		add_repeated(around, "Loop", "count - v", "n", body);
		add_outputs(around, "c n");
		body = around;
	}
	add_loop(graph, 100, "y", body);
	expect_loop_line(graph, -EOPNOTSUPP, "written out it has more than 16384 nodes");
}

static void wrong_scans(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("a b");
	const int64_t two = 2;
	Onnx__NodeProto *node;

	add_text(body, "t = Add a b; > t");
	node = add_repeated(graph, "Scan", "x x", "y", body);
	add_ints(node, "num_scan_inputs", 0, &two);
	add_ints(node, "scan_input_axes", 2, (int64_t[]){ 0, 1 });
	add_outputs(graph, "y");
	expect_line(graph, -EINVAL,
		    "test: node \"Scan\": operator Scan: its operands have 2 and 3 elements");

	graph = model_create();
	body = body_create("a");
	add_outputs(body, "a");
	node = add_repeated(graph, "Scan", "x", "y", body);
	add_ints(node, "num_scan_inputs", 0, &two);
	add_outputs(graph, "y");
	expect_line(graph, -EINVAL,
		    "test: node \"Scan\": operator Scan: num_scan_inputs 2 is out of range");
}

int main(void)
{
	a_count();
	no_round();
	a_condition();
	loops_in_loops();
	branches_in_loops();
	a_scan();
	wrong_loops();
	loop_that_ends();
	names_twice();
	many_rounds();
	wrong_scans();
	loom_pool_destroy(pool);
	return tap_end();
}
