// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

#ifdef __AVX512VNNI__
#include <immintrin.h>

/*
 * Convolutions of bytes where the processor adds four products of bytes in one instruction. Lanes
 * of a vector are 16 output channels. Their weights are copied once for many positions, four input
 * channels to a word; so is the box of x that some rows of outputs see, with the channels
 * innermost. A position is then an address in that copy, whatever the stride, and however short the
 * rows are.
 *
 * Inputs are made unsigned, and weights signed, with zero points of zero. Elements outside of x are
 * the zero point of x: then their share of a sum is the same for all positions, and part of the
 * bias. A depthwise convolution has its groups as lanes.
 *
 * The copies are on the stack, in processes only: kernels are built without these instructions.
 */

#define PACKED_W	(96U << 10)
#define PACKED_X	(96U << 10)
/* Rows of taps, or taps, that are apart in the box */
#define PACKED_RUNS	64
/* Positions whose results are written together */
#define PACKED_TILE	64
/* Positions that share what is read of the weights */
#define PACKED_BLOCK	8

/**
 * struct packed - a block of output channels
 * @f: the convolution
 * @depth: lanes are groups
 * @nb: channels
 * @pixel: bytes of a position in the box
 * @row: of a row
 * @channels: input channels that are copied
 * @flip: a sign bit that is turned, so that x is unsigned
 * @zero: the zero point then
 * @runs: taps, or rows of taps that lie side by side
 * @words: of a run
 * @off: by run: bytes from a position
 * @x: the input channels
 * @y: by channel: first byte of the output
 * @bias: of each, with the share of the zero point
 * @scale: of each
 * @low: least result
 * @high: greatest
 * @weights: by run, by word, by channel
 * @box: by row, by position, by channel
 */
struct packed {
	const struct loom_conv_f32 *f;
	bool depth;
	u32 nb;
	u32 pixel;
	u32 row;
	u32 channels;
	u8 flip;
	u8 zero;
	u32 runs;
	u32 words;
	u32 off[PACKED_RUNS];
	struct loom_row x;
	u8 *y[LOOM_CONV_PACKED];
	__m512i bias;
	__m512 scale;
	__m512 low;
	__m512 high;
	u8 weights[PACKED_W] __attribute__((aligned(64)));
	u8 box[PACKED_X] __attribute__((aligned(64)));
};

/* Indices of x from the first tap on axis 2 + @i of the first of @n outputs to the last. */
static u64 packed_span(const struct loom_conv_f32 *f, u32 i, u64 n)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;

	return (n - 1) * attr->stride[i] + (f->c.w->dims[2 + i] - 1) * (u64)attr->dilation[i] + 1;
}

static u32 packed_pixel(const struct loom_conv_f32 *f)
{
	return loom_conv_packed_depth(f) ? LOOM_CONV_PACKED : (f->c.inputs + 3) & ~3U;
}

static s32 packed_zero(const struct loom_conv_f32 *f)
{
	return f->c.attr->x_zero + (f->c.x.dtype == DRM_LOOM_DTYPE_I8 ? 128 : 0);
}

bool loom_conv_packed_suits(const struct loom_conv_f32 *f)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_view *w = f->c.w;
	bool depth = loom_conv_packed_depth(f);
	u64 pixel = packed_pixel(f), taps, box;
	s32 zero = packed_zero(f);
	u32 least = PACKED_BLOCK;

	if (!f->bytes || w->dims[2] != 1 || attr->pad[0] || attr->stride[0] != 1 ||
	    f->c.y.dims[2] > f->c.x.dims[2] || zero < 0 || zero > 255)
		return false;
	if (!depth && (f->c.outputs < 4 || f->c.inputs < 2 ||
		       attr->w_zero != (w->dtype == DRM_LOOM_DTYPE_I8 ? 0 : 128)))
		return false;
	taps = (u64)w->dims[3] * w->dims[4];
	if (w->dims[3] > PACKED_RUNS || taps > PACKED_RUNS)
		return false;
	if (taps * (depth ? 64 : 16 * pixel) > PACKED_W)
		return false;
	box = packed_span(f, 1, 1) * packed_span(f, 2, min(least, f->c.y.dims[4]));
	return box <= PACKED_X && box * pixel <= PACKED_X;
}

