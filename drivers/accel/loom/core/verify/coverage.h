/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_COVERAGE_H
#define LOOM_COVERAGE_H

#include "footprint.h"
#include "splay.h"

struct loom_coverage_chunk;

/**
 * struct loom_coverage - the written elements of a tensor; all zero is none
 * @tree: index ranges on the first axis that are written at least in part
 * @complete: every element is written; @tree is empty then
 */
struct loom_coverage {
	struct loom_splay tree;
	bool complete;
};

/**
 * struct loom_coverage_pool - memory and budget of all coverages of a plan
 * @chunks: memory of the ranges
 * @free: unused ranges, linked by their left branch
 * @work: budget: steps that may still be taken
 * @nodes: budget: ranges that may still be made
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
 * loom_coverage_pool_fini() - free all coverages of a pool
 * @pool: the pool
 */
void loom_coverage_pool_fini(struct loom_coverage_pool *pool);

/**
 * loom_coverage_write() - add the elements of a footprint
 * @pool: the pool
 * @coverage: of the tensor
 * @footprint: an exact one, of the tensor
 *
 * Without budget it may add fewer elements, never more.
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check loom_coverage_write(struct loom_coverage_pool *pool,
				     struct loom_coverage *coverage,
				     const struct loom_footprint *footprint);

/**
 * loom_coverage_has() - whether all elements of a footprint are written
 * @pool: the pool
 * @coverage: of the tensor
 * @footprint: of the tensor, exact or not
 *
 * Return: false also when the budget does not suffice to find out.
 */
bool __must_check loom_coverage_has(struct loom_coverage_pool *pool, struct loom_coverage *coverage,
				    const struct loom_footprint *footprint);

/* Add every element. */
void loom_coverage_complete(struct loom_coverage_pool *pool, struct loom_coverage *coverage);

#endif /* LOOM_COVERAGE_H */
