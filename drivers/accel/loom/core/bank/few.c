// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "chunk.h"
#include "extent.h"
#include "few.h"
#include "place.h"
#include "scan.h"

/**
 * DOC: Few blocks of both kinds
 *
 * While there are few blocks, up to LOOM_FEW_BLOCKS, and some of them are on some banks, a chunk of
 * partial.c has all of them, those on all banks with all banks in their masks. There is nothing
 * else: no list of blocks, no list of holes, no sums. A request, for all banks or for some, is one
 * pass along the order of the chunk, and a block that comes or goes is a change of this order. With
 * ten buffers, of which half are on all banks, to search and to keep two structures took 1.7 times
 * as long as a flat sorted list.
 *
 * In the pass there is no branch for a block that may be in the way, see scan.h, and it ends with
 * the first one that starts behind the candidate. Without a branch there either, by eights with the
 * answer picked afterwards, an allocation and a free with ten buffers took 1.7 times as long: what
 * is saved are blocks that are not looked at. Where searches meet no block, one after the other,
 * the union of their banks is asked first. Which kind a request is for is as good as random, too:
 * what depends on it is computed, not branched for.
 *
 * Policies give the same addresses as with the other structures. Best fit and near fit choose among
 * the holes that the blocks on all banks leave; no partial block is across two of them, so those in
 * a hole lie in the order between the blocks at its ends, and only they have to be asked for room.
 * For best fit the list of holes is shorter to search than that, so there it pays for up to
 * LOOM_FEW_BEST_FIT blocks only: with 60, nearly all requests on all banks, it took twice as long.
 *
 * A bank begins with this when a partial block comes, or any block goes, and there are at most half
 * as many blocks as there may be, of which one in LOOM_FEW_SHARE is on some banks. It ends it when
 * there is no room for one more, when the last block goes, and when there were less than half as
 * many partial ones for LOOM_FEW_PATIENCE frees: with one partial block among 60, the list of holes
 * and a chunk beside it (flat.c, partial.c) are searched up to five times as fast. To go over is
 * O(n), and n is small.
 *
 * It needs no memory: the first partial block had brought a chunk, and that is kept until the last
 * block has gone. So neither a request on all banks nor the way back to the other structures asks
 * for one. Rejected: an array of its own in each bank, 4 KiB more, along which all that walks over
 * blocks would have to know a second way.
 */

enum { LOW, HIGH };

/* Searches that met no block, one after the other, before the next one asks the union first. */
#define FEW_QUIET	2

static struct loom_partial_chunk *few_chunk(const struct loom_bank *bank)
{
	return bank->partials.outer[LOW];
}

/* Whether the block at @index of the order is on all banks. */
static bool few_on_all(const struct loom_bank *bank, const struct loom_partial_chunk *chunk,
		       u32 index)
{
	return bank->on_all >> loom_partial_slot(chunk, index) & 1;
}

/* --- first fit */

/**
 * struct few_range - the places that a request may get
 * @banks: banks in which the place must be free
 * @size: its bytes, not zero
 * @align_mask: its alignment, less one
 * @lowest: the lowest place
 * @highest: the highest one
 */
struct few_range {
	const struct loom_mask *banks;
	u64 size;
	u64 align_mask;
	u64 lowest;
	u64 highest;
};

/**
 * struct few_place - a place that was found
 * @start: where it is
 * @index: the number of blocks that start there or below
 */
struct few_place {
	u64 start;
	u32 index;
};

/* The number of blocks that start at @start or below, where none of those from @index on does. */
static __always_inline u32 few_index(const struct loom_partial_chunk *chunk, u32 index, u64 start)
{
	while (index && chunk->entry[loom_partial_slot(chunk, index - 1)].start > start)
		index--;
	return index;
}

/*
 * Moves a candidate up, past all blocks that share a bank with it and begin before its end, in the
 * order of their starts. @words is a constant. No sum overflows.
 */
static __always_inline bool few_up(struct loom_partial_chunk *chunk, const struct few_range *range,
				   u32 words, struct few_place *place)
{
	u64 size = range->size, mask = range->align_mask, at = range->lowest;
	const struct loom_mask banks = *range->banks;
	u32 count = chunk->count, k;

	for (k = 0; k < count; k++) {
		const struct loom_partial_entry *entry = loom_partial_entry(chunk, k);
		u64 past = (entry->end + mask) & ~mask;

		if (entry->start >= at + size)
			break;
		at = max(at, past & loom_partial_meets(entry, &banks, words));
	}
	place->start = at;
	place->index = few_index(chunk, k, at);
	return at <= range->highest;
}

