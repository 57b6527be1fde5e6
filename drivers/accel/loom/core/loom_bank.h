/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_BANK_H
#define LOOM_BANK_H

#include "loom_core.h"

/**
 * DOC: Bank allocator interface
 *
 * One allocator stands for all banks of a region, because they are in lockstep.
 * Memory for the bookkeeping is the caller's: a block is embedded in what owns
 * the address range, so neither allocating nor freeing can fail for want of host
 * memory. Not thread safe: the caller holds a lock around every call.
 */

struct loom_bank;

/**
 * struct loom_bank_request - what an allocation asks for
 * @size: bytes per bank, not zero
 * @align: alignment of the address, a power of two
 * @low: the block must not start below; zero where it does not matter
 * @high: the block must not end above; U64_MAX where it does not matter
 * @top_down: take the highest fitting place, else the lowest
 *
 * A fixed address is a range of exactly the size.
 */
struct loom_bank_request {
	u64 size;
	u64 align;
	u64 low;
	u64 high;
	bool top_down;
};

/**
 * struct loom_bank_block - an address range, embedded in what owns it
 *
 * Zeroed by its owner before it is first used; free again after loom_bank_free(). It must
 * not move in memory while it is allocated.
 *
 * @start: first byte
 * @size: bytes in each bank
 * @bank: private: the bank it is allocated from, or NULL
 * @hole: private: free bytes between this block and the next
 * @best: private: largest @hole in the subtree below, lower and higher addresses
 * @child: private: subtree below, lower and higher addresses
 * @parent: private: node above
 * @near: private: next block in the bank towards lower and higher addresses
 * @balance: private: height of the higher subtree less that of the lower
 */
struct loom_bank_block {
	u64 start;
	u64 size;
	struct loom_bank *bank;
	u64 hole;
	u64 best[2];
	struct loom_bank_block *child[2];
	struct loom_bank_block *parent;
	struct loom_bank_block *near[2];
	s32 balance;
};

/**
 * struct loom_bank - the address space of a bank, and of all in lockstep with it
 *
 * Must not move in memory between loom_bank_init() and loom_bank_fini().
 *
 * @base: first byte that can be given out
 * @limit: first byte behind those that can be given out
 * @allocated: bytes given out
 * @blocks: number of blocks
 * @root: private: of the tree
 * @head: private: a block without bytes at @base, so that each hole has a block before it
 */
struct loom_bank {
	u64 base;
	u64 limit;
	u64 allocated;
	u32 blocks;
	struct loom_bank_block *root;
	struct loom_bank_block head;
};

/**
 * struct loom_bank_stats - how full a bank is
 * @total: bytes that can be given out
 * @allocated: bytes given out
 * @free: @total less @allocated
 * @largest_free: bytes of the largest hole
 * @blocks: number of blocks
 */
struct loom_bank_stats {
	u64 total;
	u64 allocated;
	u64 free;
	u64 largest_free;
	u32 blocks;
};

/**
 * struct loom_bank_span - a block or a hole, see loom_bank_walk()
 * @start: first byte
 * @end: first byte behind it
 * @block: the block, or NULL for a hole
 */
struct loom_bank_span {
	u64 start;
	u64 end;
	struct loom_bank_block *block;
};

/**
 * struct loom_bank_iter - where a walk has got to
 * @block: private: block that was reported last, or whose hole was
 * @hole: private: the hole behind @block is next
 */
struct loom_bank_iter {
	struct loom_bank_block *block;
	bool hole;
};

/**
 * loom_bank_init() - begin with an empty bank
 * @bank: the bank, any content
 * @base: first byte that can be given out
 * @limit: first byte behind those that can be given out
 *
 * Return: 0; -EINVAL when there is not one byte to give out.
 */
int __must_check loom_bank_init(struct loom_bank *bank, u64 base, u64 limit);

/**
 * loom_bank_fini() - end a bank
 * @bank: the bank
 *
 * Blocks that are still allocated are let go: freeing them later is refused, not
 * a use after free.
 *
 * Return: the number of such blocks; zero in a caller without leaks.
 */
u32 loom_bank_fini(struct loom_bank *bank);

/**
 * loom_bank_alloc() - find a place and take it
 * @bank: the bank
 * @block: the block, zeroed or freed; out: its start and size
 * @request: what is asked for
 *
 * O(log n) in the blocks of the bank while addresses and sizes are multiples of the
 * alignment; with a larger alignment, plus the holes that would do but for it.
 *
 * Return: 0; -ENOSPC when nothing fits; -EINVAL for a size of zero, an alignment that is no
 * power of two, a range that ends before it starts, a block that is allocated already.
 */
int __must_check loom_bank_alloc(struct loom_bank *bank, struct loom_bank_block *block,
				 const struct loom_bank_request *request);

/**
 * loom_bank_free() - give a block back
 * @bank: the bank
 * @block: the block
 *
 * O(log n). The block can be used for another allocation at once.
 *
 * Return: 0; -EINVAL, and nothing is changed, when the block is not allocated from @bank.
 */
int loom_bank_free(struct loom_bank *bank, struct loom_bank_block *block);

/**
 * loom_bank_allocated() - whether a block holds an address range now
 * @block: the block
 *
 * Return: true between loom_bank_alloc() and loom_bank_free().
 */
static inline bool loom_bank_allocated(const struct loom_bank_block *block)
{
	return block->bank;
}

/**
 * loom_bank_stats() - how full a bank is
 * @bank: the bank
 * @stats: out
 *
 * O(1).
 */
void loom_bank_stats(const struct loom_bank *bank, struct loom_bank_stats *stats);

/**
 * loom_bank_lowest() - where the blocks begin
 * @bank: the bank
 *
 * All from the bank's base up to here is free. O(1).
 *
 * Return: the lowest address of a block; the bank's limit when there is none.
 */
u64 loom_bank_lowest(const struct loom_bank *bank);

/**
 * loom_bank_find() - the block at or above an address
 * @bank: the bank
 * @address: any address
 *
 * O(log n). To ask whether [a, b) is free: find(a) is NULL or starts at b or above.
 *
 * Return: the lowest block that ends above @address, or NULL.
 */
struct loom_bank_block *loom_bank_find(struct loom_bank *bank, u64 address);

/**
 * loom_bank_walk() - begin a walk over all blocks and holes in address order
 * @bank: the bank, which must not change during the walk
 * @iter: out: before the first
 */
void loom_bank_walk(struct loom_bank *bank, struct loom_bank_iter *iter);

/**
 * loom_bank_next() - next block or hole of a walk
 * @iter: the walk
 * @span: out
 *
 * The spans tile the bank from its base to its limit; no two holes are neighbours. O(1).
 *
 * Return: false when there is no more.
 */
bool loom_bank_next(struct loom_bank_iter *iter, struct loom_bank_span *span);

#endif /* LOOM_BANK_H */
