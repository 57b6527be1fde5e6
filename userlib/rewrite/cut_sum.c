// SPDX-License-Identifier: MIT
/*
 * MATMUL, CONV and DECONV as a sum over pieces of the summed axis: of K, of the channels, or of an
 * axis of the kernel. Bytes are summed in 32 bits, and the operations of the command on its sum are
 * applied once, to the total.
 */
#include "rewrite.h"

#include <string.h>

#define SPATIAL	2

/**
 * struct sum - a node computed in pieces
 * @rw: the rewriter
 * @node: the node
 * @axis: of both operands: the axis that is cut
 * @length: of that axis
 * @inputs: operands of the pieces, but for the cut ones
 * @dtype: type of the pieces
 */
struct sum {
	struct loom_rewriter *rw;
	const struct loom_node *node;
	u32 axis[2];
	s64 length;
	struct loom_value *inputs[LOOM_GMATMUL_NUM_OPERANDS];
	u32 dtype;
};

_Static_assert((int)LOOM_GMATMUL_NUM_OPERANDS >= (int)LOOM_GCONV_NUM_OPERANDS,
	       "operands of both fit, and others are not there");
_Static_assert((int)LOOM_GMATMUL_MULT == (int)LOOM_GCONV_MULT &&
	       (int)LOOM_GMATMUL_Y_ZP == (int)LOOM_GCONV_Y_ZP &&
	       (int)LOOM_GMATMUL_C == (int)LOOM_GCONV_BIAS, "and are in the same places");

enum { LEFT, RIGHT, BIAS, MULT = LOOM_GCONV_MULT, Y_ZP = LOOM_GCONV_Y_ZP };

/* Converts the total: to bytes again, to the type of the node, and applies its function. */
static struct loom_value *finish(struct sum *s, struct loom_value *sum)
{
	struct loom_value *mult = s->node->inputs[MULT], *zero = s->node->inputs[Y_ZP];
	struct loom_emitter *em = &s->rw->em;
	struct loom_value *y = s->node->output;
	s64 dims[LOOM_GRAPH_RANK];
	u32 i;

	if (!sum)
		return NULL;
	if (mult && s->node->op != LOOM_GOP_MATMUL && mult->num_elems > 1) {
		for (i = 0; i + 1 < y->rank; i++)
			dims[i] = i ? 1 : mult->num_elems;
		mult = loom_emit_reshape(em, mult, y->rank - 1, dims);
	}
	if (mult) {
		struct loom_value *operands[3];
		struct loom_node *quantize;

		sum = loom_emit_cast(em, sum, DRM_LOOM_DTYPE_F32);
		operands[0] = loom_emit_binary(em, LOOM_GBIN_MUL, sum, mult);
		operands[1] = loom_emit_scalar(em, DRM_LOOM_DTYPE_F32, 1);
		operands[2] = zero ? loom_emit_reshape(em, zero, 0, NULL) :
				     loom_emit_scalar(em, y->dtype, 0);
		if (!operands[0] || !operands[1] || !operands[2])
			return NULL;
		quantize = loom_emit_begin(em, LOOM_GOP_QUANTIZE, y->dtype, y->rank, y->dims, 3,
					   operands);
		if (quantize)
			quantize->quant.axis = -1;
		sum = loom_emit_end(em, quantize);
	}
	return loom_put_act(s->rw, loom_emit_cast(em, sum, y->dtype), &s->node->act);
}

static bool prepare(struct sum *s)
{
	const struct drm_loom_chip *chip = s->rw->chip;

	if (!loom_chip_has(chip, DRM_LOOM_OP_BINARY) ||
	    (s->node->inputs[MULT] && (!loom_chip_has(chip, DRM_LOOM_OP_CAST) ||
				       !loom_chip_has(chip, DRM_LOOM_OP_QUANTIZE))))
		return false;
	memset(s->inputs, 0, sizeof(s->inputs));
	memcpy(s->inputs, s->node->inputs, s->node->num_inputs * sizeof(*s->inputs));
	s->inputs[MULT] = NULL;
	s->inputs[Y_ZP] = NULL;
	s->inputs[LEFT] = loom_put_wide(s->rw, s->inputs[LEFT]);
	s->inputs[RIGHT] = loom_put_wide(s->rw, s->inputs[RIGHT]);
	if (!s->inputs[LEFT] || !s->inputs[RIGHT])
		return false;
	s->dtype = s->inputs[LEFT]->dtype;
	if (!loom_dtype_is_float(s->dtype))
		s->dtype = DRM_LOOM_DTYPE_I32;
	else if (s->inputs[BIAS])
		s->inputs[BIAS] = loom_emit_cast(&s->rw->em, s->inputs[BIAS], s->dtype);
	return true;
}

/* Adds up the pieces: @conv has no window if only channels are cut. */
static struct loom_value *add_pieces(struct sum *s, s64 piece, const struct loom_gconv *conv)
{
	struct loom_value *y = s->node->output, *sum = NULL, *in[LOOM_GMATMUL_NUM_OPERANDS];
	s64 at, count, step = conv ? conv->dilations[s->axis[RIGHT] - SPATIAL] : 1, reach;
	struct loom_node *node;

