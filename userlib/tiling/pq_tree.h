/* SPDX-License-Identifier: MIT */
/*
 * Sets of orders as trees, for tiling.c. Knows nothing of items and placements.
 * See DOC: PQ-trees.
 */
#ifndef LOOM_TILING_PQ_TREE_H
#define LOOM_TILING_PQ_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define LOOM_PQ_NONE	UINT32_MAX

struct loom_pq;

/**
 * struct loom_pq_change - leaves that others take the place of
 * @out: leaves of the tree, at least one
 * @num_out: number of @out
 * @in: leaves that are not in the tree, at least one; they may come in any order
 * @num_in: number of @in
 * @order: [out] @out in an order that the tree had; room for @num_out
 * @below: [out] a leaf that is on the side of the first of @order, or LOOM_PQ_NONE
 * @above: [out] a leaf that is on the side of the last, or LOOM_PQ_NONE; if both are NONE, @order
 *	may be turned
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
 * @num_leaves: leaves are below
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
 * loom_pq_replace() - keep those orders in which leaves are side by side, and put others there
 * @pq: the tree
 * @change: which, and by what
 * @looks: [in, out] raised by the nodes that were looked at
 *
 * Return: whether there are such orders; if not, nothing is changed.
 */
bool loom_pq_replace(struct loom_pq *pq, struct loom_pq_change *change, uint64_t *looks);
/** loom_pq_can() - whether the tree has orders in which leaves, at least one, are side by side */
bool loom_pq_can(struct loom_pq *pq, const uint32_t *leaves, uint32_t count, uint64_t *looks);
/** loom_pq_order() - writes an order that the tree has; the number of leaves */
uint32_t loom_pq_order(const struct loom_pq *pq, uint32_t *order);

#endif /* LOOM_TILING_PQ_TREE_H */
