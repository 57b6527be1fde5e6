// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

static int __must_check loom_command_decode(struct loom_verify *verify, bool compute)
{
	const struct drm_loom_plan_command *raw = &verify->commands[verify->command];
	struct loom_command *command = &verify->plan->commands[verify->command];
	const struct loom_op *op = loom_op_get(raw->opcode);
	u32 views_end, first_view;
	u64 attr_end;

	if (!op || !(verify->chip->opcodes >> op->opcode & 1))
		return loom_reject_command(verify, DRM_LOOM_RULE_OPCODE);
	if (op->stream != (compute ? LOOM_STREAM_COMPUTE : LOOM_STREAM_DMA))
		return loom_reject_command(verify, DRM_LOOM_RULE_STREAM);
	if (raw->pad)
		return loom_reject_command(verify, DRM_LOOM_RULE_COMMAND_FIELD);
	if (raw->operands < op->min_operands || raw->operands > op->max_operands ||
	    check_add_overflow(raw->first_view, (u32)raw->operands, &views_end) ||
	    views_end > verify->header->views.count)
		return loom_reject_command(verify, DRM_LOOM_RULE_OPERANDS);
	if (raw->attr_size != op->attr_size || raw->attr_offset & 7 ||
	    check_add_overflow(raw->attr_offset, (u64)raw->attr_size, &attr_end) ||
	    attr_end > verify->header->attrs.count || (!op->attr_size && raw->attr_offset))
		return loom_reject_command(verify, DRM_LOOM_RULE_ATTR);

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
	return 0;
}

static int __must_check loom_command_check_op(struct loom_verify *verify)
{
	struct loom_command *command = &verify->plan->commands[verify->command];
	struct loom_check check = {
		.command = command,
		.in_place = verify->in_place,
	};
	bool ok = command->op->check(&check);

	/* the cost presumes distinct elements, so that rule is reported first */
	if ((ok || check.rule == DRM_LOOM_RULE_COST) &&
	    !loom_verify_distinct(&command->views[0], verify->plan->lanes))
		return loom_reject_view(verify, DRM_LOOM_RULE_VIEW_DISTINCT, 0, &command->views[0]);
	if (ok)
		return 0;
	if (check.has_operand)
		return loom_reject_view(verify, check.rule, check.operand,
					&command->views[check.operand]);
	return loom_reject_command(verify, check.rule);
}

static void loom_command_count(struct loom_verify *verify)
{
	struct loom_command *command = &verify->plan->commands[verify->command];
	struct loom_clock_cost cost;

	loom_clock_command(verify->chip, command, &cost);
	command->cycles = cost.cycles;
	command->energy_fj = cost.energy_fj;
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
