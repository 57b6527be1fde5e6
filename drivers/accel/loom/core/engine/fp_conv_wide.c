// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"
#include "fp_half.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

/*
 * Rows of outputs, in blocks of up to 32 side by side: for each tap the inputs of neighbouring
 * outputs are neighbours, either in x or in a stage (a copy of a part of the row).
 */

/* Element @slot of a stage is the one at index @at of a row of x, if there is one. */
static void conv_stage_slot(struct loom_conv_f32 *f, u32 slot, s64 at)
{
	struct loom_conv_stage *stage = &f->stage;

	if (at < 0 || at >= (s64)f->c.x.dims[4])
		return;
	stage->slot[stage->inside] = slot;
	stage->off[stage->inside++] = loom_view_step(&f->c.x, f->c.memory, 4, at);
}

/* The tap that a stage of one tap is for: its inputs begin at @at in x. */
static noinline void conv_stage_single(struct loom_conv_f32 *f, s64 at)
{
	struct loom_conv_stage *stage = &f->stage;
	u32 i;

	stage->inside = 0;
	stage->slots = stage->width;
	for (i = 0; i < stage->width; i++)
		conv_stage_slot(f, i, at + (s64)i * f->c.attr->stride[2]);
}

/* How rows of @width outputs are staged whose first input is at @at. */
static noinline void conv_stage_plan(struct loom_conv_f32 *f, s64 at, u32 width)
{
	struct loom_conv_stage *stage = &f->stage;
	s64 step = f->c.attr->stride[2];
	s64 dilation = f->c.attr->dilation[2];
	s64 taps = f->c.w->dims[4];
	s64 span, cols, k;
	u32 phases = 0, used = 0, phase, i;

	stage->width = width;
	stage->at = at;
	stage->single = true;
	stage->pairs = false;
	if (taps > LOOM_CONV_TAPS || dilation > LOOM_CONV_STAGE || step > 32)
		return;
	span = (width - 1) * step + (taps - 1) * dilation + 1;
	cols = (span + step - 1) / step;
	if (cols * step > LOOM_CONV_STAGE)
		return;
	for (k = 0; k < taps; k++) {
		u32 bit = k * dilation % step;

		stage->tap[k] = bit * cols + k * dilation / step;
		used += !(phases & (1U << bit));
		phases |= 1U << bit;
	}
	/* with few taps far apart most of what is between them would be copied for nothing */
	stage->single = used * cols > taps * width;
	if (stage->single)
		return;
	stage->pairs = !f->bytes && !f->half && f->contiguous && step == 2 && phases == 3;
	stage->inside = 0;
	stage->slots = cols * step;
	for (phase = 0; phase < step; phase++) {
		for (i = 0; i < cols && phases & (1U << phase); i++)
			conv_stage_slot(f, phase * cols + i, at + phase + (s64)i * step);
	}
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

/* What lies in x of a row of binary16 that begins at @row. The rest of @to is zero already. */
static __always_inline void conv_stage_half(const struct loom_conv_f32 *f, const u8 *row, float *to)
{
	const struct loom_conv_stage *stage = &f->stage;
	u32 n = stage->inside, i;
	u16 half[LOOM_CONV_STAGE];

	if (f->contiguous && f->c.attr->stride[2] == 1 && n) {
		/* what lies outside of x has its zeroes already */
		loom_halves_widen(to + stage->slot[0], row + stage->off[0], n);
		return;
	}
	/* with wide steps nearly all of a stage is between what is needed */
	if (4 * n < stage->slots) {
		for (i = 0; i < n; i++)
			to[stage->slot[i]] = loom_half_widen(*(const u16 *)(row + stage->off[i]));
		return;
	}
	memset(half, 0, stage->slots * sizeof(half[0]));
	for (i = 0; i < n; i++)
		half[stage->slot[i]] = *(const u16 *)(row + stage->off[i]);
	loom_halves_widen(to, (const u8 *)half, stage->slots);
}

/* The same of any row, of binary16 if @half. */
static __always_inline void conv_stage(const bool half, const struct loom_conv_f32 *f,
				       const u8 *row, float *to)
{
	const struct loom_conv_stage *stage = &f->stage;
	u32 i;

	if (half) {
		conv_stage_half(f, row, to);
		return;
	}
	if (stage->pairs) {
		conv_stage_pairs((const float *)row, f->c.x.dims[4], stage->at, stage->slots / 2,
				 to);
		return;
	}
	for (i = 0; i < stage->inside; i++)
		to[stage->slot[i]] = *(const float *)(row + stage->off[i]);
}

/* Rows of taps whose places a line notes. */
#define LINE_ROWS	32

/**
 * struct conv_line - a wide row of outputs
 * @d: taps on D
 * @h: taps on H
 * @rows: rows of taps that meet x
 * @x: the input channels
 * @w: the weights' channels
 * @point: one row of one tap is all there is
 * @x_row: by row: bytes from an input channel to where W begins, of the first LINE_ROWS
 * @w_row: by row: bytes from an input channel's weights to the row's
 */
struct conv_line {
	struct loom_conv_range d;
	struct loom_conv_range h;
	u32 rows;
	struct loom_row x;
	struct loom_row w;
	bool point;
	s64 x_row[LINE_ROWS];
	s64 w_row[LINE_ROWS];
};

/* Where row @r of the taps is in x, and in the weights. */
static void conv_line_look(const struct conv_line *line, const struct loom_conv_f32 *f, u32 r,
			   s64 *x, s64 *w)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	u32 taps = line->h.end - line->h.first;
	u32 kd = r / taps, kh = r % taps;

	*x = loom_conv_x_row(f, line->d.at + (s64)kd * attr->dilation[0],
			     line->h.at + (s64)kh * attr->dilation[1]);
	*w = (line->d.first + kd) * f->w_step[0] + (line->h.first + kh) * f->w_step[1];
}

