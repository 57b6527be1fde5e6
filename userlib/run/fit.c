// SPDX-License-Identifier: MIT
/* Buffers in the banks of a chip without a device: the driver's allocator, layouts and limits. */
#include "fit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "loom_chip.h"
#include "loom_layout.h"
#include "loom_span.h"

/**
 * struct loom_fit_shape - a buffer as the allocator sees it
 * @layout: over its banks
 * @mask: its banks
 * @all: those are all of the region
 * @per_bank: it has an address of its own in each bank
 */
struct loom_fit_shape {
	struct loom_layout layout;
	struct loom_mask mask;
	bool all;
	bool per_bank;
};

/**
 * struct loom_fit - the banks of a region, and the buffers in them
 * @region: an &enum drm_loom_region
 * @chip: of it
 * @bank: its blocks
 * @blocks: those of the snapshot, then those of the list
 * @used: blocks in use
 * @share_bytes: limit of a file in each bank; UINT64_MAX: none
 * @low: lowest address of a buffer
 */
struct loom_fit {
	uint32_t region;
	const struct drm_loom_chip_region *chip;
	struct loom_bank bank;
	struct loom_bank_block *blocks;
	size_t used;
	uint64_t share_bytes;
	uint64_t low;
};

static int loom_fit_layout(struct loom_fit_shape *shape, const struct drm_loom_bo_create *buffer,
			   const struct drm_loom_chip_region *chip)
{
	const uint32_t banks = loom_mask_count(&shape->mask);
	const uint64_t page_bytes = loom_layout_page_bytes(buffer->page_bytes, chip->align_bytes);
	struct loom_layout_shards shards = loom_layout_shards_of(buffer, page_bytes, banks,
								 chip->align_bytes);
	int ret;

	if (buffer->layout == DRM_LOOM_LAYOUT_IMAGE)
		return loom_layout_image(&shape->layout, buffer->width, buffer->height,
					 buffer->dtype, buffer->pitch_bytes, banks,
					 chip->align_bytes);
	if (buffer->layout == DRM_LOOM_LAYOUT_INTERLEAVED)
		return loom_layout_interleaved(&shape->layout, buffer->size, page_bytes,
					       banks, chip->align_bytes);
	ret = loom_layout_sharded(&shape->layout, &shards);
	if (!ret)
		loom_layout_keep_used(&shape->layout, &shape->mask);
	return ret;
}

static int loom_fit_shape(struct loom_fit_shape *shape, const struct drm_loom_bo_create *buffer,
			  const struct drm_loom_chip *chip)
{
	const struct drm_loom_chip_region *region;
	struct loom_mask all;
	int ret;

	memset(shape, 0, sizeof(*shape));
	if (buffer->region >= DRM_LOOM_REGION_COUNT || !chip->region[buffer->region].banks ||
	    buffer->layout > DRM_LOOM_LAYOUT_SHARDED_BLOCK ||
	    buffer->bank_mask_words > LOOM_MASK_WORDS ||
	    buffer->flags & ~DRM_LOOM_BO_CREATE_PER_BANK ||
	    buffer->direction > DRM_LOOM_DIRECTION_TINY_APART)
		return -EINVAL;
	region = &chip->region[buffer->region];
	all = loom_mask_all(loom_chip_banks(chip, buffer->region));
	shape->mask = all;
	if (buffer->bank_mask) {
		memset(&shape->mask, 0, sizeof(shape->mask));
		memcpy(shape->mask.word, (const void *)(uintptr_t)buffer->bank_mask,
		       buffer->bank_mask_words * sizeof(uint64_t));
		if (!loom_mask_within(&shape->mask, &all) || !loom_mask_count(&shape->mask))
			return -EINVAL;
	}
	ret = loom_fit_layout(shape, buffer, region);
	if (ret == -EOVERFLOW) {
		shape->layout.bytes_per_bank = UINT64_MAX;
		ret = 0;
	}
	shape->all = loom_mask_same(&shape->mask, &all);
	shape->per_bank = buffer->flags;
	return ret;
}

static int loom_fit_alloc(struct loom_fit *fit, struct loom_bank_request *request)
{
	struct loom_bank_chunk *spare = loom_bank_chunk_create();
	int ret;

	if (!spare)
		return -ENOMEM;
	request->spare = &spare;
	ret = loom_bank_alloc(&fit->bank, &fit->blocks[fit->used], request);
	loom_port_free(spare);
	if (!ret)
		fit->used++;
	return ret;
}

