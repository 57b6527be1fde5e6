/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_NATIVE_H
#define LOOM_TESTS_RULE_CASES_NATIVE_H

/* Cases of the rules about native commands. */
#include "plan_native.h"
#include "rule_case.h"

/* The native command of the sample. */
static struct drm_loom_plan_command *native(struct plan_builder *pb)
{
	return pb_command(pb, C_NATIVE);
}

static struct drm_loom_plan_view *operand(struct plan_builder *pb, u32 index)
{
	return pb_operand(pb, C_NATIVE, index);
}

CHANGE(native_same)
{
	use_native(pb);
}

CHANGE(native_no_payload)
{
	use_native(pb);
	native(pb)->attr_size = 16;
	native_attr(pb)->attr.payload_bytes = 0;
}

CHANGE(native_output_only)
{
	use_native(pb);
	native(pb)->operands = 2;
	native_attr(pb)->attr.temporaries = 0;
	native_attr(pb)->attr.inouts = 0;
}

CHANGE(native_image)
{
	use_native(pb);
	*operand(pb, O_INOUT) = pb_all(pb, native_in_dram(pb, true));
}

CHANGE(native_dram_in_place)
{
	use_native(pb);
	*operand(pb, O_IN) = pb_all(pb, native_in_dram(pb, false));
}

CHANGE(native_temporary_slot)
{
	use_native(pb);
	native_in_slot(pb, T_TEMP, DRM_LOOM_SLOT_WRITE);
}

CHANGE(native_again)
{
	use_native(pb);
	native_again(pb);
}

/* One more in the same step: its operands and attributes begin where those of the other end. */
CHANGE(native_adjacent)
{
	struct native_attr attr;

	use_native(pb);
	native_again(pb);
	attr = *native_attr(pb);
	pb_add(pb, DRM_LOOM_OP_NATIVE, &attr, sizeof(attr),
	       PB_VIEWS(pb_all(pb, T_OUT0), pb_all(pb, T_OUT1), pb_all(pb, T_TEMP),
			pb_all(pb, T_INOUT), pb_all(pb, T_IN)));
}

CHANGE(native_operands_shared)
{
	use_native(pb);
	pb_command(pb, native_again(pb))->first_view = native(pb)->first_view + 1;
}

CHANGE(native_attr_shared)
{
	use_native(pb);
	pb_command(pb, native_again(pb))->attr_offset = native(pb)->attr_offset;
}

CHANGE(native_old)
{
	use_native(pb);
	pb->header.version = DRM_LOOM_PLAN_VERSION;
}

CHANGE(native_format_id)
{
	use_native(pb);
	pb->format.id++;
}

CHANGE(native_format_version)
{
	use_native(pb);
	pb->format.version++;
}

CHANGE(native_format_pad)
{
	use_native(pb);
	pb->format.pad = 1;
}

CHANGE(native_stream)
{
	use_native(pb);
	pb_step(pb, NATIVE_STEP)->dma_commands++;
	pb_step(pb, NATIVE_STEP)->compute_commands--;
}

CHANGE(native_operands_none)
{
	use_native(pb);
	native(pb)->operands = 0;
}

CHANGE(native_operands_many)
{
	use_native(pb);
	native(pb)->operands = DRM_LOOM_MAX_NATIVE_OPERANDS + 1;
}

CHANGE(native_attr_short)
{
	use_native(pb);
	native(pb)->attr_size = 8;
}

CHANGE(native_attr_long)
{
	use_native(pb);
	native(pb)->attr_size += DRM_LOOM_MAX_PAYLOAD_BYTES + 8;
}

CHANGE(native_attr_payload)
{
	use_native(pb);
	native_attr(pb)->attr.payload_bytes--;
}

CHANGE(native_attr_pad)
{
	use_native(pb);
	native_attr(pb)->attr.pad = 1;
}

CHANGE(native_attr_written)
{
	use_native(pb);
	native_attr(pb)->attr.outputs = 4;
}

CHANGE(native_attr_wraps)
{
	use_native(pb);
	native_attr(pb)->attr.outputs = 255;
}

CHANGE(native_attr_no_result)
{
	use_native(pb);
	native_attr(pb)->attr.outputs = 0;
	native_attr(pb)->attr.inouts = 0;
}

CHANGE(native_region_first)
{
	use_native(pb);
	*operand(pb, O_OUT0) = pb_all(pb, native_in_dram(pb, false));
}

CHANGE(native_region_output)
{
	use_native(pb);
	*operand(pb, O_OUT1) = pb_all(pb, native_in_dram(pb, false));
}

CHANGE(native_distinct)
{
	use_native(pb);
	operand(pb, O_OUT1)->strides[1] = 0;
}

CHANGE(native_distinct_inout)
{
	use_native(pb);
	operand(pb, O_INOUT)->strides[1] = 0;
}

