// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "footprint.h"

/**
 * DOC: Footprints
 *
 * To know what is initialised, bytes are too many to count and ranges say too little: a
 * slice of an image is a thousand ranges. So a view is said in indices of the tensor it lies
 * in, as a box: a range per axis.
 *
 * The strides of a tensor nest, so an offset has one way to be a sum of index * stride: that of
 * digits in a number of mixed radix. The view's offset gives the digits of its first element. Then
 * each axis of the view is a walk: so many steps, so far apart. Walks that continue each other
 * become one, which undoes reshapes; each walk is laid on the axis of the tensor whose stride it is
 * a multiple of. It may
 *
 * - end on that axis: a range, with holes if it takes every second element;
 * - run over the axis a whole number of times, taking the same of it each time: a range on it
 *   and a walk on the next axis out;
 * - run over it in any other way: a contiguous run over some axes, which is a few boxes: what
 *   is left of the first row, whole rows, the beginning of the last.
 *
 * In SRAM the lane axis of the tensor is two: rows, on which offsets and walks work as on any
 * axis, and the bank in the row, which only the lane axis of the view moves on.
 *
 * What does not fit, such as a diagonal, has no footprint; the caller then asks for the whole
 * tensor.
 */

/**
 * struct loom_digit - an axis of the tensor as offsets see it
 * @count: elements; on the lane axis rows
 * @stride: bytes
 * @first: index of the first element of the view
 * @span: last index less first
 * @step: index distance of the walk on it
 * @walks: number of walks on it
 * @axis: of the footprint
 * @lane: it is the lane axis
 * @run: part of the contiguous run
 */
struct loom_digit {
	u64 count;
	u64 stride;
	u64 first;
	u64 span;
	u64 step;
	u32 walks;
	u8 axis;
	bool lane;
	bool run;
};

/**
 * struct loom_walk - an axis of the view
 * @count: elements, at least two
 * @stride: bytes, not zero
 */
struct loom_walk {
	u64 count;
	u64 stride;
};

/**
 * struct loom_trace - a footprint being made
 * @lanes: SRAM banks
 * @digits: axes with more than one element, outermost first
 * @digit_count: number of @digits
 * @walks: innermost first
 * @walk_count: number of @walks
 * @offset: bytes from the tensor to the element of the view with the lowest address
 * @lane_axis: axis of the footprint that is the lane axis
 * @has_lane: there is one: the tensor has more than one element on it
 * @lane_size: elements of the tensor on the lane axis, 1 in DRAM
 * @lane_first: bank of the view's first element
 * @lane_count: elements of the view on its lane axis
 * @run_first: outermost digit of the contiguous run
 * @run_last: innermost
 * @run_start: first element of it, in elements of the innermost digit
 * @run_count: elements of it, zero if there is none
 */
struct loom_trace {
	u32 lanes;
	struct loom_digit digits[DRM_LOOM_MAX_RANK];
	u32 digit_count;
	struct loom_walk walks[DRM_LOOM_MAX_RANK];
	u32 walk_count;
	u64 offset;
	u32 lane_axis;
	bool has_lane;
	u64 lane_size;
	u64 lane_first;
	u64 lane_count;
	u32 run_first;
	u32 run_last;
	u64 run_start;
	u64 run_count;
};

static void loom_trace_add_axes(struct loom_trace *trace, struct loom_footprint *footprint,
				const struct drm_loom_plan_tensor *tensor)
{
	bool sram = tensor->region == DRM_LOOM_REGION_SRAM;
	u32 i;

	trace->lane_size = 1;
	for (i = 0; i < tensor->rank; i++) {
		bool lane = sram && i == tensor->lane_axis;
		u64 count = tensor->dims[i];
		struct loom_digit *digit;

		if (count == 1)
			continue;
		if (lane) {
			trace->has_lane = true;
			trace->lane_axis = footprint->axes;
			trace->lane_size = count;
			count = loom_div_round_up(count, trace->lanes);
		}
		if (count > 1) {
			digit = &trace->digits[trace->digit_count++];
			digit->count = count;
			digit->stride = tensor->strides[i];
			digit->axis = footprint->axes;
			digit->lane = lane;
		}
		footprint->size[footprint->axes++] = tensor->dims[i];
	}
}

