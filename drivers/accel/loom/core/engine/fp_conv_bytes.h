/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_CONV_BYTES_H
#define LOOM_FP_CONV_BYTES_H

/*
 * Blocks of outputs of a row where inputs and weights are bytes, for fp_conv_wide.c. Sums are of 32
 * bits and wrap, so their order does not matter: two input channels are added at once. A stage has
 * both for each position, less the zero point, as two halves of a word, and a weight is two halves
 * of a word likewise, which most processors multiply and add in one instruction.
 */

/* Positions in a vector */
#define BYTES_V		LOOM_VEC_MOST

typedef u32 bytes_vec __attribute__((vector_size(4 * BYTES_V)));

/* By way of an array, as in fp_vec.h. */
static __always_inline bytes_vec bytes_splat(u32 word)
{
	u32 words[BYTES_V], i;
	bytes_vec r;

#pragma GCC unroll 16
	for (i = 0; i < BYTES_V; i++)
		words[i] = word;
	memcpy(&r, words, sizeof(r));
	return r;
}

/* @acc and the products of both halves of each word, as signed numbers */
static __always_inline bytes_vec bytes_multiply(bytes_vec acc, bytes_vec x, bytes_vec w)
{
#if LOOM_VEC_MOST == 16
	return acc + (bytes_vec)_mm512_madd_epi16((__m512i)x, (__m512i)w);
#elif LOOM_VEC_MOST == 8
	typedef s16 halves __attribute__((vector_size(32)));

	return acc + (bytes_vec)__builtin_ia32_pmaddwd256((halves)x, (halves)w);
#elif defined(__SSE2__) && !defined(__CHECKER__)
	typedef s16 halves __attribute__((vector_size(16)));

	return acc + (bytes_vec)__builtin_ia32_pmaddwd128((halves)x, (halves)w);
#else
	typedef s32 words __attribute__((vector_size(4 * BYTES_V)));

	acc += (bytes_vec)((words)(x << 16) >> 16) * (bytes_vec)((words)(w << 16) >> 16);
	return acc + (bytes_vec)((words)x >> 16) * (bytes_vec)((words)w >> 16);
#endif
}

/**
 * struct bytes_type - how a byte is read
 * @flip: a sign bit that is turned, so that all are unsigned
 * @zero: what is taken from it then
 */
struct bytes_type {
	u8 flip;
	s16 zero;
};

static inline struct bytes_type bytes_type(u32 dtype, s32 zero)
{
	if (dtype == DRM_LOOM_DTYPE_I8)
		return (struct bytes_type){ 0x80, zero + 0x80 };
	return (struct bytes_type){ 0, zero };
}

static __always_inline u32 bytes_word(u8 low, u8 high, struct bytes_type type)
{
	u16 l = (u8)(low ^ type.flip) - type.zero, h = (u8)(high ^ type.flip) - type.zero;

	return l | (u32)h << 16;
}

static __always_inline void bytes_words(u32 *to, const u8 *low, const u8 *high,
					struct bytes_type type, const u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		to[i] = bytes_word(low[i], high[i], type);
}

/* Words of @n bytes that lie side by side: the last few of a row are done with some before them. */
static __always_inline void bytes_dense(u32 *to, const u8 *low, const u8 *high,
					struct bytes_type type, u32 n)
{
	if (n < 4) {
		bytes_words(to, low, high, type, n);
	} else if (n < 8) {
		bytes_words(to, low, high, type, 4);
		bytes_words(to + n - 4, low + n - 4, high + n - 4, type, 4);
	} else if (n < 16) {
		bytes_words(to, low, high, type, 8);
		bytes_words(to + n - 8, low + n - 8, high + n - 8, type, 8);
	} else {
		bytes_words(to, low, high, type, n);
	}
}

/* What lies in x of a row of two channels, which begin at @low and @high. */
static __always_inline void bytes_stage(const struct loom_conv_f32 *f, const u8 *low,
					const u8 *high, struct bytes_type type, u32 *to)
{
	const struct loom_conv_stage *stage = &f->stage;
	u32 n = stage->inside, i;

	if (f->contiguous && f->c.attr->stride[2] == 1 && n) {
		bytes_dense(to + stage->slot[0], low + stage->off[0], high + stage->off[0], type,
			    n);
		return;
	}
	for (i = 0; i < n; i++)
		to[stage->slot[i]] = bytes_word(low[stage->off[i]], high[stage->off[i]], type);
}

