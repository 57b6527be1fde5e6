// SPDX-License-Identifier: MIT
/*
 * DOC: Stripes
 *
 * Which rows of each value are made in which slice. Values from outside come in evenly; each
 * operator makes as many rows as its operands allow for, found by asking the maps of its kernel, so
 * that there is nothing here that knows what a convolution is. What a reader still looks at in
 * later slices is kept.
 *
 * Which axis is cut follows from the first operator: through the maps and accesses, each value has
 * one. An operator that wants to see a whole axis that is cut (a reduction, a product) ends the
 * group.
 */
#include "group.h"

#include <stdlib.h>
#include <string.h>

static const struct loom_group_use *use_of(const struct loom_group *group, u32 root)
{
	return &group->list->uses[group->roots[root].value];
}

struct loom_group *loom_group_make(const struct loom_group_list *list)
{
	struct loom_group *group = calloc(1, sizeof(*group));
	size_t values = (size_t)list->lower->graph->num_values + 1;

	if (!group)
		return NULL;
	group->list = list;
	group->first = calloc((size_t)LOOM_GROUP_OPS * LOOM_GROUP_SLICES, sizeof(*group->first));
	group->done = calloc((size_t)LOOM_GROUP_OPS * LOOM_GROUP_SLICES, sizeof(*group->done));
	group->loaded = calloc((size_t)LOOM_GROUP_ROOTS * LOOM_GROUP_SLICES,
			       sizeof(*group->loaded));
	group->need = calloc((size_t)LOOM_GROUP_ROOTS * LOOM_GROUP_SLICES, sizeof(*group->need));
	group->active = calloc((size_t)LOOM_GROUP_ROOTS * LOOM_GROUP_SLICES, 1);
	group->local = calloc(values, sizeof(*group->local));
	group->residency = calloc(values, sizeof(*group->residency));
	group->locations = calloc(values, sizeof(*group->locations));
	if (group->first && group->done && group->loaded && group->need && group->active &&
	    group->local && group->residency && group->locations)
		return group;
	loom_group_free(group);
	return NULL;
}

void loom_group_free(struct loom_group *group)
{
	if (!group)
		return;
	free(group->first);
	free(group->done);
	free(group->loaded);
	free(group->need);
	free(group->active);
	free(group->local);
	free(group->residency);
	free(group->locations);
	free(group->items);
	free(group);
}

void loom_group_begin(struct loom_group *group, u32 first_unit, u32 slices, u32 cut_axis)
{
	u32 i;

	for (i = 0; i < group->num_roots; i++)
		group->local[group->roots[i].value] = 0;
	group->num_roots = 0;
	group->num_parts = 0;
	group->num_units = 0;
	group->first_unit = first_unit;
	group->slices = slices;
	group->input_slices = slices;
	group->cut_axis = cut_axis;
	group->recompute = false;
	group->batches = 1;
	group->manner = LOOM_GROUP_OWN;
	group->rows_known = false;
	group->faults = 0;
}

void loom_group_begin_recompute(struct loom_group *group, u32 first_unit, u32 slices, u32 batches,
				u32 cut_axis)
{
	loom_group_begin(group, first_unit, slices, cut_axis);
	group->recompute = slices > 1;
	group->batches = batches;
}

static struct loom_group_root *root_of(struct loom_group *group, u32 value)
{
	return group->local[value] ? &group->roots[group->local[value] - 1] : NULL;
}

/* How far one gets who does not have to wait for anybody. */
static u64 even_rows(const struct loom_group *group, u64 rows, u32 slice)
{
	return slice < group->input_slices
		       ? loom_div_round_up(rows * (slice + 1), group->input_slices)
		       : rows;
}

static struct loom_group_root *add_root(struct loom_group *group, u32 value,
					enum loom_group_root_kind kind, s8 axis)
{
	struct loom_group_root *root = &group->roots[group->num_roots];
	const struct loom_group_use *use = &group->list->uses[value];
	u32 index = group->num_roots, i;

