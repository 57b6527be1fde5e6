// SPDX-License-Identifier: MIT
/*
 * Nodes of which not even the smallest slice fits into the SRAM: what they sum or compare is put
 * together of pieces, and comes out as in an SRAM that holds all of it. What fits is not cut.
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
 * @name: what is shown
 * @build: makes the network
 * @cut: nodes that are cut at least
 * @slack: how far results may be from those of an SRAM that holds all, as part of the largest; 0:
 *	same bits
 */
struct row {
	const char *name;
	void (*build)(struct test_case *test);
	uint32_t cut;
	double slack;
};

static void all_axes(struct test_case *test, const char *op, uint32_t rank, const int64_t *dims)
{
	input(test, "x", F32, rank, dims);
	node(test, op, "x", "y");
}

static void plane_mean(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 3, 61, 67));
	node(test, "GlobalAveragePool", "x", "y");
}

static void plane_max(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(2, 3, 64, 64));
	node(test, "GlobalMaxPool", "x", "y");
}

/* a prime: no piece divides it */
static void long_mean(struct test_case *test)
{
	all_axes(test, "ReduceMean", 1, DIMS(30011));
}

static void long_sum(struct test_case *test)
{
	all_axes(test, "ReduceSum", 2, DIMS(3, 20011));
}

static void long_min(struct test_case *test)
{
	all_axes(test, "ReduceMin", 3, DIMS(17, 19, 23));
}

static void outer_axis(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(9001, 3));
	attr_ints(test, "axes", 1, DIMS(0));
	attr_int(test, "keepdims", 0);
	node(test, "ReduceL2", "x", "y");
}

static void apart_axes(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(61, 3, 67, 2));
	attr_ints(test, "axes", 2, DIMS(0, 2));
	node(test, "ReduceL1", "x", "y");
}

static void other_kinds(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(2, 7001));
	attr_ints(test, "axes", 1, DIMS(1));
	node(test, "ReduceSumSquare", "x", "y");
	attr_ints(test, "axes", 1, DIMS(1));
	node(test, "ReduceLogSumExp", "x", "z");
	node(test, "Abs", "x", "a");
	attr_ints(test, "axes", 1, DIMS(1));
	node(test, "ReduceLogSum", "a", "l");
	loom_graph_add_output(test->graph, "z");
	loom_graph_add_output(test->graph, "l");
}

static void integers(struct test_case *test)
{
	input(test, "x", I32, 1, DIMS(10007));
	node(test, "ReduceSum", "x", "y");
	node(test, "ReduceMean", "x", "z");
	node(test, "ReduceMax", "x", "m");
	node(test, "ReduceL2", "x", "l");
	loom_graph_add_output(test->graph, "z");
	loom_graph_add_output(test->graph, "m");
	loom_graph_add_output(test->graph, "l");
}

/* sums that their own type does not hold: they wrap, means do not */
static void large_integers(struct test_case *test)
{
	input(test, "x", I32, 1, DIMS(10007));
	net_scalar(test, "n", DRM_LOOM_DTYPE_I8, 127);
	attr_int(test, "to", 6);
	node(test, "Cast", "n", "i");
	node(test, "Mul", "x i", "a");
	node(test, "Mul", "a i", "b");
	node(test, "Mul", "b i", "c");
	node(test, "ReduceMean", "c", "y");
	node(test, "ReduceL1", "c", "l");
	node(test, "ReduceSum", "c", "s");
	loom_graph_add_output(test->graph, "l");
	loom_graph_add_output(test->graph, "s");
}

static void bytes(struct test_case *test)
{
	input(test, "x", DRM_LOOM_DTYPE_U8, 1, DIMS(10007));
	input(test, "w", DRM_LOOM_DTYPE_I8, 2, DIMS(3, 20011));
	node(test, "ReduceMean", "x", "y");
	attr_ints(test, "axes", 1, DIMS(1));
	node(test, "ReduceL1", "w", "z");
	loom_graph_add_output(test->graph, "z");
}

