/* SPDX-License-Identifier: MIT */
/*
 * What convolution and pooling share: [N, C, spatial...] is always [N, C, D, H, W], with axes of
 * one element where there are fewer than three spatial axes. Channels are dealt over lanes.
 */
#ifndef LOOM_LOWER_WINDOW_H
#define LOOM_LOWER_WINDOW_H

#include "lower.h"

/* axes of the result and of the data */
/* axes of data and result */
#define CHANNEL	1
#define SPATIAL	2

/** loom_window_to_volume() - adds axes of one element, so that there are three spatial axes */
void loom_window_to_volume(struct loom_ref *ref, u32 num_spatial);
/** loom_window_axis() - which of D, H and W (0 to 2) spatial axis @i of @num_spatial is */
u32 loom_window_axis(u32 num_spatial, u32 i);
/** loom_window_follow() - axis @axis of an operand follows axis @result of the result */
void loom_window_follow(struct loom_operand *operand, u32 axis, enum loom_map_kind kind,
			u32 result);
/** loom_window_follow_all() - each axis of an operand follows the same axis of the result */
void loom_window_follow_all(struct loom_operand *operand);
/**
 * loom_window_check() - kernels, strides or pads that the device can take
 * @lower: for errors
 * @numbers: by spatial axis
 * @count: number of @numbers
 *
 * Attributes are 32 bits wide, and the device caps them.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int loom_window_check(struct loom_lower *lower, const s64 *numbers, u32 count);
/**
 * loom_window_keep_whole() - keeps spatial axis @spatial from being cut, if that cannot be
 * @kernel: the kernel
 * @spatial: 0 to 2
 *
 * A slice whose first window lies behind the input would need a negative pad, which the device does
 * not have. Real models have no such axes.
 */
void loom_window_keep_whole(struct loom_kernel *kernel, u32 spatial);

#endif /* LOOM_LOWER_WINDOW_H */
