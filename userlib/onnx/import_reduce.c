// SPDX-License-Identifier: MIT
/* Importers of reductions and of normalisations that are made of them. */
#include "import.h"

#include <errno.h>

/* of every normalisation that has an epsilon */
#define DEFAULT_EPSILON	0.00001f

/* ReduceSum takes its axes as an operand since opset 13, the others since 18 */
static uint32_t reduce_axes(struct loom_import *im, enum loom_greduce_kind kind, uint32_t rank)
{
	int64_t axes[LOOM_GRAPH_RANK];
	uint32_t count = 0;

	if (im->opset < (kind == LOOM_GREDUCE_SUM ? 13 : 18))
		count = loom_attr_ints(im, "axes", axes, LOOM_GRAPH_RANK);
	else if (loom_import_has(im, 1))
		count = loom_import_ints(im, 1, axes, LOOM_GRAPH_RANK);
	if (count)
		return loom_import_axes(im, axes, count, rank);
	if (loom_attr_int(im, "noop_with_empty_axes", 0))
		return 0;
	return (1u << rank) - 1;
}

void loom_import_reduce(struct loom_import *im, int kind)
{
	struct loom_value *x = loom_import_operand(im, 0);
	bool keepdims = loom_attr_int(im, "keepdims", 1);
	uint32_t dtype = x ? x->dtype : 0;

	if (!x)
		return;
	if (dtype == DRM_LOOM_DTYPE_BOOL && (kind == LOOM_GREDUCE_MAX || kind == LOOM_GREDUCE_MIN))
		x = loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_U8);
	x = x ? loom_emit_reduce(im->em, (enum loom_greduce_kind)kind, x,
				 reduce_axes(im, kind, x->rank), keepdims) : NULL;
	if (dtype == DRM_LOOM_DTYPE_BOOL)
		x = loom_emit_cast(im->em, x, dtype);
	loom_import_result(im, 0, x);
}

struct loom_value *loom_import_softmax_along(struct loom_import *im, struct loom_value *x,
					     uint32_t axis, bool log)
{
	struct loom_node *node;

	if (im->em->status || !x)
		return NULL;
	if (!loom_dtype_is_float(x->dtype)) {
		loom_import_fail(im, -EINVAL, "operand of type %s", loom_dtype_name(x->dtype));
		return NULL;
	}
	node = loom_emit_begin(im->em, LOOM_GOP_SOFTMAX, x->dtype, x->rank, x->dims, 1, &x);
	if (node)
		node->softmax = (struct loom_gsoftmax){ .axis = axis, .log = log };
	return loom_emit_end(im->em, node);
}

/* before opset 13 all axes from the given one on counted as a single one */
void loom_import_softmax(struct loom_import *im, int log)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	uint32_t axis;
	int64_t outer, inner;

	if (!x)
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", im->opset < 13 ? 1 : -1), x->rank);
	if (im->em->status)
		return;
	if (im->opset >= 13 || loom_value_trailing(x, axis + 1) == 1) {
		loom_import_result(im, 0, loom_import_softmax_along(im, x, axis, log));
		return;
	}
	inner = loom_value_trailing(x, axis);
	outer = inner ? x->num_elems / inner : 0;
	y = loom_emit_reshape(im->em, x, 2, (int64_t[]){ outer, inner });
	y = loom_import_softmax_along(im, y, 1, log);
	loom_import_result(im, 0, loom_emit_reshape(im->em, y, x->rank, x->dims));
}

/* [C] as it broadcasts over [N, C, ...] */
static struct loom_value *emit_per_channel(struct loom_import *im, struct loom_value *vector,
					   const struct loom_value *x)
{
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t i;

	if (im->em->status || !vector)
		return NULL;
	if (vector->rank != 1 || vector->dims[0] != x->dims[1]) {
		loom_import_fail(im, -EINVAL, "%lld parameters for %lld channels",
				 (long long)vector->num_elems, (long long)x->dims[1]);
		return NULL;
	}
	dims[0] = x->dims[1];
	for (i = 1; i + 1 < x->rank; i++)
		dims[i] = 1;
	vector = loom_emit_cast(im->em, vector, x->dtype);
	return loom_emit_reshape(im->em, vector, x->rank - 1, dims);
}

