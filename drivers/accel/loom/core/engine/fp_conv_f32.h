/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_CONV_F32_H
#define LOOM_FP_CONV_F32_H

#include "fp_conv.h"

/**
 * struct loom_conv_stage - how a part of a row of x is copied, so that taps read it side by side
 * @width: outputs that it is for; 0: none
 * @at: index in x of the first input of the first of them
 * @tap: where a tap's inputs are in a stage
 * @single: stages hold the inputs of one tap only: where that is no more than all of a stage
 * @pairs: elements lie side by side in x, and every one is needed, by turns in either half
 * @inside: elements that lie in x; the others of a stage are zero
 * @slots: elements of a stage
 * @slot: by element that lies in x: where it is in the stage
 * @off: by element that lies in x: bytes to it from where its row would begin
 */
struct loom_conv_stage {
	u32 width;
	s64 at;
	u16 tap[LOOM_CONV_TAPS];
	bool single;
	bool pairs;
	u8 inside;
	u8 slots;
	u8 slot[LOOM_CONV_STAGE];
	s32 off[LOOM_CONV_STAGE];
};

/**
 * struct loom_conv_f32 - a convolution in binary32, or of bytes
 * @bytes: inputs and weights are bytes
 * @half: inputs, weights and results are binary16, and summed in binary32
 * @c: the convolution; the lane axes of its x and y are DRM_LOOM_MAX_RANK where an index on any
 *	axis is a step inside of a bank
 * @y_origin: first byte of y
 * @w_step: bytes of w per index on KD, KH, KW
 * @contiguous: elements of a row of x are side by side
 * @open: the last output of a row does not reach behind the row of x
 * @stage: of the last block of a row that has needed one
 */
struct loom_conv_f32 {
	struct loom_conv c;
	u8 *y_origin;
	s64 w_step[3];
	bool bytes;
	bool half;
	bool contiguous;
	bool open;
	struct loom_conv_stage stage;
};

/**
 * struct loom_conv_channels - one or four output channels
 * @n: batch
 * @o: the first
 * @nb: how many
 * @x: the input channels
 * @w: the weights' channels
 * @wo: bytes from @w to each output channel's weights
 * @y: first byte of each output channel
 * @bias: of each
 * @inputs: how many input channels to add
 * @more: to sums that are begun, and are not results then
 * @last: the sums are complete then
 * @out: sums of a tile: out[nb][LOOM_TILE]
 */
struct loom_conv_channels {
	u32 n;
	u32 o;
	u32 nb;
	struct loom_row x;
	struct loom_row w;
	s64 wo[4];
	u8 *y[4];
	float bias[4];
	u32 inputs;
	bool more;
	bool last;
	float *out;
};

/**
 * struct loom_conv_range - taps on an axis that meet x
 * @first: the first
 * @end: behind the last
 * @at: index in x of the first
 */
struct loom_conv_range {
	u32 first;
	u32 end;
	s64 at;
};

static inline struct loom_conv_range loom_conv_clip(const struct loom_conv_f32 *f, u32 i, u32 y)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	s64 at = (s64)y * attr->stride[i] - attr->pad[i];
	s64 dilation = attr->dilation[i];
	s64 size = f->c.x.dims[2 + i];
	s64 first = at < 0 ? -at : 0;
	s64 end = at < size ? size - at : 0;

	if (dilation > 1) {
		first = (first + dilation - 1) / dilation;
		end = (end + dilation - 1) / dilation;
	}
	end = min(end, (s64)f->c.w->dims[2 + i]);
	return (struct loom_conv_range){ first, max(first, end), at + first * dilation };
}

/* Bytes of x from a channel to where W begins at @d and @h. */
static inline s64 loom_conv_x_row(const struct loom_conv_f32 *f, u32 d, u32 h)
{
	return loom_view_step(&f->c.x, f->c.memory, 2, d) +
	       loom_view_step(&f->c.x, f->c.memory, 3, h);
}

