/* SPDX-License-Identifier: MIT */
/* Cycles of a command of a plan that is not decoded yet, and the bytes that it touches. */
#ifndef LOOM_PLAN_TIME_H
#define LOOM_PLAN_TIME_H

#include "loom_chip.h"
#include "loom_clock.h"
#include "loom_core.h"

/**
 * struct loom_plan_decoded - a command as the clock needs it, as the verifier decodes it
 * @views: its operands
 * @command: the command, which points to them
 */
struct loom_plan_decoded {
	struct loom_view views[DRM_LOOM_MAX_NATIVE_OPERANDS];
	struct loom_command command;
};

/**
 * loom_plan_decode() - decode a command for the clock
 * @tensors: of its plan
 * @opcode: one of DRM_LOOM_OP_*
 * @attr: its attributes, which must outlive @decoded
 * @raw: its operands
 * @operands: number of @raw
 * @decoded: out
 */
void loom_plan_decode(const struct drm_loom_plan_tensor *tensors, u32 opcode, const void *attr,
		      const struct drm_loom_plan_view *raw, u32 operands,
		      struct loom_plan_decoded *decoded);

/** loom_plan_clock() - cycles of a decoded command: of a native one those that the plan declares */
void loom_plan_clock(const struct drm_loom_chip *chip, const struct loom_command *command,
		     struct loom_clock_cost *cost);

/**
 * loom_plan_time() - compute the cycles of a command
 * @chip: the chip
 * @tensors: of the plan
 * @opcode: one of DRM_LOOM_OP_*
 * @attr: its attributes; not read if it has none
 * @views: its operands
 * @operands: number of @views
 * @cost: [out]
 */
void loom_plan_time(const struct drm_loom_chip *chip, const struct drm_loom_plan_tensor *tensors,
		    u32 opcode, const void *attr, const struct drm_loom_plan_view *views,
		    u32 operands, struct loom_clock_cost *cost);

/**
 * loom_plan_span() - find the bytes from the first to the last that a view touches
 * @lanes: SRAM banks
 * @tensor: the tensor of the view
 * @view: the view
 * @start: [out] first byte in the tensor's slot or in the scratch, of each bank
 * @end: [out] first byte behind
 */
void loom_plan_span(u32 lanes, const struct drm_loom_plan_tensor *tensor,
		    const struct drm_loom_plan_view *view, u64 *start, u64 *end);

#endif /* LOOM_PLAN_TIME_H */
