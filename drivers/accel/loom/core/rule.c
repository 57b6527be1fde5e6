// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_plan.h"

struct loom_rule {
	const char *name;
	const char *text;
};

static const struct loom_rule loom_rules[LOOM_RULE_END] = {
	[LOOM_RULE_NONE] = { "none", "no rule is broken" },
	[LOOM_RULE_HEADER] = {
		"header", "magic, version, size, flags and reserved fields are right" },
	[LOOM_RULE_TABLE] = {
		"table", "tables lie in the plan, aligned, with the right stride, apart" },
	[LOOM_RULE_LIMIT] = {
		"limit", "no count is past its cap" },
	[LOOM_RULE_TOPOLOGY] = {
		"topology", "the plan is made for the lanes of this device" },
	[LOOM_RULE_SCRATCH] = {
		"scratch", "the scratch fits in a bank above its reserved bytes" },
	[LOOM_RULE_SLOT] = {
		"slot", "a slot has a size, known flags and zero padding" },
	[LOOM_RULE_TENSOR_FIELD] = {
		"tensor_field", "region, slot, flags and padding of a tensor are valid" },
	[LOOM_RULE_TENSOR_TYPE] = {
		"tensor_type", "type, rank, dims and lane axis of a tensor are valid" },
	[LOOM_RULE_TENSOR_STRIDE] = {
		"tensor_stride", "strides of a tensor nest and keep its elements aligned" },
	[LOOM_RULE_TENSOR_EXTENT] = {
		"tensor_extent", "the elements of a tensor lie in its size" },
	[LOOM_RULE_TENSOR_BOUNDS] = {
		"tensor_bounds", "a tensor lies in its slot or in the scratch" },
	[LOOM_RULE_TENSOR_LIFETIME] = {
		"tensor_lifetime", "a tensor lives from a step to a later or the same step" },
	[LOOM_RULE_TENSOR_ALIAS] = {
		"tensor_alias", "an alias lies in its parent, in bytes and in steps" },
	[LOOM_RULE_TENSOR_OVERLAP] = {
		"tensor_overlap", "tensors alive in the same step do not share bytes" },
	[LOOM_RULE_STEP] = {
		"step", "the steps tile the command table in order" },
	[LOOM_RULE_STREAM] = {
		"stream", "a command stands in the stream of its opcode" },
	[LOOM_RULE_OPCODE] = {
		"opcode", "the opcode is known" },
	[LOOM_RULE_COMMAND_FIELD] = {
		"command_field", "the padding of a command is zero" },
	[LOOM_RULE_OPERANDS] = {
		"operands", "a command has the operands of its opcode, and they are in the table" },
	[LOOM_RULE_ATTR] = {
		"attr", "attributes are in the table, of the right size, with valid values" },
	[LOOM_RULE_VIEW_TENSOR] = {
		"view_tensor", "a view names a tensor" },
	[LOOM_RULE_VIEW_FIELD] = {
		"view_field", "rank, dims and padding of a view are valid, its type is the tensor's" },
	[LOOM_RULE_VIEW_LIFETIME] = {
		"view_lifetime", "the tensor of a view is alive in the step" },
	[LOOM_RULE_VIEW_ALIGN] = {
		"view_align", "offset and strides of a view keep its elements aligned" },
	[LOOM_RULE_VIEW_LANE] = {
		"view_lane", "the lane axis of a view runs over the tensor's and stays on it" },
	[LOOM_RULE_VIEW_BOUNDS] = {
		"view_bounds", "the elements of a view lie in its tensor" },
	[LOOM_RULE_VIEW_REGION] = {
		"view_region", "an operand is in a region that the opcode takes" },
	[LOOM_RULE_VIEW_DTYPE] = {
		"view_dtype", "the opcode takes these types together" },
	[LOOM_RULE_VIEW_SHAPE] = {
		"view_shape", "the dims of the operands fit the opcode and its attributes" },
	[LOOM_RULE_VIEW_DISTINCT] = {
		"view_distinct", "no two elements of a written view share a byte" },
	[LOOM_RULE_COST] = {
		"cost", "the smallest piece of a command is small enough to stop between" },
	[LOOM_RULE_READ_ONLY] = {
		"read_only", "nothing is written in a slot that the plan may not write" },
	[LOOM_RULE_UNINITIALISED] = {
		"uninitialised", "nothing is read that was not written before" },
	[LOOM_RULE_IN_PLACE] = {
		"in_place", "a command reads what it writes only elementwise, from the same view" },
	[LOOM_RULE_HAZARD] = {
		"hazard", "in a step, one stream does not touch what the other writes" },
};

const char *loom_rule_name(u32 rule)
{
	return rule < ARRAY_SIZE(loom_rules) ? loom_rules[rule].name : "unknown";
}

const char *loom_rule_text(u32 rule)
{
	return rule < ARRAY_SIZE(loom_rules) ? loom_rules[rule].text : "not a rule";
}
