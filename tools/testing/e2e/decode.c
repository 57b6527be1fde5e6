// SPDX-License-Identifier: MIT
/*
 * Writes token after token with a decoder transformer whose keys and values stay on the device.
 *
 *	decode MODEL.onnx DEVICE COUNT TOKEN...
 *
 * The model takes "token" and "position" and gives "logits". An input "past_X" is the output
 * "present_X" of the run before. The first tokens are given; from there on each is the one with
 * the largest logit after those before it. Prints COUNT of these, and figures on stderr.
 *
 * On a node two sessions share the keys and values in buffers, and take turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loom_device.h"
#include "loom_planner.h"
#include "loom_run.h"

#define MOST_STATES	64

static struct loom_error error;

static void fail(const char *what)
{
	fprintf(stderr, "decode: %s: %s\n", what, error.text);
	exit(1);
}

/* "present_X" for each input "past_X"; returns how many there are. */
static uint32_t find_states(const struct loom_graph *graph, struct loom_state_binding *states)
{
	const char *dim_names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	uint32_t i, count = 0;
	bool has_shape;
	char *output;

	for (i = 0; !loom_graph_declared(graph, i, &info, dim_names, &has_shape); i++) {
		if (strncmp(info.name, "past_", 5) || count == MOST_STATES)
			continue;
		if (asprintf(&output, "present_%s", info.name + 5) < 0)
			exit(1);
		states[count++] = (struct loom_state_binding){ output, info.name };
	}
	return count;
}

static uint32_t find(const struct loom_program_tensor *tensors, uint32_t count, const char *name)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(tensors[i].name, name))
			return i;
	snprintf(error.text, sizeof(error.text), "the model has none");
	fail(name);
	return 0;
}

static void set_integer(struct loom_session *session, uint32_t input, int64_t value)
{
	const struct loom_array array = {
		.dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { 1 },
		.data = &value, .size_bytes = sizeof(value),
	};

	if (loom_session_set_input(session, input, &array, &error))
		fail("input");
}

static int64_t largest(const struct loom_array *logits)
{
	const float *data = logits->data;
	int64_t i, best = 0;

	for (i = 1; i < (int64_t)(logits->size_bytes / sizeof(*data)); i++)
		if (data[i] > data[best])
			best = i;
	return best;
}

/* The token that follows when @token is at @position. */
static int64_t next_token(struct loom_session *session, const struct loom_program *program,
			  int64_t token, int64_t position)
{
	struct loom_array logits;
	int64_t next;

	set_integer(session, find(program->inputs, program->num_inputs, "token"), token);
	set_integer(session, find(program->inputs, program->num_inputs, "position"), position);
	if (loom_session_run(session, NULL, NULL, &error))
		fail("run");
	if (loom_session_get_output(session, find(program->outputs, program->num_outputs, "logits"),
				    &logits, NULL))
		fail("logits");
	next = largest(&logits);
	loom_array_clear(&logits);
	return next;
}

/* Lets both sessions have the states in the same buffers. */
static void share(struct loom_device *device, const struct loom_program *program,
		  struct loom_session *const *sessions, struct loom_bo **bos)
{
	struct drm_loom_bo_create request = { 0 };
	uint32_t i, k, input;

	for (i = 0; i < program->num_updates; i++) {
		input = program->states[program->updates[i].state].input;
		request.size = program->inputs[input].size_bytes;
		if (loom_bo_create(device, &request, &bos[i]))
			fail("a buffer of a state");
		for (k = 0; k < 2; k++)
			if (loom_session_bind_input(sessions[k], input, bos[i], &error))
				fail("a state");
	}
}

static void write_tokens(struct loom_session *const *sessions, const struct loom_program *program,
			 int count, char **prompt)
{
	int64_t at = 0, token = 0;

	for (; *prompt; prompt++, at++)
		token = next_token(sessions[at % 2], program, strtoll(*prompt, NULL, 10), at);
	for (; count > 1; count--, at++) {
		printf("%lld ", (long long)token);
		token = next_token(sessions[at % 2], program, token, at);
	}
	printf("%lld\n", (long long)token);
}

static void print_figures(struct loom_session *const *sessions, const struct loom_program *program,
			  double seconds, int runs)
{
	struct loom_session_moved moved, other = { 0 };

	loom_session_moved(sessions[0], &moved);
	if (sessions[1] != sessions[0])
		loom_session_moved(sessions[1], &other);
	moved.in_bytes += other.in_bytes;
	moved.out_bytes += other.out_bytes;
	moved.kept_bytes += other.kept_bytes;
	fprintf(stderr,
		"%d runs, %.3f ms each, %llu cycles each; copied for each: %llu bytes in, %llu out; stayed on the device: %llu\n",
		runs, seconds * 1e3 / runs, (unsigned long long)program->stats.cycles,
		(unsigned long long)moved.in_bytes / runs,
		(unsigned long long)moved.out_bytes / runs,
		(unsigned long long)moved.kept_bytes / runs);
}

int main(int argc, char **argv)
{
	struct loom_state_binding states[MOST_STATES];
	struct loom_graph_options options = { .states = states };
	struct loom_planner_options how = { .grouping = "layerwise" };
	struct timespec begin, end;
	struct loom_session *sessions[2];
	struct loom_bo *bos[MOST_STATES] = { NULL };
	struct loom_program *program;
	struct loom_target *target;
	struct loom_graph *graph;
	uint32_t i;

	if (argc < 5 || atoi(argv[3]) < 1) {
		fprintf(stderr, "usage: decode MODEL.onnx DEVICE COUNT TOKEN...\n");
		return 2;
	}
	if (loom_graph_open_onnx(argv[1], &graph, &error))
		fail(argv[1]);
	options.num_states = find_states(graph, states);
	if (loom_graph_finish(graph, &options, &error))
		fail(argv[1]);
	if (loom_target_open(argv[2], NULL, &target, &error))
		fail(argv[2]);
	how.chip = loom_target_chip(target);
	if (loom_program_create(graph, &how, &program, &error))
		fail(argv[1]);
	if (loom_session_create(target, program, &sessions[0], &error))
		fail(argv[2]);
	sessions[1] = sessions[0];
	if (loom_target_device(target)) {
		if (loom_session_create(target, program, &sessions[1], &error))
			fail(argv[2]);
		share(loom_target_device(target), program, sessions, bos);
	}

	clock_gettime(CLOCK_MONOTONIC, &begin);
	write_tokens(sessions, program, atoi(argv[3]), argv + 4);
	clock_gettime(CLOCK_MONOTONIC, &end);
	print_figures(sessions, program, (double)(end.tv_sec - begin.tv_sec) +
		      (double)(end.tv_nsec - begin.tv_nsec) / 1e9, atoi(argv[3]) + argc - 5);

	if (sessions[1] != sessions[0])
		loom_session_destroy(sessions[1]);
	loom_session_destroy(sessions[0]);
	for (i = 0; i < program->num_updates; i++)
		loom_bo_destroy(bos[i]);
	loom_program_destroy(program);
	loom_target_close(target);
	loom_graph_destroy(graph);
	while (options.num_states)
		free((char *)states[--options.num_states].output);
	return 0;
}
