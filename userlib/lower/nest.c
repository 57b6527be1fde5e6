// SPDX-License-Identifier: MIT
/* Conversion of nests of loops to kernels. See nest.h. */
#include "nest.h"

#include <errno.h>
#include <string.h>

void loom_nest_broadcast(struct loom_ref *ref, u32 rank)
{
	while (ref->rank < rank)
		loom_ref_insert(ref, 0);
}

/* Removes a bit: higher bits move down. */
static u32 remove_bit(u32 mask, u32 bit)
{
	u32 below = (1U << bit) - 1;

	return (mask & below) | ((mask >> 1) & ~below);
}

static void remove_axis(struct loom_nest_axes *nest, u32 axis)
{
	size_t behind = nest->rank - axis - 1;
	u32 i;

	memmove(&nest->dims[axis], &nest->dims[axis + 1], behind * sizeof(nest->dims[0]));
	for (i = 0; i < nest->num_refs; i++) {
		struct loom_ref *ref = &nest->refs[i];

		memmove(&ref->dims[axis], &ref->dims[axis + 1], behind * sizeof(ref->dims[0]));
		memmove(&ref->strides[axis], &ref->strides[axis + 1],
			behind * sizeof(ref->strides[0]));
		ref->rank--;
	}
	nest->reduced = remove_bit(nest->reduced, axis);
	nest->apart = remove_bit(nest->apart, axis);
	nest->rank--;
}

static bool has_bit(u32 mask, u32 bit)
{
	return mask >> bit & 1;
}

/* Drops axes of one element, but keeps at least one axis. */
static void drop_units(struct loom_nest_axes *nest)
{
	u32 i;

	for (i = nest->rank; i-- > 0 && nest->rank > 1;)
		if (nest->dims[i] == 1 && !has_bit(nest->apart & ~nest->reduced, i))
			remove_axis(nest, i);
}

static bool may_merge(const struct loom_nest_axes *nest, u32 axis)
{
	u32 i;

	if (has_bit(nest->reduced, axis) != has_bit(nest->reduced, axis + 1) ||
	    nest->dims[axis] * nest->dims[axis + 1] > U32_MAX)
		return false;
	for (i = 0; i < nest->num_refs; i++) {
		const struct loom_ref *ref = &nest->refs[i];
		bool outer = ref->dims[axis] == nest->dims[axis];
		bool inner = ref->dims[axis + 1] == nest->dims[axis + 1];

		if (outer != inner)
			return false;
		if (outer && ref->strides[axis] !=
			     ref->strides[axis + 1] * (s64)ref->dims[axis + 1])
			return false;
	}
	return true;
}

/* Merges axes, except for @keep and those that must stay apart. Returns the new index of @keep. */
static u32 merge_axes(struct loom_nest_axes *nest, u32 keep)
{
	u32 i, k;

	for (i = nest->rank - 1; i-- > 0;) {
		if (i == keep || i + 1 == keep)
			continue;
		if (has_bit(nest->apart & ~nest->reduced, i) ||
		    has_bit(nest->apart & ~nest->reduced, i + 1) || !may_merge(nest, i))
			continue;
		nest->dims[i + 1] *= nest->dims[i];
		for (k = 0; k < nest->num_refs; k++)
			nest->refs[k].dims[i + 1] *= nest->refs[k].dims[i];
		remove_axis(nest, i);
		if (keep > i)
			keep--;
	}
	return keep;
}

/* Limit on the elements of a run of a vector. */
#define LONGEST_RUN	4096

/*
 * Splits a vector into two axes, so that a lane gets runs of consecutive elements instead of every
 * n-th one: the longest run up to @most that still leaves work for all lanes.
 */
static void split_vector(struct loom_nest_axes *nest, u32 lanes, u64 most)
{
	u64 n = nest->dims[0], run;
	u32 i;

	if (nest->rank != 1 || nest->apart || nest->reduced || n < 2 * lanes)
		return;
	for (run = min(n / lanes, most); run > 1; run--)
		if (n % run == 0 && (n / run % lanes == 0 || n / run >= 4 * lanes))
			break;
	if (run <= 1)
		return;
	nest->rank = 2;
	nest->dims[0] = n / run;
	nest->dims[1] = run;
	for (i = 0; i < nest->num_refs; i++) {
		struct loom_ref *ref = &nest->refs[i];
		bool whole = ref->dims[0] == n;

		ref->rank = 2;
		ref->dims[1] = whole ? run : 1;
		ref->dims[0] = whole ? n / run : 1;
		ref->strides[1] = ref->strides[0];
		ref->strides[0] *= (s64)run;
	}
}

/* The axis to distribute over the lanes; reduced axes and those kept apart are the last choice. */
static u32 pick_lanes(const struct loom_nest_axes *nest, u32 lanes)
{
	u8 prefer[LOOM_GRAPH_RANK] = { 0 };
	u64 dims[LOOM_GRAPH_RANK] = { 0 };
	u32 count = 0, i;

	for (i = 0; i < nest->rank; i++)
		if (!has_bit(nest->apart | nest->reduced, i))
			prefer[count++] = i;
	for (i = 0; i < nest->rank && !count; i++)
		prefer[count++] = i;
	for (i = 0; i < nest->rank; i++)
		dims[i] = nest->dims[i];
	/* loom_lane_pick() takes DRM_LOOM_MAX_RANK axes: the outer ones */
	if (count > DRM_LOOM_MAX_RANK)
		count = DRM_LOOM_MAX_RANK;
	return loom_lane_pick(dims, lanes, prefer, count);
}

