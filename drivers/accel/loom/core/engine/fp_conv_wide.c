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

/**
 * struct conv_fold - elements of x that all taps share
 * @cols: elements of a phase of a row; 0: taps do not share them
 * @phases: bit per phase of the stride: whether a tap reads it
 */
struct conv_fold {
	u32 cols;
	u32 phases;
};

/* Elements that rows of @width outputs share, if they are few enough, and less than of each tap */
static struct conv_fold conv_fold(const struct loom_conv_f32 *f, u32 width)
{
	u64 step = f->c.attr->stride[2], dilation = f->c.attr->dilation[2], taps = f->c.w->dims[4];
	struct conv_fold fold = {};
	u64 cols, used = 0, k;

	if (taps > LOOM_CONV_TAPS || dilation > LOOM_CONV_STAGE || step > 32)
		return fold;
	cols = ((width - 1) * step + (taps - 1) * dilation + step) / step;
	for (k = 0; k < taps; k++) {
		used += !(fold.phases & (1U << (k * dilation % step)));
		fold.phases |= 1U << (k * dilation % step);
	}
	if (cols * step <= LOOM_CONV_STAGE && used * cols < taps * width)
		fold.cols = cols;
	return fold;
}

/* Lanes from a short row of outputs to the next, in a block of several. */
static u32 conv_pitch(const struct loom_conv_f32 *f)
{
	u32 width = f->c.y.dims[4], cols = conv_fold(f, width).cols;

	return cols ? cols : width;
}

/* Elements of a phase at @slot of which the first is at @at of a row of x. */
static void conv_stage_phase(struct loom_conv_f32 *f, u32 slot, s64 at, u32 n)
{
	s64 step = f->c.attr->stride[2];
	u32 i;

	for (i = 0; i < n; i++)
		conv_stage_slot(f, slot + i, at + i * step);
}

/*
 * How @rows rows of @width outputs are staged, in a block of @lanes, for all taps; where there is
 * no room for those, for tap @first. The first input of the first output of a row is at @at.
 */
static noinline void conv_stage_plan(struct loom_conv_f32 *f, s64 at, u32 lanes, u32 width,
				     u32 rows, u32 first)
{
	const s64 step = f->c.attr->stride[2], dilation = f->c.attr->dilation[2];
	const u32 taps = f->c.w->dims[4], most = min((u32)LOOM_CONV_TAPS, LOOM_CONV_STAGE / lanes);
	struct conv_fold fold = conv_fold(f, width);
	struct loom_conv_stage *stage = &f->stage;
	u32 k;

	stage->lanes = lanes;
	stage->width = width;
	stage->rows = rows;
	stage->at = at;
	stage->first = first;
	stage->inside = 0;
	stage->pairs = false;
	stage->dense = f->contiguous && step == 1;
	if (!fold.cols) {
		stage->pitch = width;
		stage->taps = taps <= most ? taps : 1;
		stage->dense &= stage->taps == 1;
		stage->slots = stage->taps * lanes;
		for (k = 0; k < stage->taps; k++) {
			stage->tap[k] = k * lanes;
			conv_stage_phase(f, k * lanes, at + (first + k) * dilation, width);
		}
		return;
	}
	stage->pitch = fold.cols;
	stage->taps = taps;
	stage->slots = rows * fold.cols * step;
	for (k = 0; k < taps; k++)
		stage->tap[k] = k * dilation % step * rows * fold.cols + k * dilation / step;
	stage->pairs = !f->bytes && !f->half && f->contiguous && step == 2 && fold.phases == 3 &&
		       rows == 1;
	for (k = 0; k < step && !stage->pairs; k++)
		if (fold.phases & (1U << k))
			conv_stage_phase(f, k * rows * fold.cols, at + k, fold.cols);
}

/* A stage of rows with a step of two: elements inside of x by eights, the ends one by one. */
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

/**
 * struct conv_line - a row of outputs, or some that meet x with the same taps
 * @d: taps on D
 * @h: taps on H, of the first row
 * @taps: rows of taps that meet x
 * @rows: rows of outputs
 * @pitch: rows of outputs that @off has for a row of taps: 1, if @rows is; those behind @rows
 *	repeat the last
 * @x: the input channels
 * @w: the weights' channels
 * @off: by row of taps, by row of outputs: bytes from an input channel to where W begins, of as
 *	many as there is room for; more than one row of outputs has all
 * @w_off: by row of taps, likewise: bytes from an input channel's weights to the row's
 */
