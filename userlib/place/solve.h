/* SPDX-License-Identifier: MIT */
/*
 * The solver: one pool, items that are no aliases, everything else resolved. Called by the
 * strategies "exact" and "auto" (auto.c). See the DOC in solve.c.
 */
#ifndef LOOM_PLACE_SOLVE_H
#define LOOM_PLACE_SOLVE_H

#include "loom_place.h"

/**
 * struct loom_solve - a problem for the solver, and its answer
 * @items: no aliases; alignments at least 1; sizes above 0; gaps, fixed offsets, excluded ranges
 *	allowed
 * @num_items: number of @items
 * @apart: pairs, as in the problem
 * @num_apart: number of @apart
 * @capacity_bytes: no offset + size above it; LOOM_PLACE_ANYWHERE: none
 * @fit_only: stop at the first placement within @capacity_bytes
 * @budget: search nodes allowed
 * @offsets: [in, out] by item. In: a valid placement of @height_bytes if that is not
 *	LOOM_PLACE_ANYWHERE
 * @height_bytes: [in, out]
 * @bound_bytes: [out] proven
 * @nodes: [out]
 */
struct loom_solve {
	const struct loom_place_item *items;
	uint32_t num_items;
	const struct loom_place_pair *apart;
	uint32_t num_apart;
	uint64_t capacity_bytes;
	bool fit_only;
	uint64_t budget;
	uint64_t *offsets;
	uint64_t height_bytes;
	uint64_t bound_bytes;
	uint64_t nodes;
};

/**
 * loom_place_solve() - make a placement as low as can be, or one that fits
 * @solve: the problem; its answer
 *
 * Nothing found: height_bytes is LOOM_PLACE_ANYWHERE. Nothing there: bound_bytes is above the
 * capacity. The best there is: height_bytes is bound_bytes.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_solve(struct loom_solve *solve);

#endif /* LOOM_PLACE_SOLVE_H */
