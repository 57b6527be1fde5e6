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
#define DIMS(...) ((int64_t[]){ __VA_ARGS__ })

/* A constant of floats between -1 and 1. */
static inline void net_floats(struct test_case *test, const char *name, uint32_t rank,
			      const int64_t *dims)
{
	static float floats[1 << 16];
	int64_t count = 1;
	uint32_t i;

	for (i = 0; i < rank; i++)
		count *= dims[i];
	for (i = 0; i < count; i++)
		floats[i] = ((float)draw(2048) - 1024) / 1024;
	model_add_floats(test->graph, name, rank, dims, floats);
}

static inline void net_typed(struct test_case *test, const char *name, uint32_t dtype,
			     uint32_t rank, const int64_t *dims)
{
	struct loom_array array = make_array(name, dtype, rank, dims);

	loom_graph_add_const(test->graph, &array);
	free(array.data);
}

static inline void net_scalar(struct test_case *test, const char *name, uint32_t dtype, double x)
{
	const float f = (float)x;
	const int8_t i = (int8_t)(int)x;

	bytes_const(test, name, dtype, 0, dtype == F32 ? (const void *)&f : &i);
}

static inline void net_conv(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(2, 5, 9, 11));
	net_floats(test, "w", 4, DIMS(7, 5, 3, 3));
	net_floats(test, "b", 1, DIMS(7));
	attr_ints(test, "strides", 2, DIMS(2, 1));
	attr_ints(test, "dilations", 2, DIMS(1, 2));
	attr_ints(test, "pads", 4, DIMS(1, 2, 0, 1));
	node(test, "Conv", "x w b", "c");
	node(test, "Relu", "c", "y");
}

static inline void net_pointwise(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 6, 5, 7));
	net_floats(test, "w", 4, DIMS(33, 6, 1, 1));
	node(test, "Conv", "x w", "y");
}

static inline void net_depthwise(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 12, 10, 10));
	net_floats(test, "w", 4, DIMS(12, 1, 3, 3));
	net_floats(test, "b", 1, DIMS(12));
	attr_int(test, "group", 12);
	attr_ints(test, "pads", 4, DIMS(1, 1, 1, 1));
	node(test, "Conv", "x w b", "c");
	attr_float(test, "alpha", 0.125f);
	node(test, "LeakyRelu", "c", "d");
	net_floats(test, "v", 4, DIMS(6, 6, 2, 2));
	attr_int(test, "group", 2);
	node(test, "Conv", "d v", "y");
}

static inline void net_conv1d(struct test_case *test)
{
	input(test, "x", F32, 3, DIMS(1, 4, 30));
	net_floats(test, "w", 3, DIMS(5, 4, 5));
	attr_ints(test, "strides", 1, DIMS(3));
	node(test, "Conv", "x w", "y");
}

static inline void net_deconv(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 4, 5, 6));
	net_floats(test, "w", 4, DIMS(4, 3, 3, 2));
	net_floats(test, "b", 1, DIMS(6));
	attr_int(test, "group", 2);
	attr_ints(test, "strides", 2, DIMS(2, 3));
	attr_ints(test, "pads", 4, DIMS(1, 0, 2, 1));
	node(test, "ConvTranspose", "x w b", "y");
}

static inline void net_matmul(struct test_case *test)
{
	input(test, "x", F32, 3, DIMS(2, 9, 12));
	net_floats(test, "w", 2, DIMS(12, 20));
	net_floats(test, "b", 1, DIMS(20));
	node(test, "MatMul", "x w", "m");
	node(test, "Add", "m b", "a");
	node(test, "Tanh", "a", "y");
}

static inline void net_attention(struct test_case *test)
{
	input(test, "q", F32, 4, DIMS(1, 3, 8, 10));
	input(test, "k", F32, 4, DIMS(1, 3, 10, 7));
	input(test, "v", F32, 4, DIMS(1, 1, 7, 5));
	node(test, "MatMul", "q k", "s");
	attr_int(test, "axis", -1);
	node(test, "Softmax", "s", "p");
	node(test, "MatMul", "p v", "y");
}

static inline void net_gemm(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(6, 10));
	net_floats(test, "w", 2, DIMS(11, 10));
	net_floats(test, "b", 2, DIMS(6, 1));
	attr_float(test, "alpha", 0.5f);
	attr_float(test, "beta", 2.0f);
	attr_int(test, "transB", 1);
	node(test, "Gemm", "x w b", "y");
}

