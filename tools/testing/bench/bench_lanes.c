// SPDX-License-Identifier: MIT
/*
 * Two clients, each on half of the lanes, beside both in turns on all of them: cycles that a plan
 * promises, throughput, latency, the DRAM's share. Chip soft.
 *
 *	bench_lanes
 *
 * In turns each waits for the other, so a client's latency is two runs. On halves it is one. Both
 * halves share the DRAM, which the promise does not know: bus is the part of a run's cycles in
 * which one half uses it, and contended the throughput if both need at least the cycles of all
 * their bytes at the DRAM's rate.
 */
#include <stdio.h>
#include <stdlib.h>

#include "models.h"
#include "tap.h"
#include "loom_chip.h"
#include "loom_clock.h"
#include "loom_planner.h"

/**
 * struct way - a network on some lanes
 * @cycles: promised for a run
 * @bus_cycles: those that its bytes take on the bus of the DRAM
 */
struct way {
	uint64_t cycles;
	uint64_t bus_cycles;
};

static void measure_way(const struct loom_graph *graph, const struct drm_loom_chip *chip,
			struct way *way)
{
	const struct loom_planner_options options = { .chip = chip };
	struct loom_program *program;
	struct loom_error err;

	if (loom_program_create(graph, &options, &program, &err))
		tap_fatal("%s", err.text);
	*way = (struct way){
		.cycles = program->stats.cycles,
		.bus_cycles = loom_clock_memory(&chip->region[DRM_LOOM_REGION_DRAM],
						program->stats.dram_read_bytes,
						program->stats.dram_write_bytes),
	};
	loom_program_destroy(program);
}

static void measure(const char *name, const struct loom_graph *graph)
{
	const struct drm_loom_chip *chip = loom_preset_find("soft");
	struct drm_loom_chip half = *chip;
	struct way whole, part;
	uint64_t contended;

	half.region[DRM_LOOM_REGION_SRAM].banks /= 2;
	measure_way(graph, chip, &whole);
	measure_way(graph, &half, &part);
	contended = max(part.cycles, 2 * part.bus_cycles);
	printf("%-20s %10llu %10llu %8.2fx %8.2fx %6.0f%% %9.2fx\n", name,
	       (unsigned long long)whole.cycles, (unsigned long long)part.cycles,
	       2.0 * whole.cycles / part.cycles, (double)part.cycles / (2 * whole.cycles),
	       100.0 * part.bus_cycles / part.cycles, 2.0 * whole.cycles / contended);
	fflush(stdout);
}

int main(void)
{
	uint32_t i;

	printf("%-20s %10s %10s %9s %9s %7s %10s\n", "two clients", "all lanes", "half",
	       "through", "latency", "bus", "contended");
	for (i = 0; i < ARRAY_SIZE(models); i++)
		model_measure(&models[i], "bench_lanes", measure);
	return 0;
}
