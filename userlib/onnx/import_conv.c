// SPDX-License-Identifier: MIT
/* Importers of convolutions. */
#include "import.h"
#include "window.h"

#include <errno.h>
#include <string.h>

static bool conv_ranks_fit(struct loom_import *im, const struct loom_value *x,
			   const struct loom_value *w)
{
	if (!x || !w)
		return false;
	if (x->rank < 3 || x->rank > 2 + LOOM_GRAPH_SPATIAL)
		loom_import_fail(im, -EOPNOTSUPP, "data of rank %u are not supported", x->rank);
	else if (w->rank != x->rank)
		loom_import_fail(im, -EINVAL, "weights of rank %u for data of rank %u", w->rank,
				 x->rank);
	return !im->em->status;
}

static int64_t conv_groups(struct loom_import *im)
{
	int64_t groups = loom_attr_int(im, "group", 1);

	if (groups < 1 || groups > LOOM_WINDOW_MAX) {
		loom_import_fail(im, -EINVAL, "group %lld is out of range", (long long)groups);
		return 1;
	}
	return groups;
}

static struct loom_gconv conv_attrs(const struct loom_onnx_window *window, int64_t groups)
{
	struct loom_gconv conv = { .num_spatial = window->num_spatial, .groups = groups };

	memcpy(conv.kernel, window->kernel, sizeof(conv.kernel));
	memcpy(conv.strides, window->strides, sizeof(conv.strides));
	memcpy(conv.dilations, window->dilations, sizeof(conv.dilations));
	memcpy(conv.pads_begin, window->pads_begin, sizeof(conv.pads_begin));
	memcpy(conv.pads_end, window->pads_end, sizeof(conv.pads_end));
	return conv;
}

static void check_vector(struct loom_import *im, const struct loom_value *vector,
			 const char *what, uint32_t dtype, int64_t count, bool one_will_do)
{
	if (!vector || im->em->status)
		return;
	if (vector->dtype != dtype)
		loom_import_fail(im, -EINVAL, "%s is of type %s instead of %s", what,
				 loom_dtype_name(vector->dtype), loom_dtype_name(dtype));
	else if (vector->rank > 1 ||
		 (vector->num_elems != count && !(one_will_do && vector->num_elems == 1)))
		loom_import_fail(im, -EINVAL, "%s has %lld elements, %lld are needed", what,
				 (long long)vector->num_elems, (long long)count);
}

static struct loom_value *emit_conv(struct loom_import *im, struct loom_value *const *operands,
				    const struct loom_onnx_window *window, int64_t groups,
				    uint32_t dtype)
{
	const struct loom_value *x = operands[LOOM_GCONV_X], *w = operands[LOOM_GCONV_W];
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;

	if (!x || !w)
		return NULL;
	dims[0] = x->dims[0];
	dims[1] = w->dims[0];
	memcpy(dims + 2, window->out, window->num_spatial * sizeof(dims[0]));
	node = loom_emit_begin(im->em, LOOM_GOP_CONV, dtype, x->rank, dims, LOOM_GCONV_NUM_OPERANDS,
			       operands);
	if (node)
		node->conv = conv_attrs(window, groups);
	return loom_emit_end(im->em, node);
}

/* [M] as it broadcasts to the result; one element as a scalar */
static struct loom_value *per_channel(struct loom_import *im, struct loom_value *x, uint32_t rank)
{
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t i;

	if (!x)
		return NULL;
	for (i = 0; i + 1 < rank; i++)
		dims[i] = i ? 1 : x->num_elems;
	return loom_emit_reshape(im->em, x, x->num_elems == 1 ? 0 : rank - 1, dims);
}

