// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "tree.h"

enum { LOW, HIGH };

static int loom_tree_side(const struct loom_bank_block *node)
{
	return node->parent->child[HIGH] == node;
}

u64 loom_tree_max_hole(const struct loom_bank_block *node)
{
	return node ? max(node->hole, max(node->max_hole[LOW], node->max_hole[HIGH])) : 0;
}

/*
 * Updates the maxima above @node after a hole at or below it has changed, until one remains; unless
 * nobody asks for them before the tree is built anew.
 */
static void loom_tree_propagate(const struct loom_bank *bank, struct loom_bank_block *node)
{
	struct loom_bank_block *parent;

	if (loom_tree_is_order(bank))
		return;
	for (; (parent = node->parent); node = parent) {
		int side = loom_tree_side(node);
		u64 best = loom_tree_max_hole(node);

		if (parent->max_hole[side] == best)
			return;
		parent->max_hole[side] = best;
	}
}

/* Put @node, or nothing, in the place of @old below @old's parent. */
static void loom_tree_replace(struct loom_bank *bank, struct loom_bank_block *old,
			      struct loom_bank_block *node)
{
	if (old->parent)
		old->parent->child[loom_tree_side(old)] = node;
	else
		bank->root = node;
	if (node)
		node->parent = old->parent;
}

/*
 * Rotates the child on @side of @node above it. The nodes below that place remain the same, and so
 * do the maxima above. The caller updates the balances.
 */
static void loom_tree_rotate(struct loom_bank *bank, struct loom_bank_block *node, int side)
{
	struct loom_bank_block *child = node->child[side];
	struct loom_bank_block *inner = child->child[!side];

	loom_tree_replace(bank, node, child);
	node->child[side] = inner;
	node->max_hole[side] = child->max_hole[!side];
	if (inner)
		inner->parent = node;
	child->child[!side] = node;
	node->parent = child;
	child->max_hole[!side] = loom_tree_max_hole(node);
}

/*
 * @node is higher by two on @side than on the other. Return: the root of the subtree after the
 * rotation; its balance is zero if the subtree has become lower by one.
 */
static struct loom_bank_block *loom_tree_rebalance(struct loom_bank *bank,
						   struct loom_bank_block *node, int side)
{
	struct loom_bank_block *child = node->child[side];
	struct loom_bank_block *inner;
	s32 sign = side ? 1 : -1;

	if (child->balance != -sign) {
		node->balance = child->balance ? 0 : sign;
		child->balance = child->balance ? 0 : -sign;
		loom_tree_rotate(bank, node, side);
		return child;
	}
	inner = child->child[!side];
	node->balance = inner->balance == sign ? -sign : 0;
	child->balance = inner->balance == -sign ? sign : 0;
	inner->balance = 0;
	loom_tree_rotate(bank, child, !side);
	loom_tree_rotate(bank, node, side);
	return inner;
}

/* The subtree of @node has become higher by one. */
static void loom_tree_grown(struct loom_bank *bank, struct loom_bank_block *node)
{
	struct loom_bank_block *parent;

	for (; (parent = node->parent); node = parent) {
		int side = loom_tree_side(node);
		s32 sign = side ? 1 : -1;

		if (parent->balance == sign) {
			loom_tree_rebalance(bank, parent, side);
			return;
		}
		parent->balance += sign;
		if (!parent->balance)
			return;
	}
}

/* The subtree on @side of @node has become lower by one. */
static void loom_tree_shrunk(struct loom_bank *bank, struct loom_bank_block *node, int side)
{
	while (node) {
		s32 sign = side ? 1 : -1;

		if (node->balance == -sign) {
			node = loom_tree_rebalance(bank, node, !side);
			if (node->balance)
				return;
		} else {
			node->balance -= sign;
			if (node->balance)
				return;
		}
		if (!node->parent)
			return;
		side = loom_tree_side(node);
		node = node->parent;
	}
}

void loom_tree_link(struct loom_bank *bank, struct loom_bank_block *block)
{
	struct loom_bank_block *previous = block->neighbour[LOW];

	block->max_hole[LOW] = 0;
	block->max_hole[HIGH] = 0;
	block->child[LOW] = NULL;
	block->child[HIGH] = NULL;
	block->balance = 0;

	/* Two nodes in a row: the lower has no higher subtree, or the higher no lower one. */
	block->parent = previous->child[HIGH] ? block->neighbour[HIGH] : previous;
	block->parent->child[block->parent == previous] = block;

	loom_tree_propagate(bank, block);
	loom_tree_propagate(bank, previous);
	loom_tree_grown(bank, block);
}

void loom_tree_unlink(struct loom_bank *bank, struct loom_bank_block *block)
{
	struct loom_bank_block *previous = block->neighbour[LOW];
	struct loom_bank_block *next = block->neighbour[HIGH];
	struct loom_bank_block *from = block->parent;
	int side = from ? loom_tree_side(block) : LOW;

	if (block->child[LOW] && block->child[HIGH]) {
		/* its successor, the lowest of the higher subtree, replaces it */
		from = next->parent == block ? next : next->parent;
		side = from == next ? HIGH : LOW;
		loom_tree_replace(bank, next, next->child[HIGH]);
		loom_tree_replace(bank, block, next);
		next->child[LOW] = block->child[LOW];
		next->child[HIGH] = block->child[HIGH];
		next->child[LOW]->parent = next;
		if (next->child[HIGH])
			next->child[HIGH]->parent = next;
		next->max_hole[LOW] = block->max_hole[LOW];
		next->max_hole[HIGH] = block->max_hole[HIGH];
		next->balance = block->balance;
	} else {
		loom_tree_replace(bank, block, block->child[!block->child[LOW]]);
		next = NULL;
	}

	if (from) {
		from->max_hole[side] = loom_tree_max_hole(from->child[side]);
		loom_tree_propagate(bank, from);
	}
	if (next)
		loom_tree_propagate(bank, next);
	loom_tree_propagate(bank, previous);
	loom_tree_shrunk(bank, from, side);
}

struct loom_bank_block *loom_tree_first(struct loom_bank_block *node, u64 size, int side)
{
	while (node->max_hole[side] >= size || node->hole < size)
		node = node->child[node->max_hole[side] >= size ? side : !side];
	return node;
}

struct loom_bank_block *loom_tree_following(struct loom_bank_block *node, u64 size, int side)
{
	if (node->max_hole[!side] >= size)
		return loom_tree_first(node->child[!side], size, side);
	for (; node->parent; node = node->parent) {
		struct loom_bank_block *parent = node->parent;

		if (loom_tree_side(node) != side)
			continue;
		if (parent->hole >= size)
			return parent;
		if (parent->max_hole[!side] >= size)
			return loom_tree_first(parent->child[!side], size, side);
	}
	return NULL;
}

struct loom_bank_block *loom_tree_at(struct loom_bank *bank, u64 address)
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

void loom_tree_build(struct loom_bank *bank)
{
	struct loom_bank_block *head = &bank->head, *block;

	head->parent = NULL;
	head->child[LOW] = NULL;
	head->child[HIGH] = NULL;
	head->max_hole[LOW] = 0;
	head->max_hole[HIGH] = 0;
	head->balance = 0;
	bank->root = head;
	for (block = head->neighbour[HIGH]; block; block = block->neighbour[HIGH])
		loom_tree_link(bank, block);
}
