// SPDX-License-Identifier: MIT
/*
 * Writes token after token with a decoder transformer whose keys and values stay on the device.
 *
 *	decode MODEL.onnx DEVICE COUNT TOKEN...
 *
 * The model takes "token" and "position", of any number of "tokens", and gives "logits". An input
 * "past_X" is the output "present_X" of the run before. The first tokens are given; from there on
 * each is the one with the largest logit after those before it. Prints COUNT of these, and figures
 * on stderr.
 *
 * One program reads all given tokens at once, another one a token. Both are in one file, and their
 * sessions share weights, keys and values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loom_planner.h"
#include "loom_program_file.h"
#include "loom_run.h"

#define MOST_STATES	64
#define MOST_TOKENS	64

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

static void set_integers(struct loom_session *session, uint32_t input, int64_t count,
			 const int64_t *values)
{
	const struct loom_array array = {
		.dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { count },
		.data = (void *)values, .size_bytes = (size_t)count * sizeof(*values),
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

/**
 * struct decoder - a program for some tokens at once, where it runs
 * @graph: the model with this number of tokens
 * @program: its plan
 * @loaded: the same, of the file
 * @session: of @loaded
 */
struct decoder {
	struct loom_graph *graph;
	struct loom_program *program;
	const struct loom_program *loaded;
	struct loom_session *session;
};

/* The token that follows when @count tokens are at positions from @position on. */
static int64_t next_token(const struct decoder *decoder, int64_t count, const int64_t *tokens,
			  int64_t position)
{
	const struct loom_program *program = decoder->loaded;
	int64_t positions[MOST_TOKENS], i, next;
	struct loom_array logits;

	for (i = 0; i < count; i++)
		positions[i] = position + i;
	set_integers(decoder->session, find(program->inputs, program->num_inputs, "token"), count,
		     tokens);
	set_integers(decoder->session, find(program->inputs, program->num_inputs, "position"),
		     count, positions);
	if (loom_session_run(decoder->session, NULL, NULL, &error))
		fail("run");
	if (loom_session_get_output(decoder->session,
				    find(program->outputs, program->num_outputs, "logits"),
				    &logits, NULL))
		fail("logits");
	next = largest(&logits);
	loom_array_clear(&logits);
	return next;
}

/* Plans the model for some tokens at once. */
static void plan(struct decoder *decoder, const char *model, int64_t tokens,
		 const struct drm_loom_chip *chip)
{
	const struct loom_dim_binding dim = { "tokens", tokens };
	struct loom_planner_options how = { .grouping = "layerwise", .chip = chip };
	struct loom_state_binding states[MOST_STATES];
	struct loom_graph_options options = { .states = states, .dims = &dim, .num_dims = 1 };

	if (loom_graph_open_onnx(model, &decoder->graph, &error))
		fail(model);
	options.num_states = find_states(decoder->graph, states);
	if (loom_graph_finish(decoder->graph, &options, &error) ||
	    loom_program_create(decoder->graph, &how, &decoder->program, &error))
		fail(model);
	while (options.num_states)
		free((char *)states[--options.num_states].output);
}

/* Puts both programs into a file, and loads them from there. */
static struct loom_program_file *join(struct decoder *decoders, const struct drm_loom_chip *chip,
				      void **bytes)
{
	const struct loom_program *programs[] = { decoders[0].program, decoders[1].program };
	const struct loom_program_origin origin = { .chip = chip };
	struct loom_program_file *file;
	size_t size;

	if (loom_program_write_set(programs, 2, &origin, bytes, &size, &error) ||
	    loom_program_parse(*bytes, size, "the file", &file, &error))
		fail("file");
	decoders[0].loaded = loom_program_file_at(file, 0);
	decoders[1].loaded = loom_program_file_at(file, 1);
	return file;
}

static void write_tokens(const struct decoder *decoders, int count, int64_t given,
			 const int64_t *prompt)
{
	int64_t token = next_token(&decoders[0], given, prompt, 0), at = given;

	for (; count > 1; count--, at++) {
		printf("%lld ", (long long)token);
		token = next_token(&decoders[1], 1, &token, at);
	}
	printf("%lld\n", (long long)token);
}

static void print_figures(const struct decoder *decoders, double seconds, int runs)
{
	struct loom_session_moved moved, other;

	loom_session_moved(decoders[0].session, &moved);
	loom_session_moved(decoders[1].session, &other);
	moved.in_bytes += other.in_bytes;
	moved.out_bytes += other.out_bytes;
	moved.kept_bytes += other.kept_bytes;
	fprintf(stderr,
		"%d runs, %.3f ms each, %llu cycles for what is given, then %llu each; copied for each: %llu bytes in, %llu out; stayed on the device: %llu\n",
		runs, seconds * 1e3 / runs,
		(unsigned long long)decoders[0].program->stats.cycles,
		(unsigned long long)decoders[1].program->stats.cycles,
		(unsigned long long)moved.in_bytes / runs,
		(unsigned long long)moved.out_bytes / runs,
		(unsigned long long)moved.kept_bytes / runs);
}

int main(int argc, char **argv)
{
	struct decoder decoders[2] = { 0 };
	int64_t prompt[MOST_TOKENS], given;
	struct loom_program_file *file;
	struct timespec begin, end;
	struct loom_target *target;
	void *bytes;
	int i;

	given = argc - 4;
	if (given < 1 || given > MOST_TOKENS || atoi(argv[3]) < 1) {
		fprintf(stderr, "usage: decode MODEL.onnx DEVICE COUNT TOKEN...\n");
		return 2;
	}
	for (i = 0; i < given; i++)
		prompt[i] = strtoll(argv[4 + i], NULL, 10);
	if (loom_target_open(argv[2], NULL, &target, &error))
		fail(argv[2]);
	plan(&decoders[0], argv[1], given, loom_target_chip(target));
	plan(&decoders[1], argv[1], 1, loom_target_chip(target));
	file = join(decoders, loom_target_chip(target), &bytes);
	if (loom_session_create(target, decoders[0].loaded, &decoders[0].session, &error) ||
	    loom_session_create_beside(decoders[0].session, decoders[1].loaded, LOOM_BESIDE_STATES,
				       &decoders[1].session, &error))
		fail(argv[2]);

	clock_gettime(CLOCK_MONOTONIC, &begin);
	write_tokens(decoders, atoi(argv[3]), given, prompt);
	clock_gettime(CLOCK_MONOTONIC, &end);
	print_figures(decoders, (double)(end.tv_sec - begin.tv_sec) +
		      (double)(end.tv_nsec - begin.tv_nsec) / 1e9, atoi(argv[3]));

	loom_session_destroy(decoders[1].session);
	loom_session_destroy(decoders[0].session);
	loom_target_close(target);
	loom_program_unload(file);
	free(bytes);
	for (i = 0; i < 2; i++) {
		loom_program_destroy(decoders[i].program);
		loom_graph_destroy(decoders[i].graph);
	}
	return 0;
}
