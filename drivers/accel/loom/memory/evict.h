/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_EVICT_H
#define LOOM_EVICT_H

#include <linux/list.h>
#include <linux/types.h>

#include "loom_bo.h"

struct drm_exec;
struct drm_gem_object;
struct loom_device;
struct ttm_buffer_object;
struct ttm_place;

/**
 * struct loom_bo_room - state of evicting buffers to place others
 *
 * On the stack of the holder of loom_device.place_lock, from loom_bo_room_begin() to
 * loom_bo_room_end().
 */
struct loom_bo_room {
	/** @loom: the device */
	struct loom_device *loom;
	/** @exec: holds the reservations of the buffers; set after loom_bo_room_begin() */
	struct drm_exec *exec;
	/** @number: value of loom_region_block.keep of the buffers placed so far */
	u64 number;
	/** @region: the &enum drm_loom_region that is short of space; set with @freed */
	u32 region;
	/** @freed: value of loom_region.freed before the last try */
	u64 freed;
	/** @evicted: buffers that were locked for eviction, with references */
	struct list_head evicted;
};

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
bool loom_bo_may_evict(struct ttm_buffer_object *tbo, const struct ttm_place *place);
void loom_bo_room_init(struct loom_bo *bo);
int loom_bo_room_begin(struct loom_bo_room *room, struct loom_device *loom);
int __must_check loom_bo_room_end(struct loom_bo_room *room, int ret);
void loom_bo_keep_locked(struct loom_bo *bo, const struct loom_bo_room *room);
int loom_bo_place_locked(struct loom_bo *bo, struct loom_bo_room *room);
int __must_check loom_bo_place(struct loom_bo *bo);
int __must_check loom_bo_displace(struct drm_gem_object *gem);
#else
/* a buffer keeps its address as long as it has a reference */
static inline bool loom_bo_may_evict(struct ttm_buffer_object *tbo, const struct ttm_place *place)
{
	return false;
}

static inline void loom_bo_room_init(struct loom_bo *bo)
{
}

static inline int loom_bo_room_begin(struct loom_bo_room *room, struct loom_device *loom)
{
	return -ENOSPC;
}

static inline int __must_check loom_bo_room_end(struct loom_bo_room *room, int ret)
{
	return ret;
}

static inline void loom_bo_keep_locked(struct loom_bo *bo, const struct loom_bo_room *room)
{
}

static inline int loom_bo_place_locked(struct loom_bo *bo, struct loom_bo_room *room)
{
	return loom_bo_place_free_locked(bo);
}

static inline int __must_check loom_bo_place(struct loom_bo *bo)
{
	return loom_bo_place_free(bo);
}

static inline int __must_check loom_bo_displace(struct drm_gem_object *gem)
{
	return -EBUSY;
}
#endif

#endif /* LOOM_EVICT_H */