static inline void net_softmax(struct test_case *test)
{
	input(test, "x", F32, 3, DIMS(4, 11, 6));
	attr_int(test, "axis", 1);
	node(test, "Softmax", "x", "s");
	attr_int(test, "axis", 2);
	node(test, "LogSoftmax", "s", "y");
}

static inline void net_pool_max(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 5, 9, 8));
	attr_ints(test, "kernel_shape", 2, DIMS(3, 2));
	attr_ints(test, "strides", 2, DIMS(2, 2));
	attr_ints(test, "pads", 4, DIMS(1, 0, 1, 1));
	attr_int(test, "ceil_mode", 1);
	node(test, "MaxPool", "x", "m");
	node(test, "GlobalMaxPool", "m", "y");
}

static inline void net_pool_avg(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 5, 9, 8));
	attr_ints(test, "kernel_shape", 2, DIMS(3, 2));
	attr_ints(test, "strides", 2, DIMS(2, 1));
	attr_ints(test, "pads", 4, DIMS(1, 0, 1, 1));
	node(test, "AveragePool", "x", "m");
	node(test, "GlobalAveragePool", "m", "y");
	loom_graph_add_output(test->graph, "m");
}

static inline void net_reduce(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(2, 3, 6, 5));
	attr_ints(test, "axes", 2, DIMS(1, 3));
	attr_int(test, "keepdims", 0);
	node(test, "ReduceMean", "x", "m");
	attr_ints(test, "axes", 1, DIMS(0));
	node(test, "ReduceMax", "m", "y");
	attr_ints(test, "axes", 1, DIMS(1));
	node(test, "ReduceMean", "x", "z");
	loom_graph_add_output(test->graph, "z");
}

static inline void net_select(struct test_case *test)
{
	input(test, "a", F32, 2, DIMS(7, 9));
	input(test, "b", F32, 2, DIMS(7, 1));
	input(test, "c", DRM_LOOM_DTYPE_BOOL, 1, DIMS(9));
	input(test, "i", DRM_LOOM_DTYPE_I32, 2, DIMS(7, 9));
	node(test, "Where", "c a b", "y");
	net_typed(test, "j", DRM_LOOM_DTYPE_I32, 1, DIMS(9));
	node(test, "Where", "c i j", "z");
	loom_graph_add_output(test->graph, "z");
}

static inline void net_nearest(struct test_case *test)
{
	net_floats(test, "s", 1, DIMS(4));
	input(test, "x", F32, 4, DIMS(1, 3, 4, 5));
	ints(test, "to", 4, DIMS(1, 3, 8, 15));
	attr_string(test, "mode", "nearest");
	attr_string(test, "coordinate_transformation_mode", "asymmetric");
	attr_string(test, "nearest_mode", "floor");
	node(test, "Resize", "x - - to", "u");
	ints(test, "odd", 4, DIMS(1, 3, 11, 7));
	attr_string(test, "mode", "nearest");
	node(test, "Resize", "u - - odd", "y");
}

static inline void net_linear(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 3, 4, 5));
	ints(test, "to", 4, DIMS(1, 3, 9, 12));
	attr_string(test, "mode", "linear");
	node(test, "Resize", "x - - to", "u");
	ints(test, "odd", 4, DIMS(1, 3, 5, 20));
	attr_string(test, "mode", "cubic");
	attr_string(test, "coordinate_transformation_mode", "align_corners");
	node(test, "Resize", "u - - odd", "y");
}

static inline void net_quantise(struct test_case *test)
{
	static const float scales[] = { 0.0625f, 0.125f, 0.03f };
	static const int8_t zeroes[] = { 3, -7, 100 };

	input(test, "x", F32, 3, DIMS(2, 3, 20));
	bytes_const(test, "s", F32, 3, scales);
	bytes_const(test, "z", DRM_LOOM_DTYPE_I8, 3, zeroes);
	node(test, "QuantizeLinear", "x s z", "q");
	node(test, "DequantizeLinear", "q s z", "y");
	loom_graph_add_output(test->graph, "q");
}

/* A quantised layer: bytes in, bytes out, with a factor per channel. */
static inline void net_qconv(struct test_case *test)
{
	static const float factors[] = { 0.01f, 0.02f, 0.005f, 0.03f };

	input(test, "x", DRM_LOOM_DTYPE_U8, 4, DIMS(1, 3, 8, 8));
	net_scalar(test, "xs", F32, 0.1);
	net_scalar(test, "xz", DRM_LOOM_DTYPE_U8, 100);
	net_typed(test, "w", DRM_LOOM_DTYPE_I8, 4, DIMS(4, 3, 3, 3));
	bytes_const(test, "ws", F32, 4, factors);
	bytes_const(test, "wz", DRM_LOOM_DTYPE_I8, 4, "\0\0\0\0");
	net_scalar(test, "ys", F32, 0.5);
	net_scalar(test, "yz", DRM_LOOM_DTYPE_U8, 120);
	net_typed(test, "b", DRM_LOOM_DTYPE_I32, 1, DIMS(4));
	attr_ints(test, "pads", 4, DIMS(1, 1, 1, 1));
	node(test, "QLinearConv", "x xs xz w ws wz ys yz b", "y");
}

