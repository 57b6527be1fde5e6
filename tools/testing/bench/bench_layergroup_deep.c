// SPDX-License-Identifier: MIT
/*
 * Measured: processor time and memory that planning in groups takes as a network gets deeper:
 * ResNet-50's third stage, repeated more and more often, by the default strategy in 256 KiB of
 * SRAM.
 *
 * Baseline: the network before, of half the depth; growth is an exponent, 1 for linear.
 * Each network is planned in a process of its own, so that its memory can be told apart.
 */
#include "clock.h"
#include "graph/graph.h"
#include "net.h"
#include "loom_planner.h"
#include "chips.h"

#include <errno.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/**
 * struct result - the figures of one process
 * @nodes: nodes of the graph
 * @steps: steps of the plan
 * @seconds: processor time that planning took
 * @plain_kib: memory before planning
 * @peak_kib: memory at most
 */
struct result {
	uint32_t nodes;
	uint32_t steps;
	double seconds;
	long plain_kib;
	long peak_kib;
};

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void measure(uint32_t blocks, struct result *result)
{
	const struct drm_loom_chip flat = chip_flat(256 << 10);
	const struct loom_planner_options options = {
		.chip = &flat, .grouping = "layergroup", .objective = LOOM_OBJECTIVE_BYTES,
	};
	static struct net net;
	struct map x;
	struct loom_program *program;
	struct loom_error err = { .text = "" };

	if (loom_graph_create("deep", 14, &net.graph))
		exit(1);
	x = net_words(&net, no_map, "i3,112 c64k3s2");
	net_words(&net, x, "%u( { ; c32 c32k3 c64 } ) o", blocks);
	if (loom_graph_finish(net.graph, NULL, &err))
		exit(1);
	result->nodes = net.graph->num_nodes;
	result->plain_kib = peak_kib();
	result->seconds = cpu_seconds();
	if (loom_program_create(net.graph, &options, &program, &err)) {
		fprintf(stderr, "bench_layergroup_deep: %s\n", err.text);
		exit(1);
	}
	result->seconds = cpu_seconds() - result->seconds;
	result->peak_kib = peak_kib();
	result->steps = program->stats.steps;
}

/* In a child process, so that the memory of one does not count for the next. */
static int measure_apart(uint32_t blocks, struct result *result)
{
	int ends[2], status = 1;
	pid_t child;

	if (pipe(ends))
		return -errno;
	child = fork();
	if (!child) {
		measure(blocks, result);
		_exit(write(ends[1], result, sizeof(*result)) != sizeof(*result));
	}
	close(ends[1]);
	if (child < 0 || read(ends[0], result, sizeof(*result)) != sizeof(*result))
		status = -EIO;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return status < 0 ? status : 0;
}

int main(void)
{
	static const uint32_t blocks[] = { 31, 62, 125, 250 };
	struct result results[ARRAY_SIZE(blocks)] = { { 0 } };
	uint32_t i;

	printf("%6s %6s %9s %9s %12s %12s\n", "nodes", "steps", "seconds", "KiB", "time grows",
	       "memory grows");
	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		struct result *r = &results[i];
		double nodes, time, memory;

		if (measure_apart(blocks[i], r))
			return 1;
		printf("%6u %6u %9.3f %9ld", r->nodes, r->steps, r->seconds,
		       r->peak_kib - r->plain_kib);
		if (i) {
			nodes = log((double)r->nodes / r[-1].nodes);
			time = log(r->seconds / r[-1].seconds);
			memory = log((double)(r->peak_kib - r->plain_kib) /
				     (double)max(r[-1].peak_kib - r[-1].plain_kib, 1L));
			printf(" %12.2f %12.2f", time / nodes, memory / nodes);
		}
		printf("\n");
	}
	return 0;
}
