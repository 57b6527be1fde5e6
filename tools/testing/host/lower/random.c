// SPDX-License-Identifier: MIT
/*
 * Random operators with random geometry on devices so small that nothing fits in one piece. Every
 * plan goes through the verifier and the engine, and
 *
 * - has to give the same bits as the plan for a device in which everything fits;
 * - has to cost what the planner said: bytes, steps, commands, multiplications;
 * - for convolutions, products, pools and pads has to agree with plain loops written here;
 * - for all plans of a kind of operator costs what random.csv says.
 */
#include "chips.h"
#include "figures.h"
#include "plain.h"
#include "outcome.h"

#define TABLE	"tools/testing/host/lower/random.csv"

/* ------------------------------------------------------------ operators */

static void draw_window(struct test_case *test, bool pads)
{
	int64_t *g = test->geometry;

	g[KH] = range(1, 4);
	g[KW] = range(1, 4);
	g[SH] = range(1, 3);
	g[SW] = range(1, 3);
	g[DH] = draw(3) ? 1 : 2;
	g[DW] = draw(3) ? 1 : 2;
	if (pads) {
		g[PH] = draw((uint32_t)((g[KH] - 1) * g[DH] + 1));
		g[PW] = draw((uint32_t)((g[KW] - 1) * g[DW] + 1));
		g[QH] = draw((uint32_t)((g[KH] - 1) * g[DH] + 1));
		g[QW] = draw((uint32_t)((g[KW] - 1) * g[DW] + 1));
	}
	g[N] = range(1, 3);
	g[H] = (g[KH] - 1) * g[DH] + 1 + draw(20);
	g[W] = (g[KW] - 1) * g[DW] + 1 + draw(20);
}

static void attr_window(struct test_case *test)
{
	const int64_t *g = test->geometry;

	attr_ints(test, "strides", 2, &g[SH]);
	attr_ints(test, "dilations", 2, &g[DH]);
	attr_ints(test, "pads", 4, &g[PH]);
}

static void make_conv(struct test_case *test)
{
	int64_t *g = test->geometry;

	draw_window(test, true);
	g[G] = draw(2) ? 1 : range(2, 6);
	g[C] = g[G] * range(1, 5);
	g[O] = g[G] * range(1, 6);
	g[BIAS] = draw(2);
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ g[N], g[C], g[H], g[W] });
	input(test, "w", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ g[O], g[C] / g[G], g[KH], g[KW] });
	if (g[BIAS])
		input(test, "b", DRM_LOOM_DTYPE_F32, 1, &g[O]);
	attr_window(test);
	attr_int(test, "group", g[G]);
	node(test, "Conv", g[BIAS] ? "x w b" : "x w", "y");
	test->check = check_conv;
}

static void make_conv3(struct test_case *test)
{
	int64_t c = range(1, 5), o = range(1, 9);

	input(test, "x", DRM_LOOM_DTYPE_F32, 5,
	      (int64_t[]){ range(1, 2), c, range(3, 6), range(3, 9), range(3, 9) });
	input(test, "w", DRM_LOOM_DTYPE_F32, 5,
	      (int64_t[]){ o, c, range(1, 3), range(1, 3), range(1, 3) });
	attr_ints(test, "pads", 6,
		  (int64_t[]){ draw(3), draw(3), draw(3), draw(3), draw(3), draw(3) });
	attr_ints(test, "strides", 3, (int64_t[]){ range(1, 2), range(1, 2), range(1, 2) });
	node(test, "Conv", "x w", "c");
	node(test, "Relu", "c", "y");
}

static void make_conv1(struct test_case *test)
{
	int64_t c = range(1, 9);

	input(test, "x", DRM_LOOM_DTYPE_F64, 3, (int64_t[]){ range(1, 3), c, range(5, 90) });
	input(test, "w", DRM_LOOM_DTYPE_F64, 3, (int64_t[]){ c, 1, range(1, 5) });
	input(test, "b", DRM_LOOM_DTYPE_F64, 1, &c);
	attr_int(test, "group", c);
	node(test, "Conv", "x w b", "y");
}

