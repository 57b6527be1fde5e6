// SPDX-License-Identifier: MIT
/*
 * Continues a text with the demo's language model, one character after the other, each of them the
 * most likely one. Keys and values of the characters before stay on the device.
 *
 *	write PROGRAM.loom DEVICE COUNT TEXT
 *
 * PROGRAM.loom is what `loom compile` makes of a model of model.py, with its states, or several
 * such programs for different numbers of characters, one of them for a single one (`loom join`),
 * which share weights, keys and values; TEXT is read by those for many. Prints TEXT and COUNT
 * characters behind it, and on stderr how fast the chip reads and writes by its clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom_program_file.h"
#include "loom_run.h"

/* Printable ASCII, and the end of a line. */
#define CHARACTERS	96
#define MOST_PROGRAMS	8
#define MOST_TOKENS	256

/**
 * struct reader - a program for some tokens at once
 * @program: the program
 * @session: where it runs
 * @tokens: how many it takes
 * @runs: how often it has run
 */
struct reader {
	const struct loom_program *program;
	struct loom_session *session;
	int64_t tokens;
	uint64_t runs;
};

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

static void set_integers(struct reader *reader, const char *name, const int64_t *values)
{
	const struct loom_program *program = reader->program;
	uint32_t input = find(program->inputs, program->num_inputs, name);
	const struct loom_array array = {
		.dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { reader->tokens },
		.data = (void *)values, .size_bytes = (size_t)reader->tokens * sizeof(*values),
	};

	if (loom_session_set_input(reader->session, input, &array, &error))
		fail(name);
}

/* The most likely token behind @tokens, the first of which is at @position. */
static int64_t next_token(struct reader *reader, const int64_t *tokens, int64_t position)
{
	const struct loom_program *program = reader->program;
	uint32_t output = find(program->outputs, program->num_outputs, "logits");
	int64_t positions[MOST_TOKENS], i, best = 0;
	struct loom_array logits;
	const float *data;

	for (i = 0; i < reader->tokens; i++)
		positions[i] = position + i;
	set_integers(reader, "token", tokens);
	set_integers(reader, "position", positions);
	if (loom_session_run(reader->session, NULL, NULL, &error))
		fail("run");
	reader->runs++;
	if (loom_session_get_output(reader->session, output, &logits, NULL))
		fail("logits");
	data = logits.data;
	for (i = 1; i < (int64_t)(logits.size_bytes / sizeof(*data)); i++)
		if (data[i] > data[best])
			best = i;
	loom_array_clear(&logits);
	return best;
}

/* Positions of the cache: a state is [heads, positions, size]. */
static int64_t positions_of(const struct loom_program *program)
{
	return program->inputs[find(program->inputs, program->num_inputs, "past_key_0")].dims[1];
}

/* Loads all programs of a file; the sessions share what the first one has. */
static uint32_t load(const struct loom_program_file *file, struct loom_target *target,
		     struct reader *readers)
{
	uint32_t i, count = loom_program_file_count(file);

	if (count > MOST_PROGRAMS) {
		snprintf(error.text, sizeof(error.text), "more than %d programs", MOST_PROGRAMS);
		fail("model");
	}
	for (i = 0; i < count; i++) {
		struct reader *reader = &readers[i];
		const struct loom_program *program = loom_program_file_at(file, i);

		reader->program = program;
		reader->tokens = program->inputs[find(program->inputs, program->num_inputs,
						      "token")].dims[0];
		if (reader->tokens > MOST_TOKENS) {
			snprintf(error.text, sizeof(error.text), "more than %d tokens at once",
				 MOST_TOKENS);
			fail("model");
		}
		if (i ? loom_session_create_beside(readers[0].session, program, LOOM_BESIDE_STATES,
						   &reader->session, &error) :
			loom_session_create(target, program, &reader->session, &error))
			fail("model");
	}
	return count;
}

/* The program that takes the most tokens, but not more than @most. */
static struct reader *choose(struct reader *readers, uint32_t count, int64_t most)
{
	struct reader *best = NULL;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (readers[i].tokens <= most && (!best || readers[i].tokens > best->tokens))
			best = &readers[i];
	if (!best) {
		snprintf(error.text, sizeof(error.text), "no program takes a single token");
		fail("model");
	}
	return best;
}

/* Reads a text; returns what follows it. */
static int64_t read_text(struct reader *readers, uint32_t count, const char *text)
{
	int64_t tokens[MOST_TOKENS], length = (int64_t)strlen(text), at, i, token = 0;
	struct reader *reader;

	for (at = 0; at < length; at += reader->tokens) {
		reader = choose(readers, count, length - at);
		for (i = 0; i < reader->tokens; i++)
			tokens[i] = token_of(text[at + i]);
		token = next_token(reader, tokens, at);
	}
	return token;
}

static void print_rates(const struct reader *readers, uint32_t count,
			const struct drm_loom_chip *chip)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		uint64_t cycles = readers[i].program->stats.cycles;
		double seconds = (double)cycles / (double)chip->frequency_hz;

		fprintf(stderr,
			"%lld at once: %llu runs of %llu cycles, %.0f characters a second of the chip\n",
			(long long)readers[i].tokens, (unsigned long long)readers[i].runs,
			(unsigned long long)cycles, (double)readers[i].tokens / seconds);
	}
}

int main(int argc, char **argv)
{
	struct reader readers[MOST_PROGRAMS] = { 0 };
	struct loom_program_file *file;
	struct loom_target *target;
	struct reader *single;
	int64_t token, position, count = argc == 5 ? atoi(argv[3]) : 0;
	uint32_t num_readers;

	if (count < 1 || !*argv[4]) {
		fprintf(stderr, "usage: write PROGRAM.loom DEVICE COUNT TEXT\n");
		return 2;
	}
	if (loom_program_load(argv[1], &file, &error))
		fail(argv[1]);
	position = (int64_t)strlen(argv[4]);
	if (count + position > positions_of(loom_program_file_program(file)) + 1) {
		fprintf(stderr, "write: TEXT and COUNT have more than the model's %lld positions\n",
			(long long)positions_of(loom_program_file_program(file)));
		return 1;
	}
	if (loom_target_open(argv[2], NULL, &target, &error))
		fail(argv[2]);
	num_readers = load(file, target, readers);
	single = choose(readers, num_readers, 1);
	fputs(argv[4], stdout);
	token = read_text(readers, num_readers, argv[4]);
	for (; count; count--) {
		putchar(character_of(token));
		fflush(stdout);
		if (count > 1)
			token = next_token(single, &token, position++);
	}
	putchar('\n');
	fflush(stdout);
	print_rates(readers, num_readers, loom_target_chip(target));
	while (num_readers)
		loom_session_destroy(readers[--num_readers].session);
	loom_target_close(target);
	loom_program_unload(file);
	return 0;
}
