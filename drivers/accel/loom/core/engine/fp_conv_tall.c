// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

#ifndef __KERNEL__
/*
 * Strips a few columns wide: vectors run along H. The box has x turned, columns side by side,
 * sorted by phase of the stride, with columns of zeroes at the ends; so each tap of many rows of
 * outputs is a vector as it lies there. Rows of outputs of which some taps on H do not meet x are
 * left to the other methods.
 */

/* Floats in a vector, and vectors of four channels that are computed together. */
#define TALL_V		LOOM_VEC_MOST
#define TALL_FOUR	(LOOM_VEC_MOST == 16 ? 4 : 2)

typedef float tall_vec __attribute__((vector_size(4 * TALL_V)));

bool loom_conv_tall_suits(const struct loom_conv_f32 *f)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_view *y = &f->c.y, *x = &f->c.x, *w = f->c.w;
	u32 most = attr->stride[2] > 1 ? LOOM_VEC_MOST : LOOM_VEC_MOST / 2;
	u64 taps = (u64)w->dims[3] * w->dims[4];

	if (f->bytes || f->half || y->dims[4] > most || y->dims[3] < LOOM_CONV_TALL_ROWS ||
	    x->dims[2] != 1 || y->dims[2] != 1 || w->dims[2] != 1 || attr->pad[0])
		return false;
	/* each element is copied once, and should be read a few times */
	if (taps > LOOM_CONV_TALL_TAPS || f->c.outputs * taps < 4)
		return false;
	if (attr->stride[1] > LOOM_CONV_TALL_STEPS || attr->dilation[1] > LOOM_TILE ||
	    attr->stride[2] > LOOM_TILE || attr->dilation[2] > LOOM_TILE ||
	    x->dims[3] > LOOM_CONV_BOX)
		return false;
	return loom_conv_tall_plane(f) * f->c.inputs <= LOOM_CONV_BOX;
}

/* Floats of a phase of a column. */
static u32 tall_column(const struct loom_conv_f32 *f)
{
	return loom_div_round_up(f->c.x.dims[3], (u32)f->c.attr->stride[1]);
}

/* Columns of x that outputs meet, those outside of it included. */
static u32 tall_columns(const struct loom_conv_f32 *f)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;

	return (f->c.y.dims[4] - 1) * attr->stride[2] + (f->c.w->dims[4] - 1) * attr->dilation[2] +
	       1;
}

u64 loom_conv_tall_plane(const struct loom_conv_f32 *f)
{
	return (u64)tall_columns(f) * f->c.attr->stride[1] * tall_column(f);
}

/* A column of x to all phases of one of the box. */
static __always_inline void tall_copy_column(struct loom_row row, u32 rows, const u32 step,
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

void loom_conv_tall_copy(const struct loom_conv_f32 *f, u8 *channel, float *to)
{
	const struct loom_conv *c = &f->c;
	const struct drm_loom_attr_conv *attr = c->attr;
	u32 column = tall_column(f), columns = tall_columns(f), i;
	s64 at = -(s64)attr->pad[2];

	for (i = 0; i < columns; i++, at++, to += (size_t)attr->stride[1] * column) {
		struct loom_row row;

		if (at < 0 || at >= (s64)c->x.dims[4]) {
			memset(to, 0, sizeof(*to) * attr->stride[1] * column);
			continue;
		}
		row = loom_row_along(&c->x, c->memory,
				     channel + loom_view_step(&c->x, c->memory, 4, at), 3, 0);
		if (attr->stride[1] == 1)
			tall_copy_column(row, c->x.dims[3], 1, to, column);
		else
			tall_copy_column(row, c->x.dims[3], LOOM_CONV_TALL_STEPS, to, column);
	}
}

/**
 * struct tall - taps of a block
 * @plane: floats from an input channel to the next
 * @taps: how many
 * @off: by tap: floats from an input channel to the input of the first output
 * @w: by tap: bytes from an input channel's weights
 */
struct tall {
	u64 plane;
	u32 taps;
	u32 off[LOOM_CONV_TALL_TAPS];
	s64 w[LOOM_CONV_TALL_TAPS];
};

/* By way of an array, as in fp_vec.h. */
static __always_inline tall_vec tall_splat(float f)
{
	float lanes[TALL_V];
	tall_vec r;
	u32 i;

#pragma GCC unroll 16
	for (i = 0; i < TALL_V; i++)
		lanes[i] = f;
	memcpy(&r, lanes, sizeof(r));
	return r;
}

/* TALL_V * @nv outputs of a column of @nb channels, to out[nb][LOOM_TILE] */
static __always_inline void tall_block(const struct tall *tall, const struct loom_conv_channels *ch,
				       const float *x, const u32 nb, const u32 nv)
{
	struct loom_row wc = ch->w;
	tall_vec acc[16], xv[4];
	u32 ic, k, i, j;

#pragma GCC unroll 16
	for (i = 0; i < nb * nv; i++)
		acc[i] = tall_splat(0.0f);
	for (ic = 0; ic < ch->inputs; ic++, x += tall->plane) {
		for (k = 0; k < tall->taps; k++) {
			const u8 *w = wc.at + tall->w[k];

#pragma GCC unroll 4
			for (j = 0; j < nv; j++)
				memcpy(&xv[j], x + tall->off[k] + TALL_V * j, sizeof(xv[j]));
#pragma GCC unroll 4
			for (i = 0; i < nb; i++) {
				tall_vec wv = tall_splat(loom_get_f32(w + ch->wo[i]));

#pragma GCC unroll 4
				for (j = 0; j < nv; j++)
					acc[i * nv + j] += xv[j] * wv;
			}
		}
		loom_row_next(&wc);
	}
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 4
		for (j = 0; j < nv; j++)
			memcpy(ch->out + LOOM_TILE * i + TALL_V * j, &acc[i * nv + j],
			       sizeof(tall_vec));
	}
}

