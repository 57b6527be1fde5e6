// SPDX-License-Identifier: MIT
/*
 * Programs whose values live in images. By hand: rows and columns of a shape, and which values of a
 * small graph share which image. At random: chains of operators of all kinds, with each value in
 * an image or not, in groups or not, by bytes and by time, which must give the same bits as
 * without images, and count what was promised.
 */
#include <errno.h>

#include "lower/image_pool.h"
#include "loom_chip.h"
#include "chain.h"
#include "outcome.h"

/* --- by hand */

static void test_flatten(void)
{
	static const struct {
		enum loom_scope scope;
		uint32_t rank;
		int64_t dims[5];
		uint64_t height, width, channels;
	} cases[] = {
		/* NCHW4c, as TVM's texture tests have it: rows N * C * H */
		{ LOOM_SCOPE_TEXTURE, 5, { 1, 8, 6, 7, 4 }, 48, 7, 4 },
		{ LOOM_SCOPE_TEXTURE, 4, { 2, 3, 5, 7 }, 6, 5, 7 },
		{ LOOM_SCOPE_TEXTURE, 3, { 3, 5, 7 }, 3, 5, 7 },
		{ LOOM_SCOPE_TEXTURE, 2, { 5, 7 }, 1, 5, 7 },
		{ LOOM_SCOPE_TEXTURE, 1, { 7 }, 1, 1, 7 },
		{ LOOM_SCOPE_TEXTURE, 0, { 0 }, 1, 1, 1 },
		/* OIHW4o: rows O, columns I * H * W */
		{ LOOM_SCOPE_TEXTURE_WEIGHT, 5, { 8, 3, 5, 7, 4 }, 8, 105, 4 },
		{ LOOM_SCOPE_TEXTURE_WEIGHT, 4, { 8, 3, 5, 7 }, 8, 15, 7 },
		/* NHWC: rows N * H; without N rows H */
		{ LOOM_SCOPE_TEXTURE_NHWC, 5, { 2, 3, 5, 7, 4 }, 6, 35, 4 },
		{ LOOM_SCOPE_TEXTURE_NHWC, 4, { 2, 3, 5, 7 }, 6, 5, 7 },
		{ LOOM_SCOPE_TEXTURE_NHWC, 3, { 3, 5, 7 }, 3, 5, 7 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct loom_value value = { .dtype = DRM_LOOM_DTYPE_F32, .rank = cases[i].rank };
		struct loom_image_shape shape;

		memcpy(value.dims, cases[i].dims, sizeof(cases[i].dims));
		shape = loom_image_flatten(&value, cases[i].scope);
		tap_ok(shape.height == cases[i].height && shape.width == cases[i].width &&
		       shape.channels == cases[i].channels,
		       "shape %u: %llu rows of %llu times %llu", i,
		       (unsigned long long)shape.height, (unsigned long long)shape.width,
		       (unsigned long long)shape.channels);
	}
}

static const struct loom_program_slot *image_slot(const struct loom_program *program,
						  uint32_t index)
{
	uint32_t i;

	for (i = 0; i < program->num_slots; i++)
		if (program->slots[i].kind == LOOM_SLOT_KIND_IMAGE && !index--)
			return &program->slots[i];
	return NULL;
}

/*
 * a [1,2,3,5], b the same, c [1,4,3,2], d the same: a is dead when c is made, and 2 rows of 15
 * become 4 of 15, which adds 30 elements where the image needs 24: a new one. b and d likewise.
 */
static void test_pools(void)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
	const struct loom_program_slot *slot;
	struct loom_program *program;
	struct test_case test;

	case_begin(&test, 1, 14);
	case_add(&test, "x f32 1 2 3 5; a = Neg x; b = Exp a; c = Sigmoid b; "
		 "y = Neg c; > y");
	case_finish(&test);
	tap_ok(loom_graph_set_scope(test.graph, "nobody", LOOM_SCOPE_TEXTURE) == -ENOENT,
	       "a value that there is not is ENOENT");
	tap_ok(loom_graph_set_scope(test.graph, "a", LOOM_SCOPE_TEXTURE_NHWC + 1) == -EINVAL,
	       "a scope that there is not is EINVAL");
	tap_ok(!loom_graph_set_scope(test.graph, NULL, LOOM_SCOPE_TEXTURE), "all are textures");
	program = case_plan(&test, &how);
	tap_ok(program->stats.images == 3 && program->stats.image_pools == 2,
	       "a, b and c take turns in two images");
	slot = image_slot(program, 0);
	tap_ok(slot && slot->width == 15 && slot->height == 2 && slot->pitch_bytes == 64 &&
	       slot->dtype == DRM_LOOM_DTYPE_F32 && slot->size_bytes == 128 &&
	       slot->num_values == 2 && slot->flags == DRM_LOOM_SLOT_WRITE,
	       "which are 2 rows of 15, at 64 bytes");
	tap_ok(program->stats.image_bytes == 256 && program->stats.image_value_bytes == 360 &&
	       !program->stats.neurons, "and take 256 bytes for 360");
	loom_program_destroy(program);

	loom_graph_set_scope(test.graph, "b", LOOM_SCOPE_GLOBAL);
	loom_graph_set_scope(test.graph, "y", LOOM_SCOPE_TEXTURE);
	program = case_plan(&test, &how);
	tap_ok(program->stats.images == 2 && program->stats.image_pools == 1 &&
	       program->stats.neurons == 1 && image_slot(program, 0) && !image_slot(program, 1),
	       "one of them in the arena: one image. The output stays as it is");
	loom_program_destroy(program);
	how.grouping = "layergroup";
	program = case_plan(&test, &how);
	tap_ok(!program->stats.images && !program->stats.image_pools && program->num_groups == 1,
	       "in one group they stay in the SRAM: no image");
	loom_program_destroy(program);
	free_case(&test);
}

