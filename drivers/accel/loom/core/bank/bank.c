// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "few.h"
#include "join.h"
#include "place.h"
#include "scan.h"
#include "tree.h"

/**
 * DOC: Bank allocator
 *
 * The blocks on all banks are a list in address order. Holes are not in it: the free bytes behind a
 * block are a number in that block, and an empty block at the bottom of the bank (the head, never
 * removed) carries the first hole. So neighbouring holes cannot exist, freeing merges by adding two
 * numbers, and no hole ever needs memory of its own.
 *
 * While there are few blocks (256) their holes are listed in arrays, in no order: flat.c. A
 * search looks at each of them; a change is a change of one entry, or of two. Beyond that the
 * blocks are a tree, tree.c, and the holes one more by size, size.c. Both give the same answers. A
 * bank that has half as many blocks again has the list again; the cost of building either is spread
 * over the 128 blocks that must come or go before the other is built. `bench_alloc --flat` measures
 * where the list stops being faster.
 *
 * First fit from the end that the request names keeps bottom-up and top-down blocks apart, which is
 * what directions are for. Best fit wastes least: in a large memory with buffers of all sizes it
 * refuses a fourth to an eighth of what first fit refuses. In SRAM, where a dozen large buffers
 * come and go in the order of a program, it is worse than first fit: it takes holes in the middle
 * of the bank, which then do not grow together. So there the two are weighed: *near fit* takes the
 * hole for which the bytes that are left over in it, plus about a tenth of the bytes that lie
 * between the block and the end that the request names, are least. Small blocks, for which little
 * is left over in any hole but much may be lost in the middle, so stay near their end; large ones
 * take a tight hole if there is one at hand. The tenth is measured: of a 16th, a tenth, a seventh
 * and a fifth it is the one that refuses less than first fit and size classes in all families of
 * traces but one, where it has 2 % more; Documentation/memory.rst has the figures. It replaces a
 * threshold, best fit above a 128th of the bank and first fit below, which was good on the traces
 * that it had been found with. The policy is one of the region.
 *
 * Partial blocks are kept apart, in partial.c. An address range must be free in both. First fit
 * lets the two searches raise each other's lower bound until they agree; where that is done all the
 * time, those on all banks are noted among the partial ones, see join.c. The others ask for each
 * hole that they would take whether it has room between the partial blocks, and are content with
 * first fit when LOOM_BANK_TRIES holes had none. Without partial blocks this costs one comparison.
 *
 * What was rejected: a list with first fit for any number of blocks (linear; 2 us at 10k blocks),
 * segregated free lists (constant time, but they find some hole that fits, not the smallest: 301
 * refusals for 261 with sixteen lists to a power of two, and the answer depends on what was freed
 * last), a bitmap (costs memory in the size of the bank, not in the number of blocks), and to send
 * small blocks of SRAM to the other end (fewer refusals in networks, but the scratch of plans is at
 * that end, where long-lived blocks would be in its way).
 */

enum { LOW, HIGH };

/* --- change */

static void loom_bank_make_tree(struct loom_bank *bank)
{
	struct loom_bank_block *block;

	bank->is_flat = false;
	loom_tree_build(bank);
	if (bank->policy != LOOM_BANK_BEST_FIT)
		return;
	loom_sizes_clear(&bank->sizes);
	for (block = &bank->head; block; block = block->neighbour[HIGH])
		if (block->hole)
			loom_sizes_add(&bank->sizes, block);
}

static void loom_bank_make_flat(struct loom_bank *bank)
{
	bank->is_flat = true;
	loom_flat_build(&bank->flat, &bank->head, bank->limit,
			bank->policy == LOOM_BANK_NEAR_FIT);
}

static noinline void loom_bank_leave_few(struct loom_bank *bank)
{
	loom_few_leave(bank);
	if (loom_bank_on_all(bank) > bank->flat_most)
		loom_bank_make_tree(bank);
}

/* Changes the hole behind @node while there is a tree. */
static void loom_bank_set_hole(struct loom_bank *bank, struct loom_bank_block *node, u64 hole)
{
	if (bank->policy == LOOM_BANK_BEST_FIT && node->hole)
		loom_sizes_remove(&bank->sizes, node);
	node->hole = hole;
	if (bank->policy == LOOM_BANK_BEST_FIT && hole)
		loom_sizes_add(&bank->sizes, node);
}

/* Puts @block into the list behind @node. */
static void loom_bank_link(struct loom_bank *bank, struct loom_bank_block *node,
			   struct loom_bank_block *block)
{
	struct loom_bank_block *next = node->neighbour[HIGH];

	block->neighbour[LOW] = node;
	block->neighbour[HIGH] = next;
	node->neighbour[HIGH] = block;
	if (next)
		next->neighbour[LOW] = block;
	else
		bank->last = block;
	bank->allocated += block->size;
}

/* Takes a place for @block, whose start and size are set. */
static void loom_bank_take(struct loom_bank *bank, const struct loom_bank_place *place,
			   struct loom_bank_block *block)
{
	struct loom_bank_block *node = place->node;
	u64 below = block->start - node->start - node->size;
	u64 above = node->hole - below - block->size;

