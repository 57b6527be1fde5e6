// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_nest.h"

/* Whether axis @i + 1 ends where the next index of axis @i begins, in every view. */
static bool nest_mergeable(const struct loom_nest *nest, u32 i)
{
	u32 v;

	for (v = 0; v < nest->count; v++) {
		if (nest->view[v].lane_axis == i || nest->view[v].lane_axis == i + 1)
			return false;
		if (nest->view[v].strides[i] != nest->view[v].strides[i + 1] * nest->dims[i + 1])
			return false;
	}
	return true;
}

static void nest_drop(struct loom_nest *nest, u32 axis)
{
	u32 i, v;

	nest->rank--;
	for (i = axis; i < nest->rank; i++)
		nest->dims[i] = nest->dims[i + 1];
	for (v = 0; v < nest->count; v++) {
		u32 lane_axis = nest->view[v].lane_axis;

		for (i = axis; i < nest->rank; i++)
			nest->view[v].strides[i] = nest->view[v].strides[i + 1];
		if (lane_axis > axis && lane_axis < DRM_LOOM_MAX_RANK)
			nest->view[v].lane_axis--;
	}
}

static void nest_merge(struct loom_nest *nest)
{
	u32 i, v;
	u64 dim;

	for (i = nest->rank; i-- > 0;) {
		if (nest->dims[i] == 1 && nest->rank > 1)
			nest_drop(nest, i);
	}
	for (i = nest->rank - 1; i-- > 0;) {
		dim = (u64)nest->dims[i] * nest->dims[i + 1];
		if (dim > U32_MAX || !nest_mergeable(nest, i))
			continue;
		for (v = 0; v < nest->count; v++)
			nest->view[v].strides[i] = nest->view[v].strides[i + 1];
		nest->dims[i] = dim;
		nest_drop(nest, i + 1);
	}
}

/* Rows below this are worth to be folded: longer ones lie side by side more often than not. */
#define NEST_SHORT	16

/* Whether rows are short, and stay in their banks from one to the next. */
static bool nest_foldable(const struct loom_nest *nest)
{
	u32 v;

	if (nest->rank < 2 || nest->dims[nest->rank - 1] >= NEST_SHORT)
		return false;
	for (v = 0; v < nest->count; v++) {
		u32 lane_axis = nest->view[v].lane_axis;

		if (lane_axis < DRM_LOOM_MAX_RANK && lane_axis + 2 >= nest->rank)
			return false;
	}
	return true;
}

/* As few axes as there can be; @at is the first element, as a number in row-major order. */
static void nest_shape(struct loom_nest *nest, u64 at)
{
	u32 i;

	nest_merge(nest);
	nest->folded = nest_foldable(nest);
	for (i = nest->rank; i-- > 0;) {
		nest->index[i] = at % nest->dims[i];
		at /= nest->dims[i];
	}
}

static void nest_view(struct loom_nest *nest, u32 v, const struct loom_view *view)
{
	u32 i;

	nest->view[v].origin = loom_view_origin(view, nest->memory);
	nest->view[v].lane_axis = DRM_LOOM_MAX_RANK;
	nest->view[v].lane_start = 0;
	nest->view[v].lane_pitch = loom_view_lane_pitch(view, nest->memory);
	for (i = 0; i < nest->rank; i++)
		nest->view[v].strides[i] = view->dims[i] == 1 ? 0 : view->strides[i];

	if (view->region != DRM_LOOM_REGION_SRAM || nest->memory->lanes == 1) {
		/* one bank: the lane axis is like any other, but for where it starts */
		if (view->region == DRM_LOOM_REGION_SRAM)
			nest->view[v].origin += (s64)view->lane_start *
						view->strides[view->lane_axis];
	} else if (view->lane_axis < nest->rank && view->dims[view->lane_axis] > 1) {
		nest->view[v].lane_axis = view->lane_axis;
		nest->view[v].lane_start = view->lane_start;
	} else {
		nest->view[v].origin += loom_view_step(view, nest->memory, view->lane_axis, 0);
	}
}

/* Index of a unit's first element in row-major order. */
static u64 nest_element(const struct loom_view *y, u64 unit)
{
	u32 dim = y->dims[y->rank - 1];
	u64 tiles = loom_div_round_up(dim, LOOM_TILE);

	return unit / tiles * dim + unit % tiles * LOOM_TILE;
}

