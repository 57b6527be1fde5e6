/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_SPAN_H
#define LOOM_SPAN_H

#include "loom_bank.h"

/* Spans of a bank: its blocks and the holes between them. */

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
 * loom_bank_resume() - go on with a walk after the bank may have changed
 * @bank: the bank
 * @iter: the walk; it goes on behind the last span, so a block that lies there by now is cut
 *
 * O(log n), and a step for each chunk between the first block that reaches there and the place.
 */
void loom_bank_resume(const struct loom_bank *bank, struct loom_bank_iter *iter);

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
 * loom_bank_hole() - the largest hole of some banks from an address on
 * @bank: the bank
 * @mask: which ones, NULL for all
 * @low: the address
 *
 * O(n).
 *
 * Return: bytes.
 */
u64 loom_bank_hole(const struct loom_bank *bank, const struct loom_mask *mask, u64 low);

/**
 * loom_bank_reason() - why an allocation in some banks has failed
 * @stats: usage of the banks
 * @fullest: allocated bytes of the fullest one
 * @asked: bytes asked for in each
 *
 * Return: an &enum drm_loom_no_space_reason; SCRATCH if a hole is large enough.
 */
u32 loom_bank_reason(const struct loom_bank_stats *stats, u64 fullest, u64 asked);

/* Allocated bytes of a bank. */
static inline u64 loom_bank_bytes(const struct loom_bank *bank, u32 index)
{
	return bank->allocated + bank->bytes[index];
}

#endif /* LOOM_SPAN_H */
