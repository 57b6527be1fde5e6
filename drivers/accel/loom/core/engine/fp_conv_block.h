/* SPDX-License-Identifier: GPL-2.0 OR MIT */

/*
 * Blocks of outputs of a row, of one or four channels, in vectors of CONV_V floats: fp_conv_wide.c
 * includes this once for each width of vector, so there is no guard.
 */

#define VEC	struct LOOM_PASTE(conv_vec, CONV_V)
#define V(name)	LOOM_PASTE(conv_##name, CONV_V)

VEC {
	float v __attribute__((vector_size(4 * CONV_V)));
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

/* acc[nb][nv] += w[nb] * x[nv]: one tap, whose weights are of binary16 if @half */
static __always_inline void V(multiply)(const bool half, VEC *acc, const VEC *x, const u8 *w,
					const s64 *wo, const u32 nb, const u32 nv)
{
	u32 i, j;

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		const u8 *at = w + wo[i];
		VEC wv = V(splat)(half ? loom_half_widen(*(const u16 *)at) : loom_get_f32(at));

#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j].v += x[j].v * wv.v;
	}
}

/* The same of inputs that lie side by side. */
static __always_inline void V(tap)(const bool half, VEC *acc, const float *x, const u8 *w,
				   const s64 *wo, const u32 nb, const u32 nv)
{
	VEC xv[8];
	u32 j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++)
		memcpy(&xv[j], x + CONV_V * j, sizeof(VEC));
	V(multiply)(half, acc, xv, w, wo, nb, nv);
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

/* The same where the row ends inside of what the tap reads. */
static __always_inline void V(tap_edge)(VEC *acc, const float *row, s64 at, s64 size, const u8 *w,
					const s64 *wo, const u32 nb, const u32 nv)
{
	VEC xv[8];
	u32 j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++)
		xv[j] = V(load)(row, at + CONV_V * j, size);
	V(multiply)(false, acc, xv, w, wo, nb, nv);
}

/* The inputs of one tap that lie all in x, @hop bytes from one to the next. */
static __always_inline void V(tap_apart)(VEC *acc, const u8 *x, s64 hop, const u8 *w,
					 const s64 *wo, const u32 nb, const u32 nv)
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
	V(multiply)(false, acc, xv, w, wo, nb, nv);
}

/* The same of any tap of which a stage is needed for itself; x is of binary16 as well if @half. */
static __always_inline void V(tap_single)(const bool half, VEC *acc, struct loom_conv_f32 *f,
					  float *stage, const u8 *row, const u8 *w, s64 at,
					  const s64 *wo, const u32 nb, const u32 nv)
{
	const s64 step = f->c.attr->stride[2];

	if (!half && f->c.x.lane_axis != 4 && at >= 0 &&
	    at + (CONV_V * nv - 1) * step < (s64)f->c.x.dims[4]) {
		V(tap_apart)(acc, row + at * f->c.x.strides[4], step * f->c.x.strides[4], w, wo,
			     nb, nv);
		return;
	}
	conv_stage_single(f, at);
	memset(stage, 0, f->stage.slots * sizeof(*stage));
	conv_stage(half, f, row, stage);
	V(tap)(half, acc, stage, w, wo, nb, nv);
}

/* CONV_V * @nv outputs of @nb channels to out[nb][LOOM_TILE]: of one tap, all in x, from @at. */
static __always_inline void V(point)(const struct loom_conv_channels *ch,
				     const struct conv_line *line, const s64 at, const u32 nb,
				     const u32 nv, float *out)
{
	struct loom_row xc = line->x, wc = line->w;
	u32 left = ch->inputs, run, i;
	VEC acc[16];

	V(acc_begin)(acc, nb, nv, ch->more, out);
	xc.at += line->x_row[0] + 4 * at;
	wc.at += line->w_row[0];
	for (; left; left -= run) {
		const u8 *x = xc.at, *w = wc.at;

		run = loom_row_run(&xc, loom_row_run(&wc, left));
		for (i = 0; i < run; i++) {
			V(tap)(false, acc, (const float *)x, w, ch->wo, nb, nv);
			x += xc.stride;
			w += wc.stride;
		}
		loom_row_skip(&xc, run);
		loom_row_skip(&wc, run);
	}
	V(acc_end)(acc, nb, nv, out);
}