static void make_deconv(struct test_case *test)
{
	int64_t *g = test->geometry;

	draw_window(test, false);
	g[KH]++;
	g[KW]++;
	g[PH] = draw(2);
	g[PW] = draw(2);
	g[QH] = draw(2);
	g[QW] = draw(2);
	g[G] = draw(2) ? 1 : range(2, 4);
	g[C] = g[G] * range(1, 4);
	g[O] = g[G] * range(1, 5);
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ g[N], g[C], g[H], g[W] });
	input(test, "w", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ g[C], g[O] / g[G], g[KH], g[KW] });
	attr_window(test);
	attr_int(test, "group", g[G]);
	attr_ints(test, "output_padding", 2,
		  (int64_t[]){ draw((uint32_t)(g[SH] > g[DH] ? g[SH] : g[DH])),
			       draw((uint32_t)(g[SW] > g[DW] ? g[SW] : g[DW])) });
	node(test, "ConvTranspose", "x w", "y");
	test->check = check_deconv;
}

static void make_pool(struct test_case *test)
{
	int64_t *g = test->geometry;

	draw_window(test, true);
	g[C] = range(1, 12);
	g[MAX] = draw(2);
	/* AveragePool has no dilation before opset 19, a window may not be all padding */
	g[DH] = 1;
	g[DW] = 1;
	g[PH] %= g[KH];
	g[PW] %= g[KW];
	g[QH] %= g[KH];
	g[QW] %= g[KW];
	g[MODE] = draw(2);
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ g[N], g[C], g[H], g[W] });
	attr_ints(test, "strides", 2, &g[SH]);
	attr_ints(test, "pads", 4, &g[PH]);
	attr_ints(test, "kernel_shape", 2, &g[KH]);
	attr_int(test, "ceil_mode", draw(2));
	if (!g[MAX])
		attr_int(test, "count_include_pad", g[MODE]);
	node(test, g[MAX] ? "MaxPool" : "AveragePool", "x", "y");
	test->check = check_pool;
}

static void make_pool1(struct test_case *test)
{
	int64_t kernel = range(1, 4), stride = range(1, 3);

	input(test, "x", DRM_LOOM_DTYPE_F32, 3,
	      (int64_t[]){ range(1, 3), range(1, 12), kernel + draw(40) });
	attr_ints(test, "kernel_shape", 1, &kernel);
	attr_ints(test, "strides", 1, &stride);
	node(test, draw(2) ? "MaxPool" : "AveragePool", "x", "y");
}

static void make_matmul(struct test_case *test)
{
	int64_t *g = test->geometry;

	g[MM_B] = range(1, 4);
	g[MM_M] = range(1, 30);
	g[MM_K] = range(1, 30);
	g[MM_N] = range(1, 80);
	g[MM_A_BATCH] = draw(2) ? g[MM_B] : 1;
	g[MM_B_BATCH] = g[MM_A_BATCH] == 1 ? g[MM_B] : draw(2) ? g[MM_B] : 1;
	input(test, "a", DRM_LOOM_DTYPE_F32, 3, (int64_t[]){ g[MM_A_BATCH], g[MM_M], g[MM_K] });
	input(test, "b", DRM_LOOM_DTYPE_F32, 3, (int64_t[]){ g[MM_B_BATCH], g[MM_K], g[MM_N] });
	node(test, "MatMul", "a b", "y");
	test->check = check_matmul;
}

/* More batch axes than the device has, each broadcast from one side. */
static void make_matmul_deep(struct test_case *test)
{
	int64_t a[6] = { range(1, 3), range(1, 3), range(1, 3), range(1, 3), 0, 0 }, b[6], i;
	int64_t k = range(1, 9);

	for (i = 0; i < 4; i++) {
		b[i] = draw(2) ? a[i] : 1;
		if (draw(3) == 0 && b[i] == a[i])
			a[i] = 1;
	}
	a[4] = range(1, 9);
	a[5] = k;
	b[4] = k;
	b[5] = range(1, 9);
	input(test, "a", DRM_LOOM_DTYPE_F32, 6, a);
	input(test, "b", DRM_LOOM_DTYPE_F32, 6, b);
	node(test, "MatMul", "a b", "y");
}

