// SPDX-License-Identifier: MIT
/*
 * DOC: Strips
 *
 * The rows of each value made in each slice, if halos are kept in line buffers. Inputs of the group
 * are loaded in even parts. Each operator makes as many rows as its operands allow for, by the maps
 * of its kernel: nothing here depends on the kind of operator. Rows that a reader needs in later
 * slices are kept.
 */
#include "group/model/model.h"

#include <string.h>

u64 loom_group_even_rows(const struct loom_group *group, u64 rows, u32 slice)
{
	return slice < group->input_slices
		       ? loom_div_round_up(rows * (slice + 1), group->input_slices)
		       : rows;
}

static bool boxes_meet(const struct loom_group_box *a, const struct loom_group_box *b, u32 rank,
		       s8 but)
{
	u32 i;

	for (i = 0; i < rank; i++)
		if ((s8)i != but && (a->lo[i] >= b->hi[i] || b->lo[i] >= a->hi[i]))
			return false;
	return true;
}

/* Rows [0, n) of a value that an operand can read after a slice. */
static u64 rows_there(struct loom_group *group, u32 index, u32 operand, u32 slice)
{
	u32 which = group->parts[index].root[operand], i;
	const struct loom_group_root *root = &group->roots[which];
	const struct loom_group_use *use = loom_group_root_use(group, which);
	u64 there = use->dims[root->axis];
	struct loom_group_box seen, made;

	if (root->kind == LOOM_GROUP_INPUT)
		return *loom_group_row(group->loaded, which, slice);
	loom_group_seen_box(group, index, operand, &seen);
	/* not the part itself, if it goes on from the sums in its result: it has no rows yet */
	for (i = root->first_writer; i < index; i++) {
		const struct loom_group_part *writer = &group->parts[i];
		u64 done = *loom_group_row(group->done, i, slice);

		if (writer->root[0] != which || done == loom_group_part_rows(writer))
			continue;
		loom_group_seen_box(group, i, 0, &made);
		if (boxes_meet(&seen, &made, use->rank, root->axis))
			there = min(there, loom_group_part_start(writer) + done);
	}
	return there;
}

/* Whether the rows of an operand that row @row of the result needs are below @there. */
static bool row_fits(const struct loom_group_part *part, u32 operand, u32 axis, u64 row, u64 there)
{
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_group_access *access = &part->op->access[operand];
	u64 lo, hi;

	loom_kernel_range(kernel, &kernel->operands[operand], axis, 0, row + 1, &lo, &hi);
	return access->start[access->axis[axis]] + (u64)access->step[axis] * (hi - 1) < there;
}

/*
 * Whether all writers of earlier rows of the same value are done. A writer must wait for them:
 * running ahead would make strips longer.
 */
static bool rows_before_done(struct loom_group *group, u32 index, u32 slice)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_group_root *root = &group->roots[part->root[0]];
	u32 i;

	for (i = root->first_writer; i < index; i++) {
		const struct loom_group_part *writer = &group->parts[i];

		if (writer->root[0] == part->root[0] &&
		    loom_group_part_start(writer) < loom_group_part_start(part) &&
		    *loom_group_row(group->done, i, slice) < loom_group_part_rows(writer))
			return false;
	}
	return true;
}

/*
 * The end of the rows of the result, from @row to @limit, for which rows below @there of an operand
 * suffice.
 */
static u64 last_row(const struct loom_group_part *part, u32 operand, u32 axis, u64 row, u64 limit,
		    u64 there)
{
	while (row < limit) {
		u64 middle = row + (limit - row) / 2;

		if (row_fits(part, operand, axis, middle, there))
			row = middle + 1;
		else
			limit = middle;
	}
	return row;
}

/* Adds a slice without loads, in which parts appended so far make no rows. */
static void add_slice(struct loom_group *group)
{
	u32 slice = group->slices++, i;

	for (i = 0; i < group->num_parts; i++)
		*loom_group_row(group->done, i, slice) = *loom_group_row(group->done, i, slice - 1);
	for (i = 0; i < group->num_roots; i++) {
		*loom_group_row(group->loaded, i, slice) =
			*loom_group_row(group->loaded, i, slice - 1);
		*loom_group_row(group->need, i, slice) = LOOM_GROUP_UNREAD;
		group->active[(size_t)i * LOOM_GROUP_SLICES + slice] = 0;
	}
}

