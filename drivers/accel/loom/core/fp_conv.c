// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv.h"

/**
 * DOC: Convolution in binary32
 *
 * Direct, without im2col: there is no memory to unfold the input into. A block of outputs, one or
 * four channels of up to 32 positions, is kept in registers while all inputs and taps pass
 * by. Four channels share what is read of x.
 *
 * Where a run of units leaves the choice, planes of four channels are computed together; a
 * part of a plane is computed alone. That must not be visible in the results, so what
 * is added to an output, and in which order, depends on the geometry alone:
 *
 * - wide rows (8 outputs and more): sum over channel, kd, kh, kw. Rows of taps that lie
 *   outside of x are left out; taps outside of x in a row add 0 * w.
 * - narrow rows: sum over kd, kh, kw, channel; blocks span rows, each position has its
 *   own address, taps outside of x add 0 * w.
 *
 * 0 * w is not left out even where that would be cheaper, because w may be infinite, and a
 * result must not depend on which outputs share a block.
 *
 * What a row of x lacks for that (it has a step, or ends too early) is staged: copied with its
 * zeroes, sorted by phase of the step, so that the taps of any stride read it side by side.
 */

#define CONV_NARROW	8

struct conv_f32 {
	struct loom_conv c;
	/* tap kw of a stage begins here; stages hold one tap only when single is set */
	u16 tap[LOOM_CONV_TAPS];
	u32 phases;
	bool single;
};

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
	conv->bias = attr->flags & LOOM_ATTR_BIAS ? next++ : NULL;
	conv->scale = attr->flags & LOOM_ATTR_SCALE ? next : NULL;
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

/* How rows of @width outputs are staged. */
static void conv_plan_stage(struct conv_f32 *f, u32 width)
{
	s64 step = f->c.attr->stride[2];
	s64 dilation = f->c.attr->dilation[2];
	s64 taps = f->c.w->dims[4];
	s64 span, cols, k;

	f->single = true;
	if (taps > LOOM_CONV_TAPS || dilation > LOOM_CONV_STAGE || step > 32)
		return;
	span = (width - 1) * step + (taps - 1) * dilation + 1;
	cols = (span + step - 1) / step;
	if (cols * step > LOOM_CONV_STAGE)
		return;
	f->single = false;
	f->phases = 0;
	for (k = 0; k < taps; k++) {
		f->tap[k] = k * dilation % step * cols + k * dilation / step;
		f->phases |= 1U << (k * dilation % step);
	}
}

/* @n elements from index @at in steps of @step; those outside of x are zero. */
static void conv_fetch(const struct loom_conv *conv, const u8 *row, s64 at, s64 step, u32 n,
		       float *to)
{
	const struct loom_view *x = &conv->x;
	s64 size = x->dims[4];
	u32 low = 0, high = n, i;

	if (at < 0)
		low = min((u64)n, (u64)((-at + step - 1) / step));
	if (at + (s64)(n - 1) * step >= size)
		high = at < size ? (size - 1 - at) / step + 1 : 0;
	high = max(high, low);

	for (i = 0; i < low; i++)
		to[i] = 0.0f;
	if (x->lane_axis == 4) {
		for (; i < high; i++)
			to[i] = loom_get_f32(row + loom_view_step(x, conv->memory, 4,
								  at + i * step));
	} else {
		s64 stride = x->strides[4];

		row += at * stride;
		stride *= step;
		for (; i < high; i++)
			to[i] = loom_get_f32(row + i * stride);
	}
	for (; i < n; i++)
		to[i] = 0.0f;
}

static void conv_stage(const struct conv_f32 *f, const u8 *row, s64 at, u32 width, float *to)
{
	s64 step = f->c.attr->stride[2];
	s64 span = (width - 1) * step + (s64)(f->c.w->dims[4] - 1) * f->c.attr->dilation[2] + 1;
	u32 cols = (span + step - 1) / step;
	s64 phase;

	for (phase = 0; phase < step; phase++) {
		if (f->phases & (1U << phase))
			conv_fetch(&f->c, row, at + phase, step, cols, to + phase * cols);
	}
}

/**
 * struct conv_block - outputs that are computed together
 * @n: batch
 * @o: first output channel
 * @p: first position: index in the plane of a channel's outputs, row by row
 * @count: positions
 */
