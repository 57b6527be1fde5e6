/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_CONV_F32_H
#define LOOM_FP_CONV_F32_H

#include "fp_conv.h"

/**
 * struct loom_conv_stage - how rows of x are copied, so that taps read them side by side
 *
 * A stage holds what taps read of a row of x, or of those of several rows of outputs. Either taps
 * share the elements, sorted by phase of the stride, or each has its own.
 *
 * @lanes: outputs of the block that it is for, those between two rows included; 0: there is none
 * @width: outputs of a row
 * @rows: rows of outputs
 * @at: index in x of the first input of the first of them
 * @first: the tap that it is for, if there is no room for all
 * @taps: taps that it is for: all, or one
 * @tap: by tap: where its inputs are
 * @pitch: from the elements of a row to those of the next, and from its outputs
 * @dense: elements that lie in x are side by side, there and in the stage
 * @pairs: elements are side by side in x, and every one is needed, by turns in either half
 * @inside: elements of a row that lie in x; the others of a stage are zero
 * @slots: elements of a stage
 * @slot: by element of the first row that lies in x: where it is in the stage; of the first if
 *	@dense
 * @off: likewise: bytes to it from where its row would begin
 */
struct loom_conv_stage {
	u32 lanes;
	u32 width;
	u32 rows;
	s64 at;
	u32 first;
	u32 taps;
	u16 tap[LOOM_CONV_TAPS];
	u32 pitch;
	bool dense;
	bool pairs;
	u32 inside;
	u32 slots;
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
 * @stage: of the last block that has needed one
 */
struct loom_conv_f32 {
	struct loom_conv c;
	u8 *y_origin;
	s64 w_step[3];
	bool bytes;
	bool half;
	bool contiguous;
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

/* Of a pointwise convolution without steps the spatial axes become one, if their rows follow. */
void loom_conv_flatten(struct loom_conv *conv);

/* Bias and activation: @n results of channel @i, of as many as @v has room for, LOOM_TILE. */
void loom_conv_finish(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u32 i,
		      u32 n, float *v);

/* The outputs from position @p to @end. */
void loom_conv_wide_run(struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u64 p,
			u64 end);

/*
 * Of a box that is turned: outputs of rows @first to @end. Elements of a phase of a column of x
 * are @column floats.
 */
void loom_conv_turned_run(struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u32 column,
			  u32 first, u32 end);

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

/* Fixed cost of a call of the function below, in element operations. */
u64 loom_conv_packed_look(const struct loom_conv_f32 *f);

/* The outputs from position @p to @end, of @nb channels from @o, at most LOOM_CONV_PACKED. */
void loom_conv_packed_run(const struct loom_conv_f32 *f, u32 n, u32 o, u32 nb, u64 p, u64 end);
#endif

/* Floats of a box: it stays in the cache behind the first. */
#define LOOM_CONV_BOX	(64U << 10)

/**
 * struct loom_conv_box - a part of x, copied so that rows are side by side
 * @from: the convolution as it is
 * @turned: columns are side by side, sorted by phase of the step on H
 * @whole: rows that outputs need are all rows of x
 * @pitch: floats from a row to the next, or of a phase of a column
 * @n: batch of what is held
 * @channel: its first channel
 * @channels: how many; 0: nothing is held
 * @row: its first row on H
 * @rows: how many
 * @data: by channel, by row or column; elements read behind the last of a row are unused
 */
struct loom_conv_box {
	struct loom_conv_f32 from;
	bool turned;
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

/* Nothing is held yet. @f becomes the convolution of a box. */
void loom_conv_box_begin(struct loom_conv_box *box, struct loom_conv_f32 *f);

/*
 * Has the inputs of outputs from position @p to @end of channel @o, and as many of @channels input
 * channels from there on as there is room for, if @part can pay for that, and @more besides.
 *
 * Return: rows of outputs from the first on whose inputs are there; 0: it cannot.
 */
u64 loom_conv_box_hold(struct loom_conv_box *box, struct loom_conv_f32 *f, struct loom_part *part,
		       u64 more, u32 n, u32 o, u64 channels, u64 p, u64 end);

/* Rows of outputs all of whose taps on H meet x: those from @first and before @end. */
void loom_conv_box_inside(const struct loom_conv_f32 *f, u32 *first, u32 *end);

/* Rows of outputs that are worth to be computed in a box that is turned */
#define LOOM_CONV_TURNED	16

#endif /* LOOM_FP_CONV_F32_H */
