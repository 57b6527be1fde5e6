// SPDX-License-Identifier: MIT
/*
 * Continues a text with the demo's language model, one character after the other, each of them the
 * most likely one. Keys and values of the characters before stay on the device.
 *
 *	write PROGRAM.loom DEVICE COUNT TEXT
 *
 * PROGRAM.loom is what `loom compile` makes of a model of model.py, with its states. Prints TEXT
 * and COUNT characters behind it, and on stderr how fast the chip writes by its clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom_program_file.h"
#include "loom_run.h"

/* Printable ASCII, and the end of a line. */
#define CHARACTERS	96

static struct loom_error error;

static void fail(const char *what)
{
	fprintf(stderr, "write: %s: %s\n", what, error.text);
	exit(1);
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

static int64_t token_of(char c)
{
	return c == '\n' ? CHARACTERS - 1 : c > ' ' && c < 127 ? c - ' ' : 0;
}

static char character_of(int64_t token)
{
	return token == CHARACTERS - 1 ? '\n' : (char)(' ' + token);
}

static void set_integer(struct loom_session *session, const struct loom_program *program,
			const char *name, int64_t value)
{
	uint32_t input = find(program->inputs, program->num_inputs, name);
	const struct loom_array array = {
		.dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { 1 },
		.data = &value, .size_bytes = sizeof(value),
	};

	if (loom_session_set_input(session, input, &array, &error))
		fail(name);
}

/* The most likely token behind @token, which is at @position. */
static int64_t next_token(struct loom_session *session, const struct loom_program *program,
			  int64_t token, int64_t position)
{
	uint32_t output = find(program->outputs, program->num_outputs, "logits");
	struct loom_array logits;
	const float *data;
	int64_t i, best = 0;

	set_integer(session, program, "token", token);
	set_integer(session, program, "position", position);
	if (loom_session_run(session, NULL, NULL, &error))
		fail("run");
	if (loom_session_get_output(session, output, &logits, NULL))
		fail("logits");
	data = logits.data;
	for (i = 1; i < (int64_t)(logits.size_bytes / sizeof(*data)); i++)
		if (data[i] > data[best])
			best = i;
	loom_array_clear(&logits);
	return best;
}

/* Positions of the cache: a state is [1, heads, positions, size]. */
static int64_t positions_of(const struct loom_program *program)
{
	return program->inputs[find(program->inputs, program->num_inputs, "past_key_0")].dims[2];
}

int main(int argc, char **argv)
{
	const struct loom_program *program;
	struct loom_program_file *file;
	struct loom_session *session;
	struct loom_target *target;
	int64_t token = 0, position = 0, count = argc == 5 ? atoi(argv[3]) : 0;
	double rate;

	if (count < 1 || !*argv[4]) {
		fprintf(stderr, "usage: write PROGRAM.loom DEVICE COUNT TEXT\n");
		return 2;
	}
	if (loom_program_load(argv[1], &file, &error))
		fail(argv[1]);
	program = loom_program_file_program(file);
	if (count + (int64_t)strlen(argv[4]) > positions_of(program) + 1) {
		fprintf(stderr, "write: TEXT and COUNT have more than the model's %lld positions\n",
			(long long)positions_of(program));
		return 1;
	}
	if (loom_target_open(argv[2], NULL, &target, &error))
		fail(argv[2]);
	if (loom_session_create(target, program, &session, &error))
		fail(argv[2]);
	for (; argv[4][position]; position++) {
		putchar(argv[4][position]);
		token = next_token(session, program, token_of(argv[4][position]), position);
	}
	for (; count; count--) {
		putchar(character_of(token));
		fflush(stdout);
		if (count > 1)
			token = next_token(session, program, token, position++);
	}
	putchar('\n');
	rate = (double)loom_target_chip(target)->frequency_hz / (double)program->stats.cycles;
	fprintf(stderr, "%llu cycles a token, %.0f tokens a second on the clock of the chip\n",
		(unsigned long long)program->stats.cycles, rate);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_unload(file);
	return 0;
}