static bool channels_fit(struct loom_import *im, const struct loom_value *x)
{
	if (!x)
		return false;
	if (x->rank < 2 || !loom_dtype_is_float(x->dtype)) {
		loom_import_fail(im, -EOPNOTSUPP, "data of rank %u and type %s are not supported",
				 x->rank, loom_dtype_name(x->dtype));
		return false;
	}
	return true;
}

/* 1 / sqrt(variance + epsilon) */
static struct loom_value *emit_deviation(struct loom_import *im, struct loom_value *variance,
					 float epsilon)
{
	if (!variance)
		return NULL;
	variance = loom_emit_binary(im->em, LOOM_GBIN_ADD, variance,
				    loom_emit_scalar(im->em, variance->dtype, epsilon));
	return loom_emit_fn(im->em, LOOM_GFN_SQRT, variance);
}

/**
 * struct normal - x normalised over some axes
 * @mean: over the axes, kept as 1; for f16 it is f32, as are the next two
 * @variance: over the axes, kept as 1
 * @inverse: 1 / sqrt(variance + epsilon)
 * @result: (x - mean) * inverse, of the type of x
 */
struct normal {
	struct loom_value *mean;
	struct loom_value *variance;
	struct loom_value *inverse;
	struct loom_value *result;
};

static struct normal emit_normal(struct loom_import *im, struct loom_value *x, uint32_t axes,
				 float epsilon)
{
	const uint32_t dtype = x ? x->dtype : 0;
	struct loom_value *centred;
	struct normal normal;

	x = loom_import_wide(im, x);
	normal.mean = loom_emit_reduce(im->em, LOOM_GREDUCE_MEAN, x, axes, true);
	centred = loom_emit_binary(im->em, LOOM_GBIN_SUB, x, normal.mean);
	normal.variance = loom_emit_binary(im->em, LOOM_GBIN_MUL, centred, centred);
	normal.variance = loom_emit_reduce(im->em, LOOM_GREDUCE_MEAN, normal.variance, axes, true);
	normal.inverse = loom_emit_fn(im->em, LOOM_GFN_RECIPROCAL,
				      emit_deviation(im, normal.variance, epsilon));
	normal.result = loom_emit_binary(im->em, LOOM_GBIN_MUL, centred, normal.inverse);
	normal.result = loom_emit_cast(im->em, normal.result, dtype);
	return normal;
}

struct loom_value *loom_import_normal(struct loom_import *im, struct loom_value *x,
				      struct loom_value *gamma, struct loom_value *beta,
				      float epsilon)
{
	struct loom_value *y;

	if (!x || im->em->status)
		return NULL;
	y = emit_normal(im, x, 1u << (x->rank - 1), epsilon).result;
	y = loom_emit_binary(im->em, LOOM_GBIN_MUL, y, gamma);
	return beta ? loom_emit_binary(im->em, LOOM_GBIN_ADD, y, beta) : y;
}

void loom_import_layer_norm(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	float epsilon = loom_attr_float(im, "epsilon", DEFAULT_EPSILON);
	struct normal normal;
	uint32_t axis;

	(void)unused;
	if (!x || !loom_dtype_is_float(x->dtype)) {
		loom_import_fail(im, -EINVAL, "the operand has to be of a float type");
		return;
	}
	axis = loom_import_axis(im, loom_attr_int(im, "axis", -1), x->rank);
	normal = emit_normal(im, x, ((1u << x->rank) - 1) & ~((1u << axis) - 1), epsilon);
	y = loom_emit_binary(im->em, LOOM_GBIN_MUL, normal.result, loom_import_operand(im, 1));
	if (loom_import_has(im, 2))
		y = loom_emit_binary(im->em, LOOM_GBIN_ADD, y, loom_import_operand(im, 2));
	if (y && !loom_dims_equal(x, y))
		loom_import_fail(im, -EINVAL, "Scale or B do not broadcast to the data");
	loom_import_result(im, 0, y);
	loom_import_result(im, 1, normal.mean);
	loom_import_result(im, 2, normal.inverse);
}

