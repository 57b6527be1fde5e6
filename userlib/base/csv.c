// SPDX-License-Identifier: MIT
#include "csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/*
 * Lines, fields and numbers. The text is cut in place: a quoted field becomes shorter, and a zero
 * ends each field.
 */

const char *loom_csv_show(char shown[LOOM_CSV_SHOWN], const char *field)
{
	size_t i, length = strlen(field);
	const char *more = "";

	if (length > LOOM_CSV_SHOWN - 4) {
		length = LOOM_CSV_SHOWN - 4;
		/* must not cut a UTF-8 character */
		while (length && ((unsigned char)field[length] & 0xc0) == 0x80)
			length--;
		more = "...";
	}
	for (i = 0; i < length; i++)
		shown[i] = (unsigned char)field[i] < 0x20 || field[i] == 0x7f ? '?' : field[i];
	memcpy(shown + length, more, strlen(more) + 1);
	return shown;
}

int loom_csv_fail(struct loom_csv_scan *scan, int code, uint32_t line,
		  const char *format, ...)
{
	char text[300];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (line)
		return loom_error_set(scan->err, code, "%.180s:%u: %s", scan->path, line, text);
	return loom_error_set(scan->err, code, "%.180s: %s", scan->path, text);
}

int loom_csv_no_memory(struct loom_csv_scan *scan)
{
	return loom_csv_fail(scan, -ENOMEM, 0, "no memory");
}

int loom_csv_begin(struct loom_csv_scan *scan, char *text, size_t size_bytes)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *zero = memchr(text, '\0', size_bytes);

	scan->at = text;
	scan->end = text + size_bytes;
	scan->line = 1;
	if (zero) {
		for (; scan->at < zero; scan->at++)
			scan->line += *scan->at == '\n';
		return loom_csv_fail(scan, -EINVAL, scan->line,
				     "there is a zero byte: this is no text");
	}
	if (size_bytes >= 3 && !memcmp(text, mark, 3))
		scan->at += 3;
	return 0;
}

bool loom_csv_skip_blank(struct loom_csv_scan *scan)
{
	char *at;

	for (;;) {
		at = scan->at;
		while (at < scan->end && (*at == ' ' || *at == '\t' || *at == '\r'))
			at++;
		if (at == scan->end)
			return false;
		if (*at != '\n')
			return true;
		scan->at = at + 1;
		scan->line++;
	}
}

/* Unquotes a field in place ("" is one quote); @scan->at is behind its first quote. */
static int loom_csv_quoted(struct loom_csv_scan *scan, char **end)
{
	const uint32_t line = scan->line;
	char *out = scan->at;
	char c;

	for (;;) {
		if (scan->at == scan->end)
			return loom_csv_fail(scan, -EINVAL, line,
						   "a quote is opened and never closed");
		c = *scan->at++;
		if (c == '"') {
			if (scan->at == scan->end || *scan->at != '"')
				break;
			scan->at++;
		}
		if (c == '\n')
			scan->line++;
		*out++ = c;
	}
	*end = out;
	if (scan->at != scan->end && !strchr(",\r\n", *scan->at))
		return loom_csv_fail(scan, -EINVAL, scan->line,
					   "there is text behind a closing quote");
	return 0;
}

int loom_csv_field(struct loom_csv_scan *scan, char **field, bool *more)
{
	char *end = NULL;
	int ret;

	if (scan->at < scan->end && *scan->at == '"') {
		*field = ++scan->at;
		ret = loom_csv_quoted(scan, &end);
		if (ret)
			return ret;
	} else {
		*field = scan->at;
		while (scan->at < scan->end && *scan->at != ',' && *scan->at != '\n')
			scan->at++;
		end = scan->at;
		if (end > *field && end[-1] == '\r' && (scan->at == scan->end || *scan->at == '\n'))
			end--;
	}
	if (scan->at < scan->end && *scan->at == '\r') {
		scan->at++;
		if (scan->at < scan->end && *scan->at != '\n')
			return loom_csv_fail(scan, -EINVAL, scan->line,
						   "there is text behind a closing quote");
	}
	*more = scan->at < scan->end && *scan->at == ',';
	if (scan->at < scan->end) {
		if (*scan->at == '\n')
			scan->line++;
		scan->at++;
	}
	*end = '\0';
	return 0;
}

