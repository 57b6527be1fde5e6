// SPDX-License-Identifier: MIT
/*
 * Outputs that are views of what nodes compute, and concatenations of them, as detectors have them.
 * By hand: nothing is copied, and no more is moved than there is. At random: transposes, reshapes
 * and concatenations in any order, some of them outputs or read by others, too, by every grouping
 * strategy, which must give the same bits as a plan that keeps each value in a place of its own,
 * and count what was promised.
 */
#include "chips.h"
#include "host/group/case.h"
#include "host/group/rounds.h"
#include "loom_planner.h"
#include "loom_replay.h"
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
	if (loom_graph_create("detector", 14, &test->graph))
		tap_fatal("no memory");
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 8, 16, 16 });
	add_weights(test, "w", 8, 8);
	add_weights(test, "v", 8, 8);
	add_weights(test, "wa", 12, 8);
	add_weights(test, "wb", 12, 8);
	node(test, "Conv", "x w", "a");
	attr_ints(test, "strides", 2, (int64_t[]){ 2, 2 });
	node(test, "Conv", "a v", "b");
	add_head(test, "a wa", "ya", 3 * 16 * 16);
	add_head(test, "b wb", "yb", 3 * 8 * 8);
	attr_int(test, "axis", 1);
	node(test, "Concat", "ya yb", "y");
	loom_graph_add_output(test->graph, "y");
}

static void test_detector(void)
{
	const struct drm_loom_chip chip = CHIP_SRAM("roomy", (4, 1, 40000, 0, 64));
	struct loom_planner_options how = { .chip = &chip, .grouping = "layergroup" };
	struct test_case test = { .num_inputs = 0 };
	struct loom_program *program;
	struct loom_error err;

	make_detector(&test);
	if (loom_graph_finish(test.graph, NULL, &err) ||
	    loom_program_create(test.graph, &how, &program, &err))
		tap_fatal("%s", err.text);
	tap_ok(program->stats.dram_read_bytes == 4 * (8 * 256 + 2 * 8 * 8 + 2 * 12 * 8) &&
	       program->stats.dram_write_bytes == 4 * 12 * (256 + 64),
	       "a detector reads its input and weights, and writes its output, once");
	tap_ok(!program->stats.neurons, "and has nothing else in DRAM");
	loom_program_destroy(program);
	how.flags = LOOM_PLANNER_OBSERVE_ALL;
	if (loom_program_create(test.graph, &how, &program, &err))
		tap_fatal("%s", err.text);
	tap_ok(program->stats.dram_write_bytes > 4 * 12 * 320,
	       "what is observed has a place of its own");
	loom_program_destroy(program);
	free_case(&test);
}

/* --- at random */

#define MAX_VALUES	24

/**
 * struct value - a value of a random graph
 * @name: its name
 * @rank: its axes
 * @dims: elements per axis
 */
struct value {
	char name[8];
	uint32_t rank;
	int64_t dims[4];
};

static struct value values[MAX_VALUES];
static uint32_t num_values;

static struct value *new_value(const struct value *like)
{
	struct value *v = &values[num_values];

	*v = *like;
	snprintf(v->name, sizeof(v->name), "v%u", num_values++);
	return v;
}

static void add_computed(struct test_case *test, const struct value *x)
{
	static const char *const ops[] = { "Neg", "Relu", "Tanh" };
	struct value *y = new_value(x);
	char operands[40], name[8];

	if (x->rank == 4 && draw(2)) {
		y->dims[1] = range(1, 12);
		snprintf(name, sizeof(name), "w%u", num_values);
		add_weights(test, name, y->dims[1], x->dims[1]);
		snprintf(operands, sizeof(operands), "%s %s", x->name, name);
		node(test, "Conv", operands, y->name);
	} else if (draw(4) == 0) {
		attr_int(test, "axis", draw(x->rank));
		node(test, "Softmax", x->name, y->name);
	} else {
		node(test, ops[draw(3)], x->name, y->name);
	}
}

static void add_turned(struct test_case *test, const struct value *x)
{
	struct value *y = new_value(x);
	int64_t perm[4] = { 0, 1, 2, 3 }, swap;
	uint32_t i, k;

	for (i = x->rank; i-- > 1;) {
		k = draw(i + 1);
		swap = perm[i];
		perm[i] = perm[k];
		perm[k] = swap;
	}
	for (i = 0; i < x->rank; i++)
		y->dims[i] = x->dims[perm[i]];
	attr_ints(test, "perm", x->rank, perm);
	node(test, "Transpose", x->name, y->name);
}

static void add_reshaped(struct test_case *test, const struct value *x)
{
	struct value *y = new_value(x);
	int64_t total = 1;
	char operands[40], shape[8];
	uint32_t i;

	for (i = 0; i < x->rank; i++)
		total *= x->dims[i];
	y->rank = 1 + draw(4);
	for (i = 0; i + 1 < y->rank; i++) {
		y->dims[i] = draw(2) && x->rank > i ? x->dims[i] : range(1, 6);
		while (total % y->dims[i])
			y->dims[i]--;
		total /= y->dims[i];
	}
	y->dims[i] = total;
	snprintf(shape, sizeof(shape), "s%u", num_values);
	ints(test, shape, y->rank, y->dims);
	snprintf(operands, sizeof(operands), "%s %s", x->name, shape);
	node(test, "Reshape", operands, y->name);
}

