/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_BANK_MODEL_H
#define LOOM_TESTS_BANK_MODEL_H

#include "bank/chunk.h"

/* Shared by the tests of the bank allocator. */

/**
 * model_first_fit() - where a request must be placed by the definition of first fit
 * @base: address of the first byte
 * @bytes: number of bytes
 * @request: the request
 * @is_free: whether byte @base + i is free for the request
 * @map: for @is_free
 *
 * Tries every byte.
 *
 * Return: offset from @base, or -1.
 */
static inline s64 model_first_fit(u64 base, u32 bytes, const struct loom_bank_request *request,
				  bool (*is_free)(const struct loom_bank_request *request,
						  const void *map, u32 i),
				  const void *map)
{
	s64 found = -1;
	u32 run = 0;

	/* run: free bytes from i on, so i goes down and the last hit is the lowest */
	for (u32 i = bytes; i--;) {
		u64 address = base + i;

		run = is_free(request, map, i) ? run + 1 : 0;
		if (run < request->size || address % request->align || address < request->low ||
		    address > request->high || request->high - address < request->size)
			continue;
		found = i;
		if (request->top_down)
			return found;
	}
	return found;
}

/* loom_bank_alloc() with a chunk if it needs one. */
static inline int bank_take(struct loom_bank *bank, struct loom_bank_block *block,
			    const struct loom_bank_request *request)
{
	struct loom_bank_chunk *spare = loom_bank_chunk_create();
	struct loom_bank_request with = *request;
	int ret;

	with.spare = &spare;
	ret = loom_bank_alloc(bank, block, &with);
	loom_port_free(spare);
	return ret;
}

/* The sums of @chunk and its subtree, and the heap order. Return: its height, or -1. */
static inline int bank_check_subtree(const struct loom_bank_chunk *chunk)
{
	const struct loom_bank_chunk *low = chunk->neighbour[0];
	struct loom_bank_sum own = { 0 }, sum;
	u64 at = low ? low->own.end : chunk->entry[0].block->bank->base;
	int height = 0;

	for (u32 i = 0; i < chunk->count; i++) {
		const struct loom_bank_entry *entry = &chunk->entry[i];

		if (entry->start > at)
			own.hole = max(own.hole, entry->start - at);
		own.end = max(own.end, entry->end);
		at = max(at, own.end);
		loom_mask_add(&own.banks, &entry->mask);
		if (entry->block->chunk != chunk || entry->block->start != entry->start ||
		    entry->block->start + entry->block->size != entry->end ||
		    (i && entry->start < entry[-1].start))
			return -1;
	}
	sum = own;
	for (u32 side = 0; side < 2; side++) {
		const struct loom_bank_chunk *child = chunk->child[side];
		int below = child ? bank_check_subtree(child) : 0;

		if (below < 0 || (child && (child->parent != chunk ||
					    child->priority > chunk->priority)))
			return -1;
		height = max(height, below);
		if (!child)
			continue;
		sum.hole = max(sum.hole, child->subtree.hole);
		sum.end = max(sum.end, child->subtree.end);
		loom_mask_add(&sum.banks, &child->subtree.banks);
	}
	if (memcmp(&own, &chunk->own, sizeof(own)) || memcmp(&sum, &chunk->subtree, sizeof(sum)))
		return -1;
	return height + 1;
}

/* The chunk that follows in the tree, by its shape alone. */
static inline const struct loom_bank_chunk *bank_successor(const struct loom_bank_chunk *chunk)
{
	if (chunk->child[1]) {
		for (chunk = chunk->child[1]; chunk->child[0];)
			chunk = chunk->child[0];
		return chunk;
	}
	while (chunk->parent && chunk->parent->child[1] == chunk)
		chunk = chunk->parent;
	return chunk->parent;
}

/* The invariants of chunk.c hold. Return: the height of the tree, or -1. */
static inline int bank_check(const struct loom_bank *bank)
{
	const struct loom_bank_chunk *chunk, *low = NULL;
	u32 count = 0;

	if (!bank->root)
		return bank->blocks || bank->first || bank->last ? -1 : 0;
	for (chunk = bank->first; chunk; low = chunk, chunk = chunk->neighbour[1]) {
		if (!chunk->count || chunk->neighbour[0] != low ||
		    bank_successor(chunk) != chunk->neighbour[1])
			return -1;
		if (low && (low->entry[low->count - 1].start > chunk->entry[0].start ||
			    low->count + chunk->count <= LOOM_CHUNK_BLOCKS / 2))
			return -1;
		count += chunk->count;
	}
	if (bank->last != low || count != bank->blocks || bank->root->parent)
		return -1;
	return bank_check_subtree(bank->root);
}

#endif /* LOOM_TESTS_BANK_MODEL_H */
