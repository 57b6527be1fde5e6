// SPDX-License-Identifier: MIT
/* Outputs that are inputs of the next run: their values after a number of runs, and refusals. */
#include "loom_parallel.h"

#include <errno.h>
#include <string.h>

#include "net.h"

#define ELEMS	48
#define TAPS	7
#define MANY	40

static void plan(struct net *net, const struct loom_state_binding *states, uint32_t num_states)
{
	struct loom_graph_options options = { .states = states, .num_states = num_states };

	net_load(net, &options, "layerwise");
}

static struct loom_array vector(int64_t elems, float first)
{
	struct loom_array array;
	int64_t i;

	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_F32, 1, &elems))
		tap_fatal("no memory");
	for (i = 0; i < elems; i++)
		((float *)array.data)[i] = first + (float)i;
	return array;
}

/* One run with the numbers from @x on. */
static void run(struct net *net, int64_t elems, float x)
{
	struct loom_array array = vector(elems, x);
	struct loom_error err;

	if (loom_session_set_input(net->session, 0, &array, &err) ||
	    loom_session_run(net->session, NULL, NULL, &err))
		tap_fatal("%s", err.text);
	loom_array_clear(&array);
}

/* Element @at of an output, or of a state if @state. */
static float get(struct net *net, bool state, uint32_t index, uint32_t at)
{
	struct loom_array array;
	float value;

	if (state ? loom_session_get_state(net->session, index, &array, NULL) :
		    loom_session_get_output(net->session, index, &array, NULL))
		tap_fatal("no output");
	value = ((float *)array.data)[at];
	loom_array_clear(&array);
	return value;
}

/* sum = s + x, y = sum + sum; x first */
static struct loom_graph *accumulator(void)
{
	return case_graph(13, "x f32 %d; s f32 %d; sum = Add s x; y = Add sum %s; > y sum", ELEMS,
			  ELEMS, "sum");
}

static const struct loom_state_binding sum_is_s = { "sum", "s" };

static void test_accumulator(void)
{
	struct net net = { .graph = accumulator() };
	struct loom_session_moved moved;
	struct loom_array array, none;
	struct loom_error err;
	uint32_t i;
	bool good = true;

	plan(&net, &sum_is_s, 1);
	for (i = 1; i <= 9; i++) {
		run(&net, ELEMS, 0);
		good = good && get(&net, false, 0, 5) == 10 * (float)i &&
		       get(&net, false, 1, 5) == 5 * (float)i &&
		       get(&net, true, 0, 5) == 5 * (float)i;
	}
	tap_ok(good, "a sum grows, after runs that are odd and even");
	loom_session_moved(net.session, &moved);
	tap_ok(moved.kept_bytes == 9 * ELEMS * 4 && moved.in_bytes == 9 * ELEMS * 4 &&
	       moved.out_bytes == 27 * ELEMS * 4, "states are kept, the rest is copied");

	tap_ok(!loom_session_reset_states(net.session) &&
	       get(&net, true, 0, 5) == 0, "a state is reset");
	run(&net, ELEMS, 0);
	tap_ok(get(&net, false, 1, 5) == 5, "and begins again");

	array = vector(ELEMS, 100);
	tap_ok(!loom_session_set_state(net.session, 0, &array, &err) &&
	       get(&net, true, 0, 5) == 105, "a state is given");
	run(&net, ELEMS, 0);
	run(&net, ELEMS, 0);
	tap_ok(get(&net, false, 1, 5) == 115, "and taken by the next run alone");
	tap_ok(!loom_session_set_input(net.session, 1, &array, &err) &&
	       get(&net, true, 0, 5) == 105, "the same, by its input");
	tap_ok(loom_session_set_state(net.session, 1, &array, &err) == -ENOENT &&
	       loom_session_get_state(net.session, 1, &none, NULL) == -ENOENT,
	       "there is no second state");
	loom_array_clear(&array);
	array = vector(ELEMS - 1, 0);
	tap_ok(loom_session_set_state(net.session, 0, &array, &err) == -EINVAL &&
	       strstr(err.text, "[47]"), "a state of another shape is refused");
	loom_array_clear(&array);
	net_clear(&net);
}

/* A line of what came before: next = line without its first, and x; y = the first */
static void test_delay_line(void)
{
	static const struct loom_state_binding binding = { "next", "line" };
	struct net net = { .graph = case_graph(13,
		"x f32 1; line f32 %d; zero = i64 1 : 0; one = i64 1 : 1; end = i64 1 : %d; "
		"y = Slice line zero one; rest = Slice line one end; next = Concat rest x axis=0; "
		"> y next", TAPS, TAPS) };
	uint32_t i;
	bool good = true;

	plan(&net, &binding, 1);
	for (i = 1; i <= 30; i++) {
		run(&net, 1, (float)i);
		good = good && get(&net, false, 0, 0) == (i > TAPS ? (float)(i - TAPS) : 0) &&
		       get(&net, true, 0, TAPS - 1) == (float)i;
	}
	tap_ok(good, "a delay line gives what came %u runs before", TAPS);
	net_clear(&net);
}

