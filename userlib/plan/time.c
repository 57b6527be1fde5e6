// SPDX-License-Identifier: MIT
#include "time.h"

#include "build.h"
#include "loom_op.h"

/* Decodes a command for the clock, as the verifier does. */
static void decode(const struct drm_loom_plan_tensor *tensors,
		   const struct drm_loom_plan_view *raw, struct loom_view *view)
{
	u32 i;

	*view = (struct loom_view){
		.region = tensors[raw->tensor].region,
		.dtype = raw->dtype,
		.elem_bytes = loom_dtype_stride(raw->dtype),
		.rank = raw->rank,
		.lane_axis = raw->lane_axis,
		.lane_start = raw->lane_start,
	};
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++) {
		view->dims[i] = i < raw->rank ? raw->dims[i] : 1;
		view->strides[i] = raw->strides[i];
	}
}

void loom_plan_decode(const struct drm_loom_plan_tensor *tensors, u32 opcode, const void *attr,
		      const struct drm_loom_plan_view *raw, u32 operands,
		      struct loom_plan_decoded *decoded)
{
	u32 i;

	decoded->command = (struct loom_command){
		.op = loom_op_get(opcode),
		.attr = attr,
		.views = decoded->views,
		.operands = operands,
		.macs = loom_build_macs(opcode, raw),
	};
	for (i = 0; i < operands; i++)
		decode(tensors, &raw[i], &decoded->views[i]);
}

void loom_plan_clock(const struct drm_loom_chip *chip, const struct loom_command *command,
		     struct loom_clock_cost *cost)
{
	const struct drm_loom_attr_native *native = command->attr;

	if (command->op->opcode == DRM_LOOM_OP_NATIVE)
		*cost = (struct loom_clock_cost){ .ops = native->cycles, .cycles = native->cycles };
	else
		loom_clock_command(chip, command, cost);
}

void loom_plan_time(const struct drm_loom_chip *chip, const struct drm_loom_plan_tensor *tensors,
		    u32 opcode, const void *attr, const struct drm_loom_plan_view *raw,
		    u32 operands, struct loom_clock_cost *cost)
{
	struct loom_plan_decoded decoded;

	loom_plan_decode(tensors, opcode, attr, raw, operands, &decoded);
	loom_plan_clock(chip, &decoded.command, cost);
}

void loom_plan_span(u32 lanes, const struct drm_loom_plan_tensor *tensor,
		    const struct drm_loom_plan_view *view, u64 *start, u64 *end)
{
	s64 low = view->offset, high = low;
	u32 i;

	for (i = 0; i < view->rank; i++) {
		s64 first = 0, last = view->dims[i] - 1;

		if (tensor->region == DRM_LOOM_REGION_SRAM && i == view->lane_axis) {
			first = view->lane_start / lanes;
			last = (view->lane_start + last) / lanes;
		}
		low += min(first * (s64)view->strides[i], last * (s64)view->strides[i]);
		high += max(first * (s64)view->strides[i], last * (s64)view->strides[i]);
	}
	*start = tensor->offset + (u64)low;
	*end = tensor->offset + (u64)high + loom_dtype_stride(view->dtype);
}
