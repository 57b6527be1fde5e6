/* SPDX-License-Identifier: MIT */
/*
 * Small files of TensorFlow Lite, written by hand, to be damaged: a chain of operators of bytes or
 * of floats, with or without a memory plan. Nothing is shared with the library's writer.
 *
 * Offsets lead forward: a table is reserved with room for its fields, and tflite_lead() says that
 * one of them is what is written next. All fields have four bytes here.
 */
#ifndef LOOM_TESTS_TFLITE_BUILD_H
#define LOOM_TESTS_TFLITE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* with those of which a constant says that it leaves out zeros */
#define TFLITE_KINDS	20
#define TFLITE_ROOM	(32 << 10)

/**
 * struct tflite_build - a file that is written
 * @bytes: of it
 * @size: so far
 * @tensors: the list of tensors
 * @num_tensors: how many of it were written
 * @buffers: the list of buffers
 * @num_buffers: how many of it were written
 * @bytewise: tensors are of bytes
 * @sparse: the tensor of which only the first word is there; 0: of none
 */
struct tflite_build {
	uint8_t bytes[TFLITE_ROOM];
	size_t size;
	size_t tensors;
	uint32_t num_tensors;
	size_t buffers;
	uint32_t num_buffers;
	bool bytewise;
	uint32_t sparse;
};

static inline void tflite_put(struct tflite_build *b, size_t at, uint32_t value, size_t size)
{
	memcpy(b->bytes + at, &value, size);
}

static inline void tflite_align(struct tflite_build *b, size_t to, size_t head)
{
	while ((b->size + head) % to)
		b->size++;
}

/* Where field @field of a table is; it is there from now on. */
static inline size_t tflite_field(struct tflite_build *b, size_t table, uint32_t field)
{
	uint32_t list;

	memcpy(&list, b->bytes + table, 4);
	tflite_put(b, table - list + 4 + 2 * field, 4 + 4 * field, 2);
	return table + 4 + 4 * field;
}

static inline size_t tflite_table(struct tflite_build *b, uint32_t fields)
{
	const uint32_t list = 4 + 2 * (fields + fields % 2);
	const size_t table = b->size + list;

	tflite_put(b, b->size, list, 2);
	tflite_put(b, b->size + 2, 4 + 4 * fields, 2);
	tflite_put(b, table, list, 4);
	b->size = table + 4 + 4 * fields;
	return table;
}

/* The offset at @at leads to what is written next. */
static inline void tflite_here(struct tflite_build *b, size_t at, size_t align, size_t head)
{
	tflite_align(b, align, head);
	tflite_put(b, at, (uint32_t)(b->size - at), 4);
}

/* A table as a field of another, or as an item of a list. */
static inline size_t tflite_child(struct tflite_build *b, size_t at, uint32_t fields)
{
	size_t table;

	tflite_align(b, 4, 0);
	table = tflite_table(b, fields);
	tflite_put(b, at, (uint32_t)(table - at), 4);
	return table;
}

static inline void tflite_vector(struct tflite_build *b, size_t at, const void *data,
				 uint32_t count, uint32_t size)
{
	tflite_here(b, at, 16, 4);
	tflite_put(b, b->size, count, 4);
	memcpy(b->bytes + b->size + 4, data, (size_t)count * size);
	b->size += 4 + (size_t)count * size;
	tflite_align(b, 4, 0);
}

static inline void tflite_text(struct tflite_build *b, size_t at, const char *text)
{
	tflite_here(b, at, 4, 0);
	tflite_put(b, b->size, (uint32_t)strlen(text), 4);
	memcpy(b->bytes + b->size + 4, text, strlen(text) + 1);
	b->size += 4 + strlen(text) + 1;
	tflite_align(b, 4, 0);
}

/* A list of tables; returns where its first item is. */
static inline size_t tflite_list(struct tflite_build *b, size_t at, uint32_t count)
{
	tflite_here(b, at, 4, 0);
	tflite_put(b, b->size, count, 4);
	b->size += 4 + 4 * (size_t)count;
	return b->size - 4 * (size_t)count;
}

