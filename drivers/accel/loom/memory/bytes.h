/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BYTES_H
#define LOOM_BYTES_H

#include "move.h"

struct dma_fence;
struct loom_bo;
struct loom_device;
struct ttm_buffer_object;
struct ttm_operation_ctx;
struct ttm_resource;

int loom_bytes_leave_fences(struct loom_bo *bo);
int loom_bytes_leave(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
		     struct ttm_resource *resource);
int loom_bytes_arrive(struct loom_bo *bo, struct ttm_operation_ctx *ctx,
		      struct ttm_resource *resource);
struct dma_fence *loom_bytes_copy(struct loom_bo *bo, enum loom_move_kind kind, u64 offset,
				  u64 bytes, struct page **pages);

#endif /* LOOM_BYTES_H */
