/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BYTES_H
#define LOOM_BYTES_H

#include "loom_bo.h"
#include "move.h"

struct dma_fence;
struct loom_device;
struct ttm_operation_ctx;
struct ttm_resource;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
int loom_bytes_move(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
		    struct ttm_resource *resource);
int __must_check loom_bytes_wait_killable(struct dma_fence *fence);
struct dma_fence *loom_bytes_copy(struct loom_bo *bo, enum loom_move_kind kind, u64 offset,
				  u64 bytes, struct page **pages);
#else
static inline int loom_bytes_move(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
				  struct ttm_resource *resource)
{
	ttm_bo_move_null(&bo->tbo, resource);
	return 0;
}
#endif

#endif /* LOOM_BYTES_H */
