/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_H
#define LOOM_TESTS_RULE_CASES_H

/*
 * Every rule of the verifier, by a plan that is valid but for one thing. The tests of the
 * library and those of the module go through the same table; a rule without a case
 * fails both.
 */
#include "plan_sample.h"

/**
 * struct rule_case - one way to break one rule
 * @rule: the rule that must be named
 * @what: what is wrong
 * @change: breaks the tables before the plan is made
 * @patch: breaks the plan's bytes; may change their number
 * @huge: takes hundreds of megabytes, and more than one may ask of a kernel
 * @valid: fields of the reject record that must say something
 * @step: expected, if in @valid
 * @command: expected, if in @valid
 * @operand: expected, if in @valid
 * @tensor: expected, if in @valid
 * @other: expected, if in @valid
 * @start: expected, if DRM_LOOM_REJECT_RANGE in @valid
 * @end: expected, if DRM_LOOM_REJECT_RANGE in @valid
 */
struct rule_case {
	u32 rule;
	const char *what;
	void (*change)(struct plan_builder *pb);
	void (*patch)(struct drm_loom_plan_header *header, u64 *size);
	bool huge;
	u32 valid;
	u32 step;
	u32 command;
	u32 operand;
	u32 tensor;
	u32 other;
	u64 start;
	u64 end;
};

#define CHANGE(_name) static void change_##_name(struct plan_builder *pb)
#define PATCH(_name) \
	static void patch_##_name(struct drm_loom_plan_header *header, u64 *size)

/* --- header, tables, limits, device, slots */

PATCH(size_short) { (void)header; *size = sizeof(*header) - 8; }
PATCH(size_zero) { (void)header; *size = 0; }
PATCH(magic) { (void)size; header->magic ^= 0x20000000; }
PATCH(version) { (void)size; header->version++; }
PATCH(size_field) { (void)size; header->size += 8; }
PATCH(size_cut) { (void)header; *size -= 8; }
PATCH(flags) { (void)size; header->flags = 1; }

PATCH(table_stride) { (void)size; header->tensors.stride += 8; }
PATCH(table_stride_zero) { (void)size; header->views.stride = 0; }
PATCH(table_align) { (void)size; header->steps.offset += 4; }
PATCH(table_in_header) { (void)size; header->slots.offset = sizeof(*header) - 8; }
PATCH(table_past_end) { (void)size; header->attrs.count += 8; }
PATCH(table_far) { (void)size; header->attrs.offset = ~7ULL; }
PATCH(table_wraps) { (void)size; header->views.count = ~0U; }
PATCH(table_meets) { (void)size; header->commands.offset = header->tensors.offset; }
PATCH(table_meets_one) { (void)size; header->tensors.count++; }
PATCH(table_images_offset) { (void)size; header->images.offset = sizeof(*header); }
PATCH(table_images_count) { (void)size; header->images.count = 1; }
PATCH(table_images_stride) { (void)size; header->images.stride = 24; }
PATCH(table_images_meet)
{
	(void)size;
	header->images = (struct drm_loom_table){ header->slots.offset, 1, 24 };
}

CHANGE(many_slots)
{
	while (pb->slots.count <= DRM_LOOM_MAX_SLOTS)
		pb_add_slot(pb, 64, DRM_LOOM_SLOT_READ);
}

CHANGE(many_tensors) { pb_push(&pb->tensors, DRM_LOOM_MAX_TENSORS + 1 - pb->tensors.count); }
CHANGE(many_steps) { pb_push(&pb->steps, DRM_LOOM_MAX_STEPS + 1 - pb->steps.count); }
CHANGE(many_commands) { pb_push(&pb->commands, DRM_LOOM_MAX_COMMANDS + 1 - pb->commands.count); }
CHANGE(many_views) { pb_push(&pb->views, DRM_LOOM_MAX_VIEWS + 1 - pb->views.count); }
CHANGE(many_images) { pb_push(&pb->images, DRM_LOOM_MAX_SLOTS + 1); }
CHANGE(many_attrs) { pb_push(&pb->attrs, DRM_LOOM_MAX_ATTR_BYTES + 8 - pb->attrs.count); }

CHANGE(lanes) { pb->header.lanes = 2; }
CHANGE(lanes_zero) { pb->header.lanes = 0; }
CHANGE(scratch) { pb->header.scratch_bytes = (63 << 10) + 1; }
CHANGE(scratch_wraps) { pb->header.scratch_bytes = ~0ULL; }

