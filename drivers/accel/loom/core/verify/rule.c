// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_verify.h"

struct loom_rule {
	const char *name;
	const char *text;
};

static const struct loom_rule loom_rules[DRM_LOOM_RULE_END] = {
	[DRM_LOOM_RULE_NONE] = {
		.name = "none",
		.text = "no rule is broken",
	},
	[DRM_LOOM_RULE_HEADER] = {
		.name = "header",
		.text = "magic, version, size, flags and reserved fields are right",
	},
	[DRM_LOOM_RULE_TABLE] = {
		.name = "table",
		.text = "tables lie in the plan, aligned, with the right stride, apart",
	},
	[DRM_LOOM_RULE_LIMIT] = {
		.name = "limit",
		.text = "no count is past its cap",
	},
	[DRM_LOOM_RULE_TOPOLOGY] = {
		.name = "topology",
		.text = "the plan is made for the lanes of this device",
	},
	[DRM_LOOM_RULE_SCRATCH] = {
		.name = "scratch",
		.text = "the scratch fits in a bank above its reserved bytes",
	},
	[DRM_LOOM_RULE_SLOT] = {
		.name = "slot",
		.text = "a slot has a size, known flags and zero padding, and the chip its region",
	},
	[DRM_LOOM_RULE_TENSOR_FIELD] = {
		.name = "tensor_field",
		.text = "region, slot, flags and padding of a tensor are valid",
	},
	[DRM_LOOM_RULE_TENSOR_TYPE] = {
		.name = "tensor_type",
		.text = "rank, dims, lane axis of a tensor are valid, its type one of the chip's",
	},
	[DRM_LOOM_RULE_TENSOR_STRIDE] = {
		.name = "tensor_stride",
		.text = "strides of a tensor nest and keep its elements aligned",
	},
	[DRM_LOOM_RULE_TENSOR_EXTENT] = {
		.name = "tensor_extent",
		.text = "the elements of a tensor lie in its size",
	},
	[DRM_LOOM_RULE_TENSOR_BOUNDS] = {
		.name = "tensor_bounds",
		.text = "a tensor lies in its slot or in the scratch",
	},
	[DRM_LOOM_RULE_TENSOR_LIFETIME] = {
		.name = "tensor_lifetime",
		.text = "a tensor lives from a step to a later or the same step",
	},
	[DRM_LOOM_RULE_TENSOR_ALIAS] = {
		.name = "tensor_alias",
		.text = "an alias lies in its parent, in bytes and in steps",
	},
	[DRM_LOOM_RULE_TENSOR_OVERLAP] = {
		.name = "tensor_overlap",
		.text = "tensors alive in the same step do not share bytes",
	},
	[DRM_LOOM_RULE_STEP] = {
		.name = "step",
		.text = "the steps tile the command table in order",
	},
	[DRM_LOOM_RULE_STREAM] = {
		.name = "stream",
		.text = "a command stands in the stream of its opcode",
	},
	[DRM_LOOM_RULE_OPCODE] = {
		.name = "opcode",
		.text = "the opcode is known, and the chip has it",
	},
	[DRM_LOOM_RULE_COMMAND_FIELD] = {
		.name = "command_field",
		.text = "the padding of a command is zero",
	},
	[DRM_LOOM_RULE_OPERANDS] = {
		.name = "operands",
		.text = "a command has the operands of its opcode, and they are in the table",
	},
	[DRM_LOOM_RULE_ATTR] = {
		.name = "attr",
		.text = "attributes are in the table, of the right size, with valid values",
	},
	[DRM_LOOM_RULE_VIEW_TENSOR] = {
		.name = "view_tensor",
		.text = "a view names a tensor",
	},
	[DRM_LOOM_RULE_VIEW_FIELD] = {
		.name = "view_field",
		.text = "rank, dims and padding of a view are valid, its type is the tensor's",
	},
	[DRM_LOOM_RULE_VIEW_LIFETIME] = {
		.name = "view_lifetime",
		.text = "the tensor of a view is alive in the step",
	},
	[DRM_LOOM_RULE_VIEW_ALIGN] = {
		.name = "view_align",
		.text = "offset and strides of a view keep its elements aligned",
	},
	[DRM_LOOM_RULE_VIEW_LANE] = {
		.name = "view_lane",
		.text = "the lane axis of a view runs over the tensor's and stays on it",
	},
	[DRM_LOOM_RULE_VIEW_BOUNDS] = {
		.name = "view_bounds",
		.text = "the elements of a view lie in its tensor",
	},
	[DRM_LOOM_RULE_VIEW_REGION] = {
		.name = "view_region",
		.text = "an operand is in a region that the opcode takes",
	},
	[DRM_LOOM_RULE_VIEW_DTYPE] = {
		.name = "view_dtype",
		.text = "the opcode takes these types together",
	},
	[DRM_LOOM_RULE_VIEW_SHAPE] = {
		.name = "view_shape",
		.text = "the dims of the operands fit the opcode and its attributes",
	},
	[DRM_LOOM_RULE_VIEW_DISTINCT] = {
		.name = "view_distinct",
		.text = "no two elements of a written view share a byte",
	},
	[DRM_LOOM_RULE_COST] = {
		.name = "cost",
		.text = "the smallest piece of a command is small enough to stop between",
	},
	[DRM_LOOM_RULE_READ_ONLY] = {
		.name = "read_only",
		.text = "nothing is written in a slot that the plan may not write",
	},
	[DRM_LOOM_RULE_UNINITIALISED] = {
		.name = "uninitialised",
		.text = "nothing is read that was not written before",
	},
	[DRM_LOOM_RULE_IN_PLACE] = {
		.name = "in_place",
		.text = "a command reads what it writes only elementwise, from the same view",
	},
	[DRM_LOOM_RULE_FORMAT] = {
		.name = "format",
		.text = "the device takes the format of the payloads",
	},
	[DRM_LOOM_RULE_TEMPORARY] = {
		.name = "temporary",
		.text = "a temporary is of a tensor that only temporaries use",
	},
	[DRM_LOOM_RULE_PAYLOAD] = {
		.name = "payload",
		.text = "the back end has proved that a payload keeps to its operands",
	},
	[DRM_LOOM_RULE_HAZARD] = {
		.name = "hazard",
		.text = "in a step, one stream does not touch what the other writes",
	},
	[DRM_LOOM_RULE_IMAGE] = {
		.name = "image",
		.text = "an image names a slot of its size, once, and its fields are valid",
	},
	[DRM_LOOM_RULE_TENSOR_IMAGE] = {
		.name = "tensor_image",
		.text = "a tensor in an image has its type and is a window of it",
	},
	[DRM_LOOM_RULE_VIEW_IMAGE] = {
		.name = "view_image",
		.text = "a view in an image stays in the columns of its tensor",
	},
	[DRM_LOOM_RULE_WORK] = {
		.name = "work",
		.text = "the plan is large enough for the work of proving what is written",
	},
};

const char *loom_rule_name(u32 rule)
{
	return rule < ARRAY_SIZE(loom_rules) ? loom_rules[rule].name : "unknown";
}

const char *loom_rule_text(u32 rule)
{
	return rule < ARRAY_SIZE(loom_rules) ? loom_rules[rule].text : "not a rule";
}
