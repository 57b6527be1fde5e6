/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_COVER_H
#define LOOM_COVER_H

#include "footprint.h"
#include "tree.h"

struct loom_cover_chunk;

/**
 * struct loom_cover - what is written of a tensor; all zero is nothing
 * @tree: index ranges on the first axis that are written at least in part
 * @complete: every element is written; @tree is empty then
 */
struct loom_cover {
	struct loom_tree tree;
	bool complete;
};

/**
 * struct loom_cover_pool - what all covers of a plan share
 * @chunks: memory of the ranges
 * @free: ranges to be used again
 * @work: steps that may still be taken
 * @nodes: ranges that may still be made
 */
struct loom_cover_pool {
	struct loom_cover_chunk *chunks;
	struct loom_tree_node *free;
	u64 work;
	u64 nodes;
};

/**
 * loom_cover_pool_init() - before the first use
 * @pool: the pool
 */
void loom_cover_pool_init(struct loom_cover_pool *pool);

/**
 * loom_cover_pool_fini() - free all covers of a pool
 * @pool: the pool
 */
void loom_cover_pool_fini(struct loom_cover_pool *pool);

/**
 * loom_cover_write() - the elements of a footprint are written
 * @pool: the pool
 * @cover: of the tensor
 * @footprint: an exact one, of the tensor
 *
 * May take note of fewer elements, never of more.
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check loom_cover_write(struct loom_cover_pool *pool, struct loom_cover *cover,
				  const struct loom_footprint *footprint);

/**
 * loom_cover_has() - all elements of a footprint were written
 * @pool: the pool
 * @cover: of the tensor
 * @footprint: of the tensor, exact or not
 *
 * Return: false also when finding out would take too long.
 */
bool __must_check loom_cover_has(struct loom_cover_pool *pool, struct loom_cover *cover,
				 const struct loom_footprint *footprint);

/* Every element was written. */
void loom_cover_complete(struct loom_cover_pool *pool, struct loom_cover *cover);

#endif /* LOOM_COVER_H */
