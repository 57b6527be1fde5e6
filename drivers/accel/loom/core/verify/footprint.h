/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FOOTPRINT_H
#define LOOM_FOOTPRINT_H

#include "loom_plan.h"

/* A contiguous run over n axes falls into at most 2 * n - 1 boxes. */
#define LOOM_MAX_BOXES	(2 * DRM_LOOM_MAX_RANK - 1)

/**
 * struct loom_box - index ranges
 * @low: first index on each axis
 * @high: index behind the last
 */
struct loom_box {
	u32 low[DRM_LOOM_MAX_RANK];
	u32 high[DRM_LOOM_MAX_RANK];
};

/**
 * struct loom_footprint - the elements of a tensor that a view touches
 *
 * Axes of one element are left out, so there may be no axis at all.
 *
 * @axes: number of axes
 * @size: elements of the tensor on each axis
 * @count: number of @box, at least one
 * @exact: the view touches every element of the boxes; else it may leave some out
 * @box: disjoint; their union contains all that the view touches
 */
struct loom_footprint {
	u32 axes;
	u32 size[DRM_LOOM_MAX_RANK];
	u32 count;
	bool exact;
	struct loom_box box[LOOM_MAX_BOXES];
};

/**
 * loom_footprint_get() - the elements of a tensor that a view touches
 * @footprint: out
 * @tensor: a tensor with valid strides; its elements are as large as the view's
 * @view: a view in bounds of @tensor or of another that shares its bytes
 * @lanes: SRAM banks
 *
 * Return: false if that is not a few boxes, or if the view touches bytes of the tensor that are not
 * of elements.
 */
bool __must_check loom_footprint_get(struct loom_footprint *footprint,
				     const struct drm_loom_plan_tensor *tensor,
				     const struct loom_view *view, u32 lanes);

/* Whether no element is in both; they are footprints of the same tensor. */
bool loom_footprint_disjoint(const struct loom_footprint *a, const struct loom_footprint *b);

#endif /* LOOM_FOOTPRINT_H */
