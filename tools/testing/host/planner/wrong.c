// SPDX-License-Identifier: MIT
/* Calls at the wrong time and with nothing: -EINVAL, one line, and no half-made object. */
#include "loom.h"
#include "loom_chip.h"
#include "loom_parallel.h"
#include "loom_planner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/lower/case.h"
#include "tap.h"

static const struct loom_tensor_info x = {
	.name = "x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 2, .dims = { 8, 16 },
};

static int add_relu(struct loom_graph *graph, const char *op, const char *in, const char *out)
{
	struct loom_node_desc node = {
		.op_type = op, .inputs = &in, .num_inputs = 1, .outputs = &out, .num_outputs = 1,
	};

	return loom_graph_add_node(graph, &node);
}

static struct loom_graph *make(const char *op)
{
	struct loom_graph *graph;

	if (loom_graph_create("wrong", 17, &graph))
		tap_fatal("no memory");
	loom_graph_add_input(graph, &x);
	add_relu(graph, op, "x", "y");
	loom_graph_add_output(graph, "y");
	return graph;
}

static bool refuses(const struct loom_graph *graph, const char *why)
{
	const struct drm_loom_chip *chips[] = { loom_preset_find("soft") };
	struct loom_planner_options options = { .chip = chips[0] };
	struct loom_pipeline *pipeline = (void *)&options;
	struct loom_program *program = (void *)&options;
	struct loom_error err = { .text = "" };

	if (loom_program_create(graph, &options, &program, &err) != -EINVAL || program ||
	    !strstr(err.text, why) || strchr(err.text, '\n'))
		return false;
	tap_note("%s", err.text);
	program = (void *)&options;
	if (loom_program_create_reference(graph, &options, NULL, &program, &err) != -EINVAL ||
	    program ||
	    !strstr(err.text, why))
		return false;
	return loom_pipeline_create(graph, &options, chips, 1, &pipeline, &err) == -EINVAL &&
	       !pipeline && strstr(err.text, why) &&
	       loom_program_create(graph, &options, &program, NULL) == -EINVAL;
}

static void test_graphs(void)
{
	struct loom_graph *graph = make("Relu"), *bad = make("NoSuchOperator");
	struct loom_operator_info *operators;
	struct loom_tensor_info info;
	struct loom_node_info node;
	struct loom_error err;
	uint32_t count;
	int ret;

	tap_ok(loom_graph_node(graph, 0, &node) == -EINVAL && !loom_graph_num_nodes(graph),
	       "a graph that is not finished has no nodes yet");
	ret = loom_graph_operators(bad, &operators, &count);
	tap_ok(!ret && count == 1 && !strcmp(operators->name, "NoSuchOperator") &&
	       operators->nodes == 1 && !operators->supported,
	       "what it has is known before it is refused");
	free(operators);
	tap_ok(refuses(graph, "wrong: the graph is not finished"), "a graph that is not finished");
	tap_ok(loom_graph_input(graph, 0, &info) == -EINVAL &&
	       loom_graph_output(graph, 0, &info) == -EINVAL &&
	       loom_graph_set_scope(graph, NULL, LOOM_SCOPE_GLOBAL) == -EINVAL,
	       "nor is there anything to ask it for");
	tap_ok(!loom_graph_finish(graph, NULL, &err) &&
	       loom_graph_finish(graph, NULL, &err) == -EINVAL &&
	       !strcmp(err.text, "wrong: the graph is finished already"),
	       "it is finished once: %s", err.text);
	tap_ok(loom_graph_add_input(graph, &x) == -EINVAL &&
	       add_relu(graph, "Relu", "y", "z") == -EINVAL &&
	       loom_graph_add_output(graph, "x") == -EINVAL, "then nothing can be added");
	tap_ok(!loom_graph_node(graph, 0, &node) && !strcmp(node.op, "Relu") && !node.macs &&
	       node.output.dims[1] == 16 && loom_graph_node(graph, 1, &node) == -ENOENT &&
	       loom_graph_num_nodes(graph) == 1, "it has one node");
	tap_ok(!loom_graph_input(graph, 0, &info) && loom_graph_num_inputs(graph) == 1 &&
	       loom_graph_num_outputs(graph) == 1, "and it is as it was");
	ret = loom_graph_finish(bad, NULL, &err);
	tap_ok(ret && refuses(bad, "NoSuchOperator"), "a graph with an error, which is told again");
	tap_ok(refuses(NULL, "no graph"), "no graph at all");
	loom_graph_destroy(graph);
	loom_graph_destroy(bad);
}

/* Without options but a chip a program is the one of loom plan. */
static void test_defaults(void)
{
	struct loom_planner_options options = { .chip = loom_preset_find("tiny") };
	struct loom_program *plain, *named = (void *)&options;
	struct loom_graph *graph = make("Relu");
	struct loom_error err;

	if (loom_graph_finish(graph, NULL, &err))
		tap_fatal("%s", err.text);
	tap_ok(loom_program_create(graph, NULL, &named, &err) == -EINVAL && !named,
	       "no options: %s", err.text);
	if (loom_program_create(graph, &options, &plain, &err))
		tap_fatal("%s", err.text);
	options.grouping = "groups";
	tap_ok(loom_program_create(graph, &options, &named, &err) == -EINVAL && !named &&
	       strstr(err.text, "'groups', known are layerwise, layergroup"), "%s", err.text);
	options.grouping = NULL;
	options.flags = 1 << 30;
	tap_ok(loom_program_create(graph, &options, &named, &err) == -EINVAL && !named &&
	       strstr(err.text, "0x40000000"), "%s", err.text);
	options.flags = 0;
	options.grouping = "layergroup";
	options.placer = "auto";
	if (loom_program_create(graph, &options, &named, &err))
		tap_fatal("%s", err.text);
	tap_ok(!strcmp(plain->grouping, named->grouping) &&
	       plain->plan_bytes == named->plan_bytes &&
	       !memcmp(plain->plan, named->plan, plain->plan_bytes), "the defaults are groups");
	loom_program_destroy(plain);
	loom_program_destroy(named);
	loom_graph_destroy(graph);
}

/* Operands without elements, and a result of 2 x 3: sums of nothing. */
static void test_empty(void)
{
	static const char *const ops[] = { "MatMul", "Gemm" };
	static const char *const groupings[] = { "layerwise", "layergroup" };
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(ops); i++) {
		struct loom_planner_options options = {
			.chip = loom_preset_find("tiny"), .grouping = groupings[i % 2],
		};
		struct loom_program *program = NULL;
		struct loom_error err = { .text = "" };
		struct test_case test;
		int ret;

		case_begin(&test, 1, 13);
		case_add(&test, "a f32 2 0; b f32 0 3");
		node(&test, ops[i / 2], "a b", "y");
		loom_graph_add_output(test.graph, "y");
		ret = loom_graph_finish(test.graph, NULL, &err);
		if (!ret)
			ret = loom_program_create(test.graph, &options, &program, &err);
		tap_ok(ret == -EOPNOTSUPP && !program &&
		       strstr(err.text, "tensor 'a' is empty"),
		       "%s, %s: %s", ops[i / 2], options.grouping, err.text);
		loom_program_destroy(program);
		free_case(&test);
	}
}

int main(void)
{
	test_graphs();
	test_empty();
	test_defaults();
	return tap_end();
}
