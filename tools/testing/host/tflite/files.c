// SPDX-License-Identifier: MIT
/*
 * Files of TensorFlow Lite that are wrong in one place, or ask for much. e2e/26-tflite-host.sh has
 * those that are read, planned and written; fuzz/tflite.c exchanges words and ends of files.
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
	cut_constants();
	tap_ok(pipe_is_left(), "nothing is taken from a pipe");
	tap_ok(texts_are_limited(), "one text for all tensors");
	tap_ok(moved_once(), "reordered twice, what moved is counted once");
	return tap_end();
}
