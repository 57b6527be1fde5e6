/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_SPLAY_H
#define LOOM_SPLAY_H

#include "work.h"

/**
 * DOC: Ordered sets
 *
 * A top-down splay tree over u32 keys. The kernel's rbtree was rejected because core is
 * freestanding. Another balanced tree was rejected because a splay tree is a third of the code,
 * needs no balance in its nodes and is still O(log n) amortised for any sequence of calls,
 * including adversarial ones. Functions must not recurse: a tree may be as deep as it has nodes.
 * Look-ups modify the tree, so it must have one owner.
 *
 * A single call can take as many steps as the tree has nodes, so each step counts as a unit of work
 * (work.h). When the work is interrupted, a call ends early and its result is invalid; the tree is
 * then still connected, but not ordered, and the caller must not remove nodes.
 */

/**
 * struct loom_splay_node - an element; embedded in what it stands for
 * @left: smaller keys
 * @right: larger keys
 * @key: unique in its tree
 * @end: for the owner, whose elements are ranges from @key on: here it fills padding
 */
struct loom_splay_node {
	struct loom_splay_node *left;
	struct loom_splay_node *right;
	u32 key;
	u32 end;
};

/**
 * struct loom_splay - a set; all zero is the empty one
 * @root: any of its elements, or NULL
 */
struct loom_splay {
	struct loom_splay_node *root;
};

/* The element with the largest key that is not above @key, or NULL. */
struct loom_splay_node *loom_splay_floor(struct loom_splay *tree, u32 key,
					 struct loom_work *work);
/* The element with the smallest key that is not below @key, or NULL. */
struct loom_splay_node *loom_splay_ceil(struct loom_splay *tree, u32 key,
					struct loom_work *work);
/* Adds an element; no other has its key. */
void loom_splay_insert(struct loom_splay *tree, struct loom_splay_node *node,
		       struct loom_work *work);
/* Takes an element out that is in the tree. */
void loom_splay_remove(struct loom_splay *tree, struct loom_splay_node *node,
		       struct loom_work *work);

#endif /* LOOM_SPLAY_H */