	for (at = 0; at < s->length && !s->rw->em.status; at += piece) {
		count = min(piece, s->length - at);
		memcpy(in, s->inputs, sizeof(in));
		if (at)
			in[BIAS] = NULL;
		reach = count;
		if (conv)
			reach = (y->dims[s->axis[LEFT]] - 1) *
				conv->strides[s->axis[LEFT] - SPATIAL] + (count - 1) * step + 1;
		in[LEFT] = loom_put_window(s->rw, in[LEFT], s->axis[LEFT], at * step, 1, reach);
		in[RIGHT] = loom_put_window(s->rw, in[RIGHT], s->axis[RIGHT], at, 1, count);
		if (!in[LEFT] || !in[RIGHT])
			return NULL;
		node = loom_emit_begin(&s->rw->em, s->node->op, s->dtype, y->rank, y->dims,
				       s->node->num_inputs, in);
		if (!node)
			return NULL;
		if (s->node->op == LOOM_GOP_MATMUL)
			node->matmul = s->node->matmul;
		else
			node->conv = conv ? *conv : s->node->conv;
		if (conv)
			node->conv.kernel[s->axis[RIGHT] - SPATIAL] = count;
		if (sum)
			sum = loom_emit_binary(&s->rw->em, LOOM_GBIN_ADD, sum,
					       loom_emit_end(&s->rw->em, node));
		else
			sum = loom_emit_end(&s->rw->em, node);
	}
	return finish(s, sum);
}

struct loom_value *loom_cut_matmul(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct sum s = { .rw = rw, .node = node };
	const struct loom_value *a, *b;
	s64 piece;

	if (!prepare(&s))
		return NULL;
	a = s.inputs[LEFT];
	b = s.inputs[RIGHT];
	s.axis[LEFT] = a->rank - (node->matmul.trans_a ? 2 : 1);
	s.axis[RIGHT] = b->rank - (node->matmul.trans_b ? 1 : 2);
	s.length = a->dims[s.axis[LEFT]];
	piece = loom_put_most(rw, loom_dtype_size(a->dtype) + loom_dtype_size(b->dtype));
	return piece < s.length ? add_pieces(&s, piece, NULL) : NULL;
}

/* The data with all padding that windows read, so that pieces of the kernel need none. */
static struct loom_value *with_padding(struct sum *s, struct loom_gconv *conv)
{
	const struct loom_value *zero = s->node->inputs[LOOM_GCONV_X_ZP];
	struct loom_value *x = s->inputs[LEFT];
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT };
	u32 i;

	if (zero && !zero->data)
		return NULL;
	pad.value = loom_put_bits(x->dtype, zero ? loom_value_float(zero, 0) : 0);
	for (i = 0; i < conv->num_spatial; i++) {
		s64 reach = (s->node->output->dims[SPATIAL + i] - 1) * conv->strides[i] +
			    (conv->kernel[i] - 1) * conv->dilations[i] + 1;

		pad.begin[SPATIAL + i] = conv->pads_begin[i];
		pad.end[SPATIAL + i] = reach - x->dims[SPATIAL + i] - conv->pads_begin[i];
		conv->pads_begin[i] = 0;
		conv->pads_end[i] = 0;
	}
	return loom_emit_pad(&s->rw->em, x, &pad);
}

/* Cuts the longest axis of the kernel. */
static struct loom_value *cut_kernel(struct sum *s, u64 tap_bytes)
{
	struct loom_gconv conv = s->node->conv;
	u32 longest = 0, i;
	s64 others = 1;

	for (i = 0; i < conv.num_spatial; i++)
		if (conv.kernel[i] > conv.kernel[longest])
			longest = i;
	for (i = 0; i < conv.num_spatial; i++)
		others *= i == longest ? 1 : conv.kernel[i];
	s->axis[LEFT] = SPATIAL + longest;
	s->axis[RIGHT] = SPATIAL + longest;
	s->length = conv.kernel[longest];
	if (s->length == 1)
		return NULL;
	s->inputs[LEFT] = with_padding(s, &conv);
	return s->inputs[LEFT] ? add_pieces(s, min(loom_put_most(s->rw, others * tap_bytes),
						   s->length - 1), &conv) : NULL;
}

struct loom_value *loom_cut_conv(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct sum s = { .rw = rw, .node = node };
	bool turned = node->op == LOOM_GOP_DECONV;
	u64 tap_bytes, taps;

	if (!prepare(&s))
		return NULL;
	tap_bytes = loom_dtype_size(s.inputs[LEFT]->dtype) +
		    loom_dtype_size(s.inputs[RIGHT]->dtype);
	taps = (u64)loom_value_trailing(s.inputs[RIGHT], SPATIAL);
	s.axis[LEFT] = 1;
	s.axis[RIGHT] = turned ? 0 : 1;
	s.length = s.inputs[LEFT]->dims[1];
	if (node->conv.groups == 1 && s.length > 1)
		return add_pieces(&s, min(loom_put_most(rw, taps * tap_bytes), s.length - 1),
				  NULL);
	return turned ? NULL : cut_kernel(&s, tap_bytes);
}
