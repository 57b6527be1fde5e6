/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_VIEW_H
#define LOOM_TESTS_RULE_CASES_VIEW_H

/* Cases of the rules about views, and what operations ask of them. */
#include "rule_case.h"

CHANGE(view_tensor) { pb_operand(pb, C_ADD, 2)->tensor = T_COUNT; }
CHANGE(view_tensor_all_ones) { pb_operand(pb, C_ADD, 2)->tensor = ~0U; }

CHANGE(view_dtype) { pb_operand(pb, C_ADD, 2)->dtype = DRM_LOOM_DTYPE_I32; }
CHANGE(view_rank_zero) { pb_operand(pb, C_ADD, 2)->rank = 0; }
CHANGE(view_rank) { pb_operand(pb, C_ADD, 2)->rank = DRM_LOOM_MAX_RANK + 1; }
CHANGE(view_dim_zero) { pb_operand(pb, C_ADD, 2)->dims[1] = 0; }
CHANGE(view_dim_past_rank) { pb_operand(pb, C_ADD, 2)->dims[2] = 1; }
CHANGE(view_stride_past_rank) { pb_operand(pb, C_ADD, 2)->strides[2] = 4; }
CHANGE(view_pad) { pb_operand(pb, C_ADD, 2)->pad = 1; }
CHANGE(view_pad2) { pb_operand(pb, C_ADD, 2)->pad2 = 1; }

CHANGE(view_too_early) { pb_tensor(pb, T_SONE)->first_step = 4; }
CHANGE(view_too_late) { pb_tensor(pb, T_SONE)->last_step = 4; }

CHANGE(view_align_offset) { pb_operand(pb, C_LOAD_X1, 1)->offset += 2; }
CHANGE(view_align_stride) { pb_operand(pb, C_LOAD_X1, 1)->strides[3] -= 2; }

CHANGE(view_lane_axis) { pb_operand(pb, C_ADD, 2)->lane_axis = 2; }
CHANGE(view_lane_start) { pb_operand(pb, C_ADD, 2)->lane_start = 1; }
CHANGE(view_lane_wraps) { pb_operand(pb, C_ADD, 2)->lane_start = ~0U - 3; }
CHANGE(view_lane_stride) { pb_operand(pb, C_ADD, 2)->strides[0] += 4; }
CHANGE(view_lane_negative) { pb_operand(pb, C_ADD, 2)->strides[0] *= -1; }
CHANGE(view_lane_own)
{
	/* the stride is the tensor's, which is never stepped over there and may be anything */
	u32 tensor = pb_add_sram(pb, 3584, 5, 5, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(4, 1));

	pb_tensor(pb, tensor)->strides[0] = 1ULL << 63;
	*pb_operand(pb, C_CAST_BACK, 0) = pb_all(pb, tensor);
}

CHANGE(view_lane_dram) { pb_operand(pb, C_LOAD_X1, 1)->lane_start = 1; }
CHANGE(view_lane_axis_dram) { pb_operand(pb, C_LOAD_X1, 1)->lane_axis = 1; }

CHANGE(view_bounds) { pb_operand(pb, C_LOAD_X1, 1)->offset += 4; }
CHANGE(view_bounds_below) { pb_operand(pb, C_LOAD_X1, 1)->strides[3] = -36; }
CHANGE(view_bounds_stride) { pb_operand(pb, C_LOAD_X1, 1)->strides[1] += 4; }
CHANGE(view_bounds_dims) { pb_operand(pb, C_LOAD_X1, 1)->dims[3] = 6; }
CHANGE(view_bounds_lowest) { pb_operand(pb, C_LOAD_X1, 1)->strides[3] = S64_MIN; }
CHANGE(view_bounds_highest) { pb_operand(pb, C_LOAD_X1, 1)->strides[3] = S64_MAX & ~7LL; }
CHANGE(view_bounds_offset) { pb_operand(pb, C_LOAD_X1, 1)->offset = ~3ULL; }
CHANGE(view_bounds_sram) { pb_operand(pb, C_ADD, 2)->offset = 4; }
CHANGE(view_bounds_row)
{
	/* the second row of lanes begins behind the last address */
	struct drm_loom_plan_view *x = pb_operand(pb, C_RELU0, 1);

	*x = pb_slice(pb, *x, 1, 4, 4);
	x->offset = ~3ULL;
}

