// SPDX-License-Identifier: GPL-2.0
/* Evicting buffers to place others, see loom_bo.c. */
#include <linux/iopoll.h>
#include <linux/sched/signal.h>

#include <drm/drm_exec.h>
#include <drm/ttm/ttm_tt.h>

#include "core/loom_span.h"
#include "evict.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_region.h"
#include "sram/floor.h"
#include "move.h"
#include "sram/scratch.h"

#define LOOM_EVICT_DRAIN_MS	10000

/**
 * struct loom_bo_room - state of evicting buffers to place others
 *
 * On the stack of the holder of loom_device.place_lock.
 */
struct loom_bo_room {
	/** @loom: the device */
	struct loom_device *loom;
	/** @exec: holds the reservations of the buffers; set by loom_bo_room_keep() */
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

/* ----------------------------------------------------------------- victims */

/*
 * Find a block to evict whose buffer another thread has locked, for a buffer of @owner in the banks
 * of @mask, NULL for all. @own: only blocks of @owner, otherwise those of others, too, except
 * protected ones (dmem.min). @keep: skip blocks with this number. @dying: out: there is a buffer
 * that is being freed. Return: its buffer with a reference, or NULL.
 */
static struct drm_gem_object *loom_evict_victim(struct loom_region *region,
						const struct loom_mask *mask, u64 owner, bool own,
						u64 keep, bool *dying)
{
	struct drm_gem_object *victim = NULL;
	struct loom_region_block *block;
	struct loom_bank_iter iter;
	struct loom_bank_span span;

	*dying = false;
	mutex_lock(&region->lock);
	loom_bank_walk(loom_region_bank_locked(region), mask, &iter);
	while (!victim && loom_bank_next(&iter, &span)) {
		if (!span.block)
			continue;
		block = container_of(span.block, struct loom_region_block, block);
		if (block->whole->keep == keep)
			continue;
		if (block->owner != owner &&
		    (own || loom_compat_dmem_protected(&block->whole->base)))
			continue;
		if (kref_get_unless_zero(&block->gem->refcount))
			victim = block->gem;
		else
			*dying = true;
	}
	mutex_unlock(&region->lock);
	return victim;
}

/* Whether other clients may displace a buffer in the SRAM. */
static bool loom_region_displaceable(struct loom_region *region, struct ttm_resource *resource)
{
	const struct loom_region_block *block = to_loom_region_block(resource);
	bool displaceable = false;
	u32 i;

	mutex_lock(&region->lock);
	for (i = 0; i < block->count && !displaceable; i++)
		displaceable = loom_region_displaceable_locked(region, &block[i]);
	mutex_unlock(&region->lock);
	return displaceable;
}

/*
 * Moves of its bytes do not count: they end soon, and the next user of the address waits for them
 * anyway.
 */
static bool loom_bo_is_in_use(struct ttm_buffer_object *tbo)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	dma_resv_for_each_fence(&cursor, tbo->base.resv, DMA_RESV_USAGE_BOOKKEEP, fence)
		if (dma_resv_iter_usage(&cursor) != DMA_RESV_USAGE_KERNEL &&
		    !dma_fence_is_signaled(fence))
			return true;
	return false;
}

/**
 * loom_bo_may_evict() - whether evicting a buffer helps
 * @tbo: the buffer, which is a &struct loom_bo
 * @place: as TTM has it
 *
 * Evicting a buffer helps only if it shares a bank with the buffer to place, or if the limit of a
 * control group was reached.
 *
 * TTM passes no place to enforce a lowered limit of a control group.
 *
 * To swap out, TTM passes a plain place, and would wait for the jobs of the buffer in any thread:
 * so it must get idle ones only.
 *
 * Return: true if so.
 */
bool loom_bo_may_evict(struct ttm_buffer_object *tbo, const struct ttm_place *place)
{
	const struct loom_bo *bo = to_loom_bo(tbo);
	struct loom_bo *evictor;

	if (bo->shape.region == DRM_LOOM_REGION_SRAM || !ttm_bo_eviction_valuable(tbo, place))
		return false;
	/* TTM would wait for a busy one */
	if (!place)
		return !tbo->deleted || loom_bo_is_idle(bo);
	if (!(place->flags & LOOM_BO_PLACE))
		return !bo->exports && loom_bo_is_idle(bo);
	if (tbo->deleted && !loom_bo_is_idle(bo))
		return false;
	if (place->flags & LOOM_BO_PLACE_IDLE && loom_bo_is_in_use(tbo))
		return false;
	evictor = container_of(place, struct loom_bo_place, base)->bo;
	if (evictor->no_space && !loom_mask_overlaps(&bo->shape.mask, &evictor->shape.mask))
		return false;
	/* TTM evicts it and tries again, unless an allocation fails */
	evictor->no_space = false;
	return true;
}

/* -------------------------------------------------------------------- room */

/* Take &loom_device.place_lock. Return: 0 or -EINTR. */
static int loom_bo_room_begin(struct loom_bo_room *room, struct loom_device *loom)
{
	int ret = mutex_lock_interruptible(&loom->place_lock);

	if (ret)
		return ret;
	room->loom = loom;
	room->number = ++loom->placings;
	INIT_LIST_HEAD(&room->evicted);
	return 0;
}

/*
 * Undo loom_bo_room_begin(), with the buffers unlocked. On @ret -EAGAIN this waits until a buffer
 * has been freed. Return: @ret, -EAGAIN to try again; -ERESTARTSYS; -ENODEV if the device is
 * unplugged.
 */
