// SPDX-License-Identifier: MIT
/*
 * No plan is below what the library says no plan can be: random graphs of every operator on random
 * chips (latencies, starts, bursts, slow SRAM, ROM with and without reading in place, streams that
 * take turns), by all strategies, with and without double buffers.
 */
#include "chips.h"
#include "host/group/case.h"
#include "host/lower/rounds.h"
#include "loom_clock.h"
#include "loom_planner.h"

#define ROUNDS	120
#define CHIPS	6

static unsigned int num_plans;
static unsigned int num_refused;
static unsigned int num_tight;
static unsigned int num_ordered;
static unsigned int num_relaxed;

/* Small numbers as often as large ones. */
static uint32_t any_up_to(uint32_t most)
{
	uint32_t limit = 1;

	while (limit < most && draw(2))
		limit *= 4;
	return draw((limit < most ? limit : most) + 1);
}

static void any_memory(struct drm_loom_chip_region *region)
{
	region->read_rate = 1 + any_up_to(100000);
	region->write_rate = draw(2) ? region->read_rate : 1 + any_up_to(100000);
	region->read_latency = draw(2) ? 0 : any_up_to(2000);
	region->write_latency = draw(2) ? 0 : any_up_to(2000);
	region->burst_bytes = draw(2) ? 0 : any_up_to(128);
	region->flags = draw(2) ? DRM_LOOM_CHIP_SHARED : 0;
}

static struct drm_loom_chip any_chip(void)
{
	struct drm_loom_chip chip = chip_of(1, 1ULL << 32, 1 + any_up_to(70),
					    1200 + any_up_to(40000));
	struct loom_chip_fault fault;
	uint32_t i;

	chip.flags = draw(4) ? DRM_LOOM_CHIP_OVERLAP : 0;
	chip.dma_start = any_up_to(1000);
	chip.compute_start = any_up_to(1000);
	chip.region[DRM_LOOM_REGION_SRAM].align_bytes = 4U << draw(5);
	chip.region[DRM_LOOM_REGION_SRAM].floor_bytes = 0;
	any_memory(&chip.region[DRM_LOOM_REGION_DRAM]);
	any_memory(&chip.region[DRM_LOOM_REGION_SRAM]);
	if (!draw(3)) {
		chip.region[DRM_LOOM_REGION_ROM] = (struct drm_loom_chip_region){
			CHIP_SIZES(1, 1, 1ULL << 28, 0, 64),
		};
		any_memory(&chip.region[DRM_LOOM_REGION_ROM]);
		chip.region[DRM_LOOM_REGION_ROM].write_rate = 0;
		chip.region[DRM_LOOM_REGION_ROM].write_latency = 0;
		if (draw(2))
			chip.region[DRM_LOOM_REGION_ROM].flags |= DRM_LOOM_CHIP_IN_PLACE;
	}
	if (!draw(8)) {
		/* all there is lies in the SRAM of one lane */
		chip.region[DRM_LOOM_REGION_DRAM] = (struct drm_loom_chip_region){ 0 };
		chip.region[DRM_LOOM_REGION_SRAM].banks = 1;
		chip.region[DRM_LOOM_REGION_SRAM].bank_bytes = 1 << 20;
	}
	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++) {
		if (!chip.type[i].op_rate)
			continue;
		chip.type[i].mac_rate = draw(4) ? 1 + any_up_to(64000) : 0;
		chip.type[i].op_rate = 1 + any_up_to(64000);
	}
	if (loom_chip_check(&chip, &fault))
		tap_fatal("figure %d of region %d %s", fault.key, fault.region, fault.text);
	return chip;
}

static bool fail(const struct loom_program *program, const char *what, uint64_t bound, uint64_t got)
{
	tap_note("%s: %s: bound %llu, plan %llu", program->grouping, what,
		 (unsigned long long)bound, (unsigned long long)got);
	return false;
}

static bool check(const struct loom_program *program)
{
	const struct loom_program_least *least = &program->least;
	const struct loom_program_stats *stats = &program->stats;

	num_plans++;
	num_tight += least->held_cycles * 2 > stats->cycles;
	num_ordered += least->stream_cycles < least->held_cycles;
	num_relaxed += least->held_cycles < least->relaxed_cycles;
	if (least->stream_cycles > least->end_cycles || least->end_cycles > least->held_cycles ||
	    least->held_cycles > least->relaxed_cycles)
		return fail(program, "order", least->end_cycles, least->held_cycles);
	if (least->stream_cycles > stats->cycles)
		return fail(program, "LB0", least->stream_cycles, stats->cycles);
	if (least->end_cycles > stats->cycles)
		return fail(program, "LB1", least->end_cycles, stats->cycles);
	if (least->held_cycles > stats->cycles)
		return fail(program, "LB2", least->held_cycles, stats->cycles);
	if (least->relaxed_cycles > stats->cycles)
		return fail(program, "relaxed", least->relaxed_cycles, stats->cycles);
	if (least->dma_cycles > stats->dma_cycles)
		return fail(program, "DMA", least->dma_cycles, stats->dma_cycles);
	if (least->compute_cycles > stats->compute_cycles)
		return fail(program, "compute", least->compute_cycles, stats->compute_cycles);
	if (least->dram_read_bytes > stats->dram_read_bytes)
		return fail(program, "reads", least->dram_read_bytes, stats->dram_read_bytes);
	if (least->dram_write_bytes > stats->dram_write_bytes)
		return fail(program, "writes", least->dram_write_bytes, stats->dram_write_bytes);
	if (least->rom_read_bytes > stats->rom_read_bytes)
		return fail(program, "ROM", least->rom_read_bytes, stats->rom_read_bytes);
	return true;
}

/* All strategies, which say the same of what no plan is below. */
static bool try_chip(const struct loom_graph *graph, const struct drm_loom_chip *chip)
{
	struct loom_planner_options options = { .grouping = "layerwise", .chip = chip };
	struct loom_program *program;
	uint32_t i;
	bool good = true;

	options.flags = draw(4) ? 0 : LOOM_PLANNER_NO_OVERLAP;
	for (i = 0; loom_grouping_name(i) && good; i++) {
		options.grouping = loom_grouping_name(i);
		if (loom_program_create(graph, &options, &program, NULL)) {
			num_refused++;
			continue;
		}
		good = check(program);
		loom_program_destroy(program);
	}
	return good;
}

static bool try_round(uint32_t round)
{
	struct test_case test;
	bool good = true;
	uint32_t i;

	make_case(&test, round * 7919 + 5);
	for (i = 0; i < CHIPS && good; i++) {
		const struct drm_loom_chip chip = any_chip();

		good = try_chip(test.graph, &chip);
		if (!good)
			tap_note("round %u, chip %u: %u lanes of %llu bytes, flags %u, rom %u",
				 round, i, chip.region[DRM_LOOM_REGION_SRAM].banks,
				 (unsigned long long)chip.region[DRM_LOOM_REGION_SRAM].bank_bytes,
				 chip.flags, chip.region[DRM_LOOM_REGION_ROM].flags);
	}
	free_case(&test);
	return good;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "no plan of %u graphs of %u is below the bounds",
	       rounds.count - rounds.bad, rounds.count);
	tap_note("%u plans, %u refused, %u at most twice LB2", num_plans, num_refused, num_tight);
	tap_note("LB2 is above LB0 of %u, the relaxed program above LB2 of %u", num_ordered,
		 num_relaxed);
	if (argc == 1)
		tap_ok(num_tight > num_plans / 8 && num_ordered > num_plans / 8,
		       "the bounds say something");
	return tap_end();
}
