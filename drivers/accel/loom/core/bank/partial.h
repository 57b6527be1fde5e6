/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_PARTIAL_H
#define LOOM_PARTIAL_H

#include "loom_mask.h"
#include "treap.h"

struct loom_bank_block;

/* Blocks in a chunk */
#define LOOM_PARTIAL_FAN		64
/* Mask classes that summaries are kept for */
#define LOOM_PARTIAL_CLASSES		64
/* Masks whose searches are counted before one of them becomes a class */
#define LOOM_PARTIAL_CANDIDATES		16
/* Up to so many chunks they are not summed up: they are searched one after the other. Measured. */
#define LOOM_PARTIAL_LINEAR		64
/* Chunks without blocks that are kept, beside as many as there are with blocks */
#define LOOM_PARTIAL_IDLE		2
/* Steps of searches that joining both kinds must save, for each block, before they are joined. */
#define LOOM_JOIN_PATIENCE		32
/* Extents in a summary: one per class, then one per bank */
#define LOOM_PARTIAL_EXTENTS		(LOOM_PARTIAL_CLASSES + DRM_LOOM_MAX_BANKS)
/* Masks of up to so many banks are searched by the extents of single banks */
#define LOOM_PARTIAL_FEW		16

/**
 * struct loom_partial_extent - where the relevant blocks of a run of blocks lie
 *
 * Relevant are those on a certain bank, or those that share a bank with a class.
 *
 * @first: start of the first, in bytes
 * @last: end of the highest; below @first when there is none
 * @gap: upper bound of the bytes between two of them that no other covers
 */
struct loom_partial_extent {
	u64 first;
	u64 last;
	u64 gap;
};

/* No gap begins there. */
#define LOOM_GAP_UNKNOWN	U64_MAX

/**
 * struct loom_partial_known - what a chunk knows for a bank, or for a class
 * @own: of its own blocks
 * @own_gap: where the largest gap in @own begins, if there is one; LOOM_GAP_UNKNOWN: it may be
 *	less than noted
 * @subtree: of the blocks of all chunks in its subtree
 *
 * All that a change looks at lies together: with 10000 blocks, most of its time are cache misses.
 */
struct loom_partial_known {
	struct loom_partial_extent own;
	u64 own_gap;
	struct loom_partial_extent subtree;
};

/**
 * struct loom_partial_summary - what is known of a run of blocks, ordered by start
 * @banks: all that are in their masks; it may have others
 * @start: start of the first
 * @end: end of the highest, or more
 */
struct loom_partial_summary {
	struct loom_mask banks;
	u64 start;
	u64 end;
};

/**
 * struct loom_partial_entry - a partial block, with what a search asks for
 * @start: first byte
 * @end: first byte behind it
 * @mask: its banks
 * @classes: bit by class that is maintained: they share a bank
 * @block: the block
 */
struct loom_partial_entry {
	u64 start;
	u64 end;
	struct loom_mask mask;
	u64 classes;
	struct loom_bank_block *block;
};

/**
 * struct loom_partial_chunk - up to LOOM_PARTIAL_FAN partial blocks, ordered by start
 * @node: in the tree of chunks
 * @neighbour: the chunks before and behind it in the order
 * @count: number of blocks
 * @gone: number of blocks that went since the banks in @own were computed; more than there can be:
 *	they are not known. While the chunk is bare, see loom_partials_bare().
 * @is_sparse: the last search met no block, so the next one asks for these banks first
 * @hole: upper bound of the bytes between two blocks that no other of the chunk covers, in any bank
 * @hole_known: it is no more than that
 * @used: bit by slot: there is a block in it
 * @order: the slots of the blocks, in the order of their starts: a byte each, the first one in the
 *	low bits of the first word. What is behind the last one does not matter.
 * @entry: the blocks, by slot. One does not move while it is in the chunk.
 * @own: summary of these blocks, unless the chunk is bare
 * @subtree: summary of the blocks of all chunks in the subtree below @node, and of these; valid
 *	while the chunks are indexed
 * @known: extents by class, then by bank; those in loom_partials.maintained are valid
 *
 * What a scan needs comes first and lies together.
 */
