/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_NEST_H
#define LOOM_FP_NEST_H

#include "fp_row.h"

/**
 * DOC: Nests
 *
 * A nest is the common loop of an elementwise command over its views. Axes that step alike in
 * every view are merged first, so that a feature map is one long row and not many short ones.
 * Units are consecutive in row-major order, so any run of units is a run of elements, however the
 * axes are merged. Where rows are short still, a tile goes on in the next ones: it is folded.
 *
 * Tried and rejected: another axis as the innermost one where rows run over lanes. A strip of one
 * column in a tensor of ten took as long by either, as each element is in a cache line of its own.
 */

#define LOOM_NEST_VIEWS	4

/**
 * struct loom_nest - the loop of an elementwise command
 * @memory: where it all lies
 * @rank: axes left after merging
 * @folded: a tile runs along the last two axes
 * @count: number of views
 * @dims: elements per axis
 * @view: per view: its first element, bytes per axis (0 where it is broadcast), the axis
 *	that runs over lanes (DRM_LOOM_MAX_RANK: none), where that starts, and bytes from a lane to
 *	the next
 * @index: where it is
 * @left: elements still to do
 * @n: elements of the current tile
 * @units: units that it is the loop over
 */
struct loom_nest {
	const struct loom_memory *memory;
	u32 rank;
	bool folded;
	u32 count;
	u32 dims[DRM_LOOM_MAX_RANK];
	struct {
		u8 *origin;
		s64 strides[DRM_LOOM_MAX_RANK];
		u32 lane_axis;
		u32 lane_start;
		u64 lane_pitch;
	} view[LOOM_NEST_VIEWS];
	u32 index[DRM_LOOM_MAX_RANK];
	u64 left;
	u32 n;
	u64 units;
};

/**
 * loom_nest_begin() - begin the loop over some units of a command
 * @nest: out
 * @command: the command; its first view has the dims, the others those or 1
 * @memory: where it lies
 * @first: first unit
 * @count: number of units
 * @weight: how many times as much an element costs as the check of the operation says
 * @part: pays for them; @nest->units are as many as it can
 */
void loom_nest_begin(struct loom_nest *nest, const struct loom_command *command,
		     const struct loom_memory *memory, u64 first, u64 count, u32 weight,
		     struct loom_part *part);

/**
 * loom_nest_widen() - take short rows for elements
 * @nest: the loop, of which nothing is done yet; all views have elements of the same size
 * @bytes: of an element
 *
 * For those who only move elements: where all rows are side by side, and have two, four or eight
 * bytes, each is taken for one element.
 *
 * Return: bytes of an element from now on.
 */
u32 loom_nest_widen(struct loom_nest *nest, u32 bytes);

/**
 * loom_nest_next() - the next tile
 * @nest: the loop; @n is set
 * @limit: most elements wanted
 * @rows: out: where the tile is, per view
 *
 * Return: false when there is none left.
 */
bool loom_nest_next(struct loom_nest *nest, u64 limit, struct loom_row *rows);

#endif /* LOOM_FP_NEST_H */
