// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-buf.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_exec.h>
#include <drm/drm_file.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/drm_prime.h>
#include <drm/drm_utils.h>
#include <drm/ttm/ttm_tt.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_quota.h"
#include "loom_user.h"

/**
 * DOC: Buffers
 *
 * A buffer is placed in its region when it is made, takes the same addresses in each of its banks,
 * and is seen by clients as a line of bytes. If the DRAM or ROM is full, the buffer least recently
 * used loses its address and keeps its bytes (see loom_ttm.c); a job that is bound to it brings it
 * back, maybe to another address. Clients cannot tell, because plans hold no addresses.
 *
 * Who needs room takes these steps, none of which waits for a job:
 *
 * 1. take a free address, without the device's lock for placing;
 * 2. with it, evict what no job uses, least recently used first, until there is room;
 * 3. evict what jobs use: they go on, and jobs that use the new buffer will wait for them;
 * 4. of what is still there, lock one buffer that somebody else had locked, evict it, try again;
 *    wait for one that is being freed.
 *
 * There is no room if nothing is left to evict. TTM takes steps 2 and 3 and passes over what is
 * locked, so without step 4 clients that happen to look at their buffers would be in the way.
 *
 * A control group may have a limit (dmem.max). At the limit TTM evicts what is charged to the
 * group, whatever its banks, and step 4 takes buffers of the same file only: of others it does not
 * know the group, and to evict those of other groups would not help.
 *
 * SRAM buffers are not evicted for others: being in the SRAM is what they are for, and what a file
 * may have there is bounded (see sram/sram.c). A full SRAM is ENOSPC. The exception is a buffer
 * that only an exclusive context could make, once that has no effect any more: it is displaced when
 * another client needs the room, and placed by the rules for all when its next job needs it. Jobs
 * that were to use it end: nobody waits for them.
 *
 * A buffer gives its address back with the last reference, and not when TTM frees it: that waits
 * for its mappings, which may stay for ever, and for all fences in its reservation, where any
 * client can put some, through a dma-buf. Jobs have references: none uses the address any more.
 *
 * Images differ only in how their bytes are dealt out over the banks: clients see rows at a pitch,
 * and so do jobs and the kernel, all of them as one line of bytes. It consists of whole processor
 * pages whatever the pitch, because the bytes of a soft device are in system pages. A back end
 * that maps its banks themselves can do so only for images whose pitch is a multiple of such a
 * page, as with pages of interleaved buffers.
 *
 * Buffers of other drivers can be imported (PRIME) and bound to slots in the DRAM. To jobs such a
 * buffer is one of ours that others have imported: it gets an address at SUBMIT, loses it when
 * others need the room, and its bytes are where the exporter keeps them. They are not charged to
 * anybody here, and no file is its owner: the pages are the exporter's, and core does not tell who
 * imports. It takes no memory of the host but for a page directory, and an address only for as long
 * as others need none. The driver's jobs reach the bytes through the exporter's mapping for the
 * kernel, and clients through its mapping for processes. Its reservation is the exporter's,
 * with fences of both drivers. Jobs wait for what the exporter itself does with the bytes, like
 * moving them; for its jobs clients wait by syncobjs, as for ours.
 *
 * The soft device is the processor, so it needs the exporter's memory to be coherent with it:
 * dma_buf_begin_cpu_access() takes the reservation lock, and no job may.
 *
 * The kernel's own mapping of a buffer is made by the first job that uses it and kept until the
 * pages go (swapped out, or the buffer destroyed). Making one for each job was tried on paper and
 * rejected: it costs more than a small job does.
 */

static const struct ttm_place loom_bo_system_place = {
	.mem_type = TTM_PL_SYSTEM,
};

/* No address in a region; the bytes are in system pages. */
struct ttm_placement loom_bo_system = {
	.num_placement = 1,
	.placement = &loom_bo_system_place,
};

static struct ttm_operation_ctx loom_bo_ctx(void)
{
	return (struct ttm_operation_ctx) {
		.interruptible = true,
		.no_wait_gpu = true,
		.gfp_retry_mayfail = true,
	};
}