/* The same from the top, where ends are in no order but for blocks @on_all banks. */
static __always_inline bool few_down(struct loom_partial_chunk *chunk,
				     const struct few_range *range, u64 on_all, u32 words,
				     struct few_place *place)
{
	u64 size = range->size, mask = range->align_mask, at = range->highest, short_of = 0, hit;
	const struct loom_mask banks = *range->banks;
	u32 k = chunk->count, moved = k;

	while (k-- > 0) {
		u32 slot = loom_partial_slot(chunk, k);
		const struct loom_partial_entry *entry = &chunk->entry[slot];
		u64 start = entry->start;

		/* no other block reaches over one on all banks */
		if (entry->end <= at && on_all >> slot & 1)
			break;
		hit = loom_partial_meets(entry, &banks, words) & -(u64)(start < at + size) &
		      -(u64)(entry->end > at);
		short_of |= hit & -(u64)(start < size);
		at = hit ? (start - size) & ~mask : at;
		moved = hit ? k : moved;
	}
	place->start = at;
	place->index = few_index(chunk, moved, at);
	return !short_of && at >= range->lowest;
}

/* Sums may overflow: the same in steps that are checked, and in both directions. */
static noinline bool few_first_checked(struct loom_bank *bank,
				       const struct loom_bank_request *request,
				       const struct loom_mask *banks, struct few_place *place)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);
	struct loom_scan scan;

	loom_scan_begin(&scan, &bank->partials, request, banks, max(request->low, bank->base),
			min(request->high, bank->limit));
	if (scan.failed)
		return false;
	loom_scan_chunk(&scan, chunk, request->top_down ? chunk->count : 0);
	place->start = scan.at;
	place->index = few_index(chunk, chunk->count, scan.at);
	return !scan.failed;
}

/* Whether no block has one of the banks. */
static bool few_misses(struct loom_partial_chunk *chunk, const struct loom_mask *banks)
{
	if (chunk->gone > chunk->count)
		loom_extents_summarise_banks(chunk);
	return !loom_mask_overlaps(&chunk->own.banks, banks);
}

/* The number of blocks that start at @start or below. */
static u32 few_rank(struct loom_partial_chunk *chunk, u64 start)
{
	u32 low = 0, left = chunk->count, half;

	while (left) {
		half = (left + 1) / 2;
		low += loom_partial_entry(chunk, low + half - 1)->start <= start ? half : 0;
		left -= half;
	}
	return low;
}

static __always_inline bool few_first_of(struct loom_bank *bank, const struct few_range *range,
					 u32 words, bool top_down, struct few_place *place)
{
	return top_down ? few_down(few_chunk(bank), range, bank->on_all, words, place) :
			  few_up(few_chunk(bank), range, words, place);
}

/* The first place from the end that the request names. False: there is none. */
static __always_inline bool few_first(struct loom_bank *bank,
				      const struct loom_bank_request *request,
				      const struct loom_mask *banks, struct few_place *place)
{
	u64 low = max(request->low, bank->base), high = min(request->high, bank->limit);
	u64 size = request->size, mask = request->align - 1, near_end, end;
	struct few_range range = { .banks = banks, .size = size, .align_mask = mask };
	struct loom_partial_chunk *chunk = few_chunk(bank);
	bool found;

	if (check_add_overflow(bank->limit, mask, &end) || check_add_overflow(end, size, &end))
		return few_first_checked(bank, request, banks, place);
	if (low > high || high - low < size)
		return false;
	range.lowest = (low + mask) & ~mask;
	range.highest = (high - size) & ~mask;
	if (range.lowest > range.highest)
		return false;
	near_end = request->top_down ? range.highest : range.lowest;
	if (bank->few_quiet >= FEW_QUIET && few_misses(chunk, banks)) {
		place->start = near_end;
		place->index = few_rank(chunk, near_end);
		return true;
	}
	if (bank->partials.words == 1)
		found = few_first_of(bank, &range, 1, request->top_down, place);
	else if (bank->partials.words <= 3)
		found = few_first_of(bank, &range, 3, request->top_down, place);
	else
		found = few_first_of(bank, &range, LOOM_MASK_WORDS, request->top_down, place);
	bank->few_quiet = place->start == near_end ? bank->few_quiet + 1 : 0;
	return found;
}

/* --- best fit and near fit */

/**
 * struct few_hole - free bytes between two blocks on all banks, or an end of the bank
 * @start: first byte
 * @end: first byte behind it
 * @first: index of the first block that starts in it
 * @past: that of the block on all banks behind it, or the number of blocks
 */
