/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_PLACE_H
#define LOOM_PLACE_H

#include "join.h"
#include "scan.h"

/**
 * struct loom_bank_place - a place for a block
 * @node: the block that the hole is behind; NULL if there is no place
 * @start: where the block goes
 * @above: where it goes in the order of partial blocks, see loom_partials_insert(), if it is known
 */
struct loom_bank_place {
	struct loom_bank_block *node;
	u64 start;
	struct loom_partial_cursor above;
};

/* Holes without room between partial blocks that a search for the best one looks at. */
#define LOOM_BANK_TRIES	16

/* Where the request goes in a hole. False: it does not fit. */
static inline bool loom_bank_fit(u64 hole, u64 bytes, const struct loom_bank_request *request,
				 u64 *address)
{
	u64 low = max(hole, request->low);
	u64 high = min(hole + bytes, request->high);
	u64 start;

	if (low > high || high - low < request->size)
		return false;
	if (request->top_down) {
		start = (high - request->size) & ~(request->align - 1);
		if (start < low)
			return false;
	} else {
		if (check_add_overflow(low, request->align - 1, &start))
			return false;
		start &= ~(request->align - 1);
		if (start > high - request->size)
			return false;
	}
	*address = start;
	return true;
}

/* Bytes of the bank between a hole, or a block, and the end that the request names. */
static inline u64 loom_bank_distance(const struct loom_bank *bank, u64 start, u64 bytes,
				     bool top_down)
{
	return top_down ? bank->limit - start - bytes : start - bank->base;
}

/*
 * Near fit: what is least in the hole that a request gets, for a place in one of so many bytes. In
 * a bank of nearly all addresses it may be more than fits; such places are all the same.
 */
static inline u64 loom_bank_loss(const struct loom_bank *bank,
				 const struct loom_bank_request *request, u64 bytes, u64 start)
{
	u64 far = loom_flat_far(loom_bank_distance(bank, start, request->size, request->top_down));

	return bytes - request->size + min(far, U64_MAX - bytes);
}

/* Finds a place on all banks for a valid request. */
void loom_bank_search(struct loom_bank *bank, const struct loom_bank_request *request,
		      struct loom_bank_place *place);

/*
 * Moves the candidate of a scan that has begun on to a place between both kinds of blocks, which
 * are not joined. Return: the block on all banks that it is behind.
 */
struct loom_bank_block *loom_bank_search_apart(struct loom_bank *bank,
					       const struct loom_bank_request *request,
					       struct loom_scan *scan);

/*
 * By first fit between both kinds of blocks. Return: the block on all banks that the place is
 * behind; NULL if that is not known, as they are joined or there is none.
 */
static inline struct loom_bank_block *
loom_bank_search_between(struct loom_bank *bank, const struct loom_bank_request *request,
			 const struct loom_mask *banks, struct loom_scan *scan)
{
	loom_scan_begin(scan, &bank->partials, request, banks, max(request->low, bank->base),
			min(request->high, bank->limit));
	scan->on_all = banks == &bank->all;
	if (!loom_join_is_one(bank))
		return loom_bank_search_apart(bank, request, scan);
	loom_partials_search(&bank->partials, scan);
	return NULL;
}

/* The last block on all banks that starts at @address or below, or the head. */
struct loom_bank_block *loom_bank_at(struct loom_bank *bank, u64 address);

/* Whether the policy has a better answer for the request than first fit. */
static inline bool loom_bank_chooses(const struct loom_bank *bank,
				     const struct loom_bank_request *request)
{
	if (bank->policy == LOOM_BANK_BEST_FIT)
		return request->high >= bank->limit &&
		       request->low - min(bank->base, request->low) <= bank->head.hole;
	return bank->policy == LOOM_BANK_NEAR_FIT;
}

/*
 * The hole for a request without an alignment, while the holes are flat and no block is partial.
 * U32_MAX if there is none.
 */
static inline u32 loom_bank_flat_hole(const struct loom_bank *bank,
				      const struct loom_bank_request *request)
{
	const struct loom_flat *flat = &bank->flat;
	bool top_down = request->top_down;

	if (!loom_bank_chooses(bank, request))
		return loom_flat_first(flat, request->size, top_down);
	if (bank->policy == LOOM_BANK_BEST_FIT)
		return loom_flat_tightest(flat, request->size, top_down);
	return loom_flat_nearest(flat, request->size, top_down);
}

#endif /* LOOM_PLACE_H */