/* Padding counts as the zero point; if that is computed, the data must be padded explicitly. */
static struct loom_value *pad_with(struct loom_import *im, struct loom_value *x,
				   struct loom_value *zero, struct loom_onnx_window *window)
{
	int64_t dims[LOOM_GRAPH_RANK] = { 1, 1, 1, 1, 1 };
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT };
	struct loom_value *inside;
	uint32_t i;

	for (i = 0; i < window->num_spatial; i++) {
		pad.begin[2 + i] = window->pads_begin[i];
		pad.end[2 + i] = window->pads_end[i];
		dims[2 + i] = window->in[i];
		window->in[i] += window->pads_begin[i] + window->pads_end[i];
		window->pads_begin[i] = 0;
		window->pads_end[i] = 0;
	}
	inside = loom_emit_expand(im->em, loom_emit_scalar(im->em, DRM_LOOM_DTYPE_BOOL, 1), x->rank,
				  dims);
	inside = loom_emit_pad(im->em, inside, &pad);
	return loom_emit_select(im->em, inside, loom_emit_pad(im->em, x, &pad), zero);
}

/* Sum of the elements of each window and group, less a zero point that the device supports. */
static struct loom_value *window_sums(struct loom_import *im, struct loom_value *const *operands,
				      const struct loom_onnx_window *window, int64_t groups)
{
	struct loom_value *in[LOOM_GCONV_NUM_OPERANDS] = { operands[LOOM_GCONV_X] }, *sums;
	const struct loom_value *w = operands[LOOM_GCONV_W];
	int64_t dims[LOOM_GRAPH_RANK + 1], per_group = w->dims[0] / groups;
	uint32_t i;

	memcpy(dims, w->dims, sizeof(w->dims));
	dims[0] = groups;
	in[LOOM_GCONV_X_ZP] = operands[LOOM_GCONV_X_ZP];
	in[LOOM_GCONV_W] = loom_emit_expand(im->em, loom_emit_scalar(im->em, DRM_LOOM_DTYPE_U8, 1),
					    w->rank, dims);
	sums = emit_conv(im, in, window, groups, DRM_LOOM_DTYPE_I32);
	if (!sums || groups == 1 || per_group == 1)
		return sums;
	dims[0] = sums->dims[0];
	dims[1] = groups;
	dims[2] = 1;
	for (i = 2; i < sums->rank; i++)
		dims[1 + i] = sums->dims[i];
	sums = loom_emit_reshape(im->em, sums, w->rank + 1, dims);
	dims[2] = per_group;
	sums = loom_emit_expand(im->em, sums, w->rank + 1, dims);
	dims[1] *= per_group;
	memmove(dims + 2, dims + 3, (w->rank - 2) * sizeof(dims[0]));
	return loom_emit_reshape(im->em, sums, w->rank, dims);
}

/* Zero points that the device does not support, see import_quant.c. */
static struct loom_value *conv_apart(struct loom_import *im, struct loom_value **operands,
				     struct loom_onnx_window *window, int64_t groups)
{
	struct loom_value *p = operands[LOOM_GCONV_X_ZP], *q = operands[LOOM_GCONV_W_ZP];
	struct loom_value *w = operands[LOOM_GCONV_W], *scale = operands[LOOM_GCONV_MULT], *y;
	struct loom_value *zero = operands[LOOM_GCONV_Y_ZP], *sums;
	bool plain_x = loom_import_plain_zero(p), plain_w = loom_import_plain_zero(q);
	int64_t count = w->num_elems / w->dims[0];
	uint32_t rank = w->rank;

	operands[LOOM_GCONV_MULT] = NULL;
	operands[LOOM_GCONV_Y_ZP] = NULL;
	if (!plain_w)
		operands[LOOM_GCONV_W_ZP] = NULL;
	if (!plain_x) {
		operands[LOOM_GCONV_X_ZP] = NULL;
		p = loom_emit_reshape(im->em, p, 0, NULL);
		operands[LOOM_GCONV_X] = pad_with(im, operands[LOOM_GCONV_X], p, window);
	}
	y = emit_conv(im, operands, window, groups, DRM_LOOM_DTYPE_I32);
	q = per_channel(im, q, rank);
	if (!plain_x) {
		sums = loom_import_sums(im, w, ((1u << rank) - 1) & ~1u, false);
		y = loom_import_less_zero(im, y, p, per_channel(im, sums, rank),
					  plain_w ? q : NULL, count);
	}
	if (!plain_w)
		y = loom_import_less_zero(im, y, q, window_sums(im, operands, window, groups),
					  plain_x ? NULL : p, count);
	return scale ? loom_import_requantise(im, y, per_channel(im, scale, rank), zero) : y;
}

