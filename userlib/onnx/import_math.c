// SPDX-License-Identifier: MIT
/* Importers of element-wise operators. */
#include "import.h"
#include "update.h"
#include "proto.h"

#include <errno.h>
#include <math.h>

/* before opset 7 the second operand was laid along the first from attribute axis on */
static struct loom_value *second_operand(struct loom_import *im, const struct loom_value *a)
{
	struct loom_value *b = loom_import_operand(im, 1);
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t i, axis;

	if (im->opset >= 7 || !a || !b || !loom_attr_find(im, "axis"))
		return b;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", 0), a->rank);
	if (axis + b->rank > a->rank) {
		loom_import_fail(im, -EINVAL, "operand of rank %u at axis %u", b->rank, axis);
		return NULL;
	}
	for (i = 0; i < a->rank - axis; i++)
		dims[i] = i < b->rank ? b->dims[i] : 1;
	return loom_emit_reshape(im->em, b, a->rank - axis, dims);
}

void loom_import_binary(struct loom_import *im, int fn)
{
	struct loom_value *a = loom_import_operand(im, 0);
	struct loom_value *b = second_operand(im, a);

	loom_import_result(im, 0, loom_emit_binary(im->em, (enum loom_gbin)fn, a, b));
}

/* Max, Min and Sum of many are a chain, from the left as ONNX Runtime has it */
static struct loom_value *emit_chain(struct loom_import *im, enum loom_gbin fn)
{
	struct loom_value *result = loom_import_operand(im, 0);
	uint32_t i;

	for (i = 1; i < im->node->desc.num_inputs; i++)
		result = loom_emit_binary(im->em, fn, result, loom_import_operand(im, i));
	return result;
}

void loom_import_variadic(struct loom_import *im, int fn)
{
	loom_import_result(im, 0, emit_chain(im, (enum loom_gbin)fn));
}

void loom_import_mean(struct loom_import *im, int unused)
{
	struct loom_value *sum = emit_chain(im, LOOM_GBIN_ADD);

	(void)unused;
	if (sum)
		sum = loom_emit_binary(im->em, LOOM_GBIN_DIV, sum,
				       loom_emit_scalar(im->em, sum->dtype,
							im->node->desc.num_inputs));
	loom_import_result(im, 0, sum);
}

void loom_import_mod(struct loom_import *im, int unused)
{
	struct loom_value *a = loom_import_operand(im, 0);
	struct loom_value *b = loom_import_operand(im, 1);
	bool fmod_sign = loom_attr_int(im, "fmod", 0);

	(void)unused;
	if (a && loom_dtype_is_float(a->dtype) && !fmod_sign)
		loom_import_fail(im, -EINVAL, "floats need fmod = 1");
	loom_import_result(im, 0, loom_emit_binary(im->em, fmod_sign ? LOOM_GBIN_FMOD :
								       LOOM_GBIN_MOD, a, b));
}

/* The result has the type of the base, for any type of the exponent. */
void loom_import_pow(struct loom_import *im, int unused)
{
	struct loom_value *base = loom_import_operand(im, 0);
	struct loom_value *exponent = second_operand(im, base);
	uint32_t dtype;

	(void)unused;
	if (!base || !exponent)
		return;
	dtype = base->dtype;
	if (loom_dtype_is_float(exponent->dtype) && loom_dtype_is_int(dtype))
		base = loom_emit_cast(im->em, base, exponent->dtype);
	else
		exponent = loom_emit_cast(im->em, exponent, dtype);
	base = loom_emit_binary(im->em, LOOM_GBIN_POW, base, exponent);
	loom_import_result(im, 0, loom_emit_cast(im->em, base, dtype));
}

void loom_import_prelu(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	struct loom_value *slope = loom_import_operand(im, 1), *y;

	(void)unused;
	/* before opset 7 a vector meant channels */
	if (im->opset < 7 && x && slope && x->rank > 2 && slope->rank == 1 &&
	    slope->dims[0] == x->dims[1])
		slope = loom_emit_reshape(im->em, slope, x->rank - 1,
					  (int64_t[]){ x->dims[1], 1, 1, 1, 1, 1, 1 });
	y = loom_emit_binary(im->em, LOOM_GBIN_PRELU, x, slope);
	if (y && !loom_dims_equal(x, y))
		loom_import_fail(im, -EINVAL, "slope does not broadcast to the data");
	loom_import_result(im, 0, y);
}

