// SPDX-License-Identifier: MIT
/*
 * DOC: Residency across a cut
 *
 * (See weights.c for the weights that a group holds.)
 *
 * Between two groups, a value need not go to DRAM: if there is room, the whole value is *resident*
 * in SRAM from the group that makes it to the last that reads it. At each cut there are a few
 * choices: sets of values that are resident there. If a resident is resident before a group but not
 * after it, and is still read later, that group stores it to DRAM before anything else.
 *
 * Invariant: a resident has the same offset and lane axis in all groups. The axis follows from the
 * value, the offset from the placement of the group that makes it.
 *
 * This file makes the list of choices (choose_choices()) and applies one to a group. The shortest
 * path (shortest_path.c) selects the choice at each cut, together with the groups on both sides; a
 * choice without a placement is blocked there (chain.c, divide.c).
 */
#include "group/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "lower/storage.h"
#include "loom_op.h"

static u32 unit_of(const struct loom_group_list *list, u32 op)
{
	return list->ops[op]->unit;
}

/* Selects the lane axis that minimizes the size, among those that all ops allow. */
static void choose_lane(struct loom_group_list *list, struct loom_group_use *use)
{
	const struct loom_slice_limits *sram = &list->lower->sram;
	u64 elems, bytes;
	u32 i, k;

	use->whole_bytes = U64_MAX;
	for (i = 0; i < use->rank; i++) {
		if (!(use->lanes >> i & 1))
			continue;
		elems = 1;
		for (k = 0; k < use->rank; k++)
			if (check_mul_overflow(elems, k == i ? loom_div_round_up(use->dims[k],
										 sram->lanes) :
							       use->dims[k], &elems))
				return;
		bytes = loom_dtype_row_bytes(use->dtype, elems);
		if (bytes == U64_MAX)
			return;
		bytes = loom_div_round_up(bytes, sram->align_bytes) * sram->align_bytes;
		if (bytes < use->whole_bytes) {
			use->whole_bytes = bytes;
			use->lane = i;
		}
	}
}

static void note_lanes(struct loom_group_list *list)
{
	u32 i, k;

	for (i = 0; i < list->num_ops; i++) {
		const struct loom_group_op *op = list->ops[i];

		for (k = 0; k < op->kernel.num_operands; k++) {
			enum loom_role role = op->kernel.operands[k].role;
			const struct loom_group_access *access = &op->access[k];

			if (role != LOOM_ROLE_STORE && role != LOOM_ROLE_LOAD)
				continue;
			list->uses[access->value].lanes &= access->plain ? access->lanes : 0;
		}
	}
	for (i = 0; i < list->lower->graph->num_values; i++)
		choose_lane(list, &list->uses[i]);
}

/* Whether ops make a value that fits in SRAM and is read after it was made. */
static bool can_reside(const struct loom_group_list *list, const struct loom_group_use *use)
{
	return use->first_writer != U32_MAX && use->read && use->lanes && use->rank &&
	       use->whole_bytes <= list->lower->sram.bytes &&
	       unit_of(list, use->last_reader) > unit_of(list, use->last_writer);
}

/* Adds a choice of residents at a cut, unless it is known already or does not fit. */
static void add_choice(struct loom_group_list *list, u32 at, u64 mask)
{
	struct loom_group_choices *choices = &list->choices[at];
	u32 first = list->live_first[at], count = list->live_first[at + 1] - first, i;
	u64 bytes = 0;

	for (i = 0; i < count && i < LOOM_GROUP_LIVE; i++)
		if (mask >> i & 1)
			bytes += list->uses[list->live[first + i]].whole_bytes;
	if (bytes > list->lower->sram.bytes || choices->count == LOOM_GROUP_CHOICES)
		return;
	for (i = 0; i < choices->count; i++)
		if (choices->masks[i] == mask)
			return;
	choices->masks[choices->count++] = mask;
}

