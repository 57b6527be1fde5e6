// SPDX-License-Identifier: MIT
/*
 * DOC: Integer layers
 *
 * Exporters write a quantised layer as DEQUANTIZE of its operands, a layer of floats, and QUANTIZE
 * of the result. A CONV or MATMUL between the two can compute on the bytes themselves:
 *
 *	y = saturate(rint((sum (x - x_zero) * (w - w_zero) + bias) * scale) + y_zero)
 *
 * where scale is that of x times that of w over that of y, and the bias is in steps of the first
 * two. The sum is exact; the rounding of floats changes it by at most a step of y, where a result
 * lies between two of them. Weights stay bytes in memory: reading a model folds DEQUANTIZE of
 * constants, but a constant keeps a reference to its bytes (&loom_value.quantised).
 *
 * An activation that only clips to the range of the result's type (RELU before an unsigned byte
 * whose zero point is 0) is removed. With any other activation the layer stays one of floats, as
 * does one whose result is not quantised, or has other readers.
 *
 * Rejected: doing it while the model is read. The readers of a result are known only later.
 */
#include "pass.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Sums of 32 bits wrap; a larger bias could overflow them. */
#define MOST_BIAS	(1 << 30)

/**
 * struct bytes - a tensor that DEQUANTIZE reads
 * @value: the bytes
 * @scale: F32, one element or one per output channel
 * @zero: of all elements
 */
struct bytes {
	struct loom_value *value;
	const struct loom_value *scale;
	struct loom_value *zero;
};

/**
 * struct integer - a layer of floats between bytes
 * @graph: owner
 * @layer: CONV or MATMUL
 * @next: the QUANTIZE behind it
 * @x: first operand
 * @w: second operand
 * @channels: length of the axis of the result along which scales of @w may run
 */
struct integer {
	struct loom_graph *graph;
	struct loom_node *layer;
	struct loom_node *next;
	struct bytes x;
	struct bytes w;
	int64_t channels;
};

static bool is_byte(uint32_t dtype)
{
	return dtype == DRM_LOOM_DTYPE_I8 || dtype == DRM_LOOM_DTYPE_U8;
}

/* a constant of F32 whose elements all are positive numbers */
static bool is_scale(const struct loom_value *scale)
{
	int64_t i;

	if (!scale->data || scale->dtype != DRM_LOOM_DTYPE_F32)
		return false;
	for (i = 0; i < scale->num_elems; i++)
		if (!(loom_value_float(scale, i) > 0) || isinf(loom_value_float(scale, i)))
			return false;
	return scale->num_elems > 0;
}

/* Whether it is a constant with equal elements. */
static bool is_zero_point(const struct loom_value *zero)
{
	int64_t i;

	if (!zero->data || !is_byte(zero->dtype) || !zero->num_elems)
		return false;
	for (i = 1; i < zero->num_elems; i++)
		if (loom_value_int(zero, i) != loom_value_int(zero, 0))
			return false;
	return true;
}

/* Finds the operands of the DEQUANTIZE of @value, along @axis if there is a scale per channel. */
static bool find_bytes(const struct loom_value *value, int32_t axis, int64_t channels,
		       struct bytes *bytes)
{
	const struct loom_node *node = value->data ? value->quantised : value->producer;

	if (!node || node->op != LOOM_GOP_DEQUANTIZE)
		return false;
	*bytes = (struct bytes){ node->inputs[0], node->inputs[1], node->inputs[2] };
	if (!is_byte(bytes->value->dtype) || !is_scale(bytes->scale) ||
	    !is_zero_point(bytes->zero))
		return false;
	if (bytes->scale->num_elems == 1)
		return true;
	return node->quant.axis == axis && bytes->scale->num_elems == channels;
}

static bool bias_fits(const struct integer *integer)
{
	const struct loom_value *bias = integer->layer->inputs[2];

	/* for MATMUL any shape that broadcasts is valid; here one element, or one per channel */
	return !bias || (bias->data && bias->dtype == DRM_LOOM_DTYPE_F32 &&
			 (bias->num_elems == 1 ||
			  (bias->num_elems == integer->channels &&
			   bias->dims[bias->rank - 1] == bias->num_elems)));
}

