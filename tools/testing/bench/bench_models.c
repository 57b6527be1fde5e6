// SPDX-License-Identifier: MIT
/*
 * Measured: the arenas of real networks, of those that the end-to-end tests run (models.h) and of
 * published layers (networks.h): the peak by every placement strategy, and the time and search
 * nodes of the default one.
 *
 * Baseline: the lower bound, which is the largest sum of bytes alive at once.
 *
 * Every placement is checked by loom_place_check(). Times are medians.
 */
#include "loom_planner.h"
#include "loom_chip.h"
#include "models.h"
#include "networks.h"
#include "wanted.h"
#include "lower/arena.h"

#include <time.h>

#define MIB		(1024.0 * 1024.0)
#define MAX_STRATEGIES	32
#define REPEATS		15

/**
 * struct row - the figures of one network
 * @name: its name
 * @nodes: nodes of its graph
 * @neurons: values in the arena
 * @sum_bytes: of all neurons
 * @bound_bytes: what is alive at once
 * @peak_bytes: by strategy; 0: it found no placement
 * @proved: by the default strategy
 * @states: search nodes that it visited
 * @place_ms: time it took
 */
struct row {
	const char *name;
	uint32_t nodes;
	uint64_t neurons;
	uint64_t sum_bytes;
	uint64_t bound_bytes;
	uint64_t peak_bytes[MAX_STRATEGIES];
	bool proved;
	uint64_t states;
	double place_ms;
};

static struct row rows[ARRAY_SIZE(models) + ARRAY_SIZE(real_networks)];
static size_t num_rows;
static int failed;

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void complain(const char *name, const char *text)
{
	fprintf(stderr, "bench_models: %s: %s\n", name, text);
	failed = 1;
}

/* Runs one strategy on one arena; the default one is also timed. */
static void measure_strategy(struct row *row, const struct loom_arena *arena, unsigned int index)
{
	const char *name = loom_place_strategy_name(index);
	const struct loom_place_options how = { .strategy = name };
	bool is_default = !strcmp(name, "auto");
	struct loom_place_result result;
	struct loom_place_fault fault;
	double times[REPEATS];
	int i;

	for (i = 0; i < (is_default ? REPEATS : 1); i++) {
		times[i] = now_ms();
		if (loom_place(&arena->problem, &how, &result, &fault)) {
			if (is_default)
				complain(row->name, fault.text);
			return;
		}
		times[i] = now_ms() - times[i];
		row->peak_bytes[index] = result.height_bytes[0];
		row->proved = is_default ? result.proved : row->proved;
		row->states = is_default ? result.nodes : row->states;
		if (loom_place_check(&arena->problem, result.offsets, result.pools, &fault))
			complain(row->name, fault.text);
		loom_place_result_free(&result);
	}
	if (is_default)
		row->place_ms = median_of(times, REPEATS);
}

static void measure_arena(struct row *row, struct loom_storage *storage)
{
	struct loom_arena arena;
	unsigned int i;

	row->neurons = storage->num_neurons;
	row->sum_bytes = storage->neuron_bytes;
	if (loom_arena_init(&arena, storage) ||
	    loom_place_bound(&arena.problem, &row->bound_bytes)) {
		complain(row->name, "no arena");
	} else {
		for (i = 0; loom_place_strategy_name(i) && i < MAX_STRATEGIES; i++)
			measure_strategy(row, &arena, i);
	}
	loom_arena_clear(&arena);
}

static void measure(const char *name, const struct loom_graph *graph)
{
	const struct drm_loom_chip *chip = loom_preset_get(0);
	const struct loom_storage_options options = {
		.dram_align_bytes = chip->region[DRM_LOOM_REGION_DRAM].align_bytes,
		.reorder = true,
	};
	struct row *row = &rows[num_rows++];
	struct loom_storage storage;
	struct loom_build build;
	struct loom_error err = { .text = "" };

	row->name = name;
	row->nodes = graph->num_nodes;
	loom_build_init(&build, chip->region[DRM_LOOM_REGION_SRAM].banks);
	if (loom_storage_init(&storage, graph, &build, &options, &err))
		complain(name, err.text);
	else if (loom_storage_order(&storage))
		complain(name, "no order");
	else
		measure_arena(row, &storage);
	loom_storage_clear(&storage);
	loom_build_clear(&build);
}

static void measure_network(const struct network *network)
{
	struct net net;

	measure(network->name, net_open(&net, network));
	net_close(&net);
}

static void rule(int first, int count, const int *widths)
{
	int i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < (i ? widths[i] : first); k++)
			putchar('=');
		putchar(i + 1 < count ? ' ' : '\n');
	}
}

static int strategy_width(unsigned int index)
{
	int length = strlen(loom_place_strategy_name(index));

	return max(length, 6);
}

static void print_places(void)
{
	int widths[MAX_STRATEGIES + 8] = { 0, 5, 7, 8, 8 }, count = 5;
	unsigned int i;
	size_t k;

	for (i = 0; loom_place_strategy_name(i) && i < MAX_STRATEGIES; i++)
		widths[count++] = strategy_width(i);
	widths[count++] = 6;
	widths[count++] = 8;
	widths[count++] = 8;
	printf("Peak over bound, by strategy\n\n");
	rule(18, count, widths);
	printf("%-18s %5s %7s %8s %8s", "network", "nodes", "neurons", "sum MiB", "bound");
	for (i = 0; loom_place_strategy_name(i) && i < MAX_STRATEGIES; i++)
		printf(" %*s", strategy_width(i), loom_place_strategy_name(i));
	printf(" %6s %8s %8s\n", "proved", "auto ms", "searched");
	rule(18, count, widths);
	for (k = 0; k < num_rows; k++) {
		const struct row *row = &rows[k];

		printf("%-18s %5u %7llu %8.3f %8.3f", row->name, row->nodes,
		       (unsigned long long)row->neurons, row->sum_bytes / MIB,
		       row->bound_bytes / MIB);
		for (i = 0; loom_place_strategy_name(i) && i < MAX_STRATEGIES; i++) {
			if (row->peak_bytes[i] && row->bound_bytes)
				printf(" %*.3f", strategy_width(i),
				       (double)row->peak_bytes[i] / row->bound_bytes);
			else
				printf(" %*s", strategy_width(i), "-");
		}
		printf(" %6s %8.3f %8llu\n", row->proved ? "yes" : "no", row->place_ms,
		       (unsigned long long)row->states);
	}
	rule(18, count, widths);
	printf("\nA ratio above 1 that is proved: offsets are multiples of %d, the bound is not.\n",
	       LOOM_NEURON_ALIGN_BYTES);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		model_measure(&models[i], "bench_models", measure);
	for (i = 0; i < ARRAY_SIZE(real_networks); i++)
		measure_network(&real_networks[i]);
	print_places();
	return failed;
}
