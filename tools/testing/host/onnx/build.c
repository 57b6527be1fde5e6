// SPDX-License-Identifier: MIT
/* Models built by hand that are wrong or leave something open: what is said about them. */
#include "graph/graph.h"
#include "model.h"

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

static void errors_name_the_place(void)
{
	struct loom_graph *graph;
	float two[] = { 1, 2 };

	graph = model_create(13);
	model_add_input(graph, "x", 1, (int64_t[]){ 2 });
	model_add_node(graph, "LSTM", "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EOPNOTSUPP, "test: node \"LSTM\": operator LSTM is not supported");

	graph = model_create(13);
	model_add_node(graph, "Relu", "nowhere", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EINVAL,
		     "test: node \"Relu\": operator Relu: operand \"nowhere\" is never computed");

	graph = model_create(13);
	model_add_node(graph, "Relu", "b", "a", NULL, 0);
	model_add_node(graph, "Exp", "a", "b", NULL, 0);
	loom_graph_add_output(graph, "b");
	expect_error(graph, -EINVAL,
		     "test: node \"Relu\": operator Relu: it depends on itself");

	graph = model_create(13);
	model_add_input(graph, "x", 2, (int64_t[]){ 2, 3 });
	model_add_floats(graph, "two", 1, (int64_t[]){ 2 }, two);
	model_add_node(graph, "Add", "x two", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EINVAL,
		     "test: node \"Add\": operator Add: shapes [2,3] and [2] do not fit together");

	graph = model_create(13);
	model_add_input(graph, "x", 1, (int64_t[]){ 2 });
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EINVAL, "test: output \"y\" is never computed");

	graph = model_create(13);
	model_add_input(graph, "x", 1, (int64_t[]){ 2 });
	model_add_node(graph, "Relu", "x", "x", NULL, 0);
	loom_graph_add_output(graph, "x");
	expect_error(graph, -EINVAL, "test: two tensors are called \"x\"");

	graph = model_create(22);
	expect_error(graph, -EOPNOTSUPP,
		     "test: opset 22 is not supported, only 1 to 21 are");

	graph = model_create(13);
	model_add_input(graph, "x", 4, (int64_t[]){ 1 << 20, 1 << 20, 1 << 20, 1 << 20 });
	loom_graph_add_output(graph, "x");
	expect_error(graph, -EINVAL,
		     "test: input \"x\": [1048576,1048576,1048576,1048576] of f32 is too large");
}

static void bindings_are_checked(void)
{
	struct loom_dim_binding dim = { "batch", 2 };
	struct loom_shape_binding shape = { "x", 2, { 2, 4 } };
	struct loom_graph_options options = { .dims = &dim, .num_dims = 1 };
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;

	graph = model_create(13);
	model_add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	model_add_node(graph, "Relu", "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	expect_error(graph, -EDESTADDRREQ,
		     "test: input \"x\": dimension 0 is not bound, use --dim x:0=VALUE");

	graph = model_create(13);
	model_add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	tap_ok(loom_graph_finish(graph, &options, &err) == -EINVAL &&
	       !strcmp(err.text, "test: no input has a dimension \"batch\""), "%s", err.text);
	loom_graph_destroy(graph);

	options = (struct loom_graph_options){ .shapes = &shape, .num_shapes = 1 };
	graph = model_create(13);
	model_add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	tap_ok(loom_graph_finish(graph, &options, &err) == -EINVAL &&
	       !strcmp(err.text, "test: input \"x\": shape [2,4] does not fit the model's [-1,3]"),
	       "%s", err.text);
	loom_graph_destroy(graph);

	shape.dims[1] = 3;
	graph = model_create(13);
	model_add_input(graph, "x", 2, (int64_t[]){ -1, 3 });
	model_add_node(graph, "Relu", "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	tap_ok(!loom_graph_finish(graph, &options, &err) && graph->outputs[0]->dims[0] == 2,
	       "a shape that fits binds");
	loom_graph_destroy(graph);
}

int main(void)
{
	errors_name_the_place();
	bindings_are_checked();
	return tap_end();
}
