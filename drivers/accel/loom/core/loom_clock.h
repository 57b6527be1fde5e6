/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_CLOCK_H
#define LOOM_CLOCK_H

#include "loom_chip.h"
#include "loom_plan.h"

/**
 * DOC: Clock interface
 *
 * The room core/clock computes time and energy of a command on a chip, from a decoded command and a
 * description that must have passed loom_chip_check(). The verifier calls it once for each command
 * and stores the result in the decoded plan for the engine; planners call it for their own plans.
 * So estimates and counters agree by construction.
 *
 * The contract defines cycles ("The clock of a chip"), and clock.c implements it line by
 * line. Integers only; all sums and products saturate, so every plan that the verifier accepts has
 * a result. O(rank) for each operand.
 *
 * It uses core/op for the stream of an operation. Rejected: a cycle counter in the engine's loops.
 * It would measure the processor that emulates the device.
 */

/**
 * struct loom_clock_cost - cost of a command
 * @cycles: @start, and the longer of @memory and @macs plus @ops
 * @start: cycles until it starts
 * @memory: cycles that memory takes; of a compute command without the SRAM
 * @macs: cycles of its multiply-accumulates
 * @ops: cycles of its other operations on elements
 * @energy_fj: femtojoule, of memory (SRAM included) and arithmetic
 */
struct loom_clock_cost {
	u64 cycles;
	u64 start;
	u64 memory;
	u64 macs;
	u64 ops;
	u64 energy_fj;
};

/**
 * loom_clock_command() - cost of a command
 * @chip: the chip
 * @command: the command, as the verifier decodes it: op, attr, views, operands and macs are read
 * @cost: out
 */
void loom_clock_command(const struct drm_loom_chip *chip, const struct loom_command *command,
			struct loom_clock_cost *cost);

/**
 * loom_clock_rate() - cycles for an amount
 * @amount: of bytes or operations
 * @rate: how many of them in 1000 cycles
 *
 * Return: cycles, rounded up; zero where the chip has no rate for it; saturated.
 */
u64 loom_clock_rate(u64 amount, u32 rate);

/**
 * loom_clock_memory() - cycles for bytes of one region in one command
 * @region: the region
 * @read_bytes: read from it
 * @write_bytes: written to it
 *
 * Return: cycles; saturated.
 */
u64 loom_clock_memory(const struct drm_loom_chip_region *region, u64 read_bytes, u64 write_bytes);

/**
 * loom_clock_dealt() - operand whose elements are distributed over the lanes
 * @command: a command that computes
 *
 * Return: a view of it: y, or x of REDUCE and TOPK.
 */
const struct loom_view *loom_clock_dealt(const struct loom_command *command);

/**
 * loom_clock_elements() - number of elements of a view
 * @view: the view
 *
 * Return: elements; saturated.
 */
u64 loom_clock_elements(const struct loom_view *view);

/**
 * loom_clock_rounds() - elements of a view per lane, of the lane with the most
 * @chip: the chip
 * @view: the view
 *
 * Return: elements; saturated.
 */
u64 loom_clock_rounds(const struct drm_loom_chip *chip, const struct loom_view *view);

/**
 * loom_clock_element_ops() - operations for an element of a command without multiply-accumulates
 * @opcode: one of DRM_LOOM_OP_*
 * @attr: its attributes; not read where they do not matter
 *
 * Return: operations for an element of loom_clock_dealt().
 */
u64 loom_clock_element_ops(u32 opcode, const void *attr);

/**
 * loom_clock_op_rate() - rate of an operation other than multiply-accumulates
 * @chip: the chip
 * @opcode: one of DRM_LOOM_OP_*
 * @dtype: type of an operand
 *
 * Return: operations per 1000 cycles in a lane; zero where the chip does not have the type.
 */
static inline u32 loom_clock_op_rate(const struct drm_loom_chip *chip, u32 opcode, u32 dtype)
{
	u32 rate = 0;

	if (opcode == DRM_LOOM_OP_POOL)
		rate = chip->vector[dtype].pool_rate;
	else if (opcode == DRM_LOOM_OP_BINARY || opcode == DRM_LOOM_OP_UNARY ||
		 opcode == DRM_LOOM_OP_SELECT)
		rate = chip->vector[dtype].element_rate;
	return rate ? rate : chip->type[dtype].op_rate;
}

/**
 * loom_clock_work() - cycles of multiply-accumulates in a lane
 * @chip: the chip
 * @dtype: type of the first input
 * @work: multiply-accumulates in the lane with the most
 * @opcode: CONV, DECONV or MATMUL
 * @in_channels: inputs that are summed for an output, without the taps of a window
 *
 * Blocks of outputs are not included: @work must be of whole blocks. Monotone in @work.
 *
 * Return: cycles; saturated.
 */
u64 loom_clock_work(const struct drm_loom_chip *chip, u32 dtype, u64 work, u32 opcode,
		    u32 in_channels);

/**
 * loom_clock_rows() - rows of lanes that a run of indices on a lane axis lies in
 * @lanes: number of lanes
 * @start: first index
 * @count: number of indices, not zero
 *
 * Return: rows; a row takes as long however many of its lanes have work.
 */
static inline u64 loom_clock_rows(u32 lanes, u32 start, u32 count)
{
	return ((u64)start + count - 1) / lanes - start / lanes + 1;
}

/** loom_clock_add() - a saturated sum */
static inline u64 loom_clock_add(u64 a, u64 b)
{
	u64 sum;

	return check_add_overflow(a, b, &sum) ? U64_MAX : sum;
}

/** loom_clock_times() - a saturated product */
static inline u64 loom_clock_times(u64 a, u64 b)
{
	u64 product;

	return check_mul_overflow(a, b, &product) ? U64_MAX : product;
}

/**
 * loom_clock_step() - cycles of a step
 * @overlap: both streams run at the same time (DRM_LOOM_CHIP_OVERLAP)
 * @dma: cycles of its DMA stream
 * @compute: cycles of its compute stream
 *
 * Return: cycles, at least one.
 */
static inline u64 loom_clock_step(bool overlap, u64 dma, u64 compute)
{
	u64 cycles = overlap ? max(dma, compute) : loom_clock_add(dma, compute);

	return cycles ? cycles : 1;
}

#endif /* LOOM_CLOCK_H */