/* Where a position in the plane of a channel's outputs is on D, H and W. */
static __always_inline void loom_conv_position(const struct loom_conv *conv, u64 p, u32 *index)
{
	u64 row = p / conv->y.dims[4];

	index[2] = p % conv->y.dims[4];
	index[1] = row % conv->y.dims[3];
	index[0] = row / conv->y.dims[3];
}

/* acc[nb][nv] += w[nb] * x[nv]: one tap */
static __always_inline void loom_conv_multiply(struct loom_vec *acc, const struct loom_vec *x,
					       const u8 *w, const s64 *wo, const u32 nb,
					       const u32 nv)
{
	u32 i, j;

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		struct loom_vec wv = loom_vec_splat(loom_get_f32(w + wo[i]));

#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j].v += x[j].v * wv.v;
	}
}

static __always_inline void loom_conv_acc_begin(struct loom_vec *acc, const u32 nb, const u32 nv,
						bool more, const float *out)
{
	u32 i, j;

#pragma GCC unroll 8
	for (i = 0; i < nb * nv; i++)
		acc[i] = loom_vec_splat(0.0f);
	if (!more)
		return;
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j] = loom_vec_load(out + LOOM_TILE * i + 4 * j);
	}
}

static __always_inline void loom_conv_acc_end(const struct loom_vec *acc, const u32 nb,
					      const u32 nv, float *out)
{
	u32 i, j;

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			loom_vec_store(out + LOOM_TILE * i + 4 * j, acc[i * nv + j]);
	}
}

/* Taps that the table below has room for: 5x5 */
#define LOOM_CONV_NARROW_TAPS	25

/**
 * struct loom_conv_narrow_tap - one tap of a block of positions
 * @w: bytes from an input channel's weights to the tap's
 * @off: bytes from an input channel to each position's input, or to any where it has none
 * @in: bit per position of each vector: its input lies in x
 * @row: bit per position of each vector: the row of its input does
 * @inside: all inputs lie in x
 * @rows: all rows do
 */
struct loom_conv_narrow_tap {
	s32 w;
	s32 off[8];
	u8 in[2];
	u8 row[2];
	bool inside;
	bool rows;
};

/**
 * struct loom_conv_narrow - the taps of a block of positions, in order
 * @position: the first of the block
 * @positions: how many; 0: the table is still to be made
 * @count: taps whose row lies in x for any position
 * @tap: they
 */
struct loom_conv_narrow {
	u64 position;
	u32 positions;
	u32 count;
	struct loom_conv_narrow_tap tap[LOOM_CONV_NARROW_TAPS];
};

/* Of a pointwise convolution without steps the spatial axes become one, if their rows follow. */
void loom_conv_flatten(struct loom_conv *conv);

/* Bias and activation: @n results of channel @i, of as many as @v has room for, LOOM_TILE. */
void loom_conv_finish(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u32 i,
		      u32 n, float *v);

/* The outputs from position @p to @end: row by row, in blocks of positions side by side. */
void loom_conv_wide_run(struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u64 p,
			u64 end);

/* Whether that computes several short rows together. */
bool loom_conv_rows_suit(const struct loom_conv_f32 *f);

/* Whether the function below can be of use. */
bool loom_conv_columns_suit(const struct loom_conv_f32 *f);
/*
 * Sums of rows of one output, from position @p on and before @end, to @ch->out. Return: how many;
 * zero where some taps on H do not meet x, or where there are too few.
 */
u32 loom_conv_columns(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u64 p,
		      u64 end);

/* Whether the function below can, and should. */
bool loom_conv_narrow_suits(const struct loom_conv_f32 *f);
/* The same bits in blocks of positions that need not share a row. @taps is kept for the next. */
void loom_conv_narrow_run(const struct loom_conv_f32 *f, struct loom_conv_narrow *taps,
			  const struct loom_conv_channels *ch, u64 p, u64 end);