static void make_gemm(struct test_case *test)
{
	int64_t m = range(1, 20), k = range(1, 40), n = range(1, 40);
	int64_t ta = draw(2), tb = draw(2);
	bool f64 = !draw(4);

	input(test, "a", f64 ? DRM_LOOM_DTYPE_F64 : DRM_LOOM_DTYPE_F32, 2,
	      (int64_t[]){ ta ? k : m, ta ? m : k });
	input(test, "b", f64 ? DRM_LOOM_DTYPE_F64 : DRM_LOOM_DTYPE_F32, 2,
	      (int64_t[]){ tb ? n : k, tb ? k : n });
	input(test, "c", f64 ? DRM_LOOM_DTYPE_F64 : DRM_LOOM_DTYPE_F32, 2,
	      (int64_t[]){ draw(2) ? m : 1, draw(2) ? n : 1 });
	attr_int(test, "transA", ta);
	attr_int(test, "transB", tb);
	attr_float(test, "alpha", 0.5f);
	test->geometry[GEMM_TRANS_A] = ta;
	test->geometry[GEMM_TRANS_B] = tb;
	test->geometry[GEMM_HALF_BETAS] = draw(2) ? 2 : 3;
	attr_float(test, "beta", (float)test->geometry[GEMM_HALF_BETAS] / 2);
	node(test, "Gemm", "a b c", "y");
	test->check = check_gemm;
}

static void draw_dims(uint32_t rank, int64_t *dims, int64_t most)
{
	uint32_t i;

	for (i = 0; i < rank; i++)
		dims[i] = range(1, rank > 4 ? 4 : most);
}

static void make_binary(struct test_case *test)
{
	static const char *const ops[] = {
		"Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu", "Less", "Greater", "Equal",
	};
	uint32_t rank = (uint32_t)range(1, 8), skip = draw(rank), op = draw(10), i;
	int64_t a[8], b[8];

	draw_dims(rank, a, 9);
	for (i = 0; i < rank; i++) {
		b[i] = draw(3) ? a[i] : 1;
		if (op != 6 && !draw(4))
			a[i] = 1;
	}
	input(test, "a", DRM_LOOM_DTYPE_F32, rank, a);
	input(test, "b", DRM_LOOM_DTYPE_F32, rank - skip, b + skip);
	node(test, ops[op], "a b", "y");
}

static void make_unary(struct test_case *test)
{
	static const char *const ops[] = {
		"Relu", "Sigmoid", "Tanh", "Exp", "Abs", "Neg", "Elu", "Selu", "HardSwish",
		"Softplus", "Celu", "ThresholdedRelu", "Shrink", "Mish", "Erf", "Floor",
	};
	uint32_t rank = (uint32_t)range(1, 7), op = draw(16);
	int64_t dims[8];

	draw_dims(rank, dims, rank == 1 ? 3000 : 12);
	input(test, "x", DRM_LOOM_DTYPE_F32, rank, dims);
	node(test, ops[op], "x", "y");
}

static void make_where(struct test_case *test)
{
	int64_t dims[4];

	draw_dims(4, dims, 9);
	input(test, "c", DRM_LOOM_DTYPE_BOOL, 2, dims + 2);
	input(test, "a", DRM_LOOM_DTYPE_F32, 4, dims);
	dims[draw(4)] = 1;
	input(test, "b", DRM_LOOM_DTYPE_F32, 4, dims);
	node(test, "Where", "c a b", "y");
}

static void make_reduce(struct test_case *test)
{
	static const char *const ops[] = {
		"ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare",
		"ReduceLogSumExp", "ReduceProd",
	};
	uint32_t rank = (uint32_t)range(1, 6), count = 0, i;
	int64_t dims[8], axes[8];

	draw_dims(rank, dims, 9);
	for (i = 0; i < rank; i++)
		if (draw(2))
			axes[count++] = i;
	if (!count)
		axes[count++] = draw(rank);
	input(test, "x", DRM_LOOM_DTYPE_F32, rank, dims);
	attr_ints(test, "axes", count, axes);
	attr_int(test, "keepdims", draw(2));
	node(test, ops[draw(8)], "x", "y");
}

static void make_softmax(struct test_case *test)
{
	uint32_t rank = (uint32_t)range(1, 5);
	int64_t dims[8];

	draw_dims(rank, dims, 12);
	input(test, "x", DRM_LOOM_DTYPE_F32, rank, dims);
	attr_int(test, "axis", draw(rank));
	node(test, draw(2) ? "Softmax" : "LogSoftmax", "x", "y");
}

