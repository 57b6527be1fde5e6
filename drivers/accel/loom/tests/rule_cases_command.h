/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_COMMAND_H
#define LOOM_TESTS_RULE_CASES_COMMAND_H

/* Cases of the rules about steps, commands and their attributes. */
#include "rule_case.h"

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

static const struct rule_case rule_cases_command[] = {
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
};

#endif /* LOOM_TESTS_RULE_CASES_COMMAND_H */
