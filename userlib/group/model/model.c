// SPDX-License-Identifier: MIT
/*
 * A group grows by one unit at a time: the values it has in SRAM, and the axis of each that is cut
 * into slices. strip.c or halo.c compute the rows of each slice.
 *
 * The cut axis follows from the first operator: through the maps and accesses, each value has one.
 * An operator that needs a whole axis that is cut (a reduction, a product) cannot be in the group,
 * and ends it.
 */
#include "group/model/model.h"

#include "group/model/member.h"

#include "lower/storage.h"
#include <stdlib.h>

struct loom_group *loom_group_make(const struct loom_group_list *list,
				   const struct loom_group_rules *rules)
{
	struct loom_group *group = calloc(1, sizeof(*group));
	size_t values = (size_t)list->lower->graph->num_values + 1;

	if (!group)
		return NULL;
	group->list = list;
	group->rules = rules;
	group->local = calloc(values, sizeof(*group->local));
	group->residency = calloc(values, sizeof(*group->residency));
	group->locations = calloc(values, sizeof(*group->locations));
	if (group->local && group->residency && group->locations)
		return group;
	loom_group_free(group);
	return NULL;
}

void loom_group_free(struct loom_group *group)
{
	if (!group)
		return;
	free(group->parts);
	free(group->roots);
	free(group->first);
	free(group->done);
	free(group->unfitted);
	free(group->loaded);
	free(group->need);
	free(group->active);
	free(group->local);
	free(group->residency);
	free(group->locations);
	free(group->items);
	free(group->change);
	free(group->alive);
	loom_seen_free(&group->misfits);
	free(group);
}

/* Grows an array to @count elements of @bytes each. */
static bool grow_array(void **array, u32 count, size_t bytes)
{
	void *more = realloc(*array, count * bytes);

	if (more)
		*array = more;
	return more;
}

/* Makes room for another part and its roots. Returns false without memory. */
static bool make_room(struct loom_group *group)
{
	const size_t row = LOOM_GROUP_SLICES * sizeof(u32);
	u32 parts = 2 * group->cap_parts + 64, roots = 2 * group->cap_roots + 128;

	if (group->num_parts == group->cap_parts) {
		if (!grow_array((void **)&group->parts, parts, sizeof(*group->parts)) ||
		    !grow_array((void **)&group->unfitted, parts, sizeof(*group->parts)) ||
		    !grow_array((void **)&group->first, parts, row) ||
		    !grow_array((void **)&group->done, parts, row))
			return false;
		group->cap_parts = parts;
	}
	if (group->num_roots + LOOM_KERNEL_OPERANDS > group->cap_roots) {
		if (!grow_array((void **)&group->roots, roots, sizeof(*group->roots)) ||
		    !grow_array((void **)&group->loaded, roots, row) ||
		    !grow_array((void **)&group->need, roots, row) ||
		    !grow_array((void **)&group->active, roots, LOOM_GROUP_SLICES))
			return false;
		group->cap_roots = roots;
	}
	return true;
}

/* Lack of memory must not look like an impossible group, so the plan ends. */
static bool grow(struct loom_group *group)
{
	bool good = make_room(group);

	if (!good)
		group->list->lower->build->status = -ENOMEM;
	return good;
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

static struct loom_group_root *add_root(struct loom_group *group, u32 value,
					enum loom_group_root_kind kind, s8 axis)
{
	struct loom_group_root *root = &group->roots[group->num_roots];
	const struct loom_group_use *use = &group->list->uses[value];
	u32 index = group->num_roots, i;

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
				loom_group_even_rows(group, use->dims[axis], i);
	}
	group->local[value] = ++group->num_roots;
	return root;
}

static struct loom_group_known known_of(struct loom_group *group, u32 value)
{
	const struct loom_group_root *root = root_of(group, value);

	if (!root)
		return (struct loom_group_known){ .known = false };
	return (struct loom_group_known){
		.known = true,
		.inside = root->kind == LOOM_GROUP_INSIDE,
		.partial = root->partial,
		.axis = root->axis,
	};
}

static bool choose_cut(struct loom_group *group, const struct loom_group_op *op, s8 *cut)
{
	struct loom_group_known known[LOOM_KERNEL_OPERANDS];
	u32 i;

	for (i = 1; i < op->kernel.num_operands; i++)
		known[i] = known_of(group, op->access[i].value);
	return loom_group_member_cut(op, known, group->slices > 1, group->cut_axis, cut);
}

static bool is_const(const struct loom_group *group, u32 value)
{
	return group->list->lower->graph->values[value]->data;
}

