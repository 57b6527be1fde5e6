// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing files of labels
 *
 * One input is a file for "loom run --labels" and the numbers that are read with it: what the tool
 * prints as text, and the classes with the largest values, as JSON. Nothing may crash; a refusal is
 * one line. What is printed must be text in UTF-8 without control characters, and what a plain
 * reading of the definition gives, which is here a second time.
 *
 * Three bytes choose shapes, the rest is the file; numbers are made of its bytes.
 */
#include <math.h>
#include <sys/mman.h>

#define FUZZ_NAME	"fuzz-labels"
#define FUZZ_MAX_BYTES	(4 << 10)

#include "../loom/tool.h"
#include "fuzz.h"

#define MAX_STEPS	16
#define MAX_LINES	FUZZ_MAX_BYTES

static u64 fuzz_texts, fuzz_tops;
static char message[4096];

/* The tool's own would print. */
int tool_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return TOOL_FAILED;
}

/* Bytes of a character of UTF-8 that is none of control, by its definition; 0: it is none. */
static size_t fuzz_char(const uint8_t *at, size_t left)
{
	static const struct {
		size_t length;
		u32 first, last, least, most;
	} forms[] = {
		{ 1, 0x20, 0x7e, 0x20, 0x7e },
		{ 2, 0xc0, 0xdf, 0xa0, 0x7ff },
		{ 3, 0xe0, 0xef, 0x800, 0xffff },
		{ 4, 0xf0, 0xf7, 0x10000, 0x10ffff },
	};
	u32 form = 0, code, i;

	while (form < ARRAY_SIZE(forms) && (*at < forms[form].first || *at > forms[form].last))
		form++;
	if (form == ARRAY_SIZE(forms) || forms[form].length > left)
		return 0;
	code = *at - (form ? forms[form].first : 0);
	for (i = 1; i < forms[form].length; i++) {
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
		code = code * 64 + at[i] - 0x80;
	}
	if (code < forms[form].least || code > forms[form].most ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return forms[form].length;
}

/* Whether all of it may be printed; of JSON, line ends stand between its members. */
static void fuzz_check_text(const char *text, size_t size, bool json)
{
	size_t at, length;

	for (at = 0; at < size; at += length) {
		length = (json ? text[at] == '\n' : text[at] == '\t') ? 1 :
			 fuzz_char((const uint8_t *)text + at, size - at);
		fuzz_expect(length, "byte %zu of %zu that are printed is no text", at, size);
	}
}

static void fuzz_check_refusal(int ret)
{
	fuzz_expect(ret == TOOL_FAILED && *message, "a refusal says nothing");
	fuzz_check_text(message, strlen(message), false);
	*message = '\0';
}

/**
 * struct fuzz_lines - a file of labels, split once more
 * @count: number of lines
 * @at: first byte of each
 * @size: bytes of each
 */
struct fuzz_lines {
	u32 count;
	const char *at[MAX_LINES];
	size_t size[MAX_LINES];
};

static void fuzz_split(struct fuzz_lines *lines, const char *text, size_t size)
{
	size_t begin = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0, i;

	lines->count = 0;
	for (i = begin; i <= size; i++) {
		/* what ends with a line end has no line behind it */
		if (i < size ? text[i] != '\n' : begin == size)
			continue;
		lines->at[lines->count] = text + begin;
		lines->size[lines->count] = i - begin;
		if (i > begin && text[i - 1] == '\r')
			lines->size[lines->count]--;
		lines->count++;
		begin = i + 1;
		if (i == size)
			break;
	}
}

/* Numbers, some of them none, and many of them alike. */
static void fuzz_numbers(float *numbers, size_t count, const uint8_t *data, size_t size)
{
	size_t i;

	for (i = 0; i < count; i++) {
		int8_t byte = size ? data[i * 7 % size] : 0;

		numbers[i] = byte == 127 ? INFINITY : byte == -128 ? NAN : byte / 8 * 0.25f;
	}
}

/* The text by its definition: the best class of each step, without repeats, without blanks. */
static void fuzz_check_decoded(const struct tool_text *text, const struct fuzz_lines *lines,
			       const float *numbers, u32 steps, u32 classes)
{
	u32 t, i, best, last = 0, chars = 0;
	size_t at = 0, size = strlen(text->text);

	for (t = 0; t < steps; t++, last = best) {
		const char *want = " ";
		size_t length = 1;

		for (i = 1, best = 0; i < classes; i++)
			if (numbers[t * classes + i] > numbers[t * classes + best])
				best = i;
		if (!best || best == last)
			continue;
		chars++;
		if (best <= lines->count) {
			want = lines->at[best - 1];
			length = lines->size[best - 1];
		}
		fuzz_expect(length <= size - at && !memcmp(text->text + at, want, length),
			    "step %u is another text", t);
		at += length;
	}
	fuzz_expect(at == size && chars == text->num_chars, "there is more text than steps say");
}

static void fuzz_decode(const char *path, const struct fuzz_lines *lines,
			const struct loom_array *array, u32 steps, u32 classes)
{
	struct tool_text text;
	int ret = tool_labels_decode(path, array, &text);

	if (ret) {
		fuzz_check_refusal(ret);
	} else {
		fuzz_expect(classes - 1 == lines->count || classes - 2 == lines->count,
			    "%u lines are taken for %u classes", lines->count, classes);
		fuzz_check_text(text.text, strlen(text.text), false);
		fuzz_check_decoded(&text, lines, array->data, steps, classes);
		fuzz_texts++;
	}
	free(text.text);
}

static void fuzz_top(const char *path, const struct fuzz_lines *lines,
		     const struct loom_array *array, u32 count)
{
	u32 classes = array->dims[array->rank - 1], numbers = 0, i;
	const float *values = array->data;
	struct tool_top top = {};
	struct json json;
	char *text = NULL;
	size_t size;
	FILE *file;
	int ret;

	ret = tool_top_find(array, count, path, &top);
	if (ret) {
		fuzz_check_refusal(ret);
		tool_top_clear(&top);
		return;
	}
	fuzz_tops++;
	fuzz_expect(lines->count == classes, "labels of another number are taken");
	for (i = 0; i < classes; i++)
		numbers += !isnan(values[i]);
	fuzz_expect(top.count == min(numbers, count), "%u classes of %u are the top %u",
		    top.count, numbers, count);
	for (i = 1; i < top.count; i++)
		fuzz_expect(top.classes[i].value < top.classes[i - 1].value ||
			    (top.classes[i].value == top.classes[i - 1].value &&
			     top.classes[i].index > top.classes[i - 1].index),
			    "class %u is not in its order", i);
	file = open_memstream(&text, &size);
	if (!file)
		fuzz_fail("no memory");
	json_begin(&json, file);
	tool_top_json(&top, &json);
	json_end(&json);
	fclose(file);
	fuzz_check_text(text, size, true);
	free(text);
	tool_top_clear(&top);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_lines lines;
	u32 steps, classes, more;
	struct loom_array array = { .dtype = DRM_LOOM_DTYPE_F32, .name = (char *)"y" };
	char path[64];
	float *numbers;
	int fd;

	if (size < 3 || size - 3 > MAX_LINES - 1)
		return 0;
	fd = memfd_create("labels", 0);
	if (fd < 0 || write(fd, data + 3, size - 3) != (ssize_t)(size - 3))
		fuzz_fail("no memory for a file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fuzz_split(&lines, (const char *)data + 3, size - 3);
	steps = data[0] % MAX_STEPS + 1;
	more = data[1] % 4;
	classes = lines.count + more;
	numbers = malloc(max(1U, steps * classes) * sizeof(*numbers));
	if (!numbers)
		fuzz_fail("no memory for numbers");
	fuzz_numbers(numbers, steps * classes, data, size);
	array.data = numbers;
	array.rank = 2 + data[1] / 4 % 2;
	array.dims[0] = 1;
	array.dims[array.rank - 2] = steps;
	array.dims[array.rank - 1] = classes;
	array.size_bytes = (u64)steps * classes * sizeof(*numbers);
	if (classes)
		fuzz_decode(path, &lines, &array, steps, classes);
	array.dims[array.rank - 2] = 1;
	array.size_bytes = classes * sizeof(*numbers);
	if (classes)
		fuzz_top(path, &lines, &array, 1 + data[2]);
	free(numbers);
	close(fd);
	return 0;
}

#ifndef LOOM_LIBFUZZER

static void fuzz_next(void)
{
	static const char *const words[] = {
		"a", "cat", "\n", "\n", "\r\n", " ", "\t", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x90\xb1", "\"", "\\", "\xef\xbb\xbf", "</script>",
	};
	static const char *const damage[] = {
		"\x1b[2J", "\xc2\x9b", "\x7f", "\xff", "\xc3", "\xed\xa0\x80", "\xc0\x80",
	};
	u32 count = random_xorshift(&fuzz_state, 40), i;
	uint8_t *out = fuzz_now.data;
	size_t size = 3;

	for (i = 0; i < 3; i++)
		out[i] = random_xorshift(&fuzz_state, 256);
	for (i = 0; i < count; i++) {
		const char *word = words[random_xorshift(&fuzz_state, ARRAY_SIZE(words))];

		memcpy(out + size, word, strlen(word));
		size += strlen(word);
	}
	if (!random_xorshift(&fuzz_state, 4)) {
		const char *word = damage[random_xorshift(&fuzz_state, ARRAY_SIZE(damage))];

		memcpy(out + size, word, strlen(word));
		size += strlen(word);
	}
	if (!random_xorshift(&fuzz_state, 4))
		out[random_xorshift(&fuzz_state, size)] = random_xorshift(&fuzz_state, 256);
	fuzz_now.size = size;
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.make = fuzz_next,
		.counts = { { "texts", &fuzz_texts }, { "tops", &fuzz_tops } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif
