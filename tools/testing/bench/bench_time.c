// SPDX-License-Identifier: MIT
/*
 * Measured: how long plans take on the chip's clock, by network, chip, strategy and objective (the
 * strategies of texts have one of their own): thousand cycles, MB of DRAM and ROM traffic, cycles
 * over what no plan is below (LB2 and the relaxed program of struct loom_program_least), cycles
 * over the longer of the plan's own streams (how much of both overlaps), and processor seconds of
 * planning.
 *
 * The baselines of a row are the other strategies of the same cell, and the bound. The summary has
 * the 24 cells of the models of the end-to-end tests on "soft", "cv181x", "bm1688" and "bm1684x",
 * and all that were measured.
 *
 *	bench_time [--networks=NAME,...] [--chips=NAME,...] [--strategies=NAME,...]
 *		   [--objectives=NAME,...]
 *
 * Without options: all networks on those four chips by all strategies, for time and for bytes.
 */
#include <math.h>

#include "clock.h"
#include "int8.h"
#include "loom_chip.h"
#include "loom_planner.h"
#include "models.h"

#define MB		1e6
#define MAX_CELLS	512
#define MAX_STRATEGIES	16
#define DEFAULT		"layergroup"

/**
 * struct network - a network that is measured
 * @name: as in the options
 * @model: a file, or
 * @build: shapes in eight bits
 */
struct network {
	const char *name;
	struct model model;
	void (*build)(struct int8_net *net);
};

static const struct network networks[] = {
	{ "rec", { "", "ppocr_rec.onnx", { "x", 4, { 1, 3, 48, 320 } } }, NULL },
	{ "det", { "", "ppocr_det.onnx", { "x", 4, { 1, 3, 320, 320 } } }, NULL },
	{ "cls", { "", "ppocr_cls.onnx", { "x", 4, { 1, 3, 48, 192 } } }, NULL },
	{ "mlsd", { "", "mlsd_tiny.onnx", { NULL } }, NULL },
	{ "blazeface", { "", "blazeface.onnx", { NULL } }, NULL },
	{ "embedding", { "", "oww_embedding.onnx", { "input_1", 4, { 1, 76, 32, 1 } } }, NULL },
	{ "mobilenet_v2", { NULL }, int8_mobilenet_v2 },
	{ "resnet50", { NULL }, int8_resnet50 },
	{ "googlenet", { NULL }, int8_googlenet },
	{ "vgg16", { NULL }, int8_vgg16 },
	{ "yolov5s", { NULL }, int8_yolov5s },
};

/* The first networks of the table are those of the 24 cells. */
#define NUM_CELL_NETWORKS	6

static const char *const cell_chips[] = { "soft", "cv181x", "bm1688", "bm1684x" };

/**
 * struct cell - a network on a chip by a strategy
 * @network: index of the network
 * @chip: name of the chip
 * @strategy: index of the strategy
 * @objective: an enum loom_planner_objective
 * @held: cycles over LB2
 * @relaxed: cycles over the bound of the relaxed program
 * @seconds: of planning
 */
struct cell {
	uint32_t network;
	const char *chip;
	uint32_t strategy;
	uint32_t objective;
	double held;
	double relaxed;
	double seconds;
};

static struct cell cells[MAX_CELLS];
static uint32_t num_cells;

/**
 * struct wanted - lists of names; NULL: all, or the four chips
 * @networks: networks
 * @chips: chips
 * @strategies: strategies
 * @objectives: objectives
 */
struct wanted {
	const char *networks;
	const char *chips;
	const char *strategies;
	const char *objectives;
};

static struct wanted wanted = { .objectives = "time,bytes" };

/* Whether a list of names with commas between them has a name. */
static bool is_in(const char *list, const char *name)
{
	size_t length = strlen(name), part;

	for (;; list += part + 1) {
		part = strcspn(list, ",");
		if (part == length && !strncmp(list, name, length))
			return true;
		if (!list[part])
			return false;
	}
}

static bool is_cell_chip(const char *name)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(cell_chips); i++)
		if (!strcmp(cell_chips[i], name))
			return true;
	return false;
}

static double over(uint64_t cycles, uint64_t bound)
{
	return bound ? (double)cycles / (double)bound : NAN;
}