u64 loom_conv_packed_look(const struct loom_conv_f32 *f)
{
	return (u64)f->c.w->dims[3] * f->c.w->dims[4] * packed_pixel(f) * LOOM_CONV_PACKED;
}

/* Sixteen rows of sixteen bytes: bytes @i of all become row @i. */
static __always_inline void packed_transpose(__m128i *rows)
{
	__m128i next[16];
	u32 round, i;

#pragma GCC unroll 4
	for (round = 0; round < 4; round++) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			next[2 * i] = _mm_unpacklo_epi8(rows[i], rows[i + 8]);
			next[2 * i + 1] = _mm_unpackhi_epi8(rows[i], rows[i + 8]);
		}
#pragma GCC unroll 16
		for (i = 0; i < 16; i++)
			rows[i] = next[i];
	}
}

/* Of a channel, four input channels to a word, as many as there are; @row steps over them. */
static __always_inline u32 packed_words(const struct packed *p, struct loom_row *row, u32 flip,
					u8 *to)
{
	const struct loom_conv *c = &p->f->c;
	const u32 kh = c->w->dims[3], kw = c->w->dims[4], quads = p->pixel / 4;
	const s64 *step = p->f->w_step;
	u32 ic, h, w, i;

	for (ic = 0; ic + 4 <= c->inputs; ic += 4) {
		const u8 *at[4];
		u8 *word = to + ic / 4 * 64;

		for (i = 0; i < 4; i++, loom_row_next(row))
			at[i] = row->at;
		for (h = 0; h < kh; h++) {
			for (w = 0; w < kw; w++, word += 64 * quads) {
				s64 off = h * step[1] + w * step[2];
				u32 four = at[0][off] | at[1][off] << 8 | at[2][off] << 16 |
					   (u32)at[3][off] << 24;

				four ^= flip * 0x01010101;
				memcpy(word, &four, sizeof(four));
			}
		}
	}
	return ic;
}

/* The weights of all taps of each channel from @o on. */
static noinline void packed_weights(struct packed *p, u32 o)
{
	const struct loom_conv *c = &p->f->c;
	const u32 kh = c->w->dims[3], kw = c->w->dims[4], quads = p->pixel / 4;
	const u8 flip = c->w->dtype == DRM_LOOM_DTYPE_I8 ? 0 : 0x80;
	const s64 *step = p->f->w_step;
	u32 i, ic, h, w;

	memset(p->weights, 0, (size_t)kh * kw * quads * 64);
	for (i = 0; i < p->nb; i++) {
		struct loom_row row = loom_row_along(c->w, c->memory, c->w_origin +
						     loom_view_step(c->w, c->memory, 0, o + i),
						     1, 0);

		ic = packed_words(p, &row, flip, p->weights + 4 * i);
		for (; ic < c->inputs; ic++, loom_row_next(&row)) {
			u8 *to = p->weights + ic / 4 * 64 + 4 * i + ic % 4;

			for (h = 0; h < kh; h++) {
				for (w = 0; w < kw; w++, to += 64 * quads)
					*to = row.at[h * step[1] + w * step[2]] ^ flip;
			}
		}
	}
}

