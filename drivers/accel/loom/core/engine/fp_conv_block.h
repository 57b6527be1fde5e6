/* SPDX-License-Identifier: GPL-2.0 OR MIT */

/*
 * Blocks of outputs of a row, of one or four channels, in vectors of CONV_V floats: fp_conv_wide.c
 * includes this once for each width of vector, so there is no guard.
 */

#define VEC	struct LOOM_PASTE(conv_vec, CONV_V)
#define V(name)	LOOM_PASTE(conv_##name, CONV_V)

typedef float V(floats) __attribute__((vector_size(4 * CONV_V)));
typedef s32 V(words) __attribute__((vector_size(4 * CONV_V)));

VEC {
	V(floats) v;
};

static __always_inline VEC V(splat)(float f)
{
	float lanes[CONV_V];
	VEC r;
	u32 i;

#pragma GCC unroll 16
	for (i = 0; i < CONV_V; i++)
		lanes[i] = f;
	memcpy(&r, lanes, sizeof(r));
	return r;
}

static __always_inline void V(acc_begin)(VEC *acc, const u32 nb, const u32 nv, bool more,
					 const float *out)
{
	u32 i, j;

#pragma GCC unroll 16
	for (i = 0; i < nb * nv; i++)
		acc[i] = V(splat)(0.0f);
	if (!more)
		return;
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			memcpy(&acc[i * nv + j], out + LOOM_TILE * i + CONV_V * j, sizeof(VEC));
	}
}

static __always_inline void V(acc_end)(const VEC *acc, const u32 nb, const u32 nv, float *out)
{
	u32 i, j;

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			memcpy(out + LOOM_TILE * i + CONV_V * j, &acc[i * nv + j], sizeof(VEC));
	}
}

/* @acc and the products of both halves of each word, as signed numbers */
static __always_inline V(floats) V(madd)(V(floats) acc, V(floats) x, V(floats) w)
{
#if CONV_V == 16
	return (V(floats))((V(words))acc + (V(words))_mm512_madd_epi16((__m512i)x, (__m512i)w));
#elif defined(__SSE2__) && !defined(__CHECKER__)
	typedef s16 halves __attribute__((vector_size(4 * CONV_V)));

#if CONV_V == 8
	return (V(floats))((V(words))acc +
			   (V(words))__builtin_ia32_pmaddwd256((halves)x, (halves)w));
#else
	return (V(floats))((V(words))acc +
			   (V(words))__builtin_ia32_pmaddwd128((halves)x, (halves)w));
#endif
#else
	V(words) a = (V(words))x, b = (V(words))w;

	return (V(floats))((V(words))acc + (a << 16 >> 16) * (b << 16 >> 16) +
			   (a >> 16) * (b >> 16));
#endif
}

/* acc[nb][nv] += w[nb] * x[nv]: one tap, @at bytes from the weights of an input channel, or two */
static __always_inline void V(multiply)(const enum conv_how how, VEC *acc, const VEC *x,
					const struct conv_weights *w, s64 at, const s64 *wo,
					const u32 nb, const u32 nv)
{
	u32 i, j;

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		VEC wv = V(splat)(conv_weight(how, w, at + wo[i]));

#pragma GCC unroll 8
		for (j = 0; j < nv; j++) {
			if (how == CONV_BYTES)
				acc[i * nv + j].v = V(madd)(acc[i * nv + j].v, x[j].v, wv.v);
			else
				acc[i * nv + j].v += x[j].v * wv.v;
		}
	}
}

/* The same of inputs that lie side by side. */
static __always_inline void V(tap)(const enum conv_how how, VEC *acc, const float *x,
				   const struct conv_weights *w, s64 at, const s64 *wo,
				   const u32 nb, const u32 nv)
{
	VEC xv[8];
	u32 j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++)
		memcpy(&xv[j], x + CONV_V * j, sizeof(VEC));
	V(multiply)(how, acc, xv, w, at, wo, nb, nv);
}

/* Elements of a row of @size from index @at, with zeroes outside. */
static __always_inline VEC V(load)(const float *row, s64 at, s64 size)
{
	VEC r;

#if CONV_V == 4
	r.v = conv_load(row, at, size).v;
#else
	s32 low = at < 0 ? -at : 0, high = size - at < CONV_V ? size - at : CONV_V;

	if (at <= -CONV_V || at >= size)
		return V(splat)(0.0f);
	r.v = V(part)(row + at, low, high);
#endif
	return r;
}

