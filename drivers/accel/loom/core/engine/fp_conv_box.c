// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

#ifndef __KERNEL__
/*
 * Where the elements of a row of x are apart, because lanes run over W, or channels are innermost,
 * the other methods gather them for each tap, and for each four output channels again. Here they
 * are gathered once: the part of x that a call reads is copied to a box in which rows are side by
 * side, as much as there is room for, and the methods read the box. The bits are theirs. The box
 * of a strip a few columns wide is turned: columns are side by side, sorted by phase of the step on
 * H, with columns of zeroes at the ends, so that each tap reads many rows of outputs side by side.
 *
 * The box is on the stack, in processes only.
 */

/* Rows that are copied together, because their elements in one bank share few cache lines. */
#define BOX_TOGETHER	16
/* Largest step on H of a box that is turned */
#define BOX_STEPS	2

/* Rows that lie a power of two apart would be in one set of the cache. */
static u64 box_pitch(const struct loom_conv_f32 *f)
{
	u64 width = f->c.x.dims[4];

	return width % 256 ? width : width + 16;
}

/* Rows of x from the first tap of an output to the last, as far as x has them. */
static u64 box_span(const struct loom_conv_f32 *f)
{
	u64 span = (f->c.w->dims[3] - 1) * (u64)f->c.attr->dilation[1] + 1, rows = f->c.x.dims[3];

	return min(span, rows);
}

/* Floats of a phase of a column. */
static u64 box_column(const struct loom_conv_f32 *f)
{
	return loom_div_round_up(f->c.x.dims[3], (u32)f->c.attr->stride[1]);
}

/* Columns of x that outputs meet, those outside of it included. */
static u64 box_columns(const struct loom_conv_f32 *f)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;

	return (u64)(f->c.y.dims[4] - 1) * attr->stride[2] +
	       (u64)(f->c.w->dims[4] - 1) * attr->dilation[2] + 1;
}

/* Whether rows are so short, and so many, that vectors are better along H. */
static bool box_turns(const struct loom_conv_f32 *f)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_view *y = &f->c.y, *x = &f->c.x, *w = f->c.w;
	u32 most = attr->stride[2] > 1 ? LOOM_VEC_MOST : LOOM_VEC_MOST / 2;
	u64 taps = (u64)w->dims[3] * w->dims[4];

	if (f->bytes || f->half || y->dims[4] > most || y->dims[3] < LOOM_CONV_TURNED ||
	    x->dims[2] != 1 || y->dims[2] != 1 || w->dims[2] != 1 || attr->pad[0])
		return false;
	/* each element is copied once, and should be read a few times */
	if (taps > LOOM_CONV_ROWS || f->c.outputs * taps < 4)
		return false;
	if (attr->stride[1] > BOX_STEPS || attr->dilation[1] > LOOM_TILE ||
	    attr->stride[2] > LOOM_TILE || attr->dilation[2] > LOOM_TILE ||
	    x->dims[3] > LOOM_CONV_BOX || f->c.inputs > LOOM_CONV_BOX)
		return false;
	return box_columns(f) * attr->stride[1] * box_column(f) * f->c.inputs <= LOOM_CONV_BOX;
}

void loom_conv_box_inside(const struct loom_conv_f32 *f, u32 *first, u32 *end)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 step = attr->stride[1], pad = attr->pad[1], rows = f->c.y.dims[3], behind;

	behind = (s64)f->c.x.dims[3] + pad - (s64)(f->c.w->dims[3] - 1) * attr->dilation[1];
	behind = behind <= 0 ? 0 : min((behind + step - 1) / step, rows);
	*first = min((pad + step - 1) / step, behind);
	*end = behind;
}

bool loom_conv_box_suits(const struct loom_conv_f32 *f)
{
	const struct loom_view *y = &f->c.y, *x = &f->c.x, *w = f->c.w;
	u64 pitch = box_pitch(f), rows = x->dims[3];

	if (box_turns(f))
		return true;
	if (f->bytes || f->half || f->contiguous || x->dims[4] == 1 || x->dims[2] != 1 ||
	    y->dims[2] != 1 || w->dims[2] != 1 || f->c.attr->pad[0])
		return false;
	/* an element is read once */
	if (f->c.outputs == 1 && w->dims[3] == 1 && w->dims[4] == 1)
		return false;
	if (pitch > LOOM_CONV_BOX || rows > LOOM_CONV_BOX || f->c.inputs > LOOM_CONV_BOX ||
	    pitch * box_span(f) > LOOM_CONV_BOX)
		return false;
	return pitch * box_span(f) * f->c.inputs <= LOOM_CONV_BOX;
}

