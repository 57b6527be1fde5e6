/* SPDX-License-Identifier: MIT */
/*
 * A layer below place: placement of items that leave next to no free bytes at any moment, with next
 * to no waste. See DOC: Tilings.
 */
#ifndef LOOM_TILING_TILING_H
#define LOOM_TILING_TILING_H

#include <stdint.h>

struct loom_tiling;

/**
 * struct loom_tiling_item - an item
 * @lower: moment of its begin
 * @upper: moment of its end, later
 * @size_bytes: its size, not 0; all of them and the alignments are below 2^60 together
 * @align_bytes: its offset must be a multiple of it; not 0
 */
struct loom_tiling_item {
	int64_t lower;
	int64_t upper;
	uint64_t size_bytes;
	uint64_t align_bytes;
};

/**
 * loom_tiling_create() - prepare to place items without waste
 * @items: in a deterministic order; they must outlive @tiling
 * @num_items: number of @items, not 0, at most 2^28
 * @tiling: [out] free with loom_tiling_destroy(); NULL if the load is too low at some moments for a
 *	tiling to be of use
 *
 * Return: 0 or -ENOMEM.
 */
int loom_tiling_create(const struct loom_tiling_item *items, uint32_t num_items,
		       struct loom_tiling **tiling);
/** loom_tiling_destroy() - frees it; NULL is fine */
void loom_tiling_destroy(struct loom_tiling *tiling);

/**
 * struct loom_tiling_try - limits and result of a run
 * @max_visits: stop after about so many visits
 * @offsets: [out] by item: the lowest placement
 * @height_bytes: [out] its height, or UINT64_MAX if there is none
 * @visits: [in, out] incremented by visits of nodes and items
 */
struct loom_tiling_try {
	uint64_t max_visits;
	uint64_t *offsets;
	uint64_t height_bytes;
	uint64_t visits;
};

/** loom_tiling_run() - makes placements and keeps the lowest */
void loom_tiling_run(struct loom_tiling *tiling, struct loom_tiling_try *try);

#endif /* LOOM_TILING_TILING_H */
