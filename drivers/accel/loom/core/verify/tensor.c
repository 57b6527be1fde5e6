// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

static bool loom_tensor_field_ok(const struct loom_verify *verify,
				 const struct drm_loom_plan_tensor *tensor)
{
	bool sram = tensor->region == DRM_LOOM_REGION_SRAM;

	if (tensor->region >= DRM_LOOM_REGION_COUNT ||
	    tensor->flags & ~(DRM_LOOM_TENSOR_ALIAS | DRM_LOOM_TENSOR_SLOT) || tensor->pad ||
	    tensor->pad2)
		return false;
	if (!(tensor->flags & DRM_LOOM_TENSOR_ALIAS) && tensor->parent)
		return false;
	if (!sram && tensor->flags & DRM_LOOM_TENSOR_SLOT)
		return false;
	if (!loom_tensor_in_slot(tensor))
		return !tensor->slot;
	return tensor->slot < verify->header->slots.count &&
	       loom_slot_region(loom_tensor_slot(verify, tensor)) == tensor->region;
}

static bool loom_tensor_type_ok(const struct loom_verify *verify,
				const struct drm_loom_plan_tensor *tensor)
{
	u32 i;

	if (!loom_dtype_stride(tensor->dtype) || !(verify->chip->dtypes >> tensor->dtype & 1))
		return false;
	if (!tensor->rank || tensor->rank > DRM_LOOM_MAX_RANK)
		return false;
	for (i = 0; i < tensor->rank; i++)
		if (!tensor->dims[i])
			return false;
	for (; i < DRM_LOOM_MAX_RANK; i++)
		if (tensor->dims[i])
			return false;
	if (tensor->region != DRM_LOOM_REGION_SRAM)
		return !tensor->lane_axis;
	return tensor->lane_axis < tensor->rank;
}

/*
 * Strides must nest: an axis steps over everything inside it. Then elements are distinct, an offset
 * belongs to one element at most, and the bounds of views can be checked axis by axis.
 */
static u32 loom_tensor_stride_rule(struct loom_verify *verify,
				   const struct drm_loom_plan_tensor *tensor,
				   struct loom_tensor_state *state)
{
	u32 elem_bytes = loom_dtype_stride(tensor->dtype);
	u32 lanes = verify->header->lanes;
	u64 extent = elem_bytes, inner_stride = 0, span;
	u32 i;

	state->dense = true;
	if (tensor->offset & (elem_bytes - 1))
		return DRM_LOOM_RULE_TENSOR_STRIDE;
	for (i = tensor->rank; i < DRM_LOOM_MAX_RANK; i++)
		if (tensor->strides[i])
			return DRM_LOOM_RULE_TENSOR_STRIDE;
	for (i = tensor->rank; i-- > 0;) {
		u64 count = tensor->dims[i], stride = tensor->strides[i];

		if (tensor->region == DRM_LOOM_REGION_SRAM && i == tensor->lane_axis) {
			if (tensor->dims[i] % lanes)
				state->dense = false;
			count = loom_div_round_up(count, lanes);
		}
		if (stride & (elem_bytes - 1) || stride < extent || stride < inner_stride)
			return DRM_LOOM_RULE_TENSOR_STRIDE;
		if (count > 1 && stride != extent)
			state->dense = false;
		inner_stride = stride;
		if (check_mul_overflow(count - 1, stride, &span) ||
		    check_add_overflow(extent, span, &extent))
			return DRM_LOOM_RULE_TENSOR_EXTENT;
	}
	if (extent > tensor->size)
		return DRM_LOOM_RULE_TENSOR_EXTENT;
	state->extent = extent;
	return DRM_LOOM_RULE_NONE;
}

static bool loom_tensor_bounds_ok(const struct loom_verify *verify,
				  const struct drm_loom_plan_tensor *tensor)
{
	u64 room = verify->header->scratch_bytes, end;

	if (loom_tensor_in_slot(tensor))
		room = loom_tensor_slot(verify, tensor)->size;
	return !check_add_overflow(tensor->offset, tensor->size, &end) && end <= room;
}

