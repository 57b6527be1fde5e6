// SPDX-License-Identifier: MIT
/*
 * Figures of plans of random graphs by each strategy and objective, on chips that differ in lanes,
 * sub-banks, bursts, what a command costs to start, and where weights come from: a fault that only
 * makes plans dearer, or says something else about them, is seen here. Each plan has the bits of
 * layer by layer in one piece, and some are replayed.
 */
#include "case.h"
#include "chips.h"
#include "figures.h"
#include "loom_planner.h"
#include "outcome.h"
#include "host/lower/rounds.h"

#define ROUNDS	16
#define TABLE	"tools/testing/host/group/figures.csv"

/* Channels in plenty: weights that are held in part, streamed, or cut into chunks; batches, too. */
static void make_heavy(struct test_case *test)
{
	int64_t dims[4] = { range(1, 5), range(3, 16), range(4, 9), range(4, 9) };
	u32 depth = (u32)range(2, 4), i;

	num_maps = 0;
	input(test, new_map(dims)->name, DRM_LOOM_DTYPE_F32, 4, dims);
	for (i = 0; i < depth; i++) {
		struct map *x = draw(4) ? &maps[num_maps - 1] : any_map();
		int64_t k = draw(2) ? 3 : 1;
		char w[12], in[40];

		x->used = true;
		memcpy(dims, x->dims, sizeof(dims));
		dims[1] = range(8, 40);
		name_weight(w, "w");
		weight(test, w, 4, (int64_t[]){ dims[1], x->dims[1], k, k });
		attr_ints(test, "pads", 4, (int64_t[]){ k / 2, k / 2, k / 2, k / 2 });
		text(in, x->name, w);
		node(test, "Conv", in, new_map(dims)->name);
		adders[draw(ARRAY_SIZE(adders) - 1)](test, &maps[num_maps - 1]);
	}
	for (i = 1; i < num_maps; i++)
		if (!maps[i].used || i + 1 == num_maps)
			loom_graph_add_output(test->graph, maps[i].name);
}

/**
 * struct place - a chip, and what it is asked for
 * @chip: small
 * @flash: weights come from a ROM, which operators can read in place
 * @slow: commands cost something to start, DRAM moves bursts, and both cost energy
 * @flags: enum loom_planner_flags
 * @max_recompute_permille: see &loom_planner_options
 */
struct place {
	struct drm_loom_chip chip;
	bool flash;
	bool slow;
	u32 flags;
	u32 max_recompute_permille;
};

static const struct place places[] = {
	{ CHIP_SRAM("one-lane", (1, 1, 9000, 0, 16)), .flags = LOOM_PLANNER_NO_OVERLAP },
	{ CHIP_SRAM("three-lanes", (3, 2, 3600, 32, 8)), .flags = LOOM_PLANNER_OBSERVE_ALL },
	{ CHIP_SRAM("slow", (8, 4, 4096, 0, 64)), .slow = true },
	{ CHIP_SRAM("roomy", (4, 4, 40000, 0, 64)), .slow = true, .max_recompute_permille = 1000 },
	{ CHIP_SRAM("flash", (1, 1, 6000, 0, 16)), .flash = true },
	{ CHIP_SRAM("flash-loaded", (2, 1, 6000, 0, 16)), .flash = true,
	  .flags = LOOM_PLANNER_LOAD_WEIGHTS, .max_recompute_permille = 1100 },
};

static struct drm_loom_chip chip_of_place(const struct place *place)
{
	struct drm_loom_chip chip = place->chip;
	struct drm_loom_chip_region *dram = &chip.region[DRM_LOOM_REGION_DRAM];
	u32 i;

	if (place->flash)
		chip.region[DRM_LOOM_REGION_ROM] = (struct drm_loom_chip_region){
			CHIP_SIZES(1, 1, 1ULL << 22, 0, 64), .read_rate = 4000,
			.burst_bytes = 32, .flags = DRM_LOOM_CHIP_IN_PLACE,
		};
	if (!place->slow)
		return chip;
	chip.dma_start = 40;
	chip.compute_start = 25;
	dram->burst_bytes = 64;
	dram->read_latency = 100;
	dram->read_energy = 20;
	dram->write_energy = 30;
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++) {
		chip.type[i].mac_rate = 16000;
		chip.type[i].op_rate = 4000;
		chip.type[i].mac_energy = 3;
	}
	return chip;
}

static struct outcome want;

/* A plan whose inner values are outputs has more to say than the plain one. */
static void run(struct test_case *test, const struct loom_planner_options *options,
		const struct loom_program *program, bool replay, const char *row)
{
	struct outcome got = { 0 };
	struct loom_error err = { .text = "other bits" };
	bool apart = options->flags & LOOM_PLANNER_OBSERVE_ALL;

	if (outcome_run(&got, program, options->chip, test->inputs, test->num_inputs, &err) ||
	    (!apart && !outcome_same(&got, &want)) ||
	    (!apart && replay && outcome_judge(test->graph, options, program, &err)))
		tap_fatal("%s: graph %s: %s", options->chip->name, row, err.text);
	outcome_clear(&got);
}

static void plan(struct test_case *test, u32 round, struct loom_planner_options options)
{
	struct loom_program *program = NULL;
	struct loom_error err;
	char row[64];
	int ret = loom_program_create(test->graph, &options, &program, &err);

	if (ret && ret != -ENOSPC && ret != -EOPNOTSUPP)
		tap_fatal("graph %u, %s: %s", round, options.chip->name, err.text);
	snprintf(row, sizeof(row), "%u %s %s", round, options.grouping,
		 loom_objective_name(options.objective));
	figures_add(row, program);
	if (program)
		run(test, &options, program, round % 4 == 0, row);
	loom_program_destroy(program);
}

/* The least SRAM takes as long as twenty others, and so does an explanation. */
static void plan_all(struct test_case *test, u32 round, struct loom_planner_options options)
{
	u32 flags = options.flags, i;

	for (i = 0; loom_grouping_name(i); i++) {
		bool ours = !strcmp(loom_grouping_name(i), "layergroup");

		options.grouping = loom_grouping_name(i);
		options.flags = flags | (ours && round % 4 == 0 ? LOOM_PLANNER_EXPLAIN : 0);
		options.objective = LOOM_OBJECTIVE_TIME;
		plan(test, round, options);
		options.objective = LOOM_OBJECTIVE_BYTES;
		plan(test, round, options);
		options.objective = LOOM_OBJECTIVE_SRAM;
		options.flags = flags;
		if (ours && round % 8 == 1)
			plan(test, round, options);
	}
}

static bool try_round(uint32_t round)
{
	struct loom_planner_options plain = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct test_case test;
	struct loom_error err;
	u32 i;

	make_case_of(&test, round * 7919 + 17, 14, round % 2 ? make_heavy : make_graph);
	if (outcome_plan(&want, test.graph, &plain, test.inputs, test.num_inputs, &err))
		tap_fatal("graph %u on soft: %s", round, err.text);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		struct drm_loom_chip chip = chip_of_place(&places[i]);

		plan_all(&test, round, (struct loom_planner_options){
			.chip = &chip, .flags = places[i].flags,
			.max_recompute_permille = places[i].max_recompute_permille,
		});
	}
	outcome_clear(&want);
	free_case(&test);
	figures_end_rows(TABLE);
	return true;
}

int main(int argc, char **argv)
{
	rounds_run(argc, argv, ROUNDS, try_round);
	figures_end(TABLE);
	return tap_end();
}
