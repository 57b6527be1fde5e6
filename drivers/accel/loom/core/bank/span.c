// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <drm/loom_accel.h>

#include "chunk.h"
#include "loom_span.h"

void loom_bank_resume(const struct loom_bank *bank, struct loom_bank_iter *iter)
{
	iter->chunk = loom_chunk_above(bank, iter->at);
	iter->index = 0;
}

/* Whether a block is free for this walk, or lies behind it. */
static bool loom_bank_passed(const struct loom_bank_iter *iter,
			     const struct loom_bank_entry *entry)
{
	return entry->end <= iter->at || !loom_mask_overlaps(&entry->mask, &iter->mask) ||
	       (iter->wanted && !iter->wanted(entry->block, iter->who));
}

bool loom_bank_next(struct loom_bank_iter *iter, struct loom_bank_span *span)
{
	const struct loom_bank_entry *entry;

	if (iter->at >= iter->limit)
		return false;
	while (iter->chunk && iter->chunk->own.end <= iter->at) {
		iter->chunk = iter->chunk->neighbour[HIGH];
		iter->index = 0;
	}
	while ((entry = loom_bank_entry(iter)) && loom_bank_passed(iter, entry))
		loom_bank_step(iter);
	*span = (struct loom_bank_span){ .start = iter->at, .end = iter->limit };
	if (entry && entry->start > iter->at) {
		span->end = entry->start;
	} else if (entry) {
		span->end = entry->end;
		span->block = entry->block;
		loom_bank_step(iter);
	}
	iter->at = span->end;
	return true;
}

u32 loom_bank_reason(const struct loom_bank_stats *stats, u64 fullest, u64 asked)
{
	if (asked > stats->total)
		return DRM_LOOM_NO_SPACE_TOO_LARGE;
	if (asked > stats->total - fullest)
		return DRM_LOOM_NO_SPACE_EXHAUSTED;
	if (asked > stats->free)
		return DRM_LOOM_NO_SPACE_LOCKSTEP;
	if (asked > stats->largest_free)
		return DRM_LOOM_NO_SPACE_FRAGMENTED;
	return DRM_LOOM_NO_SPACE_SCRATCH;
}

u64 loom_bank_hole(const struct loom_bank *bank, const struct loom_mask *mask, u64 low)
{
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	u64 most = 0, start;

	loom_bank_walk(bank, mask, &iter);
	while (loom_bank_next(&iter, &span)) {
		start = max(span.start, low);
		if (!span.block && span.end > start)
			most = max(most, span.end - start);
	}
	return most;
}
