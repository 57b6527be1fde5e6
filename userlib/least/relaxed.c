// SPDX-License-Identifier: MIT
#include "least.h"

#include "loom_clock.h"
#include "loom_op.h"

/**
 * DOC: The relaxed program
 *
 * Let q be a convolution without groups, or a product with a constant on a chip whose products
 * cannot go on from sums, that reads M bytes of value v and W bytes of weights; the SRAM holds S
 * bytes. An element of q's result is computed from a window of all channels and all weights of its
 * own channel in one step. So each element of v is in the SRAM together with each weight at some
 * time.
 *
 * Let M' of the M bytes be in the SRAM once: computed or loaded one time, and kept until their last
 * use. Select the element that is removed first; at that time at most S bytes of the others are in
 * the SRAM, and the rest comes later. Among those select again the one that is removed first, and
 * so on. That gives k >= M' / S elements with disjoint live ranges. All weights are in the SRAM
 * during each live range, and at its end at most S bytes of weights are there: so at least W + (k -
 * 1) * (W - S) bytes of weights are loaded.
 *
 * The other M - M' bytes enter the SRAM twice: written to DRAM and read back, read twice if they
 * are an input, or computed twice. Both costs are linear, so the minimum is at one of the ends: k =
 * 1 and all but S bytes enter twice, or none does.
 *
 * The costs of all values add up, because their bytes are disjoint. But where a value is cheaper to
 * recompute, the compute stream grows, not the DMA stream. For any share f from 0 to 1, time is at
 * least f times DMA plus 1 - f times compute; the minimum of that is a sum of minima over the
 * values. The bound is the largest over a few f.
 *
 * No bound is computed for values written by copies (concatenations), for weights that are read in
 * place, and for weights that are smaller than the SRAM each, regardless of their number.
 *
 * Rejected: dynamic programming over runs of nodes as groups, each with its minimal number of
 * slices. It is tighter, because the weights of a whole group must be held or loaded for each
 * slice. But it holds only for the given order of nodes and for plans made of such groups.
 */

#define SHARES	32

/* Cost of an additional byte or operation, rounded down because one command may contain several. */
static u64 down(u64 cycles)
{
	return cycles ? cycles - 1 : 0;
}

/* Whether each element of the result needs all channels, and all elements share the weights. */
static bool meets_all(const struct least *least, const struct least_op *op)
{
	const struct loom_kernel *kernel = &op->op->kernel;
	const struct loom_stage *stage = kernel->stages;
	const struct loom_operand *w;

	/* copies and fills have no stages; sums in parts meet a part of the weights */
	if (!op->live || op->op->kind != LOOM_GROUP_COMPUTE ||
	    kernel->sums != LOOM_KERNEL_NO_SUMS)
		return false;
	w = &kernel->operands[stage->operand[2]];
	if (w->role != LOOM_ROLE_LOAD || !least_is_fixed(least, &least->values[w->ref.tensor]))
		return false;
	if (stage->opcode == DRM_LOOM_OP_CONV)
		return !kernel->group;
	return stage->opcode == DRM_LOOM_OP_MATMUL && w->ref.dims[0] == 1 && w->ref.dims[1] == 1;
}

/*
 * Lower bound on the cycles to compute elements of a value once more; U64_MAX: no op computes them.
 */
static u64 recompute_cycles(const struct least *least, const struct least_value *value, u64 elems)
{
	u64 best = U64_MAX;
	u32 writer;

	for (writer = value->first_writer; writer != LEAST_NONE;
	     writer = least->ops[writer].next_writer) {
		const struct least_op *op = &least->ops[writer];
		u64 all, starts, cycles;

		if (!op->live)
			continue;
		/*
		 * A part may keep all lanes busy where the whole does not: it has at most twice as
		 * many elements in a round.
		 */
		all = least_elems(&op->result);
		starts = loom_clock_times(op->op->kernel.num_stages, least->chip->compute_start);
		cycles = op->cycles > starts ? op->cycles - starts : 0;
		cycles = (u64)((__uint128_t)cycles * elems / all / 2);
		best = min(best, down(cycles));
	}
	return best;
}

/*
 * Whether a value is an input, or computed but not by copies, and must be in the SRAM to be read.
 */
