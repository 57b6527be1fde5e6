// SPDX-License-Identifier: MIT
/*
 * Measured: how long plans take on the chip's clock, by network, chip, strategy and objective (the
 * strategies of texts have one of their own): thousand cycles, MB of DRAM and ROM traffic, cycles
 * over what no plan is below (LB2 and the relaxed program of struct loom_program_least), cycles
 * over the longer of the plan's own streams (how much of both overlaps), and processor seconds of
 * planning.
 *
 * The baselines of a row are the other strategies of the same cell, and the bound. The summary has
 * the 24 cells of six models of the end-to-end tests on "soft", "cv181x", "bm1688" and "bm1684x",
 * all that were measured, the cells that another strategy does faster, and what SoMa was measured
 * to take on networks of the same layers, on a chip with its rates (soma.yaml).
 *
 *	bench_time [--networks=NAME,...] [--chips=NAME,...] [--strategies=NAME,...]
 *		   [--objectives=NAME,...] [--effort=0..3] [--jobs=1..9] [--explain]
 *
 * Without options: all networks on those four chips, those that SoMa was measured with on its chip,
 * too, by all strategies, for time and for bytes. With --explain what is planned for time is
 * planned once more, as "loom plan --explain" does it, and the seconds that this takes are printed.
 *
 * Exits with 1 if another strategy is faster than the default by time anywhere.
 */
#include <math.h>

#include "clock.h"
#include "networks.h"
#include "loom_chip.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "planner/planner.h"
#include "models.h"
#include "wanted.h"

#define MB		1e6
#define MIB		(1 << 20)
#define MAX_CELLS	2048
#define MAX_STRATEGIES	16
#define DEFAULT		"layergroup"

/* The networks of the 24 cells: names as in the options, and shapes that fit small chips. */
static const struct model cell_models[] = {
	{ "rec", "ppocr_rec.onnx", { "x", 4, { 1, 3, 48, 320 } } },
	{ "det", "ppocr_det.onnx", { "x", 4, { 1, 3, 320, 320 } } },
	{ "cls", "ppocr_cls.onnx", { "x", 4, { 1, 3, 48, 192 } } },
	{ "mlsd", "mlsd_tiny.onnx", { NULL } },
	{ "blazeface", "blazeface.onnx", { NULL } },
	{ "embedding", "oww_embedding.onnx", { "input_1", 4, { 1, 76, 32, 1 } } },
};

static const char *const cell_chips[] = { "soft", "cv181x", "bm1688", "bm1684x" };

/* SoMa's chip with so many MiB of SRAM: chips "soma-1" to "soma-4". */
static const uint32_t soma_sizes[] = { 1, 2, 4 };

/**
 * struct soma_row - what SoMa was measured to take on a network of the same layers
 * @network: name of the network
 * @mb: by size: MB to and from DRAM, 0 where it has no plan, as it never splits weights
 * @kcycles: by size, or 0: not known; the lower of two sizes where it is not known which it was
 *
 * Bytes and cycles are the best of two objectives each, so they may be of two plans.
 */
struct soma_row {
	const char *network;
	double mb[ARRAY_SIZE(soma_sizes)];
	double kcycles[ARRAY_SIZE(soma_sizes)];
};

static const struct soma_row soma_rows[] = {
	{ "resnet50", { 0, 0, 25.86 }, { 0, 0, 1690 } },
	{ "googlenet", { 0, 7.24, 7.24 }, { 0, 527, 457 } },
	{ "vgg19", { 0 }, { 0 } },
	{ "densenet121", { 0, 13.47, 13.50 }, { 0, 1340, 1340 } },
	{ "unet512", { 0 }, { 0 } },
	{ "pnasnet", { 0 }, { 0 } },
};