/* The same of groups of one channel: words. */
static noinline void packed_weights_depth(struct packed *p, u32 o)
{
	const struct loom_conv *c = &p->f->c;
	const bool is_signed = c->w->dtype == DRM_LOOM_DTYPE_I8;
	s32 *to = (s32 *)p->weights;
	u32 kw = c->w->dims[4], i, r;

	memset(to, 0, (size_t)p->runs * 64);
	for (i = 0; i < p->nb; i++) {
		const u8 *at = c->w_origin + loom_view_step(c->w, c->memory, 0, o + i) +
			       loom_view_step(c->w, c->memory, 1, 0);

		for (r = 0; r < p->runs; r++) {
			u8 w = at[r / kw * p->f->w_step[1] + r % kw * p->f->w_step[2]];
			s16 weight = (is_signed ? (s8)w : w) - c->attr->w_zero;

			to[16 * r + i] = (u16)weight;
		}
	}
}

/* Bias and scale of each channel. */
static void packed_emission(struct packed *p, u32 o)
{
	const struct loom_conv *c = &p->f->c;
	const __m512i ones = _mm512_set1_epi32(p->depth ? 1 : 0x01010101);
	u32 words = p->runs * p->words, i;
	__m512i sums = _mm512_setzero_si512();
	s32 bias[LOOM_CONV_PACKED] = {};
	float scale[LOOM_CONV_PACKED] = {};
	bool is_signed = c->y.dtype == DRM_LOOM_DTYPE_I8;

	for (i = 0; i < words; i++) {
		__m512i w = _mm512_load_si512(p->weights + 64 * i);

		sums = p->depth ? _mm512_dpwssd_epi32(sums, ones, w) :
				  _mm512_dpbusd_epi32(sums, ones, w);
	}
	for (i = 0; i < p->nb && c->bias; i++)
		memcpy(&bias[i], loom_conv_channel(c, c->bias, o + i), sizeof(bias[i]));
	for (i = 0; i < p->nb && c->scale; i++)
		scale[i] = loom_get_f32(loom_conv_channel(c, c->scale, o + i));
	p->bias = _mm512_sub_epi32(_mm512_loadu_si512(bias),
				   _mm512_mullo_epi32(sums, _mm512_set1_epi32(p->zero)));
	p->scale = _mm512_loadu_ps(scale);
	p->low = _mm512_set1_ps((is_signed ? -128.0f : 0.0f) - (float)c->attr->y_zero);
	p->high = _mm512_set1_ps((is_signed ? 127.0f : 255.0f) - (float)c->attr->y_zero);
}

/* Where taps are in a box with rows of @width positions. */
static void packed_plan(struct packed *p, u32 width)
{
	const struct drm_loom_attr_conv *attr = p->f->c.attr;
	u32 kw = p->f->c.w->dims[4], each = p->depth || attr->dilation[2] != 1 ? kw : 1, r;

	p->row = width * p->pixel;
	for (r = 0; r < p->runs; r++)
		p->off[r] = r / each * attr->dilation[1] * p->row +
			    r % each * attr->dilation[2] * p->pixel;
}

/* @n positions of @nc channels, at @off from each of @x where they are apart, to @to. */
static __always_inline void packed_copy(const struct packed *p, u8 *const *x, const s64 *off, u32 n,
					u32 nc, u32 width, u8 *to)
{
	const __m128i flip = _mm_set1_epi8(p->flip);
	const __mmask16 in = 0xffffU >> (16 - n), out = 0xffffU >> (16 - width);
	__m128i rows[16];
	u8 apart[16];
	u32 i, j;

	if (p->f->contiguous && nc == 16) {
#pragma GCC unroll 16
		for (i = 0; i < 16; i++)
			rows[i] = _mm_maskz_loadu_epi8(in, x[i] + off[0]);
	} else {
		for (i = 0; i < 16; i++)
			rows[i] = _mm_setzero_si128();
		for (i = 0; i < nc && p->f->contiguous; i++)
			rows[i] = _mm_maskz_loadu_epi8(in, x[i] + off[0]);
		for (i = 0; i < nc && !p->f->contiguous; i++) {
			for (j = 0; j < n; j++)
				apart[j] = x[i][off[j]];
			rows[i] = _mm_maskz_loadu_epi8(in, apart);
		}
	}
	packed_transpose(rows);
#pragma GCC unroll 16
	for (i = 0; i < 16; i++) {
		if (i < n)
			_mm_mask_storeu_epi8(to + (size_t)i * p->pixel, out,
					     _mm_xor_si128(rows[i], flip));
	}
}