/* The banks with the blocks of a snapshot. */
static int loom_fit_begin(struct loom_fit *fit, const struct drm_loom_chip *chip, uint32_t region,
			  const struct loom_fit_row *rows, size_t count, size_t room)
{
	const uint32_t banks = loom_chip_banks(chip, region);
	struct loom_mask all = loom_mask_all(banks);
	uint64_t align = chip->region[region].align_bytes, base, limit;
	size_t i;
	int ret;

	*fit = (struct loom_fit){
		.region = region, .chip = &chip->region[region], .share_bytes = UINT64_MAX,
	};
	if (!loom_round_up(fit->chip->reserved_bytes, align, &base))
		return -EINVAL;
	limit = fit->chip->bank_bytes - fit->chip->bank_bytes % align;
	fit->low = base;
	if (region == DRM_LOOM_REGION_SRAM && fit->chip->floor_bytes) {
		fit->low = base + fit->chip->floor_bytes;
		fit->share_bytes = (limit - fit->low) / align / 2 * align;
	}
	fit->blocks = calloc(count + room + 1, sizeof(*fit->blocks));
	if (!fit->blocks)
		return -ENOMEM;
	ret = loom_bank_init(&fit->bank, base, limit, banks,
			     region == DRM_LOOM_REGION_SRAM ? LOOM_BANK_NEAR_FIT :
							      LOOM_BANK_BEST_FIT);
	for (i = 0; i < count && !ret; i++) {
		struct loom_bank_request request = {
			.size = rows[i].bytes,
			.align = 1,
			.low = rows[i].address,
			.high = rows[i].address + rows[i].bytes,
			.mask = loom_mask_same(&rows[i].mask, &all) ? NULL : &rows[i].mask,
		};

		if (rows[i].region == region)
			ret = loom_fit_alloc(fit, &request);
		if (ret && ret != -ENOMEM)
			return rows[i].line;
	}
	return ret;
}

static void loom_fit_end(struct loom_fit *fit)
{
	if (fit->bank.all.word[0])
		loom_bank_fini(&fit->bank);
	free(fit->blocks);
}

/* Whether a mask has no lane: no plan has scratch there, so floor and share do not apply. */
static bool loom_fit_is_storage(const struct loom_fit *fit, const struct loom_mask *mask)
{
	return fit->region == DRM_LOOM_REGION_SRAM && loom_mask_next(mask, 0) >= fit->chip->banks;
}

static uint64_t loom_fit_low(const struct loom_fit *fit, const struct loom_mask *mask)
{
	return loom_fit_is_storage(fit, mask) ? fit->bank.base : fit->low;
}

/* Limit of a file in each bank of a mask. */
static uint64_t loom_fit_share(const struct loom_fit *fit, const struct loom_mask *mask)
{
	uint64_t align = fit->chip->align_bytes;

	if (fit->share_bytes == UINT64_MAX || !loom_fit_is_storage(fit, mask))
		return fit->share_bytes;
	return (fit->bank.limit - fit->bank.base) / align / 2 * align;
}

/* The banks that decide: all, or of a buffer with an address per bank that of the smallest hole. */
static struct loom_mask loom_fit_tightest(const struct loom_fit *fit,
					  const struct loom_fit_shape *shape)
{
	uint64_t smallest = UINT64_MAX, hole;
	struct loom_mask least = shape->mask;
	uint32_t bank;

	for (bank = 0; shape->per_bank && bank < DRM_LOOM_MAX_BANKS; bank++) {
		struct loom_mask one = { 0 };

		if (!loom_mask_has(&shape->mask, bank))
			continue;
		loom_mask_set(&one, bank);
		hole = loom_bank_hole(&fit->bank, &one, loom_fit_low(fit, &one));
		if (hole >= smallest)
			continue;
		smallest = hole;
		least = one;
	}
	return least;
}

/* The driver's record, with exact figures. */
static void loom_fit_record(const struct loom_fit *fit, const struct loom_fit_shape *shape,
			    const struct drm_loom_bo_create *buffer,
			    struct drm_loom_fit_list *answer)
{
	uint64_t asked = shape->layout.bytes_per_bank, fullest = 0, hole;
	const struct loom_mask mask = loom_fit_tightest(fit, shape);
	const uint64_t low = loom_fit_low(fit, &mask);
	struct loom_bank_stats stats;
	uint32_t bank;

