// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

/*
 * Outputs of short rows, in blocks of up to eight that need not share a row. A table of the taps
 * says where the inputs of each output are; it is made once for a block and serves all input
 * channels. Taps whose row lies outside of x for some of the positions only
 * add nothing to those.
 */

#define NARROW_WIDTH	5
/* With fewer input channels the table costs more than it saves. */
#define NARROW_INPUTS	8

/* Four bits as a mask of lanes. */
static const s32 narrow_lanes[16][4] = {
	{ 0, 0, 0, 0 }, { -1, 0, 0, 0 }, { 0, -1, 0, 0 }, { -1, -1, 0, 0 },
	{ 0, 0, -1, 0 }, { -1, 0, -1, 0 }, { 0, -1, -1, 0 }, { -1, -1, -1, 0 },
	{ 0, 0, 0, -1 }, { -1, 0, 0, -1 }, { 0, -1, 0, -1 }, { -1, -1, 0, -1 },
	{ 0, 0, -1, -1 }, { -1, 0, -1, -1 }, { 0, -1, -1, -1 }, { -1, -1, -1, -1 },
};

/* Whether all offsets of three axes fit. */
static bool narrow_fits(const struct loom_view *view)
{
	u64 reach = 0, step;
	u32 i;

	for (i = 2; i < 5; i++) {
		step = view->strides[i];
		reach += (view->dims[i] - 1) * (view->strides[i] < 0 ? 0 - step : step);
	}
	return reach <= U32_MAX >> 1;
}

bool loom_conv_narrow_suits(const struct loom_conv_f32 *f)
{
	const struct loom_view *y = &f->c.y, *w = f->c.w;
	u64 rows = (u64)w->dims[2] * w->dims[3];

	if (y->dims[4] >= NARROW_WIDTH || f->c.inputs < NARROW_INPUTS)
		return false;
	/* pointwise: a row is a vector as it lies there */
	if (y->dims[4] == 4 && f->c.x.dims[4] == 4 && rows * w->dims[4] == 1 && f->contiguous)
		return false;
	if (rows > LOOM_CONV_NARROW_TAPS || rows * w->dims[4] > LOOM_CONV_NARROW_TAPS)
		return false;
	return narrow_fits(&f->c.x) && narrow_fits(w);
}

/**
 * struct narrow_at - where positions are in x
 * @at: index on D, H, W of the input of the first tap
 * @in: the row that the current taps meet lies in x
 * @row: bytes from the channel to that row
 */
struct narrow_at {
	s64 at[8][3];
	bool in[8];
	s64 row[8];
};

/* The row of x of each position for taps @kd, @kh. Return: whether there is any. */
static bool narrow_rows(struct narrow_at *b, const struct loom_conv_f32 *f, u32 kd, u32 kh)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	bool any = false;
	u32 i;

	for (i = 0; i < 8; i++) {
		s64 d = b->at[i][0] + (s64)kd * attr->dilation[0];
		s64 h = b->at[i][1] + (s64)kh * attr->dilation[1];

		b->in[i] = d >= 0 && d < f->c.x.dims[2] && h >= 0 && h < f->c.x.dims[3];
		b->row[i] = b->in[i] ? d * f->x_step[0] + h * f->x_step[1] : 0;
		any |= b->in[i];
	}
	return any;
}

static void narrow_look_tap(struct loom_conv_narrow_tap *tap, const struct narrow_at *b,
			    const struct loom_conv_f32 *f, u32 kw)
{
	s64 k = (s64)kw * f->c.attr->dilation[2];
	u32 i;

	memset(tap->in, 0, sizeof(tap->in));
	memset(tap->row, 0, sizeof(tap->row));
	for (i = 0; i < 8; i++) {
		s64 w = b->at[i][2] + k;
		bool in = b->in[i] && w >= 0 && w < f->c.x.dims[4];

		tap->off[i] = in ? b->row[i] + w * f->x_step[2] : 0;
		tap->in[i / 4] |= in << i % 4;
		tap->row[i / 4] |= b->in[i] << i % 4;
	}
	tap->inside = tap->in[0] == 15 && tap->in[1] == 15;
	tap->rows = tap->row[0] == 15 && tap->row[1] == 15;
}

