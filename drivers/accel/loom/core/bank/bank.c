// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_bank.h"

/**
 * DOC: Bank allocator
 *
 * The blocks on all banks are the nodes of one AVL tree in address order. Holes are not nodes:
 * the free bytes behind a block are a number in that block, and an empty block at the bottom
 * of the bank (the head, never removed) carries the first hole. So neighbouring holes cannot exist,
 * freeing merges by adding two numbers, and no hole ever needs memory of its own.
 *
 * Each node knows the largest hole in its lower and in its higher subtree. The lowest hole of at
 * least s bytes is then found on one path down from the root, and the highest one on the mirrored
 * path: both directions are the same code with the two sides swapped. A range of addresses cuts at
 * most one hole at each end, so it costs a second path down, and not a scan. The maxima of both
 * children are kept in the parent: the search touches no node beside its path.
 *
 * First fit from the end that the request names keeps bottom-up and top-down blocks apart, which is
 * what directions are for, and wins where buffers live in small memory and are freed in the order
 * of a program: of the traces of SRAM it refuses 1776 and 486 requests where best fit refuses 2261
 * and 564. In a large memory with buffers of all sizes best fit wins: 261, 33 and 13 refusals where
 * first fit has 1014, 61 and 26. So the choice is a policy of the region. Best fit keeps the holes
 * in a second tree, by size, and takes the smallest that fits; of equal ones the one nearest to the
 * end that the request names.
 *
 * In SRAM both together are better than either. Best fit is bad for small blocks: it puts them into
 * remainders of holes all over the bank, between large blocks, and they outlive those. First fit
 * keeps them near their end, and large blocks waste least if they take the tightest hole. A block
 * is large above a 128th of the bank: 1721 and 436 refusals on the same two traces, 418 on average
 * over sixteen of the second kind where first fit has 448. Between a 90th and a 425th the result is
 * nearly the same. Sending small ones to the other end improves one trace further (1466) and
 * worsens the other (461); but the scratch of plans is at that end, where long-lived blocks would
 * be in its way. Reserving the top for small ones (a 16th to a 64th of the bank) gave 440 on
 * average.
 *
 * Partial blocks are kept apart, in partial.c. An address range must be free in both: the two
 * searches raise each other's lower bound until they agree. Without partial blocks this costs one
 * comparison.
 *
 * What was rejected: a list with first fit (linear; 2 us at 10k blocks), segregated free lists
 * (constant time, but they find some hole that fits, not the smallest: 301 refusals for 261
 * with sixteen lists to a power of two, and the answer depends on what was freed last), a bitmap
 * (costs memory in the size of the bank, not in the number of blocks), a red-black tree (the same
 * code, but higher: searches outnumber rotations).
 */

enum { LOW, HIGH };

static int loom_bank_side(const struct loom_bank_block *node)
{
	return node->parent->child[HIGH] == node;
}

/* The largest hole in the subtree that starts at @node. */
static u64 loom_bank_max_hole(const struct loom_bank_block *node)
{
	return node ? max(node->hole, max(node->max_hole[LOW], node->max_hole[HIGH])) : 0;
}

/* Updates the maxima above @node after a hole at or below it has changed, until one remains. */
static void loom_bank_propagate(struct loom_bank_block *node)
{
	struct loom_bank_block *parent;

	for (; (parent = node->parent); node = parent) {
		int side = loom_bank_side(node);
		u64 best = loom_bank_max_hole(node);

		if (parent->max_hole[side] == best)
			return;
		parent->max_hole[side] = best;
	}
}

/* Put @node, or nothing, in the place of @old below @old's parent. */
static void loom_bank_replace(struct loom_bank *bank, struct loom_bank_block *old,
			      struct loom_bank_block *node)
{
	if (old->parent)
		old->parent->child[loom_bank_side(old)] = node;
	else
		bank->root = node;
	if (node)
		node->parent = old->parent;
}

