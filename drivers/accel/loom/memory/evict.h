/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_EVICT_H
#define LOOM_EVICT_H

#include "loom_bo.h"

struct drm_exec;
struct loom_bo_room;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
bool loom_bo_may_evict(struct ttm_buffer_object *tbo, const struct ttm_place *place);
int loom_bo_with_room(struct loom_device *loom,
		      int (*try)(void *data, struct loom_bo_room *room), void *data);
void loom_bo_room_keep(struct loom_bo_room *room, struct drm_exec *exec, struct loom_bo *bo);
int loom_bo_place_locked(struct loom_bo *bo, struct loom_bo_room *room);
int __must_check loom_bo_place(struct loom_bo *bo);
int __must_check loom_bo_displace(struct drm_gem_object *gem);
#else
/* a buffer keeps its address as long as it has a reference */
#define loom_bo_place	loom_bo_place_free

static inline bool loom_bo_may_evict(struct ttm_buffer_object *tbo, const struct ttm_place *place)
{
	return false;
}

static inline int loom_bo_with_room(struct loom_device *loom,
				    int (*try)(void *data, struct loom_bo_room *room), void *data)
{
	return -ENOSPC;
}

static inline void loom_bo_room_keep(struct loom_bo_room *room, struct drm_exec *exec,
				     struct loom_bo *bo)
{
}

static inline int loom_bo_place_locked(struct loom_bo *bo, struct loom_bo_room *room)
{
	return loom_bo_place_free_locked(bo);
}

static inline int __must_check loom_bo_displace(struct drm_gem_object *gem)
{
	return -EBUSY;
}
#endif

#endif /* LOOM_EVICT_H */
