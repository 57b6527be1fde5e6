// SPDX-License-Identifier: MIT
/*
 * A layer of floats between DEQUANTIZE and QUANTIZE becomes one of bytes: results are those of
 * integers, and a step away from those of floats at most. Other layers stay as they are.
 */
#include "graph/graph.h"
#include "host/lower/case.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "outcome.h"

#include <math.h>

#define F32	DRM_LOOM_DTYPE_F32
#define I32	DRM_LOOM_DTYPE_I32
#define U8	DRM_LOOM_DTYPE_U8
#define I8	DRM_LOOM_DTYPE_I8
#define DIMS(...) ((int64_t[]){ __VA_ARGS__ })

enum { IN = 4, OUT = 6, GROUPS = 2, SIZE = 7, TAPS = 3, ROWS = 5 };
enum { WEIGHTS = OUT * (IN / GROUPS) * TAPS * TAPS, PLANE = SIZE * SIZE };

/**
 * struct layer - what is tried
 * @what: in words
 * @product: MatMul of [ROWS, PLANE] by [PLANE, OUT], or [OUT, PLANE] with @trans_b, not Conv
 * @trans_b: Gemm
 * @channels: a scale for each output channel
 * @bias: F32 where -1, I32 by DequantizeLinear where 1
 * @act: "Relu", "Clip" or ""
 * @most: of Clip
 * @out: type of the result
 * @zero: its zero point
 * @twice: the layer's result is an output, too
 * @keep: LOOM_GRAPH_KEEP_ALL
 * @huge: the bias is
 * @stays: it has to stay one of floats
 */
struct layer {
	const char *what;
	bool product, trans_b, channels;
	int bias;
	const char *act;
	float most;
	uint32_t out;
	int zero;
	bool twice, keep, huge, stays;
};

static float x_scale = 0.02f, y_scale = 0.37f;
static uint8_t x_zero = 119;
static int8_t w_zero;

static float w_scales[OUT];
static int8_t w[OUT * PLANE];
static int32_t bias[OUT];
static float float_bias[OUT];

static void constant(struct test_case *test, const char *name, uint32_t dtype, uint32_t rank,
		     const int64_t *dims, const void *data)
{
	struct loom_array array = make_array(name, dtype, rank, dims);

	memcpy(array.data, data, array.size_bytes);
	loom_graph_add_const(test->graph, &array);
	free(array.data);
}

static void draw_constants(const struct layer *layer)
{
	uint32_t i;

	seed = 11;
	for (i = 0; i < OUT * PLANE; i++)
		w[i] = (int8_t)range(-128, 127);
	for (i = 0; i < OUT; i++) {
		w_scales[i] = layer->channels ? 0.01f + 0.003f * (float)i : 0.013f;
		bias[i] = (int32_t)range(-9000, 9000);
		float_bias[i] = layer->huge ? 1e20f :
				(float)bias[i] * x_scale * w_scales[i];
	}
}

