// SPDX-License-Identifier: MIT
/*
 * Slices with recomputed halos, of random graphs, against dependence worked out row by row: a slice
 * reads only rows that it has loaded or made itself; each row with readers outside is stored in
 * exactly one slice, and made in that one. For all numbers of slices, all axes, with axis 0 cut
 * besides where it can be, and groups that begin anywhere.
 */
#include "rows.h"

#define ROUNDS	150

static unsigned int num_batched, num_recomputed;

static bool stored_once(const struct loom_group *group, u32 index)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_ref *y = &part->op->kernel.operands[0].ref;
	u64 row, n, lo, hi, made_lo, made_hi;
	u32 slice, times;

	for (n = 0; n < (group->batches > 1 ? group->batch_dim : 1); n++) {
		for (row = 0; row < y->dims[part->axis]; row++) {
			times = 0;
			for (slice = 0; slice < group->slices; slice++) {
				loom_group_stored(group, index, slice, &lo, &hi);
				if (!in_batch(group, slice, n) || row < lo || row >= hi)
					continue;
				times++;
				loom_group_rows(group, index, slice, &made_lo, &made_hi);
				if (row < made_lo || row >= made_hi)
					return wrong(group, index, slice,
						     "a row is stored and not made");
			}
			if (times != 1)
				return wrong(group, index, slice, "a row is not stored once");
		}
	}
	return true;
}

/* Row @row of a value is there: in the strip, and made by all that make some of what is read. */
static bool row_is_there(const struct loom_group *group, u32 which,
			 const struct loom_group_box *box, u64 row, u32 slice)
{
	const struct loom_group_root *root = &group->roots[which];
	u64 lo, hi, start;
	u32 i;

	if (!loom_group_strip(group, which, slice, &lo, &hi) || row < lo || row >= hi)
		return false;
	for (i = root->first_writer; root->kind == LOOM_GROUP_INSIDE && i <= root->last_writer;
	     i++) {
		if (group->parts[i].root[0] != which || !writes_row(group, i, box, row, &start))
			continue;
		loom_group_rows(group, i, slice, &lo, &hi);
		if (row < start + lo || row >= start + hi)
			return false;
	}
	return true;
}

static bool group_is_right(struct loom_group *group)
{
	u64 lo, hi, before;
	u32 index, slice;

	loom_group_set_residents(group, 0, 0);
	loom_group_mark_stored(group);
	loom_group_halos(group);
	for (index = 0; index < group->num_parts; index++) {
		const struct loom_group_part *part = &group->parts[index];

		if (group->roots[part->root[0]].stored && !stored_once(group, index))
			return false;
		for (slice = 0; slice < group->slices; slice++) {
			loom_group_rows(group, index, slice, &lo, &before);
			if (slice + 1 < group->slices) {
				loom_group_rows(group, index, slice + 1, &lo, &hi);
				num_recomputed += lo < before && in_batch(group, slice + 1, 0);
			}
			if (!operands_are_there(group, index, slice, row_is_there))
				return false;
		}
	}
	return true;
}

static bool try_group(struct list_case *c, u32 first, u32 slices, u32 batches, u32 axis)
{
	loom_group_begin_recompute(c->group, first, slices, batches, axis);
	while (loom_group_append(c->group)) {
		num_groups++;
		num_batched += batches > 1;
		if (!group_is_right(c->group))
			return false;
	}
	return true;
}

static bool try_list(struct list_case *c)
{
	u32 first, axis, slices;
	bool good = true;

	for (first = 0; first < c->list.num_units; first++)
		for (axis = 0; axis < 4; axis++)
			for (slices = 2; slices < 12 && good; slices += 1 + slices / 3)
				good = try_group(c, first, slices, 1, axis) &&
				       (!axis || try_group(c, first, 2 * slices, 2, axis));
	return good;
}

static bool try_round(u32 round)
{
	return rows_round(round, round * 104729 + 11, try_list);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs: rows are there when they are read",
	       rounds.count - rounds.bad, rounds.count);
	tap_note("%u groups, %u of them with axis 0 cut, too, %u rows, %u halos made again",
		 num_groups, num_batched, num_rows, num_recomputed);
	if (argc > 1)
		return tap_end();
	tap_ok(num_groups > 1000 && num_recomputed > 1000, "there were groups and halos");
	tap_ok(num_batched > 100, "axis 0 was cut besides");
	return tap_end();
}