static int loom_bo_room_end(struct loom_bo_room *room, int ret)
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
 * loom_bo_with_room() - place buffers under &loom_device.place_lock, evicting others
 * @loom: the device
 * @try: locks and places buffers by loom_bo_place_locked(), and unlocks them; called again if it
 *	returns -EAGAIN, after a buffer has been freed
 * @data: for @try
 *
 * The caller must not hold locks.
 *
 * Return: as @try; -EINTR; -ERESTARTSYS; -ENODEV if the device is unplugged.
 */
int loom_bo_with_room(struct loom_device *loom,
		      int (*try)(void *data, struct loom_bo_room *room), void *data)
{
	struct loom_bo_room room;
	int ret;

	do {
		ret = loom_bo_room_begin(&room, loom);
		if (!ret)
			ret = loom_bo_room_end(&room, try(data, &room));
	} while (ret == -EAGAIN);
	return ret;
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
	gem = loom_evict_victim(region, limited ? NULL : &bo->shape.mask, bo->owner, limited,
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

static void loom_bo_keep_locked(struct loom_bo *bo, const struct loom_bo_room *room)
{
	dma_resv_assert_held(bo->tbo.base.resv);

	if (bo->resident)
		to_loom_region_block(bo->tbo.resource)->keep = room->number;
}

/**
 * loom_bo_room_keep() - protect a buffer from eviction by @room
 * @room: the room, or NULL
 * @exec: has reserved the buffer, and reserves those that are evicted
 * @bo: the buffer
 */
void loom_bo_room_keep(struct loom_bo_room *room, struct drm_exec *exec, struct loom_bo *bo)
{
	if (!room)
		return;
	room->exec = exec;
	loom_bo_keep_locked(bo, room);
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
 * @room: NULL to use free addresses only. Otherwise others are evicted for it, except buffers that
 *	the caller has given to loom_bo_room_keep(), which must be all that its exec has reserved
 *
 * Return: 0; -ENOSPC if the banks are full; -EAGAIN if a buffer is being freed: the caller must
 * unlock all and return that to loom_bo_with_room(); -EDEADLK if the exec is contended; -ENOMEM;
 * -ERESTARTSYS, -EINTR.
 */
int loom_bo_place_locked(struct loom_bo *bo, struct loom_bo_room *room)
{
	int ret = loom_bo_place_free_locked(bo);

	if (ret == -ENOSPC && room && bo->shape.region != DRM_LOOM_REGION_SRAM)
		ret = loom_bo_place_evicting_locked(bo, room);
	if (!ret && room)
		loom_bo_keep_locked(bo, room);
	return ret;
}

/* Evicts others. Return: 0, or -errno as loom_bo_place_locked(). */
static int loom_bo_place_with_room(void *data, struct loom_bo_room *room)
{
	struct loom_bo *bo = data;
	struct drm_exec exec;
	int ret;

	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT, 1);
	drm_exec_until_all_locked(&exec) {
		ret = drm_exec_lock_obj(&exec, &bo->tbo.base);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
		loom_bo_room_keep(room, &exec, bo);
		ret = loom_bo_place_locked(bo, room);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
	}
	drm_exec_fini(&exec);
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

/* Place a buffer where @freed is from before a try in vain. Return: as loom_bo_place(), -EAGAIN. */
static int loom_bo_place_by_force(struct loom_bo *bo, u64 freed)
{
	if (bo->shape.region == DRM_LOOM_REGION_SRAM)
		return loom_bo_is_limited(bo) ? -ENOSPC : loom_bo_make_room_in_sram(bo, freed);
	return loom_bo_with_room(to_loom_device(bo->tbo.base.dev), loom_bo_place_with_room, bo);
}

/**
 * loom_bo_place() - place a new buffer in its region, evicting others if needed
 * @bo: the buffer, not locked
 *
 * Return: 0; -ENOSPC; -ERESTARTSYS; -ENOMEM.
 */
int loom_bo_place(struct loom_bo *bo)
{
	u64 freed;
	int ret;

	do {
		freed = READ_ONCE(loom_bo_region(bo)->freed);
		ret = loom_bo_place_free(bo);
		if (ret == -ENOSPC)
			ret = loom_bo_place_by_force(bo, freed);
	} while (ret == -EAGAIN);
	return ret;
}

/**
 * loom_device_move_out() - evict all buffers from local memory that is about to lose its bytes
 * @dev: the device, about to be suspended by its bus; user space is frozen
 *
 * The next job that uses a buffer brings it back. The bytes on a wedged device are lost.
 *
 * Return: 0; -EBUSY: the device has jobs; -errno.
 */
int loom_device_move_out(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);
	int ret = 0;
	bool idle;
	u32 id;

	if (read_poll_timeout(list_empty_careful, idle, idle, 10 * USEC_PER_MSEC,
			      LOOM_EVICT_DRAIN_MS * USEC_PER_MSEC, false, &loom->jobs))
		return -EBUSY;
	for (id = 0; !ret && id < DRM_LOOM_REGION_COUNT; id++) {
		struct loom_region *region = &loom->region[id];

		if (loom_region_is_local(region) && loom_region_exists(region))
			ret = ttm_resource_manager_evict_all(&loom->ttm, &region->manager);
	}
	if (!ret)
		loom_moves_drain(loom);
	return ret;
}
EXPORT_SYMBOL_NS_GPL(loom_device_move_out, LOOM_COMPAT_NS);
