// SPDX-License-Identifier: MIT
/*
 * Hostile models, made by hand: each has to end in a graph or in an error with one line. Damage to
 * real files: fuzz/onnx.c.
 */
#include "graph/graph.h"
#include "loom_core.h"
#include "onnx/proto.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

static bool one_line(const struct loom_error *err)
{
	size_t length = strnlen(err->text, sizeof(err->text));

	return length && length < sizeof(err->text) && !strchr(err->text, '\n');
}

/* true where the outcome is a graph that can be dumped, or a proper refusal */
static bool survives(const void *bytes, size_t size_bytes)
{
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;
	char *text;
	int code = loom_graph_import_onnx_bytes(bytes, size_bytes, "hostile.onnx", NULL, &graph,
						&err);

	if (!code) {
		if (!loom_graph_dump(graph, &text))
			free(text);
		loom_graph_destroy(graph);
		return true;
	}
	if (code > 0 || graph || !one_line(&err)) {
		tap_note("code %d, \"%s\"", code, err.text);
		return false;
	}
	return true;
}

/* a message nested in itself far deeper than any stack goes */
static void deep_nesting(void)
{
	const size_t depth = 200000;
	size_t room = depth * 16 + 64, used = 0, i;
	uint8_t *bytes = malloc(room), *start = bytes + room, *end = bytes + room;

	if (!bytes)
		tap_fatal("no memory");
	/* from the inside out: graph (7), node (1), attribute (5), graph (6), node (1), ... */
	for (i = 0; i < depth; i++) {
		static const uint8_t tags[] = { 6 << 3 | 2, 5 << 3 | 2, 1 << 3 | 2 };
		uint8_t length[10];
		size_t count = 0;

		for (used = (size_t)(end - start); used > 127; used >>= 7)
			length[count++] = (uint8_t)(used | 0x80);
		length[count++] = (uint8_t)used;
		start -= count;
		memcpy(start, length, count);
		*--start = i + 1 == depth ? 7 << 3 | 2 : tags[i % 3];
	}
	tap_ok(survives(start, (size_t)(end - start)), "messages nested %zu deep", depth);
	free(bytes);
}

/* millions of empty parts: two bytes each in the file, hundreds in memory */
static void many_parts(void)
{
	const size_t parts = (size_t)8 << 20;
	uint8_t *bytes = malloc(parts * 2 + 16);
	size_t i, used = 0, body = parts * 2;

	if (!bytes)
		tap_fatal("no memory");
	bytes[used++] = 7 << 3 | 2;
	for (; body > 127; body >>= 7)
		bytes[used++] = (uint8_t)(body | 0x80);
	bytes[used++] = (uint8_t)body;
	for (i = 0; i < parts; i++) {
		bytes[used++] = 1 << 3 | 2;
		bytes[used++] = 0;
	}
	tap_ok(survives(bytes, used), "a graph of %zu empty nodes", parts);
	free(bytes);
}

static void tensor_files(void)
{
	static const uint8_t huge[] = { 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
					0x08, 0x04, 0x10, 0x01, 0x4a, 0x01, 0x00 };
	static const uint8_t negative[] = { 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					    0xff, 0x01, 0x10, 0x01 };
	static const uint8_t external[] = { 0x08, 0x01, 0x10, 0x01, 0x70, 0x01 };
	static const struct {
		const char *what;
		const uint8_t *bytes;
		size_t size_bytes;
		int code;
	} files[] = {
		{ "a size that overflows", huge, sizeof(huge), -EINVAL },
		{ "a negative dimension", negative, sizeof(negative), -EINVAL },
		{ "data elsewhere", external, sizeof(external), -EOPNOTSUPP },
		{ "no tensor", (const uint8_t *)"\xff\xff", 2, -EINVAL },
	};
	char path[] = "/tmp/loom-tensor-XXXXXX";
	int fd = mkstemp(path);
	size_t i;

	if (fd < 0)
		tap_fatal("no temporary file");
	fclose(fdopen(fd, "w"));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		FILE *file = fopen(path, "wb");
		struct loom_error err = { .text = "" };
		struct loom_array array;

		if (!file || fwrite(files[i].bytes, 1, files[i].size_bytes, file) !=
		    files[i].size_bytes)
			tap_fatal("cannot write %s", path);
		fclose(file);
		tap_ok(loom_tensor_load_pb(path, &array, &err) == files[i].code && one_line(&err) &&
		       !array.data, "a tensor file with %s: %s", files[i].what, err.text);
	}
	remove(path);
}

int main(void)
{
	deep_nesting();
	many_parts();
	tensor_files();
	return tap_end();
}
