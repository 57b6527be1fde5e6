// SPDX-License-Identifier: MIT
/* Importers of quantisation. */
#include "import.h"

#include <errno.h>
#include <string.h>

/* the axis scale and zero point run along, -1 for one of each */
static int32_t quant_axis(struct loom_import *im, const struct loom_value *x,
			  const struct loom_value *scale, const struct loom_value *zero)
{
	uint32_t axis;

	if (zero->num_elems != scale->num_elems)
		loom_import_fail(im, -EINVAL, "%lld scales and %lld zero points",
				 (long long)scale->num_elems, (long long)zero->num_elems);
	if (scale->num_elems == 1)
		return -1;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", 1), x->rank);
	if (!im->em->status && (scale->rank != 1 || scale->dims[0] != x->dims[axis]))
		loom_import_fail(im, -EINVAL, "%lld scales for axis %u of %lld",
				 (long long)scale->num_elems, axis, (long long)x->dims[axis]);
	return (int32_t)axis;
}

/* along @axis; -1: scale and zero point broadcast */
static struct loom_value *emit_along(struct loom_import *im, enum loom_gop op, uint32_t dtype,
				     struct loom_value *x, struct loom_value *scale,
				     struct loom_value *zero, int32_t axis)
{
	struct loom_value *inputs[] = { x, scale, zero };
	struct loom_node *node;

	if (im->em->status || !x || !scale || !zero)
		return NULL;
	node = loom_emit_begin(im->em, op, dtype, x->rank, x->dims, 3, inputs);
	if (node)
		node->quant.axis = axis;
	return loom_emit_end(im->em, node);
}

static struct loom_value *emit_quant(struct loom_import *im, enum loom_gop op, uint32_t dtype,
				     struct loom_value *x, struct loom_value *scale,
				     struct loom_value *zero)
{
	if (im->em->status || !x || !scale || !zero)
		return NULL;
	return emit_along(im, op, dtype, x, scale, zero, quant_axis(im, x, scale, zero));
}

/* Checks scale and zero point next to their operand in a list: one each, or one per channel. */
static bool steps_fit(struct loom_import *im, const struct loom_value *x,
		      const struct loom_value *scale, const struct loom_value *zero, int32_t axis)
{
	if (im->em->status || !x || !scale || !zero)
		return false;
	if (scale->dtype == DRM_LOOM_DTYPE_F32 && loom_dtype_is_int(zero->dtype) &&
	    loom_dtype_size(zero->dtype) <= 4 && zero->num_elems == scale->num_elems &&
	    (scale->num_elems == 1 ||
	     (axis >= 0 && scale->rank == 1 && scale->dims[0] == x->dims[axis])))
		return true;
	loom_import_fail(im, -EINVAL, "scales or zero points do not fit their operand");
	return false;
}

struct loom_value *loom_import_steps_of(struct loom_import *im, struct loom_value *x,
					struct loom_value *scale, struct loom_value *zero,
					int32_t axis)
{
	if (!zero && x && scale)
		zero = loom_emit_const(im->em, x->dtype, scale->rank, scale->dims);
	if (!steps_fit(im, x, scale, zero, axis))
		return NULL;
	if (zero->dtype != x->dtype) {
		loom_import_fail(im, -EINVAL, "operand of type %s with a zero point of type %s",
				 loom_dtype_name(x->dtype), loom_dtype_name(zero->dtype));
		return NULL;
	}
	return emit_along(im, LOOM_GOP_DEQUANTIZE, DRM_LOOM_DTYPE_F32, x, scale, zero,
			  scale->num_elems == 1 ? -1 : axis);
}

struct loom_value *loom_import_steps_by(struct loom_import *im, struct loom_value *x,
					struct loom_value *scale, struct loom_value *zero)
{
	return emit_along(im, LOOM_GOP_DEQUANTIZE, DRM_LOOM_DTYPE_F32, x, scale, zero, -1);
}

struct loom_value *loom_import_in_steps(struct loom_import *im, struct loom_value *x,
					struct loom_value *scale, struct loom_value *zero,
					uint32_t dtype)
{
	if (!zero && scale)
		zero = loom_emit_const(im->em, dtype, scale->rank, scale->dims);
	if (!steps_fit(im, x, scale, zero, -1))
		return NULL;
	return emit_along(im, LOOM_GOP_QUANTIZE, zero->dtype, x, scale, zero, -1);
}

/* the zero point, zeroes where it was left out */
static struct loom_value *zero_point(struct loom_import *im, uint32_t operand,
				     const struct loom_value *scale, uint32_t dtype)
{
	if (loom_import_has(im, operand) || !scale)
		return loom_import_optional(im, operand);
	return loom_emit_const(im->em, dtype, scale->rank, scale->dims);
}

static uint32_t block_axis(struct loom_import *im, const struct loom_value *x)
{
	return loom_import_axis(im, loom_attr_int(im, "axis", 1), x->rank);
}

