// SPDX-License-Identifier: MIT
/*
 * Lower bound on the cycles of arithmetic. See least.h.
 *
 * The clock (core/clock) counts rounds: a command whose result has n indices on the axis that is
 * distributed over L lanes takes ceil(n / L) rounds for each combination of the others. A plan may
 * distribute any axis, merge axes into one where the operation allows that, and distribute
 * different ones in different commands. So the axes of a result are put in two classes: those that
 * can be merged with its channels, C indices in all, and the others, with P combinations.
 *
 * At each of the P combinations, commands that distribute the first class and take c_1, c_2, ... of
 * the C channels take at least ceil(c_1 / L) + ceil(c_2 / L) + ... rounds. Commands that distribute
 * the second class have at most min(L, longest axis that can be distributed) lanes busy. With C = q
 * * L + r the minimum of both together is P * (q + min(1, r / busy)).
 *
 * Rejected: ceil(C / L) * P. Most plans take that, but it is no lower bound: of 33 channels on 32
 * lanes the last can be distributed by its rows.
 */
#include "least.h"

#include "loom_clock.h"
#include "loom_op.h"

/**
 * struct classes - the axes of a result in two classes
 * @channels: indices of the first class
 * @others: combinations of the second
 * @busy: lanes that the second class can keep busy
 */
struct classes {
	u64 channels;
	u64 others;
	u64 busy;
};

static u64 product(const u64 *counts, u32 first, u32 end)
{
	u64 all = 1;
	u32 i;

	for (i = first; i < end; i++)
		all = loom_clock_times(all, counts[i]);
	return all;
}

/* The longest axis besides channels: those that are not windowed can be merged. */
static u64 longest_axis(const struct loom_kernel *kernel, const u64 *dims)
{
	u64 merged = dims[0], longest = 0;
	u32 i;

	for (i = 0; i < 3; i++) {
		if (kernel->window[i].extent == 1)
			merged = loom_clock_times(merged, dims[2 + i]);
		else
			longest = max(longest, dims[2 + i]);
	}
	return max(longest, merged);
}

static struct classes classify(const struct least *least, const struct loom_kernel *kernel,
			       const struct loom_stage *stage, const u64 *counts)
{
	const struct loom_ref *y = &kernel->operands[0].ref;
	u64 all = product(counts, 0, y->rank);
	struct classes all_alike = { .channels = all, .others = 1, .busy = least->lanes };
	struct classes c;

	/* values computed in DRAM use no lanes */
	if (least->images)
		return all_alike;
	switch (stage->opcode) {
	case DRM_LOOM_OP_CONV:
	case DRM_LOOM_OP_POOL:
		c.channels = loom_clock_times(counts[0], counts[1]);
		c.others = product(counts, 2, 5);
		c.busy = longest_axis(kernel, y->dims);
		break;
	case DRM_LOOM_OP_MATMUL:
		c.channels = loom_clock_times(product(counts, 0, 2), counts[3]);
		c.others = counts[2];
		c.busy = product(y->dims, 0, 3);
		break;
	default:
		return all_alike;
	}
	c.busy = min(c.busy, (u64)least->lanes);
	return c;
}

/* The least sum over all rounds, over the lanes, with @each work per element. */
static u64 over_lanes(const struct least *least, const struct classes *c, u64 each)
{
	u64 rows, rest, work = loom_clock_times(c->others, each), parts;

	if (least->lanes == 1)
		return loom_clock_times(work, c->channels);
	rows = div64_u64_rem(c->channels, least->lanes, &rest);
	rows = loom_clock_times(rows, work);
	if (!rest)
		return rows;
	if (rest >= c->busy)
		return loom_clock_add(rows, work);
	if (check_mul_overflow(work, rest, &parts))
		return rows;
	return loom_clock_add(rows, loom_div_round_up(parts, c->busy));
}

/* Number of indices of an operand's axis for @counts of the result's. */
static u64 operand_count(const struct least_op *op, u32 operand, u32 axis, const u64 *counts)
{
	u32 follows = least_follower(op, operand, axis);

	if (!operand)
		return counts[axis];
	if (follows == LEAST_NONE || counts[follows] == op->result.counts[follows])
		return op->loads[operand].counts[axis];
	return op->op->kernel.operands[operand].map[axis].kind == LOOM_MAP_SAME ?
		       min(counts[follows], op->loads[operand].counts[axis]) : 1;
}

static u64 operand_elems(const struct least_op *op, u32 operand, const u64 *counts)
{
	u64 elems = 1;
	u32 i;

	for (i = 0; i < op->op->kernel.operands[operand].ref.rank; i++)
		elems = loom_clock_times(elems, operand_count(op, operand, i, counts));
	return elems;
}