/* The taps of @count positions from @p. What a vector has more of are copies of the last. */
static noinline void narrow_look(struct loom_conv_narrow *taps, const struct loom_conv_f32 *f,
				 u64 p, u32 count)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_view *w = f->c.w;
	struct narrow_at b;
	u32 y[3], kd, kh, kw, i, j;

	if (taps->positions == count && taps->position == p)
		return;
	taps->position = p;
	taps->positions = count;
	loom_conv_position(&f->c, p, y);
	for (i = 0; i < 8; i++) {
		for (j = 0; j < 3; j++)
			b.at[i][j] = (s64)y[j] * attr->stride[j] - attr->pad[j];
		if (i + 1 >= count || ++y[2] < f->c.y.dims[4])
			continue;
		y[2] = 0;
		if (++y[1] == f->c.y.dims[3]) {
			y[1] = 0;
			y[0]++;
		}
	}
	taps->count = 0;
	for (kd = 0; kd < w->dims[2]; kd++) {
		for (kh = 0; kh < w->dims[3]; kh++) {
			if (!narrow_rows(&b, f, kd, kh))
				continue;
			for (kw = 0; kw < w->dims[4]; kw++) {
				struct loom_conv_narrow_tap *tap = &taps->tap[taps->count++];

				tap->w = kd * f->w_step[0] + kh * f->w_step[1] +
					 kw * f->w_step[2];
				narrow_look_tap(tap, &b, f, kw);
			}
		}
	}
}

/* The inputs of vector @j of the positions; anything where there is none. */
static __always_inline struct loom_vec narrow_inputs(const struct loom_conv_narrow_tap *tap,
						     const u8 *x, const u32 j)
{
	float lanes[4];
	u32 i;

#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		lanes[i] = *(const float *)(x + tap->off[4 * j + i]);
	return loom_vec_load(lanes);
}

/* As loom_conv_multiply(), but nothing is added where the row lies outside of x. */
static __always_inline void narrow_multiply(struct loom_vec *acc, const struct loom_vec *x,
					    const u8 *w, const s64 *wo,
					    const struct loom_conv_narrow_tap *tap, const u32 nb,
					    const u32 nv)
{
	u32 i, j;

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		struct loom_vec wv = loom_vec_splat(loom_get_f32(w + wo[i]));

#pragma GCC unroll 2
		for (j = 0; j < nv; j++) {
			struct loom_vec product = x[j];

			product.v *= wv.v;
			product = loom_vec_mask(product, narrow_lanes[tap->row[j]]);
			acc[i * nv + j].v += product.v;
		}
	}
}

/* One tap of 4 * @nv positions. */
static __always_inline void narrow_tap(struct loom_vec *acc, const struct loom_conv_narrow_tap *tap,
				       const u8 *x, const u8 *w, const s64 *wo, const u32 nb,
				       const u32 nv)
{
	struct loom_vec xv[2];
	u32 j;

#pragma GCC unroll 2
	for (j = 0; j < nv; j++)
		xv[j] = narrow_inputs(tap, x, j);
	if (tap->inside) {
		loom_conv_multiply(acc, xv, w + tap->w, wo, nb, nv);
		return;
	}
#pragma GCC unroll 2
	for (j = 0; j < nv; j++)
		xv[j] = loom_vec_mask(xv[j], narrow_lanes[tap->in[j]]);
	if (tap->rows)
		loom_conv_multiply(acc, xv, w + tap->w, wo, nb, nv);
	else
		narrow_multiply(acc, xv, w + tap->w, wo, tap, nb, nv);
}

/* 4 * @nv outputs of @nb channels, to out[nb][LOOM_TILE]. */
static __always_inline void narrow_block(const struct loom_conv_channels *ch,
					 const struct loom_conv_narrow *taps, const u32 nb,
					 const u32 nv, float *out)
{
	const struct loom_conv_narrow_tap *tap = taps->tap, *end = tap + taps->count;
	struct loom_row xc = ch->x, wc = ch->w;
	struct loom_vec acc[8];
	u32 ic, left, run;

	loom_conv_acc_begin(acc, nb, nv, ch->more, out);
	/* pointwise convolutions, and what sees one element of x: worth a loop of their own */
	if (taps->count == 1) {
		for (left = ch->inputs; left; left -= run) {
			const u8 *x = xc.at, *w = wc.at;

			run = loom_row_run(&xc, loom_row_run(&wc, left));
			for (ic = 0; ic < run; ic++) {
				narrow_tap(acc, tap, x, w, ch->wo, nb, nv);
				x += xc.stride;
				w += wc.stride;
			}
			loom_row_skip(&xc, run);
			loom_row_skip(&wc, run);
		}
	} else {
		for (ic = 0; ic < ch->inputs; ic++) {
			for (tap = taps->tap; tap < end; tap++)
				narrow_tap(acc, tap, xc.at, wc.at, ch->wo, nb, nv);
			loom_row_next(&xc);
			loom_row_next(&wc);
		}
	}
	loom_conv_acc_end(acc, nb, nv, out);
}

