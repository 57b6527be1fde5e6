// SPDX-License-Identifier: MIT
#include "tool.h"

#include <ctype.h>
#include <math.h>

void json_begin(struct json *json, FILE *file)
{
	*json = (struct json){ .file = file, .first = true };
	json_open(json, NULL, '{');
}

void json_end(struct json *json)
{
	json_close(json, '}');
	fputc('\n', json->file);
}

/* The second byte of a control character of 0x80 to 0x9f, behind 0xc2. */
static bool is_c1(char second)
{
	return ((unsigned char)second & 0xe0) == 0x80;
}

/* A character of two or three bytes as an escape with its number: returns @length. */
static size_t json_escape(struct json *json, const char *text, size_t length)
{
	unsigned int code = (unsigned char)*text & (0x7fu >> length);
	size_t i;

	for (i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	fprintf(json->file, "\\u%04x", code);
	return length;
}

/*
 * Names are arbitrary bytes from a file; invalid UTF-8 must be escaped, otherwise the output is no
 * JSON.
 */
static void json_text(struct json *json, const char *text)
{
	size_t length;

	fputc('"', json->file);
	for (; *text; text += length ? length : 1) {
		length = isascii(*text) ? 1 : tool_char_length(text, strnlen(text, 4));
		if (length > 1 && tool_char_moves(text, length))
			json_escape(json, text, length);
		else if (!length && (unsigned char)*text == 0xc2 && is_c1(text[1]))
			length = json_escape(json, text, 2);
		else if (!length)
			fputs("\xef\xbf\xbd", json->file);
		else if (*text == '"' || *text == '\\')
			fprintf(json->file, "\\%c", *text);
		else if (isascii(*text) && (*text < 0x20 || *text == 0x7f))
			fprintf(json->file, "\\u%04x", *text);
		else
			fwrite(text, 1, length, json->file);
	}
	fputc('"', json->file);
}

static void json_indent(struct json *json)
{
	fprintf(json->file, "\n%*s", json->depth * 2, "");
}

static void json_key(struct json *json, const char *key)
{
	if (!json->first)
		fputc(',', json->file);
	if (json->depth)
		json_indent(json);
	json->first = false;
	if (key) {
		json_text(json, key);
		fputs(": ", json->file);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	json_key(json, key);
	fputc(bracket, json->file);
	json->depth++;
	json->first = true;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (!json->first)
		json_indent(json);
	fputc(bracket, json->file);
	json->first = false;
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	fprintf(json->file, "%llu", (unsigned long long)value);
}

void json_double(struct json *json, const char *key, double value)
{
	json_key(json, key);
	if (isfinite(value))
		fprintf(json->file, "%.9g", value);
	else
		fputs("null", json->file);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	fputs(value ? "true" : "false", json->file);
}

void json_string(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	json_text(json, value);
}

void json_dims(struct json *json, const char *key, uint32_t rank, const int64_t *dims)
{
	uint32_t i;

	json_key(json, key);
	fputc('[', json->file);
	for (i = 0; i < rank; i++)
		fprintf(json->file, "%s%lld", i ? ", " : "", (long long)dims[i]);
	fputc(']', json->file);
}
