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

/* Whether all offsets of the weights' taps fit; those of x do, or it would not be here. */
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

	if (y->dims[4] >= NARROW_WIDTH || f->c.inputs < NARROW_INPUTS || loom_conv_rows_suit(f))
		return false;
	/* pointwise: a row is a vector as it lies there */
	if (y->dims[4] == 4 && f->c.x.dims[4] == 4 && rows * w->dims[4] == 1 && f->contiguous)
		return false;
	if (rows > LOOM_CONV_NARROW_TAPS || rows * w->dims[4] > LOOM_CONV_NARROW_TAPS)
		return false;
	return narrow_fits(w);
}

/**
 * struct narrow_at - where positions are in x
 * @at: index on D, H, W of the input of the first tap
 * @in: the row that the current taps meet lies in x
 * @row: bytes from the channel to that row
 * @some: bytes from the channel to an element of it, for those who have no input
 */
struct narrow_at {
	s64 at[8][3];
	bool in[8];
	s64 row[8];
	s64 some;
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
		b->row[i] = b->in[i] ? loom_conv_x_row(f, d, h) : 0;
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

		tap->off[i] = in ? b->row[i] + loom_view_step(&f->c.x, f->c.memory, 4, w) :
				   b->some;
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
	/* not zero: where the lanes run over the plane the channel itself may lie outside of x */
	b.some = loom_conv_x_row(f, 0, 0) + loom_view_step(&f->c.x, f->c.memory, 4, 0);
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

/* Bytes from where a channel of y begins to each of @n positions from @p. */
static void narrow_places(const struct loom_conv_f32 *f, u64 p, u32 n, s64 *at)
{
	const struct loom_view *y = &f->c.y;
	const struct loom_memory *memory = f->c.memory;
	u32 index[3], j;

	loom_conv_position(&f->c, p, index);
	for (j = 0; j < n; j++) {
		at[j] = loom_view_step(y, memory, 2, index[0]) +
			loom_view_step(y, memory, 3, index[1]) +
			loom_view_step(y, memory, 4, index[2]);
		if (++index[2] < y->dims[4])
			continue;
		index[2] = 0;
		if (++index[1] == y->dims[3]) {
			index[1] = 0;
			index[0]++;
		}
	}
}

/* Results of all channels, @n from position @p. */
static noinline void narrow_emit(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				 u64 p, u32 n)
{
	s64 at[LOOM_TILE];
	u32 i, j;

	narrow_places(f, p, n, at);
	for (i = 0; i < ch->nb; i++) {
		float *v = ch->out + LOOM_TILE * i;

		loom_conv_finish(f, ch, i, n, v);
		loom_canonical_f32(v, n);
		for (j = 0; j < n; j++)
			*(float *)(ch->y[i] + at[j]) = v[j];
	}
}

void loom_conv_narrow_run(const struct loom_conv_f32 *f, struct loom_conv_narrow *taps,
			  const struct loom_conv_channels *ch, u64 p, u64 end)
{
	/* sums that are not complete stay where their positions are in the tile */
	bool columns = !ch->more && ch->last && loom_conv_columns_suit(f);
	u64 top = columns && f->c.attr->pad[1] > 0 ? f->c.attr->pad[1] : 0;
	u32 count, done, most;
	float *out = ch->out;

	for (; p < end; p += count) {
		count = columns ? loom_conv_columns(f, ch, p, end) : 0;
		if (count) {
			narrow_emit(f, ch, p, count);
			continue;
		}
		count = min(end - p, (u64)LOOM_TILE);
		/* those above are not of a column */
		if (p < top)
			count = min((u64)count, top - p);
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
		if (ch->last)
			narrow_emit(f, ch, p, count);
	}
}

/* Channels whose results are finished together */
#define DEPTH_CHANNELS	(LOOM_TILE / 8)

bool loom_conv_depth_suits(const struct loom_conv_f32 *f)
{
	const struct loom_view *y = &f->c.y, *w = f->c.w;
	u64 rows = (u64)w->dims[2] * w->dims[3];

	if (f->c.inputs > 1 || f->c.outputs > 1)
		return false;
	/* rows that lie there as vectors */
	if (f->contiguous && f->c.attr->stride[2] <= 2 && y->dims[4] >= 8)
		return false;
	if (loom_conv_rows_suit(f))
		return false;
	return rows <= LOOM_CONV_NARROW_TAPS && rows * w->dims[4] <= LOOM_CONV_NARROW_TAPS &&
	       narrow_fits(w);
}

/**
 * struct narrow_depth - channels of a depthwise convolution, each a group
 * @x: their inputs
 * @w: their weights
 * @y: their outputs
 * @bias: their biases
 */
struct narrow_depth {
	struct loom_row x;
	struct loom_row w;
	struct loom_row y;
	struct loom_row bias;
};

static void depth_begin(struct narrow_depth *depth, const struct loom_conv_f32 *f, u32 n, u32 o)
{
	const struct loom_memory *memory = f->c.memory;

	depth->x = loom_row_along(&f->c.x, memory,
				  f->c.x_origin + loom_view_step(&f->c.x, memory, 0, n), 1, o);
	depth->y = loom_row_along(&f->c.y, memory,
				  f->y_origin + loom_view_step(&f->c.y, memory, 0, n), 1, o);
	depth->w = loom_row_along(f->c.w, memory,
				  f->c.w_origin + loom_view_step(f->c.w, memory, 1, 0), 0, o);
	if (f->c.bias)
		depth->bias = loom_row_along(f->c.bias, memory,
					     loom_view_origin(f->c.bias, memory), 0, o);
}

/* Sums of eight positions of @channels channels: v[channels][8] */
static noinline void depth_sum(const struct loom_conv_narrow *taps, struct narrow_depth *depth,
			       u32 channels, float *v)
{
	const struct loom_conv_narrow_tap *tap, *end = taps->tap + taps->count;
	static const s64 wo[1];
	struct loom_vec acc[2];
	u32 c;

	for (c = 0; c < channels; c++) {
		acc[0] = loom_vec_splat(0.0f);
		acc[1] = loom_vec_splat(0.0f);
		for (tap = taps->tap; tap < end; tap++)
			narrow_tap(acc, tap, depth->x.at, depth->w.at, wo, 1, 2);
		loom_vec_store(v + 8 * c, acc[0]);
		loom_vec_store(v + 8 * c + 4, acc[1]);
		loom_row_next(&depth->x);
		loom_row_next(&depth->w);
	}
}

/* Bias and activation of those, and out: @n results of each channel, at @at from where it begins */
static noinline void depth_emit(const struct loom_conv_f32 *f, struct narrow_depth *depth,
				u32 channels, const s64 *at, u32 n, float *v)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	u32 c, i;