CHANGE(slot_size) { pb_slot(pb, SLOT_OUTPUT)->size = 0; }
CHANGE(slot_no_flags) { pb_slot(pb, SLOT_ARENA)->flags = 0; }
CHANGE(slot_flags) { pb_slot(pb, SLOT_ARENA)->flags |= 16; }
CHANGE(slot_spread_only) { pb_slot(pb, SLOT_ARENA)->flags = DRM_LOOM_SLOT_SPREAD; }
CHANGE(slot_sram_only) { pb_slot(pb, SLOT_ARENA)->flags = DRM_LOOM_SLOT_SRAM; }
CHANGE(slot_sram_size)
{
	pb_slot(pb, SLOT_ARENA)->flags |= DRM_LOOM_SLOT_SRAM;
	pb_slot(pb, SLOT_ARENA)->size = (64 << 10) + 1;
}

CHANGE(slot_pad) { pb_slot(pb, SLOT_WEIGHTS)->pad = 1; }

/* --- tensors */

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

/* --- steps and commands */

CHANGE(step_gap) { pb_step(pb, 2)->first_command++; }
CHANGE(step_twice) { pb_step(pb, 2)->first_command = 0; }
CHANGE(step_many) { pb_step(pb, 6)->dma_commands++; }
CHANGE(step_few) { pb_step(pb, 6)->dma_commands--; }
CHANGE(step_wraps) { pb_step(pb, 1)->dma_commands = ~0U; }
CHANGE(step_pad) { pb_step(pb, 1)->pad = 1; }

CHANGE(stream_dma) { pb_step(pb, 3)->dma_commands--; pb_step(pb, 3)->compute_commands++; }
CHANGE(stream_compute) { pb_step(pb, 5)->dma_commands++; pb_step(pb, 5)->compute_commands--; }

CHANGE(opcode_zero) { pb_command(pb, C_ADD)->opcode = 0; }
CHANGE(opcode_hole) { pb_command(pb, C_ADD)->opcode = 5; }
CHANGE(opcode_end) { pb_command(pb, C_ADD)->opcode = DRM_LOOM_OP_END; }
CHANGE(opcode_all_ones) { pb_command(pb, C_ADD)->opcode = 0xffff; }

CHANGE(command_pad) { pb_command(pb, C_ADD)->pad = 1; }

CHANGE(operands_few) { pb_command(pb, C_LOAD_Z)->operands = 1; }
CHANGE(operands_none) { pb_command(pb, C_LOAD_Z)->operands = 0; }
CHANGE(operands_many) { pb_command(pb, C_LOAD_Z)->operands = 3; }
CHANGE(operands_optional) { pb_command(pb, C_CONV0)->operands = 3; }
CHANGE(operands_past_end) { pb_command(pb, C_STORE_Z)->first_view++; }
CHANGE(operands_wrap) { pb_command(pb, C_STORE_Z)->first_view = ~0U; }

CHANGE(attr_size) { pb_command(pb, C_ADD)->attr_size -= 8; }
CHANGE(attr_size_none) { pb_command(pb, C_ADD)->attr_size = 0; }
CHANGE(attr_unwanted) { pb_command(pb, C_CAST)->attr_size = 8; }
CHANGE(attr_offset_unwanted) { pb_command(pb, C_CAST)->attr_offset = 8; }
CHANGE(attr_align) { pb_command(pb, C_RELU0)->attr_offset -= 4; }
CHANGE(attr_past_end) { pb_command(pb, C_ADD)->attr_offset += 8; }
CHANGE(attr_wraps) { pb_command(pb, C_ADD)->attr_offset = ~7ULL; }

static struct drm_loom_attr_conv *conv0(struct plan_builder *pb)
{
	return pb_attr(pb, C_CONV0);
}

CHANGE(attr_conv_flags) { conv0(pb)->flags |= 4; }
CHANGE(attr_conv_stride) { conv0(pb)->stride[1] = 0; }
CHANGE(attr_conv_dilation) { conv0(pb)->dilation[2] = -1; }
CHANGE(attr_conv_pad) { conv0(pb)->pad[0] = -1; }
CHANGE(attr_conv_pad_large) { conv0(pb)->pad[0] = 0x7fffffff; }
CHANGE(attr_conv_groups) { conv0(pb)->groups = 0; }
CHANGE(attr_conv_act) { conv0(pb)->act = DRM_LOOM_ACT_END; }
CHANGE(attr_conv_zero) { conv0(pb)->x_zero = 1; }
CHANGE(attr_conv_reserved) { conv0(pb)->reserved = 1; }
CHANGE(attr_unary_kind)
{
	((struct drm_loom_attr_unary *)pb_attr(pb, C_RELU0))->kind = DRM_LOOM_UNARY_END;
}

