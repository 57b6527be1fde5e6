// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing the readers of TensorFlow Lite files
 *
 * One input is a file. Whatever is in it, nothing may crash; a refusal is one line with the name of
 * the file, and the same when asked again. A graph is dumped; a file with tensors to place is
 * placed, written with its memory plan, and read and judged again.
 *
 * Inputs are small networks of floats and of bytes with words, bytes and pieces exchanged.
 */
#include "loom_core.h"
#include "loom_tflite.h"

#define FUZZ_NAME	"fuzz-tflite"
#define FUZZ_MAX_BYTES	(64 << 10)

#include "fuzz.h"
#include "graph/graph.h"
#include "tflite_build.h"

static uint64_t fuzz_graphs, fuzz_plans;

static void fuzz_graph(const uint8_t *data, size_t size)
{
	struct loom_error err, second;
	struct loom_graph *graph;
	char *text;
	int ret;

	ret = loom_graph_import_bytes(data, size, "fuzz.tflite", NULL, &graph, &err);
	if (ret) {
		fuzz_check_line(&err, "fuzz.tflite: ");
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
	struct loom_tflite_runtime runtime;
	struct loom_tflite_memory *again;
	struct loom_place_result result;
	struct loom_tflite_verdict verdict;
	struct loom_error err;
	size_t size;
	void *bytes;
	int ret;

	if (loom_place(&memory->problem, &options, &result, NULL))
		return;
	fuzz_expect(!loom_tflite_memory_runtime(memory, result.offsets, "cmsis-nn", &runtime,
						&err), "no arena");
	fuzz_expect(runtime.head_bytes >= result.height_bytes[0] && runtime.arena_bytes >=
		    runtime.head_bytes + runtime.persistent_bytes, "the arena is too small");
	ret = loom_tflite_memory_write(memory, result.offsets, &bytes, &size, &err);
	if (ret) {
		fuzz_check_line(&err, "fuzz.tflite: ");
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
		fuzz_check_line(&err, "fuzz.tflite: ");
		return 0;
	}
	if (loom_tflite_memory_check(memory, &verdict, &err))
		fuzz_check_line(&err, "fuzz.tflite: ");
	fuzz_write(memory);
	if (loom_tflite_memory_reorder(memory, &err))
		fuzz_check_line(&err, "fuzz.tflite: ");
	else
		fuzz_write(memory);
	loom_tflite_memory_destroy(memory);
	return 0;
}

#ifndef LOOM_LIBFUZZER

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

static void fuzz_make_files(void)
{
	uint32_t i;

	for (i = 0; i < TFLITE_KINDS; i++)
		tflite_build(&fuzz_files[i], i);
}

static void fuzz_next(void)
{
	const struct tflite_build *from = &fuzz_files[random_below(TFLITE_KINDS)];
	uint64_t mutations;

	memcpy(fuzz_now.data, from->bytes, from->size);
	fuzz_now.size = from->size;
	for (mutations = random_below(5); mutations; mutations--)
		fuzz_mutate();
	if (!random_below(16))
		fuzz_now.size = random_below(fuzz_now.size) + 1;
	if (fuzz_now.size >= 8)
		memcpy(fuzz_now.data + 4, "TFL3", 4);
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.begin = fuzz_make_files,
		.make = fuzz_next,
		.counts = { { "graphs", &fuzz_graphs }, { "plans written", &fuzz_plans } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif
