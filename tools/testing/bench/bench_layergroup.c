// SPDX-License-Identifier: MIT
/*
 * Measured: plans by every grouping strategy, of published networks in eight bits (networks.h) and
 * the models of the end-to-end tests (models.h), in flat SRAM of 64 KiB to 4 MiB and on presets.
 * Per plan: DRAM bytes, cycles (struct loom_program_stats), recomputed multiply-accumulates, SRAM
 * alive at once in all lanes, and processor time of planning.
 *
 * Baselines: the plan without groups (layer by layer) of the same run, and the bytes that have to
 * move in any plan: each weight, input and output once. A plan can be below the latter if it does
 * not read all of an input.
 *
 *	bench_layergroup [NETWORK]...
 *
 * Exits with 1 if the default strategy moves more DRAM bytes than another one anywhere.
 */
#include "clock.h"
#include "graph/graph.h"
#include "networks.h"
#include "loom_planner.h"
#include "chips.h"
#include "models.h"
#include "plan/build.h"
#include "wanted.h"

#define MIB		(1024.0 * 1024.0)
#define MAX_STRATEGIES	8
#define MAX_NETWORKS	32
#define DEFAULT		"layergroup"

/* A flat SRAM of so many bytes, or a preset. */
static const struct {
	const char *name;
	uint64_t bytes;
} places[] = {
	{ "64 KiB", 64 << 10 },
	{ "128 KiB", 128 << 10 },
	{ "256 KiB", 256 << 10 },
	{ "512 KiB", 512 << 10 },
	{ "1 MiB", 1 << 20 },
	{ "2 MiB", 2 << 20 },
	{ "4 MiB", 4 << 20 },
	{ "cv181x", 0 },
	{ "bm1688", 0 },
	{ "bm1684x", 0 },
};

/**
 * struct outcome - a plan, or none
 * @there: there is a plan
 * @bytes: DRAM bytes
 */
struct outcome {
	bool there;
	uint64_t bytes;
};

/**
 * struct row - a network
 * @name: its name
 * @least_bytes: lower bound on the DRAM traffic of any plan
 * @outcomes: by place and strategy
 */
static struct row {
	char name[32];
	uint64_t least_bytes;
	struct outcome outcomes[ARRAY_SIZE(places)][MAX_STRATEGIES];
} rows[MAX_NETWORKS];

static uint32_t num_rows;

/*
 * Bytes of the weights, each once, as the engine counts them: a weight that is repeated for each
 * channel counts as often.
 */
static uint64_t weights_once(const struct loom_program *program)
{
	const char *plan = program->plan;
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_tensor *tensors = (const void *)(plan + header->tensors.offset);
	const struct drm_loom_plan_view *views = (const void *)(plan + header->views.offset);
	uint64_t *most = calloc(header->tensors.count + 1ULL, sizeof(*most)), bytes = 0;
	uint32_t i;

	if (!most)
		exit(1);
	for (i = 0; i < header->views.count; i++)
		most[views[i].tensor] = max(most[views[i].tensor],
					    loom_build_bytes(DRM_LOOM_OP_LOAD, views, i));
	for (i = 0; i < header->tensors.count; i++)
		if (tensors[i].region == DRM_LOOM_REGION_DRAM &&
		    program->slots[tensors[i].slot].kind == LOOM_SLOT_KIND_WEIGHTS)
			bytes += most[i];
	free(most);
	return bytes;
}

/*
 * DRAM bytes that any plan has to move: each node alone, in unlimited SRAM, reads its weights once.
 */
static uint64_t least_bytes(const struct loom_graph *graph)
{
	const struct drm_loom_chip endless = CHIP("flat", (1, 1, 1ULL << 40, 0, 64),
						 (1, 1, 1ULL << 36, 0, 64));
	const struct loom_planner_options options = {
		.chip = &endless, .flags = LOOM_PLANNER_NO_OVERLAP, .grouping = "layerwise",
		.objective = LOOM_OBJECTIVE_BYTES,
	};
	struct loom_program *program;
	struct loom_error err;
	uint64_t bytes;
	uint32_t i;

	if (loom_program_create(graph, &options, &program, &err)) {
		fprintf(stderr, "bench_layergroup: %s\n", err.text);
		exit(1);
	}
	bytes = weights_once(program);
	for (i = 0; i < program->num_inputs; i++)
		bytes += program->inputs[i].size_bytes;
	for (i = 0; i < program->num_outputs; i++)
		bytes += program->outputs[i].size_bytes;
	loom_program_destroy(program);
	return bytes;
}