static bool has_own_bytes(const struct least *least, const struct least_value *value)
{
	const struct drm_loom_chip_region *dram = &least->chip->region[DRM_LOOM_REGION_DRAM];
	u32 writer;

	if (!dram->banks || dram->flags & DRM_LOOM_CHIP_IN_PLACE)
		return false;
	if (value->place != LEAST_COMPUTED)
		return least_is_fixed(least, value);
	for (writer = value->first_writer; writer != LEAST_NONE;
	     writer = least->ops[writer].next_writer)
		if (least->ops[writer].live &&
		    least->ops[writer].op->kind != LOOM_GROUP_COMPUTE)
			return false;
	return value->first_writer != LEAST_NONE;
}

/* Cycles for bytes moved in addition to the mandatory ones. */
static u64 move_cycles(const struct least *least, const struct least_value *value, u64 bytes)
{
	struct least_bytes sum = { .dram_read = bytes };

	if (value->place == LEAST_ROM)
		sum = (struct least_bytes){ .rom_read = bytes };
	else if (value->place == LEAST_COMPUTED && !value->stored_bytes)
		sum.dram_write = bytes;
	return down(down(least_cycles_of(least, &sum)));
}

/* Cost of the value that an op reads: by DMA, or by recomputation. */
static void add_value_cost(struct least *least, const struct least_op *op)
{
	const struct loom_stage *stage = &op->op->kernel.stages[0];
	const struct loom_operand *x = &op->op->kernel.operands[stage->operand[1]];
	const struct loom_operand *w = &op->op->kernel.operands[stage->operand[2]];
	struct least_value *value = &least->values[x->ref.tensor];
	struct least_value *weights = &least->values[w->ref.tensor];
	u64 data_bytes, weight_bytes, again, rest, moved, loaded;
	struct least_axes need;

	if (x->role != LOOM_ROLE_LOAD || weights->reloaded || !has_own_bytes(least, value) ||
	    !least_on_value(least, op, stage->operand[1], &op->loads[stage->operand[1]], &need))
		return;
	data_bytes = loom_dtype_row_bytes(value->dtype, least_elems(&need));
	weight_bytes = loom_dtype_row_bytes(weights->dtype,
					    least_elems(&op->loads[stage->operand[2]]));
	if (data_bytes <= least->sram_bytes || weight_bytes <= least->sram_bytes)
		return;
	rest = data_bytes - least->sram_bytes;
	again = loom_div_round_up(data_bytes, least->sram_bytes) - 1;
	moved = move_cycles(least, value, rest);
	loaded = move_cycles(least, weights, loom_clock_times(again, weight_bytes -
							      least->sram_bytes));
	moved = min(moved, loaded);
	if (moved <= value->moved_again)
		return;
	weights->reloaded = true;
	value->moved_again = moved;
	value->computed_again = value->place == LEAST_COMPUTED ?
		recompute_cycles(least, value, rest * 8 / loom_dtype_bits(value->dtype)) : U64_MAX;
}

/* @part of SHARES of @cycles, rounded down; U64_MAX (impossible) stays. */
static u64 share(u64 cycles, u32 part)
{
	return cycles == U64_MAX ? cycles : cycles / SHARES * part;
}

static u64 weighed(const struct least *least, u64 dma, u64 compute, u32 part)
{
	u64 sum = loom_clock_add(share(dma, part), share(compute, SHARES - part));
	u32 i;

	for (i = 0; i < least->num_values; i++) {
		const struct least_value *value = &least->values[i];

		sum = loom_clock_add(sum, min(share(value->moved_again, part),
					      share(value->computed_again, SHARES - part)));
	}
	return sum;
}

u64 least_relaxed(struct least *least, const struct loom_program_least *out)
{
	u64 compute = loom_clock_add(out->compute_cycles,
				     loom_clock_add(least->first_load, least->last_store));
	u64 best = out->held_cycles, sum = out->stream_cycles;
	u32 i;

	for (i = 0; i < least->list->num_ops; i++)
		if (meets_all(least, &least->ops[i]))
			add_value_cost(least, &least->ops[i]);
	if (least->chip->flags & DRM_LOOM_CHIP_OVERLAP) {
		for (i = 0; i <= SHARES; i++)
			best = max(best, weighed(least, out->dma_cycles, compute, i));
		return best;
	}
	for (i = 0; i < least->num_values; i++)
		sum = loom_clock_add(sum, min(least->values[i].moved_again,
					      least->values[i].computed_again));
	return max(best, sum);
}