static void build(struct test_case *test, const struct layer *layer)
{
	const char *names = layer->bias ? "xf wf bf" : "xf wf", *result = *layer->act ? "z" : "v";
	int64_t *w_dims = layer->product ? layer->trans_b ? DIMS(OUT, PLANE) : DIMS(PLANE, OUT) :
			  DIMS(OUT, IN / GROUPS, TAPS, TAPS);
	int8_t w_zeroes[OUT], y_zero = (int8_t)layer->zero;
	float steps[OUT], none = 0;
	uint32_t i;

	if (layer->product)
		input(test, "x", U8, 2, DIMS(ROWS, PLANE));
	else
		input(test, "x", U8, 4, DIMS(1, IN, SIZE, SIZE));
	constant(test, "xs", F32, 0, NULL, &x_scale);
	constant(test, "xz", U8, 0, NULL, &x_zero);
	node(test, "DequantizeLinear", "x xs xz", "xf");
	for (i = 0; i < OUT; i++) {
		w_zeroes[i] = w_zero;
		steps[i] = x_scale * w_scales[i];
	}
	constant(test, "w", I8, layer->product ? 2 : 4, w_dims, w);
	constant(test, "ws", F32, layer->channels, DIMS(OUT), w_scales);
	constant(test, "wz", I8, layer->channels, DIMS(OUT), w_zeroes);
	attr_int(test, "axis", layer->product && !layer->trans_b);
	node(test, "DequantizeLinear", "w ws wz", "wf");
	if (layer->bias > 0) {
		constant(test, "b", I32, 1, DIMS(OUT), bias);
		constant(test, "bs", F32, 1, DIMS(OUT), steps);
		case_add(test, "bf = DequantizeLinear b bs axis=0");
	} else if (layer->bias) {
		constant(test, "bf", F32, 1, DIMS(OUT), float_bias);
	}
	if (layer->trans_b)
		attr_int(test, "transB", 1);
	if (!layer->product) {
		attr_int(test, "group", GROUPS);
		attr_ints(test, "pads", 4, DIMS(1, 1, 1, 1));
	}
	node(test, layer->product ? layer->trans_b ? "Gemm" : "MatMul" : "Conv", names, result);
	if (*layer->act) {
		constant(test, "low", F32, 0, NULL, &none);
		constant(test, "high", F32, 0, NULL, &layer->most);
		node(test, layer->act, strcmp(layer->act, "Clip") ? "z" : "z low high", "v");
	}
	constant(test, "ys", F32, 0, NULL, &y_scale);
	constant(test, "yz", layer->out, 0, NULL, &y_zero);
	case_add(test, "y = QuantizeLinear v ys yz; > y");
	if (layer->twice)
		loom_graph_add_output(test->graph, result);
}

static int64_t weight(const struct layer *layer, int m, int at)
{
	int per = (int)(layer->product ? PLANE : WEIGHTS / OUT);

	return (layer->product && !layer->trans_b ? w[at * OUT + m] : w[m * per + at]) - w_zero;
}

/* The sum of products, in steps, of element @at of the result. */
static int64_t sum_of(const struct layer *layer, const uint8_t *x, int at, int *channel)
{
	int64_t sum = 0;
	int m, i, r, c, row, column, k, q;

	if (layer->product) {
		*channel = m = at % OUT;
		for (k = 0; k < PLANE; k++)
			sum += (x[at / OUT * PLANE + k] - x_zero) * weight(layer, m, k);
		return sum;
	}
	*channel = m = at / PLANE;
	row = at % PLANE / SIZE;
	column = at % SIZE;
	for (i = 0; i < IN / GROUPS; i++)
		for (r = 0; r < TAPS; r++)
			for (c = 0; c < TAPS; c++) {
				k = row + r - 1;
				q = column + c - 1;
				if (k < 0 || k >= SIZE || q < 0 || q >= SIZE)
					continue;
				sum += (x[((m / (OUT / GROUPS) * (IN / GROUPS) + i) * SIZE + k) *
					  SIZE + q] - x_zero) *
				       weight(layer, m, (i * TAPS + r) * TAPS + c);
			}
	return sum;
}

static int64_t cut(const struct layer *layer, double at)
{
	bool is_signed = layer->out == I8;

	at += layer->zero;
	return (int64_t)fmin(fmax(at, is_signed ? -128 : 0), is_signed ? 127 : 255);
}

/* Whether element @at is what integers give, or, if it stays as it was, what floats give. */
static bool is_right(const struct layer *layer, const uint8_t *x, const void *y, int at)
{
	int64_t got = layer->out == I8 ? ((int8_t *)y)[at] : ((uint8_t *)y)[at], sum;
	double v;
	int m;

	sum = sum_of(layer, x, at, &m);
	if (!layer->stays) {
		float scale = x_scale * w_scales[m] / y_scale;

		sum += layer->bias ? bias[m] : 0;
		return got == cut(layer, rintf((float)sum * scale));
	}
	v = (double)sum * x_scale * w_scales[m];
	v += layer->bias > 0 ? (double)bias[m] * x_scale * w_scales[m] :
	     layer->bias ? float_bias[m] : 0;
	if (*layer->act)
		v = fmin(fmax(v, 0), strcmp(layer->act, "Clip") ? INFINITY : layer->most);
	return llabs(got - cut(layer, rint(v / y_scale))) <= 1;
}