struct conv_line {
	struct loom_conv_range d;
	struct loom_conv_range h;
	u32 taps;
	u32 rows;
	u32 pitch;
	struct loom_row x;
	struct loom_row w;
	s32 off[LOOM_CONV_ROWS];
	s64 w_off[LOOM_CONV_ROWS];
};

/* Where row @r of the taps is in x for row @j of the outputs. */
static s64 conv_line_off(const struct conv_line *line, const struct loom_conv_f32 *f, u32 r, u32 j)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	u32 taps = line->h.end - line->h.first;

	return loom_conv_x_row(f, line->d.at + (s64)(r / taps) * attr->dilation[0],
			       line->h.at + (s64)(r % taps) * attr->dilation[1] +
			       (s64)j * attr->stride[1]);
}

/* Where row @r of the taps is in the weights. */
static s64 conv_line_weights(const struct conv_line *line, const struct loom_conv_f32 *f, u32 r)
{
	u32 taps = line->h.end - line->h.first;

	return (line->d.first + r / taps) * f->w_step[0] +
	       (line->h.first + r % taps) * f->w_step[1];
}

/* A line of at most @most rows from @d, @h on, at least one, of @pitch that have room. */
static void conv_line_begin(struct conv_line *line, const struct loom_conv_f32 *f,
			    const struct loom_conv_channels *ch, u32 d, u32 h, u32 most,
			    u32 pitch)
{
	const u32 room = LOOM_CONV_ROWS;
	struct loom_conv_range last;
	u32 r, j;
	s64 step;
	s32 *off;

	line->d = loom_conv_clip(f, 0, d);
	line->h = loom_conv_clip(f, 1, h);
	line->x = ch->x;
	line->w = ch->w;
	line->taps = (line->d.end - line->d.first) * (line->h.end - line->h.first);
	for (line->rows = max(most, 1U); line->rows > 1; line->rows--) {
		last = loom_conv_clip(f, 1, h + line->rows - 1);
		if (last.first == line->h.first && last.end == line->h.end)
			break;
	}
	if (line->rows == 1)
		pitch = 1;
	line->pitch = pitch;
	/* from row to row, but where each has its own bank; without taps a stride may be any */
	step = line->rows == 1 || !line->taps || f->c.x.lane_axis == 3 ? 0 :
	       (s64)f->c.attr->stride[1] * f->c.x.strides[3];
	for (r = 0; r < min(line->taps, room / pitch); r++) {
		off = &line->off[r * pitch];
		line->w_off[r] = conv_line_weights(line, f, r);
		off[0] = conv_line_off(line, f, r, 0);
		for (j = 1; j < pitch; j++)
			off[j] = j >= line->rows ? off[j - 1] : step ? off[j - 1] + step :
				 conv_line_off(line, f, r, j);
	}
}

/*
 * Where row @r of the taps is in x for the first row of the outputs, of which there are more each
 * @pitch, and in the weights.
 */
static __always_inline void conv_line_row(const struct conv_line *line,
					  const struct loom_conv_f32 *f, u32 r, u32 pitch, s64 *x,
					  s64 *w)
{
	if (likely(r * pitch < LOOM_CONV_ROWS)) {
		*x = line->off[r * pitch];
		*w = line->w_off[r];
	} else {
		*x = conv_line_off(line, f, r, 0);
		*w = conv_line_weights(line, f, r);
	}
}

/* @n floats from @from, which lie side by side: the last few with some before them. */
static __always_inline void conv_copy(float *to, const u8 *from, u32 n)
{
	u32 i;

	if (n < 4) {
		for (i = 0; i < n; i++)
			to[i] = ((const float *)from)[i];
		return;
	}
	for (i = 0; i + 4 < n; i += 4)
		loom_vec_store(to + i, loom_vec_load(from + 4 * i));
	loom_vec_store(to + n - 4, loom_vec_load(from + 4 * (n - 4)));
}

