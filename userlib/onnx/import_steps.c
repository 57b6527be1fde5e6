// SPDX-License-Identifier: MIT
/*
 * Importers of com.microsoft's operators on quantised tensors (QLinearAdd, QGemm, ...), which ONNX
 * Runtime's quantiser uses where ONNX has none. Each is DEQUANTIZE of its operands, the operator,
 * and QUANTIZE of the result; a product between the two becomes an integer layer (graph/integer.c).
 */
#include "import.h"
#include "loom_core.h"

#include <errno.h>
#include <string.h>

/* operand @index in steps, with scale and zero point behind it */
static struct loom_value *steps_of(struct loom_import *im, uint32_t index)
{
	return loom_import_steps_of(im, loom_import_operand(im, index),
				    loom_import_operand(im, index + 1),
				    loom_import_optional(im, index + 2), -1);
}

/* the result, in steps of operand @scale on, by default of the type of operand 0 */
static void finish(struct loom_import *im, struct loom_value *y, uint32_t scale)
{
	const struct loom_value *x = loom_import_operand(im, 0);

	if (x)
		loom_import_result(im, 0, loom_import_in_steps(im, y,
							       loom_import_operand(im, scale),
							       loom_import_optional(im, scale + 1),
							       x->dtype));
}

void loom_import_steps_binary(struct loom_import *im, int fn)
{
	finish(im, loom_emit_binary(im->em, (enum loom_gbin)fn, steps_of(im, 0), steps_of(im, 3)),
	       6);
}

void loom_import_steps_unary(struct loom_import *im, int fn)
{
	struct loom_gact act = { .fn = (enum loom_gfn)fn };

	if (act.fn == LOOM_GFN_LEAKY_RELU)
		act.alpha = loom_attr_float(im, "alpha", 0.01f);
	finish(im, loom_emit_unary(im->em, act, steps_of(im, 0)), 3);
}

/**
 * inner() - import a node as another operator of ONNX
 * @im: the node
 * @import: importer of the other operator
 * @arg: its argument
 * @x: its first operand, the others are those of the node; NULL for that of the node as well
 * @num_inputs: its maximum number of operands
 *
 * Return: its first result, NULL after an error.
 */
static struct loom_value *inner(struct loom_import *im, void (*import)(struct loom_import *im, int),
				int arg, struct loom_value *x, uint32_t num_inputs)
{
	struct loom_names *values = &im->graph->source->values;
	const char **inputs, *result = im->node->desc.outputs[0];
	struct loom_source_node node = *im->node;
	struct loom_import sub = *im;
	struct loom_value *y;

	if (im->em->status)
		return NULL;
	inputs = loom_pool_array(im->graph->pool, node.desc.num_inputs, sizeof(*inputs));
	if (!inputs) {
		loom_import_fail(im, -ENOMEM, "out of memory");
		return NULL;
	}
	memcpy(inputs, node.desc.inputs, node.desc.num_inputs * sizeof(*inputs));
	node.desc.inputs = inputs;
	if (num_inputs < node.desc.num_inputs)
		node.desc.num_inputs = num_inputs;
	node.desc.num_outputs = 1;
	sub.node = &node;
	if (x) {
		/* under the result's name until the result has a value of its own */
		inputs[0] = result;
		if (loom_names_set(values, result, x)) {
			loom_import_fail(im, -ENOMEM, "out of memory");
			return NULL;
		}
	}
	import(&sub, arg);
	if (im->em->status)
		return NULL;
	y = loom_names_find(values, result);
	/* the name belongs to the result of the whole node */
	if (y && y->id >= im->em->first_value)
		y->name = NULL;
	return y;
}

/* channels last or first, as the attribute says */
static struct loom_value *turn(struct loom_import *im, struct loom_value *x, bool to_first)
{
	uint32_t perm[LOOM_GRAPH_RANK], i;

	if (!x || !loom_attr_int(im, "channels_last", 0) || x->rank < 3)
		return x;
	for (i = 0; i < x->rank; i++)
		if (to_first)
			perm[i] = i < 1 ? 0 : i == 1 ? x->rank - 1 : i - 1;
		else
			perm[i] = i < 1 ? 0 : i == x->rank - 1 ? 1 : i + 1;
	return loom_emit_transpose(im->em, x, perm);
}

