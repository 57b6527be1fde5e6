// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sweep_point_place(const struct sweep *sweep, uint32_t index, struct sweep_place *place)
{
	uint32_t i = sweep->num_axes;

	while (i--) {
		place->at[i] = index % sweep->axes[i].num_values;
		index /= sweep->axes[i].num_values;
	}
	place->chip = index % sweep->num_chips;
	place->model = index / sweep->num_chips;
}

/* A cell, in quotes if it has to be. */
static void put_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\n\r")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	}
	fputc('"', out);
}

static const char *status_of(int ret)
{
	switch (ret) {
	case 0:
		return "fits";
	case -ENOSPC:
		return "too-large";
	case -EOPNOTSUPP:
		return "unsupported";
	}
	return "failed";
}

static void put_costs(FILE *out, const struct loom_program *program,
		      const struct drm_loom_chip *chip)
{
	const struct loom_program_stats *stats = &program->stats;

	fprintf(out, "fits,0,%" PRIu64 ",%.3f,%" PRIu64 ",", stats->cycles,
		stats->cycles * 1e6 / chip->frequency_hz,
		stats->dram_read_bytes + stats->dram_write_bytes);
	fprintf(out, "%.3f,", stats->energy_fj / 1e6);
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", stats->dma_cycles,
		stats->compute_cycles, stats->dram_read_bytes, stats->dram_write_bytes);
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,", stats->macs,
		stats->recomputed_macs, stats->sram_peak_bytes, stats->groups, stats->steps,
		program->grouping);
}

static const char *const columns[] = {
	"status", "short_bytes", "cycles", "time_us", "dram_bytes", "energy_nj", "dma_cycles",
	"compute_cycles", "dram_read_bytes", "dram_write_bytes", "macs", "recomputed_macs",
	"sram_peak_bytes", "groups", "steps", "grouping", "error",
};

char *sweep_point_row(const struct sweep *sweep, uint32_t index)
{
	struct loom_planner_options options = sweep->planner;
	struct loom_program *program = NULL;
	struct loom_error err = { .text = "" };
	struct drm_loom_chip chip;
	struct sweep_place place;
	char *row = NULL, text[TOOL_TEXT];
	size_t size;
	FILE *out;
	uint32_t i;
	int ret;

	out = open_memstream(&row, &size);
	if (!out)
		return NULL;
	sweep_point_place(sweep, index, &place);
	put_text(out, sweep->names[place.model]);
	fputc(',', out);
	put_text(out, sweep->chips[place.chip].name);
	for (i = 0; i < sweep->num_axes; i++)
		fprintf(out, ",%s", sweep_vary_text(&sweep->axes[i], place.at[i], text));
	fputc(',', out);
	sweep_vary_apply(sweep, &place, &chip);
	options.chip = &chip;
	ret = loom_program_create(sweep->models[place.model].graph, &options, &program, &err);
	if (!ret)
		put_costs(out, program, &chip);
	else
		fprintf(out, "%s,%" PRIu64 ",,,,,,,,,,,,,,,", status_of(ret), err.short_bytes);
	put_text(out, err.text);
	loom_program_destroy(program);
	/* no memory says nothing of the point */
	if (fclose(out) || ret == -ENOMEM) {
		free(row);
		return NULL;
	}
	return row;
}

char *sweep_point_header(const struct sweep *sweep)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint32_t i;

	if (!out)
		return NULL;
	fputs("model,chip", out);
	for (i = 0; i < sweep->num_axes; i++)
		fprintf(out, ",%s", sweep_vary_name(&sweep->axes[i]));
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(out, ",%s", columns[i]);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The next cell, behind a comma. A name may be in quotes. */
static const char *skip_cell(const char *at)
{
	bool quoted = false;

	for (; *at && (quoted || *at != ','); at++)
		quoted ^= *at == '"';
	return *at ? at + 1 : at;
}

double sweep_point_cell(const struct sweep *sweep, uint32_t index, enum sweep_column column)
{
	const char *at = sweep->rows[index];
	double value;
	uint32_t i;
	char *end;

	for (i = 0; i < 2 + sweep->num_axes + column; i++)
		at = skip_cell(at);
	value = strtod(at, &end);
	return end == at ? (double)NAN : value;
}