/**
 * struct cell - a network on a chip by a strategy
 * @network: name of the network
 * @chip: name of the chip
 * @strategy: index of the strategy
 * @objective: an enum loom_planner_objective
 * @cycles: that the plan takes
 * @bytes: to and from DRAM and ROM
 * @held: cycles over LB2
 * @relaxed: cycles over the bound of the relaxed program
 * @longer: cycles over the longer of its own streams
 * @seconds: of planning
 * @explain: seconds of planning it with an explanation, or NAN
 */
struct cell {
	const char *network;
	char chip[16];
	uint32_t strategy;
	uint32_t objective;
	uint64_t cycles;
	uint64_t bytes;
	double held;
	double relaxed;
	double longer;
	double seconds;
	double explain;
};

static struct cell cells[MAX_CELLS];
static uint32_t num_cells;

/**
 * struct wanted - lists of names; NULL: all, or the four chips and SoMa's
 * @networks: networks
 * @chips: chips
 * @strategies: strategies
 * @objectives: objectives
 * @effort: enum loom_planner_effort
 * @jobs: threads; 0: as many as there are processors
 * @explain: plans for time are explained, too
 */
struct wanted {
	const char *networks;
	const char *chips;
	const char *strategies;
	const char *objectives;
	uint32_t effort;
	uint32_t jobs;
	bool explain;
};

static struct wanted wanted = { .objectives = "time,bytes" };

/* Whether a list of names with commas between them has a name. */
static bool is_cell_chip(const char *name)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(cell_chips); i++)
		if (!strcmp(cell_chips[i], name))
			return true;
	return false;
}

static bool is_cell_model(const char *name)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(cell_models); i++)
		if (!strcmp(cell_models[i].name, name))
			return true;
	return false;
}

/* Of the 24. */
static bool is_of_24(const struct cell *cell)
{
	return is_cell_model(cell->network) && is_cell_chip(cell->chip);
}

static double over(uint64_t cycles, uint64_t bound)
{
	return bound ? (double)cycles / (double)bound : NAN;
}

/* How long it takes to plan with the reasons of all cuts; NAN if nobody wants to know. */
static double explain_seconds(const struct loom_graph *graph,
			      const struct loom_planner_options *options)
{
	struct loom_planner_options how = *options;
	double begin = cpu_seconds();
	struct loom_program *program;
	struct loom_error err;

	if (!wanted.explain || options->objective != LOOM_OBJECTIVE_TIME)
		return NAN;
	how.flags |= LOOM_PLANNER_EXPLAIN;
	if (loom_program_create(graph, &how, &program, &err)) {
		fprintf(stderr, "bench_time: not explained: %s\n", err.text);
		exit(1);
	}
	loom_program_destroy(program);
	return cpu_seconds() - begin;
}

/* Which candidates of the planner have won; names are constants of the library. */
#define MAX_WINNERS	32

static struct {
	const char *name;
	uint32_t wins;
} winners[MAX_WINNERS];

static void note_winner(const char *name)
{
	uint32_t i = 0;

	name = name ? name : "only";
	while (i + 1 < MAX_WINNERS && winners[i].name && strcmp(winners[i].name, name))
		i++;
	winners[i].name = name;
	winners[i].wins++;
}

static void print_winners(void)
{
	uint32_t i;

	printf("\nCandidates that were taken:");
	for (i = 0; i < MAX_WINNERS && winners[i].name; i++)
		printf("%s %s %u", i ? "," : "", winners[i].name, winners[i].wins);
	printf("\n");
}