/**
 * loom_bo_room_begin() - be the one who makes room
 * @room: out; to be given to loom_bo_room_end()
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
 * loom_bo_wait_freed() - wait until there may be more room, because a buffer is being freed
 * @loom: the device
 * @id: its region
 * @freed: loom_region.freed before it was found that there is no room
 *
 * Return: -EAGAIN when it is time to try again, -ERESTARTSYS, or -ENODEV: the device goes.
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
 * @room: the room, when the buffers are unlocked again
 * @ret: what has come of it; in case of -EAGAIN this waits until there may be more room
 *
 * Return: @ret, -EAGAIN when it is time to try again; -ERESTARTSYS; -ENODEV: the device goes.
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

/*
 * TTM did not come to ask for an address: the limit of a control group is what is in the way, and
 * not who else has buffers in these banks.
 */
static bool loom_bo_is_limited(const struct loom_bo *bo)
{
	return !bo->no_space;
}

/* One buffer goes that somebody else had locked. Return: 0 to try again, or -errno. */
static int loom_bo_make_room_locked(struct loom_bo *bo, struct loom_bo_room *room)
{
	struct loom_region *region = &room->loom->region[bo->shape.region];
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	bool limited = loom_bo_is_limited(bo), dying;
	struct drm_gem_object *gem;
	struct loom_bo *victim;
	int ret;

	/* others may take free addresses meanwhile, so this is not bound to end soon */
	if (signal_pending(current))
		return -ERESTARTSYS;
	gem = loom_region_victim(region, limited ? NULL : &bo->shape.mask, bo->owner, limited,
				 room->number, &dying);
	if (!gem && dying)
		return -EAGAIN;
	if (!gem) /* nothing is left, but something may have gone by itself since the last try */
		return READ_ONCE(region->freed) == room->freed ? -ENOSPC : 0;
	victim = gem_to_loom_bo(gem);
	/* until all is unlocked: lockdep takes the first lock of an exec for all of them */
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
	/* some kernels say ENOMEM for both */
	return ret == -ENOMEM && bo->no_space ? -ENOSPC : ret;
}

/**
 * loom_bo_keep_locked() - a buffer is not to be evicted when room is made
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
 * loom_bo_place_locked() - bring a buffer into its region
 * @bo: the buffer, reserved
 * @room: NULL if only a free address will do. Else others are evicted for it, but for those that
 *	its exec has locked, which have been given to loom_bo_keep_locked()
 *
 * Return: 0; -ENOSPC when there is no room in the banks; -EAGAIN when there will be: unlock, and
 * loom_bo_room_end() waits; -EDEADLK, and the exec is contended; -ENOMEM; -ERESTARTSYS, -EINTR.
 */
int loom_bo_place_locked(struct loom_bo *bo, struct loom_bo_room *room)
{
	int ret;

	dma_resv_assert_held(bo->tbo.base.resv);

	/* TTM does not evict for a place that is only desired */
	ret = loom_bo_validate_locked(bo, TTM_PL_FLAG_DESIRED);
	if (ret == -ENOSPC && room && bo->shape.region != DRM_LOOM_REGION_SRAM)
		ret = loom_bo_place_evicting_locked(bo, room);
	if (!ret && room)
		loom_bo_keep_locked(bo, room);
	return ret;
}

/**
 * loom_bo_populate_locked() - bring back the pages of a buffer, if they were swapped out
 * @bo: the buffer, reserved
 *
 * Placing does this too, but in front of all others who need room.
 *
 * Return: 0 or -errno.
 */
int loom_bo_populate_locked(struct loom_bo *bo)
{
	struct ttm_operation_ctx ctx = loom_bo_ctx();

	dma_resv_assert_held(bo->tbo.base.resv);

	return loom_compat_ttm_populate(&bo->tbo, &ctx);
}

/**
 * loom_bo_map_locked() - make the bytes of a buffer visible to the kernel
 * @bo: the buffer, reserved
 *
 * Return: 0, and loom_bo.map is valid while the buffer is not idle; -EOPNOTSUPP: it is another
 * driver's, in memory that is not like the processor's; -errno.
 */