/* @mask without its largest value. */
static u64 without_largest(const struct loom_group_list *list, u32 at, u64 mask)
{
	u32 first = list->live_first[at], best = 0, i;
	u64 most = 0;

	for (i = 0; i < LOOM_GROUP_LIVE; i++) {
		u64 bytes;

		if (!(mask >> i & 1))
			continue;
		bytes = list->uses[list->live[first + i]].whole_bytes;
		if (bytes >= most) {
			most = bytes;
			best = i;
		}
	}
	return mask & ~(1ULL << best);
}

/*
 * The choices of residents at a cut: all subsets of up to three values. With more values: none, the
 * results of the last unit, all, and all but the largest ones, with and without the results of the
 * last unit. Memory for groups grows with the square of the choices: in graphs of more than
 * LOOM_GROUP_MANY_UNITS units there are two of them, none and the results of the last unit.
 */
static void choose_choices(struct loom_group_list *list, u32 at)
{
	u32 first = list->live_first[at], count = list->live_first[at + 1] - first, i;
	u64 last = 0, all, mask;

	count = count < LOOM_GROUP_LIVE ? count : LOOM_GROUP_LIVE;
	all = (1ULL << count) - 1;
	for (i = 0; i < count; i++)
		if (unit_of(list, list->uses[list->live[first + i]].last_writer) + 1 == at)
			last |= 1ULL << i;
	add_choice(list, at, 0);
	add_choice(list, at, last);
	if (list->num_units > LOOM_GROUP_MANY_UNITS)
		return;
	for (mask = 1; mask <= all && count <= 3; mask++)
		add_choice(list, at, mask);
	for (mask = all; mask; mask = without_largest(list, at, mask)) {
		add_choice(list, at, mask);
		add_choice(list, at, mask | last);
	}
}

int loom_group_live_make(struct loom_group_list *list)
{
	u32 num_values = list->lower->graph->num_values, pass, v, at;

	note_lanes(list);
	for (v = 0; v < num_values; v++)
		list->uses[v].over = loom_group_over(list, v);
	list->live_first = calloc((size_t)list->num_units + 2, sizeof(*list->live_first));
	if (!list->live_first)
		return -ENOMEM;
	for (pass = 0; pass < 2; pass++) {
		for (v = 0; v < num_values; v++) {
			const struct loom_group_use *use = &list->uses[v];

			if (!can_reside(list, use))
				continue;
			for (at = unit_of(list, use->last_writer) + 1;
			     at <= unit_of(list, use->last_reader); at++) {
				if (pass)
					list->live[list->live_first[at]++] = v;
				else
					list->live_first[at + 1]++;
			}
		}
		for (at = 0; at <= list->num_units && !pass; at++)
			list->live_first[at + 1] += list->live_first[at];
		if (!pass) {
			list->live = calloc((size_t)list->live_first[list->num_units + 1] + 1,
					    sizeof(*list->live));
			if (!list->live)
				return -ENOMEM;
		}
	}
	/* filling has advanced each begin to that of the next cut */
	for (at = list->num_units + 1; at-- > 0;)
		list->live_first[at + 1] = list->live_first[at];
	list->live_first[0] = 0;
	list->choices = calloc((size_t)list->num_units + 1, sizeof(*list->choices));
	if (!list->choices)
		return -ENOMEM;
	for (at = 0; at <= list->num_units && !loom_watch_spend(100); at++)
		choose_choices(list, at);
	return at > list->num_units ? 0 : -ENOMEM;
}

bool loom_group_is_resident(const struct loom_group_list *list, u32 value, u32 at, u8 choice)
{
	const u32 *live = &list->live[list->live_first[at]];
	u32 count = min(list->live_first[at + 1] - list->live_first[at], (u32)LOOM_GROUP_LIVE);
	u32 low = 0, middle;
	u64 mask = list->choices[at].masks[choice];

	/* in order of their numbers */
	while (mask && count) {
		middle = low + count / 2;
		if (live[middle] == value)
			return mask >> middle & 1;
		if (live[middle] < value) {
			count -= count / 2 + 1;
			low = middle + 1;
		} else {
			count /= 2;
		}
	}
	return false;
}

