// SPDX-License-Identifier: MIT
/*
 * Slicing knows every geometry: operators whose two axes differ in stride, dilation, padding and
 * window, groups of channels, results that are broadcast, axes that are reduced in all ways, wide
 * and high pictures, batches; with branches, joins and values that are seen outside. By every
 * strategy in little SRAM: the same bits as in one piece, and nothing that the judge finds.
 */
#include "case.h"
#include "chips.h"
#include "outcome.h"
#include "host/lower/rounds.h"

#define ROUNDS	80

static unsigned int num_plans, num_sliced, num_cut, num_misfits, num_wide;

static const struct drm_loom_chip huge = CHIP_HUGE;

static const struct drm_loom_chip small[] = {
	CHIP_SRAM("one-lane", (1, 1, 8000, 0, 64)),
	CHIP_SRAM("two-lanes", (2, 1, 6000, 0, 16)),
	CHIP_SRAM("five-lanes", (5, 1, 3000, 0, 8)),
	CHIP_SRAM("sixteen-lanes", (16, 1, 2000, 0, 64)),
	CHIP_SRAM("tight", (4, 1, 1200, 0, 16)),
};

/* Of a window: how many outputs; below 1 if it does not fit. */
static int64_t outputs(int64_t in, int64_t pads, int64_t k, int64_t s, int64_t d)
{
	int64_t room = in + pads - ((k - 1) * d + 1);

	return room < 0 ? 0 : room / s + 1;
}

static void odd_conv(struct test_case *test, struct map *x)
{
	int64_t k[2] = { range(1, 4), range(1, 4) }, s[2] = { range(1, 3), range(1, 3) };
	int64_t d[2] = { range(1, 2), range(1, 3) }, pads[4], groups = 1, dims[4], i;
	char w[12], in[40];

	for (i = 0; i < 4; i++)
		pads[i] = draw((uint32_t)(k[i % 2] * d[i % 2]));
	for (i = 2; i <= x->dims[1] && draw(2); i++)
		if (!(x->dims[1] % i))
			groups = i;
	memcpy(dims, x->dims, sizeof(dims));
	dims[1] = groups * range(1, 4);
	for (i = 0; i < 2; i++)
		dims[2 + i] = outputs(x->dims[2 + i], pads[i] + pads[2 + i], k[i], s[i], d[i]);
	if (dims[2] < 1 || dims[3] < 1)
		return;
	name_weight(w, "w");
	weight(test, w, 4, (int64_t[]){ dims[1], x->dims[1] / groups, k[0], k[1] });
	attr_ints(test, "strides", 2, s);
	attr_ints(test, "dilations", 2, d);
	attr_ints(test, "pads", 4, pads);
	attr_int(test, "group", groups);
	text(in, x->name, w);
	node(test, "Conv", in, new_map(dims)->name);
}

static void odd_deconv(struct test_case *test, struct map *x)
{
	int64_t k[2] = { range(1, 4), range(1, 4) }, s[2] = { range(1, 3), range(1, 3) };
	int64_t d[2] = { range(1, 2), range(1, 2) }, more[2], pads[4], groups = 1, dims[4], i;
	char w[12], in[40];

	if (x->dims[2] * x->dims[3] > 400)
		return;
	if (!(x->dims[1] % 2))
		groups = range(1, 2);
	memcpy(dims, x->dims, sizeof(dims));
	dims[1] = groups * range(1, 4);
	for (i = 0; i < 4; i++)
		pads[i] = draw((uint32_t)k[i % 2]);
	for (i = 0; i < 2; i++) {
		more[i] = draw((uint32_t)s[i]);
		dims[2 + i] = (x->dims[2 + i] - 1) * s[i] + (k[i] - 1) * d[i] + 1 + more[i] -
			      pads[i] - pads[2 + i];
	}
	if (dims[2] < 1 || dims[3] < 1)
		return;
	name_weight(w, "w");
	weight(test, w, 4, (int64_t[]){ x->dims[1], dims[1] / groups, k[0], k[1] });
	attr_ints(test, "strides", 2, s);
	attr_ints(test, "dilations", 2, d);
	attr_ints(test, "pads", 4, pads);
	attr_ints(test, "output_padding", 2, more);
	attr_int(test, "group", groups);
	text(in, x->name, w);
	node(test, "ConvTranspose", in, new_map(dims)->name);
}