/*
 * CONV_V * @nv outputs of @nb channels to out[nb][LOOM_TILE]: of taps that are all in x, from @at.
 * The line has a row for each of them; of @one, without a loop.
 */
static __always_inline void V(point)(const struct loom_conv_channels *ch,
				     const struct conv_line *line, const s64 at, const bool one,
				     const u32 nb, const u32 nv, float *out)
{
	struct loom_row xc = line->x, wc = line->w;
	u32 left = ch->inputs, run, i, k;
	VEC acc[16];

	V(acc_begin)(acc, nb, nv, ch->more, out);
	xc.at += 4 * at + (one ? line->off[0] : 0);
	wc.at += one ? line->w_off[0] : 0;
	for (; left; left -= run) {
		const u8 *x = xc.at;
		struct conv_weights w = { .at = { wc.at } };

		run = loom_row_run(&xc, loom_row_run(&wc, left));
		for (i = 0; i < run; i++) {
			if (one)
				V(tap)(CONV_POINT, acc, (const float *)x, &w, 0, ch->wo, nb, nv);
			for (k = 0; !one && k < line->taps; k++)
				V(tap)(CONV_POINT, acc, (const float *)(x + line->off[k]), &w,
				       line->w_off[k], ch->wo, nb, nv);
			x += xc.stride;
			w.at[0] += wc.stride;
		}
		loom_row_skip(&xc, run);
		loom_row_skip(&wc, run);
	}
	V(acc_end)(acc, nb, nv, out);
}

/*
 * The same of rows of x that lie side by side, without a step: vectors are of one row, or each of
 * another.
 */
