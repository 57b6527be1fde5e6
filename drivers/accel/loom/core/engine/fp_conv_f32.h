/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_CONV_F32_H
#define LOOM_FP_CONV_F32_H

#include "fp_conv.h"

/**
 * struct loom_conv_f32 - a convolution in binary32
 * @c: the convolution
 * @y_step: bytes of y per index on D, H, W
 * @x_step: bytes of x per index on D, H, W
 * @x_hop: bytes of x from a tap to the next on D, H, where two of them can meet x
 * @w_step: bytes of w per index on KD, KH, KW
 * @contiguous: elements of a row of x are side by side
 * @open: the last output of a row does not reach behind the row of x
 * @tap: where a tap's inputs are in a stage
 * @phases: bit mask of the phases that a stage needs
 * @single: stages hold the inputs of one tap only: where that is no more than all of a stage
 * @width: outputs that @tap, @phases and @single are for
 */
struct loom_conv_f32 {
	struct loom_conv c;
	s64 y_step[3];
	s64 x_step[3];
	s64 x_hop[2];
	s64 w_step[3];
	bool contiguous;
	bool open;
	u16 tap[LOOM_CONV_TAPS];
	u32 phases;
	bool single;
	u32 width;
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
 * @off: bytes from an input channel to each position's input, 0 where it has none
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

/* Bias, activation, and out: @n results of channel @i, from index @index on D, H, W. */
void loom_conv_emit(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u32 i,
		    const u32 *index, u32 n, float *v);

/* The outputs from position @p to @end: row by row, in blocks of positions side by side. */
void loom_conv_wide_run(struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u64 p,
			u64 end);

/* Whether the function below can, and should. */
bool loom_conv_narrow_suits(const struct loom_conv_f32 *f);
/* The same bits in blocks of positions that need not share a row. @taps is kept for the next. */
void loom_conv_narrow_run(const struct loom_conv_f32 *f, struct loom_conv_narrow *taps,
			  const struct loom_conv_channels *ch, u64 p, u64 end);

#endif /* LOOM_FP_CONV_F32_H */