static void conv_line_begin(struct conv_line *line, const struct loom_conv_f32 *f,
			    const struct loom_conv_channels *ch, u32 d, u32 h)
{
	const u32 noted = LINE_ROWS;
	u32 r;

	line->d = loom_conv_clip(f, 0, d);
	line->h = loom_conv_clip(f, 1, h);
	line->x = ch->x;
	line->w = ch->w;
	line->rows = (line->d.end - line->d.first) * (line->h.end - line->h.first);
	for (r = 0; r < min(line->rows, noted); r++)
		conv_line_look(line, f, r, &line->x_row[r], &line->w_row[r]);
	line->point = f->c.w->dims[4] == 1 && line->rows == 1;
}

/* Rows of one and of four channels that are computed together: a vector each, in registers. */
#define ROWS_OF_ONE	4
#define ROWS_OF_FOUR	(LOOM_VEC_MOST == 16 ? 4 : 2)
/* Narrower ones have more lanes of a vector idle than fp_conv_narrow.c has loads. */
#define ROWS_WIDTH	3

/**
 * struct conv_rows - short rows of outputs that are computed together
 * @at: index on W of the first input
 * @off: by row of taps, and row of outputs: bytes from an input channel to where W begins
 */
struct conv_rows {
	s64 at;
	s32 off[LINE_ROWS][ROWS_OF_ONE];
};

bool loom_conv_rows_suit(const struct loom_conv_f32 *f)
{
	const struct loom_view *y = &f->c.y, *w = f->c.w;

	return !f->bytes && !f->half && f->contiguous && f->c.attr->stride[2] == 1 &&
	       y->dims[4] >= ROWS_WIDTH && y->dims[4] <= LOOM_VEC_MOST && y->dims[3] > 2 &&
	       (u64)w->dims[2] * w->dims[3] <= LINE_ROWS;
}