/* Adds a walk in order of its stride. */
static void loom_trace_add_walk(struct loom_trace *trace, u64 count, u64 stride)
{
	u32 i = trace->walk_count++;

	for (; i > 0 && trace->walks[i - 1].stride > stride; i--)
		trace->walks[i] = trace->walks[i - 1];
	trace->walks[i].count = count;
	trace->walks[i].stride = stride;
}

static bool loom_trace_add_view(struct loom_trace *trace, const struct drm_loom_plan_tensor *tensor,
				const struct loom_view *view)
{
	bool sram = view->region == DRM_LOOM_REGION_SRAM;
	u32 i, row;

	trace->offset = view->offset - tensor->offset;
	trace->lane_count = 1;
	if (sram) {
		trace->lane_count = view->dims[view->lane_axis];
		trace->lane_first = view->lane_start % trace->lanes;
		row = view->lane_start / trace->lanes;
		/* An alias may have rows of another size: fine as long as it stays in one. */
		if (trace->lane_first + trace->lane_count > trace->lanes &&
		    (u64)view->strides[view->lane_axis] != tensor->strides[tensor->lane_axis])
			return false;
		trace->offset += row * (u64)view->strides[view->lane_axis];
	}
	for (i = 0; i < view->rank; i++) {
		u64 stride = view->strides[i];

		if ((sram && i == view->lane_axis) || view->dims[i] == 1 || !stride)
			continue;
		if (view->strides[i] < 0) {
			stride = 0 - stride;
			trace->offset -= (view->dims[i] - 1) * stride;
		}
		loom_trace_add_walk(trace, view->dims[i], stride);
	}
	return true;
}

/* Digits of the first element. */
static bool loom_trace_place(struct loom_trace *trace)
{
	u64 rest = trace->offset;
	u32 i;

	for (i = 0; i < trace->digit_count; i++) {
		struct loom_digit *digit = &trace->digits[i];

		digit->first = div64_u64_rem(rest, digit->stride, &rest);
		if (digit->first >= digit->count)
			return false;
	}
	return !rest;
}

/* Digit @i is packed in the one outside of it, and neither is the lane axis. */
static bool loom_trace_packed(const struct loom_trace *trace, u32 i)
{
	const struct loom_digit *inner = &trace->digits[i];

	return i > 0 && !inner->lane && !inner[-1].lane &&
	       inner[-1].stride == inner->count * inner->stride;
}

/* Lets the contiguous run begin on digit @last and have @more elements more of that. */
static bool loom_trace_add_run(struct loom_trace *trace, u32 last, u64 more)
{
	struct loom_digit *digit = &trace->digits[last];
	u64 start = digit->first, size = digit->count;
	u32 i = last;

	if (digit->lane || (trace->run_count && trace->run_last != last))
		return false;
	digit->run = true;
	trace->run_last = last;
	trace->run_count += more;
	while (start + trace->run_count > size) {
		if (!loom_trace_packed(trace, i))
			return false;
		digit = &trace->digits[--i];
		if (digit->walks && !digit->run)
			return false;
		digit->run = true;
		start += digit->first * size;
		size *= digit->count;
	}
	trace->run_first = i;
	trace->run_start = start;
	return true;
}

/*
 * The digit that a walk moves on: the first whose stride is not larger. Behind the last if there
 * is none. A walk that is not a multiple of that may be one of a digit inside it.
 */
static u32 loom_trace_digit(const struct loom_trace *trace, u64 stride, u64 *step)
{
	u64 rest;
	u32 i = 0;

	while (i < trace->digit_count && trace->digits[i].stride > stride)
		i++;
	for (; i < trace->digit_count; i++) {
		*step = div64_u64_rem(stride, trace->digits[i].stride, &rest);
		if (!rest)
			return i;
	}
	return trace->digit_count;
}

