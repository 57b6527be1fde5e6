// SPDX-License-Identifier: MIT
/*
 * Functions of one variable. A function of the device is one command; some others are chains of a
 * few commands on the slice in SRAM.
 */
#include "operators.h"

#include <errno.h>
#include <math.h>

#include "graph/value.h"

#define NO_UNARY	0xff

/**
 * struct function - a function as the device has it
 * @unary: an &enum drm_loom_unary, or NO_UNARY
 * @act: an &enum drm_loom_act, or NONE
 */
struct function {
	u8 unary;
	u8 act;
};

static const struct function functions[LOOM_GFN_COUNT] = {
	[LOOM_GFN_NONE] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_RELU] = { DRM_LOOM_UNARY_RELU, DRM_LOOM_ACT_RELU },
	[LOOM_GFN_CLIP] = { DRM_LOOM_UNARY_CLIP, DRM_LOOM_ACT_CLIP },
	[LOOM_GFN_LEAKY_RELU] = { DRM_LOOM_UNARY_LEAKY, DRM_LOOM_ACT_LEAKY },
	[LOOM_GFN_SIGMOID] = { DRM_LOOM_UNARY_SIGMOID, DRM_LOOM_ACT_SIGMOID },
	[LOOM_GFN_HARD_SIGMOID] = { DRM_LOOM_UNARY_HARDSIGMOID, DRM_LOOM_ACT_HARDSIGMOID },
	[LOOM_GFN_HARD_SWISH] = { DRM_LOOM_UNARY_HARDSWISH, DRM_LOOM_ACT_HARDSWISH },
	[LOOM_GFN_TANH] = { DRM_LOOM_UNARY_TANH, DRM_LOOM_ACT_TANH },
	[LOOM_GFN_ELU] = { DRM_LOOM_UNARY_ELU, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_SELU] = { DRM_LOOM_UNARY_SELU, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_CELU] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_THRESHOLDED_RELU] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_SHRINK] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_SOFTPLUS] = { DRM_LOOM_UNARY_SOFTPLUS, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_SOFTSIGN] = { DRM_LOOM_UNARY_SOFTSIGN, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_MISH] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_GELU] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_GELU_TANH] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_SQRT] = { DRM_LOOM_UNARY_SQRT, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_EXP] = { DRM_LOOM_UNARY_EXP, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_LOG] = { DRM_LOOM_UNARY_LOG, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_NEG] = { DRM_LOOM_UNARY_NEG, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ABS] = { DRM_LOOM_UNARY_ABS, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_SIGN] = { DRM_LOOM_UNARY_SIGN, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ERF] = { DRM_LOOM_UNARY_ERF, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_RECIPROCAL] = { DRM_LOOM_UNARY_RECIPROCAL, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_FLOOR] = { DRM_LOOM_UNARY_FLOOR, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_CEIL] = { DRM_LOOM_UNARY_CEIL, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ROUND] = { DRM_LOOM_UNARY_ROUND, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_NOT] = { DRM_LOOM_UNARY_NOT, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_SIN] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_COS] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_TAN] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ASIN] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ACOS] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ATAN] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_SINH] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_COSH] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ASINH] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ACOSH] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ATANH] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ISNAN] = { NO_UNARY, DRM_LOOM_ACT_NONE },
	[LOOM_GFN_ISINF] = { NO_UNARY, DRM_LOOM_ACT_NONE },
};

bool loom_kernel_activation(const struct loom_gact *act, u32 dtype, u32 *kind, u32 *p0, u32 *p1)
{
	*kind = DRM_LOOM_ACT_NONE;
	*p0 = 0;
	*p1 = 0;
	if (act->fn == LOOM_GFN_NONE)
		return true;
	if (!loom_dtype_is_float(dtype) || functions[act->fn].act == DRM_LOOM_ACT_NONE)
		return false;
	*kind = functions[act->fn].act;
	*p0 = loom_float_bits(act->alpha);
	*p1 = loom_float_bits(act->beta);
	return true;
}

/* Whether loom_unary of core supports the type. */
static bool device_takes(u32 unary, u32 dtype)
{
	switch (unary) {
	case DRM_LOOM_UNARY_RELU:
	case DRM_LOOM_UNARY_ABS:
		return dtype != DRM_LOOM_DTYPE_BOOL;
	case DRM_LOOM_UNARY_NEG:
	case DRM_LOOM_UNARY_SIGN:
		return loom_dtype_is_float(dtype) || loom_dtype_is_signed(dtype);
	case DRM_LOOM_UNARY_NOT:
		return dtype == DRM_LOOM_DTYPE_BOOL;
	default:
		return loom_dtype_is_float(dtype);
	}
}

