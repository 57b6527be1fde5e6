// SPDX-License-Identifier: MIT
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/**
 * DOC: Reports
 *
 * A target lists its blocks: buffers and holes. A report adds facts that the list lacks: the
 * scratch of a plan lies in a hole at the bottom of the SRAM and is unavailable to others while
 * plans run; and the largest buffer that still fits, per bank and over all banks.
 *
 * The interface has a list for each bank. Banks in lockstep are alike and share one list in memory;
 * only where buffers occupy some of the banks, the target is asked for each bank. Figures over all
 * banks come from the list of the region, in which free means free in every bank. Other processes
 * may allocate between two queries; each list is consistent in itself.
 *
 * Rejected: counting free bytes regardless of the scratch, as the driver's counters do. That figure
 * is right for the allocator, but does not explain why a buffer and a plan do not fit together.
 */

/**
 * struct loom_report_state - a report and its memory
 * @base: the part the caller sees
 * @common: blocks of the region: free means free in every bank
 * @banks: by number; they share the blocks of @common, or have their own
 */
struct loom_report_state {
	struct loom_report_region base;
	struct loom_report_bank common;
	struct loom_report_bank banks[];
};

static const char *const loom_report_kinds[] = {
	[LOOM_REPORT_FREE] = "free",
	[LOOM_REPORT_RESERVED] = "reserved",
	[LOOM_REPORT_BUFFER] = "buffer",
	[LOOM_REPORT_SCRATCH] = "scratch",
	[LOOM_REPORT_CONFLICT] = "conflict",
	[LOOM_REPORT_HIDDEN] = "hidden",
};

const char *loom_report_kind_name(enum loom_report_kind kind)
{
	return loom_report_kinds[kind];
}

unsigned int loom_report_fragmentation(const struct loom_report_bank *bank)
{
	uint64_t rest = bank->free_bytes - bank->largest_free_bytes;

	if (!bank->free_bytes)
		return 0;
	/* the device reports the size of a bank, so the product must not overflow */
	if (rest > UINT64_MAX / 1000)
		return rest / (bank->free_bytes / 1000);
	return rest * 1000 / bank->free_bytes;
}

static void loom_report_add(struct loom_report_bank *bank, struct loom_report_block *blocks,
			    uint64_t start, uint64_t end, enum loom_report_kind kind)
{
	uint64_t size = end - start;

	if (!size)
		return;
	blocks[bank->num_blocks++] = (struct loom_report_block){
		.address = start, .size_bytes = size, .kind = kind,
	};
	if (kind == LOOM_REPORT_RESERVED)
		return;
	bank->allocatable_bytes += size;
	if (kind != LOOM_REPORT_FREE) {
		bank->allocated_bytes += size;
		bank->scratch_bytes += kind == LOOM_REPORT_SCRATCH ? size : 0;
		return;
	}
	bank->free_bytes += size;
	if (size > bank->largest_free_bytes)
		bank->largest_free_bytes = size;
}

/* Scratch lies at the bottom of the allocatable range, in the holes between buffers. */
static int loom_report_fill(struct loom_report_bank *bank, const struct drm_loom_block *from,
			    size_t count, uint64_t scratch_bytes)
{
	uint64_t scratch_end = scratch_bytes;
	struct loom_report_block *blocks;
	size_t i;

	/* a hole may become two blocks: scratch and the rest */
	blocks = calloc(2 * count + 1, sizeof(*blocks));
	if (!blocks)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		uint64_t start = from[i].address, end = start + from[i].bytes;
		uint64_t cut = min(max(start, scratch_end), end);

		if (from[i].flags & DRM_LOOM_BLOCK_RESERVED) {
			scratch_end = end + scratch_bytes;
			loom_report_add(bank, blocks, start, end, LOOM_REPORT_RESERVED);
		} else if (from[i].flags & DRM_LOOM_BLOCK_HIDDEN) {
			loom_report_add(bank, blocks, start, end, LOOM_REPORT_HIDDEN);
		} else if (from[i].flags & DRM_LOOM_BLOCK_ALLOCATED) {
			loom_report_add(bank, blocks, start, end, cut > start ?
					LOOM_REPORT_CONFLICT : LOOM_REPORT_BUFFER);
			memcpy(blocks[bank->num_blocks - 1].label, from[i].label,
			       sizeof(from[i].label));
		} else {
			loom_report_add(bank, blocks, start, cut, LOOM_REPORT_SCRATCH);
			loom_report_add(bank, blocks, cut, end, LOOM_REPORT_FREE);
		}
	}
	bank->blocks = blocks;
	return 0;
}

