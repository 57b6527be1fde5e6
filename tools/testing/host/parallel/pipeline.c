// SPDX-License-Identifier: MIT
/*
 * Networks cut into stages: random graphs on pipelines of one to four devices of different chips
 * give the bits that one session of the whole gives. A chain of equal layers is cut in the
 * middle, and a chip that is three times as fast gets three times as much.
 */
#include "batch.h"

#define ROUNDS		40

static bool try_pipeline(const struct loom_graph *graph, uint32_t count, struct loom_error *err)
{
	const struct loom_planner_options how = {
		.chip = &chips[0], .grouping = "layergroup", .effort = LOOM_EFFORT_ONCE,
	};
	struct loom_share shares[MOST_STAGES];
	struct loom_array outputs[MAX_OUTPUTS];
	struct items items = { .num_inputs = 0 };
	struct loom_batch batch = { .inputs = items.inputs };
	struct loom_program *whole = NULL;
	struct line line;
	bool good;
	uint32_t i;

	good = !line_make(&line, graph, count, "layergroup", err);
	items_fill(&items, graph, 1 + draw(MAX_ITEMS), draw(2));
	batch.num_inputs = items.num_inputs;
	batch.num_items = items.num_items;
	if (good)
		good = !loom_program_create(graph, &how, &whole, err) &&
		       items_run(&items, graph, whole, &chips[0], err) &&
		       !loom_pipeline_run(line.pipeline, line.sessions, &batch, outputs, shares,
					  err);
	if (good) {
		good = items_same(&items, outputs);
		if (!good)
			outcome_fail(err, "other bits");
		for (i = 0; i < count; i++)
			good = good && shares[i].items == items.num_items;
		for (i = 0; i < whole->num_outputs; i++)
			loom_array_clear(&outputs[i]);
	}
	loom_program_destroy(whole);
	items_clear(&items);
	line_clear(&line);
	return good;
}

static bool try_round(uint32_t round)
{
	struct loom_error err = { .text = "" };
	struct test_case test;
	struct loom_graph *graph;
	uint32_t count, nodes;
	bool good;

	make_case(&test, round * 4801 + 3);
	graph = test.graph;
	nodes = loom_graph_num_inputs(graph) ? graph->num_nodes : 0;
	count = 1 + round % MOST_STAGES;
	good = !nodes || try_pipeline(graph, min(count, nodes), &err);
	if (!good)
		tap_note("round %u, %u stages: %s", round, count, err.text);
	free_case(&test);
	return good;
}

/* Two chains beside each other, of two inputs, and one for both. */
static void make_fork(struct test_case *test)
{
	begin_layers(test, 24);
	input(test, "y", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 8, 24, 24 });
	add_layers(test, "x", "a", 8);
	add_layers(test, "y", "b", 8);
	node(test, "Add", "a b", "c");
	add_layers(test, "c", "d", 7);
	loom_graph_add_output(test->graph, "d");
}

/* The second stage takes nothing of the first, and is not to be waited for in its place. */
static void test_fork(void)
{
	struct loom_error err = { .text = "" };
	struct test_case test;
	uint32_t i, good = 0;

	make_case_of(&test, 1, 14, make_fork);
	for (i = 0; i < 4; i++)
		good += try_pipeline(test.graph, 3, &err);
	tap_ok(good == 4, "%u of 4 pipelines with stages beside each other %s", good, err.text);
	free_case(&test);
}

#define LONG	400

static void make_long(struct test_case *test)
{
	begin_layers(test, 8);
	add_layers(test, "x", "y", LONG);
	loom_graph_add_output(test->graph, "y");
}

/* A cut is moved by a few nodes at a time: in a long chain it begins near its place. */
static void test_long(void)
{
	struct drm_loom_chip slow = chips[0], fast = chips[0];
	const struct drm_loom_chip *list[] = { &slow, &fast };
	const struct loom_planner_options how = { .grouping = "layerwise" };
	struct loom_pipeline *pipeline;
	struct loom_error err;
	struct test_case test;
	uint32_t nodes;

	slow.frequency_hz = 100000000;
	fast.frequency_hz = 300000000;
	make_case_of(&test, 1, 14, make_long);
	if (loom_pipeline_create(test.graph, &how, list, 2, &pipeline, &err))
		tap_fatal("%s", err.text);
	nodes = pipeline->stages[0].graph->num_nodes;
	tap_ok(nodes + 1 >= LONG / 4 && nodes <= LONG / 4 + 1,
	       "a quarter of a long chain: %u of %u nodes", nodes, LONG);
	loom_pipeline_destroy(pipeline);
	free_case(&test);
}