/* Whether all taps on H meet x in each of @nr rows from @h on; then, where they do. */
static bool conv_rows_look(struct conv_rows *rows, const struct loom_conv_f32 *f,
			   const struct conv_line *line, u32 h, u32 nr)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	u32 taps = f->c.w->dims[3], r, j;
	struct loom_conv_range last = loom_conv_clip(f, 1, h + nr - 1);
	bool lanes = f->c.x.lane_axis == 3;
	s64 hop = (s64)attr->stride[1] * f->c.x.strides[3];

	if (line->h.first || line->h.end < taps || last.end < taps)
		return false;
	rows->at = -(s64)attr->pad[2];
	for (r = 0; r < line->rows; r++) {
		s64 d = line->d.at + (s64)(r / taps) * attr->dilation[0];
		s64 row = line->h.at + (s64)(r % taps) * attr->dilation[1];

		for (j = 0; j < nr; j++)
			rows->off[r][j] = lanes ? loom_conv_x_row(f, d, row + j * attr->stride[1]) :
						  line->x_row[r] + j * hop;
	}
	return true;
}

/* Most taps on W of a column, and how far apart those on H are at most. */
#define COLUMN_TAPS	5
#define COLUMN_REACH	8
/* Most outputs of a column in one go, and their inputs, which lie on the stack. */
#define COLUMN_MOST	(LOOM_VEC_MOST == 16 ? LOOM_TILE : 2 * LOOM_VEC_MOST)
#define COLUMN_STAGE	(COLUMN_MOST + COLUMN_REACH)

/**
 * struct conv_column - where the inputs are of outputs that lie below each other
 * @first: first tap on W that meets x
 * @end: behind the last
 * @off: by tap on W: bytes from an input channel to the input of the first output
 * @hop: bytes to that of the next
 * @rows: inputs of a tap
 */
struct conv_column {
	u32 first;
	u32 end;
	s64 off[COLUMN_TAPS];
	s64 hop;
	u32 rows;
};

bool loom_conv_columns_suit(const struct loom_conv_f32 *f)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const struct loom_view *y = &f->c.y, *x = &f->c.x, *w = f->c.w;

	return !f->bytes && !f->half && y->dims[4] == 1 && y->dims[2] == 1 && x->dims[2] == 1 &&
	       w->dims[2] == 1 && !attr->pad[0] && attr->stride[1] == 1 && x->lane_axis != 3 &&
	       w->dims[4] <= COLUMN_TAPS && w->dims[3] <= COLUMN_REACH &&
	       (w->dims[3] - 1) * (u64)attr->dilation[1] <= COLUMN_REACH;
}

/* Whether all there is to do for @n outputs is one tap, whose inputs are side by side in x. */
static __always_inline bool conv_is_point(const struct loom_conv_f32 *f,
					  const struct conv_line *line, s64 at, u32 n)
{
	return line->point && f->contiguous && f->c.attr->stride[2] == 1 && at >= 0 &&
	       at + n <= f->c.x.dims[4];
}

/* Where row @r of the taps is, from an input channel. */
static __always_inline void conv_line_row(const struct conv_line *line,
					  const struct loom_conv_f32 *f, u32 r, s64 *x, s64 *w)
{
	if (likely(r < LINE_ROWS)) {
		*x = line->x_row[r];
		*w = line->w_row[r];
	} else {
		conv_line_look(line, f, r, x, w);
	}
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

/**
 * enum conv_how - how a block reads x
 * @CONV_POINT: one tap, side by side, all in x
 * @CONV_DENSE: taps side by side
 * @CONV_STAGED: any, by way of a stage
 * @CONV_HALF: the same, of binary16
 */
enum conv_how {
	CONV_POINT,
	CONV_DENSE,
	CONV_STAGED,
	CONV_HALF,
};

/**
 * struct conv_block - a block of outputs of a row
 * @width: outputs of a channel
 * @run: computes those from index @at of the row of x, to out[nb][LOOM_TILE]
 */
struct conv_block {
	u32 width;
	void (*run)(enum conv_how how, struct loom_conv_f32 *f,
		    const struct loom_conv_channels *ch, const struct conv_line *line, s64 at,
		    float *out);
};

#if LOOM_VEC_MOST >= 8
typedef float conv_floats_8 __attribute__((vector_size(32)));

/* Elements @low to @high of eight; the others are zero, and not touched in memory. */
static __always_inline conv_floats_8 conv_part_8(const float *from, s32 low, s32 high)
{
	typedef s32 s32_8 __attribute__((vector_size(32)));
	const s32_8 lane = { 0, 1, 2, 3, 4, 5, 6, 7 };

	return __builtin_ia32_maskloadps256((const conv_floats_8 *)from,
					    (lane >= low) & (lane < high));
}
#endif

#if LOOM_VEC_MOST >= 16
typedef float conv_floats_16 __attribute__((vector_size(64)));

static __always_inline conv_floats_16 conv_part_16(const float *from, s32 low, s32 high)
{
	return (conv_floats_16)_mm512_maskz_loadu_ps((0xffffU >> (16 - high)) & (0xffffU << low),
						     from);
}
#endif

#define CONV_V 4
#include "fp_conv_block.h"
#undef CONV_V
#if LOOM_VEC_MOST >= 8
#define CONV_V 8
#include "fp_conv_block.h"
#undef CONV_V
#endif
#if LOOM_VEC_MOST >= 16
#define CONV_V 16
#include "fp_conv_block.h"
#undef CONV_V
#endif

/* A function for each size of block, so that its sums stay in registers. */
#define CONV_FUNCTION(v, nb, nv)							\
	static noinline void conv_block_##v##_##nb##_##nv(enum conv_how how,		\
		struct loom_conv_f32 *f, const struct loom_conv_channels *ch,		\
		const struct conv_line *line, s64 at, float *out)			\
	{										\
		conv_block_##v(how, f, ch, line, at, nb, nv, out);			\
	}