static void import_conv(struct loom_import *im, struct loom_value **operands, uint32_t bias_dtype,
			uint32_t dtype)
{
	struct loom_value *x = operands[LOOM_GCONV_X], *w = operands[LOOM_GCONV_W], *y;
	const struct loom_value *zero = operands[LOOM_GCONV_Y_ZP];
	struct loom_onnx_window window = { 0 };
	int64_t groups = conv_groups(im);

	if (!conv_ranks_fit(im, x, w))
		return;
	window.num_spatial = x->rank - 2;
	memcpy(window.kernel, w->dims + 2, window.num_spatial * sizeof(window.kernel[0]));
	loom_window_shape(im, x, &window);
	if (w->dims[1] > LOOM_WINDOW_MAX || x->dims[1] != w->dims[1] * groups ||
	    w->dims[0] % groups)
		loom_import_fail(im, -EINVAL,
				 "%lld channels in %lld groups do not fit weights for %lld",
				 (long long)x->dims[1], (long long)groups, (long long)w->dims[1]);
	check_vector(im, operands[LOOM_GCONV_BIAS], "bias", bias_dtype, w->dims[0], false);
	check_vector(im, operands[LOOM_GCONV_X_ZP], "x_zero_point", x->dtype, 1, true);
	check_vector(im, operands[LOOM_GCONV_W_ZP], "w_zero_point", w->dtype, w->dims[0], true);
	check_vector(im, operands[LOOM_GCONV_MULT], "scale", DRM_LOOM_DTYPE_F32, w->dims[0], true);
	check_vector(im, operands[LOOM_GCONV_Y_ZP], "y_zero_point", dtype, 1, true);
	if (im->em->status)
		return;
	if (loom_import_plain_zero(operands[LOOM_GCONV_X_ZP]) &&
	    loom_import_plain_zero(operands[LOOM_GCONV_W_ZP]) && (!zero || zero->data))
		y = emit_conv(im, operands, &window, groups, dtype);
	else if (w->num_elems)
		y = conv_apart(im, operands, &window, groups);
	else
		return loom_import_fail(im, -EOPNOTSUPP, "it has no weights");
	loom_import_result(im, 0, y);
}

static bool conv_types_fit(struct loom_import *im, const struct loom_value *x,
			   const struct loom_value *w, bool integer)
{
	bool fit;

	if (!x || !w)
		return false;
	if (integer)
		fit = (x->dtype == DRM_LOOM_DTYPE_U8 || x->dtype == DRM_LOOM_DTYPE_I8) &&
		      (w->dtype == DRM_LOOM_DTYPE_U8 || w->dtype == DRM_LOOM_DTYPE_I8);
	else
		fit = x->dtype == w->dtype && loom_dtype_is_float(x->dtype);
	if (!fit)
		loom_import_fail(im, -EINVAL, "operands of types %s and %s",
				 loom_dtype_name(x->dtype), loom_dtype_name(w->dtype));
	return fit;
}

void loom_import_conv(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GCONV_NUM_OPERANDS] = {
		[LOOM_GCONV_X] = loom_import_operand(im, 0),
		[LOOM_GCONV_W] = loom_import_operand(im, 1),
		[LOOM_GCONV_BIAS] = loom_import_optional(im, 2),
	};

	(void)unused;
	if (conv_types_fit(im, operands[LOOM_GCONV_X], operands[LOOM_GCONV_W], false))
		import_conv(im, operands, operands[LOOM_GCONV_X]->dtype,
			    operands[LOOM_GCONV_X]->dtype);
}

void loom_import_conv_integer(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GCONV_NUM_OPERANDS] = {
		[LOOM_GCONV_X] = loom_import_operand(im, 0),
		[LOOM_GCONV_W] = loom_import_operand(im, 1),
		[LOOM_GCONV_X_ZP] = loom_import_optional(im, 2),
		[LOOM_GCONV_W_ZP] = loom_import_optional(im, 3),
	};

	(void)unused;
	if (conv_types_fit(im, operands[LOOM_GCONV_X], operands[LOOM_GCONV_W], true))
		import_conv(im, operands, DRM_LOOM_DTYPE_I32, DRM_LOOM_DTYPE_I32);
}

