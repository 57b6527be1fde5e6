// SPDX-License-Identifier: MIT
/*
 * Slices with halos that are computed again, of random graphs, against dependence worked out row by
 * row: what a slice reads it has loaded or made itself; each row that others want to see is stored
 * in exactly one slice, and made in that one. For all numbers of slices, all axes, with axis 0 cut
 * besides where it can be, and groups that begin anywhere.
 */
#include "case.h"
#include "list.h"

#define ROUNDS	150

static unsigned int num_groups, num_batched, num_rows, num_again;
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
	u32 i, k;

	if (!loom_group_strip(group, which, slice, &lo, &hi) || row < lo || row >= hi)
		return false;
	for (i = root->first_writer; root->kind == LOOM_GROUP_INSIDE && i <= root->last_writer;
	     i++) {
		const struct loom_ref *y = &group->parts[i].op->kernel.operands[0].ref;
		struct loom_group_box all = { .lo = { 0 } }, made;
		bool meets = true;

		if (group->parts[i].root[0] != which)
			continue;
		for (k = 0; k < y->rank; k++)
			all.hi[k] = y->dims[k];
		loom_group_value_box(group, i, 0, &all, &made);
		for (k = 0; k < group->list->uses[root->value].rank; k++)
			meets &= k == (u32)root->axis ? row >= made.lo[k] && row < made.hi[k] :
				 made.lo[k] < box->hi[k] && box->lo[k] < made.hi[k];
		start = made.lo[root->axis];
		loom_group_rows(group, i, slice, &lo, &hi);
		if (meets && (row < start + lo || row >= start + hi))
			return false;
	}
	return true;
}

/* What each row of the result reads, one by one. */
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

static bool group_is_right(struct loom_group *group)
{
	u64 lo, hi, before;
	u32 index, i, slice;

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
				num_again += lo < before && in_batch(group, slice + 1, 0);
			}
			for (i = 1; i < part->op->kernel.num_operands; i++)
				if (part->root[i] != LOOM_GROUP_NONE &&
				    !operand_is_there(group, index, i, slice))
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

static bool try_graph(const struct loom_graph *graph)
{
	const struct loom_sram sram = { .lanes = 4, .bytes = 1 << 20, .align_bytes = 16 };
	u32 first, axis, slices;
	struct list_case c;
	bool good = true;

	list_begin(&c, graph, &sram);
	for (first = 0; first < c.list.num_units; first++)
		for (axis = 0; axis < 4; axis++)
			for (slices = 2; slices < 12 && good; slices += 1 + slices / 3)
				good = try_group(&c, first, slices, 1, axis) &&
				       (!axis || try_group(&c, first, 2 * slices, 2, axis));
	list_end(&c);
	return good;
}

static bool try_round(u32 round)
{
	struct test_case test;
	bool good;

	fault[0] = 0;
	make_case(&test, round * 104729 + 11);
	good = try_graph(test.graph);
	if (!good)
		tap_note("round %u: %s", round, fault);
	free_case(&test);
	return good;
}

int main(void)
{
	u32 round, bad = 0;

	make_weights();
	for (round = 0; round < ROUNDS; round++)
		bad += !try_round(round);
	tap_ok(!bad, "%u of %u graphs: rows are there when they are read", ROUNDS - bad, ROUNDS);
	tap_note("%u groups, %u of them with axis 0 cut, too, %u rows, %u halos made again",
		 num_groups, num_batched, num_rows, num_again);
	tap_ok(num_groups > 1000 && num_again > 1000, "there were groups and halos");
	tap_ok(num_batched > 100, "axis 0 was cut besides");
	return tap_end();
}
