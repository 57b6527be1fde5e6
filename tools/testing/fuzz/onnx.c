// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing the reader of ONNX
 *
 * One input is a file. Whatever is in it, nothing may crash; a refusal is one line that names the
 * file, and the same when asked again. A graph that is read is dumped, and the same when it is read
 * again.
 *
 * Inputs are the small models of the standard's own tests, which must be installed, with bits,
 * bytes, lengths and dimensions exchanged; libFuzzer begins with them, too.
 */
#include <glob.h>

#include "loom_core.h"

#define FUZZ_NAME	"fuzz-onnx"
#define FUZZ_MAX_BYTES	(64 << 10)

#include "fuzz.h"
#include "loom.h"

static u64 fuzz_taken;

/* Return: that of the reader; @text: the graph as text, or NULL. */
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

#define MODELS	"/usr/share/libonnx-testdata/data/node/*/model.onnx"
#define SMALL	1024

/**
 * struct model - a file of the standard's tests
 * @size: number of @data
 * @data: the bytes
 */
static struct model {
	size_t size;
	uint8_t data[SMALL];
} *fuzz_models;

static size_t fuzz_model_count;

static void fuzz_begin(void)
{
	glob_t found;
	size_t i;

	if (glob(MODELS, 0, NULL, &found))
		fuzz_fail("no file is like " MODELS);
	fuzz_models = calloc(found.gl_pathc, sizeof(*fuzz_models));
	if (!fuzz_models)
		fuzz_fail("no memory");
	for (i = 0; i < found.gl_pathc; i++) {
		struct model *model = &fuzz_models[fuzz_model_count];
		FILE *file = fopen(found.gl_pathv[i], "rb");

		if (!file)
			continue;
		model->size = fread(model->data, 1, SMALL, file);
		fuzz_model_count += model->size && model->size < SMALL;
		fclose(file);
	}
	globfree(&found);
}

/* A shape has twice as many dimensions in as many bytes: more than there may be, too. */
static void fuzz_double(size_t at)
{
	static const char dim[] = "\x0a\x02\x08", two[] = "\x0a\x00\x0a";
	uint8_t *here = memmem(fuzz_now.data + at, fuzz_now.size - at, dim, 3);

	while (here && here + 4 <= fuzz_now.data + fuzz_now.size && !memcmp(here, dim, 3)) {
		memcpy(here, two, 4);
		here += 4;
	}
}

static void fuzz_damage(uint64_t *seed)
{
	size_t at, from;

	if (!fuzz_now.size)
		return;
	at = random_xorshift(seed, fuzz_now.size);
	switch (random_xorshift(seed, 7)) {
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
	case 4:
		fuzz_splice(at, 1 + random_xorshift(seed, 64), "", 0);
		break;
	case 5:
		fuzz_double(at);
		break;
	default:
		if (!random_xorshift(seed, 8) && at)
			fuzz_now.size = at;
		break;
	}
}

static void fuzz_next(void)
{
	const struct model *model = &fuzz_models[random_xorshift(&fuzz_state, fuzz_model_count)];
	u64 changes;

	memcpy(fuzz_now.data, model->data, model->size);
	fuzz_now.size = model->size;
	for (changes = random_xorshift(&fuzz_state, 4); changes; changes--)
		fuzz_damage(&fuzz_state);
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.begin = fuzz_begin,
		.make = fuzz_next,
		.counts = { { "accepted", &fuzz_taken } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif
