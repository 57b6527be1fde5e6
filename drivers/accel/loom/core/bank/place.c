// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "join.h"
#include "place.h"
#include "scan.h"
#include "tree.h"

/* Where a block goes, by the policy of its bank. Which policies there are, and why: bank.c. */

enum { LOW, HIGH };

/* Of two holes, whether the first is farther from the end that the request names. */
static bool loom_bank_later(u64 hole, u64 other, bool top_down)
{
	bool above = hole > other;

	return above != top_down;
}

/* By first fit where the first hole is no place: by its alignment, or because of a range. */
static void loom_bank_flat_first_fitting(const struct loom_bank *bank,
					 const struct loom_bank_request *request,
					 struct loom_bank_place *place)
{
	const struct loom_flat *flat = &bank->flat;
	u64 best = U64_MAX, far, start;
	u32 i;

	for (i = 0; i < flat->count; i++) {
		far = request->top_down ? ~(flat->start[i] + flat->size[i]) : flat->start[i];
		if (flat->size[i] < request->size || far >= best ||
		    !loom_bank_fit(flat->start[i], flat->size[i], request, &start))
			continue;
		best = far;
		place->node = flat->block[i];
		place->start = start;
	}
}

/* The place by first fit while the holes are flat. */
static void loom_bank_flat_first(const struct loom_bank *bank,
				 const struct loom_bank_request *request,
				 struct loom_bank_place *place)
{
	const struct loom_flat *flat = &bank->flat;
	u32 i = loom_flat_first(flat, request->size, request->top_down);

	if (i == U32_MAX)
		return;
	if (loom_bank_fit(flat->start[i], flat->size[i], request, &place->start))
		place->node = flat->block[i];
	else
		loom_bank_flat_first_fitting(bank, request, place);
}

/* The first node from the end that the request names, or from its range, with a hole so large. */
static struct loom_bank_block *loom_bank_tree_begin(struct loom_bank *bank,
						    const struct loom_bank_request *request)
{
	int side = request->top_down ? HIGH : LOW;
	struct loom_bank_block *node;

	/* Start with the hole that contains the near end of the range, or with the first one. */
	if (request->top_down ? request->high < bank->limit : request->low > bank->base) {
		node = loom_tree_at(bank, request->top_down ? request->high : request->low);
		if (node->hole < request->size)
			node = loom_tree_following(node, request->size, side);
		return node;
	}
	if (loom_tree_max_hole(bank->root) < request->size)
		return NULL;
	return loom_tree_first(bank->root, request->size, side);
}

/* The next node with a hole so large, unless that is behind the range. */
static struct loom_bank_block *loom_bank_tree_next(struct loom_bank_block *node,
						   const struct loom_bank_request *request)
{
	u64 hole;

	node = loom_tree_following(node, request->size, request->top_down ? HIGH : LOW);
	if (!node)
		return NULL;
	hole = node->start + node->size;
	if (request->top_down ? hole + node->hole <= request->low : hole >= request->high)
		return NULL;
	return node;
}

static void loom_bank_tree_first(struct loom_bank *bank, const struct loom_bank_request *request,
				 struct loom_bank_place *place)
{
	struct loom_bank_block *node;

	for (node = loom_bank_tree_begin(bank, request); node;
	     node = loom_bank_tree_next(node, request)) {
		if (!loom_bank_fit(node->start + node->size, node->hole, request, &place->start))
			continue;
		place->node = node;
		return;
	}
}

static void loom_bank_first(struct loom_bank *bank, const struct loom_bank_request *request,
			    struct loom_bank_place *place)
{
	place->node = NULL;
	if (bank->is_flat)
		loom_bank_flat_first(bank, request, place);
	else
		loom_bank_tree_first(bank, request, place);
}

/*
 * Moves the candidate of a scan past the blocks on all banks, from @node on, of which none but the
 * last may be in the way: @node becomes the one that the candidate is behind. Return: whether it
 * has moved.
 */
static bool loom_bank_pass_up(struct loom_scan *scan, struct loom_bank_block **node)
{
	struct loom_bank_block *next;
	bool moved = false;

	while (!scan->failed && (next = (*node)->neighbour[HIGH]) &&
	       next->start < scan->at + scan->size) {
		*node = next;
		scan->looks++;
		if (next->start + next->size <= scan->at)
			continue;
		loom_scan_move(scan, next->start + next->size);
		moved = true;
	}
	return moved;
}

