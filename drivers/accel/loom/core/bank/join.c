// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "join.h"
#include "scan.h"
#include "tree.h"

/**
 * DOC: Both kinds in one order
 *
 * A block on some banks, and one by first fit on all, must be clear of both kinds of blocks. While
 * these are apart, two searches move one candidate in turns. Where programs allocate both kinds all
 * the time, that takes longer than all else. So then the blocks on all banks are noted among the
 * partial ones, too, as blocks with all banks in their masks: *joined*. One search along one order
 * is left, and where extents are kept (partial.c), it is O(log n).
 *
 * Joined, each block that comes or goes is noted or taken out again, and its sums with it. That is
 * in vain for a bank with a few partial blocks that lie there for long, and no search for them. So
 * it is counted what joining would save, in blocks on all banks that a search passes, less what it
 * costs, LOOM_JOIN_NOTE for each that comes or goes. Both are joined when this is
 * LOOM_JOIN_PATIENCE for each block, more than what joining takes.
 *
 * Whether it pays is known when it is done. So it is counted what requests cost: the blocks that
 * their searches pass, and what else they do, in such blocks. What requests for some banks and for
 * all cost on average before is compared with what they cost now. When that is more, by half of the
 * patience for each block beyond what was saved before, both are parted. Then the next time takes
 * twice the patience, up to 256 times, until joining has paid again, or there are twice as many
 * blocks on all banks, or none on some: what did not pay for a few blocks, which takes few
 * requests, says nothing about many. While it does pay, the old averages are lowered, so that both
 * are parted and the averages are taken again, sooner or later. So neither the attempts nor a
 * change of what programs do costs much beside what has been done before.
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
/* What it costs for each sum that it changes. */
#define LOOM_JOIN_SUM	12U
/* Powers of two by which the patience grows, at most. */
#define LOOM_JOIN_SETBACKS	8U
/* Likewise the time until the means are taken again. */
#define LOOM_JOIN_AGE	4U
/* A request that costs more counts as one that costs so much. */
#define LOOM_JOIN_COST_MOST	(1U << 24)

/* Half of a chunk is filled, at least. */
static u32 join_chunks(const struct loom_bank *bank)
{
	return loom_bank_on_all(bank) / (LOOM_PARTIAL_FAN / 2) + 2;
}

void loom_join_trim(struct loom_bank *bank)
{
	loom_partials_trim(&bank->partials, join_chunks(bank));
}

/* What it must save before both are joined. */
static u64 join_least(const struct loom_bank *bank)
{
	return (u64)bank->partials.patience * (loom_bank_on_all(bank) + 8ULL);
}

/* The same after setbacks. */
static u64 join_due(const struct loom_bank *bank)
{
	return join_least(bank) << bank->partials.setbacks;
}

/* None is noted any more. */
static void join_over(struct loom_bank *bank)
{
	bool was_order = loom_tree_is_order(bank);

	loom_partials_trim(&bank->partials, 0);
	bank->partials.joined = false;
	bank->partials.worth = 0;
	if (was_order && !bank->is_flat)
		loom_tree_build(bank);
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
	join_over(bank);
}

static void join_charge(struct loom_bank *bank)
{
	bank->partials.worth -= min(bank->partials.worth, LOOM_JOIN_NOTE);
}

void loom_join_add(struct loom_bank *bank, struct loom_bank_block *block,
		   const struct loom_partial_cursor *above)
{
	if (!bank->partials.joined)
		join_charge(bank);
	else if (!loom_partials_note(&bank->partials, block, &bank->all, above))
		join_part(bank, block);
}

void loom_join_remove(struct loom_bank *bank, struct loom_bank_block *block)
{
	if (!bank->partials.joined)
		join_charge(bank);
	else
		loom_partials_unnote(&bank->partials, block);
}

/* What a request has cost more than before both were joined, in 16ths; the block goes some day. */
static s64 join_excess(const struct loom_bank *bank, bool on_all, u32 cost)
{
	const struct loom_partials *partials = &bank->partials;
	u32 noted = 0;

	if (on_all)
		noted = 2 * ((u32)LOOM_JOIN_NOTE + LOOM_JOIN_SUM * partials->sums) * 16;
	/* where the policy chooses a hole, the place in the order has to be looked up */
	if (on_all && bank->policy != LOOM_BANK_FIRST_FIT)
		noted += LOOM_SCAN_DESCENT * 16;
	if (!partials->mean[on_all])
		return noted;
	return (s64)cost + noted - partials->mean[on_all];
}

void loom_join_judge(struct loom_bank *bank, bool on_all)
{
	struct loom_partials *partials = &bank->partials;
	u32 cost = min(partials->looks, LOOM_JOIN_COST_MOST) * 16, *mean = &partials->mean[on_all];
	s64 room = (s64)join_least(bank) * 8;

	if (!partials->joined) {
		/* of the last 32 or so */
		*mean = *mean ? *mean - *mean / 32 + cost / 32 : cost;
		return;
	}
	partials->balance += join_excess(bank, on_all, cost);
	if (partials->balance <= -2 * room) {
		partials->balance = -2 * room;
		partials->setbacks = 0;
	}
	/* the means become less, so that they are taken again: soon, and later from time to time */
	if (++partials->judged > (loom_bank_on_all(bank) + 64ULL) << partials->age >> 2) {
		partials->judged = 0;
		partials->age = min(partials->age + 1, LOOM_JOIN_AGE);
		partials->mean[0] -= partials->mean[0] / 4;
		partials->mean[1] -= partials->mean[1] / 4;
	}
	if (partials->balance <= room)
		return;
	join_part(bank, NULL);
	partials->setbacks = min(partials->setbacks + 1, LOOM_JOIN_SETBACKS);
	partials->setback_blocks = loom_bank_on_all(bank);
	partials->mean[0] = 0;
	partials->mean[1] = 0;
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
	/* as if it had paid before: sums that were given up have to be computed again */
	bank->partials.balance = -(s64)join_least(bank) * 8;
	bank->partials.judged = 0;
}

void loom_join_consider(struct loom_bank *bank, struct loom_partial_chunk **spare)
{
	struct loom_partials *partials = &bank->partials;
	u64 due;

	if (loom_bank_on_all(bank) / 2 > partials->setback_blocks)
		partials->setbacks = 0;
	due = join_due(bank);
	partials->worth = min(partials->worth, 2 * due);
	if (spare && *spare && (partials->joined || partials->worth >= due / 2) &&
	    partials->idle_count < (partials->joined ? 1 : join_chunks(bank)))
		loom_partials_stock(partials, spare);
	if (!partials->joined && partials->worth >= due &&
	    partials->idle_count >= join_chunks(bank))
		join_both(bank);
}

void loom_join_end(struct loom_bank *bank)
{
	loom_partials_clear(&bank->partials);
	join_over(bank);
	loom_join_forget(bank);
}
