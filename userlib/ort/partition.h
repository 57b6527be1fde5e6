/* SPDX-License-Identifier: MIT */
/* Which nodes of a graph become one: connected ones that can, so that no circle comes of it. */
#ifndef LOOM_ORT_PARTITION_H
#define LOOM_ORT_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

/**
 * define LOOM_PARTITION_NONE - the part of a node that is in none
 */
#define LOOM_PARTITION_NONE	UINT32_MAX

/**
 * struct loom_partition_edge - a value that goes from one node to another
 * @from: the node that makes it
 * @to: the node that reads it
 */
struct loom_partition_edge {
	uint32_t from;
	uint32_t to;
};

/**
 * loom_partition() - puts nodes together
 * @count: number of nodes; their numbers are an order in which they can run
 * @edges: what they hand to each other, from lower to higher numbers
 * @num_edges: number of @edges
 * @wanted: for each node, whether it may be in a part
 * @parts: [out] for each node, its part: numbered from 0 in the order of their first nodes, or
 *	LOOM_PARTITION_NONE
 * @num_parts: [out] number of parts
 *
 * A part is connected, and *convex*: no way from one of its nodes to another leads through a node
 * outside of it, so that all of it can run at once. No two parts that an edge joins could be one.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_partition(uint32_t count, const struct loom_partition_edge *edges, uint32_t num_edges,
		   const bool *wanted, uint32_t *parts, uint32_t *num_parts);

#endif /* LOOM_ORT_PARTITION_H */
