// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

/**
 * DOC: Convolution in binary32
 *
 * Direct, without im2col: there is no memory to unfold the input into. A block of outputs, one or
 * four channels of up to 32 positions, is kept in registers over the loop on inputs and taps. Four
 * channels share what is read of x.
 *
 * What is added to an output, and in which order, depends on nothing but what it is an output of:
 * for each input channel, for each kd and kh whose row of taps meets x, for each kw, x * w, where x
 * is 0 outside of its rows. The bits do not depend on which outputs share a block, how many
 * there are in the command, or how the units are cut; so a slice of a convolution that has all
 * inputs of its windows has the bits of the whole. There are two methods:
 *
 * - fp_conv_wide.c: blocks of positions of one row. Rows whose elements are side by side are read
 *   in place, with zeroes shifted in at the ends. Others are staged: copied with their zeroes,
 *   sorted by phase of the stride, so that the taps of any stride read them side by side;
 * - fp_conv_narrow.c, for short rows: blocks span rows, each position has its own address.
 *
 * In a row 0 * w is not left out even where that would be cheaper, because w may be infinite. The
 * first of these orders was by tap, then by channel, for short rows only, which needs no table of
 * taps; but then a slice that is as narrow as that differs from the whole.
 *
 * Both need rows that stay in a bank. Where the lanes run over another axis than channels, and for
 * all other types, fp_conv_plain.c is used. This file chooses.
 */

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
		if (v[j]->dims[i] > 1 && v[j]->strides[i] != v[j]->strides[i + 1] *
							     v[j]->dims[i + 1])
			return;
	}
	for (j = 0; j < 2; j++) {
		v[j]->dims[i] = 1;
		v[j]->dims[i + 1] = dim;
	}
}

/* Of a pointwise convolution without steps the spatial axes are one long row. */
static void conv_flatten(struct loom_conv *conv)
{
	const struct drm_loom_attr_conv *attr = conv->attr;
	u32 i;

	if (conv->y.lane_axis > 1 || conv->x.lane_axis > 1)
		return;
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

static void conv_channels_begin(struct loom_conv_channels *ch, const struct loom_conv *c, u32 n,
				u32 o, u32 nb)
{
	u8 *y = loom_view_origin(&c->y, c->memory) + loom_view_step(&c->y, c->memory, 0, n);
	u32 i;

	ch->n = n;
	ch->o = o;
	ch->nb = nb;
	ch->x = loom_row_along(&c->x, c->memory,
			       c->x_origin + loom_view_step(&c->x, c->memory, 0, n), 1,
			       o / c->outputs * c->inputs);
	ch->w = loom_row_along(c->w, c->memory, c->w_origin, 1, 0);
	for (i = 0; i < nb; i++) {
		ch->wo[i] = loom_view_step(c->w, c->memory, 0, o + i);
		ch->y[i] = y + loom_view_step(&c->y, c->memory, 1, o + i);
		ch->bias[i] = c->bias ? loom_get_f32(loom_conv_channel(c, c->bias, o + i)) : 0.0f;
	}
}

/* Position of a unit's first output; behind the last unit of a plane, of its end. */
static u64 conv_unit_position(const struct loom_view *y, u64 unit)
{
	u32 tiles = loom_tile_per_row(y->dims[4]);

	return unit / tiles * y->dims[4] + unit % tiles * LOOM_TILE;
}

static void conv_f32_begin(struct loom_conv_f32 *f, const struct loom_command *command,
			   const struct loom_memory *memory)
{
	const struct drm_loom_attr_conv *attr = command->attr;
	s64 last;
	u32 i;

	loom_conv_begin(&f->c, command, memory);
	conv_flatten(&f->c);
	for (i = 0; i < 3; i++) {
		f->y_step[i] = f->c.y.strides[2 + i];
		f->x_step[i] = f->c.x.strides[2 + i];
		f->w_step[i] = f->c.w->strides[2 + i];
	}
	last = (s64)(f->c.y.dims[4] - 1) * attr->stride[2] - attr->pad[2] +
	       (s64)(f->c.w->dims[4] - 1) * attr->dilation[2];
	f->contiguous = f->x_step[2] == 4;
	f->open = last < (s64)f->c.x.dims[4];
	f->width = 0;
}

void loom_fp_conv_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count)
{
	const struct loom_view *y = &command->views[0];
	u64 plane = (u64)y->dims[2] * y->dims[3] * loom_tile_per_row(y->dims[4]);
	u64 end = first + count, from, to, p, q;
	struct loom_conv_channels ch;
	struct loom_conv_narrow taps;
	struct loom_conv_f32 f;
	u32 n, o, nb;
	bool narrow;

	if (y->dtype != DRM_LOOM_DTYPE_F32 || command->views[0].lane_axis > 1 ||
	    command->views[1].lane_axis > 1 || command->views[2].lane_axis > 1) {
		loom_conv_run_plain(command, memory, first, count);
		return;
	}
	conv_f32_begin(&f, command, memory);
	narrow = loom_conv_narrow_suits(&f);
	taps.positions = 0;
	for (; first < end; first += (to - from) * nb) {
		n = first / plane / y->dims[1];
		o = first / plane % y->dims[1];
		from = first % plane;
		to = min(plane, from + (end - first));
		nb = 1;
		if (!from && (end - first) / 4 >= plane && o % f.c.outputs + 4 <= f.c.outputs)
			nb = 4;

		conv_channels_begin(&ch, &f.c, n, o, nb);
		p = conv_unit_position(y, from);
		q = conv_unit_position(y, to);
		if (narrow)
			loom_conv_narrow_run(&f, &taps, &ch, p, q);
		else
			loom_conv_wide_run(&f, &ch, p, q);
	}
}
