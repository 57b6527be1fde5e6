/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_CONV_BOX_H
#define LOOM_FP_CONV_BOX_H

#include "fp_conv_f32.h"

/* Floats of a box: it stays in the cache behind the first. */
#define LOOM_CONV_BOX	(64U << 10)

/**
 * struct loom_conv_box - a part of x, copied so that rows are side by side
 * @from: the convolution as it is
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

#endif /* LOOM_FP_CONV_BOX_H */
