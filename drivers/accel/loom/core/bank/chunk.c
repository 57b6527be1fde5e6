// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "chunk.h"

/**
 * DOC: Blocks in chunks
 *
 * All blocks of a bank are in one order, by their starts. Up to 64 neighbours share a chunk, an
 * array that a search reads from one end to the other without following a pointer. Each entry
 * carries the banks of its block. The chunks are a list and a treap: a binary search tree whose
 * nodes have pseudo-random priorities, none above its parent's. A priority is a hash of the
 * address of the chunk, which no client knows, so no order of requests makes the tree deep.
 *
 * Three sums are kept for each chunk and for each subtree: the highest end of a block, the banks of
 * all blocks, and the *hole bound*, which is at least the size of the largest hole in all banks
 * before one of its blocks. A block of an earlier chunk but one that reaches into the hole is not
 * deducted; without blocks on some banks there is none, and the bound is exact.
 *
 * A chunk that is full is split. Two neighbours that fill no more than half a chunk become one, so
 * there are at most 4 chunks for each 64 blocks, and two more. A chunk that is no longer used is
 * kept for the next split, and freed if there is one already.
 */

static int loom_chunk_side(const struct loom_bank_chunk *chunk)
{
	return chunk->parent->child[HIGH] == chunk;
}

/* Computes the sums of a subtree. Return: whether they have changed. */
static bool loom_chunk_sum(struct loom_bank_chunk *chunk)
{
	struct loom_bank_sum sum = chunk->own;
	int side;

	for (side = LOW; side <= HIGH; side++) {
		if (!chunk->child[side])
			continue;
		sum.hole = max(sum.hole, chunk->child[side]->subtree.hole);
		sum.end = max(sum.end, chunk->child[side]->subtree.end);
		loom_mask_add(&sum.banks, &chunk->child[side]->subtree.banks);
	}
	if (sum.hole == chunk->subtree.hole && sum.end == chunk->subtree.end &&
	    loom_mask_same(&sum.banks, &chunk->subtree.banks))
		return false;
	chunk->subtree = sum;
	return true;
}

/* The same for @chunk, which may be NULL, and all above. */
static void loom_chunk_propagate(struct loom_bank_chunk *chunk)
{
	while (chunk && loom_chunk_sum(chunk))
		chunk = chunk->parent;
}

/* Rotates @chunk above its parent. */
static void loom_chunk_rotate(struct loom_bank *bank, struct loom_bank_chunk *chunk)
{
	struct loom_bank_chunk *parent = chunk->parent;
	int side = loom_chunk_side(chunk);
	struct loom_bank_chunk *inner = chunk->child[!side];

	chunk->parent = parent->parent;
	if (parent->parent)
		parent->parent->child[loom_chunk_side(parent)] = chunk;
	else
		bank->root = chunk;
	parent->child[side] = inner;
	if (inner)
		inner->parent = parent;
	chunk->child[!side] = parent;
	parent->parent = chunk;
	/* the subtree of @chunk has what that of @parent had */
	chunk->subtree = parent->subtree;
	loom_chunk_sum(parent);
}

static u32 loom_chunk_priority(const struct loom_bank_chunk *chunk)
{
	u64 z = (u64)(unsigned long)chunk;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (u32)(z >> 32);
}

/* Adds an empty chunk above @previous, or the first of all if that is NULL. */
static void loom_chunk_link(struct loom_bank *bank, struct loom_bank_chunk *chunk,
			    struct loom_bank_chunk *previous)
{
	struct loom_bank_chunk *next = previous ? previous->neighbour[HIGH] : NULL;

	memset(chunk, 0, offsetof(struct loom_bank_chunk, entry));
	chunk->neighbour[LOW] = previous;
	chunk->neighbour[HIGH] = next;
	chunk->priority = loom_chunk_priority(chunk);
	if (!previous) {
		bank->root = chunk;
		bank->first = chunk;
		bank->last = chunk;
		return;
	}
	previous->neighbour[HIGH] = chunk;
	if (next)
		next->neighbour[LOW] = chunk;
	else
		bank->last = chunk;
	/* Of two neighbours the lower has no higher subtree, or the higher no lower one. */
	chunk->parent = previous->child[HIGH] ? next : previous;
	chunk->parent->child[chunk->parent == previous] = chunk;
	while (chunk->parent && chunk->parent->priority < chunk->priority)
		loom_chunk_rotate(bank, chunk);
}