/*
 * Computes the rows that a part makes in each slice. Returns false if it does not make all its
 * rows.
 *
 * A part that lags behind has more rows to make in the last slice, which would make all its strips
 * longer. Where slices are thin, a part makes no more rows in one than its share, and slices are
 * added at the end instead.
 */
bool loom_group_run_part(struct loom_group *group, u32 index)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	u32 axes[LOOM_KERNEL_OPERANDS], operands[LOOM_KERNEL_OPERANDS], n = 0, i, slice;
	u64 rows = loom_group_part_rows(part), done = 0, limit, share = rows;

	for (i = 1; i < kernel->num_operands; i++) {
		const struct loom_group_root *root;

		if (kernel->operands[i].role != LOOM_ROLE_LOAD || part->root[i] == LOOM_GROUP_NONE)
			continue;
		root = &group->roots[part->root[i]];
		if (!loom_group_operand_axis(&part->op->access[i], kernel->operands[i].ref.rank,
					     root->axis, &axes[n]))
			return false;
		operands[n++] = i;
	}
	/* rows are computed from the end, once the group is complete: loom_group_halos() */
	if (group->recompute)
		return true;
	if (group->input_slices >= LOOM_GROUP_DRAIN)
		share = loom_div_round_up(rows, group->input_slices);
	for (slice = 0; slice < group->slices || (done < rows && slice < LOOM_GROUP_SLICES);
	     slice++) {
		if (slice == group->slices) {
			if (share == rows)
				return false;
			add_slice(group);
		}
		limit = n ? rows : loom_group_even_rows(group, rows, slice);
		if (slice + 1 < LOOM_GROUP_SLICES)
			limit = min(limit, done + share);
		if (loom_group_part_start(part) && !rows_before_done(group, index, slice))
			limit = 0;
		for (i = 0; i < n && limit > done; i++)
			limit = last_row(part, operands[i], axes[i], done, limit,
					 rows_there(group, index, operands[i], slice));
		done = max(done, limit);
		*loom_group_row(group->done, index, slice) = done;
	}
	return done == rows;
}

/* Records the rows of an operand that are read in each slice. */
void loom_group_note_reads(struct loom_group *group, u32 index, u32 operand)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_group_access *access = &part->op->access[operand];
	const struct loom_kernel *kernel = &part->op->kernel;
	u32 root = part->root[operand], slice, axis = 0;
	u32 first = LOOM_GROUP_UNREAD;
	u64 lo, hi, in_lo, in_hi;

	loom_group_operand_axis(access, kernel->operands[operand].ref.rank, group->roots[root].axis,
				&axis);
	for (slice = group->slices; slice-- > 0;) {
		u32 *need = loom_group_row(group->need, root, slice);

		loom_group_rows(group, index, slice, &lo, &hi);
		if (lo < hi) {
			loom_kernel_range(kernel, &kernel->operands[operand], axis, lo, hi, &in_lo,
					  &in_hi);
			in_lo = access->start[access->axis[axis]] + (u64)access->step[axis] * in_lo;
			if (in_lo < first)
				first = in_lo;
			group->active[(size_t)root * LOOM_GROUP_SLICES + slice] = 1;
		}
		*need = min(*need, first);
	}
}

static void note_writes(struct loom_group *group, u32 index)
{
	u32 slice;
	u64 lo, hi;

	for (slice = 0; slice < group->slices; slice++) {
		loom_group_rows(group, index, slice, &lo, &hi);
		if (lo < hi)
			group->active[(size_t)group->parts[index].root[0] * LOOM_GROUP_SLICES +
				      slice] = 1;
	}
}

