// SPDX-License-Identifier: MIT
/*
 * DOC: Cycles
 *
 * Cycles of commands that are not written yet are estimated from bytes and boxes by the chip's
 * description, as core/clock does later: starts, latencies and rates of the DRAM, rows of lanes,
 * operations of each stage. Unknown quantities are omitted: bursts, and overlapping edges of
 * operands that are loaded twice. At a position both streams run in parallel, if the chip supports
 * it, and the longer one counts; so the loads before the first operator and the stores after the
 * last are included, as the ends of a pipeline.
 */
#include "group/schedule/schedule.h"

#include "loom_clock.h"

#include <errno.h>
#include <stdlib.h>

/* Positions before the first operator: its operands are loaded there. */
#define BEFORE	1

/* Cycles of a DMA command. */
static u64 dma_cycles(const struct loom_lower *lower, u64 read_bytes, u64 write_bytes)
{
	const struct drm_loom_chip *chip = lower->chip;

	return loom_clock_add(chip->dma_start,
			      loom_clock_memory(&chip->region[DRM_LOOM_REGION_DRAM], read_bytes,
						write_bytes));
}

u64 loom_group_load_cycles(const struct loom_lower *lower, u64 bytes)
{
	return bytes ? dma_cycles(lower, bytes, 0) : 0;
}

static u64 store_cycles(const struct loom_lower *lower, u64 bytes)
{
	return bytes ? dma_cycles(lower, 0, bytes) : 0;
}

static u64 copy_cycles(const struct loom_lower *lower, u64 bytes)
{
	return bytes ? dma_cycles(lower, bytes, bytes) : 0;
}

u64 loom_group_stage_cycles(const struct drm_loom_chip *chip, const struct loom_kernel *kernel,
			    const struct loom_stage *stage, u64 rounds)
{
	const struct loom_ref *x = &kernel->operands[stage->operand[1]].ref;
	const struct loom_ref *y = &kernel->operands[0].ref;
	u64 ops;
	u32 slowest = 0, rate, i;

	/* the first product of a pair has other columns */
	if (kernel->sum_stage && stage < &kernel->stages[kernel->sum_stage])
		rounds = loom_clock_times(rounds,
					  kernel->operands[stage->operand[0]].ref.dims[3]) /
			 y->dims[3];
	ops = loom_clock_times(rounds, kernel->sum_stage ? x->dims[3] : kernel->unit_cost);

	if (stage->opcode == DRM_LOOM_OP_NATIVE)
		return (u64)((__uint128_t)kernel->native_cycles * rounds / kernel->native_rounds);
	for (i = 0; i < stage->operands; i++) {
		rate = loom_clock_op_rate(chip, stage->opcode,
					  kernel->operands[stage->operand[i]].ref.dtype);
		if (rate && (!slowest || rate < slowest))
			slowest = rate;
	}
	switch (stage->opcode) {
	case DRM_LOOM_OP_CONV:
	case DRM_LOOM_OP_DECONV:
		return loom_clock_work(chip, x->dtype, ops, stage->opcode,
				       kernel->operands[stage->operand[2]].ref.dims[1]);
	case DRM_LOOM_OP_MATMUL:
		return loom_clock_work(chip, x->dtype, ops, stage->opcode, x->dims[3]);
	case DRM_LOOM_OP_REDUCE:
		break;
	default:
		/* for each element that is read */
		if (stage->opcode == DRM_LOOM_OP_TOPK)
			rounds = loom_div_round_up(loom_clock_times(rounds,
								    x->dims[stage->topk.axis]),
						   stage->topk.count);
		ops = loom_clock_times(rounds, loom_clock_element_ops(stage->opcode, &stage->conv));
	}
	return loom_clock_rate(ops, slowest);
}

u64 loom_group_part_cycles(const struct loom_kernel *kernel, const struct loom_group_box *box,
			   u64 cycles)
{
	u64 dim;

	if (!kernel->sum_stage || !box->hi[LOOM_SUM_AXIS])
		return cycles;
	dim = kernel->operands[0].ref.dims[LOOM_SUM_AXIS];
	return (u64)(((__uint128_t)cycles * (box->hi[LOOM_SUM_AXIS] - box->lo[LOOM_SUM_AXIS]) +
		      dim - 1) / dim);
}

/* Cycles of computing box @box of the result, in one piece. */
static u64 work_cycles(const struct loom_lower *lower, const struct loom_kernel *kernel,
		       const struct loom_group_box *box)
{
	const struct loom_operand *y = &kernel->operands[0];
	u64 rounds = 1, cycles = 0, dim;
	u32 i;

	for (i = 0; i < y->ref.rank; i++) {
		dim = box->hi[i] - box->lo[i];
		rounds = loom_clock_times(rounds, i == y->lane_axis ?
					  loom_div_round_up(dim, lower->sram.lanes) : dim);
	}
	if (!rounds)
		return 0;
	for (i = 0; i < kernel->num_stages; i++)
		cycles = loom_clock_add(cycles, loom_group_stage_cycles(lower->chip, kernel,
									&kernel->stages[i],
									rounds));
	return loom_clock_add(loom_group_part_cycles(kernel, box, cycles),
			      loom_clock_times(kernel->num_stages, lower->chip->compute_start));
}

