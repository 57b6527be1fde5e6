// SPDX-License-Identifier: MIT
#include "view.h"

/*
 * Numbers as text, in the encoding of source maps (VLQ): five bits per character, least significant
 * first, and a continuation bit. The sign is the lowest bit, so that numbers near zero are short.
 */
static const char column_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct tool_column tool_column_open(struct json *json, const char *key)
{
	json_open(json, key, '"');
	return (struct tool_column){ .json = json };
}

void tool_column_put(struct tool_column *column, int64_t value)
{
	uint64_t left = value < 0 ? (0 - (uint64_t)value) << 1 | 1 : (uint64_t)value << 1;

	do {
		fputc(column_digits[(left & 31) | (left > 31 ? 32 : 0)], column->json->file);
		left >>= 5;
	} while (left);
}

void tool_column_step(struct tool_column *column, int64_t value)
{
	tool_column_put(column, (int64_t)((uint64_t)value - (uint64_t)column->last));
	column->last = value;
}

void tool_column_close(struct tool_column *column)
{
	json_close(column->json, '"');
}
