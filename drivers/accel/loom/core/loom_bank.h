/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_BANK_H
#define LOOM_BANK_H

#include "loom_mask.h"

/**
 * DOC: Bank allocator interface
 *
 * The room core/bank allocates device memory: addresses in banks of a region.
 *
 * One allocator serves all banks of a region, because they are in lockstep: a block has one
 * address, the same in every bank it is on. It is on all of them, or on those of a mask; then it
 * takes nothing in the other banks, and is called a partial block.
 *
 * A block is embedded in what owns the address range. Its entry in the order of all blocks is in a
 * chunk, and one call in some dozens needs another chunk. The caller must provide it, so that
 * nothing is allocated under its lock. Freeing needs no host memory. Not thread safe: the caller
 * must hold a lock around every call.
 *
 * The room also has the distribution of a buffer's bytes over banks (loom_layout.h), and sets of
 * banks (loom_mask.h).
 *
 * It uses no other room. Rejected for the interface: an allocator per bank, because finding a
 * lockstep address would take a search over all of them; and drm_mm or gen_pool, which have no
 * banks and exist in the kernel only, whereas the library plans with the same code.
 */

/* Blocks of a chunk, which is a little less than a page. */
#define LOOM_CHUNK_BLOCKS	64

struct loom_bank;
struct loom_bank_chunk;

/**
 * enum loom_bank_policy - choice of a hole for a block on all banks
 * @LOOM_BANK_FIRST_FIT: the first one, from the end that the request names
 * @LOOM_BANK_BEST_FIT: the smallest one, and of equal ones the first
 * @LOOM_BANK_NEAR_FIT: the one with the least cost: bytes left over, plus a tenth of the bytes
 *	between the block and the end that the request names
 *
 * A request with a mask is always placed by first fit.
 */
enum loom_bank_policy {
	LOOM_BANK_FIRST_FIT,
	LOOM_BANK_BEST_FIT,
	LOOM_BANK_NEAR_FIT,
};

/**
 * struct loom_bank_request - arguments of an allocation
 * @size: bytes per bank, not zero
 * @align: alignment of the address, a power of two
 * @low: lowest address of the block; zero for any
 * @high: highest end of the block; U64_MAX for any
 * @mask: the banks it is on, NULL for all
 * @spare: points to a chunk from loom_bank_chunk_create(), set to NULL when it was used, or to
 *	NULL; or NULL
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
	struct loom_bank_chunk **spare;
	bool top_down;
};

/**
 * struct loom_bank_block - an address range, embedded in what owns it
 *
 * Its owner must zero it before the first use; it can be used again after loom_bank_free(). It must
 * not move in memory while it is allocated.
 *
 * @start: first byte
 * @size: bytes in each of its banks
 * @bank: private: the bank it is allocated from, or NULL
 * @chunk: private: the chunk with its entry
 * @partial: it is on some banks only
 */
struct loom_bank_block {
	u64 start;
	u64 size;
	struct loom_bank *bank;
	struct loom_bank_chunk *chunk;
	bool partial;
};

/**
 * struct loom_bank_entry - a block, as a search sees it
 * @start: first byte
 * @end: first byte behind it
 * @mask: its banks
 * @block: the block
 */
struct loom_bank_entry {
	u64 start;
	u64 end;
	struct loom_mask mask;
	struct loom_bank_block *block;
};

/**
 * struct loom_bank_sum - aggregate of some neighbours in the order of blocks
 * @hole: hole bound: no hole in all banks before one of them has more bytes
 * @end: their highest end
 * @banks: the banks of all of them
 */
struct loom_bank_sum {
	u64 hole;
	u64 end;
	struct loom_mask banks;
};

/**
 * struct loom_bank_chunk - some neighbours in the order of blocks
 * @count: number of entries, not zero
 * @priority: not above that of the parent
 * @neighbour: next chunk towards lower and higher addresses
 * @child: subtree below, lower and higher addresses
 * @parent: chunk above
 * @own: of its own entries
 * @subtree: of its own entries and those in both subtrees
 * @entry: in the order of starts
 */
struct loom_bank_chunk {
	u32 count;
	u32 priority;
	struct loom_bank_chunk *neighbour[2];
	struct loom_bank_chunk *child[2];
	struct loom_bank_chunk *parent;
	struct loom_bank_sum own;
	struct loom_bank_sum subtree;
	struct loom_bank_entry entry[LOOM_CHUNK_BLOCKS];
};

/**
 * struct loom_bank - the address space of a bank, and of all in lockstep with it
 *
 * Must not move in memory between loom_bank_init() and loom_bank_fini().
 *
 * @base: lowest address
 * @limit: highest end
 * @blocks: number of blocks, on all banks and on some
 * @partial: number of those on some
 * @all: all banks
 * @policy: which hole a block gets
 * @allocated: private: bytes given out in each bank to blocks on all of them
 * @bytes: private: bytes given out to partial blocks, by bank
 * @root: private: of the tree of chunks
 * @first: private: the lowest chunk
 * @last: private: the highest chunk
 * @idle: private: a chunk that is not used, or NULL
 */
