// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_bank.h"

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

struct loom_bank_block *loom_bank_next_block(struct loom_bank_iter *iter)
{
	struct loom_bank_block *block = iter->block, *partial = NULL;

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
