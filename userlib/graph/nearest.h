/* SPDX-License-Identifier: MIT */
#ifndef LOOM_GRAPH_NEAREST_H
#define LOOM_GRAPH_NEAREST_H

#include "attrs.h"

/**
 * struct loom_nearest - an axis of a RESIZE whose sizes are given
 * @in: elements of the operand
 * @out: elements of the result
 * @num: numerator of the scale, result over operand; mostly @out
 * @den: its denominator; mostly @in
 *
 * All are in 1..LOOM_NEAREST_MAX.
 */
struct loom_nearest {
	int64_t in;
	int64_t out;
	int64_t num;
	int64_t den;
};

#define LOOM_NEAREST_MAX	((int64_t)1 << 24)

/**
 * loom_nearest_exact() - the element that NEAREST selects by ONNX's definition, in integers
 * @r: coordinates and rounding; not TF_CROP_AND_RESIZE
 * @axis: sizes
 * @i: element of the result, in 0..@axis->out - 1
 *
 * Return: the element of the operand.
 */
int64_t loom_nearest_exact(const struct loom_gresize *r, const struct loom_nearest *axis,
			   int64_t i);

/**
 * loom_resize_source() - the coordinate of an element in the operand, in binary32
 * @r: the resize; not TF_CROP_AND_RESIZE
 * @axis: the axis
 * @in: its elements in the operand
 * @out: its elements in the result
 * @i: element of the result
 *
 * The order of operations must be that of the engine.
 *
 * Return: the engine's coordinate, to the bit.
 */
float loom_resize_source(const struct loom_gresize *r, uint32_t axis, int64_t in, int64_t out,
			 int64_t i);

/** loom_nearest_device() - the element that a device selects, in binary32; same arguments */
int64_t loom_nearest_device(const struct loom_gresize *r, uint32_t axis, int64_t in, int64_t out,
			    int64_t i);

#endif /* LOOM_GRAPH_NEAREST_H */
