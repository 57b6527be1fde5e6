// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "footprint.h"

/**
 * DOC: Footprints
 *
 * The footprint of a view is the set of a tensor's elements that it touches. For tracking of
 * initialised elements a map of bytes is too large, and byte ranges are too many: a slice of an
 * image is a thousand ranges. So a footprint is a few boxes: a range of indices on each axis of the
 * tensor.
 *
 * The strides of a tensor nest, so an offset is a sum of index * stride in one way only, like
 * the digits of a mixed-radix number. The view's offset gives the digits of its first element. Then
 * each axis of the view is a walk: so many steps, so far apart. A walk that continues another
 * is joined with it, which undoes reshapes; each walk is then assigned to the axis of the tensor
 * whose stride divides its own. It may
 *
 * - end on that axis: a range, with gaps if it takes every second element;
 * - run over the axis a whole number of times, taking the same elements of it each time: a range
 *   on it and a walk on the next axis out;
 * - run over it in any other way: a contiguous run over some axes, which is a few boxes: the
 *   rest of the first row, whole rows, the beginning of the last.
 *
 * In SRAM the lane axis of the tensor is two: rows, on which offsets and walks work as on any
 * axis, and the bank in the row, which only the lane axis of the view moves on.
 *
 * A view to which none of this applies, such as a diagonal, has no footprint; data.c then wants the
 * whole tensor to be initialised.
 */

/**
 * struct loom_digit - an axis of the tensor, as a digit of an offset
 * @count: elements; on the lane axis rows
 * @stride: bytes
 * @first: index of the first element of the view
 * @span: last index less first
 * @step: index distance of the walk on it
 * @walks: number of walks on it
 * @axis: of the footprint
 * @lane: it is the lane axis
 * @run: it is part of the contiguous run
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
 * struct loom_footprint_axis - an axis of the view
 * @count: elements, at least two
 * @stride: bytes, not zero
 */
struct loom_footprint_axis {
	u64 count;
	u64 stride;
};

/**
 * struct footprint_build - a footprint being computed
 * @lanes: SRAM banks
 * @digits: axes with more than one element, outermost first
 * @digit_count: number of @digits
 * @walks: innermost first
 * @walk_count: number of @walks
 * @offset: bytes from the tensor to the element of the view with the lowest address
 * @lane_axis: axis of the footprint that is the lane axis
 * @has_lane: @lane_axis is valid: the tensor has more than one element on it
 * @lane_size: elements of the tensor on the lane axis, 1 in DRAM
 * @lane_first: bank of the view's first element
 * @lane_count: elements of the view on its lane axis
 * @run_first: outermost digit of the contiguous run
 * @run_last: innermost
 * @run_start: first element of it, in elements of the innermost digit
 * @run_count: elements of it, zero if there is no run
 */