/* All channels of @n positions of a row of x from index @w, which begins at @row. */
static __always_inline void packed_part(const struct packed *p, s64 row, u32 w, u32 n,
					u8 *const *x, u32 nc, u32 width, u8 *to)
{
	const struct loom_conv *c = &p->f->c;
	u32 some, i;
	s64 off[16];

	for (; n; n -= some, w += some, to += (size_t)some * p->pixel) {
		some = min(n, 16U);
		for (i = 0; i < (p->f->contiguous ? 1 : some); i++)
			off[i] = row + loom_view_step(&c->x, c->memory, 4, w + i);
		packed_copy(p, x, off, some, nc, width, to);
	}
}

/* The box of x from @h, @w on: @rows by @width positions. */
static noinline void packed_box(struct packed *p, u32 d, s64 h, s64 w, u32 rows, u32 width)
{
	const struct loom_conv *c = &p->f->c;
	s64 size = c->x.dims[4], first = w < 0 ? 0 : w, end = min(w + width, size);
	bool skip = c->w->dims[3] == 1;
	struct loom_row xc = p->x;
	u32 at, nc, i, r;
	u8 *x[16];

	end = max(first, end);
	if (first > w || end < w + (s64)width || h < 0 || h + rows > (s64)c->x.dims[3])
		memset(p->box, p->zero, (size_t)rows * p->row);
	for (at = 0; at < p->channels; at += nc) {
		nc = min(p->channels - at, 16U);
		for (i = 0; i < nc; i++, loom_row_next(&xc))
			x[i] = xc.at;
		for (r = 0; r < rows; r += skip ? c->attr->stride[1] : 1) {
			if (h + r < 0 || h + r >= (s64)c->x.dims[3] || first == end)
				continue;
			packed_part(p, loom_conv_x_row(p->f, d, h + r), first, end - first, x, nc,
				    min(p->pixel - at, 16U),
				    p->box + (size_t)r * p->row + (first - w) * p->pixel + at);
		}
	}
}

/* Sums of @n positions at @at in the box. */
static __always_inline void packed_sums(const struct packed *p, const u32 *at, const u32 n,
					__m512i *sums)
{
	const u8 *w = p->weights;
	u32 r, q, j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		sums[j] = p->bias;
	for (r = 0; r < p->runs; r++) {
		const u8 *box = p->box + p->off[r], *x[PACKED_BLOCK];

#pragma GCC unroll 8
		for (j = 0; j < n; j++)
			x[j] = box + at[j];
		for (q = 0; q < 4 * p->words; q += 4, w += 64) {
			__m512i wv = _mm512_load_si512(w);

#pragma GCC unroll 8
			for (j = 0; j < n; j++) {
				s32 word;

				memcpy(&word, x[j] + q, sizeof(word));
				sums[j] = _mm512_dpbusd_epi32(sums[j], _mm512_set1_epi32(word), wv);
			}
		}
	}
}

static __always_inline void packed_sums_depth(const struct packed *p, const u32 *at, const u32 n,
					      __m512i *sums)
{
	const u8 *w = p->weights;
	u32 r, j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		sums[j] = p->bias;
	for (r = 0; r < p->runs; r++, w += 64) {
		const u8 *box = p->box + p->off[r];
		__m512i wv = _mm512_load_si512(w);

#pragma GCC unroll 8
		for (j = 0; j < n; j++) {
			__m128i x = _mm_loadu_si128((const __m128i *)(box + at[j]));

			sums[j] = _mm512_dpwssd_epi32(sums[j], _mm512_cvtepu8_epi32(x), wv);
		}
	}
}

