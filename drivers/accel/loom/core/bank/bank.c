// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "scan.h"
#include "tree.h"

/**
 * DOC: Bank allocator
 *
 * The blocks on all banks are a list in address order. Holes are not in it: the free bytes behind a
 * block are a number in that block, and an empty block at the bottom of the bank (the head, never
 * removed) carries the first hole. So neighbouring holes cannot exist, freeing merges by adding two
 * numbers, and no hole ever needs memory of its own.
 *
 * While there are few blocks (256) their holes are listed in three arrays, in no order: flat.c. A
 * search looks at each of them; a change is a change of one entry, or of two. Beyond that the
 * blocks are a tree, tree.c, and the holes one more by size, size.c. Both give the same answers. A
 * bank that has half as many blocks again has the list again; the cost of building either is spread
 * over the 128 blocks that must come or go before the other is built. `bench_alloc --flat` measures
 * where the list stops being faster.
 *
 * First fit from the end that the request names keeps bottom-up and top-down blocks apart, which is
 * what directions are for. Best fit wastes least: in a large memory with buffers of all sizes it
 * refuses a fourth to an eighth of what first fit refuses. In SRAM, where a dozen large buffers
 * come and go in the order of a program, it is worse than first fit: it takes holes in the middle
 * of the bank, which then do not grow together. So there the two are weighed: *near fit* takes the
 * hole for which the bytes that are left over in it, plus about a tenth of the bytes that lie
 * between the block and the end that the request names, are least. Small blocks, for which little
 * is left over in any hole but much may be lost in the middle, so stay near their end; large ones
 * take a tight hole if there is one at hand. The tenth is measured: of a 16th, a tenth, a seventh
 * and a fifth it is the one that refuses less than first fit and size classes in all families of
 * traces but one, where it has 2 % more; Documentation/memory.rst has the figures. It replaces a
 * threshold, best fit above a 128th of the bank and first fit below, which was good on the traces
 * that it had been found with. The policy is one of the region.
 *
 * Partial blocks are kept apart, in partial.c. An address range must be free in both. First fit
 * lets the two searches raise each other's lower bound until they agree. The others ask for each
 * hole that they would take whether it has room between the partial blocks, and are content with
 * first fit when LOOM_BANK_TRIES holes had none. Without partial blocks this costs one comparison.
 *
 * What was rejected: a list with first fit for any number of blocks (linear; 2 us at 10k blocks),
 * segregated free lists (constant time, but they find some hole that fits, not the smallest: 301
 * refusals for 261 with sixteen lists to a power of two, and the answer depends on what was freed
 * last), a bitmap (costs memory in the size of the bank, not in the number of blocks), and to send
 * small blocks of SRAM to the other end (fewer refusals in networks, but the scratch of plans is at
 * that end, where long-lived blocks would be in its way).
 */

enum { LOW, HIGH };

/* Holes without room between partial blocks that a search for the best one looks at. */
#define LOOM_BANK_TRIES	16

/**
 * struct loom_bank_place - a place for a block
 * @node: the block that the hole is behind; NULL if there is no place
 * @start: where the block goes
 * @above: of a partial block: where it goes in their order, see loom_partials_insert()
 */
struct loom_bank_place {
	struct loom_bank_block *node;
	u64 start;
	struct loom_partial_cursor above;
};

/* Where the request goes in a hole. False: it does not fit. */
static bool loom_bank_fit(u64 hole, u64 bytes, const struct loom_bank_request *request,
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
static u64 loom_bank_distance(const struct loom_bank *bank, u64 start, u64 bytes, bool top_down)
{
	return top_down ? bank->limit - start - bytes : start - bank->base;
}

/* What a distance counts beside bytes that are left over: 3 / 32 of them. */
static u64 loom_bank_far(u64 distance)
{
	return distance / 16 + distance / 32;
}

/* Of two holes, whether the first is farther from the end that the request names. */
static bool loom_bank_later(u64 hole, u64 other, bool top_down)
{
	bool above = hole > other;

	return above != top_down;
}

static u64 loom_bank_all_ones(bool on)
{
	return on ? U64_MAX : 0;
}

/* The place by first fit while the holes are flat. */
static void loom_bank_flat_first(const struct loom_bank *bank,
				 const struct loom_bank_request *request,
				 struct loom_bank_place *place)
{
	const struct loom_flat *flat = &bank->flat;
	u64 best = U64_MAX, far, start;
	u32 i;

	for (i = 0; i < flat->count; i++) {
		/* too small is the last of all; one comparison that is seldom true */
		far = request->top_down ? ~(flat->start[i] + flat->size[i]) : flat->start[i];
		far |= loom_bank_all_ones(flat->size[i] < request->size);
		if (far >= best ||
		    !loom_bank_fit(flat->start[i], flat->size[i], request, &start))
			continue;
		best = far;
		place->node = flat->block[i];
		place->start = start;
	}
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
	}
	*node = at;
	return moved;
}