/* The next tensor, of four dimensions; a constant of @size bytes if @data. */
static inline void tflite_tensor(struct tflite_build *b, const int32_t *dims, uint32_t rank,
				 uint32_t type, const void *data, uint32_t size, uint32_t channels,
				 uint32_t axis)
{
	static const float scales[16] = {
		.02f, .03f, .04f, .02f, .02f, .03f, .04f, .02f, .02f, .03f, .04f, .02f, .02f, .03f,
		.04f, .02f,
	};
	static const int64_t zeros[16];
	const bool cut = b->sparse && b->num_tensors == b->sparse;
	const char name[] = { 't', (char)('a' + b->num_tensors), 0 };
	size_t table = tflite_child(b, b->tensors + 4 * (size_t)b->num_tensors++, 7), how;

	tflite_put(b, tflite_field(b, table, 1), type, 4);
	tflite_put(b, tflite_field(b, table, 2), data ? b->num_buffers : 0, 4);
	tflite_vector(b, tflite_field(b, table, 0), dims, rank, 4);
	tflite_text(b, tflite_field(b, table, 3), name);
	if (type == 9) {
		how = tflite_child(b, tflite_field(b, table, 4), 7);
		tflite_put(b, tflite_field(b, how, 6), axis, 4);
		tflite_vector(b, tflite_field(b, how, 2), scales, channels, 4);
		tflite_vector(b, tflite_field(b, how, 3), zeros, channels, 8);
	}
	if (cut)
		tflite_child(b, tflite_field(b, table, 6), 3);
	if (data) {
		table = tflite_child(b, b->buffers + 4 * (size_t)b->num_buffers++, 1);
		tflite_vector(b, tflite_field(b, table, 0), data, cut ? 4 : size, 1);
	}
}

/* An operator with options that are integers. */
static inline void tflite_operator(struct tflite_build *b, size_t at, uint32_t code,
				   const int32_t *inputs, uint32_t num_inputs, int32_t output,
				   const uint32_t *options, uint32_t num_options)
{
	size_t table = tflite_child(b, at, 5), how;
	uint32_t i;

	tflite_put(b, tflite_field(b, table, 0), code, 4);
	tflite_put(b, tflite_field(b, table, 3), 1, 4);
	tflite_vector(b, tflite_field(b, table, 1), inputs, num_inputs, 4);
	tflite_vector(b, tflite_field(b, table, 2), &output, 1, 4);
	how = tflite_child(b, tflite_field(b, table, 4), num_options);
	for (i = 0; i < num_options; i++)
		tflite_put(b, tflite_field(b, how, i), options[i], 4);
}

/* CONV, DEPTHWISE, PAD, ADD, MAX_POOL, RESIZE, CONCATENATION, MEAN, RESHAPE, FULLY_CONNECTED */
static inline void tflite_operators(struct tflite_build *b, size_t at)
{
	static const uint32_t conv[] = { 0, 1, 1, 3, 1, 1 }, depth[] = { 0, 2, 2, 1, 1, 1, 1 };
	static const uint32_t pool[] = { 1, 2, 2, 2, 2, 0 }, none[] = { 0 }, last[] = { 3, 0 };
	static const uint32_t half[] = { 0, 0, 0, 1 };

	tflite_operator(b, at, 0, (int32_t[]){ 0, 1, 2 }, 3, 3, conv, 6);
	tflite_operator(b, at + 4, 1, (int32_t[]){ 3, 4, -1 }, 3, 5, depth, 7);
	tflite_operator(b, at + 8, 2, (int32_t[]){ 5, 6 }, 2, 7, none, 1);
	tflite_operator(b, at + 12, 3, (int32_t[]){ 7, 7 }, 2, 8, none, 1);
	tflite_operator(b, at + 16, 4, (int32_t[]){ 8 }, 1, 9, pool, 6);
	tflite_operator(b, at + 20, 5, (int32_t[]){ 9, 10 }, 2, 11, half, 4);
	tflite_operator(b, at + 24, 6, (int32_t[]){ 11, 8 }, 2, 12, last, 2);
	tflite_operator(b, at + 28, 7, (int32_t[]){ 12, 13 }, 2, 14, none, 1);
	tflite_operator(b, at + 32, 8, (int32_t[]){ 14 }, 1, 15, none, 1);
	tflite_operator(b, at + 36, 9, (int32_t[]){ 15, 16, -1 }, 3, 17, none, 1);
}