int loom_bo_map_locked(struct loom_bo *bo)
{
	int ret;

	dma_resv_assert_held(bo->tbo.base.resv);

	if (!iosys_map_is_null(&bo->map))
		return 0;
	if (!bo->dmabuf)
		return ttm_bo_vmap(&bo->tbo, &bo->map);
	ret = dma_buf_vmap(bo->dmabuf, &bo->map);
	if (!ret && bo->map.is_iomem) {
		dma_buf_vunmap(bo->dmabuf, &bo->map);
		ret = -EOPNOTSUPP;
	}
	if (ret)
		iosys_map_clear(&bo->map);
	return ret;
}
EXPORT_SYMBOL_NS_GPL(loom_bo_map_locked, LOOM_COMPAT_NS);

/**
 * loom_bo_unmap_locked() - undo loom_bo_map_locked(), before the pages go
 * @bo: the buffer, reserved, mapped or not
 */
void loom_bo_unmap_locked(struct loom_bo *bo)
{
	if (iosys_map_is_null(&bo->map))
		return;
	if (bo->dmabuf)
		dma_buf_vunmap(bo->dmabuf, &bo->map);
	else
		ttm_bo_vunmap(&bo->tbo, &bo->map);
	iosys_map_clear(&bo->map);
}

/* With others evicted. Return: 0, or -errno as loom_bo_place_locked(). */
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
 * loom_bo_displace() - make a buffer give its room in the SRAM to another client
 * @gem: the buffer; the caller holds a reference and no lock
 *
 * Does nothing if it need not give it any more. Jobs that use the buffer end, see loom_ttm.c.
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
	/* there may be thousands of them; one is done by each call, however often it is made */
	if (!ret && signal_pending(current))
		return -ERESTARTSYS;
	return ret;
}

/* Others lose what only an exclusive context could take. Return: -EAGAIN to try again, -errno. */
static int loom_bo_make_room_in_sram(const struct loom_bo *bo, u64 freed)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	struct loom_region *sram = &loom->region[DRM_LOOM_REGION_SRAM];
	struct drm_gem_object *gem;
	bool dying;
	int ret;

	ret = loom_region_revoke(sram, &bo->client->sram);
	if (ret)
		return ret;
	gem = loom_region_find_displaceable(sram, &bo->shape, &bo->client->sram, &dying);
	if (!gem && dying)
		return loom_bo_wait_freed(loom, DRM_LOOM_REGION_SRAM, freed);
	if (!gem)
		return -ENOSPC;
	ret = loom_bo_displace(gem);
	drm_gem_object_put(gem);
	return ret ?: -EAGAIN;
}

static int loom_bo_place(struct loom_bo *bo)
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

static void loom_bo_gem_free(struct drm_gem_object *gem)
{
	struct ttm_operation_ctx ctx = { .no_wait_gpu = true };
	struct loom_bo *bo = gem_to_loom_bo(gem);

	/* the reservation of others may be locked by who drops the reference */
	if (!bo->dmabuf) {
		dma_resv_lock(gem->resv, NULL);
		/* else TTM is about to free it. Without memory for this it keeps the address */
		if (bo->resident && (kref_read(&bo->tbo.kref) > 1 || !loom_bo_is_idle(bo)))
			ttm_bo_validate(&bo->tbo, &loom_bo_system, &ctx);
		dma_resv_unlock(gem->resv);
	}
	loom_compat_ttm_bo_fini(&bo->tbo);
}

/*
 * Importers may hold the pages for long, so these stay. An address in the DRAM means nothing to
 * them: to keep it would let a client take the DRAM from all others.
 */
static int loom_bo_gem_pin(struct drm_gem_object *gem)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret = loom_bo_populate_locked(bo);

	if (!ret)
		bo->exports++;
	return ret;
}

static void loom_bo_gem_unpin(struct drm_gem_object *gem)
{
	gem_to_loom_bo(gem)->exports--;
}