/**
 * enum conv_how - how a block reads x
 * @CONV_POINT: one tap, side by side, all in x
 * @CONV_TURNED: taps side by side, all in x, as the line has them
 * @CONV_DENSE: taps side by side
 * @CONV_VECTORS: the same, a vector for each of some short rows
 * @CONV_STAGED: any, by way of a stage
 * @CONV_HALF: the same, of binary16
 * @CONV_BYTES: the same, of bytes of two input channels
 */
enum conv_how {
	CONV_POINT,
	CONV_TURNED,
	CONV_DENSE,
	CONV_VECTORS,
	CONV_STAGED,
	CONV_HALF,
	CONV_BYTES,
};

#include "fp_conv_bytes.h"

/**
 * struct conv_weights - weights of an input channel, or of two if they are bytes
 * @at: where they begin
 * @type: of bytes
 * @mask: of the words that two bytes make: of one that is there
 */
struct conv_weights {
	const u8 *at[2];
	struct bytes_type type;
	u32 mask;
};

/* A weight, or the bits of a word of two. */
static __always_inline float conv_weight(const enum conv_how how, const struct conv_weights *w,
					 s64 at)
{
	if (how == CONV_BYTES)
		return loom_f32_of_bits(bytes_word(w->at[0][at], w->at[1][at], w->type) & w->mask);
	if (how == CONV_HALF)
		return loom_half_widen(*(const u16 *)(w->at[0] + at));
	return loom_get_f32(w->at[0] + at);
}

/* The part of a row that lies in x: of the channel at @x[0], and for bytes of that at @x[1]. */
static __always_inline void conv_stage_row(const enum conv_how how, const struct loom_conv_f32 *f,
					   const u8 *const *x, s64 row, float *to)
{
	const struct loom_conv_stage *stage = &f->stage;
	const u8 *from = x[0] + row;
	u32 n = stage->inside, i;

	if (how == CONV_BYTES) {
		bytes_stage(f, from, x[1] + row, (u32 *)to);
	} else if (how == CONV_STAGED && stage->pairs) {
		conv_stage_pairs((const float *)from, f->c.x.dims[4], stage->at, stage->slots / 2,
				 to);
	} else if (stage->dense && n) {
		to += stage->slot[0];
		from += stage->off[0];
		if (how == CONV_HALF)
			loom_halves_widen(to, from, n);
		else
			conv_copy(to, from, n);
	} else {
		for (i = 0; i < n; i++) {
			const u8 *at = from + stage->off[i];

			to[stage->slot[i]] = how == CONV_HALF ? loom_half_widen(*(const u16 *)at) :
								loom_get_f32(at);
		}
	}
}

/* The inputs of row @r of the taps: at @row from a channel of x for the first outputs. */
static __always_inline void conv_stage_rows(const enum conv_how how, const struct loom_conv_f32 *f,
					    const struct conv_line *line, u32 r, s64 row,
					    const u8 *const *x, float *stage)
{
	u32 j;

	conv_stage_row(how, f, x, row, stage);
	for (j = 1; j < line->rows; j++) {
		stage += f->stage.pitch;
		conv_stage_row(how, f, x, line->off[r * line->pitch + j], stage);
	}
}

/* Whether all there is to do for @n outputs is one tap, whose inputs are side by side in x. */
static __always_inline bool conv_is_point(const struct loom_conv_f32 *f,
					  const struct conv_line *line, s64 at, u32 n)
{
	return f->c.w->dims[4] == 1 && line->taps == 1 && f->contiguous &&
	       f->c.attr->stride[2] == 1 && at >= 0 && at + n <= f->c.x.dims[4];
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

/* And for rows that have a vector each: as many as there are registers for. */
#define ROWS_OF_ONE	4
#define ROWS_OF_FOUR	(LOOM_VEC_MOST == 16 ? 4 : 2)
/* Narrower ones leave more lanes idle than copies cost. */
#define ROWS_WIDTH	3

#define CONV_ROWS(v, nb, nr)								\
	static noinline void conv_rows_##v##_##nb(enum conv_how how,			\
		struct loom_conv_f32 *f, const struct loom_conv_channels *ch,		\
		const struct conv_line *line, s64 at, float *out)			\
	{										\
		(void)how;								\
		conv_dense_##v(CONV_VECTORS, f, ch, line, at, nb, nr, out);		\
	}