/* y = a op number */
static void with_number(struct loom_kernel *k, u32 y, u32 a, double number, u32 kind)
{
	loom_kernel_binary(k, y, a, loom_kernel_const(k, a, number), kind);
}

static void chain_select(struct loom_kernel *k, u32 y, u32 cond, u32 a, u32 b)
{
	const u32 operands[] = { y, cond, a, b };

	loom_kernel_stage(k, DRM_LOOM_OP_SELECT, 4, operands);
}

static void chain_clip(struct loom_kernel *k, u32 y, u32 x, const struct loom_gact *act)
{
	with_number(k, y, x, act->alpha, DRM_LOOM_BINARY_MAX);
	with_number(k, y, y, act->beta, DRM_LOOM_BINARY_MIN);
}

static void chain_gelu(struct loom_kernel *k, u32 y, u32 x, u32 dtype)
{
	u32 t = loom_kernel_temp(k, x, dtype);

	with_number(k, t, x, M_SQRT1_2, DRM_LOOM_BINARY_MUL);
	loom_kernel_unary(k, t, t, DRM_LOOM_UNARY_ERF, 0, 0);
	with_number(k, t, t, 1, DRM_LOOM_BINARY_ADD);
	loom_kernel_binary(k, t, t, x, DRM_LOOM_BINARY_MUL);
	with_number(k, y, t, 0.5, DRM_LOOM_BINARY_MUL);
}

/* (1 + tanh(z)) / 2 is the sigmoid of 2 * z: fewer commands, and no digits are lost below zero. */
static void chain_gelu_tanh(struct loom_kernel *k, u32 y, u32 x, u32 dtype)
{
	const double twice = 2 * sqrt(2 / M_PI);
	u32 t = loom_kernel_temp(k, x, dtype);

	loom_kernel_binary(k, t, x, x, DRM_LOOM_BINARY_MUL);
	with_number(k, t, t, 0.044715 * twice, DRM_LOOM_BINARY_MUL);
	with_number(k, t, t, twice, DRM_LOOM_BINARY_ADD);
	loom_kernel_binary(k, t, t, x, DRM_LOOM_BINARY_MUL);
	loom_kernel_unary(k, t, t, DRM_LOOM_UNARY_SIGMOID, 0, 0);
	loom_kernel_binary(k, y, t, x, DRM_LOOM_BINARY_MUL);
}

static void chain_mish(struct loom_kernel *k, u32 y, u32 x, u32 dtype)
{
	u32 t = loom_kernel_temp(k, x, dtype);

	loom_kernel_unary(k, t, x, DRM_LOOM_UNARY_SOFTPLUS, 0, 0);
	loom_kernel_unary(k, t, t, DRM_LOOM_UNARY_TANH, 0, 0);
	loom_kernel_binary(k, y, t, x, DRM_LOOM_BINARY_MUL);
}

static void chain_celu(struct loom_kernel *k, u32 y, u32 x, u32 dtype, float alpha)
{
	u32 t = loom_kernel_temp(k, x, dtype), u = loom_kernel_temp(k, x, dtype);

	with_number(k, t, x, alpha, DRM_LOOM_BINARY_DIV);
	loom_kernel_unary(k, t, t, DRM_LOOM_UNARY_EXP, 0, 0);
	with_number(k, t, t, 1, DRM_LOOM_BINARY_SUB);
	with_number(k, t, t, alpha, DRM_LOOM_BINARY_MUL);
	with_number(k, t, t, 0, DRM_LOOM_BINARY_MIN);
	loom_kernel_unary(k, u, x, DRM_LOOM_UNARY_RELU, 0, 0);
	loom_kernel_binary(k, y, t, u, DRM_LOOM_BINARY_ADD);
}

static void chain_threshold(struct loom_kernel *k, u32 y, u32 x, float alpha)
{
	u32 m = loom_kernel_temp(k, x, DRM_LOOM_DTYPE_BOOL);

	with_number(k, m, x, alpha, DRM_LOOM_BINARY_GT);
	chain_select(k, y, m, x, loom_kernel_const(k, x, 0));
}

