// SPDX-License-Identifier: MIT
/*
 * Chips beside the public record: descriptions of chips name published latencies, and this prints
 * them, the time of our own plan by the chip's clock, and the ratio. A row in a chip file is
 *
 *	# published: NETWORK TYPE NUMBER ms KIND within FACTOR [SOURCE]
 *
 * with a network of networks.h, i8 or f32, and measured or estimated (by a vendor's compiler). A
 * measured one must be within its factor, otherwise the status is 1. Where the maker's compiler runs
 * layer by layer, plans do so as well, because the chip moves what lies between layers:
 *
 *	# plans: layerwise
 *
 * Chips with MANY measured rows or more are calibrated (loom_chip_calibrate()) as well: on every
 * other row, and the rows that were left out are predicted; then the other way round.
 *
 *	bench_chips [CHIP...]
 */
#include "bench/networks.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "loom_program.h"

#include <math.h>

#define MANY		6
#define MOST_ROWS	32

static bool bad;

/**
 * struct record - the published latencies of a chip
 * @chip: its description
 * @grouping: of its plans
 * @rows: measured ones, with plans
 * @names: their networks
 * @nets: likewise
 * @count: number of @rows
 */
struct record {
	struct drm_loom_chip chip;
	const char *grouping;
	struct loom_measurement rows[MOST_ROWS];
	char names[MOST_ROWS][32];
	struct net nets[MOST_ROWS];
	uint32_t count;
};

static void bench_row(struct record *r, const char *line)
{
	struct loom_planner_options options = { .grouping = r->grouping, .chip = &r->chip };
	char name[32], type[8], kind[16], source[64];
	struct loom_program *program;
	struct network network;
	struct loom_error err;
	double ms, within, ours;
	struct net net;

	if (sscanf(line, "# published: %31s %7s %lf ms %15s within %lf %63[^\n]", name, type, &ms,
		   kind, &within, source) != 6 || !net_find(name) || r->count == MOST_ROWS) {
		fprintf(stderr, "%s: bad row: %.60s\n", r->chip.name, line);
		exit(2);
	}
	network = *net_find(name);
	network.real = !strcmp(type, "f32");
	if (loom_program_create(net_open(&net, &network), &options, &program, &err)) {
		printf("%-18s %-15s %-4s  %s\n", r->chip.name, name, type, err.text);
		bad = true;
		return;
	}
	ours = program->stats.cycles * 1e3 / r->chip.frequency_hz;
	printf("%-18s %-15s %-4s %10.3f %10.3f %6.2f  %-9s %s\n", r->chip.name, name, type, ms,
	       ours, ours / ms, kind, source);
	fflush(stdout);
	if (strcmp(kind, "measured")) {
		loom_program_destroy(program);
		net_close(&net);
		return;
	}
	if (ours > ms * within || ours * within < ms)
		bad = true;
	r->rows[r->count] = (struct loom_measurement){
		.program = program, .measured_us = ms * 1e3,
	};
	r->nets[r->count] = net;
	snprintf(r->names[r->count++], sizeof(name), "%s", name);
}

/* Predicts rows of one parity by a description that is fitted to those of the other. */
static void predict(struct record *r, uint32_t parity, double *offs)
{
	struct loom_measurement fitted[MOST_ROWS];
	struct drm_loom_chip chip = r->chip;
	uint32_t count = 0, i;

	for (i = 1 - parity; i < r->count; i += 2)
		fitted[count++] = r->rows[i];
	if (loom_chip_calibrate(&chip, fitted, count))
		exit(2);
	for (i = parity; i < r->count; i += 2) {
		if (loom_measurement_plan(&r->rows[i], &chip))
			exit(2);
		offs[i] = fabs(log(r->rows[i].planned_us / r->rows[i].measured_us));
		printf("  left out: %-19s %10.3f %10.3f %6.2f\n", r->names[i],
		       r->rows[i].measured_us / 1e3, r->rows[i].planned_us / 1e3,
		       r->rows[i].planned_us / r->rows[i].measured_us);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void validate(struct record *r)
{
	double offs[MOST_ROWS], median;

	predict(r, 0, offs);
	predict(r, 1, offs);
	qsort(offs, r->count, sizeof(offs[0]), compare);
	median = (offs[(r->count - 1) / 2] + offs[r->count / 2]) / 2;
	printf("  half of %u rows are fitted, the others off by %.2f (median), %.2f (worst)\n",
	       r->count, exp(median), exp(offs[r->count - 1]));
}

static void bench_chip(const char *name)
{
	struct record *r = calloc(1, sizeof(*r));
	const char *line;
	uint32_t i;

	if (!r || loom_chip_find(name, &r->chip))
		exit(2);
	r->grouping = strstr(loom_chip_text(name), "\n# plans: layerwise\n") ? "layerwise" :
									    "layergroup";
	for (line = strstr(loom_chip_text(name), "# published:"); line;
	     line = strstr(line + 1, "# published:"))
		bench_row(r, line);
	if (r->count >= MANY)
		validate(r);
	for (i = 0; i < r->count; i++) {
		loom_program_destroy((struct loom_program *)r->rows[i].program);
		net_close(&r->nets[i]);
	}
	free(r);
}

int main(int argc, char **argv)
{
	const char *chip;
	unsigned int i;
	int k;

	printf("%-18s %-15s %-4s %10s %10s %6s  %-9s %s\n", "chip", "network", "type", "public ms",
	       "plan ms", "ratio", "", "source");
	for (i = 0; (chip = loom_chip_name(i)); i++) {
		for (k = 1; k < argc && strcmp(argv[k], chip); k++)
			;
		if (argc == 1 || k < argc)
			bench_chip(chip);
	}
	return bad;
}