/* The same of rows of x that lie side by side, without a step. */
static __always_inline void V(dense)(const struct loom_conv_f32 *f,
				     const struct loom_conv_channels *ch,
				     const struct conv_line *line, const s64 at, const u32 nb,
				     const u32 nv, float *out)
{
	const u32 taps = f->c.w->dims[4], inputs = line->rows ? ch->inputs : 0;
	const s64 tap_step = f->c.attr->dilation[2], w_step = f->w_step[2];
	const s64 size = f->c.x.dims[4];
	struct loom_row xc = line->x, wc = line->w;
	VEC acc[16];
	u32 ic, r, kw;

	V(acc_begin)(acc, nb, nv, ch->more, out);
	for (ic = 0; ic < inputs; ic++) {
		for (r = 0; r < line->rows; r++) {
			const u8 *wp = wc.at;
			const float *x;
			s64 row, w, ax = at;

			conv_line_row(line, f, r, &row, &w);
			x = (const float *)(xc.at + row);
			wp += w;
			for (kw = 0; kw < taps; kw++) {
				if (ax >= 0 && ax + CONV_V * nv <= size)
					V(tap)(false, acc, x + ax, wp, ch->wo, nb, nv);
				else
					V(tap_edge)(acc, x, ax, size, wp, ch->wo, nb, nv);
				ax += tap_step;
				wp += w_step;
			}
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
	V(acc_end)(acc, nb, nv, out);
}

/* The same of any rows, by way of a stage; of binary16 if @half. */
static __always_inline void V(staged)(const bool half, struct loom_conv_f32 *f,
				      const struct loom_conv_channels *ch,
				      const struct conv_line *line, const s64 at, const u32 nb,
				      const u32 nv, float *out)
{
	const u32 taps = f->c.w->dims[4], inputs = line->rows ? ch->inputs : 0;
	const s64 tap_step = f->c.attr->dilation[2], w_step = f->w_step[2];
	struct loom_row xc = line->x, wc = line->w;
	float stage[LOOM_CONV_STAGE];
	VEC acc[16];
	u32 ic, r, kw;

	if (f->stage.width != CONV_V * nv || f->stage.at != at)
		conv_stage_plan(f, at, CONV_V * nv);
	if (!f->stage.single)
		memset(stage, 0, f->stage.slots * sizeof(*stage));
	V(acc_begin)(acc, nb, nv, ch->more, out);
	for (ic = 0; ic < inputs; ic++) {
		for (r = 0; r < line->rows; r++) {
			const u8 *wp = wc.at, *x = xc.at;
			s64 row, w;

			conv_line_row(line, f, r, &row, &w);
			x += row;
			wp += w;
			if (!f->stage.single)
				conv_stage(half, f, x, stage);
			for (kw = 0; kw < taps; kw++) {
				if (!f->stage.single)
					V(tap)(half, acc, stage + f->stage.tap[kw], wp, ch->wo, nb,
					       nv);
				else
					V(tap_single)(half, acc, f, stage, x, wp,
						      at + kw * tap_step, ch->wo, nb, nv);
				wp += w_step;
			}
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
	V(acc_end)(acc, nb, nv, out);
}

/* @nr rows of at most CONV_V outputs of @nb channels, to out[nb][LOOM_TILE]. */
static __always_inline void V(rows)(const struct loom_conv_f32 *f,
				    const struct loom_conv_channels *ch,
				    const struct conv_line *line, const struct conv_rows *rows,
				    const u32 nb, const u32 nr, float *out)
{
	const u32 taps = f->c.w->dims[4];
	const s64 tap_step = f->c.attr->dilation[2], w_step = f->w_step[2];
	const s64 size = f->c.x.dims[4];
	struct loom_row xc = line->x, wc = line->w;
	VEC acc[16], xv[8];
	u32 ic, r, kw, j;

	V(acc_begin)(acc, nb, nr, false, out);
	for (ic = 0; ic < ch->inputs; ic++) {
		for (r = 0; r < line->rows; r++) {
			const u8 *wp = wc.at + line->w_row[r];
			const s32 *off = rows->off[r];
			s64 ax = rows->at;

			for (kw = 0; kw < taps; kw++) {
				if (ax >= 0 && ax + CONV_V <= size) {
#pragma GCC unroll 8
					for (j = 0; j < nr; j++)
						memcpy(&xv[j], xc.at + off[j] + 4 * ax,
						       sizeof(VEC));
				} else {
#pragma GCC unroll 8
					for (j = 0; j < nr; j++)
						xv[j] = V(load)((const float *)(xc.at + off[j]),
								ax, size);
				}
				V(multiply)(false, acc, xv, wp, ch->wo, nb, nr);
				ax += tap_step;
				wp += w_step;
			}
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
	V(acc_end)(acc, nb, nr, out);
}

/* CONV_V * @nv outputs of a column of each of @nb channels, to out[nb][LOOM_TILE]. */
static __always_inline void V(column)(const struct loom_conv_f32 *f,
				      const struct loom_conv_channels *ch,
				      const struct conv_column *column, const u32 nb, const u32 nv,
				      float *out)
{
	const u32 taps = f->c.w->dims[4], rows = f->c.w->dims[3];
	float stage[COLUMN_TAPS][COLUMN_STAGE] = {};
	struct loom_row xc = ch->x, wc = ch->w;
	const s64 hop = column->hop;
	VEC acc[16];
	u32 ic, kh, kw, i;

	V(acc_begin)(acc, nb, nv, false, out);
	for (ic = 0; ic < ch->inputs; ic++) {
		for (kw = column->first; kw < column->end; kw++) {
			const u8 *x = xc.at + column->off[kw];

			for (i = 0; i < column->rows; i++)
				stage[kw][i] = *(const float *)(x + (s64)i * hop);
		}
		for (kh = 0; kh < rows; kh++) {
			const u32 at = kh * f->c.attr->dilation[1];
			const u8 *wp = wc.at + kh * f->w_step[1];

			for (kw = 0; kw < taps; kw++)
				V(tap)(false, acc, stage[kw] + at, wp + kw * f->w_step[2], ch->wo,
				       nb, nv);
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
	if (how == CONV_POINT)
		V(point)(ch, line, at, nb, nv, out);
	else if (how == CONV_DENSE)
		V(dense)(f, ch, line, at, nb, nv, out);
	else
		V(staged)(how == CONV_HALF, f, ch, line, at, nb, nv, out);
}

#undef V
#undef VEC
