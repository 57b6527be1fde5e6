/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_REWRITE_NETS_H
#define LOOM_TESTS_REWRITE_NETS_H

/* Small networks of every operation that may be rewritten, and some that look like real ones. */

#include <math.h>

#include "host/lower/case.h"
#include "chips.h"
#include "near.h"
#include "outcome.h"

#define F32	DRM_LOOM_DTYPE_F32

static const char net_conv[] =
	"x f32 2 5 9 11; w = f32 7 5 3 3; b = f32 7; "
	"c = Conv x w b strides=2,1 dilations=1,2 pads=1,2,0,1; y = Relu c";

static const char net_pointwise[] =
	"x f32 1 6 5 7; w = f32 33 6 1 1; y = Conv x w";

static const char net_depthwise[] =
	"x f32 1 12 10 10; w = f32 12 1 3 3; b = f32 12; c = Conv x w b group=12 pads=1,1,1,1; "
	"d = LeakyRelu c alpha=0.125; v = f32 6 6 2 2; y = Conv d v group=2";

static const char net_conv1d[] =
	"x f32 1 4 30; w = f32 5 4 5; y = Conv x w strides=3,";

static const char net_deconv[] =
	"x f32 1 4 5 6; w = f32 4 3 3 2; b = f32 6; "
	"y = ConvTranspose x w b group=2 strides=2,3 pads=1,0,2,1";

static const char net_matmul[] =
	"x f32 2 9 12; w = f32 12 20; b = f32 20; m = MatMul x w; a = Add m b; y = Tanh a";

static const char net_attention[] =
	"q f32 1 3 8 10; k f32 1 3 10 7; v f32 1 1 7 5; s = MatMul q k; p = Softmax s axis=-1; "
	"y = MatMul p v";

static const char net_gemm[] =
	"x f32 6 10; w = f32 11 10; b = f32 6 1; y = Gemm x w b alpha=0.5 beta=2.0 transB=1";

static const char net_softmax[] =
	"x f32 4 11 6; s = Softmax x axis=1; y = LogSoftmax s axis=2";

static const char net_pool_max[] =
	"x f32 1 5 9 8; m = MaxPool x kernel_shape=3,2 strides=2,2 pads=1,0,1,1 ceil_mode=1; "
	"y = GlobalMaxPool m";

static const char net_pool_avg[] =
	"x f32 1 5 9 8; m = AveragePool x kernel_shape=3,2 strides=2,1 pads=1,0,1,1; "
	"y = GlobalAveragePool m; > m";

static const char net_reduce[] =
	"x f32 2 3 6 5; m = ReduceMean x axes=1,3 keepdims=0; y = ReduceMax m axes=0,; "
	"z = ReduceMean x axes=1,; > z";

static const char net_select[] =
	"a f32 7 9; b f32 7 1; c bool 9; i i32 7 9; y = Where c a b; j = i32 9; z = Where c i j; "
	"> z";

static const char net_gather[] =
	"i i64 3 2; five = i64 1 : 5; j = Mod i five; t = f32 5 6; y = Gather t j; x f32 3 5; "
	"z = GatherElements x j axis=1; b bool 3 5; w = GatherElements b j axis=1; > z; > w";

static const char net_nearest[] =
	"s = f32 4; x f32 1 3 4 5; to = i64 4 : 1 3 8 15; "
	"u = Resize x - - to coordinate_transformation_mode=asymmetric nearest_mode=floor; "
	"odd = i64 4 : 1 3 11 7; y = Resize u - - odd mode=nearest";

static const char net_linear[] =
	"x f32 1 3 4 5; to = i64 4 : 1 3 9 12; u = Resize x - - to mode=linear; "
	"odd = i64 4 : 1 3 5 20; "
	"y = Resize u - - odd mode=cubic coordinate_transformation_mode=align_corners";

static const char net_quantise[] =
	"x f32 2 3 20; s = f32 3 : 0.0625 0.125 0.03; z = i8 3 : 3 -7 100; "
	"q = QuantizeLinear x s z; y = DequantizeLinear q s z; > q";

/* A quantised layer: bytes in, bytes out, with a factor per channel. */
static const char net_qconv[] =
	"x u8 1 3 8 8; xs = f32 : 0.1; xz = u8 : 100; w = i8 4 3 3 3; "
	"ws = f32 4 : 0.01 0.02 0.005 0.03; wz = i8 4 : 0 0 0 0; ys = f32 : 0.5; yz = u8 : 120; "
	"b = i32 4; y = QLinearConv x xs xz w ws wz ys yz b pads=1,1,1,1";

