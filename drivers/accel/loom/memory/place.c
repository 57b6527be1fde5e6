// SPDX-License-Identifier: GPL-2.0
/* Placing and evicting buffers, see loom_bo.c. */
#include <linux/sched/signal.h>

#include <drm/drm_exec.h>
#include <drm/ttm/ttm_tt.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_region.h"

static const struct ttm_place loom_bo_system_place = {
	.mem_type = TTM_PL_SYSTEM,
};

/* No address in a region; the bytes are in system pages. */
struct ttm_placement loom_bo_system = {
	.num_placement = 1,
	.placement = &loom_bo_system_place,
};

/**
 * loom_bo_region() - the region of a buffer
 * @bo: the buffer, resident or not
 *
 * Return: the region.
 */
struct loom_region *loom_bo_region(const struct loom_bo *bo)
{
	return &to_loom_device(bo->tbo.base.dev)->region[bo->shape.region];
}

/**
 * loom_bo_room_begin() - take &loom_device.place_lock for evictions
 * @room: out; the caller must give it to loom_bo_room_end()
 * @loom: the device
 *
 * Return: 0 or -EINTR.
 */
int loom_bo_room_begin(struct loom_bo_room *room, struct loom_device *loom)
{
	int ret = mutex_lock_interruptible(&loom->place_lock);

	if (ret)
		return ret;
	room->loom = loom;
	room->number = ++loom->placings;
	INIT_LIST_HEAD(&room->evicted);
	return 0;
}

/**
 * loom_bo_wait_freed() - wait until a buffer has been freed
 * @loom: the device
 * @id: its region
 * @freed: value of loom_region.freed before the failed try
 *
 * Return: -EAGAIN to try again, -ERESTARTSYS, or -ENODEV if the device is unplugged.
 */
int loom_bo_wait_freed(struct loom_device *loom, u32 id, u64 freed)
{
	struct loom_region *region = &loom->region[id];
	int ret = wait_event_interruptible(region->freed_wait,
					   READ_ONCE(region->freed) != freed ||
					   READ_ONCE(loom->unplugged));

	if (READ_ONCE(loom->unplugged))
		return -ENODEV;
	return ret ?: -EAGAIN;
}

/**
 * loom_bo_room_end() - undo loom_bo_room_begin()
 * @room: the room; the caller must have unlocked the buffers
 * @ret: the result; on -EAGAIN this waits until a buffer has been freed
 *
 * Return: @ret, -EAGAIN to try again; -ERESTARTSYS; -ENODEV if the device is unplugged.
 */
int loom_bo_room_end(struct loom_bo_room *room, int ret)
{
	struct loom_bo *bo, *next;

	list_for_each_entry_safe(bo, next, &room->evicted, evicted) {
		list_del_init(&bo->evicted);
		drm_gem_object_put(&bo->tbo.base);
	}
	mutex_unlock(&room->loom->place_lock);
	if (ret != -EAGAIN)
		return ret;
	return loom_bo_wait_freed(room->loom, room->region, room->freed);
}

/**
 * loom_bo_is_limited() - whether the limit of a control group was reached
 * @bo: the buffer that could not be placed
 *
 * Return: true if TTM did not ask for an address; evicting buffers of other groups is useless then.
 */
bool loom_bo_is_limited(const struct loom_bo *bo)
{
	return !bo->no_space;
}

/* Evict one buffer that another thread had locked. Return: 0 to try again, or -errno. */
static int loom_bo_make_room_locked(struct loom_bo *bo, struct loom_bo_room *room)
{
	struct loom_region *region = &room->loom->region[bo->shape.region];
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	bool limited = loom_bo_is_limited(bo), dying;
	struct drm_gem_object *gem;
	struct loom_bo *victim;
	int ret;

	/* others may take free addresses meanwhile, so this may loop */
	if (signal_pending(current))
		return -ERESTARTSYS;
	gem = loom_region_victim(region, limited ? NULL : &bo->shape.mask, bo->owner, limited,
				 room->number, &dying);
	if (!gem && dying)
		return -EAGAIN;
	if (!gem) /* no victim, but another thread may have freed one since the last try */
		return READ_ONCE(region->freed) == room->freed ? -ENOSPC : 0;
	victim = gem_to_loom_bo(gem);
	/* keep it until all are unlocked: lockdep tracks only the first lock of an exec */
	if (list_empty(&victim->evicted))
		list_add(&victim->evicted, &room->evicted);
	else
		drm_gem_object_put(gem);
	ret = drm_exec_lock_obj(room->exec, gem);
	if (ret)
		return ret;
	ret = ttm_bo_validate(&victim->tbo, &loom_bo_system, &ctx);
	drm_exec_unlock_obj(room->exec, gem);
	return ret;
}

