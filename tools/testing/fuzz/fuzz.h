/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_FUZZ_H
#define LOOM_TESTS_FUZZ_H

/*
 * Shared by the fuzzers: how they fail, and main(). Built by gcc with ASan and UBSan, main() makes
 * the inputs: the run is a function of --seed and the number of --runs. An input that fails is left
 * in NAME.fail or the file of --fail; the program takes that file as an argument to run it again.
 * With clang and -DLOOM_LIBFUZZER, the same sources are targets for libFuzzer, which is guided by
 * coverage; see "make fuzz".
 *
 * Included by one source of a program, after FUZZ_NAME (the program) and FUZZ_MAX_BYTES (of an
 * input) were defined.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "loom_error.h"
#include "random.h"

/** LLVMFuzzerTestOneInput() - tries one input; the name is the one that libFuzzer looks for */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** LLVMFuzzerMutate() - libFuzzer's own way to change an input; it returns the new size */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
/** LLVMFuzzerCustomMutator() - a target's own way, if it has one */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);

static inline void __attribute__((format(printf, 1, 2), noreturn))
fuzz_fail(const char *format, ...)
{
	va_list args;

	fputs(FUZZ_NAME ": ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

#define fuzz_expect(condition, ...)				\
	do {							\
		if (!(condition))				\
			fuzz_fail(__VA_ARGS__);			\
	} while (0)

/* A refusal must be one line of text that has the @name of the file in it. */
static inline void fuzz_check_line(const struct loom_error *err, const char *name)
{
	const char *at;

	fuzz_expect(memchr(err->text, 0, sizeof(err->text)) && *err->text &&
		    strstr(err->text, name), "the message is '%.512s'", err->text);
	for (at = err->text; *at; at++)
		fuzz_expect((unsigned char)*at >= 0x20 && *at != 0x7f,
			    "a control character is in '%s'", err->text);
}

#ifndef LOOM_LIBFUZZER

/* Inputs that are tried however few seconds there are, and after which all of @counts must be. */
#define FUZZ_LEAST		100
#define FUZZ_PATIENCE		1000
/* More CPU time than this for one input is a hang. */
#define FUZZ_HANG_SECONDS	60

/*
 * The sanitizers' own: UBSan, where it is a library of its own, knows no callback, but aborts if it
 * is asked to.
 */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
const char *__ubsan_default_options(void);

/**
 * struct fuzz_input - bytes to try
 * @size: number of @data
 * @data: the bytes
 */
struct fuzz_input {
	size_t size;
	uint8_t data[FUZZ_MAX_BYTES];
};

/* The input at hand; a failure leaves it in the file of fuzz_fail_path. */
static struct fuzz_input fuzz_now;
/* Number of inputs that were tried, with this one. */
static unsigned long long fuzz_tried;
/* Of random_xorshift(); it begins with --seed, as the generator of random.h does. */
static uint64_t fuzz_state;
static const char *fuzz_fail_path = FUZZ_NAME ".fail";
/* A folder for all that is tried; NULL: they are not kept. */
static const char *fuzz_seeds_path;

const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* Called after memory may be corrupt: does as little as it can. */
static void fuzz_dump(void)
{
	FILE *file = fopen(fuzz_fail_path, "wb");

	if (!file)
		return;
	fwrite(fuzz_now.data, 1, fuzz_now.size, file);
	fclose(file);
	fprintf(stderr, FUZZ_NAME ": the input is in %s, number %llu\n", fuzz_fail_path,
		fuzz_tried);
}

static void fuzz_signal(int number)
{
	fprintf(stderr, FUZZ_NAME ": %s\n", number == SIGPROF ? "this takes too long" : "abort");
	fuzz_dump();
	_exit(1);
}

/* From here on the input is left in the file, however the program dies. */
static void fuzz_guard(void)
{
	signal(SIGABRT, fuzz_signal);
	signal(SIGPROF, fuzz_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(fuzz_dump);
}

/* Keeps the input that is next, for libFuzzer to begin with. */
static void fuzz_write_seed(void)
{
	static unsigned int count;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u", fuzz_seeds_path, count++);
	file = fopen(path, "wb");
	if (!file || fwrite(fuzz_now.data, 1, fuzz_now.size, file) != fuzz_now.size ||
	    fclose(file)) {
		fprintf(stderr, FUZZ_NAME ": %s: %s\n", path, strerror(errno));
		_exit(1);
	}
}

/* Runs the input in memory of exactly its size, so that a read behind it is a fault. */
static void fuzz_try_exact(void)
{
	uint8_t *exact = malloc(fuzz_now.size + !fuzz_now.size);

	if (!exact)
		fuzz_fail("no memory");
	memcpy(exact, fuzz_now.data, fuzz_now.size);
	LLVMFuzzerTestOneInput(exact, fuzz_now.size);
	free(exact);
}

/* Tries the input. A run that takes too long is a fault, as a crash is. */
static void fuzz_try(void)
{
	static const struct itimerval hang = { .it_value.tv_sec = FUZZ_HANG_SECONDS }, never;

	if (fuzz_seeds_path)
		fuzz_write_seed();
	fuzz_tried++;
	setitimer(ITIMER_PROF, &hang, NULL);
	fuzz_try_exact();
	setitimer(ITIMER_PROF, &never, NULL);
}

/* Return: the exit status of main(), unless the input ends the program. */
static int fuzz_replay(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file) {
		fprintf(stderr, FUZZ_NAME ": %s: %s\n", path, strerror(errno));
		return 2;
	}
	fuzz_now.size = fread(fuzz_now.data, 1, sizeof(fuzz_now.data), file);
	fclose(file);
	fuzz_try_exact();
	printf("%s: no fault\n", path);
	return 0;
}

/**
 * struct fuzz_options - what main() was asked for
 * @runs: inputs to try; 0: until @seconds are over
 * @seed: the run is a function of it and of the number of inputs
 * @seconds: for how long, unless @runs is given
 */
struct fuzz_options {
	uint64_t runs, seed;
	int64_t seconds;
};

/* Guards the program, reads its arguments. Return: whether to make inputs; @status if not. */
static bool fuzz_begin_main(int argc, char **argv, struct fuzz_options *options, int *status)
{
	int i;

	*options = (struct fuzz_options){ .seed = 1, .seconds = 5 };
	fuzz_guard();
	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--runs"))
			options->runs = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--seconds"))
			options->seconds = strtoll(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--seed"))
			options->seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--fail"))
			fuzz_fail_path = argv[i + 1];
		else if (!strcmp(argv[i], "--seeds"))
			fuzz_seeds_path = argv[i + 1];
		else
			break;
	}
	if (i == argc)
		return true;
	if (i + 1 == argc && argv[i][0] != '-') {
		*status = fuzz_replay(argv[i]);
		return false;
	}
	fputs("usage: " FUZZ_NAME " [--runs N|--seconds N] [--seed N] [--fail FILE]", stderr);
	fputs(" [--seeds DIR] | FILE\n", stderr);
	*status = 2;
	return false;
}

/* Puts @size bytes in the place of @cut bytes at @at, if there is room. */
static inline void fuzz_splice(size_t at, size_t cut, const void *bytes, size_t size)
{
	if (cut > fuzz_now.size - at)
		cut = fuzz_now.size - at;
	if (fuzz_now.size - cut + size > sizeof(fuzz_now.data))
		return;
	memmove(fuzz_now.data + at + size, fuzz_now.data + at + cut, fuzz_now.size - at - cut);
	memcpy(fuzz_now.data + at, bytes, size);
	fuzz_now.size += size - cut;
}

/**
 * struct fuzz_maker - how a program makes inputs by itself
 * @begin: called once, before the seconds are counted; or NULL
 * @make: puts an input into fuzz_now; it draws from fuzz_state, or from the generator of random.h
 * @after: called when the input was tried; or NULL
 * @counts: sums over all inputs, with names; each must be above zero after FUZZ_PATIENCE inputs
 */
struct fuzz_maker {
	void (*begin)(void);
	void (*make)(void);
	void (*after)(void);
	struct {
		const char *name;
		const uint64_t *sum;
	} counts[2];
};

/* main() of a program; inputs are a function of --seed. Return: its exit status. */
static int fuzz_main(int argc, char **argv, const struct fuzz_maker *maker)
{
	struct fuzz_options options;
	uint64_t n;
	time_t end;
	int status, i;

	if (!fuzz_begin_main(argc, argv, &options, &status))
		return status;
	random_state = options.seed;
	fuzz_state = options.seed;
	if (maker->begin)
		maker->begin();
	end = time(NULL) + options.seconds;
	for (n = 0; options.runs ? n < options.runs : n < FUZZ_LEAST || time(NULL) < end; n++) {
		maker->make();
		fuzz_try();
		if (maker->after)
			maker->after();
		for (i = 0; i < 2 && maker->counts[i].name && n > FUZZ_PATIENCE; i++)
			fuzz_expect(*maker->counts[i].sum, "%llu inputs, 0 %s",
				    (unsigned long long)n, maker->counts[i].name);
	}
	printf(FUZZ_NAME ": %llu inputs", (unsigned long long)n);
	for (i = 0; i < 2 && maker->counts[i].name; i++)
		printf(", %llu %s", (unsigned long long)*maker->counts[i].sum,
		       maker->counts[i].name);
	printf("\n");
	return 0;
}

#endif /* LOOM_LIBFUZZER */

#endif /* LOOM_TESTS_FUZZ_H */
