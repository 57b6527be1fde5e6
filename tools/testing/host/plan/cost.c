// SPDX-License-Identifier: MIT
/*
 * The notes of a program: groups, cuts and labels follow from the plan's bytes, so the sums over
 * groups are what the engine counts, whatever the strategy, on random graphs. So are cycles and
 * energy, on random chips (latencies, starts, bursts, slow SRAM, ROM with and without reading in
 * place, streams that take turns), with and without double buffers. A plan claims no more SRAM than
 * it needs: on a shared device others have the rest. And none is below what the library says no
 * plan can be.
 */
#include "chips.h"
#include "counted.h"
#include "host/group/case.h"
#include "host/lower/rounds.h"

#define ROUNDS	40
#define CHIPS	6

static struct {
	unsigned int programs, groups, sliced;
	unsigned int bad_sums, bad_ranges, bad_labels, bad_peaks, bad_macs, bad_promises;
	unsigned int bad_claims, bad_layers;
} seen;

static unsigned int num_refused, num_tight, num_ordered, num_relaxed;

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
	region->flags = (draw(2) ? DRM_LOOM_CHIP_SHARED : 0) |
			(draw(2) ? DRM_LOOM_CHIP_BROADCAST : 0);
	region->read_energy = draw(10000);
	region->write_energy = draw(10000);
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
		chip.type[i].mac_energy = draw(5000);
		chip.type[i].op_energy = draw(5000);
		if (draw(2))
			continue;
		chip.array[i] = (struct drm_loom_chip_array){
			draw(40), draw(20), draw(10), draw(2) ? 0 : 1 + any_up_to(64000),
		};
		chip.vector[i].pool_rate = draw(2) ? 0 : 1 + any_up_to(64000);
		chip.vector[i].element_rate = draw(2) ? 0 : 1 + any_up_to(64000);
	}
	if (loom_chip_check(&chip, &fault))
		tap_fatal("figure %d of region %d %s", fault.key, fault.region, fault.text);
	return chip;
}

static void check_sums(const struct loom_program *program)
{
	const struct loom_program_stats *s = &program->stats;
	uint64_t in = 0, out = 0, macs = 0, cycles = 0, next = 0, dma = 0, compute = 0, energy = 0;
	uint32_t i;

	for (i = 0; i < program->num_groups; i++) {
		const struct loom_program_group *group = &program->groups[i];

		in += group->dram_read_bytes;
		out += group->dram_write_bytes;
		macs += group->macs;
		cycles += group->cycles;
		dma += group->dma_cycles;
		compute += group->compute_cycles;
		energy += group->energy_fj;
		seen.bad_sums += group->dma_start_cycles > group->dma_cycles ||
				 group->compute_start_cycles > group->compute_cycles ||
				 group->mac_cycles + group->op_cycles > group->compute_cycles;
		seen.bad_ranges += group->first_step != next || !group->num_steps ||
				   group->last_node < group->first_node ||
				   group->last_node >= program->num_nodes ||
				   (s->dram_read_bytes && group->weights_read_bytes >
				    group->dram_read_bytes + s->rom_read_bytes) ||
				   group->held_bytes > group->weights_bytes;
		next += group->num_steps;
		seen.groups += group->grouped;
		seen.sliced += group->grouped && group->slices > 1;
	}
	seen.bad_ranges += next != s->steps;
	seen.bad_sums += in != s->dram_read_bytes || out != s->dram_write_bytes ||
			 macs != s->macs || cycles != s->cycles || cycles < s->steps ||
			 dma != s->dma_cycles || compute != s->compute_cycles ||
			 energy != s->energy_fj;
	seen.bad_peaks += s->sram_peak_bytes > s->scratch_bytes ||
			  (s->scratch_bytes && !s->sram_peak_bytes);
	seen.bad_macs += s->recomputed_macs > s->macs;
}

static void check_layers(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	const struct loom_program_stats *s = &program->stats;
	uint64_t in = 0, out = 0, rom = 0, macs = 0, cycles = 0, dma = 0, compute = 0, energy = 0;
	uint64_t commands = 0;
	struct loom_program_layer *layers;
	uint32_t num_layers, i;

	if (loom_program_layers(program, chip, &layers, &num_layers))
		tap_fatal("no memory");
	for (i = 0; i < num_layers; i++) {
		const struct loom_program_layer *layer = &layers[i];

		in += layer->dram_read_bytes;
		out += layer->dram_write_bytes;
		rom += layer->rom_read_bytes;
		macs += layer->macs;
		cycles += layer->cycles;
		dma += layer->dma_cycles;
		compute += layer->compute_cycles;
		energy += layer->energy_fj;
		commands += layer->commands;
		seen.bad_layers += layer->full_cycles > layer->compute_cycles + 1e-6;
	}
	seen.bad_layers += num_layers != program->num_nodes + 1 || in != s->dram_read_bytes ||
			   out != s->dram_write_bytes || macs != s->macs || cycles != s->cycles ||
			   dma != s->dma_cycles || compute != s->compute_cycles ||
			   energy != s->energy_fj || commands != s->commands ||
			   /* compute may read in place */
			   rom < s->rom_read_bytes;
	free(layers);
}