struct conv_block {
	u32 n;
	u32 o;
	u64 p;
	u32 count;
};

/* Where a position is on D, H and W. */
static __always_inline void conv_position(const struct loom_conv *conv, u64 p, u32 *d, u32 *h,
					  u32 *w)
{
	u64 row = p / conv->y.dims[4];

	*w = p % conv->y.dims[4];
	*h = row % conv->y.dims[3];
	*d = row / conv->y.dims[3];
}

/* A block in a wide row: @nb channels by 4 * @nv positions, to out[nb][4 * nv]. */
static __always_inline void conv_wide(struct conv_f32 *f, const struct conv_block *b,
				      const u32 nb, const u32 nv, float *out)
{
	const struct loom_conv *c = &f->c;
	const struct drm_loom_attr_conv *attr = c->attr;
	const struct loom_memory *memory = c->memory;
	const struct loom_view *x = &c->x, *w = c->w;
	s64 at, last;
	bool direct;
	struct loom_row xc, wc;
	struct loom_vec acc[8];
	float stage[LOOM_CONV_STAGE];
	s64 wo[4];
	u32 yd, yh, yw, ic, kd, kh, kw, i, j;

	conv_position(c, b->p, &yd, &yh, &yw);
	at = (s64)yw * attr->stride[2] - attr->pad[2];
	last = at + (s64)(4 * nv - 1) * attr->stride[2] +
	       (s64)(w->dims[4] - 1) * attr->dilation[2];
	direct = attr->stride[2] == 1 && x->strides[4] == 4 && x->lane_axis != 4 && at >= 0 &&
		 last < (s64)x->dims[4];
	if (!direct)
		conv_plan_stage(f, 4 * nv);
	xc = loom_row_along(x, memory, c->x_origin + loom_view_step(x, memory, 0, b->n), 1,
			    b->o / c->outputs * c->inputs);
	wc = loom_row_along(w, memory, c->w_origin, 1, 0);
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		wo[i] = loom_view_step(w, memory, 0, b->o + i);
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j] = loom_vec_splat(0.0f);
	}

	for (ic = 0; ic < c->inputs; ic++, loom_row_next(&xc), loom_row_next(&wc)) {
		for (kd = 0; kd < w->dims[2]; kd++) {
			s64 id = (s64)yd * attr->stride[0] + (s64)kd * attr->dilation[0] -
				 attr->pad[0];

			if (id < 0 || id >= x->dims[2])
				continue;
			for (kh = 0; kh < w->dims[3]; kh++) {
				s64 ih = (s64)yh * attr->stride[1] +
					 (s64)kh * attr->dilation[1] - attr->pad[1];
				const u8 *row, *wk;

				if (ih < 0 || ih >= x->dims[3])
					continue;
				row = xc.at + loom_view_step(x, memory, 2, id) +
				      loom_view_step(x, memory, 3, ih);
				wk = wc.at + loom_view_step(w, memory, 2, kd) +
				     loom_view_step(w, memory, 3, kh);
				if (!direct && !f->single)
					conv_stage(f, row, at, 4 * nv, stage);
				for (kw = 0; kw < w->dims[4]; kw++) {
					const u8 *wp = wk + loom_view_step(w, memory, 4, kw);
					s64 tap = (s64)kw * attr->dilation[2];
					const float *from = stage;
					struct loom_vec xv[8];

					if (direct)
						from = (const float *)row + at + tap;
					else if (f->single)
						conv_fetch(c, row, at + tap, attr->stride[2],
							   4 * nv, stage);
					else
						from += f->tap[kw];
#pragma GCC unroll 8
					for (j = 0; j < nv; j++)
						xv[j] = loom_vec_load(from + 4 * j);
#pragma GCC unroll 4
					for (i = 0; i < nb; i++) {
						struct loom_vec wv =
							loom_vec_splat(loom_get_f32(wp + wo[i]));

#pragma GCC unroll 8
						for (j = 0; j < nv; j++)
							acc[i * nv + j].v += xv[j].v * wv.v;
					}
				}
			}
		}
	}
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			loom_vec_store(out + 4 * (i * nv + j), acc[i * nv + j]);
	}
}