/* Results of @n positions, which are bytes if there is a scale: to @out, by position. */
static __always_inline void packed_finish(const struct packed *p, const __m512i *sums, const u32 n,
					  u8 *out)
{
	const __m512i zero = _mm512_set1_epi32(p->f->c.attr->y_zero);
	u32 j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++) {
		__m512 v;

		if (!p->f->c.scale) {
			_mm512_storeu_si512(out + 64 * j, sums[j]);
			continue;
		}
		/* as loom_requantise() has it, NaN included */
		v = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[j]), p->scale);
		v = _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
		v = _mm512_min_ps(_mm512_max_ps(v, p->low), p->high);
		_mm_storeu_si128((__m128i *)(out + 16 * j),
				 _mm512_cvtepi32_epi8(_mm512_add_epi32(_mm512_cvttps_epi32(v),
								       zero)));
	}
}

static __always_inline void packed_run(const struct packed *p, const u32 *at, const u32 n, u8 *out)
{
	__m512i sums[PACKED_BLOCK];

	if (p->depth)
		packed_sums_depth(p, at, n, sums);
	else
		packed_sums(p, at, n, sums);
	packed_finish(p, sums, n, out);
}

/* A function for each number of positions, so that sums stay in registers. */
#define PACKED_FUNCTION(n)								\
	static noinline void packed_run_##n(const struct packed *p, const u32 *at, u8 *out)	\
	{										\
		packed_run(p, at, n, out);						\
	}

PACKED_FUNCTION(8)
PACKED_FUNCTION(4)
PACKED_FUNCTION(2)
PACKED_FUNCTION(1)

/* Results of @n positions, @out by position, to @off from each channel of y. */
static noinline void packed_write(const struct packed *p, const s64 *off, u32 n, const u8 *out)
{
	bool dense = off[n - 1] == off[0] + n - 1 && p->f->c.y.lane_axis != 4;
	u8 turned[16][PACKED_TILE];
	__m128i rows[16];
	u32 i, j;

	if (!p->f->c.scale) {
		for (i = 0; i < p->nb; i++) {
			for (j = 0; j < n; j++)
				memcpy(p->y[i] + off[j], out + 64 * j + 4 * i, 4);
		}
		return;
	}
	for (j = 0; j < n; j += 16) {
#pragma GCC unroll 16
		for (i = 0; i < 16; i++)
			rows[i] = _mm_loadu_si128((const __m128i *)(out + 16 * (j + i)));
		packed_transpose(rows);
#pragma GCC unroll 16
		for (i = 0; i < 16; i++)
			_mm_storeu_si128((__m128i *)&turned[i][j], rows[i]);
	}
	for (j = 0; j + 1 < n && dense; j++)
		dense = off[j + 1] == off[j] + 1;
	for (i = 0; i < p->nb; i++) {
		if (dense) {
			memcpy(p->y[i] + off[0], turned[i], n);
			continue;
		}
		for (j = 0; j < n; j++)
			p->y[i][off[j]] = turned[i][j];
	}
}