void loom_conv_box_begin(struct loom_conv_box *box, struct loom_conv_f32 *f)
{
	struct loom_view *x = &f->c.x, *y = &f->c.y;

	box->from = *f;
	box->turned = box_turns(f);
	box->pitch = box->turned ? box_column(f) : box_pitch(f);
	box->channels = 0;
	x->region = DRM_LOOM_REGION_DRAM;
	x->lane_axis = DRM_LOOM_MAX_RANK;
	x->strides[0] = 0;
	x->strides[1] = 0;
	x->strides[2] = 0;
	x->strides[3] = 4 * box->pitch;
	x->strides[4] = 4;
	if (box->turned) {
		y->lane_axis = y->lane_axis == 3 ? 4 : y->lane_axis == 4 ? 3 : y->lane_axis;
		y->dims[3] = box->from.c.y.dims[4];
		y->dims[4] = box->from.c.y.dims[3];
		y->strides[3] = box->from.c.y.strides[4];
		y->strides[4] = box->from.c.y.strides[3];
		box->whole = true;
		return;
	}
	f->contiguous = true;
	f->stage.lanes = 0;
	loom_conv_flatten(&f->c);
	box->whole = x->dims[3] == 1;
}

/* Rows of x that rows @from to @to of outputs meet. */
static void box_rows(const struct loom_conv_f32 *f, u64 from, u64 to, u32 *first, u32 *end)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 rows = f->c.x.dims[3], begin, behind;

	begin = (s64)from * attr->stride[1] - attr->pad[1];
	behind = (s64)(to - 1) * attr->stride[1] - attr->pad[1] +
		 (s64)(f->c.w->dims[3] - 1) * attr->dilation[1] + 1;
	begin = min(max(begin, (s64)0), rows);
	behind = min(max(behind, begin), rows);
	*first = begin;
	*end = behind;
}

/* Rows of @from, side by side from each of @to on: all that W has. */
static __always_inline void box_copy_rows(const struct loom_conv *c, const u8 *const *from,
					  float *const *to, const u32 count)
{
	struct loom_row row = loom_row_along(&c->x, c->memory, c->x_origin, 4, 0);
	u32 left = c->x.dims[4], at = 0, run, i, k;

	for (; left; left -= run, at += run) {
		s64 off = row.at - c->x_origin;

		run = loom_row_run(&row, left);
		for (i = 0; i < run; i++, off += row.stride) {
#pragma GCC unroll 16
			for (k = 0; k < count; k++)
				to[k][at + i] = *(const float *)(from[k] + off);
		}
		loom_row_skip(&row, run);
	}
}

static noinline void box_copy_together(const struct loom_conv *c, const u8 *const *from,
				       float *const *to)
{
	box_copy_rows(c, from, to, BOX_TOGETHER);
}

static noinline void box_copy(struct loom_conv_box *box)
{
	const struct loom_conv *c = &box->from.c;
	u8 *x = c->x_origin + loom_view_step(&c->x, c->memory, 0, box->n) +
		loom_view_step(&c->x, c->memory, 2, 0);
	struct loom_row channel = loom_row_along(&c->x, c->memory, x, 1, box->channel);
	const u8 *from[BOX_TOGETHER];
	float *to[BOX_TOGETHER], *next = box->data;
	u32 count = 0, i, r;

	for (i = 0; i < box->channels; i++, loom_row_next(&channel)) {
		for (r = 0; r < box->rows; r++, next += box->pitch) {
			from[count] = channel.at +
				      loom_view_step(&c->x, c->memory, 3, box->row + r);
			to[count++] = next;
			if (count < BOX_TOGETHER)
				continue;
			box_copy_together(c, from, to);
			count = 0;
		}
	}
	for (i = 0; i < count; i++)
		box_copy_rows(c, from + i, to + i, 1);
}

/* A column of x to all phases of one of the box. */
static __always_inline void box_turn_column(struct loom_row row, u32 rows, const u32 step,
					    float *to, u32 column)
{
	u32 run, i, at = 0, phase = 0;

	for (; rows; rows -= run) {
		run = loom_row_run(&row, rows);
		for (i = 0; i < run; i++) {
			to[phase * column + at] = *(const float *)(row.at + (s64)i * row.stride);
			if (step == 1 || ++phase == step) {
				phase = 0;
				at++;
			}
		}
		loom_row_skip(&row, run);
	}
}

