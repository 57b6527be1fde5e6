/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_CHUNK_H
#define LOOM_CHUNK_H

#include "loom_bank.h"

/* The order of the blocks of a bank: sorted arrays in a balanced tree. See chunk.c. */

/* Sides of a chunk. */
enum { LOW, HIGH };

/**
 * loom_chunk_insert() - add a block
 * @bank: the bank
 * @block: the block, with its start and size
 * @mask: its banks
 * @spare: a chunk for the case that one is needed, set to NULL then; or NULL
 *
 * Return: 0, or -ENOMEM when a chunk is needed and there is none.
 */
int loom_chunk_insert(struct loom_bank *bank, struct loom_bank_block *block,
		      const struct loom_mask *mask, struct loom_bank_chunk **spare);

/* Takes a block out. May free a chunk. */
void loom_chunk_remove(struct loom_bank *bank, struct loom_bank_block *block);

/* The entry of a block. */
struct loom_bank_entry *loom_chunk_entry(const struct loom_bank_block *block);

/* The last chunk with a block that starts at @address or below; else the first, or NULL. */
struct loom_bank_chunk *loom_chunk_at(const struct loom_bank *bank, u64 address);

/* The first chunk with a block that ends above @address, or NULL. */
struct loom_bank_chunk *loom_chunk_above(const struct loom_bank *bank, u64 address);

/*
 * The next chunk towards @side, or NULL: with a block on one of @banks, or if that is NULL, with a
 * hole bound of @hole or more.
 */
struct loom_bank_chunk *loom_chunk_following(struct loom_bank_chunk *chunk, u64 hole,
					     const struct loom_mask *banks, int side);

/* The highest end of the blocks of a chunk and of all chunks below it. */
u64 loom_chunk_reach(const struct loom_bank_chunk *chunk);

/* The next entry, or NULL. */
static inline const struct loom_bank_entry *loom_bank_entry(const struct loom_bank_iter *iter)
{
	return iter->chunk ? &iter->chunk->entry[iter->index] : NULL;
}

static inline void loom_bank_step(struct loom_bank_iter *iter)
{
	if (++iter->index < iter->chunk->count)
		return;
	iter->chunk = iter->chunk->neighbour[HIGH];
	iter->index = 0;
}

#endif /* LOOM_CHUNK_H */