/* Takes the candidate. Copied as it was written: a load of two fields at once would wait. */
static void loom_bank_keep(struct loom_bank_place *place, struct loom_bank_block *node,
			   const struct loom_scan *scan)
{
	place->node = node;
	place->start = scan->at;
	place->above.chunk = scan->from.chunk;
	place->above.index = scan->from.index;
}

/* By first fit along both kinds of blocks at once, on all banks from @node on. */
static void loom_bank_first_in_list(struct loom_bank *bank, struct loom_scan *scan,
				    struct loom_bank_block *node, struct loom_bank_place *place)
{
	bool moved;

	do {
		loom_partials_search(&bank->partials, scan);
		moved = scan->top_down ? loom_bank_pass_down(scan, &node) :
					 loom_bank_pass_up(scan, &node);
	} while (moved && !scan->failed);
	if (!scan->failed)
		loom_bank_keep(place, node, scan);
}

/*
 * While there is a tree: both move the other's candidate on until they agree. Where many of both
 * kinds lie side by side that takes hundreds of turns; after a few, they are passed one by one.
 */
static void loom_bank_first_in_tree(struct loom_bank *bank, struct loom_scan *scan,
				    const struct loom_bank_request *request,
				    struct loom_bank_place *place)
{
	struct loom_bank_request in_all = *request;
	struct loom_bank_place other;
	u32 turn;

	for (turn = 0; turn < LOOM_BANK_TRIES; turn++) {
		loom_partials_search(&bank->partials, scan);
		if (scan->failed)
			return;
		if (request->top_down)
			in_all.high = scan->at + request->size;
		else
			in_all.low = scan->at;
		loom_bank_first(bank, &in_all, &other);
		if (!other.node)
			return;
		if (other.start == scan->at) {
			loom_bank_keep(place, other.node, scan);
			return;
		}
		loom_scan_move(scan, other.start + (request->top_down ? request->size : 0));
		if (scan->failed)
			return;
	}
	loom_scan_restart(scan, &bank->partials);
	do {
		loom_scan_all(scan);
	} while (!scan->failed && (request->top_down ? loom_bank_pass_down(scan, &other.node) :
						       loom_bank_pass_up(scan, &other.node)) &&
		 !scan->failed);
	if (!scan->failed)
		loom_bank_keep(place, other.node, scan);
}

/* The place by first fit beside partial blocks. */
static void loom_bank_first_around(struct loom_bank *bank, const struct loom_bank_request *request,
				   const struct loom_mask *mask, struct loom_bank_place *place)
{
	struct loom_scan scan;

	place->node = NULL;
	loom_scan_begin(&scan, &bank->partials, request, mask, max(request->low, bank->base),
			min(request->high, bank->limit));
	if (bank->is_flat)
		loom_bank_first_in_list(bank, &scan, request->top_down ? bank->last : &bank->head,
					place);
	else
		loom_bank_first_in_tree(bank, &scan, request, place);
}