void loom_import_steps_pool(struct loom_import *im, int global)
{
	struct loom_value *x = turn(im, steps_of(im, 0), true), *y;

	y = global ? inner(im, loom_import_global_pool, LOOM_GREDUCE_MEAN, x, 1) :
		     inner(im, loom_import_pool, LOOM_GPOOL_AVG, x, 1);
	finish(im, turn(im, y, false), 3);
}

void loom_import_steps_softmax(struct loom_import *im, int unused)
{
	struct loom_import sub = *im;

	(void)unused;
	/* the attribute is the opset of the Softmax */
	sub.opset = (int)loom_attr_int(im, "opset", im->opset);
	finish(im, inner(&sub, loom_import_softmax, false, steps_of(im, 0), 1), 3);
}

void loom_import_steps_concat(struct loom_import *im, int unused)
{
	uint32_t count = im->node->desc.num_inputs, i, parts = (count - 2) / 3;
	struct loom_value **x, *y, *zero = loom_import_operand(im, 1);

	(void)unused;
	if (count < 5 || (count - 2) % 3) {
		loom_import_fail(im, -EINVAL, "it has %u operands", count);
		return;
	}
	x = loom_pool_array(im->graph->pool, parts, sizeof(struct loom_value *));
	for (i = 0; x && i < parts; i++)
		x[i] = steps_of(im, 2 + 3 * i);
	if (!x || im->em->status)
		return;
	y = loom_emit_concat(im->em, parts, x,
			     loom_import_axis(im, loom_attr_int(im, "axis", 0), x[0]->rank));
	if (zero)
		loom_import_result(im, 0, loom_import_in_steps(im, y, loom_import_operand(im, 0),
							       zero, zero->dtype));
}

static struct loom_value *swapped(struct loom_import *im, struct loom_value *x, bool swap)
{
	return swap ? loom_emit_transpose(im->em, x, (uint32_t[]){ 1, 0 }) : x;
}

void loom_import_steps_gemm(struct loom_import *im, int unused)
{
	struct loom_value *a = loom_import_operand(im, 0), *b = loom_import_operand(im, 3), *y;
	struct loom_value *a_scale = loom_import_operand(im, 1), *c;
	struct loom_value *b_scale = loom_import_operand(im, 4);
	float alpha = loom_attr_float(im, "alpha", 1);

	(void)unused;
	if (!a || !b || !a_scale || !b_scale)
		return;
	if (a->rank != 2 || b->rank != 2) {
		loom_import_fail(im, -EINVAL, "operands of rank %u and %u are no matrices", a->rank,
				 b->rank);
		return;
	}
	a = loom_import_steps_of(im, swapped(im, a, loom_attr_int(im, "transA", 0)), a_scale,
				 loom_import_optional(im, 2), -1);
	/* columns as rows, as products have them */
	b = loom_import_steps_of(im, swapped(im, b, !loom_attr_int(im, "transB", 0)), b_scale,
				 loom_import_optional(im, 5), 0);
	c = loom_import_optional(im, 6);
	if (c) {
		y = loom_emit_binary(im->em, LOOM_GBIN_MUL, a_scale, b_scale);
		c = loom_import_steps_of(im, c, y, NULL, (int32_t)c->rank - 1);
	}
	/* c is in steps of the sums: alpha is a factor of both */
	y = loom_import_product(im, a, b, c);
	if (alpha != 1)
		y = loom_emit_binary(im->em, LOOM_GBIN_MUL, y,
				     loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, alpha));
	if (loom_import_has(im, 7))
		finish(im, y, 7);
	else
		loom_import_result(im, 0, y);
}

/* -------------------------------------------- fused operators of ONNX Runtime */

