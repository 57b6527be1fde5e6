/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TREAP_H
#define LOOM_TREAP_H

#include "loom_core.h"

/**
 * DOC: Trees that carry sums
 *
 * A treap with parents: a search tree in which each node has a random rank, and nobody a rank above
 * its parent's. It knows no keys: its owner finds the place and says which child of whom a node
 * becomes. What its owner keeps in a node about the subtree below is brought up to date by
 * a callback, from the leaves up, whenever the shape changes.
 *
 * It was taken over a balanced tree because no case of balancing has to be carried through by
 * the sums: a rotation calls the callback twice and that is all. The height is 2 ln n on average,
 * against 1.44 log2 n at worst; for trees that are searched for every allocation see bank.c.
 */

/**
 * struct loom_treap_node - a node; embedded
 * @child: smaller and larger
 * @parent: node above, or NULL
 * @rank: never above that of the parent
 */
struct loom_treap_node {
	struct loom_treap_node *child[2];
	struct loom_treap_node *parent;
	u32 rank;
};

/**
 * struct loom_treap - a tree; all zero is the empty one
 * @root: its highest rank, or NULL
 * @dealt: ranks that were dealt out
 * @update: brings what @node says about its subtree up to date, its children are; or NULL
 */
struct loom_treap {
	struct loom_treap_node *root;
	u32 dealt;
	void (*update)(struct loom_treap *treap, struct loom_treap_node *node);
};

/* Makes @node a child of @parent, on a @side where that has none. Sums above are not updated. */
void loom_treap_link(struct loom_treap *treap, struct loom_treap_node *node,
		     struct loom_treap_node *parent, int side);

/* Makes @node the one that follows @previous, or the first if that is NULL. Likewise. */
void loom_treap_link_after(struct loom_treap *treap, struct loom_treap_node *node,
			   struct loom_treap_node *previous);

/* Takes @node out. Sums are right below what is returned, not in it: its old parent, or NULL. */
struct loom_treap_node *loom_treap_unlink(struct loom_treap *treap, struct loom_treap_node *node);

/* The next node towards @side, or NULL. */
struct loom_treap_node *loom_treap_near(const struct loom_treap_node *node, int side);

/* The last node on @side in the subtree of @node. */
struct loom_treap_node *loom_treap_end(struct loom_treap_node *node, int side);

#endif /* LOOM_TREAP_H */
