// SPDX-License-Identifier: MIT
/* Functions of one and of two variables, sums over axes, and conversions between types. */
#include "convert.h"

#include "base/pool.h"
#include "loom_core.h"
#include "graph/graph.h"

#include <errno.h>
#include <string.h>

void loom_tflite_unary(struct loom_tflite_convert *cv, const char *op_type)
{
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	const char *x = loom_tflite_real(cv, 0, layout);

	if (x)
		loom_tflite_result_real(cv, 0, layout,
					loom_tflite_node(cv, op_type, x, NULL, NULL));
}

/* @op_type: the activation, as a digit */
void loom_tflite_clip(struct loom_tflite_convert *cv, const char *op_type)
{
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	const char *x = loom_tflite_real(cv, 0, layout);

	if (x)
		loom_tflite_result_real(cv, 0, layout,
					loom_tflite_activate(cv, op_type[0] - '0', x));
}

/* Common layout of two operands: planes, if one of four dimensions exists in planes. */
static enum loom_tflite_layout common_layout(struct loom_tflite_convert *cv)
{
	const struct loom_tflite_tensor *y = loom_tflite_output(cv, 0);
	uint32_t i;

	for (i = 0; y && y->rank == 4 && i < cv->op->num_inputs; i++)
		if (loom_tflite_layout(cv, i) == LOOM_TFLITE_PLANES)
			return LOOM_TFLITE_PLANES;
	return LOOM_TFLITE_ROWS;
}

/* Operand @index as it broadcasts to a result of that layout. */
static const char *broadcast(struct loom_tflite_convert *cv, uint32_t index,
			     enum loom_tflite_layout layout)
{
	static const int64_t perm[] = { 0, 3, 1, 2 };
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, index);
	int64_t dims[4] = { 1, 1, 1, 1 };
	const char *name;

	if (!tensor)
		return NULL;
	if (layout == LOOM_TFLITE_ROWS || tensor->rank == 4 || !tensor->rank)
		return loom_tflite_real(cv, index, tensor->rank == 4 ? layout : LOOM_TFLITE_ROWS);
	if (tensor->rank > 4) {
		loom_tflite_fail(cv, -EINVAL, "operand %u has rank %u", index, tensor->rank);
		return NULL;
	}
	memcpy(dims + 4 - tensor->rank, tensor->dims, tensor->rank * sizeof(dims[0]));
	name = loom_tflite_real(cv, index, LOOM_TFLITE_ROWS);
	if (name)
		name = loom_tflite_reshape(cv, name, 4, dims);
	return name ? loom_tflite_transpose(cv, name, 4, perm) : NULL;
}

/* Operators with an activation have it as their first option. */
static bool has_activation(const char *op_type)
{
	static const char *const with[] = { "Add", "Sub", "Mul", "Div" };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(with); i++)
		if (!strcmp(op_type, with[i]))
			return true;
	return false;
}

void loom_tflite_binary(struct loom_tflite_convert *cv, const char *op_type)
{
	const enum loom_tflite_layout layout = common_layout(cv);
	const char *a = broadcast(cv, 0, layout), *b = broadcast(cv, 1, layout), *y;

	if (!a || !b)
		return;
	y = loom_tflite_node(cv, op_type, a, b, NULL);
	if (y && has_activation(op_type))
		y = loom_tflite_activate(cv, loom_tflite_option(cv, 0, 1, 0), y);
	loom_tflite_result_real(cv, 0, layout, y);
}

/* x * x, or with @op_type "Sub" the square of a difference */
void loom_tflite_squared(struct loom_tflite_convert *cv, const char *op_type)
{
	const enum loom_tflite_layout layout = common_layout(cv);
	const char *x = broadcast(cv, 0, layout);

	if (x && op_type)
		x = loom_tflite_node(cv, op_type, x, broadcast(cv, 1, layout), NULL);
	if (x)
		loom_tflite_result_real(cv, 0, layout, loom_tflite_node(cv, "Mul", x, x, NULL));
}

void loom_tflite_rsqrt(struct loom_tflite_convert *cv, const char *unused)
{
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	const char *x = loom_tflite_real(cv, 0, layout);

	(void)unused;
	if (x)
		x = loom_tflite_node(cv, "Sqrt", x, NULL, NULL);
	if (x)
		loom_tflite_result_real(cv, 0, layout,
					loom_tflite_node(cv, "Reciprocal", x, NULL, NULL));
}

void loom_tflite_prelu(struct loom_tflite_convert *cv, const char *unused)
{
	const enum loom_tflite_layout layout = common_layout(cv);
	const char *x = broadcast(cv, 0, layout), *slope = broadcast(cv, 1, layout);

	(void)unused;
	if (x && slope)
		loom_tflite_result_real(cv, 0, layout,
					loom_tflite_node(cv, "PRelu", x, slope, NULL));
}

/* The operand must become real first, because a node that does so would take the attributes. */
void loom_tflite_leaky_relu(struct loom_tflite_convert *cv, const char *op_type)
{
	loom_tflite_real(cv, 0, loom_tflite_layout(cv, 0));
	loom_tflite_attr_float(cv, "alpha", loom_flat_float(&cv->op->options, 0, 0));
	loom_tflite_unary(cv, op_type);
}