/* acc[nb][nv] += w[nb] * x[nv]: one tap of two channels, whose weights begin at @low and @high */
static __always_inline void bytes_tap(bytes_vec *acc, const u32 *x, const u8 *low, const u8 *high,
				      const s64 *wo, struct bytes_type type, u32 mask,
				      const u32 nb, const u32 nv)
{
	bytes_vec xv[8];
	u32 i, j;

#pragma GCC unroll 8
	for (j = 0; j < nv; j++)
		memcpy(&xv[j], x + BYTES_V * j, sizeof(xv[j]));
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		bytes_vec w = bytes_splat(bytes_word(low[wo[i]], high[wo[i]], type) & mask);

#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j] = bytes_multiply(acc[i * nv + j], xv[j], w);
	}
}

/* BYTES_V * @nv outputs of @nb channels from index @at of the row of x, to out[nb][LOOM_TILE] */
static __always_inline void bytes_block(struct loom_conv_f32 *f,
					const struct loom_conv_channels *ch,
					const struct conv_line *line, const s64 at, const u32 nb,
					const u32 nv, s32 *out)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct bytes_type xt = bytes_type(f->c.x.dtype, attr->x_zero);
	const struct bytes_type wt = bytes_type(f->c.w->dtype, attr->w_zero);
	const u32 taps = f->c.w->dims[4], inputs = line->rows ? ch->inputs : 0;
	struct loom_row xc = line->x, wc = line->w;
	u32 stage[LOOM_CONV_STAGE];
	bytes_vec acc[16];
	u32 ic, r, kw, i, j;

	if (f->stage.width != BYTES_V * nv || f->stage.at != at)
		conv_stage_plan(f, at, BYTES_V * nv);
	if (!f->stage.single)
		memset(stage, 0, f->stage.slots * sizeof(*stage));
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			memcpy(&acc[i * nv + j], out + LOOM_TILE * i + BYTES_V * j,
			       sizeof(bytes_vec));
	}
	for (ic = 0; ic < inputs; ic += 2) {
		const u8 *x[2] = { xc.at, xc.at }, *w[2] = { wc.at, wc.at };
		u32 mask = 0xffff;

		if (ic + 1 < inputs) {
			loom_row_next(&xc);
			loom_row_next(&wc);
			x[1] = xc.at;
			w[1] = wc.at;
			mask = 0xffffffff;
		}
		for (r = 0; r < line->rows; r++) {
			s64 xr, wr;

			conv_line_row(line, f, r, &xr, &wr);
			if (!f->stage.single)
				bytes_stage(f, x[0] + xr, x[1] + xr, xt, stage);
			for (kw = 0; kw < taps; kw++) {
				const u32 *from = stage;

				if (f->stage.single) {
					conv_stage_single(f, at + (s64)kw * attr->dilation[2]);
					memset(stage, 0, f->stage.slots * sizeof(*stage));
					bytes_stage(f, x[0] + xr, x[1] + xr, xt, stage);
				} else {
					from += f->stage.tap[kw];
				}
				bytes_tap(acc, from, w[0] + wr, w[1] + wr, ch->wo, wt, mask, nb,
					  nv);
				wr += f->w_step[2];
			}
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			memcpy(out + LOOM_TILE * i + BYTES_V * j, &acc[i * nv + j],
			       sizeof(bytes_vec));
	}
}

static noinline void bytes_block_1_1(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				     const struct conv_line *line, s64 at, s32 *out)
{
	bytes_block(f, ch, line, at, 1, 1, out);
}

static noinline void bytes_block_1_4(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				     const struct conv_line *line, s64 at, s32 *out)
{
	bytes_block(f, ch, line, at, 1, 4, out);
}

static noinline void bytes_block_4_1(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				     const struct conv_line *line, s64 at, s32 *out)
{
	bytes_block(f, ch, line, at, 4, 1, out);
}

static noinline void bytes_block_4_2(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				     const struct conv_line *line, s64 at, s32 *out)
{
	bytes_block(f, ch, line, at, 4, 2, out);
}

/* At most @most outputs from index @at of the row of x. Return: how many */
static u32 bytes_wide_block(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			    const struct conv_line *line, s64 at, u32 most, s32 *out)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 taps = (s64)(f->c.w->dims[4] - 1) * attr->dilation[2], step = attr->stride[2];
	u32 many = ch->nb == 4 ? 2 : 4, one = BYTES_V;

	/* where a stage has room for it */
	if (most > BYTES_V && (many * BYTES_V - 1) * step + taps + step <= LOOM_CONV_STAGE) {
		(ch->nb == 4 ? bytes_block_4_2 : bytes_block_1_4)(f, ch, line, at, out);
		return min(most, many * BYTES_V);
	}
	(ch->nb == 4 ? bytes_block_4_1 : bytes_block_1_1)(f, ch, line, at, out);
	return min(most, one);
}

