// SPDX-License-Identifier: MIT
/*
 * DOC: The time of a group
 *
 * The total time of both streams of a group, by the chip's clock, before commands exist. It is
 * counted as core/clock does later: the start of each command, latencies, bursts of each run of
 * contiguous bytes in the DRAM, rows of lanes of results, copies to and from line buffers. The
 * order of events does not matter here, because loads may move to idle positions.
 *
 * cycles.c computes the streams position by position, for strategies whose groups are not retimed.
 * Rejected: the same figures for both. Bursts are counted in each run of each strip, and the
 * baseline planners would no longer match their descriptions.
 */
#include "group/schedule/schedule.h"

#include "loom_clock.h"
#include "lower/storage.h"

/**
 * struct span - cycles of one slice, and for which rows they are
 * @dma: DMA stream
 * @compute: compute stream
 * @rows: number of rows, of the part or root
 */
struct span {
	u64 dma;
	u64 compute;
	u64 rows;
};

/* Bytes that the DRAM moves for a part of @ref, rounded up to bursts, as the clock counts runs. */
static u64 burst_bytes(const struct drm_loom_chip_region *region, const struct loom_ref *ref,
		       const struct loom_group_box *box)
{
	u64 run = loom_dtype_stride(ref->dtype), runs = 1;
	u32 merged = 0, before, i;

	if (region->burst_bytes < 2)
		return loom_group_box_bytes(box, ref);
	do {
		before = merged;
		for (i = 0; i < ref->rank; i++) {
			u64 dim = box->hi[i] - box->lo[i];
			s64 stride = ref->strides[i];

			if (merged >> i & 1 || dim == 1 ||
			    (u64)(stride < 0 ? -stride : stride) != run)
				continue;
			run *= dim;
			merged |= 1U << i;
		}
	} while (merged != before);
	for (i = 0; i < ref->rank; i++)
		if (!(merged >> i & 1))
			runs *= box->hi[i] - box->lo[i];
	return runs * loom_div_round_up(run, (u64)region->burst_bytes) * region->burst_bytes;
}

/* A load or store of a part of @ref. */
static u64 move_cycles(const struct loom_group_list *list, u32 from,
		       const struct loom_ref *ref, const struct loom_group_box *box, bool store)
{
	const struct drm_loom_chip *chip = list->lower->chip;
	const struct drm_loom_chip_region *dram = &chip->region[from];
	const struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];
	u64 elems = loom_group_box_elems(box, ref->rank), bytes, inside;

	if (!elems)
		return 0;
	bytes = burst_bytes(dram, ref, box);
	inside = loom_dtype_row_bytes(ref->dtype, elems);
	return chip->dma_start + (store ? max(loom_clock_memory(dram, 0, bytes),
					      loom_clock_memory(sram, inside, 0)) :
					  max(loom_clock_memory(dram, bytes, 0),
					      loom_clock_memory(sram, 0, inside)));
}

/* A copy inside of the SRAM. */
static u64 copy_cycles(const struct loom_group_list *list, u64 bytes)
{
	const struct drm_loom_chip *chip = list->lower->chip;

	return bytes ? chip->dma_start + loom_clock_memory(&chip->region[DRM_LOOM_REGION_SRAM],
							   bytes, bytes) : 0;
}

static u64 fill_cycles(const struct loom_group_list *list, u64 bytes)
{
	const struct drm_loom_chip *chip = list->lower->chip;

	return bytes ? chip->dma_start + loom_clock_memory(&chip->region[DRM_LOOM_REGION_SRAM], 0,
							   bytes) : 0;
}

/* The region that operand @i of an op is loaded from. */
static u32 region_of(const struct loom_group_list *list, const struct loom_group_op *op, u32 i)
{
	const struct loom_storage *storage = list->lower->storage;

	return storage->in_rom && list->lower->graph->values[op->access[i].value]->data ?
		       DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;
}

