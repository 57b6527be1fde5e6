// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_bank.h"

/**
 * DOC: Bank allocator
 *
 * The blocks of a bank are the nodes of one AVL tree in address order. Holes are
 * not nodes: the free bytes behind a block are a number in that block, and a block
 * of no bytes at the bottom of the bank (the head, never removed) carries the
 * first hole. So neighbouring holes cannot exist, freeing merges by adding two
 * numbers, and no hole ever needs memory of its own.
 *
 * Each node knows the largest hole in its lower and in its higher subtree. The
 * lowest hole of at least s bytes is then found on one way down from the root,
 * and the highest one on the mirrored way: both directions are the same code
 * with the two sides swapped. A range that a request is confined to cuts at most one hole
 * at each end, so it costs a second way down, and not a scan. The maxima of both
 * children are kept in the parent: the search touches no node that is not on its way.
 *
 * First fit from the end that was asked for keeps what came from the one end away from what came
 * from the other, which is what directions are for, and wins where buffers live in small
 * memory and die in the order of a program: of the traces of SRAM it refuses 1776 and 486
 * requests where best fit refuses 2261 and 564. In a large memory with buffers of all sizes best
 * fit wins: 261, 33 and 13 refusals where first fit has 1014, 61 and 26. So it is a policy of
 * the region. Best fit keeps the holes in a second tree by size, and takes the smallest that
 * does; of those as small the one nearest to the end that was asked for.
 *
 * In SRAM the two together are better than both. Best fit goes wrong on small blocks: they end up
 * all over the bank, between large ones, in what was left of holes, and outlive them. First fit
 * keeps them near their end; and large ones waste least if they take the tightest hole. Large
 * is what is above a 128th of the bank: 1721 and 436 refusals on the same two traces, 418 on
 * average over sixteen of the second kind where first fit has 448. From a 90th to a 425th it is
 * nearly the same. To send small ones to the other end helps one trace more (1466) and
 * the other less (461); but there plans have their scratch, and what lives long keeps them out.
 * To leave the top to small ones (a 16th to a 64th of the bank) gave 440 on average.
 *
 * Blocks that are on some banks only are kept apart, in patch.c. A place for a block must be clear
 * in both: the two searches push each other on until they agree. As long as there are no such
 * blocks they cost one comparison.
 *
 * What was rejected: a list with first fit (linear; 2 us at 10k blocks), segregated
 * free lists (constant time, but they find some hole that fits, not the smallest: 301 refusals for
 * 261 with sixteen lists to a power of two, and the answer depends on what was freed last), a
 * bitmap (costs memory in the size of the bank, not in what
 * lives in it), a red-black tree (the same code, but higher: searches outnumber rotations).
 */

enum { LOW, HIGH };

static int loom_bank_side(const struct loom_bank_block *node)
{
	return node->parent->child[HIGH] == node;
}

/* The largest hole in the subtree that starts at @node. */
static u64 loom_bank_best(const struct loom_bank_block *node)
{
	return node ? max(node->hole, max(node->best[LOW], node->best[HIGH])) : 0;
}