void loom_tflite_gelu(struct loom_tflite_convert *cv, const char *op_type)
{
	loom_tflite_real(cv, 0, loom_tflite_layout(cv, 0));
	loom_tflite_attr_string(cv, "approximate",
				loom_tflite_option(cv, 0, 1, 0) ? "tanh" : "none");
	loom_tflite_unary(cv, op_type);
}

void loom_tflite_softmax(struct loom_tflite_convert *cv, const char *op_type)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	const bool is_plain = !strcmp(op_type, "LogSoftmax");
	float beta = is_plain ? 1 : loom_flat_float(&cv->op->options, 0, 0);
	const char *x = loom_tflite_real(cv, 0, layout);

	if (!x)
		return;
	if (!tensor->rank)
		return loom_tflite_fail(cv, -EINVAL, "its operand has no axis");
	if (beta != 1)
		x = loom_tflite_node(cv, "Mul", x, loom_tflite_const_float(cv, beta), NULL);
	loom_tflite_attr_int(cv, "axis", loom_tflite_where(layout, tensor->rank - 1));
	if (x)
		loom_tflite_result_real(cv, 0, layout,
					loom_tflite_node(cv, op_type, x, NULL, NULL));
}

void loom_tflite_reduce(struct loom_tflite_convert *cv, const char *op_type)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	const bool keep = loom_tflite_option(cv, 0, 1, 0);
	enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	int64_t axes[LOOM_GRAPH_RANK];
	uint32_t i, count, mask = 0;
	const char *x, *y;

	if (!tensor || !out)
		return;
	count = loom_tflite_ints(cv, 1, axes, LOOM_GRAPH_RANK);
	for (i = 0; i < count && !cv->graph->status; i++) {
		axes[i] = loom_tflite_axis(cv, axes[i], tensor->rank);
		mask |= 1u << axes[i];
	}
	/* if height and width are reduced, the rest is in the same order in both layouts */
	if (!keep && (mask & 6) != 6)
		layout = LOOM_TFLITE_ROWS;
	x = loom_tflite_real(cv, 0, layout);
	if (!x || cv->graph->status)
		return;
	/* in ONNX, no axes means all axes */
	if (!count)
		return loom_tflite_result_real(cv, 0, layout, x);
	for (i = 0; i < count; i++)
		axes[i] = loom_tflite_where(layout, (uint32_t)axes[i]);
	loom_tflite_attr_int(cv, "keepdims", keep);
	if (!strcmp(op_type, "ReduceSum")) {
		y = loom_tflite_node(cv, op_type, x, loom_tflite_const_ints(cv, count, axes), NULL);
	} else {
		loom_tflite_attr_ints(cv, "axes", count, axes);
		y = loom_tflite_node(cv, op_type, x, NULL, NULL);
	}
	loom_tflite_result_real(cv, 0, keep && out->rank == 4 ? layout : LOOM_TFLITE_ROWS, y);
}

void loom_tflite_quantize_op(struct loom_tflite_convert *cv, const char *unused)
{
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);

	(void)unused;
	loom_tflite_result_real(cv, 0, layout, loom_tflite_real(cv, 0, layout));
}

/* For halves it is a cast: files store weights in 16 bits that way. */
void loom_tflite_dequantize_op(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	const char *x = loom_tflite_real(cv, 0, layout);

	(void)unused;
	if (!x)
		return;
	if (tensor->dtype == DRM_LOOM_DTYPE_F16) {
		/* FLOAT in ONNX */
		loom_tflite_attr_int(cv, "to", 1);
		x = loom_tflite_node(cv, "Cast", x, NULL, NULL);
	}
	loom_tflite_result(cv, 0, layout, x);
}

/* The result is the operand. */
void loom_tflite_same(struct loom_tflite_convert *cv, const char *unused)
{
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);

	(void)unused;
	loom_tflite_result(cv, 0, layout, loom_tflite_raw(cv, 0, layout));
}

/* number of a type in ONNX */
static int64_t onnx_type(uint32_t dtype)
{
	static const uint8_t types[DRM_LOOM_DTYPE_END] = {
		[DRM_LOOM_DTYPE_F32] = 1, [DRM_LOOM_DTYPE_U8] = 2, [DRM_LOOM_DTYPE_I8] = 3,
		[DRM_LOOM_DTYPE_U16] = 4, [DRM_LOOM_DTYPE_I16] = 5, [DRM_LOOM_DTYPE_I32] = 6,
		[DRM_LOOM_DTYPE_I64] = 7, [DRM_LOOM_DTYPE_BOOL] = 9, [DRM_LOOM_DTYPE_F16] = 10,
		[DRM_LOOM_DTYPE_F64] = 11, [DRM_LOOM_DTYPE_U32] = 12, [DRM_LOOM_DTYPE_U64] = 13,
	};

	return dtype < DRM_LOOM_DTYPE_END ? types[dtype] : 0;
}

void loom_tflite_cast(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	const char *x = loom_tflite_raw(cv, 0, layout);

	(void)unused;
	if (!x || !out)
		return;
	if (!onnx_type(out->dtype))
		return loom_tflite_fail(cv, -EOPNOTSUPP, "type %u is not supported", out->type);
	loom_tflite_attr_int(cv, "to", onnx_type(out->dtype));
	loom_tflite_result(cv, 0, layout, loom_tflite_node(cv, "Cast", x, NULL, NULL));
}