static void measure(const char *network, const struct loom_graph *graph,
		    const struct drm_loom_chip *chip, uint32_t strategy, uint32_t objective)
{
	const struct loom_planner_options options = {
		.chip = chip, .grouping = loom_grouping_name(strategy), .objective = objective,
		.effort = wanted.effort,
		.jobs = wanted.jobs,
	};
	bool free_to_choose = !strcmp(options.grouping, DEFAULT);
	const struct loom_program_stats *stats;
	const struct loom_program_least *least;
	struct loom_program *program;
	struct loom_error err = { .text = "" };
	double begin = cpu_seconds(), seconds;
	struct cell *cell = &cells[num_cells];

	if (loom_program_create(graph, &options, &program, &err)) {
		printf("%-15s %-8s %-16s %s\n", network, chip->name, options.grouping, err.text);
		return;
	}
	seconds = cpu_seconds() - begin;
	stats = &program->stats;
	least = &program->least;
	*cell = (struct cell){
		.network = network, .strategy = strategy, .objective = objective,
		.cycles = stats->cycles,
		.bytes = stats->dram_read_bytes + stats->dram_write_bytes + stats->rom_read_bytes,
		.held = over(stats->cycles, least->held_cycles),
		.relaxed = over(stats->cycles, least->relaxed_cycles),
		.longer = over(stats->cycles, max(stats->dma_cycles, stats->compute_cycles)),
		.seconds = seconds, .explain = explain_seconds(graph, &options),
	};
	snprintf(cell->chip, sizeof(cell->chip), "%.15s", chip->name);
	printf("%-15s %-8s %-16s %-6s ", network, chip->name, options.grouping,
	       free_to_choose ? loom_objective_name(objective) : "-");
	printf("%9.1f %8.3f %7.3f %7.3f %7.3f %7.2f", (double)cell->cycles / 1e3,
	       (double)cell->bytes / MB, cell->held, cell->relaxed, cell->longer, seconds);
	if (free_to_choose)
		note_winner(loom_planner_candidate(program));
	if (!isnan(cell->explain))
		printf(" explained in %.2f", cell->explain);
	printf("\n");
	fflush(stdout);
	loom_program_destroy(program);
	if (++num_cells == MAX_CELLS) {
		fprintf(stderr, "bench_time: more than %u cells\n", MAX_CELLS - 1);
		exit(1);
	}
}

/* All objectives; a strategy of a text has one of its own. */
static void bench_strategy(const char *network, const struct loom_graph *graph,
			   const struct drm_loom_chip *chip, uint32_t strategy)
{
	uint32_t i;

	if (strcmp(loom_grouping_name(strategy), DEFAULT)) {
		measure(network, graph, chip, strategy, LOOM_OBJECTIVE_BYTES);
		return;
	}
	for (i = 0; loom_objective_name(i); i++)
		if (is_in(wanted.objectives, loom_objective_name(i)))
			measure(network, graph, chip, strategy, i);
}

static void bench_chip(const char *network, const struct loom_graph *graph,
		       const struct drm_loom_chip *chip)
{
	uint32_t i;

	for (i = 0; loom_grouping_name(i) && i < MAX_STRATEGIES; i++)
		if (is_in(wanted.strategies, loom_grouping_name(i)))
			bench_strategy(network, graph, chip, i);
}

static struct drm_loom_chip soma_chip(uint32_t size_mib)
{
	struct drm_loom_chip chip;
	struct loom_error err;

	if (loom_chip_load("tools/testing/bench/soma.yaml", &chip, &err)) {
		fprintf(stderr, "bench_time: %s\n", err.text);
		exit(1);
	}
	chip.region[DRM_LOOM_REGION_SRAM].bank_bytes = (uint64_t)size_mib * MIB;
	snprintf(chip.name, sizeof(chip.name), "soma-%u", size_mib);
	return chip;
}

static const struct soma_row *soma_find(const char *network)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(soma_rows); i++)
		if (!strcmp(soma_rows[i].network, network))
			return &soma_rows[i];
	return NULL;
}

/* All chips and strategies for a network. */
static void bench(const char *network, const struct loom_graph *graph)
{
	struct drm_loom_chip chip;
	uint32_t i;

	for (i = 0; loom_chip_name(i); i++) {
		const char *name = loom_chip_name(i);

		if (wanted.chips ? !is_in(wanted.chips, name) : !is_cell_chip(name))
			continue;
		if (!loom_chip_find(name, &chip))
			bench_chip(network, graph, &chip);
	}
	for (i = 0; i < ARRAY_SIZE(soma_sizes); i++) {
		chip = soma_chip(soma_sizes[i]);
		if (wanted.chips ? is_in(wanted.chips, chip.name) : !!soma_find(network))
			bench_chip(network, graph, &chip);
	}
}