struct loom_partial_chunk {
	struct loom_treap_node node;
	struct loom_partial_chunk *neighbour[2];
	u32 count;
	u32 gone;
	bool is_sparse;
	u64 hole;
	bool hole_known;
	u64 used;
	u64 order[LOOM_PARTIAL_FAN / 8];
	struct loom_partial_summary own;
	struct loom_partial_summary subtree;
	struct loom_partial_entry entry[LOOM_PARTIAL_FAN];
	struct loom_partial_known known[LOOM_PARTIAL_EXTENTS];
};

/**
 * struct loom_partial_class - a mask that is asked for again and again
 * @mask: the banks
 * @last_used: loom_partials.searches when it was last used
 * @cost: chunks that searches with this mask have scanned because it has no extents
 * @meets: bit by class that is maintained: they share a bank
 */
struct loom_partial_class {
	struct loom_mask mask;
	u64 last_used;
	u32 cost;
	u64 meets;
};

/**
 * struct loom_partial_set - which extents of a summary
 * @classes: bit mask of classes
 * @banks: single banks
 */
struct loom_partial_set {
	u64 classes;
	struct loom_mask banks;
};

/**
 * struct loom_partials - the blocks of a bank allocator that are on some banks only
 * @chunks: tree of &struct loom_partial_chunk, in the order of their blocks
 * @outer: the first chunk and the last
 * @idle: chunks without blocks, linked by their parent pointer
 * @chunk_count: number of chunks with blocks
 * @idle_count: number of chunks without blocks
 * @count: number of partial blocks
 * @noted: number of blocks on all banks that are noted among them, see join.c
 * @joined: all of these are
 * @worth: while they are not: what that would have saved of late, in blocks that a search passes
 * @patience: how much that is when they are joined; LOOM_JOIN_PATIENCE, or other in tests
 * @setbacks: how often that did not pay, of late
 * @setback_blocks: blocks on all banks, the last time
 * @balance: while they are joined: what requests cost more than before, in 16ths of such blocks
 * @mean: before: what requests cost, those for some banks and those for all; zero: there was none
 * @judged: while they are joined: requests since @mean became less
 * @age: how often that was, at most LOOM_JOIN_AGE
 * @looks: what the searches of the request that is being served have cost, in such blocks
 * @longest: bytes of the largest partial block, or more
 * @limit: highest end of a block
 * @searches: number of searches so far
 * @indexed: chunks know what is in their subtrees
 * @words: all banks are in so many words of their masks
 * @linear: most chunks that are not indexed; LOOM_PARTIAL_LINEAR, or less in tests
 * @maintained: the extents that all summaries have
 * @sums: how many these are
 * @class: masks with extents
 * @asked: the one of the last search that had a class, if it is still maintained
 * @candidate: masks that may become classes
 * @cost: by bank: chunks that searches have scanned because the bank has no extents
 * @bytes_known: @bytes is up to date
 * @bytes: by bank: bytes that these blocks take, when they were counted last
 */
struct loom_partials {
	struct loom_treap chunks;
	struct loom_partial_chunk *outer[2];
	struct loom_partial_chunk *idle;
	u32 chunk_count;
	u32 idle_count;
	u32 count;
	u32 noted;
	bool joined;
	u64 worth;
	u32 patience;
	u32 setbacks;
	u32 setback_blocks;
	s64 balance;
	u32 mean[2];
	u32 judged;
	u32 age;
	u32 looks;
	u64 longest;
	u64 limit;
	u64 searches;
	bool indexed;
	u32 words;
	u32 linear;
	struct loom_partial_set maintained;
	u32 sums;
	u32 asked;
	struct loom_partial_class class[LOOM_PARTIAL_CLASSES];
	struct loom_partial_class candidate[LOOM_PARTIAL_CANDIDATES];
	u32 cost[DRM_LOOM_MAX_BANKS];
	u32 bytes_known;
	u64 bytes[DRM_LOOM_MAX_BANKS];
};

/**
 * struct loom_partial_cursor - a block in the order of starts
 * @chunk: its chunk; NULL behind the last block
 * @index: of the block in it
 */
struct loom_partial_cursor {
	struct loom_partial_chunk *chunk;
	u32 index;
};

void loom_partials_init(struct loom_partials *partials, u32 banks, u64 limit);
/* Frees the chunks. No block may be used any more. */
void loom_partials_fini(struct loom_partials *partials);