/* The parent may follow its alias in the table, so its fields are not checked yet. */
static bool loom_tensor_alias_ok(const struct loom_verify *verify,
				 const struct drm_loom_plan_tensor *tensor)
{
	const struct drm_loom_plan_tensor *parent;
	u64 parent_end;

	if (tensor->parent >= verify->header->tensors.count)
		return false;
	parent = &verify->tensors[loom_index_nospec(tensor->parent,
						    verify->header->tensors.count)];
	if (parent->flags & DRM_LOOM_TENSOR_ALIAS || parent->region != tensor->region ||
	    loom_tensor_space(parent) != loom_tensor_space(tensor))
		return false;
	if (check_add_overflow(parent->offset, parent->size, &parent_end))
		return false;
	/* The sum on the left was checked by the bounds rule. */
	return tensor->offset >= parent->offset && tensor->offset + tensor->size <= parent_end &&
	       tensor->first_step >= parent->first_step && tensor->last_step <= parent->last_step;
}

static u32 loom_tensor_rule(struct loom_verify *verify, u32 index)
{
	const struct drm_loom_plan_tensor *tensor = &verify->tensors[index];
	struct loom_tensor_state *state = &verify->states[index];
	u32 rule;

	if (!loom_tensor_field_ok(verify, tensor))
		return DRM_LOOM_RULE_TENSOR_FIELD;
	if (!loom_tensor_type_ok(verify, tensor))
		return DRM_LOOM_RULE_TENSOR_TYPE;
	rule = loom_tensor_stride_rule(verify, tensor, state);
	if (rule)
		return rule;
	if (!loom_tensor_bounds_ok(verify, tensor))
		return DRM_LOOM_RULE_TENSOR_BOUNDS;
	if (tensor->first_step > tensor->last_step ||
	    tensor->last_step >= verify->header->steps.count)
		return DRM_LOOM_RULE_TENSOR_LIFETIME;
	if (tensor->flags & DRM_LOOM_TENSOR_ALIAS && !loom_tensor_alias_ok(verify, tensor))
		return DRM_LOOM_RULE_TENSOR_ALIAS;
	if (!loom_tensor_image_ok(verify, tensor))
		return DRM_LOOM_RULE_TENSOR_IMAGE;
	/* a buffer that the plan may read counts as written by the client */
	if (loom_tensor_in_slot(tensor) &&
	    loom_tensor_slot(verify, tensor)->flags & DRM_LOOM_SLOT_READ)
		state->coverage.complete = true;
	return DRM_LOOM_RULE_NONE;
}

/*
 * Where the use of the scratch ends in each bank: a tensor with fewer elements on its lane axis
 * than there are lanes is in the first banks only. So the ends do not increase from a bank to the
 * next.
 */
static void loom_tensor_use_scratch(struct loom_plan *plan,
				    const struct drm_loom_plan_tensor *tensor)
{
	u32 lane = min(tensor->dims[tensor->lane_axis], plan->lanes) - 1;

	plan->scratch_ends[lane] = max(plan->scratch_ends[lane], tensor->offset + tensor->size);
}

static void loom_plan_sum_scratch(struct loom_plan *plan)
{
	u32 lane;

	for (lane = plan->lanes - 1; lane > 0; lane--)
		plan->scratch_ends[lane - 1] = max(plan->scratch_ends[lane - 1],
						   plan->scratch_ends[lane]);
}

int loom_verify_tensors(struct loom_verify *verify)
{
	u32 i, rule;
	int ret;

	for (i = 0; i < verify->header->tensors.count; i++) {
		ret = loom_verify_work(verify, LOOM_WORK_TENSOR);
		if (ret)
			return ret;
		rule = loom_tensor_rule(verify, i);
		if (!rule) {
			if (!loom_tensor_in_slot(&verify->tensors[i]))
				loom_tensor_use_scratch(verify->plan, &verify->tensors[i]);
			loom_overlap_add(verify, i);
			continue;
		}
		if (rule == DRM_LOOM_RULE_TENSOR_ALIAS &&
		    verify->tensors[i].parent < verify->header->tensors.count)
			return loom_reject_overlap(verify, rule, i, verify->tensors[i].parent,
						   verify->tensors[i].offset,
						   verify->tensors[i].offset +
						   verify->tensors[i].size);
		return loom_reject_tensor(verify, rule, i);
	}
	loom_plan_sum_scratch(verify->plan);
	return 0;
}