/* x >> y: a quotient, or 0 where all bits are shifted out and the power does not fit */
static struct loom_value *emit_shift_right(struct loom_import *im, struct loom_value *x,
					   struct loom_value *y)
{
	int bits = 8 * (int)loom_dtype_size(x->dtype);
	struct loom_value *most = loom_emit_scalar(im->em, x->dtype, bits - 1), *power;

	power = loom_emit_binary(im->em, LOOM_GBIN_POW, loom_emit_scalar(im->em, x->dtype, 2),
				 loom_emit_binary(im->em, LOOM_GBIN_MIN, y, most));
	return loom_emit_select(im->em, loom_emit_binary(im->em, LOOM_GBIN_LESS_EQUAL, y, most),
				loom_emit_binary(im->em, LOOM_GBIN_DIV, x, power),
				loom_emit_scalar(im->em, x->dtype, 0));
}

/* x << y: a product with a power of two, which is 0 where it does not fit */
static struct loom_value *emit_shift_left(struct loom_import *im, struct loom_value *x,
					  struct loom_value *y)
{
	y = loom_emit_binary(im->em, LOOM_GBIN_POW, loom_emit_scalar(im->em, x->dtype, 2), y);
	return loom_emit_binary(im->em, LOOM_GBIN_MUL, x, y);
}

void loom_import_bit_shift(struct loom_import *im, int unused)
{
	static const char *const directions[] = { "", "LEFT", "RIGHT", NULL };
	struct loom_value *x = loom_import_operand(im, 0), *y = loom_import_operand(im, 1);
	uint32_t direction = loom_attr_choice(im, "direction", directions);

	(void)unused;
	if (!x || !y || im->em->status)
		return;
	if (!direction || x->dtype != y->dtype || !loom_dtype_is_int(x->dtype) ||
	    loom_dtype_is_signed(x->dtype)) {
		loom_import_fail(im, -EINVAL, "operands are %s and %s, direction is \"%s\"",
				 loom_dtype_name(x->dtype), loom_dtype_name(y->dtype),
				 directions[direction]);
		return;
	}
	loom_import_result(im, 0, direction == 1 ? emit_shift_left(im, x, y) :
						   emit_shift_right(im, x, y));
}

/* -1 - x, the bitwise complement in any type. */
void loom_import_bit_not(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *ones;

	(void)unused;
	if (!x || im->em->status)
		return;
	if (!loom_dtype_is_int(x->dtype)) {
		loom_import_fail(im, -EINVAL, "operand of type %s", loom_dtype_name(x->dtype));
		return;
	}
	ones = loom_emit_const(im->em, x->dtype, 0, NULL);
	if (ones)
		loom_value_set_int(ones, 0, -1);
	loom_import_result(im, 0, loom_emit_binary(im->em, LOOM_GBIN_SUB, ones, x));
}

/**
 * struct fn_params - attributes of the functions that have any
 * @alpha_name: attribute that becomes &loom_gact.alpha
 * @alpha: its default
 * @beta_name: attribute that becomes &loom_gact.beta
 * @beta: its default
 */
struct fn_params {
	const char *alpha_name;
	float alpha;
	const char *beta_name;
	float beta;
};

static const struct fn_params fn_params[LOOM_GFN_COUNT] = {
	[LOOM_GFN_LEAKY_RELU] = { "alpha", 0.01f, NULL, 0 },
	[LOOM_GFN_HARD_SIGMOID] = { "alpha", 0.2f, "beta", 0.5f },
	[LOOM_GFN_ELU] = { "alpha", 1.0f, NULL, 0 },
	[LOOM_GFN_SELU] = { "alpha", 1.67326319217681884765625f, "gamma",
			    1.05070102214813232421875f },
	[LOOM_GFN_CELU] = { "alpha", 1.0f, NULL, 0 },
	[LOOM_GFN_THRESHOLDED_RELU] = { "alpha", 1.0f, NULL, 0 },
	[LOOM_GFN_SHRINK] = { "bias", 0.0f, "lambd", 0.5f },
};

