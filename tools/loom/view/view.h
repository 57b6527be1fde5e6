/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TOOL_VIEW_H
#define LOOM_TOOL_VIEW_H

#include "../tool.h"

/**
 * DOC: The page of a plan
 *
 * "loom view" writes one HTML page in which a plan can be explored. The page is the same for all
 * plans (page/, embedded by embed.sh); only the data in it differ. Data are not script, so names in
 * a model cannot inject code.
 *
 * * cmd_view.c: the command
 * * page.c: the page around the data
 * * data.c: a plan as data: figures as "loom plan --json" prints them, and tables
 * * column.c: columns of numbers as short texts
 * * names.c: each name once
 * * page/: HTML, style and script; their names begin with the numbers that they are put together by
 *
 * Tables are stored by column, as differences between a row and the one before where that is
 * shorter: a step takes about a hundred bytes of the page with all that happens in it.
 */

/**
 * struct tool_names - names, each once
 * @names: in order; owned by the program
 * @count: number of @names
 */
struct tool_names {
	const char **names;
	uint32_t count;
};

/** tool_names_make() - all names of a program; 0 or TOOL_FAILED */
int tool_names_make(struct tool_names *names, const struct loom_program *program);
/** tool_names_find() - index of a name, from 1 on; 0: NULL */
uint32_t tool_names_find(const struct tool_names *names, const char *name);
void tool_names_clear(struct tool_names *names);

/**
 * struct tool_column - a column that is being written
 * @json: the enclosing object
 * @last: the value before
 */
struct tool_column {
	struct json *json;
	int64_t last;
};

/** tool_column_open() - begins a column */
struct tool_column tool_column_open(struct json *json, const char *key);
/** tool_column_put() - one more value, which should be near zero */
void tool_column_put(struct tool_column *column, int64_t value);
/** tool_column_step() - the same of values that are near the value before */
void tool_column_step(struct tool_column *column, int64_t value);
void tool_column_close(struct tool_column *column);

/** tool_view_title() - the last part of a model's path */
const char *tool_view_title(const struct tool_model *model);
/** tool_view_data() - a planned model as an object; 0 or TOOL_FAILED after a message */
int tool_view_data(const struct tool_model *model, struct json *json);

/**
 * tool_view_page() - writes the page
 * @models: planned models
 * @count: number of @models
 * @path: the file
 * @as_json: print the result as JSON
 *
 * Return: 0 or TOOL_FAILED after a message.
 */
int tool_view_page(const struct tool_model *models, uint32_t count, const char *path,
		   bool as_json);

#endif /* LOOM_TOOL_VIEW_H */
