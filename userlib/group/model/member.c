// SPDX-License-Identifier: MIT
#include "group/model/member.h"

/* The axis of the result that operand @index requires to be cut; -1: any. */
static bool ask_operand(const struct loom_group_op *op, u32 index,
			const struct loom_group_known *known, bool sliced, s8 *cut)
{
	const struct loom_operand *operand = &op->kernel.operands[index];
	const struct loom_group_access *access = &op->access[index];
	u32 k;

	*cut = -1;
	if (known->inside && (known->partial || !access->plain))
		return false;
	if (!access->plain || !sliced)
		return true;
	if (!loom_group_operand_axis(access, operand->ref.rank, known->axis, &k) ||
	    operand->map[k].kind == LOOM_MAP_FULL)
		return !known->inside;
	*cut = operand->map[k].axis;
	return true;
}

bool loom_group_member_cut(const struct loom_group_op *op, const struct loom_group_known *known,
			   bool sliced, u32 first_axis, s8 *cut)
{
	const struct loom_kernel *kernel = &op->kernel;
	u32 i, k, inside;
	s8 asked;

	*cut = -1;
	for (inside = 2; inside-- > 0;) {
		for (i = 1; i < kernel->num_operands; i++) {
			if (kernel->operands[i].role != LOOM_ROLE_LOAD || !known[i].known ||
			    known[i].inside != inside)
				continue;
			if (!ask_operand(op, i, &known[i], sliced, &asked))
				return false;
			if (inside && *cut >= 0 && asked != *cut)
				return false;
			if (*cut < 0)
				*cut = asked;
		}
	}
	if (!sliced)
		return true;
	if (*cut < 0) {
		if (!loom_group_operand_axis(&op->access[0], kernel->operands[0].ref.rank,
					     first_axis, &k))
			return false;
		*cut = k;
	}
	if (kernel->whole >> *cut & 1 || op->access[0].axis[*cut] < 0)
		return false;
	if (!loom_group_is_own_axis(op, *cut))
		return false;
	/* groups of channels stay whole */
	return !(kernel->group > 1 && *cut == 1);
}

bool loom_group_member_strip(const struct loom_group_op *op, u32 index,
			     const struct loom_group_known *known, s8 cut, u32 *axis,
			     bool *follows)
{
	const struct loom_group_access *access = &op->access[index];

	u32 only;

	*follows = cut >= 0 && loom_group_follower(&op->kernel.operands[index], cut, axis);
	if (!access->plain)
		return false;
	/* two axes of the operand may divide one of the value: cutting either is no cut of that */
	return cut < 0 || (*follows && access->axis[*axis] >= 0 &&
			   loom_group_operand_axis(access, op->kernel.operands[index].ref.rank,
						   access->axis[*axis], &only) &&
			   (!known->known || known->axis == access->axis[*axis]));
}