static void measure(uint32_t network, const struct loom_graph *graph,
		    const struct drm_loom_chip *chip, uint32_t strategy, uint32_t objective)
{
	const struct loom_planner_options options = {
		.chip = chip, .grouping = loom_grouping_name(strategy), .objective = objective,
	};
	bool free_to_choose = !strcmp(options.grouping, DEFAULT);
	const struct loom_program_stats *stats;
	const struct loom_program_least *least;
	struct loom_program *program;
	struct loom_error err = { .text = "" };
	double begin = cpu_seconds(), seconds;
	struct cell *cell = &cells[num_cells];

	if (loom_program_create(graph, &options, &program, &err)) {
		printf("%-13s %-8s %-16s %s\n", networks[network].name, chip->name,
		       options.grouping, err.text);
		return;
	}
	seconds = cpu_seconds() - begin;
	stats = &program->stats;
	least = &program->least;
	*cell = (struct cell){
		.network = network, .chip = chip->name, .strategy = strategy,
		.objective = objective,
		.held = over(stats->cycles, least->held_cycles),
		.relaxed = over(stats->cycles, least->relaxed_cycles),
		.seconds = seconds,
	};
	printf("%-13s %-8s %-16s %-6s ", networks[network].name, chip->name, options.grouping,
	       free_to_choose ? loom_objective_name(objective) : "-");
	printf("%9.1f %8.3f %7.3f %7.3f %7.3f %7.2f\n", (double)stats->cycles / 1e3,
	       (double)(stats->dram_read_bytes + stats->dram_write_bytes + stats->rom_read_bytes) /
		       MB,
	       cell->held, cell->relaxed,
	       over(stats->cycles, max(stats->dma_cycles, stats->compute_cycles)), seconds);
	fflush(stdout);
	loom_program_destroy(program);
	num_cells += num_cells + 1 < MAX_CELLS;
}

/* All objectives; a strategy of a text has one of its own. */
static void bench_strategy(uint32_t network, const struct loom_graph *graph,
			   const struct drm_loom_chip *chip, uint32_t strategy)
{
	uint32_t i;

	if (strcmp(loom_grouping_name(strategy), DEFAULT)) {
		measure(network, graph, chip, strategy, 0);
		return;
	}
	for (i = 0; loom_objective_name(i); i++)
		if (is_in(wanted.objectives, loom_objective_name(i)))
			measure(network, graph, chip, strategy, i);
}

/* All chips and strategies for a network. */
static void bench(uint32_t network, const struct loom_graph *graph)
{
	uint32_t i, k;

	for (i = 0; loom_preset_get(i); i++) {
		const struct drm_loom_chip *chip = loom_preset_get(i);

		if (wanted.chips ? !is_in(wanted.chips, chip->name) : !is_cell_chip(chip->name))
			continue;
		for (k = 0; loom_grouping_name(k) && k < MAX_STRATEGIES; k++)
			if (!wanted.strategies || is_in(wanted.strategies, loom_grouping_name(k)))
				bench_strategy(network, graph, chip, k);
	}
}

static void fail(const char *name, const char *text)
{
	fprintf(stderr, "bench_time: %s: %s\n", name, text);
	exit(1);
}

static void bench_shape(uint32_t index)
{
	struct int8_net net = { .count = 0 };
	struct loom_error err;
	uint32_t i;

	if (loom_graph_create(networks[index].name, 14, &net.graph))
		fail(networks[index].name, "out of memory");
	networks[index].build(&net);
	if (loom_graph_finish(net.graph, NULL, &err))
		fail(networks[index].name, err.text);
	bench(index, net.graph);
	loom_graph_destroy(net.graph);
	for (i = 0; i < net.num_weights; i++)
		free(net.weights[i]);
}

static void bench_model(uint32_t index)
{
	struct loom_graph *graph;
	struct loom_error err;

	if (model_open(&networks[index].model, &graph, &err)) {
		fprintf(stderr, "bench_time: left out: %s\n", err.text);
		return;
	}
	bench(index, graph);
	loom_graph_destroy(graph);
}

/* --- summary ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/**
 * struct figures - of some cells
 * @held: cycles over LB2
 * @relaxed: cycles over the bound of the relaxed program
 * @seconds: of planning
 * @count: number of cells
 */