static inline void tflite_all_tensors(struct tflite_build *b)
{
	static const int8_t data[1024] = { 1, 2, -3, 4, 5, -6 };
	static const int32_t pads[] = { 0, 0, 1, 0, 0, 1, 0, 0 }, sizes[] = { 4, 4 };
	static const int32_t axes[] = { 1, 2 };
	const uint32_t type = b->bytewise ? 9 : 0, size = b->bytewise ? 1 : 4;
	int32_t d[][4] = {
		{ 1, 6, 6, 2 }, { 4, 3, 3, 2 }, { 4 }, { 1, 6, 6, 4 }, { 1, 3, 3, 4 },
		{ 1, 3, 3, 4 }, { 4, 2 }, { 1, 4, 4, 4 }, { 1, 4, 4, 4 }, { 1, 2, 2, 4 }, { 2 },
		{ 1, 4, 4, 4 }, { 1, 4, 4, 8 }, { 2 }, { 1, 8 }, { 1, 8 }, { 3, 8 }, { 1, 3 },
	};

	tflite_tensor(b, d[0], 4, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[1], 4, type, data, 72 * size, 4, 0);
	tflite_tensor(b, d[2], 1, b->bytewise ? 2 : 0, data, 16, 1, 0);
	tflite_tensor(b, d[3], 4, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[4], 4, type, data, 36 * size, 4, 3);
	tflite_tensor(b, d[5], 4, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[6], 2, 2, pads, 32, 1, 0);
	tflite_tensor(b, d[7], 4, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[8], 4, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[9], 4, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[10], 1, 2, sizes, 8, 1, 0);
	tflite_tensor(b, d[11], 4, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[12], 4, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[13], 1, 2, axes, 8, 1, 0);
	tflite_tensor(b, d[14], 2, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[15], 2, type, NULL, 0, 1, 0);
	tflite_tensor(b, d[16], 2, type, data, 24 * size, 1, 0);
	tflite_tensor(b, d[17], 2, type, NULL, 0, 1, 0);
}

/*
 * Bytes or floats by bit 0 of @which, with a memory plan by bit 1. From bit 2 on: which constant is
 * cut, of none, a bias, a padding, sizes, and axes.
 */
static inline void tflite_build(struct tflite_build *b, uint32_t which)
{
	static const uint32_t codes[] = { 3, 4, 34, 0, 17, 23, 2, 40, 22, 9 };
	static const int32_t plan[21] = { 0, 1, 18, 0, -1, -1, 320, -1, 0, -1, 256, 0, 256, -1, 320,
					  576, -1, 0, 512, -1, 0 };
	static const uint32_t cut[] = { 0, 2, 6, 10, 13 };
	const bool planned = which & 2;
	size_t root, at, table, graph, codes_at, i;

	memset(b, 0, sizeof(*b));
	b->bytewise = which & 1;
	b->sparse = cut[which >> 2];
	memcpy(b->bytes + 4, "TFL3", 4);
	b->size = 8;
	root = tflite_child(b, 0, 8);
	tflite_put(b, tflite_field(b, root, 0), 3, 4);
	codes_at = tflite_list(b, tflite_field(b, root, 1), 10);
	for (i = 0; i < 10; i++) {
		table = tflite_child(b, codes_at + 4 * i, 4);
		tflite_put(b, tflite_field(b, table, 0), codes[i], 4);
		tflite_put(b, tflite_field(b, table, 3), codes[i], 4);
	}
	at = tflite_list(b, tflite_field(b, root, 2), 1);
	graph = tflite_child(b, at, 5);
	b->buffers = tflite_list(b, tflite_field(b, root, 4), planned ? 9 : 8);
	tflite_child(b, b->buffers, 1);
	b->num_buffers = 1;
	b->tensors = tflite_list(b, tflite_field(b, graph, 0), 18);
	tflite_all_tensors(b);
	tflite_vector(b, tflite_field(b, graph, 1), (int32_t[]){ 0 }, 1, 4);
	tflite_vector(b, tflite_field(b, graph, 2), (int32_t[]){ 17 }, 1, 4);
	at = tflite_list(b, tflite_field(b, graph, 3), 10);
	tflite_operators(b, at);
	if (!planned)
		return;
	at = tflite_list(b, tflite_field(b, root, 6), 1);
	table = tflite_child(b, at, 2);
	tflite_put(b, tflite_field(b, table, 1), b->num_buffers, 4);
	tflite_text(b, tflite_field(b, table, 0), "OfflineMemoryAllocation");
	table = tflite_child(b, b->buffers + 4 * (size_t)b->num_buffers++, 1);
	tflite_vector(b, tflite_field(b, table, 0), plan, sizeof(plan), 1);
}

#endif /* LOOM_TESTS_TFLITE_BUILD_H */
