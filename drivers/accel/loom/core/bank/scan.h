/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_SCAN_H
#define LOOM_SCAN_H

#include "loom_bank.h"

/**
 * DOC: The scan
 *
 * A candidate place is moved along the partial blocks in the order of their starts, past each one
 * that is in the way. This is all there is to a search while there are few blocks, and what remains
 * of one with extents where those do not tell.
 *
 * A block that is in the way is as likely as one that is not, so the scan of a chunk has no branch
 * for it: the candidate is the maximum of what it was and of the end of the block, or of zero. That
 * is two to three times as fast as a scan with branches. Sums near the ends of the address space
 * would overflow; chunks that lie there are scanned with checks.
 *
 * The scan can be stopped, its candidate moved on by somebody else, and be resumed: a block that
 * the candidate has passed is never met again.
 */

/* What it takes to reach a chunk, or a node of a tree, in blocks that are passed: estimates. */
#define LOOM_SCAN_CHUNK	4
#define LOOM_SCAN_NODE	12
/* The same for a chunk that is looked up by an address. */
#define LOOM_SCAN_DESCENT	40

/**
 * struct loom_scan - a candidate that is moved along partial blocks
 * @banks: banks in which the place must be free
 * @size: its bytes, not zero
 * @align_mask: its alignment, less one
 * @words: see &struct loom_partials
 * @class: the class that @banks are, while it is maintained; LOOM_PARTIAL_CLASSES: none
 * @top_down: take the highest place, else the lowest
 * @on_all: @banks are all banks
 * @safe: no sum of an end, the alignment and the size overflows
 * @failed: there is no free range
 * @looks: blocks that it has passed, and what else it has done, in such
 * @at: start of the candidate
 * @last: the place at the far end of the range; the candidate never goes past it
 * @stop: no block of a chunk before one that starts lower is in the way
 * @from: where it is resumed. From the bottom, the first block that starts behind the candidate, or
 *	none. From the top, the last one that moved the candidate, or the one that is highest; no
 *	block from there on starts below the candidate, but for that last.
 */
struct loom_scan {
	const struct loom_mask *banks;
	u64 size;
	u64 align_mask;
	u32 words;
	u32 class;
	bool top_down;
	bool on_all;
	bool safe;
	bool failed;
	u32 looks;
	u64 at;
	u64 last;
	u64 stop;
	struct loom_partial_cursor from;
};

/* Resumes at the near end of the blocks; the candidate remains. */
static inline void loom_scan_restart(struct loom_scan *scan, const struct loom_partials *partials)
{
	scan->from.chunk = partials->outer[scan->top_down];
	scan->from.index = scan->top_down && scan->from.chunk ? scan->from.chunk->count : 0;
}

/* Begins with the place at the near end of the range from @low to @high, for a valid request. */
static inline void loom_scan_begin(struct loom_scan *scan, const struct loom_partials *partials,
				   const struct loom_bank_request *request,
				   const struct loom_mask *banks, u64 low, u64 high)
{
	u64 mask = request->align - 1, lowest, highest, end;

	scan->banks = banks;
	scan->size = request->size;
	scan->align_mask = mask;
	scan->top_down = request->top_down;
	scan->words = partials->words;
	scan->class = LOOM_PARTIAL_CLASSES;
	scan->on_all = false;
	scan->looks = 1;
	scan->safe = !check_add_overflow(partials->limit, mask, &end) &&
		     !check_add_overflow(end, request->size, &end);
	loom_scan_restart(scan, partials);
	scan->failed = high < request->size || low > U64_MAX - mask;
	scan->at = 0;
	scan->stop = 0;
	if (scan->failed)
		return;
	lowest = (low + mask) & ~mask;
	highest = (high - request->size) & ~mask;
	scan->failed = lowest > highest;
	scan->at = request->top_down ? highest : lowest;
	scan->last = request->top_down ? lowest : highest;
}

/*
 * Of a scan that has begun, for a range that has no block on all banks: begins where partial blocks
 * may be in the way, as none has more than so many bytes, and ends there.
 */
static inline void loom_scan_narrow(struct loom_scan *scan, struct loom_partials *partials)
{
	u64 longest = partials->longest;

	if (scan->failed || partials->indexed || partials->chunk_count < 3)
		return;
	scan->looks += LOOM_SCAN_DESCENT;
	if (scan->top_down) {
		scan->stop = scan->last - min(scan->last, longest);
		scan->from.chunk = loom_partials_at(partials, scan->at + scan->size);
		scan->from.index = scan->from.chunk->count;
	} else if (scan->at >= longest) {
		/* who starts there or below ends before the candidate */
		scan->from.chunk = loom_partials_at(partials, scan->at - longest);
		scan->from.index = 0;
	}
}

/*
 * Moves the candidate to the near side of @to: to start there or above, or in a search from the top
 * to end there or below. @to is not on its other side.
 */
static inline void loom_scan_move(struct loom_scan *scan, u64 to)
{
	if (scan->top_down) {
		scan->at = (to - scan->size) & ~scan->align_mask;
		scan->failed = to < scan->size || scan->at < scan->last;
	} else {
		scan->at = (to + scan->align_mask) & ~scan->align_mask;
		scan->failed = to > U64_MAX - scan->align_mask || scan->at > scan->last;
	}
}

/*
 * Moves the candidate past the blocks of a chunk from @index on; from the top, below @index.
 * Return: true if no block of a chunk that follows can be in the way.
 */
bool loom_scan_chunk(struct loom_scan *scan, struct loom_partial_chunk *chunk, u32 index);

/* From where it is, past all blocks of all chunks, if it has not failed. */
void loom_scan_all(struct loom_scan *scan);
/* The same where nothing is known of the only chunk. */
void loom_scan_bare(struct loom_scan *scan);

/* The same with what chunks know of their blocks, or while they are many. */
void loom_partials_search_many(struct loom_partials *partials, struct loom_scan *scan);

/* The same without a look at what is known of subtrees. */
static inline void loom_partials_scan(struct loom_partials *partials, struct loom_scan *scan)
{
	if (loom_partials_bare(partials))
		loom_scan_bare(scan);
	else
		loom_scan_all(scan);
}

/* Moves the candidate on to where a range is free among all partial blocks. */
static inline void loom_partials_search(struct loom_partials *partials, struct loom_scan *scan)
{
	if (scan->failed)
		return;
	if (partials->indexed || partials->chunk_count > partials->linear)
		loom_partials_search_many(partials, scan);
	else
		loom_partials_scan(partials, scan);
}

#endif /* LOOM_SCAN_H */