/* A block of narrow rows: @nb channels by up to 4 * @nv positions, to out[nb][4 * nv]. */
static __always_inline void conv_narrow(const struct conv_f32 *f, const struct conv_block *b,
					const u32 nb, const u32 nv, float *out)
{
	const struct loom_conv *c = &f->c;
	const struct drm_loom_attr_conv *attr = c->attr;
	const struct loom_memory *memory = c->memory;
	const struct loom_view *x = &c->x, *w = c->w;
	struct loom_row x0, xc, wc;
	struct loom_vec acc[8];
	float xs[8];
	s64 pos[8][3], off[8], wo[4];
	bool inside[8];
	u32 yd, yh, yw, ic, kd, kh, kw, i, j;

	for (i = 0; i < b->count; i++) {
		conv_position(c, b->p + i, &yd, &yh, &yw);
		pos[i][0] = (s64)yd * attr->stride[0] - attr->pad[0];
		pos[i][1] = (s64)yh * attr->stride[1] - attr->pad[1];
		pos[i][2] = (s64)yw * attr->stride[2] - attr->pad[2];
	}
	for (i = 0; i < 4 * nv; i++) {
		inside[i] = false;
		off[i] = 0;
	}
	x0 = loom_row_along(x, memory, c->x_origin + loom_view_step(x, memory, 0, b->n), 1,
			    b->o / c->outputs * c->inputs);
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		wo[i] = loom_view_step(w, memory, 0, b->o + i);
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j] = loom_vec_splat(0.0f);
	}

	for (kd = 0; kd < w->dims[2]; kd++) {
		for (kh = 0; kh < w->dims[3]; kh++) {
			for (kw = 0; kw < w->dims[4]; kw++) {
				for (i = 0; i < b->count; i++) {
					s64 id = pos[i][0] + (s64)kd * attr->dilation[0];
					s64 ih = pos[i][1] + (s64)kh * attr->dilation[1];
					s64 iw = pos[i][2] + (s64)kw * attr->dilation[2];

					inside[i] = id >= 0 && id < x->dims[2] && ih >= 0 &&
						    ih < x->dims[3] && iw >= 0 && iw < x->dims[4];
					if (inside[i])
						off[i] = loom_view_step(x, memory, 2, id) +
							 loom_view_step(x, memory, 3, ih) +
							 loom_view_step(x, memory, 4, iw);
				}
				xc = x0;
				wc = loom_row_along(w, memory, c->w_origin +
						    loom_view_step(w, memory, 2, kd) +
						    loom_view_step(w, memory, 3, kh) +
						    loom_view_step(w, memory, 4, kw), 1, 0);
				for (ic = 0; ic < c->inputs; ic++) {
					struct loom_vec xv[2];

					for (i = 0; i < 4 * nv; i++)
						xs[i] = inside[i] ? loom_get_f32(xc.at + off[i]) :
								    0.0f;
#pragma GCC unroll 8
					for (j = 0; j < nv; j++)
						xv[j] = loom_vec_load(xs + 4 * j);
#pragma GCC unroll 4
					for (i = 0; i < nb; i++) {
						struct loom_vec wv =
							loom_vec_splat(loom_get_f32(wc.at + wo[i]));

#pragma GCC unroll 8
						for (j = 0; j < nv; j++)
							acc[i * nv + j].v += xv[j].v * wv.v;
					}
					loom_row_next(&xc);
					loom_row_next(&wc);
				}
			}
		}
	}
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			loom_vec_store(out + 4 * (i * nv + j), acc[i * nv + j]);
	}
}

/* One function for each size of block, so that their sums stay in registers. */
#define CONV_BLOCK(kind, nb, nv)								static noinline void conv_##kind##_##nb##_##nv(struct conv_f32 *f,								       const struct conv_block *b,							       float *out)				{												conv_##kind(f, b, nb, nv, out);							}

CONV_BLOCK(wide, 4, 2)
CONV_BLOCK(wide, 4, 1)
CONV_BLOCK(wide, 1, 8)
CONV_BLOCK(wide, 1, 4)
CONV_BLOCK(wide, 1, 2)
CONV_BLOCK(wide, 1, 1)
CONV_BLOCK(narrow, 4, 2)
CONV_BLOCK(narrow, 4, 1)
CONV_BLOCK(narrow, 1, 2)
CONV_BLOCK(narrow, 1, 1)

