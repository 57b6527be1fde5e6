/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_BANK_H
#define LOOM_BANK_H

#include "bank/patch.h"

/**
 * DOC: Bank allocator interface
 *
 * One allocator stands for all banks of a region, because they are in lockstep: a block has one
 * address, which is the same in every bank it is on. It is on all of them, or on those of a
 * mask, and then the other banks know nothing of it.
 *
 * Memory for the bookkeeping is the caller's: a block is embedded in what owns the address range.
 * Blocks on some banks take a chunk more now and then, which the caller has ready, so that
 * nothing is allocated under its lock. Freeing cannot fail for want of host memory.
 * Not thread safe: the caller holds a lock around every call.
 */

struct loom_bank;

/**
 * enum loom_bank_policy - which hole a block gets
 * @LOOM_BANK_FIRST_FIT: the first one from the end that is asked for
 * @LOOM_BANK_BEST_FIT: the smallest one, and of those that are as small the first
 * @LOOM_BANK_LARGE_BEST_FIT: the first one for blocks of up to a LOOM_BANK_LARGE_PART of the bank,
 *	the smallest one for larger ones
 *
 * A request with a mask is placed by first fit all the same, and so is every other one while there
 * are blocks on some banks; likewise one with a range, unless that leaves out only the beginning
 * of a hole at the bottom.
 */
enum loom_bank_policy {
	LOOM_BANK_FIRST_FIT,
	LOOM_BANK_BEST_FIT,
	LOOM_BANK_LARGE_BEST_FIT,
};

#define LOOM_BANK_LARGE_PART	128

/**
 * struct loom_bank_request - what an allocation asks for
 * @size: bytes per bank, not zero
 * @align: alignment of the address, a power of two
 * @low: the block must not start below; zero where it does not matter
 * @high: the block must not end above; U64_MAX where it does not matter
 * @mask: the banks it is on, NULL for all
 * @spare: with @mask: where a chunk from loom_bank_chunk_create() is; NULL in there when it was
 *	taken
 * @top_down: take the highest fitting place, else the lowest
 *
 * A fixed address is a range of exactly the size.
 */
struct loom_bank_request {
	u64 size;
	u64 align;
	u64 low;
	u64 high;
	const struct loom_mask *mask;
	struct loom_patch_chunk **spare;
	bool top_down;
};

/**
 * struct loom_bank_block - an address range, embedded in what owns it
 *
 * Zeroed by its owner before it is first used; free again after loom_bank_free(). It must
 * not move in memory while it is allocated.
 *
 * @start: first byte
 * @size: bytes in each of its banks
 * @bank: private: the bank it is allocated from, or NULL
 * @partial: private: it is on some banks only
 * @hole: private: free bytes between this block and the next, of those on all banks
 * @best: private: largest @hole in the subtree below, lower and higher addresses
 * @child: private: subtree below, lower and higher addresses
 * @parent: private: node above
 * @near: private: next block in the bank towards lower and higher addresses
 * @balance: private: height of the higher subtree less that of the lower
 * @by_size: private: in loom_bank.holes, if it has a hole and they are kept
 * @mask: private: of a partial block: its banks
 * @chunk: private: of a partial block: where it is noted
 */
struct loom_bank_block {
	u64 start;
	u64 size;
	struct loom_bank *bank;
	bool partial;
	union {
		struct {
			u64 hole;
			u64 best[2];
			struct loom_bank_block *child[2];
			struct loom_bank_block *parent;
			struct loom_bank_block *near[2];
			s32 balance;
			struct loom_treap_node by_size;
		};
		struct {
			struct loom_mask mask;
			struct loom_patch_chunk *chunk;
		};
	};
};

/**
 * struct loom_bank - the address space of a bank, and of all in lockstep with it
 *
 * Must not move in memory between loom_bank_init() and loom_bank_fini().
 *
 * @base: first byte that can be given out
 * @limit: first byte behind those that can be given out
 * @allocated: bytes given out in each bank to blocks on all of them
 * @blocks: number of blocks, on all banks and on some
 * @all: all banks
 * @root: private: of the tree of blocks on all banks
 * @head: private: a block without bytes at @base, so that each hole has a block before it
 * @best_size: private: smaller blocks are placed by first fit
 * @holes: private: the holes by size, unless that is for all
 * @patches: private: blocks on some banks
 */
struct loom_bank {
	u64 base;
	u64 limit;
	u64 allocated;
	u32 blocks;
	struct loom_mask all;
	struct loom_bank_block *root;
	struct loom_bank_block head;
	u64 best_size;
	struct loom_treap holes;
	struct loom_patches patches;
};