static int loom_bo_validate_locked(struct loom_bo *bo, u32 flags)
{
	struct loom_bo_place place = {
		.base.mem_type = LOOM_REGION_PLACEMENT(bo->shape.region),
		.base.flags = LOOM_BO_PLACE | flags,
		.bo = bo,
	};
	struct ttm_placement placement = {
		.num_placement = 1,
		.placement = &place.base,
	};
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	int ret;

	bo->no_space = false;
	ret = ttm_bo_validate(&bo->tbo, &placement, &ctx);
	/* some kernels return ENOMEM for both */
	return ret == -ENOMEM && bo->no_space ? -ENOSPC : ret;
}

/**
 * loom_bo_keep_locked() - protect a buffer from eviction by @room
 * @bo: the buffer, reserved by the exec of @room
 * @room: the room
 */
void loom_bo_keep_locked(struct loom_bo *bo, const struct loom_bo_room *room)
{
	dma_resv_assert_held(bo->tbo.base.resv);

	if (bo->resident)
		to_loom_region_block(bo->tbo.resource)->keep = room->number;
}

/* Return: as loom_bo_place_locked(). */
static int loom_bo_place_evicting_locked(struct loom_bo *bo, struct loom_bo_room *room)
{
	int ret;

	do {
		room->region = bo->shape.region;
		room->freed = READ_ONCE(room->loom->region[room->region].freed);
		ret = loom_bo_validate_locked(bo, LOOM_BO_PLACE_IDLE);
		if (ret == -ENOSPC)
			ret = loom_bo_validate_locked(bo, 0);
		if (ret != -ENOSPC)
			return ret;
		ret = loom_bo_make_room_locked(bo, room);
	} while (!ret);
	return ret;
}

/**
 * loom_bo_place_locked() - place a buffer in its region, or leave it in shared system pages
 * @bo: the buffer, reserved
 * @room: NULL to use free addresses only. Otherwise others are evicted for it, except buffers of
 *	its exec, which the caller must have given to loom_bo_keep_locked()
 *
 * Return: 0; -ENOSPC if the banks are full; -EAGAIN if a buffer is being freed: the caller must
 * unlock all and call loom_bo_room_end(), which waits; -EDEADLK if the exec is contended; -ENOMEM;
 * -ERESTARTSYS, -EINTR.
 */
int loom_bo_place_locked(struct loom_bo *bo, struct loom_bo_room *room)
{
	int ret;

	dma_resv_assert_held(bo->tbo.base.resv);

	if (loom_bo_stays_on_host(bo))
		return 0;
	/* TTM does not evict for a desired place */
	ret = loom_bo_validate_locked(bo, TTM_PL_FLAG_DESIRED);
	if (ret == -ENOSPC && room && bo->shape.region != DRM_LOOM_REGION_SRAM)
		ret = loom_bo_place_evicting_locked(bo, room);
	if (!ret && room)
		loom_bo_keep_locked(bo, room);
	return ret;
}

/**
 * loom_bo_on_host() - whether a buffer has pages, or has them swapped out
 * @bo: the buffer, reserved, and not resident
 *
 * Return: false for a buffer that was never accessed.
 */
bool loom_bo_on_host(const struct loom_bo *bo)
{
	const struct ttm_tt *tt = bo->tbo.ttm;

	return tt && (ttm_tt_is_populated(bo->tbo.ttm) || tt->page_flags & TTM_TT_FLAG_SWAPPED);
}

/**
 * loom_bo_stays_on_host() - whether jobs access a buffer of local memory in system pages
 * @bo: the buffer, reserved
 *
 * Return: true for a shared buffer, see memory/share.c.
 */
bool loom_bo_stays_on_host(const struct loom_bo *bo)
{
	return loom_bo_region(bo)->own && (bo->dmabuf || bo->exports);
}

/**
 * loom_bo_populate_locked() - bring back the pages of a buffer, if they were swapped out
 * @bo: the buffer, reserved
 *
 * Placing does this too, but under &loom_device.place_lock.
 *
 * Return: 0 or -errno.
 */
