// SPDX-License-Identifier: MIT
/*
 * Importers of signal processing. A transform is a product with a matrix of cosines and sines, a
 * transform of pieces of a signal a convolution with its rows; windows and filters are constants.
 */
#include "import.h"
#include "proto.h"

#include <errno.h>
#include <math.h>

/* limit on the rows and columns of a transform's matrix */
#define MOST_POINTS	(1 << 13)

/* a0 - a1 * cos(2 * pi * n / N) + a2 * cos(4 * pi * n / N) */
void loom_import_window(struct loom_import *im, int kind)
{
	static const double terms[][3] = {
		{ 0.5, 0.5, 0 }, { 25.0 / 46, 21.0 / 46, 0 }, { 0.42, 0.5, 0.08 },
	};
	int64_t size = loom_import_count(im, 0, -1), i, period;
	bool periodic = loom_attr_int(im, "periodic", 1);
	uint32_t dtype = loom_onnx_dtype(loom_attr_int(im, "output_datatype", 1));
	struct loom_value *y;
	double turn;

	if (size < 0 || size > 1 << 24 || !loom_dtype_is_float(dtype)) {
		loom_import_fail(im, -EINVAL, "size %lld or type is out of range", (long long)size);
		return;
	}
	period = periodic || size < 2 ? size : size - 1;
	y = loom_emit_const(im->em, dtype, 1, &size);
	for (i = 0; y && i < size; i++) {
		turn = 2 * M_PI * (double)i / (double)period;
		loom_value_set_float(y, i, terms[kind][0] - terms[kind][1] * cos(turn) +
				     terms[kind][2] * cos(2 * turn));
	}
	loom_import_result(im, 0, y);
}

static double hertz_to_mel(double hertz)
{
	return 2595 * log10(1 + hertz / 700);
}

static double mel_to_hertz(double mel)
{
	return 700 * (pow(10, mel / 2595) - 1);
}

/* Triangles over the bins of a spectrum, in whole bins as in the standard's reference. */
void loom_import_mel_matrix(struct loom_import *im, int unused)
{
	int64_t mels = loom_import_count(im, 0, -1);
	int64_t length = loom_import_count(im, 1, -1);
	double rate = loom_import_scalar(im, 2, 0), low = loom_import_scalar(im, 3, 0);
	double high = loom_import_scalar(im, 4, 0), step;
	uint32_t dtype = loom_onnx_dtype(loom_attr_int(im, "output_datatype", 1));
	int64_t m, k, bins = length / 2 + 1, edge[3];
	struct loom_value *y;

	(void)unused;
	if (mels < 1 || length < 1 || mels > MOST_POINTS || length > MOST_POINTS || rate <= 0 ||
	    low < 0 || high < low || !loom_dtype_is_float(dtype)) {
		loom_import_fail(im, -EINVAL, "its operands are out of range");
		return;
	}
	y = loom_emit_const(im->em, dtype, 2, (int64_t[]){ bins, mels });
	low = hertz_to_mel(low);
	step = (hertz_to_mel(high) - low) / (double)(mels + 2);
	for (m = 0; y && m < mels; m++) {
		for (k = 0; k < 3; k++)
			edge[k] = (int64_t)floor((double)(length + 1) *
						 mel_to_hertz((double)(m + k) * step + low) / rate);
		if (edge[1] < bins)
			loom_value_set_float(y, edge[1] * mels + m, 1);
		for (k = edge[0]; k < edge[1] && k < bins; k++)
			loom_value_set_float(y, k * mels + m, (double)(k - edge[0]) /
					     (double)(edge[1] - edge[0]));
		for (k = edge[1]; k < edge[2] && k < bins; k++)
			loom_value_set_float(y, k * mels + m, (double)(edge[2] - k) /
					     (double)(edge[2] - edge[1]));
	}
	loom_import_result(im, 0, y);
}

/**
 * struct transform - the matrix of a transform
 * @points: length of the signal, which is padded by zeroes
 * @length: of the transform
 * @bins: of the result
 * @sign: -1, or 1 for the inverse
 * @scale: factor of all
 * @window: [@points] factors, or NULL
 */
struct transform {
	int64_t points;
	int64_t length;
	int64_t bins;
	int sign;
	double scale;
	const struct loom_value *window;
};

/*
 * Row 2 * k + p gives part p (real, imaginary) of bin k. With @complex, columns are parts as well:
 * [2 * bins, points * 2], else [2 * bins, points].
 */
static struct loom_value *emit_matrix(struct loom_import *im, uint32_t dtype,
				      const struct transform *t, bool complex)
{
	int64_t columns = complex ? 2 * t->points : t->points, k, n;
	struct loom_value *y = loom_emit_const(im->em, dtype, 2,
					       (int64_t[]){ 2 * t->bins, columns });
	double turn, re, part;

	for (k = 0; y && k < t->bins; k++)
		for (n = 0; n < t->points; n++) {
			/* the remainder first: it is exact */
			turn = 2 * M_PI * (double)(k * n % t->length) / (double)t->length;
			re = cos(turn) * t->scale;
			part = sin(turn) * t->sign * t->scale;
			if (t->window) {
				re *= loom_value_float(t->window, n);
				part *= loom_value_float(t->window, n);
			}
			if (!complex) {
				loom_value_set_float(y, 2 * k * columns + n, re);
				loom_value_set_float(y, (2 * k + 1) * columns + n, part);
				continue;
			}
			loom_value_set_float(y, 2 * k * columns + 2 * n, re);
			loom_value_set_float(y, 2 * k * columns + 2 * n + 1, -part);
			loom_value_set_float(y, (2 * k + 1) * columns + 2 * n, part);
			loom_value_set_float(y, (2 * k + 1) * columns + 2 * n + 1, re);
		}
	return y;
}