/* x / sqrt(mean of x^2 + epsilon), times @scale: the mean is not subtracted */
static struct loom_value *emit_rms(struct loom_import *im, struct loom_value *x, uint32_t axis,
				   float epsilon, struct loom_value *scale)
{
	struct loom_value *y, *wide = loom_import_wide(im, x);

	if (!x)
		return NULL;
	y = loom_emit_binary(im->em, LOOM_GBIN_MUL, wide, wide);
	y = loom_emit_reduce(im->em, LOOM_GREDUCE_MEAN, y,
			     ((1u << x->rank) - 1) & ~((1u << axis) - 1), true);
	y = loom_emit_binary(im->em, LOOM_GBIN_DIV, wide, emit_deviation(im, y, epsilon));
	y = loom_emit_cast(im->em, y, x->dtype);
	y = loom_emit_binary(im->em, LOOM_GBIN_MUL, y, scale);
	if (y && !loom_dims_equal(x, y))
		loom_import_fail(im, -EINVAL, "the scale does not broadcast to the data");
	return y;
}

void loom_import_rms_norm(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	float epsilon = loom_attr_float(im, "epsilon", DEFAULT_EPSILON);
	uint32_t axis;

	(void)unused;
	if (!x)
		return;
	if (!loom_dtype_is_float(x->dtype) || loom_import_wants(im, 1))
		loom_import_fail(im, -EOPNOTSUPP,
				 "this type, or its second result, is not supported");
	axis = loom_import_axis(im, loom_attr_int(im, "axis", -1), x->rank);
	loom_import_result(im, 0, emit_rms(im, x, axis, epsilon, loom_import_operand(im, 1)));
}

/*
 * com.microsoft's SkipLayerNormalization: of the sum of two operands and a bias, over the last
 * axis. Operands: input, skip, gamma, beta, bias; the simplified form has no beta. The last result
 * is the sum.
 */
void loom_import_skip_norm(struct loom_import *im, int simplified)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	uint32_t bias = simplified ? 3 : 4;
	float epsilon = loom_attr_float(im, "epsilon",
					simplified ? DEFAULT_EPSILON : 0.000000000001f);

	x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x, loom_import_operand(im, 1));
	if (loom_import_has(im, bias))
		x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x, loom_import_operand(im, bias));
	if (!x)
		return;
	if (!x->rank || !loom_dtype_is_float(x->dtype) || loom_import_wants(im, 1) ||
	    loom_import_wants(im, 2)) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "this type, or mean and variance, are not supported");
		return;
	}
	if (simplified) {
		y = emit_rms(im, x, x->rank - 1, epsilon, loom_import_operand(im, 2));
	} else {
		y = loom_import_normal(im, x, loom_import_operand(im, 2),
				       loom_import_optional(im, 3), epsilon);
	}
	loom_import_result(im, 0, y);
	loom_import_result(im, 3, x);
}

static void scale_channels(struct loom_import *im, struct loom_value *normal,
			   struct loom_value *scale, struct loom_value *bias)
{
	if (!normal)
		return;
	scale = emit_per_channel(im, scale, normal);
	bias = emit_per_channel(im, bias, normal);
	loom_import_result(im, 0, loom_emit_binary(im->em, LOOM_GBIN_ADD,
						   loom_emit_binary(im->em, LOOM_GBIN_MUL, normal,
								    scale), bias));
}

static void import_scaled(struct loom_import *im, struct loom_value *normal)
{
	scale_channels(im, normal, loom_import_operand(im, 1), loom_import_operand(im, 2));
}

/* momentum * before + (1 - momentum) * now, as a vector */
static struct loom_value *emit_running(struct loom_import *im, uint32_t operand,
				       struct loom_value *now)
{
	float momentum = loom_attr_float(im, "momentum", 0.9f);
	struct loom_value *before = loom_import_operand(im, operand);

	if (!before || !now)
		return NULL;
	now = loom_emit_reshape(im->em, now, 1, &now->num_elems);
	now = loom_emit_cast(im->em, now, before->dtype);
	before = loom_emit_binary(im->em, LOOM_GBIN_MUL, before,
				  loom_emit_scalar(im->em, before->dtype, momentum));
	now = loom_emit_binary(im->em, LOOM_GBIN_MUL, now,
			       before ? loom_emit_scalar(im->em, before->dtype, 1 - momentum) :
					NULL);
	return loom_emit_binary(im->em, LOOM_GBIN_ADD, before, now);
}

/* Mean and variance of the current data, and the running ones. */
static void import_training_batch_norm(struct loom_import *im, struct loom_value *x, float epsilon)
{
	struct normal normal = emit_normal(im, x, ((1u << x->rank) - 1) & ~2u, epsilon);

	import_scaled(im, normal.result);
	loom_import_result(im, 1, emit_running(im, 3, normal.mean));
	loom_import_result(im, 2, emit_running(im, 4, normal.variance));
}