/* Every seventh of 13 columns: rows at a provisional pitch of 14 would be one axis with them. */
static void test_steps(void)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
	struct test_case test;

	case_begin(&test, 1, 14);
	case_add(&test, "x f32 1 6 1 13; a = Neg x; start = i64 1 : 0; "
		 "end = i64 1 : 13; axis = i64 1 : 3; step = i64 1 : 7; "
		 "b = Slice a start end axis step; flat = i64 1 : 12; c = Reshape b flat; "
		 "y = Neg c; > y");
	case_finish(&test);
	loom_graph_set_scope(test.graph, "a", LOOM_SCOPE_TEXTURE);
	loom_program_destroy(case_plan(&test, &how));
	tap_ok(true, "steps over the end of a row are no rows");
	free_case(&test);
}

/* More values alive at once than a plan has slots. */
static void test_many(void)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
	char a[16], b[16], sum[16];
	struct test_case test;
	uint32_t i;

	case_begin(&test, 1, 14);
	input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ 2, 3 });
	for (i = 0; i < 80; i++) {
		snprintf(a, sizeof(a), "a%u", i);
		node(&test, i % 2 ? "Neg" : "Exp", i ? b : "x", a);
		snprintf(b, sizeof(b), "a%u", i);
	}
	for (i = 80; i-- > 1;) {
		char operands[40];

		snprintf(operands, sizeof(operands), "a%u %s", i - 1, i == 79 ? "a79" : sum);
		snprintf(sum, sizeof(sum), "s%u", i);
		node(&test, "Add", operands, sum);
	}
	loom_graph_add_output(test.graph, sum);
	case_finish(&test);
	loom_graph_set_scope(test.graph, NULL, LOOM_SCOPE_TEXTURE);
	case_refused(&test, &how, -E2BIG, "images");
	free_case(&test);
}

/* --- at random */

static void add_any(struct chain *c)
{
	/* the last one mostly, so that the chain is long */
	uint32_t x = draw(3) ? c->count - 1 : draw(c->count);

	if (c->rank[x] == 4 && draw(2)) {
		(draw(3) ? add_conv : add_pool)(c, x);
		return;
	}
	switch (draw(10)) {
	case 0:
		add_transpose(c, x);
		break;
	case 1:
	case 2:
		add_reshape(c, x);
		break;
	case 3:
		add_slice(c, x);
		break;
	case 4:
		if (elements(c, x) < 4000)
			add_concat(c, x);
		break;
	case 5:
		if (elements(c, x) < 4000)
			add_pad(c, x);
		break;
	case 6:
		add_reduce(c, x);
		break;
	case 7:
		add_softmax(c, x);
		break;
	case 8:
		if (c->rank[x] > 1)
			add_matmul(c, x);
		break;
	default:
		add_plain(c, x);
	}
	if (!c->rank[c->count - 1])
		c->count--;
}

static void make_chain(struct chain *c)
{
	while (c->count < MAX_VALUES / 2)
		add_any(c);
	loom_graph_add_output(c->test.graph, c->name[c->count - 1]);
	loom_graph_add_output(c->test.graph, c->name[c->count - 2]);
	case_finish(&c->test);
}

static unsigned int num_images, num_pools, num_direct, num_sliced, num_grouped,
	num_skipped;

static int run(struct chain *c, const struct loom_planner_options *how, struct outcome *outcome,
	       struct loom_error *err)
{
	const struct loom_program_stats *stats = &outcome->stats;
	int ret = outcome_plan(outcome, c->test.graph, how, c->test.inputs, c->test.num_inputs,
			       err);