static void odd_pool(struct test_case *test, struct map *x)
{
	int64_t k[2] = { range(1, 4), range(1, 4) }, s[2] = { range(1, 3), range(1, 3) };
	int64_t pads[4], dims[4], i;
	bool mean = draw(2);

	for (i = 0; i < 4; i++)
		pads[i] = draw((uint32_t)k[i % 2]);
	memcpy(dims, x->dims, sizeof(dims));
	for (i = 0; i < 2; i++)
		dims[2 + i] = outputs(x->dims[2 + i], pads[i] + pads[2 + i], k[i], s[i], 1);
	if (dims[2] < 1 || dims[3] < 1)
		return;
	attr_ints(test, "strides", 2, s);
	attr_ints(test, "pads", 4, pads);
	attr_ints(test, "kernel_shape", 2, k);
	if (mean)
		attr_int(test, "count_include_pad", draw(2));
	node(test, mean ? "AveragePool" : "MaxPool", x->name, new_map(dims)->name);
}

/* With a constant that has one element on any of the axes. */
static void odd_binary(struct test_case *test, struct map *x)
{
	static const char *const ops[] = { "Add", "Sub", "Mul", "Min" };
	int64_t dims[4];
	char w[12], in[40];
	uint32_t i;

	for (i = 0; i < 4; i++)
		dims[i] = draw(2) ? x->dims[i] : 1;
	name_weight(w, "c");
	weight(test, w, 4, dims);
	if (draw(2))
		text(in, x->name, w);
	else
		text(in, w, x->name);
	node(test, ops[draw(4)], in, new_map(x->dims)->name);
}

/* x and what is left of it when axes are reduced: the join of a squeeze and excitation. */
static void odd_join(struct test_case *test, struct map *x)
{
	static const char *const ops[] = { "ReduceMean", "ReduceMax", "ReduceSum", "ReduceL1" };
	int64_t axes[4], dims[4], i;
	uint32_t count = 0;
	struct map *reduced;
	char in[40];

	memcpy(dims, x->dims, sizeof(dims));
	for (i = 0; i < 4; i++) {
		if (!draw(3)) {
			axes[count++] = i;
			dims[i] = 1;
		}
	}
	if (!count || num_maps + 1 >= MAX_MAPS)
		return;
	attr_ints(test, "axes", count, axes);
	reduced = new_map(dims);
	node(test, ops[draw(4)], x->name, reduced->name);
	reduced->used = true;
	text(in, x->name, reduced->name);
	node(test, draw(2) ? "Mul" : "Add", in, new_map(x->dims)->name);
}

/* x and a branch of one operator that leaves its shape. */
static void odd_residual(struct test_case *test, struct map *x)
{
	int64_t k = 1 + 2 * (int64_t)draw(2), p = k / 2;
	struct map *branch;
	char w[12], in[40];

	if (num_maps + 1 >= MAX_MAPS)
		return;
	name_weight(w, "w");
	weight(test, w, 4, (int64_t[]){ x->dims[1], x->dims[1], k, k });
	attr_ints(test, "pads", 4, (int64_t[]){ p, p, p, p });
	text(in, x->name, w);
	branch = new_map(x->dims);
	node(test, "Conv", in, branch->name);
	branch->used = draw(4);
	text(in, branch->name, x->name);
	node(test, "Add", in, new_map(x->dims)->name);
}

static void (*const odd_adders[])(struct test_case *test, struct map *x) = {
	odd_conv, odd_conv, odd_conv, odd_deconv, odd_pool, odd_pool, odd_binary, odd_join,
	odd_residual, add_concat, add_resize, add_pad, add_softmax, add_unary,
};

static void make_odd_graph(struct test_case *test)
{
	int64_t dims[4] = { draw(3) ? 1 : range(2, 3), range(1, 8), range(3, 24), range(3, 24) };
	uint32_t depth = (uint32_t)range(2, 10), i;

	/* wide and low, or high and narrow */
	switch (draw(4)) {
	case 0:
		dims[2] = range(1, 3);
		dims[3] = range(60, 200);
		num_wide++;
		break;
	case 1:
		dims[2] = range(60, 200);
		dims[3] = range(1, 3);
		break;
	}
	num_maps = 0;
	input(test, new_map(dims)->name, DRM_LOOM_DTYPE_F32, 4, dims);
	for (i = 0; i < depth && num_maps < MAX_MAPS - 3; i++)
		odd_adders[draw(ARRAY_SIZE(odd_adders))](test, any_map());
	for (i = 1; i < num_maps; i++)
		if (!maps[i].used || i + 1 == num_maps || !draw(6))
			loom_graph_add_output(test->graph, maps[i].name);
	if (num_maps == 1) {
		node(test, "Neg", maps[0].name, "y");
		loom_graph_add_output(test->graph, "y");
	}
}