static void make_kernel(struct loom_kernel *kernel, const struct loom_nest_axes *nest, u32 lane)
{
	u32 i, k;

	for (i = 0; i < nest->num_refs; i++) {
		struct loom_operand *operand;

		k = loom_kernel_operand(kernel, i ? LOOM_ROLE_LOAD : LOOM_ROLE_STORE,
					&nest->refs[i]);
		operand = &kernel->operands[k];
		operand->lane_axis = lane;
		for (k = 0; k < nest->rank; k++) {
			bool follows = operand->ref.dims[k] == nest->dims[k] &&
				       !has_bit(nest->reduced, k);

			operand->map[k].axis = k;
			operand->map[k].kind = follows ? LOOM_MAP_SAME : LOOM_MAP_FULL;
		}
	}
	/* operand 0 is the result: its axes are the kernel's */
	for (k = 0; k < nest->rank; k++)
		kernel->operands[0].map[k].kind = LOOM_MAP_SAME;
	kernel->whole = nest->apart | nest->reduced;
	if (nest->rank > 1 && !has_bit(kernel->whole, 0))
		kernel->last_resort = 1U << (nest->rank - 1);
}

/* Makes the shortest axis that may be cut a loop of kernels. */
static int lower_loop(struct loom_lower *lower, const struct loom_nest_axes *nest)
{
	u32 axis = nest->rank, i;
	u64 k;
	int ret;

	for (i = 0; i < nest->rank; i++)
		if (!has_bit(nest->apart | nest->reduced, i) &&
		    (axis == nest->rank || nest->dims[i] < nest->dims[axis]))
			axis = i;
	if (axis == nest->rank)
		return loom_lower_fail(lower, -EOPNOTSUPP,
				       "it works on %u axes at once, the device has %u",
				       nest->rank, DRM_LOOM_MAX_RANK);
	for (k = 0; k < nest->dims[axis]; k++) {
		struct loom_nest_axes part = *nest;

		for (i = 0; i < nest->num_refs; i++)
			if (nest->refs[i].dims[axis] != 1)
				part.refs[i].offset += (s64)k * nest->refs[i].strides[axis];
		remove_axis(&part, axis);
		ret = loom_nest_lower(lower, &part);
		if (ret)
			return ret;
	}
	return 0;
}

/* Converts the axes of a nest to those of a kernel; for a vector, with runs of @most elements. */
static int make_stages(struct loom_lower *lower, struct loom_nest_axes *nest, u64 most,
		       struct loom_kernel_room *room, struct loom_kernel *kernel)
{
	/* a symbolic sink gets the axes of the values, so that all nodes agree on rows */
	const bool keep = lower->sink.ops->symbolic && !lower->sink.ops->merged;
	u32 lane;

	*kernel = loom_kernel_in(room);
	kernel->unit_cost = 16;
	if (!keep || nest->rank > DRM_LOOM_MAX_RANK)
		drop_units(nest);
	if (!keep)
		split_vector(nest, lower->sram.lanes, most);
	lane = pick_lanes(nest, lower->sram.lanes);
	if (!keep || nest->rank > DRM_LOOM_MAX_RANK)
		lane = merge_axes(nest, lane);
	if (nest->rank > DRM_LOOM_MAX_RANK)
		return 0;
	make_kernel(kernel, nest, lane);
	return nest->stages(lower, kernel, nest);
}

/*
 * A lane must hold a run, twice with double buffers: parts of runs, one of each lane, would be no
 * box of the vector, and the verifier could not see that all of it is written.
 */
static bool has_long_runs(const struct loom_lower *lower, const struct loom_nest_axes *vector,
			  const struct loom_nest_axes *nest, const struct loom_kernel *kernel)
{
	struct loom_kernel rows = *kernel;

	/* on one lane all parts are boxes */
	if ((lower->sink.ops->symbolic && !lower->sink.ops->merged) || lower->sram.lanes == 1 ||
	    vector->rank != 1 || nest->rank != 2 || nest->apart || nest->reduced)
		return false;
	rows.whole |= 1U << 1;
	return loom_slice_least(&rows, &lower->sram) * (lower->sram.overlap ? 2 : 1) >
	       lower->sram.bytes;
}

int loom_nest_lower(struct loom_lower *lower, struct loom_nest_axes *nest)
{
	struct loom_nest_axes vector = *nest;
	struct loom_kernel_room room;
	struct loom_kernel kernel;
	u64 most = LONGEST_RUN;
	int ret;

	drop_units(&vector);
	ret = make_stages(lower, nest, most, &room, &kernel);
	/* runs of one element are no split, and have no parts */
	while (!ret && has_long_runs(lower, &vector, nest, &kernel)) {
		most /= 4;
		*nest = vector;
		ret = make_stages(lower, nest, most, &room, &kernel);
	}
	if (!ret && nest->rank > DRM_LOOM_MAX_RANK)
		return lower_loop(lower, nest);
	return ret ? ret : loom_sink_kernel(lower, &kernel);
}