/* Of a unit: as the check of the operation says, and more for elements that are apart. */
static u64 nest_cost(const struct loom_command *command, const struct loom_memory *memory,
		     u32 weight)
{
	const struct loom_view *y = &command->views[0];
	u32 last = y->rank - 1, apart = 0, v;

	for (v = 0; v < command->operands; v++) {
		const struct loom_view *view = &command->views[v];
		bool lanes = view->region == DRM_LOOM_REGION_SRAM && view->lane_axis == last &&
			     memory->lanes > 1;

		apart += lanes || view->strides[last] != view->elem_bytes;
	}
	return LOOM_UNIT_COST + command->unit_cost * weight +
	       (u64)min(y->dims[last], (u32)LOOM_TILE) * apart;
}

void loom_nest_begin(struct loom_nest *nest, const struct loom_command *command,
		     const struct loom_memory *memory, u64 first, u64 count, u32 weight,
		     struct loom_part *part)
{
	const struct loom_view *y = &command->views[0];
	u64 at = nest_element(y, first);
	u32 i;

	count = loom_part_pay(part, count, nest_cost(command, memory, weight));
	nest->units = count;
	nest->memory = memory;
	nest->rank = y->rank;
	nest->count = command->operands < LOOM_NEST_VIEWS ? command->operands :
							     LOOM_NEST_VIEWS;
	nest->left = nest_element(y, first + count) - at;
	nest->n = 0;
	for (i = 0; i < y->rank; i++)
		nest->dims[i] = y->dims[i];
	for (i = 0; i < nest->count; i++)
		nest_view(nest, i, &command->views[i]);
	nest_shape(nest, at);
}

u32 loom_nest_widen(struct loom_nest *nest, u32 bytes)
{
	u32 last = nest->rank - 1, dim = nest->dims[last], wide = dim * bytes, v, i;
	u64 at = 0;

	if (!nest->folded || nest->index[last] || nest->left % dim ||
	    (wide != 2 && wide != 4 && wide != 8))
		return bytes;
	for (v = 0; v < nest->count; v++) {
		if (nest->view[v].strides[last] != bytes)
			return bytes;
	}
	for (i = 0; i < last; i++)
		at = at * nest->dims[i] + nest->index[i];
	nest->left /= dim;
	nest->dims[last] = 1;
	nest_shape(nest, at);
	return wide;
}

/* A row of a folded nest: its end is to it what the last bank is to others. */
static void nest_fold(const struct loom_nest *nest, u32 v, struct loom_row *row)
{
	u32 last = nest->rank - 1;
	s64 wrap = nest->view[v].strides[last - 1] - nest->dims[last] * row->stride;

	if (!wrap)
		return;
	row->lanes = nest->dims[last];
	row->lane = nest->index[last];
	row->wrap = wrap;
}

static struct loom_row nest_row(const struct loom_nest *nest, u32 v)
{
	const struct loom_memory *memory = nest->memory;
	u32 lane_axis = nest->view[v].lane_axis;
	u32 last = nest->rank - 1;
	struct loom_row row = {
		.at = nest->view[v].origin,
		.stride = nest->view[v].strides[last],
	};
	u32 i;

	for (i = 0; i <= last; i++) {
		if (i != lane_axis)
			row.at += (s64)nest->index[i] * nest->view[v].strides[i];
	}
	if (lane_axis < DRM_LOOM_MAX_RANK) {
		u64 l = (u64)nest->view[v].lane_start + nest->index[lane_axis];
		u64 q = l / memory->lanes;
		u64 pitch = nest->view[v].lane_pitch;
		u32 lane = l % memory->lanes;

		row.at += lane * pitch + (s64)q * nest->view[v].strides[lane_axis];
		if (lane_axis == last) {
			row.lanes = memory->lanes;
			row.lane = lane;
			row.wrap = row.stride - (s64)(memory->lanes * pitch);
			row.stride = pitch;
		}
	}
	if (nest->folded)
		nest_fold(nest, v, &row);
	return row;
}

bool loom_nest_next(struct loom_nest *nest, u64 limit, struct loom_row *rows)
{
	u32 last = nest->rank - 1;
	u64 left;
	u32 i;

	if (!nest->left)
		return false;
	for (i = 0; i < nest->count; i++)
		rows[i] = nest_row(nest, i);
	left = nest->dims[last] - nest->index[last];
	if (nest->folded)
		left += (u64)(nest->dims[last - 1] - nest->index[last - 1] - 1) * nest->dims[last];
	nest->n = min(min(limit, nest->left), left);
	nest->left -= nest->n;
	left = (u64)nest->index[last] + nest->n;
	if (nest->folded) {
		nest->index[last - 1] += left / nest->dims[last];
		nest->index[last] = left % nest->dims[last];
		last--;
	} else {
		nest->index[last] = left;
	}
	for (i = last; i > 0 && nest->index[i] == nest->dims[i]; i--) {
		nest->index[i] = 0;
		nest->index[i - 1]++;
	}
	return true;
}