	if (index == LOOM_GROUP_ROOTS)
		return NULL;
	*root = (struct loom_group_root){
		.value = value,
		.kind = kind,
		.axis = axis,
		.lanes = (1U << use->rank) - 1,
		.first_writer = LOOM_GROUP_NONE,
		.first_reader = LOOM_GROUP_NONE,
	};
	for (i = 0; i < use->rank; i++)
		root->hull.hi[i] = kind == LOOM_GROUP_INSIDE ? use->dims[i] : 0;
	for (i = 0; i < group->slices; i++) {
		*loom_group_row(group->need, index, i) = LOOM_GROUP_UNREAD;
		group->active[(size_t)index * LOOM_GROUP_SLICES + i] = 0;
		if (axis >= 0)
			*loom_group_row(group->loaded, index, i) =
				even_rows(group, use->dims[axis], i);
	}
	group->local[value] = ++group->num_roots;
	return root;
}

/* The one axis of an operand that steps along @axis of its value; false: none, or not plainly. */
bool loom_group_operand_axis(const struct loom_group_access *access, u32 rank, s8 axis, u32 *found)
{
	u32 count = 0, k;

	for (k = 0; k < rank; k++) {
		if (access->axis[k] != axis)
			continue;
		*found = k;
		count++;
	}
	return count == 1 && access->step[*found] > 0;
}

/* The one axis of an operand that follows axis @cut of the result. */
bool loom_group_follower(const struct loom_operand *operand, s8 cut, u32 *found)
{
	u32 count = 0, k;

	for (k = 0; k < operand->ref.rank && cut >= 0; k++) {
		if (operand->map[k].kind == LOOM_MAP_FULL || operand->map[k].axis != (u32)cut ||
		    operand->ref.dims[k] == 1)
			continue;
		*found = k;
		count++;
	}
	return count == 1;
}

/* The axis of the result that is cut, as operand @index wants it; -1: it does not care. */
static bool ask_operand(struct loom_group *group, const struct loom_group_op *op, u32 index,
			s8 *cut)
{
	const struct loom_operand *operand = &op->kernel.operands[index];
	const struct loom_group_access *access = &op->access[index];
	const struct loom_group_root *root = root_of(group, access->value);
	bool inside;
	u32 k;

	*cut = -1;
	if (operand->role != LOOM_ROLE_LOAD || !root)
		return true;
	inside = root->kind == LOOM_GROUP_INSIDE;
	if (inside && (root->partial || !access->plain))
		return false;
	if (!access->plain || group->slices == 1)
		return true;
	if (!loom_group_operand_axis(access, operand->ref.rank, root->axis, &k) ||
	    operand->map[k].kind == LOOM_MAP_FULL)
		return !inside;
	*cut = operand->map[k].axis;
	return true;
}

