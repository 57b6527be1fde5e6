/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TREAP_H
#define LOOM_TREAP_H

#include "loom_core.h"

/**
 * DOC: Augmented treap
 *
 * A binary search tree whose nodes have pseudo-random priorities, none above its parent's. It does
 * not know the keys: its user finds the place for a node. What the user keeps in a node about
 * the subtree below (its augmentation) is recomputed by a callback, from the leaves up, wherever
 * the shape changes.
 *
 * It was taken over a balanced tree because a rotation calls the callback twice and that is
 * all: no case of balancing has to carry the augmentation along. The height is 2 ln n on average,
 * against 1.44 log2 n at worst; the tree of blocks that every allocation searches is an AVL tree,
 * see tree.c.
 */

/**
 * struct loom_treap_node - a node, embedded in what it stands for
 * @child: subtrees of smaller and larger keys
 * @parent: node above, or NULL
 * @priority: not above that of the parent
 */
struct loom_treap_node {
	struct loom_treap_node *child[2];
	struct loom_treap_node *parent;
	u32 priority;
};

/**
 * struct loom_treap - a tree; all zero is the empty one
 * @root: its node of the highest priority, or NULL
 * @drawn: number of priorities drawn so far
 * @update: recomputes what @node keeps about its subtree, from its children; or NULL
 */
struct loom_treap {
	struct loom_treap_node *root;
	u32 drawn;
	void (*update)(struct loom_treap *treap, struct loom_treap_node *node);
};

/*
 * Makes @node a child of @parent, on a @side where that has none. The user updates the nodes above
 * the place where it ends up.
 */
void loom_treap_link(struct loom_treap *treap, struct loom_treap_node *node,
		     struct loom_treap_node *parent, int side);

/* The same, as the successor of @previous, or as the first node if that is NULL. */
void loom_treap_link_after(struct loom_treap *treap, struct loom_treap_node *node,
			   struct loom_treap_node *previous);

/*
 * Removes @node. Return: its last parent, or NULL. The user updates that and the nodes above; those
 * below are up to date.
 */
struct loom_treap_node *loom_treap_unlink(struct loom_treap *treap, struct loom_treap_node *node);

/* The next node in order towards @side, or NULL. */
struct loom_treap_node *loom_treap_neighbour(const struct loom_treap_node *node, int side);

/* The outermost node on @side in the subtree of @node. */
struct loom_treap_node *loom_treap_end(struct loom_treap_node *node, int side);

#endif /* LOOM_TREAP_H */
