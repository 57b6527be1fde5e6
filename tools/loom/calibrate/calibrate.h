/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TOOL_CALIBRATE_H
#define LOOM_TOOL_CALIBRATE_H

#include "../tool.h"

/**
 * DOC: loom calibrate
 *
 * cmd_calibrate.c plans the models of a table for a description, fits the description to the
 * measured times (loom_chip_calibrate()), and does both once more, because plans for the fitted
 * description may differ. table.c reads the table and finds the layers; chart.c draws the result.
 */

/**
 * struct calibrate_row - a row of the table
 * @line: line of the file, from 1
 * @model: index of its model
 * @layer: name of a layer, or "OPERATOR SHAPE"; "": the whole network
 * @nodes: nodes of the plan with that name or shape; NULL for the whole network
 * @before_us: microseconds by the description before it was fitted
 * @left_out_us: microseconds by a description that was fitted to all other rows; 0: not known
 */
struct calibrate_row {
	unsigned int line;
	uint32_t model;
	char *layer;
	uint32_t *nodes;
	double before_us;
	double left_out_us;
};

/**
 * struct calibrate_table - measured times
 * @path: of the file
 * @names: models as the file names them, each once: PATH[@INPUT=NxN..]; relative to the file
 * @models: by name
 * @num_models: number of @names and @models
 * @rows: the rows
 * @times: by row: the time that is fitted
 * @num_rows: number of @rows and @times
 */
struct calibrate_table {
	const char *path;
	char **names;
	struct tool_model *models;
	uint32_t num_models;
	struct calibrate_row *rows;
	struct loom_measurement *times;
	uint32_t num_rows;
};

/** calibrate_table_read() - reads the file; 0 or TOOL_FAILED after a message */
int calibrate_table_read(struct calibrate_table *table, const char *path);
/** calibrate_table_find() - finds the layers of all rows in the plans; 0 or TOOL_FAILED */
int calibrate_table_find(struct calibrate_table *table);
/** calibrate_table_clear() - frees it and its models */
void calibrate_table_clear(struct calibrate_table *table);
/** calibrate_row_name() - the row in output: "net.onnx", "net.onnx: Conv_3" */
const char *calibrate_row_name(const struct calibrate_table *table, uint32_t row, char *text);

/** calibrate_chart_save() - draws predicted against measured times; 0 or TOOL_FAILED */
int calibrate_chart_save(const struct calibrate_table *table, const char *title,
			 const char *path);

#endif /* LOOM_TOOL_CALIBRATE_H */