CHANGE(native_read_only)
{
	use_native(pb);
	native_in_slot(pb, T_INOUT, DRM_LOOM_SLOT_READ);
	/* written by nothing else */
	*pb_operand(pb, C_FILL_INOUT, 0) = pb_all(pb, T_COPY);
}

CHANGE(native_uninit_inout)
{
	use_native(pb);
	*pb_operand(pb, C_FILL_INOUT, 0) = pb_all(pb, T_COPY);
}

CHANGE(native_uninit_input)
{
	use_native(pb);
	*pb_operand(pb, C_FILL_IN, 0) = pb_all(pb, T_COPY);
}

CHANGE(native_uninit_temporary)
{
	use_native(pb);
	*pb_operand(pb, C_READ_OUT0, 1) = pb_all(pb, T_TEMP);
}

CHANGE(native_uninit_output)
{
	use_native(pb);
	*operand(pb, O_OUT1) = pb_slice(pb, pb_all(pb, T_OUT1), 1, 0, 15);
}

CHANGE(native_temporary_written)
{
	use_native(pb);
	*pb_operand(pb, C_FILL_IN, 0) = pb_slice(pb, pb_all(pb, T_TEMP), 1, 3, 1);
	native_in_slot(pb, T_IN, DRM_LOOM_SLOT_READ);
}

CHANGE(native_temporary_alias)
{
	use_native(pb);
	*operand(pb, O_TEMP) =
		pb_all(pb, pb_add_alias(pb, T_TEMP, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(8, 16)));
}

CHANGE(native_temporary_read)
{
	use_native(pb);
	native_in_slot(pb, T_TEMP, DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE);
}

CHANGE(native_in_place_outputs)
{
	use_native(pb);
	*operand(pb, O_OUT1) =
		pb_slice(pb, pb_all(pb, T_OUT0), 1, 15, 1);
}

CHANGE(native_in_place_inout)
{
	use_native(pb);
	*operand(pb, O_IN) = pb_all(pb, T_INOUT);
}

CHANGE(native_in_place_temporary)
{
	use_native(pb);
	*operand(pb, O_TEMP) = pb_all(pb, T_OUT1);
}

CHANGE(native_hazard_input)
{
	use_native(pb);
	*pb_operand(pb, C_FILL_BESIDE, 0) = pb_all(pb, T_IN);
}

CHANGE(native_hazard_inout)
{
	struct drm_loom_plan_command *command = pb_command(pb, C_FILL_BESIDE);

	use_native(pb);
	/* read beside, while the command writes it */

	*command = *pb_command(pb, C_READ_INOUT);
}

CHANGE(native_payload)
{
	use_native(pb);
	native_attr(pb)->payload = (struct pb_payload){ .refuse = 1, .reason = 7, .at = 24 };
}

PATCH(native_short)
{
	header->version = DRM_LOOM_PLAN_VERSION_NATIVE;
	*size = sizeof(*header) + 8;
	header->size = *size;
}

PATCH(native_table)
{
	/* a table that begins in the format */
	(void)size;
	header->version = DRM_LOOM_PLAN_VERSION_NATIVE;
	header->slots.offset = sizeof(*header);
}

static const struct rule_case rule_cases_fine_native[] = {
	{ .what = "a native command", .change = change_native_same },
	{ .what = "without a payload", .change = change_native_no_payload },
	{ .what = "with outputs only", .change = change_native_output_only },
	{ .what = "with an in-out in an image", .change = change_native_image },
	{ .what = "with an input in DRAM", .change = change_native_dram_in_place,
	  .on = on_dram_in_place },
	{ .what = "with a temporary in a slot", .change = change_native_temporary_slot },
	{ .what = "with temporaries that are used again", .change = change_native_again },
	{ .what = "behind another", .change = change_native_adjacent },
};

