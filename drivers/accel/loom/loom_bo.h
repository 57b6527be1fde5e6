/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BO_H
#define LOOM_BO_H

#include <linux/iosys-map.h>

#include <drm/ttm/ttm_bo.h>

#include "loom_shape.h"

struct drm_file;
struct loom_device;
struct loom_file;

/**
 * struct loom_bo - a buffer
 *
 * Refcounted as a GEM object. Its reservation lock is the lock of what can change.
 */
struct loom_bo {
	/** @tbo: base, with the GEM object in it */
	struct ttm_buffer_object tbo;
	/** @shape: its banks, and how it is dealt out over them; constant */
	struct loom_shape shape;
	/** @owner: drm_file.client_id of who made it, constant */
	u64 owner;
	/** @client: the same, with a reference: who is charged for it; constant */
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

extern struct ttm_device_funcs loom_bo_ttm_funcs;

int loom_bo_place_locked(struct loom_bo *bo);
int loom_bo_map_locked(struct loom_bo *bo);

int loom_bo_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file);
int loom_bo_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file);
int loom_bo_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file);

#endif /* LOOM_BO_H */
