// SPDX-License-Identifier: MIT
/*
 * Two clients, each on half of the lanes, beside both in turns on all of them: cycles that a plan
 * promises and a run counts, throughput, latency, the DRAM's share, the same bits. Chip soft.
 *
 *	bench_lanes
 *
 * In turns each waits for the other, so a client's latency is two runs. On halves it is one. Both
 * halves share the DRAM, which the promise does not know: bus is the part of a run's cycles in
 * which one half uses it, and contended the throughput if both need at least the cycles of all
 * their bytes at the DRAM's rate. Fails if counted cycles are not those promised.
 */
#include <stdio.h>
#include <stdlib.h>

#include "models.h"
#include "outputs.h"
#include "loom_chip.h"
#include "loom_clock.h"
#include "loom_planner.h"

/**
 * struct way - a network on some lanes
 * @cycles: promised for a run
 * @bus_cycles: those that its bytes take on the bus of the DRAM
 * @outputs: of a run
 */
struct way {
	uint64_t cycles;
	uint64_t bus_cycles;
	struct loom_array outputs[OUTPUTS];
};

static void measure_way(const struct loom_graph *graph, const struct drm_loom_chip *chip,
			struct way *way)
{
	const struct loom_planner_options options = { .chip = chip };
	const struct drm_loom_chip_region *dram = &chip->region[DRM_LOOM_REGION_DRAM];
	struct drm_loom_counters counters;
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_error err;

	*way = (struct way){ 0 };
	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_target_open("host", chip, &target, &err) ||
	    loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	run(session, program, way->outputs);
	loom_session_counters(session, &counters);
	way->cycles = program->stats.cycles;
	way->bus_cycles = loom_clock_memory(dram, counters.dram_read_bytes,
					    counters.dram_write_bytes);
	if (counters.cycles != way->cycles)
		tap_fatal("%llu cycles are promised, %llu counted",
			  (unsigned long long)way->cycles, (unsigned long long)counters.cycles);
	loom_session_destroy(session);
	loom_target_close(target);
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
	printf("%-20s %10llu %10llu %8.2fx %8.2fx %6.0f%% %9.2fx  %s\n", name,
	       (unsigned long long)whole.cycles, (unsigned long long)part.cycles,
	       2.0 * whole.cycles / part.cycles, (double)part.cycles / (2 * whole.cycles),
	       100.0 * part.bus_cycles / part.cycles, 2.0 * whole.cycles / contended,
	       same(whole.outputs, part.outputs) ? "the same" : "others");
	fflush(stdout);
	clear(whole.outputs);
	clear(part.outputs);
}

int main(void)
{
	uint32_t i;

	printf("%-20s %10s %10s %9s %9s %7s %10s  bits\n", "two clients", "all lanes", "half",
	       "through", "latency", "bus", "contended");
	for (i = 0; i < ARRAY_SIZE(models); i++)
		model_measure(&models[i], "bench_lanes", measure);
	return 0;
}
