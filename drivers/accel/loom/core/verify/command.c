// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "cost.h"
#include "verify.h"

/* The operation of an opcode, if the device has it; else NULL. */
static const struct loom_op *loom_command_op(const struct loom_verify *verify, u32 opcode)
{
	const struct loom_op *op = loom_op_get(opcode);

	if (op == &loom_op_native)
		return verify->format ? op : NULL;
	return op && verify->chip->opcodes >> op->opcode & 1 ? op : NULL;
}

static int __must_check loom_command_decode(struct loom_verify *verify, bool compute)
{
	const struct drm_loom_plan_command *raw = &verify->commands[verify->command];
	struct loom_command *command = &verify->plan->commands[verify->command];
	const struct loom_op *op = loom_command_op(verify, raw->opcode);
	u32 views_end, first_view, payload;
	u64 attr_end;

	if (!op)
		return loom_reject(verify, DRM_LOOM_RULE_OPCODE);
	if (op->stream != (compute ? LOOM_STREAM_COMPUTE : LOOM_STREAM_DMA))
		return loom_reject(verify, DRM_LOOM_RULE_STREAM);
	if (raw->pad)
		return loom_reject(verify, DRM_LOOM_RULE_COMMAND_FIELD);
	if (raw->operands < op->min_operands || raw->operands > op->max_operands ||
	    check_add_overflow(raw->first_view, (u32)raw->operands, &views_end) ||
	    views_end > verify->header->views.count)
		return loom_reject(verify, DRM_LOOM_RULE_OPERANDS);
	payload = op == &loom_op_native ? DRM_LOOM_MAX_PAYLOAD_BYTES : 0;
	if (raw->attr_size < op->attr_size || raw->attr_size > op->attr_size + payload ||
	    raw->attr_offset & 7 ||
	    check_add_overflow(raw->attr_offset, (u64)raw->attr_size, &attr_end) ||
	    attr_end > verify->header->attrs.count || (!op->attr_size && raw->attr_offset))
		return loom_reject(verify, DRM_LOOM_RULE_ATTR);

	command->op = op;
	command->attr = NULL;
	if (op->attr_size)
		command->attr = (const u8 *)verify->plan->attrs +
				loom_index_nospec(raw->attr_offset,
						  (u64)verify->header->attrs.count);
	/* each operation has an operand */
	first_view = loom_index_nospec(raw->first_view, verify->header->views.count);
	command->views = &verify->plan->views[first_view];
	command->operands = raw->operands;
	command->outputs = 1;
	command->reads = 1;
	command->written = 1;
	return op == &loom_op_native ? loom_native_decode(verify) : 0;
}

/* The cost presumes distinct elements, so that rule is reported first. */
static int __must_check loom_command_check_distinct(struct loom_verify *verify)
{
	const struct loom_command *command = &verify->plan->commands[verify->command];
	u32 i;

	for (i = 0; i < command->written; i++)
		if (!loom_verify_distinct(&command->views[i], verify->plan->lanes))
			return loom_reject_view(verify, DRM_LOOM_RULE_VIEW_DISTINCT, i,
						&command->views[i]);
	return 0;
}

static int __must_check loom_command_check_op(struct loom_verify *verify)
{
	struct loom_command *command = &verify->plan->commands[verify->command];
	struct loom_check check = {
		.command = command,
		.opcodes = verify->chip->opcodes,
		.in_place = verify->in_place,
	};
	bool ok = command->op->check(&check);
	int ret;

	if (ok || check.rule == DRM_LOOM_RULE_COST) {
		ret = loom_command_check_distinct(verify);
		if (ret)
			return ret;
	}
	if (ok)
		return 0;
	if (check.has_operand)
		return loom_reject_view(verify, check.rule, check.operand,
					&command->views[check.operand]);
	return loom_reject(verify, check.rule);
}

static void loom_command_count(struct loom_verify *verify)
{
	struct loom_command *command = &verify->plan->commands[verify->command];
	const struct drm_loom_attr_native *native = command->attr;

	if (command->op == &loom_op_native)
		command->cycles = native->cycles;
	else
		loom_verify_cost(verify->chip, command);
}

int loom_verify_command(struct loom_verify *verify, bool compute)
{
	const struct drm_loom_plan_command *raw = &verify->commands[verify->command];
	const struct loom_command *command = &verify->plan->commands[verify->command];
	u32 first_view, i;
	int ret;

	ret = loom_command_decode(verify, compute);
	if (ret)
		return ret;
	first_view = command->views - verify->plan->views;
	for (i = 0; i < raw->operands; i++) {
		ret = loom_verify_view(verify, i, first_view + i);
		if (ret)
			return ret;
	}
	ret = loom_command_check_op(verify);
	if (!ret)
		loom_command_count(verify);
	return ret;
}