/* Takes a chunk out, and keeps it for later or frees it. */
static void loom_chunk_unlink(struct loom_bank *bank, struct loom_bank_chunk *chunk)
{
	struct loom_bank_chunk *low = chunk->neighbour[LOW], *high = chunk->neighbour[HIGH];
	struct loom_bank_chunk *parent, *child;

	/* rotate it down to where it has no more than one child */
	while (chunk->child[LOW] && chunk->child[HIGH])
		loom_chunk_rotate(bank, chunk->child[chunk->child[LOW]->priority <
						     chunk->child[HIGH]->priority]);
	child = chunk->child[!chunk->child[LOW]];
	parent = chunk->parent;
	if (parent)
		parent->child[loom_chunk_side(chunk)] = child;
	else
		bank->root = child;
	if (child)
		child->parent = parent;
	loom_chunk_propagate(parent);
	if (low)
		low->neighbour[HIGH] = high;
	else
		bank->first = high;
	if (high)
		high->neighbour[LOW] = low;
	else
		bank->last = low;
	if (bank->idle)
		loom_port_free(chunk);
	else
		bank->idle = chunk;
}

/* Computes the sums of a chunk after its blocks have changed, and what depends on them. */
static void loom_chunk_update(struct loom_bank *bank, struct loom_bank_chunk *chunk)
{
	struct loom_bank_chunk *low;
	struct loom_bank_sum sum;
	u64 at, last;
	u32 i;

	/* the next one, too, if the end is another now: it is where holes begin there */
	do {
		low = chunk->neighbour[LOW];
		at = low ? low->own.end : bank->base;
		sum = (struct loom_bank_sum){ 0 };
		for (i = 0; i < chunk->count; i++) {
			if (chunk->entry[i].start > at)
				sum.hole = max(sum.hole, chunk->entry[i].start - at);
			sum.end = max(sum.end, chunk->entry[i].end);
			at = max(at, sum.end);
			loom_mask_add(&sum.banks, &chunk->entry[i].mask);
		}
		last = chunk->own.end;
		chunk->own = sum;
		loom_chunk_propagate(chunk);
		chunk = chunk->neighbour[HIGH];
	} while (chunk && last != sum.end);
}

/* Moves the entries from @from on behind those of another chunk. */
static void loom_chunk_move(struct loom_bank_chunk *chunk, u32 from, struct loom_bank_chunk *to)
{
	for (; from < chunk->count; from++) {
		to->entry[to->count] = chunk->entry[from];
		to->entry[to->count++].block->chunk = to;
	}
}

/* Makes room for an entry at @index of a full chunk. Return: the chunk where it is. */
static struct loom_bank_chunk *loom_chunk_split(struct loom_bank *bank,
						struct loom_bank_chunk *chunk,
						struct loom_bank_chunk *above, u32 *index)
{
	u32 keep = LOOM_CHUNK_BLOCKS / 2;

	/* a bank that is filled from one end to the other has full chunks */
	if (!*index)
		keep = 0;
	else if (*index == LOOM_CHUNK_BLOCKS && chunk == bank->last)
		keep = LOOM_CHUNK_BLOCKS;
	loom_chunk_link(bank, above, chunk);
	loom_chunk_move(chunk, keep, above);
	chunk->count = keep;
	if (*index < keep || !*index) {
		loom_chunk_update(bank, above);
		return chunk;
	}
	loom_chunk_update(bank, chunk);
	*index -= keep;
	return above;
}

/* A chunk that is not used, or NULL. */
static struct loom_bank_chunk *loom_chunk_get_idle(struct loom_bank *bank,
						   struct loom_bank_chunk **spare)
{
	struct loom_bank_chunk **from = bank->idle || !spare ? &bank->idle : spare;
	struct loom_bank_chunk *chunk = *from;

	*from = NULL;
	return chunk;
}

int loom_chunk_insert(struct loom_bank *bank, struct loom_bank_block *block,
		      const struct loom_mask *mask, struct loom_bank_chunk **spare)
{
	struct loom_bank_chunk *chunk = loom_chunk_at(bank, block->start), *more;
	u32 i = 0;

	while (chunk && i < chunk->count && chunk->entry[i].start <= block->start)
		i++;
	if (!chunk || chunk->count == LOOM_CHUNK_BLOCKS) {
		more = loom_chunk_get_idle(bank, spare);
		if (!more)
			return -ENOMEM;
		if (chunk)
			chunk = loom_chunk_split(bank, chunk, more, &i);
		else
			loom_chunk_link(bank, chunk = more, NULL);
	}
	memmove(&chunk->entry[i + 1], &chunk->entry[i],
		(chunk->count++ - i) * sizeof(chunk->entry[i]));
	chunk->entry[i] = (struct loom_bank_entry){
		.start = block->start,
		.end = block->start + block->size,
		.mask = *mask,
		.block = block,
	};
	block->chunk = chunk;
	loom_chunk_update(bank, chunk);
	return 0;
}