/* Whether the function below can, and should. */
bool loom_conv_depth_suits(const struct loom_conv_f32 *f);
/* All outputs of @channels groups from @o, each of one channel. @taps is kept for the next. */
void loom_conv_depth_run(const struct loom_conv_f32 *f, struct loom_conv_narrow *taps, u32 n,
			 u32 o, u32 channels);

/* Output channels of a block: the lanes of a vector */
#define LOOM_CONV_PACKED	16

/* A convolution of bytes whose groups are a channel each: lanes are groups then. */
static inline bool loom_conv_packed_depth(const struct loom_conv_f32 *f)
{
	return f->c.inputs == 1 && f->c.outputs == 1;
}

#ifdef __AVX512VNNI__
/* Whether the functions below can, and should. */
bool loom_conv_packed_suits(const struct loom_conv_f32 *f);

/* What is paid once for a call of the function below, in element operations. */
u64 loom_conv_packed_look(const struct loom_conv_f32 *f);

/* The outputs from position @p to @end, of @nb channels from @o, at most LOOM_CONV_PACKED. */
void loom_conv_packed_run(const struct loom_conv_f32 *f, u32 n, u32 o, u32 nb, u64 p, u64 end);
#endif

/* Floats of a box: it stays in the cache behind the first. */
#define LOOM_CONV_BOX	(64U << 10)

/**
 * struct loom_conv_box - a part of x, copied so that rows are side by side
 * @from: the convolution as it is
 * @tall: columns are side by side, see fp_conv_tall.c
 * @whole: rows that outputs need are all rows of x
 * @pitch: floats from a row to the next
 * @n: batch of what is held
 * @channel: its first channel
 * @channels: how many; 0: nothing is held
 * @row: its first row on H
 * @rows: how many
 * @data: by channel, by row; what is read behind the last of a row is not used
 */
struct loom_conv_box {
	struct loom_conv_f32 from;
	bool tall;
	bool whole;
	u32 pitch;
	u32 n;
	u32 channel;
	u32 channels;
	u32 row;
	u32 rows;
	float data[LOOM_CONV_BOX + 2 * LOOM_TILE] __attribute__((aligned(64)));
};

/* Whether the functions below can, and should. */
bool loom_conv_box_suits(const struct loom_conv_f32 *f);

/* Nothing is held yet. @f becomes the convolution of a box, if that is not @tall. */
void loom_conv_box_begin(struct loom_conv_box *box, struct loom_conv_f32 *f, bool tall);

/*
 * Has the inputs of outputs from position @p to @end of channel @o, and as many of @channels input
 * channels from there on as there is room for, if @part can pay for that, and @more besides.
 *
 * Return: rows of outputs from the first on whose inputs are there; 0: it cannot.
 */
u64 loom_conv_box_hold(struct loom_conv_box *box, struct loom_conv_f32 *f, struct loom_part *part,
		       u64 more, u32 n, u32 o, u64 channels, u64 p, u64 end);

/* Rows of outputs that are worth to be computed by columns */
#define LOOM_CONV_TALL_ROWS	16
/* Most taps, and the largest step on H */
#define LOOM_CONV_TALL_TAPS	64
#define LOOM_CONV_TALL_STEPS	2

/* Whether the functions below can, and should. */
bool loom_conv_tall_suits(const struct loom_conv_f32 *f);

/* Floats that a channel of x takes when it is turned. */
u64 loom_conv_tall_plane(const struct loom_conv_f32 *f);

/* Turns a channel of x, which begins at @channel, to @to. */
void loom_conv_tall_copy(const struct loom_conv_f32 *f, u8 *channel, float *to);

/* Rows of outputs all of whose taps on H meet x: those from @first and before @end. */
void loom_conv_tall_rows(const struct loom_conv_f32 *f, u32 *first, u32 *end);

/* Some of those, of all of @ch, whose input channels are at @x, one after the other. */
void loom_conv_tall_run(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
			const float *x, u32 first, u32 end);

#endif /* LOOM_FP_CONV_F32_H */