static void set_flag(struct loom_group *group, u32 value, u8 flag)
{
	if (!group->residency[value])
		group->residents[group->num_residents++] = value;
	group->residency[value] |= flag;
}

bool loom_group_set_residents(struct loom_group *group, u8 in, u8 out)
{
	const struct loom_group_list *list = group->list;
	u32 from = group->first_unit, to = from + group->num_units, i;
	u64 mask;

	for (i = 0; i < group->num_residents; i++)
		group->residency[group->residents[i]] = 0;
	group->num_residents = 0;
	group->rows_known = false;
	for (mask = list->choices[from].masks[in]; mask; mask &= mask - 1) {
		u32 value = loom_group_live_at(list, from, mask);
		const struct loom_group_use *use = &list->uses[value];

		if (group->num_residents == LOOM_GROUP_RESIDENTS)
			return false;
		set_flag(group, value, LOOM_GROUP_RESIDENT_IN);
		if (unit_of(list, use->last_reader) >= to && !use->output)
			set_flag(group, value, LOOM_GROUP_RESIDENT_FLUSH);
	}
	for (mask = list->choices[to].masks[out]; mask; mask &= mask - 1) {
		u32 value = loom_group_live_at(list, to, mask);

		if (unit_of(list, list->uses[value].first_writer) < from &&
		    !(group->residency[value] & LOOM_GROUP_RESIDENT_IN))
			return false;
		if (group->num_residents == LOOM_GROUP_RESIDENTS)
			return false;
		set_flag(group, value, LOOM_GROUP_RESIDENT_OUT);
		group->residency[value] &= ~LOOM_GROUP_RESIDENT_FLUSH;
	}
	return true;
}

/**
 * DOC: Overwriting residents
 *
 * A resident and a value that is computed from it, element by element, both need room while a group
 * makes one from the other, if both stay whole. If the first has no readers after that, the second
 * is computed in place: it is the same tensor of the plan, overwritten slice by slice. So x + x *
 * scale of a map that just fits in the SRAM, as in squeeze-and-excite, causes no DRAM traffic.
 *
 * In slices with recomputed halos, elements are computed twice, which would apply the operation
 * twice.
 *
 * Rejected: strips in place of strips. They are small where slices are many, and use buffers that
 * alternate with those of other slices, so that the overwritten rows would have to be known for
 * each slice.
 */

/* Whether an operand and the result have the same elements in the same order, box by box. */
static bool is_pointwise(const struct loom_kernel *kernel, u32 operand)
{
	const struct loom_operand *x = &kernel->operands[operand];
	const struct loom_ref *y = &kernel->operands[0].ref;
	u32 i;

	if (x->role != LOOM_ROLE_LOAD || x->ref.rank != y->rank)
		return false;
	for (i = 0; i < y->rank; i++) {
		if (x->ref.dims[i] != y->dims[i])
			return false;
		if (y->dims[i] > 1 && (x->map[i].kind != LOOM_MAP_SAME || x->map[i].axis != i))
			return false;
	}
	return true;
}

/* Whether both have the same view, except for the tensor. */
static bool is_same_access(const struct loom_group_access *a, const struct loom_group_access *b,
			   u32 rank, u32 value_rank)
{
	return a->plain && b->plain && !memcmp(a->axis, b->axis, rank * sizeof(*a->axis)) &&
	       !memcmp(a->step, b->step, rank * sizeof(*a->step)) &&
	       !memcmp(a->start, b->start, value_rank * sizeof(*a->start));
}

/*
 * Whether an operand is read before the result is written, or element by element with it. Parts of
 * the summed axis write the result, too, before the next part reads.
 */