struct footprint_build {
	u32 lanes;
	struct loom_digit digits[DRM_LOOM_MAX_RANK];
	u32 digit_count;
	struct loom_footprint_axis walks[DRM_LOOM_MAX_RANK];
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

static void build_add_axes(struct footprint_build *build, struct loom_footprint *footprint,
			   const struct drm_loom_plan_tensor *tensor)
{
	bool sram = tensor->region == DRM_LOOM_REGION_SRAM;
	u32 i;

	build->lane_size = 1;
	for (i = 0; i < tensor->rank; i++) {
		bool lane = sram && i == tensor->lane_axis;
		u64 count = tensor->dims[i];
		struct loom_digit *digit;

		if (count == 1)
			continue;
		if (lane) {
			build->has_lane = true;
			build->lane_axis = footprint->axes;
			build->lane_size = count;
			count = loom_div_round_up(count, build->lanes);
		}
		if (count > 1) {
			digit = &build->digits[build->digit_count++];
			*digit = (struct loom_digit) {
				.count = count,
				.stride = tensor->strides[i],
				.axis = footprint->axes,
				.lane = lane,
			};
		}
		footprint->size[footprint->axes++] = tensor->dims[i];
	}
}

/* Adds a walk; they are ordered by stride. */
static void build_add_walk(struct footprint_build *build, u64 count, u64 stride)
{
	u32 i = build->walk_count++;

	for (; i > 0 && build->walks[i - 1].stride > stride; i--)
		build->walks[i] = build->walks[i - 1];
	build->walks[i].count = count;
	build->walks[i].stride = stride;
}

static bool build_add_view(struct footprint_build *build, const struct drm_loom_plan_tensor *tensor,
			   const struct loom_view *view)
{
	bool sram = view->region == DRM_LOOM_REGION_SRAM;
	u32 i, row;

	build->offset = view->offset - tensor->offset;
	build->lane_count = 1;
	if (sram) {
		build->lane_count = view->dims[view->lane_axis];
		build->lane_first = view->lane_start % build->lanes;
		row = view->lane_start / build->lanes;
		/* rows of an alias may have another size, if the view stays in one row */
		if (build->lane_first + build->lane_count > build->lanes &&
		    (u64)view->strides[view->lane_axis] != tensor->strides[tensor->lane_axis])
			return false;
		build->offset += row * (u64)view->strides[view->lane_axis];
	}
	for (i = 0; i < view->rank; i++) {
		u64 stride = view->strides[i];

		if ((sram && i == view->lane_axis) || view->dims[i] == 1 || !stride)
			continue;
		if (view->strides[i] < 0) {
			stride = 0 - stride;
			build->offset -= (view->dims[i] - 1) * stride;
		}
		build_add_walk(build, view->dims[i], stride);
	}
	return true;
}

/* Computes the digits of the first element. */
static bool build_locate(struct footprint_build *build)
{
	u64 rest = build->offset;
	u32 i;

	for (i = 0; i < build->digit_count; i++) {
		struct loom_digit *digit = &build->digits[i];

		digit->first = div64_u64_rem(rest, digit->stride, &rest);
		if (digit->first >= digit->count)
			return false;
	}
	return !rest;
}

/* Digit @i fills one step of the digit outside of it, and neither is the lane axis. */
static bool build_packed(const struct footprint_build *build, u32 i)
{
	const struct loom_digit *inner = &build->digits[i];

	return i > 0 && !inner->lane && !inner[-1].lane &&
	       inner[-1].stride == inner->count * inner->stride;
}

/* Extends the contiguous run, whose innermost digit is @last, by @more of its elements. */
static bool build_add_run(struct footprint_build *build, u32 last, u64 more)
{
	struct loom_digit *digit = &build->digits[last];
	u64 start = digit->first, size = digit->count;
	u32 i = last;

	if (digit->lane || (build->run_count && build->run_last != last))
		return false;
	digit->run = true;
	build->run_last = last;
	build->run_count += more;
	while (start + build->run_count > size) {
		if (!build_packed(build, i))
			return false;
		digit = &build->digits[--i];
		if (digit->walks && !digit->run)
			return false;
		digit->run = true;
		start += digit->first * size;
		size *= digit->count;
	}
	build->run_first = i;
	build->run_start = start;
	return true;
}

/*
 * The digit that a walk moves on: the outermost whose stride divides that of the walk; digit_count
 * if there is none. @step: indices of the digit per step of the walk.
 */
static u32 build_digit(const struct footprint_build *build, u64 stride, u64 *step)
{
	u64 rest;
	u32 i = 0;

	while (i < build->digit_count && build->digits[i].stride > stride)
		i++;
	for (; i < build->digit_count; i++) {
		*step = div64_u64_rem(stride, build->digits[i].stride, &rest);
		if (!rest)
			return i;
	}
	return build->digit_count;
}

/*
 * How many rows a walk of @count elements, @step apart, takes of the digit outside of @i, if it
 * takes the same elements of each and begins with the first of them; else zero.
 */
static u64 build_rows(const struct footprint_build *build, u32 i, u64 count, u64 step)
{
	const struct loom_digit *digit = &build->digits[i];
	u64 per_row, rows, rest;

	if (!i || digit->lane || build->digits[i - 1].lane || digit->walks || digit->first >= step)
		return 0;
	per_row = div64_u64_rem(build->digits[i - 1].stride, step * digit->stride, &rest);
	if (rest || digit->first + (per_row - 1) * step >= digit->count)
		return 0;
	rows = div64_u64_rem(count, per_row, &rest);
	return rest ? 0 : rows;
}

static bool build_place_walk(struct footprint_build *build, struct loom_footprint *footprint,
			     const struct loom_footprint_axis *walk)
{
	u64 count = walk->count, step = 0, rows;
	u32 i = build_digit(build, walk->stride, &step);

	if (i == build->digit_count)
		return false;
	for (;;) {
		struct loom_digit *digit = &build->digits[i];

		if (digit->run) {
			/* not exact, but the run has a first and a last element */
			footprint->exact = false;
			step = walk->stride;
			if (count != walk->count)
				return false;
			return build_add_run(build, build->run_last, (count - 1) *
				div64_u64(step, build->digits[build->run_last].stride));
		}
		/* for rows of lanes build_lane_box() decides, which knows the banks */
		if (digit->walks || (step != 1 && !digit->lane))
			footprint->exact = false;
		if (digit->first + digit->span + (count - 1) * step < digit->count) {
			digit->span += (count - 1) * step;
			digit->step = step;
			digit->walks++;
			return true;
		}

		/* it runs over the end of the axis */
		rows = build_rows(build, i, count, step);
		if (!rows)
			return build_add_run(build, i, digit->span + (count - 1) * step + 1);
		digit->span = div64_u64(count, rows) * step - step;
		digit->walks++;
		count = rows;
		step = 1;
		i--;
	}
}

/*
 * Two walks are joined if the outer continues the inner, on the same axis or on one that the inner
 * runs into. If the inner ends before, or if there is a gap between the rows, the strides match by
 * coincidence: columns of rows that happen to be twice as far apart.
 */
static bool build_joins(const struct footprint_build *build,
			const struct loom_footprint_axis *inner,
			const struct loom_footprint_axis *outer)
{
	u64 step = 0, outer_step = 0;
	u32 i = build_digit(build, inner->stride, &step);
	u32 to = build_digit(build, outer->stride, &outer_step);
	const struct loom_digit *digit;

	/* both are inside of a tensor: the product is not more than its bytes */
	if (outer->stride != inner->count * inner->stride || i == build->digit_count)
		return false;
	if (i <= to)
		return true;
	digit = &build->digits[i];
	if (digit->first + digit->span + (inner->count - 1) * step < digit->count)
		return false;
	while (i > to)
		if (!build_packed(build, i--))
			return false;
	return true;
}

static bool build_place_walks(struct footprint_build *build, struct loom_footprint *footprint)
{
	struct loom_footprint_axis walk;
	u32 i = 0;

	while (i < build->walk_count) {
		walk = build->walks[i++];
		for (; i < build->walk_count; i++) {
			if (!build_joins(build, &walk, &build->walks[i]))
				break;
			walk.count *= build->walks[i].count;
		}
		if (!build_place_walk(build, footprint, &walk))
			return false;
	}
	return true;
}

/* The range on the lane axis: banks in a row, times rows. */
static bool build_lane_box(const struct footprint_build *build, struct loom_footprint *footprint,
			   struct loom_box *box)
{
	u64 low = build->lane_first, high = low + build->lane_count;
	u32 i;