/* Agrees on the axis of the result that is cut. Operands from inside must be asked first. */
static bool choose_cut(struct loom_group *group, const struct loom_group_op *op, s8 *cut)
{
	const struct loom_kernel *kernel = &op->kernel;
	u32 i, k, inside;
	s8 asked;

	*cut = -1;
	for (inside = 2; inside-- > 0;) {
		u32 kind = inside ? LOOM_GROUP_INSIDE : LOOM_GROUP_INPUT;

		for (i = 1; i < kernel->num_operands; i++) {
			const struct loom_group_root *root = root_of(group, op->access[i].value);

			if (kernel->operands[i].role != LOOM_ROLE_LOAD || !root ||
			    root->kind != kind)
				continue;
			if (!ask_operand(group, op, i, &asked))
				return false;
			if (inside && *cut >= 0 && asked != *cut)
				return false;
			if (*cut < 0)
				*cut = asked;
		}
	}
	if (group->slices == 1)
		return true;
	if (*cut < 0) {
		if (!loom_group_operand_axis(&op->access[0], kernel->operands[0].ref.rank,
					     group->cut_axis, &k))
			return false;
		*cut = k;
	}
	if (kernel->whole >> *cut & 1 || op->access[0].axis[*cut] < 0)
		return false;
	/* groups of channels stay whole */
	return !(kernel->group > 1 && *cut == 1);
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

void loom_group_operand_box(const struct loom_kernel *kernel, u32 index,
			    const struct loom_group_box *out, struct loom_group_box *box)
{
	const struct loom_operand *operand = &kernel->operands[index];
	u32 i;

	memset(box, 0, sizeof(*box));
	for (i = 0; i < operand->ref.rank; i++)
		loom_kernel_range(kernel, operand, i, out->lo[operand->map[i].axis],
				  out->hi[operand->map[i].axis], &box->lo[i], &box->hi[i]);
}

void loom_group_value_box(const struct loom_group *group, u32 index, u32 operand,
			  const struct loom_group_box *of, struct loom_group_box *box)
{
	const struct loom_group_op *op = group->parts[index].op;
	const struct loom_group_access *access = &op->access[operand];

	loom_group_access_box(access, group->list->uses[access->value].rank,
			      op->kernel.operands[operand].ref.rank, of, box);
}

/* What an operand sees of its value in all. */
static void seen_box(const struct loom_group *group, u32 index, u32 operand,
		     struct loom_group_box *box)
{
	const struct loom_kernel *kernel = &group->parts[index].op->kernel;
	struct loom_group_box out, in;

	loom_group_whole_box(&kernel->operands[0].ref, &out);
	loom_group_operand_box(kernel, operand, &out, &in);
	loom_group_value_box(group, index, operand, &in, box);
}

static u64 part_rows(const struct loom_group_part *part)
{
	return part->op->kernel.operands[0].ref.dims[part->axis];
}

/* Rows of a value that are there for an operand after a slice. */
static u64 rows_there(struct loom_group *group, u32 index, u32 operand, u32 slice)
{
	u32 which = group->parts[index].root[operand], i;
	const struct loom_group_root *root = &group->roots[which];
	const struct loom_group_use *use = use_of(group, which);
	u64 there = use->dims[root->axis];
	struct loom_group_box seen, made;

	if (root->kind == LOOM_GROUP_INPUT)
		return *loom_group_row(group->loaded, which, slice);
	seen_box(group, index, operand, &seen);
	for (i = root->first_writer; i <= root->last_writer; i++) {
		const struct loom_group_part *writer = &group->parts[i];
		u64 done = *loom_group_row(group->done, i, slice);

		if (writer->root[0] != which || done == part_rows(writer))
			continue;
		seen_box(group, i, 0, &made);
		if (boxes_meet(&seen, &made, use->rank, root->axis))
			there = min(there, loom_group_part_start(writer) + done);
	}
	return there;
}

/* Whether the rows of an operand that row @row of the result needs are there. */
static bool row_fits(const struct loom_group_part *part, u32 operand, u32 axis, u64 row, u64 there)
{
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_group_access *access = &part->op->access[operand];
	u64 lo, hi;

	loom_kernel_range(kernel, &kernel->operands[operand], axis, 0, row + 1, &lo, &hi);
	return access->start[access->axis[axis]] + (u64)access->step[axis] * (hi - 1) < there;
}

/*
 * Other writers of the same value that have rows before this one's must be done: it would make
 * strips longer to run ahead. Returns whether they are.
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
		    *loom_group_row(group->done, i, slice) < part_rows(writer))
			return false;
	}
	return true;
}

/* The last of rows [@row, @limit] that the rows of an operand that are there allow for. */
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

/* One more slice, in which nothing comes in. What has run is done. */
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
 * Lets a part run through the slices. False: it never ends.
 *
 * Who lags behind has more to do at the end, and strips as long as that. Where slices are thin,
 * nobody makes more rows in one than its share: slices are added in which what is behind drains.
 */
static bool run_part(struct loom_group *group, u32 index)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	u32 axes[LOOM_KERNEL_OPERANDS], operands[LOOM_KERNEL_OPERANDS], n = 0, i, slice;
	u64 rows = part_rows(part), done = 0, limit, share = rows;

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
	/* rows are found from the end, when there is one */
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
		limit = n ? rows : even_rows(group, rows, slice);
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

/* Notes which rows of an operand are read in which slice. */
static void note_reads(struct loom_group *group, u32 index, u32 operand)
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

static bool is_const(const struct loom_group *group, u32 value)
{
	return group->list->lower->graph->values[value]->data;
}

/* An operand from outside: a strip that is shared, or SRAM of its own. */
static bool take_outside(struct loom_group *group, u32 index, u32 i)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_operand *operand = &part->op->kernel.operands[i];
	const struct loom_group_access *access = &part->op->access[i];
	struct loom_group_root *root = root_of(group, access->value);
	bool follows, strip;
	u32 axis = 0, outer, lanes;

	follows = loom_group_follower(operand, part->axis, &axis);
	if (follows || (group->batches > 1 && loom_group_follower(operand, 0, &outer)))
		part->varies |= 1U << i;
	part->root[i] = LOOM_GROUP_NONE;
	/* a copy from outside is loaded where it goes */
	if (part->op->kind == LOOM_GROUP_COPY && !root)
		return true;
	strip = access->plain && !is_const(group, access->value);
	if (group->slices > 1)
		strip = strip && follows && access->axis[axis] >= 0 && access->step[axis] > 0 &&
			(!root || root->axis == access->axis[axis]);
	lanes = root ? root->lanes & access->lanes : access->lanes;
	if (!strip || !lanes)
		return true;
	if (!root) {
		root = add_root(group, access->value, LOOM_GROUP_INPUT,
				group->slices > 1 ? access->axis[axis] : -1);
		if (!root)
			return false;
	}
	root->lanes = lanes;
	part->root[i] = group->local[access->value] - 1;
	return true;
}

