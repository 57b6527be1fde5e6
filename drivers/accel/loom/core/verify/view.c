// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

static bool loom_view_field_ok(const struct drm_loom_plan_view *raw,
			       const struct drm_loom_plan_tensor *tensor)
{
	u32 i;

	if (raw->dtype != tensor->dtype || !raw->rank || raw->rank > DRM_LOOM_MAX_RANK ||
	    raw->pad || raw->pad2)
		return false;
	for (i = 0; i < raw->rank; i++)
		if (!raw->dims[i])
			return false;
	for (; i < DRM_LOOM_MAX_RANK; i++)
		if (raw->dims[i] || raw->strides[i])
			return false;
	return true;
}

static bool loom_view_align_ok(const struct drm_loom_plan_view *raw, u32 elem_bytes)
{
	u32 i;

	if (raw->offset & (elem_bytes - 1))
		return false;
	for (i = 0; i < raw->rank; i++)
		if ((u64)raw->strides[i] & (elem_bytes - 1))
			return false;
	return true;
}

static bool loom_view_lane_ok(const struct drm_loom_plan_view *raw,
			      const struct drm_loom_plan_tensor *tensor)
{
	u32 axis, end;

	if (tensor->region != DRM_LOOM_REGION_SRAM)
		return !raw->lane_axis && !raw->lane_start;
	if (raw->lane_axis >= raw->rank)
		return false;
	axis = loom_index_nospec(raw->lane_axis, DRM_LOOM_MAX_RANK);
	if (check_add_overflow(raw->lane_start, raw->dims[axis], &end) ||
	    end > tensor->dims[tensor->lane_axis])
		return false;
	/* also with one element on it: the stride locates row lane_start / lanes */
	return raw->strides[axis] >= 0 &&
	       (u64)raw->strides[axis] == tensor->strides[tensor->lane_axis];
}

/* How far an axis goes from its first element, down if @down. False on overflow. */
static bool __must_check loom_axis_span(s64 stride, u32 dim, bool *down, u64 *span)
{
	u64 bytes = stride;

	*down = stride < 0;
	if (*down)
		bytes = 0 - bytes;
	return !check_mul_overflow((u64)dim - 1, bytes, span);
}

/*
 * Computes the range of bytes that a view can touch, from the start of its tensor. It is
 * exact, so nothing that is in bounds is refused.
 */
static bool loom_view_bounds_ok(const struct drm_loom_plan_view *raw,
				const struct drm_loom_plan_tensor *tensor, u64 extent, u32 lanes,
				u64 *start, u64 *end)
{
	u64 below = 0, above = loom_dtype_stride(tensor->dtype), span;
	u64 first = raw->offset;
	bool down;
	u32 i;

	for (i = 0; i < raw->rank; i++) {
		if (tensor->region == DRM_LOOM_REGION_SRAM && i == raw->lane_axis) {
			u32 last = raw->lane_start + raw->dims[i] - 1;
			u64 stride = raw->strides[i];

			if (check_mul_overflow((u64)(raw->lane_start / lanes), stride, &span) ||
			    check_add_overflow(first, span, &first))
				return false;
			if (check_mul_overflow((u64)(last / lanes - raw->lane_start / lanes),
					       stride, &span) ||
			    check_add_overflow(above, span, &above))
				return false;
			continue;
		}
		if (!loom_axis_span(raw->strides[i], raw->dims[i], &down, &span))
			return false;
		if (down ? check_add_overflow(below, span, &below) :
			   check_add_overflow(above, span, &above))
			return false;
	}
	if (first < below || check_add_overflow(first, above, end) || *end > extent)
		return false;
	*start = first - below;
	return true;
}

static void loom_view_decode(struct loom_view *view, const struct drm_loom_plan_view *raw,
			     const struct drm_loom_plan_tensor *tensor, u32 number, bool image)
{
	u32 lane = tensor->region == DRM_LOOM_REGION_SRAM ? raw->lane_axis : DRM_LOOM_MAX_RANK;
	u32 i;

	view->region = tensor->region;
	view->slot = tensor->slot;
	view->bound = tensor->flags & DRM_LOOM_TENSOR_SLOT;
	view->tensor = number;
	view->dtype = raw->dtype;
	view->elem_bytes = loom_dtype_stride(raw->dtype);
	view->rank = raw->rank;
	view->lane_axis = raw->lane_axis;
	view->image = image;
	view->lane_start = raw->lane_start;
	view->offset = tensor->offset + raw->offset;
	/* Not only up to the rank: before that is known to be small, a processor may run ahead. */
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++) {
		u32 dim = i < raw->rank ? raw->dims[i] : 1;

		view->dims[i] = dim;
		/* the stride of an axis of one element is never used */
		view->strides[i] = dim == 1 && i != lane ? 0 : raw->strides[i];
	}
}

