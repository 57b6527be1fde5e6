/* SPDX-License-Identifier: MIT */
/*
 * The layer of the exact search: one pool, items that are no aliases, everything else resolved. It
 * depends on the public types only. Called by "exact" and "auto". See DOC: The solver.
 */
#ifndef LOOM_PLACE_SOLVE_H
#define LOOM_PLACE_SOLVE_H

#include "loom_place.h"

/* A problem for the solver, and its answer. */
struct loom_solve {
	/*
	 * no aliases; alignments at least 1; sizes above 0; ascending by begin; gaps, fixed
	 * offsets, excluded ranges allowed
	 */
	const struct loom_place_item *items;
	uint32_t num_items;			/* number of @items */
	const struct loom_place_pair *apart;	/* pairs, as in the problem */
	uint32_t num_apart;			/* number of @apart */
	/* no offset + size above it; LOOM_PLACE_ANYWHERE: none */
	uint64_t capacity_bytes;
	/* stop at the first placement within @capacity_bytes */
	bool fit_only;
	uint64_t budget;			/* search nodes allowed */
	int64_t deadline_ns;			/* when to stop, or 0 */
	/*
	 * [in, out] by item. In: a valid placement of @height_bytes if that is not
	 * LOOM_PLACE_ANYWHERE
	 */
	uint64_t *offsets;
	uint64_t height_bytes;			/* [in, out] */
	uint64_t bound_bytes;			/* [in, out] proven */
	uint64_t nodes;				/* [out] */
};

/**
 * loom_place_solve() - find a placement as low as possible, or one that fits
 * @solve: the problem; its answer
 *
 * If no placement is known, height_bytes is LOOM_PLACE_ANYWHERE. If none exists, bound_bytes is
 * above the capacity. If the placement is optimal, height_bytes is bound_bytes.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_solve(struct loom_solve *solve);

#endif /* LOOM_PLACE_SOLVE_H */
