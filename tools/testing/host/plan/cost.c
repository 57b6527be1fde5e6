// SPDX-License-Identifier: MIT
/*
 * The notes of a program: groups, cuts and labels follow from the plan's bytes, so the sums over
 * groups are what the engine counts, whatever the strategy, on random graphs. So are cycles and
 * energy, on chips with any figures for their clock. A plan claims no more SRAM than it needs: on a
 * shared device others have the rest.
 */
#include "host/group/case.h"
#include "loom_planner.h"
#include "loom_chip.h"
#include "loom_engine.h"
#include "loom_verify.h"
#include "outcome.h"

#define GRAPHS	60

static struct {
	unsigned int programs, groups, sliced;
	unsigned int bad_sums, bad_ranges, bad_labels, bad_peaks, bad_macs, bad_promises;
	unsigned int bad_claims;
} seen;

static void draw_region(struct drm_loom_chip_region *region)
{
	region->flags = draw(2) ? DRM_LOOM_CHIP_SHARED : 0;
	region->burst_bytes = draw(2) ? 1U << draw(9) : 3 * draw(50);
	region->read_rate = 1 + draw(100000);
	region->write_rate = 1 + draw(100000);
	region->read_latency = draw(2) ? draw(1000) : 0;
	region->write_latency = draw(2) ? draw(1000) : 0;
	region->read_energy = draw(10000);
	region->write_energy = draw(10000);
}

/* The memory of "tiny" with another number of lanes, and a clock of its own. */
static struct drm_loom_chip draw_chip(void)
{
	struct drm_loom_chip chip = *loom_preset_find("tiny");
	uint32_t i;

	chip.flags = draw(2) ? DRM_LOOM_CHIP_OVERLAP : 0;
	chip.region[DRM_LOOM_REGION_SRAM].banks = 1 + draw(9);
	chip.dma_start = draw(2) ? draw(500) : 0;
	chip.compute_start = draw(2) ? draw(500) : 0;
	draw_region(&chip.region[DRM_LOOM_REGION_DRAM]);
	draw_region(&chip.region[DRM_LOOM_REGION_SRAM]);
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		chip.type[i] = (struct drm_loom_chip_type){
			.mac_rate = draw(4) ? draw(10000) : 0,
			.op_rate = 1 + draw(10000),
			.mac_energy = draw(5000),
			.op_energy = draw(5000),
		};
	if (loom_chip_check(&chip, NULL))
		tap_fatal("this is no chip");
	return chip;
}

/* What the engine counts for the plan is what was promised. */
static void check_promise(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	struct drm_loom_counters counted;
	struct drm_loom_reject reject;
	struct loom_plan *plan;

	if (loom_plan_create(program->plan, program->plan_bytes, chip, &plan, &reject)) {
		seen.bad_promises++;
		return;
	}
	loom_engine_count(plan, &counted);
	loom_plan_destroy(plan);
	seen.bad_promises += !is_promise(program, counted) || !counted.energy_fj;
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
				   group->weights_read_bytes > group->dram_read_bytes ||
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
				   (tensors[i].region == DRM_LOOM_REGION_DRAM);
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

static void check_graph(uint32_t which)
{
	static const uint64_t limits[] = { 2 << 10, 4 << 10, 16 << 10, 0 };
	struct drm_loom_chip chip;
	struct loom_planner_options options = { .grouping = "layerwise", .chip = &chip };
	struct test_case test;
	struct loom_program *program;
	struct loom_error err;
	uint32_t i;

	make_case(&test, which);
	chip = draw_chip();
	options.sram_limit_bytes = limits[which % ARRAY_SIZE(limits)];
	options.objective = which % 3 ? LOOM_OBJECTIVE_TIME : LOOM_OBJECTIVE_BYTES;
	for (i = 0; loom_grouping_name(i); i++) {
		options.grouping = loom_grouping_name(i);
		if (loom_program_create(test.graph, &options, &program, &err))
			continue;
		seen.programs++;
		check_sums(program);
		check_labels(program);
		check_promise(program, &chip);
		check_claim(program, &chip);
		loom_program_destroy(program);
	}
	free_case(&test);
}

int main(void)
{
	uint32_t i;

	for (i = 1; i <= GRAPHS; i++)
		check_graph(i);
	tap_ok(seen.programs > GRAPHS && seen.groups && seen.sliced,
	       "%u programs with %u groups, %u of them sliced", seen.programs, seen.groups,
	       seen.sliced);
	tap_ok(!seen.bad_ranges, "groups have all steps, one after the other");
	tap_ok(!seen.bad_sums, "bytes, multiply-accumulates and cycles of groups add up");
	tap_ok(!seen.bad_promises, "what is promised is what the engine counts, on any chip");
	tap_ok(!seen.bad_peaks, "what is alive at once fits into the scratch");
	tap_ok(!seen.bad_claims, "no plan claims more than it needs (%u do)", seen.bad_claims);
	tap_ok(!seen.bad_macs, "no more is done again than is done");
	tap_ok(!seen.bad_labels, "each tensor has a name, and is said to be where it is");
	return tap_end();
}
