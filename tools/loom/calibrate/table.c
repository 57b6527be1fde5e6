// SPDX-License-Identifier: MIT
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

/*
 * The table: a line of column names, then a line for each time. Columns are "model", "layer", which
 * may be missing, and "us" or "ms". Others are ignored. Empty lines and those that begin with '#'
 * are comments.
 */

enum { COLUMN_MODEL, COLUMN_LAYER, COLUMN_US, COLUMN_MS, COLUMNS };

/* Positions of the columns in the fields; -1: missing. */
static int read_header(const struct loom_csv *csv, int *columns)
{
	static const char *const names[COLUMNS] = { "model", "layer", "us", "ms" };
	uint32_t i, k;

	for (i = 0; i < COLUMNS; i++)
		columns[i] = -1;
	for (i = 0; i < COLUMNS; i++)
		for (k = 0; k < csv->count; k++)
			if (!strcmp(csv->fields[k], names[i]))
				columns[i] = k;
	if (columns[COLUMN_MODEL] < 0)
		return tool_fail("%s: no column 'model' in the first line", csv->scan.path);
	if (columns[COLUMN_US] >= 0 ? columns[COLUMN_MS] >= 0 : columns[COLUMN_MS] < 0)
		return tool_fail("%s: the first line must have a column 'us' or 'ms'",
				 csv->scan.path);
	return 0;
}

/* The index of a model, which is added if it is new. */
static int find_model(struct calibrate_table *table, const char *name, uint32_t *index)
{
	struct tool_model *models;
	char **names;

	for (*index = 0; *index < table->num_models; (*index)++)
		if (!strcmp(table->names[*index], name))
			return 0;
	names = realloc(table->names, (table->num_models + 1) * sizeof(*names));
	if (names)
		table->names = names;
	models = realloc(table->models, (table->num_models + 1) * sizeof(*models));
	if (models)
		table->models = models;
	if (!names || !models)
		return tool_fail("no memory");
	models[*index] = (struct tool_model){ 0 };
	names[*index] = strdup(name);
	if (!names[*index])
		return tool_fail("no memory");
	table->num_models++;
	return 0;
}

static int read_row(struct calibrate_table *table, struct loom_csv *csv, const int *columns)
{
	int time = columns[columns[COLUMN_US] < 0 ? COLUMN_MS : COLUMN_US];
	int last = time > columns[COLUMN_LAYER] ? time : columns[COLUMN_LAYER];
	struct loom_measurement *times;
	struct calibrate_row *rows, *row;
	char **fields = csv->fields, *end;
	double value;

	if (last < columns[COLUMN_MODEL])
		last = columns[COLUMN_MODEL];
	if ((int)csv->count <= last)
		return tool_fail("%s:%u: %u fields, at least %d are needed", table->path,
				 csv->line, csv->count, last + 1);
	value = strtod(fields[time], &end);
	if (end == fields[time] || *end || !(value > 0) || value > 1e12)
		return tool_fail("%s:%u: '%s' is not a time", table->path, csv->line,
				 fields[time]);
	rows = realloc(table->rows, (table->num_rows + 1) * sizeof(*rows));
	if (rows)
		table->rows = rows;
	times = realloc(table->times, (table->num_rows + 1) * sizeof(*times));
	if (times)
		table->times = times;
	if (!rows || !times)
		return tool_fail("no memory");
	row = &rows[table->num_rows];
	*row = (struct calibrate_row){ .line = csv->line };
	times[table->num_rows] = (struct loom_measurement){
		.measured_us = columns[COLUMN_US] < 0 ? value * 1e3 : value,
	};
	row->layer = strdup(columns[COLUMN_LAYER] < 0 ? "" : fields[columns[COLUMN_LAYER]]);
	if (!row->layer)
		return tool_fail("no memory");
	table->num_rows++;
	return find_model(table, fields[columns[COLUMN_MODEL]], &row->model);
}

int calibrate_table_read(struct calibrate_table *table, const char *path)
{
	struct loom_error err;
	struct loom_csv csv;
	int columns[COLUMNS];
	int ret;

	table->path = path;
	ret = loom_csv_open(&csv, path, &err);
	if (!ret)
		ret = read_header(&csv, columns);
	while (!ret && (ret = loom_csv_next(&csv)) > 0)
		ret = read_row(table, &csv, columns);
	loom_csv_close(&csv);
	if (ret < 0)
		return tool_fail("%s", err.text);
	if (!ret && !table->num_rows)
		ret = tool_fail("%s: no times", path);
	return ret;
}

/* Whether a node has the name, or the operator and the shape, of a row. */
static bool is_layer(const struct loom_program *program, const struct loom_program_layer *layers,
		     uint32_t node, const char *layer, bool by_name)
{
	char shape[TOOL_TEXT], text[2 * TOOL_TEXT];

	if (by_name)
		return !strcmp(program->nodes[node].name, layer);
	snprintf(text, sizeof(text), "%s %s", program->nodes[node].op,
		 tool_layer_shape(&layers[node], shape));
	return !strcmp(text, layer);
}

static int find_layer(struct calibrate_table *table, uint32_t index)
{
	struct calibrate_row *row = &table->rows[index];
	struct loom_measurement *time = &table->times[index];
	const struct tool_model *model = &table->models[row->model];
	const struct loom_program *program = model->program;
	struct loom_program_layer *layers;
	uint32_t count, pass, i;

	free(row->nodes);
	row->nodes = NULL;
	time->program = program;
	time->nodes = NULL;
	time->num_nodes = 0;
	if (!row->layer[0])
		return 0;
	row->nodes = calloc(program->num_nodes + 1, sizeof(*row->nodes));
	if (!row->nodes ||
	    loom_program_layers(program, model->planner.chip, &layers, &count))
		return tool_fail("no memory");
	for (pass = 0; pass < 2 && !time->num_nodes; pass++)
		for (i = 0; i < program->num_nodes; i++)
			if (is_layer(program, layers, i, row->layer, !pass))
				row->nodes[time->num_nodes++] = i;
	free(layers);
	time->nodes = row->nodes;
	if (!time->num_nodes)
		return tool_fail("%s:%u: no layer '%s' in %s: see loom plan --layers",
				 table->path, row->line, row->layer, table->names[row->model]);
	return 0;
}

int calibrate_table_find(struct calibrate_table *table)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < table->num_rows && !ret; i++)
		ret = find_layer(table, i);
	return ret;
}

void calibrate_table_clear(struct calibrate_table *table)
{
	uint32_t i;

	for (i = 0; i < table->num_models; i++) {
		tool_model_clear(&table->models[i]);
		free(table->names[i]);
	}
	for (i = 0; i < table->num_rows; i++) {
		free(table->rows[i].layer);
		free(table->rows[i].nodes);
	}
	free(table->names);
	free(table->models);
	free(table->rows);
	free(table->times);
}

const char *calibrate_row_name(const struct calibrate_table *table, uint32_t index, char *text)
{
	const struct calibrate_row *row = &table->rows[index];
	const char *name = table->names[row->model], *slash = strrchr(name, '/');

	snprintf(text, TOOL_TEXT, "%s%s%s", slash ? slash + 1 : name, row->layer[0] ? ": " : "",
		 row->layer);
	return text;
}
