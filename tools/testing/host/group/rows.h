/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_GROUP_ROWS_H
#define LOOM_TESTS_GROUP_ROWS_H

/*
 * Which rows a slice reads, worked out row by row and apart from the library's own rows: shared by
 * the tests of strips with line buffers (strip.c) and of strips with recomputed halos (halo.c).
 */

#include "list.h"
#include "case.h"
#include "host/lower/rounds.h"

static unsigned int num_groups, num_rows;

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

/* Row @row of a value, as far as @box reads it, is in SRAM in a slice. */
typedef bool row_is_there_fn(const struct loom_group *group, u32 which,
			     const struct loom_group_box *box, u64 row, u32 slice);

/* Each operand row that a row of the result reads is there, row by row. */
static bool operand_is_there(const struct loom_group *group, u32 index, u32 operand, u32 slice,
			     row_is_there_fn *row_is_there)
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
static bool operands_are_there(const struct loom_group *group, u32 index, u32 slice,
			       row_is_there_fn *row_is_there)
{
	const struct loom_group_part *part = &group->parts[index];
	u32 i;

	for (i = 1; i < part->op->kernel.num_operands; i++)
		if (part->root[i] != LOOM_GROUP_NONE &&
		    !operand_is_there(group, index, i, slice, row_is_there))
			return false;
	return true;
}

/* A random graph on a device with room for all; @try_list tries groups of it. */
static bool rows_round(u32 round, u32 which, bool (*try_list)(struct list_case *c))
{
	const struct loom_slice_limits sram = { .lanes = 4, .bytes = 1 << 20, .align_bytes = 16 };
	struct test_case test;
	struct list_case c;
	bool good;

	fault[0] = 0;
	make_case(&test, which);
	list_begin(&c, test.graph, &sram);
	good = try_list(&c);
	list_end(&c);
	if (!good)
		tap_note("round %u: %s", round, fault);
	free_case(&test);
	return good;
}

#endif /* LOOM_TESTS_GROUP_ROWS_H */