/* Places of the elements of all windows on a spatial axis, [1, kernel's elements, windows] */
static struct loom_value *emit_window_places(struct loom_import *im,
					     const struct loom_onnx_window *window, uint32_t axis,
					     uint32_t dtype)
{
	int64_t tap, out, taps = window->kernel[0] * window->kernel[1];
	int64_t outs = window->out[0] * window->out[1];
	struct loom_value *places = loom_emit_const(im->em, dtype, 3, (int64_t[]){ 1, taps, outs });

	for (tap = 0; places && tap < taps; tap++)
		for (out = 0; out < outs; out++) {
			int64_t k = axis ? tap % window->kernel[1] : tap / window->kernel[1];
			int64_t o = axis ? out % window->out[1] : out / window->out[1];

			loom_value_set_float(places, tap * outs + out,
					     (double)(o * window->strides[axis] -
						      window->pads_begin[axis] +
						      k * window->dilations[axis]));
		}
	return places;
}

/* The elements of all windows of a DeformConv, [N, C * kernel's elements, windows...] */
static struct loom_value *emit_deformed(struct loom_import *im, struct loom_value *x,
					struct loom_value *offset, struct loom_value *mask,
					const struct loom_onnx_window *window, int64_t parts)
{
	int64_t taps = window->kernel[0] * window->kernel[1], channels = x->dims[1] / parts;
	int64_t outs = window->out[0] * window->out[1], points = taps * outs;
	int64_t batch = x->dims[0] * parts, size = window->in[0] * window->in[1];
	uint32_t dtype = x->dtype == DRM_LOOM_DTYPE_F64 ? x->dtype : DRM_LOOM_DTYPE_F32, axis;
	struct loom_value *at[2], *y;

	offset = loom_emit_reshape(im->em, loom_emit_cast(im->em, offset, dtype), 4, (int64_t[]){
		batch, taps, 2, outs });
	for (axis = 0; axis < 2; axis++) {
		y = offset ? loom_import_part(im, offset, 2, axis, 1, 1) : NULL;
		y = loom_emit_reshape(im->em, y, 3, (int64_t[]){ batch, taps, outs });
		y = loom_emit_binary(im->em, LOOM_GBIN_ADD, y,
				     emit_window_places(im, window, axis, dtype));
		at[axis] = loom_emit_reshape(im->em, y, 3, (int64_t[]){ batch, 1, points });
	}
	y = loom_emit_reshape(im->em, loom_emit_cast(im->em, x, dtype), 3, (int64_t[]){
		batch, channels, size });
	if (im->em->status)
		return NULL;
	y = loom_import_bilinear(im, y, at, window->in);
	if (mask) {
		mask = loom_emit_reshape(im->em, loom_emit_cast(im->em, mask, dtype), 3,
					 (int64_t[]){ batch, 1, points });
		y = loom_emit_binary(im->em, LOOM_GBIN_MUL, y, mask);
	}
	channels = x->dims[1] * taps;
	return loom_emit_reshape(im->em, loom_emit_cast(im->em, y, x->dtype), 4, (int64_t[]){
		x->dims[0], channels, window->out[0], window->out[1] });
}

static bool deform_fits(const struct loom_value *x, const struct loom_value *w,
			const struct loom_value *offset, const struct loom_value *mask,
			const struct loom_onnx_window *window, int64_t groups, int64_t parts)
{
	int64_t taps = window->kernel[0] * window->kernel[1];
	const int64_t dims[] = { x->dims[0], 0, window->out[0], window->out[1] };
	const struct loom_value *operands[] = { offset, mask };
	uint32_t i;

	if (parts < 1 || parts > x->dims[1] || x->dims[1] % parts || x->dims[1] % groups ||
	    w->dims[1] != x->dims[1] / groups || w->dims[0] % groups || taps > LOOM_WINDOW_MAX)
		return false;
	for (i = 0; i < 2; i++)
		if (operands[i] && (operands[i]->rank != 4 || operands[i]->dims[0] != dims[0] ||
				    operands[i]->dims[1] != parts * taps * (i ? 1 : 2) ||
				    operands[i]->dims[2] != dims[2] ||
				    operands[i]->dims[3] != dims[3] ||
				    operands[i]->dtype != x->dtype))
			return false;
	return x->num_elems && w->num_elems && offset->num_elems;
}

