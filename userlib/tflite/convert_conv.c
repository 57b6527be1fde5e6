// SPDX-License-Identifier: MIT
/* Convolutions, products of matrices and pools. */
#include "convert.h"

#include "base/pool.h"
#include "graph/graph.h"

#include <errno.h>
#include <string.h>

/** values of the padding in the options of all windows */
#define PADDING_SAME	0

/* paddings of a custom operator are those of C's TfLitePadding, from 1 on */
#define CUSTOM_SAME	1

static bool ranks_are(struct loom_tflite_convert *cv, const struct loom_tflite_tensor *a,
		      const struct loom_tflite_tensor *b, uint32_t rank)
{
	if (!a || !b)
		return false;
	if (a->rank == rank && b->rank == rank)
		return true;
	loom_tflite_fail(cv, -EINVAL, "ranks %u and %u, %u is needed", a->rank, b->rank, rank);
	return false;
}

/* Weights as real numbers with axes moved; bytes are kept for integer layers. */
static const char *weights(struct loom_tflite_convert *cv, uint32_t index, const int64_t *perm)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, index);
	const char *name = loom_tflite_raw(cv, index, LOOM_TFLITE_ROWS);
	uint32_t axis = 0;

	if (!name)
		return NULL;
	name = loom_tflite_transpose(cv, name, tensor->rank, perm);
	while (axis < tensor->rank && perm[axis] != tensor->axis)
		axis++;
	return loom_tflite_dequantize(cv, tensor, name, axis);
}

/* A bias of integers has the step of the data times that of the weights. */
static const char *bias_of(struct loom_tflite_convert *cv, uint32_t index,
			   const struct loom_tflite_tensor *x, const struct loom_tflite_tensor *w)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, index);
	int64_t count, i;
	float *real;

	if (!tensor || tensor->dtype != DRM_LOOM_DTYPE_I32)
		return loom_tflite_real(cv, index, LOOM_TFLITE_ROWS);
	count = (int64_t)tensor->size_bytes / 4;
	if (!loom_tflite_is_plain(tensor) || !loom_tflite_is_quantised(x) ||
	    !loom_tflite_is_quantised(w) ||
	    (w->scales.count > 1 && w->scales.count != count)) {
		loom_tflite_fail(cv, -EOPNOTSUPP, "a bias of integers without steps");
		return NULL;
	}
	real = loom_pool_array(cv->pool, (size_t)count, sizeof(*real));
	if (!real) {
		loom_tflite_fail(cv, -ENOMEM, "out of memory");
		return NULL;
	}
	for (i = 0; i < count; i++) {
		int32_t bytes;

		memcpy(&bytes, tensor->data + 4 * i, 4);
		real[i] = (float)((double)bytes * loom_tflite_scale(x, 0) *
				  loom_tflite_scale(w, (uint32_t)i));
	}
	return loom_tflite_const(cv, DRM_LOOM_DTYPE_F32, 1, &count, real);
}

static void window(struct loom_tflite_convert *cv, int64_t stride_h, int64_t stride_w,
		   int64_t padding)
{
	const int64_t strides[] = { stride_h, stride_w };

	loom_tflite_attr_string(cv, "auto_pad", padding == PADDING_SAME ? "SAME_UPPER" : "VALID");
	loom_tflite_attr_ints(cv, "strides", 2, strides);
}