/* SRAM per lane of a row of a root's value; 0 if unknown. */
static u64 row_bytes(const struct loom_group *group, u32 which)
{
	const struct loom_group_use *use = loom_group_root_use(group, which);

	return use->whole_bytes == U64_MAX ? 0 :
	       use->whole_bytes / use->dims[group->roots[which].axis];
}

/* The most rows by which a part is ahead of the slowest of its root's writers. */
static u64 rows_ahead(const struct loom_group *group, u32 index, const u32 *least)
{
	u64 most = 0;
	u32 slice;

	for (slice = 0; slice < group->slices; slice++)
		most = max(most, (u64)(*loom_group_row(group->done, index, slice) - least[slice]));
	return most;
}

/* SRAM per lane for delaying a part, whose operands are kept for longer. */
static u64 waiting_bytes(const struct loom_group *group, u32 index, u64 ahead)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	u64 bytes = 0, rows, kept, lo, hi;
	u32 i, slice;

	for (i = 1; i < kernel->num_operands; i++) {
		u32 which = part->root[i];
		const struct loom_group_root *root;

		if (which == LOOM_GROUP_NONE || kernel->operands[i].role != LOOM_ROLE_LOAD)
			continue;
		root = &group->roots[which];
		kept = 0;
		for (slice = 1; slice < group->slices; slice++)
			if (loom_group_kept(group, which, root->kind == LOOM_GROUP_INPUT ?
						0 : root->first_writer, slice, &lo, &hi))
				kept = max(kept, hi - lo);
		rows = ahead * loom_group_root_use(group, which)->dims[root->axis] /
		       loom_group_part_rows(part);
		bytes += rows > kept ? (rows - kept) * row_bytes(group, which) : 0;
	}
	return bytes;
}

/*
 * Branches of a concatenation lag behind by different numbers of rows. The rows of those that are
 * ahead cannot be used yet, but must be kept for the whole concatenation. Where it takes less SRAM,
 * these branches wait for the slowest one, and their operands are kept instead.
 */
static void align_writers(struct loom_group *group, u32 index)
{
	u32 which = group->parts[index].root[0], least[LOOM_GROUP_SLICES], slice, i, k;
	struct loom_group_root *root = &group->roots[which];
	u64 ahead = 0, waiting = 0;

	if (root->first_writer == index || root->read || root->partial)
		return;
	memcpy(least, loom_group_row(group->done, index, 0), sizeof(least));
	for (i = root->first_writer; i <= index; i++) {
		if (group->parts[i].root[0] != which)
			continue;
		if (loom_group_part_start(&group->parts[i]) ||
		    loom_group_part_rows(&group->parts[i]) !=
			    loom_group_part_rows(&group->parts[index]))
			return;
		for (slice = 0; slice < group->slices; slice++)
			least[slice] = min(least[slice], *loom_group_row(group->done, i, slice));
	}
	for (i = root->first_writer; i <= index; i++) {
		u64 rows = group->parts[i].root[0] == which ? rows_ahead(group, i, least) : 0;

		ahead = max(ahead, rows);
		waiting += rows ? waiting_bytes(group, i, rows) : 0;
	}
	if (waiting >= ahead * row_bytes(group, which))
		return;
	for (i = root->first_writer; i <= index; i++) {
		struct loom_group_part *part = &group->parts[i];

		if (part->root[0] != which)
			continue;
		memcpy(loom_group_row(group->done, i, 0), least, group->slices * sizeof(*least));
		part->measured = false;
		for (k = 1; k < part->op->kernel.num_operands; k++) {
			if (part->root[k] == LOOM_GROUP_NONE)
				continue;
			loom_group_note_reads(group, i, k);
			group->roots[part->root[k]].measured = false;
		}
	}
	root->measured = false;
	memset(&group->active[(size_t)which * LOOM_GROUP_SLICES], 0, LOOM_GROUP_SLICES);
	for (i = root->first_writer; i <= index; i++)
		if (group->parts[i].root[0] == which)
			note_writes(group, i);
}

void loom_group_note_writes(struct loom_group *group, u32 index)
{
	note_writes(group, index);
	align_writers(group, index);
}