/* A function for each size of block, so that its sums stay in registers. */
#define TALL_FUNCTION(nb, nv)								\
	static noinline void tall_block_##nb##_##nv(const struct tall *tall,		\
		const struct loom_conv_channels *ch, const float *x)			\
	{										\
		tall_block(tall, ch, x, nb, nv);					\
	}

TALL_FUNCTION(1, 1)
TALL_FUNCTION(1, 2)
TALL_FUNCTION(1, 4)
TALL_FUNCTION(4, 1)
TALL_FUNCTION(4, 2)
#if LOOM_VEC_MOST == 16
TALL_FUNCTION(4, 4)
#endif

/* Return: how many outputs, at most @most. */
static u32 tall_run(const struct tall *tall, const struct loom_conv_channels *ch, const float *x,
		    u32 most)
{
	u32 nv = most > 2 * TALL_V ? 4 : most > TALL_V ? 2 : 1, four = TALL_FOUR;

	if (ch->nb == 4) {
		nv = min(nv, four);
#if LOOM_VEC_MOST == 16
		(nv == 4 ? tall_block_4_4 : nv == 2 ? tall_block_4_2 : tall_block_4_1)(tall, ch, x);
#else
		(nv == 2 ? tall_block_4_2 : tall_block_4_1)(tall, ch, x);
#endif
	} else {
		(nv == 4 ? tall_block_1_4 : nv == 2 ? tall_block_1_2 : tall_block_1_1)(tall, ch, x);
	}
	return min(most, nv * TALL_V);
}

/* @n outputs of a column of all channels from row @h on. */
static void tall_emit(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u32 h,
		      u32 w, u32 n)
{
	const struct loom_view *y = &f->c.y;
	const struct loom_memory *memory = f->c.memory;
	s64 at = loom_view_step(y, memory, 2, 0) + loom_view_step(y, memory, 4, w);
	struct loom_row row;
	u32 i;

	for (i = 0; i < ch->nb; i++) {
		float *v = ch->out + LOOM_TILE * i;

		loom_conv_finish(f, ch, i, n, v);
		loom_canonical_f32(v, (n + 15) & ~15U);
		row = loom_row_along(y, memory, ch->y[i] + at, 3, h);
		loom_row_write(&row, 4, n, v);
	}
}

void loom_conv_tall_rows(const struct loom_conv_f32 *f, u32 *first, u32 *end)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 step = attr->stride[1], pad = attr->pad[1], rows = f->c.y.dims[3], behind;

	behind = (s64)f->c.x.dims[3] + pad - (s64)(f->c.w->dims[3] - 1) * attr->dilation[1];
	behind = behind <= 0 ? 0 : min((behind + step - 1) / step, rows);
	*first = min((pad + step - 1) / step, behind);
	*end = behind;
}

void loom_conv_tall_run(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			const float *x, u32 first, u32 end)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const u32 rows = f->c.w->dims[3], taps = f->c.w->dims[4], column = tall_column(f);
	const u32 step = attr->stride[1];
	struct tall tall = { .plane = loom_conv_tall_plane(f), .taps = rows * taps };
	u32 kh, kw, h, w, n = 1;

	for (kh = 0; kh < rows; kh++) {
		/* the first output's, which is not less than zero in the end */
		u32 at = first * step + kh * attr->dilation[1] - attr->pad[1];

		for (kw = 0; kw < taps; kw++) {
			tall.off[kh * taps + kw] = (kw * attr->dilation[2] * step + at % step) *
						   column + at / step;
			tall.w[kh * taps + kw] = kh * f->w_step[1] + kw * f->w_step[2];
		}
	}
	for (h = first; h < end; h += n) {
		for (w = 0; w < f->c.y.dims[4]; w++) {
			n = tall_run(&tall, ch, x + (size_t)w * attr->stride[2] * step * column +
						(h - first), end - h);
			tall_emit(f, ch, h, w, n);
		}
	}
}
#endif
