// SPDX-License-Identifier: MIT
/*
 * DOC: Lifetimes as JSON
 *
 * The input is a list of objects, or an object with such a list as its member "items". Each object
 * is an item; its members are named like columns of the CSV, and are numbers or texts. The input is
 * converted to that CSV, so that all later code is shared. An item goes to the CSV line with the
 * number of the line on which it begins, if possible, so that messages name that line.
 *
 * Objects are flat: nesting is refused, so nothing recurses.
 */
#include "csv.h"
#include "json.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Objects with more names of members than that are no items. */
#define MAX_KEYS	32
#define KEY_BYTES	48

/**
 * struct json_scan - a position in the text
 * @path: of the file, for messages
 * @at: the next byte
 * @end: of the text
 * @line: of @at, from 1
 * @keys: names of members so far: columns
 * @num_keys: number of @keys
 * @out: the CSV; NULL: only names are collected
 * @out_line: of the CSV
 * @err: where the message goes
 * @code: 0 or the first error
 */
struct json_scan {
	const char *path;
	const char *at;
	const char *end;
	uint32_t line;
	char keys[MAX_KEYS][KEY_BYTES];
	uint32_t num_keys;
	FILE *out;
	uint32_t out_line;
	struct loom_error *err;
	int code;
};

/**
 * struct json_text - a text or number of the file
 * @bytes: without quotes and escapes, from malloc
 * @size: number of @bytes
 */
struct json_text {
	char *bytes;
	size_t size;
};

static void fail(struct json_scan *scan, const char *what)
{
	if (!scan->code)
		scan->code = loom_error_set(scan->err, -EINVAL, "%.180s:%u: %s", scan->path,
					    scan->line, what);
}

static char peek(struct json_scan *scan)
{
	while (scan->at < scan->end && strchr(" \t\r\n", *scan->at)) {
		/* strchr() would find the terminating zero */
		if (!*scan->at)
			break;
		scan->line += *scan->at++ == '\n';
	}
	return scan->at < scan->end ? *scan->at : 0;
}

static bool take(struct json_scan *scan, char wanted)
{
	if (scan->code || peek(scan) != wanted)
		return false;
	scan->at++;
	return true;
}

static void need(struct json_scan *scan, char wanted)
{
	char what[] = "a '?' is missing";

	what[3] = wanted;
	if (!take(scan, wanted))
		fail(scan, what);
}

static void put_code(struct json_text *text, uint32_t code)
{
	if (code < 0x80) {
		text->bytes[text->size++] = (char)code;
	} else if (code < 0x800) {
		text->bytes[text->size++] = (char)(0xc0 | code >> 6);
		text->bytes[text->size++] = (char)(0x80 | (code & 0x3f));
	} else {
		text->bytes[text->size++] = (char)(0xe0 | code >> 12);
		text->bytes[text->size++] = (char)(0x80 | (code >> 6 & 0x3f));
		text->bytes[text->size++] = (char)(0x80 | (code & 0x3f));
	}
}

static void scan_escape(struct json_scan *scan, struct json_text *text)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found = scan->at < scan->end && *scan->at ? strchr(from, *scan->at) : NULL;
	uint32_t code = 0, i;

	if (found) {
		text->bytes[text->size++] = to[found - from];
		scan->at++;
		return;
	}
	if (scan->end - scan->at < 5 || *scan->at != 'u')
		return fail(scan, "an escape that JSON does not have");
	for (i = 1; i < 5; i++) {
		const char c = scan->at[i];
		const char *digits = "0123456789abcdef", *digit;

		digit = c ? strchr(digits, c | 0x20) : NULL;
		if (!digit)
			return fail(scan, "an escape that JSON does not have");
		code = code << 4 | (uint32_t)(digit - digits);
	}
	scan->at += 5;
	/* lone surrogates are no characters, and a zero would end the text */
	put_code(text, !code || (code >= 0xd800 && code < 0xe000) ? '?' : code);
}

static void scan_string(struct json_scan *scan, struct json_text *text)
{
	scan->at++;
	while (!scan->code) {
		if (scan->at == scan->end || (unsigned char)*scan->at < 0x20)
			return fail(scan, "a text does not end");
		if (*scan->at == '"') {
			scan->at++;
			return;
		}
		if (*scan->at != '\\') {
			text->bytes[text->size++] = *scan->at++;
			continue;
		}
		scan->at++;
		scan_escape(scan, text);
	}
}

/* Upper limit on the bytes of the next value: up to its quote, or to the end of a number. */
static size_t value_room(const struct json_scan *scan)
{
	const char *at = scan->at;

	if (at < scan->end && *at == '"')
		for (at++; at < scan->end && *at != '"'; at++)
			at += *at == '\\' && at + 1 < scan->end;
	else
		while (at < scan->end && *at && !strchr(",]} \t\r\n\"", *at))
			at++;
	return (size_t)(at - scan->at) + 2;
}

/*
 * Parses a text, a number, true, false or null (empty). The result is never longer than its source.
 */
static struct json_text scan_value(struct json_scan *scan)
{
	const char first = peek(scan);
	struct json_text text = { .bytes = scan->code ? NULL : malloc(value_room(scan)) };