/* The axis of a part's result that is distributed over the lanes; rank: it is on a single lane. */
static u32 lane_of(const struct loom_group *group, const struct loom_group_part *part)
{
	const struct loom_group_access *access = &part->op->access[0];
	const struct loom_group_root *root = &group->roots[part->root[0]];
	u32 rank = part->op->kernel.operands[0].ref.rank, k;
	u32 lane = group->residency[root->value] & LOOM_GROUP_RESIDENT_OUT ?
			   group->list->uses[root->value].lane : root->lane;

	for (k = 0; k < rank; k++)
		if (access->axis[k] == (s8)lane && access->step[k] == 1)
			return k;
	return rank;
}

static u64 work_cycles(const struct loom_group_list *list, const struct loom_kernel *kernel,
		       const struct loom_group_box *box, u32 lane)
{
	u64 rounds = 1, cycles = 0, dim;
	u32 i;

	for (i = 0; i < kernel->operands[0].ref.rank; i++) {
		dim = box->hi[i] - box->lo[i];
		rounds *= i == lane ? loom_div_round_up(dim, list->lower->sram.lanes) : dim;
	}
	for (i = 0; i < kernel->num_stages; i++)
		cycles += loom_group_stage_cycles(list->lower->chip, kernel, &kernel->stages[i],
						  rounds);
	return loom_group_part_cycles(kernel, box, cycles) +
	       kernel->num_stages * (u64)list->lower->chip->compute_start;
}

/* Counts the loads, fills and computations of a part in one slice, without held operands. */
static void count_slice(const struct loom_group *group, u32 index, u32 slice, struct span *span)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_group_list *list = group->list;
	const struct loom_kernel *kernel = &part->op->kernel;
	struct loom_group_box out, box;
	u32 lane = lane_of(group, part), c, i;

	for (c = 0; loom_group_part_box(group, index, slice, c, &out); c++) {
		u64 bytes = loom_group_box_bytes(&out, &kernel->operands[0].ref);

		if (part->op->kind == LOOM_GROUP_FILL) {
			span->dma += fill_cycles(list, bytes);
		} else if (part->op->kind == LOOM_GROUP_COPY) {
			loom_group_operand_box(kernel, 1, &out, &box);
			if (part->root[1] == LOOM_GROUP_NONE &&
			    !(group->residency[part->op->access[1].value] &
			      LOOM_GROUP_RESIDENT_IN))
				span->dma += move_cycles(list, region_of(list, part->op, 1),
							 &kernel->operands[1].ref, &box, false);
			else
				span->dma += copy_cycles(list, bytes);
		} else {
			span->compute += work_cycles(list, kernel, &out, lane);
		}
		for (i = 1; i < kernel->num_operands; i++) {
			const struct loom_operand *operand = &kernel->operands[i];

			if (!loom_group_is_own(group, part, i) || part->held >> i & 1 ||
			    operand->role == LOOM_ROLE_TEMP ||
			    (c && !loom_group_follows_chunks(part, i)) ||
			    (slice && loom_group_keeps_chunk(part, i, c)))
				continue;
			loom_group_operand_box(kernel, i, &out, &box);
			span->dma += operand->role == LOOM_ROLE_FILL ?
				fill_cycles(list, loom_group_box_bytes(&box, &operand->ref)) :
				move_cycles(list, region_of(list, part->op, i), &operand->ref,
					    &box, false);
		}
		if (!part->chunk)
			break;
	}
}

/* Cycles of operands that are loaded or filled once. */
static u64 held_cycles(const struct loom_group *group, const struct loom_group_part *part)
{
	const struct loom_kernel *kernel = &part->op->kernel;
	struct loom_group_box whole, box;
	u64 cycles = 0;
	u32 i;

	loom_group_whole_box(&kernel->operands[0].ref, &whole);
	for (i = 1; i < kernel->num_operands; i++) {
		const struct loom_operand *operand = &kernel->operands[i];

		if (!(part->held >> i & 1) || !loom_group_is_own(group, part, i))
			continue;
		loom_group_operand_box(kernel, i, &whole, &box);
		cycles += operand->role == LOOM_ROLE_FILL ?
			fill_cycles(group->list, loom_group_box_bytes(&box, &operand->ref)) :
			move_cycles(group->list, region_of(group->list, part->op, i),
				    &operand->ref, &box, false);
	}
	return cycles;
}

