// SPDX-License-Identifier: MIT
/*
 * Files of TensorFlow Lite: read, planned, written and read again; and those that are wrong in one
 * place. Words and ends of files are exchanged by fuzz/tflite.c.
 */
#include "loom_core.h"
#include "loom_tflite.h"
#include "tap.h"
#include "tflite_build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A constant that leaves out zeros has fewer bytes than elements: none is read past them. */
static void cut_constants(void)
{
	static const char *const of[] = { "", "bias", "padding", "sizes", "axes" };
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;
	uint32_t which;
	uint8_t *bytes;
	int code;

	for (which = 4; which < TFLITE_KINDS; which++) {
		tflite_build(&file, which);
		bytes = malloc(file.size);
		memcpy(bytes, file.bytes, file.size);
		err.text[0] = 0;
		code = loom_graph_import_bytes(bytes, file.size, "a.tflite", NULL, &graph, &err);
		tap_ok(code == (which >> 2 > 1 || which & 1 ? -EOPNOTSUPP : -EINVAL) &&
		       one_line(&err) && strstr(err.text, which >> 2 > 1 ? "leaves out zeros" : ""),
		       "%s of %s without all elements: %s", of[which >> 2],
		       which & 1 ? "bytes" : "floats", err.text);
		loom_graph_destroy(graph);
		free(bytes);
	}
}

static const int64_t far[] = { INT64_MAX };

static const struct tflite_one ones[] = {
	{ "attributes of a function of bytes", 98, true, 2, 0, NULL, { 0, -1 }, { 0x3f000000 }, 1,
	  4, { 1, 2, 2, 4 } },
	{ "a text of a function of bytes", 150, true, 2, 0, NULL, { 0, -1 }, { 1 }, 1,
	  4, { 1, 2, 2, 4 } },
	{ "no axes are none: a mean", 40, false, 2, 0, NULL, { 0, 1, -1 }, { 0 }, 1,
	  4, { 1, 2, 2, 4 } },
	{ "no axes are none: a sum of bytes", 74, true, 2, 0, NULL, { 0, 1, -1 }, { 1 }, 1,
	  4, { 1, 2, 2, 4 } },
	{ "one element past the end", 45, false, 4, 1, far, { 0, 1, 1, 1, -1 },
	  { 0, 0, 0, 0, 1 }, 5, 3, { 2, 2, 4 } },
};

static void try_one(const struct tflite_one *one)
{
	struct loom_error err = { .text = "" };
	struct loom_tensor_info info;
	struct loom_graph *graph;
	bool good = true;
	uint32_t i;
	int code;

	tflite_build_one(&file, one);
	code = loom_graph_import_bytes(file.bytes, file.size, "a.tflite", NULL, &graph, &err);
	/* the element is none: a refusal, but a proper one */
	if (one->data) {
		tap_ok(code == -EINVAL && one_line(&err), "%s: %s", one->what, err.text);
		loom_graph_destroy(graph);
		return;
	}
	good = !code && !loom_graph_output(graph, 0, &info) && info.rank == one->rank;
	for (i = 0; good && i < one->rank; i++)
		good = info.dims[i] == one->dims[i];
	tap_ok(good, "%s %s", one->what, err.text);
	loom_graph_destroy(graph);
}

/* Instead of the name @from, of two letters: one of up to three. */
static void rename_tensor(const char *from, const char *to)
{
	size_t at;

	for (at = 0; at + 8 <= file.size; at += 4) {
		if (file.bytes[at] != 2 || memcmp(file.bytes + at + 4, from, 3))
			continue;
		file.bytes[at] = (uint8_t)strlen(to);
		memcpy(file.bytes + at + 4, to, strlen(to) + 1);
	}
}

/* A name that looks like those which are made to differ from others. */
static bool names_differ(void)
{
	static const float floats[4] = { 1 };
	static const struct tflite_one one = {
		"", 0, false, 0, 4, floats, { 0, 1, -1 }, { 0 }, 1, 4, { 1, 2, 2, 4 },
	};
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;
	struct loom_tensor_info info;
	bool good;

	tflite_build_one(&file, &one);
	rename_tensor("ta", "t");
	rename_tensor("tb", "t:2");
	rename_tensor("tc", "t");
	good = !loom_graph_import_bytes(file.bytes, file.size, "a.tflite", NULL, &graph, &err) &&
	       !loom_graph_output(graph, 0, &info) && strcmp(info.name, "t") &&
	       strcmp(info.name, "t:2");
	if (!good)
		tap_note("%s", err.text);
	loom_graph_destroy(graph);
	return good;
}

