// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "check.h"

bool loom_op_refuse(struct loom_check *check, u32 rule)
{
	check->rule = rule;
	check->has_operand = false;
	return false;
}

bool loom_op_refuse_operand(struct loom_check *check, u32 rule, u32 operand)
{
	check->rule = rule;
	check->operand = operand;
	check->has_operand = true;
	return false;
}

bool loom_op_check_same_dims(struct loom_check *check, u32 operand)
{
	const struct loom_view *y = &check->command->views[0];
	const struct loom_view *x = &check->command->views[operand];
	bool same = x->rank == y->rank;
	u32 i;

	for (i = 0; i < y->rank; i++)
		same &= x->dims[i] == y->dims[i];
	return same || loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_SHAPE, operand);
}

bool loom_op_count(const u32 *dims, u32 first, u32 end, u64 *count)
{
	u32 i;

	*count = 1;
	for (i = first; i < end; i++)
		if (check_mul_overflow(*count, (u64)dims[i], count))
			return false;
	return true;
}

bool loom_op_check_cost(struct loom_check *check, u64 units, u64 unit_cost)
{
	if (unit_cost > DRM_LOOM_MAX_UNIT_COST)
		return loom_op_refuse(check, DRM_LOOM_RULE_COST);
	check->command->units = units;
	check->command->unit_cost = unit_cost;
	return true;
}

bool loom_op_check_tiles(struct loom_check *check, u64 element_cost)
{
	const struct loom_view *y = &check->command->views[0];
	u32 length = y->dims[y->rank - 1];
	u64 units, cost;

	if (!loom_op_count(y->dims, 0, y->rank - 1, &units) ||
	    check_mul_overflow(units, (u64)loom_tile_per_row(length), &units) ||
	    check_mul_overflow(element_cost, (u64)min(length, (u32)LOOM_TILE), &cost))
		return loom_op_refuse(check, DRM_LOOM_RULE_COST);
	return loom_op_check_cost(check, units, cost);
}