static void halves(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(2, 9001));
	attr_int(test, "to", 10);
	node(test, "Cast", "x", "h");
	attr_ints(test, "axes", 1, DIMS(1));
	node(test, "ReduceMean", "h", "m");
	attr_int(test, "axis", 1);
	node(test, "Softmax", "h", "s");
	attr_int(test, "to", 1);
	node(test, "Cast", "m", "y");
	attr_int(test, "to", 1);
	node(test, "Cast", "s", "z");
	loom_graph_add_output(test->graph, "z");
}

static void softmax(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(3, 9973));
	attr_int(test, "axis", 1);
	node(test, "Softmax", "x", "y");
	attr_int(test, "axis", 1);
	node(test, "LogSoftmax", "x", "z");
	loom_graph_add_output(test->graph, "z");
}

static void outer_softmax(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(8192, 2));
	attr_int(test, "axis", 0);
	node(test, "Softmax", "x", "y");
}

static void instance_norm(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 2, 61, 67));
	net_floats(test, "s", 1, DIMS(2));
	net_floats(test, "b", 1, DIMS(2));
	node(test, "InstanceNormalization", "x s b", "y");
}

static void product(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(2, 1009));
	net_floats(test, "w", 2, DIMS(1009, 3));
	net_floats(test, "b", 1, DIMS(3));
	node(test, "MatMul", "x w", "p");
	node(test, "Add", "p b", "q");
	node(test, "Relu", "q", "y");
}

static void product_of_both(struct test_case *test)
{
	input(test, "a", F32, 2, DIMS(1001, 5));
	input(test, "b", F32, 2, DIMS(3, 1001));
	input(test, "c", F32, 2, DIMS(5, 1));
	attr_int(test, "transA", 1);
	attr_int(test, "transB", 1);
	attr_float(test, "alpha", 0.5f);
	attr_float(test, "beta", 0.25f);
	node(test, "Gemm", "a b c", "y");
}

static void batches(struct test_case *test)
{
	input(test, "a", F32, 4, DIMS(2, 1, 3, 1009));
	input(test, "b", F32, 3, DIMS(3, 1009, 2));
	node(test, "MatMul", "a b", "y");
}

static void quantised_product(struct test_case *test)
{
	input(test, "a", DRM_LOOM_DTYPE_U8, 2, DIMS(3, 5003));
	net_typed(test, "b", DRM_LOOM_DTYPE_I8, 2, DIMS(5003, 5));
	net_scalar(test, "as", F32, 0.0078125);
	net_scalar(test, "az", DRM_LOOM_DTYPE_U8, 77);
	net_scalar(test, "bs", F32, 0.015625);
	net_scalar(test, "bz", DRM_LOOM_DTYPE_I8, 3);
	net_scalar(test, "ys", F32, 1.25);
	net_scalar(test, "yz", DRM_LOOM_DTYPE_U8, 101);
	node(test, "QLinearMatMul", "a as az b bs bz ys yz", "y");
	node(test, "MatMulInteger", "a b az bz", "i");
	loom_graph_add_output(test->graph, "i");
}

static void deep_conv(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 101, 5, 4));
	net_floats(test, "w", 4, DIMS(3, 101, 3, 3));
	net_floats(test, "b", 1, DIMS(3));
	attr_ints(test, "pads", 4, DIMS(1, 1, 1, 1));
	node(test, "Conv", "x w b", "c");
	node(test, "Relu", "c", "y");
}

static void large_kernel(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 2, 40, 36));
	net_floats(test, "w", 4, DIMS(2, 1, 31, 29));
	net_floats(test, "b", 1, DIMS(2));
	attr_ints(test, "pads", 4, DIMS(3, 0, 2, 5));
	attr_ints(test, "strides", 2, DIMS(2, 3));
	attr_int(test, "group", 2);
	node(test, "Conv", "x w b", "y");
}

static void quantised_conv(struct test_case *test)
{
	input(test, "x", DRM_LOOM_DTYPE_U8, 4, DIMS(1, 301, 4, 4));
	net_typed(test, "w", DRM_LOOM_DTYPE_I8, 4, DIMS(3, 301, 3, 3));
	net_scalar(test, "xs", F32, 0.0078125);
	net_scalar(test, "xz", DRM_LOOM_DTYPE_U8, 100);
	net_floats(test, "raw", 1, DIMS(3));
	net_scalar(test, "ws", F32, 0.015625);
	net_scalar(test, "wz", DRM_LOOM_DTYPE_I8, 0);
	net_scalar(test, "ys", F32, 0.75);
	net_scalar(test, "yz", DRM_LOOM_DTYPE_U8, 99);
	attr_ints(test, "pads", 4, DIMS(1, 1, 1, 1));
	node(test, "QLinearConv", "x xs xz w ws wz ys yz", "y");
}