/* With another value that fits, if there is one, or with itself. */
static void add_joined(struct test_case *test, const struct value *x)
{
	uint32_t axis = draw(x->rank), start = draw(num_values), n, i;
	const struct value *other = x;
	char operands[24];
	struct value *y;

	for (n = 0; n < num_values && other == x; n++) {
		const struct value *v = &values[(start + n) % num_values];

		for (i = 0; i < x->rank; i++)
			if (i != axis && v->dims[i] != x->dims[i])
				break;
		if (v->rank == x->rank && i == x->rank)
			other = v;
	}
	y = new_value(x);
	y->dims[axis] += other->dims[axis];
	snprintf(operands, sizeof(operands), "%s %s", x->name, other->name);
	attr_int(test, "axis", axis);
	node(test, "Concat", operands, y->name);
}

static void make_outputs(struct test_case *test)
{
	struct value x = { "x", 4, { range(1, 2), range(1, 12), range(1, 9), range(1, 9) } };
	uint32_t i;

	input(test, "x", DRM_LOOM_DTYPE_F32, 4, x.dims);
	num_values = 0;
	add_computed(test, &x);
	while (num_values < MAX_VALUES / 2) {
		/* the last ones mostly */
		const struct value *v = &values[num_values - 1 - draw(min(num_values, 3U))];

		switch (draw(7)) {
		case 0:
		case 1:
			add_computed(test, v);
			break;
		case 2:
		case 3:
			add_turned(test, v);
			break;
		case 4:
			add_reshaped(test, v);
			break;
		default:
			add_joined(test, v);
		}
	}
	loom_graph_add_output(test->graph, values[num_values - 1].name);
	for (i = 0; i + 1 < num_values; i++)
		if (draw(5) == 0)
			loom_graph_add_output(test->graph, values[i].name);
}

static const struct drm_loom_chip chips[] = {
	CHIP_SRAM("three-lanes", (3, 1, 6000, 32, 8)),
	CHIP_SRAM("roomy", (4, 8, 40000, 0, 64)),
	CHIP("alone", (1, 1, 1 << 20, 0, 16), (1, 1, 4000000, 128, 16)),
};

static unsigned int num_runs, num_refused;

/* The graph's own outputs; what is observed comes behind them. */
static bool is_same_outcome(const struct outcome *a, const struct outcome *b, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (a->outputs[i].size_bytes != b->outputs[i].size_bytes ||
		    memcmp(a->outputs[i].data, b->outputs[i].data, a->outputs[i].size_bytes))
			return false;
	return true;
}

static int run(struct test_case *test, const struct loom_planner_options *how,
	       struct outcome *outcome, struct loom_error *err)
{
	struct loom_replay_options judge = { .chip = how->chip };
	struct loom_replay_report *report = NULL;
	struct loom_program *program;
	int ret = loom_program_create(test->graph, how, &program, err);

	if (ret)
		return ret;
	ret = outcome_run(outcome, program, how->chip, test->inputs, test->num_inputs, err);
	if (!ret)
		ret = loom_replay_program(program, &judge, &report, err);
	if (!ret && report->num_faults) {
		snprintf(err->text, sizeof(err->text), "%s", report->faults[0].text);
		ret = -EIO;
	}
	loom_replay_destroy(report);
	loom_program_destroy(program);
	return ret;
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

	if (strcmp(chip->name, "alone") == 0) {
		struct drm_loom_chip with = *loom_preset_find("tiny");

		how.chip = &with;
		ret = run(test, &how, &want, err);
	} else {
		ret = run(test, &how, &want, err);
	}
	how.chip = chip;
	for (k = 0; loom_grouping_name(k) && good && !ret; k++) {
		struct outcome is = { .num_outputs = 0 };
		int made;

		how.flags = draw(2) ? 0 : LOOM_PLANNER_GIVEN_ORDER;
		how.objective = draw(2) ? LOOM_OBJECTIVE_TIME : LOOM_OBJECTIVE_BYTES;
		how.grouping = loom_grouping_name(k);
		made = run(test, &how, &is, err);
		num_runs++;
		num_refused += made == -ENOSPC;
		good = made == -ENOSPC || (!made && is_same_outcome(&is, &want, count));
		if (!made && !good)
			snprintf(err->text, sizeof(err->text), "%s: other bits", how.grouping);
		outcome_clear(&is);
	}
	outcome_clear(&want);
	return good && (!ret || ret == -ENOSPC);
}

static bool try_round(uint32_t round)
{
	struct loom_error err = { .text = "" };
	struct test_case test;
	bool good = true;
	uint32_t i;

	make_case_of(&test, round * 6007 + 5, 14, make_outputs);
	for (i = 0; i < ARRAY_SIZE(chips) && good; i++) {
		good = try_chip(&test, &chips[i], &err);
		if (!good)
			tap_note("round %u, %s: %s", round, chips[i].name, err.text);
	}
	free_case(&test);
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
	tap_ok(num_refused < num_runs / 10, "%u of %u plans do not fit", num_refused, num_runs);
	return tap_end();
}