const char *loom_csv_trim(const char *text, size_t *length)
{
	while (*text == ' ' || *text == '\t')
		text++;
	*length = strlen(text);
	while (*length && (text[*length - 1] == ' ' || text[*length - 1] == '\t'))
		--*length;
	return text;
}

int loom_csv_number(const char **at, int64_t *value)
{
	const bool negative = **at == '-';
	int64_t sum = 0;

	if (**at == '-' || **at == '+')
		++*at;
	if (**at < '0' || **at > '9')
		return -EINVAL;
	for (; **at >= '0' && **at <= '9'; ++*at) {
		const int64_t digit = negative ? '0' - **at : **at - '0';

		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return -ERANGE;
	}
	*value = sum;
	return 0;
}

/* ------------------------------------------------------------------------- rows */

int loom_csv_slurp(FILE *stream, char **text, size_t *size_bytes)
{
	size_t room = 0, size = 0, got;
	char *grown;

	*text = NULL;
	do {
		if (size + 1 >= room) {
			room = room ? 2 * room : 65536;
			grown = realloc(*text, room);
			if (!grown)
				return -ENOMEM;
			*text = grown;
		}
		errno = 0;
		got = fread(*text + size, 1, room - size - 1, stream);
		size += got;
	} while (got && size <= LOOM_CSV_MAX_BYTES);
	*size_bytes = size;
	if (ferror(stream))
		return errno ? -errno : -EIO;
	return 0;
}

int loom_csv_open(struct loom_csv *csv, const char *path, struct loom_error *err)
{
	FILE *file = fopen(path, "re");
	size_t size_bytes;
	int ret = -errno;

	*csv = (struct loom_csv){ .scan = { .path = path, .err = err } };
	if (!file)
		return loom_error_set(err, ret, "%s: %s", path, strerror(-ret));
	ret = loom_csv_slurp(file, &csv->text, &size_bytes);
	fclose(file);
	if (ret)
		return loom_csv_fail(&csv->scan, ret, 0, "cannot be read: %s", strerror(-ret));
	if (size_bytes > LOOM_CSV_MAX_BYTES)
		return loom_csv_fail(&csv->scan, -E2BIG, 0, "is larger than %llu MiB",
				     LOOM_CSV_MAX_BYTES >> 20);
	csv->text[size_bytes] = '\0';
	ret = loom_csv_begin(&csv->scan, csv->text, size_bytes);
	ret = ret ? ret : loom_csv_next(csv);
	if (ret > 0)
		return 0;
	return ret ? ret : loom_csv_fail(&csv->scan, -EINVAL, 1, "no line with column names");
}

int loom_csv_next(struct loom_csv *csv)
{
	bool more = true, comment = true;
	size_t length;
	int ret;

	while (comment) {
		if (!loom_csv_skip_blank(&csv->scan))
			return 0;
		comment = *csv->scan.at == '#';
		if (comment)
			csv->scan.at += strcspn(csv->scan.at, "\n");
	}
	csv->line = csv->scan.line;
	for (csv->count = 0; more; csv->count++) {
		char **field = &csv->fields[csv->count];

		if (csv->count == LOOM_CSV_COLUMNS)
			return loom_csv_fail(&csv->scan, -EINVAL, csv->line,
					     "more than %u columns", LOOM_CSV_COLUMNS);
		ret = loom_csv_field(&csv->scan, field, &more);
		if (ret)
			return ret;
		*field = (char *)loom_csv_trim(*field, &length);
		(*field)[length] = '\0';
	}
	return 1;
}

int loom_csv_fail_row(struct loom_csv *csv, const char *format, ...)
{
	char text[300];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return loom_csv_fail(&csv->scan, -EINVAL, csv->line, "%s", text);
}

void loom_csv_close(struct loom_csv *csv)
{
	free(csv->text);
}
