/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_COVERAGE_H
#define LOOM_COVERAGE_H

#include "footprint.h"
#include "splay.h"

struct loom_coverage_chunk;

/**
 * struct loom_coverage - what is written of a tensor; all zero is nothing
 * @tree: index ranges on the first axis that are written at least in part
 * @complete: every element is written; @tree is empty then
 */
struct loom_coverage {
	struct loom_splay tree;
	bool complete;
};

/**
 * struct loom_coverage_pool - what all covers of a plan share
 * @chunks: memory of the ranges
 * @free: ranges to be used again
 * @work: steps that may still be taken
 * @nodes: ranges that may still be made
 */
struct loom_coverage_pool {
	struct loom_coverage_chunk *chunks;
	struct loom_splay_node *free;
	u64 work;
	u64 nodes;
};

/**
 * loom_coverage_pool_init() - before the first use
 * @pool: the pool
 */
void loom_coverage_pool_init(struct loom_coverage_pool *pool);

/**
 * loom_coverage_pool_fini() - free all covers of a pool
 * @pool: the pool
 */
void loom_coverage_pool_fini(struct loom_coverage_pool *pool);

/**
 * loom_coverage_write() - the elements of a footprint are written
 * @pool: the pool
 * @cover: of the tensor
 * @footprint: an exact one, of the tensor
 *
 * May take note of fewer elements, never of more.
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check loom_coverage_write(struct loom_coverage_pool *pool, struct loom_coverage *cover,
				     const struct loom_footprint *footprint);

/**
 * loom_coverage_has() - all elements of a footprint were written
 * @pool: the pool
 * @cover: of the tensor
 * @footprint: of the tensor, exact or not
 *
 * Return: false also when finding out would take too long.
 */
bool __must_check loom_coverage_has(struct loom_coverage_pool *pool, struct loom_coverage *cover,
				    const struct loom_footprint *footprint);

/* Every element was written. */
void loom_coverage_complete(struct loom_coverage_pool *pool, struct loom_coverage *cover);

#endif /* LOOM_COVERAGE_H */
