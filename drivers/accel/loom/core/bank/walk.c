// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "join.h"
#include "tree.h"

/* Blocks in the order of their starts, and what is known from a walk along all of them. */

enum { LOW, HIGH };

void loom_partials_begin(struct loom_partials *partials, struct loom_partial_cursor *cursor)
{
	cursor->chunk = partials->outer[LOW];
	cursor->index = 0;
}

void loom_partials_step(struct loom_partial_cursor *cursor)
{
	if (++cursor->index < cursor->chunk->count)
		return;
	cursor->chunk = cursor->chunk->neighbour[HIGH];
	cursor->index = 0;
}

void loom_partials_skip(struct loom_partial_cursor *cursor)
{
	while (cursor->chunk && !loom_partial_entry(cursor->chunk, cursor->index)->block->partial)
		loom_partials_step(cursor);
}

static bool loom_bank_wanted(const struct loom_bank_iter *iter, const struct loom_bank_block *block)
{
	return !iter->wanted || iter->wanted(block, iter->who);
}

/* Whether a block is met elsewhere, does not count in a walk, or was reported already. */
static bool loom_bank_passed(const struct loom_bank_iter *iter)
{
	const struct loom_partial_entry *entry =
		loom_partial_entry(iter->cursor.chunk, iter->cursor.index);

	return entry->end <= iter->at || !loom_mask_overlaps(&entry->mask, &iter->mask) ||
	       (!entry->block->partial && !iter->is_few) || !loom_bank_wanted(iter, entry->block);
}

/*
 * On to the next block that is wanted, and to the next partial one that is, is on one of the banks
 * and not reported yet.
 */
static void loom_bank_skip(struct loom_bank_iter *iter)
{
	struct loom_partial_cursor *cursor = &iter->cursor;

	while (iter->block && !loom_bank_wanted(iter, iter->block))
		iter->block = iter->block->neighbour[HIGH];
	while (cursor->chunk && loom_bank_passed(iter))
		loom_partials_step(cursor);
}

void loom_bank_walk(struct loom_bank *bank, const struct loom_mask *mask,
		    struct loom_bank_iter *iter)
{
	*iter = (struct loom_bank_iter){
		.mask = mask ? *mask : bank->all,
		.at = bank->base,
		.limit = bank->limit,
		.block = bank->head.neighbour[HIGH],
		.is_few = bank->is_few,
	};
	loom_partials_begin(&bank->partials, &iter->cursor);
}

bool loom_bank_next(struct loom_bank_iter *iter, struct loom_bank_span *span)
{
	struct loom_bank_block *block, *partial = NULL;

	if (iter->at >= iter->limit)
		return false;
	loom_bank_skip(iter);
	block = iter->block;
	if (iter->cursor.chunk)
		partial = loom_partial_entry(iter->cursor.chunk, iter->cursor.index)->block;
	if (!block || (partial && partial->start < block->start))
		block = partial;
	*span = (struct loom_bank_span){ .start = iter->at, .end = iter->limit };
	if (block && block->start <= iter->at) {
		span->end = block->start + block->size;
		span->block = block;
		if (block == iter->block)
			iter->block = block->neighbour[HIGH];
	} else if (block) {
		span->end = block->start;
	}
	iter->at = span->end;
	return true;
}

struct loom_bank_block *loom_bank_next_block(struct loom_bank_iter *iter)
{
	struct loom_bank_block *block = iter->block, *partial = NULL;

	if (!iter->is_few)
		loom_partials_skip(&iter->cursor);
	if (iter->cursor.chunk)
		partial = loom_partial_entry(iter->cursor.chunk, iter->cursor.index)->block;
	if (partial && (!block || partial->start < block->start)) {
		loom_partials_step(&iter->cursor);
		return partial;
	}
	if (block)
		iter->block = block->neighbour[HIGH];
	return block;
}

/* Bytes of the largest hole. */
static u64 loom_bank_largest(const struct loom_bank *bank)
{
	return bank->is_flat ? loom_flat_largest(&bank->flat) : loom_tree_max_hole(bank->root);
}

static void loom_bank_stats_walk(struct loom_bank *bank, const struct loom_mask *mask,
				 struct loom_bank_stats *stats)
{
	struct loom_partial_cursor cursor;
	struct loom_bank_iter iter;
	struct loom_bank_span span;

	stats->blocks = loom_bank_on_all(bank);
	for (loom_partials_begin(&bank->partials, &cursor); cursor.chunk;
	     loom_partials_step(&cursor)) {
		const struct loom_partial_entry *entry =
			loom_partial_entry(cursor.chunk, cursor.index);

		stats->blocks += entry->block->partial && loom_mask_overlaps(&entry->mask, mask);
	}
	stats->largest_free = 0;
	loom_bank_walk(bank, mask, &iter);
	while (loom_bank_next(&iter, &span))
		if (span.block)
			stats->allocated += span.end - span.start;
		else
			stats->largest_free = max(stats->largest_free, span.end - span.start);
}

void loom_bank_stats(struct loom_bank *bank, const struct loom_mask *mask,
		     struct loom_bank_stats *stats)
{
	*stats = (struct loom_bank_stats){ .total = bank->limit - bank->base };
	if (bank->partials.count || bank->is_few) {
		loom_bank_stats_walk(bank, mask ? mask : &bank->all, stats);
	} else {
		stats->allocated = bank->allocated;
		stats->largest_free = loom_bank_largest(bank);
		stats->blocks = bank->blocks;
	}
	stats->free = stats->total - stats->allocated;
}
