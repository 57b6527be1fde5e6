// SPDX-License-Identifier: MIT
/*
 * LB2: weights that are prefetched must be held in the SRAM. See least.h.
 *
 * Let p be an op, and let x be the last element of p's result to be computed that some output
 * needs, in step s.
 *
 * Before: all elements that p needs have been computed, and were loaded in steps before s: all work
 * and all loads of the ops from which a path of edges leads to p, such that each op needs all live
 * elements of the one before.
 *
 * Behind: for each op to which such a path leads from p, some of its elements need x. They are
 * computed after x, so the weights they use must be in the SRAM in step s or later. A convolution
 * needs all weights, because x is in the window of each of its output channels. Of a product that
 * can go on from sums, the terms of x alone are counted. Weights loaded by the end of step s are in
 * the SRAM in step s, because DMA cannot overwrite data that is read in the same step, and the SRAM
 * holds at most its size. The other weights are loaded behind step s, and the outputs among these
 * elements are stored behind it.
 *
 * So the end of step s is not before the work before, nor before the loads before plus the
 * prefetched weights; the other loads and the stores follow. The work before, or the loads before,
 * does not overlap the work behind.
 *
 * And in the other direction: let the first command of p be in step s. The data it needs, of a
 * product that can go on from sums one term, was loaded in earlier steps. All of p is computed from
 * s on, and so are all ops of which every element needs some element of p.
 *
 * The bound is the larger of both, over all p. The plan chooses x, so an op counts with the part of
 * its result that depends on any x: on each axis all indices (a bit in a mask) or one.
 */
#include "least.h"

#include "base/watch.h"
#include "loom_clock.h"

/* limit on the ops visited over all passes; beyond it only some p are tried */
#define PASSES_MAX	(1ULL << 22)

/**
 * struct side - cost on one side of step s
 * @work: cycles of compute commands
 * @bytes: bytes of the DMA stream
 */
struct side {
	u64 work;
	struct least_bytes bytes;
};

static u32 bits(u32 mask)
{
	return (u32)__builtin_popcount(mask);
}

/* Axes of the result with a single live index, on which one is all. */
static u32 single_axes(const struct least_op *op)
{
	u32 mask = LEAST_ALL & ~((1U << op->result.rank) - 1), i;

	for (i = 0; i < op->result.rank; i++)
		if (op->result.counts[i] == 1)
			mask |= 1U << i;
	return mask;
}

/* A mask of a result's axes as one of the axes of its value. */
static u32 to_value(const struct least *least, const struct least_op *op, u32 operand, u32 mask)
{
	const struct loom_group_access *access = &op->op->access[operand];
	const struct loom_ref *ref = &op->op->kernel.operands[operand].ref;
	u32 rank = least->values[ref->tensor].live.rank, out = LEAST_ALL, i;

	if (!access->plain)
		return mask == LEAST_ALL ? LEAST_ALL : LEAST_ALL & ~((1U << rank) - 1);
	for (i = 0; i < ref->rank; i++)
		if (access->axis[i] >= 0 && !(mask >> i & 1))
			out &= ~(1U << access->axis[i]);
	return out;
}

/* The part of an op that depends on an edge's elements, as a mask of its result's axes. */
static u32 lead_to(const struct least *least, const struct least_edge *edge, u32 value_mask)
{
	const struct least_op *op = &least->ops[edge->to];
	const struct loom_group_access *access = &op->op->access[edge->operand];
	const struct loom_ref *ref = &op->op->kernel.operands[edge->operand].ref;
	u32 reached = value_mask & edge->spans, mask = LEAST_ALL, i;

	for (i = 0; i < ref->rank; i++) {
		u32 follows = least_follower(op, edge->operand, i);
		bool all = edge->sure;

		if (follows == LEAST_NONE)
			continue;
		if (!access->plain)
			all &= reached == LEAST_ALL;
		else if (access->axis[i] >= 0)
			all &= reached >> access->axis[i] & 1;
		if (!all)
			mask &= ~(1U << follows);
	}
	return mask | single_axes(op);
}

/*
 * The part of an operand that a part of the result needs, as a mask of its own axes. @one: for one
 * command, which may go on from sums, or another one from its
 */
static u32 needed(const struct least_op *op, u32 operand, u32 mask, bool one)
{
	const struct loom_operand *from = &op->op->kernel.operands[operand];
	u32 out = LEAST_ALL, i;

	for (i = 0; i < from->ref.rank; i++) {
		u32 follows = least_follower(op, operand, i);

		if (one && loom_kernel_is_summed(&op->op->kernel, &from->map[i]))
			out &= ~(1U << i);
		if (follows != LEAST_NONE && !(mask >> follows & 1) &&
		    op->loads[operand].counts[i] != 1)
			out &= ~(1U << i);
	}
	return out;
}

