/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TOOL_SWEEP_H
#define LOOM_TOOL_SWEEP_H

#include "../tool.h"

/**
 * DOC: Sweeps
 *
 * loom sweep plans a grid: models by chips by what is varied of a chip. Nothing is run; what a
 * plan costs is known when it is made.
 *
 * * cmd_sweep.c: the command line
 * * vary.c: axes of the grid, and what they set in a description
 * * point.c: the grid: point number n, and the row of the table that planning it gives
 * * journal.c: rows that are there, on disk, so that a sweep goes on where it stopped
 * * work.c: processes that plan the missing points
 * * plot.c: curves
 * * slurm.c: a job array instead
 *
 * A row is appended to the journal by one write() when its point is planned, whoever planned it: a
 * process of this sweep, a task of a cluster on the same file system (a journal for each shard), or
 * the sweep that was killed. When no point is missing, the journals are put in the order of the
 * grid, written as CSV, and removed. Rows have no times of the machine in them, so the file is the
 * same however it was made. A journal names what it is a part of by a hash over models, chips,
 * axes and options, and is not mixed with another grid.
 *
 * Rejected: threads, since a planner that runs out of memory on one point must not take the others
 * with it; and one file for each point, since a hundred thousand of them are a burden to any file
 * system that a cluster shares.
 */

#define SWEEP_AXES	8

struct sweep_key;

/**
 * struct sweep_axis - what is varied
 * @key: the figure
 * @values: what it is set to, in its unit
 * @num_values: number of @values
 * @geometric: they grow by a factor
 */
struct sweep_axis {
	const struct sweep_key *key;
	double *values;
	uint32_t num_values;
	bool geometric;
};

/**
 * struct sweep - a grid
 * @models: opened and finished; the first axis of the grid, which varies slowest
 * @names: of @models, as given, with their shapes
 * @num_models: number of @models
 * @chips: the second axis
 * @num_chips: number of @chips
 * @axes: the others; the last varies fastest
 * @num_axes: number of @axes
 * @num_points: product of them all
 * @planner: options for all
 * @rows: by point: its row without a newline, or NULL while it is not known
 * @hash: of all of the above but @rows
 * @path: of the CSV
 * @plots: folder for plots, or NULL
 * @json: the summary is printed as JSON
 * @shard: of @num_shards: only points whose number is that modulo @num_shards are planned
 * @num_shards: 1 if all are
 * @jobs: number of processes
 */
struct sweep {
	struct tool_model *models;
	char **names;
	uint32_t num_models;
	struct drm_loom_chip *chips;
	uint32_t num_chips;
	struct sweep_axis axes[SWEEP_AXES];
	uint32_t num_axes;
	uint32_t num_points;
	struct loom_planner_options planner;
	char **rows;
	uint64_t hash;
	const char *path;
	const char *plots;
	bool json;
	uint32_t shard;
	uint32_t num_shards;
	uint32_t jobs;
};

/**
 * struct sweep_place - where in the grid
 * @model: index of the model
 * @chip: index of the chip
 * @at: by axis: index of the value
 */
struct sweep_place {
	uint32_t model;
	uint32_t chip;
	uint32_t at[SWEEP_AXES];
};

/* vary.c */

/** sweep_vary_parse() - "sram=64k..4M:x2,lanes=8/16"; 0 or TOOL_USAGE after a message */
int sweep_vary_parse(const struct tool_command *command, struct sweep *sweep, const char *text);
/** sweep_vary_name() - the name of an axis */
const char *sweep_vary_name(const struct sweep_axis *axis);
/** sweep_vary_text() - value @index of an axis as text, into @text of TOOL_TEXT bytes */
const char *sweep_vary_text(const struct sweep_axis *axis, uint32_t index, char *text);
/** sweep_vary_label() - the same for people: "64k" */
const char *sweep_vary_label(const struct sweep_axis *axis, uint32_t index, char *text);
/** sweep_vary_apply() - the chip at a place of the grid */
void sweep_vary_apply(const struct sweep *sweep, const struct sweep_place *place,
		      struct drm_loom_chip *chip);
/** sweep_vary_help() - the figures that can be varied, a line each */
void sweep_vary_help(FILE *file);
void sweep_vary_clear(struct sweep *sweep);

/* point.c */

/** sweep_point_place() - where point @index is */
void sweep_point_place(const struct sweep *sweep, uint32_t index, struct sweep_place *place);
/** sweep_point_row() - plans a point; its row from malloc, without a newline, or NULL */
char *sweep_point_row(const struct sweep *sweep, uint32_t index);
/** sweep_point_header() - the first line of the table, from malloc, or NULL */
char *sweep_point_header(const struct sweep *sweep);

/* What follows the axes in a row, in this order; more follows that nothing here reads. */
enum sweep_column {
	SWEEP_STATUS,
	SWEEP_SHORT_BYTES,
	SWEEP_CYCLES,
	SWEEP_TIME_US,
	SWEEP_DRAM_BYTES,
	SWEEP_ENERGY_NJ,
};

/** sweep_point_cell() - a number of a row; NAN if it is empty */
double sweep_point_cell(const struct sweep *sweep, uint32_t index, enum sweep_column column);

/* journal.c */

/** sweep_journal_read() - takes the rows of all journals of this grid; 0 or TOOL_FAILED */
int sweep_journal_read(struct sweep *sweep);
/** sweep_journal_open() - opens the journal of this shard for appending; an fd, or -1 */
int sweep_journal_open(const struct sweep *sweep);
/** sweep_journal_append() - a row; 0 or -errno */
int sweep_journal_append(int fd, uint32_t index, const char *row);
/** sweep_journal_remove() - removes all journals: the CSV is there */
void sweep_journal_remove(const struct sweep *sweep);

/* work.c */

/** sweep_work() - plans what is missing in this shard; 0 or TOOL_FAILED after a message */
int sweep_work(struct sweep *sweep);

/* plot.c */

/** sweep_plot() - draws a picture for each model; 0 or TOOL_FAILED after a message */
int sweep_plot(const struct sweep *sweep);

/* slurm.c */

/** sweep_slurm() - writes a script that submits the sweep as a job array; 0 or TOOL_FAILED */
int sweep_slurm(const struct sweep *sweep, const char *path, uint32_t tasks, int argc,
		char **argv);

#endif /* LOOM_TOOL_SWEEP_H */
