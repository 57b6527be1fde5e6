/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_OP_H
#define LOOM_OP_H

#include "loom_plan.h"

/**
 * DOC: The table of operations
 *
 * The room core/op defines the operations: number, regions, types and shapes of operands,
 * attributes, and cost. For a decoded command, whose operands must be in bounds, it returns its
 * units, the cost of a unit and its multiply-accumulates, or the broken rule and the operand at
 * fault. Integers only; it depends neither on the verifier, which calls it, nor on the engine,
 * which computes.
 *
 * An operation is one line of op/list.h and two files: op/NAME.c checks a command, and
 * engine/fp_NAME.c computes it. The table here and the engine's table of functions are both made
 * from that list, so that what can be verified can be run. There are two files because the
 * kernel compiles the latter with floating point enabled, and such code may run between
 * kernel_fpu_begin() and kernel_fpu_end() only.
 *
 * The comment on top of op/NAME.c is the contract of the operation. NATIVE is not in the list,
 * because the engine cannot compute it.
 *
 * It uses loom_plan.h and loom_tile.h, and no other room. Rejected: the compute function as a
 * member of &struct loom_op. Every user of the checks would link the engine, and the lower room
 * would depend on the higher one.
 */

enum loom_stream {
	LOOM_STREAM_DMA,
	LOOM_STREAM_COMPUTE,
};

/**
 * struct loom_check - a command being checked
 * @command: the command; the operands are in bounds already. check() sets units,
 *	unit_cost and macs
 * @opcodes: of the chip, a bit each
 * @in_place: bit mask of &enum drm_loom_region: where it may read besides the SRAM
 * @rule: out: DRM_LOOM_RULE_OPERANDS (optional ones), ATTR, VIEW_REGION, VIEW_DTYPE, VIEW_SHAPE
 *	or COST
 * @operand: out: the operand at fault
 * @has_operand: out: whether @operand is valid
 */
struct loom_check {
	struct loom_command *command;
	u64 opcodes;
	u32 in_place;
	u32 rule;
	u32 operand;
	bool has_operand;
};

/**
 * struct loom_op - an operation
 * @opcode: one of DRM_LOOM_OP_*
 * @name: lower case, for messages
 * @stream: the stream of its commands
 * @min_operands: fewest operands, the written one included
 * @max_operands: most operands
 * @attr_size: bytes of its attribute structure, without the payload of NATIVE
 * @in_place: bit per operand: each element is read before it is written, and no other is accessed,
 *	so y may be the same view
 * @check: must prove that computing the command stays inside of the views' dims, for any values,
 *	and set its cost. False: refused
 */
struct loom_op {
	u32 opcode;
	const char *name;
	enum loom_stream stream;
	u8 min_operands;
	u8 max_operands;
	u16 attr_size;
	u8 in_place;
	bool (*check)(struct loom_check *check);
};

#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
/* Cost of a unit of SOFTMAX, a run of @length; see softmax.c. */
static inline u64 loom_softmax_cost(u64 length)
{
	return 4 * length;
}

/* Cost of a unit of TOPK: @count of a run of @length; see topk.c. */
static inline u64 loom_topk_cost(u64 length, u32 count)
{
	return 2 * length * (1 + loom_log2_up(count));
}

/*
 * The operand with as many elements as a command reads or writes of operand @i: itself, or y where
 * x of GATHER is read.
 */
static inline u32 loom_op_counted(u32 opcode, u32 i)
{
	return opcode == DRM_LOOM_OP_GATHER && i == 1 ? 0 : i;
}
#endif

/* NATIVE, which no description of a chip has. The payload must lie behind its attributes. */
extern const struct loom_op loom_op_native;

/**
 * loom_op_get() - an operation by its opcode
 * @opcode: one of DRM_LOOM_OP_*
 *
 * Return: the operation, or NULL.
 */
const struct loom_op *loom_op_get(u32 opcode);

#endif /* LOOM_OP_H */
