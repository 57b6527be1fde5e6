// SPDX-License-Identifier: MIT
#include "csv.h"

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/*
 * Lines, fields and numbers. The text is cut in place: a quoted field becomes shorter, and a zero
 * ends each field.
 */

const char *loom_place_csv_show(char shown[LOOM_PLACE_CSV_SHOWN], const char *field)
{
	size_t i, length = strlen(field);
	const char *more = "";

	if (length > LOOM_PLACE_CSV_SHOWN - 4) {
		length = LOOM_PLACE_CSV_SHOWN - 4;
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

int loom_place_csv_fail(struct loom_place_csv_scan *scan, int code, uint32_t line,
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

int loom_place_csv_no_memory(struct loom_place_csv_scan *scan)
{
	return loom_place_csv_fail(scan, -ENOMEM, 0, "no memory");
}

bool loom_place_csv_skip_blank(struct loom_place_csv_scan *scan)
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
static int loom_place_csv_quoted(struct loom_place_csv_scan *scan, char **end)
{
	const uint32_t line = scan->line;
	char *out = scan->at;
	char c;

	for (;;) {
		if (scan->at == scan->end)
			return loom_place_csv_fail(scan, -EINVAL, line,
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
		return loom_place_csv_fail(scan, -EINVAL, scan->line,
					   "there is text behind a closing quote");
	return 0;
}

int loom_place_csv_field(struct loom_place_csv_scan *scan, char **field, bool *more)
{
	char *end = NULL;
	int ret;

	if (scan->at < scan->end && *scan->at == '"') {
		*field = ++scan->at;
		ret = loom_place_csv_quoted(scan, &end);
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
			return loom_place_csv_fail(scan, -EINVAL, scan->line,
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

const char *loom_place_csv_trim(const char *text, size_t *length)
{
	while (*text == ' ' || *text == '\t')
		text++;
	*length = strlen(text);
	while (*length && (text[*length - 1] == ' ' || text[*length - 1] == '\t'))
		--*length;
	return text;
}

int loom_place_csv_scan_number(const char **at, int64_t *value)
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
