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

/** loom_walk_join() - joins axes that are one in memory, before the first element; of rank >= 1 */
void loom_walk_join(struct loom_walk *walk);
/** loom_walk_run() - elements from the current one to the end of the last axis */
int64_t loom_walk_run(const struct loom_walk *walk);
/** loom_walk_skip() - @count elements on, at most loom_walk_run() */
void loom_walk_skip(struct loom_walk *walk, int64_t count);

#endif /* LOOM_GRAPH_WALK_H */
