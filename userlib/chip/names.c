// SPDX-License-Identifier: MIT
#include "loom_chip_file.h"
#include "loom_core.h"
#include "loom_op.h"

const char *loom_opcode_name(uint32_t opcode)
{
	const struct loom_op *op = loom_op_get(opcode);

	return op ? op->name : "?";
}
