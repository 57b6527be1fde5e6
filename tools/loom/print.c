// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int tool_file_size(FILE *file, size_t *size_bytes)
{
	struct stat stat;
	long size;

	if (fstat(fileno(file), &stat))
		return -errno;
	/* which can be opened, and has a size that is no size */
	if (S_ISDIR(stat.st_mode))
		return -EISDIR;
	if (fseek(file, 0, SEEK_END))
		return -errno;
	size = ftell(file);
	if (size < 0)
		return -errno;
	rewind(file);
	*size_bytes = size;
	return 0;
}

const char *tool_bytes(char *text, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = bytes;
	size_t unit = 0;

	if (bytes < 1024) {
		snprintf(text, TOOL_TEXT, "%llu B", (unsigned long long)bytes);
		return text;
	}
	for (value /= 1024; value >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
		value /= 1024;
	snprintf(text, TOOL_TEXT, "%.*f %s", value < 10 ? 2 : 1, value, units[unit]);
	return text;
}

const char *tool_cycles(char *text, uint64_t cycles)
{
	if (cycles < 10000)
		snprintf(text, TOOL_TEXT, "%llu cycles", (unsigned long long)cycles);
	else if (cycles < 10000000)
		snprintf(text, TOOL_TEXT, "%.1f thousand cycles", cycles / 1e3);
	else
		snprintf(text, TOOL_TEXT, "%.2f million cycles", cycles / 1e6);
	return text;
}

const char *tool_dims(char *text, uint32_t rank, const int64_t *dims)
{
	size_t at = 0;
	uint32_t i;

	text[at++] = '[';
	for (i = 0; i < rank && at < TOOL_TEXT - 24; i++) {
		if (i)
			text[at++] = ',';
		if (dims[i] < 0)
			text[at++] = '?';
		else
			at += snprintf(text + at, TOOL_TEXT - at, "%lld", (long long)dims[i]);
	}
	snprintf(text + at, TOOL_TEXT - at, "]");
	return text;
}

/* A list of names with a line each; @name is that of the list in JSON. */
static void print_list(struct json *json, const char *name,
		       const char *(*name_of)(unsigned int),
		       const char *(*text_of)(unsigned int))
{
	unsigned int i;

	if (json)
		json_open(json, name, '[');
	for (i = 0; name_of(i); i++) {
		if (!json) {
			printf("%-16s %s\n", name_of(i), text_of(i));
			continue;
		}
		json_open(json, NULL, '{');
		json_string(json, "name", name_of(i));
		json_string(json, "text", text_of(i));
		json_close(json, '}');
	}
	if (json)
		json_close(json, ']');
}

void tool_strategies_print(bool groupings, bool as_json)
{
	struct json json;

	if (as_json)
		json_begin(&json, stdout);
	print_list(as_json ? &json : NULL, "strategies", loom_place_strategy_name,
		   loom_place_strategy_text);
	if (groupings && !as_json)
		printf("\ngrouping:\n");
	if (groupings)
		print_list(as_json ? &json : NULL, "groupings", loom_grouping_name,
			   loom_grouping_text);
	if (as_json)
		json_end(&json);
}