	for (i = 0; i < build->digit_count; i++) {
		const struct loom_digit *digit = &build->digits[i];

		if (!digit->lane)
			continue;
		low += digit->first * build->lanes;
		high += (digit->first + digit->span) * build->lanes;
		if (digit->walks && (digit->walks > 1 ||
				     build->lane_count != digit->step * build->lanes))
			footprint->exact = false;
	}
	/* in the last row of the tensor some banks may be behind its last element */
	if (high > build->lane_size)
		return false;
	if (build->has_lane) {
		box->low[build->lane_axis] = low;
		box->high[build->lane_axis] = high;
	}
	return true;
}

/* Cuts the contiguous run into boxes; @base has the ranges of the other axes. */
static bool build_cut_run(const struct footprint_build *build, struct loom_footprint *footprint,
			  const struct loom_box *base)
{
	u64 start = build->run_start, left = build->run_count;
	u64 inner[DRM_LOOM_MAX_RANK], digit, rest, size = 1;
	u32 i;

	for (i = build->run_last + 1; i-- > build->run_first;) {
		inner[i] = size;
		size *= build->digits[i].count;
	}
	footprint->count = 0;
	while (left) {
		struct loom_box *box = &footprint->box[footprint->count];
		u64 take = 0;

		if (footprint->count++ == LOOM_MAX_BOXES)
			return false;
		*box = *base;
		/* the outermost axis of which it takes whole steps */
		rest = start;
		for (i = build->run_first; i <= build->run_last; i++) {
			u32 axis = build->digits[i].axis;

			digit = div64_u64_rem(rest, inner[i], &rest);
			box->low[axis] = digit;
			box->high[axis] = digit + 1;
			if (!take && !rest && left >= inner[i]) {
				take = min(div64_u64(left, inner[i]),
					   build->digits[i].count - digit);
				box->high[axis] = digit + take;
				start += take * inner[i];
				left -= take * inner[i];
			} else if (take) {
				box->low[axis] = 0;
				box->high[axis] = build->digits[i].count;
			}
		}
	}
	return true;
}

static bool build_make_boxes(const struct footprint_build *build, struct loom_footprint *footprint)
{
	struct loom_box base = {};
	u32 i;

	for (i = 0; i < build->digit_count; i++) {
		const struct loom_digit *digit = &build->digits[i];

		base.low[digit->axis] = digit->first;
		base.high[digit->axis] = digit->first + digit->span + 1;
	}
	if (!build_lane_box(build, footprint, &base))
		return false;
	if (build->run_count)
		return build_cut_run(build, footprint, &base);
	footprint->box[0] = base;
	footprint->count = 1;
	return true;
}

bool loom_footprint_get(struct loom_footprint *footprint,
			const struct drm_loom_plan_tensor *tensor, const struct loom_view *view,
			u32 lanes)
{
	struct footprint_build build;

	/* not all of it, which is large: axes and walks are counted, a run and a lane flagged */
	build.lanes = lanes;
	build.digit_count = 0;
	build.walk_count = 0;
	build.has_lane = false;
	build.lane_axis = 0;
	build.lane_first = 0;
	build.run_count = 0;
	footprint->axes = 0;
	footprint->exact = true;
	build_add_axes(&build, footprint, tensor);
	if (!build_add_view(&build, tensor, view))
		return false;
	return build_locate(&build) && build_place_walks(&build, footprint) &&
	       build_make_boxes(&build, footprint);
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
