// SPDX-License-Identifier: MIT
/*
 * Measured: plans by every grouping strategy, of published networks in eight bits (networks.h) and
 * the models of the end-to-end tests (models.h), in flat SRAM of 64 KiB to 4 MiB and on presets.
 * Per plan: DRAM bytes, cycles (struct loom_program_stats), recomputed multiply-accumulates, SRAM
 * alive at once in all lanes, and processor time of planning.
 *
 * Baselines: the plan without groups (layer by layer) of the same run, and the bytes that have to
 * move in any plan: each weight, input and output once. A plan can be below the latter if it does
 * not read all of an input. The last table compares with figures of a prototype, given below.
 *
 *	bench_layergroup [--table] [NETWORK]...	--table: DRAM bytes only, as a table for a page
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

/*
 * What a prototype of such planners moved, in MiB, on graphs of the same shapes and flat SRAM. It
 * ran no plan and was never checked on hardware: figures to compare with, by the share of what is
 * more than must move that goes away, because its graphs differ in biases and the like.
 */
static const struct prototype {
	const char *name;
	const char *place;
	double least, layers, first_fit, by_bytes, better;
} prototypes[] = {
	{ "resnet50", "512 KiB", 24.57, 62.3, 42.5, 39.7, 32.7 },
	{ "resnet50", "1 MiB", 24.57, 61.5, 35.7, 33.3, 25.3 },
	{ "resnet50", "2 MiB", 24.57, 61.5, 27.7, 26.9, 24.57 },
	{ "vgg16", "512 KiB", 14.21, 70.0, 53.4, 50.2, 40.3 },
	{ "vgg16", "1 MiB", 14.21, 44.1, 23.1, 22.0, 16.5 },
	{ "googlenet", "512 KiB", 6.84, 18.5, 10.6, 9.24, 7.40 },
	{ "mobilenet_v2", "256 KiB", 3.52, 17.3, 6.28, 4.18, 3.52 },
	{ "yolov5s", "1 MiB", 10.14, 74.0, 24.7, 18.5, 14.5 },
};

/**
 * struct outcome - a plan, or none
 * @there: there is a plan
 * @bytes: DRAM bytes
 * @error: why there is none
 */
struct outcome {
	bool there;
	uint64_t bytes;
	char error[160];
};

/**
 * struct row - a network
 * @name: its name
 * @least_bytes: what has to move
 * @outcomes: by place and strategy
 */
static struct row {
	char name[32];
	uint64_t least_bytes;
	struct outcome outcomes[ARRAY_SIZE(places)][MAX_STRATEGIES];
} rows[MAX_NETWORKS];

static uint32_t num_rows;
static bool table;

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
		snprintf(outcome->error, sizeof(outcome->error), "%.159s", err.text);
		if (!table)
			printf("  %-8s %-16s %s\n", strategy ? "" : places[place].name,
			       options.grouping, err.text);
		return;
	}
	stats = &program->stats;
	outcome->there = true;
	outcome->bytes = stats->dram_read_bytes + stats->dram_write_bytes;
	if (!table)
		printf("  %-8s %-16s %9.2f %9.2f %9.0f %9.1f %9.1f %7.2f\n",
		       strategy ? "" : places[place].name, options.grouping, outcome->bytes / MIB,
		       outcome->bytes > row->least_bytes ?
		       (outcome->bytes - row->least_bytes) / MIB : 0.0,
		       stats->cycles / 1e3, stats->recomputed_macs / 1e6,
		       stats->sram_peak_bytes / 1024.0 *
		       chip.region[DRM_LOOM_REGION_SRAM].banks, seconds);
	loom_program_destroy(program);
	fflush(stdout);
}