/* The holes at or below @node have changed: tell those above, as far as it matters to them. */
static void loom_bank_propagate(struct loom_bank_block *node)
{
	struct loom_bank_block *parent;

	for (; (parent = node->parent); node = parent) {
		int side = loom_bank_side(node);
		u64 best = loom_bank_best(node);

		if (parent->best[side] == best)
			return;
		parent->best[side] = best;
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
 * Lift the child on @side of @node above it. The set of nodes below that place stays
 * the same, so nobody above has to know. Balances are the caller's.
 */
static void loom_bank_rotate(struct loom_bank *bank, struct loom_bank_block *node, int side)
{
	struct loom_bank_block *child = node->child[side];
	struct loom_bank_block *inner = child->child[!side];

	loom_bank_replace(bank, node, child);
	node->child[side] = inner;
	node->best[side] = child->best[!side];
	if (inner)
		inner->parent = node;
	child->child[!side] = node;
	node->parent = child;
	child->best[!side] = loom_bank_best(node);
}

/*
 * @node is two higher on @side than on the other. Return: what stands in its place
 * now; its balance is zero if the subtree has become lower by one.
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

/* Change the hole behind @node. All that keeps account of holes by size is here. */
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

/* Make @block the node that follows @previous. Holes are right already. */
static void loom_bank_link(struct loom_bank *bank, struct loom_bank_block *previous,
			   struct loom_bank_block *block)
{
	struct loom_bank_block *next = previous->near[HIGH];

	block->best[LOW] = 0;
	block->best[HIGH] = 0;
	block->child[LOW] = NULL;
	block->child[HIGH] = NULL;
	block->balance = 0;
	block->near[LOW] = previous;
	block->near[HIGH] = next;
	previous->near[HIGH] = block;
	if (next)
		next->near[LOW] = block;

	/* Two nodes in a row: the lower has no higher subtree, or the higher no lower one. */
	block->parent = previous->child[HIGH] ? next : previous;
	block->parent->child[block->parent == previous] = block;

	loom_bank_propagate(block);
	loom_bank_propagate(previous);
	loom_bank_grown(bank, block);
}

/* Take @block out. Its hole belongs to the node before it already. */
static void loom_bank_unlink(struct loom_bank *bank, struct loom_bank_block *block)
{
	struct loom_bank_block *previous = block->near[LOW];
	struct loom_bank_block *next = block->near[HIGH];
	struct loom_bank_block *from = block->parent;
	int side = from ? loom_bank_side(block) : LOW;

	previous->near[HIGH] = next;
	if (next)
		next->near[LOW] = previous;

	if (block->child[LOW] && block->child[HIGH]) {
		/* The next node is the lowest of the higher subtree: it takes over. */
		from = next->parent == block ? next : next->parent;
		side = from == next ? HIGH : LOW;
		loom_bank_replace(bank, next, next->child[HIGH]);
		loom_bank_replace(bank, block, next);
		next->child[LOW] = block->child[LOW];
		next->child[HIGH] = block->child[HIGH];
		next->child[LOW]->parent = next;
		if (next->child[HIGH])
			next->child[HIGH]->parent = next;
		next->best[LOW] = block->best[LOW];
		next->best[HIGH] = block->best[HIGH];
		next->balance = block->balance;
	} else {
		loom_bank_replace(bank, block, block->child[!block->child[LOW]]);
		next = NULL;
	}

	if (from) {
		from->best[side] = loom_bank_best(from->child[side]);
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
	while (node->best[side] >= size || node->hole < size)
		node = node->child[node->best[side] >= size ? side : !side];
	return node;
}

/* The next node away from @side with a hole of @size, or NULL. */
static struct loom_bank_block *loom_bank_following(struct loom_bank_block *node, u64 size,
						   int side)
{
	if (node->best[!side] >= size)
		return loom_bank_first(node->child[!side], size, side);
	for (; node->parent; node = node->parent) {
		struct loom_bank_block *parent = node->parent;

		if (loom_bank_side(node) != side)
			continue;
		if (parent->hole >= size)
			return parent;
		if (parent->best[!side] >= size)
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

	/* The hole that the near end of the range lies in, or the first of all. */
	if (request->top_down ? request->high < bank->limit : request->low > bank->base) {
		node = loom_bank_at(bank, request->top_down ? request->high : request->low);
		if (node->hole < request->size)
			node = loom_bank_following(node, request->size, side);
	} else {
		if (loom_bank_best(bank->root) < request->size)
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

/* The first in order whose hole has a size of at least @size, from @start on if it is the same. */
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
		/* all holes that are just as large, from the end that is asked for */
		size = loom_bank_sized(node)->hole;
		next = size == U64_MAX ? NULL : loom_bank_size_at(bank, size + 1, 0);
		same = node;
		if (request->top_down)
			same = next ? loom_treap_near(next, LOW) :
				      loom_treap_end(bank->holes.root, HIGH);
		while (same && loom_bank_sized(same)->hole == size) {
			if (loom_bank_fit(loom_bank_sized(same), request, address))
				return loom_bank_sized(same);
			same = loom_treap_near(same, request->top_down ? LOW : HIGH);
		}
		if (!next)
			return NULL;
		size = loom_bank_sized(next)->hole;
	}
}

/* Likewise, clear of the blocks on some banks. */
static struct loom_bank_block *loom_bank_fit_around(struct loom_bank *bank,
						    const struct loom_bank_request *request,
						    const struct loom_mask *mask, u64 *address)
{
	struct loom_bank_request rest = *request;
	struct loom_patch_want want = {
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
		node = loom_bank_first_fit(bank, &rest, address);
		if (!node)
			return NULL;
		if (request->top_down)
			want.high = *address + request->size;
		else
			want.low = *address;
		if (!loom_patches_fit(&bank->patches, &want, &clear))
			return NULL;
		if (clear == *address)
			return node;
		if (request->top_down)
			rest.high = clear + request->size;
		else
			rest.low = clear;
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
	loom_patches_init(&bank->patches);
	loom_bank_set_hole(bank, &bank->head, limit - base);
	return 0;
}

u32 loom_bank_fini(struct loom_bank *bank)
{
	struct loom_bank_block *block, *next;
	struct loom_patch_cursor cursor;
	u32 leaked = bank->blocks;

	for (block = bank->head.near[HIGH]; block; block = next) {
		next = block->near[HIGH];
		block->bank = NULL;
	}
	for (loom_patches_begin(&bank->patches, &cursor); cursor.chunk;
	     loom_patches_step(&cursor))
		cursor.chunk->block[cursor.index]->bank = NULL;
	loom_patches_fini(&bank->patches);
	memset(bank, 0, sizeof(*bank));
	return leaked;
}

struct loom_patch_chunk *loom_bank_chunk_create(void)
{
	return loom_port_alloc(1, sizeof(struct loom_patch_chunk));
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
	if (mask != &bank->all || bank->patches.count)
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
		if (!loom_patches_insert(&bank->patches, block, request->spare))
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
		loom_patches_remove(&bank->patches, block);
	} else {
		struct loom_bank_block *below = block->near[LOW];
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
	struct loom_patch_cursor cursor;
	struct loom_bank_iter iter;
	struct loom_bank_span span;

	stats->blocks = bank->blocks - bank->patches.count;
	for (loom_patches_begin(&bank->patches, &cursor); cursor.chunk;
	     loom_patches_step(&cursor))
		stats->blocks += loom_mask_meets(&cursor.chunk->mask[cursor.index], mask);
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
	if (bank->patches.count) {
		loom_bank_stats_walk(bank, mask ? mask : &bank->all, stats);
	} else {
		stats->allocated = bank->allocated;
		stats->largest_free = loom_bank_best(bank->root);
		stats->blocks = bank->blocks;
	}
	stats->free = stats->total - stats->allocated;
}

u64 loom_bank_bytes(const struct loom_bank *bank, u32 index)
{
	return bank->allocated + bank->patches.bytes[index];
}

u64 loom_bank_lowest(const struct loom_bank *bank)
{
	return min(bank->base + bank->head.hole, loom_patches_lowest(&bank->patches));
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
	return block->near[HIGH];
}

/* On to the next block on some banks that is looked at and not reported yet. */
static void loom_bank_skip(struct loom_bank_iter *iter)
{
	struct loom_patch_cursor *cursor = &iter->cursor;

	while (cursor->chunk && (cursor->chunk->end[cursor->index] <= iter->at ||
				 !loom_mask_meets(&cursor->chunk->mask[cursor->index],
						  &iter->mask)))
		loom_patches_step(cursor);
}

void loom_bank_walk(struct loom_bank *bank, const struct loom_mask *mask,
		    struct loom_bank_iter *iter)
{
	*iter = (struct loom_bank_iter){
		.mask = mask ? *mask : bank->all,
		.at = bank->base,
		.limit = bank->limit,
		.block = bank->head.near[HIGH],
	};
	loom_patches_begin(&bank->patches, &iter->cursor);
}

bool loom_bank_next(struct loom_bank_iter *iter, struct loom_bank_span *span)
{
	struct loom_bank_block *block = iter->block, *partial = NULL;

	if (iter->at >= iter->limit)
		return false;
	loom_bank_skip(iter);
	if (iter->cursor.chunk)
		partial = iter->cursor.chunk->block[iter->cursor.index];
	if (!block || (partial && partial->start < block->start))
		block = partial;
	*span = (struct loom_bank_span){ .start = iter->at, .end = iter->limit };
	if (block && block->start <= iter->at) {
		span->end = block->start + block->size;
		span->block = block;
		if (block == iter->block)
			iter->block = block->near[HIGH];
	} else if (block) {
		span->end = block->start;
	}
	iter->at = span->end;
	return true;
}
