// SPDX-License-Identifier: MIT
/*
 * Ranges of the operands that a part of a kernel's result needs, and the attributes of its stages
 * for that part. See kernel.h.
 */
#include "kernel.h"

#include <string.h>

/* Source index of an output, nearly as the device computes it: the caller must add slack. */
static double resize_source(const struct drm_loom_attr_resize *attr, u32 spatial, u64 out)
{
	float scale, begin, end;
	double x = (double)out;
	double in = attr->in_size[spatial], length = attr->out_size[spatial];

	memcpy(&scale, &attr->scale[spatial], sizeof(scale));
	memcpy(&begin, &attr->roi_start[spatial], sizeof(begin));
	memcpy(&end, &attr->roi_end[spatial], sizeof(end));
	switch (attr->coord) {
	case DRM_LOOM_COORD_ASYMMETRIC:
		return x / scale;
	case DRM_LOOM_COORD_ALIGN_CORNERS:
		return length > 1 ? x * (in - 1) / (length - 1) : 0;
	case DRM_LOOM_COORD_PYTORCH_HALF_PIXEL:
		return length > 1 ? (x + 0.5) / scale - 0.5 : 0;
	case DRM_LOOM_COORD_TF_CROP_AND_RESIZE:
		return length > 1 ? begin * (in - 1) + x * (end - begin) * (in - 1) / (length - 1) :
				    0.5 * (begin + end) * (in - 1);
	case DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC:
		return in / 2 * (1 - length / (in * scale)) + (x + 0.5) / scale - 0.5;
	}
	return (x + 0.5) / scale - 0.5;
}

static s64 clamp_index(double x, s64 limit)
{
	if (!(x > 0))
		return 0;
	return x >= (double)limit ? limit : (s64)x;
}

static void range_resize(const struct loom_kernel *kernel, u32 spatial, u64 lo, u64 hi,
			 u64 *in_lo, u64 *in_hi)
{
	/* all modes read the two elements around a source, or one of them; cubic reads one more */
	bool cubic = kernel->resize->mode == DRM_LOOM_RESIZE_CUBIC;
	double a = resize_source(kernel->resize, spatial, lo);
	double b = resize_source(kernel->resize, spatial, hi - 1);
	s64 in = kernel->resize->in_size[spatial];
	/* the device computes in binary32, with 24 bits; crops divide, and may lose more */
	double slack = 1.0 / 64 + (double)in / 262144;
	double reach = kernel->resize->coord == DRM_LOOM_COORD_TF_CROP_AND_RESIZE ? 3 : cubic;

	if (!(a <= b)) {
		double swap = a;

		a = b;
		b = swap;
	}
	*in_lo = clamp_index(a - slack - reach, in - 1);
	*in_hi = clamp_index(b + slack + reach + 1, in - 1) + 1;
}

static void range_window(const struct loom_window *w, u64 lo, u64 hi, u64 *in_lo, u64 *in_hi)
{
	s64 first = (s64)lo * w->stride - w->pad;
	s64 end = ((s64)hi - 1) * w->stride - w->pad + w->extent;

	/* the range of a window outside of the input is not empty, because views have elements */
	if (first < 0)
		first = 0;
	first = min(first, w->in - 1);
	end = min(max(end, first + 1), w->in);
	*in_lo = first;
	*in_hi = end;
}

static void range_scatter(const struct loom_window *w, u64 lo, u64 hi, u64 *in_lo, u64 *in_hi)
{
	/*
	 * The elements i for which i * stride - pad + [0, extent) overlaps [lo, hi). If windows
	 * have gaps between them, an output in a gap needs none, and gets the element before it:
	 * the one behind it may not be loaded yet.
	 */
	s64 reach = (s64)lo + w->pad - (w->extent - 1);
	s64 up = w->extent < w->stride ? 0 : w->stride - 1;
	s64 first = reach <= 0 ? 0 : (reach + up) / w->stride;
	s64 last = (s64)hi - 1 + w->pad;
	s64 end = last < 0 ? 0 : last / w->stride + 1;

	first = min(first, w->in - 1);
	end = min(max(end, first + 1), w->in);
	*in_lo = first;
	*in_hi = end;
}

void loom_kernel_range(const struct loom_kernel *kernel, const struct loom_operand *operand,
		       u32 axis, u64 lo, u64 hi, u64 *in_lo, u64 *in_hi)
{
	const struct loom_map *map = &operand->map[axis];
	u64 group = kernel->group;

	*in_lo = 0;
	*in_hi = operand->ref.dims[axis];
	switch (map->kind) {
	case LOOM_MAP_FULL:
		if (!hi || !loom_kernel_is_summed(kernel, map))
			break;
		*in_lo = lo;
		*in_hi = hi;
		break;
	case LOOM_MAP_SAME:
		*in_lo = lo;
		*in_hi = hi;
		break;
	case LOOM_MAP_WINDOW:
		range_window(&kernel->window[map->spatial], lo, hi, in_lo, in_hi);
		break;
	case LOOM_MAP_SCATTER:
		range_scatter(&kernel->window[map->spatial], lo, hi, in_lo, in_hi);
		break;
	case LOOM_MAP_GROUP:
		*in_lo = lo / group * kernel->group_in;
		*in_hi = loom_div_round_up(hi, group) * kernel->group_in;
		break;
	case LOOM_MAP_GROUP_PART:
		if (lo / group == (hi - 1) / group) {
			*in_lo = lo % group;
			*in_hi = *in_lo + (hi - lo);
		}
		break;
	case LOOM_MAP_RESIZE:
		range_resize(kernel, map->spatial, lo, hi, in_lo, in_hi);
		break;
	}
}

void loom_kernel_tune(const struct loom_kernel *kernel, struct loom_stage *stage,
		      const u64 *out_lo, const u64 *in_lo, const u64 *in_hi)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		const struct loom_window *window = &kernel->window[i];
		s64 lo = out_lo[i + 2], first = in_lo[i + 2], end = in_hi[i + 2];

		switch (stage->opcode) {
		case DRM_LOOM_OP_CONV:
			stage->conv.pad[i] = window->pad - lo * window->stride + first;
			break;
		case DRM_LOOM_OP_DECONV:
			stage->conv.pad[i] = window->pad + lo - first * window->stride;
			break;
		case DRM_LOOM_OP_POOL:
			stage->pool.pad_before[i] = window->pad - lo * window->stride + first;
			if (end < window->in)
				stage->pool.pad_after[i] = 0;
			break;
		case DRM_LOOM_OP_RESIZE:
			stage->resize.in_start[i] = first;
			stage->resize.out_start[i] = lo;
			break;
		default:
			return;
		}
	}
	if (kernel->group && stage->opcode != DRM_LOOM_OP_POOL &&
	    stage->opcode != DRM_LOOM_OP_RESIZE)
		stage->conv.groups = (in_hi[1] - in_lo[1]) / kernel->group_in;
}