static void bench_shape(const struct network *network)
{
	struct net net;

	bench(network->name, net_open(&net, network));
	net_close(&net);
}

/* --- summary ------------------------------------------------------------------------------- */

/**
 * struct figures - of some cells
 * @held: cycles over LB2
 * @relaxed: cycles over the bound of the relaxed program
 * @seconds: of planning
 * @explain: of planning with an explanation
 * @count: number of cells
 */
struct figures {
	double held[MAX_CELLS];
	double relaxed[MAX_CELLS];
	double seconds[MAX_CELLS];
	double explain[MAX_CELLS];
	uint32_t count;
};

static struct figures figures;

static double median(double *list)
{
	median_of(list, figures.count);
	return figures.count % 2 ? list[figures.count / 2] :
	       (list[figures.count / 2 - 1] + list[figures.count / 2]) / 2;
}

/* Sorts the figures of a strategy and objective, of the 24 cells or of all. */
static void gather(uint32_t strategy, uint32_t objective, bool only_24)
{
	uint32_t i;

	figures.count = 0;
	for (i = 0; i < num_cells; i++) {
		const struct cell *cell = &cells[i];

		if (cell->strategy != strategy || cell->objective != objective ||
		    isnan(cell->held) || (only_24 && !is_of_24(cell)))
			continue;
		figures.held[figures.count] = cell->held;
		figures.relaxed[figures.count] = cell->relaxed;
		figures.explain[figures.count] = cell->explain;
		figures.seconds[figures.count++] = cell->seconds;
	}
}

static void summarise(uint32_t strategy, uint32_t objective, bool only_24)
{
	bool free_to_choose = !strcmp(loom_grouping_name(strategy), DEFAULT);
	double held, relaxed, seconds;
	uint32_t i;

	gather(strategy, objective, only_24);
	if (!figures.count)
		return;
	held = median(figures.held);
	relaxed = median(figures.relaxed);
	seconds = median(figures.seconds);
	i = figures.count - 1;
	printf("  %-16s %-6s %5u ", loom_grouping_name(strategy),
	       free_to_choose ? loom_objective_name(objective) : "-", figures.count);
	printf("%8.3f %8.3f %8.3f %8.3f %8.2f %8.2f\n", held, figures.held[i], relaxed,
	       figures.relaxed[i], seconds, figures.seconds[i]);
}

static void print_summary(const char *what, bool only_24)
{
	uint32_t i, k;

	printf("\n%s\n  %-16s %-6s %5s %17s %17s %17s\n", what, "", "", "", "cycles / LB2",
	       "cycles / relaxed", "seconds");
	printf("  %-16s %-6s %5s %8s %8s %8s %8s %8s %8s\n", "strategy", "for", "cells",
	       "median", "worst", "median", "worst", "median", "worst");
	for (i = 0; loom_grouping_name(i) && i < MAX_STRATEGIES; i++)
		for (k = 0; loom_objective_name(k); k++)
			summarise(i, k, only_24);
}

static bool is_by_time(const struct cell *cell)
{
	return cell->objective == LOOM_OBJECTIVE_TIME &&
	       !strcmp(loom_grouping_name(cell->strategy), DEFAULT);
}

/* The cell of a network on a chip by the default strategy, or NULL. */
static const struct cell *cell_of(const char *network, const char *chip, uint32_t objective)
{
	uint32_t i;

	for (i = 0; i < num_cells; i++)
		if (cells[i].objective == objective && !strcmp(cells[i].network, network) &&
		    !strcmp(cells[i].chip, chip) &&
		    !strcmp(loom_grouping_name(cells[i].strategy), DEFAULT))
			return &cells[i];
	return NULL;
}

