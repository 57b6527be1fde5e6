// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "chunk.h"
#include "place.h"

/**
 * DOC: Bank allocator
 *
 * All blocks of a region are in one order, by their starts, each with the set of banks that it is
 * on (chunk.c). A device has tens to hundreds of them, so the order is an array as long as it
 * can be, and a search is a loop along it. A tree over pieces of the array, the chunks, lets a
 * search skip those that cannot matter.
 *
 * A request on some banks moves a candidate past each conflicting block, from the end that the
 * request names: *first fit*. Chunks without a block on these banks are skipped. A request on all
 * banks looks at the holes that are free in all of them. Chunks without a hole as large are
 * skipped, so first fit is O(log n).
 *
 * First fit from the end that the request names keeps bottom-up and top-down blocks apart, which is
 * what directions are for. In DRAM *best fit*, the smallest hole, wastes less. It is taken of the
 * holes of 33 chunks from the first one on that fits: about the nearest 1400 blocks. In a bank of
 * ten thousand blocks that refuses about a third of what best fit of all holes refuses, which fills
 * small holes at the far end, too. In SRAM, where a dozen large buffers are allocated and freed in
 * the order of a program, best fit is worse than first fit: it takes holes in the middle of the
 * bank, which then do not coalesce. *Near fit* combines both: it minimises a cost, the bytes left
 * over in the hole plus about a tenth of the bytes between the block and the end that the request
 * names. Documentation/figures.rst has the figures. The policy is one of the region. A range of
 * addresses cuts holes at its ends.
 *
 * A pass reads at most LOOM_BANK_CHUNKS chunks, so an adversarial layout cannot hold the lock for
 * long. The limit is reached in two cases: more than 8000 blocks on the banks of a request (chunks
 * are more than a quarter full on average) lie before its place, or as many holes are large enough
 * but for the alignment, or for blocks on some banks that reach into them. A second pass then takes
 * the first hole in all banks that fits at any alignment. If there is none, -ENOSPC is returned
 * although there may be a place.
 *
 * Rejected: an index for each set of banks that is used often, as there are few blocks and
 * any sets; a tree whose nodes are the blocks, because a search past some hundreds of blocks on
 * other banks would be a cache miss for each; one sorted array, in which a change takes
 * milliseconds for a million blocks; a second tree of the holes by size, because one long block on
 * one bank hides and uncovers any number of holes; a bitmap, which costs memory in the size of the
 * bank; and to send small blocks of SRAM to the other end (fewer refusals in networks, but
 * the scratch of plans is at that end, where long-lived blocks would be in its way).
 */

int loom_bank_init(struct loom_bank *bank, u64 base, u64 limit, u32 banks,
		   enum loom_bank_policy policy)
{
	if (base >= limit || !banks || banks > DRM_LOOM_MAX_BANKS)
		return -EINVAL;
	memset(bank, 0, sizeof(*bank));
	bank->base = base;
	bank->limit = limit;
	bank->all = loom_mask_all(banks);
	bank->policy = policy;
	return 0;
}

u32 loom_bank_fini(struct loom_bank *bank)
{
	struct loom_bank_chunk *chunk, *next;
	u32 leaked = bank->blocks, i;

	for (chunk = bank->first; chunk; chunk = next) {
		next = chunk->neighbour[HIGH];
		for (i = 0; i < chunk->count; i++)
			chunk->entry[i].block->bank = NULL;
		loom_port_free(chunk);
	}
	loom_port_free(bank->idle);
	memset(bank, 0, sizeof(*bank));
	return leaked;
}

struct loom_bank_chunk *loom_bank_chunk_create(void)
{
	return loom_port_alloc(1, sizeof(struct loom_bank_chunk));
}

/* Account a block on the banks of @mask that was allocated or freed. */
static void loom_bank_count(struct loom_bank *bank, const struct loom_bank_block *block,
			    const struct loom_mask *mask, bool came)
{
	/* negative numbers modulo 2^64 */
	u64 bytes = came ? block->size : -block->size;
	u32 i;

	bank->blocks += came ? 1 : -1;
	if (!block->partial) {
		bank->allocated += bytes;
		return;
	}
	bank->partial += came ? 1 : -1;
	for (i = loom_mask_next(mask, 0); i < DRM_LOOM_MAX_BANKS; i = loom_mask_next(mask, i + 1))
		bank->bytes[i] += bytes;
}

int loom_bank_alloc(struct loom_bank *bank, struct loom_bank_block *block,
		    const struct loom_bank_request *request)
{
	const struct loom_mask *mask = request->mask ? request->mask : &bank->all;
	bool partial = !loom_mask_same(mask, &bank->all);
	u64 start;
	int ret;

	if (block->bank || !request->size || !request->align ||
	    request->align & (request->align - 1) || request->low > request->high ||
	    !loom_mask_within(mask, &bank->all) || !loom_mask_overlaps(mask, &bank->all))
		return -EINVAL;
	if (!loom_bank_place(bank, request, partial ? mask : NULL, &start))
		return -ENOSPC;
	block->start = start;
	block->size = request->size;
	block->partial = partial;
	ret = loom_chunk_insert(bank, block, mask, request->spare);
	if (ret)
		return ret;
	block->bank = bank;
	loom_bank_count(bank, block, mask, true);
	return 0;
}

int loom_bank_free(struct loom_bank *bank, struct loom_bank_block *block)
{
	if (block->bank != bank)
		return -EINVAL;
	loom_bank_count(bank, block, &loom_chunk_entry(block)->mask, false);
	loom_chunk_remove(bank, block);
	block->bank = NULL;
	return 0;
}
