/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_BANK_H
#define LOOM_BANK_H

#include "bank/flat.h"
#include "bank/partial.h"
#include "bank/size.h"

/**
 * DOC: Bank allocator interface
 *
 * The room core/bank gives out device memory: which addresses, in which banks of a region.
 *
 * One allocator serves all banks of a region, because they are in lockstep: a block has one
 * address, the same in every bank it is on. It is on all of them, or on those of a mask; then it
 * takes nothing in the other banks, and is called a partial block.
 *
 * It is given sizes, alignments, ranges of addresses, masks of banks and a policy for the region,
 * and gives addresses, statistics and a walk over blocks and holes. Memory for the
 * bookkeeping is the caller's: a block is embedded in what owns the address range. Partial blocks
 * are kept in chunks besides, one of which the caller has ready, so that nothing is allocated
 * under its lock. Freeing needs no host memory. Not thread safe: the caller holds a
 * lock around every call.
 *
 * The room also says how the bytes of a buffer are distributed over banks (loom_layout.h), which
 * regions and banks there are (loom_chip.h), and has sets of banks (loom_mask.h).
 *
 * - bank.c: requests, blocks on all banks; which policies there are, what was measured and rejected
 * - place.c: the place for a block, by the policy of the bank
 * - few.c: all blocks in one order, while they are few and some of them on some banks
 * - flat.c: the holes as a list, while they are few
 * - tree.c: the blocks as a tree with the largest hole below each
 * - size.c: the holes by size
 * - join.c: when blocks on all banks are noted among the partial ones
 * - partial.c: blocks on some banks, in a treap of chunks; what was rejected
 * - scan.c: a search along these blocks, one by one
 * - extent.c: what chunks know of their blocks, so that a search can pass them
 * - walk.c: blocks in the order of their starts, and how full banks are
 * - treap.c: a search tree whose nodes keep summaries of their subtrees
 * - layout.c: interleaved, sharded and image layouts: from a byte to bank and address
 * - chip.c: presets of devices
 *
 * It uses no other room. Rejected for the interface: an allocator per bank, in which a lockstep
 * address would have to be found by asking all of them in turn; and drm_mm or gen_pool, which know
 * no banks and exist in the kernel only, whereas the library plans with the same code.
 */

struct loom_bank;

/**
 * enum loom_bank_policy - which hole a block gets
 * @LOOM_BANK_FIRST_FIT: the first one, from the end that the request names
 * @LOOM_BANK_BEST_FIT: the smallest one, and of equal ones the first
 * @LOOM_BANK_NEAR_FIT: the one in which least is left over, where a tenth of the bytes between the
 *	block and the end that the request names counts as left over, too
 *
 * A request with a mask is always placed by first fit. Best fit is first fit for a request with
 * a range, unless the range excludes only the beginning of a hole at the bottom.
 */
enum loom_bank_policy {
	LOOM_BANK_FIRST_FIT,
	LOOM_BANK_BEST_FIT,
	LOOM_BANK_NEAR_FIT,
};

/**
 * struct loom_bank_request - what an allocation asks for
 * @size: bytes per bank, not zero
 * @align: alignment of the address, a power of two
 * @low: lowest address of the block; zero for any
 * @high: highest end of the block; U64_MAX for any
 * @mask: the banks it is on, NULL for all
 * @spare: with @mask: points to a chunk from loom_bank_chunk_create(); set to NULL when it was
 *	used
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
	struct loom_partial_chunk **spare;
	bool top_down;
};

/**
 * struct loom_bank_block - an address range, embedded in what owns it
 *
 * Its owner zeroes it before the first use; it can be used again after loom_bank_free(). It must
 * not move in memory while it is allocated.
 *
 * @start: first byte
 * @size: bytes in each of its banks
 * @bank: private: the bank it is allocated from, or NULL
 * @partial: private: it is a partial block: on some banks only
 * @slot: private: where in @chunk
 * @flat_index: private: of its hole, if it has one, in loom_bank.flat
 * @chunk: private: of a partial block: the chunk it is in; of others while both kinds are joined,
 *	or there are few blocks
 * @hole: private: free bytes between this block and the next, of those on all banks
 * @neighbour: private: next block in the bank towards lower and higher addresses
 * @max_hole: private: largest @hole in the subtree below, lower and higher addresses
 * @child: private: subtree below, lower and higher addresses
 * @parent: private: node above
 * @balance: private: height of the higher subtree less that of the lower
 * @by_size: private: in loom_bank.sizes, if it has a hole and they are kept
 * @mask: private: of a partial block: its banks
 *
 * What is used while there are few blocks comes first and lies together.
 */
