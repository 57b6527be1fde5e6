// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "treap.h"

enum { LOW, HIGH };

/* Pseudo-random priorities, the same in every run, so that results can be reproduced. */
static u32 loom_treap_draw(struct loom_treap *treap)
{
	u64 z = ++treap->drawn * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (u32)(z >> 32);
}

static void loom_treap_update(struct loom_treap *treap, struct loom_treap_node *node)
{
	if (treap->update)
		treap->update(treap, node);
}

static int loom_treap_side(const struct loom_treap_node *node)
{
	return node->parent->child[HIGH] == node;
}

/* Rotates @node above its parent. */
static void loom_treap_rotate(struct loom_treap *treap, struct loom_treap_node *node)
{
	struct loom_treap_node *parent = node->parent;
	int side = loom_treap_side(node);
	struct loom_treap_node *inner = node->child[!side];

	node->parent = parent->parent;
	if (parent->parent)
		parent->parent->child[loom_treap_side(parent)] = node;
	else
		treap->root = node;
	parent->child[side] = inner;
	if (inner)
		inner->parent = parent;
	node->child[!side] = parent;
	parent->parent = node;
	loom_treap_update(treap, parent);
}

void loom_treap_link(struct loom_treap *treap, struct loom_treap_node *node,
		     struct loom_treap_node *parent, int side)
{
	node->child[LOW] = NULL;
	node->child[HIGH] = NULL;
	node->parent = parent;
	node->priority = loom_treap_draw(treap);
	if (parent)
		parent->child[side] = node;
	else
		treap->root = node;
	while (node->parent && node->parent->priority < node->priority)
		loom_treap_rotate(treap, node);
	loom_treap_update(treap, node);
}

void loom_treap_link_after(struct loom_treap *treap, struct loom_treap_node *node,
			   struct loom_treap_node *previous)
{
	if (!treap->root)
		loom_treap_link(treap, node, NULL, LOW);
	else if (!previous)
		loom_treap_link(treap, node, loom_treap_end(treap->root, LOW), LOW);
	else if (previous->child[HIGH])
		loom_treap_link(treap, node, loom_treap_end(previous->child[HIGH], LOW), LOW);
	else
		loom_treap_link(treap, node, previous, HIGH);
}

struct loom_treap_node *loom_treap_unlink(struct loom_treap *treap, struct loom_treap_node *node)
{
	struct loom_treap_node *parent, *child;

	/* Rotate it down to where it has no more than one child. */
	while (node->child[LOW] && node->child[HIGH])
		loom_treap_rotate(treap, node->child[node->child[LOW]->priority <
						   node->child[HIGH]->priority]);
	child = node->child[!node->child[LOW]];
	parent = node->parent;
	if (parent)
		parent->child[loom_treap_side(node)] = child;
	else
		treap->root = child;
	if (child)
		child->parent = parent;
	return parent;
}

struct loom_treap_node *loom_treap_end(struct loom_treap_node *node, int side)
{
	while (node->child[side])
		node = node->child[side];
	return node;
}

struct loom_treap_node *loom_treap_neighbour(const struct loom_treap_node *node, int side)
{
	if (node->child[side])
		return loom_treap_end(node->child[side], !side);
	while (node->parent && loom_treap_side(node) == side)
		node = node->parent;
	return node->parent;
}
