// SPDX-License-Identifier: MIT
/*
 * Bounds of groups: on random graphs, the parts of a group's time add up to it, and the part named
 * as its bound would save most. On chips that are slow at one thing, most groups are bound by that;
 * pools between images wait for the DRAM that they use in place.
 */
#include "host/group/case.h"
#include "chips.h"
#include "loom_planner.h"

#define GRAPHS	24

static struct {
	unsigned int groups, bad_sums, bad_bounds, bad_lanes, half_lanes, bad_plan;
	/* of a chip: cycles of all groups, and of those by bound */
	uint64_t cycles, by[LOOM_BOUNDS];
} seen;

static void check_group(const struct loom_program_group *group, const struct drm_loom_chip *chip)
{
	const uint64_t arithmetic = group->mac_cycles + group->op_cycles;
	const uint64_t all = arithmetic * chip->region[DRM_LOOM_REGION_SRAM].banks;
	uint64_t sum = 0, most = 0, saves;
	uint32_t i;

	for (i = 0; i < LOOM_BOUNDS; i++) {
		saves = i == LOOM_BOUND_TURNS ? group->part_cycles[i] : group->part_cycles[i] / 2;
		sum += group->part_cycles[i];
		most = saves > most ? saves : most;
	}
	seen.groups++;
	seen.bad_sums += sum != group->cycles;
	saves = group->part_cycles[group->bound];
	seen.bad_bounds += (group->bound == LOOM_BOUND_TURNS ? saves : saves / 2) != most;
	seen.bad_lanes += group->lane_cycles > all || group->lane_cycles < arithmetic;
	seen.half_lanes += group->lane_cycles < all;
	seen.cycles += group->cycles;
	seen.by[group->bound] += group->cycles;
}

static void plan_all(const struct drm_loom_chip *chip)
{
	static const char *const groupings[] = { "layerwise", "layergroup" };
	struct loom_planner_options options = { .grouping = "layerwise", .chip = chip };
	struct test_case test;
	struct loom_program *program;
	uint32_t which, i, k;

	seen.cycles = 0;
	memset(seen.by, 0, sizeof(seen.by));
	for (which = 1; which <= GRAPHS; which++) {
		make_case(&test, which);
		for (i = 0; i < ARRAY_SIZE(groupings); i++) {
			uint64_t cycles = 0;

			options.grouping = groupings[i];
			program = case_plan(&test, &options);
			for (k = 0; k < program->num_groups; k++) {
				check_group(&program->groups[k], chip);
				cycles += program->groups[k].cycles;
			}
			seen.bad_plan += cycles != program->stats.cycles;
			loom_program_destroy(program);
		}
		free_case(&test);
	}
}

/* Most of the time is in groups that @bound bounds. */
static void check_chip(const struct drm_loom_chip *chip, enum loom_bound bound)
{
	plan_all(chip);
	tap_ok(seen.by[bound] > seen.cycles / 2, "a chip made for it is bound by %s in %.0f %%",
	       loom_bound_name(bound), seen.by[bound] * 100.0 / seen.cycles);
}

/* A chip that does everything in next to no time. */
static struct drm_loom_chip quick(void)
{
	struct drm_loom_chip chip = chip_of(1, 1ULL << 30, 8, 256 << 10);
	uint32_t i;

	for (i = 0; i < 2; i++) {
		chip.region[i].read_rate = LOOM_CHIP_MAX_RATE;
		chip.region[i].write_rate = LOOM_CHIP_MAX_RATE;
	}
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++) {
		chip.type[i].mac_rate = LOOM_CHIP_MAX_RATE;
		chip.type[i].op_rate = LOOM_CHIP_MAX_RATE;
	}
	return chip;
}

static void check_turns(void)
{
	struct drm_loom_chip chip = quick();

	/* both streams take as long, and never together */
	chip.flags &= ~DRM_LOOM_CHIP_OVERLAP;
	chip.dma_start = 3000;
	chip.compute_start = 9000;
	check_chip(&chip, LOOM_BOUND_TURNS);
}

/* Pools that read and write images in a slow DRAM: no DMA between the first and the last. */
static void check_in_place(void)
{
	struct drm_loom_chip chip = quick();
	struct loom_planner_options options = { .chip = &chip, .grouping = "layerwise" };
	struct loom_program *program;
	struct test_case test;
	char from[16], to[16];
	uint32_t i;

	chip.region[DRM_LOOM_REGION_DRAM].read_rate = 1000;
	chip.region[DRM_LOOM_REGION_DRAM].write_rate = 1000;
	case_begin(&test, 1, 14);
	input(&test, "v0", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 8, 16, 16 });
	for (i = 0; i < 8; i++) {
		snprintf(from, sizeof(from), "v%u", i);
		snprintf(to, sizeof(to), "v%u", i + 1);
		attr_ints(&test, "kernel_shape", 2, (int64_t[]){ 3, 3 });
		attr_ints(&test, "pads", 4, (int64_t[]){ 1, 1, 1, 1 });
		node(&test, "MaxPool", from, to);
	}
	loom_graph_add_output(test.graph, "v8");
	case_finish(&test);
	loom_graph_set_scope(test.graph, NULL, LOOM_SCOPE_TEXTURE);
	program = case_plan(&test, &options);
	seen.cycles = 0;
	memset(seen.by, 0, sizeof(seen.by));
	for (i = 0; i < program->num_groups; i++)
		check_group(&program->groups[i], &chip);
	tap_ok(seen.by[LOOM_BOUND_IN_PLACE] > seen.cycles / 2,
	       "pools between images are bound by %s in %.0f %%",
	       loom_bound_name(LOOM_BOUND_IN_PLACE),
	       seen.by[LOOM_BOUND_IN_PLACE] * 100.0 / seen.cycles);
	loom_program_destroy(program);
	free_case(&test);
}

int main(void)
{
	struct drm_loom_chip chip;
	uint32_t i;

	plan_all(loom_preset_find("soft"));
	tap_ok(seen.groups > 100, "%u groups", seen.groups);
	chip = quick();
	chip.region[DRM_LOOM_REGION_DRAM].read_rate = 100;
	chip.region[DRM_LOOM_REGION_DRAM].write_rate = 100;
	check_chip(&chip, LOOM_BOUND_DRAM);
	chip = quick();
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		chip.type[i].mac_rate = 10;
	check_chip(&chip, LOOM_BOUND_MACS);
	chip = quick();
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		chip.type[i].op_rate = 1;
	check_chip(&chip, LOOM_BOUND_OPS);
	chip = quick();
	chip.dma_start = 100000;
	check_chip(&chip, LOOM_BOUND_DMA_START);
	chip = quick();
	chip.compute_start = 100000;
	check_chip(&chip, LOOM_BOUND_COMPUTE_START);
	check_turns();
	check_in_place();
	tap_ok(!seen.bad_sums && !seen.bad_plan, "the parts add up to the cycles of %u groups",
	       seen.groups);
	tap_ok(!seen.bad_bounds, "what bounds a group would save most");
	tap_ok(!seen.bad_lanes && seen.half_lanes,
	       "one to all of the lanes have work; in %u groups not all", seen.half_lanes);
	return tap_end();
}