/* Cycles of storing the result of a part in a slice, all chunks at once. */
static u64 store_cycles(const struct loom_group *group, u32 index, u32 slice)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_group_root *root = &group->roots[part->root[0]];
	const struct loom_ref *y = &part->op->kernel.operands[0].ref;
	bool all = group->residency[root->value] & LOOM_GROUP_RESIDENT_OUT;
	struct loom_group_box box;

	if (!root->stored || (all && slice + 1 < group->slices))
		return 0;
	loom_group_whole_box(y, &box);
	loom_group_batch(group, slice, &box);
	if (part->axis >= 0 && group->recompute)
		loom_group_stored(group, index, slice, &box.lo[part->axis], &box.hi[part->axis]);
	else if (part->axis >= 0 && !all)
		loom_group_rows(group, index, slice, &box.lo[part->axis], &box.hi[part->axis]);
	if (part->axis >= 0 && box.lo[part->axis] >= box.hi[part->axis])
		return 0;
	return move_cycles(group->list, DRM_LOOM_REGION_DRAM, y, &box, true);
}

static void count_part(const struct loom_group *group, u32 index, struct loom_group_time *time)
{
	const struct loom_group_part *part = &group->parts[index];
	struct span same = { .rows = U64_MAX };
	struct loom_group_box box;
	bool began = false;
	u64 lo = 0, hi = 0;
	u32 slice;

	for (slice = 0; slice < group->slices; slice++) {
		if (part->axis >= 0) {
			loom_group_rows(group, index, slice, &lo, &hi);
			if (lo >= hi && !(group->residency[group->roots[part->root[0]].value] &
					  LOOM_GROUP_RESIDENT_OUT))
				continue;
		}
		time->dma += store_cycles(group, index, slice);
		if (!loom_group_part_box(group, index, slice, 0, &box))
			continue;
		/* slices of equal rows take equal time, once held chunks are loaded */
		if (!began || hi - lo != same.rows || group->batches > 1 ||
		    (part->kept_chunks && slice < 2)) {
			same = (struct span){ .rows = hi - lo };
			count_slice(group, index, slice, &same);
		}
		began = true;
		time->dma += same.dma;
		time->compute += same.compute;
	}
	if (began)
		time->dma += held_cycles(group, part);
}

/* Loads of a value from outside. */
static void count_input(const struct loom_group *group, u32 which, struct loom_group_time *time)
{
	const struct loom_group_root *root = &group->roots[which];
	const struct loom_storage *storage = group->list->lower->storage;
	const struct loom_ref *ref = &storage->locations[root->value].ref;
	struct loom_group_box box;
	u64 rows = U64_MAX, cycles = 0;
	u32 slice;

	for (slice = 0; slice < group->slices; slice++) {
		box = root->hull;
		loom_group_batch(group, slice, &box);
		if (root->axis >= 0) {
			loom_group_fresh(group, which, slice, &box.lo[root->axis],
					 &box.hi[root->axis]);
			if (box.lo[root->axis] >= box.hi[root->axis])
				continue;
		}
		if (root->axis < 0 || group->batches > 1 ||
		    box.hi[root->axis] - box.lo[root->axis] != rows)
			cycles = move_cycles(group->list, DRM_LOOM_REGION_DRAM, ref, &box, false);
		if (root->axis >= 0)
			rows = box.hi[root->axis] - box.lo[root->axis];
		time->dma += cycles;
	}
}