#define CONV_BLOCK(v, nb, nv)	{ (v) * (nv), conv_block_##v##_##nb##_##nv }

CONV_FUNCTION(4, 1, 1)
CONV_FUNCTION(4, 4, 1)
#if LOOM_VEC_MOST == 4
CONV_FUNCTION(4, 1, 2)
CONV_FUNCTION(4, 1, 4)
CONV_FUNCTION(4, 1, 8)
CONV_FUNCTION(4, 4, 2)
#else
CONV_FUNCTION(8, 1, 1)
CONV_FUNCTION(8, 4, 1)
#endif
#if LOOM_VEC_MOST == 8
CONV_FUNCTION(8, 1, 2)
CONV_FUNCTION(8, 1, 4)
CONV_FUNCTION(8, 1, 8)
CONV_FUNCTION(8, 4, 2)
#endif
#if LOOM_VEC_MOST == 16
CONV_FUNCTION(16, 1, 1)
CONV_FUNCTION(16, 1, 2)
CONV_FUNCTION(16, 1, 4)
CONV_FUNCTION(16, 4, 1)
CONV_FUNCTION(16, 4, 2)
CONV_FUNCTION(16, 4, 3)
CONV_FUNCTION(16, 4, 4)
#endif

/* Of one channel, and of four: by width. */
#if LOOM_VEC_MOST == 16
static const struct conv_block conv_ones[] = {
	CONV_BLOCK(4, 1, 1), CONV_BLOCK(8, 1, 1), CONV_BLOCK(16, 1, 1), CONV_BLOCK(16, 1, 2),
	CONV_BLOCK(16, 1, 4),
};

static const struct conv_block conv_fours[] = {
	CONV_BLOCK(4, 4, 1), CONV_BLOCK(8, 4, 1), CONV_BLOCK(16, 4, 1), CONV_BLOCK(16, 4, 2),
	CONV_BLOCK(16, 4, 3), CONV_BLOCK(16, 4, 4),
};
#elif LOOM_VEC_MOST == 8
static const struct conv_block conv_ones[] = {
	CONV_BLOCK(4, 1, 1), CONV_BLOCK(8, 1, 1), CONV_BLOCK(8, 1, 2), CONV_BLOCK(8, 1, 4),
	CONV_BLOCK(8, 1, 8),
};

static const struct conv_block conv_fours[] = {
	CONV_BLOCK(4, 4, 1), CONV_BLOCK(8, 4, 1), CONV_BLOCK(8, 4, 2),
};
#else
static const struct conv_block conv_ones[] = {
	CONV_BLOCK(4, 1, 1), CONV_BLOCK(4, 1, 2), CONV_BLOCK(4, 1, 4), CONV_BLOCK(4, 1, 8),
};