/* Whether @layer is one of floats that may be followed by QUANTIZE. */
static bool layer_fits(const struct loom_node *layer)
{
	const struct loom_value *y = layer->output;
	uint32_t i;

	if (layer->op != LOOM_GOP_CONV && layer->op != LOOM_GOP_MATMUL)
		return false;
	if (y->dtype != DRM_LOOM_DTYPE_F32 || y->num_uses != 1 || y->is_output)
		return false;
	/* operand lists of both begin with data, weights, bias; the others are for integers */
	for (i = 3; i < layer->num_inputs; i++)
		if (layer->inputs[i])
			return false;
	if (layer->op == LOOM_GOP_CONV)
		return true;
	return layer->matmul.alpha == 1 && (!layer->inputs[2] || layer->matmul.beta == 1) &&
	       layer->inputs[0]->rank > 1 && layer->inputs[1]->rank > 1;
}

/* The axis of the weights that the scales of output channels run along. */
static int32_t weight_axis(const struct loom_node *layer)
{
	if (layer->op == LOOM_GOP_CONV)
		return 0;
	return (int32_t)layer->inputs[1]->rank - (layer->matmul.trans_b ? 2 : 1);
}

static int64_t channels_of(const struct loom_node *layer)
{
	const struct loom_value *y = layer->output;

	return y->dims[layer->op == LOOM_GOP_CONV ? 1 : y->rank - 1];
}

/* Whether @act clips nothing that the type of the result does not. */
static bool act_is_implied(const struct integer *integer)
{
	const struct loom_value *zero = integer->next->inputs[2];
	double scale = loom_value_float(integer->next->inputs[1], 0);
	double at = (double)loom_value_int(zero, 0), low, high;
	const struct loom_gact *act = &integer->layer->act;
	int64_t min, max;

	loom_dtype_range(zero->dtype, &min, &max);
	switch (act->fn) {
	case LOOM_GFN_NONE:
		return true;
	case LOOM_GFN_RELU:
		return at <= (double)min;
	case LOOM_GFN_CLIP:
		low = rint(act->alpha / scale) + at;
		high = rint(act->beta / scale) + at;
		return low <= (double)min && high >= (double)max;
	default:
		return false;
	}
}

static bool next_fits(const struct integer *integer)
{
	const struct loom_node *next = integer->next;

	return next->op == LOOM_GOP_QUANTIZE && is_byte(next->output->dtype) &&
	       next->inputs[1]->num_elems == 1 && is_scale(next->inputs[1]) &&
	       next->inputs[2]->num_elems == 1 && is_zero_point(next->inputs[2]) &&
	       act_is_implied(integer);
}

static struct loom_value *new_constant(const struct integer *integer, const char *suffix,
				       uint32_t dtype, uint32_t rank, const int64_t *dims)
{
	const char *name = loom_pool_print(integer->graph->pool, "%s:%s",
					   integer->next->output->name, suffix);
	struct loom_value *value;

	value = name ? loom_value_create(integer->graph, name, dtype, rank, dims) : NULL;
	if (!value || loom_value_alloc(integer->graph, value))
		return NULL;
	value->made_up = true;
	return value;
}

static float scale_at(const struct loom_value *scale, int64_t channel)
{
	return (float)loom_value_float(scale, scale->num_elems == 1 ? 0 : channel);
}

/* scale of x times that of w over that of y, in the order in which ONNX Runtime rounds */
static struct loom_value *multiplier(const struct integer *integer)
{
	const struct loom_value *w = integer->w.scale;
	struct loom_value *scale;
	int64_t i;

	scale = new_constant(integer, "scale", DRM_LOOM_DTYPE_F32, w->num_elems == 1 ? 0 : 1,
			     &w->num_elems);
	for (i = 0; scale && i < scale->num_elems; i++) {
		float product = scale_at(integer->x.scale, 0) * scale_at(w, i);

		loom_value_set_float(scale, i, product / scale_at(integer->next->inputs[1], 0));
	}
	return scale;
}

/*
 * The bias in steps of x times w. Out: NULL if there is none. Returns 0, -ENOMEM, or -ERANGE if it
 * is too large.
 */
