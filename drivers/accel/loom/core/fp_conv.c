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
 * - wide rows: sum over channel, kd, kh, kw. Rows of taps that lie outside of x are left
 *   out; taps outside of x in a row add 0 * w.
 * - narrow rows, unless there is but one channel to sum over: sum over kd, kh, kw, channel;
 *   blocks span rows, each position has its own address, taps outside of x add 0 * w.
 *
 * 0 * w is not left out even where that would be cheaper, because w may be infinite, and a
 * result must not depend on which outputs share a block.
 *
 * Rows whose elements are side by side are read in place, with zeroes shifted in at the ends.
 * Others are staged: copied with their zeroes, sorted by phase of the stride, so that the taps of
 * any stride read them side by side.
 *
 * All this wants rows that stay in a bank. Where the lanes run over anything but channels the
 * plain code takes over.
 */

#define CONV_NARROW	5

/**
 * struct conv_f32 - a convolution in binary32
 * @c: the convolution
 * @y_step: bytes of y per index on D, H, W
 * @x_step: bytes of x per index on D, H, W
 * @w_step: bytes of w per index on KD, KH, KW
 * @contiguous: elements of a row of x are side by side
 * @open: the last output of a row does not reach behind the row of x
 * @tap: where a tap's inputs are in a stage
 * @phases: bit mask of the phases that a stage needs
 * @single: stages hold the inputs of one tap only
 * @width: outputs that @tap, @phases and @single are for
 */
struct conv_f32 {
	struct loom_conv c;
	s64 y_step[3];
	s64 x_step[3];
	s64 w_step[3];
	bool contiguous;
	bool open;
	u16 tap[LOOM_CONV_TAPS];
	u32 phases;
	bool single;
	u32 width;
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

	if (f->width == width)
		return;
	f->width = width;
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
static void conv_fetch(const struct conv_f32 *f, const u8 *row, s64 at, s64 step, u32 n, float *to)
{
	s64 stride = f->x_step[2] * step;
	s64 size = f->c.x.dims[4];
	u32 low = 0, high = n, i;

	if (at < 0)
		low = min((u64)n, (u64)((-at + step - 1) / step));
	if (at + (s64)(n - 1) * step >= size)
		high = at < size ? (size - 1 - at) / step + 1 : 0;
	high = max(high, low);

	row += at * f->x_step[2];
	for (i = 0; i < low; i++)
		to[i] = 0.0f;
	for (; i < high; i++)
		to[i] = loom_get_f32(row + i * stride);
	for (; i < n; i++)
		to[i] = 0.0f;
}

/* A stage of rows with a step of two: what lies in x by eights, the ends one by one. */
static __always_inline void conv_stage_pairs(const float *x, s64 size, s64 at, u32 cols, float *to)
{
	float *odd = to + cols;
	u32 i = 0;

	x += at;
	size -= at;
	for (; i < cols && at + 2 * (s64)i < 0; i++) {
		to[i] = 0.0f;
		odd[i] = at + 2 * (s64)i + 1 < 0 || 2 * i + 1 >= size ? 0.0f : x[2 * i + 1];
	}
	for (; i + 4 <= cols && 2 * i + 8 <= size; i += 4) {
		struct loom_vec a = loom_vec_load(x + 2 * i);
		struct loom_vec b = loom_vec_load(x + 2 * i + 4);

		loom_vec_store(to + i, loom_vec_even(a, b));
		loom_vec_store(odd + i, loom_vec_odd(a, b));
	}
	for (; i < cols; i++) {
		to[i] = 2 * i < size ? x[2 * i] : 0.0f;
		odd[i] = 2 * i + 1 < size ? x[2 * i + 1] : 0.0f;
	}
}

static __always_inline void conv_stage(const struct conv_f32 *f, const u8 *row, s64 at, u32 width,
				       float *to)
{
	s64 step = f->c.attr->stride[2];
	s64 span = (width - 1) * step + (s64)(f->c.w->dims[4] - 1) * f->c.attr->dilation[2] + 1;
	u32 cols, phase;

	cols = (span + step - 1) / step;
	if (f->contiguous && step == 2 && f->phases == 3) {
		conv_stage_pairs((const float *)row, f->c.x.dims[4], at, cols, to);
		return;
	}
	for (phase = 0; phase < step; phase++) {
		if (f->phases & (1U << phase))
			conv_fetch(f, row, at + phase, step, cols, to + phase * cols);
	}
}

/**
 * struct conv_channels - one or four output channels
 * @n: batch
 * @o: the first
 * @nb: how many
 * @x: the input channels
 * @w: the weights' channels
 * @wo: bytes from @w to each output channel's weights
 * @y: first byte of each output channel
 * @bias: of each
 */
struct conv_channels {
	u32 n;
	u32 o;
	u32 nb;
	struct loom_row x;
	struct loom_row w;
	s64 wo[4];
	u8 *y[4];
	float bias[4];
};

static void conv_channels_begin(struct conv_channels *ch, const struct loom_conv *c, u32 n, u32 o,
				u32 nb)
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

/**
 * struct conv_range - taps on an axis that meet x
 * @first: the first
 * @end: behind the last
 * @at: index in x of the first
 */
struct conv_range {
	u32 first;
	u32 end;
	s64 at;
};

static struct conv_range conv_clip(const struct conv_f32 *f, u32 i, u32 y)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 at = (s64)y * attr->stride[i] - attr->pad[i];
	s64 dilation = attr->dilation[i];
	s64 size = f->c.x.dims[2 + i];
	s64 first = at < 0 ? -at : 0;
	s64 end = at < size ? size - at : 0;