static void deep_deconv(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 201, 3, 4));
	net_floats(test, "w", 4, DIMS(201, 2, 2, 3));
	net_floats(test, "b", 1, DIMS(2));
	attr_ints(test, "strides", 2, DIMS(2, 1));
	node(test, "ConvTranspose", "x w b", "y");
}

static void large_windows(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 1, 50, 45));
	attr_ints(test, "kernel_shape", 2, DIMS(37, 33));
	attr_ints(test, "strides", 2, DIMS(3, 2));
	node(test, "MaxPool", "x", "y");
	attr_ints(test, "kernel_shape", 2, DIMS(37, 33));
	attr_ints(test, "strides", 2, DIMS(3, 2));
	attr_ints(test, "pads", 4, DIMS(2, 1, 3, 0));
	node(test, "AveragePool", "x", "z");
	loom_graph_add_output(test->graph, "z");
}

static void dynamic_quantise(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(90, 100));
	node(test, "DynamicQuantizeLinear", "x", "y s z");
	loom_graph_add_output(test->graph, "s");
	loom_graph_add_output(test->graph, "z");
}

static const struct row rows[] = {
	{ "a mean of planes", plane_mean, 1, NEAR },
	{ "maxima of planes", plane_max, 1, 0 },
	{ "a mean of a prime number of elements", long_mean, 1, NEAR },
	{ "sums of long rows", long_sum, 1, NEAR },
	{ "the least of all axes", long_min, 1, 0 },
	{ "norms of long columns", outer_axis, 1, NEAR },
	{ "norms over axes that are apart", apart_axes, 1, NEAR },
	{ "squares, and sums with logarithms", other_kinds, 3, NEAR },
	{ "integers", integers, 4, 0 },
	{ "integers that are large", large_integers, 3, 0 },
	{ "bytes", bytes, 2, 0 },
	{ "halves are summed in f32", halves, 2, FAR * 100 },
	{ "softmax of long rows", softmax, 2, NEAR },
	{ "softmax of long columns", outer_softmax, 1, NEAR },
	{ "planes normalised", instance_norm, 2, FAR },
	{ "a product with a bias and a function", product, 1, FAR },
	{ "a product of transposed operands with factors", product_of_both, 1, FAR },
	{ "batches of products", batches, 1, FAR },
	{ "a product of bytes", quantised_product, 2, 0 },
	{ "a convolution of many channels", deep_conv, 1, FAR },
	{ "a convolution with a large kernel", large_kernel, 1, FAR },
	{ "a convolution of bytes", quantised_conv, 1, 0 },
	{ "a transposed convolution of many channels", deep_deconv, 1, FAR },
	{ "large windows", large_windows, 2, NEAR },
	{ "the range of data that is quantised", dynamic_quantise, 2, 0 },
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
	const struct drm_loom_chip chips[] = {
		chip_flat(SMALL), chip_of(1, 1ULL << 32, 4, SMALL / 4),
	};
	struct test_case test = net_make(row->build);
	/* sanitizers see every fifth plan: there are six of a row, so each kind has its turn */
	const uint32_t every = getenv("LOOM_SANITIZED") ? 5 : 1;
	struct outcome whole, other;
	static uint32_t turn;
	bool ok = true;
	uint32_t c, i;

	if (!net_run(&test, &huge, NULL, &whole, is_faultless) || whole.stats.cut_nodes)
		tap_fatal("%s: is not planned whole where it fits", row->name);
	for (c = 0; c < ARRAY_SIZE(chips); c++)
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
	tap_ok(ok, "%s%s", row->name, row->slack ? "" : ": the same bits");
	outcome_clear(&whole);
	free_case(&test);
}

/* A softmax whose axis no command takes, whatever the SRAM. */
static void very_long_softmax(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(1, (1 << 20) + 1));
	node(test, "Softmax", "x", "y");
}

static void test_very_long(void)
{
	struct test_case test = net_make(very_long_softmax);
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
