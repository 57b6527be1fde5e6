// SPDX-License-Identifier: MIT
/*
 * What a group costs. DRAM bytes are counted as the engine counts them: elements of the views that
 * are loaded and stored. What breaks ties is positions, of all slices: dividing looks at hundreds
 * of thousands of groups, and what streams take in real cycles (cycles.c) has to be summed up
 * position by position. Weights that are streamed are loaded one position before they are needed,
 * beside the work of the one before where that costs no more bytes; those that are held, once.
 */
#include "schedule.h"

/* What slices load of a root that is recomputed. */
static u64 recompute_bytes(const struct loom_group *group, const struct loom_group_root *root)
{
	const struct loom_group_use *use = &group->list->uses[root->value];
	struct loom_group_box box;
	u64 elems = 0;
	u32 slice;

	for (slice = 0; slice < group->slices; slice++) {
		box = root->hull;
		loom_group_batch(group, slice, &box);
		if (loom_group_strip(group, root - group->roots, slice, &box.lo[root->axis],
				     &box.hi[root->axis]))
			elems += loom_group_box_elems(&box, use->rank);
	}
	return elems * use->elem_bytes;
}

static u64 root_bytes(const struct loom_group *group, const struct loom_group_root *root)
{
	const struct loom_group_use *use = &group->list->uses[root->value];
	struct loom_group_box box = root->hull;

	if (root->kind != LOOM_GROUP_INPUT ||
	    group->residency[root->value] & LOOM_GROUP_RESIDENT_IN)
		return 0;
	if (group->recompute)
		return recompute_bytes(group, root);
	if (root->axis >= 0) {
		box.lo[root->axis] = 0;
		box.hi[root->axis] = use->dims[root->axis];
	}
	return loom_group_box_elems(&box, use->rank) * use->elem_bytes;
}

/* What is loaded for operand @i of a part besides strips. */
static u64 own_bytes(const struct loom_group_part *part, u32 i, bool once)
{
	u64 bytes = part->loaded_bytes[i], kept = 0;

	if (once || part->varies >> i & 1 || part->held >> i & 1)
		return bytes;
	/* chunks are equal but for the last, which is not kept unless all are */
	if (loom_group_keeps_chunk(part, i, 0))
		kept = bytes / part->op->kernel.operands[0].ref.dims[part->chunk_axis] *
		       part->chunk * part->kept_chunks;
	return kept + (bytes - kept) * part->active;
}

static u64 part_bytes(const struct loom_group *group, const struct loom_group_part *part,
		      bool once)
{
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_ref *y = &kernel->operands[0].ref;
	u64 bytes = 0, stored = loom_dtype_bytes(y->dtype);
	u32 i;

	for (i = 0; i < y->rank; i++)
		stored *= y->dims[i];
	if (group->roots[part->root[0]].stored)
		bytes += stored;
	for (i = 1; i < kernel->num_operands; i++)
		if (kernel->operands[i].role == LOOM_ROLE_LOAD &&
		    part->root[i] == LOOM_GROUP_NONE &&
		    !(group->residency[part->op->access[i].value] & LOOM_GROUP_RESIDENT_IN))
			bytes += own_bytes(part, i, once);
	return bytes;
}

static u64 group_bytes(const struct loom_group *group, bool once)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < group->num_roots; i++)
		bytes += root_bytes(group, &group->roots[i]);
	for (i = 0; i < group->num_residents; i++)
		if (group->residency[group->residents[i]] & LOOM_GROUP_RESIDENT_FLUSH)
			bytes += loom_group_value_bytes(&group->list->uses[group->residents[i]]);
	for (i = 0; i < group->num_parts; i++)
		bytes += part_bytes(group, &group->parts[i], once);
	return bytes;
}

u64 loom_group_cost_floor(struct loom_group *group)
{
	loom_group_mark_stored(group);
	loom_group_measure(group);
	return group_bytes(group, true);
}

void loom_group_cost_count(struct loom_group *group)
{
	group->cost.bytes = group_bytes(group, false);
	group->cost.cycles = (u64)group->slices * group->num_entries;
}

u64 loom_group_least_bytes(const struct loom_group_list *list, u32 unit)
{
	u64 sum = 0, bytes;
	u32 i, k, a;

	for (i = 0; i < list->units[unit].num_ops; i++) {
		u32 index = list->units[unit].first_op + i;
		const struct loom_kernel *kernel = &list->ops[index]->kernel;

		for (k = 0; k < kernel->num_operands; k++) {
			const struct loom_operand *operand = &kernel->operands[k];
			u32 value = list->ops[index]->access[k].value;

			bytes = loom_dtype_bytes(operand->ref.dtype);
			for (a = 0; a < operand->ref.rank; a++)
				bytes *= operand->ref.dims[a];
			if (operand->role == LOOM_ROLE_STORE && list->uses[value].output)
				sum += bytes;
			if (operand->role == LOOM_ROLE_LOAD &&
			    list->lower->graph->values[value]->data &&
			    list->uses[value].last_reader == index)
				sum += bytes;
		}
	}
	return sum;
}