/* Adds the loads from outside of an op for a part of its result. @one: as of needed() */
static void add_loads(struct least *least, const struct least_op *op, u32 mask, bool again,
		      bool one, struct least_bytes *sum)
{
	u32 i, k;

	for (i = 1; i < op->op->kernel.num_operands; i++) {
		const struct loom_operand *operand = &op->op->kernel.operands[i];
		struct least_value *value = &least->values[operand->ref.tensor];
		u64 elems, bytes;
		u32 own;

		if (operand->role != LOOM_ROLE_LOAD || !least_is_fixed(least, value))
			continue;
		/* bytes counted on the other side may still be in the SRAM */
		if (value->stamp == least->pass - 1 && again)
			continue;
		own = needed(op, i, mask, one);
		elems = 1;
		for (k = 0; k < operand->ref.rank; k++)
			if (operand->ref.strides[k])
				elems *= own >> k & 1 ? op->loads[i].counts[k] :
							max(op->ones[i][k], 1ULL);
		bytes = loom_dtype_row_bytes(value->dtype, elems);
		if (value->stamp != least->pass) {
			value->stamp = least->pass;
			value->bytes = 0;
		}
		if (bytes > value->bytes) {
			least_add_read(least, value, bytes - value->bytes, sum);
			value->bytes = bytes;
		}
	}
}

static void part_counts(const struct least_op *op, u32 mask, u64 *counts)
{
	u32 i;

	for (i = 0; i < op->result.rank; i++)
		counts[i] = mask >> i & 1 ? op->result.counts[i] : 1;
}

/* Work on a part of the result that needs x; sums of other terms may have been there before x. */
static u64 part_work(const struct least *least, const struct least_op *op, u32 mask)
{
	const struct loom_kernel *kernel = &op->op->kernel;
	u64 counts[DRM_LOOM_MAX_RANK], work = op->cycles;

	if ((mask & LEAST_ALL) != LEAST_ALL) {
		part_counts(op, mask, counts);
		work = least_work(least, op, counts);
	}
	return kernel->sums == LOOM_KERNEL_NO_SUMS ? work :
	       work / kernel->operands[0].ref.dims[LOOM_SUM_AXIS];
}

static void add_store(const struct least *least, const struct least_op *op, u32 mask,
		      struct least_bytes *sum)
{
	const struct least_value *value = &least->values[op->op->kernel.operands[0].ref.tensor];
	u64 counts[DRM_LOOM_MAX_RANK], elems = 1;
	u32 i;

	if (!value->stored_bytes)
		return;
	part_counts(op, mask, counts);
	for (i = 0; i < op->result.rank; i++)
		elems *= counts[i];
	sum->dram_write += loom_dtype_row_bytes(value->dtype, elems);
}

/* Adds the dependences of the last element of p. */
static void add_before(struct least *least, u32 p, struct side *side)
{
	u32 i, k;

	*side = (struct side){ .work = least->first_load };
	least->pass++;
	least->ops[p].stamp = least->pass;
	for (i = p + 1; i-- > 0;) {
		struct least_op *op = &least->ops[i];

		if (op->stamp != least->pass)
			continue;
		side->work = loom_clock_add(side->work, op->cycles);
		add_loads(least, op, LEAST_ALL, false, false, &side->bytes);
		for (k = 0; k < op->num_in; k++) {
			const struct least_edge *edge = &least->edges[op->first_in + k];

			if (edge->covers == LEAST_ALL)
				least->ops[edge->from].stamp = least->pass;
		}
	}
}

/* The largest part of an op reached by edges from ops reached before, or 0: none. */
static u32 reach(struct least *least, const struct least_op *op)
{
	u32 best = 0, k;

	for (k = 0; k < op->num_in; k++) {
		const struct least_edge *edge = &least->edges[op->first_in + k];
		const struct least_op *from = &least->ops[edge->from];
		u32 mask;

		if (from->stamp != least->pass || edge->covers != LEAST_ALL)
			continue;
		mask = lead_to(least, edge, to_value(least, from, 0, from->mask));
		if (bits(mask) > bits(best))
			best = mask;
	}
	return best;
}

/* Adds the dependents of the last element of p. Must follow add_before(). */
static void add_behind(struct least *least, u32 p, struct side *side)
{
	u32 i;

	*side = (struct side){ .work = least->last_store };
	least->pass++;
	least->ops[p].stamp = least->pass;
	least->ops[p].mask = single_axes(&least->ops[p]);
	add_store(least, &least->ops[p], least->ops[p].mask, &side->bytes);
	for (i = p + 1; i < least->list->num_ops; i++) {
		struct least_op *op = &least->ops[i];

		op->mask = op->live ? reach(least, op) : 0;
		if (!op->mask)
			continue;
		op->stamp = least->pass;
		side->work = loom_clock_add(side->work, part_work(least, op, op->mask));
		add_loads(least, op, op->mask, true, true, &side->bytes);
		add_store(least, op, op->mask, &side->bytes);
	}
}