struct few_hole {
	u64 start;
	u64 end;
	u32 first;
	u32 past;
};

/* The hole from @first on. */
static __always_inline void few_hole_up(const struct loom_bank *bank, struct few_hole *hole,
					u32 first)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);

	hole->start = first ? loom_partial_entry(chunk, first - 1)->end : bank->base;
	hole->first = first;
	hole->past = first;
	while (hole->past < chunk->count && !few_on_all(bank, chunk, hole->past))
		hole->past++;
	hole->end = hole->past < chunk->count ? loom_partial_entry(chunk, hole->past)->start :
						bank->limit;
}

/* The hole up to @past. */
static __always_inline void few_hole_down(const struct loom_bank *bank, struct few_hole *hole,
					  u32 past)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);

	hole->end = past < chunk->count ? loom_partial_entry(chunk, past)->start : bank->limit;
	hole->first = past;
	hole->past = past;
	while (hole->first && !few_on_all(bank, chunk, hole->first - 1))
		hole->first--;
	hole->start = hole->first ? loom_partial_entry(chunk, hole->first - 1)->end : bank->base;
}

/* The first hole from the end that is named. It may have no bytes. */
static __always_inline void few_hole_begin(const struct loom_bank *bank, struct few_hole *hole,
					   bool top_down)
{
	if (top_down)
		few_hole_down(bank, hole, few_chunk(bank)->count);
	else
		few_hole_up(bank, hole, 0);
}

/* The next one. False: there is no more. */
static __always_inline bool few_hole_next(const struct loom_bank *bank, struct few_hole *hole,
					  bool top_down)
{
	if (top_down ? !hole->first : hole->past == few_chunk(bank)->count)
		return false;
	if (top_down)
		few_hole_down(bank, hole, hole->first - 1);
	else
		few_hole_up(bank, hole, hole->past + 1);
	return true;
}

/* Moves a place in a hole up past the blocks that are in the way. False: to its end. */
static bool few_between_up(struct loom_partial_chunk *chunk, const struct few_hole *hole,
			   const struct loom_bank_request *request, u64 *start)
{
	u64 highest = min(hole->end, request->high) - request->size, mask = request->align - 1;
	u64 at = *start;
	u32 k;

	for (k = hole->first; k < hole->past; k++) {
		const struct loom_partial_entry *entry = loom_partial_entry(chunk, k);

		if (entry->start >= at + request->size)
			break;
		if (entry->end <= at)
			continue;
		if (check_add_overflow(entry->end, mask, &at))
			return false;
		at &= ~mask;
		if (at > highest)
			return false;
	}
	*start = at;
	return true;
}

/* The same down. */
static bool few_between_down(struct loom_partial_chunk *chunk, const struct few_hole *hole,
			     const struct loom_bank_request *request, u64 *start)
{
	u64 lowest = max(hole->start, request->low), size = request->size, at = *start;
	u32 k = hole->past;

	while (k-- > hole->first) {
		const struct loom_partial_entry *entry = loom_partial_entry(chunk, k);

		if (entry->start >= at + size || entry->end <= at)
			continue;
		if (entry->start < size)
			return false;
		at = (entry->start - size) & ~(request->align - 1);
		if (at < lowest)
			return false;
	}
	*start = at;
	return true;
}

/* Where the request goes in a hole. @tries: how often there was no place for partial blocks. */
static bool few_fit(struct loom_bank *bank, const struct few_hole *hole,
		    const struct loom_bank_request *request, u64 *start, u32 *tries)
{
	bool fits;

	if (!loom_bank_fit(hole->start, hole->end - hole->start, request, start))
		return false;
	if (hole->first == hole->past)
		return true;
	fits = request->top_down ? few_between_down(few_chunk(bank), hole, request, start) :
				   few_between_up(few_chunk(bank), hole, request, start);
	*tries += !fits;
	return fits;
}

static __always_inline bool few_near_from(struct loom_bank *bank,
					  const struct loom_bank_request *request,
					  struct few_place *place, bool top_down)
{
	u64 least = U64_MAX, start, loss, bytes;
	/* a hole that is looked at stays in registers */
	struct few_hole hole, copy;
	bool found = false;
	u32 tries = 0;

