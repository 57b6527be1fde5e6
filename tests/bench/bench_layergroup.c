// SPDX-License-Identifier: MIT
/*
 * Published networks in eight bits (int8.h) in groups: DRAM bytes by size of a flat SRAM, against
 * layer by layer and against what has to move in any case: each weight once, inputs and outputs
 * once.
 *
 *	bench_layergroup [NETWORK]...
 */
#include "graph.h"
#include "int8.h"
#include "loom_planner.h"
#include "loom_topology.h"

#include <time.h>

#define MIB	(1024.0 * 1024.0)

/* As many nodes as it takes to see how planning grows: ResNet-50's third stage, deeper. */
static void deep(struct int8_net *net, uint32_t blocks)
{
	struct int8_map x = int8_conv(net, int8_begin(net, 112), 64, 3, 2, 1), y;
	uint32_t i;

	for (i = 0; i < blocks; i++) {
		y = int8_conv(net, x, 32, 1, 1, 1);
		y = int8_conv(net, y, 32, 3, 1, 1);
		y = int8_conv(net, y, 64, 1, 1, 1);
		x = int8_add(net, x, y);
	}
	loom_graph_add_output(net->graph, x.name);
}

static void deep_125(struct int8_net *net)
{
	deep(net, 31);
}

static void deep_250(struct int8_net *net)
{
	deep(net, 62);
}

static void deep_500(struct int8_net *net)
{
	deep(net, 125);
}

static const struct {
	const char *name;
	void (*build)(struct int8_net *net);
} networks[] = {
	{ "mobilenet_v2", int8_mobilenet_v2 },
	{ "resnet50", int8_resnet50 },
	{ "vgg16", int8_vgg16 },
	{ "googlenet", int8_googlenet },
	{ "yolov5s", int8_yolov5s },
	{ "deep_125", deep_125 },
	{ "deep_250", deep_250 },
	{ "deep_500", deep_500 },
};

static const uint64_t sizes[] = {
	64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20,
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What no plan can do without. */
static uint64_t compulsory(const struct loom_graph *graph)
{
	uint64_t bytes = 0;
	uint32_t i, k;
	bool *seen = calloc(graph->num_values, sizeof(*seen));

	for (i = 0; i < graph->num_nodes; i++) {
		const struct loom_node *node = graph->nodes[i];

		for (k = 0; k < node->num_inputs; k++) {
			const struct loom_value *value = node->inputs[k];

			if (!value || seen[value->id] || (!value->data && !value->is_input))
				continue;
			seen[value->id] = true;
			bytes += value->size_bytes;
		}
	}
	for (i = 0; i < graph->num_outputs; i++)
		bytes += graph->outputs[i]->size_bytes;
	free(seen);
	return bytes;
}

static void measure(const struct loom_graph *graph, uint64_t size, const char *grouping)
{
	const struct loom_topology flat = {
		"flat", { { 1, 1, 1ULL << 32, 0, 64 }, { 1, 1, size, 0, 64 } }, 1,
	};
	const struct loom_planner_options options = { .topology = &flat, .grouping = grouping };
	struct loom_program *program;
	struct loom_error err = { "" };
	double begin = now();

	if (loom_program_create(graph, &options, &program, &err)) {
		printf(" %-10s %s\n", grouping, err.text);
		return;
	}
	printf("  %-10s %8.2f MB, %6.2f more than must be, %6llu steps, %7.3f s\n", grouping,
	       (double)(program->stats.dram_read_bytes + program->stats.dram_write_bytes) / MIB,
	       (double)(program->stats.dram_read_bytes + program->stats.dram_write_bytes -
			compulsory(graph)) / MIB, (unsigned long long)program->stats.steps,
	       now() - begin);
	loom_program_destroy(program);
}

static void bench(const char *name, void (*build)(struct int8_net *net))
{
	struct int8_net net = { .count = 0 };
	struct loom_error err;
	uint32_t i, k;

	if (loom_graph_create(name, 14, &net.graph))
		exit(1);
	build(&net);
	if (loom_graph_finish(net.graph, NULL, &err)) {
		printf("%s: %s\n", name, err.text);
		exit(1);
	}
	printf("%s: %u nodes, %.2f MB must move\n", name, net.graph->num_nodes,
	       (double)compulsory(net.graph) / MIB);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		printf(" %llu KB\n", (unsigned long long)sizes[i] >> 10);
		for (k = 0; loom_grouping_name(k); k++)
			measure(net.graph, sizes[i], loom_grouping_name(k));
	}
	loom_graph_destroy(net.graph);
	for (i = 0; i < net.num_weights; i++)
		free(net.weights[i]);
}

int main(int argc, char **argv)
{
	uint32_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(networks); i++) {
		bool wanted = argc == 1;

		for (k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], networks[i].name);
		if (wanted)
			bench(networks[i].name, networks[i].build);
	}
	return 0;
}