static bool is_read_before(const struct loom_kernel *kernel, u32 operand)
{
	bool sums = kernel->sums != LOOM_KERNEL_NO_SUMS, written = false;
	u32 i, k;

	for (i = 0; i < kernel->num_stages; i++) {
		const struct loom_stage *stage = &kernel->stages[i];

		for (k = 1; k < stage->operands; k++) {
			if (stage->operand[k] != operand)
				continue;
			if (written || (sums && i <= kernel->sum_stage) ||
			    (!stage->operand[0] &&
			     !(loom_op_get(stage->opcode)->in_place >> k & 1)))
				return false;
		}
		written |= !stage->operand[0];
	}
	return true;
}

static bool is_alike(const struct loom_group_list *list, u32 value, u32 over)
{
	const struct loom_group_use *a = &list->uses[value], *b = &list->uses[over];
	const struct loom_location *locations = list->lower->storage->locations;
	u32 i;

	for (i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i])
			return false;
	return a->rank == b->rank && a->lane == b->lane && a->whole_bytes == b->whole_bytes &&
	       locations[value].ref.dtype == locations[over].ref.dtype;
}

u32 loom_group_over(const struct loom_group_list *list, u32 value)
{
	const struct loom_group_use *use = &list->uses[value], *other;
	const struct loom_group_op *op;
	u32 i, over;

	if (use->first_writer == U32_MAX || use->first_writer != use->last_writer)
		return U32_MAX;
	op = list->ops[use->first_writer];
	if (op->kind != LOOM_GROUP_COMPUTE || op->access[0].value != value)
		return U32_MAX;
	for (i = 1; i < op->kernel.num_operands; i++) {
		if (!is_pointwise(&op->kernel, i))
			continue;
		over = op->access[i].value;
		other = &list->uses[over];
		if (over != value && other->first_writer != U32_MAX && !other->output &&
		    other->last_writer < use->first_writer &&
		    other->last_reader == use->first_writer && is_alike(list, value, over) &&
		    is_read_before(&op->kernel, i) &&
		    is_same_access(&op->access[0], &op->access[i], op->kernel.operands[0].ref.rank,
				   use->rank))
			return over;
	}
	return U32_MAX;
}

/* Whether part @reader is done with rows of a value before part @writer overwrites them. */
static bool is_ahead(const struct loom_group *group, u32 reader, u32 operand, u32 writer)
{
	const struct loom_group_part *part = &group->parts[reader];
	u64 lo, hi, done = 0;
	u32 slice;

	if (group->slices == 1)
		return true;
	if (!is_pointwise(&part->op->kernel, operand) || part->axis < 0 ||
	    part->axis != group->parts[writer].axis)
		return false;
	for (slice = 0; slice < group->slices; slice++) {
		loom_group_rows(group, reader, slice, &lo, &hi);
		if (lo < hi && lo < done)
			return false;
		loom_group_rows(group, writer, slice, &lo, &hi);
		done = max(done, hi);
	}
	return true;
}

bool loom_group_takes_place(const struct loom_group *group, u32 value, u32 *over)
{
	const struct loom_group_use *use = &group->list->uses[value];
	u32 writer, index, i;

	*over = use->over;
	if (*over == U32_MAX || !group->local[value] || (group->recompute && group->slices > 1) ||
	    group->residency[value] & LOOM_GROUP_RESIDENT_IN ||
	    !(group->residency[value] & LOOM_GROUP_RESIDENT_OUT) ||
	    group->residency[*over] != LOOM_GROUP_RESIDENT_IN)
		return false;
	/* pinned where it was decided otherwise */
	if (!group->unpinned && group->locations[value].pinned &&
	    group->locations[value].offset != group->locations[*over].offset)
		return false;
	writer = group->roots[group->local[value] - 1].first_writer;
	for (index = 0; index < group->num_parts; index++)
		for (i = 1; i < group->parts[index].op->kernel.num_operands; i++)
			if (group->parts[index].op->kernel.operands[i].role == LOOM_ROLE_LOAD &&
			    group->parts[index].op->access[i].value == *over &&
			    !is_ahead(group, index, i, writer))
				return false;
	return true;
}