	loom_bank_stats(&fit->bank, &mask, &stats);
	for (bank = loom_mask_next(&mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(&mask, bank + 1))
		if (loom_bank_bytes(&fit->bank, bank) > fullest)
			fullest = loom_bank_bytes(&fit->bank, bank);
	answer->no_space = (struct drm_loom_no_space){
		.region = fit->region,
		.banks = loom_mask_count(&shape->mask),
		.size_bytes = shape->layout.size ? shape->layout.size : buffer->size,
		.bytes_per_bank = asked,
		.bank_bytes = stats.total,
		.allocated_bytes = fullest,
		.free_bytes = stats.total - fullest,
		.common_free_bytes = stats.free,
		.largest_free_bytes = stats.largest_free,
		.scratch_bytes = low - fit->bank.base,
		.reason = loom_bank_reason(&stats, fullest, asked),
	};
	hole = loom_bank_hole(&fit->bank, &mask, low);
	if (asked > stats.total)
		answer->short_bytes = asked - stats.total;
	else
		answer->short_bytes = asked > hole ? asked - hole : fit->chip->align_bytes;
}

/* Bytes that a buffer takes beyond the share, in the bank of @mask where there are most. */
static uint64_t loom_fit_excess(const struct loom_fit *fit, const struct loom_fit_shape *shape,
				const struct loom_mask *mask, const uint64_t *taken)
{
	uint64_t most = 0, all, share;
	uint32_t bank;

	for (bank = 0; bank < DRM_LOOM_MAX_BANKS; bank++) {
		struct loom_mask one = { 0 };

		if (!loom_mask_has(mask, bank))
			continue;
		loom_mask_set(&one, bank);
		all = taken[bank] + shape->layout.bytes_per_bank;
		share = loom_fit_share(fit, shape->per_bank ? &one : mask);
		if (all > share && all - share > most)
			most = all - share;
	}
	return most;
}

/* Allocates in @mask: the banks of a buffer, or one with an address of its own. */
static int loom_fit_take(struct loom_fit *fit, const struct loom_fit_shape *shape,
			 const struct loom_mask *mask, uint64_t *taken, uint32_t direction)
{
	const uint64_t size = shape->layout.bytes_per_bank;
	struct loom_bank_request request = {
		.size = size, .align = fit->chip->align_bytes, .low = loom_fit_low(fit, mask),
		.high = UINT64_MAX, .mask = shape->all && !shape->per_bank ? NULL : mask,
		.top_down = loom_layout_is_top_down(fit->region, direction, size),
	};
	uint32_t bank;
	int ret;

	if (loom_fit_excess(fit, shape, mask, taken))
		return -EDQUOT;
	ret = loom_fit_alloc(fit, &request);
	for (bank = 0; bank < DRM_LOOM_MAX_BANKS && !ret; bank++)
		if (loom_mask_has(mask, bank))
			taken[bank] += size;
	return ret;
}

/* Return: 0, -ENOSPC, -EDQUOT or -ENOMEM; on failure it has allocated nothing. */
static int loom_fit_buffer(struct loom_fit *fit, const struct loom_fit_shape *shape,
			   uint64_t *taken, uint32_t direction)
{
	const size_t before = fit->used;
	uint64_t had[DRM_LOOM_MAX_BANKS];
	uint32_t bank;
	int ret = 0;

	memcpy(had, taken, sizeof(had));
	if (shape->layout.bytes_per_bank > fit->bank.limit - fit->bank.base)
		return -ENOSPC;
	if (!shape->per_bank)
		return loom_fit_take(fit, shape, &shape->mask, taken, direction);
	for (bank = 0; bank < DRM_LOOM_MAX_BANKS && !ret; bank++) {
		struct loom_mask one = { 0 };

		loom_mask_set(&one, bank);
		if (loom_mask_has(&shape->mask, bank))
			ret = loom_fit_take(fit, shape, &one, taken, direction);
	}
	if (!ret)
		return 0;
	while (fit->used > before)
		loom_bank_free(&fit->bank, &fit->blocks[--fit->used]);
	memcpy(taken, had, sizeof(had));
	return ret;
}

/* Tries the buffers of a region that come before the first failure. 0, ENOSPC, EDQUOT or -errno. */
static int loom_fit_try(struct loom_fit *fit, const struct loom_fit_shape *shapes,
			const struct drm_loom_bo_create *buffers, struct drm_loom_fit_list *answer)
{
	uint64_t taken[DRM_LOOM_MAX_BANKS] = { 0 };
	uint32_t i;
	int ret = 0;

	for (i = 0; i < answer->failed && !ret; i++) {
		if (buffers[i].region != fit->region)
			continue;
		ret = loom_fit_buffer(fit, &shapes[i], taken, buffers[i].direction);
		if (ret != -ENOSPC && ret != -EDQUOT)
			continue;
		memset(&answer->no_space, 0, sizeof(answer->no_space));
		answer->short_bytes = loom_fit_excess(fit, &shapes[i], &shapes[i].mask, taken);
		if (ret == -ENOSPC)
			loom_fit_record(fit, &shapes[i], &buffers[i], answer);
		answer->failed = i;
		answer->error = -ret;
		return -ret;
	}
	return ret;
}

static int loom_fit_region(const struct drm_loom_chip *chip, uint32_t region,
			   const struct loom_fit_row *rows, size_t num_rows,
			   const struct loom_fit_shape *shapes,
			   const struct drm_loom_bo_create *buffers, uint32_t count,
			   struct drm_loom_fit_list *answer)
{
	struct drm_loom_fit_list before = *answer;
	uint32_t blocks = 0, i;
	struct loom_fit fit;
	int ret;

