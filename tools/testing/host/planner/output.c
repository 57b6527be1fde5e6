// SPDX-License-Identifier: MIT
/*
 * Outputs that are views of what nodes compute, and concatenations of them, as detectors have them.
 * By hand: nothing is copied, and no more is moved than there is; so it is with the heads of an
 * attention. At random: transposes, reshapes and concatenations in any order, some of them outputs
 * or read by others, too, by every grouping strategy, which must give the same bits as a plan that
 * keeps each value in a place of its own, and count what was promised.
 */
#include "chain.h"
#include "chips.h"
#include "host/lower/rounds.h"
#include "loom_planner.h"
#include "outcome.h"

/* --- by hand */

/* A head: a convolution of @operands, as @rows of four. */
static void add_head(struct test_case *test, const char *operands, const char *name, int64_t rows)
{
	char conv[16], turned[16], shape[16], operand[40];

	snprintf(conv, sizeof(conv), "%sc", name);
	snprintf(turned, sizeof(turned), "%st", name);
	snprintf(shape, sizeof(shape), "%ss", name);
	node(test, "Conv", operands, conv);
	attr_ints(test, "perm", 4, (int64_t[]){ 0, 2, 3, 1 });
	node(test, "Transpose", conv, turned);
	ints(test, shape, 3, (int64_t[]){ 1, rows, 4 });
	snprintf(operand, sizeof(operand), "%s %s", turned, shape);
	node(test, "Reshape", operand, name);
}

static void add_weights(struct test_case *test, const char *name, int64_t out, int64_t in)
{
	struct loom_array w = make_array(name, DRM_LOOM_DTYPE_F32, 4,
					 (int64_t[]){ out, in, 1, 1 });

	loom_graph_add_const(test->graph, &w);
	free(w.data);
}

/* x -> a -> b, and a head of each: 12 channels are three boxes of four numbers at each place. */
static void make_detector(struct test_case *test)
{
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 8, 16, 16 });
	add_weights(test, "w", 8, 8);
	add_weights(test, "v", 8, 8);
	add_weights(test, "wa", 12, 8);
	add_weights(test, "wb", 12, 8);
	case_add(test, "a = Conv x w; b = Conv a v strides=2,2");
	add_head(test, "a wa", "ya", 3 * 16 * 16);
	add_head(test, "b wb", "yb", 3 * 8 * 8);
	case_add(test, "y = Concat ya yb axis=1; > y");
}

static void test_detector(void)
{
	const struct drm_loom_chip chip = CHIP_SRAM("roomy", (4, 1, 40000, 0, 64));
	struct loom_planner_options how = { .chip = &chip, .grouping = "layergroup" };
	struct loom_program *program;
	struct test_case test;

	make_case_of(&test, 1, 14, make_detector);
	program = case_plan(&test, &how);
	tap_ok(program->stats.dram_read_bytes == 4 * (8 * 256 + 2 * 8 * 8 + 2 * 12 * 8) &&
	       program->stats.dram_write_bytes == 4 * 12 * (256 + 64),
	       "a detector reads its input and weights, and writes its output, once");
	tap_ok(!program->stats.neurons, "and has nothing else in DRAM");
	loom_program_destroy(program);
	how.flags = LOOM_PLANNER_OBSERVE_ALL;
	program = case_plan(&test, &how);
	tap_ok(program->stats.dram_write_bytes > 4 * 12 * 320,
	       "what is observed has a place of its own");
	loom_program_destroy(program);
	free_case(&test);
}

/* The heads of an attention, whose results a product reads side by side. */
static void make_heads(struct test_case *test)
{
	struct loom_array w = make_array("w", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ 24, 8 });

	loom_graph_add_const(test->graph, &w);
	free(w.data);
	input(test, "q", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 4, 16, 6 });
	input(test, "k", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 4, 6, 16 });
	input(test, "v", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 4, 16, 6 });
	ints(test, "s", 3, (int64_t[]){ 1, 16, 24 });
	case_add(test, "a = MatMul q k; b = Softmax a axis=-1; c = MatMul b v; "
		       "d = Transpose c perm=0,2,1,3; e = Reshape d s; y = MatMul e w; > y");
}

/* A cache with a new row in it; heads are an axis of the cache, and divide one of the new row's. */
static void make_cache(struct test_case *test)
{
	input(test, "hit", DRM_LOOM_DTYPE_BOOL, 4, (int64_t[]){ 1, 1, 64, 1 });
	input(test, "new", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ 1, 48 });
	input(test, "past", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 4, 64, 12 });
	input(test, "p", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 4, 1, 64 });
	ints(test, "heads", 4, (int64_t[]){ 1, 4, 1, 12 });
	case_add(test, "r = Reshape new heads; v = Where hit r past; y = MatMul p v; > y");
}

static void test_cache(void)
{
	const struct drm_loom_chip chip = CHIP_SRAM("small", (4, 1, 2400, 0, 64));
	struct loom_planner_options how = { .chip = &chip, .grouping = "layergroup" };
	struct loom_program *program;
	struct test_case test;

	make_case_of(&test, 1, 14, make_cache);
	program = case_plan(&test, &how);
	tap_ok(program->stats.dram_write_bytes == 4 * 48,
	       "a cache with its new row stays in the SRAM head by head: %llu bytes are written",
	       (unsigned long long)program->stats.dram_write_bytes);
	loom_program_destroy(program);
	free_case(&test);
}