/* Lists the cells that another strategy, or the default by bytes, does faster. */
static uint32_t print_slower(void)
{
	uint32_t slower = 0, compared = 0, i;
	const struct cell *ours;

	printf("\nBy time against all others:\n");
	for (i = 0; i < num_cells; i++) {
		ours = cell_of(cells[i].network, cells[i].chip, LOOM_OBJECTIVE_TIME);
		if (!ours || is_by_time(&cells[i]))
			continue;
		compared++;
		if (ours->cycles <= cells[i].cycles)
			continue;
		slower++;
		printf("  slower: %s on %s, %llu cycles; %s takes %llu\n", ours->network,
		       ours->chip, (unsigned long long)ours->cycles,
		       loom_grouping_name(cells[i].strategy),
		       (unsigned long long)cells[i].cycles);
	}
	printf("  of %u plans, %u are faster\n", compared, slower);
	return slower;
}

static void print_soma_cell(const struct soma_row *row, uint32_t size)
{
	const struct cell *by_time, *by_bytes;
	char chip[16];

	snprintf(chip, sizeof(chip), "soma-%u", soma_sizes[size]);
	by_time = cell_of(row->network, chip, LOOM_OBJECTIVE_TIME);
	by_bytes = cell_of(row->network, chip, LOOM_OBJECTIVE_BYTES);
	if (!by_time || !by_bytes)
		return;
	printf("  %-15s %u MiB ", row->network, soma_sizes[size]);
	if (row->mb[size])
		printf("%9.2f %9.0f", row->mb[size], row->kcycles[size]);
	else
		printf("%9s %9s", "-", "-");
	printf(" | %9.2f %9.0f | %9.2f %9.0f\n", (double)by_time->bytes / MB,
	       (double)by_time->cycles / 1e3, (double)by_bytes->bytes / MB,
	       (double)by_bytes->cycles / 1e3);
}

/* The same layers, rates and SRAM. */
static void print_soma(void)
{
	uint32_t i, k;

	printf("\nSoMa's chip: SoMa's figures, then plans by time and by bytes\n");
	printf("  %-15s %-5s %9s %9s | %9s %9s | %9s %9s\n", "network", "SRAM", "MB", "kcycles",
	       "MB", "kcycles", "MB", "kcycles");
	for (i = 0; i < ARRAY_SIZE(soma_rows); i++)
		for (k = 0; k < ARRAY_SIZE(soma_sizes); k++)
			print_soma_cell(&soma_rows[i], k);
}

static void print_must(const char *what, double *list, double most_median, double most_worst)
{
	double middle = median(list), worst = list[figures.count - 1];

	printf("  %-40s median %6.3f", what, middle);
	if (most_median)
		printf(" (at most %g)%s", most_median, middle > most_median ? " MISSED" : "");
	printf(", worst %6.3f", worst);
	if (most_worst)
		printf(" (at most %g)%s", most_worst, worst > most_worst ? " MISSED" : "");
	printf("\n");
}

/* Limits that plans by time must keep, applied to the cells that were measured. */
static void print_musts(uint32_t slower)
{
	uint32_t strategy;

	for (strategy = 0; loom_grouping_name(strategy); strategy++)
		if (!strcmp(loom_grouping_name(strategy), DEFAULT))
			break;
	printf("\nBy time:\n");
	gather(strategy, LOOM_OBJECTIVE_TIME, true);
	if (figures.count)
		print_must("cycles / LB2, six models on four chips", figures.held, 1.2, 1.6);
	gather(strategy, LOOM_OBJECTIVE_TIME, false);
	if (figures.count) {
		print_must("cycles / LB2, all cells", figures.held, 0, 0);
		print_must("cycles / relaxed program, all cells", figures.relaxed, 1.4, 0);
		print_must("seconds of planning, all cells", figures.seconds, 2, 20);
		if (wanted.explain)
			print_must("seconds with --explain", figures.explain, 6, 60);
	}
	printf("  plans of other strategies, or by bytes, that are faster: %u (none)%s\n", slower,
	       slower ? " MISSED" : "");
}

