// SPDX-License-Identifier: MIT
/*
 * Continues a text with the demo's language model, one character after the other, each of them the
 * most likely one. Keys and values of the characters before stay on the device.
 *
 *	write PROGRAM.loom DEVICE COUNT TEXT
 *	write PROGRAM.loom DEVICE COUNT --tokens TOKEN...	numbers in place of characters
 *
 * PROGRAM.loom is what `loom compile` makes of a model of model.py, with its states, or several
 * such programs for different numbers of characters, one of them for a single one (`loom join`),
 * which share weights, keys and values; TEXT is read by those for many. Prints TEXT and COUNT
 * characters behind it, and on stderr how fast the chip reads and writes by its clock, and what is
 * copied for a run.
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
#define MOST_GIVEN	4096

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

/* Positions of the cache: a state "past_X" is [heads, positions, size]. */
static int64_t positions_of(const struct loom_program *program)
{
	uint32_t i;

	for (i = 0; i < program->num_inputs; i++)
		if (!strncmp(program->inputs[i].name, "past_", 5))
			return program->inputs[i].dims[1];
	snprintf(error.text, sizeof(error.text), "the model has none");
	fail("past_");
	return 0;
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

/* Reads @length tokens; returns what follows them. */
static int64_t read_tokens(struct reader *readers, uint32_t count, const int64_t *tokens,
			   int64_t length)
{
	struct reader *reader;
	int64_t at, token = 0;

	for (at = 0; at < length; at += reader->tokens) {
		reader = choose(readers, count, length - at);
		token = next_token(reader, tokens + at, at);
	}
	return token;
}

static void print_rates(const struct reader *readers, uint32_t count,
			const struct drm_loom_chip *chip)
{
	struct loom_session_moved moved, all = { 0 };
	uint64_t runs = 0;
	uint32_t i;

	for (i = 0; i < count; i++) {
		uint64_t cycles = readers[i].program->stats.cycles;
		double seconds = (double)cycles / (double)chip->frequency_hz;

		loom_session_moved(readers[i].session, &moved);
		all.in_bytes += moved.in_bytes;
		all.out_bytes += moved.out_bytes;
		all.kept_bytes += moved.kept_bytes;
		runs += readers[i].runs;

		fprintf(stderr,
			"%lld at once: %llu runs of %llu cycles, %.0f characters a second of the chip\n",
			(long long)readers[i].tokens, (unsigned long long)readers[i].runs,
			(unsigned long long)cycles, (double)readers[i].tokens / seconds);
	}
	fprintf(stderr,
		"copied for each of %llu runs: %llu bytes in, %llu out; stayed on the device: %llu\n",
		(unsigned long long)runs, (unsigned long long)(all.in_bytes / runs),
		(unsigned long long)(all.out_bytes / runs),
		(unsigned long long)(all.kept_bytes / runs));
}

/* The tokens of the arguments behind COUNT. Return: how many. */
static int64_t given_tokens(int argc, char **argv, bool numbers, int64_t *tokens)
{
	int64_t i, count = numbers ? argc - 5 : (int64_t)strlen(argv[4]);

	for (i = 0; i < count && i < MOST_GIVEN; i++)
		tokens[i] = numbers ? strtoll(argv[5 + i], NULL, 10) : token_of(argv[4][i]);
	return count;
}

int main(int argc, char **argv)
{
	struct reader readers[MOST_PROGRAMS] = { 0 };
	struct loom_program_file *file;
	struct loom_target *target;
	struct reader *single;
	bool numbers = argc > 5 && !strcmp(argv[4], "--tokens");
	int64_t tokens[MOST_GIVEN], token, position, most;
	int64_t count = argc == 5 || numbers ? atoi(argv[3]) : 0;
	uint32_t num_readers;

	if (count < 1 || !*argv[4]) {
		fprintf(stderr, "usage: write PROGRAM.loom DEVICE COUNT TEXT|--tokens N...\n");
		return 2;
	}
	if (loom_program_load(argv[1], &file, &error))
		fail(argv[1]);
	position = given_tokens(argc, argv, numbers, tokens);
	most = positions_of(loom_program_file_program(file));
	if (count + position > most + 1 || position > MOST_GIVEN) {
		fprintf(stderr, "write: TEXT and COUNT have more than the model's %lld positions\n",
			(long long)most);
		return 1;
	}
	if (loom_target_open(argv[2], NULL, &target, &error))
		fail(argv[2]);
	num_readers = load(file, target, readers);
	single = choose(readers, num_readers, 1);
	if (!numbers)
		fputs(argv[4], stdout);
	token = read_tokens(readers, num_readers, tokens, position);
	for (; count; count--) {
		if (numbers)
			printf(count > 1 ? "%lld " : "%lld", (long long)token);
		else
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