void loom_import_deform_conv(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GCONV_NUM_OPERANDS] = {
		[LOOM_GCONV_X] = loom_import_operand(im, 0),
		[LOOM_GCONV_W] = loom_import_operand(im, 1),
		[LOOM_GCONV_BIAS] = loom_import_optional(im, 3),
	};
	struct loom_value *x = operands[LOOM_GCONV_X], *w = operands[LOOM_GCONV_W];
	struct loom_value *offset = loom_import_operand(im, 2), *mask = loom_import_optional(im, 4);
	int64_t groups = conv_groups(im), parts = loom_attr_int(im, "offset_group", 1), i;
	struct loom_onnx_window window = { .num_spatial = 2 }, taps = { .num_spatial = 2 };

	(void)unused;
	if (!offset || !conv_types_fit(im, x, w, false) || !conv_ranks_fit(im, x, w))
		return;
	if (x->rank != 4)
		return loom_import_fail(im, -EOPNOTSUPP, "data of rank %u are not supported",
					x->rank);
	memcpy(window.kernel, w->dims + 2, 2 * sizeof(window.kernel[0]));
	loom_window_shape(im, x, &window);
	if (im->em->status)
		return;
	if (!deform_fits(x, w, offset, mask, &window, groups, parts))
		return loom_import_fail(im, -EINVAL, "its operands do not fit together");
	check_vector(im, operands[LOOM_GCONV_BIAS], "bias", x->dtype, w->dims[0], false);
	/* places are counted in floats */
	if (window.in[0] > LOOM_WINDOW_MAX / window.in[1])
		loom_import_fail(im, -EOPNOTSUPP, "pictures of %lld times %lld are not supported",
				 (long long)window.in[0], (long long)window.in[1]);
	if (im->em->status)
		return;
	/* the rest is a convolution by one element of channels times kernel */
	operands[LOOM_GCONV_X] = emit_deformed(im, x, offset, mask, &window, parts);
	operands[LOOM_GCONV_W] = loom_emit_reshape(im->em, w, 4, (int64_t[]){
		w->dims[0], w->num_elems / w->dims[0], 1, 1 });
	for (i = 0; i < 2; i++) {
		taps.kernel[i] = 1;
		taps.strides[i] = 1;
		taps.dilations[i] = 1;
		taps.out[i] = window.out[i];
	}
	loom_import_result(im, 0, emit_conv(im, operands, &taps, groups, x->dtype));
}

/* x_scale * w_scale / y_scale, in the order in which ONNX Runtime rounds */
static struct loom_value *emit_multiplier(struct loom_import *im, struct loom_value *x_scale,
					  struct loom_value *w_scale, struct loom_value *y_scale)
{
	return loom_emit_binary(im->em, LOOM_GBIN_DIV,
				loom_emit_binary(im->em, LOOM_GBIN_MUL, x_scale, w_scale), y_scale);
}

void loom_import_qlinear_conv(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GCONV_NUM_OPERANDS] = {
		[LOOM_GCONV_X] = loom_import_operand(im, 0),
		[LOOM_GCONV_W] = loom_import_operand(im, 3),
		[LOOM_GCONV_BIAS] = loom_import_optional(im, 8),
		[LOOM_GCONV_X_ZP] = loom_import_operand(im, 2),
		[LOOM_GCONV_W_ZP] = loom_import_operand(im, 5),
		[LOOM_GCONV_Y_ZP] = loom_import_operand(im, 7),
	};

	(void)unused;
	operands[LOOM_GCONV_MULT] = emit_multiplier(im, loom_import_operand(im, 1),
						    loom_import_operand(im, 4),
						    loom_import_operand(im, 6));
	if (conv_types_fit(im, operands[LOOM_GCONV_X], operands[LOOM_GCONV_W], true) &&
	    operands[LOOM_GCONV_Y_ZP])
		import_conv(im, operands, DRM_LOOM_DTYPE_I32, operands[LOOM_GCONV_Y_ZP]->dtype);
}