struct loom_bank_block {
	u64 start;
	u64 size;
	struct loom_bank *bank;
	bool partial;
	u8 slot;
	u32 flat_index;
	struct loom_partial_chunk *chunk;
	union {
		struct {
			u64 hole;
			struct loom_bank_block *neighbour[2];
			u64 max_hole[2];
			struct loom_bank_block *child[2];
			struct loom_bank_block *parent;
			s32 balance;
			struct loom_treap_node by_size;
		};
		struct loom_mask mask;
	};
};

/**
 * struct loom_bank - the address space of a bank, and of all in lockstep with it
 *
 * Must not move in memory between loom_bank_init() and loom_bank_fini().
 *
 * @base: lowest address
 * @limit: highest end
 * @allocated: bytes given out in each bank to blocks on all of them
 * @blocks: number of blocks, on all banks and on some
 * @all: all banks
 * @policy: which hole a block gets
 * @head: private: an empty block at @base, so that each hole has a block before it
 * @last: private: the highest block on all banks, or the head
 * @is_flat: private: the holes are in @flat; else the blocks are a tree, and for best fit the holes
 *	are in @sizes
 * @flat_most: private: most blocks on all banks while it is flat; LOOM_FLAT_BLOCKS, or less in
 * tests
 * @flat: private: the holes, while it is flat
 * @sizes: private: the holes by size, while there is a tree
 * @is_few: private: all blocks are in the only chunk of @partials, see few.c; @head has no
 *	neighbour, and @flat no hole
 * @few_most: private: most blocks then; LOOM_FEW_BLOCKS, LOOM_FEW_BEST_FIT, or other in tests, but
 *	no more than LOOM_PARTIAL_FAN
 * @few_unused: private: frees of late, one after the other, with few partial blocks
 * @few_quiet: private: searches of late, one after the other, that met no block
 * @on_all: private: bit by slot of that chunk: its block is on all banks
 * @root: private: of the tree of blocks on all banks
 * @partials: private: partial blocks
 */
struct loom_bank {
	u64 base;
	u64 limit;
	u64 allocated;
	u32 blocks;
	struct loom_mask all;
	enum loom_bank_policy policy;
	struct loom_bank_block head;
	struct loom_bank_block *last;
	bool is_flat;
	bool is_few;
	u32 flat_most;
	u32 few_most;
	u32 few_unused;
	u32 few_quiet;
	u64 on_all;
	union {
		struct loom_flat flat;
		struct loom_sizes sizes;
	};
	struct loom_bank_block *root;
	struct loom_partials partials;
};

/**
 * struct loom_bank_stats - how full some banks are
 * @total: bytes of each bank
 * @allocated: bytes that are given out in at least one of the banks
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
 * struct loom_bank_iter - position of a walk
 * @wanted: whether a block is to be reported; others are walked as if they were free. NULL for all;
 *	who wants less sets it before the first step
 * @who: for @wanted
 * @mask: private: banks that are walked
 * @at: private: end of the last span
 * @limit: private: of the bank
 * @block: private: the next block on all banks
 * @cursor: private: the next partial block
 * @is_few: private: all blocks are met by @cursor
 */
