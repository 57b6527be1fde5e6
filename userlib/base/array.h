/* SPDX-License-Identifier: MIT */
/* Shapes of arrays. The calls on struct loom_array itself are public: loom.h. */
#ifndef LOOM_BASE_ARRAY_H
#define LOOM_BASE_ARRAY_H

#include "loom.h"

/**
 * loom_dims_count() - the number of elements of a shape
 * @rank: number of dimensions
 * @dims: the dimensions
 * @num_elems: [out] their product
 *
 * Return: 0, or -EOVERFLOW for a negative dimension or more than 2^44 elements.
 */
int loom_dims_count(uint32_t rank, const int64_t *dims, int64_t *num_elems);
/** loom_dims_print() - "[1,3,48,320]" into @text, cut where it does not fit; returns @text */
const char *loom_dims_print(char *text, size_t size, uint32_t rank, const int64_t *dims);

/** enough for loom_dims_print() of any shape */
#define LOOM_DIMS_TEXT	(LOOM_GRAPH_RANK * 21 + 3)

#endif /* LOOM_BASE_ARRAY_H */