static bool loom_bank_pass_down(struct loom_scan *scan, struct loom_bank_block **node)
{
	struct loom_bank_block *at = *node;
	bool moved = false;

	/* that ends with the head, which has no bytes */
	while (!scan->failed && at->start + at->size > scan->at) {
		if (at->start < scan->at + scan->size) {
			loom_scan_move(scan, at->start);
			moved = true;
		}
		at = at->neighbour[LOW];
		scan->looks++;
	}
	*node = at;
	return moved;
}

static bool loom_bank_pass(struct loom_scan *scan, struct loom_bank_block **node)
{
	return scan->top_down ? loom_bank_pass_down(scan, node) : loom_bank_pass_up(scan, node);
}

/* By first fit along both kinds of blocks at once, on all banks from @node on. */
static struct loom_bank_block *loom_bank_first_in_list(struct loom_bank *bank,
						       struct loom_scan *scan,
						       struct loom_bank_block *node)
{
	loom_join_credit(bank, loom_bank_on_all(bank) + LOOM_JOIN_TURN);
	do {
		scan->looks += LOOM_JOIN_TURN;
		loom_partials_search(&bank->partials, scan);
	} while (loom_bank_pass(scan, &node) && !scan->failed);
	return node;
}

/*
 * While there is a tree: both move the other's candidate on until they agree. Where many of both
 * kinds lie side by side that takes hundreds of turns; after a few, they are passed one by one.
 */
static struct loom_bank_block *loom_bank_first_in_tree(struct loom_bank *bank,
						       struct loom_scan *scan,
						       const struct loom_bank_request *request)
{
	struct loom_bank_request in_all = *request;
	struct loom_bank_place other;
	u32 turn;

	for (turn = 0; turn < LOOM_BANK_TRIES; turn++) {
		loom_partials_search(&bank->partials, scan);
		if (scan->failed)
			return NULL;
		if (request->top_down)
			in_all.high = scan->at + request->size;
		else
			in_all.low = scan->at;
		loom_bank_first(bank, &in_all, &other);
		if (!other.node) {
			scan->failed = true;
			return NULL;
		}
		if (other.start == scan->at)
			return other.node;
		loom_scan_move(scan, other.start + (request->top_down ? request->size : 0));
		if (scan->failed)
			return NULL;
		loom_join_credit(bank, LOOM_JOIN_TURN);
		scan->looks += LOOM_JOIN_TURN;
	}
	loom_join_credit(bank, min(loom_bank_on_all(bank), LOOM_JOIN_MOST));
	loom_scan_restart(scan, &bank->partials);
	do {
		loom_partials_scan(&bank->partials, scan);
	} while (loom_bank_pass(scan, &other.node) && !scan->failed);
	return other.node;
}

struct loom_bank_block *loom_bank_search_apart(struct loom_bank *bank,
					       const struct loom_bank_request *request,
					       struct loom_scan *scan)
{
	if (!bank->is_flat)
		return loom_bank_first_in_tree(bank, scan, request);
	return loom_bank_first_in_list(bank, scan, request->top_down ? bank->last : &bank->head);
}

struct loom_bank_block *loom_bank_at(struct loom_bank *bank, u64 address)
{
	struct loom_bank_block *node;

	if (!bank->is_flat)
		return loom_tree_at(bank, address);
	/* from the last hole below on */
	node = loom_flat_at(&bank->flat, address);
	if (!node)
		node = &bank->head;
	while (node->neighbour[HIGH] && node->neighbour[HIGH]->start <= address)
		node = node->neighbour[HIGH];
	return node;
}

/* The same; if it is not far below @above, found from there. */
static struct loom_bank_block *loom_bank_below(struct loom_bank *bank, u64 address,
					       struct loom_partial_cursor above)
{
	const struct loom_partial_entry *entry;
	u32 step;

	for (step = 0; above.chunk && step < LOOM_BANK_TRIES; step++) {
		if (!above.index) {
			above.chunk = above.chunk->neighbour[LOW];
			if (!above.chunk)
				return &bank->head;
			above.index = above.chunk->count;
		}
		entry = loom_partial_entry(above.chunk, --above.index);
		/* that is to say, it is not partial, without a look at the block itself */
		if (entry->start <= address && loom_mask_same(&entry->mask, &bank->all))
			return entry->block;
	}
	return loom_bank_at(bank, address);
}