static void note_reader(struct loom_group *group, u32 index, u32 i)
{
	u32 which = group->parts[index].root[i], k;
	struct loom_group_root *root = &group->roots[which];
	const struct loom_group_use *use = use_of(group, which);
	struct loom_group_box box;

	root->measured = false;
	if (!root->read)
		root->first_reader = index;
	root->last_reader = index;
	if (root->kind == LOOM_GROUP_INPUT) {
		seen_box(group, index, i, &box);
		for (k = 0; k < use->rank; k++) {
			if (!root->read || box.lo[k] < root->hull.lo[k])
				root->hull.lo[k] = box.lo[k];
			root->hull.hi[k] = max(root->hull.hi[k], box.hi[k]);
		}
	}
	root->read = true;
	if (root->axis >= 0 && !group->recompute)
		note_reads(group, index, i);
}

static bool take_operand(struct loom_group *group, u32 index, u32 i)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_group_access *access = &part->op->access[i];
	struct loom_group_root *root = root_of(group, access->value);

	if (!root || root->kind != LOOM_GROUP_INSIDE)
		return take_outside(group, index, i);
	root->lanes &= access->lanes;
	part->root[i] = root - group->roots;
	return root->lanes;
}

/* The value that a part writes: its first part here makes the root. */
static bool take_result(struct loom_group *group, u32 index)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_group_access *access = &part->op->access[0];
	const struct loom_group_use *use = &group->list->uses[access->value];
	struct loom_group_root *root = root_of(group, access->value);
	s8 axis = part->axis >= 0 ? access->axis[part->axis] : -1;
	bool partial = use->first_writer < group->list->units[group->first_unit].first_op;

	/* what was read from outside is not written inside; what is half outside is not shared */
	if (root && (root->kind != LOOM_GROUP_INSIDE || root->axis != axis || partial))
		return false;
	if (!root)
		root = add_root(group, access->value, LOOM_GROUP_INSIDE, axis);
	if (!root)
		return false;
	root->partial = partial;
	root->measured = false;
	root->lanes &= access->lanes;
	part->root[0] = root - group->roots;
	if (root->first_writer == LOOM_GROUP_NONE)
		root->first_writer = index;
	root->last_writer = index;
	if (partial)
		seen_box(group, index, 0, &root->hull);
	return root->lanes;
}