static void chain_shrink(struct loom_kernel *k, u32 y, u32 x, u32 dtype,
			 const struct loom_gact *act)
{
	u32 m = loom_kernel_temp(k, x, DRM_LOOM_DTYPE_BOOL);
	u32 t = loom_kernel_temp(k, x, dtype), u = loom_kernel_temp(k, x, dtype);
	u32 v = loom_kernel_temp(k, x, dtype);

	with_number(k, m, x, act->beta, DRM_LOOM_BINARY_GT);
	with_number(k, t, x, act->alpha, DRM_LOOM_BINARY_SUB);
	chain_select(k, u, m, t, loom_kernel_const(k, x, 0));
	with_number(k, m, x, -act->beta, DRM_LOOM_BINARY_LT);
	with_number(k, v, x, act->alpha, DRM_LOOM_BINARY_ADD);
	chain_select(k, y, m, v, u);
}

static void chain_isinf(struct loom_kernel *k, u32 y, u32 x, const struct loom_gact *act)
{
	u32 m;

	if (act->alpha != 0 && act->beta != 0) {
		m = loom_kernel_temp(k, x, DRM_LOOM_DTYPE_BOOL);
		with_number(k, m, x, -INFINITY, DRM_LOOM_BINARY_EQ);
		with_number(k, y, x, INFINITY, DRM_LOOM_BINARY_EQ);
		loom_kernel_binary(k, y, y, m, DRM_LOOM_BINARY_OR);
	} else if (act->alpha != 0 || act->beta != 0) {
		with_number(k, y, x, act->alpha != 0 ? -INFINITY : INFINITY, DRM_LOOM_BINARY_EQ);
	} else {
		m = loom_kernel_temp(k, x, DRM_LOOM_DTYPE_BOOL);
		loom_kernel_binary(k, m, x, x, DRM_LOOM_BINARY_EQ);
		loom_kernel_binary(k, y, m, m, DRM_LOOM_BINARY_XOR);
	}
}

static void chain_isnan(struct loom_kernel *k, u32 y, u32 x)
{
	u32 m = loom_kernel_temp(k, x, DRM_LOOM_DTYPE_BOOL);

	loom_kernel_binary(k, m, x, x, DRM_LOOM_BINARY_EQ);
	loom_kernel_unary(k, y, m, DRM_LOOM_UNARY_NOT, 0, 0);
}

int loom_kernel_function(struct loom_lower *lower, struct loom_kernel *kernel, u32 y, u32 x,
			 const struct loom_gact *act)
{
	u32 dtype = kernel->operands[x].ref.dtype;
	u32 unary = functions[act->fn].unary;

	if (act->fn == LOOM_GFN_CLIP && !loom_dtype_is_float(dtype)) {
		if (dtype == DRM_LOOM_DTYPE_BOOL)
			goto refuse;
		chain_clip(kernel, y, x, act);
		return 0;
	}
	if (unary != NO_UNARY) {
		if (!device_takes(unary, dtype))
			goto refuse;
		loom_kernel_unary(kernel, y, x, unary, act->alpha, act->beta);
		return 0;
	}
	if (!loom_dtype_is_float(dtype))
		goto refuse;
	switch (act->fn) {
	case LOOM_GFN_GELU:
		chain_gelu(kernel, y, x, dtype);
		return 0;
	case LOOM_GFN_GELU_TANH:
		chain_gelu_tanh(kernel, y, x, dtype);
		return 0;
	case LOOM_GFN_MISH:
		chain_mish(kernel, y, x, dtype);
		return 0;
	case LOOM_GFN_CELU:
		chain_celu(kernel, y, x, dtype, act->alpha);
		return 0;
	case LOOM_GFN_THRESHOLDED_RELU:
		chain_threshold(kernel, y, x, act->alpha);
		return 0;
	case LOOM_GFN_SHRINK:
		chain_shrink(kernel, y, x, dtype, act);
		return 0;
	case LOOM_GFN_ISNAN:
		chain_isnan(kernel, y, x);
		return 0;
	case LOOM_GFN_ISINF:
		chain_isinf(kernel, y, x, act);
		return 0;
	default:
		break;
	}
refuse:
	return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no %s of %s",
			       loom_gfn_name(act->fn), loom_dtype_name(dtype));
}
