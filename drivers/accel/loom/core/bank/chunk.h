/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_CHUNK_H
#define LOOM_CHUNK_H

#include "loom_bank.h"

/* The order of the blocks in a chunk. */

/* All ones below byte @index % 8. */
static inline u64 loom_chunk_below(u32 index)
{
	return (1ULL << index % 8 * 8) - 1;
}

/* Notes a block in a chunk that has room for one more; it becomes the one at @index. */
static inline struct loom_partial_entry *loom_chunk_put(struct loom_partial_chunk *chunk, u32 index,
							struct loom_bank_block *block)
{
	u32 slot = (u32)__builtin_ctzll(~chunk->used), i = index / 8;
	u64 word = chunk->order[i], over = word >> 56, next;

	chunk->order[i] = (word & loom_chunk_below(index)) | (u64)slot << index % 8 * 8 |
			  (word & ~loom_chunk_below(index)) << 8;
	for (i++; i <= chunk->count / 8; i++) {
		next = chunk->order[i];
		chunk->order[i] = next << 8 | over;
		over = next >> 56;
	}
	chunk->used |= 1ULL << slot;
	chunk->count++;
	block->chunk = chunk;
	block->slot = (u8)slot;
	return &chunk->entry[slot];
}

/* The index of the block in a slot, which is one of those in the chunk. */
static inline u32 loom_chunk_index(const struct loom_partial_chunk *chunk, u32 slot)
{
	const u64 ones = 0x0101010101010101, tops = ones << 7;
	u64 differ, zero;
	u32 i;

	for (i = 0;; i++) {
		/* of eight bytes, the first that is zero; only above it others look so, too */
		differ = chunk->order[i] ^ ones * slot;
		zero = (differ - ones) & ~differ & tops;
		if (zero)
			return i * 8 + (u32)__builtin_ctzll(zero) / 8;
	}
}

/* Takes the block at @index out of a chunk. */
static inline void loom_chunk_drop(struct loom_partial_chunk *chunk, u32 index)
{
	u64 word = chunk->order[index / 8], below = loom_chunk_below(index);
	u32 last = (chunk->count - 1) / 8, i;

	chunk->used &= ~(1ULL << loom_partial_slot(chunk, index));
	chunk->count--;
	word = (word & below) | (word >> 8 & ~below);
	for (i = index / 8; i < last; i++) {
		chunk->order[i] = word | chunk->order[i + 1] << 56;
		word = chunk->order[i + 1] >> 8;
	}
	chunk->order[last] = word;
}

#endif /* LOOM_CHUNK_H */