static inline void net_qmatmul(struct test_case *test)
{
	input(test, "x", DRM_LOOM_DTYPE_U8, 2, DIMS(5, 12));
	net_scalar(test, "xs", F32, 0.1);
	net_scalar(test, "xz", DRM_LOOM_DTYPE_U8, 100);
	net_typed(test, "w", DRM_LOOM_DTYPE_I8, 2, DIMS(12, 9));
	net_scalar(test, "ws", F32, 0.02);
	net_scalar(test, "wz", DRM_LOOM_DTYPE_I8, 2);
	net_scalar(test, "ys", F32, 0.5);
	net_scalar(test, "yz", DRM_LOOM_DTYPE_U8, 120);
	node(test, "QLinearMatMul", "x xs xz w ws wz ys yz", "y");
}

static inline void net_functions(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(9, 9));
	node(test, "Relu", "x", "a");
	node(test, "Neg", "a", "b");
	node(test, "Abs", "b", "c");
	node(test, "HardSigmoid", "x", "d");
	node(test, "Add", "c d", "e");
	attr_float(test, "alpha", 0.25f);
	node(test, "LeakyRelu", "x", "f");
	node(test, "Add", "e f", "y");
}

static inline void net_tanh(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(9, 9));
	node(test, "Tanh", "x", "y");
}

static inline void net_pad(struct test_case *test)
{
	input(test, "x", F32, 3, DIMS(2, 3, 4));
	ints(test, "p", 6, DIMS(1, 0, 2, 0, 3, 1));
	net_scalar(test, "v", F32, 2.5);
	node(test, "Pad", "x p v", "y");
}

/* Constants that nobody computes with. */
static inline void net_constants(struct test_case *test)
{
	input(test, "x", F32, 2, DIMS(4, 6));
	net_floats(test, "c", 2, DIMS(4, 3));
	net_floats(test, "d", 2, DIMS(4, 9));
	attr_int(test, "axis", 1);
	node(test, "Concat", "x c", "j");
	node(test, "Add", "j d", "k");
	attr_int(test, "axis", 0);
	node(test, "Concat", "d k", "y");
}

/* What classifiers look like: convolutions of all kinds, a residual, a pooling, a product. */
static inline void net_mobile(struct test_case *test)
{
	input(test, "x", F32, 4, DIMS(1, 3, 32, 32));
	net_floats(test, "w0", 4, DIMS(33, 3, 3, 3));
	net_floats(test, "b0", 1, DIMS(33));
	attr_ints(test, "strides", 2, DIMS(2, 2));
	attr_ints(test, "pads", 4, DIMS(1, 1, 1, 1));
	node(test, "Conv", "x w0 b0", "c0");
	node(test, "Relu", "c0", "r0");
	net_floats(test, "w1", 4, DIMS(33, 1, 3, 3));
	attr_int(test, "group", 33);
	attr_ints(test, "pads", 4, DIMS(1, 1, 1, 1));
	node(test, "Conv", "r0 w1", "c1");
	node(test, "Relu", "c1", "r1");
	net_floats(test, "w2", 4, DIMS(33, 33, 1, 1));
	node(test, "Conv", "r1 w2", "c2");
	node(test, "Add", "c2 r0", "a");
	attr_ints(test, "kernel_shape", 2, DIMS(2, 2));
	attr_ints(test, "strides", 2, DIMS(2, 2));
	node(test, "MaxPool", "a", "m");
	node(test, "GlobalAveragePool", "m", "g");
	node(test, "Flatten", "g", "f");
	net_floats(test, "w3", 2, DIMS(33, 10));
	node(test, "MatMul", "f w3", "l");
	attr_int(test, "axis", 1);
	node(test, "Softmax", "l", "y");
}

/* The graph of a net, finished; its last result is "y". */
static inline struct test_case net_make(void (*build)(struct test_case *test))
{
	struct test_case test;

	case_begin(&test, 11, 13);
	build(&test);
	loom_graph_add_output(test.graph, "y");
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
	struct loom_planner_options options = { .chip = chip, .grouping = grouping };
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
