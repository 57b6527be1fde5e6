// SPDX-License-Identifier: MIT
/*
 * Boxes: the part of an operand that an operation needs for a part of its result, and the part of a
 * value that it covers. Computed from the maps of the kernel and the access of the operand, see
 * list.h.
 */
#include "group/model/model.h"

#include <string.h>

void loom_group_access_box(const struct loom_group_access *access, u32 value_rank, u32 rank,
			   const struct loom_group_box *operand, struct loom_group_box *box)
{
	u32 i, k;

	for (i = 0; i < value_rank; i++) {
		box->lo[i] = access->start[i];
		box->hi[i] = access->start[i];
	}
	for (k = 0; k < rank; k++) {
		s64 step = access->step[k], first, last;

		if (access->axis[k] < 0)
			continue;
		first = step * (s64)operand->lo[k];
		last = step * (s64)(operand->hi[k] - 1);
		box->lo[access->axis[k]] += min(first, last);
		box->hi[access->axis[k]] += max(first, last);
	}
	for (i = 0; i < value_rank; i++)
		box->hi[i]++;
}

void loom_group_operand_box(const struct loom_kernel *kernel, u32 index,
			    const struct loom_group_box *out, struct loom_group_box *box)
{
	const struct loom_operand *operand = &kernel->operands[index];
	u32 i;

	memset(box, 0, sizeof(*box));
	for (i = 0; i < operand->ref.rank; i++) {
		const struct loom_map *map = &operand->map[i];

		/* the case of most axes, without a call */
		if (map->kind == LOOM_MAP_FULL &&
		    (!out->hi[LOOM_SUM_AXIS] || !loom_kernel_is_summed(kernel, map))) {
			box->hi[i] = operand->ref.dims[i];
		} else if (map->kind <= LOOM_MAP_SAME) {
			box->lo[i] = out->lo[map->axis];
			box->hi[i] = out->hi[map->axis];
		} else {
			loom_kernel_range(kernel, operand, i, out->lo[map->axis],
					  out->hi[map->axis], &box->lo[i], &box->hi[i]);
		}
	}
}

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

void loom_group_value_box(const struct loom_group *group, u32 index, u32 operand,
			  const struct loom_group_box *of, struct loom_group_box *box)
{
	const struct loom_group_op *op = group->parts[index].op;
	const struct loom_group_access *access = &op->access[operand];

	loom_group_access_box(access, group->list->uses[access->value].rank,
			      op->kernel.operands[operand].ref.rank, of, box);
}

void loom_group_seen_box(const struct loom_group *group, u32 index, u32 operand,
			 struct loom_group_box *box)
{
	const struct loom_kernel *kernel = &group->parts[index].op->kernel;
	struct loom_group_box out, in;

	loom_group_whole_box(&kernel->operands[0].ref, &out);
	loom_group_operand_box(kernel, operand, &out, &in);
	loom_group_value_box(group, index, operand, &in, box);
}

u64 loom_group_box_elems(const struct loom_group_box *box, u32 rank)
{
	u64 elems = 1;
	u32 i;

	for (i = 0; i < rank; i++)
		elems *= box->hi[i] - box->lo[i];
	return elems;
}

u64 loom_group_part_bytes(const struct loom_group_use *use, const struct loom_group_box *box)
{
	return loom_dtype_row_bytes(use->dtype, loom_group_box_elems(box, use->rank));
}

u64 loom_group_box_bytes(const struct loom_group_box *box, const struct loom_ref *ref)
{
	return loom_dtype_row_bytes(ref->dtype, loom_group_box_elems(box, ref->rank));
}

u64 loom_group_ref_bytes(const struct loom_ref *ref)
{
	u64 elems = 1;
	u32 i;

	for (i = 0; i < ref->rank; i++)
		elems *= ref->dims[i];
	return loom_dtype_row_bytes(ref->dtype, elems);
}