struct figures {
	double held[MAX_CELLS];
	double relaxed[MAX_CELLS];
	double seconds[MAX_CELLS];
	uint32_t count;
};

static struct figures figures;

static double median(double *list)
{
	qsort(list, figures.count, sizeof(*list), compare);
	return figures.count % 2 ? list[figures.count / 2] :
	       (list[figures.count / 2 - 1] + list[figures.count / 2]) / 2;
}

/* A line for a strategy and objective, of the 24 cells or of all. */
static void summarise(uint32_t strategy, uint32_t objective, bool only_cells)
{
	bool free_to_choose = !strcmp(loom_grouping_name(strategy), DEFAULT);
	double held, relaxed, seconds;
	uint32_t i;

	figures.count = 0;
	for (i = 0; i < num_cells; i++) {
		const struct cell *cell = &cells[i];

		if (cell->strategy != strategy || cell->objective != objective ||
		    isnan(cell->held) ||
		    (only_cells &&
		     (cell->network >= NUM_CELL_NETWORKS || !is_cell_chip(cell->chip))))
			continue;
		figures.held[figures.count] = cell->held;
		figures.relaxed[figures.count] = cell->relaxed;
		figures.seconds[figures.count++] = cell->seconds;
	}
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

static void print_summary(const char *what, bool only_cells)
{
	uint32_t i, k;

	printf("\n%s\n  %-16s %-6s %5s %17s %17s %17s\n", what, "", "", "", "cycles / LB2",
	       "cycles / relaxed", "seconds");
	printf("  %-16s %-6s %5s %8s %8s %8s %8s %8s %8s\n", "strategy", "for", "cells",
	       "median", "worst", "median", "worst", "median", "worst");
	for (i = 0; loom_grouping_name(i) && i < MAX_STRATEGIES; i++)
		for (k = 0; loom_objective_name(k); k++)
			summarise(i, k, only_cells);
}

static void usage(void)
{
	uint32_t i;

	fprintf(stderr, "bench_time [--networks=] [--chips=] [--strategies=] [--objectives=]\n");
	fprintf(stderr, "networks:");
	for (i = 0; i < ARRAY_SIZE(networks); i++)
		fprintf(stderr, " %s", networks[i].name);
	fprintf(stderr, "\nstrategies:");
	for (i = 0; loom_grouping_name(i); i++)
		fprintf(stderr, " %s", loom_grouping_name(i));
	fprintf(stderr, "\nobjectives:");
	for (i = 0; loom_objective_name(i); i++)
		fprintf(stderr, " %s", loom_objective_name(i));
	fprintf(stderr, "\nchips:");
	for (i = 0; loom_preset_get(i); i++)
		fprintf(stderr, " %s", loom_preset_get(i)->name);
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
	uint32_t i;
	int k;

	for (k = 1; k < argc; k++) {
		const char *networks_of = value_of(argv[k], "--networks=");
		const char *chips_of = value_of(argv[k], "--chips=");
		const char *strategies_of = value_of(argv[k], "--strategies=");
		const char *objectives_of = value_of(argv[k], "--objectives=");

		if (!networks_of && !chips_of && !strategies_of && !objectives_of)
			usage();
		wanted.networks = networks_of ? networks_of : wanted.networks;
		wanted.chips = chips_of ? chips_of : wanted.chips;
		wanted.objectives = objectives_of ? objectives_of : wanted.objectives;
		wanted.strategies = strategies_of ? strategies_of : wanted.strategies;
	}
	printf("%-13s %-8s %-16s %-6s %9s %8s %7s %7s %7s %7s\n", "network", "chip", "strategy",
	       "for", "kcycles", "MB", "/ LB2", "/ rel.", "/ long.", "seconds");
	for (i = 0; i < ARRAY_SIZE(networks); i++) {
		if (wanted.networks && !is_in(wanted.networks, networks[i].name))
			continue;
		if (networks[i].build)
			bench_shape(i);
		else
			bench_model(i);
	}
	print_summary("Six models of the end-to-end tests on soft, cv181x, bm1688 and bm1684x",
		      true);
	print_summary("All cells", false);
	return 0;
}