static void try(const struct layer *layer)
{
	struct loom_graph_options options = { .flags = layer->keep ? LOOM_GRAPH_KEEP_ALL : 0 };
	int count = layer->product ? ROWS * OUT : OUT * PLANE, bad = 0, taken = 0, i, ret;
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct test_case test = { .graph = model_create(13) };
	struct loom_error err = { .text = "" };
	struct outcome outcome = { .num_outputs = 0 };
	uint32_t n;

	draw_constants(layer);
	build(&test, layer);
	ret = loom_graph_finish(test.graph, &options, &err);
	for (n = 0; n < test.graph->num_nodes; n++)
		taken += loom_dtype_is_int(test.graph->nodes[n]->output->dtype) &&
			 (test.graph->nodes[n]->op == LOOM_GOP_CONV ||
			  test.graph->nodes[n]->op == LOOM_GOP_MATMUL);
	if (!ret)
		ret = outcome_plan(&outcome, test.graph, &planner, test.inputs, test.num_inputs,
				   &err);
	for (i = 0; !ret && i < count; i++)
		bad += !is_right(layer, test.inputs[0].data, outcome.outputs[0].data, i);
	tap_ok(!ret && !bad && taken == !layer->stays, "%s", layer->what);
	if (ret || bad || taken != !layer->stays)
		tap_note("%d, %d wrong, %d taken: %s", ret, bad, taken, err.text);
	outcome_clear(&outcome);
	loom_graph_destroy(test.graph);
	free(test.inputs[0].data);
}

static const struct layer layers[] = {
	{ "a convolution", .act = "", .out = U8, .zero = 7 },
	{ "with a bias in steps", .act = "", .out = I8, .zero = -7, .bias = 1 },
	{ "with a bias of floats", .act = "", .out = I8, .zero = 3, .bias = -1 },
	{ "a scale for each channel", .act = "", .out = U8, .zero = 100, .bias = 1,
	  .channels = true },
	{ "Relu before a zero point of 0", .act = "Relu", .out = U8, .bias = 1 },
	{ "Relu before one of -128", .act = "Relu", .out = I8, .zero = -128, .channels = true },
	{ "Clip beyond what a byte has", .act = "Clip", .most = 95, .out = U8, .bias = 1 },
	{ "a product", .product = true, .act = "", .out = U8, .zero = 120 },
	{ "one with a scale for each column", .product = true, .act = "", .out = I8,
	  .channels = true },
	{ "Gemm with a bias and Relu", .product = true, .trans_b = true, .bias = 1, .act = "Relu",
	  .out = U8, .channels = true },
	{ "Gemm with a bias of floats", .product = true, .trans_b = true, .bias = -1, .act = "",
	  .out = U8, .zero = 128 },
	{ "Relu that cuts off more than the type stays", .act = "Relu", .out = U8, .zero = 9,
	  .stays = true },
	{ "Clip that does stays", .act = "Clip", .most = 6, .out = U8, .bias = 1, .stays = true },
	{ "a result that is used otherwise stays", .act = "", .out = U8, .zero = 7, .twice = true,
	  .stays = true },
	{ "a bias of 1e20 stays", .act = "", .out = U8, .bias = -1, .huge = true, .stays = true },
	{ "all values are kept where that is asked for", .act = "", .out = U8, .keep = true,
	  .stays = true },
};

int main(void)
{
	size_t i;

	for (w_zero = 0; w_zero < 6; w_zero += 5)
		for (i = 0; i < sizeof(layers) / sizeof(*layers); i++)
			try(&layers[i]);
	return tap_end();
}