/*
 * How many rows a walk of @count elements, @step apart, takes of the digit outside of @i, if it
 * takes the same elements of each and begins with the first of them; else zero.
 */
static u64 loom_trace_rows(const struct loom_trace *trace, u32 i, u64 count, u64 step)
{
	const struct loom_digit *digit = &trace->digits[i];
	u64 per_row, rows, rest;

	if (!i || digit->lane || trace->digits[i - 1].lane || digit->walks || digit->first >= step)
		return 0;
	per_row = div64_u64_rem(trace->digits[i - 1].stride, step * digit->stride, &rest);
	if (rest || digit->first + (per_row - 1) * step >= digit->count)
		return 0;
	rows = div64_u64_rem(count, per_row, &rest);
	return rest ? 0 : rows;
}

static bool loom_trace_lay_walk(struct loom_trace *trace, struct loom_footprint *footprint,
				const struct loom_walk *walk)
{
	u64 count = walk->count, step = 0, rows;
	u32 i = loom_trace_digit(trace, walk->stride, &step);

	if (i == trace->digit_count)
		return false;
	for (;;) {
		struct loom_digit *digit = &trace->digits[i];

		if (digit->run) {
			/* Not exact, but it has a first and a last element. */
			footprint->exact = false;
			step = walk->stride;
			if (count != walk->count)
				return false;
			return loom_trace_add_run(trace, trace->run_last, (count - 1) *
				div64_u64(step, trace->digits[trace->run_last].stride));
		}
		/* Rows of lanes are judged when the banks are known. */
		if (digit->walks || (step != 1 && !digit->lane))
			footprint->exact = false;
		if (digit->first + digit->span + (count - 1) * step < digit->count) {
			digit->span += (count - 1) * step;
			digit->step = step;
			digit->walks++;
			return true;
		}

		/* It runs over the end of the axis. */
		rows = loom_trace_rows(trace, i, count, step);
		if (!rows)
			return loom_trace_add_run(trace, i, digit->span + (count - 1) * step + 1);
		digit->span = div64_u64(count, rows) * step - step;
		digit->walks++;
		count = rows;
		step = 1;
		i--;
	}
}

/*
 * Two walks are one if the outer continues the inner, on the same axis or on one that the inner
 * runs into. If the inner ends before, or if there is a gap between the rows, that the strides
 * fit is chance: columns of rows that happen to be twice as far apart.
 */
static bool loom_trace_joins(const struct loom_trace *trace, const struct loom_walk *inner,
			     const struct loom_walk *outer)
{
	u64 step = 0, outer_step = 0;
	u32 i = loom_trace_digit(trace, inner->stride, &step);
	u32 to = loom_trace_digit(trace, outer->stride, &outer_step);
	const struct loom_digit *digit;

	/* Both are inside of a tensor, so the product is its bytes at most. */
	if (outer->stride != inner->count * inner->stride || i == trace->digit_count)
		return false;
	if (i <= to)
		return true;
	digit = &trace->digits[i];
	if (digit->first + digit->span + (inner->count - 1) * step < digit->count)
		return false;
	while (i > to)
		if (!loom_trace_packed(trace, i--))
			return false;
	return true;
}

static bool loom_trace_lay_walks(struct loom_trace *trace, struct loom_footprint *footprint)
{
	struct loom_walk walk;
	u32 i = 0;

	while (i < trace->walk_count) {
		walk = trace->walks[i++];
		for (; i < trace->walk_count; i++) {
			if (!loom_trace_joins(trace, &walk, &trace->walks[i]))
				break;
			walk.count *= trace->walks[i].count;
		}
		if (!loom_trace_lay_walk(trace, footprint, &walk))
			return false;
	}
	return true;
}

/* The range on the lane axis: banks in a row, times rows. */
static bool loom_trace_lane_box(const struct loom_trace *trace, struct loom_footprint *footprint,
				struct loom_box *box)
{
	u64 low = trace->lane_first, high = low + trace->lane_count;
	u32 i;