	if (ret)
		return ret;
	num_images += stats->images;
	num_pools += stats->image_pools;
	num_sliced += stats->sliced_nodes && stats->images;
	num_grouped += stats->groups < stats->nodes && stats->images;
	/* more is read from DRAM than DMA brings to SRAM: a command reads an image */
	num_direct += stats->dram_read_bytes > stats->sram_write_bytes && stats->images;
	return 0;
}

static bool try_scopes(struct chain *c, struct loom_planner_options how,
		       const struct outcome *want, struct loom_error *err)
{
	static const char *const groupings[] = {
		"layerwise", "layerwise", "layerwise", "layergroup", "layergroup-text",
		"layergroup-dp",
	};
	struct outcome outcome;
	uint32_t round, i;
	bool good = true;
	int ret;

	for (round = 0; round < 4 && good; round++) {
		/* all of one kind, then at random */
		loom_graph_set_scope(c->test.graph, NULL, (round + 1) % 4);
		for (i = 0; i < c->count && round == 3; i++)
			loom_graph_set_scope(c->test.graph, c->name[i], draw(4));
		how.flags = draw(3) ? 0 : LOOM_PLANNER_LOAD_IMAGES;
		how.flags |= draw(3) ? 0 : LOOM_PLANNER_NO_OVERLAP;
		how.flags |= draw(3) ? 0 : LOOM_PLANNER_GIVEN_ORDER;
		how.objective = draw(2) ? LOOM_OBJECTIVE_TIME : LOOM_OBJECTIVE_BYTES;
		how.grouping = groupings[draw(ARRAY_SIZE(groupings))];
		ret = run(c, &how, &outcome, err);
		good = ret == -ENOSPC || (!ret && outcome_same(&outcome, want));
		if (!ret && !good)
			outcome_fail(err, "other bits, scopes %u", round);
		outcome_clear(&outcome);
	}
	loom_graph_set_scope(c->test.graph, NULL, LOOM_SCOPE_GLOBAL);
	return good;
}

/*
 * A device with too little room cuts rows of convolutions short, which changes the order of sums
 * (see host/lower/random.c). Such limits say nothing about images.
 */
static bool is_cut_short(struct chain *c, const struct loom_planner_options *how,
			 const struct outcome *want)
{
	struct outcome outcome;
	struct loom_error err;
	bool same;

	same = !run(c, how, &outcome, &err) && outcome_same(&outcome, want);
	outcome_clear(&outcome);
	return !same;
}

static bool try_chain(unsigned int round)
{
	static const uint64_t limits[] = { 0, 8192, 3072 };
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
	struct loom_error err = { .text = "" };
	struct outcome want;
	struct chain c;
	unsigned int i;
	bool good;

	seed = 77 + round;
	chain_begin(&c, seed, 12,
		    (int64_t[]){ range(1, 2), range(1, 5), range(1, 12), range(1, 16) });
	make_chain(&c);
	good = !run(&c, &how, &want, &err);
	if (!good)
		tap_note("round %u: %s", round, err.text);
	for (i = 0; i < ARRAY_SIZE(limits) && good; i++) {
		how.sram_limit_bytes = limits[i];
		if (limits[i] && is_cut_short(&c, &how, &want)) {
			num_skipped++;
			continue;
		}
		good = try_scopes(&c, how, &want, &err);
		if (!good)
			tap_note("round %u, %llu bytes of SRAM: %s", round,
				 (unsigned long long)limits[i], err.text);
	}
	outcome_clear(&want);
	free_case(&c.test);
	return good;
}

/* Arguments: none; or the number of a round, to try it alone; and how many from there on. */
int main(int argc, char **argv)
{
	unsigned int rounds = getenv("LOOM_SANITIZED") ? 60 : 200, round, bad = 0;
	unsigned int first = argc > 1 ? atoi(argv[1]) : 0;

	test_flatten();
	test_pools();
	test_steps();
	test_many();
	if (argc > 1)
		rounds = argc > 2 ? atoi(argv[2]) : 1;
	for (round = first; round < first + rounds; round++)
		bad += !try_chain(round);
	tap_ok(!bad, "%u of %u chains give the same bits in images", rounds - bad, rounds);
	tap_note("%u values in %u images; %u plans used some where they are, %u sliced", num_images,
		 num_pools, num_direct, num_sliced);
	tap_ok(num_images > rounds * 15 && num_pools * 5 < num_images * 4, "images were shared");
	tap_ok(num_direct > rounds / 4, "images were used where they are");
	tap_ok(num_skipped < rounds / 10, "%u devices were too small", num_skipped);
	tap_ok(num_grouped > rounds / 10, "%u plans have groups and images", num_grouped);
	tap_ok(num_sliced > rounds / 10, "slicing was put to the test");
	return tap_end();
}
