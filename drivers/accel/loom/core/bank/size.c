// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_bank.h"

enum { LOW, HIGH };

static struct loom_bank_block *loom_sizes_block(const struct loom_treap_node *node)
{
	return node ? container_of(node, struct loom_bank_block, by_size) : NULL;
}

static u32 loom_sizes_class(u64 size)
{
	u32 log;

	if (size < 8)
		return size;
	log = 63 - __builtin_clzll(size);
	return (log - 2) * 8 + (size >> (log - 3)) % 8;
}

/* The first class from @class on that has a hole, or LOOM_SIZE_CLASSES. */
static u32 loom_sizes_next(const struct loom_sizes *sizes, u32 class)
{
	u32 word = class / 64;
	u64 bits;

	if (class >= LOOM_SIZE_CLASSES)
		return LOOM_SIZE_CLASSES;
	bits = sizes->used[word] >> class % 64 << class % 64;
	while (!bits) {
		if (++word == LOOM_SIZE_CLASSES / 64)
			return LOOM_SIZE_CLASSES;
		bits = sizes->used[word];
	}
	return word * 64 + __builtin_ctzll(bits);
}

void loom_sizes_clear(struct loom_sizes *sizes)
{
	memset(sizes, 0, sizeof(*sizes));
}

void loom_sizes_add(struct loom_sizes *sizes, struct loom_bank_block *block)
{
	u32 class = loom_sizes_class(block->hole);
	struct loom_treap treap = { .root = sizes->root[class], .drawn = sizes->drawn };
	struct loom_treap_node *parent = NULL, *at;
	int side = LOW;

	for (at = treap.root; at; at = at->child[side]) {
		const struct loom_bank_block *other = loom_sizes_block(at);

		side = block->hole != other->hole ? block->hole > other->hole :
						    block->start > other->start;
		parent = at;
	}
	loom_treap_link(&treap, &block->by_size, parent, side);
	sizes->root[class] = treap.root;
	sizes->drawn = treap.drawn;
	sizes->used[class / 64] |= 1ULL << class % 64;
}

void loom_sizes_remove(struct loom_sizes *sizes, struct loom_bank_block *block)
{
	u32 class = loom_sizes_class(block->hole);
	struct loom_treap treap = { .root = sizes->root[class] };

	loom_treap_unlink(&treap, &block->by_size);
	sizes->root[class] = treap.root;
	if (!treap.root)
		sizes->used[class / 64] &= ~(1ULL << class % 64);
}

struct loom_bank_block *loom_sizes_least(const struct loom_sizes *sizes, u64 size)
{
	u32 class = loom_sizes_class(size);
	struct loom_treap_node *node = sizes->root[class], *found = NULL;

	while (node) {
		if (loom_sizes_block(node)->hole >= size) {
			found = node;
			node = node->child[LOW];
		} else {
			node = node->child[HIGH];
		}
	}
	if (found)
		return loom_sizes_block(found);
	class = loom_sizes_next(sizes, class + 1);
	if (class == LOOM_SIZE_CLASSES)
		return NULL;
	return loom_sizes_block(loom_treap_end(sizes->root[class], LOW));
}

struct loom_bank_block *loom_sizes_highest(const struct loom_sizes *sizes, u64 size)
{
	struct loom_treap_node *node = sizes->root[loom_sizes_class(size)], *found = NULL;

	while (node) {
		if (loom_sizes_block(node)->hole <= size) {
			found = node;
			node = node->child[HIGH];
		} else {
			node = node->child[LOW];
		}
	}
	return loom_sizes_block(found);
}

struct loom_bank_block *loom_sizes_same(const struct loom_bank_block *block, int side)
{
	struct loom_bank_block *next =
		loom_sizes_block(loom_treap_neighbour(&block->by_size, side));

	return next && next->hole == block->hole ? next : NULL;
}