/* --- at random */

static void make_outputs(struct chain *c)
{
	uint32_t i;

	add_plain(c, 0);
	while (c->count < MAX_VALUES / 2) {
		/* the last ones mostly */
		uint32_t x = c->count - 1 - draw(min(c->count - 1, 3U));

		switch (draw(7)) {
		case 0:
			if (c->rank[x] == 4)
				add_conv(c, x);
			else
				add_plain(c, x);
			break;
		case 1:
			add_softmax(c, x);
			break;
		case 2:
		case 3:
			add_transpose(c, x);
			break;
		case 4:
			add_reshape(c, x);
			break;
		default:
			add_concat(c, x);
		}
	}
	loom_graph_add_output(c->test.graph, c->name[c->count - 1]);
	for (i = 1; i + 1 < c->count; i++)
		if (draw(5) == 0)
			loom_graph_add_output(c->test.graph, c->name[i]);
	case_finish(&c->test);
}

static const struct drm_loom_chip chips[] = {
	CHIP_SRAM("three-lanes", (3, 1, 6000, 32, 8)),
	CHIP_SRAM("roomy", (4, 8, 40000, 0, 64)),
	CHIP("alone", (1, 1, 1 << 20, 0, 16), (1, 1, 4000000, 128, 16)),
};

static unsigned int num_runs, num_refused;

/* The graph's own outputs; observed tensors come behind them. */
static bool is_same_outcome(const struct outcome *a, const struct outcome *b, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (a->outputs[i].size_bytes != b->outputs[i].size_bytes ||
		    memcmp(a->outputs[i].data, b->outputs[i].data, a->outputs[i].size_bytes))
			return false;
	return true;
}

static bool try_chip(struct test_case *test, const struct drm_loom_chip *chip,
		     struct loom_error *err)
{
	struct loom_planner_options how = {
		.grouping = "layerwise",
		.chip = chip, .flags = LOOM_PLANNER_OBSERVE_ALL | LOOM_PLANNER_GIVEN_ORDER,
	};
	uint32_t count = loom_graph_num_outputs(test->graph), k;
	struct outcome want = { .num_outputs = 0 };
	bool good = true;
	int ret;

	if (strcmp(chip->name, "alone") == 0)
		how.chip = loom_preset_find("tiny");
	ret = outcome_plan(&want, test->graph, &how, test->inputs, test->num_inputs, err);
	how.chip = chip;
	for (k = 0; loom_grouping_name(k) && good && !ret; k++) {
		struct outcome is = { .num_outputs = 0 };
		int made;

		how.flags = draw(2) ? 0 : LOOM_PLANNER_GIVEN_ORDER;
		how.objective = draw(2) ? LOOM_OBJECTIVE_TIME : LOOM_OBJECTIVE_BYTES;
		how.grouping = loom_grouping_name(k);
		made = outcome_plan(&is, test->graph, &how, test->inputs, test->num_inputs, err);
		num_runs++;
		num_refused += made == -ENOSPC;
		good = made == -ENOSPC || (!made && is_same_outcome(&is, &want, count));
		if (!made && !good)
			outcome_fail(err, "%s: other bits", how.grouping);
		outcome_clear(&is);
	}
	outcome_clear(&want);
	return good && (!ret || ret == -ENOSPC);
}

static void test_heads(void)
{
	const struct drm_loom_chip *roomy = &chips[1];
	struct loom_planner_options how = { .chip = roomy, .grouping = "layergroup" };
	struct loom_error err = { .text = "" };
	struct loom_program *program;
	struct test_case test;
	bool same = true;
	uint32_t i;

	make_case_of(&test, 1, 15, make_heads);
	program = case_plan(&test, &how);
	tap_ok(program->stats.dram_read_bytes == 4 * (3 * 4 * 16 * 6 + 24 * 8) &&
	       program->stats.dram_write_bytes == 4 * 16 * 8 && !program->stats.neurons,
	       "heads are joined in SRAM");
	loom_program_destroy(program);
	for (i = 0; i < ARRAY_SIZE(chips) && same; i++)
		same = try_chip(&test, &chips[i], &err);
	tap_ok(same, "to the same bits on any chip: %s", err.text);
	free_case(&test);
}

static bool try_round(uint32_t round)
{
	struct loom_error err = { .text = "" };
	struct chain c;
	bool good = true;
	uint32_t i;

	seed = round * 6007 + 5;
	chain_begin(&c, seed, 12,
		    (int64_t[]){ range(1, 2), range(1, 12), range(1, 9), range(1, 9) });
	make_outputs(&c);
	for (i = 0; i < ARRAY_SIZE(chips) && good; i++) {
		good = try_chip(&c.test, &chips[i], &err);
		if (!good)
			tap_note("round %u, %s: %s", round, chips[i].name, err.text);
	}
	free_case(&c.test);
	return good;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, 60, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs have the same outputs in any place",
	       rounds.count - rounds.bad, rounds.count);
	if (argc > 1)
		return tap_end();
	test_detector();
	test_cache();
	test_heads();
	tap_ok(num_refused < num_runs / 10, "%u of %u plans do not fit", num_refused, num_runs);
	return tap_end();
}
