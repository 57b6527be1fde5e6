// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

/*
 * Rows of outputs, in blocks of up to 32 side by side: for each tap the inputs of neighbouring
 * outputs are neighbours, either in x or in a stage (a copy of a part of the row).
 */

/* How rows of @width outputs are staged. */
static void conv_plan_stage(struct loom_conv_f32 *f, u32 width)
{
	s64 step = f->c.attr->stride[2];
	s64 dilation = f->c.attr->dilation[2];
	s64 taps = f->c.w->dims[4];
	s64 span, cols, k;
	u32 phases = 0, used = 0;

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
	for (k = 0; k < taps; k++) {
		s64 phase = k * dilation % step;

		f->tap[k] = phase * cols + k * dilation / step;
		used += !(phases & (1U << phase));
		phases |= 1U << phase;
	}
	f->phases = phases;
	/* with few taps far apart most of what is between them would be copied for nothing */
	f->single = used * cols > taps * width;
}

/* @n elements from index @at in steps of @step; those outside of x are zero. */
static void conv_fetch(const struct loom_conv_f32 *f, const u8 *row, s64 at, s64 step, u32 n,
		       float *to)
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

static __always_inline void conv_stage(const struct loom_conv_f32 *f, const u8 *row, s64 at,
				       u32 width, float *to)
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
 * struct conv_line - a wide row of outputs
 * @d: taps on D
 * @h: taps on H
 * @x: the input channels, at the first row that a tap meets
 * @w: the weights' channels, at the first tap
 * @taps: there are taps that meet x
 * @point: one row of one tap is all there is
 */
struct conv_line {
	struct loom_conv_range d;
	struct loom_conv_range h;
	struct loom_row x;
	struct loom_row w;
	bool taps;
	bool point;
};

static void conv_line_begin(struct conv_line *line, const struct loom_conv_f32 *f,
			    const struct loom_conv_channels *ch, u32 d, u32 h)
{
	line->d = loom_conv_clip(f, 0, d);
	line->h = loom_conv_clip(f, 1, h);
	line->x = ch->x;
	line->w = ch->w;
	line->taps = line->d.first < line->d.end && line->h.first < line->h.end;
	/* where no tap meets x, indices may be of any size */
	if (line->taps) {
		line->x.at += line->d.at * f->x_step[0] + line->h.at * f->x_step[1];
		line->w.at += line->d.first * f->w_step[0] + line->h.first * f->w_step[1];
	}
	line->point = f->c.w->dims[4] == 1 && line->d.end - line->d.first == 1 &&
		      line->h.end - line->h.first == 1;
}

static __always_inline void conv_tap(struct loom_vec *acc, const float *x, const u8 *w,
				     const s64 *wo, const u32 nb, const u32 nv)
{
	struct loom_vec xv[8];
	u32 j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++)
		xv[j] = loom_vec_load(x + 4 * j);
	loom_conv_multiply(acc, xv, w, wo, nb, nv);
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
	loom_conv_multiply(acc, xv, w, wo, nb, nv);
}

/* Whether all there is to do for @n outputs is one tap, whose inputs are side by side in x. */
static __always_inline bool conv_is_point(const struct loom_conv_f32 *f,
					  const struct conv_line *line, s64 at, u32 n)
{
	return line->point && f->contiguous && f->c.attr->stride[2] == 1 && at >= 0 &&
	       at + n <= f->c.x.dims[4];
}

/* The same as conv_wide() for that, from index @at of the row of x. */
static __always_inline void conv_point(const struct loom_conv_channels *ch,
				       const struct conv_line *line, s64 at, const u32 nb,
				       const u32 nv, float *out)
{
	struct loom_row xc = line->x, wc = line->w;
	u32 left = line->taps ? ch->inputs : 0, run, i;
	struct loom_vec acc[8];

	loom_conv_acc_begin(acc, nb, nv, ch->more, out);
	xc.at += 4 * at;
	for (; left; left -= run) {
		const u8 *x = xc.at, *w = wc.at;

		run = loom_row_run(&xc, loom_row_run(&wc, left));
		for (i = 0; i < run; i++) {
			conv_tap(acc, (const float *)x, w, ch->wo, nb, nv);
			x += xc.stride;
			w += wc.stride;
		}
		loom_row_skip(&xc, run);
		loom_row_skip(&wc, run);
	}
	loom_conv_acc_end(acc, nb, nv, out);
}