/*
 * x * s + t with s = scale / sqrt(var + eps), t = bias - mean * s. With constant parameters s and t
 * fold, and loom_graph_fold_affine() moves them into the Conv before, if there is one.
 */
void loom_import_batch_norm(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *scale, *bias, *mean, *deviation;
	float epsilon = loom_attr_float(im, "epsilon", DEFAULT_EPSILON);

	(void)unused;
	if (!channels_fit(im, x))
		return;
	if (loom_attr_int(im, "training_mode", 0)) {
		import_training_batch_norm(im, x, epsilon);
		return;
	}
	if (!loom_attr_int(im, "spatial", 1))
		loom_import_fail(im, -EOPNOTSUPP, "spatial = 0 is not supported");
	scale = emit_per_channel(im, loom_import_operand(im, 1), x);
	bias = emit_per_channel(im, loom_import_operand(im, 2), x);
	mean = emit_per_channel(im, loom_import_operand(im, 3), x);
	deviation = emit_deviation(im, emit_per_channel(im, loom_import_operand(im, 4), x),
				   epsilon);
	scale = loom_emit_binary(im->em, LOOM_GBIN_DIV, scale, deviation);
	bias = loom_emit_binary(im->em, LOOM_GBIN_SUB, bias,
				loom_emit_binary(im->em, LOOM_GBIN_MUL, mean, scale));
	x = loom_emit_binary(im->em, LOOM_GBIN_MUL, x, scale);
	loom_import_result(im, 0, loom_emit_binary(im->em, LOOM_GBIN_ADD, x, bias));
}

void loom_import_instance_norm(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	float epsilon = loom_attr_float(im, "epsilon", DEFAULT_EPSILON);

	(void)unused;
	if (channels_fit(im, x))
		import_scaled(im, emit_normal(im, x, ((1u << x->rank) - 1) & ~3u, epsilon).result);
}

/* [groups] as [channels]: each repeated for the channels of its group */
static struct loom_value *emit_per_group(struct loom_import *im, struct loom_value *x,
					 int64_t groups, int64_t channels)
{
	if (!x || im->em->status)
		return NULL;
	if (x->rank != 1 || x->dims[0] != groups) {
		loom_import_fail(im, -EINVAL, "%lld parameters for %lld groups",
				 (long long)x->num_elems, (long long)groups);
		return NULL;
	}
	x = loom_emit_reshape(im->em, x, 2, (int64_t[]){ groups, 1 });
	x = loom_emit_expand(im->em, x, 2, (int64_t[]){ groups, channels / groups });
	return loom_emit_reshape(im->em, x, 1, &channels);
}

/* the parameters are per channel since opset 21; before, per group */
void loom_import_group_norm(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	float epsilon = loom_attr_float(im, "epsilon", DEFAULT_EPSILON);
	int64_t groups = loom_attr_int(im, "num_groups", 0), inner;

	(void)unused;
	if (!channels_fit(im, x))
		return;
	if (groups < 1 || x->dims[1] % groups)
		loom_import_fail(im, -EINVAL, "%lld channels in %lld groups",
				 (long long)x->dims[1], (long long)groups);
	if (im->em->status || !x->num_elems)
		return;
	inner = x->num_elems / x->dims[0] / groups;
	y = loom_emit_reshape(im->em, x, 3, (int64_t[]){ x->dims[0], groups, inner });
	y = emit_normal(im, y, 1u << 2, epsilon).result;
	y = loom_emit_reshape(im->em, y, x->rank, x->dims);
	if (im->opset >= 21) {
		import_scaled(im, y);
		return;
	}
	scale_channels(im, y,
		       emit_per_group(im, loom_import_operand(im, 1), groups, x->dims[1]),
		       emit_per_group(im, loom_import_operand(im, 2), groups, x->dims[1]));
}

void loom_import_lp_norm(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *norm;
	int64_t p = loom_attr_int(im, "p", 2);
	uint32_t axis;

	(void)unused;
	if (!x)
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", -1), x->rank);
	if (p != 1 && p != 2)
		loom_import_fail(im, -EINVAL, "p %lld is out of range", (long long)p);
	norm = loom_emit_reduce(im->em, p == 1 ? LOOM_GREDUCE_L1 : LOOM_GREDUCE_L2, x, 1u << axis,
				true);
	loom_import_result(im, 0, loom_emit_binary(im->em, LOOM_GBIN_DIV, x, norm));
}

