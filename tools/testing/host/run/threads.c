// SPDX-License-Identifier: MIT
/*
 * Thread safety as the headers promise it: four threads plan one graph, run sessions of one program
 * on one target, place, load programs and build graphs at once, with the results of one thread.
 * make tsan looks for data races in it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/rewrite/nets.h"
#include "loom_chip.h"
#include "loom_chip_file.h"
#include "loom_place.h"
#include "loom_planner.h"
#include "loom_program_file.h"
#include "loom_run.h"
#include "tap.h"

#define THREADS	4
#define WAYS	6
#define ITEMS	60

/**
 * struct known - results of one thread, for all to compare with
 * @test: a graph with inputs
 * @ways: options to plan it with
 * @programs: of each
 * @target: where all run
 * @outputs: results of the first program
 * @items: to be placed
 * @problem: the same, as it is asked for
 * @placed: where its items go
 * @file: the first program as bytes
 * @file_bytes: number of @file
 */
struct known {
	struct test_case test;
	struct loom_planner_options ways[WAYS];
	struct loom_program *programs[WAYS];
	struct loom_target *target;
	struct loom_array outputs[8];
	struct loom_place_item items[ITEMS];
	struct loom_place_problem problem;
	struct loom_place_result placed;
	void *file;
	size_t file_bytes;
};

static struct known known;

static const char *plans(uint32_t thread)
{
	const char *wrong = NULL;
	struct loom_program *program;
	struct loom_error err;
	uint32_t i, way;

	for (i = 0; i < WAYS && !wrong; i++) {
		/* pairs of threads do the same at the same time */
		way = (i + thread / 2) % WAYS;
		if (loom_program_create(known.test.graph, &known.ways[way], &program, &err))
			return "a plan fails";
		if (program->plan_bytes != known.programs[way]->plan_bytes ||
		    memcmp(program->plan, known.programs[way]->plan, program->plan_bytes))
			wrong = "a plan is another one";
		loom_program_destroy(program);
	}
	return wrong;
}

static const char *feed(struct loom_session *session, struct loom_array *outputs)
{
	const struct loom_program *program = known.programs[0];
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < program->num_inputs; i++)
		if (loom_session_set_input(session, i, &known.test.inputs[i], &err))
			return "an input is refused";
	if (loom_session_submit(session, &err) ||
	    loom_session_wait(session, INT64_MAX, &err))
		return "a run fails";
	for (i = 0; i < program->num_outputs; i++)
		if (loom_session_get_output(session, i, &outputs[i], &err))
			return "there is no output";
	return NULL;
}

static const char *runs(uint32_t thread)
{
	struct loom_array outputs[8] = { 0 };
	struct loom_session *session;
	const char *wrong;
	struct loom_error err;
	uint32_t i;

	(void)thread;
	if (loom_session_create(known.target, known.programs[0], &session, &err))
		return "there is no session";
	wrong = feed(session, outputs);
	for (i = 0; i < known.programs[0]->num_outputs; i++) {
		if (!wrong && memcmp(outputs[i].data, known.outputs[i].data,
				     outputs[i].size_bytes))
			wrong = "a result is another one";
		loom_array_clear(&outputs[i]);
	}
	loom_session_destroy(session);
	return wrong;
}

static const char *places(uint32_t thread)
{
	struct loom_place_result result;
	bool same;

	(void)thread;
	if (loom_place(&known.problem, NULL, &result, NULL))
		return "nothing is placed";
	same = !memcmp(result.offsets, known.placed.offsets, ITEMS * sizeof(*result.offsets));
	loom_place_result_free(&result);
	return same ? NULL : "items are elsewhere";
}

static const char *loads(uint32_t thread)
{
	const struct loom_program *program;
	struct loom_program_file *file;
	struct loom_error err;
	bool same;

	(void)thread;
	if (loom_program_parse(known.file, known.file_bytes, "net", &file, &err))
		return "a file is refused";
	program = loom_program_file_program(file);
	same = program->plan_bytes == known.programs[0]->plan_bytes &&
	       !memcmp(program->plan, known.programs[0]->plan, program->plan_bytes);
	loom_program_unload(file);
	return same ? NULL : "a file has another plan";
}