/* 4 * @nv outputs of @nb channels from index @yw of a wide row, to out[nb][LOOM_TILE]. */
static __always_inline void conv_wide(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				      const struct conv_line *line, u32 yw, const u32 nb,
				      const u32 nv, float *out)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const u32 taps = f->c.w->dims[4], inputs = line->taps ? ch->inputs : 0;
	const s64 tap_step = attr->dilation[2];
	const s64 at = (s64)yw * attr->stride[2] - attr->pad[2];
	const s64 size = f->c.x.dims[4];
	const bool dense = attr->stride[2] == 1 && f->contiguous;
	struct loom_row xc = line->x, wc = line->w;
	float stage[LOOM_CONV_STAGE];
	struct loom_vec acc[8];
	u32 ic, kd, kh, kw;

	loom_conv_acc_begin(acc, nb, nv, ch->more, out);
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
				row += f->x_hop[1];
				wr += f->w_step[1];
			}
			xd += f->x_hop[0];
			wd += f->w_step[0];
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
	loom_conv_acc_end(acc, nb, nv, out);
}

/* One function for each size of block, so that their sums stay in registers. */
#define CONV_POINT(nb, nv)								\
	static noinline void conv_point_##nb##_##nv(const struct loom_conv_channels *ch,	\
						    const struct conv_line *line,	\
						    s64 at, float *out)			\
	{										\
		conv_point(ch, line, at, nb, nv, out);					\
	}

CONV_POINT(4, 2)
CONV_POINT(4, 1)
CONV_POINT(1, 8)
CONV_POINT(1, 4)
CONV_POINT(1, 2)
CONV_POINT(1, 1)

#define CONV_WIDE(nb, nv)								\
	static noinline void conv_wide_##nb##_##nv(struct loom_conv_f32 *f,		\
						   const struct loom_conv_channels *ch,	\
						   const struct conv_line *line,	\
						   u32 yw, float *out)			\
	{										\
		conv_wide(f, ch, line, yw, nb, nv, out);				\
	}

CONV_WIDE(4, 2)
CONV_WIDE(4, 1)
CONV_WIDE(1, 8)
CONV_WIDE(1, 4)
CONV_WIDE(1, 2)
CONV_WIDE(1, 1)

static void conv_point_block(const struct loom_conv_channels *ch, const struct conv_line *line,
			     s64 at, u32 wide, float *out)
{
	if (ch->nb == 4)
		(wide == 8 ? conv_point_4_2 : conv_point_4_1)(ch, line, at, out);
	else if (wide > 8)
		(wide == 32 ? conv_point_1_8 : conv_point_1_4)(ch, line, at, out);
	else
		(wide == 8 ? conv_point_1_2 : conv_point_1_1)(ch, line, at, out);
}

static void conv_taps_block(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			    const struct conv_line *line, u32 yw, u32 wide, float *out)
{
	if (ch->nb == 4)
		(wide == 8 ? conv_wide_4_2 : conv_wide_4_1)(f, ch, line, yw, out);
	else if (wide > 8)
		(wide == 32 ? conv_wide_1_8 : conv_wide_1_4)(f, ch, line, yw, out);
	else
		(wide == 8 ? conv_wide_1_2 : conv_wide_1_1)(f, ch, line, yw, out);
}

/* At most @most outputs from index @yw of a row, in as wide a block as is good. Return: how many */
static u32 conv_wide_block(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			   const struct conv_line *line, u32 yw, u32 most, float *out)
{
	s64 at = (s64)yw - f->c.attr->pad[2];
	u32 wide;

	if (ch->nb == 4)
		wide = most > 4 ? 8 : 4;
	else
		wide = most > 16 ? 32 : most > 8 ? 16 : most > 4 ? 8 : 4;
	if (conv_is_point(f, line, at, wide))
		conv_point_block(ch, line, at, wide, out);
	else
		conv_taps_block(f, ch, line, yw, wide, out);
	return min(most, wide);
}

void loom_conv_wide_run(struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u64 p,
			u64 end)
{
	u32 width = f->c.y.dims[4], index[3], count, done, back, i;
	float *out = ch->out;
	struct conv_line line;
	bool begin = true;

	loom_conv_position(&f->c, p, index);
	for (; p < end; p += count) {
		if (begin)
			conv_line_begin(&line, f, ch, index[0], index[1]);
		count = min(end - p, (u64)LOOM_TILE);
		count = min(count, width - index[2]);
		for (done = 0; done < count;) {
			/*
			 * The last few outputs are computed in a block with some that are
			 * done already, where x has all inputs of that block.
			 */
			back = (8 - (count - done) % 8) % 8;
			if (!f->open || count - done > 8 || back > done || ch->more || !ch->last)
				back = 0;
			done -= back;
			done += conv_wide_block(f, ch, &line, index[2] + done, count - done,
						out + done);
		}
		for (i = 0; i < ch->nb && ch->last; i++)
			loom_conv_emit(f, ch, i, index, count, out + LOOM_TILE * i);
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
