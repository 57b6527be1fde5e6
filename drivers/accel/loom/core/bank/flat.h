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

/*
 * The smallest hole of at least so many bytes, and of equal ones the lowest, or the highest.
 * U32_MAX if there is none.
 */
u32 loom_flat_tightest(const struct loom_flat *flat, u64 bytes, bool highest);

/* The block that the last hole at @address or below is behind, or NULL. */
struct loom_bank_block *loom_flat_at(const struct loom_flat *flat, u64 address);

/* Bytes of the largest hole. */
u64 loom_flat_largest(const struct loom_flat *flat);

#endif /* LOOM_FLAT_H */