int loom_bo_populate_locked(struct loom_bo *bo)
{
	struct ttm_operation_ctx ctx = loom_bo_ctx();

	dma_resv_assert_held(bo->tbo.base.resv);

	/* a move zeroes it in local memory, see memory/bytes.c */
	if (loom_bo_region(bo)->own && !loom_bo_on_host(bo))
		return 0;
	return loom_compat_ttm_populate(&bo->tbo, &ctx);
}

/* Evicts others. Return: 0, or -errno as loom_bo_place_locked(). */
static int loom_bo_place_with_room(struct loom_bo *bo, struct loom_bo_room *room)
{
	struct drm_exec exec;
	int ret;

	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT, 1);
	room->exec = &exec;
	drm_exec_until_all_locked(&exec) {
		ret = drm_exec_lock_obj(&exec, &bo->tbo.base);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
		ret = loom_bo_place_locked(bo, room);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
	}
	drm_exec_fini(&exec);
	return ret;
}

/* Return: 0, or -errno as loom_bo_place_locked(). */
static int loom_bo_try_place(struct loom_bo *bo)
{
	struct loom_bo_room room;
	int ret;

	ret = dma_resv_lock_interruptible(bo->tbo.base.resv, NULL);
	if (ret)
		return ret;
	ret = loom_bo_place_locked(bo, NULL);
	dma_resv_unlock(bo->tbo.base.resv);
	if (ret != -ENOSPC || bo->shape.region == DRM_LOOM_REGION_SRAM)
		return ret;
	do {
		ret = loom_bo_room_begin(&room, to_loom_device(bo->tbo.base.dev));
		if (!ret)
			ret = loom_bo_room_end(&room, loom_bo_place_with_room(bo, &room));
	} while (ret == -EAGAIN);
	return ret;
}

/**
 * loom_bo_displace() - displace a buffer in the SRAM for another client
 * @gem: the buffer; the caller must hold a reference and no lock
 *
 * Does nothing if the buffer is not displaceable any more. Its jobs end, see loom_ttm.c.
 *
 * Return: 0; -ERESTARTSYS; -ENOMEM.
 */
int loom_bo_displace(struct drm_gem_object *gem)
{
	struct loom_device *loom = to_loom_device(gem->dev);
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret;

	ret = dma_resv_lock_interruptible(gem->resv, NULL);
	if (ret)
		return ret == -EINTR ? -ERESTARTSYS : ret;
	if (bo->resident && loom_region_displaceable(&loom->region[bo->shape.region],
						     bo->tbo.resource))
		ret = ttm_bo_validate(&bo->tbo, &loom_bo_system, &ctx);
	dma_resv_unlock(gem->resv);
	/* each call displaces one of maybe thousands, so a restarted call makes progress */
	if (!ret && signal_pending(current))
		return -ERESTARTSYS;
	return ret;
}

/* Displace buffers of former exclusive contexts. Return: -EAGAIN to try again, -errno. */
static int loom_bo_make_room_in_sram(const struct loom_bo *bo, u64 freed)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	struct loom_region *sram = &loom->region[DRM_LOOM_REGION_SRAM];
	struct drm_gem_object *gem;
	bool dying;
	int ret;

	ret = loom_region_revoke(sram, &bo->client->share);
	if (ret)
		return ret;
	gem = loom_region_find_displaceable(sram, &bo->shape, &bo->client->share, &dying);
	if (!gem && dying)
		return loom_bo_wait_freed(loom, DRM_LOOM_REGION_SRAM, freed);
	if (!gem) {
		/* another thread may have freed a buffer since the last try */
		if (READ_ONCE(sram->freed) == freed)
			return -ENOSPC;
		/* others may take free addresses meanwhile, so this may loop */
		return signal_pending(current) ? -ERESTARTSYS : -EAGAIN;
	}
	ret = loom_bo_displace(gem);
	drm_gem_object_put(gem);
	return ret ?: -EAGAIN;
}

/**
 * loom_bo_place() - place a new buffer in its region, evicting others if needed
 * @bo: the buffer, not locked
 *
 * Return: 0; -ENOSPC; -ERESTARTSYS; -ENOMEM.
 */
int loom_bo_place(struct loom_bo *bo)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	u64 freed;
	int ret;

	do {
		freed = READ_ONCE(loom->region[bo->shape.region].freed);
		ret = loom_bo_try_place(bo);
		if (ret == -ENOSPC && bo->shape.region == DRM_LOOM_REGION_SRAM &&
		    !loom_bo_is_limited(bo))
			ret = loom_bo_make_room_in_sram(bo, freed);
	} while (ret == -EAGAIN);
	return ret;
}
