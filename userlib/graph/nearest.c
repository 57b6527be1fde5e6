// SPDX-License-Identifier: MIT
/*
 * The element that a RESIZE selects, and its coordinate in the operand.
 *
 * If sizes are given, the scale is a fraction, and a coordinate may lie exactly between two
 * elements. Binary32 misses such ties and others by a unit in the last place, and selects the
 * neighbour. So front ends compare the two, and gather an axis on which they differ.
 */
#include "nearest.h"

#include <math.h>

static int64_t clamp(int64_t index, int64_t in)
{
	return index < 0 ? 0 : index < in ? index : in - 1;
}

int64_t loom_nearest_exact(const struct loom_gresize *r, const struct loom_nearest *axis,
			   int64_t i)
{
	int64_t in = axis->in, out = axis->out, num = axis->num, den = axis->den;
	/* the coordinate is n / d */
	int64_t n = (2 * i + 1) * den - num, d = 2 * num, floor, rest;

	switch (r->coord) {
	case LOOM_GRESIZE_ASYMMETRIC:
		n = i * den;
		d = num;
		break;
	case LOOM_GRESIZE_ALIGN_CORNERS:
		n = out > 1 ? i * (in - 1) : 0;
		d = out > 1 ? out - 1 : 1;
		break;
	case LOOM_GRESIZE_PYTORCH_HALF_PIXEL:
		n = out > 1 ? n : 0;
		break;
	case LOOM_GRESIZE_HALF_PIXEL_SYMMETRIC:
		n += in * num - out * den;
		break;
	case LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN:
		n += num;
		break;
	default:
		break;
	}
	floor = n / d - (n % d < 0);
	rest = n - floor * d;
	switch (r->round) {
	case LOOM_GRESIZE_ROUND_PREFER_FLOOR:
		floor += 2 * rest > d;
		break;
	case LOOM_GRESIZE_ROUND_PREFER_CEIL:
		floor += 2 * rest >= d;
		break;
	case LOOM_GRESIZE_FLOOR:
		break;
	case LOOM_GRESIZE_CEIL:
		floor += rest > 0;
		break;
	}
	return clamp(floor, in);
}

float loom_resize_source(const struct loom_gresize *r, uint32_t axis, int64_t in, int64_t out,
			 int64_t i)
{
	float scale = r->scales[axis], x = (float)i;

	if (scale == 1.0f)
		return x;
	switch (r->coord) {
	case LOOM_GRESIZE_ASYMMETRIC:
		return x / scale;
	case LOOM_GRESIZE_PYTORCH_HALF_PIXEL:
		return out == 1 ? 0.0f : (x + 0.5f) / scale - 0.5f;
	case LOOM_GRESIZE_ALIGN_CORNERS:
		return out == 1 ? 0.0f : x * ((float)in - 1.0f) / ((float)out - 1.0f);
	case LOOM_GRESIZE_HALF_PIXEL_SYMMETRIC:
		return (float)in / 2.0f * (1.0f - (float)out / (scale * (float)in)) +
		       (x + 0.5f) / scale - 0.5f;
	default:
		/* TF_HALF_PIXEL_FOR_NN as well: see loom_nearest_device() */
		return (x + 0.5f) / scale - 0.5f;
	}
}

int64_t loom_nearest_device(const struct loom_gresize *r, uint32_t axis, int64_t in, int64_t out,
			    int64_t i)
{
	float at = loom_resize_source(r, axis, in, out, i), low = floorf(at), part = at - low;
	/*
	 * half a pixel more than the source, for which the rounding compensates; see lower/resize.c
	 */
	bool tf = r->coord == LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN;
	bool up = false;

	switch (r->round) {
	case LOOM_GRESIZE_ROUND_PREFER_FLOOR:
		up = part > (tf ? 0.0f : 0.5f);
		break;
	case LOOM_GRESIZE_ROUND_PREFER_CEIL:
		up = part >= 0.5f;
		break;
	case LOOM_GRESIZE_FLOOR:
		up = tf && part >= 0.5f;
		break;
	case LOOM_GRESIZE_CEIL:
		up = part > 0.0f;
		break;
	}
	at = up ? low + 1.0f : low;
	if (!(at > 0.0f))
		return 0;
	return at < (float)(in - 1) ? (int64_t)at : in - 1;
}
