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
 * What a row of x lacks for that (it has a step, or ends too early) is staged: copied with its
 * zeroes, sorted by phase of the step, so that the taps of any stride read it side by side.
 *
 * All this wants rows that stay in a bank. Where the lanes run over anything but channels the
 * plain code takes over.
 */

#define CONV_NARROW	5

/**
 * struct conv_f32 - a convolution in binary32
 * @c: the convolution
 * @x_step: bytes of x per index on D, H, W
 * @w_step: bytes of w per index on KD, KH, KW
 * @contiguous: elements of a row of x are side by side
 * @tap: where a tap's inputs are in a stage
 * @phases: bit mask of the phases that a stage needs
 * @single: stages hold the inputs of one tap only
 * @width: outputs that @tap, @phases and @single are for
 */
struct conv_f32 {
	struct loom_conv c;
	s64 x_step[3];
	s64 w_step[3];
	bool contiguous;
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

/* A stage of rows without a step. */
static __always_inline void conv_stage_dense(const float *x, s64 size, s64 at, u32 span, float *to)
{
	u32 low = at < 0 ? min((u64)span, (u64)-at) : 0;
	u32 high = at + span > size ? (at < size ? size - at : 0) : span;
	u32 i;

	x += at;
	for (i = 0; i < low; i++)
		to[i] = 0.0f;
	for (; i + 4 <= high; i += 4)
		loom_vec_store(to + i, loom_vec_load(x + i));
	for (; i < high; i++)
		to[i] = x[i];
	for (; i < span; i++)
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

	if (f->contiguous && step == 1) {
		conv_stage_dense((const float *)row, f->c.x.dims[4], at, span, to);
		return;
	}
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
	s64 first = at < 0 ? (-at + dilation - 1) / dilation : 0;
	s64 end = at < size ? (size - 1 - at) / dilation + 1 : 0;

	end = min(end, (s64)f->c.w->dims[2 + i]);
	return (struct conv_range){ first, max(first, end), at + first * dilation };
}

/* acc[nb][nv] += w[nb] * x[nv]: one tap */
static __always_inline void conv_tap(struct loom_vec *acc, const float *x, const u8 *w,
				     const s64 *wo, const u32 nb, const u32 nv)
{
	struct loom_vec xv[8];
	u32 i, j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++)
		xv[j] = loom_vec_load(x + 4 * j);
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		struct loom_vec wv = loom_vec_splat(loom_get_f32(w + wo[i]));

#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j].v += xv[j].v * wv.v;
	}
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

static struct loom_row conv_x_channels(const struct conv_f32 *f, const struct conv_block *b)
{
	const struct loom_conv *c = &f->c;

	return loom_row_along(&c->x, c->memory,
			      c->x_origin + loom_view_step(&c->x, c->memory, 0, b->n), 1,
			      b->o / c->outputs * c->inputs);
}

