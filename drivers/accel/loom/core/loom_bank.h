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

/**
 * struct loom_bank_request - what an allocation asks for
 * @size: bytes per bank, not zero
 * @align: alignment of the address, a power of two
 * @low: the block must not start below
 * @high: the block must not end above
 * @top_down: take the highest fitting place, else the lowest
 */
struct loom_bank_request {
	u64 size;
	u64 align;
	u64 low;
	u64 high;
	bool top_down;
};

/* struct loom_bank and struct loom_bank_block: the bank helper defines them here. */

#endif /* LOOM_BANK_H */