static const struct rule_case rule_cases_native[] = {
	{ DRM_LOOM_RULE_OPCODE, C(native_old), .valid = IN_COMMAND, .step = NATIVE_STEP,
	  .command = C_NATIVE },
	{ DRM_LOOM_RULE_FORMAT, C(native_format_id) },
	{ DRM_LOOM_RULE_FORMAT, C(native_format_version) },
	{ DRM_LOOM_RULE_HEADER, C(native_format_pad) },
	{ DRM_LOOM_RULE_HEADER, P(native_short) },
	{ DRM_LOOM_RULE_TABLE, P(native_table) },
	{ DRM_LOOM_RULE_STREAM, C(native_stream) },
	{ DRM_LOOM_RULE_OPERANDS, C(native_operands_none) },
	{ DRM_LOOM_RULE_OPERANDS, C(native_operands_many) },
	{ DRM_LOOM_RULE_OPERANDS, C(native_operands_shared), .valid = IN_COMMAND, .step = 10,
	  .command = C_AGAIN },
	{ DRM_LOOM_RULE_ATTR, C(native_attr_shared), .valid = IN_COMMAND, .step = 10,
	  .command = C_AGAIN },
	{ DRM_LOOM_RULE_ATTR, C(native_attr_short) },
	{ DRM_LOOM_RULE_ATTR, C(native_attr_long) },
	{ DRM_LOOM_RULE_ATTR, C(native_attr_payload) },
	{ DRM_LOOM_RULE_ATTR, C(native_attr_pad) },
	{ DRM_LOOM_RULE_ATTR, C(native_attr_written) },
	{ DRM_LOOM_RULE_ATTR, C(native_attr_wraps) },
	{ DRM_LOOM_RULE_ATTR, C(native_attr_no_result) },
	{ DRM_LOOM_RULE_VIEW_REGION, C(native_region_first), .valid = IN_VIEW, .step = NATIVE_STEP,
	  .command = C_NATIVE, .operand = O_OUT0, .tensor = T_NATIVE_COUNT },
	/* where inputs may be */
	{ DRM_LOOM_RULE_VIEW_REGION, C(native_region_output), .on = on_dram_in_place,
	  .valid = IN_VIEW, .step = NATIVE_STEP, .command = C_NATIVE, .operand = O_OUT1,
	  .tensor = T_NATIVE_COUNT },
	{ DRM_LOOM_RULE_VIEW_REGION, C(native_dram_in_place), .valid = IN_VIEW, .step = NATIVE_STEP,
	  .command = C_NATIVE, .operand = O_IN, .tensor = T_NATIVE_COUNT },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(native_distinct), .valid = IN_VIEW, .step = NATIVE_STEP,
	  .command = C_NATIVE, .operand = O_OUT1, .tensor = T_OUT1 },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, C(native_distinct_inout), .valid = IN_VIEW,
	  .step = NATIVE_STEP, .command = C_NATIVE, .operand = O_INOUT, .tensor = T_INOUT },
	{ DRM_LOOM_RULE_READ_ONLY, C(native_read_only), .valid = IN_VIEW, .step = NATIVE_STEP,
	  .command = C_NATIVE, .operand = O_INOUT, .tensor = T_INOUT },
	{ DRM_LOOM_RULE_UNINITIALISED, C(native_uninit_inout), .valid = IN_VIEW,
	  .step = NATIVE_STEP, .command = C_NATIVE, .operand = O_INOUT, .tensor = T_INOUT },
	{ DRM_LOOM_RULE_UNINITIALISED, C(native_uninit_input), .valid = IN_VIEW,
	  .step = NATIVE_STEP, .command = C_NATIVE, .operand = O_IN, .tensor = T_IN },
	{ DRM_LOOM_RULE_UNINITIALISED, C(native_uninit_temporary), .valid = IN_VIEW, .step = 9,
	  .command = C_READ_OUT0, .operand = 1, .tensor = T_TEMP },
	{ DRM_LOOM_RULE_UNINITIALISED, C(native_uninit_output), .valid = IN_VIEW, .step = 9,
	  .command = C_READ_OUT1, .operand = 1, .tensor = T_OUT1 },
	{ DRM_LOOM_RULE_TEMPORARY, C(native_temporary_written), .valid = IN_VIEW,
	  .step = NATIVE_STEP, .command = C_NATIVE, .operand = O_TEMP, .tensor = T_TEMP },
	{ DRM_LOOM_RULE_TEMPORARY, C(native_temporary_alias) },
	{ DRM_LOOM_RULE_TEMPORARY, C(native_temporary_read) },
	{ DRM_LOOM_RULE_IN_PLACE, C(native_in_place_outputs), .valid = IN_VIEW,
	  .step = NATIVE_STEP, .command = C_NATIVE, .operand = O_OUT1, .tensor = T_OUT0 },
	{ DRM_LOOM_RULE_IN_PLACE, C(native_in_place_inout), .valid = IN_VIEW, .step = NATIVE_STEP,
	  .command = C_NATIVE, .operand = O_IN, .tensor = T_INOUT },
	{ DRM_LOOM_RULE_IN_PLACE, C(native_in_place_temporary) },
	{ DRM_LOOM_RULE_HAZARD, C(native_hazard_input), .valid = IN_VIEW, .step = NATIVE_STEP,
	  .command = C_NATIVE, .operand = O_IN, .tensor = T_IN },
	{ DRM_LOOM_RULE_HAZARD, C(native_hazard_inout), .valid = IN_VIEW, .step = NATIVE_STEP,
	  .command = C_NATIVE, .operand = O_INOUT, .tensor = T_INOUT },
	{ DRM_LOOM_RULE_PAYLOAD, C(native_payload), .valid = IN_COMMAND | DRM_LOOM_REJECT_PAYLOAD,
	  .step = NATIVE_STEP, .command = C_NATIVE },
};

#endif /* LOOM_TESTS_RULE_CASES_NATIVE_H */
