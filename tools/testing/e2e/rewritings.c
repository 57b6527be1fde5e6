// SPDX-License-Identifier: MIT
/*
 * The same model written down otherwise has the same plan: its nodes are listed in another order,
 * in the file and in the graph, and all names are others. DRAM bytes, cycles and the arena may
 * differ by a hundredth.
 *
 *	rewritings [NETWORK|FILE.onnx]...
 */
#include "bench/networks.h"
#include "bench/wanted.h"
#include "bench/models.h"
#include "chips.h"
#include "graph/graph.h"
#include "loom_planner.h"
#include "onnx/source.h"
#include "random.h"
#include "tap.h"

#define REWRITINGS	5

/**
 * struct planned - what is planned
 * @name: its name
 * @network: makes it, or NULL
 * @model: else its file
 */
struct planned {
	const char *name;
	const struct network *network;
	const struct model *model;
};

static void swap(void *a, void *b)
{
	void **x = a, **y = b, *was = *x;

	*x = *y;
	*y = was;
}

/* Lists the nodes of a model in any order: importing puts producers before those that read them. */
static void shuffle_file(struct loom_source *source)
{
	uint32_t i;

	for (i = source->num_nodes; i > 1; i--)
		swap(&source->nodes[i - 1], &source->nodes[random_below(i)]);
	for (i = 0; i < source->num_nodes; i++)
		source->nodes[i]->index = i;
}

/* Any topological order, all nodes that can run being as likely to be next. */
static void shuffle_nodes(struct loom_graph *graph)
{
	uint32_t n = graph->num_nodes, done = 0, i, k;
	bool *made = calloc(graph->num_values, sizeof(*made));
	uint32_t *ready = calloc(n, sizeof(*ready));

	if (!made || !ready)
		tap_fatal("no memory");
	for (; done < n; done++) {
		uint32_t count = 0;

		for (i = done; i < n; i++) {
			const struct loom_node *node = graph->nodes[i];
			bool can = true;

			for (k = 0; k < node->num_inputs; k++)
				if (node->inputs[k] && node->inputs[k]->producer)
					can &= made[node->inputs[k]->id];
			if (can)
				ready[count++] = i;
		}
		i = ready[random_below(count)];
		made[graph->nodes[i]->output->id] = true;
		swap(&graph->nodes[done], &graph->nodes[i]);
	}
	free(made);
	free(ready);
}

static void rename_all(struct loom_graph *graph)
{
	uint32_t i;
	char *name;

	for (i = 0; i < graph->num_values + graph->num_nodes; i++) {
		name = loom_pool_array(graph->pool, 20, 1);
		if (!name)
			tap_fatal("no memory");
		snprintf(name, 20, "%c%016llx", (char)('a' + random_below(26)),
			 (unsigned long long)random_u64());
		if (i < graph->num_values)
			graph->values[i]->name = name;
		else
			graph->nodes[i - graph->num_values]->name = name;
	}
}

static struct loom_graph *make(const struct planned *network, struct net *net, bool rewritten)
{
	struct loom_graph_options options = { .num_shapes = 0 };
	struct loom_error err;
	char path[256];

	memset(net, 0, sizeof(*net));
	if (network->network) {
		if (net_build(net, network->network))
			tap_fatal("no memory");
	} else {
		snprintf(path, sizeof(path), "build/models/%s", network->model->file);
		if (loom_graph_open_onnx(path, &net->graph, &err))
			tap_fatal("%s", err.text);
		options.shapes = &network->model->shape;
		options.num_shapes = !!network->model->shape.input;
	}
	if (rewritten)
		shuffle_file(net->graph->source);
	if (loom_graph_finish(net->graph, &options, &err))
		tap_fatal("%s", err.text);
	if (rewritten) {
		shuffle_nodes(net->graph);
		rename_all(net->graph);
	}
	return net->graph;
}

static struct loom_program_stats plan(const struct loom_graph *graph, uint64_t sram_bytes,
				      enum loom_planner_objective objective)
{
	struct drm_loom_chip chip = chip_flat(sram_bytes);
	const struct loom_planner_options options = {
		.chip = &chip,
		.grouping = "layergroup",
		.objective = objective,
	};
	struct loom_program_stats stats;
	struct loom_program *program;
	struct loom_error err;

	if (loom_program_create(graph, &options, &program, &err))
		tap_fatal("%s", err.text);
	stats = program->stats;
	loom_program_destroy(program);
	return stats;
}

static bool is_near(uint64_t a, uint64_t b)
{
	return a <= b + b / 100 && b <= a + a / 100;
}

static bool same(const struct loom_program_stats *a, const struct loom_program_stats *b)
{
	return is_near(a->dram_read_bytes + a->dram_write_bytes,
		       b->dram_read_bytes + b->dram_write_bytes) &&
	       is_near(a->cycles, b->cycles) && is_near(a->arena_bytes, b->arena_bytes);
}

static void try_network(const struct planned *network, uint64_t sram_bytes,
			enum loom_planner_objective objective)
{
	struct loom_program_stats first = { 0 }, stats;
	struct net net;
	uint32_t i, differ = 0;

	random_state = 12;
	for (i = 0; i <= REWRITINGS; i++) {
		stats = plan(make(network, &net, i), sram_bytes, objective);
		if (!i)
			first = stats;
		if (!same(&first, &stats)) {
			differ++;
			tap_note("%llu bytes, %llu cycles, arena %llu; rewritten %llu, %llu, %llu",
				 (unsigned long long)
				 (first.dram_read_bytes + first.dram_write_bytes),
				 (unsigned long long)first.cycles,
				 (unsigned long long)first.arena_bytes, (unsigned long long)
				 (stats.dram_read_bytes + stats.dram_write_bytes),
				 (unsigned long long)stats.cycles,
				 (unsigned long long)stats.arena_bytes);
		}
		net_close(&net);
	}
	tap_ok(!differ, "%s in %llu KiB for %s: %u rewritings have the same figures", network->name,
	       (unsigned long long)sram_bytes >> 10,
	       objective == LOOM_OBJECTIVE_BYTES ? "bytes" : "time", REWRITINGS);
}

static void try_both(const struct planned *network)
{
	try_network(network, 1 << 20, LOOM_OBJECTIVE_BYTES);
	try_network(network, 512 << 10, LOOM_OBJECTIVE_TIME);
}

int main(int argc, char **argv)
{
	uint32_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < ARRAY_SIZE(int8_networks); i++) {
		const struct planned network = {
			.name = int8_networks[i].name, .network = &int8_networks[i],
		};

		if (is_wanted(network.name, argc, argv))
			try_both(&network);
	}
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		const struct planned network = { .name = models[i].file, .model = &models[i] };

		if (is_wanted(network.name, argc, argv))
			try_both(&network);
	}
	return tap_end();
}
