// SPDX-License-Identifier: MIT
/*
 * Files of TensorFlow Lite: read, planned, written and read again; and each of their words
 * exchanged for numbers that lead elsewhere, which has to end in an answer or in one line.
 */
#include "loom_core.h"
#include "loom_tflite.h"
#include "tap.h"
#include "tflite_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct tflite_build file;

static bool one_line(const struct loom_error *err)
{
	const char *at;

	if (strncmp(err->text, "a.tflite: ", 10))
		return false;
	for (at = err->text; *at; at++)
		if ((unsigned char)*at < 0x20)
			return false;
	return true;
}

/* Both readers give something, or refuse it properly. */
static bool survives(const void *bytes, size_t size)
{
	struct loom_tflite_memory *memory;
	struct loom_tflite_verdict verdict;
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;
	int code;

	code = loom_graph_import_bytes(bytes, size, "dir/a.tflite", NULL, &graph, &err);
	loom_graph_destroy(graph);
	if (code && !one_line(&err))
		return tap_note("code %d, \"%s\"", code, err.text), false;
	code = loom_tflite_memory_parse(bytes, size, "dir/a.tflite", &memory, &err);
	if (!code) {
		code = loom_tflite_memory_check(memory, &verdict, &err);
		loom_tflite_memory_destroy(memory);
	}
	if (code && !one_line(&err))
		return tap_note("code %d, \"%s\"", code, err.text), false;
	return true;
}

static bool reads(uint32_t which)
{
	struct loom_tensor_info info;
	struct loom_graph *graph;
	struct loom_error err;
	bool good;

	tflite_build(&file, which);
	if (loom_graph_import_bytes(file.bytes, file.size, "a.tflite", NULL, &graph, &err))
		return tap_note("%s", err.text), false;
	good = loom_graph_num_inputs(graph) == 1 && loom_graph_num_outputs(graph) == 1 &&
	       !loom_graph_output(graph, 0, &info) && info.rank == 2 && info.dims[1] == 3 &&
	       !strcmp(info.name, "tr") &&
	       info.dtype == (which & 1 ? DRM_LOOM_DTYPE_I8 : DRM_LOOM_DTYPE_F32);
	loom_graph_destroy(graph);
	return good;
}

static bool plans(uint32_t which)
{
	struct loom_tflite_memory *memory = NULL, *again = NULL;
	struct loom_tflite_verdict verdict, before;
	struct loom_place_result result = { 0 };
	struct loom_error err = { .text = "" };
	void *bytes = NULL;
	bool good = false;
	size_t size;
	int code;

	tflite_build(&file, which);
	if (loom_tflite_memory_parse(file.bytes, file.size, "a.tflite", &memory, &err))
		goto out;
	code = loom_tflite_memory_check(memory, &before, &err);
	if (code && !(code == -ENODATA && !(which & 2)))
		goto out;
	if (loom_place(&memory->problem, NULL, &result, NULL) ||
	    loom_tflite_memory_write(memory, result.offsets, &bytes, &size, &err) ||
	    loom_tflite_memory_parse(bytes, size, "a.tflite", &again, &err) ||
	    loom_tflite_memory_check(again, &verdict, &err))
		goto out;
	good = memory->problem.num_items == 11 && verdict.num_placed == 11 && !verdict.num_left &&
	       verdict.arena_bytes == result.height_bytes[0] &&
	       (code || before.num_placed == 11) &&
	       !memcmp((uint8_t *)bytes + size - file.size + 8, file.bytes + 8, file.size - 8);
	/* offsets that are none */
	result.offsets[1] = result.offsets[0];
	free(bytes);
	bytes = NULL;
	if (loom_tflite_memory_write(memory, result.offsets, &bytes, &size, &err) != -EBADMSG ||
	    bytes)
		good = false;
out:
	if (!good)
		tap_note("%s", err.text);
	free(bytes);
	loom_place_result_free(&result);
	loom_tflite_memory_destroy(memory);
	loom_tflite_memory_destroy(again);
	return good;
}

static bool words(uint32_t which)
{
	static const uint32_t numbers[] = { 0, 1, 3, 0x7fffffff, 0x80000000, 0xffffffff, 64, 1000 };
	uint32_t saved;
	size_t at, i;

	tflite_build(&file, which);
	for (at = 0; at + 4 <= file.size; at += 4) {
		memcpy(&saved, file.bytes + at, 4);
		for (i = 0; i < ARRAY_SIZE(numbers); i++) {
			memcpy(file.bytes + at, &numbers[i], 4);
			if (!survives(file.bytes, file.size))
				return tap_note("%u at byte %zu", numbers[i], at), false;
		}
		memcpy(file.bytes + at, &saved, 4);
	}
	return true;
}

static bool ends(uint32_t which)
{
	uint8_t *cut;
	size_t size;
	bool good = true;

	tflite_build(&file, which);
	for (size = 8; size < file.size && good; size += 4) {
		/* of its own, so that a sanitizer sees its end */
		cut = malloc(size);
		memcpy(cut, file.bytes, size);
		good = survives(cut, size);
		free(cut);
	}
	return good;
}

int main(void)
{
	char name[64];
	uint32_t i;

	for (i = 0; i < TFLITE_BUILDS; i++) {
		const char *what = i & 1 ? "bytes" : "floats", *with = i & 2 ? ", with a plan" : "";

		snprintf(name, sizeof(name), "a network of %s%s is read", what, with);
		tap_ok(reads(i), "%s", name);
		snprintf(name, sizeof(name), "its memory is planned and written: %s%s", what, with);
		tap_ok(plans(i), "%s", name);
	}
	tap_ok(words(3), "each word exchanged");
	tap_ok(ends(0) && ends(3), "cut off after each word");
	return tap_end();
}
