// SPDX-License-Identifier: MIT
/*
 * Loop and Scan, planned and run on the host beside the same written as loops here, and those that
 * are wrong.
 */
#include "proto_build.h"

#include <errno.h>

/* Its inputs are names of floats. */
static Onnx__GraphProto *body_create(const char *inputs)
{
	Onnx__GraphProto *body = graph_create();
	size_t count, i;
	char **names = words(inputs, &count);

	for (i = 0; i < count; i++)
		add_input(body, names[i], FLOAT, 0, NULL);
	return body;
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
	return add_text(body_create("i c v"), "f = Cast i to=1; t = Mul v x; n = Add t f; "
			"d = Identity c; > d n n");
}

static void a_count(void)
{
	Onnx__GraphProto *graph = model_create();
	float want[6 * 5], v;
	int i, t;

	add_text(graph, "count = 4; y all = Loop count - x body=@; > y all", power_body());
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

	add_text(graph, "count = 0; s = Loop count - x body=@; y = Abs s; > y", power_body());
	expect_floats(graph, (float[]){ 3, 0.5f, 0, 1, 2.5f, 1 }, 6, "a loop that never runs");
}

/* ends when the round, times the rows of x, is 6 */
static void a_condition(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("i c v");
	float want[6];
	int i;

	add_text(body, "zero = 0; end = 6; shape = Shape x; rows = Gather shape zero; "
		 "done = Mul rows i; d = Less done end; n = Add v x; > d n");
	add_text(graph, "go = true; y = Loop - go x body=@; > y", body);
	for (i = 0; i < 6; i++)
		want[i] = 5 * x[i];
	expect_floats(graph, want, 6, "a loop that ends by what is known of shapes");
}

/* v = v + 1 until the largest is 5.5 or more; what comes behind the end is 0 */
static void a_condition_of_data(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("i c v");
	float want[6 + 6 * 6 + 2] = { 0 }, most = 0;
	int i, t;

	add_text(body, "one = 1.0; end = 5.5; n = Add v one; s = ReduceMax n keepdims=0; "
		 "d = Less s end; > d n n");
	add_text(graph, "count = 6; y all = Loop count - x body=@; > y all", body);
	memcpy(want, x, sizeof(x));
	for (t = 0; t < 6 && most < 5.5f; t++) {
		for (i = 0; i < 6; i++) {
			want[i] += 1;
			want[6 + 6 * t + i] = want[i];
			most = want[i] > most ? want[i] : most;
		}
	}
	expect_floats(graph, want, ARRAY_SIZE(want), "a loop whose end the data decide");
	tap_ok(t > 1 && t < 6, "it has an end");
}

/* two rounds of three each: v = v + x, then v = v / 2; names are the same in both bodies */
static void loops_in_loops(void)
{
	Onnx__GraphProto *graph = model_create(), *outer = body_create("i c v");
	float want[6];
	int i;

	add_text(outer, "three = 3; half = 0.5; w = Loop three - v body=@; t = Mul w half; > c t",
		 add_text(body_create("i c v"), "t = Add v x; > c t"));
	add_text(graph, "count = 2; y = Loop count - x body=@; > y", outer);
	for (i = 0; i < 6; i++)
		want[i] = (4 * x[i] / 2 + 3 * x[i]) / 2;
	expect_floats(graph, want, 6, "loops in loops");
}

/* In even rounds x is added, in odd ones 1. */
static void branches_in_loops(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("i c v");
	float want[6];
	int i;

	add_text(body, "two = 2; zero = 0; m = Mod i two; e = Equal m zero; "
		 "n = If e then_branch=@ else_branch=@; > c n",
		 add_text(graph_create(), "r = Add v x; > r"),
		 add_text(graph_create(), "one = 1.0; r = Add v one; > r"));
	add_text(graph, "count = 5; y = Loop count - x body=@; > y", body);
	for (i = 0; i < 6; i++)
		want[i] = 4 * x[i] + 2;
	expect_floats(graph, want, 6, "branches in loops, by the round");
}

#define BACKWARDS	"scan_input_directions=1, scan_output_directions=1, "