/* Fields of options shared by convolutions; behind the strides, depthwise ones have one more. */
static void convolve(struct loom_tflite_convert *cv, const int64_t *perm, int64_t groups,
		     uint32_t activation_field)
{
	const struct loom_tflite_tensor *x = loom_tflite_input(cv, 0);
	const struct loom_tflite_tensor *w = loom_tflite_input(cv, 1);
	const char *const in[] = {
		loom_tflite_real(cv, 0, LOOM_TFLITE_PLANES), weights(cv, 1, perm),
		loom_tflite_has(cv, 2) && x && w ? bias_of(cv, 2, x, w) : NULL,
	};
	const int64_t dilations[] = {
		loom_tflite_option(cv, activation_field + 2, 4, 1),
		loom_tflite_option(cv, activation_field + 1, 4, 1),
	};
	const char *y;

	window(cv, loom_tflite_option(cv, 2, 4, 0), loom_tflite_option(cv, 1, 4, 0),
	       loom_tflite_option(cv, 0, 1, PADDING_SAME));
	loom_tflite_attr_ints(cv, "dilations", 2, dilations);
	loom_tflite_attr_int(cv, "group", groups);
	y = loom_tflite_nodes(cv, "Conv", loom_tflite_has(cv, 2) ? 3 : 2, in);
	if (y)
		y = loom_tflite_activate(cv, loom_tflite_option(cv, activation_field, 1, 0), y);
	loom_tflite_result_real(cv, 0, LOOM_TFLITE_PLANES, y);
}

void loom_tflite_conv(struct loom_tflite_convert *cv, const char *unused)
{
	static const int64_t perm[] = { 0, 3, 1, 2 };
	const struct loom_tflite_tensor *x = loom_tflite_input(cv, 0);
	const struct loom_tflite_tensor *w = loom_tflite_input(cv, 1);

	(void)unused;
	if (!ranks_are(cv, x, w, 4))
		return;
	if (!w->dims[3] || x->dims[3] % w->dims[3])
		return loom_tflite_fail(cv, -EINVAL, "weights for %lld channels, data of %lld",
					(long long)w->dims[3], (long long)x->dims[3]);
	convolve(cv, perm, x->dims[3] / w->dims[3], 3);
}

void loom_tflite_depthwise(struct loom_tflite_convert *cv, const char *unused)
{
	static const int64_t perm[] = { 3, 0, 1, 2 };
	const struct loom_tflite_tensor *x = loom_tflite_input(cv, 0);
	const struct loom_tflite_tensor *w = loom_tflite_input(cv, 1);

	(void)unused;
	if (!ranks_are(cv, x, w, 4))
		return;
	if (w->dims[0] != 1)
		return loom_tflite_fail(cv, -EINVAL, "weights whose first dimension is %lld",
					(long long)w->dims[0]);
	convolve(cv, perm, x->dims[3], 4);
}

/*
 * For one axis: the elements cropped from the full result on both sides, and those missing. The
 * padding is that of the convolution from the result's size, independent of the data's size.
 */
static void deconv_pads(int64_t in, int64_t kernel, int64_t stride, int64_t out, bool same,
			int64_t *begin, int64_t *end, int64_t *extra)
{
	const int64_t full = (in - 1) * stride + kernel;
	const int64_t back = (out + stride - 1) / stride;
	const int64_t padding = same ? (back - 1) * stride + kernel - out : 0;

	*begin = padding > 0 ? padding / 2 : 0;
	*end = full - *begin - out;
	*extra = *end < 0 ? -*end : 0;
	if (*end < 0)
		*end = 0;
}

static void deconvolve(struct loom_tflite_convert *cv, uint32_t data, bool has_bias, bool same,
		       const int64_t *strides, int64_t activation)
{
	static const int64_t perm[] = { 3, 0, 1, 2 };
	const struct loom_tflite_tensor *x = loom_tflite_input(cv, data);
	const struct loom_tflite_tensor *w = loom_tflite_input(cv, 1);
	const struct loom_tflite_tensor *y = loom_tflite_output(cv, 0);
	const char *in[3], *name;
	int64_t pads[4], extra[2];
	uint32_t i;

	if (!y || !ranks_are(cv, x, w, 4) || !ranks_are(cv, x, y, 4))
		return;
	for (i = 0; i < 2; i++) {
		if (strides[i] < 1 || strides[i] > 1 << 16)
			return loom_tflite_fail(cv, -EINVAL, "a stride of %lld",
						(long long)strides[i]);
		deconv_pads(x->dims[1 + i], w->dims[1 + i], strides[i], y->dims[1 + i], same,
			    &pads[i], &pads[2 + i], &extra[i]);
	}
	in[0] = loom_tflite_real(cv, data, LOOM_TFLITE_PLANES);
	in[1] = weights(cv, 1, perm);
	in[2] = has_bias ? bias_of(cv, data == 2 ? 3 : 2, x, w) : NULL;
	loom_tflite_attr_ints(cv, "strides", 2, strides);
	loom_tflite_attr_ints(cv, "pads", 4, pads);
	loom_tflite_attr_ints(cv, "output_padding", 2, extra);
	name = loom_tflite_nodes(cv, "ConvTranspose", has_bias ? 3 : 2, in);
	if (name)
		name = loom_tflite_activate(cv, activation, name);
	loom_tflite_result_real(cv, 0, LOOM_TFLITE_PLANES, name);
}

