// SPDX-License-Identifier: MIT
/* Bytes of SRAM per lane: strips, line buffers, and the operands of parts' own. */
#include "group/schedule/schedule.h"

u64 loom_group_lane_bytes(const struct loom_group *group, const struct loom_group_box *box,
			  u32 rank, u32 lane, u32 dtype)
{
	const struct loom_slice_limits *sram = &group->list->lower->sram;
	u64 elems = 1, bytes;
	u32 i;

	for (i = 0; i < rank; i++) {
		u64 dim = box->hi[i] - box->lo[i];

		if (i == lane)
			dim = loom_div_round_up(dim, sram->lanes);
		if (check_mul_overflow(elems, dim, &elems) || elems > S64_MAX / 32)
			return S64_MAX / 4;
	}
	bytes = loom_dtype_row_bytes(dtype, elems);
	return loom_div_round_up(bytes, sram->align_bytes) * sram->align_bytes;
}

bool loom_group_follows_chunks(const struct loom_group_part *part, u32 i)
{
	const struct loom_operand *operand = &part->op->kernel.operands[i];
	u32 k;

	for (k = 0; k < operand->ref.rank && part->chunk; k++)
		if ((operand->map[k].kind != LOOM_MAP_FULL ||
		     loom_kernel_is_summed(&part->op->kernel, &operand->map[k])) &&
		    operand->map[k].axis == part->chunk_axis && operand->ref.dims[k] > 1)
			return true;
	return false;
}

static bool still_needed(const struct loom_group *group, u32 which, u32 slice)
{
	return group->need[(size_t)which * LOOM_GROUP_SLICES + slice] != LOOM_GROUP_UNREAD;
}

bool loom_group_keeps_chunk(const struct loom_group_part *part, u32 i, u32 chunk)
{
	return chunk < part->kept_chunks &&
	       part->op->kernel.operands[i].role == LOOM_ROLE_LOAD &&
	       !((part->held | part->varies | part->direct) >> i & 1) &&
	       loom_group_follows_chunks(part, i);
}

/* Measures rows of strips and of line buffers; returns whether a line must outlive a slice. */
static bool measure_rows(const struct loom_group *group, u32 which, struct loom_group_root *root)
{
	bool idle = false, kept_before = false;
	u32 slice, i;
	u64 lo, hi, from, to, least;

	root->rows = 0;
	root->kept = 0;
	if (root->axis < 0)
		return false;
	for (slice = 0; slice < group->slices; slice++) {
		if (!loom_group_strip(group, which, slice, &lo, &hi)) {
			idle |= kept_before && still_needed(group, which, slice);
			continue;
		}
		root->rows = max(root->rows, hi - lo);
		if (root->kind == LOOM_GROUP_INPUT) {
			if (loom_group_kept(group, which, 0, slice, &from, &to))
				root->kept = max(root->kept, to - from);
			continue;
		}
		least = U64_MAX;
		hi = 0;
		for (i = root->first_writer; i <= root->last_writer; i++) {
			if (group->parts[i].root[0] != which ||
			    !loom_group_kept(group, which, i, slice, &from, &to))
				continue;
			least = min(least, from);
			hi = max(hi, to);
		}
		if (hi > least)
			root->kept = max(root->kept, hi - least);
		kept_before = true;
	}
	return idle && root->kept;
}

static void root_box(const struct loom_group *group, const struct loom_group_root *root, u64 rows,
		     struct loom_group_box *box)
{
	*box = root->hull;
	/* the first batch is the largest */
	loom_group_batch(group, 0, box);
	if (root->axis >= 0) {
		box->lo[root->axis] = 0;
		box->hi[root->axis] = rows;
	}
}

static u64 whole_blocks(u64 count, u32 block)
{
	return block > 1 ? loom_div_round_up(count, block) * block : count;
}

/* Elements in a lane, in whole blocks of its array, that a product makes of @box of a root. */
static u64 block_rounds(const struct loom_group *group, const struct loom_group_part *part,
			const struct loom_group_box *box, u32 lane)
{
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_group_access *access = &part->op->access[0];
	const struct loom_lower *lower = group->list->lower;
	const struct drm_loom_chip_array *array;
	u64 channels = 1, positions = 1;
	u32 i;

	if (!kernel->num_stages || kernel->stages[0].opcode != DRM_LOOM_OP_MATMUL)
		return 0;
	array = &lower->chip->array[kernel->operands[kernel->stages[0].operand[1]].ref.dtype];
	if (array->out_channels < 2 && array->positions < 2)
		return 0;
	for (i = 0; i < kernel->operands[0].ref.rank; i++) {
		s8 axis = access->axis[i];
		u64 count = axis < 0 ? 1 : box->hi[axis] - box->lo[axis];

		count = min(count, kernel->operands[0].ref.dims[i]);
		if (axis == (s8)lane && access->step[i] == 1)
			count = loom_div_round_up(count, lower->sram.lanes);
		if (i == 3)
			channels = count;
		else
			positions *= count;
	}
	return whole_blocks(channels, array->out_channels) *
	       whole_blocks(positions, array->positions);
}

/* Whether a lane axis takes less SRAM, or a bit more for a quarter less work. */
static bool is_better_lane(u64 bytes, u64 rounds, u64 best_bytes, u64 best_rounds)
{
	if (rounds * 4 <= best_rounds * 3 && rounds < best_rounds)
		return bytes - bytes / 32 <= best_bytes;
	if (best_rounds * 4 <= rounds * 3 && best_rounds)
		return bytes < best_bytes - best_bytes / 32;
	return bytes < best_bytes;
}

/*
 * Selects the lane axis of a root that minimizes its size, preferably not the cut axis. A product
 * with few rows per lane fills the blocks of its array better with columns in the lanes.
 */
