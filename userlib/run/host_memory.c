// SPDX-License-Identifier: MIT
#include "host_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "loom_layout.h"
#include "loom_program.h"
#include "loom_span.h"
#include "loom_chip.h"

/**
 * DOC: Memory of the host target
 *
 * On the host, slots come from malloc(). This allocates each of them a second time, in empty banks
 * of the topology and with the driver's allocator and layouts, so that reports show its address on
 * a device. The addresses have no other use: a program whose slots do not fit in the banks runs on
 * the host nevertheless.
 */

/* Default page size of BO_CREATE. */
#define LOOM_HOST_PAGE_BYTES	4096

/**
 * struct loom_host_memory - banks that exist as address ranges only
 * @chip: their number and size
 * @lock: protects @bank
 * @bank: by &enum drm_loom_region
 */
struct loom_host_memory {
	const struct drm_loom_chip *chip;
	pthread_mutex_t lock;
	struct loom_bank bank[DRM_LOOM_REGION_COUNT];
};

/**
 * struct loom_host_block - address of a slot on a device
 * @region: of it
 * @block: in that region
 */
struct loom_host_block {
	uint32_t region;
	struct loom_bank_block block;
};

int loom_host_memory_create(const struct drm_loom_chip *chip, struct loom_host_memory **out)
{
	struct loom_host_memory *memory = calloc(1, sizeof(*memory));
	uint32_t i;
	int ret;

	if (!memory)
		return -ENOMEM;
	memory->chip = chip;
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		const struct drm_loom_chip_region *region = &chip->region[i];
		u64 base, limit;

		/* the chip lacks this region */
		if (!region->banks)
			continue;
		limit = region->bank_bytes - region->bank_bytes % region->align_bytes;
		ret = -EINVAL;
		if (loom_round_up(region->reserved_bytes, region->align_bytes, &base))
			ret = loom_bank_init(&memory->bank[i], base, limit,
					     loom_chip_banks(chip, i),
					     i == DRM_LOOM_REGION_SRAM ?
					     LOOM_BANK_NEAR_FIT : LOOM_BANK_BEST_FIT);
		if (ret)
			goto fail;
	}
	ret = -pthread_mutex_init(&memory->lock, NULL);
	if (ret)
		goto fail;
	*out = memory;
	return 0;

fail:
	free(memory);
	return ret;
}

void loom_host_memory_destroy(struct loom_host_memory *memory)
{
	uint32_t i;

	if (!memory)
		return;
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		if (memory->chip->region[i].banks)
			loom_bank_fini(&memory->bank[i]);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
}

int loom_host_memory_place(struct loom_host_memory *memory, const struct loom_program_slot *slot,
			   struct loom_host_block **out)
{
	uint32_t id = slot->flags & DRM_LOOM_SLOT_SRAM ? DRM_LOOM_REGION_SRAM :
		      slot->flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM :
							DRM_LOOM_REGION_DRAM;
	const struct drm_loom_chip_region *region = &memory->chip->region[id];
	struct loom_bank_chunk *spare = NULL;
	struct loom_bank_request request = {
		.align = region->align_bytes, .high = U64_MAX, .spare = &spare,
	};
	uint64_t page_bytes = LOOM_HOST_PAGE_BYTES;
	struct loom_host_block *block;
	struct loom_layout layout;
	int ret;

	*out = NULL;
	if (!region->banks)
		return -ENOSPC;
	if (page_bytes < region->align_bytes)
		page_bytes = region->align_bytes;
	/* a part in each bank: one page as long as the slot */
	if (id == DRM_LOOM_REGION_SRAM)
		page_bytes = loom_div_round_up(slot->size_bytes, region->align_bytes) *
			     region->align_bytes;
	if (slot->dtype)
		ret = loom_layout_image(&layout, slot->width, slot->height, slot->dtype,
					slot->pitch_bytes, region->banks, region->align_bytes);
	else
		ret = loom_layout_interleaved(&layout, slot->size_bytes, page_bytes, region->banks,
					      region->align_bytes);
	if (ret)
		return ret;
	block = calloc(1, sizeof(*block));
	if (!block)
		return -ENOMEM;
	block->region = id;
	request.size = layout.bytes_per_bank;
	pthread_mutex_lock(&memory->lock);
	ret = loom_bank_alloc(&memory->bank[id], &block->block, &request);
	if (ret == -ENOMEM) {
		spare = loom_bank_chunk_create();
		ret = loom_bank_alloc(&memory->bank[id], &block->block, &request);
		loom_port_free(spare);
	}
	pthread_mutex_unlock(&memory->lock);
	if (ret) {
		free(block);
		return ret;
	}
	*out = block;
	return 0;
}

void loom_host_memory_release(struct loom_host_memory *memory, struct loom_host_block *block)
{
	if (!block)
		return;
	pthread_mutex_lock(&memory->lock);
	loom_bank_free(&memory->bank[block->region], &block->block);
	pthread_mutex_unlock(&memory->lock);
	free(block);
}

/* Writes at most @max blocks; returns the number of all blocks. */
static size_t loom_host_memory_list_locked(struct loom_bank *bank, struct drm_loom_block *blocks,
					   size_t max)
{
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	size_t n = 0;

	if (bank->base) {
		if (n < max)
			blocks[n] = (struct drm_loom_block){
				.bytes = bank->base, .flags = DRM_LOOM_BLOCK_RESERVED,
			};
		n++;
	}
	loom_bank_walk(bank, NULL, &iter);
	for (; loom_bank_next(&iter, &span); n++)
		if (n < max)
			blocks[n] = (struct drm_loom_block){
				.address = span.start,
				.bytes = span.end - span.start,
				.flags = span.block ?
						 DRM_LOOM_BLOCK_ALLOCATED | DRM_LOOM_BLOCK_OWN :
						 0,
			};
	return n;
}

int loom_host_memory_blocks(struct loom_host_memory *memory, uint32_t region,
			    struct drm_loom_block **out, size_t *count)
{
	struct loom_bank *bank = &memory->bank[region];
	int ret = 0;

	pthread_mutex_lock(&memory->lock);
	/* a region that the chip lacks has no blocks */
	*count = memory->chip->region[region].banks ?
		 loom_host_memory_list_locked(bank, NULL, 0) : 0;
	*out = calloc(*count + 1, sizeof(**out));
	if (*out && *count)
		loom_host_memory_list_locked(bank, *out, *count);
	else if (!*out)
		ret = -ENOMEM;
	pthread_mutex_unlock(&memory->lock);
	return ret;
}