/* output sizes of ConvTranspose, by explicit size, automatic or stated padding */
static void deconv_shape(struct loom_import *im, const struct loom_value *x,
			 struct loom_onnx_window *window)
{
	enum loom_auto_pad mode = loom_window_auto_pad(im);
	int64_t pads[2 * LOOM_GRAPH_SPATIAL], extra[LOOM_GRAPH_SPATIAL];
	int64_t sizes[LOOM_GRAPH_SPATIAL];
	bool sized = loom_attr_find(im, "output_shape");
	uint32_t i, n = window->num_spatial;

	loom_window_attrs(im, x, window, pads);
	loom_window_ints(im, "output_padding", n, 0, 0, extra);
	loom_window_ints(im, "output_shape", n, 1, 1, sizes);
	for (i = 0; i < n && !im->em->status; i++) {
		int64_t full = window->strides[i] * (window->in[i] - 1) +
			       loom_window_extent(window, i);
		int64_t total = 0;

		if (sized || mode == LOOM_AUTO_PAD_SAME_UPPER || mode == LOOM_AUTO_PAD_SAME_LOWER) {
			window->out[i] = sized ? sizes[i] : window->in[i] * window->strides[i];
			total = full + extra[i] - window->out[i];
			loom_window_split_pads(mode, total > 0 ? total : 0, &window->pads_begin[i],
					       &window->pads_end[i]);
		} else {
			window->pads_begin[i] = mode == LOOM_AUTO_PAD_VALID ? 0 : pads[i];
			if (mode == LOOM_AUTO_PAD_NOTSET)
				total = pads[n + i];
			window->out[i] = full + extra[i] - window->pads_begin[i] - total;
		}
		window->pads_end[i] = full - window->pads_begin[i] - window->out[i];
		if (window->out[i] < 1)
			loom_import_fail(im, -EINVAL, "pads cut off all of axis %u", i + 2);
	}
}

void loom_import_conv_transpose(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GCONV_NUM_OPERANDS] = {
		[LOOM_GCONV_X] = loom_import_operand(im, 0),
		[LOOM_GCONV_W] = loom_import_operand(im, 1),
		[LOOM_GCONV_BIAS] = loom_import_optional(im, 2),
	};
	struct loom_value *x = operands[LOOM_GCONV_X], *w = operands[LOOM_GCONV_W];
	int64_t groups = conv_groups(im), dims[LOOM_GRAPH_RANK];
	struct loom_onnx_window window = { 0 };
	struct loom_node *node;
	uint32_t i;

	(void)unused;
	if (!conv_types_fit(im, x, w, false) || !conv_ranks_fit(im, x, w))
		return;
	window.num_spatial = x->rank - 2;
	memcpy(window.kernel, w->dims + 2, window.num_spatial * sizeof(window.kernel[0]));
	deconv_shape(im, x, &window);
	if (x->dims[1] != w->dims[0] || x->dims[1] % groups || w->dims[1] > LOOM_WINDOW_MAX)
		loom_import_fail(im, -EINVAL, "%lld channels in %lld groups do not fit the weights",
				 (long long)x->dims[1], (long long)groups);
	if (im->em->status)
		return;
	dims[0] = x->dims[0];
	dims[1] = w->dims[1] * groups;
	for (i = 0; i < window.num_spatial; i++)
		dims[2 + i] = window.out[i];
	check_vector(im, operands[LOOM_GCONV_BIAS], "bias", x->dtype, dims[1], false);
	node = loom_emit_begin(im->em, LOOM_GOP_DECONV, x->dtype, x->rank, dims,
			       LOOM_GCONV_NUM_OPERANDS, operands);
	if (node)
		node->conv = conv_attrs(&window, groups);
	loom_import_result(im, 0, loom_emit_end(im->em, node));
}