static bool fn_takes_ints(enum loom_gfn fn)
{
	return fn == LOOM_GFN_RELU || fn == LOOM_GFN_CLIP || fn == LOOM_GFN_NEG ||
	       fn == LOOM_GFN_ABS || fn == LOOM_GFN_SIGN;
}

void loom_import_unary(struct loom_import *im, int fn)
{
	const struct fn_params *params = &fn_params[fn];
	struct loom_gact act = { .fn = (enum loom_gfn)fn };
	struct loom_value *x = loom_import_operand(im, 0);

	if (params->alpha_name)
		act.alpha = loom_attr_float(im, params->alpha_name, params->alpha);
	if (params->beta_name)
		act.beta = loom_attr_float(im, params->beta_name, params->beta);
	if (x && loom_dtype_is_int(x->dtype) && !fn_takes_ints(act.fn))
		loom_import_fail(im, -EOPNOTSUPP, "operand of type %s is not supported",
				 loom_dtype_name(x->dtype));
	loom_import_result(im, 0, loom_emit_unary(im->em, act, x));
}

/* a bound is a parameter where a float holds it exactly, else an operand */
static bool clip_has_params(struct loom_import *im, const struct loom_value *x)
{
	uint32_t i;

	if (loom_dtype_is_int(x->dtype) && loom_dtype_size(x->dtype) > 2)
		return false;
	for (i = 1; i <= 2; i++) {
		const struct loom_value *bound = loom_import_optional(im, i);

		if (bound &&
		    (!bound->data || bound->num_elems != 1 || x->dtype == DRM_LOOM_DTYPE_F64))
			return false;
	}
	return true;
}

void loom_import_clip(struct loom_import *im, int unused)
{
	struct loom_gact act = { LOOM_GFN_CLIP, -INFINITY, INFINITY };
	struct loom_value *x = loom_import_operand(im, 0);

	(void)unused;
	if (!x)
		return;
	if (im->opset < 11) {
		act.alpha = loom_attr_float(im, "min", -INFINITY);
		act.beta = loom_attr_float(im, "max", INFINITY);
		x = loom_emit_unary(im->em, act, x);
	} else if (clip_has_params(im, x)) {
		act.alpha = (float)loom_import_scalar(im, 1, -INFINITY);
		act.beta = (float)loom_import_scalar(im, 2, INFINITY);
		x = loom_emit_unary(im->em, act, x);
	} else {
		if (loom_import_has(im, 1))
			x = loom_emit_binary(im->em, LOOM_GBIN_MAX, x, loom_import_operand(im, 1));
		if (loom_import_has(im, 2))
			x = loom_emit_binary(im->em, LOOM_GBIN_MIN, x, loom_import_operand(im, 2));
	}
	loom_import_result(im, 0, x);
}

void loom_import_gelu(struct loom_import *im, int unused)
{
	static const char *const kinds[] = { "none", "tanh", NULL };
	uint32_t kind = loom_attr_choice(im, "approximate", kinds);

	(void)unused;
	loom_import_result(im, 0, loom_emit_fn(im->em, kind ? LOOM_GFN_GELU_TANH : LOOM_GFN_GELU,
					       loom_import_operand(im, 0)));
}

/* x * sigmoid(alpha * x) */
void loom_import_swish(struct loom_import *im, int quick)
{
	float alpha = loom_attr_float(im, "alpha", quick ? 1.702f : 1);
	struct loom_value *x = loom_import_operand(im, 0), *y = x;

	if (x && alpha != 1)
		y = loom_emit_binary(im->em, LOOM_GBIN_MUL, x,
				     loom_emit_scalar(im->em, x->dtype, alpha));
	y = loom_emit_fn(im->em, LOOM_GFN_SIGMOID, y);
	loom_import_result(im, 0, loom_emit_binary(im->em, LOOM_GBIN_MUL, x, y));
}

void loom_import_isinf(struct loom_import *im, int unused)
{
	struct loom_gact act = {
		.fn = LOOM_GFN_ISINF,
		.alpha = (float)loom_attr_int(im, "detect_negative", 1),
		.beta = (float)loom_attr_int(im, "detect_positive", 1),
	};

	(void)unused;
	loom_import_result(im, 0, loom_emit_unary(im->em, act, loom_import_operand(im, 0)));
}

