// SPDX-License-Identifier: MIT
/*
 * DOC: Cycles
 *
 * The engine counts bytes and operations, not time. Where plans are compared by time, it is that
 * of a device whose DMA moves LOOM_CYCLE_BYTES and which does LOOM_CYCLE_WORK element operations
 * in a cycle, whatever its lanes: some seventy of these for each byte, as small devices have them.
 * At a position both streams run side by side, and the longer one counts; so what is loaded before
 * the first operator and stored after the last is there, too, as the ends of a pipeline.
 */
#include "schedule.h"

#include <errno.h>
#include <stdlib.h>

/* Positions before the first operator: its operands are loaded there. */
#define BEFORE	1

/* Element operations, saturating. */
static u64 work_of(const struct loom_kernel *kernel, u64 elems)
{
	u64 work;

	if (check_mul_overflow(elems, kernel->unit_cost ? kernel->unit_cost : 1, &work))
		return U64_MAX >> 20;
	return min(work, U64_MAX >> 20);
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
			loom_group_box_elems(&box, use->rank) * use->elem_bytes;
	}
}

/* What a part loads for itself: held operands the first time that it runs. */
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
		    (part->held >> i & 1 && !first))
			continue;
		if (part->varies >> i & 1 && part->active)
			bytes /= part->active;
		for (c = 0; c < pieces; c++)
			dma[index_of(group, slice,
				     loom_group_load_at(group, part->first_entry + c) -
				     part->lead[i])] += bytes / pieces;
	}
}

static void add_part(const struct loom_group *group, u32 index, u32 slice, bool first, u64 *dma,
		     u64 *compute)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
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

		if (part->op->kind == LOOM_GROUP_COMPUTE)
			compute[at] += work_of(kernel, some);
		else
			dma[at] += some * loom_dtype_bytes(y->dtype);
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
		elems * loom_dtype_bytes(y->dtype);
}

int loom_group_streams(const struct loom_group *group, struct loom_group_streams *streams)
{
	struct loom_group_box box;
	bool began[LOOM_GROUP_OPS] = { false };
	u32 slice, i;

	streams->count = (size_t)group->slices * group->period + BEFORE + 3;
	streams->dma = calloc(streams->count, sizeof(*streams->dma));
	streams->compute = calloc(streams->count, sizeof(*streams->compute));
	if (!streams->dma || !streams->compute) {
		loom_group_streams_clear(streams);
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
	for (i = 0; i < streams->count; i++) {
		streams->dma[i] = loom_div_round_up(streams->dma[i], LOOM_CYCLE_BYTES);
		streams->compute[i] = loom_div_round_up(streams->compute[i], LOOM_CYCLE_WORK);
	}
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
	struct loom_group_streams streams;
	u64 cycles = 0;
	size_t i;

	if (loom_group_streams(group, &streams))
		return 0;
	for (i = 0; i < streams.count; i++)
		cycles += max(streams.dma[i], streams.compute[i]);
	loom_group_streams_clear(&streams);
	return cycles;
}

/* Cycles of a kernel alone, slice by slice; with two buffers, loads overlap computation. */
static u64 kernel_cycles(const struct loom_group_op *op, const struct loom_sram *sram, u64 elems)
{
	const struct loom_ref *y = &op->kernel.operands[0].ref;
	u64 bytes = elems * loom_dtype_bytes(y->dtype), need, dma, compute;
	struct loom_tiling tiling;

	if (op->kind != LOOM_GROUP_COMPUTE)
		return loom_div_round_up(bytes, LOOM_CYCLE_BYTES);
	compute = loom_div_round_up(work_of(&op->kernel, elems), LOOM_CYCLE_WORK);
	/* it may still fit, since lowering merges axes first: a rough guess */
	if (loom_slice_choose(&op->kernel, sram, &tiling, &need))
		return compute + loom_div_round_up(64 * bytes, LOOM_CYCLE_BYTES);
	dma = loom_div_round_up(tiling.dram_bytes, LOOM_CYCLE_BYTES);
	if (!tiling.overlap)
		return dma + compute;
	return max(dma, compute) + min(dma, compute) / tiling.slices;
}

u64 loom_group_layerwise_cycles(const struct loom_group_list *list, u32 unit)
{
	u64 cycles = 0, elems;
	u32 i, k;

	for (i = 0; i < list->units[unit].num_ops; i++) {
		const struct loom_group_op *op = list->ops[list->units[unit].first_op + i];
		const struct loom_ref *y = &op->kernel.operands[0].ref;

		for (k = 0, elems = 1; k < y->rank; k++)
			elems *= y->dims[k];
		cycles += kernel_cycles(op, &list->lower->sram, elems);
	}
	return cycles;
}

void loom_group_least_cycles(const struct loom_group_list *list, u32 unit, u64 *compute,
			     u64 *weights)
{
	const struct loom_group_unit *of = &list->units[unit];
	u32 i, k, a;

	for (i = of->first_op; i < of->first_op + of->num_ops; i++) {
		const struct loom_kernel *kernel = &list->ops[i]->kernel;

		for (k = 0; k < kernel->num_operands; k++) {
			const struct loom_operand *operand = &kernel->operands[k];
			u64 elems = 1;

			for (a = 0; a < operand->ref.rank; a++)
				elems *= operand->ref.dims[a];
			if (!k && list->ops[i]->kind == LOOM_GROUP_COMPUTE)
				*compute += work_of(kernel, elems) / LOOM_CYCLE_WORK;
			if (operand->role == LOOM_ROLE_LOAD &&
			    list->lower->graph->values[list->ops[i]->access[k].value]->data)
				*weights += elems * loom_dtype_bytes(operand->ref.dtype) /
					    LOOM_CYCLE_BYTES;
		}
	}
}
