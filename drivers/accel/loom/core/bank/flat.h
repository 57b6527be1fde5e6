/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FLAT_H
#define LOOM_FLAT_H

#include "loom_core.h"

struct loom_bank_block;

/* Most blocks on all banks while their holes are a flat list. Measured: see bank.c. */
#define LOOM_FLAT_BLOCKS	256
/* Holes among them: one below each, and one above the last. */
#define LOOM_FLAT_HOLES		(LOOM_FLAT_BLOCKS + 1)
/* They are looked at by eights. */
#define LOOM_FLAT_SLOTS		((LOOM_FLAT_HOLES + 7) / 8 * 8)

/**
 * struct loom_flat - the holes of a bank, in no order
 * @count: number of holes
 * @start: their first bytes
 * @size: their bytes; zero behind the last hole
 * @block: the block, or the head, that each is behind; it knows the index
 * @is_near: @near is kept
 * @base: lowest address of the bank
 * @limit: its highest end
 * @near: near fit: what each costs a request from the bottom, and one from the top, less one;
 *	without the bytes of the request, which are the same for all holes
 */
struct loom_flat {
	u32 count;
	u64 start[LOOM_FLAT_SLOTS];
	u64 size[LOOM_FLAT_SLOTS];
	struct loom_bank_block *block[LOOM_FLAT_SLOTS];
	bool is_near;
	u64 base;
	u64 limit;
	u64 near[2][LOOM_FLAT_SLOTS];
};

/* Lists the holes of the blocks from @head on, which end at @limit; with @is_near for near fit. */
void loom_flat_build(struct loom_flat *flat, struct loom_bank_block *head, u64 limit,
		     bool is_near);

/* Takes out all holes. */
void loom_flat_clear(struct loom_flat *flat);

/* Lists the holes again after that. */
void loom_flat_refill(struct loom_flat *flat, struct loom_bank_block *head);

/* The hole behind @block changes, to none or from none, too. */
void loom_flat_set(struct loom_flat *flat, struct loom_bank_block *block, u64 hole);

/* The hole behind @from is behind @block now, which has none, and has other bytes. */
void loom_flat_hand_over(struct loom_flat *flat, struct loom_bank_block *from,
			 struct loom_bank_block *block, u64 hole);

/* @block and the hole behind it, if there is one, become part of the hole behind @below. */
void loom_flat_give(struct loom_flat *flat, struct loom_bank_block *block,
		    struct loom_bank_block *below);

/* Near fit: what so many bytes between a block and its end count beside bytes left over: 3 / 32. */
static inline u64 loom_flat_far(u64 distance)
{
	return distance / 16 + distance / 32;
}

/* The start or the size of a hole is another one. */
static inline void loom_flat_weigh(struct loom_flat *flat, u32 index)
{
	u64 start = flat->start[index], size = flat->size[index];

	if (!flat->is_near)
		return;
	flat->near[0][index] = size - 1 + loom_flat_far(start - flat->base);
	flat->near[1][index] = size - 1 + loom_flat_far(flat->limit - start - size);
}

/* There is no such hole any more; the last one takes its place. */
void loom_flat_remove(struct loom_flat *flat, u32 index);

/*
 * The best hole of at least so many bytes, by first fit, best fit or near fit, from the end that is
 * named. U32_MAX if there is none.
 */
u32 loom_flat_first(const struct loom_flat *flat, u64 bytes, bool top_down);
u32 loom_flat_tightest(const struct loom_flat *flat, u64 bytes, bool top_down);
u32 loom_flat_nearest(const struct loom_flat *flat, u64 bytes, bool top_down);

/* The block that the last hole at @address or below is behind, or NULL. */
struct loom_bank_block *loom_flat_at(const struct loom_flat *flat, u64 address);

/* Bytes of the largest hole. */
u64 loom_flat_largest(const struct loom_flat *flat);

#endif /* LOOM_FLAT_H */