static void make_topk(struct test_case *test)
{
	static const uint32_t dtypes[] = {
		DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_U8, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_I64,
	};
	uint32_t rank = (uint32_t)range(1, 5), axis = draw(rank);
	int64_t dims[8], k;

	draw_dims(rank, dims, 12);
	dims[axis] *= range(1, 12);
	k = range(1, (int)dims[axis]);
	input(test, "x", dtypes[draw(4)], rank, dims);
	ints(test, "k", 1, &k);
	attr_int(test, "axis", axis);
	attr_int(test, "largest", draw(2));
	node(test, "TopK", "x k", draw(2) ? "y" : "v y");
}

static void make_gather(struct test_case *test)
{
	static const uint32_t dtypes[] = {
		DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_U8, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_I64,
	};
	uint32_t rank = (uint32_t)range(1, 5), axis = draw(rank);
	int64_t dims[8], count = range(1, 20), length;
	bool elements = draw(2);

	draw_dims(rank, dims, 12);
	dims[axis] *= range(1, 30);
	length = dims[axis];
	input(test, "x", dtypes[draw(4)], rank, dims);
	dims[axis] = count;
	input(test, "i", DRM_LOOM_DTYPE_I64, elements ? rank : 1, elements ? dims : &count);
	/* of both signs, and one out of range */
	length++;
	ints(test, "length", 1, &length);
	attr_int(test, "fmod", 1);
	node(test, "Mod", "i length", "j");
	attr_int(test, "axis", axis);
	node(test, elements ? "GatherElements" : "Gather", "x j", "y");
}

static void make_resize(struct test_case *test)
{
	static const char *const modes[] = { "nearest", "linear", "cubic" };
	static const char *const coords[] = {
		"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
	};
	static const char *const rounds[] = {
		"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
	};
	int64_t dims[4] = { range(1, 2), range(1, 9), range(3, 14), range(3, 14) }, sizes[4];
	bool nhwc = draw(2);

	if (nhwc) {
		int64_t c = dims[1];

		dims[1] = dims[3];
		dims[3] = c;
	}
	memcpy(sizes, dims, sizeof(sizes));
	sizes[nhwc ? 1 : 2] = range(1, 30);
	sizes[nhwc ? 2 : 3] = range(1, 30);
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, dims);
	ints(test, "sizes", 4, sizes);
	attr_string(test, "mode", modes[draw(3)]);
	attr_string(test, "coordinate_transformation_mode", coords[draw(4)]);
	attr_string(test, "nearest_mode", rounds[draw(4)]);
	node(test, "Resize", "x - - sizes", "y");
}

static void make_transpose(struct test_case *test)
{
	uint32_t rank = (uint32_t)range(2, 8), i, k;
	int64_t dims[8], perm[8], swap;

	draw_dims(rank, dims, 7);
	for (i = 0; i < rank; i++)
		perm[i] = i;
	for (i = rank; i-- > 1;) {
		k = draw(i + 1);
		swap = perm[i];
		perm[i] = perm[k];
		perm[k] = swap;
	}
	input(test, "x", DRM_LOOM_DTYPE_F32, rank, dims);
	attr_ints(test, "perm", rank, perm);
	/* as the output itself, or as a view that the next node loads through */
	if (draw(2)) {
		node(test, "Transpose", "x", "y");
	} else {
		node(test, "Transpose", "x", "t");
		node(test, "Sigmoid", "t", "y");
	}
}

static void make_slice(struct test_case *test)
{
	int64_t dims[3], start[3], end[3], steps[3], axes[3] = { 0, 1, 2 };
	uint32_t i;

	draw_dims(3, dims, 12);
	for (i = 0; i < 3; i++) {
		if (draw(3)) {
			start[i] = draw((uint32_t)dims[i]);
			end[i] = start[i] + 1 + draw((uint32_t)(dims[i] - start[i]));
			steps[i] = range(1, 3);
		} else {
			start[i] = -1;
			end[i] = -dims[i] - 1;
			steps[i] = -range(1, 2);
		}
	}
	input(test, "x", DRM_LOOM_DTYPE_F32, 3, dims);
	ints(test, "start", 3, start);
	ints(test, "end", 3, end);
	ints(test, "axes", 3, axes);
	ints(test, "steps", 3, steps);
	if (draw(2)) {
		node(test, "Slice", "x start end axes steps", "y");
	} else {
		node(test, "Slice", "x start end axes steps", "s");
		node(test, "Relu", "s", "y");
	}
}

