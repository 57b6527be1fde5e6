// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "extent.h"
#include "scan.h"

enum { LOW, HIGH };

/* All ones if the block has one of the banks, else zero. No @words: by the class of the banks. */
static __always_inline u64 scan_meets(const struct loom_partial_entry *entry,
				      const struct loom_mask *banks, u32 class, u32 words)
{
	if (!words)
		return -(entry->classes >> class & 1);
	return loom_partial_meets(entry, banks, words);
}

/*
 * The scan of a chunk; @words is a constant. No sum overflows: the ends of
 * the blocks are so far below U64_MAX.
 */
static __always_inline u32 scan_up(struct loom_scan *scan, const struct loom_partial_chunk *chunk,
				   u32 k, u32 words)
{
	u64 at = scan->at, size = scan->size, mask = scan->align_mask;
	const struct loom_mask banks = *scan->banks;
	u32 class = scan->class;
	u32 count = chunk->count;

	for (; k < count; k++) {
		const struct loom_partial_entry *entry = &chunk->entry[loom_partial_slot(chunk, k)];
		u64 end = (entry->end + mask) & ~mask;

		if (entry->start >= at + size)
			break;
		end &= scan_meets(entry, &banks, class, words);
		at = max(at, end);
	}
	scan->at = at;
	scan->failed = at > scan->last;
	return k;
}

/* The same with checks. */
static u32 scan_up_checked(struct loom_scan *scan, const struct loom_partial_chunk *chunk, u32 k)
{
	for (; k < chunk->count && !scan->failed; k++) {
		const struct loom_partial_entry *entry = &chunk->entry[loom_partial_slot(chunk, k)];

		if (entry->start >= scan->at + scan->size)
			break;
		if (entry->end > scan->at && loom_mask_overlaps(&entry->mask, scan->banks))
			loom_scan_move(scan, entry->end);
	}
	return k;
}

/* Down: what is left is checked at once. @moved: index of the last block that moved it. */
static __always_inline void scan_down(struct loom_scan *scan,
				      const struct loom_partial_chunk *chunk, u32 k, u32 words,
				      u32 *moved)
{
	u64 at = scan->at, size = scan->size, mask = scan->align_mask, short_of = 0;
	const struct loom_mask banks = *scan->banks;
	u32 class = scan->class;

	while (k-- > 0) {
		const struct loom_partial_entry *entry = &chunk->entry[loom_partial_slot(chunk, k)];
		u64 start = entry->start;
		u64 hit = scan_meets(entry, &banks, class, words) & -(u64)(start < at + size) &
			  -(u64)(entry->end > at);

		short_of |= hit & -(u64)(start < size);
		at = hit ? (start - size) & ~mask : at;
		*moved = hit ? k : *moved;
	}
	scan->at = at;
	scan->failed = short_of || at < scan->last;
}

/* @words: a constant where it is none: the scan is by a class. */
static __always_inline bool scan_chunk_up(struct loom_scan *scan, struct loom_partial_chunk *chunk,
					  u32 index, u32 words)
{
	scan->looks -= index;
	if (!scan->safe)
		index = scan_up_checked(scan, chunk, index);
	else if (!words)
		index = scan_up(scan, chunk, index, 0);
	else if (words == 1)
		index = scan_up(scan, chunk, index, 1);
	else if (words <= 3)
		index = scan_up(scan, chunk, index, 3);
	else
		index = scan_up(scan, chunk, index, LOOM_MASK_WORDS);
	scan->looks += index;
	scan->from.chunk = chunk;
	scan->from.index = index;
	return scan->failed || index < chunk->count;
}

static __always_inline bool scan_chunk_down(struct loom_scan *scan,
					    struct loom_partial_chunk *chunk, u32 index,
					    u32 words)
{
	u32 moved = U32_MAX;

	scan->looks += index;
	if (!words)
		scan_down(scan, chunk, index, 0, &moved);
	else if (words == 1)
		scan_down(scan, chunk, index, 1, &moved);
	else if (words <= 3)
		scan_down(scan, chunk, index, 3, &moved);
	else
		scan_down(scan, chunk, index, LOOM_MASK_WORDS, &moved);
	if (moved != U32_MAX) {
		scan->from.chunk = chunk;
		scan->from.index = moved;
	}
	return scan->failed;
}