static void bench(const char *name, const struct loom_graph *graph)
{
	struct row *row = &rows[num_rows++];
	uint32_t i, k;

	snprintf(row->name, sizeof(row->name), "%s", name);
	row->least_bytes = least_bytes(graph);
	if (!table) {
		printf("\n%s, %u nodes, %.2f MiB must move\n", name, graph->num_nodes,
		       row->least_bytes / MIB);
		printf("  %-8s %-16s %9s %9s %9s %9s %9s %7s\n", "SRAM", "strategy", "DRAM MiB",
		       "excess", "kcycles", "re-MMAC", "peak KiB", "seconds");
	}
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

/* --- tables -------------------------------------------------------------------------------- */

static uint32_t strategy_of(const char *name)
{
	uint32_t i;

	for (i = 0; loom_grouping_name(i); i++)
		if (!strcmp(loom_grouping_name(i), name))
			return i;
	return 0;
}

static void rule(uint32_t columns)
{
	uint32_t i;

	printf("==================  ========");
	for (i = 0; i < columns; i++)
		printf("  =========");
	printf("\n");
}

/* The table for a page: a line for each network and place. */
static void print_table(void)
{
	uint32_t count = 0, i, k, s;

	while (loom_grouping_name(count))
		count++;
	rule(count + 1);
	printf("%-18s  %-8s  %9s", "network", "SRAM", "must move");
	for (s = 0; s < count; s++)
		printf("  %9.9s", loom_grouping_name(s) + (strlen(loom_grouping_name(s)) > 11 ?
								  10 : 0));
	printf("\n");
	rule(count + 1);
	for (i = 0; i < num_rows; i++)
		for (k = 0; k < ARRAY_SIZE(places); k++) {
			printf("%-18s  %-8s  %9.2f", k ? "\\" : rows[i].name, places[k].name,
			       rows[i].least_bytes / MIB);
			for (s = 0; s < count; s++) {
				if (rows[i].outcomes[k][s].there)
					printf("  %9.2f", rows[i].outcomes[k][s].bytes / MIB);
				else
					printf("  %9s", "-");
			}
			printf("\n");
		}
	rule(count + 1);
}

/* Lists the cells in which the default strategy moves more than another one. */
static uint32_t print_lost(void)
{
	uint32_t best = strategy_of(DEFAULT), cells = 0, better = 0, lost = 0, i, k, s;

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

/* Lists the cells without a plan, by any strategy or by some. */
static void print_refused(void)
{
	uint32_t i, k, s, refused = 0;

	printf("\nNo plan:\n");
	for (i = 0; i < num_rows; i++)
		for (k = 0; k < ARRAY_SIZE(places); k++)
			for (s = 0; loom_grouping_name(s); s++) {
				if (rows[i].outcomes[k][s].there)
					continue;
				printf("  %s, %s, %s: %s\n", rows[i].name, places[k].name,
				       loom_grouping_name(s), rows[i].outcomes[k][s].error);
				refused++;
			}
	printf("  %u in all\n", refused);
}

/* The share of the excess bytes of layer by layer that a strategy removes, in percent. */
static double removed(double least, double layers, double bytes)
{
	return layers > least ? 100 * (layers - bytes) / (layers - least) : 100;
}

static void print_prototypes(void)
{
	uint32_t best = strategy_of(DEFAULT), text = strategy_of("layergroup-text");
	uint32_t dp = strategy_of("layergroup-dp"), i, k, n;

	printf("\nShare of the excess of layer by layer that goes away, percent: figures of a\n");
	printf("prototype (see the source), then our re-implementations and the default\n");
	printf("  %-13s %-8s %9s %9s %9s | %9s %9s %9s\n", "network", "SRAM", "first fit",
	       "by bytes", "better", "text", "dp", "default");
	for (n = 0; n < ARRAY_SIZE(prototypes); n++) {
		const struct prototype *p = &prototypes[n];

		for (i = 0; i < num_rows; i++) {
			for (k = 0; k < ARRAY_SIZE(places); k++) {
				const struct outcome *o = rows[i].outcomes[k];
				double least = rows[i].least_bytes, better, ours;

				if (strcmp(p->name, rows[i].name) ||
				    strcmp(p->place, places[k].name) || !o[0].there ||
				    !o[best].there)
					continue;
				better = removed(p->least, p->layers, p->better);
				ours = removed(least, o[0].bytes, o[best].bytes);
				printf("  %-13s %-8s %9.1f %9.1f %9.1f | %9.1f %9.1f %9.1f%s\n",
				       p->name, p->place,
				       removed(p->least, p->layers, p->first_fit),
				       removed(p->least, p->layers, p->by_bytes), better,
				       removed(least, o[0].bytes, o[text].bytes),
				       removed(least, o[0].bytes, o[dp].bytes), ours,
				       ours + 0.05 < better ? "  less" : "");
			}
		}
	}
}

int main(int argc, char **argv)
{
	uint32_t i, lost;

	table = argc > 1 && !strcmp(argv[1], "--table");
	for (i = 0; i < ARRAY_SIZE(int8_networks); i++)
		if (is_wanted(int8_networks[i].name, argc, argv))
			bench_shape(&int8_networks[i]);
	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (is_wanted(models[i].name, argc, argv))
			model_measure(&models[i], "bench_layergroup", bench);
	if (table)
		print_table();
	print_refused();
	print_prototypes();
	lost = print_lost();
	return lost > 0;
}