	few_hole_begin(bank, &hole, top_down);
	do {
		bytes = hole.end - hole.start;
		/* all that follow are even farther away */
		if (loom_flat_far(loom_bank_distance(bank, hole.start, bytes, top_down)) >= least)
			break;
		if (bytes < request->size || bytes - request->size >= least)
			continue;
		copy = hole;
		if (!few_fit(bank, &copy, request, &start, &tries))
			continue;
		loss = loom_bank_loss(bank, request, bytes, start);
		if (loss >= least)
			continue;
		least = loss;
		place->start = start;
		place->index = hole.first;
		found = true;
	} while (tries < LOOM_BANK_TRIES && few_hole_next(bank, &hole, top_down));
	return found;
}

static bool few_near(struct loom_bank *bank, const struct loom_bank_request *request,
		     struct few_place *place)
{
	if (request->top_down)
		return few_near_from(bank, request, place, true);
	return few_near_from(bank, request, place, false);
}

/* The hole that best fit tries first. False: none has so many bytes. */
static bool few_least(const struct loom_bank *bank, u64 bytes, bool top_down,
		      struct few_hole *found)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);
	u64 least = U64_MAX, end = bank->base, on_all = bank->on_all, cost;
	u32 count = chunk->count, past = count, k;

	for (k = 0; k < count; k++) {
		u32 slot = loom_partial_slot(chunk, k);
		const struct loom_partial_entry *entry = &chunk->entry[slot];

		if (!(on_all >> slot & 1))
			continue;
		/* wraps around for one that is too small */
		cost = entry->start - end - bytes;
		past = cost < least || (top_down && cost == least) ? k : past;
		least = min(least, cost);
		end = entry->end;
	}
	cost = bank->limit - end - bytes;
	if (cost < least || (top_down && cost == least))
		past = count;
	least = min(least, cost);
	if (least > U64_MAX - bytes)
		return false;
	few_hole_down(bank, found, past);
	return true;
}

/* The hole that best fit tries after @last, of at least so many bytes. False: there is none. */
static bool few_tightest(const struct loom_bank *bank, u64 bytes, bool top_down,
			 const struct few_hole *last, struct few_hole *found)
{
	u64 least = U64_MAX, last_bytes = last->end - last->start;
	bool passed = false, any = false;
	struct few_hole hole;

	few_hole_begin(bank, &hole, top_down);
	do {
		u64 size = hole.end - hole.start;

		if (size >= bytes && (size < least || !any) &&
		    (size > last_bytes || (size == last_bytes && passed))) {
			least = size;
			*found = hole;
			any = true;
		}
		passed |= hole.first == last->first;
	} while (few_hole_next(bank, &hole, top_down));
	return any;
}

static bool few_best(struct loom_bank *bank, const struct loom_bank_request *request,
		     struct few_place *place)
{
	struct few_hole hole, last;
	u32 tries = 0;
	bool any;

	/* it nearly always fits; if not, the next one by size, then from the end */
	any = few_least(bank, request->size, request->top_down, &hole);
	while (any && tries < LOOM_BANK_TRIES) {
		if (few_fit(bank, &hole, request, &place->start, &tries)) {
			place->index = hole.first;
			return true;
		}
		last = hole;
		any = few_tightest(bank, request->size, request->top_down, &last, &hole);
	}
	return false;
}

/* Whether the policy has found a better place than the first one. */
static noinline bool few_chosen(struct loom_bank *bank, const struct loom_bank_request *request,
				struct few_place *place)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);
	struct few_hole hole;

	if (request->low > bank->base && bank->policy == LOOM_BANK_BEST_FIT) {
		few_hole_up(bank, &hole, 0);
		bank->head.hole = hole.end - hole.start;
	}
	if (!loom_bank_chooses(bank, request))
		return false;
	if (bank->policy == LOOM_BANK_NEAR_FIT ? !few_near(bank, request, place) :
						 !few_best(bank, request, place))
		return false;
	/* behind the partial blocks in the hole that start below */
	for (; place->index < chunk->count; place->index++)
		if (loom_partial_entry(chunk, place->index)->start > place->start)
			break;
	return true;
}

/* --- change */

/* Puts a block into the order. */
static __always_inline void few_put(struct loom_partial_chunk *chunk, u32 index,
				    struct loom_bank_block *block, const struct loom_mask *banks)
{
	struct loom_partial_entry *entry = loom_chunk_put(chunk, index, block);

	entry->start = block->start;
	entry->end = block->start + block->size;
	entry->mask = *banks;
	entry->classes = 0;
	entry->block = block;
}