CHANGE(attr_binary_kind)
{
	((struct drm_loom_attr_binary *)pb_attr(pb, C_ADD))->kind = DRM_LOOM_BINARY_END;
}

CHANGE(attr_binary_act) { ((struct drm_loom_attr_binary *)pb_attr(pb, C_ADD))->act = ~0U; }
CHANGE(attr_fill_bits)
{
	((struct drm_loom_attr_fill *)pb_attr(pb, C_FILL_ONE))->bits = 1ULL << 32;
}

/* --- views */

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

/* --- data */

CHANGE(read_only) { pb_slot(pb, SLOT_OUTPUT)->flags = DRM_LOOM_SLOT_READ; }
CHANGE(read_only_arena) { pb_slot(pb, SLOT_ARENA)->flags = DRM_LOOM_SLOT_READ; }

CHANGE(uninit_never) { pb_slot(pb, SLOT_WEIGHTS)->flags = DRM_LOOM_SLOT_WRITE; }
CHANGE(uninit_slice)
{
	/* the second slice is stored where the first one is: rows 4 to 7 stay unwritten */
	pb_operand(pb, C_STORE1, 0)->offset = 0;
}

CHANGE(uninit_row)
{
	/* all but one row of one channel */
	*pb_operand(pb, C_STORE1, 0) = pb_slice(pb, pb_all(pb, T_MID), 3, 4, 3);
	*pb_operand(pb, C_STORE1, 1) = pb_slice(pb, pb_all(pb, T_SY1), 3, 0, 3);
}

CHANGE(uninit_lane)
{
	*pb_operand(pb, C_FILL_ONE, 0) = pb_slice(pb, pb_all(pb, T_SONE), 0, 0, 7);
}

CHANGE(uninit_dead)
{
	/* the bytes were written, but by a tensor that is gone */
	pb_tensor(pb, T_SZ)->offset = 3072;
	pb_tensor(pb, T_SZ)->first_step = 3;
	pb_tensor(pb, T_SZ)->last_step = 4;
	pb_tensor(pb, T_SZ2)->first_step = 5;
	*pb_operand(pb, C_ADD, 0) = pb_all(pb, T_SZ2);
	*pb_operand(pb, C_ADD, 1) = pb_all(pb, T_SZ2);
}

CHANGE(uninit_order)
{
	struct drm_loom_plan_command command = *pb_command(pb, C_CAST);

	*pb_command(pb, C_CAST) = *pb_command(pb, C_CAST_BACK);
	*pb_command(pb, C_CAST_BACK) = command;
}

CHANGE(in_place_shifted)
{
	*pb_operand(pb, C_RELU0, 0) = pb_slice(pb, pb_all(pb, T_SY0), 3, 0, 2);
	*pb_operand(pb, C_RELU0, 1) = pb_slice(pb, pb_all(pb, T_SY0), 3, 1, 2);
}

CHANGE(in_place_transposed)
{
	static const u32 order[] = { 0, 1, 2, 4, 3 };
	struct drm_loom_plan_view half = pb_slice(pb, pb_all(pb, T_SY0), 4, 0, 4);

	*pb_operand(pb, C_RELU0, 0) = half;
	*pb_operand(pb, C_RELU0, 1) = pb_transpose(half, order);
}

CHANGE(in_place_broadcast)
{
	*pb_operand(pb, C_ADD, 2) = pb_slice(pb, pb_all(pb, T_SZ), 1, 0, 1);
}

CHANGE(in_place_not_elementwise)
{
	struct drm_loom_attr_softmax attr = { .axis = 1 };

	memcpy(pb_attr(pb, C_RELU0), &attr, sizeof(attr));
	pb_command(pb, C_RELU0)->attr_size = sizeof(attr);
	pb_command(pb, C_RELU0)->opcode = DRM_LOOM_OP_SOFTMAX;
}

CHANGE(in_place_size)
{
	/* reads f32, writes i8 over them */
	struct drm_loom_plan_tensor *alias;

	pb_add_alias(pb, T_SZ, DRM_LOOM_DTYPE_I8, 0, PB_SHAPE(8, 64));
	alias = pb_tensor(pb, T_COUNT);
	alias->first_step = 5;
	*pb_operand(pb, C_CAST, 0) = pb_all(pb, T_COUNT);
}

