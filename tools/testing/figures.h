/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_FIGURES_H
#define LOOM_TESTS_FIGURES_H

/*
 * Figures of many small plans, summed up by rows and compared with a table in the tree, to the
 * cycle and to the byte. `make golden` writes the tables anew; a change that moves a figure is
 * committed with them, so that what it gained and lost is seen in its diff.
 */

#include <inttypes.h>
#include <string.h>

#include "loom_core.h"
#include "loom_program.h"
#include "tap.h"

#define FIGURES_ROWS	16
#define FIGURES_HEAD	"# SPDX-License-Identifier: MIT\n"	\
			"# Written by make golden, see figures.h.\n"

static const char *const figures_names[] = {
	"plans", "refused", "cycles", "dma_cycles", "compute_cycles", "dram_read_bytes",
	"dram_write_bytes", "rom_read_bytes", "sram_read_bytes", "sram_write_bytes", "energy_fj",
	"steps", "commands", "tensors", "plan_bytes", "arena_bytes", "weights_bytes",
	"scratch_bytes", "sram_peak_bytes", "conflict_steps", "recomputed_macs", "sliced_nodes",
	"cut_nodes", "groups", "group_figures", "cut_figures", "least_cycles",
};

/**
 * struct figures - a row: sums over its plans
 * @name: of the row, without commas
 * @sums: by &figures_names
 */
struct figures {
	char name[64];
	uint64_t sums[ARRAY_SIZE(figures_names)];
};

static struct figures figures_rows[FIGURES_ROWS];
static unsigned int figures_count, figures_checked;
static FILE *figures_table;

static inline struct figures *figures_row(const char *name)
{
	unsigned int i;

	for (i = 0; i < figures_count; i++)
		if (!strcmp(figures_rows[i].name, name))
			return &figures_rows[i];
	if (figures_count == FIGURES_ROWS)
		tap_fatal("more than %u rows of figures", FIGURES_ROWS);
	snprintf(figures_rows[figures_count].name, sizeof(figures_rows->name), "%s", name);
	return &figures_rows[figures_count++];
}

/* Figures of a group, each with a weight of its own, so that none stands in for another. */
static inline uint64_t figures_of_group(const struct loom_program_group *group)
{
	const uint64_t all[] = {
		group->first_node, group->last_node, group->grouped, group->slices,
		(uint64_t)(group->axis + 1), group->overlap, group->held_bytes, group->first_step,
		group->num_steps, group->weights_bytes, group->weights_read_bytes,
		group->dram_read_bytes, group->dram_write_bytes, group->macs, group->cycles,
		group->dma_cycles, group->compute_cycles, group->dma_start_cycles,
		group->compute_start_cycles, group->mac_cycles, group->op_cycles,
		group->sram_bytes, group->copy_cycles, group->lane_cycles, group->bound,
	};
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		sum += (i + 1) * all[i];
	for (i = 0; i < LOOM_BOUNDS; i++)
		sum += (i + 40) * group->part_cycles[i];
	return sum;
}

static inline uint64_t figures_of_cut(const struct loom_program_cut *cut)
{
	uint64_t sum = cut->dram_bytes + 2 * cut->sram_bytes;

	if (cut->why == LOOM_CUT_NO_CHOICE)
		return sum;
	sum += 3 * cut->why + 4 * cut->short_bytes + 5 * cut->apart + 6 * cut->with;
	if (cut->why == LOOM_CUT_ALONE)
		sum += 7 * cut->node;
	if (cut->why == LOOM_CUT_COST && cut->joined != LOOM_CUT_NONE)
		sum += 8 * cut->joined;
	if (cut->without != LOOM_CUT_NONE)
		sum += 9 * cut->without + 10 * cut->around_first + 11 * cut->around_last;
	return sum;
}

/* Of all groups, and of the cuts between them. */
static inline uint64_t figures_of_groups(const struct loom_program *program)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < program->num_groups; i++)
		sum += figures_of_group(&program->groups[i]);
	return sum;
}

static inline uint64_t figures_of_cuts(const struct loom_program *program)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; program->cuts && i + 1 < program->num_groups; i++)
		sum += figures_of_cut(&program->cuts[i]);
	return sum;
}