static struct drm_loom_chip topology_of(uint32_t place)
{
	const struct drm_loom_chip flat = chip_flat(places[place].bytes);

	return places[place].bytes ? flat : *loom_preset_find(places[place].name);
}

static void measure(struct row *row, const struct loom_graph *graph, uint32_t place,
		    uint32_t strategy)
{
	struct outcome *outcome = &row->outcomes[place][strategy];
	const struct drm_loom_chip chip = topology_of(place);
	const struct loom_planner_options options = {
		.chip = &chip, .grouping = loom_grouping_name(strategy),
		.objective = LOOM_OBJECTIVE_BYTES,
	};
	const struct loom_program_stats *stats;
	struct loom_program *program;
	struct loom_error err = { .text = "" };
	double begin = cpu_seconds(), seconds;
	int ret = loom_program_create(graph, &options, &program, &err);

	seconds = cpu_seconds() - begin;
	if (ret) {
		printf("  %-8s %-16s %s\n", strategy ? "" : places[place].name, options.grouping,
		       err.text);
		return;
	}
	stats = &program->stats;
	outcome->there = true;
	outcome->bytes = stats->dram_read_bytes + stats->dram_write_bytes;
	printf("  %-8s %-16s %9.2f %9.2f %9.0f %9.1f %9.1f %7.2f\n",
	       strategy ? "" : places[place].name, options.grouping, outcome->bytes / MIB,
	       outcome->bytes > row->least_bytes ? (outcome->bytes - row->least_bytes) / MIB : 0.0,
	       stats->cycles / 1e3, stats->recomputed_macs / 1e6,
	       stats->sram_peak_bytes / 1024.0 * chip.region[DRM_LOOM_REGION_SRAM].banks, seconds);
	loom_program_destroy(program);
	fflush(stdout);
}

static void bench(const char *name, const struct loom_graph *graph)
{
	struct row *row = &rows[num_rows++];
	uint32_t i, k;

	snprintf(row->name, sizeof(row->name), "%s", name);
	row->least_bytes = least_bytes(graph);
	printf("\n%s, %u nodes, %.2f MiB must move\n", name, graph->num_nodes,
	       row->least_bytes / MIB);
	printf("  %-8s %-16s %9s %9s %9s %9s %9s %7s\n", "SRAM", "strategy", "DRAM MiB", "excess",
	       "kcycles", "re-MMAC", "peak KiB", "seconds");
	for (i = 0; i < ARRAY_SIZE(places); i++)
		for (k = 0; loom_grouping_name(k) && k < MAX_STRATEGIES; k++)
			measure(row, graph, i, k);
}

static void bench_shape(const struct network *network)
{
	struct net net;

	bench(network->name, net_open(&net, network));
	net_close(&net);
}

/* Lists the cells in which the default strategy moves more than another one. */
static uint32_t print_lost(void)
{
	uint32_t best = 0, cells = 0, better = 0, lost = 0, i, k, s;

	while (strcmp(loom_grouping_name(best), DEFAULT))
		best++;
	printf("\nThe default, '%s', against the best of the others:\n", DEFAULT);
	for (i = 0; i < num_rows; i++) {
		for (k = 0; k < ARRAY_SIZE(places); k++) {
			const struct outcome *ours = &rows[i].outcomes[k][best];
			uint64_t least = UINT64_MAX;

			for (s = 0; loom_grouping_name(s); s++)
				if (s != best && rows[i].outcomes[k][s].there &&
				    rows[i].outcomes[k][s].bytes < least)
					least = rows[i].outcomes[k][s].bytes;
			if (!ours->there) {
				if (least != UINT64_MAX) {
					printf("  lost: %s, %s: only the others have a plan\n",
					       rows[i].name, places[k].name);
					lost++;
				}
				continue;
			}
			cells++;
			better += ours->bytes < least;
			if (ours->bytes <= least)
				continue;
			lost++;
			printf("  lost: %s, %s: %.3f MiB, another takes %.3f\n", rows[i].name,
			       places[k].name, ours->bytes / MIB, least / MIB);
		}
	}
	printf("  of %u cells: %u better, %u as good, %u lost\n", cells, better,
	       cells > better + lost ? cells - better - lost : 0, lost);
	return lost;
}

int main(int argc, char **argv)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(int8_networks); i++)
		if (is_wanted(int8_networks[i].name, argc, argv))
			bench_shape(&int8_networks[i]);
	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (is_wanted(models[i].name, argc, argv))
			model_measure(&models[i], "bench_layergroup", bench);
	return print_lost() > 0;
}
