// SPDX-License-Identifier: MIT
/*
 * Random graphs on chips that compute on constants where they lie: in ROM beside DRAM or without
 * it, or in the DRAM. Results are the same to the bit as those of a chip that has to load them,
 * plans cost what was promised, and none is worse by its objective than if all is loaded.
 */
#include "case.h"
#include "chips.h"
#include "outcome.h"
#include "host/lower/rounds.h"

#define ROUNDS		10
#define FLASH		{ CHIP_SIZES(2, 1, 1 << 20, 0, 32), .read_rate = 4000,	\
			  .read_latency = 8, .flags = DRM_LOOM_CHIP_IN_PLACE }

/* A chip, and where it can read in place. */
static const struct place {
	struct drm_loom_chip chip;
	bool flash;
	bool alone;
} places[] = {
	{ CHIP_SRAM("flash-one", (1, 1, 9000, 0, 16)), .flash = true },
	{ CHIP_SRAM("flash-eight", (8, 2, 4000, 0, 16)), .flash = true },
	{ CHIP_SRAM("flash-alone", (1, 1, 400000, 0, 16)), .flash = true,
	  .alone = true },
	{ CHIP_SRAM("dram-three", (3, 1, 4000, 0, 16)), .flash = false },
};

static unsigned int num_runs, num_in_place, num_saved, num_replays;

static struct drm_loom_chip chip_of_place(const struct place *place)
{
	static const struct drm_loom_chip_region flash = FLASH, none;
	struct drm_loom_chip chip = place->chip;
	struct loom_chip_fault fault;

	if (place->flash)
		chip.region[DRM_LOOM_REGION_ROM] = flash;
	else
		chip.region[DRM_LOOM_REGION_DRAM].flags |= DRM_LOOM_CHIP_IN_PLACE;
	if (place->alone)
		chip.region[DRM_LOOM_REGION_DRAM] = none;
	if (loom_chip_check(&chip, &fault))
		tap_fatal("chip %s: figure %d %s", chip.name, fault.key, fault.text);
	return chip;
}

static bool fail(struct loom_error *err, const char *what)
{
	char said[100];

	snprintf(said, sizeof(said), "%.99s", err->text);
	snprintf(err->text, sizeof(err->text), "%s: %s", what, said);
	return false;
}

/* Some compute command reads what is not in the SRAM. */
static bool reads_in_place(const struct loom_program *program)
{
	const char *plan = program->plan;
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_command *commands =
		(const void *)(plan + header->commands.offset);
	const struct drm_loom_plan_view *views = (const void *)(plan + header->views.offset);
	const struct drm_loom_plan_tensor *tensors = (const void *)(plan + header->tensors.offset);
	uint32_t i, k;

	for (i = 0; i < header->commands.count; i++)
		for (k = 1; k < commands[i].operands && commands[i].opcode >= DRM_LOOM_OP_CONV; k++)
			if (tensors[views[commands[i].first_view + k].tensor].region !=
			    DRM_LOOM_REGION_SRAM)
				return true;
	return false;
}

static uint64_t moved(const struct loom_program_stats *stats)
{
	return stats->dram_read_bytes + stats->dram_write_bytes + stats->rom_read_bytes;
}

/* One plan; its figures are in @stats. -ENOSPC is no failure. */
static bool run(struct test_case *test, const struct loom_planner_options *options,
		const struct outcome *want, bool replay, struct loom_program_stats *stats,
		struct loom_error *err)
{
	struct outcome outcome = { .num_outputs = 0 };
	struct loom_program *program;
	int ret = loom_program_create(test->graph, options, &program, err);
	bool in_place, good;

	memset(stats, 0, sizeof(*stats));
	if (ret)
		return ret == -ENOSPC;
	*stats = program->stats;
	in_place = reads_in_place(program);
	num_runs++;
	num_in_place += in_place;
	good = !outcome_run(&outcome, program, options->chip, test->inputs, test->num_inputs, err);
	if (good && !outcome_same(&outcome, want))
		good = fail(err, "other bits");
	if (good && in_place && options->flags & LOOM_PLANNER_LOAD_WEIGHTS)
		good = fail(err, "constants were to be loaded");
	if (good && replay) {
		num_replays++;
		good = !outcome_judge(test->graph, options, program, err);
	}
	outcome_clear(&outcome);
	loom_program_destroy(program);
	return good;
}

static bool try_options(struct test_case *test, struct loom_planner_options *how,
			const struct outcome *want, bool replay, struct loom_error *err)
{
	struct loom_program_stats either, loaded;

	how->flags = 0;
	if (!run(test, how, want, replay, &either, err))
		return fail(err, "in place");
	how->flags = LOOM_PLANNER_LOAD_WEIGHTS;
	if (!run(test, how, want, false, &loaded, err))
		return fail(err, "loaded");
	if (!either.steps && loaded.steps)
		return fail(err, "there is a plan if constants are loaded");
	if (!loaded.steps)
		return true;
	num_saved += how->objective == LOOM_OBJECTIVE_BYTES ? moved(&either) < moved(&loaded) :
							      either.cycles < loaded.cycles;
	if (how->objective == LOOM_OBJECTIVE_BYTES ? moved(&either) > moved(&loaded) :
						     either.cycles > loaded.cycles)
		return fail(err, "it is better if constants are loaded");
	return true;
}

static bool try_round(uint32_t round)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct loom_error err = { .text = "" };
	struct drm_loom_chip chip;
	struct test_case test;
	struct outcome want;
	bool good = true;
	uint32_t i, k;

	make_case(&test, round * 7919 + 11);
	if (outcome_plan(&want, test.graph, &how, test.inputs, test.num_inputs, &err))
		tap_fatal("round %u on soft: %s", round, err.text);
	for (i = 0; i < ARRAY_SIZE(places) && good; i++) {
		chip = chip_of_place(&places[i]);
		how.chip = &chip;
		for (k = 0; k < 3 && good; k++) {
			how.grouping = k ? "layergroup" : "layerwise";
			how.objective = k < 2 ? LOOM_OBJECTIVE_BYTES : LOOM_OBJECTIVE_TIME;
			good = try_options(&test, &how, &want, !(round % 4), &err);
			if (!good)
				tap_note("round %u, %s, %s: %s", round, chip.name,
					 how.grouping ? how.grouping : "-", err.text);
		}
	}
	outcome_clear(&want);
	free_case(&test);
	return good;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs have the same bits with constants in place",
	       rounds.count - rounds.bad, rounds.count);
	if (argc > 1)
		return tap_end();
	tap_ok(num_in_place > num_runs / 8, "%u of %u plans read constants in place", num_in_place,
	       num_runs);
	tap_ok(num_saved > num_runs / 16, "%u are better than those that load them", num_saved);
	tap_ok(num_replays > 10, "%u were replayed", num_replays);
	return tap_end();
}
