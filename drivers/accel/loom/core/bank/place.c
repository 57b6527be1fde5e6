// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "chunk.h"
#include "place.h"

/* The place for a block, by the policy of its bank. Policies and limits: bank.c. */

/**
 * struct loom_bank_search - a search for a hole in all banks
 * @bank: the bank
 * @request: the request
 * @policy: the policy
 * @size: minimum size of a hole
 * @start: place in the best hole so far
 * @distance: of this place from the end that the request names
 * @cost: of this place
 * @most: limit of the bytes left over in a better hole
 * @found: whether @start is valid
 * @more: chunks that were read after it was found
 */
struct loom_bank_search {
	const struct loom_bank *bank;
	const struct loom_bank_request *request;
	enum loom_bank_policy policy;
	u64 size;
	u64 start;
	u64 distance;
	u64 cost;
	u64 most;
	bool found;
	u32 more;
};

/* Rounds up to the alignment. False on overflow. */
static bool loom_bank_align(u64 address, u64 align, u64 *start)
{
	bool overflows = check_add_overflow(address, align - 1, start);

	*start &= ~(align - 1);
	return !overflows;
}

/* Where the request goes in a hole of its size or more. False: its alignment does not allow it. */
static bool loom_bank_fit(u64 hole, u64 end, const struct loom_bank_request *request, u64 *start)
{
	if (request->top_down) {
		*start = (end - request->size) & ~(request->align - 1);
		return *start >= hole;
	}
	return loom_bank_align(hole, request->align, start) && *start <= end - request->size;
}

/* The cost of a place; rises with both. */
static u64 loom_bank_cost(enum loom_bank_policy policy, u64 left, u64 distance)
{
	u64 cost;

	if (policy == LOOM_BANK_FIRST_FIT)
		return distance;
	if (policy == LOOM_BANK_BEST_FIT)
		return left;
	/* a sum that is too large is that of a place in a hole of nearly all addresses */
	return check_add_overflow(left, distance / 16 + distance / 32, &cost) ? U64_MAX : cost;
}

/* Compares a hole, which lies in the range, with the best one so far. */
static void loom_bank_try(struct loom_bank_search *search, u64 hole, u64 end)
{
	const struct loom_bank_request *request = search->request;
	u64 start, distance, cost;

	if (!loom_bank_fit(hole, end, request, &start))
		return;
	distance = request->top_down ? search->bank->limit - start - request->size :
				       start - search->bank->base;
	cost = loom_bank_cost(search->policy, end - hole - request->size, distance);
	if (search->found &&
	    (cost > search->cost || (cost == search->cost && distance > search->distance)))
		return;
	search->found = true;
	search->cost = cost;
	if (search->policy != LOOM_BANK_FIRST_FIT)
		search->most = min(search->most, cost);
	search->distance = distance;
	search->start = start;
}

/* The same, for the part of a hole inside of the range, which may be too small. */
static void loom_bank_clip(struct loom_bank_search *search, u64 hole, u64 end)
{
	hole = max(hole, search->request->low);
	end = min(end, search->request->high);
	if (hole < end && end - hole >= search->size)
		loom_bank_try(search, hole, end);
}

/*
 * Whether no hole at this distance or farther can be better than the best one so far (lower bound).
 */
static bool loom_bank_is_best(const struct loom_bank_search *search, u64 distance)
{
	return search->found && (search->more == LOOM_BANK_MORE ||
				 search->cost <= loom_bank_cost(search->policy, 0, distance));
}

/* The holes before the blocks of a chunk. False: there is no need to go on. */
static bool loom_bank_try_chunk(struct loom_bank_search *search,
				const struct loom_bank_chunk *chunk)
{
	const struct loom_bank_chunk *low = chunk->neighbour[LOW];
	const struct loom_bank_request *request = search->request;
	u64 at = low ? loom_chunk_reach(low) : search->bank->base, end;
	u64 last = chunk->entry[chunk->count - 1].start;
	u32 i;

	if (request->top_down ? last <= request->low : at >= request->high)
		return false;
	if (loom_bank_is_best(search, request->top_down ? search->bank->limit - last :
							  at - search->bank->base))
		return false;
	at = max(at, request->low);
	for (i = 0; i < chunk->count; i++) {
		end = min(chunk->entry[i].start, request->high);
		/* wraps above @most if the hole is too small */
		if (end > at && end - at - search->size <= search->most)
			loom_bank_try(search, at, end);
		at = max(at, chunk->entry[i].end);
	}
	search->more += search->found;
	return true;
}

/* Where a search begins: the chunk whose holes contain the near end of the range. */
static struct loom_bank_chunk *loom_bank_begin(const struct loom_bank *bank,
					       const struct loom_bank_request *request)
{
	struct loom_bank_chunk *chunk = loom_chunk_at(bank, request->top_down ? request->high :
										 request->low);

	return chunk && request->top_down && chunk->neighbour[HIGH] ? chunk->neighbour[HIGH] :
								      chunk;
}

/* Search holes in all banks of @size or more. Return: whether the search was complete. */
static bool loom_bank_search(struct loom_bank_search *search)
{
	const struct loom_bank_request *request = search->request;
	const struct loom_bank *bank = search->bank;
	struct loom_bank_chunk *chunk = loom_bank_begin(bank, request);
	u64 end = bank->root ? bank->root->subtree.end : bank->base;
	int side = request->top_down ? LOW : HIGH;
	u32 left = LOOM_BANK_CHUNKS;

	search->most = U64_MAX - search->size;
	if (request->top_down)
		loom_bank_clip(search, end, bank->limit);
	if (chunk && chunk->own.hole < search->size)
		chunk = loom_chunk_following(chunk, search->size, NULL, side);
	while (chunk && left-- && loom_bank_try_chunk(search, chunk))
		chunk = loom_chunk_following(chunk, search->size, NULL, side);
	if (!request->top_down && !loom_bank_is_best(search, end - bank->base))
		loom_bank_clip(search, end, bank->limit);
	return left != U32_MAX;
}

