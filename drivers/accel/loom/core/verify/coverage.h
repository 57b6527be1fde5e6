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

/* The budget of a plan: a constant, and an amount for each of its bytes. See coverage.c. */
#define LOOM_COVERAGE_WORK_START	(1U << 16)
#define LOOM_COVERAGE_WORK_BYTE		4
#define LOOM_COVERAGE_NODES_START	(1U << 14)
#define LOOM_COVERAGE_BYTES_NODE	64
/**
 * struct loom_coverage_pool - memory and budget of all coverages of a plan
 * @chunks: memory of the ranges
 * @free: unused ranges, linked by their left branch
 * @work: where work is counted
 * @units: budget: remaining units of work
 * @end: during an operand: count of @work at which @units are used up
 * @nodes: budget: remaining ranges
 * @exhausted: one of the budgets was used up, so an answer was not exact
 */
struct loom_coverage_pool {
	struct loom_coverage_chunk *chunks;
	struct loom_splay_node *free;
	struct loom_work *work;
	u64 units;
	u64 end;
	u64 nodes;
	bool exhausted;
};

/**
 * loom_coverage_pool_init() - before the first use
 * @pool: the pool
 * @work: where work is counted
 * @plan_bytes: size of the plan
 */
void loom_coverage_pool_init(struct loom_coverage_pool *pool, struct loom_work *work,
			     u64 plan_bytes);

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
 * It may add fewer elements, never more, when the pool is exhausted or the work was interrupted:
 * ask for both afterwards.
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check loom_coverage_write(struct loom_coverage_pool *pool,
				     struct loom_coverage *coverage,
				     const struct loom_footprint *footprint);

/**
 * loom_coverage_write_all() - add every element, from the budget
 * @pool: the pool
 * @coverage: of the tensor
 *
 * As loom_coverage_write() of a footprint that is one box with all elements.
 */
void loom_coverage_write_all(struct loom_coverage_pool *pool, struct loom_coverage *coverage);

/**
 * loom_coverage_has() - whether all elements of a footprint are written
 * @pool: the pool
 * @coverage: of the tensor
 * @footprint: of the tensor, exact or not
 *
 * Return: false also when the pool is exhausted or the work was interrupted.
 */
bool __must_check loom_coverage_has(struct loom_coverage_pool *pool, struct loom_coverage *coverage,
				    const struct loom_footprint *footprint);

/* Most memory that the coverages of a plan of that many bytes take. */
u64 loom_coverage_bytes(u64 plan_bytes);

/* Add every element; the budget stays as it is. */
void loom_coverage_complete(struct loom_coverage_pool *pool, struct loom_coverage *coverage);

#endif /* LOOM_COVERAGE_H */