CHANGE(view_bounds_rows)
{
	/* so many bytes on another axis that a row of lanes more is one too many */
	struct drm_loom_plan_view *x = pb_operand(pb, C_RELU0, 1);

	x->dims[0] = 3;
	x->strides[0] = S64_MAX & ~3LL;
}

CHANGE(view_bounds_sum)
{
	/* the span of each axis fits in 64 bits, their sum does not */
	struct drm_loom_plan_view *x = pb_operand(pb, C_LOAD_X1, 1);

	x->strides[1] = 1LL << 62;
	x->strides[3] = 1LL << 61;
}

CHANGE(region_load_y) { pb_command(pb, C_LOAD_Z)->opcode = DRM_LOOM_OP_STORE; }
CHANGE(region_load_x) { *pb_operand(pb, C_LOAD_Z, 1) = pb_all(pb, T_SONE); }
CHANGE(region_copy) { pb_command(pb, C_LOAD_Z)->opcode = DRM_LOOM_OP_COPY; }
CHANGE(region_compute)
{
	*pb_operand(pb, C_ADD, 1) = pb_all(pb, T_MID_FLAT);
	pb_tensor(pb, T_MID)->last_step = 5;
	pb_tensor(pb, T_MID_FLAT)->last_step = 5;
}

CHANGE(dtype_load)
{
	*pb_operand(pb, C_LOAD_Z, 0) = pb_all(pb, T_SI8);
	pb_tensor(pb, T_SI8)->first_step = 4;
}

CHANGE(dtype_binary) { *pb_operand(pb, C_ADD, 2) = pb_all(pb, T_SI8); }
CHANGE(dtype_cast) { *pb_operand(pb, C_CAST, 1) = pb_all(pb, T_SI8); }
CHANGE(dtype_compare)
{
	((struct drm_loom_attr_binary *)pb_attr(pb, C_ADD))->kind = DRM_LOOM_BINARY_LT;
}

CHANGE(dtype_logic)
{
	((struct drm_loom_attr_binary *)pb_attr(pb, C_ADD))->kind = DRM_LOOM_BINARY_AND;
}

CHANGE(dtype_unary)
{
	((struct drm_loom_attr_unary *)pb_attr(pb, C_RELU0))->kind = DRM_LOOM_UNARY_NOT;
}

CHANGE(dtype_scale)
{
	pb_command(pb, C_CONV0)->operands = 5;
	conv0(pb)->flags |= DRM_LOOM_ATTR_SCALE;
}

CHANGE(shape_load) { pb_operand(pb, C_LOAD_Z, 1)->dims[1] = 63; }
CHANGE(shape_rank) { *pb_operand(pb, C_RELU0, 1) = pb_all(pb, T_SBIAS); }
CHANGE(shape_broadcast) { *pb_operand(pb, C_ADD, 1) = pb_slice(pb, pb_all(pb, T_SZ), 1, 0, 2); }
CHANGE(shape_conv_channels)
{
	*pb_operand(pb, C_CONV0, 1) = pb_slice(pb, pb_all(pb, T_SX0), 1, 0, 3);
}

CHANGE(shape_conv_groups) { conv0(pb)->groups = 3; }
CHANGE(shape_conv_bias)
{
	*pb_operand(pb, C_CONV0, 3) = pb_slice(pb, pb_all(pb, T_SBIAS), 0, 0, 4);
}

CHANGE(distinct_zero) { pb_operand(pb, C_CAST_BACK, 0)->strides[1] = 0; }
CHANGE(distinct_overlap)
{
	struct drm_loom_plan_view *y = pb_operand(pb, C_STORE_Z, 0);

	y->strides[0] = 128;
}

CHANGE(distinct_down)
{
	/* each row lies one element below the one before, with most of its elements on the same */
	struct drm_loom_plan_view *y = pb_operand(pb, C_STORE_Z, 0);

	y->offset = 28;
	y->strides[0] = -4;
}

CHANGE(distinct_lanes)
{
	/* three rows of lanes; column 1 of the first row is column 0 of the second */
	u32 tensor = pb_add_sram(pb, 3584, 5, 5, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(12, 8));
	struct drm_loom_plan_view y = pb_all(pb, tensor);

	y = pb_slice(pb, pb_slice(pb, y, 0, 0, 5), 1, 0, 2);
	y.strides[1] = y.strides[0];
	*pb_operand(pb, C_CAST_BACK, 0) = y;
	*pb_operand(pb, C_CAST_BACK, 1) =
		pb_slice(pb, pb_slice(pb, pb_all(pb, T_SI8), 0, 0, 5), 1, 0, 2);
}