int loom_few_alloc(struct loom_bank *bank, struct loom_bank_block *block,
		   const struct loom_bank_request *request, const struct loom_mask *banks,
		   bool partial)
{
	struct loom_partials *partials = &bank->partials;
	struct loom_partial_chunk *chunk = few_chunk(bank);
	u64 some = -(u64)partial;
	struct few_place place;

	if ((bank->policy == LOOM_BANK_FIRST_FIT || partial ||
	     !few_chosen(bank, request, &place)) && !few_first(bank, request, banks, &place))
		return -ENOSPC;
	block->start = place.start;
	block->size = request->size;
	block->bank = bank;
	block->partial = partial;
	block->mask = *banks;
	few_put(chunk, place.index, block, banks);
	if (bank->few_quiet >= FEW_QUIET)
		loom_mask_add(&chunk->own.banks, banks);
	else
		chunk->gone = U32_MAX;
	bank->blocks++;
	/* which kind comes next is as good as random, so there is no branch for it */
	partials->count += partial;
	partials->noted += !partial;
	partials->longest = max(partials->longest, block->size & some);
	if (partials->bytes_known && partial)
		loom_partials_count(partials, banks, block->size);
	bank->on_all |= (u64)!partial << block->slot;
	bank->allocated += block->size & ~some;
	return 0;
}

void loom_few_free(struct loom_bank *bank, struct loom_bank_block *block)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);
	struct loom_partials *partials = &bank->partials;

	loom_chunk_drop(chunk, loom_chunk_index(chunk, block->slot));
	chunk->gone += chunk->gone <= LOOM_PARTIAL_FAN;
	block->bank = NULL;
	bank->blocks--;
	partials->count -= block->partial;
	partials->noted -= !block->partial;
	if (partials->bytes_known && block->partial)
		loom_partials_count(partials, &block->mask, -block->size);
	if (!partials->count)
		loom_join_forget(bank);
	bank->on_all &= ~(1ULL << block->slot);
	bank->allocated -= block->size & ((u64)block->partial - 1);
	bank->few_unused = (bank->few_unused + 1) &
			   -(u32)(partials->count * 2 * LOOM_FEW_SHARE < bank->blocks);
}

/* --- going over */

void loom_few_enter(struct loom_bank *bank)
{
	struct loom_partials *partials = &bank->partials;
	struct loom_partial_chunk *chunk;
	struct loom_bank_block *block;
	u32 index;

	loom_partials_gather(partials);
	chunk = few_chunk(bank);
	index = chunk->count;
	bank->on_all = 0;
	for (block = bank->last; block != &bank->head; block = block->neighbour[LOW]) {
		if (!partials->joined) {
			while (index && loom_partial_entry(chunk, index - 1)->start > block->start)
				index--;
			few_put(chunk, index, block, &bank->all);
		}
		bank->on_all |= 1ULL << block->slot;
	}
	loom_flat_clear(&bank->flat);
	bank->head.neighbour[HIGH] = NULL;
	bank->last = &bank->head;
	partials->joined = false;
	partials->noted = bank->blocks - partials->count;
	partials->worth = 0;
	bank->few_unused = 0;
	bank->few_quiet = 0;
	bank->is_few = true;
}

void loom_few_leave(struct loom_bank *bank)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);
	struct loom_bank_block *last = &bank->head, *block;
	u32 k = 0;

	while (k < chunk->count) {
		if (!few_on_all(bank, chunk, k)) {
			k++;
			continue;
		}
		block = loom_partial_entry(chunk, k)->block;
		loom_chunk_drop(chunk, k);
		last->hole = block->start - last->start - last->size;
		last->neighbour[HIGH] = block;
		block->neighbour[LOW] = last;
		last = block;
	}
	last->hole = bank->limit - last->start - last->size;
	last->neighbour[HIGH] = NULL;
	bank->last = last;
	bank->partials.noted = 0;
	loom_flat_refill(&bank->flat, &bank->head);
	chunk->gone = U32_MAX;
	chunk->is_sparse = false;
	if (!chunk->count) {
		/* it may be freed */
		loom_partials_clear(&bank->partials);
		loom_partials_trim(&bank->partials, 0);
	}
	bank->is_few = false;
}

/* --- what is known */

u64 loom_few_lowest(const struct loom_bank *bank)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);

	return chunk->count ? loom_partial_entry(chunk, 0)->start : bank->limit;
}

struct loom_bank_block *loom_few_find(const struct loom_bank *bank, u64 address)
{
	struct loom_partial_chunk *chunk = few_chunk(bank);
	u32 k;

	for (k = 0; k < chunk->count; k++)
		if (few_on_all(bank, chunk, k) && loom_partial_entry(chunk, k)->end > address)
			return loom_partial_entry(chunk, k)->block;
	return NULL;
}
