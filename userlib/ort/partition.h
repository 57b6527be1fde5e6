/* SPDX-License-Identifier: MIT */
/* Partition of the nodes of a graph into connected, convex parts. */
#ifndef LOOM_ORT_PARTITION_H
#define LOOM_ORT_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

/**
 * define LOOM_PARTITION_NONE - the part of a node that belongs to none
 */
#define LOOM_PARTITION_NONE	UINT32_MAX

/**
 * struct loom_partition_edge - a value passed from one node to another
 * @from: the node that makes it
 * @to: the node that reads it
 */
struct loom_partition_edge {
	uint32_t from;
	uint32_t to;
};

/**
 * loom_partition() - group nodes into parts
 * @count: number of nodes; their numbers must be a topological order
 * @edges: values between nodes, from lower to higher numbers
 * @num_edges: number of @edges
 * @wanted: for each node, whether it may be in a part
 * @parts: [out] for each node, its part: numbered from 0 in the order of their first nodes, or
 *	LOOM_PARTITION_NONE
 * @num_parts: [out] number of parts
 *
 * A part is connected and *convex*: no path from one of its nodes to another leads through a node
 * outside of it, so that it can run as a whole. Parts are maximal: no two parts that an edge joins
 * can be merged.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_partition(uint32_t count, const struct loom_partition_edge *edges, uint32_t num_edges,
		   const bool *wanted, uint32_t *parts, uint32_t *num_parts);

#endif /* LOOM_ORT_PARTITION_H */