/* A program of a graph with nodes that are put together of pieces: compared with its own. */
static bool is_right_in_pieces(struct test_case *test, const struct loom_planner_options *options,
			       const struct loom_program *program, struct loom_error *err)
{
	struct loom_program *reference;
	struct outcome want = { .num_outputs = 0 }, got = { .num_outputs = 0 };
	struct drm_loom_chip large = *options->chip;
	bool good;

	/* pieces are those for the small chip, in the SRAM of the reference */
	if (loom_program_create_reference(test->graph, options, NULL, &reference, err))
		return false;
	large.region[DRM_LOOM_REGION_SRAM].bank_bytes = 1ULL << 28;
	good = reference->stats.cut_nodes == program->stats.cut_nodes &&
	       !outcome_run(&want, reference, &large, test->inputs, test->num_inputs, err) &&
	       !outcome_run(&got, program, options->chip, test->inputs, test->num_inputs, err);
	if (good && !outcome_same(&got, &want))
		good = outcome_fail(err, "in pieces: other bits");
	good = good && !outcome_replay_beside(program, reference, options->chip, err);
	outcome_clear(&want);
	outcome_clear(&got);
	loom_program_destroy(reference);
	return good;
}

static bool try_strategy(struct test_case *test, const struct loom_planner_options *options,
			 const struct loom_program *reference, const struct outcome *want,
			 struct loom_error *err)
{
	struct loom_program *program;
	struct outcome got;
	bool good;
	int ret;

	ret = loom_program_create(test->graph, options, &program, err);
	num_misfits += ret == -ENOSPC;
	if (ret)
		return ret == -ENOSPC;
	num_plans++;
	num_sliced += program->stats.sliced_nodes != 0;
	num_cut += program->stats.cut_nodes != 0;
	if (program->stats.cut_nodes) {
		good = is_right_in_pieces(test, options, program, err);
		loom_program_destroy(program);
		return good;
	}
	good = !outcome_run(&got, program, options->chip, test->inputs, test->num_inputs, err);
	if (good && !outcome_same(&got, want))
		good = outcome_fail(err, "other bits");
	good = good && !outcome_replay_beside(program, reference, options->chip, err);
	outcome_clear(&got);
	loom_program_destroy(program);
	return good;
}

static bool try_graph(struct test_case *test, uint32_t round, struct loom_error *err)
{
	struct loom_planner_options options = { .grouping = "layerwise", .chip = &huge };
	struct loom_program *reference;
	struct outcome want;
	const char *name;
	bool good;
	uint32_t i;

	if (loom_program_create(test->graph, &options, &reference, err))
		return false;
	good = !outcome_run(&want, reference, &huge, test->inputs, test->num_inputs, err);
	for (i = 0; (name = loom_grouping_name(i)) && good; i++) {
		options.chip = &small[(round + i) % ARRAY_SIZE(small)];
		options.grouping = name;
		good = try_strategy(test, &options, reference, &want, err);
	}
	if (!good)
		tap_note("%s, %s", options.grouping, options.chip->name);
	outcome_clear(&want);
	loom_program_destroy(reference);
	return good;
}

static bool try_round(uint32_t round)
{
	struct loom_error err = { .text = "" };
	struct test_case test;
	bool good;

	make_case_of(&test, round * 32452843 + 17, 11, make_odd_graph);
	good = try_graph(&test, round, &err);
	if (!good)
		tap_note("round %u: %s", round, err.text);
	free_case(&test);
	return good;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs of odd geometry are the same by every strategy",
	       rounds.count - rounds.bad, rounds.count);
	tap_note("%u plans, %u with slices, %u of pieces, %u misfits, %u graphs wide and low",
		 num_plans, num_sliced, num_cut, num_misfits, num_wide);
	if (argc == 1)
		tap_ok(num_sliced > num_plans / 4 && num_misfits < num_plans,
		       "slicing was put to the test");
	return tap_end();
}