/* Outputs @h to @h_end, @w to @w_end of a plane, whose box begins with those of @h and @w. */
static void packed_outputs(struct packed *p, u32 d, u32 h, u32 h_end, u32 w, u32 w_end)
{
	static void (*const run[])(const struct packed *p, const u32 *at, u8 *out) = {
		packed_run_1, packed_run_2, packed_run_4, packed_run_8,
	};
	const struct loom_conv *c = &p->f->c;
	const u32 begin = w, top = h, down = c->attr->stride[1] * p->row;
	const u32 right = c->attr->stride[2] * p->pixel, size = c->scale ? 16 : 64;
	u8 out[PACKED_TILE * 64] __attribute__((aligned(64)));
	s64 off[PACKED_TILE], plane = loom_view_step(&c->y, c->memory, 2, d), row;
	u32 at[PACKED_TILE], n = 0, j, k;

	row = plane + loom_view_step(&c->y, c->memory, 3, h);
	while (h < h_end) {
		at[n] = (h - top) * down + (w - begin) * right;
		off[n] = row + loom_view_step(&c->y, c->memory, 4, w);
		n++;
		if (++w == w_end) {
			w = begin;
			if (++h < h_end)
				row = plane + loom_view_step(&c->y, c->memory, 3, h);
		}
		if (n < PACKED_TILE && h < h_end)
			continue;
		for (j = 0; j < n; j += 1U << k) {
			k = n - j >= 8 ? 3 : n - j >= 4 ? 2 : n - j >= 2 ? 1 : 0;
			run[k](p, at + j, out + size * j);
		}
		packed_write(p, off, n, out);
		n = 0;
	}
}

static void packed_begin(struct packed *p, const struct loom_conv_f32 *f, u32 n, u32 o, u32 nb)
{
	const struct loom_conv *c = &f->c;
	u32 taps = c->w->dims[3] * c->w->dims[4], i;
	u8 *y = f->y_origin + loom_view_step(&c->y, c->memory, 0, n);

	p->f = f;
	p->depth = loom_conv_packed_depth(f);
	p->nb = nb;
	p->pixel = packed_pixel(f);
	p->channels = p->depth ? nb : c->inputs;
	p->flip = c->x.dtype == DRM_LOOM_DTYPE_I8 ? 0x80 : 0;
	p->zero = packed_zero(f);
	p->x = loom_row_along(&c->x, c->memory,
			      c->x_origin + loom_view_step(&c->x, c->memory, 0, n), 1,
			      o / c->outputs * c->inputs);
	p->runs = taps;
	p->words = p->depth ? 1 : p->pixel / 4;
	if (!p->depth && c->attr->dilation[2] == 1) {
		p->runs = c->w->dims[3];
		p->words *= c->w->dims[4];
	}
	for (i = 0; i < nb; i++)
		p->y[i] = y + loom_view_step(&c->y, c->memory, 1, o + i);
	if (p->depth)
		packed_weights_depth(p, o);
	else
		packed_weights(p, o);
	packed_emission(p, o);
}

/* Most outputs of @most along axis 2 + @i for which @room indices of x are enough */
static u64 packed_fit(const struct loom_conv_f32 *f, u32 i, u64 room, u64 most)
{
	u64 least = packed_span(f, i, 1);

	return room < least ? 0 : min(most, (room - least) / f->c.attr->stride[i] + 1);
}

void loom_conv_packed_run(const struct loom_conv_f32 *f, u32 n, u32 o, u32 nb, u64 at, u64 end)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const u32 width = f->c.y.dims[4];
	u32 index[3], rows, columns, span;
	struct packed p;

	packed_begin(&p, f, n, o, nb);
	for (; at < end; at += (u64)rows * columns) {
		loom_conv_position(&f->c, at, index);
		rows = 0;
		columns = width;
		span = packed_span(f, 2, width);
		if (!index[2])
			rows = packed_fit(f, 1, PACKED_X / ((u64)span * p.pixel),
					  min((end - at) / width, (u64)f->c.y.dims[3] - index[1]));
		if (!rows) {
			rows = 1;
			columns = packed_fit(f, 2, PACKED_X / (packed_span(f, 1, 1) * p.pixel),
					     min(end - at, (u64)width - index[2]));
			span = packed_span(f, 2, columns);
		}
		packed_plan(&p, span);
		packed_box(&p, index[0], (s64)index[1] * attr->stride[1] - attr->pad[1],
			   (s64)index[2] * attr->stride[2] - attr->pad[2],
			   packed_span(f, 1, rows), span);
		packed_outputs(&p, index[0], index[1], index[1] + rows, index[2],
			       index[2] + columns);
	}
}
#endif
