// SPDX-License-Identifier: MIT
/*
 * DOC: Recomputed halos
 *
 * The rows of each slice, walked back from the end: what a group stores is cut evenly, and an
 * operator makes in a slice what is stored of its result then and what its readers, which have
 * been asked before it, want of it. What two readers want is made as one piece. A row that two
 * slices need is made (or loaded) in both; it is stored in one.
 *
 * Which rows an operator needs is asked of the maps of its kernel, as everywhere, and is exact.
 * For comparison, what the text's BackwardH comes to, o rows of the result from row i on:
 *
 *	convolution	(o - 1) * s + max((k - 1) * d + 1, s) rows from i * s - pad on
 *	pooling		(o - 1) * s + k rows from i * s - pad on
 *	upsampling	i and o divided by the scale
 *	deconvolution	from ceil(max(0, i - p) / s) to floor((i + o + k - 2 - p) / s), where
 *			p = k - pad - 1
 *
 * cut to what there is, and the last slice to its end. They are the same but for rows that no
 * window looks at, which are not loaded here (behind the last window, or each, where the stride is
 * longer), and for one row at each end of an upsampling, where rounding might reach it.
 *
 * The planners that this is from refuse some ways to slice. That is not decided here: whatever can
 * be computed is right, and @faults says who would have refused.
 *
 * Axis 0 can be cut besides, if it is the same axis of the same length for all values of the
 * group, and no operation reads across it.
 */
#include "model.h"

static u32 axis_of(const struct loom_group *group, const struct loom_group_part *part, u32 i)
{
	const struct loom_group_access *access = &part->op->access[i];
	s8 axis = group->roots[part->root[i]].axis;
	u32 k = 0;

	/* there is one: the part would not be here */
	while (k + 1 < part->op->kernel.operands[i].ref.rank && access->axis[k] != axis)
		k++;
	return k;
}

/* The rows that the group makes of a root, all in all. */
static void note_made(struct loom_group *group, struct loom_group_root *root)
{
	u32 which = root - group->roots, i;

	root->made_lo = U64_MAX;
	root->made_hi = 0;
	for (i = root->first_writer; i <= root->last_writer; i++) {
		const struct loom_group_part *part = &group->parts[i];

		if (part->root[0] != which)
			continue;
		root->made_lo = min(root->made_lo, loom_group_part_start(part));
		root->made_hi = max(root->made_hi,
				    loom_group_part_start(part) + loom_group_part_rows(part));
	}
}

/* An even cut of what the group makes of a root. */
static void even_rows(const struct loom_group *group, const struct loom_group_root *root, u32 slice,
		      u64 *lo, u64 *hi)
{
	u32 bands = group->slices / group->batches, band = slice % bands;
	u64 rows = root->made_hi - root->made_lo;

	*lo = root->made_lo + loom_div_round_up(rows * band, bands);
	*hi = root->made_lo + loom_div_round_up(rows * (band + 1), bands);
}

static void begin_root(struct loom_group *group, u32 which)
{
	struct loom_group_root *root = &group->roots[which];
	bool whole = root->stored || group->residency[root->value] & LOOM_GROUP_RESIDENT_OUT;
	u64 lo = LOOM_GROUP_UNREAD, hi = 0;
	u32 slice;

	root->measured = false;
	if (root->kind == LOOM_GROUP_INSIDE)
		note_made(group, root);
	for (slice = 0; slice < group->slices; slice++) {
		if (root->kind == LOOM_GROUP_INSIDE && whole)
			even_rows(group, root, slice, &lo, &hi);
		*loom_group_row(group->need, which, slice) = lo;
		*loom_group_row(group->loaded, which, slice) = hi;
	}
}

/* Rows [@lo, @hi) are wanted, too. */
static void want_rows(struct loom_group *group, u32 which, u32 slice, u64 lo, u64 hi)
{
	u32 *need = loom_group_row(group->need, which, slice);
	u32 *end = loom_group_row(group->loaded, which, slice);

	if (*need < *end && (lo > *end || hi < *need))
		group->faults |= LOOM_GROUP_FAULT_DISJOINT;
	if (*need >= *end) {
		*need = lo;
		*end = hi;
		return;
	}
	if (lo < *need)
		*need = lo;
	if (hi > *end)
		*end = hi;
}

