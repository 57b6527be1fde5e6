/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FLAT_H
#define LOOM_FLAT_H

#include "loom_core.h"

struct loom_bank_block;

/* Most blocks on all banks while their holes are a flat list. Measured: see bank.c. */
#define LOOM_FLAT_BLOCKS	256
/* Holes among them: one below each, and one above the last. */
#define LOOM_FLAT_HOLES		(LOOM_FLAT_BLOCKS + 1)

/**
 * struct loom_flat - the holes of a bank, in no order
 * @count: number of holes
 * @start: their first bytes
 * @size: their bytes
 * @block: the block, or the head, that each is behind; it knows the index
 */
struct loom_flat {
	u32 count;
	u64 start[LOOM_FLAT_HOLES];
	u64 size[LOOM_FLAT_HOLES];
	struct loom_bank_block *block[LOOM_FLAT_HOLES];
};

/* Lists the holes of the blocks from @head on. */
void loom_flat_build(struct loom_flat *flat, struct loom_bank_block *head);

/* The hole behind @block changes, to none or from none, too. */
void loom_flat_set(struct loom_flat *flat, struct loom_bank_block *block, u64 hole);

/* The hole behind @from is behind @block now, which has none, and has other bytes. */
void loom_flat_hand_over(struct loom_flat *flat, struct loom_bank_block *from,
			 struct loom_bank_block *block, u64 hole);

/* Near fit: what so many bytes between a block and its end count beside bytes left over: 3 / 32. */
static inline u64 loom_flat_far(u64 distance)
{
	return distance / 16 + distance / 32;
}

/* @block, whose size is set, takes the lower end of a hole, or its upper end. */
void loom_flat_cut(struct loom_flat *flat, u32 index, struct loom_bank_block *block,
		   bool top_down);

/*
 * The best hole of at least so many bytes, by first fit, best fit or near fit, from the end that is
 * named; @edge: the address of that end. U32_MAX if there is none.
 */
u32 loom_flat_first(const struct loom_flat *flat, u64 bytes, bool top_down);
u32 loom_flat_tightest(const struct loom_flat *flat, u64 bytes, bool top_down);
u32 loom_flat_nearest(const struct loom_flat *flat, u64 bytes, u64 edge, bool top_down);

/* The block that the last hole at @address or below is behind, or NULL. */
struct loom_bank_block *loom_flat_at(const struct loom_flat *flat, u64 address);

/* Bytes of the largest hole. */
u64 loom_flat_largest(const struct loom_flat *flat);

#endif /* LOOM_FLAT_H */
