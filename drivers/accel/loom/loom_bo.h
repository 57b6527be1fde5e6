/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BO_H
#define LOOM_BO_H

#include <linux/iosys-map.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>

#include "loom_shape.h"

struct loom_file;

/**
 * struct loom_bo - a buffer
 *
 * Refcounted as a GEM object. Its reservation lock is the lock of what can change.
 */
struct loom_bo {
	/** @tbo: base, with the GEM object in it */
	struct ttm_buffer_object tbo;
	/** @shape: its banks, and how its bytes are dealt out over them; constant */
	struct loom_shape shape;
	/** @owner: drm_file.client_id of the client that made it, constant */
	u64 owner;
	/** @client: the same, with a reference, charged for its bytes; constant */
	struct loom_file *client;
	/**
	 * @resident: it has an address in its region; written under the reservation lock,
	 * read without it for statistics
	 */
	bool resident;
	/** @no_space: the banks had no room at the last try; under the reservation lock */
	bool no_space;
	/** @map: the kernel's view, once a job needed it; under the reservation lock */
	struct iosys_map map;
};

static inline struct loom_bo *to_loom_bo(struct ttm_buffer_object *tbo)
{
	return container_of(tbo, struct loom_bo, tbo);
}

static inline struct loom_bo *gem_to_loom_bo(struct drm_gem_object *gem)
{
	return container_of(gem, struct loom_bo, tbo.base);
}

/**
 * struct loom_bo_place - a place in a region, and the banks that are wanted there
 */
struct loom_bo_place {
	/** @base: base, as TTM sees it */
	struct ttm_place base;
	/** @mask: the banks */
	const struct loom_mask *mask;
};

extern struct ttm_placement loom_bo_system;

int loom_bo_place_locked(struct loom_bo *bo);
int loom_bo_map_locked(struct loom_bo *bo);

#endif /* LOOM_BO_H */
