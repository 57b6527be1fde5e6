/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_SCAN_H
#define LOOM_SCAN_H

#include "partial.h"

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

/**
 * struct loom_scan - a candidate that is moved along partial blocks
 * @request: what is searched for
 * @at: start of the candidate
 * @last: the place at the far end of the range; the candidate never goes past it
 * @word: the word of the mask that has banks; LOOM_MASK_WORDS if there are several
 * @failed: there is no free range
 * @from: where it is resumed. From the bottom, the first block that starts behind the candidate, or
 *	none. From the top, the last one that moved the candidate, or the one that is highest; no
 *	block from there on starts below the candidate, but for that last.
 */
struct loom_scan {
	const struct loom_partial_request *request;
	u64 at;
	u64 last;
	u32 word;
	bool failed;
	struct loom_partial_cursor from;
};

/* Begins with the place at the near end of the range. */
void loom_scan_begin(const struct loom_partials *partials, struct loom_scan *scan,
		     const struct loom_partial_request *request);

/*
 * Moves the candidate to the near side of @to: to start there or above, or in a search from the top
 * to end there or below. @to is not on its other side.
 */
void loom_scan_move(struct loom_scan *scan, u64 to);

/*
 * Moves the candidate past the blocks of a chunk from @index on; from the top, below @index.
 * Return: true if no block of a chunk that follows can be in the way.
 */
bool loom_scan_chunk(struct loom_scan *scan, struct loom_partial_chunk *chunk, u32 index);

/* From where it is, past all blocks of all chunks. */
void loom_scan_all(struct loom_scan *scan);

#endif /* LOOM_SCAN_H */
