// SPDX-License-Identifier: MIT
#include "tool.h"

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

static void json_text(struct json *json, const char *text)
{
	const unsigned char *at;

	fputc('"', json->file);
	for (at = (const unsigned char *)text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fprintf(json->file, "\\%c", *at);
		else if (*at < 0x20)
			fprintf(json->file, "\\u%04x", *at);
		else
			fputc(*at, json->file);
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