void loom_import_quantize(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *scale = loom_import_operand(im, 1);
	struct loom_value *zero = zero_point(im, 2, scale, DRM_LOOM_DTYPE_U8), *y;
	int64_t block;

	(void)unused;
	if (!x || !scale || !zero)
		return;
	/* of the division: 0 is the scale's own, 1 is f32 */
	if (loom_attr_int(im, "precision", 0) & ~1)
		loom_import_fail(im, -EOPNOTSUPP, "precision other than f32 is not supported");
	if (loom_attr_int(im, "output_dtype", 0) && !loom_import_has(im, 2))
		loom_import_fail(im, -EOPNOTSUPP,
				 "output_dtype without zero point is not supported");
	/* F16 is divided in F32 and rounded once, as by ONNX Runtime */
	if ((scale->dtype != DRM_LOOM_DTYPE_F32 && scale->dtype != DRM_LOOM_DTYPE_F16) ||
	    (x->dtype != scale->dtype && x->dtype != DRM_LOOM_DTYPE_I32) ||
	    !loom_dtype_is_int(zero->dtype) || loom_dtype_size(zero->dtype) > 2)
		loom_import_fail(im, -EOPNOTSUPP, "types %s, %s and %s are not supported",
				 loom_dtype_name(x->dtype), loom_dtype_name(scale->dtype),
				 loom_dtype_name(zero->dtype));
	x = loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_F32);
	scale = loom_emit_cast(im->em, scale, DRM_LOOM_DTYPE_F32);
	block = loom_attr_int(im, "block_size", 0);
	if (block)
		y = loom_import_in_steps(im, loom_import_in_blocks(im, x, scale, zero,
								   block_axis(im, x), block),
					 loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 1), NULL,
					 zero->dtype);
	else
		y = emit_quant(im, LOOM_GOP_QUANTIZE, zero->dtype, x, scale, zero);
	/* bytes in between saturate later, and so alike */
	if (zero->bits)
		y = loom_emit_unary(im->em, loom_dtype_is_signed(zero->dtype) ?
				    (struct loom_gact){ LOOM_GFN_CLIP, -8, 7 } :
				    (struct loom_gact){ LOOM_GFN_CLIP, 0, 15 }, y);
	loom_import_result(im, 0, y);
}

/* Float8, which has become F32 with the model: its zero point can only be 0. */
static void dequantize_floats(struct loom_import *im, struct loom_value *x,
			      struct loom_value *scale, struct loom_value *zero)
{
	int64_t block = loom_attr_int(im, "block_size", 0), dims[LOOM_GRAPH_RANK], i;
	struct loom_value *y;
	int32_t axis;

	for (i = 0; zero->data && i < zero->num_elems; i++)
		if (loom_value_float(zero, i) != 0)
			loom_import_fail(im, -EINVAL, "the zero point of a float8 is not 0");
	if (block) {
		y = loom_import_blocks_of(im, x, scale, NULL, 0, block_axis(im, x), block);
		loom_import_result(im, 0, y);
		return;
	}
	axis = quant_axis(im, x, scale, zero);
	if (im->em->status)
		return;
	for (i = 0; i < x->rank; i++)
		dims[i] = i == axis ? x->dims[i] : 1;
	x = loom_emit_cast(im->em, x, scale->dtype);
	scale = loom_emit_reshape(im->em, scale, x->rank, dims);
	loom_import_result(im, 0, loom_emit_binary(im->em, LOOM_GBIN_MUL, x, scale));
}

void loom_import_dequantize(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *scale = loom_import_operand(im, 1);
	struct loom_value *zero = x ? zero_point(im, 2, scale, x->dtype) : NULL;
	int64_t block;

	(void)unused;
	if (!x || !scale || !zero)
		return;
	/* 0 is the scale's own, 1 is f32 */
	if (loom_attr_int(im, "output_dtype", 0) & ~1 ||
	    (loom_attr_int(im, "output_dtype", 0) && scale->dtype != DRM_LOOM_DTYPE_F32))
		loom_import_fail(im, -EOPNOTSUPP,
				 "output_dtype other than the scale's is not supported");
	if (x->data && x->dtype == DRM_LOOM_DTYPE_F32 && zero->dtype == x->dtype &&
	    loom_dtype_is_float(scale->dtype) && !im->em->status) {
		dequantize_floats(im, x, scale, zero);
		return;
	}
	if (!loom_dtype_is_float(scale->dtype) || !loom_dtype_is_int(x->dtype) ||
	    loom_dtype_size(x->dtype) > 4 || zero->dtype != x->dtype)
		loom_import_fail(im, -EOPNOTSUPP, "types %s, %s and %s are not supported",
				 loom_dtype_name(x->dtype), loom_dtype_name(scale->dtype),
				 loom_dtype_name(zero->dtype));
	block = loom_attr_int(im, "block_size", 0);
	loom_import_result(im, 0, block ?
			   loom_import_blocks_of(im, x, scale, zero, 0, block_axis(im, x), block) :
			   emit_quant(im, LOOM_GOP_DEQUANTIZE, scale->dtype, x, scale, zero));
}