struct loom_bank_iter {
	bool (*wanted)(const struct loom_bank_block *block, u64 who);
	u64 who;
	struct loom_mask mask;
	u64 at;
	u64 limit;
	struct loom_bank_block *block;
	struct loom_partial_cursor cursor;
	bool is_few;
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
 * Blocks that are still allocated become unallocated: freeing them later is refused, and no use
 * after free.
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
 * O(log n) in the blocks of the bank while addresses and sizes are multiples of the alignment; with
 * a larger alignment, plus the number of holes that are large enough but for the alignment. Near
 * fit: times the holes that are as near as the one it takes, or nearer than that is worth. With
 * a mask, or while there are partial blocks, O(log n) for masks that are used often; see
 * partial.c.
 *
 * A call may be O(n) where it prepares others: when it sums up what chunks know, which is after
 * searches that have looked at as many chunks, and when it joins blocks of both kinds or parts
 * them, which is after a number of calls that grows with n, see join.c. That one call may take
 * long: 43 ms with a million blocks on all banks.
 *
 * Return: 0; -ENOSPC when nothing fits; -ENOMEM when a chunk is needed and there is none; -EINVAL
 * for a size of zero, an alignment that is no power of two, a range that ends before it starts, a
 * block that is allocated already, a mask without banks or with banks that do not exist.
 */
int __must_check loom_bank_alloc(struct loom_bank *bank, struct loom_bank_block *block,
				 const struct loom_bank_request *request);

/**
 * loom_bank_free() - give a block back
 * @bank: the bank
 * @block: the block
 *
 * O(log n), but O(n) for the last block on some banks while both kinds are joined: it parts them.
 * The block can be used for another allocation at once. Chunks that are needed no more may be
 * freed: the caller's lock must be one under which loom_port_free() may be called.
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
 * loom_bank_chunk_create() - memory for partial blocks
 *
 * Return: a chunk for loom_bank_request.spare, to be freed with loom_port_free() if it was not
 * used; or NULL.
 */
struct loom_partial_chunk *loom_bank_chunk_create(void);

/**
 * loom_bank_stats() - how full some banks are
 * @bank: the bank
 * @mask: which ones, NULL for all
 * @stats: out
 *
 * O(1) while there are no partial blocks, else O(n).
 */
void loom_bank_stats(struct loom_bank *bank, const struct loom_mask *mask,
		     struct loom_bank_stats *stats);

/**
 * loom_bank_bytes() - bytes that are given out in one bank
 * @bank: the bank
 * @index: which one
 *
 * O(1), but O(n) for the first call in a long time: who wants to know is rare, and to keep 140 sums
 * took longer than to find a place. After that call they are kept for a number of changes that
 * grows with the number of partial blocks.
 *
 * Return: bytes.
 */
u64 loom_bank_bytes(struct loom_bank *bank, u32 index);

/**
 * loom_bank_lowest() - start of the lowest block
 * @bank: the bank
 *
 * Everything between the bank's base and here is free in every bank. O(1).
 *
 * Return: the lowest address of a block; the bank's limit when there is none.
 */
u64 loom_bank_lowest(const struct loom_bank *bank);

/**
 * loom_bank_find() - the block at or above an address, of those on all banks
 * @bank: the bank
 * @address: any address
 *
 * O(log n). The range [a, b) is free of such blocks if find(a) is NULL or starts at b or above.
 *
 * Return: the lowest such block that ends above @address, or NULL.
 */
struct loom_bank_block *loom_bank_find(struct loom_bank *bank, u64 address);

/**
 * loom_bank_walk() - begin a walk over all blocks and holes of some banks in address order
 * @bank: the bank, which must not change during the walk, but see loom_bank_resume()
 * @mask: which ones, NULL for all
 * @iter: out: before the first
 */
void loom_bank_walk(struct loom_bank *bank, const struct loom_mask *mask,
		    struct loom_bank_iter *iter);

/**
 * loom_bank_resume() - go on with a walk after the bank may have changed
 * @bank: the bank
 * @iter: the walk; it goes on behind the last span, so a block that lies there by now is cut
 *
 * O(log n) for blocks on all banks, and a step for each block on some.
 */
void loom_bank_resume(struct loom_bank *bank, struct loom_bank_iter *iter);

/**
 * loom_bank_next() - next block or hole of a walk
 * @iter: the walk
 * @span: out
 *
 * The spans tile the bank from its base to its limit; no two holes are neighbours. A hole is free
 * in all banks that are walked. Blocks of one bank do not overlap. Those of several may: then the
 * one that starts first is reported whole, and of the others the part behind it. O(1) for each
 * block of the bank.
 *
 * Return: false when there is no more.
 */
bool loom_bank_next(struct loom_bank_iter *iter, struct loom_bank_span *span);

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
