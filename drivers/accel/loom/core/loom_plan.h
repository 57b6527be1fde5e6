/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_PLAN_H
#define LOOM_PLAN_H

#include "loom_core.h"

struct loom_op;

/**
 * DOC: The decoded plan
 *
 * The verifier (loom_verify.h) decodes the bytes of a client into this form, and the engine
 * (loom_engine.h) runs nothing else. Neither room uses the other; they share this header. A decoded
 * plan is immutable: any number of jobs can share it without a lock. It has no pointers into the
 * client's bytes.
 */

/**
 * struct loom_view - an operand, resolved
 * @region: an &enum drm_loom_region
 * @slot: its slot (DRAM, ROM, and SRAM if @bound)
 * @tensor: tensor it is a view of, for reports
 * @dtype: an &enum drm_loom_dtype
 * @elem_bytes: bytes of an element
 * @rank: number of axes
 * @lane_axis: SRAM: axis that runs over the lanes
 * @image: it lies in an image
 * @bound: SRAM: it is in the binding of @slot, not in the scratch
 * @lane_start: SRAM: index of its first element on the tensor's lane axis
 * @offset: bytes from the start of the slot, or in SRAM of the slot or scratch in each bank, to
 *	the first element (without the lane axis)
 * @dims: elements per axis; 1 past the rank
 * @strides: bytes per axis; for the lane axis bytes per row of lanes; 0 past the rank
 * @start: first byte of the slot (SRAM: in each bank) that it can touch
 * @end: first byte behind the last that it can touch
 *
 * Element (i0, i1, ..) lies at @offset + sum over the axes of i * stride, but on the
 * lane axis l = lane_start + i counts (l / lanes) * stride, in bank l % lanes.
 */
struct loom_view {
	u32 region;
	u32 slot;
	u32 tensor;
	u8 dtype;
	u8 elem_bytes;
	u8 rank;
	u8 lane_axis;
	bool image;
	bool bound;
	u32 lane_start;
	u64 offset;
	u32 dims[DRM_LOOM_MAX_RANK];
	s64 strides[DRM_LOOM_MAX_RANK];
	u64 start;
	u64 end;
};

/**
 * struct loom_command - a command, decoded
 * @op: its operation
 * @attr: its attribute structure (&struct drm_loom_attr_conv ..), or NULL
 * @views: its operands, the written one first
 * @operands: number of operands
 * @zero: bit mask of outputs that must be zeroed before it runs: the back end has not proved that
 *	every element is written
 * @outputs: number of outputs, its first operands; temporaries follow
 * @reads: its first operand that it reads
 * @written: number of operands that it writes, its first ones
 * @units: number of units; the engine can stop between them
 * @unit_cost: cost of a unit, in element operations
 * @macs: multiply-accumulates of the whole command
 * @cycles: its time on the chip (loom_clock.h)
 * @energy_fj: its energy on the chip, in femtojoule
 */
struct loom_command {
	const struct loom_op *op;
	const void *attr;
	const struct loom_view *views;
	u16 operands;
	u16 zero;
	u8 outputs;
	u8 reads;
	u8 written;
	u64 units;
	u64 unit_cost;
	u64 macs;
	u64 cycles;
	u64 energy_fj;
};

/**
 * struct loom_step - the commands of a step
 * @first_command: index of the first
 * @commands: number of commands, those of the DMA stream first
 * @dma_commands: number of commands of the DMA stream
 */
struct loom_step {
	u32 first_command;
	u32 commands;
	u32 dma_commands;
};

/**
 * struct loom_slot - requirements of a binding
 * @size: bytes; with DRM_LOOM_SLOT_SRAM in each bank
 * @flags: DRM_LOOM_SLOT_*
 * @dtype: images: type of an element; else zero, and the rest, too
 * @width: images: elements in a row
 * @height: images: rows
 * @pitch_bytes: images: bytes from a row to the next
 */
struct loom_slot {
	u64 size;
	u32 flags;
	u32 dtype;
	u32 width;
	u32 height;
	u32 pitch_bytes;
};

/**
 * struct loom_plan - a plan that was proved safe
 * @lanes: SRAM banks that it computes on
 * @overlap: both streams of a step run at the same time
 * @scratch_bytes: SRAM that it uses, per bank
 * @slot_count: number of @slots
 * @step_count: number of @steps
 * @command_count: number of @commands
 * @view_count: number of @views
 * @tensor_count: number of tensors it was declared with
 * @slots: the slots
 * @steps: the steps
 * @commands: the commands of all steps
 * @views: the operands of all commands
 * @attrs: the attributes of all commands
 * @attr_bytes: bytes of @attrs
 * @scratch_ends: by bank: end of the used scratch; does not grow from a bank to the next
 * @native: it may have native commands
 * @format: format of their payloads
 */
struct loom_plan {
	u32 lanes;
	bool overlap;
	u64 scratch_bytes;
	u32 slot_count;
	u32 step_count;
	u32 command_count;
	u32 view_count;
	u32 tensor_count;
	struct loom_slot *slots;
	struct loom_step *steps;
	struct loom_command *commands;
	struct loom_view *views;
	void *attrs;
	u32 attr_bytes;
	u64 *scratch_ends;
	bool native;
	struct drm_loom_format format;
};

#endif /* LOOM_PLAN_H */