static struct sg_table *loom_bo_gem_sg_table(struct drm_gem_object *gem)
{
	struct ttm_tt *tt = gem_to_loom_bo(gem)->tbo.ttm;

	return drm_prime_pages_to_sg(gem->dev, tt->pages, tt->num_pages);
}

static enum drm_gem_object_status loom_bo_gem_status(struct drm_gem_object *gem)
{
	return READ_ONCE(gem_to_loom_bo(gem)->resident) ? DRM_GEM_OBJECT_RESIDENT : 0;
}

/* TTM would not know what to do about a fault. */
static int loom_bo_gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);
	int ret;

	if (!bo->dmabuf)
		return drm_gem_ttm_mmap(gem, vma);
	/* not all exporters set these */
	vma->vm_private_data = NULL;
	vma->vm_ops = NULL;
	vm_flags_set(vma, VM_DONTEXPAND);
	ret = dma_buf_mmap(bo->dmabuf, vma, 0);
	if (!ret) /* the mapping has a reference to the dma-buf instead */
		drm_gem_object_put(gem);
	return ret;
}

static const struct drm_gem_object_funcs loom_bo_gem_funcs = {
	.free = loom_bo_gem_free,
	.pin = loom_bo_gem_pin,
	.unpin = loom_bo_gem_unpin,
	.get_sg_table = loom_bo_gem_sg_table,
	.vmap = drm_gem_ttm_vmap,
	.vunmap = drm_gem_ttm_vunmap,
	.mmap = loom_bo_gem_mmap,
	.print_info = drm_gem_ttm_print_info,
	.status = loom_bo_gem_status,
};

static void loom_bo_destroy(struct ttm_buffer_object *tbo)
{
	struct loom_bo *bo = to_loom_bo(tbo);

	if (bo->dmabuf) {
		/* core sets it when the import has succeeded */
		if (tbo->base.import_attach)
			drm_prime_gem_destroy(&tbo->base, tbo->sg);
		dma_buf_put(bo->dmabuf);
	} else {
		loom_quota_uncharge(to_loom_device(tbo->base.dev), bo->client, tbo->base.size);
		loom_file_put(bo->client);
	}
	drm_gem_object_release(&tbo->base);
	kfree(bo);
}

/* A buffer of zeroes, not yet in its region; the caller has the only reference. */
static int loom_bo_create(struct loom_device *loom, const struct loom_shape *shape,
			  struct drm_file *file, struct loom_bo **out)
{
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	u64 size = PAGE_ALIGN(shape->layout.size);
	struct loom_bo *bo;
	int ret;

	/*
	 * A buffer larger than the host is refused, not tried until others are killed. Later on,
	 * when it is touched or brought back, there is nobody to tell but by a signal.
	 */
	if (PFN_DOWN(size) > si_mem_available())
		return -ENOMEM;
	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return -ENOMEM;
	bo->shape = *shape;
	INIT_LIST_HEAD(&bo->jobs);
	INIT_LIST_HEAD(&bo->evicted);
	bo->owner = file->client_id;
	bo->client = file->driver_priv;
	ret = loom_quota_charge(loom, bo->client, size);
	if (ret) {
		kfree(bo);
		return ret;
	}
	loom_file_get(bo->client);
	bo->tbo.base.funcs = &loom_bo_gem_funcs;
	drm_gem_private_object_init(&loom->drm, &bo->tbo.base, size);
	/* frees it when it fails */
	ret = ttm_bo_init_reserved(&loom->ttm, &bo->tbo, ttm_bo_type_device, &loom_bo_system, 0,
				   &ctx, NULL, NULL, loom_bo_destroy);
	if (ret)
		return ret;
	/* pages are zeroed here, not under the lock that placing it takes */
	ret = loom_compat_ttm_populate(&bo->tbo, &ctx);
	ttm_bo_unreserve(&bo->tbo);
	if (ret) {
		drm_gem_object_put(&bo->tbo.base);
		return ret;
	}
	*out = bo;
	return 0;
}