	if (dilation > 1) {
		first = (first + dilation - 1) / dilation;
		end = (end + dilation - 1) / dilation;
	}
	end = min(end, (s64)f->c.w->dims[2 + i]);
	return (struct conv_range){ first, max(first, end), at + first * dilation };
}

/**
 * struct conv_line - a wide row of outputs
 * @d: taps on D
 * @h: taps on H
 * @x: the input channels, at the first row that a tap meets
 * @w: the weights' channels, at the first tap
 * @point: one row of one tap is all there is
 */
struct conv_line {
	struct conv_range d;
	struct conv_range h;
	struct loom_row x;
	struct loom_row w;
	bool point;
};

static void conv_line_begin(struct conv_line *line, const struct conv_f32 *f,
			    const struct conv_channels *ch, u32 d, u32 h)
{
	line->d = conv_clip(f, 0, d);
	line->h = conv_clip(f, 1, h);
	line->x = ch->x;
	line->x.at += line->d.at * f->x_step[0] + line->h.at * f->x_step[1];
	line->w = ch->w;
	line->w.at += line->d.first * f->w_step[0] + line->h.first * f->w_step[1];
	line->point = f->c.w->dims[4] == 1 && line->d.end - line->d.first == 1 &&
		      line->h.end - line->h.first == 1;
}

/* acc[nb][nv] += w[nb] * x[nv]: one tap */
static __always_inline void conv_multiply(struct loom_vec *acc, const struct loom_vec *x,
					  const u8 *w, const s64 *wo, const u32 nb, const u32 nv)
{
	u32 i, j;

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		struct loom_vec wv = loom_vec_splat(loom_get_f32(w + wo[i]));

#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j].v += x[j].v * wv.v;
	}
}

static __always_inline void conv_tap(struct loom_vec *acc, const float *x, const u8 *w,
				     const s64 *wo, const u32 nb, const u32 nv)
{
	struct loom_vec xv[8];
	u32 j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++)
		xv[j] = loom_vec_load(x + 4 * j);
	conv_multiply(acc, xv, w, wo, nb, nv);
}