struct loom_bank {
	u64 base;
	u64 limit;
	u32 blocks;
	u32 partial;
	struct loom_mask all;
	enum loom_bank_policy policy;
	u64 allocated;
	u64 bytes[DRM_LOOM_MAX_BANKS];
	struct loom_bank_chunk *root;
	struct loom_bank_chunk *first;
	struct loom_bank_chunk *last;
	struct loom_bank_chunk *idle;
};

/**
 * struct loom_bank_stats - usage of some banks
 * @total: bytes of each bank
 * @allocated: bytes that are allocated in at least one of the banks
 * @free: @total less @allocated: bytes that are free in all of them
 * @largest_free: bytes of the largest hole that is free in all of them
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
 * struct loom_bank_iter - position of a walk
 * @wanted: whether to report a block; others count as free. NULL reports all; a caller that needs a
 *	filter must set it before the first step
 * @who: for @wanted
 * @mask: private: banks that are walked
 * @at: private: end of the last span
 * @limit: private: of the bank
 * @chunk: private: of the next block, or NULL
 * @index: private: the next block in @chunk
 */
struct loom_bank_iter {
	bool (*wanted)(const struct loom_bank_block *block, u64 who);
	u64 who;
	struct loom_mask mask;
	u64 at;
	u64 limit;
	struct loom_bank_chunk *chunk;
	u32 index;
};

/**
 * loom_bank_init() - begin with an empty bank
 * @bank: the bank, any content
 * @base: lowest address
 * @limit: highest end
 * @banks: number of banks that it serves, at most DRM_LOOM_MAX_BANKS
 * @policy: which hole a block gets
 *
 * Return: 0; -EINVAL for a range without a byte, no bank, or too many banks.
 */
int __must_check loom_bank_init(struct loom_bank *bank, u64 base, u64 limit, u32 banks,
				enum loom_bank_policy policy);

/**
 * loom_bank_fini() - end a bank
 * @bank: the bank
 *
 * Blocks that are still allocated become unallocated: freeing them later fails, and is no use after
 * free.
 *
 * Return: the number of such blocks; zero in a caller without leaks.
 */
u32 loom_bank_fini(struct loom_bank *bank);

/**
 * loom_bank_alloc() - find a place and take it
 * @bank: the bank
 * @block: the block, zeroed or freed; out: its start and size
 * @request: the request
 *
 * O(log n) in the blocks of the bank, and at most LOOM_BANK_CHUNKS chunks of 64 blocks that it
 * reads twice; see bank.c.
 *
 * Return: 0; -ENOSPC if nothing fits; -ENOMEM if a chunk is needed and there is none: nothing has
 * changed, and the caller should try again with one; -EINVAL for a size of zero, an alignment that
 * is no power of two, a range that ends before it starts, a block that is allocated already, a mask
 * without banks or with banks that do not exist.
 */
int __must_check loom_bank_alloc(struct loom_bank *bank, struct loom_bank_block *block,
				 const struct loom_bank_request *request);

/**
 * loom_bank_free() - free a block
 * @bank: the bank
 * @block: the block
 *
 * O(log n). The block can be used for another allocation at once. May free a chunk: the caller's
 * lock must be one under which loom_port_free() may be called.
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
 * loom_bank_chunk_create() - memory for entries of blocks
 *
 * Return: a chunk for loom_bank_request.spare, to be freed with loom_port_free() if it was not
 * used; or NULL.
 */
struct loom_bank_chunk *loom_bank_chunk_create(void);

/**
 * loom_bank_stats() - usage of some banks
 * @bank: the bank
 * @mask: which ones, NULL for all
 * @stats: out
 *
 * O(1) while there are no partial blocks, else O(n).
 */
void loom_bank_stats(const struct loom_bank *bank, const struct loom_mask *mask,
		     struct loom_bank_stats *stats);

/**
 * loom_bank_walk() - begin a walk over all blocks and holes of some banks in address order
 * @bank: the bank, which must not change during the walk, but see loom_bank_resume()
 * @mask: which ones, NULL for all
 * @iter: out: before the first
 */
void loom_bank_walk(const struct loom_bank *bank, const struct loom_mask *mask,
		    struct loom_bank_iter *iter);

/**
 * loom_bank_next_block() - next block of a walk, whatever its banks are
 * @iter: a walk that loom_bank_walk() has begun, and loom_bank_next() is not called for
 *
 * All blocks, ordered by start, also one whose bytes another has in another bank. O(1).
 *
 * Return: the block, or NULL when there is no more.
 */
struct loom_bank_block *loom_bank_next_block(struct loom_bank_iter *iter);

#endif /* LOOM_BANK_H */