bool loom_scan_chunk(struct loom_scan *scan, struct loom_partial_chunk *chunk, u32 index)
{
	u32 words = scan->class < LOOM_PARTIAL_CLASSES ? 0 : scan->words;

	if (scan->top_down)
		return scan_chunk_down(scan, chunk, index, words);
	return scan_chunk_up(scan, chunk, index, words);
}

/* Computes the largest hole that blocks of a chunk leave between them. */
static void scan_find_hole(struct loom_partial_chunk *chunk)
{
	u64 hole = 0, end = U64_MAX;
	u32 k;

	for (k = 0; k < chunk->count; k++) {
		const struct loom_partial_entry *entry = &chunk->entry[loom_partial_slot(chunk, k)];

		hole = max(hole, entry->start > end ? entry->start - end : 0);
		end = k ? max(end, entry->end) : entry->end;
	}
	chunk->hole = hole;
	chunk->hole_known = true;
}

/*
 * Moves a candidate on all banks past a chunk, whose banks and bytes it meets, if no hole in the
 * chunk has room for it.
 */
static bool scan_skip(struct loom_scan *scan, struct loom_partial_chunk *chunk)
{
	if (chunk->hole >= scan->size && !chunk->hole_known)
		scan_find_hole(chunk);
	if (chunk->hole >= scan->size)
		return false;
	loom_scan_move(scan, scan->top_down ? chunk->own.start : chunk->own.end);
	return true;
}

static __always_inline void scan_all_up(struct loom_scan *scan, bool on_all)
{
	struct loom_partial_chunk *chunk = scan->from.chunk;
	u32 index = scan->from.index;

	for (; chunk; chunk = chunk->neighbour[HIGH], index = 0) {
		scan->looks += LOOM_SCAN_CHUNK;
		if (chunk->own.start >= scan->at + scan->size) {
			scan->from.chunk = chunk;
			scan->from.index = index;
			return;
		}
		if (chunk->own.end <= scan->at ||
		    !loom_mask_overlaps(&chunk->own.banks, scan->banks))
			continue;
		if (on_all && scan_skip(scan, chunk)) {
			if (scan->failed)
				return;
		} else if (scan_chunk_up(scan, chunk, index, scan->words)) {
			return;
		}
	}
	scan->from.chunk = NULL;
}

static __always_inline void scan_all_down(struct loom_scan *scan, bool on_all)
{
	struct loom_partial_chunk *chunk = scan->from.chunk;
	u32 index = scan->from.index;

	while (chunk) {
		scan->looks += LOOM_SCAN_CHUNK;
		if (chunk->own.end > scan->at && chunk->own.start < scan->at + scan->size &&
		    loom_mask_overlaps(&chunk->own.banks, scan->banks)) {
			if (on_all && scan_skip(scan, chunk)) {
				scan->from.chunk = chunk;
				scan->from.index = 0;
			} else {
				scan_chunk_down(scan, chunk, index, scan->words);
			}
			if (scan->failed)
				return;
		}
		if (chunk->own.start < scan->stop)
			return;
		chunk = chunk->neighbour[LOW];
		index = chunk ? chunk->count : 0;
	}
}

/* Whether a chunk of which nothing is known but its banks has none of those of the scan. */
static bool scan_misses(struct loom_partial_chunk *chunk, const struct loom_scan *scan)
{
	if (chunk->gone > chunk->count)
		loom_extents_summarise_banks(chunk);
	return !loom_mask_overlaps(&chunk->own.banks, scan->banks);
}

void loom_scan_bare(struct loom_scan *scan)
{
	struct loom_partial_chunk *chunk = scan->from.chunk;
	u64 at = scan->at;

	if (!chunk)
		return;
	if (chunk->is_sparse && scan_misses(chunk, scan)) {
		if (!scan->top_down)
			scan->from.chunk = NULL;
		return;
	}
	if (scan->top_down)
		scan_chunk_down(scan, chunk, scan->from.index, scan->words);
	else if (!scan_chunk_up(scan, chunk, scan->from.index, scan->words))
		scan->from.chunk = NULL;
	chunk->is_sparse = scan->at == at;
}

void loom_scan_all(struct loom_scan *scan)
{
	if (scan->top_down && scan->on_all)
		scan_all_down(scan, true);
	else if (scan->top_down)
		scan_all_down(scan, false);
	else if (scan->on_all)
		scan_all_up(scan, true);
	else
		scan_all_up(scan, false);
}