/* Four elements of a row of @size from index @at, with zeroes outside. */
static __always_inline struct loom_vec conv_load(const float *row, s64 at, s64 size)
{
	float v[4];
	u32 i;

	if (at >= 0 && at + 4 <= size)
		return loom_vec_load(row + at);
	if (at <= -4 || at >= size)
		return loom_vec_splat(0.0f);
	if (size >= 4) {
		switch (at) {
		case -3:
			return loom_vec_up(loom_vec_load(row), 3);
		case -2:
			return loom_vec_up(loom_vec_load(row), 2);
		case -1:
			return loom_vec_up(loom_vec_load(row), 1);
		}
		switch (size - at) {
		case 3:
			return loom_vec_down(loom_vec_load(row + size - 4), 1);
		case 2:
			return loom_vec_down(loom_vec_load(row + size - 4), 2);
		case 1:
			return loom_vec_down(loom_vec_load(row + size - 4), 3);
		}
	}
	for (i = 0; i < 4; i++)
		v[i] = at + i >= 0 && at + i < size ? row[at + i] : 0.0f;
	return loom_vec_load(v);
}

/* The same where the row ends inside of what the tap reads. */
static __always_inline void conv_tap_edge(struct loom_vec *acc, const float *row, s64 at, s64 size,
					  const u8 *w, const s64 *wo, const u32 nb, const u32 nv)
{
	struct loom_vec xv[8];
	u32 j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++)
		xv[j] = conv_load(row, at + 4 * j, size);
	conv_multiply(acc, xv, w, wo, nb, nv);
}

static __always_inline void conv_acc_begin(struct loom_vec *acc, const u32 n)
{
	u32 i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		acc[i] = loom_vec_splat(0.0f);
}

static __always_inline void conv_acc_end(const struct loom_vec *acc, const u32 nb, const u32 nv,
					 float *out)
{
	u32 i, j;

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			loom_vec_store(out + LOOM_TILE * i + 4 * j, acc[i * nv + j]);
	}
}

