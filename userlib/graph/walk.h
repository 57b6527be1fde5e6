/* SPDX-License-Identifier: MIT */
/* Visiting all elements of a shape in row-major order. */
#ifndef LOOM_GRAPH_WALK_H
#define LOOM_GRAPH_WALK_H

#include "value.h"

/**
 * struct loom_walk - row-major walk over a shape, with an offset into an operand
 * @rank: number of dimensions
 * @dims: the shape walked over
 * @strides: by how much the offset moves along each dimension; 0 broadcasts
 * @index: of the current element
 * @offset: into the operand
 */
struct loom_walk {
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	int64_t strides[LOOM_GRAPH_RANK];
	int64_t index[LOOM_GRAPH_RANK];
	int64_t offset;
};

/** loom_walk_broadcast() - a walk over @out that reads @in as numpy broadcasts it */
void loom_walk_broadcast(struct loom_walk *walk, const struct loom_value *out,
			 const struct loom_value *in);
/** loom_walk_next() - one element on */
void loom_walk_next(struct loom_walk *walk);

#endif /* LOOM_GRAPH_WALK_H */
