// SPDX-License-Identifier: MIT
/*
 * Strips of random graphs, against dependence worked out element by element: each row of each
 * result is made in one slice, when all that it reads is in a strip; a row of a strip was made in
 * this slice or is kept from the one before; a kept row was in the strip before. For all numbers
 * of slices, all axes, and groups that begin anywhere.
 */
#include "rows.h"

#define ROUNDS	300

static unsigned int num_kept;

/* Every row once, and all at the end. */
static bool rows_are_made(const struct loom_group *group, u32 index)
{
	const struct loom_group_part *part = &group->parts[index];
	u64 lo, hi, next = 0;
	u32 slice;

	for (slice = 0; slice < group->slices; slice++) {
		loom_group_rows(group, index, slice, &lo, &hi);
		if (lo != next || hi < lo)
			return wrong(group, index, slice, "rows are left out or made twice");
		next = hi;
	}
	return next == part->op->kernel.operands[0].ref.dims[part->axis] ||
	       wrong(group, index, slice, "rows are never made");
}

/* A row of a value is there in a slice: it has been loaded, or all parts that make it have. */
static bool row_is_there(const struct loom_group *group, u32 which,
			 const struct loom_group_box *box, u64 row, u32 slice)
{
	const struct loom_group_root *root = &group->roots[which];
	u64 lo, hi, to, start;
	u32 i;

	if (!loom_group_strip(group, which, slice, &lo, &hi) || row < lo || row >= hi)
		return false;
	if (root->kind == LOOM_GROUP_INPUT)
		return row < group->loaded[(size_t)which * LOOM_GROUP_SLICES + slice];
	for (i = root->first_writer; i <= root->last_writer; i++) {
		if (group->parts[i].root[0] != which || !writes_row(group, i, box, row, &start))
			continue;
		loom_group_rows(group, i, slice, &lo, &to);
		if (row >= start + to)
			return false;
		/* made now, or kept */
		if (row < start + lo &&
		    (!loom_group_kept(group, which, i, slice, &lo, &hi) || row < lo || row >= hi))
			return false;
	}
	return true;
}

/* Kept rows were in the strip of the last slice that has one: made in that slice, or kept by it. */
static bool kept_was_there(const struct loom_group *group, u32 which, u32 index, u32 slice)
{
	u64 lo, hi, from, to;
	u32 before = slice;

	if (!loom_group_kept(group, which, index, slice, &lo, &hi))
		return true;
	num_kept++;
	/* slices in which nothing happens leave the line buffer as it is */
	while (before-- > 0)
		if (loom_group_strip(group, which, before, &from, &to))
			return (lo >= from && hi <= to) ||
			       wrong(group, index, slice, "rows are kept that were not there");
	return wrong(group, index, slice, "rows are kept of nothing");
}

static bool group_is_right(const struct loom_group *group)
{
	u32 index, slice;

	for (index = 0; index < group->num_parts; index++) {
		const struct loom_group_part *part = &group->parts[index];

		if (part->axis < 0)
			continue;
		if (!rows_are_made(group, index))
			return false;
		for (slice = 0; slice < group->slices; slice++) {
			if (!kept_was_there(group, part->root[0], index, slice))
				return false;
			if (!operands_are_there(group, index, slice, row_is_there))
				return false;
		}
	}
	return true;
}

static bool try_list(struct list_case *c)
{
	struct loom_group *group = c->group;
	u32 first, axis, slices;
	bool good = true;

	for (first = 0; first < c->list.num_units; first++) {
		for (axis = 0; axis < 4; axis++) {
			for (slices = 2; slices < 20 && good; slices += 1 + slices / 4) {
				loom_group_begin(group, first, slices, axis);
				while (good && loom_group_append(group)) {
					num_groups++;
					good = group_is_right(group);
				}
			}
		}
	}
	return good;
}

static bool try_round(u32 round)
{
	return rows_round(round, round * 104729 + 3, try_list);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs: rows are there when they are read",
	       rounds.count - rounds.bad, rounds.count);
	tap_note("%u groups, %u rows, %u times rows were kept", num_groups, num_rows, num_kept);
	if (argc == 1)
		tap_ok(num_groups > 1000 && num_kept > 1000, "there were groups and halos");
	return tap_end();
}