CONV_ROWS(4, 1, ROWS_OF_ONE)
CONV_ROWS(4, 4, ROWS_OF_FOUR)
#if LOOM_VEC_MOST >= 8
CONV_ROWS(8, 1, ROWS_OF_ONE)
CONV_ROWS(8, 4, ROWS_OF_FOUR)
#endif
#if LOOM_VEC_MOST >= 16
CONV_ROWS(16, 1, ROWS_OF_ONE)
CONV_ROWS(16, 4, ROWS_OF_FOUR)
#endif

/* By width of a row, of one channel and of four. */
static const struct conv_block conv_rows[][2] = {
	{ { 4, conv_rows_4_1 }, { 4, conv_rows_4_4 } },
#if LOOM_VEC_MOST >= 8
	{ { 8, conv_rows_8_1 }, { 8, conv_rows_8_4 } },
#endif
#if LOOM_VEC_MOST >= 16
	{ { 16, conv_rows_16_1 }, { 16, conv_rows_16_4 } },
#endif
};

/* Blocks of one channel, or of four. Return: the widest. */
static const struct conv_block *conv_widest(u32 nb, const struct conv_block **least)
{
	*least = nb == 4 ? conv_fours : conv_ones;
	return *least + (nb == 4 ? ARRAY_SIZE(conv_fours) : ARRAY_SIZE(conv_ones)) - 1;
}

/* The widest block up to @block that a stage has room for, or that, if there is none. */
static const struct conv_block *conv_staged_block(const struct loom_conv_f32 *f, u32 nb,
						  const struct conv_block *block)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 taps = (s64)(f->c.w->dims[4] - 1) * attr->dilation[2], step = attr->stride[2];
	const struct conv_block *least, *fits = block;

	conv_widest(nb, &least);
	/* a row of a stage is a whole number of steps */
	while (fits > least && (fits->width - 1) * step + taps + step > LOOM_CONV_STAGE)
		fits--;
	return (fits->width - 1) * step + taps + step > LOOM_CONV_STAGE ? block : fits;
}

/* The narrowest block for @lanes outputs of each channel, or the widest that there is. */
static const struct conv_block *conv_block_for(u32 nb, u32 lanes)
{
	const struct conv_block *block, *last = conv_widest(nb, &block);

	while (block < last && block->width < lanes)
		block++;
	return block;
}

static void conv_stage_for(struct loom_conv_f32 *f, s64 at, u32 lanes, u32 width, u32 rows)
{
	const struct loom_conv_stage *stage = &f->stage;

	if (stage->lanes != lanes || stage->width != width || stage->rows != rows ||
	    stage->at != at || stage->first)
		conv_stage_plan(f, at, lanes, width, rows, 0);
}

/* How a stage is read */
static enum conv_how conv_how(const struct loom_conv_f32 *f)
{
	return f->bytes ? CONV_BYTES : f->half ? CONV_HALF : CONV_STAGED;
}

/* Adds what a row of taps brings to one output of each of four channels, index @at of a row of x */
static __always_inline struct loom_vec conv_single_taps(const struct loom_conv_f32 *f,
							const struct loom_conv_channels *ch,
							struct loom_vec acc, const u8 *x,
							const u8 *w, s64 at)
{
	const u32 taps = f->c.w->dims[4];
	u32 kw;

	for (kw = 0; kw < taps; kw++, at += f->c.attr->dilation[2], w += f->w_step[2]) {
		float v = 0.0f;

		if (at >= 0 && at < f->c.x.dims[4])
			v = loom_get_f32(x + loom_view_step(&f->c.x, f->c.memory, 4, at));
		acc.v += loom_vec_splat(v).v * loom_vec_gather(w, ch->wo).v;
	}
	return acc;
}

/* One output of each of four channels: a vector across channels. */
static noinline void conv_single(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				 const struct conv_line *line, s64 at, float *out)
{
	struct loom_row xc = line->x, wc = line->w;
	struct loom_vec acc = loom_vec_splat(0.0f);
	u32 i, r, inputs = line->taps ? ch->inputs : 0;
	float lanes[4];
	s64 x, w;

	for (i = 0; i < 4; i++)
		lanes[i] = out[LOOM_TILE * i];
	if (ch->more)
		acc = loom_vec_load(lanes);
	for (i = 0; i < inputs; i++) {
		for (r = 0; r < line->taps; r++) {
			conv_line_row(line, f, r, 1, &x, &w);
			acc = conv_single_taps(f, ch, acc, xc.at + x, wc.at + w, at);
		}
		loom_row_next(&xc);
		loom_row_next(&wc);
	}
	loom_vec_store(lanes, acc);
	for (i = 0; i < 4; i++)
		out[LOOM_TILE * i] = lanes[i];
}