static const struct conv_block conv_fours[] = { CONV_BLOCK(4, 4, 1), CONV_BLOCK(4, 4, 2) };
#endif

/* And for each size of short rows. */
#define CONV_ROWS(v)									\
	static noinline void conv_rows_##v##_4(const struct loom_conv_f32 *f,		\
		const struct loom_conv_channels *ch, const struct conv_line *line,	\
		const struct conv_rows *rows, float *out)				\
	{										\
		conv_rows_##v(f, ch, line, rows, 4, ROWS_OF_FOUR, out);			\
	}										\
	static noinline void conv_rows_##v##_1(const struct loom_conv_f32 *f,		\
		const struct loom_conv_channels *ch, const struct conv_line *line,	\
		const struct conv_rows *rows, float *out)				\
	{										\
		conv_rows_##v(f, ch, line, rows, 1, ROWS_OF_ONE, out);			\
	}

CONV_ROWS(4)
#if LOOM_VEC_MOST >= 8
CONV_ROWS(8)
#endif
#if LOOM_VEC_MOST >= 16
CONV_ROWS(16)
#endif

/* Return: floats from a row of @out to the next. */
static u32 conv_rows_run(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			 const struct conv_line *line, const struct conv_rows *rows, float *out)
{
#if LOOM_VEC_MOST >= 16
	if (f->c.y.dims[4] > 8) {
		(ch->nb == 4 ? conv_rows_16_4 : conv_rows_16_1)(f, ch, line, rows, out);
		return 16;
	}
#endif
#if LOOM_VEC_MOST >= 8
	if (f->c.y.dims[4] > 4) {
		(ch->nb == 4 ? conv_rows_8_4 : conv_rows_8_1)(f, ch, line, rows, out);
		return 8;
	}
#endif
	(ch->nb == 4 ? conv_rows_4_4 : conv_rows_4_1)(f, ch, line, rows, out);
	return 4;
}

/* And for columns, which are of four channels. */
#define CONV_COLUMN(v, nv)								\
	static noinline void conv_column_##v##_##nv(const struct loom_conv_f32 *f,	\
		const struct loom_conv_channels *ch, const struct conv_column *column,	\
		float *out)								\
	{										\
		conv_column_##v(f, ch, column, 4, nv, out);				\
	}

#if LOOM_VEC_MOST == 16
CONV_COLUMN(16, 1)
CONV_COLUMN(16, 2)
CONV_COLUMN(16, 4)
#elif LOOM_VEC_MOST == 8
CONV_COLUMN(8, 2)
#else
CONV_COLUMN(4, 2)
#endif

/* Return: how many outputs from the first on, at most @most, which it is for. */
static u32 conv_column_run(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			   struct conv_column *column, u32 most)
{
	u32 reach = (f->c.w->dims[3] - 1) * f->c.attr->dilation[1], width;
	void (*run)(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
		    const struct conv_column *column, float *out);

#if LOOM_VEC_MOST == 16
	width = most > 32 ? COLUMN_MOST : most > 16 ? 32 : 16;
	run = most > 32 ? conv_column_16_4 : most > 16 ? conv_column_16_2 : conv_column_16_1;
#elif LOOM_VEC_MOST == 8
	width = COLUMN_MOST;
	run = conv_column_8_2;
#else
	width = COLUMN_MOST;
	run = conv_column_4_2;
#endif
	most = min(most, width);
	column->rows = most + reach;
	run(f, ch, column, ch->out);
	return most;
}

u32 loom_conv_columns(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u64 p,
		      u64 end)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 inside = (s64)f->c.x.dims[3] + attr->pad[1] -
		     (s64)(f->c.w->dims[3] - 1) * attr->dilation[1];
	s64 first = p, last = end;
	struct conv_column column;
	struct loom_conv_range w;
	u32 kw;

	last = min(last, inside);
	if (ch->nb < 4 || ch->more || !ch->last || first < attr->pad[1] ||
	    first + COLUMN_REACH > last)
		return 0;
	w = loom_conv_clip(f, 2, 0);
	column.first = w.first;
	column.end = w.end;
	column.hop = f->c.x.strides[3];
	for (kw = w.first; kw < w.end; kw++)
		column.off[kw] = loom_conv_x_row(f, 0, first - attr->pad[1]) +
				 loom_view_step(&f->c.x, f->c.memory, 4,
						w.at + (s64)(kw - w.first) * attr->dilation[2]);
	return conv_column_run(f, ch, &column, last - first);
}