/* Bias and scale, and out: @n results of channel @i, that begin at @v. */
static noinline void bytes_emit(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				u32 i, const struct loom_row *row, u32 n, s32 *v)
{
	const struct loom_conv *c = &f->c;
	s32 bias;
	u8 bytes[LOOM_TILE];
	float scale;
	u32 j;

	if (c->bias) {
		memcpy(&bias, loom_conv_channel(c, c->bias, ch->o + i), sizeof(bias));
		for (j = 0; j < n; j++)
			v[j] = (s32)((u32)v[j] + (u32)bias);
	}
	if (!c->scale) {
		loom_row_write(row, 4, n, v);
		return;
	}
	scale = loom_get_f32(loom_conv_channel(c, c->scale, ch->o + i));
	for (j = 0; j < n; j++)
		bytes[j] = loom_requantise(v[j], scale, c->attr->y_zero, c->y.dtype);
	loom_row_write(row, 1, n, bytes);
}

/* Short rows that are computed together, a vector each: a weight is made a word once for all. */
#define BYTES_ROWS	(LOOM_VEC_MOST == 16 ? 4 : 2)
/* Rows of x that they meet, and the elements of their stages, all of which are on the stack. */
#define BYTES_REACH	(LOOM_VEC_MOST == 16 ? 16 : 12)
#define BYTES_STAGE	(4 * LOOM_VEC_MOST)

/**
 * struct bytes_rows - short rows of outputs that are computed together
 * @d: taps on D
 * @reach: rows of x that they meet
 * @in: of these, a bit for each that lies in x
 * @x: by row of x: bytes from where H begins
 */
struct bytes_rows {
	struct loom_conv_range d;
	u32 reach;
	u32 in;
	s64 x[BYTES_REACH];
};

/* Rows of x from the first tap of the first of @nr rows to the last one of the last. */
static u64 bytes_reach(const struct loom_conv_f32 *f, u32 nr)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;

	return (u64)(nr - 1) * attr->stride[1] +
	       (u64)(f->c.w->dims[3] - 1) * attr->dilation[1] + 1;
}

/* Whether rows are so short, and stages so small. */
static bool bytes_rows_suit(struct loom_conv_f32 *f)
{
	s64 at = -(s64)f->c.attr->pad[2];

	if (!f->bytes || f->c.y.dims[4] > BYTES_V || f->c.y.dims[3] == 1 ||
	    bytes_reach(f, BYTES_ROWS) > BYTES_REACH)
		return false;
	if (f->stage.width != BYTES_V || f->stage.at != at)
		conv_stage_plan(f, at, BYTES_V);
	return !f->stage.single && f->stage.slots <= BYTES_STAGE;
}

/* Where the rows of x lie that @nr rows from @h on meet. */
static void bytes_rows_look(struct bytes_rows *rows, const struct loom_conv_f32 *f,
			    const struct conv_line *line, u32 h, u32 nr)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 at = (s64)h * attr->stride[1] - attr->pad[1];
	u32 i;

	rows->d = line->d;
	rows->reach = bytes_reach(f, nr);
	rows->in = 0;
	for (i = 0; i < rows->reach; i++) {
		if (at + i < 0 || at + i >= (s64)f->c.x.dims[3])
			continue;
		rows->in |= 1U << i;
		rows->x[i] = loom_view_step(&f->c.x, f->c.memory, 3, at + i);
	}
}

/* The taps of two channels, whose weights begin at @w, in all rows. */
static __always_inline void bytes_rows_taps(bytes_vec *acc, const struct loom_conv_f32 *f,
					    const struct loom_conv_channels *ch,
					    u32 (*stage)[BYTES_STAGE], const u8 *const *w,
					    struct bytes_type type, u32 mask, const u32 nb)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	u32 kh, kw, i, j;

	for (kh = 0; kh < f->c.w->dims[3]; kh++) {
		s64 wr = kh * f->w_step[1];

		for (kw = 0; kw < f->c.w->dims[4]; kw++, wr += f->w_step[2]) {
			bytes_vec xv[BYTES_ROWS];

#pragma GCC unroll 4
			for (j = 0; j < BYTES_ROWS; j++)
				memcpy(&xv[j],
				       stage[j * attr->stride[1] + kh * attr->dilation[1]] +
				       f->stage.tap[kw], sizeof(xv[j]));
#pragma GCC unroll 4
			for (i = 0; i < nb; i++) {
				u32 word = bytes_word(w[0][wr + ch->wo[i]], w[1][wr + ch->wo[i]],
						      type);
				bytes_vec wv = bytes_splat(word & mask);
				bytes_vec *sums = acc + i * BYTES_ROWS;

#pragma GCC unroll 4
				for (j = 0; j < BYTES_ROWS; j++)
					sums[j] = bytes_multiply(sums[j], xv[j], wv);
			}
		}
	}
}

