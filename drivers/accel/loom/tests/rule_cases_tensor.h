/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_TENSOR_H
#define LOOM_TESTS_RULE_CASES_TENSOR_H

/* Cases of the rules about tensors. */
#include "rule_case.h"

CHANGE(tensor_region) { pb_tensor(pb, T_X)->region = DRM_LOOM_REGION_COUNT; }
CHANGE(tensor_slot) { pb_tensor(pb, T_X)->slot = 4; }
CHANGE(tensor_slot_all_ones) { pb_tensor(pb, T_X)->slot = ~0U; }
CHANGE(tensor_sram_slot) { pb_tensor(pb, T_SX0)->slot = 1; }
CHANGE(tensor_flags) { pb_tensor(pb, T_X)->flags = 4; }
CHANGE(tensor_dram_slot_flag) { pb_tensor(pb, T_X)->flags = DRM_LOOM_TENSOR_SLOT; }
CHANGE(tensor_dram_in_sram_slot) { pb_slot(pb, SLOT_ARENA)->flags |= DRM_LOOM_SLOT_SRAM; }
CHANGE(tensor_sram_in_dram_slot) { pb_tensor(pb, T_SX0)->flags = DRM_LOOM_TENSOR_SLOT; }
CHANGE(tensor_sram_slot_none)
{
	pb_tensor(pb, T_SX0)->flags = DRM_LOOM_TENSOR_SLOT;
	pb_tensor(pb, T_SX0)->slot = 4;
}

CHANGE(tensor_parent) { pb_tensor(pb, T_SX0)->parent = T_SX1; }
CHANGE(tensor_pad) { pb_tensor(pb, T_X)->pad = 1; }
CHANGE(tensor_pad2) { pb_tensor(pb, T_X)->pad2 = 1; }

CHANGE(tensor_dtype_zero) { pb_tensor(pb, T_X)->dtype = 0; }
CHANGE(tensor_dtype) { pb_tensor(pb, T_X)->dtype = DRM_LOOM_DTYPE_END; }
CHANGE(tensor_rank_zero) { pb_tensor(pb, T_X)->rank = 0; }
CHANGE(tensor_rank) { pb_tensor(pb, T_X)->rank = DRM_LOOM_MAX_RANK + 1; }
CHANGE(tensor_dim_zero) { pb_tensor(pb, T_X)->dims[2] = 0; }
CHANGE(tensor_dim_past_rank) { pb_tensor(pb, T_X)->dims[5] = 1; }
CHANGE(tensor_lane_axis) { pb_tensor(pb, T_SX0)->lane_axis = 5; }
CHANGE(tensor_dram_lane_axis) { pb_tensor(pb, T_X)->lane_axis = 1; }

CHANGE(tensor_stride_overlap) { pb_tensor(pb, T_X)->strides[3] = 28; }
CHANGE(tensor_stride_zero) { pb_tensor(pb, T_X)->strides[4] = 0; }
CHANGE(tensor_stride_align) { pb_tensor(pb, T_W)->strides[0] += 2; }
CHANGE(tensor_stride_unordered) { pb_tensor(pb, T_W)->strides[2] = 1 << 12; }
CHANGE(tensor_stride_past_rank) { pb_tensor(pb, T_X)->strides[5] = 4; }
CHANGE(tensor_offset_align) { pb_tensor(pb, T_BIAS)->offset += 2; }

CHANGE(tensor_extent) { pb_tensor(pb, T_X)->dims[0] = 2; }
CHANGE(tensor_extent_by_one) { pb_tensor(pb, T_X)->size -= 1; }
CHANGE(tensor_extent_wraps)
{
	pb_tensor(pb, T_X)->strides[1] = 1ULL << 63;
	pb_tensor(pb, T_X)->strides[0] = 1ULL << 63;
}

CHANGE(tensor_extent_lanes) { pb_tensor(pb, T_SBIAS)->dims[0] = 9; }
CHANGE(tensor_size_zero) { pb_tensor(pb, T_X)->size = 0; }

CHANGE(tensor_bounds) { pb_tensor(pb, T_Y)->offset = 4; }
CHANGE(tensor_bounds_size) { pb_tensor(pb, T_Y)->size += 1; }
CHANGE(tensor_bounds_wraps)
{
	pb_tensor(pb, T_Y)->offset = -4096LL;
	pb_tensor(pb, T_Y)->size = 4096;
}

CHANGE(tensor_bounds_scratch) { pb_tensor(pb, T_SZ2)->offset = SAMPLE_SCRATCH - 4; }

CHANGE(tensor_lifetime_order) { pb_tensor(pb, T_MID)->first_step = 5; }
CHANGE(tensor_lifetime_past) { pb_tensor(pb, T_Y)->last_step = SAMPLE_STEPS; }
CHANGE(tensor_lifetime_all_ones) { pb_tensor(pb, T_Y)->last_step = ~0U; }

CHANGE(alias_self) { pb_tensor(pb, T_MID_FLAT)->parent = T_MID_FLAT; }
CHANGE(alias_none) { pb_tensor(pb, T_MID_FLAT)->parent = T_COUNT; }
CHANGE(alias_slot) { pb_tensor(pb, T_MID_FLAT)->parent = T_Y; }
CHANGE(alias_region) { pb_tensor(pb, T_MID_FLAT)->parent = T_SZ; }
CHANGE(alias_below) { pb_tensor(pb, T_MID_FLAT)->offset -= 4; }
CHANGE(alias_above) { pb_tensor(pb, T_MID_FLAT)->offset += 4; }
CHANGE(alias_before) { pb_tensor(pb, T_MID_FLAT)->first_step = 1; }
CHANGE(alias_after) { pb_tensor(pb, T_MID_FLAT)->last_step = 5; }