/* More elements than a u64 counts, all of them the same ones. */
static void distinct_repeat(struct drm_loom_plan_view *view)
{
	u32 i;

	view->rank = 5;
	for (i = 1; i < 5; i++) {
		view->dims[i] = ~0U;
		view->strides[i] = 0;
	}
}

CHANGE(distinct_many)
{
	distinct_repeat(pb_operand(pb, C_CAST_BACK, 0));
	distinct_repeat(pb_operand(pb, C_CAST_BACK, 1));
}

CHANGE(distinct_many_softmax)
{
	struct drm_loom_attr_softmax attr = { .axis = 0 };
	struct drm_loom_plan_view y = pb_all(pb, T_SZ2);

	distinct_repeat(&y);
	pb_begin_step(pb);
	pb_tensor(pb, T_SZ2)->last_step = SAMPLE_STEPS;
	pb_add(pb, DRM_LOOM_OP_SOFTMAX, &attr, sizeof(attr), PB_VIEWS(y, y));
}

/* A reduction of 5 * 2^20 elements, all the same one. */
CHANGE(cost)
{
	struct drm_loom_attr_reduce attr = { .kind = DRM_LOOM_REDUCE_SUM };
	struct drm_loom_plan_view x = pb_all(pb, T_SONE), y;

	x.dims[1] = 1 << 20;
	x.strides[1] = 0;
	x.rank = 3;
	x.dims[2] = 5;
	x.strides[2] = 0;
	y = pb_all(pb, T_SZ2);
	y.rank = 3;
	y.dims[1] = 1;
	y.dims[2] = 1;
	y.strides[2] = 4;
	pb_begin_step(pb);
	pb_tensor(pb, T_SONE)->last_step = SAMPLE_STEPS;
	pb_tensor(pb, T_SZ2)->last_step = SAMPLE_STEPS;
	pb_add(pb, DRM_LOOM_OP_REDUCE, &attr, sizeof(attr), PB_VIEWS(y, x));
}

CHANGE(cost_units)
{
	/* more multiplications than a u64 counts, each unit small */
	struct drm_loom_attr_conv conv = {
		.stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }, .groups = 1,
	};
	struct drm_loom_plan_view x = pb_all(pb, T_SX1), w, y;

	x = pb_slice(pb, pb_slice(pb, pb_slice(pb, x, 1, 0, 1), 3, 0, 1), 4, 0, 1);
	y = x;
	w = x;
	x.dims[2] = ~0U;
	x.strides[2] = 0;
	x.dims[3] = ~0U;
	x.strides[3] = 0;
	x.dims[4] = ~0U;
	x.strides[4] = 0;
	*pb_operand(pb, C_CONV1, 1) = x;
	*pb_operand(pb, C_CONV1, 0) = y;
	*pb_operand(pb, C_CONV1, 2) = w;
	pb_command(pb, C_CONV1)->operands = 3;
	conv.flags = 0;
	memcpy(pb_attr(pb, C_CONV1), &conv, sizeof(conv));
	pb_command(pb, C_CONV1)->opcode = DRM_LOOM_OP_DECONV;
}