/*
 * Rotates the child on @side of @node above it. The nodes below that place remain the same, and so
 * do the maxima above. The caller updates the balances.
 */
static void loom_bank_rotate(struct loom_bank *bank, struct loom_bank_block *node, int side)
{
	struct loom_bank_block *child = node->child[side];
	struct loom_bank_block *inner = child->child[!side];

	loom_bank_replace(bank, node, child);
	node->child[side] = inner;
	node->max_hole[side] = child->max_hole[!side];
	if (inner)
		inner->parent = node;
	child->child[!side] = node;
	node->parent = child;
	child->max_hole[!side] = loom_bank_max_hole(node);
}

/*
 * @node is higher by two on @side than on the other. Return: the root of the subtree after the
 * rotation; its balance is zero if the subtree has become lower by one.
 */
static struct loom_bank_block *loom_bank_rebalance(struct loom_bank *bank,
						   struct loom_bank_block *node, int side)
{
	struct loom_bank_block *child = node->child[side];
	struct loom_bank_block *inner;
	s32 sign = side ? 1 : -1;

	if (child->balance != -sign) {
		node->balance = child->balance ? 0 : sign;
		child->balance = child->balance ? 0 : -sign;
		loom_bank_rotate(bank, node, side);
		return child;
	}
	inner = child->child[!side];
	node->balance = inner->balance == sign ? -sign : 0;
	child->balance = inner->balance == -sign ? sign : 0;
	inner->balance = 0;
	loom_bank_rotate(bank, child, !side);
	loom_bank_rotate(bank, node, side);
	return inner;
}

/* The subtree of @node has become higher by one. */
static void loom_bank_grown(struct loom_bank *bank, struct loom_bank_block *node)
{
	struct loom_bank_block *parent;

	for (; (parent = node->parent); node = parent) {
		int side = loom_bank_side(node);
		s32 sign = side ? 1 : -1;

		if (parent->balance == sign) {
			loom_bank_rebalance(bank, parent, side);
			return;
		}
		parent->balance += sign;
		if (!parent->balance)
			return;
	}
}

/* The subtree on @side of @node has become lower by one. */
static void loom_bank_shrunk(struct loom_bank *bank, struct loom_bank_block *node, int side)
{
	while (node) {
		s32 sign = side ? 1 : -1;

		if (node->balance == -sign) {
			node = loom_bank_rebalance(bank, node, !side);
			if (node->balance)
				return;
		} else {
			node->balance -= sign;
			if (node->balance)
				return;
		}
		if (!node->parent)
			return;
		side = loom_bank_side(node);
		node = node->parent;
	}
}

static struct loom_bank_block *loom_bank_sized(const struct loom_treap_node *node)
{
	return node ? container_of(node, struct loom_bank_block, by_size) : NULL;
}

/* Changes the hole behind @node, also in the tree of holes by size. */
static void loom_bank_set_hole(struct loom_bank *bank, struct loom_bank_block *node, u64 hole)
{
	struct loom_treap_node *parent = NULL, *at = bank->holes.root;
	int side = LOW;

	if (bank->best_size == U64_MAX) {
		node->hole = hole;
		return;
	}
	if (node->hole)
		loom_treap_unlink(&bank->holes, &node->by_size);
	node->hole = hole;
	if (!hole)
		return;
	for (at = bank->holes.root; at; at = at->child[side]) {
		const struct loom_bank_block *other = loom_bank_sized(at);

		side = hole != other->hole ? hole > other->hole : node->start > other->start;
		parent = at;
	}
	loom_treap_link(&bank->holes, &node->by_size, parent, side);
}

/* Makes @block the successor of @previous. Their holes are set already. */
static void loom_bank_link(struct loom_bank *bank, struct loom_bank_block *previous,
			   struct loom_bank_block *block)
{
	struct loom_bank_block *next = previous->neighbour[HIGH];