/* Bias, activation, and out: the results of one channel at the positions of a block. */
static void conv_emit(const struct loom_conv *conv, const struct conv_block *b, u32 o, float *v)
{
	const struct drm_loom_attr_conv *attr = conv->attr;
	u32 done, n, i;

	if (conv->bias) {
		float bias = loom_get_f32(loom_conv_channel(conv, conv->bias, o));

		for (i = 0; i < b->count; i++)
			v[i] += bias;
	}
	loom_tile_act_f32(v, b->count, attr->act, attr->act_p0, attr->act_p1);
	for (done = 0; done < b->count; done += n) {
		u32 index[5] = { b->n, o };
		struct loom_row row;

		conv_position(conv, b->p + done, &index[2], &index[3], &index[4]);
		n = min(b->count - done, conv->y.dims[4] - index[4]);
		row = loom_view_row(&conv->y, conv->memory, index, 5, 4);
		loom_row_put_f32(&row, LOOM_DTYPE_F32, n, v + done);
	}
}

/* @nb channels (1 or 4) from @o, positions @p to @end. */
static void conv_positions(struct conv_f32 *f, u32 n, u32 o, u32 nb, u64 p, u64 end)
{
	u32 width = f->c.y.dims[4];
	struct conv_block b = { .n = n };
	float out[32];
	u32 most, stride, i;

	for (; p < end; p += b.count) {
		b.o = o;
		b.p = p;
		if (width < CONV_NARROW) {
			b.count = min(end - p, (u64)8);
			stride = b.count > 4 ? 8 : 4;
			if (nb == 4)
				(b.count > 4 ? conv_narrow_4_2 : conv_narrow_4_1)(f, &b, out);
			else
				(b.count > 4 ? conv_narrow_1_2 : conv_narrow_1_1)(f, &b, out);
		} else {
			most = min(end - p, (u64)(width - p % width));
			if (nb == 4) {
				b.count = min(most, 8u);
				stride = b.count > 4 ? 8 : 4;
				(b.count > 4 ? conv_wide_4_2 : conv_wide_4_1)(f, &b, out);
			} else if (most > 16) {
				b.count = min(most, 32u);
				stride = 32;
				conv_wide_1_8(f, &b, out);
			} else if (most > 8) {
				b.count = most;
				stride = 16;
				conv_wide_1_4(f, &b, out);
			} else {
				b.count = most;
				stride = b.count > 4 ? 8 : 4;
				(b.count > 4 ? conv_wide_1_2 : conv_wide_1_1)(f, &b, out);
			}
		}
		for (i = 0; i < nb; i++)
			conv_emit(&f->c, &b, o + i, out + i * stride);
	}
}

/* Position of a unit's first output; behind the last unit of a plane, of its end. */
static u64 conv_unit_position(const struct loom_view *y, u64 unit)
{
	u32 tiles = loom_tile_per_row(y->dims[4]);

	return unit / tiles * y->dims[4] + unit % tiles * LOOM_TILE;
}

void loom_fp_conv_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count)
{
	const struct loom_view *y = &command->views[0];
	u64 plane = (u64)y->dims[2] * y->dims[3] * loom_tile_per_row(y->dims[4]);
	u64 end = first + count;
	struct conv_f32 f;

	if (y->dtype != LOOM_DTYPE_F32) {
		loom_conv_run_plain(command, memory, first, count);
		return;
	}
	loom_conv_begin(&f.c, command, memory);
	conv_flatten(&f.c);
	while (first < end) {
		u32 n = first / plane / y->dims[1];
		u32 o = first / plane % y->dims[1];
		u64 from = first % plane;
		u64 to = min(plane, from + (end - first));
		u32 nb = 1;

		if (!from && (end - first) / 4 >= plane && o % f.c.outputs + 4 <= f.c.outputs)
			nb = 4;
		conv_positions(&f, n, o, nb, conv_unit_position(y, from),
			       conv_unit_position(y, to));
		first += (to - from) * nb;
	}
}