static const char net_qmatmul[] =
	"x u8 5 12; xs = f32 : 0.1; xz = u8 : 100; w = i8 12 9; ws = f32 : 0.02; wz = i8 : 2; "
	"ys = f32 : 0.5; yz = u8 : 120; y = QLinearMatMul x xs xz w ws wz ys yz";

static const char net_functions[] =
	"x f32 9 9; a = Relu x; b = Neg a; c = Abs b; d = HardSigmoid x; e = Add c d; "
	"f = LeakyRelu x alpha=0.25; y = Add e f";

static const char net_tanh[] =
	"x f32 9 9; y = Tanh x";

static const char net_pad[] =
	"x f32 2 3 4; p = i64 6 : 1 0 2 0 3 1; v = f32 : 2.5; y = Pad x p v";

/* Constants that nobody computes with. */
static const char net_constants[] =
	"x f32 4 6; c = f32 4 3; d = f32 4 9; j = Concat x c axis=1; k = Add j d; "
	"y = Concat d k axis=0";

/* A typical classifier: convolutions of all kinds, a residual, a pooling, a product. */
static const char net_mobile[] =
	"x f32 1 3 32 32; w0 = f32 33 3 3 3; b0 = f32 33; "
	"c0 = Conv x w0 b0 strides=2,2 pads=1,1,1,1; r0 = Relu c0; w1 = f32 33 1 3 3; "
	"c1 = Conv r0 w1 group=33 pads=1,1,1,1; r1 = Relu c1; w2 = f32 33 33 1 1; c2 = Conv r1 w2; "
	"a = Add c2 r0; m = MaxPool a kernel_shape=2,2 strides=2,2; g = GlobalAveragePool m; "
	"f = Flatten g; w3 = f32 33 10; l = MatMul f w3; y = Softmax l axis=1";

/* The graph of a net, finished; its last result is "y". */
static inline struct test_case net_make(const char *net)
{
	struct test_case test;

	case_begin(&test, 11, 13);
	case_add(&test, "%s; > y", net);
	case_finish(&test);
	return test;
}

/* The same bits; or, of F32 where @slack is not zero, so near to the largest of @b. */
static inline bool is_near(const struct loom_array *a, const struct loom_array *b, double slack)
{
	double largest = 0, off = 0;
	size_t i;

	if (a->dtype != b->dtype || a->size_bytes != b->size_bytes)
		return false;
	if (!memcmp(a->data, b->data, a->size_bytes))
		return true;
	for (i = 0; a->dtype == F32 && i < a->size_bytes / sizeof(float); i++) {
		double x = ((float *)a->data)[i], y = ((float *)b->data)[i];

		largest = isfinite(y) ? fmax(largest, fabs(y)) : largest;
		off = near_worst(off, x, y);
	}
	if (a->dtype == F32 && slack && off <= slack * largest)
		return true;
	tap_note("%s: off by %g of %g", a->name ? a->name : "?", off, largest);
	return false;
}

/* All results, as is_near() has it. */
static inline bool are_near(const struct outcome *a, const struct outcome *b, double slack)
{
	bool near = a->num_outputs == b->num_outputs;
	uint32_t i;

	for (i = 0; near && i < b->num_outputs; i++)
		near = is_near(&a->outputs[i], &b->outputs[i], slack);
	return near;
}

/* Plans and runs; @is_right looks at the plan. */
static inline bool net_run(struct test_case *test, const struct drm_loom_chip *chip,
			   const char *grouping, struct outcome *outcome,
			   bool (*is_right)(const struct test_case *test,
					    const struct loom_planner_options *options,
					    const struct loom_program *program,
					    struct loom_error *err))
{
	struct loom_planner_options options = {
		.chip = chip, .grouping = grouping, .effort = LOOM_EFFORT_ONCE,
	};
	struct loom_program *program;
	struct loom_error err;
	bool good;

	memset(outcome, 0, sizeof(*outcome));
	good = !loom_program_create(test->graph, &options, &program, &err);
	if (good) {
		good = is_right(test, &options, program, &err) &&
		       !outcome_run(outcome, program, chip, test->inputs, test->num_inputs, &err);
		loom_program_destroy(program);
	}
	if (!good)
		tap_note("%s by %s: %s", chip->name, grouping ? grouping : "default", err.text);
	return good;
}

#endif /* LOOM_TESTS_REWRITE_NETS_H */
