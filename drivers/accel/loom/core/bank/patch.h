/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_PATCH_H
#define LOOM_PATCH_H

#include "loom_mask.h"
#include "treap.h"

struct loom_bank_block;

#define LOOM_PATCH_FAN		32
#define LOOM_PATCH_CLASSES	64
#define LOOM_PATCH_WAITING	16
/* sums: of classes, then of single banks */
#define LOOM_PATCH_SUMS		(LOOM_PATCH_CLASSES + DRM_LOOM_MAX_BANKS)
/* sets of so many banks are searched by those of single banks */
#define LOOM_PATCH_FEW		16

/**
 * struct loom_patch_reach - a run of blocks, as far as those count that meet a class or a bank
 * @first: begin of the first
 * @last: end of the highest; below @first when there is none
 * @best: no gap between two of them is larger
 */
struct loom_patch_reach {
	u64 first;
	u64 last;
	u64 best;
};

/**
 * struct loom_patch_sum - what is known of a run of blocks in the order of their begin
 * @any: banks that occur
 * @low: begin of the first
 * @top: end of the highest
 * @reach: by class and by bank, of those that are in use
 */
struct loom_patch_sum {
	struct loom_mask any;
	u64 low;
	u64 top;
	struct loom_patch_reach reach[LOOM_PATCH_SUMS];
};

/**
 * struct loom_patch_chunk - some blocks on banks of their own, in the order of their begin
 * @node: in the tree of chunks
 * @count: number of blocks
 * @start: their first bytes
 * @end: their ends
 * @mask: their banks
 * @block: whose they are
 * @own: of these blocks
 * @sum: of the subtree
 */
struct loom_patch_chunk {
	struct loom_treap_node node;
	u32 count;
	u64 start[LOOM_PATCH_FAN];
	u64 end[LOOM_PATCH_FAN];
	struct loom_mask mask[LOOM_PATCH_FAN];
	struct loom_bank_block *block[LOOM_PATCH_FAN];
	struct loom_patch_sum own;
	struct loom_patch_sum sum;
};

/**
 * struct loom_patch_class - banks that are asked for again and again
 * @mask: the banks
 * @used: loom_patches.searches when it was last used
 * @debt: chunks that were looked at for want of sums
 */
struct loom_patch_class {
	struct loom_mask mask;
	u64 used;
	u32 debt;
};

/**
 * struct loom_patch_set - some sums
 * @classes: bit mask of classes
 * @banks: single banks
 */
struct loom_patch_set {
	u64 classes;
	struct loom_mask banks;
};

/**
 * struct loom_patches - the blocks that are on some banks only
 * @chunks: &struct loom_patch_chunk, in the order of their blocks
 * @idle: chunks without blocks
 * @chunk_count: number of those with
 * @count: number of blocks
 * @searches: number of searches so far
 * @active: the sums that there are
 * @class: with sums
 * @waiting: that may become classes
 * @debt: by bank: chunks that were looked at for want of its sums
 * @bytes: by bank: what these blocks take
 */
struct loom_patches {
	struct loom_treap chunks;
	struct loom_patch_chunk *idle;
	u32 chunk_count;
	u32 count;
	u64 searches;
	struct loom_patch_set active;
	struct loom_patch_class class[LOOM_PATCH_CLASSES];
	struct loom_patch_class waiting[LOOM_PATCH_WAITING];
	u32 debt[DRM_LOOM_MAX_BANKS];
	u64 bytes[DRM_LOOM_MAX_BANKS];
};

/**
 * struct loom_patch_want - what is searched
 * @mask: banks that must be clear
 * @size: bytes, not zero
 * @align: of the address, a power of two
 * @low: not below
 * @high: the end not above
 * @top_down: the highest place, else the lowest
 */
struct loom_patch_want {
	const struct loom_mask *mask;
	u64 size;
	u64 align;
	u64 low;
	u64 high;
	bool top_down;
};

/**
 * struct loom_patch_cursor - a place in the order
 * @chunk: NULL behind the last
 * @index: of the block in it
 */
struct loom_patch_cursor {
	struct loom_patch_chunk *chunk;
	u32 index;
};

void loom_patches_init(struct loom_patches *patches);
/* Frees the chunks. Nobody may have a block any more. */
void loom_patches_fini(struct loom_patches *patches);

/* Where it fits best by first fit. False: nowhere. */
bool loom_patches_fit(struct loom_patches *patches, const struct loom_patch_want *want,
		      u64 *address);

/*
 * Notes a block; its place is right. @spare is taken if there has to be one chunk more.
 * False: there is none.
 */
bool loom_patches_insert(struct loom_patches *patches, struct loom_bank_block *block,
			 struct loom_patch_chunk **spare);
void loom_patches_remove(struct loom_patches *patches, struct loom_bank_block *block);

/* Begin of the lowest block, or U64_MAX. */
u64 loom_patches_lowest(const struct loom_patches *patches);

void loom_patches_begin(struct loom_patches *patches, struct loom_patch_cursor *cursor);
void loom_patches_step(struct loom_patch_cursor *cursor);

#endif /* LOOM_PATCH_H */
