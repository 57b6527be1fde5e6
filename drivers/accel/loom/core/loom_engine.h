/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_ENGINE_H
#define LOOM_ENGINE_H

#include "loom_plan.h"

/**
 * struct loom_memory - where the engine finds the bytes
 * @lanes: SRAM banks
 * @scratch: first byte of the plan's scratch in bank 0
 * @lane_pitch: bytes from a bank to the next, in this process's memory
 * @slots: first byte of what is bound to each slot of the plan; of an SRAM slot in bank 0
 * @slot_pitches: by slot: bytes from a bank to the next of what is bound to an SRAM slot; may be
 *	NULL for a plan without
 */
struct loom_memory {
	u32 lanes;
	u8 *scratch;
	u64 lane_pitch;
	u8 *const *slots;
	const u64 *slot_pitches;
};

/**
 * struct loom_engine - a run of a plan
 *
 * A plain struct that the caller owns; it holds no resources.
 *
 * @plan: what is run
 * @memory: on what
 * @step: current step
 * @command: next command
 * @unit: next unit of it
 * @counters: what was counted so far: bytes per region, macs, steps, commands
 */
struct loom_engine {
	const struct loom_plan *plan;
	const struct loom_memory *memory;
	u32 step;
	u32 command;
	u64 unit;
	struct drm_loom_counters counters;
};

/**
 * loom_engine_init() - begin a run
 * @engine: the run
 * @plan: what to run; must outlive it
 * @memory: on what; must outlive it
 */
void loom_engine_init(struct loom_engine *engine, const struct loom_plan *plan,
		      const struct loom_memory *memory);

/**
 * loom_engine_run() - go on with a run for a while
 * @engine: the run
 * @budget: work to do before it returns, in element operations. One unit at least
 *	is done, so a call costs at most @budget + DRM_LOOM_MAX_UNIT_COST
 *
 * In a kernel: between kernel_fpu_begin() and kernel_fpu_end(), with memory that does not
 * fault. To cancel a run, do not call it again.
 *
 * Return: true when the plan has ended, false when there is more to do.
 */
bool loom_engine_run(struct loom_engine *engine, u64 budget);

#endif /* LOOM_ENGINE_H */