static bool loom_report_partial(const struct drm_loom_block *blocks, size_t count)
{
	while (count--)
		if (blocks[count].flags & DRM_LOOM_BLOCK_PARTIAL)
			return true;
	return false;
}

/* For banks that differ: queries the list of each. */
static int loom_report_fill_each(struct loom_report_state *state,
				 const struct loom_target *target, uint32_t region,
				 uint64_t scratch_bytes)
{
	struct drm_loom_block *blocks;
	size_t count;
	uint32_t i;
	int ret;

	for (i = 0; i < state->base.num_banks; i++) {
		ret = target->ops->bank_blocks(target, region, i, &blocks, &count);
		if (ret)
			return ret;
		ret = loom_report_fill(&state->banks[i], blocks, count,
				       i < target->chip->region[region].banks ? scratch_bytes : 0);
		free(blocks);
		if (ret)
			return ret;
	}
	return 0;
}

static void loom_report_sum(struct loom_report_state *state)
{
	struct loom_report_region *base = &state->base;
	uint64_t common;
	uint32_t i;

	base->min_largest_free_bytes = state->banks[0].largest_free_bytes;
	for (i = 1; i < base->num_banks; i++)
		base->min_largest_free_bytes = min(base->min_largest_free_bytes,
						   state->banks[i].largest_free_bytes);
	common = state->common.largest_free_bytes;
	common -= common % base->align_bytes;
	if (check_mul_overflow(common, (uint64_t)base->num_banks, &base->largest_interleaved_bytes))
		base->largest_interleaved_bytes = UINT64_MAX;
}

int loom_report_region_get(const struct loom_target *target, uint32_t region,
			   uint64_t scratch_bytes, struct loom_report_region **report)
{
	const struct drm_loom_chip_region *chip;
	struct loom_report_state *state;
	struct drm_loom_block *blocks;
	uint64_t held_bytes;
	uint32_t banks, i;
	bool partial;
	size_t count;
	int ret;

	*report = NULL;
	if (region >= DRM_LOOM_REGION_COUNT)
		return -EINVAL;
	chip = &target->chip->region[region];
	if (!chip->banks)
		return -EINVAL;
	ret = target->ops->blocks(target, region, &blocks, &count, &held_bytes);
	if (ret)
		return ret;
	if (region == DRM_LOOM_REGION_SRAM)
		held_bytes = max(held_bytes, scratch_bytes);
	banks = loom_chip_banks(target->chip, region);
	state = calloc(1, sizeof(*state) + banks * sizeof(*state->banks));
	if (!state) {
		free(blocks);
		return -ENOMEM;
	}
	state->base.name = loom_region_name(region);
	state->base.banks = state->banks;
	state->base.num_banks = banks;
	state->base.align_bytes = chip->align_bytes;
	/* banks that do not compute have no scratch */
	partial = loom_report_partial(blocks, count) || (held_bytes && banks > chip->banks);
	ret = loom_report_fill(&state->common, blocks, count, held_bytes);
	free(blocks);
	if (!ret && partial)
		ret = loom_report_fill_each(state, target, region, held_bytes);
	if (ret) {
		loom_report_region_put(&state->base);
		return ret;
	}
	for (i = 0; !partial && i < banks; i++)
		state->banks[i] = state->common;
	loom_report_sum(state);
	*report = &state->base;
	return 0;
}

void loom_report_region_put(struct loom_report_region *report)
{
	struct loom_report_state *state;
	uint32_t i;

	if (!report)
		return;
	state = container_of(report, struct loom_report_state, base);
	for (i = 0; i < report->num_banks; i++)
		if (state->banks[i].blocks != state->common.blocks)
			free((void *)state->banks[i].blocks);
	free((void *)state->common.blocks);
	free(state);
}