/* A block in a wide row: @nb channels by 4 * @nv positions, to out[nb][LOOM_TILE]. */
static __always_inline void conv_wide(struct conv_f32 *f, const struct conv_block *b,
				      const u32 nb, const u32 nv, float *out)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_memory *memory = f->c.memory;
	const struct loom_view *x = &f->c.x, *w = f->c.w;
	struct loom_row xc = conv_x_channels(f, b);
	struct loom_row wc = loom_row_along(w, memory, f->c.w_origin, 1, 0);
	const u32 taps = w->dims[4];
	struct conv_range d, h;
	struct loom_vec acc[8];
	float stage[LOOM_CONV_STAGE];
	s64 wo[4], at, last, tap_step;
	u32 yd, yh, yw, ic, kd, kh, kw, i;
	bool direct;

	conv_position(&f->c, b->p, &yd, &yh, &yw);
	d = conv_clip(f, 0, yd);
	h = conv_clip(f, 1, yh);
	at = (s64)yw * attr->stride[2] - attr->pad[2];
	last = at + (s64)(4 * nv - 1) * attr->stride[2] + (s64)(taps - 1) * attr->dilation[2];
	direct = attr->stride[2] == 1 && f->contiguous && at >= 0 && last < (s64)x->dims[4];
	if (!direct)
		conv_plan_stage(f, 4 * nv);
	for (i = 0; i < nb; i++)
		wo[i] = loom_view_step(w, memory, 0, b->o + i);
	xc.at += d.at * f->x_step[0] + h.at * f->x_step[1];
	wc.at += d.first * f->w_step[0] + h.first * f->w_step[1];
	conv_acc_begin(acc, nb * nv);

	if (direct && taps == 1 && d.end - d.first == 1 && h.end - h.first == 1) {
		xc.at += 4 * at;
		for (ic = 0; ic < f->c.inputs; ic++) {
			conv_tap(acc, (const float *)xc.at, wc.at, wo, nb, nv);
			loom_row_next(&xc);
			loom_row_next(&wc);
		}
		conv_acc_end(acc, nb, nv, out);
		return;
	}

	tap_step = attr->dilation[2];
	for (ic = 0; ic < f->c.inputs; ic++) {
		const u8 *xd = xc.at, *wd = wc.at;

		for (kd = d.first; kd < d.end; kd++) {
			const u8 *row = xd, *wr = wd;

			for (kh = h.first; kh < h.end; kh++) {
				const float *from = (const float *)row + at;
				const u8 *wp = wr;

				if (direct) {
					for (kw = 0; kw < taps; kw++) {
						conv_tap(acc, from, wp, wo, nb, nv);
						from += tap_step;
						wp += f->w_step[2];
					}
				} else if (!f->single) {
					conv_stage(f, row, at, 4 * nv, stage);
					for (kw = 0; kw < taps; kw++) {
						conv_tap(acc, stage + f->tap[kw], wp, wo, nb, nv);
						wp += f->w_step[2];
					}
				} else {
					for (kw = 0; kw < taps; kw++) {
						conv_fetch(f, row, at + kw * tap_step,
							   attr->stride[2], 4 * nv, stage);
						conv_tap(acc, stage, wp, wo, nb, nv);
						wp += f->w_step[2];
					}
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

/* A block of narrow rows: @nb channels by up to 4 * @nv positions, to out[nb][LOOM_TILE]. */
static __always_inline void conv_narrow(const struct conv_f32 *f, const struct conv_block *b,
					const u32 nb, const u32 nv, float *out)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_memory *memory = f->c.memory;
	const struct loom_view *x = &f->c.x, *w = f->c.w;
	const struct loom_row x0 = conv_x_channels(f, b);
	struct loom_row xc, wc;
	struct loom_vec acc[8];
	s64 pos[8][3], off[8], wo[4];
	s32 inside[8];
	float xs[8];
	u32 y[3], ic, kd, kh, kw, i, j;

	for (i = 0; i < 4 * nv; i++) {
		conv_position(&f->c, b->p + min(i, b->count - 1), &y[0], &y[1], &y[2]);
		for (j = 0; j < 3; j++)
			pos[i][j] = (s64)y[j] * attr->stride[j] - attr->pad[j];
	}
	for (i = 0; i < nb; i++)
		wo[i] = loom_view_step(w, memory, 0, b->o + i);
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

					/* outside, the channel's first element is read for nothing */
					inside[i] = in ? -1 : 0;
					off[i] = in ? id * f->x_step[0] + ih * f->x_step[1] +
						      iw * f->x_step[2] : 0;
				}
				xc = x0;
				wc = loom_row_along(w, memory, f->c.w_origin + kd * f->w_step[0] +
						    kh * f->w_step[1] + kw * f->w_step[2], 1, 0);
				for (ic = 0; ic < f->c.inputs; ic++) {
#pragma GCC unroll 2
					for (j = 0; j < nv; j++)
						loom_vec_store(xs + 4 * j, loom_vec_mask(
							loom_vec_gather(xc.at, off + 4 * j),
							inside + 4 * j));
					conv_tap(acc, xs, wc.at, wo, nb, nv);
					loom_row_next(&xc);
					loom_row_next(&wc);
				}
			}
		}
	}
	conv_acc_end(acc, nb, nv, out);
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

/* A block as wide as is good for @most positions. */
static void conv_block(struct conv_f32 *f, struct conv_block *b, bool narrow, u32 nb, u32 most,
		       float *out)
{
	if (narrow) {
		b->count = min(most, 8u);
		if (nb == 4)
			(most > 4 ? conv_narrow_4_2 : conv_narrow_4_1)(f, b, out);
		else
			(most > 4 ? conv_narrow_1_2 : conv_narrow_1_1)(f, b, out);
	} else if (nb == 4) {
		b->count = min(most, 8u);
		(most > 4 ? conv_wide_4_2 : conv_wide_4_1)(f, b, out);
	} else if (most > 16) {
		b->count = min(most, 32u);
		conv_wide_1_8(f, b, out);
	} else {
		b->count = most;
		if (most > 8)
			conv_wide_1_4(f, b, out);
		else
			(most > 4 ? conv_wide_1_2 : conv_wide_1_1)(f, b, out);
	}
}

/* @nb channels (1 or 4) from @o, positions @p to @end. */
static noinline void conv_positions(struct conv_f32 *f, u32 n, u32 o, u32 nb, u64 p, u64 end)
{
	u32 width = f->c.y.dims[4];
	bool narrow = width < CONV_NARROW && f->c.inputs > 1;
	struct conv_block tile = { .n = n, .o = o }, b;
	float out[4 * LOOM_TILE];
	u32 done, i;

	for (; p < end; p += tile.count) {
		/* what goes out together; the rows of narrow ones may end in it */
		tile.p = p;
		tile.count = min(end - p, (u64)LOOM_TILE);
		if (!narrow)
			tile.count = min(tile.count, (u32)(width - p % width));
		for (done = 0; done < tile.count; done += b.count) {
			b = tile;
			b.p += done;
			conv_block(f, &b, narrow, nb, tile.count - done, out + done);
		}
		for (i = 0; i < nb; i++)
			conv_emit(&f->c, &tile, o + i, out + LOOM_TILE * i);
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
	u32 i;

	if (y->dtype != LOOM_DTYPE_F32 || command->views[1].lane_axis > 1 ||
	    command->views[2].lane_axis > 1) {
		loom_conv_run_plain(command, memory, first, count);
		return;
	}
	loom_conv_begin(&f.c, command, memory);
	conv_flatten(&f.c);
	for (i = 0; i < 3; i++) {
		f.x_step[i] = f.c.x.strides[2 + i];
		f.w_step[i] = f.c.w->strides[2 + i];
	}
	f.contiguous = f.x_step[2] == 4;
	f.width = 0;
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
