// SPDX-License-Identifier: MIT
/* Nodes If: conditions that are known, that depend on the data, and branches that are wrong. */
#include "proto_build.h"

/* r = op(x + k); names are the same in each branch, and as those outside */
static Onnx__GraphProto *branch_create(const char *op, float k)
{
	Onnx__GraphProto *branch = graph_create();

	add_constant(branch, "k", FLOAT, &k, sizeof(k));
	add_text(branch, "t = Add x k");
	add_node(branch, op, "t", "r");
	add_output(branch, "r");
	return branch;
}

/* What comes before, then y and outputs of an If on c with the branches Relu(x + 1), Neg(x + 2). */
#define IF	"y = If c then_branch=@ else_branch=@; > y"
#define FIRST	branch_create("Relu", 1)
#define SECOND	branch_create("Neg", 2)

/* The output is Relu(x + 1) or Neg(x + 2). */
static void expect(Onnx__GraphProto *proto, const struct loom_graph_options *options,
		   const struct loom_array *condition, bool first, uint32_t nodes,
		   const char *what)
{
	float want[ARRAY_SIZE(x)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(x); i++)
		want[i] = first ? fmaxf(x[i] + 1, 0) : -(x[i] + 2);
	expect_results(proto, options, condition, want, ARRAY_SIZE(x), nodes, what);
}

static void conditions_on_shapes(void)
{
	int64_t rows;

	for (rows = 2; rows < 4; rows++) {
		Onnx__GraphProto *graph = model_create();

		add_constant(graph, "rows", INT64, &rows, sizeof(rows));
		add_text(graph, "zero = 0; shape = Shape x; count = Gather shape zero; "
			 "c = Equal count rows; " IF, FIRST, SECOND);
		expect(graph, NULL, NULL, rows == 2, 3, "a condition on a shape is known");
	}
}

static void conditions_on_values(void)
{
	int64_t value;

	for (value = 8000; value <= 16000; value += 8000) {
		struct loom_array array = {
			.name = "rate", .dtype = DRM_LOOM_DTYPE_I64, .data = &value,
			.size_bytes = sizeof(value),
		};
		struct loom_graph_options options = { .constants = &array, .num_constants = 1 };
		Onnx__GraphProto *graph = model_create();

		add_input(graph, "rate", INT64, 0, NULL);
		add_text(graph, "limit = 16000; c = Equal rate limit; " IF, FIRST, SECOND);
		expect(graph, &options, NULL, value == 16000, 3, "so is one on a value");
	}
}

static void conditions_on_data(void)
{
	uint8_t holds;

	for (holds = 0; holds < 2; holds++) {
		struct loom_array array = {
			.name = "c", .dtype = DRM_LOOM_DTYPE_BOOL, .data = &holds, .size_bytes = 1,
		};
		Onnx__GraphProto *graph = model_create();

		add_input(graph, "c", BOOL, 0, NULL);
		add_text(graph, IF, FIRST, SECOND);
		expect(graph, NULL, &array, holds, 5, "one on data takes both branches");
	}
}

/* The inner condition is a tensor of the outer branch. */
static void branches_in_branches(void)
{
	uint8_t holds;

	for (holds = 0; holds < 2; holds++) {
		struct loom_array array = {
			.name = "c", .dtype = DRM_LOOM_DTYPE_BOOL, .data = &holds, .size_bytes = 1,
		};
		Onnx__GraphProto *graph = model_create(), *outer[2];
		int i;

		add_input(graph, "c", BOOL, 0, NULL);
		for (i = 0; i < 2; i++) {
			outer[i] = add_text(graph_create(), i ?
					    "t = Not c; r = If t then_branch=@ else_branch=@; > r" :
					    "t = Not c; r = If c then_branch=@ else_branch=@; > r",
					    FIRST, SECOND);
		}
		add_text(graph, IF, outer[0], outer[1]);
		/* both: the one asks for c when it holds, the other for not c when it does not */
		expect(graph, NULL, &array, true, 20, "branches in branches");
	}
}

/* What is in the other branch does not matter: an unknown operator, another shape. */
static void branches_that_are_not_taken(void)
{
	Onnx__GraphProto *graph = model_create();

	add_text(graph, "c = true; " IF, FIRST,
		 add_text(graph_create(), "r = Det x; > r"));
	expect(graph, NULL, NULL, true, 2, "a branch that is never taken may have anything");
}

static Onnx__GraphProto *model_with_c(void)
{
	Onnx__GraphProto *graph = model_create();

	add_input(graph, "c", BOOL, 0, NULL);
	return graph;
}

static void errors(void)
{
	Onnx__GraphProto *graph = model_with_c();

	add_text(graph, IF, FIRST,
		 add_text(graph_create(), "r = ReduceSum x; > r"));
	expect_line(graph, -EOPNOTSUPP,
		    "test: node \"If\": operator If: its condition depends on the data, and its branches give f32 [2,3] and f32 [1,1]");

	graph = model_with_c();
	add_text(graph, IF, FIRST, NULL);
	expect_line(graph, -EINVAL, "test: node \"If\": operator If: it has no else_branch");

	graph = model_with_c();
	add_text(graph, "y z = If c then_branch=@ else_branch=@; > y", FIRST, SECOND);
	expect_line(graph, -EINVAL,
		    "test: node \"If\": operator If: then_branch gives 1 results, and the node 2");

	graph = model_create();
	add_text(graph, "y = If x then_branch=@ else_branch=@; > y", FIRST, SECOND);
	expect_line(graph, -EINVAL,
		    "test: node \"If\": operator If: its condition is not one bool");

	/* a tensor of a branch is not seen outside of it */
	graph = model_with_c();
	add_text(graph, IF "; z = Abs t; > z", FIRST, SECOND);
	expect_line(graph, -EINVAL,
		    "test: node \"Abs\": operator Abs: operand \"t\" is never computed");
}

int main(void)
{
	conditions_on_shapes();
	conditions_on_values();
	conditions_on_data();
	branches_in_branches();
	branches_that_are_not_taken();
	errors();
	loom_pool_destroy(pool);
	return tap_end();
}