static void make_concat(struct test_case *test)
{
	uint32_t axis = draw(3);
	int64_t dims[3];

	draw_dims(3, dims, 9);
	input(test, "a", DRM_LOOM_DTYPE_F32, 3, dims);
	dims[axis] = range(1, 9);
	input(test, "b", DRM_LOOM_DTYPE_F32, 3, dims);
	dims[axis] = range(1, 9);
	input(test, "c", DRM_LOOM_DTYPE_F32, 3, dims);
	node(test, "Neg", "b", "n");
	attr_int(test, "axis", axis);
	node(test, "Concat", "a n c a", "y");
}

static void make_pad(struct test_case *test)
{
	static const char *const modes[] = { "constant", "edge", "reflect" };
	static const float value = 1.5f;
	int64_t *g = test->geometry, dims[3], i;

	draw_dims(3, dims, 9);
	g[6] = draw(3);
	for (i = 0; i < 6; i++)
		g[i] = draw(g[6] == 2 ? (uint32_t)dims[i % 3] : 5);
	input(test, "x", DRM_LOOM_DTYPE_F32, 3, dims);
	ints(test, "pads", 6, g);
	bytes_const(test, "value", DRM_LOOM_DTYPE_F32, 0, &value);
	attr_string(test, "mode", modes[g[6]]);
	node(test, "Pad", g[6] ? "x pads" : "x pads value", "y");
	test->check = check_pad;
}

static void make_expand(struct test_case *test)
{
	int64_t dims[4], shape[4];
	uint32_t i;

	draw_dims(4, dims, 6);
	memcpy(shape, dims, sizeof(shape));
	for (i = 0; i < 4; i++)
		if (!draw(3))
			dims[i] = 1;
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, dims);
	ints(test, "shape", 4, shape);
	node(test, "Expand", "x shape", "e");
	node(test, draw(2) ? "Exp" : "Identity", "e", "y");
}

static void make_cast(struct test_case *test)
{
	static const int64_t onnx[] = { 1, 2, 3, 6, 7, 9, 10, 11 };
	int64_t dims[3];

	draw_dims(3, dims, 12);
	input(test, "x", draw(2) ? DRM_LOOM_DTYPE_F32 : DRM_LOOM_DTYPE_I32, 3, dims);
	attr_int(test, "to", onnx[draw(8)]);
	node(test, "Cast", "x", "y");
}

static void make_quantize(struct test_case *test)
{
	static const uint8_t zero[] = { 7, 9, 11, 3, 100, 0, 255, 1, 2, 3, 4, 5 };
	int64_t dims[4] = { range(1, 3), range(1, 12), range(1, 12), range(1, 12) };
	float scale[12];
	uint32_t i, axis = draw(2) ? 1 : 3;

	for (i = 0; i < 12; i++)
		scale[i] = 0.01f * (float)(1 + draw(9));
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, dims);
	bytes_const(test, "scale", DRM_LOOM_DTYPE_F32, (uint32_t)dims[axis], scale);
	bytes_const(test, "zero", DRM_LOOM_DTYPE_U8, (uint32_t)dims[axis], zero);
	attr_int(test, "axis", axis);
	node(test, "QuantizeLinear", "x scale zero", "q");
	if (draw(2)) {
		attr_int(test, "axis", axis);
		node(test, "DequantizeLinear", "q scale zero", "y");
	} else {
		node(test, "Identity", "q", "y");
	}
}

static void make_conv_integer(struct test_case *test)
{
	int64_t *g = test->geometry;
	static const uint8_t x_zero = 3, w_zero = 100;

	draw_window(test, true);
	g[C] = range(1, 6);
	g[O] = range(1, 12);
	input(test, "x", DRM_LOOM_DTYPE_U8, 4, (int64_t[]){ g[N], g[C], g[H], g[W] });
	input(test, "w", DRM_LOOM_DTYPE_U8, 4, (int64_t[]){ g[O], g[C], g[KH], g[KW] });
	bytes_const(test, "xz", DRM_LOOM_DTYPE_U8, 0, &x_zero);
	bytes_const(test, "wz", DRM_LOOM_DTYPE_U8, 0, &w_zero);
	attr_window(test);
	node(test, "ConvInteger", "x w xz wz", "y");
}

