// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_row.h"

/*
 * A tile of y is made of runs that one index selects: all of it if index does not run along the
 * last axis, else its elements. No arithmetic, as in fp_copy.c.
 *
 * An index is read once, and compared with the dim of x before it is used: it may lie in a buffer
 * that a client has mapped and writes at any time.
 */

enum {
	GATHER_Y,
	GATHER_X,
	GATHER_INDEX,
};

/* The index of x that place @at of the view of indices says, or x's dim if there is none. */
static u32 gather_index(const struct loom_command *command, const struct loom_memory *memory,
			const u32 *at, u32 length)
{
	const struct loom_view *view = &command->views[GATHER_INDEX];
	const u8 *from = loom_view_origin(view, memory);
	s64 index;
	u32 i;

	for (i = 0; i < view->rank; i++)
		if (view->dims[i] > 1 || i == view->lane_axis)
			from += loom_view_step(view, memory, i, view->dims[i] > 1 ? at[i] : 0);
	if (view->dtype == DRM_LOOM_DTYPE_I32)
		index = loom_read_once(*(const s32 *)from);
	else
		index = loom_read_once(*(const s64 *)from);
	if (index < 0)
		index += length;
	if (index < 0 || index >= length)
		return length;
	return loom_index_nospec((u32)index, length);
}

/* Gathers a tile side by side. */
static void gather_tile(const struct loom_command *command, const struct loom_memory *memory,
			const struct loom_tile *tile, u8 *to)
{
	const struct drm_loom_attr_gather *attr = command->attr;
	const struct loom_view *x = &command->views[GATHER_X];
	const u32 axis = attr->axis, last = x->rank - 1;
	const bool alone = axis == last || command->views[GATHER_INDEX].dims[last] > 1;
	u32 bytes = x->elem_bytes, n = alone ? 1 : tile->count, done;
	u32 at[DRM_LOOM_MAX_RANK], from[DRM_LOOM_MAX_RANK];
	struct loom_row row;
	const void *raw;

	memcpy(at, tile->index, sizeof(at));
	for (done = 0; done < tile->count; done += n) {
		memcpy(from, at, sizeof(from));
		from[axis] = gather_index(command, memory, at, x->dims[axis]);
		if (from[axis] == x->dims[axis]) {
			memset(to + done * bytes, 0, (size_t)n * bytes);
		} else {
			row = loom_view_row(x, memory, from, x->rank, last);
			raw = loom_row_raw(&row, bytes, n, to + done * bytes);
			if (raw != to + done * bytes)
				memcpy(to + done * bytes, raw, (size_t)n * bytes);
		}
		at[last] += n;
	}
}

u64 loom_fp_gather_run(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count, struct loom_part *part)
{
	const struct loom_view *y = &command->views[GATHER_Y];
	u64 units = loom_part_pay(part, count, 2 * LOOM_UNIT_COST + command->unit_cost), i;
	struct loom_tile tile;
	struct loom_row row;
	union loom_buf buf;

	loom_tile_get(&tile, y->dims, y->rank, first);
	for (i = 0; i < units; i++) {
		gather_tile(command, memory, &tile, buf.u8);
		row = loom_view_row(y, memory, tile.index, y->rank, y->rank - 1);
		loom_row_write(&row, y->elem_bytes, tile.count, &buf);
		loom_tile_next(&tile, y->dims, y->rank);
	}
	return units;
}