static void usage(void)
{
	uint32_t i;

	fprintf(stderr, "bench_time [--networks=] [--chips=] [--strategies=] [--objectives=]\n");
	fprintf(stderr, "           [--effort=0..3] [--jobs=1..9] [--explain]\n");
	fprintf(stderr, "networks:");
	for (i = 0; i < ARRAY_SIZE(cell_models); i++)
		fprintf(stderr, " %s", cell_models[i].name);
	for (i = 0; i < ARRAY_SIZE(int8_networks); i++)
		fprintf(stderr, " %s", int8_networks[i].name);
	fprintf(stderr, "\nstrategies:");
	for (i = 0; loom_grouping_name(i); i++)
		fprintf(stderr, " %s", loom_grouping_name(i));
	fprintf(stderr, "\nobjectives:");
	for (i = 0; loom_objective_name(i); i++)
		fprintf(stderr, " %s", loom_objective_name(i));
	fprintf(stderr, "\nchips:");
	for (i = 0; loom_chip_name(i); i++)
		fprintf(stderr, " %s", loom_chip_name(i));
	for (i = 0; i < ARRAY_SIZE(soma_sizes); i++)
		fprintf(stderr, " soma-%u", soma_sizes[i]);
	fprintf(stderr, "\n");
	exit(2);
}

static const char *value_of(const char *arg, const char *option)
{
	size_t length = strlen(option);

	return strncmp(arg, option, length) ? NULL : arg + length;
}

int main(int argc, char **argv)
{
	uint32_t i, slower;
	int k;

	for (k = 1; k < argc; k++) {
		const char *networks_of = value_of(argv[k], "--networks=");
		const char *chips_of = value_of(argv[k], "--chips=");
		const char *strategies_of = value_of(argv[k], "--strategies=");
		const char *objectives_of = value_of(argv[k], "--objectives=");
		const char *effort = value_of(argv[k], "--effort=");
		const char *jobs = value_of(argv[k], "--jobs=");

		if (!strcmp(argv[k], "--explain"))
			wanted.explain = true;
		else if (effort && *effort >= '0' && *effort <= '3' && !effort[1])
			wanted.effort = LOOM_EFFORT_ONCE + (uint32_t)(*effort - '0');
		else if (jobs && *jobs > '0' && *jobs <= '9' && !jobs[1])
			wanted.jobs = (uint32_t)(*jobs - '0');
		else if (!networks_of && !chips_of && !strategies_of && !objectives_of)
			usage();
		wanted.networks = networks_of ? networks_of : wanted.networks;
		wanted.chips = chips_of ? chips_of : wanted.chips;
		wanted.objectives = objectives_of ? objectives_of : wanted.objectives;
		wanted.strategies = strategies_of ? strategies_of : wanted.strategies;
	}
	printf("%-15s %-8s %-16s %-6s %9s %8s %7s %7s %7s %7s\n", "network", "chip", "strategy",
	       "for", "kcycles", "MB", "/ LB2", "/ rel.", "/ long.", "seconds");
	for (i = 0; i < ARRAY_SIZE(cell_models); i++)
		if (is_in(wanted.networks, cell_models[i].name))
			model_measure(&cell_models[i], "bench_time", bench);
	for (i = 0; i < ARRAY_SIZE(int8_networks); i++)
		if (is_in(wanted.networks, int8_networks[i].name))
			bench_shape(&int8_networks[i]);
	print_summary("Six models of the end-to-end tests on soft, cv181x, bm1688 and bm1684x",
		      true);
	print_summary("All cells", false);
	print_winners();
	print_soma();
	slower = print_slower();
	print_musts(slower);
	return slower > 0;
}