/* Two states that change places: later = now, next = now + earlier + x. Fibonacci's, if x is 0 */
static void test_crossed(void)
{
	static const struct loom_state_binding bindings[] = {
		{ "next", "now" }, { "later", "earlier" },
	};
	struct net net = { .graph = case_graph(13,
		"x f32 1; now f32 1; earlier f32 1; later = Identity now; both = Add now earlier; "
		"next = Add both x; > later next") };
	uint32_t i;

	plan(&net, bindings, 2);
	run(&net, 1, 1);
	for (i = 2; i <= 20; i++)
		run(&net, 1, 0);
	tap_ok(get(&net, true, 0, 0) == 6765 && get(&net, true, 1, 0) == 4181,
	       "an output that is another input");
	net_clear(&net);
}

/* More than there are slots: those of the states hold all of them. */
static void test_many(void)
{
	struct loom_state_binding bindings[MANY];
	struct net net = { .graph = model_create(13) };
	static char text[MANY][3][16];
	struct loom_array zero = vector(1, 0);
	uint32_t i;
	bool good = true;

	model_add_input(net.graph, "x", 1, (int64_t[]){ ELEMS });
	for (i = 0; i < MANY; i++) {
		snprintf(text[i][0], sizeof(text[i][0]), "s%u", i);
		snprintf(text[i][1], sizeof(text[i][1]), "t%u", i);
		snprintf(text[i][2], sizeof(text[i][2]), "s%u x", i);
		model_add_input(net.graph, text[i][0], 1, (int64_t[]){ i % 2 ? 1 : ELEMS });
		model_add_node(net.graph, i % 3 ? "Add" : "Sub", text[i][2], text[i][1], NULL, 0);
		/* the states are in another order than the outputs, and only some of them */
		bindings[MANY - 1 - i] = (struct loom_state_binding){ text[i][1], text[i][0] };
	}
	for (i = 0; i < MANY; i++)
		loom_graph_add_output(net.graph, text[i * 7 % MANY][1]);
	for (i = 0; i < MANY / 2; i++)
		bindings[i] = bindings[2 * i + 1];
	plan(&net, bindings, MANY / 2);
	for (i = 1; i < MANY; i += 2)
		if (loom_session_set_input(net.session, i + 1, &zero, NULL))
			tap_fatal("no input %u", i + 1);
	run(&net, ELEMS, 1);
	run(&net, ELEMS, 1);
	run(&net, ELEMS, 1);
	for (i = 0; i < MANY / 2; i++) {
		const uint32_t from = MANY - 2 - 2 * i;

		good = good && get(&net, true, i, 3) == (from % 3 ? 12 : -12);
	}
	tap_ok(good && net.program->num_slots < 10, "%u states of %u inputs and outputs each",
	       MANY / 2, MANY);
	loom_array_clear(&zero);
	net_clear(&net);
}

static int stop(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	(void)done;
	(void)total;
	return -EINTR;
}

/* Products that take long enough for a look at the clock, and a state that counts runs. */
static void test_stopped(void)
{
	static const struct loom_state_binding binding = { "next", "count" };
	struct net net = { .graph = case_graph(13,
		"x f32 2048 2048; count f32 1; one = f32 1 : 1; next = Add count one; "
		"y = MatMul x x; > next y") };
	static const int64_t dims[] = { 2048, 2048 };
	struct loom_array x, ones;
	struct loom_error err;
	int ret;

	plan(&net, &binding, 1);
	if (loom_array_alloc(&x, DRM_LOOM_DTYPE_F32, 2, dims))
		tap_fatal("no memory");
	memset(x.data, 0, x.size_bytes);
	ones = vector(1, 3);
	if (loom_session_set_input(net.session, 0, &x, &err) ||
	    loom_session_set_state(net.session, 0, &ones, &err))
		tap_fatal("%s", err.text);
	ret = loom_session_run(net.session, stop, NULL, &err);
	/* a machine that is fast enough has nothing to stop */
	tap_ok(ret ? ret == -EINTR && get(&net, true, 0, 0) == 3 : get(&net, true, 0, 0) == 4,
	       "a run that is stopped leaves the state as it was");
	loom_array_clear(&x);
	loom_array_clear(&ones);
	net_clear(&net);
}