static __always_inline void narrow_point_tap(struct loom_vec *acc,
					     const struct loom_conv_narrow_tap *tap, const u8 *x,
					     const u8 *w, const s64 *wo)
{
	float xv = tap->in[0] & 1 ? loom_get_f32(x + tap->off[0]) : 0.0f;

	acc->v += loom_vec_splat(xv).v * loom_vec_gather(w + tap->w, wo).v;
}

/* One output of each of four channels: a vector across channels. */
static noinline void narrow_point(const struct loom_conv_channels *ch,
				  const struct loom_conv_narrow *taps, float *out)
{
	const struct loom_conv_narrow_tap *tap = taps->tap, *end = tap + taps->count;
	struct loom_vec acc = loom_vec_splat(0.0f);
	struct loom_row xc = ch->x, wc = ch->w;
	u32 ic, left, run, i;
	float lanes[4];

	for (i = 0; i < 4; i++)
		lanes[i] = out[LOOM_TILE * i];
	if (ch->more)
		acc = loom_vec_load(lanes);
	if (taps->count == 1) {
		for (left = ch->inputs; left; left -= run) {
			const u8 *x = xc.at, *w = wc.at;

			run = loom_row_run(&xc, loom_row_run(&wc, left));
			for (ic = 0; ic < run; ic++) {
				narrow_point_tap(&acc, tap, x, w, ch->wo);
				x += xc.stride;
				w += wc.stride;
			}
			loom_row_skip(&xc, run);
			loom_row_skip(&wc, run);
		}
	} else {
		for (ic = 0; ic < ch->inputs; ic++) {
			for (tap = taps->tap; tap < end; tap++)
				narrow_point_tap(&acc, tap, xc.at, wc.at, ch->wo);
			loom_row_next(&xc);
			loom_row_next(&wc);
		}
	}
	loom_vec_store(lanes, acc);
	for (i = 0; i < 4; i++)
		out[LOOM_TILE * i] = lanes[i];
}

/* One function for each size of block, so that their sums stay in registers. */
#define NARROW_BLOCK(nb, nv)								\
	static noinline void narrow_##nb##_##nv(const struct loom_conv_channels *ch,	\
						const struct loom_conv_narrow *taps,		\
						float *out)				\
	{										\
		narrow_block(ch, taps, nb, nv, out);					\
	}

NARROW_BLOCK(4, 2)
NARROW_BLOCK(4, 1)
NARROW_BLOCK(1, 2)
NARROW_BLOCK(1, 1)

void loom_conv_narrow_run(const struct loom_conv_f32 *f, struct loom_conv_narrow *taps,
			  const struct loom_conv_channels *ch, u64 p, u64 end)
{
	u32 width = f->c.y.dims[4], index[3], count, done, most, n, i;
	float *out = ch->out;

	for (; p < end; p += count) {
		count = min(end - p, (u64)LOOM_TILE);
		for (done = 0; done < count; done += 8) {
			most = min(count - done, 8u);
			narrow_look(taps, f, p + done, most);
			if (ch->nb == 4 && most == 1)
				narrow_point(ch, taps, out + done);
			else if (ch->nb == 4 && most > 4)
				narrow_4_2(ch, taps, out + done);
			else if (ch->nb == 4)
				narrow_4_1(ch, taps, out + done);
			else if (most > 4)
				narrow_1_2(ch, taps, out + done);
			else
				narrow_1_1(ch, taps, out + done);
		}
		/* row by row */
		for (done = 0; done < count && ch->last; done += n) {
			loom_conv_position(&f->c, p + done, index);
			n = min(count - done, width - index[2]);
			for (i = 0; i < ch->nb; i++)
				loom_conv_emit(f, ch, i, index, n, out + LOOM_TILE * i + done);
		}
	}
}

