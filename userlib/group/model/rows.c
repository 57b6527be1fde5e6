// SPDX-License-Identifier: MIT
/*
 * Queries about a group whose rows are known: the rows it makes, loads and keeps in a slice.
 * strip.c and halo.c compute the rows.
 */
#include "group/model/model.h"

u64 loom_group_part_start(const struct loom_group_part *part)
{
	return part->op->access[0].start[part->op->access[0].axis[part->axis]];
}

void loom_group_rows(const struct loom_group *group, u32 index, u32 slice, u64 *lo, u64 *hi)
{
	if (group->recompute)
		*lo = *loom_group_row(group->first, index, slice);
	else
		*lo = slice ? *loom_group_row(group->done, index, slice - 1) : 0;
	*hi = *loom_group_row(group->done, index, slice);
}

void loom_group_fresh(const struct loom_group *group, u32 which, u32 slice, u64 *lo, u64 *hi)
{
	if (group->recompute)
		*lo = *loom_group_row(group->need, which, slice);
	else
		*lo = slice ? *loom_group_row(group->loaded, which, slice - 1) : 0;
	*hi = *loom_group_row(group->loaded, which, slice);
}

void loom_group_batch(const struct loom_group *group, u32 slice, struct loom_group_box *box)
{
	u32 at = slice / (group->slices / group->batches);

	if (group->batches == 1)
		return;
	box->lo[0] = loom_div_round_up(group->batch_dim * at, group->batches);
	box->hi[0] = loom_div_round_up(group->batch_dim * (at + 1), group->batches);
}

bool loom_group_part_box(const struct loom_group *group, u32 index, u32 slice, u32 chunk,
			 struct loom_group_box *box)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_ref *y = &part->op->kernel.operands[0].ref;

	loom_group_whole_box(y, box);
	loom_group_batch(group, slice, box);
	if (part->axis >= 0)
		loom_group_rows(group, index, slice, &box->lo[part->axis], &box->hi[part->axis]);
	if (part->chunk) {
		u32 axis = part->chunk_axis;

		box->lo[axis] = (u64)chunk * part->chunk;
		box->hi[axis] = min(box->lo[axis] + part->chunk, y->dims[axis]);
		if (box->lo[axis] >= box->hi[axis])
			return false;
	} else if (chunk) {
		return false;
	}
	return part->axis < 0 || box->lo[part->axis] < box->hi[part->axis];
}

bool loom_group_kept(const struct loom_group *group, u32 which, u32 index, u32 slice, u64 *lo,
		     u64 *hi)
{
	const struct loom_group_root *root = &group->roots[which];
	u32 need = *loom_group_row(group->need, which, slice);
	u64 start = 0, done;

	if (!slice || root->axis < 0 || need == LOOM_GROUP_UNREAD || group->recompute)
		return false;
	if (root->kind == LOOM_GROUP_INPUT) {
		done = *loom_group_row(group->loaded, which, slice - 1);
	} else {
		start = loom_group_part_start(&group->parts[index]);
		done = start + *loom_group_row(group->done, index, slice - 1);
	}
	*lo = max((u64)need, start);
	*hi = done;
	return *lo < *hi;
}

bool loom_group_strip(const struct loom_group *group, u32 which, u32 slice, u64 *lo, u64 *hi)
{
	const struct loom_group_root *root = &group->roots[which];
	u32 need, i;
	u64 from, to, start;

	if (root->axis < 0) {
		*lo = root->hull.lo[0];
		*hi = root->hull.hi[0];
		return true;
	}
	if (group->recompute) {
		loom_group_fresh(group, which, slice, lo, hi);
		return *lo < *hi;
	}
	if (!group->active[(size_t)which * LOOM_GROUP_SLICES + slice] &&
	    root->kind == LOOM_GROUP_INSIDE)
		return false;
	need = *loom_group_row(group->need, which, slice);
	*lo = need;
	*hi = 0;
	if (root->kind == LOOM_GROUP_INPUT) {
		from = slice ? *loom_group_row(group->loaded, which, slice - 1) : 0;
		*lo = min(*lo, from);
		*hi = *loom_group_row(group->loaded, which, slice);
		return *lo < *hi;
	}
	for (i = root->first_writer; i <= root->last_writer; i++) {
		if (group->parts[i].root[0] != which)
			continue;
		start = loom_group_part_start(&group->parts[i]);
		loom_group_rows(group, i, slice, &from, &to);
		if (from < to)
			*lo = min(*lo, start + from);
		if (to)
			*hi = max(*hi, start + to);
	}
	return *lo < *hi;
}

bool loom_group_is_own(const struct loom_group *group, const struct loom_group_part *part, u32 i)
{
	if (part->root[i] != LOOM_GROUP_NONE || part->op->kind != LOOM_GROUP_COMPUTE ||
	    part->op->kernel.operands[i].role == LOOM_ROLE_DIRECT || part->direct >> i & 1 ||
	    loom_kernel_keeps_sums(&part->op->kernel, i))
		return false;
	return part->op->kernel.operands[i].role != LOOM_ROLE_LOAD ||
	       !(group->residency[part->op->access[i].value] & LOOM_GROUP_RESIDENT_IN);
}