static void test_frames(void)
{
	struct net net = { .graph = accumulator() }, plain = { .graph = accumulator() };
	struct loom_session *twice[2];
	struct loom_array inputs[2] = { { .data = NULL } }, outputs[2] = { { .data = NULL } };
	struct loom_batch batch = { .inputs = inputs, .num_inputs = 2, .num_items = 5 };
	struct loom_pipeline *pipeline;
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_target_chip(target),
	};
	static const int64_t dims[] = { 5, ELEMS };
	struct loom_error err;
	const float *y;

	plan(&net, &sum_is_s, 1);
	if (loom_array_alloc(&inputs[0], DRM_LOOM_DTYPE_F32, 2, dims))
		tap_fatal("no memory");
	memset(inputs[0].data, 0, inputs[0].size_bytes);
	((float *)inputs[0].data)[1 * ELEMS] = 2;
	((float *)inputs[0].data)[3 * ELEMS] = 3;
	tap_ok(!loom_batch_run(&net.session, 1, &batch, outputs, NULL, &err) &&
	       outputs[0].rank == 1 && outputs[0].dims[0] == 5 * ELEMS &&
	       outputs[1].rank == 1 && outputs[1].dims[0] == ELEMS, "frames of a stream");
	y = outputs[0].data;
	tap_ok(y && y[0] == 0 && y[ELEMS] == 4 && y[2 * ELEMS] == 4 && y[3 * ELEMS] == 10 &&
	       y[4 * ELEMS] == 10 && *(float *)outputs[1].data == 5, "run in their order");
	loom_array_clear(&outputs[0]);
	loom_array_clear(&outputs[1]);
	inputs[1] = vector(ELEMS, -5);
	tap_ok(!loom_batch_run(&net.session, 1, &batch, outputs, NULL, &err) &&
	       *(float *)outputs[1].data == 0, "a state is given to the first of them");
	loom_array_clear(&outputs[0]);
	loom_array_clear(&outputs[1]);
	twice[0] = net.session;
	twice[1] = net.session;
	tap_ok(loom_batch_run(twice, 2, &batch, outputs, NULL, &err) == -EINVAL &&
	       strstr(err.text, "states runs on one"), "a stream is not for two devices");
	plan(&plain, NULL, 0);
	twice[0] = plain.session;
	tap_ok(loom_batch_run(twice, 2, &batch, outputs, NULL, &err) == -EINVAL &&
	       strstr(err.text, "states runs on one"), "of which only the second has states");
	net_clear(&plain);
	tap_ok(loom_pipeline_create(net.graph, &how, &how.chip, 1, &pipeline, &err) ==
	       -EOPNOTSUPP && strstr(err.text, "states"), "nor for stages");
	loom_array_clear(&inputs[0]);
	loom_array_clear(&inputs[1]);
	net_clear(&net);
}

/* @states are refused with one line that has @text. */
static void refuse(const struct loom_state_binding *states, uint32_t count, int code,
		   const char *text)
{
	struct loom_graph_options options = { .states = states, .num_states = count };
	struct loom_graph *graph = accumulator();
	struct loom_error err;
	int ret;

	model_add_input(graph, "short", 1, (int64_t[]){ ELEMS - 1 });
	ret = loom_graph_finish(graph, &options, &err);
	tap_ok(ret == code && strstr(err.text, text) && !strchr(err.text, '\n'), "refused: %s",
	       text);
	loom_graph_destroy(graph);
}

static void test_refusals(void)
{
	refuse(&(struct loom_state_binding){ "none", "s" }, 1, -ENOENT,
	       "state \"none=s\": there is no such output");
	refuse(&(struct loom_state_binding){ "y", "none" }, 1, -ENOENT,
	       "state \"y=none\": there is no such input");
	refuse(&(struct loom_state_binding){ "y", "short" }, 1, -EINVAL,
	       "state \"y=short\": the output is f32 [48], the input f32 [47]");
	refuse((struct loom_state_binding[]){ { "sum", "s" }, { "sum", "x" } }, 2, -EINVAL,
	       "output \"sum\" is the state of two inputs");
	refuse((struct loom_state_binding[]){ { "sum", "s" }, { "y", "s" } }, 2, -EINVAL,
	       "input \"s\" is the state of two outputs");
}

/* A program that says of another output that it is the state. */
static void test_wrong_program(void)
{
	struct net net = { .graph = accumulator() };
	struct loom_program_state state = { 0, 0 };
	struct loom_program wrong;
	struct loom_session *session;
	struct loom_error err;
	uint32_t slot;

	plan(&net, &sum_is_s, 1);
	wrong = *net.program;
	wrong.states = &state;
	state.output = 2;
	tap_ok(loom_session_create(target, &wrong, &session, &err) == -EINVAL && !session,
	       "a program with a state that is no output");
	state = *net.program->states;
	slot = wrong.inputs[0].slot;
	((struct loom_program_tensor *)wrong.inputs)[0].slot = wrong.inputs[1].slot;
	tap_ok(loom_session_create(target, &wrong, &session, &err) == -EINVAL && !session &&
	       strstr(err.text, "in one slot"), "a program with an input where a state is");
	((struct loom_program_tensor *)wrong.inputs)[0].slot = slot;
	net_clear(&net);
}

static void test_all(const char *chip, bool mapped)
{
	net_target(chip, mapped);
	test_accumulator();
	test_delay_line();
	test_crossed();
	test_many();
	test_frames();
	test_wrong_program();
	loom_target_close(target);
}

int main(void)
{
	struct loom_error err;

	test_all("soft", true);
	/* all of it in slots of the SRAM */
	test_all("stm32f746", true);
	tap_ok(!unmapped_writes && !unmapped_reads, "nothing was copied by a target");
	test_all("stm32f746", false);
	tap_ok(unmapped_writes && unmapped_reads, "all was copied by the target");
	if (loom_target_open("host", NULL, &target, &err))
		tap_fatal("%s", err.text);
	test_stopped();
	test_refusals();
	loom_target_close(target);
	return tap_end();
}
