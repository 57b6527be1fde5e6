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
static u64 own_bytes(const struct loom_group *group, u32 index, u32 i)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_ref *ref = &kernel->operands[i].ref;
	struct loom_group_box out, box;
	u64 elems = 0, once, active = 0;
	bool follows = false;
	u32 slice, c, k;

	for (k = 0; k < ref->rank && part->chunk; k++)
		follows |= kernel->operands[i].map[k].kind != LOOM_MAP_FULL &&
			   kernel->operands[i].map[k].axis == part->chunk_axis && ref->dims[k] > 1;
	for (slice = 0; slice < group->slices; slice++) {
		if (!loom_group_part_box(group, index, slice, 0, &out))
			continue;
		active++;
		if (active > 1 && !(part->varies >> i & 1))
			continue;
		for (c = 0; c < (follows ? part->entries : 1); c++) {
			loom_group_part_box(group, index, slice, c, &out);
			loom_group_operand_box(kernel, i, &out, &box);
			elems += box_elems(&box, ref->rank);
		}
	}
	once = elems * loom_dtype_bytes(ref->dtype);
	if (part->varies >> i & 1 || part->held >> i & 1)
		return once;
	return once * active;
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
				cost->bytes += own_bytes(group, index, i);
	}
	cost->cycles = (u64)group->slices * group->num_entries;
}