static void check_labels(const struct loom_program *program)
{
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_tensor *tensors =
		(const void *)((const uint8_t *)program->plan + header->tensors.offset);
	uint32_t i;

	seen.bad_labels += header->tensors.count != program->num_labels;
	for (i = 0; i < program->num_labels; i++)
		seen.bad_labels += !*program->labels[i].name ||
				   (program->labels[i].kind == LOOM_LABEL_DRAM) !=
				   (tensors[i].region != DRM_LOOM_REGION_SRAM ||
				    tensors[i].flags & DRM_LOOM_TENSOR_SLOT);
}

/* At most 1.1 times the bytes that are alive at once, in units of the SRAM's alignment. */
static void check_claim(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	const uint64_t align = chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_tensor *tensors =
		(const void *)((const uint8_t *)program->plan + header->tensors.offset);
	uint64_t alive, most = 0;
	uint32_t i, step;

	for (step = 0; step < header->steps.count; step++) {
		for (alive = i = 0; i < header->tensors.count; i++)
			if (tensors[i].region == DRM_LOOM_REGION_SRAM &&
			    !(tensors[i].flags & DRM_LOOM_TENSOR_SLOT) &&
			    tensors[i].first_step <= step && step <= tensors[i].last_step)
				alive += (tensors[i].size + align - 1) / align * align;
		most = alive > most ? alive : most;
	}
	seen.bad_claims += 10 * program->stats.scratch_bytes > 11 * most;
}

static bool fail(const struct loom_program *program, const char *what, uint64_t bound, uint64_t got)
{
	tap_note("%s: %s: bound %llu, plan %llu", program->grouping, what,
		 (unsigned long long)bound, (unsigned long long)got);
	return false;
}

static bool check_bounds(const struct loom_program *program)
{
	const struct loom_program_least *least = &program->least;
	const struct loom_program_stats *stats = &program->stats;

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

static bool try_chip(const struct loom_graph *graph, const struct drm_loom_chip *chip)
{
	struct loom_planner_options options = {
		.chip = chip, .flags = draw(4) ? 0 : LOOM_PLANNER_NO_OVERLAP,
		.objective = draw(4) ? LOOM_OBJECTIVE_TIME : LOOM_OBJECTIVE_BYTES,
		/* the default takes several times as long */
		.effort = seen.programs % 4 ? LOOM_EFFORT_ONCE : LOOM_EFFORT_DEFAULT,
	};
	struct loom_program *program;
	bool good = true;
	uint32_t i;

	for (i = 0; loom_grouping_name(i) && good; i++) {
		options.grouping = loom_grouping_name(i);
		if (loom_program_create(graph, &options, &program, NULL)) {
			num_refused++;
			continue;
		}
		seen.programs++;
		check_sums(program);
		check_layers(program, chip);
		check_labels(program);
		seen.bad_promises += !outcome_counts(program, chip) || !program->stats.energy_fj;
		check_claim(program, chip);
		good = check_bounds(program);
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
	tap_note("%u plans, %u refused, %u at most twice LB2", seen.programs, num_refused,
		 num_tight);
	tap_note("LB2 is above LB0 of %u, the relaxed program above LB2 of %u", num_ordered,
		 num_relaxed);
	if (argc == 1)
		tap_ok(num_tight > seen.programs / 8 && num_ordered > seen.programs / 8 &&
		       seen.sliced > seen.programs / 8,
		       "the bounds say something; %u groups, %u sliced", seen.groups, seen.sliced);
	tap_ok(!seen.bad_ranges, "groups have all steps, one after the other");
	tap_ok(!seen.bad_sums, "bytes, multiply-accumulates and cycles of groups add up");
	tap_ok(!seen.bad_layers, "so do those of layers, whose MACs are never more than full");
	tap_ok(!seen.bad_promises, "what is promised is what the engine counts, on any chip");
	tap_ok(!seen.bad_peaks, "what is alive at once fits into the scratch");
	tap_ok(!seen.bad_claims, "no plan claims more than it needs (%u do)", seen.bad_claims);
	tap_ok(!seen.bad_macs, "no more is done again than is done");
	tap_ok(!seen.bad_labels, "each tensor has a name, and is said to be where it is");
	return tap_end();
}
