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
 */

#define LOOM_TILE 64

/* Tiles that a row of @length elements is cut into. */
static inline u32 loom_tile_per_row(u32 length)
{
	return length / LOOM_TILE + !!(length % LOOM_TILE);
}

#endif /* LOOM_TILE_H */