static bool transform_fits(struct loom_import *im, const struct loom_value *x,
			   const struct transform *t)
{
	int64_t parts = x->rank ? x->dims[x->rank - 1] : 0;

	if (im->em->status)
		return false;
	if (!loom_dtype_is_float(x->dtype) || (parts != 1 && parts != 2) || t->length < 1 ||
	    t->length > MOST_POINTS || t->points < 1) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "data of this type, or a transform of %lld points, are not supported",
				 (long long)t->length);
		return false;
	}
	return true;
}

/* [..., n, ..., parts]: the axis and the parts last, a product, and back */
void loom_import_dft(struct loom_import *im, int unused)
{
	bool one_sided = loom_attr_int(im, "onesided", 0);
	bool inverse = loom_attr_int(im, "inverse", 0);
	struct loom_value *x = loom_import_operand(im, 0), *y;
	int64_t given = im->opset < 20 ? loom_attr_int(im, "axis", 1) :
			loom_import_count(im, 2, -2);
	struct transform t = { .sign = inverse ? 1 : -1 };
	uint32_t perm[LOOM_GRAPH_RANK], i, axis;
	int64_t dims[LOOM_GRAPH_RANK], rows, parts;

	(void)unused;
	if (!x || x->rank < 2) {
		loom_import_fail(im, -EINVAL, "its data have no axis to transform");
		return;
	}
	axis = loom_import_axis(im, given, x->rank);
	parts = x->dims[x->rank - 1];
	t.length = loom_import_count(im, 1, x->dims[axis]);
	t.points = t.length < x->dims[axis] ? t.length : x->dims[axis];
	t.bins = one_sided ? t.length / 2 + 1 : t.length;
	t.scale = inverse && t.length ? 1.0 / (double)t.length : 1;
	if (!transform_fits(im, x, &t))
		return;
	if (axis == x->rank - 1 || (inverse && one_sided)) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "this axis, or an inverse of one side, is not supported");
		return;
	}
	x = loom_import_part(im, x, axis, 0, 1, t.points);
	for (i = 0; i < x->rank; i++)
		perm[i] = i < axis ? i : i + 2 < x->rank ? i + 1 : i + 1 < x->rank ? axis : i;
	x = loom_emit_transpose(im->em, x, perm);
	if (!x)
		return;
	rows = x->num_elems / (t.points * parts);
	for (i = 0; i < x->rank; i++)
		dims[i] = x->dims[i];
	dims[x->rank - 2] = t.bins;
	dims[x->rank - 1] = 2;
	y = loom_emit_reshape(im->em, x, 2, (int64_t[]){ rows, t.points * parts });
	y = loom_import_product(im, y, emit_matrix(im, x->dtype, &t, parts == 2), NULL);
	y = loom_emit_reshape(im->em, y, x->rank, dims);
	if (!y)
		return;
	for (i = 0; i < y->rank; i++)
		perm[i] = i < axis ? i : i == axis ? y->rank - 2 : i + 1 < y->rank ? i - 1 : i;
	loom_import_result(im, 0, loom_emit_transpose(im->em, y, perm));
}

/* pieces of a real signal [batch, length, 1]: a convolution whose kernels are rows of the matrix */
void loom_import_stft(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *weights, *y, *window = NULL;
	int64_t step = loom_import_count(im, 1, -1), frames;
	struct transform t = { .sign = -1, .scale = 1 };
	struct loom_value *operands[LOOM_GCONV_NUM_OPERANDS] = { NULL };
	struct loom_node *node;

	(void)unused;
	if (loom_import_has(im, 2))
		window = loom_import_known(im, 2);
	if (!x || im->em->status)
		return;
	if (x->rank == 2)
		x = loom_emit_reshape(im->em, x, 3, (int64_t[]){ x->dims[0], x->dims[1], 1 });
	t.length = loom_import_count(im, 3, window ? window->num_elems : -1);
	t.points = t.length;
	t.bins = loom_attr_int(im, "onesided", 1) ? t.length / 2 + 1 : t.length;
	t.window = window;
	if (!x || !transform_fits(im, x, &t))
		return;
	if (x->rank != 3 || x->dims[2] != 1 || step < 1 || step > 1 << 24 ||
	    x->dims[1] < t.length || (window && window->num_elems != t.length)) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "signals of this shape, or this window, are not supported");
		return;
	}
	frames = (x->dims[1] - t.length) / step + 1;
	weights = emit_matrix(im, x->dtype, &t, false);
	operands[LOOM_GCONV_W] = loom_emit_reshape(im->em, weights, 3,
						   (int64_t[]){ 2 * t.bins, 1, t.length });
	operands[LOOM_GCONV_X] = loom_emit_reshape(im->em, x, 3,
						   (int64_t[]){ x->dims[0], 1, x->dims[1] });
	if (im->em->status)
		return;
	node = loom_emit_begin(im->em, LOOM_GOP_CONV, x->dtype, 3,
			       (int64_t[]){ x->dims[0], 2 * t.bins, frames },
			       LOOM_GCONV_NUM_OPERANDS, operands);
	if (!node)
		return;
	node->conv = (struct loom_gconv){
		.num_spatial = 1, .groups = 1, .kernel = { t.length }, .strides = { step },
		.dilations = { 1 },
	};
	y = loom_emit_end(im->em, node);
	y = loom_emit_transpose(im->em, y, (uint32_t[]){ 0, 2, 1 });
	loom_import_result(im, 0, loom_emit_reshape(im->em, y, 4, (int64_t[]){
		x->dims[0], frames, t.bins, 2 }));
}