static int bias_in_steps(const struct integer *integer, struct loom_value **steps)
{
	const struct loom_value *bias = integer->layer->inputs[2];
	bool all = bias && (bias->num_elems > 1 || integer->w.scale->num_elems > 1 ||
			    integer->layer->op == LOOM_GOP_CONV);
	int64_t i;

	*steps = NULL;
	if (!bias)
		return 0;
	*steps = new_constant(integer, "bias", DRM_LOOM_DTYPE_I32, all, &integer->channels);
	if (!*steps)
		return -ENOMEM;
	for (i = 0; i < (*steps)->num_elems; i++) {
		double step = (double)scale_at(integer->x.scale, 0) * scale_at(integer->w.scale, i);
		double at = rint(loom_value_float(bias, bias->num_elems == 1 ? 0 : i) / step);

		/* also rejects a NaN */
		if (!(fabs(at) <= MOST_BIAS))
			return -ERANGE;
		loom_value_set_int(*steps, i, (int64_t)at);
	}
	return 0;
}

static struct loom_value *one_zero(const struct integer *integer, const char *suffix,
				   struct loom_value *zero)
{
	struct loom_value *one = zero;

	if (zero->num_elems > 1) {
		one = new_constant(integer, suffix, zero->dtype, 0, NULL);
		if (one)
			loom_value_set_int(one, 0, loom_value_int(zero, 0));
	}
	return one;
}

/* Operand lists of integers are in the same order for CONV and MATMUL. */
_Static_assert((int)LOOM_GCONV_X_ZP == (int)LOOM_GMATMUL_A_ZP &&
	       (int)LOOM_GCONV_MULT == (int)LOOM_GMATMUL_MULT &&
	       (int)LOOM_GCONV_Y_ZP == (int)LOOM_GMATMUL_Y_ZP, "one order");

/* Returns 0, -ENOMEM; -ERANGE: the layer is unchanged. */
static int take_bytes(const struct integer *integer)
{
	struct loom_node *layer = integer->layer;
	struct loom_value *between = layer->output, *bias;
	struct loom_value *x_zero = one_zero(integer, "x_zero", integer->x.zero);
	struct loom_value *w_zero = one_zero(integer, "w_zero", integer->w.zero);
	struct loom_value *scale = multiplier(integer);
	int err = bias_in_steps(integer, &bias);

	if (err)
		return err;
	if (!x_zero || !w_zero || !scale)
		return -ENOMEM;
	layer->inputs[LOOM_GCONV_X] = integer->x.value;
	layer->inputs[LOOM_GCONV_W] = integer->w.value;
	layer->inputs[LOOM_GCONV_BIAS] = bias;
	layer->inputs[LOOM_GCONV_X_ZP] = x_zero;
	layer->inputs[LOOM_GCONV_W_ZP] = w_zero;
	layer->inputs[LOOM_GCONV_MULT] = scale;
	layer->inputs[LOOM_GCONV_Y_ZP] = integer->next->inputs[2];
	layer->act = (struct loom_gact){ LOOM_GFN_NONE };
	if (layer->op == LOOM_GOP_MATMUL)
		layer->matmul.beta = 1;
	layer->output = integer->next->output;
	layer->output->producer = layer;
	/* its own result has no readers any more, so the QUANTIZE will be pruned */
	integer->next->output = between;
	return 0;
}

int loom_graph_take_bytes(struct loom_graph *graph)
{
	struct loom_node **users = loom_graph_users(graph);
	uint32_t i;
	int err;

	if (!users)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < graph->num_nodes; i++) {
		struct integer integer = { .graph = graph, .layer = graph->nodes[i] };
		struct loom_node *layer = integer.layer;

		if (!layer_fits(layer))
			continue;
		integer.next = users[layer->output->id];
		integer.channels = channels_of(layer);
		if (!next_fits(&integer) || !bias_fits(&integer) ||
		    !find_bytes(layer->inputs[0], -1, 0, &integer.x) ||
		    !find_bytes(layer->inputs[1], weight_axis(layer), integer.channels,
				&integer.w))
			continue;
		err = take_bytes(&integer);
		if (err && err != -ERANGE)
			return loom_graph_fail(graph, err, "out of memory");
	}
	return loom_graph_prune(graph);
}