	for (i = 0; i < count; i++)
		blocks += shapes[i].per_bank ? loom_mask_count(&shapes[i].mask) : 1;
	ret = loom_fit_begin(&fit, chip, region, rows, num_rows, blocks);
	/* a line of the snapshot */
	if (ret > 0) {
		loom_fit_end(&fit);
		return ret;
	}
	if (!ret)
		ret = loom_fit_try(&fit, shapes, buffers, answer);
	loom_fit_end(&fit);
	/* elsewhere others are evicted */
	if (ret == ENOSPC && num_rows && region != DRM_LOOM_REGION_SRAM) {
		*answer = before;
		answer->flags |= DRM_LOOM_FIT_EVICTS;
		return loom_fit_region(chip, region, NULL, 0, shapes, buffers, count, answer);
	}
	return ret < 0 ? ret : 0;
}

int loom_fit_chip(const struct drm_loom_chip *chip, const char *snapshot,
		  const struct drm_loom_bo_create *buffers, uint32_t count,
		  struct drm_loom_fit_list *answer, struct loom_error *err)
{
	struct loom_fit_shape *shapes = NULL;
	struct loom_fit_row *rows = NULL;
	size_t num_rows = 0;
	uint32_t i;
	int ret = 0;

	memset(answer, 0, sizeof(*answer));
	if (count > DRM_LOOM_MAX_FIT)
		return loom_error_set(err, -E2BIG, "%u buffers, at most %u can be asked for",
				      count, DRM_LOOM_MAX_FIT);
	if (snapshot)
		ret = loom_fit_snapshot_read(snapshot, &rows, &num_rows, err);
	if (ret)
		return ret;
	shapes = calloc(count + 1, sizeof(*shapes));
	if (!shapes)
		ret = loom_error_set(err, -ENOMEM, "no memory");
	for (i = 0; i < count && !ret; i++)
		if (loom_fit_shape(&shapes[i], &buffers[i], chip))
			ret = loom_error_set(err, -EINVAL, "buffer %u: %s cannot have it", i,
					     chip->name);
	answer->failed = count;
	for (i = 0; i < DRM_LOOM_REGION_COUNT && !ret; i++) {
		if (!chip->region[i].banks)
			continue;
		ret = loom_fit_region(chip, i, rows, num_rows, shapes, buffers, count, answer);
		if (ret > 0)
			ret = loom_error_set(err, -EINVAL,
					     "%s:%d: the block overlaps another, or is not in the banks of %s",
					     snapshot, ret, chip->name);
		else if (ret)
			loom_error_set(err, ret, "%s", strerror(-ret));
	}
	if (!ret && !answer->error) {
		answer->flags |= DRM_LOOM_FIT_NOW;
		answer->failed = 0;
	} else {
		answer->flags = 0;
	}
	free(shapes);
	free(rows);
	return ret;
}
