/* SPDX-License-Identifier: MIT */
/* Moments at which items begin or end, for tiling.c. */
#ifndef LOOM_TILING_MOMENTS_H
#define LOOM_TILING_MOMENTS_H

#include "tiling.h"

/**
 * struct loom_moments - moments, by number
 * @first: [out] by item: moment of its begin
 * @last: [out] by item: moment of its end
 * @begins: [out] items by begin; among equal begins the largest alignment first
 * @ends: [out] items by end
 * @count: [out] number of moments
 */
struct loom_moments {
	uint32_t *first;
	uint32_t *last;
	uint32_t *begins;
	uint32_t *ends;
	uint32_t count;
};

/** loom_moments_find() - fills in @moments, whose arrays the caller must provide; 0 or -ENOMEM */
int loom_moments_find(const struct loom_tiling_item *items, uint32_t num_items,
		      struct loom_moments *moments);

#endif /* LOOM_TILING_MOMENTS_H */
