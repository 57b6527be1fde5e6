// SPDX-License-Identifier: GPL-2.0
#include <linux/bsearch.h>
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <drm/drm_gem.h>

#include "core/loom_span.h"
#include "fit.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_quota.h"
#include "loom_region.h"
#include "sram/floor.h"
#include "loom_shape.h"
#include "loom_user.h"
#include "no_space.h"

/**
 * DOC: Lists of allocations
 *
 * The answer to "would these fit now" comes from the allocator itself: all allocations of a region
 * are made under its lock, and undone before the lock is dropped, so no client sees them. Regions
 * are independent; the first failure in the order of the list is that of the caller.
 *
 * Outside of the SRAM, buffers can be evicted. A list that does not fit beside the resident buffers
 * is tried again in an empty region.
 *
 * Rejected: a copy of the allocator's state. It costs memory for all blocks, and the copy is made
 * under the same lock.
 */

/**
 * struct loom_fit - a list that is tried
 */
struct loom_fit {
	/** @loom: the device */
	struct loom_device *loom;
	/** @file: the client */
	struct drm_file *file;
	/** @shapes: of the allocations */
	struct loom_shape *shapes;
	/** @blocks: of each allocation, allocated under the lock of their region only */
	struct loom_region_block **blocks;
	/** @count: number of allocations */
	u32 count;
	/** @addresses: number of all @blocks, at most DRM_LOOM_MAX_FIT_ADDRESSES */
	u32 addresses;
	/** @spares: room for @addresses chunks for the allocator, NULL where one was used */
	struct loom_bank_chunk **spares;
	/** @gems: own buffers in the way, with references */
	struct drm_gem_object **gems;
	/** @room: capacity of @gems */
	u32 room;
	/** @list: the answer; its @failed is DRM_LOOM_MAX_FIT before the first failure */
	struct drm_loom_fit_list *list;
};

/* Whether a buffer has bytes at @low or above it, in one of the banks of @mask. */
static bool loom_region_overlaps(const struct loom_region_block *block,
				 const struct loom_mask *mask, u64 low)
{
	u32 i;

	for (i = 0; i < block->count; i++)
		if (block[i].block.start + block[i].block.size > low &&
		    loom_mask_overlaps(&block[i].mask, mask))
			return true;
	return false;
}

/* Fills the first @count of the spares. */
static int loom_fit_add_spares(struct loom_fit *fit, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (!fit->spares[i])
			fit->spares[i] = loom_bank_chunk_create();
		if (!fit->spares[i])
			return -ENOMEM;
	}
	return 0;
}

/* Bytes of other files in the bank of @mask where they have most. */
static u64 loom_fit_others_locked(struct loom_region *region, const struct loom_mask *mask,
				  const struct loom_region_share *share)
{
	u64 most = 0;
	u32 i;

	for (i = loom_mask_next(mask, 0); i < DRM_LOOM_MAX_BANKS; i = loom_mask_next(mask, i + 1))
		most = max(most, loom_bank_bytes(loom_region_bank_locked(region), i) -
				 share->used[region->id][i]);
	return most;
}

/* Bytes beyond the share of the client, in the bank where there are most. */
static u64 loom_fit_excess_locked(struct loom_region *region, const struct loom_region_block *block,
				  u64 need)
{
	u64 most = 0, used, limit;
	u32 i;

	for (i = 0; i < block->count; i++) {
		used = loom_region_used(block->share, region->id, &block[i].mask) + need;
		limit = loom_region_limit(region, &block[i].mask);
		most = max(most, used - min(used, limit));
	}
	return most;
}

/*
 * Collects references to the own buffers in the banks of the allocation that has failed, and above
 * the scratch. Which of them would do depends on the blocks of others, so all are told. The record
 * gets the largest label here, because that walk may drop the lock.
 */
