// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing the readers of TensorFlow Lite files
 *
 * One input is a file. Whatever is in it, nothing may crash; a refusal is one line with the name of
 * the file, and the same when asked again. What is read as a graph is dumped; what has tensors to
 * place is placed, written with its memory plan, and read and judged again.
 *
 * Built by gcc with ASan and UBSan, main() makes the inputs: small networks of floats and of bytes
 * with words, bytes and pieces exchanged. The run is a function of --seed and the number of --runs.
 * An input that fails is left in fuzz-tflite.fail or what --fail says, which the program takes as
 * an argument to run it again. With clang, the same file is a target for libFuzzer, with
 * -DLOOM_LIBFUZZER, see place.c.
 */
#include "loom_core.h"
#include "loom_tflite.h"

#include <time.h>

#define FUZZ_NAME	"fuzz-tflite"
#define FUZZ_MAX_BYTES	(64 << 10)

#include "fuzz.h"
#include "graph/graph.h"
#include "random.h"
#include "tflite_build.h"

static uint64_t fuzz_graphs, fuzz_plans;

static void fuzz_check_line(const struct loom_error *err)
{
	const char *at;

	fuzz_expect(memchr(err->text, 0, sizeof(err->text)) &&
		    !strncmp(err->text, "fuzz.tflite: ", 13), "the message is '%.512s'", err->text);
	for (at = err->text; *at; at++)
		fuzz_expect((unsigned char)*at >= 0x20 && *at != 0x7f,
			    "a control character is in '%s'", err->text);
}

static void fuzz_graph(const uint8_t *data, size_t size)
{
	struct loom_error err, second;
	struct loom_graph *graph;
	char *text;
	int ret;

	ret = loom_graph_import_bytes(data, size, "fuzz.tflite", NULL, &graph, &err);
	if (ret) {
		fuzz_check_line(&err);
		fuzz_expect(loom_graph_import_bytes(data, size, "fuzz.tflite", NULL, &graph,
						    &second) == ret &&
			    !strcmp(err.text, second.text), "two answers to the same question");
		return;
	}
	fuzz_graphs++;
	fuzz_expect(!loom_graph_dump(graph, &text), "no dump");
	free(text);
	loom_graph_destroy(graph);
}

static void fuzz_write(const struct loom_tflite_memory *memory)
{
	const struct loom_place_options options = { .strategy = "greedy-size" };
	struct loom_tflite_memory *again;
	struct loom_place_result result;
	struct loom_tflite_verdict verdict;
	struct loom_error err;
	size_t size;
	void *bytes;
	int ret;

	if (loom_place(&memory->problem, &options, &result, NULL))
		return;
	ret = loom_tflite_memory_write(memory, result.offsets, &bytes, &size, &err);
	if (ret) {
		fuzz_check_line(&err);
	} else {
		fuzz_plans++;
		fuzz_expect(!loom_tflite_memory_parse(bytes, size, "fuzz.tflite", &again, &err) &&
			    !loom_tflite_memory_check(again, &verdict, &err),
			    "what was written is wrong: %s", err.text);
		fuzz_expect(verdict.arena_bytes == result.height_bytes[0], "another arena");
		loom_tflite_memory_destroy(again);
		free(bytes);
	}
	loom_place_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_tflite_memory *memory;
	struct loom_tflite_verdict verdict;
	struct loom_error err;

	/* all else is for the reader of ONNX */
	if (size < 8 || memcmp(data + 4, "TFL3", 4))
		return 0;
	fuzz_graph(data, size);
	if (loom_tflite_memory_parse(data, size, "fuzz.tflite", &memory, &err)) {
		fuzz_check_line(&err);
		return 0;
	}
	if (loom_tflite_memory_check(memory, &verdict, &err))
		fuzz_check_line(&err);
	fuzz_write(memory);
	if (loom_tflite_memory_reorder(memory, &err))
		fuzz_check_line(&err);
	else
		fuzz_write(memory);
	loom_tflite_memory_destroy(memory);
	return 0;
}

#ifndef LOOM_LIBFUZZER

#define FUZZ_LEAST	300

static struct tflite_build fuzz_files[TFLITE_KINDS];

static uint32_t fuzz_number(uint32_t value)
{
	static const uint32_t numbers[] = {
		0, 1, 2, 3, 4, 7, 16, 0x7f, 0xff, 0x7fff, 0x7fffffff, 0x80000000, 0xffffffff,
	};

	switch (random_below(4)) {
	case 0:
		return value + (uint32_t)random_below(9) - 4;
	case 1:
		return value ^ 1u << random_below(32);
	case 2:
		return (uint32_t)random_below(fuzz_now.size);
	default:
		return numbers[random_below(ARRAY_SIZE(numbers))];
	}
}

static void fuzz_mutate(void)
{
	const size_t at = random_below(fuzz_now.size / 4) * 4;
	size_t from = random_below(fuzz_now.size / 4) * 4;
	uint32_t value;

	switch (random_below(8)) {
	case 0:
		fuzz_now.data[at] = (uint8_t)random_u64();
		break;
	case 1:
		memmove(fuzz_now.data + at, fuzz_now.data + from, 4);
		break;
	default:
		memcpy(&value, fuzz_now.data + at, 4);
		value = fuzz_number(value);
		memcpy(fuzz_now.data + at, &value, 4);
		break;
	}
}

static uint64_t fuzz_run(uint64_t runs, int64_t seconds)
{
	const time_t end = time(NULL) + seconds;
	uint64_t i, mutations;

	for (i = 0; i < TFLITE_KINDS; i++)
		tflite_build(&fuzz_files[i], (uint32_t)i);
	for (i = 0; runs ? i < runs : i < FUZZ_LEAST || time(NULL) < end; i++) {
		const struct tflite_build *from = &fuzz_files[random_below(TFLITE_KINDS)];

		memcpy(fuzz_now.data, from->bytes, from->size);
		fuzz_now.size = from->size;
		for (mutations = random_below(5); mutations; mutations--)
			fuzz_mutate();
		if (!random_below(16))
			fuzz_now.size = random_below(fuzz_now.size) + 1;
		if (fuzz_now.size >= 8)
			memcpy(fuzz_now.data + 4, "TFL3", 4);
		fuzz_try();
		if ((!fuzz_graphs || !fuzz_plans) && i > 1000)
			fuzz_fail("none of %llu inputs was accepted", (unsigned long long)i);
	}
	printf("fuzz-tflite: %llu inputs, %llu graphs, %llu plans written\n", (unsigned long long)i,
	       (unsigned long long)fuzz_graphs, (unsigned long long)fuzz_plans);
	return i;
}

int main(int argc, char **argv)
{
	struct fuzz_options options;
	int status;

	if (!fuzz_begin_main(argc, argv, &options, &status))
		return status;
	random_state = options.seed;
	return !fuzz_run(options.runs, options.seconds);
}

#endif