CHANGE(hazard_read)
{
	/* step 1: the convolution takes what is just being loaded */
	*pb_operand(pb, C_CONV0, 1) = pb_all(pb, T_SX1);
}

CHANGE(hazard_write)
{
	/* step 2: stores what the convolution is just writing; written before, in step 1 */
	struct drm_loom_plan_view y = pb_all(pb, T_SY0);

	*pb_operand(pb, C_CONV1, 0) = y;
}

CHANGE(hazard_both)
{
	/* step 1: both write the same rows */
	*pb_operand(pb, C_LOAD_X1, 0) = pb_slice(pb, pb_all(pb, T_SY0), 1, 0, 4);
	*pb_operand(pb, C_LOAD_X1, 1) = pb_slice(pb, pb_all(pb, T_X), 3, 4, 4);
}

/* --- images */

#include "rule_cases_image.h"

#define IN_COMMAND	(DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_COMMAND)
#define IN_OPERAND	(IN_COMMAND | DRM_LOOM_REJECT_OPERAND)
#define IN_VIEW		(IN_OPERAND | DRM_LOOM_REJECT_TENSOR)
#define IN_RANGE	(IN_VIEW | DRM_LOOM_REJECT_RANGE)
#define C(name) .what = #name, .change = change_##name
#define P(name) .what = #name, .patch = patch_##name

