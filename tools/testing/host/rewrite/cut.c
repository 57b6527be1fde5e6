// SPDX-License-Identifier: MIT
/*
 * Nodes of which not even the smallest slice fits into the SRAM: their sums and comparisons are put
 * together of pieces, with the results of an SRAM that holds all. Nodes that fit are not cut.
 */
#include "nets.h"

#include <errno.h>
#include <math.h>

#define F16	DRM_LOOM_DTYPE_F16
#define I32	DRM_LOOM_DTYPE_I32

/* SRAM that is too small for what is cut here, in one lane and in several */
#define SMALL	4096

/* parts of the largest result */
#define NEAR	(1 / 1000000.0)
#define FAR	(1 / 100000.0)

/**
 * struct row - a network with nodes that do not fit
 * @name: of the case
 * @cut: nodes that are cut at least
 * @slack: how far results may be from those of an SRAM that holds all, as part of the largest; 0:
 *	same bits
 * @net: the network
 */
struct row {
	const char *name;
	uint32_t cut;
	double slack;
	const char *net;
};

static const struct row rows[] = {
	{ "a mean of planes", 1, NEAR,
	  "x f32 1 3 61 67; y = GlobalAveragePool x" },
	{ "maxima of planes", 1, 0,
	  "x f32 2 3 64 64; y = GlobalMaxPool x" },
	/* a prime: no piece divides it */
	{ "a mean of a prime number of elements", 1, NEAR,
	  "x f32 30011; y = ReduceMean x" },
	{ "sums of long rows", 1, NEAR,
	  "x f32 3 20011; y = ReduceSum x" },
	{ "the least of all axes", 1, 0,
	  "x f32 17 19 23; y = ReduceMin x" },
	{ "norms of long columns", 1, NEAR,
	  "x f32 9001 3; y = ReduceL2 x axes=0, keepdims=0" },
	{ "norms over axes that are apart", 1, NEAR,
	  "x f32 61 3 67 2; y = ReduceL1 x axes=0,2" },
	{ "squares, and sums with logarithms", 3, NEAR,
	  "x f32 2 7001; y = ReduceSumSquare x axes=1,; "
	  "z = ReduceLogSumExp x axes=1,; a = Abs x; l = ReduceLogSum a axes=1,; "
	  "> z l" },
	{ "integers", 4, 0,
	  "x i32 10007; y = ReduceSum x; z = ReduceMean x; m = ReduceMax x; "
	  "l = ReduceL2 x; > z m l" },
	/* sums that their own type does not hold: they wrap, means do not */
	{ "integers that are large", 3, 0,
	  "x i32 10007; n = i8 : 127; i = Cast n to=6; a = Mul x i; b = Mul a i; "
	  "c = Mul b i; y = ReduceMean c; l = ReduceL1 c; s = ReduceSum c; > l s" },
	{ "bytes", 2, 0,
	  "x u8 10007; w i8 3 20011; y = ReduceMean x; z = ReduceL1 w axes=1,; > z" },
	{ "halves are summed in f32", 2, FAR * 100,
	  "x f32 2 9001; h = Cast x to=10; m = ReduceMean h axes=1,; "
	  "s = Softmax h axis=1; y = Cast m to=1; z = Cast s to=1; > z" },
	{ "softmax of long rows", 2, NEAR,
	  "x f32 3 9973; y = Softmax x axis=1; z = LogSoftmax x axis=1; > z" },
	{ "softmax of long columns", 1, NEAR,
	  "x f32 8192 2; y = Softmax x axis=0" },
	{ "selections, in groups", 3, 0,
	  "x f32 8 4001; k = i64 1 : 90; r = Relu x; y i = TopK r k; n = Neg y; "
	  "v j = TopK r k largest=0; > i n v j" },
	{ "selections of equal bytes, by columns", 1, 0,
	  "x u8 9001 2; k = i64 1 : 100; y i = TopK x k axis=0; > i" },
	{ "planes normalised", 2, FAR,
	  "x f32 1 2 61 67; s = f32 2; b = f32 2; y = InstanceNormalization x s b" },
	{ "a product with a bias and a function", 1, FAR,
	  "x f32 2 1009; w = f32 1009 3; b = f32 3; p = MatMul x w; q = Add p b; "
	  "y = Relu q" },
	{ "a product of transposed operands with factors", 1, FAR,
	  "a f32 1001 5; b f32 3 1001; c f32 5 1; "
	  "y = Gemm a b c transA=1 transB=1 alpha=0.5 beta=0.25" },
	{ "batches of products", 1, FAR,
	  "a f32 2 1 3 1009; b f32 3 1009 2; y = MatMul a b" },
	{ "a product of bytes", 2, 0,
	  "a u8 3 5003; b = i8 5003 5; as = f32 : 0.0078125; az = u8 : 77; "
	  "bs = f32 : 0.015625; bz = i8 : 3; ys = f32 : 1.25; yz = u8 : 101; "
	  "y = QLinearMatMul a as az b bs bz ys yz; i = MatMulInteger a b az bz; > i" },
	{ "a convolution of many channels", 1, FAR,
	  "x f32 1 101 5 4; w = f32 3 101 3 3; b = f32 3; "
	  "c = Conv x w b pads=1,1,1,1; y = Relu c" },
	{ "a convolution with a large kernel", 1, FAR,
	  "x f32 1 2 40 36; w = f32 2 1 31 29; b = f32 2; "
	  "y = Conv x w b pads=3,0,2,5 strides=2,3 group=2" },
	{ "a convolution of bytes", 1, 0,
	  "x u8 1 301 4 4; w = i8 3 301 3 3; xs = f32 : 0.0078125; xz = u8 : 100; "
	  "raw = f32 3; ws = f32 : 0.015625; wz = i8 : 0; ys = f32 : 0.75; "
	  "yz = u8 : 99; y = QLinearConv x xs xz w ws wz ys yz pads=1,1,1,1" },
	{ "a transposed convolution of many channels", 1, FAR,
	  "x f32 1 201 3 4; w = f32 201 2 2 3; b = f32 2; "
	  "y = ConvTranspose x w b strides=2,1" },
	{ "large windows", 2, NEAR,
	  "x f32 1 1 50 45; y = MaxPool x kernel_shape=37,33 strides=3,2; "
	  "z = AveragePool x kernel_shape=37,33 strides=3,2 pads=2,1,3,0; > z" },
	{ "the range of data that is quantised", 2, 0,
	  "x f32 90 100; y s z = DynamicQuantizeLinear x; > s z" },
};