CHANGE(overlap_dram) { pb_tensor(pb, T_BIAS)->offset = 1148; }
CHANGE(overlap_sram) { pb_tensor(pb, T_SX1)->offset = 476; }
CHANGE(overlap_inside) { pb_tensor(pb, T_SBIAS)->offset = 8; }
CHANGE(overlap_same) { pb_tensor(pb, T_SBIAS)->offset = 0; }
CHANGE(overlap_late) { pb_tensor(pb, T_SY1)->last_step = 5; }
CHANGE(overlap_unmarked)
{
	pb_tensor(pb, T_MID_FLAT)->flags = 0;
	pb_tensor(pb, T_MID_FLAT)->parent = 0;
}

static const struct rule_case rule_cases_tensor[] = {
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_region), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_X },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_slot), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_X },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_slot_all_ones) },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_sram_slot), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_SX0 },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_flags) },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_dram_slot_flag) },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_dram_in_sram_slot) },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_sram_in_dram_slot) },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_sram_slot_none) },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_parent) },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_pad) },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(tensor_pad2) },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(tensor_dtype_zero) },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(tensor_dtype) },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(tensor_rank_zero) },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(tensor_rank) },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(tensor_dim_zero) },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(tensor_dim_past_rank) },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(tensor_lane_axis) },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(tensor_dram_lane_axis) },
	{ DRM_LOOM_RULE_TENSOR_STRIDE, C(tensor_stride_overlap) },
	{ DRM_LOOM_RULE_TENSOR_STRIDE, C(tensor_stride_zero) },
	{ DRM_LOOM_RULE_TENSOR_STRIDE, C(tensor_stride_align) },
	{ DRM_LOOM_RULE_TENSOR_STRIDE, C(tensor_stride_unordered) },
	{ DRM_LOOM_RULE_TENSOR_STRIDE, C(tensor_stride_past_rank) },
	{ DRM_LOOM_RULE_TENSOR_STRIDE, C(tensor_offset_align) },
	{ DRM_LOOM_RULE_TENSOR_EXTENT, C(tensor_extent) },
	{ DRM_LOOM_RULE_TENSOR_EXTENT, C(tensor_extent_by_one) },
	{ DRM_LOOM_RULE_TENSOR_EXTENT, C(tensor_extent_wraps) },
	{ DRM_LOOM_RULE_TENSOR_EXTENT, C(tensor_extent_lanes) },
	{ DRM_LOOM_RULE_TENSOR_EXTENT, C(tensor_size_zero) },
	{ DRM_LOOM_RULE_TENSOR_BOUNDS, C(tensor_bounds), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_Y },
	{ DRM_LOOM_RULE_TENSOR_BOUNDS, C(tensor_bounds_size) },
	{ DRM_LOOM_RULE_TENSOR_BOUNDS, C(tensor_bounds_wraps) },
	{ DRM_LOOM_RULE_TENSOR_BOUNDS, C(tensor_bounds_scratch) },
	{ DRM_LOOM_RULE_TENSOR_LIFETIME, C(tensor_lifetime_order) },
	{ DRM_LOOM_RULE_TENSOR_LIFETIME, C(tensor_lifetime_past) },
	{ DRM_LOOM_RULE_TENSOR_LIFETIME, C(tensor_lifetime_all_ones) },
	{ DRM_LOOM_RULE_TENSOR_ALIAS, C(alias_self) },
	{ DRM_LOOM_RULE_TENSOR_ALIAS, C(alias_none), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID_FLAT },
	{ DRM_LOOM_RULE_TENSOR_ALIAS, C(alias_slot) },
	{ DRM_LOOM_RULE_TENSOR_ALIAS, C(alias_region) },
	{ DRM_LOOM_RULE_TENSOR_ALIAS, C(alias_below),
	  .valid = DRM_LOOM_REJECT_TENSOR | DRM_LOOM_REJECT_OTHER | DRM_LOOM_REJECT_RANGE |
		   DRM_LOOM_REJECT_SLOT,
	  .tensor = T_MID_FLAT, .other = T_MID, .start = 1020, .end = 3068 },
	{ DRM_LOOM_RULE_TENSOR_ALIAS, C(alias_above) },
	{ DRM_LOOM_RULE_TENSOR_ALIAS, C(alias_before) },
	{ DRM_LOOM_RULE_TENSOR_ALIAS, C(alias_after) },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, C(overlap_dram),
	  .valid = DRM_LOOM_REJECT_TENSOR | DRM_LOOM_REJECT_OTHER | DRM_LOOM_REJECT_RANGE |
		   DRM_LOOM_REJECT_SLOT | DRM_LOOM_REJECT_STEP,
	  .tensor = T_BIAS, .other = T_W, .start = 1148, .end = 1152 },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, C(overlap_sram),
	  .valid = DRM_LOOM_REJECT_TENSOR | DRM_LOOM_REJECT_OTHER | DRM_LOOM_REJECT_RANGE |
		   DRM_LOOM_REJECT_STEP,
	  .step = 1, .tensor = T_SX1, .other = T_SX0, .start = 476, .end = 480 },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, C(overlap_inside) },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, C(overlap_same) },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, C(overlap_late),
	  .valid = DRM_LOOM_REJECT_TENSOR | DRM_LOOM_REJECT_OTHER | DRM_LOOM_REJECT_STEP, .step = 5,
	  .tensor = T_SI8, .other = T_SY1 },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, C(overlap_unmarked) },
};

#endif /* LOOM_TESTS_RULE_CASES_TENSOR_H */