/*
 * Whether a view is its tensor, word by word. Most operands are, and all that the rules of one view
 * ask for is proved of the tensor then, but for its lifetime.
 */
static bool loom_view_is_whole(const struct drm_loom_plan_view *raw,
			       const struct drm_loom_plan_tensor *tensor)
{
	u64 differ = raw->offset | raw->lane_start | raw->pad | raw->pad2;
	u32 i;

	differ |= (raw->dtype ^ tensor->dtype) | (raw->rank ^ tensor->rank) |
		  (raw->lane_axis ^ tensor->lane_axis);
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++) {
		differ |= raw->dims[i] ^ tensor->dims[i];
		differ |= (u64)raw->strides[i] ^ tensor->strides[i];
		/* those of tensors have no sign: such a one would be another here */
		differ |= (u64)raw->strides[i] >> 63;
	}
	return !differ;
}

/* The first rule that a view breaks. @start, @end: else the bytes that it can touch. */
static u32 loom_view_rule(struct loom_verify *verify, const struct drm_loom_plan_view *raw,
			  const struct drm_loom_plan_tensor *tensor, u64 extent, u64 *start,
			  u64 *end)
{
	bool alive = verify->step >= tensor->first_step && verify->step <= tensor->last_step;

	if (loom_view_is_whole(raw, tensor)) {
		*start = 0;
		*end = extent;
		return alive ? DRM_LOOM_RULE_NONE : DRM_LOOM_RULE_VIEW_LIFETIME;
	}
	if (!loom_view_field_ok(raw, tensor))
		return DRM_LOOM_RULE_VIEW_FIELD;
	if (!alive)
		return DRM_LOOM_RULE_VIEW_LIFETIME;
	if (!loom_view_align_ok(raw, loom_dtype_stride(tensor->dtype)))
		return DRM_LOOM_RULE_VIEW_ALIGN;
	if (!loom_view_lane_ok(raw, tensor))
		return DRM_LOOM_RULE_VIEW_LANE;
	if (!loom_view_bounds_ok(raw, tensor, extent, verify->header->lanes, start, end))
		return DRM_LOOM_RULE_VIEW_BOUNDS;
	if (!loom_view_image_ok(verify, raw, tensor))
		return DRM_LOOM_RULE_VIEW_IMAGE;
	return DRM_LOOM_RULE_NONE;
}

int loom_verify_view(struct loom_verify *verify, u32 operand, u32 index)
{
	const struct drm_loom_plan_view *raw = &verify->views[index];
	struct loom_view *view = &verify->plan->views[index];
	const struct drm_loom_plan_tensor *tensor;
	u32 number, rule;
	u64 start, end;
	int ret;

	if (raw->tensor >= verify->header->tensors.count)
		return loom_reject_operand(verify, DRM_LOOM_RULE_VIEW_TENSOR, operand);
	number = loom_index_nospec(raw->tensor, verify->header->tensors.count);
	tensor = &verify->tensors[number];
	rule = loom_view_rule(verify, raw, tensor, verify->states[number].extent, &start, &end);
	if (rule) {
		ret = loom_reject_operand(verify, rule, operand);
		verify->reject->valid |= DRM_LOOM_REJECT_TENSOR;
		verify->reject->tensor = raw->tensor;
		return ret;
	}

	loom_view_decode(view, raw, tensor, number, loom_tensor_image(verify, tensor));
	/* Inside of the tensor, and that is inside of its slot: no sum can overflow. */
	view->start = tensor->offset + start;
	view->end = tensor->offset + end;
	return 0;
}

/*
 * No two elements share a byte if the strides nest: each axis steps over all that the axes with
 * smaller strides reach. On the lane axis only whole rows are steps in a bank.
 */
bool loom_verify_distinct(const struct loom_view *view, u32 lanes)
{
	u64 count[DRM_LOOM_MAX_RANK], stride[DRM_LOOM_MAX_RANK], reach = view->elem_bytes;
	u32 i, j, axes = 0;

	for (i = 0; i < view->rank; i++) {
		u64 dim = view->dims[i], bytes = view->strides[i];

		if (view->region == DRM_LOOM_REGION_SRAM && i == view->lane_axis)
			dim = (view->lane_start + view->dims[i] - 1) / lanes -
			      view->lane_start / lanes + 1;
		if (dim == 1)
			continue;
		if (view->strides[i] < 0)
			bytes = 0 - bytes;
		for (j = axes++; j > 0 && stride[j - 1] > bytes; j--) {
			stride[j] = stride[j - 1];
			count[j] = count[j - 1];
		}
		stride[j] = bytes;
		count[j] = dim;
	}
	for (i = 0; i < axes; i++) {
		if (stride[i] < reach)
			return false;
		/* Both are below the extent of the tensor. */
		reach += (count[i] - 1) * stride[i];
	}
	return true;
}
