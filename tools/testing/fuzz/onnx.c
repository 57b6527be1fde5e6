// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing the reader of ONNX
 *
 * One input is a file. Whatever is in it, nothing may crash; a refusal is one line that names the
 * file, and the same when asked again. A graph that is read is dumped, and the same when it is read
 * again.
 *
 * Inputs are a small network that is written here byte by byte, with bits, bytes and lengths
 * exchanged. libFuzzer begins with the models of the standard's own tests, if they are installed.
 */
#include "loom_core.h"

#define FUZZ_NAME	"fuzz-onnx"
#define FUZZ_MAX_BYTES	(64 << 10)

#include "fuzz.h"
#include "loom.h"

static u64 fuzz_taken;

/* Return: what the reader says; its graph as text, if it has one. */
static int fuzz_read(const uint8_t *data, size_t size, char **text, struct loom_error *err)
{
	struct loom_graph *graph;
	int ret;

	*text = NULL;
	ret = loom_graph_import_onnx_bytes(data, size, "fuzz.onnx", NULL, &graph, err);
	if (ret) {
		fuzz_expect(ret < 0 && !graph, "refused with %d", ret);
		return ret;
	}
	if (loom_graph_dump(graph, text))
		*text = NULL;
	loom_graph_destroy(graph);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_error err = { .text = "" }, second = { .text = "" };
	char *text, *again;
	int ret = fuzz_read(data, size, &text, &err);

	if (ret)
		fuzz_check_line(&err, "fuzz.onnx");
	fuzz_expect(fuzz_read(data, size, &again, &second) == ret &&
		    !strcmp(err.text, second.text) && !text == !again &&
		    (!text || !strcmp(text, again)), "two answers to the same question");
	fuzz_taken += !ret;
	free(text);
	free(again);
	return 0;
}

#ifndef LOOM_LIBFUZZER

/* Bytes that grow; fields of protobuf are put at the end. */
struct bytes {
	uint8_t data[1024];
	size_t size;
};

static void put_varint(struct bytes *to, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		to->data[to->size++] = value | 128;
	to->data[to->size++] = value;
}

static void put_number(struct bytes *to, uint32_t field, uint64_t value)
{
	put_varint(to, field << 3);
	put_varint(to, value);
}

static void put_bytes(struct bytes *to, uint32_t field, const void *data, size_t size)
{
	put_varint(to, field << 3 | 2);
	put_varint(to, size);
	memcpy(to->data + to->size, data, size);
	to->size += size;
}

static void put_text(struct bytes *to, uint32_t field, const char *text)
{
	put_bytes(to, field, text, strlen(text));
}

static void put_part(struct bytes *to, uint32_t field, const struct bytes *part)
{
	put_bytes(to, field, part->data, part->size);
}

static void put_node(struct bytes *graph, const char *type, const char *x, const char *w,
		     const char *y)
{
	struct bytes node = { .size = 0 };

	put_text(&node, 1, x);
	if (w)
		put_text(&node, 1, w);
	put_text(&node, 2, y);
	put_text(&node, 4, type);
	put_part(graph, 1, &node);
}

static void put_value(struct bytes *graph, uint32_t field, const char *name, u32 rank)
{
	static const uint8_t dims[] = { 1, 2, 4, 4 };
	struct bytes value = { .size = 0 }, type = { .size = 0 }, tensor = { .size = 0 };
	struct bytes shape = { .size = 0 }, dim;
	u32 i;

	for (i = 0; i < rank; i++) {
		dim.size = 0;
		put_number(&dim, 1, dims[i % ARRAY_SIZE(dims)]);
		put_part(&shape, 1, &dim);
	}
	put_number(&tensor, 1, 1);
	put_part(&tensor, 2, &shape);
	put_part(&type, 1, &tensor);
	put_text(&value, 1, name);
	put_part(&value, 2, &type);
	put_part(graph, field, &value);
}

/* Relu(Add(Conv(x, w), x)), with a kernel of one by one; of rank 4 it makes sense. */
static void fuzz_model(struct bytes *model, u32 rank)
{
	static const uint8_t weights[16] = { [2] = 0x80, [3] = 0x3f, [14] = 0x80, [15] = 0x3f };
	struct bytes graph = { .size = 0 }, tensor = { .size = 0 }, opset = { .size = 0 };

	put_node(&graph, "Conv", "x", "w", "a");
	put_node(&graph, "Add", "a", "x", "b");
	put_node(&graph, "Relu", "b", NULL, "y");
	put_text(&graph, 2, "g");
	put_number(&tensor, 1, 2);
	put_number(&tensor, 1, 2);
	put_number(&tensor, 1, 1);
	put_number(&tensor, 1, 1);
	put_number(&tensor, 2, 1);
	put_text(&tensor, 8, "w");
	put_bytes(&tensor, 9, weights, sizeof(weights));
	put_part(&graph, 5, &tensor);
	put_value(&graph, 11, "x", rank);
	put_value(&graph, 12, "y", rank);
	put_number(&opset, 2, 13);
	model->size = 0;
	put_number(model, 1, 8);
	put_part(model, 8, &opset);
	put_part(model, 7, &graph);
}

static void fuzz_damage(uint64_t *seed)
{
	size_t at = random_xorshift(seed, fuzz_now.size), from;

	switch (random_xorshift(seed, 5)) {
	case 0:
		fuzz_now.data[at] ^= 1 << random_xorshift(seed, 8);
		break;
	case 1:
		fuzz_now.data[at] = random_xorshift(seed, 256);
		break;
	case 2:
		fuzz_now.data[at] += random_xorshift(seed, 2) ? 1 : -1;
		break;
	case 3:
		from = random_xorshift(seed, fuzz_now.size);
		memmove(fuzz_now.data + at, fuzz_now.data + from,
			min(fuzz_now.size - at, min(fuzz_now.size - from, (size_t)8)));
		break;
	default:
		if (!random_xorshift(seed, 8) && at)
			fuzz_now.size = at;
		break;
	}
}

static void fuzz_next(void)
{
	struct bytes model;
	u32 changes;

	/* more dimensions than there may be, too */
	fuzz_model(&model, fuzz_tried && !random_xorshift(&fuzz_state, 8) ?
			   random_xorshift(&fuzz_state, 11) : 4);
	memcpy(fuzz_now.data, model.data, model.size);
	fuzz_now.size = model.size;
	for (changes = fuzz_tried ? random_xorshift(&fuzz_state, 4) : 0; changes; changes--)
		fuzz_damage(&fuzz_state);
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.make = fuzz_next,
		.counts = { { "accepted", &fuzz_taken } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif
