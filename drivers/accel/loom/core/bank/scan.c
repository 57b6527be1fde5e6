// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_bank.h"
#include "scan.h"

enum { LOW, HIGH };

/* The word of @mask that has banks; LOOM_MASK_WORDS if there are several. */
static u32 scan_word(const struct loom_mask *mask)
{
	u32 word = LOOM_MASK_WORDS, i;

	for (i = 0; i < LOOM_MASK_WORDS; i++) {
		if (!mask->word[i])
			continue;
		if (word < LOOM_MASK_WORDS)
			return LOOM_MASK_WORDS;
		word = i;
	}
	return word;
}

void loom_scan_begin(const struct loom_partials *partials, struct loom_scan *scan,
		     const struct loom_partial_request *request)
{
	u64 mask = request->align - 1, lowest, highest;
	struct loom_partial_chunk *chunk = partials->outer[request->top_down ? HIGH : LOW];

	scan->request = request;
	scan->word = scan_word(request->mask);
	scan->from.chunk = chunk;
	scan->from.index = request->top_down && chunk ? chunk->count : 0;
	scan->failed = request->high < request->size || request->low > U64_MAX - mask;
	if (scan->failed)
		return;
	lowest = (request->low + mask) & ~mask;
	highest = (request->high - request->size) & ~mask;
	scan->failed = lowest > highest;
	scan->at = request->top_down ? highest : lowest;
	scan->last = request->top_down ? lowest : highest;
}

void loom_scan_move(struct loom_scan *scan, u64 to)
{
	const struct loom_partial_request *request = scan->request;
	u64 mask = request->align - 1;

	if (request->top_down) {
		scan->failed = to < request->size;
		scan->at = (to - request->size) & ~mask;
		scan->failed |= scan->at < scan->last;
	} else {
		scan->failed = to > U64_MAX - mask;
		scan->at = (to + mask) & ~mask;
		scan->failed |= scan->at > scan->last;
	}
}

/* All ones if the block has one of the banks, else zero. */
static __always_inline u64 scan_meets(const struct loom_partial_entry *entry,
				      const struct loom_mask *banks, u32 word)
{
	u64 both = 0;
	u32 i;

	if (word < LOOM_MASK_WORDS)
		return -(u64)!!(entry->mask.word[word] & banks->word[0]);
	for (i = 0; i < LOOM_MASK_WORDS; i++)
		both |= entry->mask.word[i] & banks->word[i];
	return -(u64)!!both;
}

/*
 * The scan of a chunk, once for masks in one word and once for all. No sum overflows: the ends of
 * the blocks are so far below U64_MAX.
 */
static __always_inline u32 scan_up(struct loom_scan *scan, const struct loom_partial_chunk *chunk,
				   u32 k, const struct loom_mask banks, u32 word)
{
	u64 at = scan->at, size = scan->request->size, mask = scan->request->align - 1;

	for (; k < chunk->count; k++) {
		const struct loom_partial_entry *entry = &chunk->entry[chunk->order[k]];
		u64 end = (entry->end + mask) & ~mask & scan_meets(entry, &banks, word);

		if (entry->start >= at + size)
			break;
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
		const struct loom_partial_entry *entry = &chunk->entry[chunk->order[k]];

		if (entry->start >= scan->at + scan->request->size)
			break;
		if (entry->end > scan->at && loom_mask_overlaps(&entry->mask, scan->request->mask))
			loom_scan_move(scan, entry->end);
	}
	return k;
}

/* Down: what is left is checked at once. @moved: index of the last block that moved it. */
static __always_inline void scan_down(struct loom_scan *scan,
				      const struct loom_partial_chunk *chunk, u32 k,
				      const struct loom_mask banks, u32 word, u32 *moved)
{
	u64 at = scan->at, size = scan->request->size, mask = scan->request->align - 1;
	u64 short_of = 0;

	while (k-- > 0) {
		const struct loom_partial_entry *entry = &chunk->entry[chunk->order[k]];
		u64 start = entry->start;
		u64 hit = scan_meets(entry, &banks, word) & -(u64)(start < at + size) &
			  -(u64)(entry->end > at);

		short_of |= hit & -(u64)(start < size);
		at = hit ? (start - size) & ~mask : at;
		*moved = hit ? k : *moved;
	}
	scan->at = at;
	scan->failed = short_of || at < scan->last;
}

/* Whether the ends of the blocks are so low that a scan from the bottom needs no checks. */
static bool scan_is_safe(const struct loom_scan *scan, const struct loom_partial_chunk *chunk)
{
	u64 end;

	return !check_add_overflow(chunk->own.end, scan->request->align - 1, &end) &&
	       !check_add_overflow(end, scan->request->size, &end);
}

static bool scan_chunk_up(struct loom_scan *scan, struct loom_partial_chunk *chunk, u32 index)
{
	const struct loom_mask *banks = scan->request->mask;
	u32 word = scan->word;

	if (!scan_is_safe(scan, chunk))
		index = scan_up_checked(scan, chunk, index);
	else if (word < LOOM_MASK_WORDS)
		index = scan_up(scan, chunk, index,
				(struct loom_mask){ { banks->word[word] } }, word);
	else
		index = scan_up(scan, chunk, index, *banks, LOOM_MASK_WORDS);
	scan->from = (struct loom_partial_cursor){ chunk, index };
	return scan->failed || index < chunk->count;
}

static bool scan_chunk_down(struct loom_scan *scan, struct loom_partial_chunk *chunk, u32 index)
{
	const struct loom_mask *banks = scan->request->mask;
	u32 word = scan->word, moved = U32_MAX;

	if (word < LOOM_MASK_WORDS)
		scan_down(scan, chunk, index, (struct loom_mask){ { banks->word[word] } }, word,
			  &moved);
	else
		scan_down(scan, chunk, index, *banks, LOOM_MASK_WORDS, &moved);
	if (moved != U32_MAX)
		scan->from = (struct loom_partial_cursor){ chunk, moved };
	return scan->failed;
}

bool loom_scan_chunk(struct loom_scan *scan, struct loom_partial_chunk *chunk, u32 index)
{
	if (scan->request->top_down)
		return scan_chunk_down(scan, chunk, index);
	return scan_chunk_up(scan, chunk, index);
}

static void scan_all_up(struct loom_scan *scan)
{
	struct loom_partial_chunk *chunk = scan->from.chunk;
	u32 index = scan->from.index;

	for (; chunk; chunk = chunk->neighbour[HIGH], index = 0) {
		if (chunk->own.start >= scan->at + scan->request->size) {
			scan->from = (struct loom_partial_cursor){ chunk, index };
			return;
		}
		if (chunk->own.end > scan->at &&
		    loom_mask_overlaps(&chunk->own.banks, scan->request->mask) &&
		    scan_chunk_up(scan, chunk, index))
			return;
	}
	scan->from.chunk = NULL;
}

static void scan_all_down(struct loom_scan *scan)
{
	struct loom_partial_chunk *chunk = scan->from.chunk;
	u32 index = scan->from.index;

	while (chunk) {
		if (chunk->own.end > scan->at &&
		    loom_mask_overlaps(&chunk->own.banks, scan->request->mask) &&
		    scan_chunk_down(scan, chunk, index))
			return;
		chunk = chunk->neighbour[LOW];
		index = chunk ? chunk->count : 0;
	}
}

void loom_scan_all(struct loom_scan *scan)
{
	if (scan->failed)
		return;
	if (scan->request->top_down)
		scan_all_down(scan);
	else
		scan_all_up(scan);
}