/**
 * loom_bo_import() - a buffer for the pages of another driver
 * @drm: the device
 * @attach: to the dma-buf
 * @sg: its pages; ours to unmap once this has succeeded
 *
 * It is interleaved over all banks of the DRAM and has no address yet.
 *
 * Return: the buffer; ERR_PTR(-ENOSPC) if the DRAM is smaller than that; ERR_PTR(-errno).
 */
struct drm_gem_object *loom_bo_import(struct drm_device *drm, struct dma_buf_attachment *attach,
				      struct sg_table *sg)
{
	struct drm_loom_bo_create args = {
		.size = attach->dmabuf->size,
		.region = DRM_LOOM_REGION_DRAM,
		.layout = DRM_LOOM_LAYOUT_INTERLEAVED,
	};
	struct loom_device *loom = to_loom_device(drm);
	struct ttm_operation_ctx ctx = loom_bo_ctx();
	struct dma_resv *resv = attach->dmabuf->resv;
	struct loom_bo *bo;
	int ret;

	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	ret = loom_shape_init(&bo->shape, drm, loom->chip, &args);
	if (!ret && bo->shape.layout.bytes_per_bank >
		    loom_region_total(&loom->region[DRM_LOOM_REGION_DRAM]))
		ret = -ENOSPC;
	if (!ret && !PAGE_ALIGNED(args.size))
		ret = loom_refuse(drm, -EINVAL, "import: %llu bytes", args.size);
	if (!ret)
		ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret) {
		kfree(bo);
		return ERR_PTR(ret);
	}
	INIT_LIST_HEAD(&bo->jobs);
	INIT_LIST_HEAD(&bo->evicted);
	/* one of its own: TTM may free the buffer when core has dropped that of the attachment */
	bo->dmabuf = attach->dmabuf;
	get_dma_buf(bo->dmabuf);
	bo->tbo.base.funcs = &loom_bo_gem_funcs;
	drm_gem_private_object_init(drm, &bo->tbo.base, args.size);
	/* frees it when it fails */
	ret = ttm_bo_init_reserved(&loom->ttm, &bo->tbo, ttm_bo_type_sg, &loom_bo_system, 0,
				   &ctx, sg, resv, loom_bo_destroy);
	dma_resv_unlock(resv);
	return ret ? ERR_PTR(ret) : &bo->tbo.base;
}

/* Record why there is no room, for this call and for QUERY_NO_SPACE. */
static int loom_bo_no_space(struct loom_device *loom, const struct loom_shape *shape,
			    const struct drm_loom_bo_create *args, struct loom_file *client,
			    bool limited)
{
	struct drm_loom_no_space record;

	loom_region_no_space(&loom->region[args->region], shape, &client->sram, args->size,
			     &record);
	if (limited)
		record.reason = DRM_LOOM_NO_SPACE_LIMIT;
	mutex_lock(&client->no_space_lock);
	client->no_space = record;
	mutex_unlock(&client->no_space_lock);
	loom_refuse(&loom->drm, -ENOSPC, "buffer: reason %u, %llu bytes in each of %u banks",
		    record.reason, record.bytes_per_bank, record.banks);
	return loom_user_write(args->no_space, args->no_space_size, &record, sizeof(record)) ?:
	       -ENOSPC;
}

/**
 * loom_bo_ioctl_create() - BO_CREATE
 * @drm: the device
 * @data: &struct drm_loom_bo_create
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_bo_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_loom_bo_create *args = data;
	struct loom_shape shape;
	struct loom_bo *bo;
	u32 handle;
	int ret;

	ret = loom_shape_init(&shape, drm, loom->chip, args);
	if (ret == -EOVERFLOW) {
		shape.layout.bytes_per_bank = U64_MAX;
		ret = -ENOSPC;
	}
	if (!ret && shape.layout.bytes_per_bank > loom_region_total(&loom->region[shape.region]))
		ret = -ENOSPC;
	if (ret == -ENOSPC)
		return loom_bo_no_space(loom, &shape, args, file->driver_priv, false);
	if (ret)
		return ret;
	ret = loom_bo_create(loom, &shape, file, &bo);
	if (ret)
		return ret;
	ret = loom_bo_place(bo);
	if (ret == -ENOSPC)
		ret = loom_bo_no_space(loom, &shape, args, file->driver_priv,
				       loom_bo_is_limited(bo));
	if (ret)
		goto out_put;
	ret = drm_gem_handle_create(file, &bo->tbo.base, &handle);
	if (ret)
		goto out_put;
	args->handle = handle;
	/* an image's size and pitch are chosen here */
	args->size = shape.layout.size;
	args->pitch_bytes = shape.layout.dtype ? shape.layout.page_pitch_bytes : 0;