struct loom_value *loom_import_quantise_range(struct loom_import *im, struct loom_value *x,
					      struct loom_value **x_scale,
					      struct loom_value **x_zero)
{
	struct loom_value *low, *high, *scale, *zero, *nought, *steps;
	uint32_t all;

	if (!x || im->em->status)
		return NULL;
	if (x->dtype != DRM_LOOM_DTYPE_F32) {
		loom_import_fail(im, -EINVAL, "operand of type %s", loom_dtype_name(x->dtype));
		return NULL;
	}
	all = (1u << x->rank) - 1;
	nought = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 0);
	low = loom_emit_reduce(im->em, LOOM_GREDUCE_MIN, x, all, false);
	low = loom_emit_binary(im->em, LOOM_GBIN_MIN, low, nought);
	high = loom_emit_reduce(im->em, LOOM_GREDUCE_MAX, x, all, false);
	high = loom_emit_binary(im->em, LOOM_GBIN_MAX, high, nought);
	steps = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 255);
	scale = loom_emit_binary(im->em, LOOM_GBIN_SUB, high, low);
	scale = loom_emit_binary(im->em, LOOM_GBIN_DIV, scale, steps);
	zero = loom_emit_binary(im->em, LOOM_GBIN_SUB, nought,
				loom_emit_binary(im->em, LOOM_GBIN_DIV, low, scale));
	zero = loom_emit_unary(im->em, (struct loom_gact){ LOOM_GFN_CLIP, 0, 255 }, zero);
	zero = loom_emit_fn(im->em, LOOM_GFN_ROUND, zero);
	zero = loom_emit_cast(im->em, zero, DRM_LOOM_DTYPE_U8);
	*x_scale = scale;
	*x_zero = zero;
	return emit_quant(im, LOOM_GOP_QUANTIZE, DRM_LOOM_DTYPE_U8, x, scale, zero);
}

void loom_import_dynamic_quantize(struct loom_import *im, int unused)
{
	struct loom_value *scale, *zero, *y;

	(void)unused;
	y = loom_import_quantise_range(im, loom_import_operand(im, 0), &scale, &zero);
	if (!y)
		return;
	loom_import_result(im, 0, y);
	loom_import_result(im, 1, scale);
	loom_import_result(im, 2, zero);
}

/*
 * Zero points that the device does not support. It supports one number per operand; a zero point
 * that is computed, or that differs by channel, is multiplied out:
 *
 *	sum((a - p) * (b - q)) = sum(a * b) - p * sum(b) - q * (sum(a) - n * p)
 *
 * in 32 bits, like the sums themselves: so it is exact. Sums of weights are constants.
 */

bool loom_import_plain_zero(const struct loom_value *zero)
{
	int64_t i;

	if (!zero)
		return true;
	if (!zero->data || !zero->num_elems)
		return false;
	for (i = 1; i < zero->num_elems; i++)
		if (loom_value_int(zero, i) != loom_value_int(zero, 0))
			return false;
	return true;
}

static struct loom_value *as_i32(struct loom_import *im, struct loom_value *x)
{
	return loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_I32);
}

struct loom_value *loom_import_less_zero(struct loom_import *im, struct loom_value *product,
					 struct loom_value *zero, struct loom_value *sums,
					 struct loom_value *other, int64_t count)
{
	struct loom_value *number = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)count);

	/* the sums of the other operand, less its own zero point */
	if (other) {
		other = loom_emit_binary(im->em, LOOM_GBIN_MUL, as_i32(im, other), number);
		sums = loom_emit_binary(im->em, LOOM_GBIN_SUB, sums, other);
	}
	sums = loom_emit_binary(im->em, LOOM_GBIN_MUL, sums, as_i32(im, zero));
	return loom_emit_binary(im->em, LOOM_GBIN_SUB, product, sums);
}

struct loom_value *loom_import_sums(struct loom_import *im, struct loom_value *x, uint32_t axes,
				    bool keepdims)
{
	return loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, as_i32(im, x), axes, keepdims);
}

struct loom_value *loom_import_requantise(struct loom_import *im, struct loom_value *sum,
					  struct loom_value *scale, struct loom_value *zero)
{
	struct loom_value *operands[3];
	struct loom_node *node;

	sum = loom_emit_cast(im->em, sum, DRM_LOOM_DTYPE_F32);
	operands[0] = loom_emit_binary(im->em, LOOM_GBIN_MUL, sum, scale);
	operands[1] = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 1);
	operands[2] = loom_emit_reshape(im->em, zero, 0, NULL);
	if (im->em->status || !operands[0] || !operands[2])
		return NULL;
	node = loom_emit_begin(im->em, LOOM_GOP_QUANTIZE, zero->dtype, operands[0]->rank,
			       operands[0]->dims, 3, operands);
	if (node)
		node->quant.axis = -1;
	return loom_emit_end(im->em, node);
}