static struct loom_value *activate(struct loom_import *im, struct loom_value *x)
{
	static const struct {
		const char *name;
		enum loom_gfn fn;
		float alpha, beta;
	} acts[] = {
		{ "", LOOM_GFN_NONE, 0, 0 },
		{ "Relu", LOOM_GFN_RELU, 0, 0 },
		{ "Sigmoid", LOOM_GFN_SIGMOID, 0, 0 },
		{ "Tanh", LOOM_GFN_TANH, 0, 0 },
		{ "LeakyRelu", LOOM_GFN_LEAKY_RELU, 0.01f, 0 },
		{ "Clip", LOOM_GFN_CLIP, 0, 0 },
		{ "HardSigmoid", LOOM_GFN_HARD_SIGMOID, 0.2f, 0.5f },
	};
	const char *name = loom_attr_string(im, "activation", "");
	const struct loom_attr *params = loom_attr_find(im, "activation_params");
	struct loom_gact act;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(acts) && strcmp(acts[i].name, name); i++)
		;
	if (i == ARRAY_SIZE(acts)) {
		loom_import_fail(im, -EOPNOTSUPP, "activation \"%.40s\" is not supported", name);
		return NULL;
	}
	if (params && params->type != LOOM_ATTR_FLOATS)
		loom_import_fail(im, -EINVAL, "attribute activation_params has the wrong type");
	act = (struct loom_gact){ acts[i].fn, acts[i].alpha, acts[i].beta };
	if (params && params->type == LOOM_ATTR_FLOATS && params->count > 0)
		act.alpha = params->floats[0];
	if (params && params->type == LOOM_ATTR_FLOATS && params->count > 1)
		act.beta = params->floats[1];
	if (loom_attr_find(im, "activation_alpha"))
		act.alpha = loom_attr_float(im, "activation_alpha", 0);
	if (loom_attr_find(im, "activation_beta"))
		act.beta = loom_attr_float(im, "activation_beta", 0);
	return act.fn == LOOM_GFN_NONE ? x : loom_emit_unary(im->em, act, x);
}

void loom_import_fused_conv(struct loom_import *im, int unused)
{
	struct loom_value *y = inner(im, loom_import_conv, 0, NULL, 3);

	(void)unused;
	if (loom_import_has(im, 3))
		y = loom_emit_binary(im->em, LOOM_GBIN_ADD, y, loom_import_operand(im, 3));
	loom_import_result(im, 0, activate(im, y));
}

void loom_import_fused_gemm(struct loom_import *im, int unused)
{
	(void)unused;
	loom_import_result(im, 0, activate(im, inner(im, loom_import_gemm, 0, NULL, 3)));
}

static struct loom_value *last_swapped(struct loom_import *im, struct loom_value *x, bool swap)
{
	uint32_t perm[LOOM_GRAPH_RANK], i;

	if (!x || !swap)
		return x;
	for (i = 0; i < x->rank; i++)
		perm[i] = i + 2 < x->rank ? i : 2 * x->rank - 3 - i;
	return loom_emit_transpose(im->em, x, perm);
}

void loom_import_fused_matmul(struct loom_import *im, int unused)
{
	struct loom_value *a = loom_import_operand(im, 0), *b = loom_import_operand(im, 1), *y;
	float alpha = loom_attr_float(im, "alpha", 1);

	(void)unused;
	if (!a || !b)
		return;
	if (a->rank < 2 || b->rank < 2 || a->dtype != b->dtype || !loom_dtype_is_float(a->dtype) ||
	    loom_attr_int(im, "transBatchA", 0) || loom_attr_int(im, "transBatchB", 0)) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "operands of these ranks or types, or turned batches, are not supported");
		return;
	}
	a = last_swapped(im, a, loom_attr_int(im, "transA", 0));
	b = last_swapped(im, b, !loom_attr_int(im, "transB", 0));
	y = loom_import_product(im, a, b, NULL);
	if (alpha != 1 && y)
		y = loom_emit_binary(im->em, LOOM_GBIN_MUL, y,
				     loom_emit_scalar(im->em, y->dtype, alpha));
	loom_import_result(im, 0, y);
}

/* of the sum of both operands, the second of which FastGelu may leave out */
void loom_import_bias_gelu(struct loom_import *im, int fn)
{
	struct loom_value *x = loom_import_operand(im, 0);

	if (loom_import_has(im, 1))
		x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x, loom_import_operand(im, 1));
	loom_import_result(im, 0, loom_emit_fn(im->em, (enum loom_gfn)fn, x));
}