/* The plan reads and writes what it has to, element by element, as the reference does. */
static bool is_faultless(const struct test_case *test, const struct loom_planner_options *options,
			 const struct loom_program *program, struct loom_error *err)
{
	return !outcome_judge(test->graph, options, program, err);
}

static void test_row(const struct row *row)
{
	static const char *const groupings[] = { "layerwise", "layergroup", "layergroup-text" };
	const struct drm_loom_chip huge = CHIP_HUGE;
	struct drm_loom_chip chips[] = {
		chip_flat(SMALL), chip_of(1, 1ULL << 32, 4, SMALL / 4),
	};
	struct test_case test = net_make(row->net);
	/* sanitizers see every fifth plan: there are six of a row, so each kind has its turn */
	const uint32_t every = getenv("LOOM_SANITIZED") ? 5 : 1;
	struct outcome whole, other;
	static uint32_t turn;
	bool ok = true;
	uint32_t c, i;

	if (!net_run(&test, &huge, NULL, &whole, is_faultless) || whole.stats.cut_nodes)
		tap_fatal("%s: is not planned whole where it fits", row->name);
	for (c = 0; c < ARRAY_SIZE(chips); c++) {
		/* products would go on from sums, see pair.c */
		chips[c].opcodes &= ~(1ULL << DRM_LOOM_OP_MATMUL_ADD);
		for (i = 0; i < ARRAY_SIZE(groupings); i++) {
			if (turn++ % every)
				continue;
			ok &= net_run(&test, &chips[c], groupings[i], &other, is_faultless) &&
			      are_near(&other, &whole, row->slack);
			if (ok && other.stats.cut_nodes < row->cut) {
				tap_note("%llu nodes cut",
					 (unsigned long long)other.stats.cut_nodes);
				ok = false;
			}
			outcome_clear(&other);
		}
	}
	tap_ok(ok, "%s%s", row->name, row->slack ? "" : ": the same bits");
	outcome_clear(&whole);
	free_case(&test);
}

/* A softmax whose axis no command takes, whatever the SRAM. */
static void test_very_long(void)
{
	struct test_case test = net_make("x f32 1 1048577; y = Softmax x");
	const struct drm_loom_chip *soft = loom_preset_find("soft");
	struct outcome outcome;
	double sum = 0, exact = 0, off = 0;
	uint32_t i;
	bool ok = net_run(&test, soft, "layergroup", &outcome, is_faultless);

	for (i = 0; i <= 1 << 20; i++)
		exact += exp(((float *)test.inputs[0].data)[i]);
	for (i = 0; ok && i <= 1 << 20; i++) {
		double y = ((float *)outcome.outputs[0].data)[i];

		off = near_worst(off, y * exact, exp(((float *)test.inputs[0].data)[i]));
		sum += y;
	}
	tap_ok(ok && fabs(sum - 1) < FAR && off < 100 * FAR,
	       "a softmax of more elements than a command takes");
	outcome_clear(&outcome);
	free_case(&test);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		test_row(&rows[i]);
	test_very_long();
	return tap_end();
}
