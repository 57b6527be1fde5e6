// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <drm/loom_accel.h>

#include "chunk.h"

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