/*
 * Whether there is one chunk, and it is bare: what is known of its blocks is not kept, which costs
 * more than it saves; but for the banks, while most searches meet no block.
 */
static inline bool loom_partials_bare(const struct loom_partials *partials)
{
	return partials->chunk_count == 1 && !partials->indexed;
}

/* Where a byte of a word lies in memory. */
#define LOOM_PARTIAL_FLIP	(7 * (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))

/* The slot of the block at @index of a chunk. */
static inline u32 loom_partial_slot(const struct loom_partial_chunk *chunk, u32 index)
{
	return ((const u8 *)chunk->order)[index ^ LOOM_PARTIAL_FLIP];
}

/*
 * All ones if the block has one of the banks, else zero, without a branch. @words: a constant, no
 * less than &loom_partials.words.
 */
static __always_inline u64 loom_partial_meets(const struct loom_partial_entry *entry,
					      const struct loom_mask *banks, u32 words)
{
	u64 both = entry->mask.word[0] & banks->word[0];

	if (words > 1)
		both |= entry->mask.word[1] & banks->word[1];
	if (words > 2)
		both |= entry->mask.word[2] & banks->word[2];
	if (words > 3)
		both |= entry->mask.word[3] & banks->word[3];
	return -(u64)(both != 0);
}

/* The block at @index of a chunk, in the order of starts. */
static inline struct loom_partial_entry *loom_partial_entry(struct loom_partial_chunk *chunk,
							    u32 index)
{
	return &chunk->entry[loom_partial_slot(chunk, index)];
}

/*
 * Adds a block at a place that was found. No block from @above on starts lower than it; without a
 * chunk nothing is known. Takes @spare if one more chunk is needed. False: it is needed, and there
 * is none.
 */
bool loom_partials_insert(struct loom_partials *partials, struct loom_bank_block *block,
			  const struct loom_partial_cursor *above,
			  struct loom_partial_chunk **spare);
void loom_partials_remove(struct loom_partials *partials, struct loom_bank_block *block);

/*
 * Notes a block on @all banks among them, or takes it out again. It is no partial block, and is
 * skipped by who asks for these. False: a chunk is needed, and there is none.
 */
bool loom_partials_note(struct loom_partials *partials, struct loom_bank_block *block,
			const struct loom_mask *all, const struct loom_partial_cursor *above);
void loom_partials_unnote(struct loom_partials *partials, struct loom_bank_block *block);
/*
 * Gives up all extents. Who is about to change most of the blocks does so first; searches have them
 * computed anew where they pay.
 */
void loom_partials_forget(struct loom_partials *partials);
/* Moves all blocks to one chunk, if they are no more than it has room for. */
void loom_partials_gather(struct loom_partials *partials);
/* Takes out all blocks. None of them is partial. */
void loom_partials_clear(struct loom_partials *partials);

/* A block of so many bytes came or went; keeps sums that somebody has asked for not long ago. */
void loom_partials_count(struct loom_partials *partials, const struct loom_mask *mask, u64 bytes);

/* Keeps @spare for later, and sets it to NULL. */
void loom_partials_stock(struct loom_partials *partials, struct loom_partial_chunk **spare);

/* Frees chunks without blocks, but for as many as there are with blocks, @wanted, and a few. */
void loom_partials_trim(struct loom_partials *partials, u32 wanted);

/* The last chunk that starts at @start or below, or the first of all. */
struct loom_partial_chunk *loom_partials_at(struct loom_partials *partials, u64 start);

/* Bytes that the blocks take in a bank. Counts them if one came or went since. */
u64 loom_partials_bytes(struct loom_partials *partials, u32 bank);

/* Start of the lowest block, or U64_MAX. */
u64 loom_partials_lowest(const struct loom_partials *partials);

/* A walk over all blocks that are partial or noted, ordered by start. */
void loom_partials_begin(struct loom_partials *partials, struct loom_partial_cursor *cursor);
void loom_partials_step(struct loom_partial_cursor *cursor);
/* On to a block that is partial, if it is at another. */
void loom_partials_skip(struct loom_partial_cursor *cursor);

#endif /* LOOM_PARTIAL_H */