/* Upper limit on the cycles to load as many of the bytes as the SRAM holds. */
static u64 held_cycles(const struct least *least, const struct least_bytes *bytes)
{
	const struct least_bytes dram = { .dram_read = min(bytes->dram_read, least->sram_bytes) };
	const struct least_bytes rom = { .rom_read = min(bytes->rom_read, least->sram_bytes) };

	return max(least_cycles_of(least, &dram), least_cycles_of(least, &rom));
}

static u64 last_of(struct least *least, u32 p)
{
	struct least_bytes stores = { .dram_write = 0 };
	u64 loads_before, loads_behind, ahead, moved, computed;
	struct side before, behind;

	add_before(least, p, &before);
	add_behind(least, p, &behind);
	stores.dram_write = behind.bytes.dram_write;
	behind.bytes.dram_write = 0;
	loads_before = least_cycles_of(least, &before.bytes);
	loads_behind = least_cycles_of(least, &behind.bytes);
	ahead = min(loads_behind, held_cycles(least, &behind.bytes));
	moved = max(before.work, loom_clock_add(loads_before, ahead));
	moved = loom_clock_add(moved, loads_behind - ahead);
	moved = loom_clock_add(moved, least_cycles_of(least, &stores));
	computed = loom_clock_add(max(before.work, loads_before), behind.work);
	return max(moved, computed);
}

/* The part of an op that some element of p needs. @one: as of needed() */
static void need_back(struct least *least, const struct least_op *op, bool one)
{
	u32 k;

	for (k = 0; k < op->num_in; k++) {
		const struct least_edge *edge = &least->edges[op->first_in + k];
		struct least_op *from = &least->ops[edge->from];
		u32 own, mask, i;
		const struct loom_group_access *access = &from->op->access[0];

		own = to_value(least, op, edge->operand, needed(op, edge->operand, op->mask, one));
		/* the needed elements may be written by another op */
		if (!edge->sure || ((own | edge->spans) & LEAST_ALL) != LEAST_ALL)
			continue;
		mask = single_axes(from);
		for (i = 0; i < from->result.rank; i++) {
			if (access->plain && access->axis[i] >= 0 &&
			    (own & edge->covers) >> access->axis[i] & 1)
				mask |= 1U << i;
		}
		if (!access->plain && (own & edge->covers & LEAST_ALL) == LEAST_ALL)
			mask = LEAST_ALL;
		if (from->stamp != least->pass || bits(mask) > bits(from->mask)) {
			from->stamp = least->pass;
			from->mask = mask;
		}
	}
}

/* Loads before the first element of p, and work behind it. */
static u64 first_of(struct least *least, u32 p)
{
	struct side before = { .work = 0 };
	u64 work = least->ops[p].cycles;
	u32 i, k;

	least->pass++;
	least->ops[p].stamp = least->pass;
	least->ops[p].mask = single_axes(&least->ops[p]);
	for (i = p + 1; i-- > 0;) {
		const struct least_op *op = &least->ops[i];

		if (op->stamp != least->pass)
			continue;
		add_loads(least, op, op->mask, false, i == p, &before.bytes);
		need_back(least, op, i == p);
	}
	least->pass++;
	least->ops[p].stamp = least->pass;
	for (i = p + 1; i < least->list->num_ops; i++) {
		struct least_op *op = &least->ops[i];
		bool all = false;

		for (k = 0; k < op->num_in && !all; k++) {
			const struct least_edge *edge = &least->edges[op->first_in + k];

			all = least->ops[edge->from].stamp == least->pass && edge->sure &&
			      ((edge->spans | edge->whole) & LEAST_ALL) == LEAST_ALL;
		}
		if (!all || !op->live)
			continue;
		op->stamp = least->pass;
		work = loom_clock_add(work, op->cycles);
	}
	return loom_clock_add(least_cycles_of(least, &before.bytes),
			      loom_clock_add(work, least->last_store));
}

u64 least_held(struct least *least, u64 floor)
{
	u64 count = least->list->num_ops, step = 1;
	u32 i;

	if (!(least->chip->flags & DRM_LOOM_CHIP_OVERLAP))
		return floor;
	while (count * count / step > PASSES_MAX)
		step++;
	for (i = 0; i < count && !loom_watch_spend(count / 2); i += step) {
		if (!least->ops[i].live || least->ops[i].op->kind != LOOM_GROUP_COMPUTE)
			continue;
		floor = max(floor, last_of(least, i));
		floor = max(floor, first_of(least, i));
	}
	return floor;
}
