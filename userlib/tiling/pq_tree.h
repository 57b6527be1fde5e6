/* SPDX-License-Identifier: MIT */
/*
 * Sets of permutations as trees, for tiling.c. Independent of items and placements. See DOC:
 * PQ-trees.
 */
#ifndef LOOM_TILING_PQ_TREE_H
#define LOOM_TILING_PQ_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define LOOM_PQ_NONE	UINT32_MAX

struct loom_pq;

/**
 * struct loom_pq_change - replacement of leaves by others
 * @out: leaves of the tree, at least one
 * @num_out: number of @out
 * @in: leaves that must not be in the tree, at least one; they may be in any order
 * @num_in: number of @in
 * @order: [out] @out in an order of the tree; the caller must provide room for @num_out
 * @below: [out] a leaf on the side of the first of @order, or LOOM_PQ_NONE
 * @above: [out] a leaf on the side of the last, or LOOM_PQ_NONE; if both are NONE, @order may be
 *	reversed
 */
struct loom_pq_change {
	const uint32_t *out;
	uint32_t num_out;
	const uint32_t *in;
	uint32_t num_in;
	uint32_t *order;
	uint32_t below;
	uint32_t above;
};

/**
 * loom_pq_create() - a tree without leaves
 * @num_leaves: upper limit on numbers of leaves
 * @pq: [out] free with loom_pq_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_pq_create(uint32_t num_leaves, struct loom_pq **pq);
/** loom_pq_destroy() - frees a tree; NULL is fine */
void loom_pq_destroy(struct loom_pq *pq);
/** loom_pq_start() - makes it the tree of all orders of @count leaves, at least one */
void loom_pq_start(struct loom_pq *pq, const uint32_t *leaves, uint32_t count);
/**
 * loom_pq_replace() - keep the orders in which leaves are consecutive, and replace these
 * @pq: the tree
 * @change: the leaves and their replacement
 * @visits: [in, out] incremented by the nodes visited
 *
 * Return: true; false if there is no such order, and then nothing is changed.
 */
bool loom_pq_replace(struct loom_pq *pq, struct loom_pq_change *change, uint64_t *visits);
/** loom_pq_can() - whether leaves, at least one, are consecutive in some order of the tree */
bool loom_pq_can(struct loom_pq *pq, const uint32_t *leaves, uint32_t count, uint64_t *visits);
/** loom_pq_order() - writes an order of the tree; returns the number of leaves */
uint32_t loom_pq_order(const struct loom_pq *pq, uint32_t *order);

#endif /* LOOM_TILING_PQ_TREE_H */