/* 4 * @nv outputs of @nb channels from index @yw of a wide row, to out[nb][LOOM_TILE]. */
static __always_inline void conv_wide(struct conv_f32 *f, const struct conv_channels *ch,
				      const struct conv_line *line, u32 yw, const u32 nb,
				      const u32 nv, float *out)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const u32 taps = f->c.w->dims[4], inputs = f->c.inputs;
	const s64 tap_step = attr->dilation[2];
	const s64 at = (s64)yw * attr->stride[2] - attr->pad[2];
	const s64 size = f->c.x.dims[4];
	const bool dense = attr->stride[2] == 1 && f->contiguous;
	struct loom_row xc = line->x, wc = line->w;
	float stage[LOOM_CONV_STAGE];
	struct loom_vec acc[8];
	u32 ic, kd, kh, kw;

	conv_acc_begin(acc, nb * nv);
	if (dense && line->point && at >= 0 && at + 4 * nv <= size) {
		xc.at += 4 * at;
		for (ic = 0; ic < inputs; ic++) {
			conv_tap(acc, (const float *)xc.at, wc.at, ch->wo, nb, nv);
			loom_row_next(&xc);
			loom_row_next(&wc);
		}
		conv_acc_end(acc, nb, nv, out);
		return;
	}

	if (!dense)
		conv_plan_stage(f, 4 * nv);
	for (ic = 0; ic < inputs; ic++) {
		const u8 *xd = xc.at, *wd = wc.at;

		for (kd = line->d.first; kd < line->d.end; kd++) {
			const u8 *row = xd, *wr = wd;

			for (kh = line->h.first; kh < line->h.end; kh++) {
				const float *x = (const float *)row;
				const u8 *wp = wr;
				s64 ax = at;

				if (!dense && !f->single)
					conv_stage(f, row, at, 4 * nv, stage);
				for (kw = 0; kw < taps; kw++) {
					if (dense && ax >= 0 && ax + 4 * nv <= size) {
						conv_tap(acc, x + ax, wp, ch->wo, nb, nv);
					} else if (dense) {
						conv_tap_edge(acc, x, ax, size, wp, ch->wo, nb, nv);
					} else if (f->single) {
						conv_fetch(f, row, ax, attr->stride[2], 4 * nv,
							   stage);
						conv_tap(acc, stage, wp, ch->wo, nb, nv);
					} else {
						conv_tap(acc, stage + f->tap[kw], wp, ch->wo, nb,
							 nv);
					}
					ax += tap_step;
					wp += f->w_step[2];
				}
				row += attr->dilation[1] * f->x_step[1];
				wr += f->w_step[1];
			}
			xd += attr->dilation[0] * f->x_step[0];
			wd += f->w_step[0];
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
	conv_acc_end(acc, nb, nv, out);
}

/* Where a position in the plane of a channel's outputs is on D, H and W. */
static __always_inline void conv_position(const struct loom_conv *conv, u64 p, u32 *index)
{
	u64 row = p / conv->y.dims[4];

	index[2] = p % conv->y.dims[4];
	index[1] = row % conv->y.dims[3];
	index[0] = row / conv->y.dims[3];
}

/*
 * @count (up to 4 * @nv) outputs of @nb channels from position @p of narrow rows, to
 * out[nb][LOOM_TILE].
 */
static __always_inline void conv_narrow(const struct conv_f32 *f, const struct conv_channels *ch,
					u64 p, u32 count, const u32 nb, const u32 nv, float *out)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_view *x = &f->c.x, *w = f->c.w;
	struct loom_row xc, wc;
	struct loom_vec acc[8], xv;
	s64 pos[8][3], off[8];
	s32 inside[8];
	float xs[8];
	u32 y[3], ic, kd, kh, kw, i, j;

	for (i = 0; i < 4 * nv; i++) {
		conv_position(&f->c, p + min(i, count - 1), y);
		for (j = 0; j < 3; j++)
			pos[i][j] = (s64)y[j] * attr->stride[j] - attr->pad[j];
	}
	conv_acc_begin(acc, nb * nv);

	for (kd = 0; kd < w->dims[2]; kd++) {
		for (kh = 0; kh < w->dims[3]; kh++) {
			for (kw = 0; kw < w->dims[4]; kw++) {
				for (i = 0; i < 4 * nv; i++) {
					s64 id = pos[i][0] + (s64)kd * attr->dilation[0];
					s64 ih = pos[i][1] + (s64)kh * attr->dilation[1];
					s64 iw = pos[i][2] + (s64)kw * attr->dilation[2];
					bool in = id >= 0 && id < x->dims[2] && ih >= 0 &&
						  ih < x->dims[3] && iw >= 0 && iw < x->dims[4];

					/* outside, the channel's first is read for nothing */
					inside[i] = in ? -1 : 0;
					off[i] = in ? id * f->x_step[0] + ih * f->x_step[1] +
						      iw * f->x_step[2] : 0;
				}
				xc = ch->x;
				wc = ch->w;
				wc.at += kd * f->w_step[0] + kh * f->w_step[1] +
					 kw * f->w_step[2];
				for (ic = 0; ic < f->c.inputs; ic++) {
#pragma GCC unroll 2
					for (j = 0; j < nv; j++) {
						xv = loom_vec_gather(xc.at, off + 4 * j);
						xv = loom_vec_mask(xv, inside + 4 * j);
						loom_vec_store(xs + 4 * j, xv);
					}
					conv_tap(acc, xs, wc.at, ch->wo, nb, nv);
					loom_row_next(&xc);
					loom_row_next(&wc);
				}
			}
		}
	}
	conv_acc_end(acc, nb, nv, out);
}

/*
 * One output of each of four channels, at position @p: a vector across channels. Each sum is
 * the same as in conv_narrow(), term by term.
 */