static void test_balance(void)
{
	struct drm_loom_chip slow = chips[0], fast = chips[0];
	const struct drm_loom_chip *equal[] = { &slow, &slow }, *unequal[] = { &slow, &fast };
	const struct loom_planner_options how = { .grouping = "layergroup" };
	struct loom_pipeline *pipeline;
	struct loom_error err;
	struct test_case test;

	slow.frequency_hz = 100000000;
	fast.frequency_hz = 300000000;
	make_case_of(&test, 1, 14, make_chain);
	if (loom_pipeline_create(test.graph, &how, equal, 2, &pipeline, &err))
		tap_fatal("%s", err.text);
	tap_ok(pipeline->stages[0].graph->num_nodes == LAYERS / 2,
	       "equal chips: %u and %u layers", pipeline->stages[0].graph->num_nodes,
	       pipeline->stages[1].graph->num_nodes);
	loom_pipeline_destroy(pipeline);
	if (loom_pipeline_create(test.graph, &how, unequal, 2, &pipeline, &err))
		tap_fatal("%s", err.text);
	tap_ok(pipeline->stages[0].graph->num_nodes == LAYERS / 4,
	       "the second is three times as fast: %u and %u layers",
	       pipeline->stages[0].graph->num_nodes, pipeline->stages[1].graph->num_nodes);
	loom_pipeline_destroy(pipeline);
	free_case(&test);
}

static void refuse_stages(const struct loom_graph *graph, const char *grouping, uint32_t count,
			  int code)
{
	const struct drm_loom_chip *list[LAYERS + 1] = { NULL };
	const struct loom_planner_options how = { .grouping = grouping };
	struct loom_pipeline *pipeline;
	struct loom_error err = { .text = "" };
	uint32_t i;
	int ret;

	for (i = 0; i < count; i++)
		list[i] = &chips[0];
	ret = loom_pipeline_create(graph, &how, list, count, &pipeline, &err);
	tap_ok(ret == code && !pipeline && *err.text, "refused: %s", err.text);
}

static void test_states(void)
{
	static const struct loom_state_binding binding = { "sum", "s" };
	const struct loom_graph_options states = { .states = &binding, .num_states = 1 };
	struct loom_error err;
	struct test_case test;

	case_begin(&test, 1, 14);
	case_add(&test, "x f32 8; s f32 8; sum = Add x s; y = Neg sum; > y sum");
	if (loom_graph_finish(test.graph, &states, &err))
		tap_fatal("%s", err.text);
	refuse_stages(test.graph, "layergroup", 2, -EOPNOTSUPP);
	free_case(&test);
}

static void test_refusals(void)
{
	struct loom_array outputs[MAX_OUTPUTS] = { 0 };
	struct items items = { .num_inputs = 0 };
	struct loom_batch batch = { .inputs = items.inputs };
	struct loom_session *swapped[2];
	struct loom_error err = { .text = "" };
	struct test_case test;
	struct line line;

	make_case_of(&test, 1, 14, make_chain);
	refuse_stages(test.graph, "layergroup", 0, -EINVAL);
	/* more than there are nodes */
	refuse_stages(test.graph, "layergroup", LAYERS + 1, -EINVAL);
	refuse_stages(test.graph, "no-such-grouping", 2, -EINVAL);
	if (line_make(&line, test.graph, 2, "layergroup", &err))
		tap_fatal("%s", err.text);
	items_fill(&items, test.graph, 2, false);
	batch.num_inputs = items.num_inputs;
	batch.num_items = 2;
	swapped[0] = line.sessions[1];
	swapped[1] = line.sessions[0];
	tap_ok(loom_pipeline_run(line.pipeline, swapped, &batch, outputs, NULL, &err) == -EINVAL,
	       "sessions in another order: %s", err.text);
	batch.num_items = 5;
	tap_ok(loom_pipeline_run(line.pipeline, line.sessions, &batch, outputs, NULL, &err) ==
	       -EINVAL, "other number of items: %s", err.text);
	items_clear(&items);
	line_clear(&line);
	free_case(&test);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u pipelines give the bits of one session",
	       rounds.count - rounds.bad, rounds.count);
	if (argc > 1)
		return tap_end();
	test_fork();
	test_balance();
	test_long();
	test_states();
	test_refusals();
	return tap_end();
}
