// SPDX-License-Identifier: MIT
/*
 * CONV as MATMUL: the windows of the input lie side by side, [N, groups, C * taps, positions], and
 * are multiplied by the weights, [groups, M, C * taps]. Sums run over channels, then taps, as in
 * CONV, so the bits are the same. The input is padded for windows that reach beyond it.
 *
 * DECONV as CONV: the input with zeroes between its elements, and weights in reverse.
 */
#include "rewrite.h"

#include <string.h>

enum {
	BATCH,
	CHANNEL,
	SPATIAL,
};

/* Limit on the taps of a window, each of which is a copy. */
#define MAX_TAPS	1024

static double zero_point(const struct loom_value *value)
{
	return value && value->data && value->num_elems ? loom_value_float(value, 0) : 0;
}

/* The input with the padding that windows need, cropped to the part that they read. */
static struct loom_value *conv_input(struct loom_rewriter *rw, const struct loom_node *node)
{
	const struct loom_gconv *conv = &node->conv;
	struct loom_value *x = node->inputs[LOOM_GCONV_X];
	u64 zero = loom_put_bits(x->dtype, zero_point(node->inputs[LOOM_GCONV_X_ZP]));
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT, .value = zero };
	u32 i;

	for (i = 0; i < conv->num_spatial; i++) {
		s64 out = node->output->dims[SPATIAL + i];
		s64 need = (out - 1) * conv->strides[i] +
			   (conv->kernel[i] - 1) * conv->dilations[i] + 1;

		pad.begin[SPATIAL + i] = conv->pads_begin[i];
		pad.end[SPATIAL + i] = need - x->dims[SPATIAL + i] - conv->pads_begin[i];
	}
	return loom_emit_pad(&rw->em, x, &pad);
}

/* The elements that tap @tap of each window reads: [N, C, spatial of the output]. */
static struct loom_value *conv_tap(struct loom_rewriter *rw, const struct loom_node *node,
				   struct loom_value *x, s64 tap)
{
	const struct loom_gconv *conv = &node->conv;
	u32 i;

	for (i = conv->num_spatial; i-- > 0; tap /= conv->kernel[i])
		x = loom_put_window(rw, x, SPATIAL + i, tap % conv->kernel[i] * conv->dilations[i],
				    conv->strides[i], node->output->dims[SPATIAL + i]);
	return x;
}

/* The windows: [N, groups, C / groups * taps, positions]. */
static struct loom_value *conv_windows(struct loom_rewriter *rw, const struct loom_node *node,
				       s64 taps)
{
	const struct loom_value *x0 = node->inputs[LOOM_GCONV_X], *y = node->output;
	struct loom_value *x = conv_input(rw, node), *parts[MAX_TAPS];
	s64 groups = node->conv.groups, dims[4], i;

	for (i = 0; i < taps; i++) {
		parts[i] = conv_tap(rw, node, x, i);
		if (taps > 1)
			parts[i] = loom_put_axis(rw, parts[i], SPATIAL);
	}
	dims[0] = x0->dims[BATCH];
	dims[1] = groups;
	dims[2] = x0->dims[CHANNEL] / groups * taps;
	dims[3] = loom_value_trailing(y, SPATIAL);
	return loom_emit_reshape(&rw->em, loom_emit_concat(&rw->em, (u32)taps, parts, SPATIAL), 4,
				 dims);
}

/* An operand with one element, or one per output channel, in the shape of the product. */
static struct loom_value *per_channel(struct loom_rewriter *rw, struct loom_value *value,
				      s64 groups)
{
	s64 dims[] = { groups, 0, 1 };

	if (!value)
		return NULL;
	if (value->num_elems == 1)
		dims[0] = 1;
	dims[1] = value->num_elems / dims[0];
	return loom_emit_reshape(&rw->em, value, 3, dims);
}

struct loom_value *loom_rewrite_conv(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *const *in = node->inputs, *y = node->output, *z;
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = { NULL };
	struct loom_value *w = in[LOOM_GCONV_W];
	s64 taps = loom_value_trailing(w, SPATIAL), groups = node->conv.groups;
	s64 dims[] = { groups, w->dims[0] / groups, w->dims[1] * taps };

	/* the axes of windows, and one for the taps */
	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_MATMUL) || taps > MAX_TAPS ||
	    (in[LOOM_GCONV_X_ZP] && !in[LOOM_GCONV_X_ZP]->data))
		return NULL;
	operands[LOOM_GMATMUL_A] = loom_emit_reshape(&rw->em, w, 3, dims);
	operands[LOOM_GMATMUL_B] = conv_windows(rw, node, taps);
	operands[LOOM_GMATMUL_C] = per_channel(rw, in[LOOM_GCONV_BIAS], groups);
	operands[LOOM_GMATMUL_A_ZP] = in[LOOM_GCONV_W_ZP];
	operands[LOOM_GMATMUL_B_ZP] = in[LOOM_GCONV_X_ZP];
	operands[LOOM_GMATMUL_MULT] = per_channel(rw, in[LOOM_GCONV_MULT], groups);
	operands[LOOM_GMATMUL_Y_ZP] = in[LOOM_GCONV_Y_ZP];
	z = loom_put_product(rw, operands, y->dtype);
	z = loom_put_act(rw, z, &node->act);
	return loom_emit_reshape(&rw->em, z, y->rank, y->dims);
}