/* SRAM per lane of a row of a root's value; 0: it is not known. */
static u64 row_bytes(const struct loom_group *group, u32 which)
{
	const struct loom_group_use *use = use_of(group, which);

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

/* What it takes that a part waits: its operands are kept for so much longer. */
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
		rows = ahead * use_of(group, which)->dims[root->axis] / part_rows(part);
		bytes += rows > kept ? (rows - kept) * row_bytes(group, which) : 0;
	}
	return bytes;
}

/*
 * Branches of a concatenation lag behind by what their windows need. Those that are ahead fill
 * rows that nobody reads yet, and all of them are kept; where it takes less, they wait for the
 * slowest one, and their operands are kept instead.
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
		    part_rows(&group->parts[i]) != part_rows(&group->parts[index]))
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
			note_reads(group, i, k);
			group->roots[part->root[k]].measured = false;
		}
	}
	root->measured = false;
	memset(&group->active[(size_t)which * LOOM_GROUP_SLICES], 0, LOOM_GROUP_SLICES);
	for (i = root->first_writer; i <= index; i++)
		if (group->parts[i].root[0] == which)
			note_writes(group, i);
}

static bool append_op(struct loom_group *group, const struct loom_group_op *op)
{
	struct loom_group_part *part = &group->parts[group->num_parts];
	u32 index = group->num_parts, i;
	s8 cut;

	if (index == LOOM_GROUP_OPS || !choose_cut(group, op, &cut))
		return false;
	group->work += 20 + 10ULL * group->slices;
	*part = (struct loom_group_part){ .op = op, .axis = cut };
	for (i = 0; i < LOOM_KERNEL_OPERANDS; i++)
		part->root[i] = LOOM_GROUP_NONE;
	for (i = 1; i < op->kernel.num_operands; i++)
		if (op->kernel.operands[i].role == LOOM_ROLE_LOAD && !take_operand(group, index, i))
			return false;
	if (!take_result(group, index))
		return false;
	if (cut >= 0 && !run_part(group, index))
		return false;
	group->num_parts++;
	for (i = 1; i < op->kernel.num_operands; i++) {
		if (part->root[i] != LOOM_GROUP_NONE)
			note_reader(group, index, i);
		else if (op->kernel.operands[i].role != LOOM_ROLE_TEMP && group->slices > 1 &&
			 op->kind == LOOM_GROUP_COMPUTE && !(part->varies >> i & 1))
			part->held |= 1U << i;
	}
	if (cut >= 0 && !group->recompute) {
		note_writes(group, index);
		align_writers(group, index);
	}
	return group->batches == 1 || loom_group_can_batch(group, index);
}

bool loom_group_is_own(const struct loom_group *group, const struct loom_group_part *part, u32 i)
{
	if (part->root[i] != LOOM_GROUP_NONE || part->op->kind != LOOM_GROUP_COMPUTE)
		return false;
	return part->op->kernel.operands[i].role != LOOM_ROLE_LOAD ||
	       !(group->residency[part->op->access[i].value] & LOOM_GROUP_RESIDENT_IN);
}

bool loom_group_append(struct loom_group *group)
{
	const struct loom_group_unit *unit;
	u32 at = group->first_unit + group->num_units, i;

	if (at >= group->list->num_units)
		return false;
	unit = &group->list->units[at];
	if (unit->ungroupable)
		return false;
	for (i = 0; i < unit->num_ops; i++)
		if (!append_op(group, group->list->ops[unit->first_op + i]))
			return false;
	group->num_units++;
	group->rows_known = false;
	return true;
}
