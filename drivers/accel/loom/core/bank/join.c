// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "join.h"

/**
 * DOC: Both kinds in one order
 *
 * A block on some banks, and one by first fit on all, must be clear of both kinds of blocks. While
 * these are apart, two searches move one candidate in turns. Where programs allocate both kinds all
 * the time, that takes longer than all else. So then the blocks on all banks are noted among the
 * partial ones, too, as blocks with all banks in their masks: *joined*. One search along one order
 * is left, and where extents are kept (partial.c), it is O(log n).
 *
 * Joined, each block that comes or goes is noted or taken out again. That is in vain for a bank
 * with a few partial blocks that lie there for long, and no search for them. So it is counted what
 * joining saves, in blocks on all banks that a search passes, less what it costs, LOOM_JOIN_NOTE
 * for each that comes or goes. Both are joined when this is LOOM_JOIN_PATIENCE for each block, more
 * than what joining takes, and parted again when nothing of it is left, or with the last partial
 * block.
 *
 * One call joins or parts all blocks, which takes O(n). Extents are given up before, as each block
 * would change those of all its banks. No search is thought to have saved more than a few hundred
 * blocks, however many there are, so that it is O(1) for each search all the same.
 *
 * The chunks that it takes come with requests for some banks, one with each, and are kept while
 * there are too few. Without them nothing is joined; who runs out of them later parts both. They
 * are some 700 bytes for each block, and are freed when both are parted.
 */

enum { LOW, HIGH };

/* What it costs to note a block, or to take it out, in blocks that a search passes. */
#define LOOM_JOIN_NOTE	8ULL

static u32 join_on_all(const struct loom_bank *bank)
{
	return bank->blocks - bank->partials.count;
}

/* Half of a chunk is filled, at least. */
static u32 join_chunks(const struct loom_bank *bank)
{
	return join_on_all(bank) / (LOOM_PARTIAL_FAN / 2) + 2;
}

/* What it must save before both are joined. */
static u64 join_least(const struct loom_bank *bank)
{
	return (u64)bank->partials.patience * (join_on_all(bank) + 8ULL);
}

/* All blocks but @except are noted, or those before it. */
static void join_part(struct loom_bank *bank, const struct loom_bank_block *except)
{
	struct loom_bank_block *block;

	loom_partials_forget(&bank->partials);
	for (block = bank->head.neighbour[HIGH]; bank->partials.noted;
	     block = block->neighbour[HIGH])
		if (block != except)
			loom_partials_unnote(&bank->partials, block);
	loom_partials_trim(&bank->partials);
	bank->partials.joined = false;
	bank->partials.worth = 0;
}

static void join_charge(struct loom_bank *bank)
{
	bank->partials.worth -= min(bank->partials.worth, LOOM_JOIN_NOTE);
}

void loom_join_add(struct loom_bank *bank, struct loom_bank_block *block,
		   const struct loom_partial_cursor *above)
{
	join_charge(bank);
	if (bank->partials.joined &&
	    (!bank->partials.worth ||
	     !loom_partials_note(&bank->partials, block, &bank->all, above)))
		join_part(bank, block);
}

void loom_join_remove(struct loom_bank *bank, struct loom_bank_block *block)
{
	join_charge(bank);
	if (bank->partials.joined)
		loom_partials_unnote(&bank->partials, block);
}

static void join_both(struct loom_bank *bank)
{
	const struct loom_partial_cursor nowhere = { 0 };
	struct loom_bank_block *block;

	loom_partials_forget(&bank->partials);
	for (block = bank->head.neighbour[HIGH]; block; block = block->neighbour[HIGH])
		if (!loom_partials_note(&bank->partials, block, &bank->all, &nowhere)) {
			join_part(bank, block);
			return;
		}
	bank->partials.joined = true;
}

void loom_join_consider(struct loom_bank *bank, struct loom_partial_chunk **spare)
{
	struct loom_partials *partials = &bank->partials;
	u64 least = join_least(bank);

	partials->worth = min(partials->worth, 2 * least);
	if (spare && *spare && partials->worth >= least / 2 &&
	    partials->idle_count < (partials->joined ? 1 : join_chunks(bank)))
		loom_partials_stock(partials, spare);
	if (!partials->joined && partials->worth >= least &&
	    partials->idle_count >= join_chunks(bank))
		join_both(bank);
}

void loom_join_end(struct loom_bank *bank)
{
	loom_partials_clear(&bank->partials);
	loom_partials_trim(&bank->partials);
	bank->partials.joined = false;
	bank->partials.worth = 0;
}
