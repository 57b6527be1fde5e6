// SPDX-License-Identifier: MIT
/*
 * Random graphs on devices too small for them, by every grouping strategy, as it writes its steps
 * and in less time: the same bits, the same bytes and multiply-accumulates, never more cycles, and
 * the engine counts the promised figures. The replay judge finds no fault.
 */
#include "host/group/case.h"
#include "host/lower/rounds.h"
#include "chips.h"
#include "outcome.h"
#include "planner/planner.h"

#define ROUNDS		60
/* A group that only moves data, without DRAM: taken for a lack of memory once. */
#define ONLY_MOVES	1047

static const struct drm_loom_chip chips[] = {
	CHIP_SRAM("one-lane", (1, 1, 9000, 0, 16)),
	CHIP_SRAM("three-lanes", (3, 1, 3600, 32, 8)),
	CHIP_SRAM("eight-lanes", (8, 1, 4000, 0, 64)),
	CHIP_SRAM("roomy", (4, 8, 40000, 0, 64)),
	CHIP("alone", (1, 1, 1 << 20, 0, 16), (1, 1, 2000000, 128, 16)),
};

static unsigned int num_runs, num_faster;

/* As they are, or slow to start and with bursts, or with transfers as slow as arithmetic. */
static struct drm_loom_chip variant(uint32_t index, uint32_t which)
{
	struct drm_loom_chip chip = chips[index];
	uint32_t i;

	if (which == 1) {
		chip.dma_start = 40;
		chip.compute_start = 25;
		chip.region[DRM_LOOM_REGION_DRAM].burst_bytes = 64;
		chip.region[DRM_LOOM_REGION_DRAM].read_latency = 100;
	}
	for (i = 1; i < DRM_LOOM_DTYPE_END && which == 2; i++)
		chip.type[i] = (struct drm_loom_chip_type){ .mac_rate = 5000, .op_rate = 1000 };
	if (!strcmp(chip.name, "alone"))
		memset(&chip.region[DRM_LOOM_REGION_DRAM], 0, sizeof(chip.region[0]));
	return chip;
}

/* Groups follow each other, and what they move is what the plan moves. */
static bool groups_are_right(const struct loom_program *program)
{
	uint64_t read = 0, write = 0, cycles = 0, macs = 0;
	uint32_t i, step = 0;

	for (i = 0; i < program->num_groups; i++) {
		const struct loom_program_group *group = &program->groups[i];

		if (group->first_step != step || !group->num_steps)
			return false;
		step += group->num_steps;
		read += group->dram_read_bytes;
		write += group->dram_write_bytes;
		cycles += group->cycles;
		macs += group->macs;
	}
	return !program->num_groups ||
	       (step == program->stats.steps && read == program->stats.dram_read_bytes &&
		write == program->stats.dram_write_bytes && cycles == program->stats.cycles &&
		macs == program->stats.macs);
}

static bool compare(struct test_case *test, const struct drm_loom_chip *chip,
		    const struct loom_program *slow, const struct loom_program *fast,
		    struct loom_error *err)
{
	const struct loom_program_stats *a = &slow->stats, *b = &fast->stats;
	struct outcome was = { 0 }, is = { 0 };
	bool good;

	num_runs++;
	num_faster += b->cycles < a->cycles;
	if (b->cycles > a->cycles || a->dram_read_bytes != b->dram_read_bytes ||
	    a->dram_write_bytes != b->dram_write_bytes || a->macs != b->macs ||
	    a->rom_read_bytes != b->rom_read_bytes ||
	    a->sram_read_bytes != b->sram_read_bytes || a->sram_write_bytes != b->sram_write_bytes)
		return outcome_fail(err, "%s: costs more", fast->grouping);
	if (!groups_are_right(fast))
		return outcome_fail(err, "%s: groups do not add up", fast->grouping);
	good = !outcome_run(&was, slow, chip, test->inputs, test->num_inputs, err) &&
	       !outcome_run(&is, fast, chip, test->inputs, test->num_inputs, err);
	if (good && !outcome_same(&was, &is))
		good = outcome_fail(err, "%s: other bits", fast->grouping);
	outcome_clear(&was);
	outcome_clear(&is);
	return good && !outcome_replay_beside(fast, slow, chip, err);
}

static bool try_strategy(struct test_case *test, const struct drm_loom_chip *chip,
			 const char *grouping, uint32_t flags, struct loom_error *err)
{
	struct loom_planner_options how = {
		.chip = chip, .grouping = grouping, .objective = LOOM_OBJECTIVE_TIME,
		.flags = flags | LOOM_PLANNER_NO_RETIME,
	};
	const struct planner_candidate candidate = { .join = LOOM_JOIN_NEAR };
	struct loom_program *slow = NULL, *fast = NULL;
	int ret = loom_planner_create(test->graph, &how, &candidate, &slow, err);
	bool good = !ret;

	how.flags = flags;
	if (good)
		good = !loom_planner_create(test->graph, &how, &candidate, &fast,
					    err) &&
		       compare(test, chip, slow, fast, err);
	loom_program_destroy(slow);
	loom_program_destroy(fast);
	return good || ret == -ENOSPC;
}