/* Copies to and from the line buffer of a root. */
static void count_lines(const struct loom_group *group, u32 which, struct loom_group_time *time)
{
	const struct loom_group_root *root = &group->roots[which];
	struct loom_group_box box = root->hull;
	bool inside = root->kind == LOOM_GROUP_INSIDE;
	u32 first = inside ? root->first_writer : 0, last = inside ? root->last_writer : 0;
	u32 slice, i;
	u64 bytes;

	box.lo[root->axis] = 0;
	box.hi[root->axis] = 1;
	bytes = loom_group_part_bytes(&group->list->uses[root->value], &box);
	for (slice = 1; slice < group->slices; slice++) {
		for (i = first; i <= last; i++) {
			u64 lo, hi;

			if ((!inside || group->parts[i].root[0] == which) &&
			    loom_group_kept(group, which, i, slice, &lo, &hi))
				time->dma += 2 * copy_cycles(group->list, (hi - lo) * bytes);
		}
	}
}

void loom_group_take_time(const struct loom_group *group, struct loom_group_time *time)
{
	const struct loom_storage *storage = group->list->lower->storage;
	struct loom_group_box box;
	u32 i;

	*time = (struct loom_group_time){ .dma = 0 };
	for (i = 0; i < group->num_roots; i++) {
		const struct loom_group_root *root = &group->roots[i];

		if (group->residency[root->value] &
		    (LOOM_GROUP_RESIDENT_IN | LOOM_GROUP_RESIDENT_OUT))
			continue;
		if (root->kind == LOOM_GROUP_INPUT)
			count_input(group, i, time);
		if (root->kept && root->axis >= 0)
			count_lines(group, i, time);
	}
	for (i = 0; i < group->num_residents; i++) {
		const struct loom_ref *ref = &storage->locations[group->residents[i]].ref;

		loom_group_whole_box(ref, &box);
		if (group->residency[group->residents[i]] & LOOM_GROUP_RESIDENT_FLUSH)
			time->dma += move_cycles(group->list, DRM_LOOM_REGION_DRAM, ref, &box,
						 true);
	}
	for (i = 0; i < group->num_parts; i++)
		count_part(group, i, time);
}

u64 loom_group_sliced_work(const struct loom_group_list *list, const struct loom_group_op *op,
			   s8 cut, u32 slices)
{
	const struct loom_kernel *kernel = &op->kernel;
	const struct loom_ref *y = &kernel->operands[0].ref;
	u32 lanes = list->uses[op->access[0].value].lanes, i, k;
	u64 best = U64_MAX, rounds, dim, cycles = 0;

	for (k = 0; k < y->rank; k++) {
		if (op->access[0].axis[k] < 0 ||
		    (lanes && !(lanes >> op->access[0].axis[k] & 1)))
			continue;
		for (i = 0, rounds = 1; i < y->rank; i++) {
			dim = (s8)i == cut ? loom_div_round_up(y->dims[i], slices) : y->dims[i];
			if (i == k)
				dim = loom_div_round_up(dim, list->lower->sram.lanes);
			rounds *= dim;
		}
		/* the last slice is thinner, unless it is a row of lanes anyway */
		if (cut >= 0 && (s8)k != cut)
			rounds = rounds / loom_div_round_up(y->dims[cut], slices) * y->dims[cut];
		else
			rounds *= slices;
		best = min(best, rounds);
	}
	if (best == U64_MAX)
		return 0;
	for (i = 0; i < kernel->num_stages; i++)
		cycles += slices * list->lower->chip->compute_start +
			  loom_group_stage_cycles(list->lower->chip, kernel, &kernel->stages[i],
						  best);
	return cycles;
}

u64 loom_group_least_compute(const struct loom_group_list *list, u32 index)
{
	const struct loom_group_op *op = list->ops[index];

	return op->kind == LOOM_GROUP_COMPUTE ? loom_group_sliced_work(list, op, -1, 1) : 0;
}
