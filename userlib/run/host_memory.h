/* SPDX-License-Identifier: MIT */
#ifndef LOOM_HOST_MEMORY_H
#define LOOM_HOST_MEMORY_H

#include <drm/loom_accel.h>

#include "loom.h"

struct loom_host_block;
struct loom_host_memory;
struct loom_program_slot;
struct drm_loom_chip;

/** loom_host_memory_create() - empty banks of every region; 0 or -errno */
int loom_host_memory_create(const struct drm_loom_chip *chip, struct loom_host_memory **memory);
/** loom_host_memory_destroy() - all blocks must have been released; NULL is fine */
void loom_host_memory_destroy(struct loom_host_memory *memory);

/**
 * loom_host_memory_place() - allocates a block for a slot, as the driver would
 * @memory: the banks
 * @slot: the slot: a buffer or an image in DRAM
 * @block: [out] the block, give back with loom_host_memory_release()
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINVAL.
 */
int loom_host_memory_place(struct loom_host_memory *memory, const struct loom_program_slot *slot,
			   struct loom_host_block **block);
/** loom_host_memory_release() - releases a block; NULL is fine */
void loom_host_memory_release(struct loom_host_memory *memory, struct loom_host_block *block);

/** loom_host_memory_blocks() - lists blocks as loom_device_blocks() does */
int loom_host_memory_blocks(struct loom_host_memory *memory, uint32_t region,
			    struct drm_loom_block **blocks, size_t *count);

#endif /* LOOM_HOST_MEMORY_H */