	for (i = 0; i < trace->digit_count; i++) {
		const struct loom_digit *digit = &trace->digits[i];

		if (!digit->lane)
			continue;
		low += digit->first * trace->lanes;
		high += (digit->first + digit->span) * trace->lanes;
		if (digit->walks && (digit->walks > 1 ||
				     trace->lane_count != digit->step * trace->lanes))
			footprint->exact = false;
	}
	/* The last row of the tensor may have banks that are behind its last element. */
	if (high > trace->lane_size)
		return false;
	if (trace->has_lane) {
		box->low[trace->lane_axis] = low;
		box->high[trace->lane_axis] = high;
	}
	return true;
}

/* Cuts the contiguous run into boxes; @base has the ranges of the other axes. */
static bool loom_trace_cut_run(const struct loom_trace *trace, struct loom_footprint *footprint,
			       const struct loom_box *base)
{
	u64 start = trace->run_start, left = trace->run_count;
	u64 inner[DRM_LOOM_MAX_RANK], digit, rest, size = 1;
	u32 i;

	for (i = trace->run_last + 1; i-- > trace->run_first;) {
		inner[i] = size;
		size *= trace->digits[i].count;
	}
	footprint->count = 0;
	while (left) {
		struct loom_box *box = &footprint->box[footprint->count];
		u64 take = 0;

		if (footprint->count++ == LOOM_MAX_BOXES)
			return false;
		*box = *base;
		/* The outermost axis that it can take whole elements of. */
		rest = start;
		for (i = trace->run_first; i <= trace->run_last; i++) {
			u32 axis = trace->digits[i].axis;

			digit = div64_u64_rem(rest, inner[i], &rest);
			box->low[axis] = digit;
			box->high[axis] = digit + 1;
			if (!take && !rest && left >= inner[i]) {
				take = min(div64_u64(left, inner[i]),
					   trace->digits[i].count - digit);
				box->high[axis] = digit + take;
				start += take * inner[i];
				left -= take * inner[i];
			} else if (take) {
				box->low[axis] = 0;
				box->high[axis] = trace->digits[i].count;
			}
		}
	}
	return true;
}

static bool loom_trace_make_boxes(const struct loom_trace *trace, struct loom_footprint *footprint)
{
	struct loom_box base = {};
	u32 i;

	for (i = 0; i < trace->digit_count; i++) {
		const struct loom_digit *digit = &trace->digits[i];

		base.low[digit->axis] = digit->first;
		base.high[digit->axis] = digit->first + digit->span + 1;
	}
	if (!loom_trace_lane_box(trace, footprint, &base))
		return false;
	if (trace->run_count)
		return loom_trace_cut_run(trace, footprint, &base);
	footprint->box[0] = base;
	footprint->count = 1;
	return true;
}

bool loom_footprint_get(struct loom_footprint *footprint,
			const struct drm_loom_plan_tensor *tensor, const struct loom_view *view,
			u32 lanes)
{
	struct loom_trace trace = { .lanes = lanes };

	footprint->axes = 0;
	footprint->exact = true;
	loom_trace_add_axes(&trace, footprint, tensor);
	if (!loom_trace_add_view(&trace, tensor, view))
		return false;
	return loom_trace_place(&trace) && loom_trace_lay_walks(&trace, footprint) &&
	       loom_trace_make_boxes(&trace, footprint);
}

static bool loom_box_disjoint(const struct loom_box *a, const struct loom_box *b, u32 axes)
{
	u32 i;

	for (i = 0; i < axes; i++)
		if (a->high[i] <= b->low[i] || b->high[i] <= a->low[i])
			return true;
	return false;
}

bool loom_footprint_disjoint(const struct loom_footprint *a, const struct loom_footprint *b)
{
	u32 i, j;

	for (i = 0; i < a->count; i++)
		for (j = 0; j < b->count; j++)
			if (!loom_box_disjoint(&a->box[i], &b->box[j], a->axes))
				return false;
	return true;
}
