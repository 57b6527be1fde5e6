// SPDX-License-Identifier: MIT
/*
 * Measured: the arenas of real networks, of those that the end-to-end tests run (models.h) and of
 * published layers (networks.h): the peak by every placement strategy.
 *
 * Baseline: the lower bound, which is the largest sum of bytes alive at once.
 *
 * Every placement is checked by loom_place_check().
 */
#include "loom_planner.h"
#include "loom_chip.h"
#include "models.h"
#include "networks.h"
#include "wanted.h"
#include "lower/arena.h"

#include <time.h>

#define MIB		(1024.0 * 1024.0)

static int failed;

static void complain(const char *name, const char *text)
{
	fprintf(stderr, "bench_models: %s: %s\n", name, text);
	failed = 1;
}

/* Prints the peak of one strategy on one arena over @bound_bytes. */
static void print_strategy(const char *network, const struct loom_arena *arena, const char *name,
			   uint64_t bound_bytes)
{
	const struct loom_place_options how = { .strategy = name };
	bool is_default = !strcmp(name, "auto");
	struct loom_place_result result;
	struct loom_place_fault fault;

	if (loom_place(&arena->problem, &how, &result, &fault)) {
		if (is_default)
			complain(network, fault.text);
		printf(" %s -", name);
		return;
	}
	if (loom_place_check(&arena->problem, result.offsets, result.pools, &fault))
		complain(network, fault.text);
	printf(" %s %.3f%s", name, (double)result.height_bytes[0] / (double)bound_bytes,
	       is_default && result.proved ? " (proved)" : "");
	loom_place_result_free(&result);
}

static void print_arena(const char *name, struct loom_storage *storage)
{
	struct loom_arena arena;
	uint64_t bound_bytes;
	unsigned int i;

	if (loom_arena_init(&arena, storage) || loom_place_bound(&arena.problem, &bound_bytes)) {
		complain(name, "no arena");
	} else {
		printf("%s: %llu neurons, %.3f MiB, bound %.3f:", name,
		       (unsigned long long)storage->num_neurons,
		       (double)storage->neuron_bytes / MIB, (double)bound_bytes / MIB);
		for (i = 0; loom_place_strategy_name(i); i++)
			print_strategy(name, &arena, loom_place_strategy_name(i), bound_bytes);
		printf("\n");
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
	struct loom_storage storage;
	struct loom_build build;
	struct loom_error err = { .text = "" };

	loom_build_init(&build, chip->region[DRM_LOOM_REGION_SRAM].banks);
	if (loom_storage_init(&storage, graph, &build, &options, &err))
		complain(name, err.text);
	else if (loom_storage_order(&storage))
		complain(name, "no order");
	else
		print_arena(name, &storage);
	loom_storage_clear(&storage);
	loom_build_clear(&build);
}

static void measure_network(const struct network *network)
{
	struct net net;

	measure(network->name, net_open(&net, network));
	net_close(&net);
}

int main(void)
{
	size_t i;

	printf("Peak over bound; one above 1 that is proved: offsets are multiples of %d\n",
	       LOOM_NEURON_ALIGN_BYTES);
	for (i = 0; i < ARRAY_SIZE(models); i++)
		model_measure(&models[i], "bench_models", measure);
	for (i = 0; i < ARRAY_SIZE(real_networks); i++)
		measure_network(&real_networks[i]);
	return failed;
}
