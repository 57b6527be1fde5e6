/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_SIZE_H
#define LOOM_SIZE_H

#include "treap.h"

struct loom_bank_block;

/* Eight classes for each power of two: the class of 2^64 - 1 is number 495. */
#define LOOM_SIZE_CLASSES	512

/**
 * struct loom_sizes - the holes of a bank, by size
 *
 * A class is a range of sizes, an eighth of a power of two. Its holes are in a treap by size, and
 * those of one size by address. So the trees are low, and the smallest hole that is large enough is
 * in the class of the request, or it is the first of the next class that has one.
 *
 * @used: bit by class: it has a hole
 * @root: by class
 * @drawn: see &struct loom_treap
 */
struct loom_sizes {
	u64 used[LOOM_SIZE_CLASSES / 64];
	struct loom_treap_node *root[LOOM_SIZE_CLASSES];
	u32 drawn;
};

/* Forgets all holes. */
void loom_sizes_clear(struct loom_sizes *sizes);

/* Adds the hole behind @block, which has one. */
void loom_sizes_add(struct loom_sizes *sizes, struct loom_bank_block *block);

/* Takes it out; it must have the size that it was added with. */
void loom_sizes_remove(struct loom_sizes *sizes, struct loom_bank_block *block);

/* The lowest of the smallest holes of at least @size, or NULL. */
struct loom_bank_block *loom_sizes_least(const struct loom_sizes *sizes, u64 size);

/* The highest hole of exactly @size; there is one. */
struct loom_bank_block *loom_sizes_highest(const struct loom_sizes *sizes, u64 size);

/* The next hole of the same size towards @side, or NULL. */
struct loom_bank_block *loom_sizes_same(const struct loom_bank_block *block, int side);

#endif /* LOOM_SIZE_H */