/* The identity by group: channel c * @kernels + k is element k of the windows of channel c. */
static struct loom_value *unit_kernels(struct loom_import *im, uint32_t dtype, int64_t channels,
				       const struct loom_onnx_window *window, int64_t kernels)
{
	int64_t dims[LOOM_GRAPH_RANK] = { channels * kernels, 1 }, i;
	struct loom_value *w;

	memcpy(dims + 2, window->kernel, sizeof(window->kernel));
	w = loom_emit_const(im->em, dtype, 2 + window->num_spatial, dims);
	for (i = 0; w && i < channels * kernels; i++)
		loom_value_set_float(w, i * kernels + i % kernels, 1);
	return w;
}

/* Windows of an image, [N, C * window, windows], are added up where they were: a DECONV. */
void loom_import_col2im(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GCONV_NUM_OPERANDS] = { loom_import_operand(im, 0) };
	struct loom_value *x = operands[LOOM_GCONV_X], *y;
	int64_t pads[2 * LOOM_GRAPH_SPATIAL], dims[LOOM_GRAPH_RANK], kernels = 1, windows = 1;
	struct loom_onnx_window window = { 0 };
	struct loom_node *node;
	uint32_t i, n = loom_import_ints(im, 1, window.out, LOOM_GRAPH_SPATIAL);

	(void)unused;
	window.num_spatial = n;
	if (loom_import_ints(im, 2, window.kernel, LOOM_GRAPH_SPATIAL) != n || !x ||
	    x->rank != 3 || !n)
		loom_import_fail(im, -EINVAL, "data, image and window do not fit together");
	else if (x->dtype != DRM_LOOM_DTYPE_F32 && x->dtype != DRM_LOOM_DTYPE_F16)
		loom_import_fail(im, -EOPNOTSUPP, "data of type %s are not supported",
				 loom_dtype_name(x->dtype));
	loom_window_ints(im, "strides", n, 1, 1, window.strides);
	loom_window_ints(im, "dilations", n, 1, 1, window.dilations);
	loom_window_ints(im, "pads", 2 * n, 0, 0, pads);
	for (i = 0; i < n && !im->em->status; i++) {
		if (window.kernel[i] < 1 || window.kernel[i] > 4096 || window.out[i] < 1 ||
		    window.out[i] > LOOM_WINDOW_MAX) {
			loom_import_fail(im, -EOPNOTSUPP,
					 "a window or image of this size is not supported");
			return;
		}
		window.pads_begin[i] = pads[i];
		window.in[i] = window.out[i] + pads[i] + pads[n + i] -
			       loom_window_extent(&window, i);
		window.in[i] = window.in[i] < 0 ? 0 : window.in[i] / window.strides[i] + 1;
		window.pads_end[i] = (window.in[i] - 1) * window.strides[i] +
				     loom_window_extent(&window, i) - pads[i] - window.out[i];
		kernels *= window.kernel[i];
		windows *= window.in[i] ? window.in[i] : LOOM_WINDOW_MAX;
		if (kernels > 4096 || windows > x->num_elems)
			loom_import_fail(im, -EINVAL, "data are not all windows of the image");
		dims[2 + i] = window.in[i];
	}
	if (im->em->status)
		return;
	if (x->dims[1] % kernels || x->dims[2] != windows) {
		loom_import_fail(im, -EINVAL, "data are not all windows of the image");
		return;
	}
	dims[0] = x->dims[0];
	dims[1] = x->dims[1];
	operands[LOOM_GCONV_X] = loom_emit_reshape(im->em, x, 2 + n, dims);
	operands[LOOM_GCONV_W] = unit_kernels(im, x->dtype, x->dims[1] / kernels, &window, kernels);
	dims[1] /= kernels;
	memcpy(dims + 2, window.out, sizeof(window.out));
	node = loom_emit_begin(im->em, LOOM_GOP_DECONV, x->dtype, 2 + n, dims,
			       LOOM_GCONV_NUM_OPERANDS, operands);
	if (node)
		node->conv = conv_attrs(&window, x->dims[1] / kernels);
	y = loom_emit_end(im->em, node);
	loom_import_result(im, 0, y);
}
