// SPDX-License-Identifier: MIT
/*
 * What a group costs. DRAM bytes are counted as the engine counts them: elements of the views that
 * are loaded and stored. Cycles are those of a device that moves CYCLE_BYTES and does CYCLE_MACS in
 * each lane per cycle; where loads overlap, the longer of both counts.
 */
#include "group.h"

static u64 box_elems(const struct loom_group_box *box, u32 rank)
{
	u64 elems = 1;
	u32 i;

	for (i = 0; i < rank; i++)
		elems *= box->hi[i] - box->lo[i];
	return elems;
}

static u64 root_bytes(const struct loom_group *group, const struct loom_group_root *root)
{
	const struct loom_group_use *use = &group->list->uses[root->value];
	struct loom_group_box box = root->hull;

	if (root->kind != LOOM_GROUP_INPUT)
		return 0;
	if (root->axis >= 0) {
		box.lo[root->axis] = 0;
		box.hi[root->axis] = use->dims[root->axis];
	}
	return box_elems(&box, use->rank) * use->elem_bytes;
}

/* What is loaded for operand @i of a part besides strips. */
static u64 own_bytes(const struct loom_group_part *part, u32 i)
{
	if (part->varies >> i & 1 || part->held >> i & 1)
		return part->loaded_bytes[i];
	return part->loaded_bytes[i] * part->active;
}

void loom_group_cost_count(struct loom_group *group)
{
	struct loom_group_cost *cost = &group->cost;
	u32 index, i;

	cost->bytes = 0;
	for (i = 0; i < group->num_roots; i++)
		cost->bytes += root_bytes(group, &group->roots[i]);
	for (index = 0; index < group->num_parts; index++) {
		const struct loom_group_part *part = &group->parts[index];
		const struct loom_ref *y = &part->op->kernel.operands[0].ref;
		u64 stored = loom_dtype_bytes(y->dtype);

		for (i = 0; i < y->rank; i++)
			stored *= y->dims[i];
		if (group->roots[part->root[0]].stored)
			cost->bytes += stored;
		for (i = 1; i < part->op->kernel.num_operands; i++)
			if (part->op->kernel.operands[i].role == LOOM_ROLE_LOAD &&
			    part->root[i] == LOOM_GROUP_NONE)
				cost->bytes += own_bytes(part, i);
	}
	cost->cycles = (u64)group->slices * group->num_entries;
}
