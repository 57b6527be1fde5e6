/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TREE_H
#define LOOM_TREE_H

#include "loom_bank.h"

/**
 * DOC: Blocks as a tree
 *
 * The blocks on all banks, and the head, are the nodes of an AVL tree in address order. Each knows
 * the largest hole in its lower and in its higher subtree. The lowest hole of at least s bytes is
 * then found on one path down from the root, and the highest one on the mirrored path: both
 * directions are the same code with the two sides swapped. The maxima of both children are kept in
 * the parent: the search touches no node beside its path.
 *
 * While both kinds of blocks are joined (join.c), first fit does not search it: it is no more than
 * an order, and the maxima are not kept.
 *
 * A red-black tree was rejected: the same code, but higher, and searches outnumber rotations.
 */

/* Whether the maxima are not kept. When this ends, the tree is built again. */
static inline bool loom_tree_is_order(const struct loom_bank *bank)
{
	return bank->partials.joined && bank->policy == LOOM_BANK_FIRST_FIT;
}

/* Makes a tree of the blocks of @bank. */
void loom_tree_build(struct loom_bank *bank);

/* Adds @block, which has its neighbours and its hole; the hole before it is up to date, too. */
void loom_tree_link(struct loom_bank *bank, struct loom_bank_block *block);

/* Removes @block, which still has its neighbours; its hole is the one before it by now. */
void loom_tree_unlink(struct loom_bank *bank, struct loom_bank_block *block);

/* The largest hole in the subtree of @node, or 0. */
u64 loom_tree_max_hole(const struct loom_bank_block *node);

/* The first node from @side in the subtree of @node with a hole of @size; there is one. */
struct loom_bank_block *loom_tree_first(struct loom_bank_block *node, u64 size, int side);

/* The next node away from @side with a hole of @size, or NULL. */
struct loom_bank_block *loom_tree_following(struct loom_bank_block *node, u64 size, int side);

/* The last node that starts at @address or below. */
struct loom_bank_block *loom_tree_at(struct loom_bank *bank, u64 address);

#endif /* LOOM_TREE_H */