/* [N, C, H, W] with @strides - 1 zeroes behind each element of H and W. */
static struct loom_value *spread(struct loom_rewriter *rw, struct loom_value *x,
				 const struct loom_gconv *conv)
{
	u32 i;

	for (i = 0; i < conv->num_spatial; i++) {
		u32 axis = SPATIAL + i;
		s64 dims[LOOM_GRAPH_RANK];

		if (!x || conv->strides[i] == 1)
			continue;
		memcpy(dims, x->dims, sizeof(dims));
		dims[axis] *= conv->strides[i];
		x = loom_put_axis(rw, x, axis + 1);
		x = loom_put_border(rw, x, axis + 1, 0, conv->strides[i] - 1, 0);
		x = loom_emit_reshape(&rw->em, x, SPATIAL + conv->num_spatial, dims);
	}
	return x;
}

/* [C, M / groups, taps] as [M, C / groups, taps in reverse]. */
static struct loom_value *turn_weights(struct loom_rewriter *rw, struct loom_value *w,
				       const struct loom_gconv *conv)
{
	s64 channels = w->dims[0] / conv->groups, outputs = w->dims[1], dims[LOOM_GRAPH_RANK];
	u32 perm[] = { 0, 2, 1, 3, 4, 5 }, i;

	dims[0] = conv->groups;
	dims[1] = channels;
	dims[2] = outputs;
	memcpy(dims + 3, w->dims + 2, conv->num_spatial * sizeof(dims[0]));
	w = loom_emit_reshape(&rw->em, w, 3 + conv->num_spatial, dims);
	w = loom_emit_transpose(&rw->em, w, perm);
	dims[0] = conv->groups * outputs;
	dims[1] = channels;
	memmove(dims + 2, dims + 3, conv->num_spatial * sizeof(dims[0]));
	w = loom_emit_reshape(&rw->em, w, 2 + conv->num_spatial, dims);
	for (i = 0; i < conv->num_spatial; i++)
		w = loom_put_window(rw, w, SPATIAL + i, conv->kernel[i] - 1, -1, conv->kernel[i]);
	return w;
}

struct loom_value *loom_rewrite_deconv(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *inputs[LOOM_GCONV_NUM_OPERANDS], *y = node->output, *x;
	struct loom_gconv conv = node->conv;
	struct loom_node *made;
	bool inside = true;
	u32 i;

	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_CONV) &&
	    !loom_chip_has(rw->chip, DRM_LOOM_OP_MATMUL))
		return NULL;
	memcpy(inputs, node->inputs, sizeof(inputs));
	x = spread(rw, inputs[LOOM_GCONV_X], &conv);
	inputs[LOOM_GCONV_W] = turn_weights(rw, inputs[LOOM_GCONV_W], &conv);
	if (!x || !inputs[LOOM_GCONV_W])
		return NULL;
	for (i = 0; i < conv.num_spatial; i++) {
		s64 reach = (conv.kernel[i] - 1) * conv.dilations[i];

		conv.strides[i] = 1;
		conv.pads_begin[i] = reach - node->conv.pads_begin[i];
		conv.pads_end[i] = y->dims[SPATIAL + i] + reach - x->dims[SPATIAL + i] -
				   conv.pads_begin[i];
		inside = inside && conv.pads_begin[i] >= 0 && conv.pads_end[i] >= 0;
	}
	for (i = 0; i < conv.num_spatial && !inside; i++) {
		x = loom_put_border(rw, x, SPATIAL + i, conv.pads_begin[i], conv.pads_end[i], 0);
		conv.pads_begin[i] = 0;
		conv.pads_end[i] = 0;
	}
	inputs[LOOM_GCONV_X] = x;
	if (!x)
		return NULL;
	made = loom_emit_begin(&rw->em, LOOM_GOP_CONV, y->dtype, y->rank, y->dims,
			       LOOM_GCONV_NUM_OPERANDS, inputs);
	if (made) {
		made->conv = conv;
		made->act = node->act;
	}
	return loom_emit_end(&rw->em, made);
}