static bool try_round(uint32_t round)
{
	struct test_case test;
	struct loom_error err = { .text = "" };
	bool good = true;
	uint32_t i, k;

	make_case(&test, round * 7919 + 23);
	/* in every second round what is computed is in images, where it is in DRAM */
	if (round % 2)
		loom_graph_set_scope(test.graph, NULL, 1 + round / 2 % 3);
	for (i = 0; i < 3 * ARRAY_SIZE(chips) && good; i++) {
		struct drm_loom_chip chip = variant(i / 3, i % 3);

		for (k = 0; loom_grouping_name(k) && good; k++)
			good = try_strategy(&test, &chip, loom_grouping_name(k), 0, &err);
		if (!good)
			tap_note("round %u, %s, variant %u: %s", round, chip.name, i % 3,
				 err.text);
	}
	free_case(&test);
	return good;
}

/*
 * A transposing copy is the longest of all transfers, and there is time for a part of it beside a
 * pool. But a part along its longest axis would write every eighth element.
 */
static void test_transposed(void)
{
	struct loom_error err = { .text = "" };
	struct test_case test;
	bool good;

	case_begin(&test, 1, 12);
	case_add(&test, "x f32 2 2 3 8; t = Transpose x perm=1,2,0,3; "
		 "p = MaxPool x kernel_shape=3,3 pads=1,1,1,1; y = Softmax t axis=1; "
		 "z = MaxPool p kernel_shape=3,3 pads=1,1,1,1; > z y");
	case_finish(&test);
	loom_graph_set_scope(test.graph, "p", LOOM_SCOPE_TEXTURE);
	good = try_strategy(&test, loom_preset_find("tiny"), "layerwise",
			    LOOM_PLANNER_GIVEN_ORDER, &err);
	tap_ok(good, "a transposing copy is written in boxes%s%s", good ? "" : ": ", err.text);
	free_case(&test);
}

/* Plans a graph by a threshold of @cycles. Returns 0 or an error; *@estimate: of the plan */
static int try_bar(const struct test_case *test, uint64_t cycles, bool always, uint64_t *estimate)
{
	struct planner_bar bar = { .cycles = cycles, .always = always };
	const struct planner_candidate candidate = { .join = LOOM_JOIN_NEAR, .bar = &bar };
	const struct loom_planner_options how = {
		.chip = loom_preset_find("tiny"), .grouping = "layerwise",
		.objective = LOOM_OBJECTIVE_TIME,
	};
	struct loom_program *program = NULL;
	int ret = loom_planner_create(test->graph, &how, &candidate, &program, NULL);

	*estimate = bar.estimate;
	if (ret && program)
		ret = -EINVAL;
	loom_program_destroy(program);
	return ret;
}

/* A plan is given up by its estimate; in a large graph, by its longer stream. */
static void test_threshold(uint32_t num_nodes)
{
	uint64_t estimate, again, bad = 0;
	char node[96];
	struct test_case test;
	uint32_t i;

	case_begin(&test, 1, 12);
	case_add(&test, "x f32 1 4 8 8; v0 = Relu x");
	for (i = 1; i < num_nodes; i++) {
		snprintf(node, sizeof(node), "v%u = MaxPool v%u kernel_shape=3,3 pads=1,1,1,1", i,
			 i - 1);
		case_add(&test, node);
	}
	snprintf(node, sizeof(node), "> v%u", num_nodes - 1);
	case_add(&test, node);
	case_finish(&test);
	bad += try_bar(&test, 1, false, &estimate) != -ERANGE || estimate < 2;
	bad += try_bar(&test, estimate, false, &again) != -ERANGE || again != estimate;
	bad += try_bar(&test, estimate, true, &again) != 0;
	bad += try_bar(&test, UINT64_MAX, false, &again) != 0;
	if (num_nodes <= PLANNER_LARGE_GRAPH)
		bad += again < estimate || try_bar(&test, again, false, &estimate) != -ERANGE ||
		       estimate != again || try_bar(&test, again + 1, false, &estimate) != 0;
	tap_ok(!bad, "of %u nodes, a plan that reaches a threshold is given up", num_nodes);
	free_case(&test);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs are the same, in no more time",
	       rounds.count - rounds.bad, rounds.count);
	if (argc > 1)
		return tap_end();
	test_transposed();
	test_threshold(PLANNER_SMALL_GRAPH + 8);
	test_threshold(PLANNER_LARGE_GRAPH + 8);
	tap_ok(try_round(ONLY_MOVES), "a group that only moves data on a chip without DRAM");
	tap_ok(num_faster > num_runs / 2, "%u of %u plans are faster", num_faster, num_runs);
	return tap_end();
}