static void make_matmul_integer(struct test_case *test)
{
	static const uint8_t zero = 30;
	int64_t k = range(1, 60);

	input(test, "a", DRM_LOOM_DTYPE_U8, 2, (int64_t[]){ range(1, 40), k });
	input(test, "b", DRM_LOOM_DTYPE_I8, 2, (int64_t[]){ k, range(1, 60) });
	bytes_const(test, "az", DRM_LOOM_DTYPE_U8, 0, &zero);
	node(test, "MatMulInteger", "a b az", "y");
}

/* Several nodes: views of views, an output that is a reshape, values that live long. */
static void make_network(struct test_case *test)
{
	int c = 4 * (int)range(1, 3), h = (int)range(4, 10), w = (int)range(4, 10);

	case_add(test, "x f32 1 %d %d %d; k f32 %d %d 3 3; a = Conv x k pads=1,1,1,1; b = Relu a; "
		 "split = i64 5 : 1 2 %d %d %d; whole = i64 4 : 1 %d %d %d; r = Reshape b split; "
		 "t = Transpose r perm=0,2,1,3,4; s = Reshape t whole; d = Add s b; "
		 "e = Concat d x a axis=1; f = Softmax e axis=1; flat = i64 2 : -1 %d; "
		 "y = Reshape f flat", c, h, w, c, c, c / 2, h, w, c, h, w, w);
}

static const struct {
	const char *name;
	void (*make)(struct test_case *test);
	unsigned int rounds;
} kinds[] = {
	{ "conv", make_conv, 60 },
	{ "conv of volumes", make_conv3, 15 },
	{ "depthwise conv of vectors of doubles", make_conv1, 15 },
	{ "transposed conv", make_deconv, 50 },
	{ "pool", make_pool, 50 },
	{ "matmul", make_matmul, 40 },
	{ "matmul with many batch axes", make_matmul_deep, 20 },
	{ "gemm", make_gemm, 30 },
	{ "binary", make_binary, 60 },
	{ "unary", make_unary, 60 },
	{ "where", make_where, 15 },
	{ "reduce", make_reduce, 50 },
	{ "softmax", make_softmax, 25 },
	{ "resize", make_resize, 50 },
	{ "transpose", make_transpose, 40 },
	{ "slice", make_slice, 30 },
	{ "concat", make_concat, 20 },
	{ "pad", make_pad, 40 },
	{ "expand", make_expand, 20 },
	{ "cast", make_cast, 30 },
	{ "quantize", make_quantize, 20 },
	{ "integer conv", make_conv_integer, 30 },
	{ "integer matmul", make_matmul_integer, 20 },
	{ "networks", make_network, 20 },
	{ "pool of vectors", make_pool1, 15 },
	{ "topk", make_topk, 30 },
	{ "gather", make_gather, 40 },
};

/* --------------------------------------------------------------- running */

static const struct drm_loom_chip huge = CHIP_HUGE;

static const struct drm_loom_chip small[] = {
	CHIP_SRAM("one-lane", (1, 1, 6000, 0, 16)),
	CHIP_SRAM("three-lanes", (3, 1, 2600, 32, 8)),
	CHIP_SRAM("eight-lanes", (8, 1, 1500, 0, 64)),
};

static unsigned int num_runs, num_sliced, num_overlapped, num_misfits, num_other_order;

/* Plans, proves, runs. Returns the one output, or an errno and a line about it. */
static int run(struct test_case *test, const struct drm_loom_chip *chip, uint32_t flags,
	       struct loom_array *y, struct loom_error *err)
{
	struct loom_planner_options options = {
		.grouping = "layerwise", .chip = chip, .flags = flags,
	};
	struct outcome outcome;
	int ret;

	ret = outcome_plan(&outcome, test->graph, &options, test->inputs, test->num_inputs, err);
	if (ret) {
		outcome_clear(&outcome);
		return ret;
	}
	num_sliced += outcome.stats.sliced_nodes > 0;
	num_overlapped += outcome.stats.sliced_nodes > 0 && !flags &&
			  outcome.stats.steps < 2 * outcome.stats.commands / 3;
	*y = outcome.outputs[0];
	return 0;
}

