// SPDX-License-Identifier: MIT
/*
 * Hostile models: real files with bytes flipped, cut off or repeated, the same ones every time, and
 * small ones made by hand. Each has to end in a graph or in an error with one line. Built with
 * sanitizers, this also finds accesses out of bounds.
 */
#include "graph/graph.h"
#include "loom_core.h"
#include "onnx/proto.h"
#include "random.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

#define DATA	"/usr/share/libonnx-testdata/data"

static bool one_line(const struct loom_error *err)
{
	size_t length = strnlen(err->text, sizeof(err->text));

	return length && length < sizeof(err->text) && !strchr(err->text, '\n');
}

/* true where the outcome is a graph that can be dumped, or a proper refusal */
static bool survives(const void *bytes, size_t size_bytes)
{
	static const struct loom_dim_binding dims[] = {
		{ "p2o.DynamicDimension.0", 1 },
		{ "p2o.DynamicDimension.1", 48 },
		{ "p2o.DynamicDimension.2", 192 },
		{ "x:0", 1 }, { "x:2", 48 }, { "x:3", 192 },
	};
	struct loom_graph_options options = { 0 };
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;
	char *text;
	int code, i;

	for (i = 0; i < 2; i++) {
		code = loom_graph_import_onnx_bytes(bytes, size_bytes, "hostile.onnx", &options,
						    &graph, &err);
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
		if (code != -EDESTADDRREQ)
			return true;
		/* again, past the question for dimensions */
		options.dims = dims + 3;
		options.num_dims = 3;
	}
	return true;
}

static void mutate(uint8_t *bytes, size_t *size_bytes)
{
	uint32_t i, count = 1 + random_below(8);
	size_t at = random_below(*size_bytes), length;

	switch (random_below(4)) {
	case 0:
		*size_bytes = at;
		break;
	case 1:
		for (i = 0; i < count; i++)
			bytes[random_below(*size_bytes)] ^= 1u << random_below(8);
		break;
	case 2:
		for (i = 0; i < count; i++)
			bytes[random_below(*size_bytes)] = (uint8_t)random_u64();
		break;
	default:
		length = 1 + random_below(64);
		if (at + length < *size_bytes) {
			memmove(bytes + at, bytes + at + length, *size_bytes - at - length);
			*size_bytes -= length;
		}
	}
}

/* @rounds mutations of the file; most of a large one is weights, so only its ends are touched */
static void mutate_file(const char *path, unsigned int rounds)
{
	const void *original;
	void *owned;
	uint8_t *bytes;
	size_t size_bytes = 0, mutated_bytes;
	unsigned int i, bad = 0;

	if (loom_onnx_read_file(path, NULL, &original, &size_bytes, &owned, NULL)) {
		tap_skip("%s is not there", path);
		return;
	}
	bytes = malloc(size_bytes + 1);
	if (!bytes)
		tap_fatal("no memory");
	random_state = 1;
	for (i = 0; i < rounds; i++) {
		memcpy(bytes, original, size_bytes);
		mutated_bytes = size_bytes;
		mutate(bytes, &mutated_bytes);
		bad += !survives(bytes, mutated_bytes);
	}
	tap_ok(!bad, "%u mutations of %s", rounds, path);
	free(bytes);
	free(owned);
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
	mutate_file(DATA "/node/test_conv_with_strides_padding/model.onnx", 400);
	mutate_file(DATA "/node/test_resize_tf_crop_and_resize/model.onnx", 400);
	mutate_file(DATA "/node/test_layer_normalization_4d_axis1_expanded/model.onnx", 600);
	mutate_file(DATA "/node/test_sce_mean_weight_expanded/model.onnx", 400);
	mutate_file(DATA "/node/test_slice/model.onnx", 400);
	mutate_file(DATA "/node/test_einsum_inner_prod/model.onnx", 200);
	mutate_file(DATA "/node/test_scatternd_add/model.onnx", 200);
	mutate_file(DATA "/node/test_gathernd_example_int32_batch_dim1/model.onnx", 200);
	mutate_file(DATA "/node/test_top_k/model.onnx", 200);
	mutate_file(DATA "/node/test_stft_with_window/model.onnx", 200);
	mutate_file(DATA "/pytorch-converted/test_BatchNorm2d_eval/model.onnx", 400);
	mutate_file(DATA "/pytorch-converted/test_ConvTranspose2d/model.onnx", 400);
	mutate_file("build/models/oww_hey_mycroft.onnx", 60);
	mutate_file("build/models/ppocr_cls.onnx", 100);
	mutate_file("build/models/blazeface.onnx", 100);
	return tap_end();
}
