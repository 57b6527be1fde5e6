// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "check.h"

#define LOOM_OP(_opcode, _name, _stream, _min, _max, _attr_size, _in_place) \
	[DRM_LOOM_OP_##_opcode] = { \
		.opcode = DRM_LOOM_OP_##_opcode, \
		.name = #_name, \
		.stream = LOOM_STREAM_##_stream, \
		.min_operands = _min, \
		.max_operands = _max, \
		.attr_size = _attr_size, \
		.in_place = (u8)(_in_place), \
		.check = loom_op_##_name##_check, \
	},

static const struct loom_op loom_ops[] = {
#include "list.h"
};

const struct loom_op *loom_op_get(u32 opcode)
{
	const struct loom_op *op;

	if (opcode == DRM_LOOM_OP_NATIVE)
		return &loom_op_native;
	if (opcode >= ARRAY_SIZE(loom_ops))
		return NULL;
	op = &loom_ops[loom_index_nospec(opcode, ARRAY_SIZE(loom_ops))];
	return op->check ? op : NULL;
}