/* (x - mean) / (deviation + 1e-9), as the standard's own function body has it */
void loom_import_mvn(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *mean, *squares, *deviation;
	int64_t axes[LOOM_GRAPH_RANK] = { 0, 2, 3 };
	uint32_t mask, count, dtype;

	(void)unused;
	if (!x)
		return;
	dtype = x->dtype;
	x = loom_import_wide(im, x);
	if (!x)
		return;
	count = loom_attr_ints(im, "axes", axes, LOOM_GRAPH_RANK);
	mask = loom_import_axes(im, axes, count ? count : 3, x->rank);
	mean = loom_emit_reduce(im->em, LOOM_GREDUCE_MEAN, x, mask, true);
	squares = loom_emit_binary(im->em, LOOM_GBIN_MUL, x, x);
	squares = loom_emit_reduce(im->em, LOOM_GREDUCE_MEAN, squares, mask, true);
	deviation = loom_emit_binary(im->em, LOOM_GBIN_SUB, squares,
				     loom_emit_binary(im->em, LOOM_GBIN_MUL, mean, mean));
	deviation = loom_emit_fn(im->em, LOOM_GFN_SQRT, deviation);
	deviation = loom_emit_binary(im->em, LOOM_GBIN_ADD, deviation,
				     loom_emit_scalar(im->em, x->dtype, 0.000000001));
	x = loom_emit_binary(im->em, LOOM_GBIN_SUB, x, mean);
	x = loom_emit_binary(im->em, LOOM_GBIN_DIV, x, deviation);
	loom_import_result(im, 0, loom_emit_cast(im->em, x, dtype));
}

/* Mean of @x over a window of @size channels; channels outside count as 0. */
static struct loom_value *emit_channel_mean(struct loom_import *im, struct loom_value *x,
					    int64_t size)
{
	int64_t flat[] = { x->dims[0], 1, x->dims[1], loom_value_trailing(x, 2) };
	struct loom_value *flattened = loom_emit_reshape(im->em, x, 4, flat);
	struct loom_node *node;

	if (!flattened)
		return NULL;
	node = loom_emit_begin(im->em, LOOM_GOP_POOL, x->dtype, 4, flat, 1, &flattened);
	if (!node)
		return NULL;
	node->pool = (struct loom_gpool){
		.kind = LOOM_GPOOL_AVG,
		.num_spatial = 2,
		.kernel = { size, 1 },
		.strides = { 1, 1 },
		.dilations = { 1, 1 },
		.pads_begin = { (size - 1) / 2, 0 },
		.pads_end = { size / 2, 0 },
		.count_include_pad = true,
	};
	return loom_emit_reshape(im->em, loom_emit_end(im->em, node), x->rank, x->dims);
}

/* x / (bias + alpha * mean of x^2 over neighbouring channels)^beta */
void loom_import_lrn(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *wide, *mean;
	int64_t size = loom_attr_int(im, "size", 0);
	float alpha = loom_attr_float(im, "alpha", 0.0001f);
	float beta = loom_attr_float(im, "beta", 0.75f);
	float bias = loom_attr_float(im, "bias", 1.0f);

	(void)unused;
	if (!channels_fit(im, x))
		return;
	if (size < 1 || size > 1 << 20) {
		loom_import_fail(im, -EINVAL, "size %lld is out of range", (long long)size);
		return;
	}
	wide = loom_import_wide(im, x);
	mean = loom_emit_binary(im->em, LOOM_GBIN_MUL, wide, wide);
	if (!mean)
		return;
	mean = emit_channel_mean(im, mean, size);
	mean = loom_emit_binary(im->em, LOOM_GBIN_MUL, mean,
				loom_emit_scalar(im->em, wide->dtype, alpha));
	mean = loom_emit_binary(im->em, LOOM_GBIN_ADD, mean,
				loom_emit_scalar(im->em, wide->dtype, bias));
	mean = loom_emit_binary(im->em, LOOM_GBIN_POW, mean,
				loom_emit_scalar(im->em, wide->dtype, beta));
	wide = loom_emit_binary(im->em, LOOM_GBIN_DIV, wide, mean);
	loom_import_result(im, 0, loom_emit_cast(im->em, wide, x->dtype));
}