static const struct rule_case rule_cases[] = {
	{ DRM_LOOM_RULE_HEADER, P(size_short) },
	{ DRM_LOOM_RULE_HEADER, P(size_zero) },
	{ DRM_LOOM_RULE_HEADER, P(magic) },
	{ DRM_LOOM_RULE_HEADER, P(version) },
	{ DRM_LOOM_RULE_HEADER, P(size_field) },
	{ DRM_LOOM_RULE_HEADER, P(size_cut) },
	{ DRM_LOOM_RULE_HEADER, P(flags) },
	{ DRM_LOOM_RULE_TABLE, P(table_stride) },
	{ DRM_LOOM_RULE_TABLE, P(table_stride_zero) },
	{ DRM_LOOM_RULE_TABLE, P(table_align) },
	{ DRM_LOOM_RULE_TABLE, P(table_in_header) },
	{ DRM_LOOM_RULE_TABLE, P(table_past_end) },
	{ DRM_LOOM_RULE_TABLE, P(table_far) },
	{ DRM_LOOM_RULE_TABLE, P(table_wraps) },
	{ DRM_LOOM_RULE_TABLE, P(table_meets) },
	{ DRM_LOOM_RULE_TABLE, P(table_meets_one) },
	{ DRM_LOOM_RULE_TABLE, P(table_images_offset) },
	{ DRM_LOOM_RULE_TABLE, P(table_images_count) },
	{ DRM_LOOM_RULE_TABLE, P(table_images_stride) },
	{ DRM_LOOM_RULE_TABLE, P(table_images_meet) },
	{ DRM_LOOM_RULE_LIMIT, C(many_slots) },
	{ DRM_LOOM_RULE_LIMIT, C(many_tensors), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_steps), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_commands), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_views), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_attrs), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_images) },
	{ DRM_LOOM_RULE_TOPOLOGY, C(lanes) },
	{ DRM_LOOM_RULE_TOPOLOGY, C(lanes_zero) },
	{ DRM_LOOM_RULE_SCRATCH, C(scratch) },
	{ DRM_LOOM_RULE_SCRATCH, C(scratch_wraps) },
	{ DRM_LOOM_RULE_SLOT, C(slot_size), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_no_flags), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_flags), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_spread_only), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_sram_only), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_sram_size), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_pad), .valid = DRM_LOOM_REJECT_SLOT },

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

	{ DRM_LOOM_RULE_STEP, C(step_gap), .valid = DRM_LOOM_REJECT_STEP, .step = 2 },
	{ DRM_LOOM_RULE_STEP, C(step_twice), .valid = DRM_LOOM_REJECT_STEP, .step = 2 },
	{ DRM_LOOM_RULE_STEP, C(step_many), .valid = DRM_LOOM_REJECT_STEP, .step = 6 },
	{ DRM_LOOM_RULE_STEP, C(step_few) },
	{ DRM_LOOM_RULE_STEP, C(step_wraps), .valid = DRM_LOOM_REJECT_STEP, .step = 1 },
	{ DRM_LOOM_RULE_STEP, C(step_pad), .valid = DRM_LOOM_REJECT_STEP, .step = 1 },
	{ DRM_LOOM_RULE_STREAM, C(stream_dma), .valid = IN_COMMAND, .step = 3,
	  .command = C_FILL_ONE },
	{ DRM_LOOM_RULE_STREAM, C(stream_compute), .valid = IN_COMMAND, .step = 5,
	  .command = C_ADD },
	{ DRM_LOOM_RULE_OPCODE, C(opcode_zero), .valid = IN_COMMAND, .step = 5, .command = C_ADD },
	{ DRM_LOOM_RULE_OPCODE, C(opcode_hole) },
	{ DRM_LOOM_RULE_OPCODE, C(opcode_end) },
	{ DRM_LOOM_RULE_OPCODE, C(opcode_all_ones) },
	{ DRM_LOOM_RULE_COMMAND_FIELD, C(command_pad), .valid = IN_COMMAND, .step = 5,
	  .command = C_ADD },
	{ DRM_LOOM_RULE_OPERANDS, C(operands_few), .valid = IN_COMMAND, .step = 4,
	  .command = C_LOAD_Z },
	{ DRM_LOOM_RULE_OPERANDS, C(operands_none) },
	{ DRM_LOOM_RULE_OPERANDS, C(operands_many) },
	{ DRM_LOOM_RULE_OPERANDS, C(operands_optional) },
	{ DRM_LOOM_RULE_OPERANDS, C(operands_past_end) },
	{ DRM_LOOM_RULE_OPERANDS, C(operands_wrap) },
	{ DRM_LOOM_RULE_ATTR, C(attr_size), .valid = IN_COMMAND, .step = 5, .command = C_ADD },
	{ DRM_LOOM_RULE_ATTR, C(attr_size_none) },
	{ DRM_LOOM_RULE_ATTR, C(attr_unwanted) },
	{ DRM_LOOM_RULE_ATTR, C(attr_offset_unwanted) },
	{ DRM_LOOM_RULE_ATTR, C(attr_align) },
	{ DRM_LOOM_RULE_ATTR, C(attr_past_end) },
	{ DRM_LOOM_RULE_ATTR, C(attr_wraps) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_flags) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_stride) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_dilation) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_pad) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_pad_large) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_groups) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_act) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_zero) },
	{ DRM_LOOM_RULE_ATTR, C(attr_conv_reserved) },
	{ DRM_LOOM_RULE_ATTR, C(attr_unary_kind) },
	{ DRM_LOOM_RULE_ATTR, C(attr_binary_kind) },
	{ DRM_LOOM_RULE_ATTR, C(attr_binary_act) },
	{ DRM_LOOM_RULE_ATTR, C(attr_fill_bits) },

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
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(distinct_lanes) },
	{ DRM_LOOM_RULE_COST, C(cost), .valid = IN_COMMAND, .step = SAMPLE_STEPS,
	  .command = C_COUNT },
	{ DRM_LOOM_RULE_COST, C(cost_units) },

	{ DRM_LOOM_RULE_READ_ONLY, C(read_only), .valid = IN_RANGE | DRM_LOOM_REJECT_SLOT,
	  .step = 6, .command = C_STORE_Z, .operand = 0, .tensor = T_Y, .start = 0, .end = 2048 },
	{ DRM_LOOM_RULE_READ_ONLY, C(read_only_arena) },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_never), .valid = IN_RANGE | DRM_LOOM_REJECT_SLOT,
	  .step = 0, .command = C_LOAD_W, .operand = 1, .tensor = T_W, .start = 0, .end = 1152 },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_slice), .valid = IN_RANGE, .step = 4,
	  .command = C_LOAD_Z, .operand = 1, .tensor = T_MID_FLAT, .start = 1024, .end = 3072 },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_row) },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_lane), .valid = IN_RANGE, .step = 5,
	  .command = C_ADD, .operand = 2, .tensor = T_SONE, .start = 1024, .end = 1032 },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_dead) },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_order) },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_shifted), .valid = IN_RANGE | DRM_LOOM_REJECT_OTHER,
	  .step = 1, .command = C_RELU0, .operand = 1, .tensor = T_SY0, .other = T_SY0,
	  .start = 1056, .end = 1216 },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_transposed) },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_broadcast) },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_not_elementwise) },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_size) },
	{ DRM_LOOM_RULE_HAZARD, C(hazard_read), .valid = IN_RANGE | DRM_LOOM_REJECT_OTHER,
	  .step = 1, .command = C_CONV0, .operand = 1, .tensor = T_SX1, .other = T_SX1,
	  .start = 512, .end = 672 },
	{ DRM_LOOM_RULE_HAZARD, C(hazard_write), .valid = IN_RANGE | DRM_LOOM_REJECT_OTHER,
	  .step = 2, .command = C_CONV1, .operand = 0, .tensor = T_SY0, .other = T_SY0,
	  .start = 1024, .end = 1280 },
	{ DRM_LOOM_RULE_HAZARD, C(hazard_both) },

	{ DRM_LOOM_RULE_IMAGE, C(image_slot) },
	{ DRM_LOOM_RULE_IMAGE, C(image_slot_sram), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_IMAGE, C(image_slot_all_ones) },
	{ DRM_LOOM_RULE_IMAGE, C(image_twice), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_IMAGE, C(image_dtype_zero), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_IMAGE, C(image_dtype) },
	{ DRM_LOOM_RULE_IMAGE, C(image_width_zero) },
	{ DRM_LOOM_RULE_IMAGE, C(image_width) },
	{ DRM_LOOM_RULE_IMAGE, C(image_width_wraps) },
	{ DRM_LOOM_RULE_IMAGE, C(image_height_zero) },
	{ DRM_LOOM_RULE_IMAGE, C(image_height) },
	{ DRM_LOOM_RULE_IMAGE, C(image_pitch_zero) },
	{ DRM_LOOM_RULE_IMAGE, C(image_pitch_align) },
	{ DRM_LOOM_RULE_IMAGE, C(image_size) },
	{ DRM_LOOM_RULE_IMAGE, C(image_pad) },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_dtype), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_column), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_stride) },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_line), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID_FLAT },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_alias), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID_FLAT },
	{ DRM_LOOM_RULE_TENSOR_EXTENT, C(tensor_image_row) },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, C(image_overlap),
	  .valid = DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_OTHER | DRM_LOOM_REJECT_RANGE, .step = 3,
	  .tensor = T_COUNT, .other = T_MID, .start = 11 * IMAGE_PITCH,
	  .end = 11 * IMAGE_PITCH + 8 },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_right), .valid = IN_VIEW, .step = 4,
	  .command = C_LOAD_Z, .operand = 1, .tensor = T_MID_FLAT },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_left) },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_seam) },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_diagonal) },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_padding) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_image_bounds) },
	{ DRM_LOOM_RULE_VIEW_REGION, C(view_image_compute) },
	{ DRM_LOOM_RULE_VIEW_REGION, C(view_image_weights) },
};