static void loom_fit_collect(struct loom_fit *fit)
{
	const struct loom_shape *shape = &fit->shapes[fit->list->failed];
	struct loom_region *region = &fit->loom->region[shape->region];
	struct loom_file *client = fit->file->driver_priv;
	struct loom_bank_block *next;
	struct loom_bank_iter iter;
	u64 low;

	mutex_lock(&region->lock);
	if (fit->list->error == ENOSPC)
		loom_region_blocker_locked(region, &shape->mask, client->id, &fit->list->no_space);
	low = region->bank.base + loom_region_low_locked(region, &shape->mask, &client->share);
	loom_bank_walk(loom_region_bank_locked(region), NULL, &iter);
	while ((next = loom_bank_next_block(&iter))) {
		struct loom_region_block *block =
			container_of(next, struct loom_region_block, block);

		if (block->owner != fit->file->client_id || block != block->whole ||
		    !loom_region_overlaps(block, &shape->mask, low))
			continue;
		if (fit->list->own.count >= fit->room)
			fit->list->own.count++;
		else if (kref_get_unless_zero(&block->gem->refcount))
			fit->gems[fit->list->own.count++] = block->gem;
	}
	mutex_unlock(&region->lock);
}

/* Fills in the answer for allocation @index, which has failed with @error. */
static void loom_fit_fail_locked(struct loom_fit *fit, struct loom_region *region,
				 const struct loom_bank *bank, u32 index, int error)
{
	const struct loom_region_share *share = fit->blocks[index]->share;
	const struct loom_shape *shape = &fit->shapes[index];
	u64 need = shape->layout.bytes_per_bank, low = 0, hole;
	struct loom_mask tightest;
	struct drm_loom_fit_list *list = fit->list;
	u64 total = loom_region_total(region);
	bool empty = bank != &region->bank;

	list->failed = index;
	list->error = -error;
	if (error == -EDQUOT) {
		list->short_bytes = loom_fit_excess_locked(region, fit->blocks[index], need);
		return;
	}
	loom_region_no_space_locked(region, bank, shape, empty ? NULL : share, shape->layout.size,
				    &list->no_space);
	list->short_bytes = need - min(need, total);
	if (list->short_bytes)
		return;
	tightest = loom_region_tightest_locked(region, bank, shape, empty ? NULL : share);
	if (!empty)
		low = bank->base + loom_region_low_locked(region, &tightest, share);
	hole = loom_bank_hole(bank, &tightest, low);
	/* a hole of enough bytes may begin or end off the alignment */
	list->short_bytes = need > hole ? need - hole : region->chip->align_bytes;
	if (!empty && loom_fit_others_locked(region, &shape->mask, share))
		list->short_bytes = min(loom_user_rounded(list->short_bytes, 0, total), need);
}

static void loom_fit_give_locked(struct loom_region *region, struct loom_bank *bank,
				 struct loom_region_block *block)
{
	u32 i;

	if (bank == &region->bank)
		return loom_region_give_locked(region, block);
	for (i = 0; i < block->count && loom_bank_allocated(&block[i].block); i++)
		WARN_ON_ONCE(loom_bank_free(bank, &block[i].block));
}

static int loom_fit_take_locked(struct loom_fit *fit, struct loom_region *region,
				struct loom_bank *bank, u32 index)
{
	struct loom_region_block *block = fit->blocks[index];
	const struct loom_shape *shape = &fit->shapes[index];
	struct loom_bank_request request;
	u32 spare = 0, i;
	int ret = 0;

	if (shape->layout.bytes_per_bank > loom_region_total(region))
		return -ENOSPC;
	if (bank == &region->bank)
		return loom_region_take_locked(region, block, shape, fit->spares, fit->addresses);
	request = loom_region_request(region, shape);
	for (i = 0; i < block->count && !ret; i++) {
		while (spare + 1 < fit->addresses && !fit->spares[spare])
			spare++;
		request.spare = &fit->spares[spare];
		if (shape->per_bank)
			request.mask = &block[i].mask;
		ret = loom_bank_alloc(bank, &block[i].block, &request);
	}
	if (ret)
		loom_fit_give_locked(region, bank, block);
	return ret;
}

/* Tries all allocations of a region, and undoes them. Return: 0, or -errno of the first failure. */
static int loom_fit_try_locked(struct loom_fit *fit, struct loom_region *region,
			       struct loom_bank *bank)
{
	u32 end = min(fit->list->failed, fit->count), i;
	int ret = 0;

