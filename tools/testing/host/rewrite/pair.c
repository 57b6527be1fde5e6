// SPDX-License-Identifier: MIT
/*
 * Pairs of products, and products alone, in an SRAM that cuts the summed axis: the bits are those
 * of an SRAM that holds all of it.
 */
#include "nets.h"

#include "rewrite/rewrite.h"

/**
 * struct row - a network
 * @name: of the case
 * @pair: there is a pair of products
 * @net: the network
 */
struct row {
	const char *name;
	bool pair;
	const char *net;
};

static const struct row rows[] = {
	{ "a pair of products", true,
	  "x f32 40 24; w = f32 24 96; m = MatMul x w; r = Relu m; v = f32 96 20; "
	  "y = MatMul r v" },
	{ "a pair with vectors and other functions", true,
	  "x f32 37 11; w = f32 11 101; m = MatMul x w; b = f32 101; a = Add m b; t = Tanh a; "
	  "v = f32 101 11; p = MatMul t v; c = f32 11; q = Add p c; s = Sigmoid q; "
	  "y = Add s x" },
	{ "a pair whose first bias is one number", true,
	  "x f32 40 24; w = f32 24 96; b = f32 1; g = Gemm x w b; r = Relu g; v = f32 96 20; "
	  "y = MatMul r v" },
	{ "a pair between other nodes, of batches", true,
	  "i f32 2 3 17 13; x = Abs i; w = f32 13 67; m = MatMul x w; v = f32 67 19; "
	  "p = MatMul m v; n = Neg p; y = Softmax n axis=3" },
	{ "halves, whose sums are wider", false,
	  "i f32 24 301; x = Cast i to=10; r = f32 301 24; w = Cast r to=10; "
	  "p = MatMul x w; b = f32 24; c = Cast b to=10; a = Add p c; h = Relu a; "
	  "y = Cast h to=1" },
	{ "bytes, whose sums are wider", false,
	  "a u8 24 303; b = i8 303 24; as = f32 : 0.0078125; az = u8 : 77; "
	  "bs = f32 : 0.015625; bz = i8 : 3; ys = f32 : 1.25; yz = u8 : 101; "
	  "y = QLinearMatMul a as az b bs bz ys yz; i = MatMulInteger a b az bz; > i" },
	/* not even one element fits with all that it sums */
	{ "a long product with a bias and a function", false,
	  "x f32 2 2009; w = f32 2009 3; b = f32 3; p = MatMul x w; q = Add p b; "
	  "y = Relu q" },
	{ "a long product of transposed operands with factors", false,
	  "a f32 2001 5; b f32 3 2001; c f32 5 1; "
	  "y = Gemm a b c transA=1 transB=1 alpha=0.5 beta=0.25" },
	{ "batches of long products of halves", false,
	  "a f32 2 1 3 4009; c = Cast a to=10; b f32 3 4009 2; d = Cast b to=10; "
	  "p = MatMul c d; y = Cast p to=1" },
	{ "long products of bytes", false,
	  "a u8 3 9003; b = i8 9003 5; as = f32 : 0.0078125; az = u8 : 77; "
	  "bs = f32 : 0.015625; bz = i8 : 3; ys = f32 : 1.25; yz = u8 : 101; "
	  "y = QLinearMatMul a as az b bs bz ys yz; i = MatMulInteger a b az bz; > i" },
	{ "batches with factors", false,
	  "a f32 2 19 101; b f32 2 101 17; p = MatMul a b; y = Relu p" },
};

/* Commands of the plans so far that go on from sums. */
static u32 parts;

static void count_parts(const struct loom_program *program)
{
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_command *commands =
		(const void *)((const char *)program->plan + header->commands.offset);
	u32 i;

	for (i = 0; i < header->commands.count; i++)
		parts += commands[i].opcode == DRM_LOOM_OP_MATMUL_ADD;
}

/* The plan reads and writes what it has to, element by element, as that of the whole does. */
static bool is_faultless(const struct test_case *test, const struct loom_planner_options *options,
			 const struct loom_program *program, struct loom_error *err)
{
	count_parts(program);
	return !outcome_judge(test->graph, options, program, err);
}

static void test_row(const struct row *row)
{
	static const char *const groupings[] = { "layerwise", "layergroup" };
	const struct drm_loom_chip huge = CHIP_HUGE;
	const struct drm_loom_chip chips[] = {
		chip_flat(6144), chip_of(4, 1ULL << 32, 4, 2048), chip_of(16, 1ULL << 32, 4, 576),
	};
	struct test_case test = net_make(row->net);
	struct loom_graph *graph = test.graph, *pairs;
	struct outcome whole, other;
	bool ok = true;
	u32 c, i;

	parts = 0;
	if (!net_run(&test, &huge, NULL, &whole, is_faultless))
		tap_fatal("%s: is not planned where it fits", row->name);
	for (c = 0; c < ARRAY_SIZE(chips) && ok; c++) {
		u64 sram_bytes = chips[c].region[DRM_LOOM_REGION_SRAM].bank_bytes;

		ok = !loom_rewrite_pairs(graph, &chips[c], sram_bytes, &pairs) &&
		     row->pair == !!pairs;
		if (pairs)
			test.graph = pairs;
		for (i = 0; i < ARRAY_SIZE(groupings) && ok; i++) {
			ok = net_run(&test, &chips[c], groupings[i], &other, is_faultless) &&
			     are_near(&other, &whole, 0) && !other.stats.cut_nodes;
			outcome_clear(&other);
		}
		test.graph = graph;
		loom_graph_destroy(pairs);
	}
	tap_ok(ok && parts, "%s: the same bits", row->name);
	outcome_clear(&whole);
	free_case(&test);
}

/* The verifier must see that all of a vector is written, however few of its elements fit. */
static void test_vector(void)
{
	struct test_case test = net_make("x f32 1 3000; s = f32 : 0.0625; z = u8 : 100; "
					 "q = QuantizeLinear x s z; w = i8 3000 5; "
					 "y = MatMulInteger q w z");
	struct drm_loom_chip huge = CHIP_HUGE, chip = chip_of(1, 1ULL << 32, 16, 64);
	struct outcome whole, other;

	chip.region[DRM_LOOM_REGION_SRAM].align_bytes = 16;
	tap_ok(net_run(&test, &huge, NULL, &whole, is_faultless) &&
	       net_run(&test, &chip, "layerwise", &other, is_faultless) &&
	       are_near(&other, &whole, 0), "a vector in runs that fit");
	outcome_clear(&whole);
	outcome_clear(&other);
	free_case(&test);
}

int main(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		test_row(&rows[i]);
	test_vector();
	return tap_end();
}