static noinline void conv_narrow_point(const struct conv_f32 *f, const struct conv_channels *ch,
				       u64 p, float *out)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_view *x = &f->c.x, *w = f->c.w;
	struct loom_vec acc = loom_vec_splat(0.0f);
	u32 y[3], ic, kd, kh, kw, i;
	float lanes[4];

	conv_position(&f->c, p, y);
	for (kd = 0; kd < w->dims[2]; kd++) {
		for (kh = 0; kh < w->dims[3]; kh++) {
			for (kw = 0; kw < w->dims[4]; kw++) {
				s64 id = (s64)y[0] * attr->stride[0] - attr->pad[0] +
					 (s64)kd * attr->dilation[0];
				s64 ih = (s64)y[1] * attr->stride[1] - attr->pad[1] +
					 (s64)kh * attr->dilation[1];
				s64 iw = (s64)y[2] * attr->stride[2] - attr->pad[2] +
					 (s64)kw * attr->dilation[2];
				bool in = id >= 0 && id < x->dims[2] && ih >= 0 &&
					  ih < x->dims[3] && iw >= 0 && iw < x->dims[4];
				s64 off = id * f->x_step[0] + ih * f->x_step[1] + iw * f->x_step[2];
				struct loom_row xc = ch->x, wc = ch->w;

				wc.at += kd * f->w_step[0] + kh * f->w_step[1] +
					 kw * f->w_step[2];
				for (ic = 0; ic < f->c.inputs; ic++) {
					float xv = in ? loom_get_f32(xc.at + off) : 0.0f;

					acc.v += loom_vec_splat(xv).v *
						 loom_vec_gather(wc.at, ch->wo).v;
					loom_row_next(&xc);
					loom_row_next(&wc);
				}
			}
		}
	}
	loom_vec_store(lanes, acc);
	for (i = 0; i < 4; i++)
		out[LOOM_TILE * i] = lanes[i];
}

/* One function for each size of block, so that their sums stay in registers. */
#define CONV_WIDE(nb, nv)								\
	static noinline void conv_wide_##nb##_##nv(struct conv_f32 *f,			\
						   const struct conv_channels *ch,	\
						   const struct conv_line *line,	\
						   u32 yw, float *out)			\
	{										\
		conv_wide(f, ch, line, yw, nb, nv, out);				\
	}

#define CONV_NARROW_BLOCK(nb, nv)							\
	static noinline void conv_narrow_##nb##_##nv(const struct conv_f32 *f,		\
						     const struct conv_channels *ch,	\
						     u64 p, u32 count, float *out)	\
	{										\
		conv_narrow(f, ch, p, count, nb, nv, out);				\
	}

CONV_WIDE(4, 2)
CONV_WIDE(4, 1)
CONV_WIDE(1, 8)
CONV_WIDE(1, 4)
CONV_WIDE(1, 2)
CONV_WIDE(1, 1)
CONV_NARROW_BLOCK(4, 2)
CONV_NARROW_BLOCK(4, 1)
CONV_NARROW_BLOCK(1, 2)
CONV_NARROW_BLOCK(1, 1)

/* Bias, activation, and out: @n results of channel @i, from index @index on D, H, W. */
static void conv_emit(const struct conv_f32 *f, const struct conv_channels *ch, u32 i,
		      const u32 *index, u32 n, float *v)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	struct loom_row row = {
		.at = ch->y[i] + index[0] * f->y_step[0] + index[1] * f->y_step[1] +
		      index[2] * f->y_step[2],
		.stride = f->y_step[2],
	};
	float bias = ch->bias[i];
	u32 j;

	if (f->c.bias) {
		for (j = 0; j < n; j++)
			v[j] += bias;
	}
	loom_tile_act_f32(v, n, attr->act, attr->act_p0, attr->act_p1);
	loom_row_put_f32(&row, LOOM_DTYPE_F32, n, v);
}

/* At most @most outputs from index @yw of a row, in as wide a block as is good. Return: how many */
static u32 conv_wide_block(struct conv_f32 *f, const struct conv_channels *ch,
			   const struct conv_line *line, u32 yw, u32 most, float *out)
{
	if (ch->nb == 4) {
		(most > 4 ? conv_wide_4_2 : conv_wide_4_1)(f, ch, line, yw, out);
		return min(most, 8u);
	}
	if (most > 16) {
		conv_wide_1_8(f, ch, line, yw, out);
		return min(most, 32u);
	}
	if (most > 8)
		conv_wide_1_4(f, ch, line, yw, out);
	else
		(most > 4 ? conv_wide_1_2 : conv_wide_1_1)(f, ch, line, yw, out);
	return most;
}