/* With @op_type, the custom operator of MediaPipe, whose options are three integers. */
void loom_tflite_transpose_conv(struct loom_tflite_convert *cv, const char *op_type)
{
	const struct loom_flat_vector *custom = &cv->op->custom_options;
	int64_t strides[2];

	if (!op_type) {
		strides[0] = loom_tflite_option(cv, 2, 4, 0);
		strides[1] = loom_tflite_option(cv, 1, 4, 0);
		return deconvolve(cv, 2, loom_tflite_has(cv, 3),
				  loom_tflite_option(cv, 0, 1, 0) == PADDING_SAME, strides,
				  loom_tflite_option(cv, 3, 1, 0));
	}
	if (custom->count < 12)
		return loom_tflite_fail(cv, -EINVAL, "its options are too short");
	strides[0] = loom_flat_i32(custom, 2);
	strides[1] = loom_flat_i32(custom, 1);
	deconvolve(cv, 0, loom_tflite_has(cv, 2), loom_flat_i32(custom, 0) == CUSTOM_SAME, strides,
		   LOOM_TFLITE_NONE);
}

void loom_tflite_fully_connected(struct loom_tflite_convert *cv, const char *unused)
{
	static const int64_t perm[] = { 0, 1 };
	const struct loom_tflite_tensor *x = loom_tflite_input(cv, 0);
	const struct loom_tflite_tensor *w = loom_tflite_input(cv, 1);
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	int64_t dims[2], total = 1;
	const char *in[3], *y;
	uint32_t i;

	(void)unused;
	if (!x || !w || !out)
		return;
	for (i = 0; i < x->rank; i++)
		if (__builtin_mul_overflow(total, x->dims[i], &total))
			return loom_tflite_fail(cv, -EINVAL, "its data are too large");
	if (w->rank != 2 || w->dims[1] < 1 || total % w->dims[1])
		return loom_tflite_fail(cv, -EINVAL, "its weights do not fit its data");
	if (loom_tflite_option(cv, 1, 1, 0))
		return loom_tflite_fail(cv, -EOPNOTSUPP, "weights in another order");
	dims[0] = total / w->dims[1];
	dims[1] = w->dims[1];
	in[0] = loom_tflite_raw(cv, 0, LOOM_TFLITE_ROWS);
	if (in[0] && (x->rank != 2 || x->dims[1] != dims[1]))
		in[0] = loom_tflite_reshape(cv, in[0], 2, dims);
	in[0] = loom_tflite_dequantize(cv, x, in[0], 0);
	in[1] = weights(cv, 1, perm);
	in[2] = loom_tflite_has(cv, 2) ? bias_of(cv, 2, x, w) : NULL;
	loom_tflite_attr_int(cv, "transB", 1);
	y = loom_tflite_nodes(cv, "Gemm", loom_tflite_has(cv, 2) ? 3 : 2, in);
	if (y)
		y = loom_tflite_activate(cv, loom_tflite_option(cv, 0, 1, 0), y);
	y = loom_tflite_quantize(cv, out, y);
	if (y && out->rank != 2)
		y = loom_tflite_reshape(cv, y, out->rank, out->dims);
	loom_tflite_result(cv, 0, LOOM_TFLITE_ROWS, y);
}