	loom_bank_link(bank, node, block);
	if (bank->is_flat) {
		block->hole = 0;
		if (!below && above) {
			loom_flat_hand_over(&bank->flat, node, block, above);
		} else {
			loom_flat_set(&bank->flat, node, below);
			loom_flat_set(&bank->flat, block, above);
		}
	} else {
		loom_bank_set_hole(bank, node, below);
		block->hole = 0;
		loom_bank_set_hole(bank, block, above);
		loom_tree_link(bank, block);
	}
}

/* @block, whose size is set, takes the lower end of a hole, or its upper end. */
static inline void loom_bank_cut(struct loom_flat *flat, u32 index, struct loom_bank_block *block,
				 bool top_down)
{
	struct loom_bank_block *node = flat->block[index];
	u64 left = node->hole - block->size;

	node->hole = top_down ? left : 0;
	block->hole = top_down ? 0 : left;
	if (!left) {
		loom_flat_remove(flat, index);
		return;
	}
	flat->size[index] = left;
	if (!top_down) {
		flat->start[index] += block->size;
		flat->block[index] = block;
		block->flat_index = index;
	}
	loom_flat_weigh(flat, index);
}

/*
 * The short way, for nearly all requests while there are few blocks and all on all banks: takes the
 * near end of the best hole, if that is a place. Return: 0; -ENOSPC if no hole has so many bytes;
 * -EAGAIN if it is none.
 */
static int loom_bank_take_near_end(struct loom_bank *bank, struct loom_bank_block *block,
				   const struct loom_bank_request *request)
{
	u32 index = loom_bank_flat_hole(bank, request);
	struct loom_bank_block *node;
	u64 start;

	if (index == U32_MAX)
		return -ENOSPC;
	start = bank->flat.start[index];
	if (request->top_down)
		start += bank->flat.size[index] - request->size;
	if (start & (request->align - 1) || start < request->low ||
	    start + request->size > request->high)
		return -EAGAIN;
	node = bank->flat.block[index];
	block->start = start;
	block->size = request->size;
	block->partial = false;
	block->bank = bank;
	loom_bank_cut(&bank->flat, index, block, request->top_down);
	loom_bank_link(bank, node, block);
	bank->blocks++;
	return 0;
}

static void loom_bank_give(struct loom_bank *bank, struct loom_bank_block *block)
{
	struct loom_bank_block *below = block->neighbour[LOW], *next = block->neighbour[HIGH];
	u64 above = block->hole;

	if (bank->is_flat) {
		loom_flat_give(&bank->flat, block, below);
	} else {
		loom_bank_set_hole(bank, block, 0);
		loom_bank_set_hole(bank, below, below->hole + block->size + above);
		loom_tree_unlink(bank, block);
	}
	below->neighbour[HIGH] = next;
	if (next)
		next->neighbour[LOW] = below;
	else
		bank->last = below;
	bank->allocated -= block->size;
}

int loom_bank_init(struct loom_bank *bank, u64 base, u64 limit, u32 banks,
		   enum loom_bank_policy policy)
{
	if (base >= limit || !banks || banks > DRM_LOOM_MAX_BANKS)
		return -EINVAL;
	memset(bank, 0, sizeof(*bank));
	bank->base = base;
	bank->limit = limit;
	bank->all = loom_mask_all(banks);
	bank->policy = policy;
	bank->flat_most = LOOM_FLAT_BLOCKS;
	bank->few_most = policy == LOOM_BANK_BEST_FIT ? LOOM_FEW_BEST_FIT : LOOM_FEW_BLOCKS;
	bank->head.start = base;
	bank->head.bank = bank;
	bank->head.hole = limit - base;
	bank->last = &bank->head;
	loom_partials_init(&bank->partials, banks, limit);
	loom_bank_make_flat(bank);
	return 0;
}

u32 loom_bank_fini(struct loom_bank *bank)
{
	struct loom_bank_block *block, *next;
	struct loom_partial_cursor cursor;
	u32 leaked = bank->blocks;

	for (block = bank->head.neighbour[HIGH]; block; block = next) {
		next = block->neighbour[HIGH];
		block->bank = NULL;
	}
	for (loom_partials_begin(&bank->partials, &cursor); cursor.chunk;
	     loom_partials_step(&cursor))
		loom_partial_entry(cursor.chunk, cursor.index)->block->bank = NULL;
	loom_partials_fini(&bank->partials);
	memset(bank, 0, sizeof(*bank));
	return leaked;
}

struct loom_partial_chunk *loom_bank_chunk_create(void)
{
	return loom_port_alloc(1, sizeof(struct loom_partial_chunk));
}

/* Whether the banks that a request is for exist, and are some. @partial: they are not all. */
static bool loom_bank_banks_exist(const struct loom_bank *bank, const struct loom_mask *mask,
				  bool *partial)
{
	u64 outside = 0, inside = 0, missing = 0;
	u32 i;

	for (i = 0; i < LOOM_MASK_WORDS; i++) {
		outside |= mask->word[i] & ~bank->all.word[i];
		inside |= mask->word[i];
		missing |= bank->all.word[i] & ~mask->word[i];
	}
	*partial = missing;
	return !outside && inside;
}