static bool same(const struct loom_array *a, const struct loom_array *b)
{
	return a->size_bytes == b->size_bytes && !memcmp(a->data, b->data, a->size_bytes);
}

/*
 * The device sums rows of a convolution that are shorter than 5 in another order. In little SRAM
 * the planner cuts rows so short; nothing else may change a bit.
 */
static bool same_but_for_order(const struct test_case *test, const struct loom_array *a,
			       const struct loom_array *b)
{
	size_t i;

	if (test->check != check_conv || a->dims[3] < 5 || a->size_bytes != b->size_bytes)
		return false;
	for (i = 0; i < a->size_bytes / sizeof(float); i++)
		if (!near(((float *)a->data)[i], ((float *)b->data)[i]))
			return false;
	num_other_order++;
	return true;
}

/* One device. Some nodes are too large for the smallest: then there has to be an error text. */
static bool run_one(struct test_case *test, const char *kind, const struct drm_loom_chip *chip,
		    uint32_t flags, const struct loom_array *want, struct loom_error *err)
{
	struct loom_planner_options options = {
		.grouping = "layerwise", .chip = chip, .flags = flags,
	};
	struct loom_program *program = NULL;
	struct loom_array y = { 0 };
	bool good;
	int ret;

	ret = loom_program_create(test->graph, &options, &program, err);
	figures_add(kind, program);
	loom_program_destroy(program);
	if (ret == -ENOSPC && strstr(err->text, "bytes of SRAM per lane")) {
		num_misfits++;
		return true;
	}
	if (ret || run(test, chip, flags, &y, err))
		return false;
	num_runs++;
	good = same(&y, want) || same_but_for_order(test, &y, want);
	loom_array_clear(&y);
	if (!good)
		outcome_fail(err, "other bits");
	return good;
}

/* On all devices, with and without double buffers. */
static bool run_small(struct test_case *test, const char *kind, const struct loom_array *want,
		      const char **where, struct loom_error *err)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(small); i++) {
		*where = small[i].name;
		if (!run_one(test, kind, &small[i], 0, want, err) ||
		    !run_one(test, kind, &small[i], LOOM_PLANNER_NO_OVERLAP, want, err))
			return false;
	}
	return true;
}

static bool run_case(struct test_case *test, const char *kind, struct loom_error *err,
		     const char **where)
{
	struct loom_array want = { 0 };
	bool good = false;

	*where = huge.name;
	if (run(test, &huge, 0, &want, err))
		return false;
	if (test->check && !test->check(test, &want))
		outcome_fail(err, "plain loops say otherwise");
	else
		good = run_small(test, kind, &want, where, err);
	loom_array_clear(&want);
	return good;
}

static bool try_kind(unsigned int kind, unsigned int round)
{
	struct test_case test;
	struct loom_error err = { .text = "" };
	const char *where = "graph";
	bool good = false;

	case_begin(&test, (uint64_t)kind * 1000003 + round, 14);
	kinds[kind].make(&test);
	loom_graph_add_output(test.graph, "y");
	if (!loom_graph_finish(test.graph, NULL, &err))
		good = run_case(&test, kinds[kind].name, &err, &where);
	if (!good)
		tap_note("%s, round %u, %s: %s", kinds[kind].name, round, where, err.text);
	free_case(&test);
	return good;
}

int main(void)
{
	unsigned int kind, round, bad;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		bad = 0;
		for (round = 0; round < kinds[kind].rounds; round++)
			bad += !try_kind(kind, round);
		figures_end_rows(TABLE);
		tap_ok(!bad, "%s: %u of %u are the same in slices", kinds[kind].name,
		       kinds[kind].rounds - bad, kinds[kind].rounds);
	}
	tap_note("%u plans, %u sliced, %u with double buffers; %u did not fit; %u cut short rows",
		 num_runs, num_sliced, num_overlapped, num_misfits, num_other_order);
	tap_ok(num_other_order < num_runs / 500, "rows are cut short only where nothing else fits");
	tap_ok(num_sliced > 1000, "slicing was put to the test");
	tap_ok(num_overlapped > 300, "double buffers were put to the test");
	figures_end(TABLE);
	return tap_end();
}