/* Sums of @nb channels of all rows, to out[nb][BYTES_ROWS][BYTES_V], LOOM_TILE to a channel */
static __always_inline void bytes_rows_block(const struct loom_conv_f32 *f,
					     const struct loom_conv_channels *ch,
					     const struct bytes_rows *rows, const u32 nb, s32 *out)
{
	const struct bytes_type xt = bytes_type(f->c.x.dtype, f->c.attr->x_zero);
	const struct bytes_type wt = bytes_type(f->c.w->dtype, f->c.attr->w_zero);
	u32 stage[BYTES_REACH][BYTES_STAGE] = {};
	struct loom_row xc = ch->x, wc = ch->w;
	bytes_vec acc[4 * BYTES_ROWS] = {};
	u32 ic, kd, i, j;

	for (ic = 0; ic < ch->inputs; ic += 2) {
		const u8 *x[2] = { xc.at, xc.at }, *w[2] = { wc.at, wc.at };
		u32 mask = 0xffff;

		if (ic + 1 < ch->inputs) {
			loom_row_next(&xc);
			loom_row_next(&wc);
			x[1] = xc.at;
			w[1] = wc.at;
			mask = 0xffffffff;
		}
		for (kd = rows->d.first; kd < rows->d.end; kd++) {
			s64 d = loom_view_step(&f->c.x, f->c.memory, 2,
					       rows->d.at + (s64)(kd - rows->d.first) *
					       f->c.attr->dilation[0]);
			const u8 *const at[2] = { w[0] + kd * f->w_step[0],
						  w[1] + kd * f->w_step[0] };

			/* of a row that is not in x the stage stays zero */
			for (i = 0; i < rows->reach; i++)
				if (rows->in & 1U << i)
					bytes_stage(f, x[0] + d + rows->x[i],
						    x[1] + d + rows->x[i], xt, stage[i]);
			bytes_rows_taps(acc, f, ch, stage, at, wt, mask, nb);
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 4
		for (j = 0; j < BYTES_ROWS; j++)
			memcpy(out + LOOM_TILE * i + BYTES_V * j, &acc[i * BYTES_ROWS + j],
			       sizeof(bytes_vec));
	}
}

static noinline void bytes_rows_1(const struct loom_conv_f32 *f,
				  const struct loom_conv_channels *ch,
				  const struct bytes_rows *rows, s32 *out)
{
	bytes_rows_block(f, ch, rows, 1, out);
}

static noinline void bytes_rows_4(const struct loom_conv_f32 *f,
				  const struct loom_conv_channels *ch,
				  const struct bytes_rows *rows, s32 *out)
{
	bytes_rows_block(f, ch, rows, 4, out);
}

/*
 * Short rows from @index on, at most @count outputs. Return: how many outputs that were, 0 if there
 * is no whole row.
 */
static noinline u32 bytes_rows_run(const struct loom_conv_f32 *f,
				   const struct loom_conv_channels *ch,
				   const struct conv_line *line, const u32 *index, u64 count)
{
	const struct loom_memory *memory = f->c.memory;
	u32 width = f->c.y.dims[4], nr = BYTES_ROWS, i, j;
	s64 d = loom_view_step(&f->c.y, memory, 2, index[0]);
	struct bytes_rows rows;

	nr = min(nr, f->c.y.dims[3] - index[1]);
	if (count < (u64)nr * width)
		nr = (u32)count / width;
	if (!nr)
		return 0;
	bytes_rows_look(&rows, f, line, index[1], nr);
	(ch->nb == 4 ? bytes_rows_4 : bytes_rows_1)(f, ch, &rows, (s32 *)ch->out);
	for (i = 0; i < ch->nb; i++) {
		for (j = 0; j < nr; j++) {
			s64 h = loom_view_step(&f->c.y, memory, 3, index[1] + j);
			struct loom_row row = loom_row_along(&f->c.y, memory, ch->y[i] + d + h, 4,
							     0);

			bytes_emit(f, ch, i, &row, width,
				   (s32 *)ch->out + LOOM_TILE * i + BYTES_V * j);
		}
	}
	return nr * width;
}

#endif /* LOOM_FP_CONV_BYTES_H */
