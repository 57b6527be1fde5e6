// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "check.h"

/*
 * NATIVE: outputs, temporaries, in-outs, inputs, of any type and shape. Written operands are in
 * SRAM or in an image, inputs also where the chip computes in place.
 *
 * Unit: the command. Its cost is unknown here, so the back end must be able to stop in it.
 */
static bool loom_op_native_check(struct loom_check *check)
{
	struct loom_command *command = check->command;
	const struct drm_loom_attr_native *attr = command->attr;
	u32 reads = (u32)attr->outputs + attr->temporaries, written = reads + attr->inouts, i;

	if (attr->pad || written > command->operands || attr->temporaries == written)
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	command->outputs = attr->outputs;
	command->reads = reads;
	command->written = written;
	for (i = 0; i < command->operands; i++) {
		const struct loom_view *view = &command->views[i];

		if (view->region == DRM_LOOM_REGION_SRAM || view->image)
			continue;
		if (i < written || !(check->in_place >> view->region & 1))
			return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, i);
	}
	return loom_op_check_cost(check, 1, 1);
}

const struct loom_op loom_op_native = {
	.opcode = DRM_LOOM_OP_NATIVE,
	.name = "native",
	.stream = LOOM_STREAM_COMPUTE,
	.min_operands = 1,
	.max_operands = DRM_LOOM_MAX_NATIVE_OPERANDS,
	.attr_size = sizeof(struct drm_loom_attr_native),
	.check = loom_op_native_check,
};