	for (c = 0; c < channels && f->c.bias; c++) {
		float bias = loom_get_f32(depth->bias.at);

		for (i = 0; i < 8; i++)
			v[8 * c + i] += bias;
		loom_row_next(&depth->bias);
	}
	loom_tile_act_f32(v, 8 * channels, attr->act, attr->act_p0, attr->act_p1);
	loom_canonical_f32(v, 8 * channels);
	for (c = 0; c < channels; c++) {
		for (i = 0; i < n; i++)
			*(float *)(depth->y.at + at[i]) = v[8 * c + i];
		loom_row_next(&depth->y);
	}
}

void loom_conv_depth_run(const struct loom_conv_f32 *f, struct loom_conv_narrow *taps, u32 n,
			 u32 o, u32 channels)
{
	const struct loom_view *y = &f->c.y;
	u64 positions = (u64)y->dims[2] * y->dims[3] * y->dims[4], p;
	struct narrow_depth first, depth;
	float v[8 * DEPTH_CHANNELS];
	u32 count, c, some;
	s64 at[8];

	depth_begin(&first, f, n, o);
	for (p = 0; p < positions; p += count) {
		count = min(positions - p, 8ULL);
		narrow_look(taps, f, p, count);
		narrow_places(f, p, count, at);
		depth = first;
		for (c = 0; c < channels; c += some) {
			some = min(channels - c, (u32)DEPTH_CHANNELS);
			depth_sum(taps, &depth, some, v);
			depth_emit(f, &depth, some, at, count, v);
		}
	}
}