static const struct rule_case rule_cases_view[] = {
	{ DRM_LOOM_RULE_VIEW_TENSOR, C(view_tensor), .valid = IN_OPERAND, .step = 5,
	  .command = C_ADD, .operand = 2 },
	{ DRM_LOOM_RULE_VIEW_TENSOR, C(view_tensor_all_ones) },
	{ DRM_LOOM_RULE_VIEW_FIELD, C(view_dtype), .valid = IN_VIEW, .step = 5, .command = C_ADD,
	  .operand = 2, .tensor = T_SONE },
	{ DRM_LOOM_RULE_VIEW_FIELD, C(view_rank_zero) },
	{ DRM_LOOM_RULE_VIEW_FIELD, C(view_rank) },
	{ DRM_LOOM_RULE_VIEW_FIELD, C(view_dim_zero) },
	{ DRM_LOOM_RULE_VIEW_FIELD, C(view_dim_past_rank) },
	{ DRM_LOOM_RULE_VIEW_FIELD, C(view_stride_past_rank) },
	{ DRM_LOOM_RULE_VIEW_FIELD, C(view_pad) },
	{ DRM_LOOM_RULE_VIEW_FIELD, C(view_pad2) },
	{ DRM_LOOM_RULE_VIEW_LIFETIME, C(view_too_early), .valid = IN_VIEW, .step = 3,
	  .command = C_FILL_ONE, .operand = 0, .tensor = T_SONE },
	{ DRM_LOOM_RULE_VIEW_LIFETIME, C(view_too_late), .valid = IN_VIEW, .step = 5,
	  .command = C_ADD, .operand = 2, .tensor = T_SONE },
	{ DRM_LOOM_RULE_VIEW_ALIGN, C(view_align_offset), .valid = IN_VIEW, .step = 1,
	  .command = C_LOAD_X1, .operand = 1, .tensor = T_X },
	{ DRM_LOOM_RULE_VIEW_ALIGN, C(view_align_stride) },
	{ DRM_LOOM_RULE_VIEW_LANE, C(view_lane_axis), .valid = IN_VIEW, .step = 5, .command = C_ADD,
	  .operand = 2, .tensor = T_SONE },
	{ DRM_LOOM_RULE_VIEW_LANE, C(view_lane_start) },
	{ DRM_LOOM_RULE_VIEW_LANE, C(view_lane_wraps) },
	{ DRM_LOOM_RULE_VIEW_LANE, C(view_lane_stride) },
	{ DRM_LOOM_RULE_VIEW_LANE, C(view_lane_negative) },
	{ DRM_LOOM_RULE_VIEW_LANE, C(view_lane_own) },
	{ DRM_LOOM_RULE_VIEW_LANE, C(view_lane_dram) },
	{ DRM_LOOM_RULE_VIEW_LANE, C(view_lane_axis_dram) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds), .valid = IN_VIEW, .step = 1,
	  .command = C_LOAD_X1, .operand = 1, .tensor = T_X },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_below) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_stride) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_dims) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_lowest) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_highest) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_offset) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_sram) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_row) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_rows) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_bounds_sum) },
	{ DRM_LOOM_RULE_VIEW_REGION, C(region_load_y), .valid = IN_RANGE, .step = 4,
	  .command = C_LOAD_Z, .operand = 0, .tensor = T_SZ, .start = 0, .end = 512 },
	{ DRM_LOOM_RULE_VIEW_REGION, C(region_load_x) },
	{ DRM_LOOM_RULE_VIEW_REGION, C(region_copy) },
	{ DRM_LOOM_RULE_VIEW_REGION, C(region_compute) },
	{ DRM_LOOM_RULE_VIEW_DTYPE, C(dtype_load), .valid = IN_RANGE, .step = 4,
	  .command = C_LOAD_Z, .operand = 1, .tensor = T_MID_FLAT, .start = 1024, .end = 3072 },
	{ DRM_LOOM_RULE_VIEW_DTYPE, C(dtype_binary) },
	{ DRM_LOOM_RULE_VIEW_DTYPE, C(dtype_cast) },
	{ DRM_LOOM_RULE_VIEW_DTYPE, C(dtype_compare) },
	{ DRM_LOOM_RULE_VIEW_DTYPE, C(dtype_logic) },
	{ DRM_LOOM_RULE_VIEW_DTYPE, C(dtype_unary) },
	{ DRM_LOOM_RULE_VIEW_DTYPE, C(dtype_scale) },
	{ DRM_LOOM_RULE_VIEW_SHAPE, C(shape_load), .valid = IN_RANGE, .step = 4,
	  .command = C_LOAD_Z, .operand = 1, .tensor = T_MID_FLAT, .start = 1024, .end = 3068 },
	{ DRM_LOOM_RULE_VIEW_SHAPE, C(shape_rank) },
	{ DRM_LOOM_RULE_VIEW_SHAPE, C(shape_broadcast) },
	{ DRM_LOOM_RULE_VIEW_SHAPE, C(shape_conv_channels) },
	{ DRM_LOOM_RULE_VIEW_SHAPE, C(shape_conv_groups) },
	{ DRM_LOOM_RULE_VIEW_SHAPE, C(shape_conv_bias) },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(distinct_zero), .valid = IN_RANGE, .step = 5,
	  .command = C_CAST_BACK, .operand = 0, .tensor = T_SZ2, .start = 3072, .end = 3332 },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(distinct_overlap) },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(distinct_down) },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(distinct_lanes) },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(distinct_many) },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(distinct_many_softmax) },
	{ DRM_LOOM_RULE_COST, C(cost), .valid = IN_COMMAND, .step = SAMPLE_STEPS,
	  .command = C_COUNT },
	{ DRM_LOOM_RULE_COST, C(cost_units) },
};

#endif /* LOOM_TESTS_RULE_CASES_VIEW_H */