/* Where the request goes in a hole, between the partial blocks in it. False: nowhere. */
static bool loom_bank_fit_between(struct loom_bank *bank, u64 hole, u64 bytes,
				  const struct loom_bank_request *request, u64 *address)
{
	struct loom_scan scan;

	loom_scan_begin(&scan, &bank->partials, request, &bank->all, max(hole, request->low),
			min(hole + bytes, request->high));
	loom_partials_search(&bank->partials, &scan);
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

/* Best fit: a hole of the least bytes, and of those the first. */
static void loom_bank_flat_best(struct loom_bank *bank, const struct loom_bank_request *request,
				struct loom_bank_place *place)
{
	const struct loom_flat *flat = &bank->flat;
	u32 i = loom_flat_tightest(flat, request->size, request->top_down), tries = 0;
	u32 last, k;

	/* it nearly always fits; if not, the next one by size, then from the end, as in the tree */
	while (i != U32_MAX && tries < LOOM_BANK_TRIES) {
		if (loom_bank_fit_around(bank, flat->start[i], flat->size[i], request,
					 &place->start, &tries)) {
			place->node = flat->block[i];
			return;
		}
		last = i;
		i = U32_MAX;
		for (k = 0; k < flat->count; k++)
			if (loom_bank_flat_before(flat, last, k, request->top_down) &&
			    (i == U32_MAX || loom_bank_flat_before(flat, k, i, request->top_down)))
				i = k;
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

/* Near fit: what is least in the hole that a request gets, for a place in one of so many bytes. */
static u64 loom_bank_loss(const struct loom_bank *bank, const struct loom_bank_request *request,
			  u64 bytes, u64 start)
{
	return bytes - request->size +
	       loom_bank_far(loom_bank_distance(bank, start, request->size, request->top_down));
}

static void loom_bank_flat_near(struct loom_bank *bank, const struct loom_bank_request *request,
				struct loom_bank_place *place)
{
	const struct loom_flat *flat = &bank->flat;
	u64 least = U64_MAX - request->size, best = 0, loss, start;
	u32 i, tries = 0;

	for (i = 0; i < flat->count; i++) {
		u64 hole = flat->start[i], bytes = flat->size[i];

		/* that is a large number for one that is too small */
		if (bytes - request->size > least)
			continue;
		/* at its near end it would lose least */
		start = request->top_down ? hole + bytes - request->size : hole;
		if (loom_bank_loss(bank, request, bytes, start) > least ||
		    !loom_bank_fit_around(bank, hole, bytes, request, &start, &tries))
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
		if (loom_bank_far(loom_bank_distance(bank, hole, node->hole,
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

/* Whether the policy has a better answer for the request than first fit. */
static bool loom_bank_chooses(const struct loom_bank *bank, const struct loom_bank_request *request)
{
	if (bank->policy == LOOM_BANK_BEST_FIT)
		return request->high >= bank->limit &&
		       request->low - min(bank->base, request->low) <= bank->head.hole;
	return bank->policy == LOOM_BANK_NEAR_FIT;
}

static void loom_bank_search(struct loom_bank *bank, const struct loom_bank_request *request,
			     const struct loom_mask *mask, struct loom_bank_place *place)
{
	if (mask == &bank->all && loom_bank_chooses(bank, request)) {
		loom_bank_best(bank, request, place);
		/* without partial blocks there is no place that it would not have found */
		if (place->node || !bank->partials.count)
			return;
	}
	if (mask != &bank->all || bank->partials.count)
		loom_bank_first_around(bank, request, mask, place);
	else
		loom_bank_first(bank, request, place);
}

/* --- change */

static u32 loom_bank_on_all(const struct loom_bank *bank)
{
	return bank->blocks - bank->partials.count;
}

static void loom_bank_make_tree(struct loom_bank *bank)
{
	struct loom_bank_block *block;

	bank->is_flat = false;
	loom_tree_build(bank);
	if (bank->policy != LOOM_BANK_BEST_FIT)
		return;
	loom_sizes_clear(&bank->sizes);
	for (block = &bank->head; block; block = block->neighbour[HIGH])
		if (block->hole)
			loom_sizes_add(&bank->sizes, block);
}

static void loom_bank_make_flat(struct loom_bank *bank)
{
	bank->is_flat = true;
	loom_flat_build(&bank->flat, &bank->head);
}

/* Changes the hole behind @node while there is a tree. */
static void loom_bank_set_hole(struct loom_bank *bank, struct loom_bank_block *node, u64 hole)
{
	if (bank->policy == LOOM_BANK_BEST_FIT && node->hole)
		loom_sizes_remove(&bank->sizes, node);
	node->hole = hole;
	if (bank->policy == LOOM_BANK_BEST_FIT && hole)
		loom_sizes_add(&bank->sizes, node);
}

/* Takes a place for @block, whose start and size are set. */
static void loom_bank_take(struct loom_bank *bank, const struct loom_bank_place *place,
			   struct loom_bank_block *block)
{
	struct loom_bank_block *node = place->node, *next = node->neighbour[HIGH];
	u64 below = block->start - node->start - node->size;
	u64 above = node->hole - below - block->size;

	block->neighbour[LOW] = node;
	block->neighbour[HIGH] = next;
	node->neighbour[HIGH] = block;
	if (next)
		next->neighbour[LOW] = block;
	else
		bank->last = block;
	if (bank->is_flat) {
		block->hole = 0;
		if (!below && above) {
			loom_flat_hand_over(&bank->flat, node, block, above);
		} else {
			loom_flat_set(&bank->flat, node, below);
			loom_flat_set(&bank->flat, block, above);
		}
	} else {
		loom_bank_set_hole(bank, node, below);
		block->hole = 0;
		loom_bank_set_hole(bank, block, above);
		loom_tree_link(bank, block);
	}
	bank->allocated += block->size;
}

static void loom_bank_give(struct loom_bank *bank, struct loom_bank_block *block)
{
	struct loom_bank_block *below = block->neighbour[LOW], *next = block->neighbour[HIGH];
	u64 above = block->hole;

	if (bank->is_flat) {
		u64 all = below->hole + block->size + above;

		if (!below->hole && above) {
			loom_flat_hand_over(&bank->flat, block, below, all);
		} else {
			loom_flat_set(&bank->flat, block, 0);
			loom_flat_set(&bank->flat, below, all);
		}
	} else {
		loom_bank_set_hole(bank, block, 0);
		loom_bank_set_hole(bank, below, below->hole + block->size + above);
		loom_tree_unlink(bank, block);
	}
	below->neighbour[HIGH] = next;
	if (next)
		next->neighbour[LOW] = below;
	else
		bank->last = below;
	bank->allocated -= block->size;
}

int loom_bank_init(struct loom_bank *bank, u64 base, u64 limit, u32 banks,
		   enum loom_bank_policy policy)
{
	if (base >= limit || !banks || banks > DRM_LOOM_MAX_BANKS)
		return -EINVAL;
	memset(bank, 0, sizeof(*bank));
	bank->base = base;
	bank->limit = limit;
	bank->all = loom_mask_all(banks);
	bank->policy = policy;
	bank->flat_most = policy == LOOM_BANK_BEST_FIT ? LOOM_FLAT_BLOCKS : LOOM_FLAT_BLOCKS / 2;
	bank->head.start = base;
	bank->head.bank = bank;
	bank->head.hole = limit - base;
	bank->last = &bank->head;
	loom_partials_init(&bank->partials, banks);
	loom_bank_make_flat(bank);
	return 0;
}

u32 loom_bank_fini(struct loom_bank *bank)
{
	struct loom_bank_block *block, *next;
	struct loom_partial_cursor cursor;
	u32 leaked = bank->blocks;

	for (block = bank->head.neighbour[HIGH]; block; block = next) {
		next = block->neighbour[HIGH];
		block->bank = NULL;
	}
	for (loom_partials_begin(&bank->partials, &cursor); cursor.chunk;
	     loom_partials_step(&cursor))
		loom_partial_entry(cursor.chunk, cursor.index)->block->bank = NULL;
	loom_partials_fini(&bank->partials);
	memset(bank, 0, sizeof(*bank));
	return leaked;
}

struct loom_partial_chunk *loom_bank_chunk_create(void)
{
	return loom_port_alloc(1, sizeof(struct loom_partial_chunk));
}

/*
 * The banks that a request is for: &loom_bank.all also if its mask has all of them. NULL: some do
 * not exist, or there are none.
 */
static const struct loom_mask *loom_bank_request_banks(const struct loom_bank *bank,
						       const struct loom_bank_request *request)
{
	const struct loom_mask *mask = request->mask;
	u64 outside = 0, inside = 0, missing = 0;
	u32 i;

	if (!mask)
		return &bank->all;
	for (i = 0; i < LOOM_MASK_WORDS; i++) {
		outside |= mask->word[i] & ~bank->all.word[i];
		inside |= mask->word[i];
		missing |= bank->all.word[i] & ~mask->word[i];
	}
	if (outside || !inside)
		return NULL;
	return missing ? mask : &bank->all;
}

int loom_bank_alloc(struct loom_bank *bank, struct loom_bank_block *block,
		    const struct loom_bank_request *request)
{
	const struct loom_mask *mask = loom_bank_request_banks(bank, request);
	struct loom_bank_place place;

	if (block->bank || !mask || !request->size || !request->align ||
	    (request->align & (request->align - 1)) || request->low > request->high)
		return -EINVAL;
	loom_bank_search(bank, request, mask, &place);
	if (!place.node)
		return -ENOSPC;

	block->start = place.start;
	block->size = request->size;
	block->partial = mask != &bank->all;
	if (block->partial) {
		block->mask = *mask;
		if (!loom_partials_insert(&bank->partials, block, &place.above,
					  request->spare))
			return -ENOMEM;
	} else {
		if (bank->is_flat && loom_bank_on_all(bank) >= bank->flat_most)
			loom_bank_make_tree(bank);
		loom_bank_take(bank, &place, block);
	}
	block->bank = bank;
	bank->blocks++;
	return 0;
}

int loom_bank_free(struct loom_bank *bank, struct loom_bank_block *block)
{
	if (block->bank != bank || block == &bank->head)
		return -EINVAL;
	if (block->partial)
		loom_partials_remove(&bank->partials, block);
	else
		loom_bank_give(bank, block);
	block->bank = NULL;
	bank->blocks--;
	if (!bank->is_flat && loom_bank_on_all(bank) <= bank->flat_most / 2)
		loom_bank_make_flat(bank);
	return 0;
}

u64 loom_bank_bytes(struct loom_bank *bank, u32 index)
{
	return bank->allocated + loom_partials_bytes(&bank->partials, index);
}

u64 loom_bank_lowest(const struct loom_bank *bank)
{
	return min(bank->base + bank->head.hole, loom_partials_lowest(&bank->partials));
}

/* The last node that starts at @address or below. */
static struct loom_bank_block *loom_bank_at(struct loom_bank *bank, u64 address)
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

struct loom_bank_block *loom_bank_find(struct loom_bank *bank, u64 address)
{
	struct loom_bank_block *block = loom_bank_at(bank, address);

	if (block != &bank->head && block->start + block->size > address)
		return block;
	return block->neighbour[HIGH];
}