/* One case, or the sample as it is for NULL. Return: what the verifier says. */
static inline int rule_case_verify(const struct rule_case *test,
				   const struct loom_topology *topology,
				   struct drm_loom_reject *reject)
{
	struct drm_loom_plan_header *header;
	struct plan_builder pb;
	struct loom_plan *plan;
	void *exact;
	u64 size;
	int ret;

	sample_build(&pb);
	if (test && test->change)
		test->change(&pb);
	header = pb_blob(&pb, &size);
	if (test && test->patch)
		test->patch(header, &size);
	/* not a byte more than it says, for the sanitiser */
	exact = pb_alloc(size ? size : 1);
	memcpy(exact, header, size);
	ret = loom_plan_create(exact, size, topology, &plan, reject);
	if (!ret)
		loom_plan_destroy(plan);
	else if (plan)
		ret = 1;
	pb_free(exact);
	pb_free(header);
	pb_fini(&pb);
	return ret;
}

/* Whether the reject record says what the case wants of it. */
static inline bool rule_case_fits(const struct rule_case *test,
				  const struct drm_loom_reject *reject)
{
	if (test->valid & ~reject->valid)
		return false;
	if (test->valid & DRM_LOOM_REJECT_STEP && test->step != reject->step)
		return false;
	if (test->valid & DRM_LOOM_REJECT_COMMAND && test->command != reject->command)
		return false;
	if (test->valid & DRM_LOOM_REJECT_OPERAND && test->operand != reject->operand)
		return false;
	/* some cases of the table do not care which tensor or slot */
	if (test->tensor && test->tensor != reject->tensor)
		return false;
	if (test->valid & DRM_LOOM_REJECT_OTHER && test->other != reject->other)
		return false;
	if (test->valid & DRM_LOOM_REJECT_RANGE &&
	    (test->start != reject->start || test->end != reject->end))
		return false;
	return true;
}

#endif /* LOOM_TESTS_RULE_CASES_H */
