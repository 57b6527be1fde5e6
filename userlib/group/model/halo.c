// SPDX-License-Identifier: MIT
/*
 * DOC: Recomputed halos
 *
 * The rows of each slice, propagated back from the end of the group: its stored values are cut
 * evenly, and in a slice an operator makes the rows of its result that are stored then, and those
 * that its readers need, which this walk visits first. The needs of two readers are made as one
 * range. A row that two slices need is made (or loaded) in both, but stored in one.
 *
 * The rows that an operator needs follow from the maps of its kernel, exactly. For comparison, the
 * text's BackwardH for o rows of the result from row i on:
 *
 *	convolution	(o - 1) * s + max((k - 1) * d + 1, s) rows from i * s - pad on
 *	pooling		(o - 1) * s + k rows from i * s - pad on
 *	upsampling	i and o divided by the scale
 *	deconvolution	from ceil(max(0, i - p) / s) to floor((i + o + k - 2 - p) / s), where
 *			p = k - pad - 1
 *
 * clipped to the operand, and extended to its end in the last slice. Both agree except for rows
 * that no window reads, which are not loaded here (behind the last window, or behind each if the
 * stride is larger than the window), and for one row at each end of an upsampling, where rounding
 * might reach it.
 *
 * The planners that this follows refuse some slicings. Here all are computed, and
 * &loom_group.faults gives the reasons for refusal.
 *
 * Axis 0 can be cut in addition, if it is the same axis of the same length for all values of the
 * group, and no operation reads across it.
 */
#include "group/model/model.h"

static u32 axis_of(const struct loom_group *group, const struct loom_group_part *part, u32 i)
{
	const struct loom_group_access *access = &part->op->access[i];
	s8 axis = group->roots[part->root[i]].axis;
	u32 k = 0;

	/* such an axis exists, because the part was appended */
	while (k + 1 < part->op->kernel.operands[i].ref.rank && access->axis[k] != axis)
		k++;
	return k;
}

/* Records the range of rows that the group makes of a root. */
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

/* The rows of a slice in an even cut of what the group makes of a root. */
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

/* Adds rows [@lo, @hi) to the rows of a root that a slice needs. */
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

/* Sets the rows that a part makes in a slice, and adds the rows of its operands that this needs. */
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
	/* it makes no rows in this slice */
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

/* Records faults of the slices of a value, see &loom_group.faults. */
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
	/* rows in more than one slice: all but one of each row's occurrences */
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

/* Whether axis 0 of an operand is axis 0 of its value, with step 1 and in full. */
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