/* At most @most outputs from index @yw of a row, in as wide a block as is good. Return: how many */
static u32 conv_wide_block(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			   const struct conv_line *line, u32 yw, u32 most, float *out)
{
	const s64 step = f->c.attr->stride[2], at = yw * step - f->c.attr->pad[2];
	const struct conv_block *block = conv_block_for(ch->nb, most);
	enum conv_how how = conv_how(f);

	if (how == CONV_STAGED && most == 1 && ch->nb == 4) {
		conv_single(f, ch, line, at, out);
		return 1;
	}
	if (how != CONV_STAGED || !f->contiguous || step > 1) {
		block = conv_staged_block(f, ch->nb, block);
		conv_stage_for(f, at, block->width, block->width, 1);
	} else {
		how = conv_is_point(f, line, at, block->width) ? CONV_POINT : CONV_DENSE;
	}
	block->run(how, f, ch, line, at, out);
	return min(most, block->width);
}

/**
 * struct conv_span - short rows that share a block
 * @rows: how many there is room for; 1: they do not
 * @pitch: lanes from one to the next
 * @vectors: the block, if each has a vector of its own; else NULL
 */
struct conv_span {
	u32 rows;
	u32 pitch;
	const struct conv_block *vectors;
};

/* Sums of all outputs of the rows of a line. */
static void conv_span_block(struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			    const struct conv_line *line, const struct conv_span *span)
{
	const struct conv_block *block = span->vectors;
	const s64 at = -(s64)f->c.attr->pad[2];
	const u32 width = f->c.y.dims[4];

	if (block) {
		block->run(CONV_VECTORS, f, ch, line, at, ch->out);
		return;
	}
	block = conv_block_for(ch->nb, (line->rows - 1) * span->pitch + width);
	conv_stage_for(f, at, block->width, width, line->rows);
	block->run(conv_how(f), f, ch, line, at, ch->out);
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

/* Results of all channels, @n of each of @rows rows from index @index on D, H, W on. */
static noinline void conv_wide_emit(const struct loom_conv_f32 *f,
				    const struct loom_conv_channels *ch, const u32 *index, u32 rows,
				    u32 pitch, u32 n)
{
	const struct loom_memory *memory = f->c.memory;
	const struct loom_view *y = &f->c.y;
	bool single = y->dtype == DRM_LOOM_DTYPE_F32, dense = single && n <= 16 &&
		      y->lane_axis != 4 && y->strides[4] == 4;
	u32 all = (rows - 1) * pitch + n, i, j;
	s64 at[LOOM_CONV_ROWS];

	for (j = 0; j < rows; j++)
		at[j] = loom_view_step(y, memory, 2, index[0]) +
			loom_view_step(y, memory, 3, index[1] + j);
	for (i = 0; i < ch->nb; i++) {
		float *v = ch->out + LOOM_TILE * i;

		if (!f->bytes)
			loom_conv_finish(f, ch, i, all, v);
		if (single && !f->bytes)
			loom_canonical_f32(v, (all + 15) & ~15U);
		for (j = 0; j < rows; j++, v += pitch) {
			struct loom_row row;

			if (dense) {
				conv_put_short(ch->y[i] + at[j] + 4 * (s64)index[2], v, n);
				continue;
			}
			row = loom_row_along(y, memory, ch->y[i] + at[j], 4, index[2]);
			if (f->bytes)
				bytes_emit(f, ch, i, &row, n, (s32 *)v);
			else if (single)
				loom_row_write(&row, 4, n, v);
			else
				loom_row_put_f32(&row, y->dtype, n, v);
		}
	}
}

/* Rows that have room in one block, and so have their tables and their stage. */
static struct conv_span conv_span(const struct loom_conv_f32 *f,
				  const struct loom_conv_channels *ch)
{
	const u32 width = f->c.y.dims[4], taps = f->c.w->dims[2] * f->c.w->dims[3];
	const u32 step = f->c.attr->stride[2], room = LOOM_CONV_ROWS;
	const struct conv_block *least, *last = conv_widest(ch->nb, &least);
	const bool dense = conv_how(f) == CONV_STAGED && f->contiguous && step == 1;
	struct conv_span span = { .rows = 1 };
	u32 i;

	if (ch->more || !ch->last || f->c.y.dims[3] == 1 || taps * ROWS_OF_ONE > room ||
	    width >= (dense ? LOOM_VEC_MOST + 1 : last->width))
		return span;
	if (dense && width >= ROWS_WIDTH) {
		for (i = 0; conv_rows[i][0].width < width; i++)
			;
		span.vectors = &conv_rows[i][ch->nb == 4];
		span.pitch = span.vectors->width;
		span.rows = ch->nb == 4 ? ROWS_OF_FOUR : ROWS_OF_ONE;
	} else {
		span.pitch = conv_pitch(f);
		/* each tap has elements of its own */
		while (span.pitch == width && last > least &&
		       last->width * f->c.w->dims[4] > LOOM_CONV_STAGE)
			last--;
		if (last->width > width)
			span.rows = (last->width - width) / span.pitch + 1;
		if (span.pitch > width)
			span.rows = min(span.rows, LOOM_CONV_STAGE / (span.pitch * step));
	}
	span.rows = max(min(span.rows, room / taps), 1U);
	return span;
}

/* At most @most outputs from @index on, of one row, in one or several blocks. Return: how many. */
static __always_inline u32 conv_wide_tile(struct loom_conv_f32 *f,
					  const struct loom_conv_channels *ch,
					  const struct conv_line *line, const u32 *index, u64 most)
{
	u32 count = most > LOOM_TILE ? LOOM_TILE : most, done;

	count = min(count, f->c.y.dims[4] - index[2]);
	for (done = 0; done < count;)
		done += conv_wide_block(f, ch, line, index[2] + done, count - done,
					ch->out + done);
	if (ch->last)
		conv_wide_emit(f, ch, index, 1, 0, count);
	return count;
}

void loom_conv_wide_run(struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u64 p,
			u64 end)
{
	const struct conv_span span = conv_span(f, ch);
	const u32 width = f->c.y.dims[4];
	u32 index[3], count, rows;
	struct conv_line line;
	bool begin = true;

	loom_conv_position(&f->c, p, index);
	for (; p < end; p += count) {
		if (begin) {
			rows = min(span.rows, f->c.y.dims[3] - index[1]);
			if (end - p < (u64)rows * width)
				rows = (u32)(end - p) / width;
			conv_line_begin(&line, f, ch, index[0], index[1], index[2] ? 1 : rows,
					span.rows);
		}
		if (line.rows > 1) {
			conv_span_block(f, ch, &line, &span);
			conv_wide_emit(f, ch, index, line.rows, span.pitch, width);
			count = line.rows * width;
			index[1] += line.rows - 1;
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

#ifndef __KERNEL__
void loom_conv_turned_run(struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u32 column,
			  u32 first, u32 end)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	const u32 rows = f->c.w->dims[3], taps = f->c.w->dims[4], step = attr->stride[1];
	struct conv_line line = { .taps = rows * taps, .x = ch->x, .w = ch->w };
	const struct conv_block *block;
	u32 index[3] = {}, k, at, count, done;

	for (k = 0; k < line.taps; k++) {
		/* of the first output, which is not less than zero in the end */
		at = first * step + k / taps * attr->dilation[1] - attr->pad[1];
		line.off[k] = 4 * ((k % taps * attr->dilation[2] * step + at % step) * column +
				   at / step);
		line.w_off[k] = k / taps * f->w_step[1] + k % taps * f->w_step[2];
	}
	for (; index[1] < f->c.y.dims[3]; index[1]++) {
		for (index[2] = first; index[2] < end; index[2] += count) {
			count = min(end - index[2], (u32)LOOM_TILE);
			for (done = 0; done < count; done += block->width) {
				block = conv_block_for(ch->nb, count - done);
				block->run(CONV_TURNED, f, ch, &line, index[2] - first + done,
					   ch->out + done);
			}
			conv_wide_emit(f, ch, index, 1, 0, count);
		}
		line.x.at += 4ULL * attr->stride[2] * step * column;
	}
}
#endif
