/* SPDX-License-Identifier: MIT */
/* A strided view of a value's elements in DRAM, and its arithmetic. */
#ifndef LOOM_LOWER_REF_H
#define LOOM_LOWER_REF_H

#include "graph/graph.h"
#include "loom_core.h"

/**
 * struct loom_ref - a value's elements in DRAM
 * @tensor: tensor of the plan
 * @dtype: an &enum drm_loom_dtype
 * @rank: number of axes, from 1
 * @offset: bytes from the tensor's first byte to the first element
 * @dims: elements per axis
 * @strides: bytes per axis; 0 repeats an element, negative runs backwards
 */
struct loom_ref {
	u32 tensor;
	u32 dtype;
	u32 rank;
	s64 offset;
	u64 dims[LOOM_GRAPH_RANK];
	s64 strides[LOOM_GRAPH_RANK];
};

/** loom_ref_insert() - inserts a new axis of one element in front of @axis */
void loom_ref_insert(struct loom_ref *ref, u32 axis);
/** loom_ref_at() - the part of @ref at @index of its first axis, without that axis */
struct loom_ref loom_ref_at(const struct loom_ref *ref, u64 index);
/** loom_ref_reshape() - reshapes a view; returns false if strides cannot express it */
bool loom_ref_reshape(struct loom_ref *ref, u32 rank, const u64 *dims);
/** loom_ref_view() - a view of elements [@lo, @hi) of @ref, whose tensor is @tensor of the plan */
struct drm_loom_plan_view loom_ref_view(const struct loom_ref *ref, u32 tensor, const u64 *lo,
					const u64 *hi);
/** loom_ref_dense() - whether it is row-major without gaps */
bool loom_ref_dense(const struct loom_ref *ref);

#endif /* LOOM_LOWER_REF_H */