/**
 * struct loom_bank_stats - how full some banks are
 * @total: bytes that can be given out, in each
 * @allocated: bytes of which one of the banks has given out its own
 * @free: @total less @allocated: what is free in all of them
 * @largest_free: bytes of the largest hole that is one in all of them
 * @blocks: number of blocks on one of them
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
 * @mask: private: banks that are looked at
 * @at: private: end of what was reported
 * @limit: private: of the bank
 * @block: private: the next block on all banks
 * @cursor: private: the next block on some
 */
struct loom_bank_iter {
	struct loom_mask mask;
	u64 at;
	u64 limit;
	struct loom_bank_block *block;
	struct loom_patch_cursor cursor;
};

/**
 * loom_bank_init() - begin with an empty bank
 * @bank: the bank, any content
 * @base: first byte that can be given out
 * @limit: first byte behind those that can be given out
 * @banks: number of banks that it stands for, at most DRM_LOOM_MAX_BANKS
 * @policy: which hole a block gets
 *
 * Return: 0; -EINVAL when there is not one byte to give out, no bank, or too many.
 */
int __must_check loom_bank_init(struct loom_bank *bank, u64 base, u64 limit, u32 banks,
				enum loom_bank_policy policy);

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
 * alignment; with a larger alignment, plus the holes that would do but for it. With a mask, or
 * where there are blocks with masks, O(log n) for masks that come again and again; see patch.c.
 *
 * Return: 0; -ENOSPC when nothing fits; -ENOMEM when it takes a chunk and there is none; -EINVAL
 * for a size of zero, an alignment that is no power of two, a range that ends before it starts, a
 * block that is allocated already, a mask without banks or with more than there are.
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
 * loom_bank_chunk_create() - memory for blocks on some banks
 *
 * Return: what loom_bank_request.spare may point to, to be given to loom_port_free() if it is not
 * taken; or NULL.
 */
struct loom_patch_chunk *loom_bank_chunk_create(void);

/**
 * loom_bank_stats() - how full some banks are
 * @bank: the bank
 * @mask: which ones, NULL for all
 * @stats: out
 *
 * O(1) while all blocks are on all banks, else O(n).
 */
void loom_bank_stats(struct loom_bank *bank, const struct loom_mask *mask,
		     struct loom_bank_stats *stats);

/**
 * loom_bank_bytes() - what one bank has given out
 * @bank: the bank
 * @index: which one
 *
 * O(1).
 *
 * Return: bytes.
 */
u64 loom_bank_bytes(const struct loom_bank *bank, u32 index);

/**
 * loom_bank_lowest() - where the blocks begin
 * @bank: the bank
 *
 * All from the bank's base up to here is free in every bank. O(1).
 *
 * Return: the lowest address of a block; the bank's limit when there is none.
 */
u64 loom_bank_lowest(const struct loom_bank *bank);

/**
 * loom_bank_bottom() - the lowest block of one bank
 * @bank: the bank
 * @index: which one
 *
 * O(log n) while all blocks are on all banks, else O(n) in the blocks on some that lie below.
 *
 * Return: the block, or NULL.
 */
struct loom_bank_block *loom_bank_bottom(struct loom_bank *bank, u32 index);

/**
 * loom_bank_find() - the block at or above an address, of those on all banks
 * @bank: the bank
 * @address: any address
 *
 * O(log n). To ask whether [a, b) is free of them: find(a) is NULL or starts at b or above.
 *
 * Return: the lowest such block that ends above @address, or NULL.
 */
struct loom_bank_block *loom_bank_find(struct loom_bank *bank, u64 address);

/**
 * loom_bank_walk() - begin a walk over all blocks and holes of some banks in address order
 * @bank: the bank, which must not change during the walk
 * @mask: which ones, NULL for all
 * @iter: out: before the first
 */
void loom_bank_walk(struct loom_bank *bank, const struct loom_mask *mask,
		    struct loom_bank_iter *iter);

/**
 * loom_bank_next() - next block or hole of a walk
 * @iter: the walk
 * @span: out
 *
 * The spans tile the bank from its base to its limit; no two holes are neighbours. A hole is free
 * in all banks that are looked at. In one bank blocks do not overlap. Where they do in
 * several, the one that begins first is reported whole, and what sticks out of others behind
 * it. O(1) for each block of the bank.
 *
 * Return: false when there is no more.
 */
bool loom_bank_next(struct loom_bank_iter *iter, struct loom_bank_span *span);

#endif /* LOOM_BANK_H */
