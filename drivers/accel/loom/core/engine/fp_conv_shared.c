// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

/* Code shared by the convolutions: prepare operands, merge axes, write results. */

void loom_conv_begin(struct loom_conv *conv, const struct loom_command *command,
		     const struct loom_memory *memory)
{
	const struct drm_loom_attr_conv *attr = command->attr;
	const struct loom_view *next = &command->views[3];

	conv->memory = memory;
	conv->attr = attr;
	conv->y = command->views[0];
	conv->x = command->views[1];
	conv->w = &command->views[2];
	conv->bias = attr->flags & DRM_LOOM_ATTR_BIAS ? next++ : NULL;
	conv->scale = attr->flags & DRM_LOOM_ATTR_SCALE ? next : NULL;
	conv->x_origin = loom_view_origin(&conv->x, memory);
	conv->w_origin = loom_view_origin(conv->w, memory);
	conv->inputs = conv->x.dims[1] / attr->groups;
	conv->outputs = conv->y.dims[1] / attr->groups;
}

/* Merges axis @i and @i + 1 of y and x, if the rows of both follow each other. */
static void conv_merge(struct loom_conv *conv, u32 i)
{
	struct loom_view *v[2] = { &conv->y, &conv->x };
	u64 dim = (u64)v[0]->dims[i] * v[0]->dims[i + 1];
	u32 j;

	if (v[0]->dims[i] != v[1]->dims[i] || v[0]->dims[i + 1] != v[1]->dims[i + 1] ||
	    dim > U32_MAX >> 1)
		return;
	for (j = 0; j < 2; j++) {
		if (v[j]->dims[i] > 1 && v[j]->dims[i + 1] > 1 &&
		    v[j]->strides[i] != v[j]->strides[i + 1] * v[j]->dims[i + 1])
			return;
	}
	for (j = 0; j < 2; j++) {
		if (v[j]->dims[i + 1] == 1)
			v[j]->strides[i + 1] = v[j]->strides[i];
		v[j]->dims[i] = 1;
		v[j]->dims[i + 1] = dim;
	}
}

/* Whether the lanes run over D, H, or W. */
static bool conv_in_plane(const struct loom_view *view)
{
	return view->lane_axis > 1 && view->lane_axis < 5;
}

/*
 * Where all taps are on H, and meet x, rows follow each other as outputs do: for each tap there is
 * one long row, which begins where the tap's first row does.
 */
static void conv_flatten_taps(struct loom_conv *conv)
{
	const struct drm_loom_attr_conv *attr = conv->attr;
	struct loom_view *y = &conv->y, *x = &conv->x;
	u64 reach = (conv->w->dims[3] - 1) * (u64)attr->dilation[1];
	u64 dim = (u64)y->dims[3] * y->dims[4];

	if (conv->w->dims[4] != 1 || attr->stride[1] != 1 || attr->stride[2] != 1 ||
	    attr->pad[1] || attr->pad[2] || x->dims[4] != y->dims[4] ||
	    reach + y->dims[3] > x->dims[3] || dim > U32_MAX >> 1 ||
	    x->strides[4] != x->elem_bytes || y->strides[3] != y->strides[4] * y->dims[4] ||
	    x->strides[3] != x->strides[4] * x->dims[4])
		return;
	y->dims[3] = 1;
	x->dims[3] = reach + 1;
	y->dims[4] = dim;
	x->dims[4] = dim;
}

/* Of a pointwise convolution without steps the spatial axes are one long row. */
void loom_conv_flatten(struct loom_conv *conv)
{
	const struct drm_loom_attr_conv *attr = conv->attr;
	u32 i;

	if (conv_in_plane(&conv->y) || conv_in_plane(&conv->x))
		return;
	if (conv->w->dims[3] > 1)
		conv_flatten_taps(conv);
	for (i = 0; i < 3; i++) {
		if (conv->w->dims[2 + i] != 1 || attr->stride[i] != 1 || attr->pad[i])
			return;
	}
	conv_merge(conv, 3);
	if (conv->y.dims[3] == 1) {
		/* H is gone: let D follow W through it */
		conv->y.strides[3] = conv->y.strides[4] * conv->y.dims[4];
		conv->x.strides[3] = conv->x.strides[4] * conv->x.dims[4];
		conv_merge(conv, 2);
		if (conv->y.dims[2] == 1)
			conv_merge(conv, 3);
	}
}

void loom_conv_finish(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u32 i,
		      u32 n, float *v)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	float bias = ch->bias[i];
	u32 j;

	/* whole vectors: the last few of a row would be done one by one */
	n = (n + 15) & ~15U;
	if (f->c.bias) {
		for (j = 0; j < n; j++)
			v[j] += bias;
	}
	loom_tile_act_f32(v, n, attr->act, attr->act_p0, attr->act_p1);
}
