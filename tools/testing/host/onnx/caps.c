// SPDX-License-Identifier: MIT
/*
 * Models of a few hundred bytes that ask for much: each is refused at once, with a line that names
 * the node, before it takes more than a fraction of the memory that it asks for.
 */
#include "base/watch.h"
#include "loom_chip.h"
#include "loom_planner.h"
#include "model.h"

#include <errno.h>

#define GIB	(1ULL << 30)
#define PARTS	30000

/* @graph is not imported or not planned: the line has @why in it. All within @most_bytes. */
static void expect_cap(struct loom_graph *graph, int code, u64 most_bytes, const char *why)
{
	struct loom_watch watch = { .max_memory_bytes = most_bytes };
	const struct loom_planner_options how = { .chip = loom_preset_find("soft") };
	struct loom_program *program = NULL;
	struct loom_error err;
	int ret;

	loom_watch_begin(&watch);
	ret = model_finish(graph, 0, &err);
	if (!ret)
		ret = loom_program_create(graph, &how, &program, &err);
	ret = loom_watch_end(&watch, ret, &err);
	tap_ok(ret == code && strstr(err.text, why), "%d: %s", ret, err.text);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
}

static void test_doubling(void)
{
	const struct loom_attr axis = { .name = "axis", .type = LOOM_ATTR_INT, .count = 1,
					.ints = (int64_t[]){ 0 } };
	struct loom_graph *graph = model_create(17);
	char from[16], to[8];
	u32 i;

	model_add_floats(graph, "c0", 1, (int64_t[]){ 2 }, (float[]){ 1, 2 });
	for (i = 0; i < 33; i++) {
		snprintf(from, sizeof(from), "c%u c%u", i, i);
		snprintf(to, sizeof(to), "c%u", i + 1);
		model_add_node(graph, "Concat", from, to, &axis, 1);
	}
	loom_graph_add_output(graph, "c33");
	expect_cap(graph, -E2BIG, GIB / 16, "operator Concat: tensor 'c31' has more than 2^32");
}

static void test_growth(void)
{
	struct loom_graph *graph = model_create(17);
	char to[8];
	u32 i;

	model_add_floats(graph, "one", 1, (int64_t[]){ 1 }, (float[]){ 1 });
	model_add_ints(graph, "shape", 1, (int64_t[]){ 1 << 20 });
	for (i = 0; i < 400; i++) {
		snprintf(to, sizeof(to), "e%u", i);
		model_add_node(graph, "Expand", "one shape", to, NULL, 0);
		loom_graph_add_output(graph, to);
	}
	expect_cap(graph, -E2BIG, GIB, "operator Expand: constants grow by more than 512 MiB");
}

static void test_steps(void)
{
	const struct loom_attr hidden = { .name = "hidden_size", .type = LOOM_ATTR_INT, .count = 1,
					  .ints = (int64_t[]){ 1 } };
	struct loom_graph *graph = model_create(17);
	float ones[] = { 1, 1, 1, 1 };

	model_add_input(graph, "x", 3, (int64_t[]){ 2048, 1, 1 });
	model_add_floats(graph, "w", 3, (int64_t[]){ 1, 4, 1 }, ones);
	model_add_floats(graph, "r", 3, (int64_t[]){ 1, 4, 1 }, ones);
	model_add_node(graph, "LSTM", "x w r", "y", &hidden, 1);
	loom_graph_add_output(graph, "y");
	expect_cap(graph, -EOPNOTSUPP, GIB / 4, "LSTM: written out it has more than 16384 nodes");
}

static void test_parts(void)
{
	static char names[PARTS][8];
	static const char *outputs[PARTS];
	const char *x = "x";
	struct loom_node_desc split = {
		.name = "split", .op_type = "Split", .inputs = &x, .num_inputs = 1,
		.outputs = outputs, .num_outputs = PARTS,
	};
	struct loom_graph *graph = model_create(17);
	u32 i;

	for (i = 0; i < PARTS; i++) {
		snprintf(names[i], sizeof(names[i]), "y%u", i);
		outputs[i] = names[i];
	}
	model_add_input(graph, "x", 1, (int64_t[]){ PARTS });
	loom_graph_add_node(graph, &split);
	loom_graph_add_output(graph, "y1");
	expect_cap(graph, -EOPNOTSUPP, GIB / 4, "Split: written out it has more than 16384 nodes");
}

int main(void)
{
	test_doubling();
	test_growth();
	test_steps();
	test_parts();
	return tap_end();
}