/* A block on some banks goes between all blocks, in one order or in two. */
static noinline int loom_bank_alloc_partial(struct loom_bank *bank,
					    struct loom_bank_block *block,
					    const struct loom_bank_request *request,
					    const struct loom_mask *mask)
{
	struct loom_partials *partials = &bank->partials;
	struct loom_scan scan;

	loom_bank_search_between(bank, request, mask, &scan);
	partials->looks = scan.looks;
	if (scan.failed) {
		if (loom_bank_on_all(bank))
			loom_join_judge(bank, false);
		return -ENOSPC;
	}
	block->start = scan.at;
	block->size = request->size;
	block->partial = true;
	block->mask = *mask;
	if (!loom_partials_insert(partials, block, &scan.from, request->spare))
		return -ENOMEM;
	block->bank = bank;
	bank->blocks++;
	if (loom_few_begins(bank)) {
		loom_few_enter(bank);
	} else if (loom_bank_on_all(bank)) {
		loom_join_judge(bank, false);
		loom_join_consider(bank, request->spare);
	}
	return 0;
}

/* The same for a block on all banks. */
static noinline int loom_bank_alloc_whole(struct loom_bank *bank, struct loom_bank_block *block,
					  const struct loom_bank_request *request)
{
	struct loom_bank_place place;
	int ret;

	if (bank->is_flat && !bank->partials.count && bank->blocks < bank->flat_most) {
		ret = loom_bank_take_near_end(bank, block, request);
		if (ret != -EAGAIN)
			return ret;
	}
	loom_bank_search(bank, request, &place);
	if (!place.node) {
		if (bank->partials.count)
			loom_join_judge(bank, true);
		return -ENOSPC;
	}

	block->start = place.start;
	block->size = request->size;
	block->partial = false;
	if (bank->is_flat && loom_bank_on_all(bank) >= bank->flat_most)
		loom_bank_make_tree(bank);
	loom_bank_take(bank, &place, block);
	block->bank = bank;
	bank->blocks++;
	if (bank->partials.count) {
		loom_join_add(bank, block, &place.above);
		loom_join_judge(bank, true);
	}
	return 0;
}

int loom_bank_alloc(struct loom_bank *bank, struct loom_bank_block *block,
		    const struct loom_bank_request *request)
{
	const struct loom_mask *mask = request->mask;
	bool partial = false;

	if (!mask)
		mask = &bank->all;
	else if (!loom_bank_banks_exist(bank, mask, &partial))
		return -EINVAL;
	if (block->bank || !request->size || !request->align ||
	    (request->align & (request->align - 1)) || request->low > request->high)
		return -EINVAL;
	if (bank->is_few) {
		if (bank->blocks < bank->few_most)
			return loom_few_alloc(bank, block, request, mask, partial);
		loom_bank_leave_few(bank);
	}
	if (partial)
		return loom_bank_alloc_partial(bank, block, request, mask);
	return loom_bank_alloc_whole(bank, block, request);
}

int loom_bank_free(struct loom_bank *bank, struct loom_bank_block *block)
{
	if (block->bank != bank || block == &bank->head)
		return -EINVAL;
	if (bank->is_few) {
		loom_few_free(bank, block);
		if (loom_few_ends(bank))
			loom_bank_leave_few(bank);
		return 0;
	}
	if (block->partial) {
		loom_partials_remove(&bank->partials, block);
		if (!bank->partials.count)
			loom_join_end(bank);
	} else {
		if (bank->partials.count)
			loom_join_remove(bank, block);
		loom_bank_give(bank, block);
	}
	block->bank = NULL;
	bank->blocks--;
	if (bank->partials.idle_count > LOOM_PARTIAL_IDLE)
		loom_join_trim(bank);
	if (!bank->is_flat && loom_bank_on_all(bank) <= bank->flat_most / 2)
		loom_bank_make_flat(bank);
	if (loom_few_begins(bank))
		loom_few_enter(bank);
	return 0;
}

u64 loom_bank_bytes(struct loom_bank *bank, u32 index)
{
	return bank->allocated + loom_partials_bytes(&bank->partials, index);
}

u64 loom_bank_lowest(const struct loom_bank *bank)
{
	if (bank->is_few)
		return loom_few_lowest(bank);
	return min(bank->base + bank->head.hole, loom_partials_lowest(&bank->partials));
}

struct loom_bank_block *loom_bank_find(struct loom_bank *bank, u64 address)
{
	struct loom_bank_block *block;

	if (bank->is_few)
		return loom_few_find(bank, address);
	block = loom_bank_at(bank, address);
	if (block != &bank->head && block->start + block->size > address)
		return block;
	return block->neighbour[HIGH];
}

void loom_bank_resume(struct loom_bank *bank, struct loom_bank_iter *iter)
{
	iter->is_few = bank->is_few;
	iter->block = bank->is_few ? NULL : loom_bank_find(bank, iter->at);
	loom_partials_begin(&bank->partials, &iter->cursor);
}