	for (i = 0; i < end; i++) {
		if (fit->shapes[i].region != region->id)
			continue;
		ret = loom_fit_take_locked(fit, region, bank, i);
		if (ret)
			break;
	}
	if (ret == -ENOSPC || ret == -EDQUOT)
		loom_fit_fail_locked(fit, region, bank, i, ret);
	while (i--)
		loom_fit_give_locked(region, bank, fit->blocks[i]);
	return ret;
}

/*
 * An allocation takes at most one chunk. Each try takes all that it has, and the undo frees them.
 * Return: 0, -ENOSPC or -EDQUOT with the answer filled in, -ENOMEM.
 */
static int loom_fit_try(struct loom_fit *fit, struct loom_region *region, struct loom_bank *bank)
{
	u32 spares;
	int ret;

	for (spares = 0;; spares = min(2 * spares + 1, fit->addresses)) {
		ret = loom_fit_add_spares(fit, spares);
		if (ret)
			return ret;
		mutex_lock(&region->lock);
		ret = loom_fit_try_locked(fit, region, bank);
		mutex_unlock(&region->lock);
		if (ret != -ENOMEM || spares == fit->addresses)
			return ret;
	}
}

static int loom_fit_region(struct loom_fit *fit, struct loom_region *region)
{
	struct drm_loom_fit_list before = *fit->list;
	struct loom_bank *empty;
	int ret;

	ret = loom_fit_try(fit, region, &region->bank);
	if (ret != -ENOSPC || region->id == DRM_LOOM_REGION_SRAM)
		return ret == -ENOSPC || ret == -EDQUOT ? 0 : ret;
	*fit->list = before;
	fit->list->flags |= DRM_LOOM_FIT_EVICTS;
	empty = kzalloc(sizeof(*empty), GFP_KERNEL_ACCOUNT);
	if (!empty)
		return -ENOMEM;
	ret = loom_bank_init(empty, region->bank.base, region->bank.limit, region->banks,
			     region->bank.policy);
	if (!ret) {
		ret = loom_fit_try(fit, region, empty);
		WARN_ON_ONCE(loom_bank_fini(empty));
	}
	kfree(empty);
	return ret == -ENOSPC ? 0 : ret;
}

/* The caps on bytes of the host, which count before the banks do. */
static void loom_fit_caps(struct loom_fit *fit)
{
	u64 sum = 0, missing;
	u32 i;

	for (i = 0; i < fit->count; i++) {
		const struct loom_shape *shape = &fit->shapes[i];

		/* ENOSPC, whatever the caps are */
		if (shape->layout.bytes_per_bank >
		    loom_region_total(&fit->loom->region[shape->region]))
			return;
		/* no overflow: few buffers, each smaller than the banks */
		sum += PAGE_ALIGN(shape->layout.size);
		missing = loom_quota_missing(fit->loom, fit->file->driver_priv, sum);
		if (!missing)
			continue;
		fit->list->failed = i;
		fit->list->error = EDQUOT;
		fit->list->short_bytes = missing;
		return;
	}
}

/* Reads the allocations. One of more than 64 bits does not fit, and ends the list. */
static int loom_fit_read(struct loom_fit *fit)
{
	const struct drm_loom_array *array = &fit->list->allocations;
	struct loom_file *client = fit->file->driver_priv;
	struct loom_region_block *block;
	struct drm_loom_bo_create args;
	struct loom_shape *shape;
	int ret;

	for (fit->count = 0; fit->count < array->count; fit->count++) {
		shape = &fit->shapes[fit->count];
		ret = loom_user_array_read(&args, sizeof(args), array, fit->count);
		if (!ret)
			ret = loom_shape_init(shape, &fit->loom->drm, fit->loom->chip, &args);
		if (ret && ret != -EOVERFLOW)
			return ret;
		if (ret) {
			shape->layout.bytes_per_bank = U64_MAX;
			shape->layout.size = 0;
		}
		block = loom_region_create(shape, NULL, fit->file->client_id, &client->share);
		if (!block)
			return -ENOMEM;
		fit->blocks[fit->count] = block;
		fit->addresses += block->count;
		if (fit->addresses > DRM_LOOM_MAX_FIT_ADDRESSES)
			return loom_refuse(&fit->loom->drm, -E2BIG, "list: %u addresses",
					   fit->addresses);
	}
	fit->spares = kvcalloc(max(fit->addresses, 1), sizeof(*fit->spares), GFP_KERNEL_ACCOUNT);
	return fit->spares ? 0 : -ENOMEM;
}

