// SPDX-License-Identifier: MIT
/*
 * Slices with recomputed halos, of random graphs, against dependence worked out row by row: a slice
 * reads only rows that it has loaded or made itself; each row with readers outside is stored in
 * exactly one slice, and made in that one. For all numbers of slices, all axes, with axis 0 cut
 * besides where it can be, and groups that begin anywhere.
 */
#include "list.h"
#include "case.h"
#include "host/lower/rounds.h"

#define ROUNDS	150

static unsigned int num_groups, num_rows, num_batched, num_recomputed;

/* The fault of the group at hand. */
static char fault[256];

static bool wrong(const struct loom_group *group, u32 part, u32 slice, const char *what)
{
	snprintf(fault, sizeof(fault), "unit %u, %u slices of %u, axis %u: part %u, slice %u: %s",
		 group->first_unit, group->slices, group->batches, group->cut_axis, part, slice,
		 what);
	return false;
}

/* Index @n of axis 0, if that is cut, is in the slice's batch. */
static bool in_batch(const struct loom_group *group, u32 slice, u64 n)
{
	struct loom_group_box box = { .lo = { 0 }, .hi = { U64_MAX } };

	loom_group_batch(group, slice, &box);
	return n >= box.lo[0] && n < box.hi[0];
}

/* Whether part @index writes some of row @row of what @box reads. *@start: its first row. */
static bool writes_row(const struct loom_group *group, u32 index, const struct loom_group_box *box,
		       u64 row, u64 *start)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_group_root *root = &group->roots[part->root[0]];
	const struct loom_ref *y = &part->op->kernel.operands[0].ref;
	struct loom_group_box all = { .lo = { 0 } }, made;
	bool overlaps = true;
	u32 k;

	for (k = 0; k < y->rank; k++)
		all.hi[k] = y->dims[k];
	loom_group_value_box(group, index, 0, &all, &made);
	for (k = 0; k < group->list->uses[root->value].rank; k++)
		overlaps &= k == (u32)root->axis ?
			    row >= made.lo[k] && row < made.hi[k] :
			    made.lo[k] < box->hi[k] && box->lo[k] < made.hi[k];
	*start = made.lo[root->axis];
	return overlaps;
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

/* Each operand row that a row of the result reads is there, row by row. */
static bool operand_is_there(const struct loom_group *group, u32 index, u32 operand, u32 slice)
{
	const struct loom_group_part *part = &group->parts[index];
	u32 which = part->root[operand];
	s8 axis = group->roots[which].axis;
	struct loom_group_box out, in, box;
	u64 lo, hi, row, k;

	loom_group_rows(group, index, slice, &lo, &hi);
	for (row = lo; row < hi; row++) {
		loom_group_part_box(group, index, slice, 0, &out);
		out.lo[part->axis] = row;
		out.hi[part->axis] = row + 1;
		loom_group_operand_box(&part->op->kernel, operand, &out, &in);
		loom_group_value_box(group, index, operand, &in, &box);
		num_rows++;
		for (k = box.lo[axis]; k < box.hi[axis]; k++)
			if (!row_is_there(group, which, &box, k, slice))
				return wrong(group, index, slice, "a row is read that is missing");
		if (group->batches > 1 && (!in_batch(group, slice, box.lo[0]) ||
					   !in_batch(group, slice, box.hi[0] - 1)))
			return wrong(group, index, slice, "another batch is read");
	}
	return true;
}

/* The same for all operands of a part that are in strips. */
static bool operands_are_there(const struct loom_group *group, u32 index, u32 slice)
{
	const struct loom_group_part *part = &group->parts[index];
	u32 i;

	for (i = 1; i < part->op->kernel.num_operands; i++)
		if (part->root[i] != LOOM_GROUP_NONE &&
		    !operand_is_there(group, index, i, slice))
			return false;
	return true;
}

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
			if (!operands_are_there(group, index, slice))
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

/* A random graph on a device with room for all. */
static bool try_round(u32 round)
{
	const struct loom_slice_limits sram = { .lanes = 4, .bytes = 1 << 20, .align_bytes = 16 };
	struct test_case test;
	struct list_case c;
	bool good;

	fault[0] = 0;
	make_case(&test, round * 104729 + 11);
	list_begin(&c, test.graph, &sram);
	good = try_list(&c);
	list_end(&c);
	if (!good)
		tap_note("round %u: %s", round, fault);
	free_case(&test);
	return good;
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