/* An operand from outside gets a shared strip, or SRAM of its own. */
static bool take_outside(struct loom_group *group, u32 index, u32 i)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_operand *operand = &part->op->kernel.operands[i];
	const struct loom_group_access *access = &part->op->access[i];
	const struct loom_group_known known = known_of(group, access->value);
	struct loom_group_root *root = root_of(group, access->value);
	bool follows, strip;
	u32 axis = 0, outer, lanes;

	strip = loom_group_member_strip(part->op, i, &known, part->axis, &axis, &follows) &&
		!is_const(group, access->value);
	if (follows || (group->batches > 1 && loom_group_follower(operand, 0, &outer)))
		part->varies |= 1U << i;
	part->root[i] = LOOM_GROUP_NONE;
	/* a copy from outside is loaded to its destination */
	if (part->op->kind == LOOM_GROUP_COPY && !root)
		return true;
	lanes = root ? root->lanes & access->lanes : access->lanes;
	if (!strip || !lanes)
		return true;
	if (!root)
		root = add_root(group, access->value, LOOM_GROUP_INPUT,
				group->slices > 1 ? access->axis[axis] : -1);
	root->lanes = lanes;
	part->root[i] = group->local[access->value] - 1;
	return true;
}

static void note_reader(struct loom_group *group, u32 index, u32 i)
{
	u32 which = group->parts[index].root[i], k;
	struct loom_group_root *root = &group->roots[which];
	const struct loom_group_use *use = loom_group_root_use(group, which);
	struct loom_group_box box;

	root->measured = false;
	if (!root->read)
		root->first_reader = index;
	root->last_reader = index;
	if (root->kind == LOOM_GROUP_INPUT) {
		loom_group_seen_box(group, index, i, &box);
		for (k = 0; k < use->rank; k++) {
			if (!root->read || box.lo[k] < root->hull.lo[k])
				root->hull.lo[k] = box.lo[k];
			root->hull.hi[k] = max(root->hull.hi[k], box.hi[k]);
		}
	}
	root->read = true;
	if (root->axis >= 0 && !group->recompute)
		loom_group_note_reads(group, index, i);
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

/* The root of the value that a part writes, made with its first part. */
static bool take_result(struct loom_group *group, u32 index)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_group_access *access = &part->op->access[0];
	const struct loom_group_use *use = &group->list->uses[access->value];
	const struct loom_group_known known = known_of(group, access->value);
	struct loom_group_root *root = root_of(group, access->value);
	s8 axis = part->axis >= 0 ? access->axis[part->axis] : -1;
	bool partial = use->first_writer < group->list->units[group->first_unit].first_op;

	if (!loom_group_member_writes(&known, axis, partial))
		return false;
	if (!root)
		root = add_root(group, access->value, LOOM_GROUP_INSIDE, axis);
	root->partial = partial;
	root->measured = false;
	root->lanes &= access->lanes;
	part->root[0] = root - group->roots;
	if (root->first_writer == LOOM_GROUP_NONE)
		root->first_writer = index;
	root->last_writer = index;
	if (partial)
		loom_group_seen_box(group, index, 0, &root->hull);
	return root->lanes;
}

static bool append_op(struct loom_group *group, const struct loom_group_op *op)
{
	struct loom_group_part *part;
	u32 index = group->num_parts, i;
	s8 cut;

	if (!grow(group) || !choose_cut(group, op, &cut))
		return false;
	part = &group->parts[index];
	loom_group_spend(group, 20 + 10ULL * group->slices);
	*part = (struct loom_group_part){ .op = op, .axis = cut };
	for (i = 0; i < LOOM_KERNEL_OPERANDS; i++)
		part->root[i] = LOOM_GROUP_NONE;
	for (i = 1; i < op->kernel.num_operands; i++)
		if (op->kernel.operands[i].role == LOOM_ROLE_LOAD && !take_operand(group, index, i))
			return false;
	if (!take_result(group, index))
		return false;
	if (cut >= 0 && !loom_group_run_part(group, index))
		return false;
	group->num_parts++;
	for (i = 1; i < op->kernel.num_operands; i++) {
		if (part->root[i] != LOOM_GROUP_NONE)
			note_reader(group, index, i);
		else if (op->kernel.operands[i].role != LOOM_ROLE_TEMP && group->slices > 1 &&
			 op->kind == LOOM_GROUP_COMPUTE && !(part->varies >> i & 1))
			part->held |= 1U << i;
		else if (op->kernel.operands[i].in_place)
			part->direct |= 1U << i;
	}
	if (cut >= 0 && !group->recompute)
		loom_group_note_writes(group, index);
	return group->batches == 1 || loom_group_can_batch(group, index);
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
	if (loom_watch_now)
		loom_watch_node(group->list->lower->storage->nodes[unit->node]->name);
	for (i = 0; i < unit->num_ops; i++)
		if (!append_op(group, group->list->ops[unit->first_op + i]))
			return false;
	group->num_units++;
	group->rows_known = false;
	return true;
}