static inline void figures_add_plan(struct figures *to, const struct loom_program *program)
{
	const struct loom_program_stats *stats = &program->stats;
	const uint64_t all[ARRAY_SIZE(figures_names)] = {
		1, 0, stats->cycles, stats->dma_cycles, stats->compute_cycles,
		stats->dram_read_bytes, stats->dram_write_bytes, stats->rom_read_bytes,
		stats->sram_read_bytes, stats->sram_write_bytes, stats->energy_fj, stats->steps,
		stats->commands, stats->tensors, stats->plan_bytes, stats->arena_bytes,
		stats->weights_bytes, stats->scratch_bytes, stats->sram_peak_bytes,
		stats->conflict_steps, stats->recomputed_macs, stats->sliced_nodes,
		stats->cut_nodes, stats->groups, figures_of_groups(program),
		figures_of_cuts(program), program->least.relaxed_cycles,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		to->sums[i] += all[i];
}

/* @program: NULL if there was none */
static inline void figures_add(const char *row, const struct loom_program *program)
{
	struct figures *to = figures_row(row);

	if (program)
		figures_add_plan(to, program);
	else
		to->sums[1]++;
}

/* The same as text, a line. */
static inline void figures_line(const struct figures *row, char *line, size_t size)
{
	int at = snprintf(line, size, "%s", row->name);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(row->sums); i++)
		at += snprintf(line + at, size - (size_t)at, ",%" PRIu64, row->sums[i]);
	snprintf(line + at, size - (size_t)at, "\n");
}

/* Where a line of the table differs: names and figures of the columns. */
static inline void figures_differ(char *want, char *line)
{
	char *rest_want, *rest_line, *a = strtok_r(want, ",\n", &rest_want);
	char *b = strtok_r(line, ",\n", &rest_line);
	unsigned int i;

	tap_note("%s", b ? b : "no row");
	if (!a || !b || strcmp(a, b))
		tap_note("is not in the table, which has: %s", a ? a : "no row");
	for (i = 0; a && b && i < ARRAY_SIZE(figures_names); i++) {
		a = strtok_r(NULL, ",\n", &rest_want);
		b = strtok_r(NULL, ",\n", &rest_line);
		if (!a || !b || strcmp(a, b))
			tap_note("    %s %s, not %s", figures_names[i], b ? b : "none",
				 a ? a : "none");
	}
}

/* The next line of a row in the table; empty: there is none. */
static inline void figures_next(FILE *file, char *line, int size)
{
	do {
		if (!fgets(line, size, file))
			line[0] = '\0';
	} while (line[0] == '#' || !strncmp(line, "row,", 4));
}

static inline void figures_open(const char *path, bool writes)
{
	unsigned int i;

	figures_table = fopen(path, writes ? "w" : "r");
	if (!figures_table)
		tap_fatal("cannot open %s: tests run at the top of the tree", path);
	if (!writes)
		return;
	fprintf(figures_table, FIGURES_HEAD "row");
	for (i = 0; i < ARRAY_SIZE(figures_names); i++)
		fprintf(figures_table, ",%s", figures_names[i]);
	fprintf(figures_table, "\n");
}

/**
 * figures_end_rows() - no plan is added to the rows so far any more: they are compared
 * @path: of the table, from the top of the tree; written anew with LOOM_GOLDEN in the environment
 *
 * The first difference ends the test: `make golden` and its diff show all of them.
 */
static inline void figures_end_rows(const char *path)
{
	bool writes = getenv("LOOM_GOLDEN");
	char line[1024], want[1024];
	unsigned int i;

	if (!figures_table)
		figures_open(path, writes);
	for (i = 0; i < figures_count; i++) {
		figures_line(&figures_rows[i], line, sizeof(line));
		figures_checked++;
		if (writes) {
			fprintf(figures_table, "%s", line);
			continue;
		}
		figures_next(figures_table, want, sizeof(want));
		if (!strcmp(want, line))
			continue;
		figures_differ(want, line);
		tap_ok(false, "row %u is that of %s", figures_checked, path);
		exit(tap_end());
	}
	memset(figures_rows, 0, sizeof(figures_rows));
	figures_count = 0;
}

/* All rows were compared: the table has no others. */
static inline void figures_end(const char *path)
{
	char line[1024] = "";

	if (!getenv("LOOM_GOLDEN") && !getenv("LOOM_SANITIZED"))
		figures_next(figures_table, line, sizeof(line));
	if (fclose(figures_table))
		tap_fatal("cannot write %s", path);
	tap_ok(!line[0], "%u rows are those of %s, which has no others", figures_checked, path);
}

#endif /* LOOM_TESTS_FIGURES_H */
