/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TILE_H
#define LOOM_TILE_H

#include "loom_core.h"

/**
 * DOC: Tiles
 *
 * The work of a command is cut into units, and most operations share one cut: the element
 * space of y is walked in row-major order, each row along the last axis is cut into tiles of at
 * most LOOM_TILE elements, and a unit is a tile. A unit's number is row * tiles per row + tile.
 * Integers only: the checks of operations count tiles with the functions that the engine walks
 * them with.
 */

#define LOOM_TILE 64

/**
 * struct loom_tile - a run of elements along the last axis of a view
 * @index: of its first element; zero past the rank
 * @count: number of elements, at least one
 */
struct loom_tile {
	u32 index[DRM_LOOM_MAX_RANK];
	u32 count;
};

/* Tiles that a row of @length elements is cut into. */
static inline u32 loom_tile_per_row(u32 length)
{
	return length / LOOM_TILE + !!(length % LOOM_TILE);
}

/**
 * loom_tile_get() - the tile with a given number
 * @tile: out
 * @dims: elements per axis, none zero
 * @rank: number of axes, not zero
 * @unit: number of the tile, below the number of tiles
 */
static inline void loom_tile_get(struct loom_tile *tile, const u32 *dims, u32 rank, u64 unit)
{
	u32 last = rank - 1;
	u64 rest, digit;
	u32 axis;

	rest = div64_u64_rem(unit, loom_tile_per_row(dims[last]), &digit);
	tile->index[last] = (u32)digit * LOOM_TILE;
	tile->count = min(dims[last] - tile->index[last], (u32)LOOM_TILE);
	for (axis = last; axis-- > 0;) {
		rest = div64_u64_rem(rest, dims[axis], &digit);
		tile->index[axis] = (u32)digit;
	}
	for (axis = rank; axis < DRM_LOOM_MAX_RANK; axis++)
		tile->index[axis] = 0;
}

/**
 * loom_tile_next() - step from a tile to the one with the next number
 * @tile: in and out; wraps to the first behind the last
 * @dims: elements per axis, none zero
 * @rank: number of axes, not zero
 */
static inline void loom_tile_next(struct loom_tile *tile, const u32 *dims, u32 rank)
{
	u32 last = rank - 1;
	u32 axis;

	if (dims[last] - tile->index[last] > LOOM_TILE) {
		tile->index[last] += LOOM_TILE;
	} else {
		tile->index[last] = 0;
		for (axis = last; axis-- > 0;) {
			if (++tile->index[axis] < dims[axis])
				break;
			tile->index[axis] = 0;
		}
	}
	tile->count = min(dims[last] - tile->index[last], (u32)LOOM_TILE);
}

#endif /* LOOM_TILE_H */