/* The box of a whole reference. */
static struct loom_group_box whole(const struct loom_ref *ref)
{
	struct loom_group_box box = { 0 };
	u32 i;

	for (i = 0; i < ref->rank; i++)
		box.hi[i] = ref->dims[i];
	return box;
}

static size_t index_of(const struct loom_group *group, u32 slice, s32 position)
{
	s64 at = (s64)slice * group->period + position + BEFORE;

	return at < 0 ? 0 : (size_t)at;
}

static void add_roots(const struct loom_group *group, u32 slice, u64 *dma)
{
	u32 i;

	for (i = 0; i < group->num_roots; i++) {
		const struct loom_group_root *root = &group->roots[i];
		const struct loom_group_use *use = &group->list->uses[root->value];
		struct loom_group_box box = root->hull;
		u32 entry;

		if (root->kind != LOOM_GROUP_INPUT ||
		    group->residency[root->value] & LOOM_GROUP_RESIDENT_IN)
			continue;
		loom_group_batch(group, slice, &box);
		if (root->axis >= 0)
			loom_group_fresh(group, i, slice, &box.lo[root->axis],
					 &box.hi[root->axis]);
		entry = group->parts[root->first_reader].first_entry;
		dma[index_of(group, slice, loom_group_load_at(group, entry))] +=
			loom_group_load_cycles(group->list->lower,
					       loom_group_part_bytes(use, &box));
	}
}

/* Adds the loads of a part's own operands: held ones only when it runs first. */
static void add_own(const struct loom_group *group, const struct loom_group_part *part, u32 slice,
		    bool first, u64 *dma)
{
	const struct loom_kernel *kernel = &part->op->kernel;
	u32 i, c;

	for (i = 1; i < kernel->num_operands; i++) {
		u64 bytes = part->loaded_bytes[i];
		u32 pieces = loom_group_follows_chunks(part, i) ? part->entries : 1;

		if (kernel->operands[i].role != LOOM_ROLE_LOAD ||
		    part->root[i] != LOOM_GROUP_NONE ||
		    group->residency[part->op->access[i].value] & LOOM_GROUP_RESIDENT_IN ||
		    (part->held >> i & 1 && !first) || part->direct >> i & 1)
			continue;
		if (part->varies >> i & 1 && part->active)
			bytes /= part->active;
		for (c = 0; c < pieces; c++)
			dma[index_of(group, slice,
				     loom_group_load_at(group, part->first_entry + c) -
				     part->lead[i])] +=
				loom_group_load_cycles(group->list->lower, bytes / pieces);
	}
}

static void add_part(const struct loom_group *group, u32 index, u32 slice, bool first, u64 *dma,
		     u64 *compute)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_lower *lower = group->list->lower;
	const struct loom_ref *y = &kernel->operands[0].ref;
	struct loom_group_box box;
	u64 elems = 0;
	u32 c;

	for (c = 0; c < part->entries; c++) {
		u64 some = loom_group_part_box(group, index, slice, c, &box)
				   ? loom_group_box_elems(&box, y->rank)
				   : 0;
		size_t at = index_of(group, slice,
				     loom_group_compute_at(group, part->first_entry + c));

		if (part->op->kind != LOOM_GROUP_COMPUTE)
			dma[at] += copy_cycles(lower, loom_dtype_row_bytes(y->dtype, some));
		else if (some)
			compute[at] += work_cycles(lower, kernel, &box);
		if (!c || !loom_group_sums_chunks(part))
			elems += some;
	}
	add_own(group, part, slice, first, dma);
	if (!group->roots[part->root[0]].stored || !elems)
		return;
	if (group->recompute) {
		u64 lo, hi, made_lo, made_hi;

		loom_group_rows(group, index, slice, &made_lo, &made_hi);
		loom_group_stored(group, index, slice, &lo, &hi);
		elems = elems / (made_hi - made_lo) * (hi > lo ? hi - lo : 0);
	}
	c = group->parts[group->roots[part->root[0]].last_writer].first_entry +
	    group->parts[group->roots[part->root[0]].last_writer].entries - 1;
	dma[index_of(group, slice, loom_group_store_at(group, c))] +=
		store_cycles(lower, loom_dtype_row_bytes(y->dtype, elems));
}

int loom_group_streams(const struct loom_group *group, struct loom_group_streams *streams)
{
	struct loom_group_box box;
	bool *began = calloc((size_t)group->num_parts + 1, sizeof(*began));
	u32 slice, i;

	streams->count = (size_t)group->slices * group->period + BEFORE + 3;
	streams->dma = calloc(streams->count, sizeof(*streams->dma));
	streams->compute = calloc(streams->count, sizeof(*streams->compute));
	if (!streams->dma || !streams->compute || !began) {
		loom_group_streams_clear(streams);
		free(began);
		return -ENOMEM;
	}
	for (slice = 0; slice < group->slices; slice++) {
		add_roots(group, slice, streams->dma);
		for (i = 0; i < group->num_parts; i++) {
			if (!loom_group_part_box(group, i, slice, 0, &box))
				continue;
			add_part(group, i, slice, !began[i], streams->dma, streams->compute);
			began[i] = true;
		}
	}
	free(began);
	return 0;
}