	block->max_hole[LOW] = 0;
	block->max_hole[HIGH] = 0;
	block->child[LOW] = NULL;
	block->child[HIGH] = NULL;
	block->balance = 0;
	block->neighbour[LOW] = previous;
	block->neighbour[HIGH] = next;
	previous->neighbour[HIGH] = block;
	if (next)
		next->neighbour[LOW] = block;

	/* Two nodes in a row: the lower has no higher subtree, or the higher no lower one. */
	block->parent = previous->child[HIGH] ? next : previous;
	block->parent->child[block->parent == previous] = block;

	loom_bank_propagate(block);
	loom_bank_propagate(previous);
	loom_bank_grown(bank, block);
}

/* Removes @block. Its hole was added to that of the node before it. */
static void loom_bank_unlink(struct loom_bank *bank, struct loom_bank_block *block)
{
	struct loom_bank_block *previous = block->neighbour[LOW];
	struct loom_bank_block *next = block->neighbour[HIGH];
	struct loom_bank_block *from = block->parent;
	int side = from ? loom_bank_side(block) : LOW;

	previous->neighbour[HIGH] = next;
	if (next)
		next->neighbour[LOW] = previous;

	if (block->child[LOW] && block->child[HIGH]) {
		/* its successor, the lowest of the higher subtree, replaces it */
		from = next->parent == block ? next : next->parent;
		side = from == next ? HIGH : LOW;
		loom_bank_replace(bank, next, next->child[HIGH]);
		loom_bank_replace(bank, block, next);
		next->child[LOW] = block->child[LOW];
		next->child[HIGH] = block->child[HIGH];
		next->child[LOW]->parent = next;
		if (next->child[HIGH])
			next->child[HIGH]->parent = next;
		next->max_hole[LOW] = block->max_hole[LOW];
		next->max_hole[HIGH] = block->max_hole[HIGH];
		next->balance = block->balance;
	} else {
		loom_bank_replace(bank, block, block->child[!block->child[LOW]]);
		next = NULL;
	}

	if (from) {
		from->max_hole[side] = loom_bank_max_hole(from->child[side]);
		loom_bank_propagate(from);
	}
	if (next)
		loom_bank_propagate(next);
	loom_bank_propagate(previous);
	loom_bank_shrunk(bank, from, side);
}

/* The first node from @side in the subtree of @node with a hole of @size; there is one. */
static struct loom_bank_block *loom_bank_first(struct loom_bank_block *node, u64 size, int side)
{
	while (node->max_hole[side] >= size || node->hole < size)
		node = node->child[node->max_hole[side] >= size ? side : !side];
	return node;
}

/* The next node away from @side with a hole of @size, or NULL. */
static struct loom_bank_block *loom_bank_following(struct loom_bank_block *node, u64 size,
						   int side)
{
	if (node->max_hole[!side] >= size)
		return loom_bank_first(node->child[!side], size, side);
	for (; node->parent; node = node->parent) {
		struct loom_bank_block *parent = node->parent;

		if (loom_bank_side(node) != side)
			continue;
		if (parent->hole >= size)
			return parent;
		if (parent->max_hole[!side] >= size)
			return loom_bank_first(parent->child[!side], size, side);
	}
	return NULL;
}

/* The last node that starts at @address or below. */
static struct loom_bank_block *loom_bank_at(struct loom_bank *bank, u64 address)
{
	struct loom_bank_block *node = bank->root;
	struct loom_bank_block *found = &bank->head;

	while (node) {
		if (node->start <= address) {
			found = node;
			node = node->child[HIGH];
		} else {
			node = node->child[LOW];
		}
	}
	return found;
}