struct loom_bank_entry *loom_chunk_entry(const struct loom_bank_block *block)
{
	struct loom_bank_entry *entry = block->chunk->entry;

	while (entry->block != block)
		entry++;
	return entry;
}

/* Moves the blocks of @chunk to the one below it if both together fill no more than half of it. */
static bool loom_chunk_merge(struct loom_bank *bank, struct loom_bank_chunk *chunk)
{
	struct loom_bank_chunk *low = chunk ? chunk->neighbour[LOW] : NULL;

	if (!low || low->count + chunk->count > LOOM_CHUNK_BLOCKS / 2)
		return false;
	loom_chunk_move(chunk, 0, low);
	loom_chunk_unlink(bank, chunk);
	loom_chunk_update(bank, low);
	return true;
}

void loom_chunk_remove(struct loom_bank *bank, struct loom_bank_block *block)
{
	struct loom_bank_chunk *chunk = block->chunk, *high = chunk->neighbour[HIGH];
	struct loom_bank_entry *entry = loom_chunk_entry(block);

	memmove(entry, entry + 1, (u8 *)&chunk->entry[chunk->count] - (u8 *)(entry + 1));
	if (!--chunk->count) {
		loom_chunk_unlink(bank, chunk);
		if (high)
			loom_chunk_update(bank, high);
	} else if (!loom_chunk_merge(bank, chunk) && !loom_chunk_merge(bank, high)) {
		loom_chunk_update(bank, chunk);
	}
}

struct loom_bank_chunk *loom_chunk_at(const struct loom_bank *bank, u64 address)
{
	struct loom_bank_chunk *chunk = bank->root, *found = bank->first;

	while (chunk) {
		if (chunk->entry[0].start <= address) {
			found = chunk;
			chunk = chunk->child[HIGH];
		} else {
			chunk = chunk->child[LOW];
		}
	}
	return found;
}

struct loom_bank_chunk *loom_chunk_above(const struct loom_bank *bank, u64 address)
{
	struct loom_bank_chunk *chunk = bank->root;

	while (chunk && chunk->subtree.end > address) {
		if (chunk->child[LOW] && chunk->child[LOW]->subtree.end > address) {
			chunk = chunk->child[LOW];
			continue;
		}
		if (chunk->own.end > address)
			return chunk;
		chunk = chunk->child[HIGH];
	}
	return NULL;
}

static bool loom_chunk_has(const struct loom_bank_sum *sum, u64 hole, const struct loom_mask *banks)
{
	return banks ? loom_mask_overlaps(&sum->banks, banks) : sum->hole >= hole;
}

struct loom_bank_chunk *loom_chunk_following(struct loom_bank_chunk *chunk, u64 hole,
					     const struct loom_mask *banks, int side)
{
	struct loom_bank_chunk *below = chunk->child[side];

	/* up, to a node or a subtree that lies on that side */
	while (!below || !loom_chunk_has(&below->subtree, hole, banks)) {
		while (chunk->parent && loom_chunk_side(chunk) == side)
			chunk = chunk->parent;
		chunk = chunk->parent;
		if (!chunk || loom_chunk_has(&chunk->own, hole, banks))
			return chunk;
		below = chunk->child[side];
	}
	/* and down, to the nearest one */
	for (;;) {
		chunk = below;
		below = chunk->child[!side];
		if (below && loom_chunk_has(&below->subtree, hole, banks))
			continue;
		if (loom_chunk_has(&chunk->own, hole, banks))
			return chunk;
		below = chunk->child[side];
	}
}

u64 loom_chunk_reach(const struct loom_bank_chunk *chunk)
{
	u64 end = 0;
	int side = HIGH;

	/* of each node that @chunk is not below the low side of: itself and what is lower */
	for (;;) {
		if (side == HIGH) {
			end = max(end, chunk->own.end);
			if (chunk->child[LOW])
				end = max(end, chunk->child[LOW]->subtree.end);
		}
		if (!chunk->parent)
			return end;
		side = loom_chunk_side(chunk);
		chunk = chunk->parent;
	}
}
