/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PROGRAM_FILE_PROGRAMS_H
#define LOOM_TESTS_PROGRAM_FILE_PROGRAMS_H

/* Programs of all kinds, as bytes and as they are used: for what tests of files have in common. */
#include "host/group/case.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "loom_program_file.h"
#include "loom_run.h"

/**
 * struct made - a program with what it needs
 * @graph: that it is of
 * @chip: that it is for
 * @program: it
 */
struct made {
	struct loom_graph *graph;
	struct drm_loom_chip chip;
	struct loom_program *program;
};

/* q = x in u8, y = q * 2 in u8, z = y as floats */
static inline struct loom_graph *quantised(void)
{
	static float scale = 1.0f / 64;
	static uint8_t zero = 128;
	struct loom_graph *graph = model_create(13);
	struct loom_array array = {
		.name = (char *)"z", .dtype = DRM_LOOM_DTYPE_U8, .data = &zero, .size_bytes = 1,
	};

	model_add_input(graph, "x", 2, (int64_t[]){ 20, 33 });
	model_add_floats(graph, "s", 0, NULL, &scale);
	loom_graph_add_const(graph, &array);
	model_add_node(graph, "QuantizeLinear", "x s z", "q", NULL, 0);
	model_add_node(graph, "DequantizeLinear", "q s z", "f", NULL, 0);
	model_add_node(graph, "Add", "f f", "y", NULL, 0);
	model_add_node(graph, "QuantizeLinear", "y s z", "p", NULL, 0);
	loom_graph_add_output(graph, "q");
	loom_graph_add_output(graph, "p");
	return graph;
}

/* sum = s + x, which is s of the next run; y = sum + sum */
static inline struct loom_graph *accumulator(void)
{
	struct loom_graph *graph = model_create(13);

	model_add_input(graph, "x", 1, (int64_t[]){ 48 });
	model_add_input(graph, "s", 1, (int64_t[]){ 48 });
	model_add_node(graph, "Add", "s x", "sum", NULL, 0);
	model_add_node(graph, "Add", "sum sum", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	loom_graph_add_output(graph, "sum");
	return graph;
}

/* next = past with x as its row at, which is past of the next run */
static inline struct loom_graph *cache(void)
{
	struct loom_graph *graph = model_create(24);

	model_add_input(graph, "x", 3, (int64_t[]){ 2, 1, 3 });
	model_add_input(graph, "past", 3, (int64_t[]){ 2, 6, 3 });
	loom_graph_add_input(graph, &(struct loom_tensor_info){
		.name = "at", .dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { 2 } });
	model_add_node(graph, "TensorScatter", "past x at", "next", NULL, 0);
	model_add_node(graph, "Relu", "next", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	loom_graph_add_output(graph, "next");
	return graph;
}

#define MADE_BY_HAND	3
#define MADE		40

/*
 * Program @which below MADE; false where the graph does not fit the chip. By its number: by hand
 * or random, in groups or not, chips with and without DRAM, ROM, several lanes; all values seen;
 * values in images; with reasons.
 */
static inline bool make_program(uint32_t which, struct made *made)
{
	static const char *const chips[] = { "soft", "tiny", "blackhole", "bm1688", "stm32f746",
					    "rk3588" };
	static const struct loom_state_binding states[] = {
		{ "sum", "s" }, { NULL }, { "next", "past" },
	};
	struct loom_graph_options finish = {
		.states = &states[which % MADE_BY_HAND], .num_states = which % 2 == 0,
	};
	struct loom_planner_options options = {
		.chip = &made->chip,
		.grouping = which % 3 ? "layergroup" : "layerwise",
		.sram_limit_bytes = which % 4 == 2 ? 4 << 10 : 0,
		.objective = which % 7 == 6 ? LOOM_OBJECTIVE_SRAM : LOOM_OBJECTIVE_TIME,
		.flags = (which % 5 == 4 ? LOOM_PLANNER_OBSERVE_ALL : 0) |
			 (which % 6 == 5 ? LOOM_PLANNER_EXPLAIN : 0),
	};
	struct test_case test;
	struct loom_error err;

	memset(made, 0, sizeof(*made));
	if (loom_chip_find(chips[which % ARRAY_SIZE(chips)], &made->chip))
		tap_fatal("there is no chip %s", chips[which % ARRAY_SIZE(chips)]);
	if (which < MADE_BY_HAND) {
		made->graph = which == 2 ? cache() : which ? quantised() : accumulator();
		if (loom_graph_finish(made->graph, &finish, &err))
			tap_fatal("%s", err.text);
	} else {
		make_case(&test, which);
		made->graph = test.graph;
		test.graph = NULL;
		free_case(&test);
	}
	if (which % 8 == 3)
		loom_graph_set_scope(made->graph, NULL, LOOM_SCOPE_TEXTURE);
	if (!loom_program_create(made->graph, &options, &made->program, &err))
		return true;
	loom_graph_destroy(made->graph);
	return false;
}

static inline void put_program(struct made *made)
{
	loom_program_destroy(made->program);
	loom_graph_destroy(made->graph);
}

/* The program as a file, from malloc. */
static inline uint8_t *write_program(const struct made *made, size_t *size)
{
	const struct loom_program_origin origin = { .chip = &made->chip };
	struct loom_error err;
	void *bytes;

	if (loom_program_write(made->program, &origin, &bytes, size, &err))
		tap_fatal("%s", err.text);
	return bytes;
}

#endif /* LOOM_TESTS_PROGRAM_FILE_PROGRAMS_H */