static int loom_fit_compare(const void *a, const void *b)
{
	const void *x = *(void * const *)a, *y = *(void * const *)b;

	return x < y ? -1 : x > y;
}

/* Writes the handles of the buffers in the way, in ascending order. */
static int loom_fit_write_handles(struct loom_fit *fit, u32 held, u32 *handles)
{
	struct drm_gem_object *gem;
	int handle;
	u32 n = 0;

	sort(fit->gems, held, sizeof(*fit->gems), loom_fit_compare, NULL);
	spin_lock(&fit->file->table_lock);
	idr_for_each_entry(&fit->file->object_idr, gem, handle)
		if (n < held && bsearch(&gem, fit->gems, held, sizeof(gem), loom_fit_compare))
			handles[n++] = handle;
	spin_unlock(&fit->file->table_lock);
	return loom_user_write_array(fit->list->own.ptr, (u64)n * fit->list->own.stride,
				     fit->list->own.stride, handles, sizeof(*handles), n);
}

static int loom_fit_run(struct loom_fit *fit)
{
	struct drm_loom_fit_list *list = fit->list;
	u32 id, held, *handles;
	int ret = loom_fit_read(fit);

	if (ret)
		return ret;
	list->failed = DRM_LOOM_MAX_FIT;
	loom_fit_caps(fit);
	for (id = 0; id < DRM_LOOM_REGION_COUNT && !ret; id++)
		if (loom_region_exists(&fit->loom->region[id]))
			ret = loom_fit_region(fit, &fit->loom->region[id]);
	if (ret)
		return ret;
	if (list->failed == DRM_LOOM_MAX_FIT) {
		list->failed = 0;
		list->flags |= DRM_LOOM_FIT_NOW;
		return 0;
	}
	list->flags = 0;
	/* elsewhere resident buffers are evicted */
	if (fit->shapes[list->failed].region == DRM_LOOM_REGION_SRAM)
		loom_fit_collect(fit);
	held = min(list->own.count, fit->room);
	if (!held)
		return 0;
	handles = kcalloc(held, sizeof(*handles), GFP_KERNEL_ACCOUNT);
	if (!handles)
		return -ENOMEM;
	ret = loom_fit_write_handles(fit, held, handles);
	kfree(handles);
	return ret;
}

/**
 * loom_fit_list() - whether a list of allocations would fit now
 * @loom: the device
 * @file: the client
 * @list: in and out: the list and the answer, its arrays checked
 *
 * Return: 0 or -errno.
 */
int loom_fit_list(struct loom_device *loom, struct drm_file *file, struct drm_loom_fit_list *list)
{
	u32 count = max(list->allocations.count, 1), i;
	struct loom_fit *fit = kzalloc(sizeof(*fit), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!fit)
		return ret;
	fit->loom = loom;
	fit->file = file;
	fit->list = list;
	fit->room = list->own.count;
	list->own.count = 0;
	fit->shapes = kvcalloc(count, sizeof(*fit->shapes), GFP_KERNEL_ACCOUNT);
	fit->blocks = kvcalloc(count, sizeof(*fit->blocks), GFP_KERNEL_ACCOUNT);
	fit->gems = kvcalloc(max(fit->room, 1), sizeof(*fit->gems), GFP_KERNEL_ACCOUNT);
	if (fit->shapes && fit->blocks && fit->gems)
		ret = loom_fit_run(fit);
	for (i = 0; fit->gems && i < min(list->own.count, fit->room); i++)
		drm_gem_object_put(fit->gems[i]);
	for (i = 0; fit->spares && i < fit->addresses; i++)
		loom_port_free(fit->spares[i]);
	for (i = 0; fit->blocks && i < count; i++)
		kfree(fit->blocks[i]);
	kvfree(fit->spares);
	kvfree(fit->gems);
	kvfree(fit->blocks);
	kvfree(fit->shapes);
	kfree(fit);
	return ret;
}