out_put:
	drm_gem_object_put(&bo->tbo.base);
	return ret;
}

/**
 * loom_bo_ioctl_info() - BO_INFO
 * @drm: the device
 * @data: &struct drm_loom_bo_info
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_bo_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_bo_info *args = data;
	struct drm_gem_object *gem;
	struct loom_bo *bo;
	u64 address = 0;
	u32 flags = 0;
	int ret;

	if (args->pad)
		return loom_refuse(drm, -EINVAL, "buffer: padding %#x", args->pad);
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return loom_refuse(drm, -ENOENT, "no buffer %u", args->handle);
	bo = gem_to_loom_bo(gem);
	ret = dma_resv_lock_interruptible(gem->resv, NULL);
	if (ret)
		goto out_put;
	if (bo->resident)
		address = loom_region_address(bo->tbo.resource);
	else
		flags |= DRM_LOOM_BO_EVICTED;
	dma_resv_unlock(gem->resv);

	*args = (struct drm_loom_bo_info) {
		.handle = args->handle,
		.region = bo->shape.region,
		.size = bo->shape.layout.size,
		.mmap_offset = drm_vma_node_offset_addr(&gem->vma_node),
		.address = address,
		.bytes_per_bank = bo->shape.layout.bytes_per_bank,
		.padding_bytes = bo->shape.layout.padding_bytes,
		.page_bytes = bo->shape.layout.page_bytes,
		.page_pitch_bytes = bo->shape.layout.page_pitch_bytes,
		.banks = bo->shape.layout.banks,
		.layout = bo->shape.kind,
		.flags = flags,
		.align_padding_bytes = bo->shape.layout.align_padding_bytes,
		.page_columns = bo->shape.layout.page_columns,
		.shard_rows = bo->shape.layout.shard_rows,
		.shard_columns = bo->shape.layout.shard_columns,
		.shards_across = bo->shape.layout.shards_across,
		.grid_columns = bo->shape.layout.grid_columns,
		.shard_order = bo->shape.layout.column_major ? DRM_LOOM_SHARD_COLUMN_MAJOR :
							       DRM_LOOM_SHARD_ROW_MAJOR,
	};
	memcpy(args->bank_mask, bo->shape.mask.word, sizeof(args->bank_mask));
	if (bo->shape.layout.dtype) {
		args->width = bo->shape.layout.width;
		args->height = bo->shape.layout.height;
		args->dtype = bo->shape.layout.dtype;
		args->pitch_bytes = bo->shape.layout.page_pitch_bytes;
		args->rows_per_bank = div64_u64(bo->shape.layout.bytes_per_bank,
						bo->shape.layout.page_pitch_bytes);
	}
out_put:
	drm_gem_object_put(gem);
	return ret;
}

/**
 * loom_bo_ioctl_wait() - BO_WAIT
 * @drm: the device
 * @data: &struct drm_loom_bo_wait
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_bo_ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_bo_wait *args = data;
	struct drm_gem_object *gem;
	long ret;

	if (args->pad)
		return loom_refuse(drm, -EINVAL, "buffer: padding %#x", args->pad);
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return loom_refuse(drm, -ENOENT, "no buffer %u", args->handle);
	ret = dma_resv_wait_timeout(gem->resv, DMA_RESV_USAGE_BOOKKEEP, true,
				    drm_timeout_abs_to_jiffies(args->timeout_ns));
	drm_gem_object_put(gem);
	if (ret < 0)
		return ret;
	return ret ? 0 : -ETIME;
}
