/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_OP_H
#define LOOM_OP_H

#include "loom_plan.h"

struct loom_memory;

/**
 * DOC: The table of operations
 *
 * An operation is one line of loom_ops[] (ops.c) and two files: op_<name>.c checks a
 * command's operands and counts its work, in integers only; fp_<name>.c does the work.
 * The split is there because the kernel compiles the latter with floating point
 * enabled, and such code may run between kernel_fpu_begin() and kernel_fpu_end() only.
 */

enum loom_stream {
	LOOM_STREAM_DMA,
	LOOM_STREAM_COMPUTE,
};

/**
 * struct loom_check - a command under proof
 * @command: the command; the operands are in bounds already. check() sets units,
 *	unit_cost and macs
 * @rule: out: DRM_LOOM_RULE_OPERANDS (optional ones), ATTR, VIEW_REGION, VIEW_DTYPE, VIEW_SHAPE
 *	or COST
 * @operand: out: the operand at fault
 * @has_operand: out: whether @operand says something
 */
struct loom_check {
	struct loom_command *command;
	u32 rule;
	u32 operand;
	bool has_operand;
};

/**
 * struct loom_op - an operation
 * @name: lower case, for people
 * @stream: the stream that its commands stand in
 * @min_operands: fewest operands, the written one included
 * @max_operands: most operands
 * @attr_size: bytes of its attribute structure
 * @elementwise: reads of an element happen before its write and touch no other
 *	element: y may be the very same view as an operand
 * @check: proves that run() stays inside the views' dims, whatever they are, and counts
 *	the work. False: refused
 * @run: does @count units from @first. Units are independent and in a fixed order. Floating point
 *	is allowed; sleeping, allocating and faulting are not
 */
struct loom_op {
	const char *name;
	enum loom_stream stream;
	u8 min_operands;
	u8 max_operands;
	u16 attr_size;
	bool elementwise;
	bool (*check)(struct loom_check *check);
	void (*run)(const struct loom_command *command, const struct loom_memory *memory,
		    u64 first, u64 count);
};

/**
 * loom_op_get() - an operation by its opcode
 * @opcode: an &enum drm_loom_opcode
 *
 * Return: the operation, or NULL.
 */
const struct loom_op *loom_op_get(u32 opcode);

#endif /* LOOM_OP_H */