/* Multiply-accumulates of an element of the result. */
static u64 macs_each(const struct loom_kernel *kernel, const struct loom_stage *stage)
{
	if (stage->opcode == DRM_LOOM_OP_MATMUL)
		return kernel->operands[stage->operand[1]].ref.dims[3];
	return product(kernel->operands[stage->operand[2]].ref.dims, 1, 5);
}

static u64 mac_cycles(const struct least *least, const struct least_op *op,
		      const struct loom_stage *stage, const u64 *counts)
{
	const struct loom_kernel *kernel = &op->op->kernel;
	u32 dtype = kernel->operands[stage->operand[1]].ref.dtype;
	const struct drm_loom_chip_type *type = &least->chip->type[dtype];
	struct classes c = classify(least, kernel, stage, counts);
	u64 work;
	u32 depthwise, in_channels = stage->opcode == DRM_LOOM_OP_MATMUL ?
			  kernel->operands[stage->operand[1]].ref.dims[3] :
			  kernel->operands[stage->operand[2]].ref.dims[1];

	if (stage->opcode == DRM_LOOM_OP_DECONV) {
		/* by the elements read: each meets all weights of its channel */
		work = loom_clock_times(operand_elems(op, stage->operand[1], counts),
					macs_each(kernel, stage));
		/* less the weights of the other channels */
		work = div64_u64(work, kernel->operands[0].ref.dims[1]);
		work = loom_clock_times(work, counts[1]);
		work = loom_div_round_up(work, least->lanes);
	} else {
		work = over_lanes(least, &c, macs_each(kernel, stage));
	}
	/*
	 * Blocks of outputs are omitted, because slices may share them. Partial sums of one channel
	 * may have the rate of depthwise convolutions, which take no blocks.
	 */
	depthwise = least->chip->array[dtype].depthwise_rate;
	if (stage->opcode == DRM_LOOM_OP_CONV && depthwise && in_channels > 1)
		return loom_clock_rate(work, max(depthwise, type->mac_rate ? type->mac_rate :
						 loom_div_round_up(type->op_rate, 2)));
	return loom_clock_work(least->chip, dtype, work, stage->opcode, in_channels);
}

static const void *attr_of(const struct loom_stage *stage)
{
	switch (stage->opcode) {
	case DRM_LOOM_OP_POOL:
		return &stage->pool;
	case DRM_LOOM_OP_RESIZE:
		return &stage->resize;
	case DRM_LOOM_OP_TOPK:
		return &stage->topk;
	}
	return NULL;
}

static u64 op_cycles(const struct least *least, const struct least_op *op,
		     const struct loom_stage *stage, const u64 *counts)
{
	const struct loom_kernel *kernel = &op->op->kernel;
	u32 by = stage->operand[stage->opcode == DRM_LOOM_OP_REDUCE ||
				stage->opcode == DRM_LOOM_OP_TOPK], i, rate = 0;
	struct classes c = classify(least, kernel, stage, counts);

	/* the slowest type that has a rate */
	for (i = 0; i < stage->operands; i++) {
		u32 dtype = kernel->operands[stage->operand[i]].ref.dtype;
		u32 own = loom_clock_op_rate(least->chip, stage->opcode, dtype);

		if (own && (!rate || own < rate))
			rate = own;
	}
	if (stage->opcode != DRM_LOOM_OP_POOL)
		c.channels = operand_elems(op, by, counts);
	return loom_clock_rate(over_lanes(least, &c, loom_clock_element_ops(stage->opcode,
									    attr_of(stage))),
			       rate);
}

u64 least_work(const struct least *least, const struct least_op *op, const u64 *counts)
{
	u64 cycles = 0;
	u32 i;

	for (i = 0; i < op->op->kernel.num_stages && op->op->kind == LOOM_GROUP_COMPUTE; i++) {
		const struct loom_stage *stage = &op->op->kernel.stages[i];
		bool macs = stage->opcode == DRM_LOOM_OP_CONV ||
			    stage->opcode == DRM_LOOM_OP_DECONV ||
			    stage->opcode == DRM_LOOM_OP_MATMUL;

		/* how few cycles a slice may declare is up to the kernel */
		if (stage->opcode == DRM_LOOM_OP_NATIVE)
			continue;
		cycles = loom_clock_add(cycles, least->chip->compute_start);
		cycles = loom_clock_add(cycles, macs ? mac_cycles(least, op, stage, counts) :
						       op_cycles(least, op, stage, counts));
	}
	return cycles;
}
