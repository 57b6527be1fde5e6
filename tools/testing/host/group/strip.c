// SPDX-License-Identifier: MIT
/*
 * Stripes of random graphs, against dependence worked out element by element: each row of each
 * result is made in one slice, when all that it reads is in a strip; what a strip has was made in
 * this slice or is kept from the one before; what is kept was in the strip before. For all numbers
 * of slices, all axes, and groups that begin anywhere.
 */
#include "group/emit.h"
#include "case.h"
#include "loom_topology.h"
#include "lower/storage.h"

#define ROUNDS	300

static unsigned int num_groups, num_rows, num_kept;
static char fault[256];

static bool wrong(const struct loom_group *group, u32 part, u32 slice, const char *what)
{
	snprintf(fault, sizeof(fault), "unit %u, %u slices, axis %u: part %u, slice %u: %s",
		 group->first_unit, group->slices, group->cut_axis, part, slice, what);
	return false;
}

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
	u32 i, k;

	if (!loom_group_strip(group, which, slice, &lo, &hi) || row < lo || row >= hi)
		return false;
	if (root->kind == LOOM_GROUP_INPUT)
		return row < group->loaded[(size_t)which * LOOM_GROUP_SLICES + slice];
	for (i = root->first_writer; i <= root->last_writer; i++) {
		const struct loom_group_part *part = &group->parts[i];
		const struct loom_ref *y = &part->op->kernel.operands[0].ref;
		struct loom_group_box all = { .lo = { 0 } }, made;
		bool meets = true;

		if (part->root[0] != which)
			continue;
		for (k = 0; k < y->rank; k++)
			all.hi[k] = y->dims[k];
		loom_group_value_box(group, i, 0, &all, &made);
		for (k = 0; k < group->list->uses[root->value].rank; k++)
			meets &= k == (u32)root->axis ? row >= made.lo[k] && row < made.hi[k] :
				 made.lo[k] < box->hi[k] && box->lo[k] < made.hi[k];
		if (!meets)
			continue;
		start = made.lo[root->axis];
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
	}
	return true;
}

/* What is kept was in the strip of the slice in which it was made last, or kept by it. */
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
	u32 index, i, slice;

	for (index = 0; index < group->num_parts; index++) {
		const struct loom_group_part *part = &group->parts[index];

		if (part->axis < 0)
			continue;
		if (!rows_are_made(group, index))
			return false;
		for (slice = 0; slice < group->slices; slice++) {
			if (!kept_was_there(group, part->root[0], index, slice))
				return false;
			for (i = 1; i < part->op->kernel.num_operands; i++)
				if (part->root[i] != LOOM_GROUP_NONE &&
				    !operand_is_there(group, index, i, slice))
					return false;
		}
	}
	return true;
}

static bool try_list(const struct loom_group_list *list)
{
	struct loom_group *group = loom_group_make(list, NULL);
	u32 first, axis, slices;
	bool good = true;

	if (!group)
		tap_fatal("no memory");
	for (first = 0; first < list->num_units; first++) {
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
	loom_group_free(group);
	return good;
}

static bool try_graph(const struct loom_graph *graph)
{
	const struct loom_storage_options options = { .join_concats = true };
	struct loom_build build;
	struct loom_storage storage;
	struct loom_group_list list;
	struct loom_error err;
	struct loom_lower lower = {
		.graph = graph, .build = &build, .storage = &storage, .err = &err,
		.sram = { .lanes = 4, .bytes = 1 << 20, .align_bytes = 16 },
	};
	bool good;

	loom_build_init(&build, 4);
	if (loom_storage_init(&storage, graph, &build, &options, &err) ||
	    loom_group_list_make(&list, &lower))
		tap_fatal("no list");
	good = try_list(&list);
	loom_group_list_clear(&list);
	loom_storage_clear(&storage);
	loom_build_clear(&build);
	return good;
}

static bool try_round(u32 round)
{
	struct test_case test;
	bool good;

	fault[0] = 0;
	make_case(&test, round * 104729 + 3);
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
	tap_note("%u groups, %u rows, %u times rows were kept", num_groups, num_rows, num_kept);
	tap_ok(num_groups > 1000 && num_kept > 1000, "there were groups and halos");
	return tap_end();
}