/* The place by first fit beside partial blocks. */
static void loom_bank_first_around(struct loom_bank *bank, const struct loom_bank_request *request,
				   struct loom_bank_place *place)
{
	struct loom_bank_block *node;
	struct loom_scan scan;

	node = loom_bank_search_between(bank, request, &bank->all, &scan);
	bank->partials.looks += scan.looks;
	if (scan.failed)
		return;
	place->start = scan.at;
	place->above = scan.from;
	place->node = node ? node : loom_bank_below(bank, scan.at, scan.from);
}

/* Where the request goes in a hole, between the partial blocks in it. False: nowhere. */
static bool loom_bank_fit_between(struct loom_bank *bank, u64 hole, u64 bytes,
				  const struct loom_bank_request *request, u64 *address)
{
	struct loom_scan scan;

	loom_scan_begin(&scan, &bank->partials, request, &bank->all, max(hole, request->low),
			min(hole + bytes, request->high));
	scan.on_all = true;
	loom_scan_narrow(&scan, &bank->partials);
	loom_partials_search(&bank->partials, &scan);
	bank->partials.looks += scan.looks;
	*address = scan.at;
	return !scan.failed;
}

/* The same, if there are any. @tries: how often there was no place because of partial blocks. */
static bool loom_bank_fit_around(struct loom_bank *bank, u64 hole, u64 bytes,
				 const struct loom_bank_request *request, u64 *address, u32 *tries)
{
	if (!loom_bank_fit(hole, bytes, request, address))
		return false;
	if (!bank->partials.count)
		return true;
	if (loom_bank_fit_between(bank, hole, bytes, request, address))
		return true;
	++*tries;
	return false;
}

/* Of two holes, whether best fit tries the first before the second. */
static bool loom_bank_flat_before(const struct loom_flat *flat, u32 a, u32 b, bool top_down)
{
	if (flat->size[a] != flat->size[b])
		return flat->size[a] < flat->size[b];
	return a != b && !loom_bank_later(flat->start[a], flat->start[b], top_down);
}

/* The hole that best fit tries after @last, or U32_MAX. */
static u32 loom_bank_flat_after(const struct loom_flat *flat, u32 last, bool top_down)
{
	u32 found = U32_MAX, i;

	for (i = 0; i < flat->count; i++)
		if (loom_bank_flat_before(flat, last, i, top_down) &&
		    (found == U32_MAX || loom_bank_flat_before(flat, i, found, top_down)))
			found = i;
	return found;
}

/* Best fit: a hole of the least bytes, and of those the first. */
static void loom_bank_flat_best(struct loom_bank *bank, const struct loom_bank_request *request,
				struct loom_bank_place *place)
{
	const struct loom_flat *flat = &bank->flat;
	u32 i = loom_flat_tightest(flat, request->size, request->top_down), tries = 0;

	/* it nearly always fits; if not, the next one by size, then from the end, as in the tree */
	while (i != U32_MAX && tries < LOOM_BANK_TRIES) {
		if (loom_bank_fit_around(bank, flat->start[i], flat->size[i], request,
					 &place->start, &tries)) {
			place->node = flat->block[i];
			return;
		}
		i = loom_bank_flat_after(flat, i, request->top_down);
	}
}

static void loom_bank_tree_best(struct loom_bank *bank, const struct loom_bank_request *request,
				struct loom_bank_place *place)
{
	struct loom_bank_block *node = loom_sizes_least(&bank->sizes, request->size), *same;
	u32 tries = 0;
	u64 size;

	for (; node; node = loom_sizes_least(&bank->sizes, size + 1)) {
		size = node->hole;
		/* all holes of that size, from the end that the request names */
		same = request->top_down ? loom_sizes_highest(&bank->sizes, size) : node;
		for (; same && tries < LOOM_BANK_TRIES;
		     same = loom_sizes_same(same, request->top_down ? LOW : HIGH)) {
			if (!loom_bank_fit_around(bank, same->start + same->size, size, request,
						  &place->start, &tries))
				continue;
			place->node = same;
			return;
		}
		if (size == U64_MAX || tries == LOOM_BANK_TRIES)
			return;
	}
}

/* By near fit where the nearest hole is no place at its near end. */
static void loom_bank_flat_near_fitting(const struct loom_bank *bank,
					const struct loom_bank_request *request,
					struct loom_bank_place *place)
{
	const struct loom_flat *flat = &bank->flat;
	u64 least = U64_MAX - request->size, best = 0, loss, start;
	u32 i;

