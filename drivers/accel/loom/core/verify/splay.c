// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "splay.h"

/* Bring the element with @key to the root, or a neighbour of its position. */
static struct loom_splay_node *loom_splay_splay(struct loom_splay_node *top, u32 key,
						struct loom_work *work)
{
	struct loom_splay_node sides = {}, *left = &sides, *right = &sides, *child;

	/* sides.right collects what is smaller than the path, sides.left what is larger. */
	while (loom_work_do(work, 1)) {
		if (key < top->key) {
			child = top->left;
			if (!child)
				break;
			if (key < child->key) {
				top->left = child->right;
				child->right = top;
				top = child;
				if (!top->left)
					break;
			}
			right->left = top;
			right = top;
			top = top->left;
		} else if (key > top->key) {
			child = top->right;
			if (!child)
				break;
			if (key > child->key) {
				top->right = child->left;
				child->left = top;
				top = child;
				if (!top->right)
					break;
			}
			left->right = top;
			left = top;
			top = top->right;
		} else {
			break;
		}
	}
	left->right = top->left;
	right->left = top->right;
	top->left = sides.right;
	top->right = sides.left;
	return top;
}

struct loom_splay_node *loom_splay_floor(struct loom_splay *tree, u32 key,
					 struct loom_work *work)
{
	struct loom_splay_node *top = tree->root;

	if (!top)
		return NULL;
	top = loom_splay_splay(top, key, work);
	tree->root = top;
	if (top->key <= key)
		return top;
	if (!top->left)
		return NULL;
	/* All on the left are smaller than @key: this brings up the largest of them. */
	top->left = loom_splay_splay(top->left, key, work);
	return top->left;
}

struct loom_splay_node *loom_splay_ceil(struct loom_splay *tree, u32 key,
					struct loom_work *work)
{
	struct loom_splay_node *top = tree->root;

	if (!top)
		return NULL;
	top = loom_splay_splay(top, key, work);
	tree->root = top;
	if (top->key >= key)
		return top;
	if (!top->right)
		return NULL;
	top->right = loom_splay_splay(top->right, key, work);
	return top->right;
}

void loom_splay_insert(struct loom_splay *tree, struct loom_splay_node *node,
		       struct loom_work *work)
{
	struct loom_splay_node *top = tree->root;

	node->left = NULL;
	node->right = NULL;
	if (top) {
		top = loom_splay_splay(top, node->key, work);
		if (top->key < node->key) {
			node->right = top->right;
			node->left = top;
			top->right = NULL;
		} else {
			node->left = top->left;
			node->right = top;
			top->left = NULL;
		}
	}
	tree->root = node;
}

void loom_splay_remove(struct loom_splay *tree, struct loom_splay_node *node,
		       struct loom_work *work)
{
	struct loom_splay_node *top = loom_splay_splay(tree->root, node->key, work);

	/* the last look-up ended early: it may be anywhere */
	if (work->interrupted) {
		tree->root = top;
		return;
	}
	if (!top->left) {
		tree->root = top->right;
	} else {
		/* The largest on the left has nothing on its right. */
		tree->root = loom_splay_splay(top->left, node->key, work);
		tree->root->right = top->right;
	}
}
