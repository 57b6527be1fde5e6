/* SPDX-License-Identifier: MIT */
/*
 * Shared by convolution and pooling: [N, C, spatial...] is extended to [N, C, D, H, W], with axes
 * of one element if there are fewer than three spatial axes. Channels are distributed over lanes.
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
/** loom_window_axis() - the axis of D, H and W (0 to 2) of spatial axis @i of @num_spatial */
u32 loom_window_axis(u32 num_spatial, u32 i);
/** loom_window_follow() - maps axis @axis of an operand to axis @result of the result */
void loom_window_follow(struct loom_operand *operand, u32 axis, enum loom_map_kind kind,
			u32 result);
/** loom_window_follow_all() - maps each axis of an operand to the same axis of the result */
void loom_window_follow_all(struct loom_operand *operand);
/**
 * loom_window_check() - check kernels, strides or pads against the device's limits
 * @lower: for errors
 * @numbers: by spatial axis
 * @count: number of @numbers
 *
 * Attributes are 32 bits wide, and the device limits them.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int loom_window_check(struct loom_lower *lower, const s64 *numbers, u32 count);
/**
 * loom_window_keep_whole() - prevent cuts of spatial axis @spatial that are impossible
 * @kernel: the kernel
 * @spatial: 0 to 2
 *
 * A slice whose first window lies behind the input would need a negative pad, which the device
 * lacks. Real models have no such axes.
 */
void loom_window_keep_whole(struct loom_kernel *kernel, u32 spatial);

#endif /* LOOM_LOWER_WINDOW_H */
