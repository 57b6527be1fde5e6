// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "chunk.h"

/* Walks over blocks in the order of their starts, and statistics from them. */

void loom_bank_walk(const struct loom_bank *bank, const struct loom_mask *mask,
		    struct loom_bank_iter *iter)
{
	*iter = (struct loom_bank_iter){
		.mask = mask ? *mask : bank->all,
		.at = bank->base,
		.limit = bank->limit,
		.chunk = bank->first,
	};
}

struct loom_bank_block *loom_bank_next_block(struct loom_bank_iter *iter)
{
	const struct loom_bank_entry *entry = loom_bank_entry(iter);

	if (!entry)
		return NULL;
	loom_bank_step(iter);
	return entry->block;
}

/* The same as below, of bytes that partial blocks may have in common. */
static void loom_bank_stats_walk(const struct loom_bank *bank, const struct loom_mask *mask,
				 struct loom_bank_stats *stats)
{
	const struct loom_bank_entry *entry;
	struct loom_bank_iter iter;
	u64 at = bank->base;

	loom_bank_walk(bank, mask, &iter);
	for (; (entry = loom_bank_entry(&iter)); loom_bank_step(&iter)) {
		if (!loom_mask_overlaps(&entry->mask, &iter.mask))
			continue;
		stats->blocks++;
		if (entry->start > at)
			stats->largest_free = max(stats->largest_free, entry->start - at);
		if (entry->end > at)
			stats->allocated += entry->end - max(entry->start, at);
		at = max(at, entry->end);
	}
	stats->largest_free = max(stats->largest_free, bank->limit - at);
}

void loom_bank_stats(const struct loom_bank *bank, const struct loom_mask *mask,
		     struct loom_bank_stats *stats)
{
	*stats = (struct loom_bank_stats){ .total = bank->limit - bank->base };
	if (bank->partial) {
		loom_bank_stats_walk(bank, mask, stats);
	} else {
		stats->allocated = bank->allocated;
		stats->blocks = bank->blocks;
		stats->largest_free = stats->total;
		if (bank->root)
			stats->largest_free = max(bank->root->subtree.hole,
						  bank->limit - bank->root->subtree.end);
	}
	stats->free = stats->total - stats->allocated;
}