size_t loom_group_stream_index(const struct loom_group *group, s32 position)
{
	return index_of(group, 0, position);
}

void loom_group_streams_clear(struct loom_group_streams *streams)
{
	free(streams->dma);
	free(streams->compute);
	streams->dma = NULL;
	streams->compute = NULL;
}

u64 loom_group_cycles(const struct loom_group *group)
{
	bool overlap = group->list->lower->chip->flags & DRM_LOOM_CHIP_OVERLAP;
	struct loom_group_streams streams;
	u64 cycles = 0;
	size_t i;

	if (loom_group_streams(group, &streams)) {
		group->list->lower->build->status = -ENOMEM;
		return 0;
	}
	for (i = 0; i < streams.count; i++)
		if (streams.dma[i] || streams.compute[i])
			cycles += loom_clock_step(overlap, streams.dma[i], streams.compute[i]);
	loom_group_streams_clear(&streams);
	/* without DRAM the cycles of a group that only moves data are unknown here */
	return cycles ? cycles : 1;
}

/*
 * Adds the cycles of a kernel alone, slice by slice. Each slice loads each of its operands and
 * stores the result. Returns the number of slices in which the streams alternate; 0: all.
 */
static u64 add_alone(const struct loom_group_op *op, const struct loom_lower *lower,
		     struct loom_group_time *time)
{
	const struct loom_ref *y = &op->kernel.operands[0].ref;
	struct loom_group_box box = whole(y);
	u64 bytes = loom_group_box_bytes(&box, y);
	u64 start = lower->chip->dma_start +
		    lower->chip->region[DRM_LOOM_REGION_DRAM].read_latency;
	u32 operands = op->kernel.num_operands;
	struct loom_slicing tiling;
	u64 need, more;

	if (op->kind != LOOM_GROUP_COMPUTE) {
		time->dma += copy_cycles(lower, bytes);
		return 0;
	}
	time->compute += work_cycles(lower, &op->kernel, &box);
	/* it may still fit, because lowering merges axes first: a rough guess */
	if (loom_slice_choose(&op->kernel, &lower->sram, &tiling, &need)) {
		time->dma += loom_group_load_cycles(lower, 64 * bytes);
		return 0;
	}
	operands -= loom_kernel_keeps_sums(&op->kernel, op->kernel.sums);
	more = tiling.slices - 1;
	time->compute += more * op->kernel.num_stages * lower->chip->compute_start;
	time->dma += store_cycles(lower, bytes) +
		     loom_group_load_cycles(lower, tiling.dram_bytes -
						   min(tiling.dram_bytes, bytes)) +
		     more * operands * start;
	return tiling.overlap && lower->chip->flags & DRM_LOOM_CHIP_OVERLAP ? tiling.slices : 0;
}

/* Cycles of a kernel alone; with two buffers, loads overlap computation. */
static u64 kernel_cycles(const struct loom_group_op *op, const struct loom_lower *lower)
{
	struct loom_group_time time = { .dma = 0 };
	u64 slices = add_alone(op, lower, &time);

	if (!slices)
		return time.dma + time.compute;
	return max(time.dma, time.compute) + min(time.dma, time.compute) / slices;
}

void loom_group_layerwise_time(const struct loom_group_list *list, u32 unit,
			       struct loom_group_time *time)
{
	u32 i;

	for (i = 0; i < list->units[unit].num_ops; i++)
		add_alone(list->ops[list->units[unit].first_op + i], list->lower, time);
}

u64 loom_group_layerwise_cycles(const struct loom_group_list *list, u32 unit)
{
	u64 cycles = 0;
	u32 i;

	for (i = 0; i < list->units[unit].num_ops; i++)
		cycles += kernel_cycles(list->ops[list->units[unit].first_op + i], list->lower);
	return cycles;
}

void loom_group_least_cycles(const struct loom_group_list *list, u32 unit, u64 *compute,
			     u64 *weights)
{
	const struct loom_group_unit *of = &list->units[unit];
	u32 i, k;

	for (i = of->first_op; i < of->first_op + of->num_ops; i++) {
		const struct loom_kernel *kernel = &list->ops[i]->kernel;

		for (k = 0; k < kernel->num_operands; k++) {
			const struct loom_operand *operand = &kernel->operands[k];
			struct loom_group_box box = whole(&operand->ref);

			if (!k && list->ops[i]->kind == LOOM_GROUP_COMPUTE)
				*compute += work_cycles(list->lower, kernel, &box);
			if (operand->role == LOOM_ROLE_LOAD &&
			    list->lower->graph->values[list->ops[i]->access[k].value]->data)
				*weights += loom_group_load_cycles(list->lower,
					loom_group_box_bytes(&box, &operand->ref));
		}
	}
}