/* over columns from the last: sums so far, stacked from the last, as columns */
static void a_scan(void)
{
	Onnx__GraphProto *graph = model_create(), *body = body_create("s e");
	const float zeroes[2] = { 0 };
	float want[2 + 6];
	int r, c;

	add_text(body, "t = Add s e; u = Identity t; > t u");
	add_constant(graph, "flat", FLOAT, zeroes, sizeof(zeroes));
	graph->initializer[graph->n_initializer - 1]->n_dims = 1;
	graph->initializer[graph->n_initializer - 1]->dims = take(sizeof(int64_t));
	graph->initializer[graph->n_initializer - 1]->dims[0] = 2;
	add_text(graph,
		 "s all = Scan flat x num_scan_inputs=1 scan_input_axes=1, scan_output_axes=-1, "
		 BACKWARDS "body=@; > s all", body);
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

/**
 * struct wrong - a model with a loop, and what is said of it
 * @body: of the loop, with inputs i, c and v; NULL: it has none
 * @model: with an input x
 * @code: that is returned
 * @why: the line, behind the name of the loop, or all of it
 */
struct wrong {
	const char *body;
	const char *model;
	int code;
	const char *why;
};

#define POWER	"f = Cast i to=1; t = Mul v x; n = Add t f; d = Identity c; > d n n"
#define THRICE	"count = 3; y = Loop count - x body=@; > y"

static const struct wrong wrongs[] = {
	{ POWER, "go = true; y = Loop - go x body=@; > y", -EOPNOTSUPP,
	  "it runs more than 2048 times" },
	{ "d = Greater v v; > d v", THRICE, -EINVAL, "its condition is not one bool" },
	{ "s = ReduceSum v; d = Greater s s; > d v", "go = true; y = Loop - go x body=@; > y",
	  -EOPNOTSUPP,
	  "how often it runs depends on the data, and no trip count of at most 2048 limits it" },
	{ "s = ReduceSum v; d = Greater s s; n = Concat v v axis=0; > d n", THRICE, -EOPNOTSUPP,
	  "state 0 changes its shape, and the data say how often it runs" },
	{ "n = Concat v v axis=0; > c n v", "count = 3; y all = Loop count - x body=@; > all",
	  -EINVAL, "result 1 is f32 [2,3] in one round and f32 [4,3] in another" },
	{ POWER, "count = 3; y = Loop count - body=@; > y", -EINVAL,
	  "its body has 3 inputs, and not 2" },
	{ NULL, THRICE, -EINVAL, "it has no body" },
	{ POWER "; > nothing", THRICE, -EINVAL, "operand \"nothing\" is never computed" },
	/* the names of a body are told apart as those of a model are */
	{ "n = Mul v x; n = Add n v; > c n", THRICE, -EINVAL,
	  "test: two tensors are called \"n~1\"" },
	{ "v = Mul v x; > c v", THRICE, -EINVAL, "test: two tensors are called \"v~1\"" },
};

static void wrong_loops(void)
{
	Onnx__GraphProto *graph, *body;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(wrongs); i++) {
		const struct wrong *wrong = &wrongs[i];

		graph = model_create();
		body = wrong->body ? add_text(body_create("i c v"), wrong->body) : NULL;
		add_text(graph, wrong->model, body);
		if (strncmp(wrong->why, "test: ", 6))
			expect_loop_line(graph, wrong->code, wrong->why);
		else
			expect_line(graph, wrong->code, wrong->why);
	}
	graph = model_create();
	add_input(graph, "n", INT64, 0, NULL);
	add_text(graph, "y = Loop n - x body=@; > y", power_body());
	expect_loop_line(graph, -ENODATA,
			 "operand \"n\" has to be known when the model is planned");

	graph = model_create();
	add_text(graph, "count = 2; y = Loop count - x x body=@; > y",
		 add_text(body_create("i c v v"), "> c v v"));
	expect_line(graph, -EINVAL, "test: two tensors are called \"v~1\"");

	/* what a loop in a loop gave in an earlier round is not what it gives in this one */
	graph = model_create();
	body = body_create("i c v");
	add_text(body, "one = 1; d = Less i one; count = 2; n all = Loop count d v body=@; "
		 "s = ReduceSum all; m = Add n s; > c m", power_body());
	add_text(graph, "count = 2; y = Loop count - x body=@; > y", body);
	expect_loop_line(graph, -EOPNOTSUPP, "it never runs, so result 1 has no shape");
}

/* Each loop is short, and all of them together are not. */
static void many_rounds(void)
{
	Onnx__GraphProto *graph = model_create(), *body = power_body(), *around;
	int i;

	for (i = 0; i < 3; i++) {
		around = body_create("i c v");
		body = add_text(around, "count = 100; n = Loop count - v body=@; > c n", body);
	}
	add_text(graph, "count = 100; y = Loop count - x body=@; > y", body);
	expect_loop_line(graph, -EOPNOTSUPP, "written out it has more than 16384 nodes");
}

static void wrong_scans(void)
{
	Onnx__GraphProto *graph = model_create();

	add_text(graph, "y = Scan x x num_scan_inputs=2 scan_input_axes=0,1 body=@; > y",
		 add_text(body_create("a b"), "t = Add a b; > t"));
	expect_line(graph, -EINVAL,
		    "test: node \"Scan\": operator Scan: its operands have 2 and 3 elements");

	graph = model_create();
	add_text(graph, "y = Scan x num_scan_inputs=2 body=@; > y",
		 add_text(body_create("a"), "> a"));
	expect_line(graph, -EINVAL,
		    "test: node \"Scan\": operator Scan: num_scan_inputs 2 is out of range");
}

int main(void)
{
	a_count();
	no_round();
	a_condition();
	a_condition_of_data();
	loops_in_loops();
	branches_in_loops();
	a_scan();
	wrong_loops();
	many_rounds();
	wrong_scans();
	loom_pool_destroy(pool);
	return tap_end();
}