#include "fp_conv_bytes.h"

/* The widest block that a stage has room for, or @block, if there is none. */
static const struct conv_block *conv_staged_block(const struct loom_conv_f32 *f,
						  const struct conv_block *least,
						  const struct conv_block *block)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 taps = (s64)(f->c.w->dims[4] - 1) * attr->dilation[2], step = attr->stride[2];
	const struct conv_block *fits = block;

	/* a row of a stage is a whole number of steps */
	while (fits > least && (fits->width - 1) * step + taps + step > LOOM_CONV_STAGE)
		fits--;
	return (fits->width - 1) * step + taps + step > LOOM_CONV_STAGE ? block : fits;
}

/* At most @most outputs from index @yw of a row, in as wide a block as is good. Return: how many */
static u32 conv_wide_block(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			   const struct conv_line *line, u32 yw, u32 most, float *out)
{
	const s64 step = f->c.attr->stride[2], at = yw * step - f->c.attr->pad[2];
	const struct conv_block *block = conv_ones, *last = conv_ones + ARRAY_SIZE(conv_ones) - 1;
	enum conv_how how = CONV_STAGED;

	if (f->bytes)
		return bytes_wide_block(f, ch, line, at, most, (s32 *)out);
	if (ch->nb == 4) {
		block = conv_fours;
		last = conv_fours + ARRAY_SIZE(conv_fours) - 1;
	}
	while (block < last && block->width < most)
		block++;
	if (!f->contiguous || step > 1 || f->half)
		block = conv_staged_block(f, ch->nb == 4 ? conv_fours : conv_ones, block);
	if (f->half)
		how = CONV_HALF;
	else if (conv_is_point(f, line, at, block->width))
		how = CONV_POINT;
	else if (f->contiguous && step == 1)
		how = CONV_DENSE;
	block->run(how, f, ch, line, at, out);
	return min(most, block->width);
}

/* Elements of a short row: as few moves as there can be, where memcpy() would be a call. */
static __always_inline void conv_put_short(u8 *to, const float *from, u32 n)
{
	if (n >= 8) {
		memcpy(to, from, 32);
		memcpy(to + 4 * (n - 8), from + n - 8, 32);
	} else if (n >= 4) {
		memcpy(to, from, 16);
		memcpy(to + 4 * (n - 4), from + n - 4, 16);
	} else {
		u32 i;

		for (i = 0; i < n; i++)
			((float *)to)[i] = from[i];
	}
}

/* @n results to a row; @v has room for LOOM_TILE. */
static __always_inline void conv_put(const struct loom_row *row, u32 dtype, u32 n, float *v)
{
	if (dtype != DRM_LOOM_DTYPE_F32) {
		loom_row_put_f32(row, dtype, n, v);
		return;
	}
	loom_canonical_f32(v, (n + 15) & ~15U);
	if (!row->lanes && row->stride == 4 && n <= 16)
		conv_put_short(row->at, v, n);
	else
		loom_row_write(row, 4, n, v);
}

/* Results of all channels, @n from index @index on D, H, W. */
static void conv_wide_emit(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			   const u32 *index, u32 n)
{
	const struct loom_memory *memory = f->c.memory;
	s64 row_at = loom_view_step(&f->c.y, memory, 2, index[0]) +
		     loom_view_step(&f->c.y, memory, 3, index[1]);
	struct loom_row row;
	u32 i;

	for (i = 0; i < ch->nb; i++) {
		row = loom_row_along(&f->c.y, memory, ch->y[i] + row_at, 4, index[2]);
		if (f->bytes) {
			bytes_emit(f, ch, i, &row, n, (s32 *)ch->out + LOOM_TILE * i);
			continue;
		}
		loom_conv_finish(f, ch, i, n, ch->out + LOOM_TILE * i);
		conv_put(&row, f->c.y.dtype, n, ch->out + LOOM_TILE * i);
	}
}