static __always_inline void V(dense)(const enum conv_how how, const struct loom_conv_f32 *f,
				     const struct loom_conv_channels *ch,
				     const struct conv_line *line, const s64 at, const u32 nb,
				     const u32 nv, float *out)
{
	const u32 taps = f->c.w->dims[4], inputs = line->taps ? ch->inputs : 0;
	const s64 tap_step = f->c.attr->dilation[2], w_step = f->w_step[2];
	const s64 reach = how == CONV_VECTORS ? CONV_V : CONV_V * nv, size = f->c.x.dims[4];
	struct loom_row xc = line->x, wc = line->w;
	u32 ic, r, kw, j;
	VEC acc[16];

	V(acc_begin)(acc, nb, nv, ch->more, out);
	for (ic = 0; ic < inputs; ic++) {
		for (r = 0; r < line->taps; r++) {
			struct conv_weights w = { .at = { wc.at } };
			s64 row, wr, ax = at;
			const float *x[8];

			conv_line_row(line, f, r, how == CONV_VECTORS ? nv : 1, &row, &wr);
			w.at[0] += wr;
			x[0] = (const float *)(xc.at + row);
#pragma GCC unroll 8
			for (j = 0; how == CONV_VECTORS && j < nv; j++)
				x[j] = (const float *)(xc.at + line->off[r * nv + j]);
			for (kw = 0; kw < taps; kw++) {
				VEC xv[8];

				if (ax >= 0 && ax + reach <= size) {
#pragma GCC unroll 8
					for (j = 0; j < nv; j++)
						memcpy(&xv[j], how == CONV_VECTORS ? x[j] + ax :
						       x[0] + ax + CONV_V * j, sizeof(VEC));
					V(multiply)(how, acc, xv, &w, 0, ch->wo, nb, nv);
				} else {
#pragma GCC unroll 8
					for (j = 0; j < nv; j++)
						xv[j] = how == CONV_VECTORS ?
							V(load)(x[j], ax, size) :
							V(load)(x[0], ax + CONV_V * j, size);
					V(multiply)(how, acc, xv, &w, 0, ch->wo, nb, nv);
				}
				ax += tap_step;
				w.at[0] += w_step;
			}
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
	V(acc_end)(acc, nb, nv, out);
}

/* The inputs of one tap that lie all in x, @hop bytes from one to the next. */
static __always_inline void V(apart)(VEC *acc, const u8 *x, s64 hop, const struct conv_weights *w,
				     s64 at, const s64 *wo, const u32 nb, const u32 nv)
{
	float lanes[CONV_V];
	VEC xv[8];
	u32 i, j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++) {
#pragma GCC unroll 16
		for (i = 0; i < CONV_V; i++, x += hop)
			lanes[i] = *(const float *)x;
		memcpy(&xv[j], lanes, sizeof(VEC));
	}
	V(multiply)(CONV_STAGED, acc, xv, w, at, wo, nb, nv);
}

/* The same of any taps of row @r, in a stage one by one; there is no room for all. */
static __always_inline void V(singles)(const enum conv_how how, VEC *acc, struct loom_conv_f32 *f,
				       const struct loom_conv_channels *ch,
				       const struct conv_line *line, u32 r, s64 row, s64 wr,
				       const u8 *const *x, const struct conv_weights *w,
				       float *stage, const u32 nb, const u32 nv)
{
	const s64 step = f->c.attr->stride[2], pitch = f->c.x.strides[4];
	s64 at = f->stage.at, first = at;
	bool apart = how == CONV_STAGED && line->rows == 1 && f->c.x.lane_axis != 4;
	s64 last = (s64)f->c.x.dims[4] - (CONV_V * nv - 1) * step;
	u32 taps = f->c.w->dims[4], kw;

	for (kw = 0; kw < taps; kw++, wr += f->w_step[2], first += f->c.attr->dilation[2]) {
		if (apart && first >= 0 && first < last) {
			V(apart)(acc, x[0] + row + first * pitch, step * pitch, w, wr, ch->wo, nb,
				 nv);
			continue;
		}
		conv_stage_plan(f, at, CONV_V * nv, f->stage.width, f->stage.rows, kw);
		memset(stage, 0, f->stage.slots * sizeof(*stage));
		conv_stage_rows(how, f, line, r, row, x, stage);
		V(tap)(how, acc, stage, w, wr, ch->wo, nb, nv);
	}
}

/* The same of any rows, by way of a stage. */
static __always_inline void V(staged)(const enum conv_how how, struct loom_conv_f32 *f,
				      const struct loom_conv_channels *ch,
				      const struct conv_line *line, const u32 nb, const u32 nv,
				      float *out)
{
	const u32 taps = f->c.w->dims[4], inputs = line->taps ? ch->inputs : 0;
	const bool whole = f->stage.taps == taps;
	struct loom_row xc = line->x, wc = line->w;
	float stage[LOOM_CONV_STAGE + LOOM_TILE];
	u32 ic, r, kw;
	VEC acc[16];

	memset(stage, 0, (f->stage.slots + CONV_V * nv) * sizeof(*stage));
	V(acc_begin)(acc, nb, nv, ch->more, out);
	for (ic = 0; ic < inputs; ic += how == CONV_BYTES ? 2 : 1) {
		const u8 *x[2] = { xc.at, xc.at };
		struct conv_weights w = { .at = { wc.at, wc.at }, .mask = 0xffff };

		if (how == CONV_BYTES && ic + 1 < inputs) {
			loom_row_next(&xc);
			loom_row_next(&wc);
			x[1] = xc.at;
			w.at[1] = wc.at;
			w.mask = 0xffffffff;
		}
		if (how == CONV_BYTES)
			w.type = bytes_type(f->c.w->dtype, f->c.attr->w_zero);
		for (r = 0; r < line->taps; r++) {
			s64 row, wr;

			conv_line_row(line, f, r, line->pitch, &row, &wr);
			if (!whole) {
				V(singles)(how, acc, f, ch, line, r, row, wr, x, &w, stage, nb,
					   nv);
				continue;
			}
			conv_stage_rows(how, f, line, r, row, x, stage);
			for (kw = 0; kw < taps; kw++, wr += f->w_step[2])
				V(tap)(how, acc, stage + f->stage.tap[kw], &w, wr, ch->wo, nb, nv);
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
	V(acc_end)(acc, nb, nv, out);
}

static __always_inline void V(block)(enum conv_how how, struct loom_conv_f32 *f,
				     const struct loom_conv_channels *ch,
				     const struct conv_line *line, s64 at, const u32 nb,
				     const u32 nv, float *out)
{
	switch (how) {
	case CONV_POINT:
		V(point)(ch, line, at, true, nb, nv, out);
		break;
	case CONV_TURNED:
#ifndef __KERNEL__
		V(point)(ch, line, at, false, nb, nv, out);
#endif
		break;
	case CONV_DENSE:
		V(dense)(CONV_DENSE, f, ch, line, at, nb, nv, out);
		break;
	case CONV_VECTORS:
		break;
	case CONV_STAGED:
		V(staged)(CONV_STAGED, f, ch, line, nb, nv, out);
		break;
	case CONV_HALF:
		V(staged)(CONV_HALF, f, ch, line, nb, nv, out);
		break;
	case CONV_BYTES:
		V(staged)(CONV_BYTES, f, ch, line, nb, nv, out);
		break;
	}
}

#undef V
#undef VEC
