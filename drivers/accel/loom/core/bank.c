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
 * First fit from the end that was asked for is the policy. It keeps what came from the
 * one end away from what came from the other, which is what directions are for.
 *
 * What was rejected: a list with first fit (linear; 2 us at 10k blocks), segregated
 * free lists (find some hole that fits, but not the lowest, and know
 * nothing of ranges), a bitmap (costs memory in the size of the bank, not in what
 * lives in it), a second tree by hole size for best fit (mixes both directions), a
 * red-black tree (the same code, but higher: searches outnumber rotations).
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

/* The node behind which the request goes, or NULL. */
static struct loom_bank_block *loom_bank_search(struct loom_bank *bank,
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

int loom_bank_init(struct loom_bank *bank, u64 base, u64 limit)
{
	if (base >= limit)
		return -EINVAL;
	*bank = (struct loom_bank){ .base = base, .limit = limit };
	bank->head.start = base;
	bank->head.hole = limit - base;
	bank->head.bank = bank;
	bank->root = &bank->head;
	return 0;
}

u32 loom_bank_fini(struct loom_bank *bank)
{
	struct loom_bank_block *block, *next;
	u32 leaked = bank->blocks;

	for (block = bank->head.near[HIGH]; block; block = next) {
		next = block->near[HIGH];
		block->bank = NULL;
	}
	*bank = (struct loom_bank){ 0 };
	return leaked;
}

int loom_bank_alloc(struct loom_bank *bank, struct loom_bank_block *block,
		    const struct loom_bank_request *request)
{
	struct loom_bank_block *node;
	u64 start, hole;

	if (!request->size || !request->align || (request->align & (request->align - 1)) ||
	    request->low > request->high || block->bank)
		return -EINVAL;
	node = loom_bank_search(bank, request, &start);
	if (!node)
		return -ENOSPC;

	hole = node->start + node->size;
	block->start = start;
	block->size = request->size;
	block->hole = node->hole - (start - hole) - request->size;
	block->bank = bank;
	node->hole = start - hole;
	loom_bank_link(bank, node, block);
	bank->allocated += request->size;
	bank->blocks++;
	return 0;
}

int loom_bank_free(struct loom_bank *bank, struct loom_bank_block *block)
{
	if (block->bank != bank || block == &bank->head)
		return -EINVAL;
	block->near[LOW]->hole += block->size + block->hole;
	loom_bank_unlink(bank, block);
	block->bank = NULL;
	bank->allocated -= block->size;
	bank->blocks--;
	return 0;
}

void loom_bank_stats(const struct loom_bank *bank, struct loom_bank_stats *stats)
{
	stats->total = bank->limit - bank->base;
	stats->allocated = bank->allocated;
	stats->free = stats->total - stats->allocated;
	stats->largest_free = loom_bank_best(bank->root);
	stats->blocks = bank->blocks;
}

u64 loom_bank_lowest(const struct loom_bank *bank)
{
	return bank->base + bank->head.hole;
}

struct loom_bank_block *loom_bank_find(struct loom_bank *bank, u64 address)
{
	struct loom_bank_block *block = loom_bank_at(bank, address);

	if (block != &bank->head && block->start + block->size > address)
		return block;
	return block->near[HIGH];
}

void loom_bank_walk(struct loom_bank *bank, struct loom_bank_iter *iter)
{
	iter->block = &bank->head;
	iter->hole = true;
}

bool loom_bank_next(struct loom_bank_iter *iter, struct loom_bank_span *span)
{
	struct loom_bank_block *block = iter->block;

	if (iter->hole && block->hole) {
		span->start = block->start + block->size;
		span->end = span->start + block->hole;
		span->block = NULL;
		iter->hole = false;
		return true;
	}
	block = block->near[HIGH];
	if (!block)
		return false;
	span->start = block->start;
	span->end = block->start + block->size;
	span->block = block;
	iter->block = block;
	iter->hole = true;
	return true;
}
