/* SPDX-License-Identifier: MIT */
/*
 * Cost of a plan, read from its bytes, so that all strategies are measured alike, independent of
 * their estimates. Cycles and energy are those of core/clock, which the engine also counts.
 */
#ifndef LOOM_PLAN_COST_H
#define LOOM_PLAN_COST_H

#include "loom_core.h"
#include "loom_program.h"
#include "loom_chip.h"

/**
 * struct loom_step_cost - cost of a step
 * @dram_read_bytes: bytes read from DRAM
 * @dram_write_bytes: bytes written to DRAM
 * @macs: multiply-accumulates
 * @cycles: of both streams together
 * @dma_cycles: of the DMA stream
 * @compute_cycles: of the compute stream
 * @dma_start_cycles: start-up of commands in @dma_cycles
 * @compute_start_cycles: start-up of commands in @compute_cycles
 * @mac_cycles: of multiply-accumulates, if nothing else was the bottleneck
 * @op_cycles: the same of other operations on elements
 * @copy_cycles: cycles in @dma_cycles of commands that stay in the SRAM, without starts
 * @lane_cycles: of each lane those of @mac_cycles and @op_cycles in which it has work; their sum
 * @energy_fj: femtojoule
 * @sram_bytes: SRAM per lane that is alive
 * @dma_banks: bit per conflict sub-bank: the DMA stream touches it
 * @compute_banks: the same for the compute stream
 */
struct loom_step_cost {
	u64 dram_read_bytes;
	u64 dram_write_bytes;
	u64 macs;
	u64 cycles;
	u64 dma_cycles;
	u64 compute_cycles;
	u64 dma_start_cycles;
	u64 compute_start_cycles;
	u64 mac_cycles;
	u64 op_cycles;
	u64 copy_cycles;
	u64 lane_cycles;
	u64 energy_fj;
	u64 sram_bytes;
	u64 dma_banks;
	u64 compute_banks;
};

/**
 * loom_plan_cost() - compute the cost of each step of a program
 * @program: from the planner, because its plan is not verified
 * @chip: the chip it was planned for
 * @steps: [out] by step, from malloc
 *
 * Return: 0 or -ENOMEM.
 */
int loom_plan_cost(const struct loom_program *program, const struct drm_loom_chip *chip,
		   struct loom_step_cost **steps);

/**
 * loom_plan_command_cycles() - compute the cycles of each command of a program
 * @program: from the planner, because its plan is not verified
 * @chip: the chip it was planned for
 * @cycles: [out] by command, from malloc
 *
 * Return: 0 or -ENOMEM.
 */
int loom_plan_command_cycles(const struct loom_program *program, const struct drm_loom_chip *chip,
			     u64 **cycles);

/**
 * loom_plan_group() - the group that a command of a plan belongs to
 * @program: with groups
 * @step: the step of the command
 * @command: index of the command
 *
 * Transfers may run in steps of other groups. A transfer of no node belongs to the group of its
 * step.
 *
 * Return: index of the group.
 */
u32 loom_plan_group(const struct loom_program *program, u32 step, u32 command);

/** loom_plan_cost_fill() - sums up for stats, groups and cuts, which are created if missing */
int loom_plan_cost_fill(struct loom_program *program, struct loom_program_group *groups,
			struct loom_program_cut **cuts, const struct drm_loom_chip *chip);

#endif /* LOOM_PLAN_COST_H */