/* --- some banks */

/**
 * struct loom_bank_scan - a search by first fit between the blocks on some banks
 * @low: lowest place
 * @high: highest one
 * @align: of both
 * @size: bytes
 * @mask: banks
 * @start: the candidate: there is no place before it
 */
struct loom_bank_scan {
	u64 low;
	u64 high;
	u64 align;
	u64 size;
	const struct loom_mask *mask;
	u64 start;
};

/* The entries of a chunk that are on one of the banks, as a bit mask. */
static u64 loom_bank_hits(const struct loom_bank_chunk *chunk, const struct loom_mask *mask)
{
	u64 hits = 0;
	u32 i;

	/* without branches, which would be mispredicted */
	for (i = chunk->count; i--;)
		hits = hits << 1 | loom_mask_overlaps(&chunk->entry[i].mask, mask);
	return hits;
}

/* Moves the candidate up past the blocks of a chunk. False: out of the range. */
static bool loom_bank_pass_up(struct loom_bank_scan *scan, const struct loom_bank_chunk *chunk)
{
	const struct loom_bank_entry *entry;
	u64 hits;

	for (hits = loom_bank_hits(chunk, scan->mask); hits; hits &= hits - 1) {
		entry = &chunk->entry[__builtin_ctzll(hits)];
		if (entry->start >= scan->start + scan->size)
			return true;
		if (entry->end > scan->start &&
		    (!loom_bank_align(entry->end, scan->align, &scan->start) ||
		     scan->start > scan->high))
			return false;
	}
	return true;
}

/* The same down. */
static bool loom_bank_pass_down(struct loom_bank_scan *scan, const struct loom_bank_chunk *chunk)
{
	const struct loom_bank_entry *entry;
	u64 hits;
	u32 i;

	for (hits = loom_bank_hits(chunk, scan->mask); hits; hits ^= 1ULL << i) {
		i = 63 - (u32)__builtin_clzll(hits);
		entry = &chunk->entry[i];
		if (entry->end <= scan->start || entry->start >= scan->start + scan->size)
			continue;
		if (entry->start < scan->low + scan->size)
			return false;
		/* not below the lowest place, which is aligned */
		scan->start = (entry->start - scan->size) & ~(scan->align - 1);
	}
	return true;
}

/* Return: 0; -ENOSPC if there is no place; -EAGAIN if more chunks would have to be read. */
static int loom_bank_scan_up(const struct loom_bank *bank, struct loom_bank_scan *scan)
{
	struct loom_bank_chunk *chunk = loom_chunk_above(bank, scan->start);
	u32 left = LOOM_BANK_CHUNKS;

	for (; chunk && chunk->entry[0].start < scan->start + scan->size;
	     chunk = loom_chunk_following(chunk, 0, scan->mask, HIGH)) {
		if (!left--)
			return -EAGAIN;
		if (!loom_bank_pass_up(scan, chunk))
			return -ENOSPC;
	}
	return 0;
}

/* The same. A block of a chunk below may reach higher than all of those above it. */
static int loom_bank_scan_down(const struct loom_bank *bank, struct loom_bank_scan *scan)
{
	struct loom_bank_chunk *chunk = loom_chunk_at(bank, scan->start + scan->size - 1);
	u32 left = LOOM_BANK_CHUNKS;

	for (; chunk && loom_chunk_reach(chunk) > scan->start;
	     chunk = loom_chunk_following(chunk, 0, scan->mask, LOW)) {
		if (!left--)
			return -EAGAIN;
		if (!loom_bank_pass_down(scan, chunk))
			return -ENOSPC;
	}
	return 0;
}

/* The place for a request on some banks; -EAGAIN as above. */
static int loom_bank_place_some(const struct loom_bank *bank,
				const struct loom_bank_request *request,
				const struct loom_mask *mask, u64 *start)
{
	struct loom_bank_scan scan = {
		.align = request->align,
		.size = request->size,
		.mask = mask,
	};
	u64 low = max(bank->base, request->low), high = min(bank->limit, request->high);
	int ret;

	if (low >= high || high - low < request->size ||
	    !loom_bank_align(low, request->align, &scan.low))
		return -ENOSPC;
	scan.high = (high - request->size) & ~(request->align - 1);
	if (scan.low > scan.high)
		return -ENOSPC;
	scan.start = request->top_down ? scan.high : scan.low;
	ret = request->top_down ? loom_bank_scan_down(bank, &scan) : loom_bank_scan_up(bank, &scan);
	*start = scan.start;
	return ret;
}

bool loom_bank_place(const struct loom_bank *bank, const struct loom_bank_request *request,
		     const struct loom_mask *mask, u64 *start)
{
	struct loom_bank_search search = {
		.bank = bank,
		.request = request,
		.policy = bank->policy,
		.size = request->size,
	};
	int ret;

	if (mask) {
		ret = loom_bank_place_some(bank, request, mask, start);
		if (ret != -EAGAIN)
			return !ret;
	} else if (loom_bank_search(&search) || search.found) {
		*start = search.start;
		return search.found;
	}
	/*
	 * Any hole in all banks that has room whatever its alignment is. The sum does not overflow,
	 * as there are LOOM_BANK_CHUNKS holes or blocks of the size, or places for it.
	 */
	search.policy = LOOM_BANK_FIRST_FIT;
	search.size = request->size + request->align - 1;
	loom_bank_search(&search);
	*start = search.start;
	return search.found;
}