/*
 * To BFLOAT16, which is F32 with 8 bits of a fraction: with y = x * 65537, the subtractions of
 * y - (y - x) round to those.
 */
static struct loom_value *emit_bfloat(struct loom_import *im, struct loom_value *x)
{
	struct loom_value *y, *rest, *small;

	x = loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_F32);
	y = loom_emit_binary(im->em, LOOM_GBIN_MUL, x,
			     loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 65537));
	rest = loom_emit_binary(im->em, LOOM_GBIN_SUB, y, x);
	y = loom_emit_binary(im->em, LOOM_GBIN_SUB, y, rest);
	/* where the product overflows, and for infinities, x is kept as it is */
	small = loom_emit_binary(im->em, LOOM_GBIN_LESS, loom_emit_fn(im->em, LOOM_GFN_ABS, x),
				 loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 0x1p110));
	return loom_emit_select(im->em, small, y, x);
}

void loom_import_cast(struct loom_import *im, int unused)
{
	const int64_t bfloat = 16;
	int64_t to;

	(void)unused;
	if (im->opset < 6)
		loom_import_fail(im, -EOPNOTSUPP, "it is not supported before opset 6");
	to = loom_attr_int(im, "to", 0);
	if (!loom_onnx_dtype(to))
		loom_import_fail(im, -EOPNOTSUPP, "type %s is not supported",
				 loom_onnx_dtype_name(to));
	if (to == bfloat) {
		loom_import_result(im, 0, emit_bfloat(im, loom_import_operand(im, 0)));
		return;
	}
	loom_import_result(im, 0, loom_emit_cast(im->em, loom_import_operand(im, 0),
						 loom_onnx_dtype(to)));
}

void loom_import_cast_like(struct loom_import *im, int unused)
{
	struct loom_value *like = loom_import_operand(im, 1);

	(void)unused;
	if (like)
		loom_import_result(im, 0, loom_emit_cast(im->em, loom_import_operand(im, 0),
							 like->dtype));
}

void loom_import_where(struct loom_import *im, int unused)
{
	struct loom_value *condition = loom_import_operand(im, 0);
	struct loom_value *a = loom_import_operand(im, 1);
	struct loom_value *b = loom_import_operand(im, 2);
	struct loom_value *y = loom_emit_select(im->em, condition, a, b);

	(void)unused;
	loom_update_where(im, condition, a, b, y);
	loom_import_result(im, 0, y);
}

/* a result of an If whose condition depends on the data: both branches were computed */
static struct loom_value *select_result(struct loom_import *im, struct loom_value *condition,
					struct loom_value *a, struct loom_value *b)
{
	char first[LOOM_DIMS_TEXT], second[LOOM_DIMS_TEXT];

	if (!a || !b)
		return NULL;
	if (a->dtype != b->dtype || !loom_dims_equal(a, b)) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "its condition depends on the data, and its branches give %s %s and %s %s",
				 loom_dtype_name(a->dtype),
				 loom_dims_print(first, sizeof(first), a->rank, a->dims),
				 loom_dtype_name(b->dtype),
				 loom_dims_print(second, sizeof(second), b->rank, b->dims));
		return NULL;
	}
	return loom_emit_select(im->em, condition, a, b);
}

/* operands: the condition, the results of one branch, and those of the other */
void loom_import_if(struct loom_import *im, int unused)
{
	uint32_t count = im->node->desc.num_outputs, i;
	struct loom_value *condition = loom_import_operand(im, 0), *result;
	bool holds, known = loom_import_decides(im, im->node->desc.inputs[0], &holds);

	(void)unused;
	if (condition && (condition->num_elems != 1 || condition->dtype != DRM_LOOM_DTYPE_BOOL))
		loom_import_fail(im, -EINVAL, "its condition is not one bool");
	for (i = 0; i < count && !im->em->status; i++) {
		if (!loom_import_wants(im, i))
			continue;
		if (known)
			result = loom_import_operand(im, 1 + i + (holds ? 0 : count));
		else
			result = select_result(im, condition, loom_import_operand(im, 1 + i),
					       loom_import_operand(im, 1 + i + count));
		loom_import_result(im, i, result);
	}
}