/* The columns of a channel at @x. */
static void box_turn_channel(struct loom_conv_box *box, u8 *x, float *to)
{
	const struct loom_conv *c = &box->from.c;
	u32 columns = box_columns(&box->from), step = c->attr->stride[1], i;
	s64 at = -(s64)c->attr->pad[2];

	for (i = 0; i < columns; i++, at++, to += (size_t)step * box->pitch) {
		struct loom_row row;

		if (at < 0 || at >= (s64)c->x.dims[4]) {
			memset(to, 0, sizeof(*to) * step * box->pitch);
			continue;
		}
		row = loom_row_along(&c->x, c->memory, x + loom_view_step(&c->x, c->memory, 4, at),
				     3, 0);
		if (step == 1)
			box_turn_column(row, c->x.dims[3], 1, to, box->pitch);
		else
			box_turn_column(row, c->x.dims[3], BOX_STEPS, to, box->pitch);
	}
}

static noinline void box_turn(struct loom_conv_box *box, u64 plane)
{
	const struct loom_conv *c = &box->from.c;
	u8 *x = c->x_origin + loom_view_step(&c->x, c->memory, 0, box->n) +
		loom_view_step(&c->x, c->memory, 2, 0);
	struct loom_row channel = loom_row_along(&c->x, c->memory, x, 1, box->channel);
	u32 i;

	for (i = 0; i < box->channels; i++, loom_row_next(&channel))
		box_turn_channel(box, channel.at, box->data + i * plane);
}

/* Most rows of outputs from @from on of which all inputs lie before row @end of x. */
static u64 box_reach(const struct loom_conv_f32 *f, u64 from, u32 end)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 last = (s64)end + attr->pad[1] - (s64)(f->c.w->dims[3] - 1) * attr->dilation[1] - 1;
	u64 rows = f->c.y.dims[3] - from;

	if (end == f->c.x.dims[3])
		return rows;
	last = last < 0 ? -1 : (s64)div64_u64(last, attr->stride[1]);
	return last < (s64)from ? 0 : min(rows, (u64)last - from + 1);
}

u64 loom_conv_box_hold(struct loom_conv_box *box, struct loom_conv_f32 *f, struct loom_part *part,
		       u64 more, u32 n, u32 o, u64 channels, u64 p, u64 end)
{
	const struct loom_conv *c = &box->from.c;
	u64 width = c->y.dims[4], from = div64_u64(p, width), reach, cost, room, plane;
	u32 channel = o / c->outputs * c->inputs, first = 0, behind = c->x.dims[3], rows;

	if (!box->whole)
		box_rows(&box->from, from, loom_div_round_up(end, width), &first, &behind);
	if (box->channels && box->n == n && channel >= box->channel &&
	    channel + c->inputs <= box->channel + box->channels && first >= box->row &&
	    first < box->row + box->rows) {
		reach = box_reach(&box->from, from, box->row + box->rows);
		if (reach)
			return reach;
	}
	rows = behind - first;
	if (!rows)
		return 0;
	room = LOOM_CONV_BOX / box->pitch / c->inputs;
	if (!box->turned && rows > room) {
		if (box->whole)
			return 0;
		rows = room;
	}
	plane = rows * box->pitch;
	if (box->turned)
		plane = box_columns(&box->from) * c->attr->stride[1] * box->pitch;
	channels = min(channels, LOOM_CONV_BOX / plane);
	channels = min(channels, (u64)c->x.dims[1] - channel);
	cost = 2 * (LOOM_ROW_COST * rows + plane);
	if (part->left < (s64)(channels * cost + more))
		channels = c->inputs;
	if (part->left < (s64)(channels * cost + more))
		return 0;
	reach = box_reach(&box->from, from, first + rows);
	if (!reach)
		return 0;
	loom_part_charge(part, channels * cost);
	box->n = n;
	box->channel = channel;
	box->channels = channels;
	box->row = first;
	box->rows = rows;
	if (box->turned)
		box_turn(box, plane);
	else
		box_copy(box);
	f->c.x.strides[1] = 4 * plane;
	f->c.x_origin = (u8 *)box->data - channel * f->c.x.strides[1] -
			4LL * box->pitch * first;
	return reach;
}
#endif