	if (!text.bytes) {
		if (!scan->code)
			scan->code = loom_error_set(scan->err, -ENOMEM, "%.180s: no memory",
						    scan->path);
		return text;
	}
	if (first == '"') {
		scan_string(scan, &text);
	} else if (first == '{' || first == '[') {
		fail(scan, "members of an item are numbers or texts");
	} else {
		while (scan->at < scan->end && *scan->at && !strchr(",]} \t\r\n\"", *scan->at))
			text.bytes[text.size++] = *scan->at++;
		if (!text.size)
			fail(scan, "a number or a text is missing");
		if (text.size == 4 && !memcmp(text.bytes, "null", 4))
			text.size = 0;
	}
	text.bytes[text.size] = '\0';
	return text;
}

/* The column of a member; a new one while names are collected. */
static uint32_t find_key(struct json_scan *scan, const struct json_text *key)
{
	uint32_t i;

	for (i = 0; i < scan->num_keys; i++)
		if (!strcmp(scan->keys[i], key->bytes))
			return i;
	if (!key->size || key->size >= KEY_BYTES || scan->num_keys == MAX_KEYS)
		fail(scan, "members with too many names, or with too long a one");
	else
		memcpy(scan->keys[scan->num_keys++], key->bytes, key->size + 1);
	return i;
}

static void put_field(FILE *out, const char *bytes)
{
	fputc('"', out);
	for (; *bytes; bytes++) {
		/* a line break would end the CSV line */
		if (*bytes == '"')
			fputc('"', out);
		fputc(*bytes == '\n' || *bytes == '\r' ? ' ' : *bytes, out);
	}
	fputc('"', out);
}

static void put_row(struct json_scan *scan, uint32_t line, struct json_text *values)
{
	uint32_t i;

	for (; scan->out_line + 1 < line; scan->out_line++)
		fputc('\n', scan->out);
	for (i = 0; i < scan->num_keys; i++) {
		if (i)
			fputc(',', scan->out);
		if (values[i].bytes && values[i].size)
			put_field(scan->out, values[i].bytes);
	}
	fputc('\n', scan->out);
	scan->out_line++;
}

static void scan_item(struct json_scan *scan)
{
	struct json_text values[MAX_KEYS] = { 0 };
	uint32_t line, column, i;

	peek(scan);
	line = scan->line;
	need(scan, '{');
	while (!scan->code && peek(scan) != '}') {
		struct json_text key = { 0 };

		if (peek(scan) != '"')
			fail(scan, "the name of a member is missing");
		key = scan_value(scan);
		need(scan, ':');
		column = scan->code ? 0 : find_key(scan, &key);
		free(key.bytes);
		if (scan->code)
			break;
		if (values[column].bytes) {
			fail(scan, "an item has the same member twice");
			break;
		}
		values[column] = scan_value(scan);
		if (!take(scan, ','))
			break;
	}
	need(scan, '}');
	if (scan->out && !scan->code)
		put_row(scan, line, values);
	for (i = 0; i < MAX_KEYS; i++)
		free(values[i].bytes);
}

static void scan_items(struct json_scan *scan)
{
	need(scan, '[');
	if (take(scan, ']'))
		return;
	do {
		scan_item(scan);
	} while (take(scan, ','));
	need(scan, ']');
}

/* Members besides the list describe its origin, and are ignored. */
static void scan_object(struct json_scan *scan)
{
	bool found = false;

	need(scan, '{');
	while (!scan->code && peek(scan) != '}') {
		struct json_text key = scan_value(scan), value = { 0 };
		bool items;

		need(scan, ':');
		items = key.bytes && !strcmp(key.bytes, "items");
		if (items && found)
			fail(scan, "\"items\" is there twice");
		else if (items)
			scan_items(scan);
		else if (!scan->code)
			value = scan_value(scan);
		found |= items;
		free(key.bytes);
		free(value.bytes);
		if (!take(scan, ','))
			break;
	}
	need(scan, '}');
	if (!found)
		fail(scan, "there is no list \"items\"");
}

static void scan_all(struct json_scan *scan, const char *text)
{
	scan->at = text;
	scan->line = 1;
	if (peek(scan) == '{')
		scan_object(scan);
	else
		scan_items(scan);
	peek(scan);
	if (scan->at != scan->end)
		fail(scan, "there is more behind the end");
}

bool loom_place_is_json(const char *text, size_t size_bytes)
{
	size_t at = 0;

	while (at < size_bytes && text[at] && strchr(" \t\r\n", text[at]))
		at++;
	return at < size_bytes && (text[at] == '{' || text[at] == '[');
}

int loom_place_json_to_csv(const char *text, size_t size_bytes, const char *path, char **csv,
			   size_t *csv_bytes, struct loom_error *err)
{
	struct json_scan scan = { .path = path, .end = text + size_bytes, .err = err };
	bool failed;
	uint32_t i;

	*csv = NULL;
	scan_all(&scan, text);
	if (scan.code)
		return scan.code;
	if (!scan.num_keys)
		return loom_error_set(err, -EINVAL, "%.180s: there are no items", path);
	scan.out = open_memstream(csv, csv_bytes);
	if (!scan.out)
		return loom_error_set(err, -ENOMEM, "%.180s: no memory", path);
	for (i = 0; i < scan.num_keys; i++) {
		if (i)
			fputc(',', scan.out);
		put_field(scan.out, scan.keys[i]);
	}
	fputc('\n', scan.out);
	scan.out_line = 1;
	scan_all(&scan, text);
	failed = ferror(scan.out);
	if (fclose(scan.out) || failed || !*csv || scan.code) {
		free(*csv);
		*csv = NULL;
		return scan.code ? scan.code :
		       loom_error_set(err, -ENOMEM, "%.180s: no memory", path);
	}
	return 0;
}