/* To see what a file is, nothing is taken from a pipe. */
static bool pipe_is_left(void)
{
	char folder[] = "/tmp/loom-tflite-XXXXXX", path[64], head[9] = "";
	bool good;
	int fd;

	if (!mkdtemp(folder))
		tap_fatal("no temporary folder");
	snprintf(path, sizeof(path), "%s/pipe", folder);
	if (mkfifo(path, 0600))
		tap_fatal("no pipe");
	alarm(600);
	/* without anybody who writes */
	good = !loom_tflite_file_is(path);
	fd = open(path, O_RDWR | O_NONBLOCK);
	if (fd < 0 || write(fd, "0000TFL3", 8) != 8)
		tap_fatal("nothing goes into the pipe");
	good &= !loom_tflite_file_is(path);
	good &= read(fd, head, 8) == 8 && !strcmp(head, "0000TFL3");
	alarm(0);
	close(fd);
	unlink(path);
	rmdir(folder);
	return good;
}

/* Return: the root of a file that has nothing but its version. */
static size_t begin_file(void)
{
	size_t root;

	memset(&file, 0, sizeof(file));
	memcpy(file.bytes + 4, "TFL3", 4);
	file.size = 8;
	root = tflite_child(&file, 0, 8);
	tflite_put(&file, tflite_field(&file, root, 0), 3, 4);
	return root;
}

/* Two branches that begin with what is large, both beginnings first. */
static void build_branches(void)
{
	static const int32_t operands[][2] = {
		{ 0, -1 }, { 0, -1 }, { 1, -1 }, { 2, -1 }, { 3, 4 },
	};
	static const int32_t sizes[] = { 4, 256, 256, 4, 4, 4 };
	size_t root, table, graph, at;
	uint32_t i;

	root = begin_file();
	at = tflite_list(&file, tflite_field(&file, root, 1), 1);
	table = tflite_child(&file, at, 4);
	tflite_put(&file, tflite_field(&file, table, 3), 14, 4);
	at = tflite_list(&file, tflite_field(&file, root, 2), 1);
	graph = tflite_child(&file, at, 5);
	file.tensors = tflite_list(&file, tflite_field(&file, graph, 0), ARRAY_SIZE(sizes));
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		tflite_tensor(&file, &sizes[i], 1, 0, NULL, 0, 1, 0);
	tflite_vector(&file, tflite_field(&file, graph, 1), (int32_t[]){ 0 }, 1, 4);
	tflite_vector(&file, tflite_field(&file, graph, 2), (int32_t[]){ 5 }, 1, 4);
	at = tflite_list(&file, tflite_field(&file, graph, 3), ARRAY_SIZE(operands));
	for (i = 0; i < ARRAY_SIZE(operands); i++)
		tflite_operator(&file, at + 4 * i, 0, operands[i], operands[i][1] < 0 ? 1 : 2,
				(int32_t)i + 1, NULL, 0);
}

/* Another order again is another order, not twice as much of it. */
static bool moved_once(void)
{
	struct loom_tflite_memory *memory = NULL;
	struct loom_error err = { .text = "" };
	uint32_t first = 0, second = 0;

	build_branches();
	if (!loom_tflite_memory_parse(file.bytes, file.size, "a.tflite", &memory, &err) &&
	    !loom_tflite_memory_reorder(memory, &err)) {
		first = memory->num_moved;
		if (!loom_tflite_memory_reorder(memory, &err))
			second = memory->num_moved;
	}
	loom_tflite_memory_destroy(memory);
	if (!first || first != second)
		tap_note("%u, then %u: %s", first, second, err.text);
	return first && first == second;
}

/* Tables of operators that all name the same long text: nobody reads it for each. */
static bool texts_are_limited(void)
{
	enum { CODES = 2000, LENGTH = 20000 };
	struct loom_error err = { .text = "" };
	struct loom_graph *graph = NULL;
	size_t root, at, graph_at, text = 0, i;
	int code;

	root = begin_file();
	at = tflite_list(&file, tflite_field(&file, root, 2), 1);
	graph_at = tflite_child(&file, at, 5);
	at = tflite_list(&file, tflite_field(&file, graph_at, 0), CODES);
	/* one tensor, as often as there is room for */
	root = tflite_child(&file, at, 4);
	text = tflite_field(&file, root, 3);
	for (i = 1; i < CODES; i++)
		tflite_put(&file, at + 4 * i, (uint32_t)(root - at - 4 * i), 4);
	tflite_here(&file, text, 4, 0);
	tflite_put(&file, file.size, LENGTH, 4);
	memset(file.bytes + file.size + 4, 'a', LENGTH);
	file.size += 4 + LENGTH + 4;
	code = loom_graph_import_bytes(file.bytes, file.size, "a.tflite", NULL, &graph, &err);
	loom_graph_destroy(graph);
	if (code != -EINVAL || !strstr(err.text, "too many texts"))
		return tap_note("%d: %s", code, err.text), false;
	return true;
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
	cut_constants();
	for (i = 0; i < ARRAY_SIZE(ones); i++)
		try_one(&ones[i]);
	tap_ok(names_differ(), "a name that comes twice");
	tap_ok(pipe_is_left(), "nothing is taken from a pipe");
	tap_ok(texts_are_limited(), "one text for all tensors");
	tap_ok(moved_once(), "reordered twice, what moved is counted once");
	return tap_end();
}