/* The nets of net_make() share a generator of random numbers: here each graph is by hand. */
static const char *builds(uint32_t thread)
{
	static const char *const ops[THREADS] = { "Relu", "Tanh", "Sigmoid", "Exp" };
	const int64_t dims[] = { 16, 16 };
	struct loom_array weights;
	struct loom_graph *graph;
	struct drm_loom_chip chip;
	struct loom_error err;
	char *text = NULL;
	int ret;

	if (loom_array_alloc(&weights, DRM_LOOM_DTYPE_F32, 2, dims))
		return "no memory";
	loom_array_randomize(&weights, thread);
	graph = model_create(13);
	model_add_input(graph, "x", 2, dims);
	model_add_floats(graph, "w", 2, dims, weights.data);
	model_add_node(graph, "MatMul", "x w", "p", NULL, 0);
	model_add_node(graph, ops[thread], "p", "a", NULL, 0);
	model_add_node(graph, "Softmax", "a", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	ret = loom_graph_finish(graph, NULL, &err);
	if (!ret)
		ret = loom_graph_dump(graph, &text);
	if (!ret)
		ret = loom_chip_load("bm1684x", &chip, &err);
	loom_graph_destroy(graph);
	loom_array_clear(&weights);
	free(text);
	return ret ? "a graph is not built, or a chip not found" : NULL;
}

static void *work(void *arg)
{
	static const char *(*const kinds[])(uint32_t thread) = {
		plans, runs, places, loads, builds,
	};
	uint32_t thread = (uint32_t)(uintptr_t)arg, round, i;
	const char *wrong = NULL;

	for (round = 0; round < 2 && !wrong; round++)
		for (i = 0; i < ARRAY_SIZE(kinds) && !wrong; i++)
			/* all do the same first, then each something else */
			wrong = kinds[(i + round * thread) % ARRAY_SIZE(kinds)](thread);
	return (void *)wrong;
}

static void learn_program(void)
{
	static const struct loom_program_origin origin = { 0 };
	struct loom_program_origin of = origin;
	struct loom_session *session;
	const char *wrong;
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < WAYS; i++)
		if (loom_program_create(known.test.graph, &known.ways[i], &known.programs[i],
					&err))
			tap_fatal("%s", err.text);
	of.chip = known.ways[0].chip;
	if (loom_program_write(known.programs[0], &of, &known.file, &known.file_bytes, &err) ||
	    loom_target_open("host", known.ways[0].chip, &known.target, &err) ||
	    loom_session_create(known.target, known.programs[0], &session, &err))
		tap_fatal("%s", err.text);
	wrong = feed(session, known.outputs);
	if (wrong)
		tap_fatal("%s", wrong);
	loom_session_destroy(session);
}

static void learn(void)
{
	uint32_t i;

	known.test = net_make(net_mobile);
	for (i = 0; i < WAYS; i++)
		known.ways[i].chip = loom_preset_find(i % 2 ? "tiny" : "soft");
	known.ways[1].objective = LOOM_OBJECTIVE_BYTES;
	known.ways[2].grouping = "layerwise";
	known.ways[3].flags = LOOM_PLANNER_OBSERVE_ALL;
	known.ways[4].objective = LOOM_OBJECTIVE_SRAM;
	known.ways[5].grouping = "layergroup-dp";
	learn_program();
	for (i = 0; i < ITEMS; i++)
		known.items[i] = (struct loom_place_item){
			.size_bytes = 64 * (1 + i * 7 % 13), .lower = i * 5 % 17,
			.upper = i * 5 % 17 + 1 + i % 6,
		};
	known.problem.items = known.items;
	known.problem.num_items = ITEMS;
	if (loom_place(&known.problem, NULL, &known.placed, NULL))
		tap_fatal("nothing is placed");
}

int main(void)
{
	pthread_t threads[THREADS];
	const char *wrong;
	uint32_t i;
	void *got;

	learn();
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i))
			tap_fatal("no thread");
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &got);
		wrong = got;
		tap_ok(!wrong, "thread %u: %s", i, wrong ? wrong : "what one thread gets");
	}
	for (i = 0; i < known.programs[0]->num_outputs; i++)
		loom_array_clear(&known.outputs[i]);
	loom_target_close(known.target);
	for (i = 0; i < WAYS; i++)
		loom_program_destroy(known.programs[i]);
	loom_place_result_free(&known.placed);
	free(known.file);
	free_case(&known.test);
	return tap_end();
}