static const char *matrix(struct loom_tflite_convert *cv, uint32_t index, bool transposed)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, index);
	const char *name = loom_tflite_real(cv, index, LOOM_TFLITE_ROWS);
	int64_t perm[LOOM_GRAPH_RANK];
	uint32_t i;

	if (!name || !transposed)
		return name;
	for (i = 0; i < tensor->rank; i++)
		perm[i] = i;
	if (tensor->rank < 2) {
		loom_tflite_fail(cv, -EINVAL, "operand %u has too few dimensions", index);
		return NULL;
	}
	perm[tensor->rank - 2] = tensor->rank - 1;
	perm[tensor->rank - 1] = tensor->rank - 2;
	return loom_tflite_transpose(cv, name, tensor->rank, perm);
}

void loom_tflite_batch_matmul(struct loom_tflite_convert *cv, const char *unused)
{
	const char *a = matrix(cv, 0, loom_tflite_option(cv, 0, 1, 0));
	const char *b = matrix(cv, 1, loom_tflite_option(cv, 1, 1, 0));

	(void)unused;
	if (a && b)
		loom_tflite_result_real(cv, 0, LOOM_TFLITE_ROWS,
					loom_tflite_node(cv, "MatMul", a, b, NULL));
}

/*
 * The mean of bytes is that of their integers, and halves are rounded away from zero, while
 * QuantizeLinear rounds them to even. Steps slightly smaller than 1 avoid halves: other values are
 * at least half an element of the window away from one, and 128 steps are off by less.
 */
static bool mean_of_bytes(struct loom_tflite_convert *cv, const char *op_type,
			  const int64_t *kernel, const char **x, const char **scale,
			  const char **zero)
{
	const struct loom_tflite_tensor *in = loom_tflite_input(cv, 0);
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	const float less = 1 - 0x1p-20f;
	const int64_t none = 0;

	if (strcmp(op_type, "AveragePool") || !in || !out || in->dtype != DRM_LOOM_DTYPE_I8 ||
	    !loom_tflite_is_quantised(in) || !loom_tflite_same_steps(in, out) ||
	    loom_tflite_option(cv, 5, 1, 0) != LOOM_TFLITE_NONE || kernel[0] < 1 ||
	    kernel[0] > 2048 || kernel[1] < 1 || kernel[0] * kernel[1] > 2048)
		return false;
	*x = loom_tflite_raw(cv, 0, LOOM_TFLITE_PLANES);
	*zero = loom_tflite_const(cv, in->dtype, 0, NULL, &none);
	*scale = loom_tflite_const_float(cv, less);
	if (*x)
		*x = loom_tflite_node(cv, "DequantizeLinear", *x, loom_tflite_const_float(cv, 1),
				      *zero);
	return true;
}

void loom_tflite_pool(struct loom_tflite_convert *cv, const char *op_type)
{
	const int64_t kernel[] = {
		loom_tflite_option(cv, 4, 4, 0), loom_tflite_option(cv, 3, 4, 0),
	};
	const char *x = NULL, *scale = NULL, *zero = NULL, *y;
	const bool bytes = mean_of_bytes(cv, op_type, kernel, &x, &scale, &zero);

	if (!bytes)
		x = loom_tflite_real(cv, 0, LOOM_TFLITE_PLANES);
	if (!x)
		return;
	window(cv, loom_tflite_option(cv, 2, 4, 0), loom_tflite_option(cv, 1, 4, 0),
	       loom_tflite_option(cv, 0, 1, PADDING_SAME));
	loom_tflite_attr_ints(cv, "kernel_shape", 2, kernel);
	y = loom_tflite_node(cv, op_type, x, NULL, NULL);
	if (bytes) {
		if (y)
			y = loom_tflite_node(cv, "QuantizeLinear", y, scale, zero);
		return loom_tflite_result(cv, 0, LOOM_TFLITE_PLANES, y);
	}
	if (y)
		y = loom_tflite_activate(cv, loom_tflite_option(cv, 5, 1, 0), y);
	loom_tflite_result_real(cv, 0, LOOM_TFLITE_PLANES, y);
}