/* Where the request goes in the hole behind @node. False: it does not fit. */
static bool loom_bank_fit(const struct loom_bank_block *node,
			  const struct loom_bank_request *request, u64 *address)
{
	u64 hole = node->start + node->size;
	u64 low = max(hole, request->low);
	u64 high = min(hole + node->hole, request->high);
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

/* The node behind which the request goes by first fit, or NULL. */
static struct loom_bank_block *loom_bank_first_fit(struct loom_bank *bank,
						   const struct loom_bank_request *request,
						   u64 *address)
{
	int side = request->top_down ? HIGH : LOW;
	struct loom_bank_block *node;

	/* Start with the hole that contains the near end of the range, or with the first one. */
	if (request->top_down ? request->high < bank->limit : request->low > bank->base) {
		node = loom_bank_at(bank, request->top_down ? request->high : request->low);
		if (node->hole < request->size)
			node = loom_bank_following(node, request->size, side);
	} else {
		if (loom_bank_max_hole(bank->root) < request->size)
			return NULL;
		node = loom_bank_first(bank->root, request->size, side);
	}

	for (; node; node = loom_bank_following(node, request->size, side)) {
		u64 hole = node->start + node->size;

		if (request->top_down ? hole + node->hole <= request->low : hole >= request->high)
			return NULL;
		if (loom_bank_fit(node, request, address))
			return node;
	}
	return NULL;
}

/* The first hole, by size and then by address, that is not before (@size, @start). */
static struct loom_treap_node *loom_bank_size_at(struct loom_bank *bank, u64 size, u64 start)
{
	struct loom_treap_node *node = bank->holes.root, *found = NULL;

	while (node) {
		const struct loom_bank_block *block = loom_bank_sized(node);

		if (block->hole > size || (block->hole == size && block->start >= start)) {
			found = node;
			node = node->child[LOW];
		} else {
			node = node->child[HIGH];
		}
	}
	return found;
}

/* The node behind which the request goes by best fit, or NULL. */
static struct loom_bank_block *loom_bank_best_fit(struct loom_bank *bank,
						  const struct loom_bank_request *request,
						  u64 *address)
{
	u64 size = request->size;

	for (;;) {
		struct loom_treap_node *node = loom_bank_size_at(bank, size, 0), *same, *next;

		if (!node)
			return NULL;
		/* try all holes of that size, from the end that the request names */
		size = loom_bank_sized(node)->hole;
		next = size == U64_MAX ? NULL : loom_bank_size_at(bank, size + 1, 0);
		same = node;
		if (request->top_down)
			same = next ? loom_treap_neighbour(next, LOW) :
				      loom_treap_end(bank->holes.root, HIGH);
		while (same && loom_bank_sized(same)->hole == size) {
			if (loom_bank_fit(loom_bank_sized(same), request, address))
				return loom_bank_sized(same);
			same = loom_treap_neighbour(same, request->top_down ? LOW : HIGH);
		}
		if (!next)
			return NULL;
		size = loom_bank_sized(next)->hole;
	}
}

/* The node behind which the request goes by first fit beside partial blocks; or NULL. */
static struct loom_bank_block *loom_bank_fit_around(struct loom_bank *bank,
						    const struct loom_bank_request *request,
						    const struct loom_mask *mask, u64 *address)
{
	struct loom_bank_request in_all = *request;
	struct loom_partial_request in_some = {
		.mask = mask,
		.size = request->size,
		.align = request->align,
		.low = max(request->low, bank->base),
		.high = min(request->high, bank->limit),
		.top_down = request->top_down,
	};
	struct loom_bank_block *node;
	u64 clear;

	for (;;) {
		node = loom_bank_first_fit(bank, &in_all, address);
		if (!node)
			return NULL;
		if (request->top_down)
			in_some.high = *address + request->size;
		else
			in_some.low = *address;
		if (!loom_partials_fit(&bank->partials, &in_some, &clear))
			return NULL;
		if (clear == *address)
			return node;
		if (request->top_down)
			in_all.high = clear + request->size;
		else
			in_all.low = clear;
	}
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
	bank->best_size = U64_MAX;
	if (policy == LOOM_BANK_BEST_FIT)
		bank->best_size = 0;
	else if (policy == LOOM_BANK_LARGE_BEST_FIT)
		bank->best_size = (limit - base) / LOOM_BANK_LARGE_PART + 1;
	bank->head.start = base;
	bank->head.bank = bank;
	bank->root = &bank->head;
	loom_partials_init(&bank->partials);
	loom_bank_set_hole(bank, &bank->head, limit - base);
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
		cursor.chunk->block[cursor.index]->bank = NULL;
	loom_partials_fini(&bank->partials);
	memset(bank, 0, sizeof(*bank));
	return leaked;
}

struct loom_partial_chunk *loom_bank_chunk_create(void)
{
	return loom_port_alloc(1, sizeof(struct loom_partial_chunk));
}

static bool loom_bank_request_valid(const struct loom_bank *bank,
				    const struct loom_bank_request *request)
{
	static const struct loom_mask none;

	if (!request->size || !request->align || (request->align & (request->align - 1)) ||
	    request->low > request->high)
		return false;
	return !request->mask || (loom_mask_within(request->mask, &bank->all) &&
				  !loom_mask_same(request->mask, &none));
}

int loom_bank_alloc(struct loom_bank *bank, struct loom_bank_block *block,
		    const struct loom_bank_request *request)
{
	const struct loom_mask *mask = &bank->all;
	struct loom_bank_block *node;
	u64 start, hole;

	if (block->bank || !loom_bank_request_valid(bank, request))
		return -EINVAL;
	if (request->mask && !loom_mask_same(request->mask, mask))
		mask = request->mask;
	if (mask != &bank->all || bank->partials.count)
		node = loom_bank_fit_around(bank, request, mask, &start);
	else if (request->size >= bank->best_size && request->high >= bank->limit &&
		 request->low - min(bank->base, request->low) <= bank->head.hole)
		node = loom_bank_best_fit(bank, request, &start);
	else
		node = loom_bank_first_fit(bank, request, &start);
	if (!node)
		return -ENOSPC;

	block->start = start;
	block->size = request->size;
	block->partial = mask != &bank->all;
	if (block->partial) {
		block->mask = *mask;
		if (!loom_partials_insert(&bank->partials, block, request->spare))
			return -ENOMEM;
	} else {
		u64 above;

		hole = node->start + node->size;
		above = node->hole - (start - hole) - request->size;
		loom_bank_set_hole(bank, node, start - hole);
		block->hole = 0;
		loom_bank_set_hole(bank, block, above);
		loom_bank_link(bank, node, block);
		bank->allocated += request->size;
	}
	block->bank = bank;
	bank->blocks++;
	return 0;
}

int loom_bank_free(struct loom_bank *bank, struct loom_bank_block *block)
{
	if (block->bank != bank || block == &bank->head)
		return -EINVAL;
	if (block->partial) {
		loom_partials_remove(&bank->partials, block);
	} else {
		struct loom_bank_block *below = block->neighbour[LOW];
		u64 above = block->hole;

		loom_bank_set_hole(bank, block, 0);
		loom_bank_set_hole(bank, below, below->hole + block->size + above);
		loom_bank_unlink(bank, block);
		bank->allocated -= block->size;
	}
	block->bank = NULL;
	bank->blocks--;
	return 0;
}

static void loom_bank_stats_walk(struct loom_bank *bank, const struct loom_mask *mask,
				 struct loom_bank_stats *stats)
{
	struct loom_partial_cursor cursor;
	struct loom_bank_iter iter;
	struct loom_bank_span span;

	stats->blocks = bank->blocks - bank->partials.count;
	for (loom_partials_begin(&bank->partials, &cursor); cursor.chunk;
	     loom_partials_step(&cursor))
		stats->blocks += loom_mask_overlaps(&cursor.chunk->mask[cursor.index], mask);
	stats->largest_free = 0;
	loom_bank_walk(bank, mask, &iter);
	while (loom_bank_next(&iter, &span))
		if (span.block)
			stats->allocated += span.end - span.start;
		else
			stats->largest_free = max(stats->largest_free, span.end - span.start);
}

void loom_bank_stats(struct loom_bank *bank, const struct loom_mask *mask,
		     struct loom_bank_stats *stats)
{
	*stats = (struct loom_bank_stats){ .total = bank->limit - bank->base };
	if (bank->partials.count) {
		loom_bank_stats_walk(bank, mask ? mask : &bank->all, stats);
	} else {
		stats->allocated = bank->allocated;
		stats->largest_free = loom_bank_max_hole(bank->root);
		stats->blocks = bank->blocks;
	}
	stats->free = stats->total - stats->allocated;
}

u64 loom_bank_bytes(const struct loom_bank *bank, u32 index)
{
	return bank->allocated + bank->partials.bytes[index];
}

u64 loom_bank_lowest(const struct loom_bank *bank)
{
	return min(bank->base + bank->head.hole, loom_partials_lowest(&bank->partials));
}

struct loom_bank_block *loom_bank_bottom(struct loom_bank *bank, u32 index)
{
	struct loom_mask mask = { { 0 } };
	struct loom_bank_iter iter;
	struct loom_bank_span span = { 0 };

	loom_mask_set(&mask, index);
	loom_bank_walk(bank, &mask, &iter);
	/* a hole comes before a block at most once */
	if (loom_bank_next(&iter, &span) && !span.block)
		loom_bank_next(&iter, &span);
	return span.block;
}

struct loom_bank_block *loom_bank_find(struct loom_bank *bank, u64 address)
{
	struct loom_bank_block *block = loom_bank_at(bank, address);

	if (block != &bank->head && block->start + block->size > address)
		return block;
	return block->neighbour[HIGH];
}

static bool loom_bank_wanted(const struct loom_bank_iter *iter, const struct loom_bank_block *block)
{
	return !iter->wanted || iter->wanted(block, iter->who);
}

/*
 * On to the next block that is wanted, and to the next partial one that is, is on one of the banks
 * and not reported yet.
 */
static void loom_bank_skip(struct loom_bank_iter *iter)
{
	struct loom_partial_cursor *cursor = &iter->cursor;

	while (iter->block && !loom_bank_wanted(iter, iter->block))
		iter->block = iter->block->neighbour[HIGH];
	while (cursor->chunk &&
	       (cursor->chunk->end[cursor->index] <= iter->at ||
		!loom_mask_overlaps(&cursor->chunk->mask[cursor->index], &iter->mask) ||
		!loom_bank_wanted(iter, cursor->chunk->block[cursor->index])))
		loom_partials_step(cursor);
}

void loom_bank_walk(struct loom_bank *bank, const struct loom_mask *mask,
		    struct loom_bank_iter *iter)
{
	*iter = (struct loom_bank_iter){
		.mask = mask ? *mask : bank->all,
		.at = bank->base,
		.limit = bank->limit,
		.block = bank->head.neighbour[HIGH],
	};
	loom_partials_begin(&bank->partials, &iter->cursor);
}

bool loom_bank_next(struct loom_bank_iter *iter, struct loom_bank_span *span)
{
	struct loom_bank_block *block, *partial = NULL;

	if (iter->at >= iter->limit)
		return false;
	loom_bank_skip(iter);
	block = iter->block;
	if (iter->cursor.chunk)
		partial = iter->cursor.chunk->block[iter->cursor.index];
	if (!block || (partial && partial->start < block->start))
		block = partial;
	*span = (struct loom_bank_span){ .start = iter->at, .end = iter->limit };
	if (block && block->start <= iter->at) {
		span->end = block->start + block->size;
		span->block = block;
		if (block == iter->block)
			iter->block = block->neighbour[HIGH];
	} else if (block) {
		span->end = block->start;
	}
	iter->at = span->end;
	return true;
}