static u64 choose_lane(const struct loom_group *group, u32 which, struct loom_group_root *root)
{
	const struct loom_group_use *use = &group->list->uses[root->value];
	u64 best = U64_MAX, best_rounds = 0, bytes, rounds;
	struct loom_group_box box;
	u32 pass, i, k;

	root_box(group, root, root->rows, &box);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < use->rank; i++) {
			if (!(root->lanes >> i & 1) || ((s8)i == root->axis) != pass)
				continue;
			bytes = loom_group_lane_bytes(group, &box, use->rank, i, use->dtype);
			for (k = root->first_writer, rounds = 0;
			     root->kind == LOOM_GROUP_INSIDE && k <= root->last_writer; k++)
				if (group->parts[k].root[0] == which)
					rounds += block_rounds(group, &group->parts[k], &box, i);
			if (!is_better_lane(bytes, rounds, best, best_rounds))
				continue;
			best = bytes;
			best_rounds = rounds;
			root->lane = i;
		}
	}
	return best;
}

/* The box of operand @i of a part's own for all chunks of a slice. */
static void all_chunks_box(const struct loom_group *group, u32 index, u32 i, u32 slice,
			   struct loom_group_box *box)
{
	struct loom_group_box out;
	const struct loom_group_part *part = &group->parts[index];
	u32 axis = part->chunk_axis;

	loom_group_part_box(group, index, slice, 0, &out);
	if (part->chunk) {
		out.lo[axis] = 0;
		out.hi[axis] = part->op->kernel.operands[0].ref.dims[axis];
	}
	loom_group_operand_box(&part->op->kernel, i, &out, box);
}

static u64 box_bytes(const struct loom_group *group, const struct loom_operand *operand,
		     const struct loom_group_box *box)
{
	return loom_group_lane_bytes(group, box, operand->ref.rank, operand->lane_axis,
				     operand->ref.dtype);
}

/* Whether chunks of a part divide an operand: each of its elements belongs to one of them. */
static bool chunks_divide(const struct loom_group_part *part, u32 i)
{
	const struct loom_operand *operand = &part->op->kernel.operands[i];
	u32 found;

	if (loom_group_sums_chunks(part))
		return loom_dtype_bits(operand->ref.dtype) % 8 == 0;
	return loom_dtype_bits(operand->ref.dtype) % 8 == 0 &&
	       loom_group_follower(operand, part->chunk_axis, &found) &&
	       operand->map[found].kind == LOOM_MAP_SAME;
}

/* Bytes of an operand that all chunks of a slice load; @all: its box for all of them. */
static u64 chunk_bytes(const struct loom_group *group, u32 index, u32 i, u32 slice,
		       const struct loom_group_box *all)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	struct loom_group_box out, box;
	u64 bytes = 0;
	u32 c;

	if (!loom_group_follows_chunks(part, i) || chunks_divide(part, i))
		return loom_group_box_bytes(all, &kernel->operands[i].ref);
	for (c = 0; loom_group_part_box(group, index, slice, c, &out); c++) {
		loom_group_operand_box(kernel, i, &out, &box);
		bytes += loom_group_box_bytes(&box, &kernel->operands[i].ref);
	}
	return bytes;
}

static void measure_operand(struct loom_group *group, u32 index, u32 i)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_operand *operand = &part->op->kernel.operands[i];
	bool varies = part->varies >> i & 1 || operand->role == LOOM_ROLE_TEMP;
	struct loom_group_box out, box;
	u32 slice;

	part->bytes[i] = 0;
	part->held_bytes[i] = 0;
	part->loaded_bytes[i] = 0;
	for (slice = 0; slice < group->slices; slice++) {
		if (!loom_group_part_box(group, index, slice, 0, &out))
			continue;
		loom_group_operand_box(&part->op->kernel, i, &out, &box);
		part->bytes[i] = max(part->bytes[i], box_bytes(group, operand, &box));
		all_chunks_box(group, index, i, slice, &box);
		if (operand->role == LOOM_ROLE_LOAD)
			part->loaded_bytes[i] += chunk_bytes(group, index, i, slice, &box);
		part->held_bytes[i] = max(part->held_bytes[i], box_bytes(group, operand, &box));
		/* an operand that does not follow the rows is the same in each slice */
		if (!varies)
			break;
	}
}

static void measure_part(struct loom_group *group, u32 index)
{
	struct loom_group_part *part = &group->parts[index];
	struct loom_group_box out;
	u32 i;

	part->active = 0;
	for (i = 0; i < group->slices; i++)
		part->active += loom_group_part_box(group, index, i, 0, &out);
	for (i = 1; i < part->op->kernel.num_operands; i++)
		if (part->root[i] == LOOM_GROUP_NONE)
			measure_operand(group, index, i);
}

static void measure_root(const struct loom_group *group, u32 which, struct loom_group_root *root)
{
	const struct loom_group_use *use = &group->list->uses[root->value];
	struct loom_group_box box;

	root->long_line = measure_rows(group, which, root);
	root->strip_bytes = choose_lane(group, which, root);
	root_box(group, root, root->kept, &box);
	root->line_bytes = root->kept ? loom_group_lane_bytes(group, &box, use->rank, root->lane,
							      use->dtype) : 0;
}

void loom_group_measure(struct loom_group *group)
{
	u32 i;

	if (group->recompute && !group->rows_known)
		loom_group_halos(group);
	for (i = 0; i < group->num_roots; i++) {
		if (!group->roots[i].measured)
			measure_root(group, i, &group->roots[i]);
		group->roots[i].measured = true;
	}
	for (i = 0; i < group->num_parts; i++) {
		if (!group->parts[i].measured)
			measure_part(group, i);
		group->parts[i].measured = true;
	}
}
