/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_CONV_H
#define LOOM_FP_CONV_H

#include "fp_math.h"

/* Floats that a row of x is staged in */
#define LOOM_CONV_STAGE		128
/* Widest kernel whose taps share a stage */
#define LOOM_CONV_TAPS		16
/* Rows of taps whose places are noted */
#define LOOM_CONV_ROWS		48

/**
 * struct loom_conv - a convolution with its operands prepared
 * @memory: where the operands lie
 * @attr: its attributes
 * @y: the output, maybe with its spatial axes merged to one
 * @x: the input, likewise
 * @w: the weights
 * @bias: one per output channel, or NULL
 * @scale: one per output channel, or NULL
 * @x_origin: first byte of x
 * @w_origin: first byte of w
 * @inputs: input channels of a group
 * @outputs: output channels of a group
 */
struct loom_conv {
	const struct loom_memory *memory;
	const struct drm_loom_attr_conv *attr;
	struct loom_view y;
	struct loom_view x;
	const struct loom_view *w;
	const struct loom_view *bias;
	const struct loom_view *scale;
	u8 *x_origin;
	u8 *w_origin;
	u32 inputs;
	u32 outputs;
};

/* A one-element-per-channel operand. */
static inline const u8 *loom_conv_channel(const struct loom_conv *conv,
					  const struct loom_view *view, u32 o)
{
	return loom_view_origin(view, conv->memory) + loom_view_step(view, conv->memory, 0, o);
}

void loom_conv_begin(struct loom_conv *conv, const struct loom_command *command,
		     const struct loom_memory *memory);

/* Any type, any layout, one tile at a time. */
u64 loom_conv_run_plain(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count, struct loom_part *part);

#endif /* LOOM_FP_CONV_H */