/* What a part makes in a slice, and what that needs. */
static void run_back(struct loom_group *group, u32 index, u32 slice)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	u64 start = loom_group_part_start(part), in_lo, in_hi;
	u64 lo = *loom_group_row(group->need, part->root[0], slice);
	u64 hi = *loom_group_row(group->loaded, part->root[0], slice);
	u32 i, axis;

	lo = max(lo, start) - start;
	hi = min(hi, start + loom_group_part_rows(part));
	hi = max(hi, start) - start;
	/* nothing */
	if (lo >= hi) {
		lo = 0;
		hi = 0;
	}
	*loom_group_row(group->first, index, slice) = lo;
	*loom_group_row(group->done, index, slice) = hi;
	for (i = 1; i < kernel->num_operands && lo < hi; i++) {
		const struct loom_group_access *access = &part->op->access[i];
		u64 from, step;

		if (kernel->operands[i].role != LOOM_ROLE_LOAD || part->root[i] == LOOM_GROUP_NONE)
			continue;
		axis = axis_of(group, part, i);
		from = access->start[access->axis[axis]];
		step = access->step[axis];
		loom_kernel_range(kernel, &kernel->operands[i], axis, lo, hi, &in_lo, &in_hi);
		want_rows(group, part->root[i], slice, from + step * in_lo,
			  from + step * (in_hi - 1) + 1);
	}
}

/* Faults of the slices of a value, see &loom_group.faults. */
static void find_faults(struct loom_group *group, u32 which)
{
	u32 bands = group->slices / group->batches, band;
	const u32 *lo = loom_group_row(group->need, which, 0);
	const u32 *hi = loom_group_row(group->loaded, which, 0);
	const struct loom_group_root *root = &group->roots[which];
	u64 rows = 0, dim = loom_group_root_use(group, which)->dims[root->axis];

	for (band = 0; band < bands; band++) {
		if (lo[band] >= hi[band]) {
			group->faults |= LOOM_GROUP_FAULT_EMPTY;
			return;
		}
		if (band && (lo[band] <= lo[band - 1] || hi[band] <= hi[band - 1]))
			group->faults |= LOOM_GROUP_FAULT_STALLED;
		rows += hi[band] - lo[band];
	}
	/* of the rows that are needed at all, those that are there twice, or more often */
	rows -= min(rows, (u64)(hi[bands - 1] - lo[0]));
	if (root->read && 2 * rows > dim)
		group->faults |= LOOM_GROUP_FAULT_OVERLAP;
}

void loom_group_halos(struct loom_group *group)
{
	u32 index, slice;

	group->faults = 0;
	for (index = 0; index < group->num_roots; index++)
		begin_root(group, index);
	for (index = group->num_parts; index-- > 0;) {
		group->parts[index].measured = false;
		for (slice = 0; slice < group->slices; slice++)
			run_back(group, index, slice);
	}
	for (index = 0; index < group->num_roots; index++)
		find_faults(group, index);
	group->rows_known = true;
}

void loom_group_stored(const struct loom_group *group, u32 index, u32 slice, u64 *lo, u64 *hi)
{
	const struct loom_group_part *part = &group->parts[index];
	u64 start = loom_group_part_start(part);

	even_rows(group, &group->roots[part->root[0]], slice, lo, hi);
	*lo = max(*lo, start) - start;
	*hi = max(min(*hi, start + loom_group_part_rows(part)), start) - start;
}

/* Axis 0 of an operand is axis 0 of its value, one by one and in full. */
static bool is_outermost(const struct loom_group *group, const struct loom_group_part *part, u32 i)
{
	const struct loom_group_access *access = &part->op->access[i];
	const struct loom_group_use *use = &group->list->uses[access->value];
	const struct loom_operand *operand = &part->op->kernel.operands[i];
	u32 k;

	if (use->rank < 2 || use->dims[0] != group->batch_dim || access->start[0])
		return false;
	for (k = 0; k < operand->ref.rank; k++) {
		bool outermost = !k;

		if (outermost != !access->axis[k])
			return false;
		if (!i || operand->map[k].kind == LOOM_MAP_FULL)
			continue;
		if (outermost != !operand->map[k].axis)
			return false;
	}
	return access->step[0] == 1 && (!i || operand->map[0].kind == LOOM_MAP_SAME);
}

bool loom_group_can_batch(struct loom_group *group, u32 index)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	u32 i;

	if (!index)
		group->batch_dim = group->list->uses[part->op->access[0].value].dims[0];
	if (!part->axis || kernel->whole & 1 || group->batch_dim < group->batches)
		return false;
	for (i = 0; i < kernel->num_operands; i++)
		if (part->root[i] != LOOM_GROUP_NONE && !is_outermost(group, part, i))
			return false;
	return true;
}
