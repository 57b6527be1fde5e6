// SPDX-License-Identifier: GPL-2.0
/* Placing and evicting buffers, see loom_bo.c. */
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_region.h"
#include "host.h"

static const struct ttm_place loom_bo_system_place = {
	.mem_type = TTM_PL_SYSTEM,
};

/* No address in a region; the bytes are in system pages. */
struct ttm_placement loom_bo_system = {
	.num_placement = 1,
	.placement = &loom_bo_system_place,
};

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
 * loom_bo_is_limited() - whether the limit of a control group was reached
 * @bo: the buffer that could not be placed
 *
 * Return: true if TTM did not ask for an address; evicting buffers of other groups is useless then.
 */
bool loom_bo_is_limited(const struct loom_bo *bo)
{
	return !bo->no_space;
}

/**
 * loom_bo_validate_locked() - have TTM place a buffer in its region
 * @bo: the buffer, reserved
 * @flags: of the &struct ttm_place
 *
 * Return: 0 or -errno.
 */
int loom_bo_validate_locked(struct loom_bo *bo, u32 flags)
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
	if (loom_bo_has_no_pages(bo))
		return 0;
	return loom_compat_ttm_populate(&bo->tbo, &ctx);
}

/**
 * loom_bo_place_free_locked() - place a buffer at a free address, if it is to have one
 * @bo: the buffer, reserved
 *
 * Return: 0; -ENOSPC if there is none; -ENOMEM; -ERESTARTSYS, -EINTR.
 */
int loom_bo_place_free_locked(struct loom_bo *bo)
{
	dma_resv_assert_held(bo->tbo.base.resv);

	if (loom_bo_stays_on_host(bo))
		return 0;
	/* TTM does not evict for a desired place */
	return loom_bo_validate_locked(bo, TTM_PL_FLAG_DESIRED);
}

/**
 * loom_bo_place_free() - loom_bo_place_free_locked() of a new buffer
 * @bo: the buffer, not locked
 *
 * Return: as loom_bo_place_free_locked().
 */
int loom_bo_place_free(struct loom_bo *bo)
{
	int ret = dma_resv_lock_interruptible(bo->tbo.base.resv, NULL);

	if (ret)
		return ret;
	ret = loom_bo_place_free_locked(bo);
	dma_resv_unlock(bo->tbo.base.resv);
	return ret;
}