	for (i = 0; i < flat->count; i++) {
		u64 hole = flat->start[i], bytes = flat->size[i];

		/* that is a large number for one that is too small */
		if (bytes - request->size > least)
			continue;
		/* at its near end it would lose least */
		start = request->top_down ? hole + bytes - request->size : hole;
		if (loom_bank_loss(bank, request, bytes, start) > least ||
		    !loom_bank_fit(hole, bytes, request, &start))
			continue;
		loss = loom_bank_loss(bank, request, bytes, start);
		if (loss > least ||
		    (loss == least && place->node &&
		     loom_bank_later(hole, best, request->top_down)))
			continue;
		least = loss;
		best = hole;
		place->node = flat->block[i];
		place->start = start;
	}
}

static void loom_bank_flat_near(const struct loom_bank *bank,
				const struct loom_bank_request *request,
				struct loom_bank_place *place)
{
	const struct loom_flat *flat = &bank->flat;
	u32 i = loom_flat_nearest(flat, request->size, request->top_down);
	u64 start;

	if (i == U32_MAX)
		return;
	start = request->top_down ? flat->start[i] + flat->size[i] - request->size :
				    flat->start[i];
	if (loom_bank_fit(flat->start[i], flat->size[i], request, &place->start) &&
	    place->start == start)
		place->node = flat->block[i];
	else
		loom_bank_flat_near_fitting(bank, request, place);
}

/* The first node to look at; of a list, from the end that the request names. */
static struct loom_bank_block *loom_bank_begin(struct loom_bank *bank,
					       const struct loom_bank_request *request)
{
	if (!bank->is_flat)
		return loom_bank_tree_begin(bank, request);
	return request->top_down ? bank->last : &bank->head;
}

static struct loom_bank_block *loom_bank_following(const struct loom_bank *bank,
						   struct loom_bank_block *node,
						   const struct loom_bank_request *request)
{
	if (!bank->is_flat)
		return loom_bank_tree_next(node, request);
	return node->neighbour[request->top_down ? LOW : HIGH];
}

/* In the order of addresses, as the number of tries asks for if there are partial blocks. */
static void loom_bank_near(struct loom_bank *bank, const struct loom_bank_request *request,
			   struct loom_bank_place *place)
{
	struct loom_bank_block *node;
	u64 least = U64_MAX, loss, start, hole;
	u32 tries = 0;

	for (node = loom_bank_begin(bank, request); node && tries < LOOM_BANK_TRIES;
	     node = loom_bank_following(bank, node, request)) {
		hole = node->start + node->size;
		/* all that follow are even farther away */
		if (loom_flat_far(loom_bank_distance(bank, hole, node->hole,
						     request->top_down)) >= least)
			return;
		if (node->hole < request->size || node->hole - request->size >= least ||
		    !loom_bank_fit_around(bank, hole, node->hole, request, &start, &tries))
			continue;
		loss = loom_bank_loss(bank, request, node->hole, start);
		if (loss >= least)
			continue;
		least = loss;
		place->node = node;
		place->start = start;
	}
}

/* The best hole in the sense of the policy. */
static void loom_bank_best(struct loom_bank *bank, const struct loom_bank_request *request,
			   struct loom_bank_place *place)
{
	place->node = NULL;
	if (bank->policy == LOOM_BANK_NEAR_FIT) {
		if (bank->is_flat && !bank->partials.count)
			loom_bank_flat_near(bank, request, place);
		else
			loom_bank_near(bank, request, place);
	} else {
		if (bank->is_flat)
			loom_bank_flat_best(bank, request, place);
		else
			loom_bank_tree_best(bank, request, place);
	}
}

void loom_bank_search(struct loom_bank *bank, const struct loom_bank_request *request,
		      struct loom_bank_place *place)
{
	place->node = NULL;
	place->above.chunk = NULL;
	bank->partials.looks = 0;
	if (loom_bank_chooses(bank, request)) {
		loom_bank_best(bank, request, place);
		/* without partial blocks there is no place that it would not have found */
		if (place->node || !bank->partials.count)
			return;
	}
	if (bank->partials.count)
		loom_bank_first_around(bank, request, place);
	else
		loom_bank_first(bank, request, place);
}