static noinline void conv_wide_positions(struct conv_f32 *f, const struct conv_channels *ch, u64 p,
					 u64 end)
{
	u32 width = f->c.y.dims[4], index[3], count, done, back, i;
	float out[4 * LOOM_TILE];
	struct conv_line line;
	bool begin = true;

	conv_position(&f->c, p, index);
	for (; p < end; p += count) {
		if (begin)
			conv_line_begin(&line, f, ch, index[0], index[1]);
		count = min(end - p, (u64)LOOM_TILE);
		count = min(count, width - index[2]);
		for (done = 0; done < count;) {
			/*
			 * Outputs that are few are computed along with some that are there
			 * already, where x has all that the whole block reads.
			 */
			back = (8 - (count - done) % 8) % 8;
			if (!f->open || count - done > 8 || back > done)
				back = 0;
			done -= back;
			done += conv_wide_block(f, ch, &line, index[2] + done, count - done,
						out + done);
		}
		for (i = 0; i < ch->nb; i++)
			conv_emit(f, ch, i, index, count, out + LOOM_TILE * i);
		index[2] += count;
		begin = index[2] == width;
		if (begin) {
			index[2] = 0;
			if (++index[1] == f->c.y.dims[3]) {
				index[1] = 0;
				index[0]++;
			}
		}
	}
}

static noinline void conv_narrow_positions(const struct conv_f32 *f, const struct conv_channels *ch,
					   u64 p, u64 end)
{
	u32 width = f->c.y.dims[4], index[3], count, done, most, n, i;
	float out[4 * LOOM_TILE];

	for (; p < end; p += count) {
		count = min(end - p, (u64)LOOM_TILE);
		for (done = 0; done < count; done += 8) {
			most = min(count - done, 8u);
			if (ch->nb == 4 && most == 1)
				conv_narrow_point(f, ch, p + done, out + done);
			else if (ch->nb == 4 && most > 4)
				conv_narrow_4_2(f, ch, p + done, most, out + done);
			else if (ch->nb == 4)
				conv_narrow_4_1(f, ch, p + done, most, out + done);
			else if (most > 4)
				conv_narrow_1_2(f, ch, p + done, most, out + done);
			else
				conv_narrow_1_1(f, ch, p + done, most, out + done);
		}
		/* row by row */
		for (done = 0; done < count; done += n) {
			conv_position(&f->c, p + done, index);
			n = min(count - done, width - index[2]);
			for (i = 0; i < ch->nb; i++)
				conv_emit(f, ch, i, index, n, out + LOOM_TILE * i + done);
		}
	}
}

/* Position of a unit's first output; behind the last unit of a plane, of its end. */
static u64 conv_unit_position(const struct loom_view *y, u64 unit)
{
	u32 tiles = loom_tile_per_row(y->dims[4]);

	return unit / tiles * y->dims[4] + unit % tiles * LOOM_TILE;
}

static void conv_f32_begin(struct conv_f32 *f, const struct loom_command *command,
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
	struct conv_channels ch;
	struct conv_f32 f;
	u32 n, o, nb;

	if (y->dtype != LOOM_DTYPE_F32 || command->views[0].lane_axis > 1 ||
	    command->views[1].lane_axis > 1 || command->views[2].lane_axis > 1) {
		loom_conv_run_plain(command, memory, first, count);
		return;
	}
	conv_f32_begin(&f, command, memory);
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
		if (f.c.y.dims[4] < CONV_NARROW && f.c.inputs > 1)
			conv_narrow_positions(&f, &ch, p, q);
		else
			conv_wide_positions(&f, &ch, p, q);
	}
}
