// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * DOC: Labels
 *
 * A text recogniser with a CTC head gives a probability per time step and class. Class 0 is the
 * blank, then come the lines of the dictionary, and a space if there is one class more. Greedy
 * decoding takes the best class of each step, drops repeats, then drops blanks.
 */

void tool_labels_clear(struct tool_labels *labels)
{
	free(labels->bytes);
	free(labels->lines);
	*labels = (struct tool_labels){ 0 };
}

/* Whether bytes are text that can be printed, which a terminal does not take for orders. */
static bool tool_labels_text(const char *at, const char *end)
{
	size_t length;

	for (; at < end; at += length) {
		length = *at == '\t' ? 1 : tool_char_length(at, end - at);
		if (!length)
			return false;
	}
	return true;
}

/* -EILSEQ: the line behind the last is no text. */
static int tool_labels_split(struct tool_labels *labels, size_t size)
{
	static const char mark[] = { 0xef, 0xbb, 0xbf };
	size_t i, count = 1;
	char *at, *end, *last;

	for (i = 0; i < size; i++)
		count += labels->bytes[i] == '\n';
	labels->lines = calloc(count, sizeof(*labels->lines));
	if (!labels->lines)
		return -ENOMEM;
	at = labels->bytes;
	/* some editors begin a text so, it is no part of the first line */
	if (size >= sizeof(mark) && !memcmp(at, mark, sizeof(mark)))
		at += sizeof(mark);
	for (; at < labels->bytes + size; at = end + 1) {
		end = memchr(at, '\n', labels->bytes + size - at);
		if (!end)
			end = labels->bytes + size;
		last = end > at && end[-1] == '\r' ? end - 1 : end;
		*last = '\0';
		if (!tool_labels_text(at, last))
			return -EILSEQ;
		labels->lines[labels->num_lines++] = at;
	}
	return 0;
}

int tool_labels_load(const char *path, struct tool_labels *labels)
{
	FILE *file = fopen(path, "rb");
	uint32_t lines;
	size_t size;
	int ret;

	*labels = (struct tool_labels){ 0 };
	if (!file)
		return tool_fail("%s: %s", path, strerror(errno));
	ret = tool_file_size(file, &size);
	if (ret)
		goto out;
	labels->bytes = malloc(size + 1);
	if (!labels->bytes)
		ret = -ENOMEM;
	else if (fread(labels->bytes, 1, size, file) != size)
		ret = -EIO;
	else
		ret = tool_labels_split(labels, size);
out:
	fclose(file);
	if (!ret)
		return 0;
	lines = labels->num_lines;
	tool_labels_clear(labels);
	if (ret == -EILSEQ)
		return tool_fail("%s: line %u is not text in UTF-8", path, lines + 1);
	return tool_fail("%s: %s", path, strerror(-ret));
}

static uint32_t tool_labels_best(const float *row, uint32_t classes)
{
	uint32_t i, best = 0;

	for (i = 1; i < classes; i++)
		if (row[i] > row[best])
			best = i;
	return best;
}

static int tool_labels_read(const struct tool_labels *labels, const float *rows, int64_t steps,
			    uint32_t classes, struct tool_text *text)
{
	uint32_t best, last = 0;
	double sum = 0;
	size_t size;
	FILE *out;
	int64_t t;

	out = open_memstream(&text->text, &size);
	if (!out)
		return -ENOMEM;
	for (t = 0; t < steps; t++) {
		best = tool_labels_best(rows + t * classes, classes);
		if (best && best != last) {
			fputs(best <= labels->num_lines ? labels->lines[best - 1] : " ", out);
			sum += rows[t * classes + best];
			text->num_chars++;
		}
		last = best;
	}
	text->confidence = text->num_chars ? sum / text->num_chars : 0;
	return fclose(out) ? -ENOMEM : 0;
}

int tool_labels_decode(const char *dictionary, const struct loom_array *array,
		       struct tool_text *text)
{
	struct tool_labels labels;
	char dims[TOOL_TEXT];
	uint32_t classes;
	int ret;

	*text = (struct tool_text){ 0 };
	if (array->dtype != DRM_LOOM_DTYPE_F32 || array->rank < 2 || array->rank > 3 ||
	    (array->rank == 3 && array->dims[0] != 1) || array->dims[array->rank - 1] < 2)
		return tool_fail("--labels: output '%s' %s is not a row of classes per step",
				 array->name, tool_dims(dims, array->rank, array->dims));
	ret = tool_labels_load(dictionary, &labels);
	if (ret)
		return ret;
	classes = array->dims[array->rank - 1];
	if (classes - 1 != labels.num_lines && classes - 2 != labels.num_lines)
		ret = tool_fail("%s: has %u lines, but output '%s' has %u classes", dictionary,
				labels.num_lines, array->name, classes);
	else if (tool_labels_read(&labels, array->data, array->dims[array->rank - 2], classes,
				  text))
		ret = tool_fail("no memory");
	tool_labels_clear(&labels);
	return ret;
}