/*
 * Short rows from @index on, as many as are computed together, if there are so many until @count
 * outputs on. Return: how many outputs that were.
 */
static noinline u32 conv_wide_rows(const struct loom_conv_f32 *f,
				   const struct loom_conv_channels *ch,
				   const struct conv_line *line, const u32 *index, u64 count)
{
	const struct loom_memory *memory = f->c.memory;
	u32 nr = ch->nb == 4 ? ROWS_OF_FOUR : ROWS_OF_ONE, width = f->c.y.dims[4], i, j, apart;
	bool dense = f->c.y.lane_axis != 4 && f->c.y.strides[4] == 4;
	s64 d = loom_view_step(&f->c.y, memory, 2, index[0]), h[ROWS_OF_ONE];
	struct conv_rows rows;

	if (index[1] + nr > f->c.y.dims[3] || count < (u64)nr * width ||
	    !conv_rows_look(&rows, f, line, index[1], nr))
		return 0;
	apart = conv_rows_run(f, ch, line, &rows, ch->out);
	for (j = 0; j < nr; j++)
		h[j] = d + loom_view_step(&f->c.y, memory, 3, index[1] + j);
	for (i = 0; i < ch->nb; i++) {
		float *v = ch->out + LOOM_TILE * i;

		loom_conv_finish(f, ch, i, nr * apart, v);
		loom_canonical_f32(v, nr * apart);
		for (j = 0; j < nr; j++) {
			struct loom_row row;

			if (dense) {
				conv_put_short(ch->y[i] + h[j], v + j * apart, width);
				continue;
			}
			row = loom_row_along(&f->c.y, memory, ch->y[i] + h[j], 4, 0);
			loom_row_write(&row, 4, width, v + j * apart);
		}
	}
	return nr * width;
}

/* At most @most outputs from @index on, of one row, in one or several blocks. Return: how many. */
static __always_inline u32 conv_wide_tile(struct loom_conv_f32 *f,
					  const struct loom_conv_channels *ch,
					  const struct conv_line *line, const u32 *index, u64 most)
{
	u32 count = most > LOOM_TILE ? LOOM_TILE : most, done, back;
	float *out = ch->out;

	count = min(count, f->c.y.dims[4] - index[2]);
	if (f->bytes && !ch->more)
		memset(out, 0, ch->nb * LOOM_TILE * sizeof(*out));
	for (done = 0; done < count;) {
		/*
		 * The last few outputs are computed in a block with some that are done already,
		 * where x has all inputs of that block.
		 */
		back = (8 - (count - done) % 8) % 8;
		if (LOOM_VEC_MOST > 4 || f->bytes || !f->open || count - done > 8 || back > done ||
		    ch->more || !ch->last)
			back = 0;
		done -= back;
		done += conv_wide_block(f, ch, line, index[2] + done, count - done, out + done);
	}
	if (ch->last)
		conv_wide_emit(f, ch, index, count);
	return count;
}

void loom_conv_wide_run(struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u64 p,
			u64 end)
{
	bool begin = true, whole = !ch->more && ch->last;
	bool rows = whole && loom_conv_rows_suit(f), bytes = whole && bytes_rows_suit(f);
	u32 width = f->c.y.dims[4], index[3], count;
	struct conv_line line;

	loom_conv_position(&f->c, p, index);
	for (; p < end; p += count) {
		if (begin)
			conv_line_begin(&line, f, ch, index[0], index[1]);
		count = 0;
		if (rows && !index[2])
			count = conv_wide_rows(f, ch, &line, index, end - p);
		else if (bytes && !index[2])
			count = bytes_rows_run(f, ch, &line, index, end - p);
		if (count) {
			/* at the end of the last of them */
			index[1] += count / width - 1;
			index[2] = width;
		} else {
			count = conv_wide_tile(f, ch, &line, index, end - p);
			index[2] += count;
		}
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
