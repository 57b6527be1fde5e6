/* SPDX-License-Identifier: MIT WITH Linux-syscall-note */
#ifndef _LOOM_ACCEL_PLAN_H_
#define _LOOM_ACCEL_PLAN_H_

#include "loom_accel_chip.h"
#include "loom_accel_ops.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: The plan format
 *
 * A plan is a blob: a header and six tables, seven if it has images, each named in the header by
 * the offset of its first entry, the number of entries and the size of an entry. Tables
 * must start on eight bytes and lie inside the blob behind the header. A plan has no
 * addresses: commands name operands, an operand is a view of a tensor, and
 * a tensor lies at an offset in a slot (DRAM, ROM) or in the plan's scratch (SRAM).
 * An SRAM tensor that outlives the job must lie in a slot, too (DRM_LOOM_TENSOR_SLOT): it is then
 * in the bound buffer, where a later plan can read it.
 *
 * Time is counted in steps. The commands of step s are a run in the command
 * table: first those of the DMA stream, then those of the compute stream. Both
 * streams start a step together and the next step starts when both have
 * ended; inside a stream, commands run one after the other.
 *
 * A tensor is an n-d box of elements with a byte stride per axis. Strides must nest: the stride of
 * an axis is at least the extent of all inner axes, so that no two elements share a byte.
 * The axes must be in row-major order (strides do not grow from axis 0 to the last).
 *
 * SRAM tensors have a lane axis. Index i on it lies in bank i % lanes, at row
 * i / lanes, and the stride of that axis is the size of a row. Sizes and offsets of
 * SRAM tensors are per bank, and the same in each.
 *
 * A view picks elements of a tensor: a byte offset from the tensor's first byte,
 * and a count and a signed byte stride per axis. Its axes need not be those of
 * the tensor: permuted, merged and stepped axes, and axes of stride zero express
 * transposes, reshapes, slices and broadcasts. In SRAM one axis of the view is
 * its lane axis: it starts at index @lane_start of the tensor's and runs over it one
 * by one; a view that does not run over lanes has a lane axis of one element.
 *
 * &enum drm_loom_rule lists what the kernel proves before it accepts a plan.
 */

#define DRM_LOOM_PLAN_MAGIC			0x4d4f4f4c	/* "LOOM", little endian */
#define DRM_LOOM_PLAN_VERSION		1
/*
 * DRM_LOOM_PLAN_VERSION_NATIVE: a plan with native commands. It begins with &struct
 * drm_loom_plan_header_native. Since minor 7
 */
#define DRM_LOOM_PLAN_VERSION_NATIVE	2

#define DRM_LOOM_MAX_RANK			6
#define DRM_LOOM_MAX_OPERANDS		6
#define DRM_LOOM_MAX_NATIVE_OPERANDS	16
#define DRM_LOOM_MAX_PAYLOAD_BYTES	(64U << 10)
#define DRM_LOOM_MAX_PLAN_BYTES		(512ULL << 20)
#define DRM_LOOM_MAX_TENSORS		(1U << 20)
#define DRM_LOOM_MAX_VIEWS			(1U << 22)
#define DRM_LOOM_MAX_COMMANDS		(1U << 20)
#define DRM_LOOM_MAX_STEPS			(1U << 20)
#define DRM_LOOM_MAX_SLOTS			64
#define DRM_LOOM_MAX_ATTR_BYTES		(64U << 20)
#define DRM_LOOM_MAX_UNIT_COST		(1ULL << 22)
#define DRM_LOOM_MAX_SPATIAL		(1 << 24)

/**
 * struct drm_loom_table - where a table of the plan lies
 * @offset: bytes from the start of the blob, a multiple of eight
 * @count: number of entries
 * @stride: bytes of an entry: exactly the size of its structure in this version
 */
struct drm_loom_table {
	__u64 offset;
	__u32 count;
	__u32 stride;
};

/**
 * struct drm_loom_plan_header - the first bytes of a plan
 * @magic: DRM_LOOM_PLAN_MAGIC
 * @version: DRM_LOOM_PLAN_VERSION or DRM_LOOM_PLAN_VERSION_NATIVE
 * @size: bytes of the whole blob
 * @lanes: SRAM banks it was made for, must be the lanes of the device
 * @flags: zero
 * @scratch_bytes: SRAM for tensors while the plan runs, per bank, from the first byte above the
 *	reserved ones. In each bank a job holds the bytes up to the end of the last tensor there
 * @slots: &struct drm_loom_plan_slot
 * @tensors: &struct drm_loom_plan_tensor
 * @steps: &struct drm_loom_plan_step
 * @commands: &struct drm_loom_plan_command
 * @views: &struct drm_loom_plan_view
 * @attrs: bytes (stride 1) of the attribute structures
 * @images: &struct drm_loom_plan_image; all zero for none. Since minor 1
 */
struct drm_loom_plan_header {
	__u32 magic;
	__u32 version;
	__u64 size;
	__u32 lanes;
	__u32 flags;
	__u64 scratch_bytes;
	struct drm_loom_table slots;
	struct drm_loom_table tensors;
	struct drm_loom_table steps;
	struct drm_loom_table commands;
	struct drm_loom_table views;
	struct drm_loom_table attrs;
	struct drm_loom_table images;
};

/**
 * struct drm_loom_format - a format of payloads, which a back end defines
 * @id: number of the format; its owner should choose it at random
 * @version: version of the format
 * @pad: zero
 *
 * A device lists its formats in DRM_LOOM_QUERY_FORMATS.
 */
struct drm_loom_format {
	__u64 id;
	__u32 version;
	__u32 pad;
};

/**
 * struct drm_loom_plan_header_native - the first bytes of a plan with native commands
 * @plan: version DRM_LOOM_PLAN_VERSION_NATIVE; the tables must lie behind this structure
 * @format: format of the payloads, must be one of the device's
 */
struct drm_loom_plan_header_native {
	struct drm_loom_plan_header plan;
	struct drm_loom_format format;
};

/* DRM_LOOM_SLOT_READ: the plan may read what the bound buffer holds before the job */
#define DRM_LOOM_SLOT_READ			(1 << 0)
/* DRM_LOOM_SLOT_WRITE: the plan may write it */
#define DRM_LOOM_SLOT_WRITE			(1 << 1)
/* DRM_LOOM_SLOT_SRAM: an SRAM buffer is bound to it; since minor 2 */
#define DRM_LOOM_SLOT_SRAM			(1 << 2)
/*
 * DRM_LOOM_SLOT_SPREAD: buffers that are sharded or on some banks only can be bound, too: the plan
 * must not assume that its bytes are spread over all banks. Without it such a buffer is EINVAL.
 * Since minor 3
 */
#define DRM_LOOM_SLOT_SPREAD		(1 << 3)
/* DRM_LOOM_SLOT_ROM: a ROM buffer is bound to it, which the plan only reads; since minor 5 */
#define DRM_LOOM_SLOT_ROM			(1 << 4)
/*
 * DRM_LOOM_SLOT_PER_BANK: buffers with an address of their own in each bank
 * (DRM_LOOM_BO_CREATE_PER_BANK) can be bound, too: the plan must not assume that bytes in different
 * banks have the same address. Without it such a buffer is EINVAL. Not for DRM_LOOM_SLOT_SRAM,
 * whose lanes step through one address. Since minor 8
 */
#define DRM_LOOM_SLOT_PER_BANK		(1 << 5)

/**
 * struct drm_loom_plan_slot - a place that a buffer is bound to at submit
 *
 * Weights and inputs are READ; outputs and arenas are WRITE. The content of a WRITE slot before the
 * job is undefined: a plan must not read bytes there that it has not written. READ and WRITE
 * together is a buffer that is updated in place.
 *
 * With DRM_LOOM_SLOT_SRAM it is a piece of each SRAM bank at the same address, for SRAM tensors
 * that say DRM_LOOM_TENSOR_SLOT, and for no others.
 *
 * With DRM_LOOM_SLOT_ROM it is for tensors in ROM, and for no others; without SRAM and ROM for
 * those in DRAM. The chip must have that region.
 *
 * @size: bytes that the plan uses of it, must not be zero; with DRM_LOOM_SLOT_SRAM per bank
 * @flags: DRM_LOOM_SLOT_*. READ or WRITE must be set; SRAM excludes SPREAD and PER_BANK, and ROM
 *	excludes WRITE and SRAM
 * @pad: zero
 */
struct drm_loom_plan_slot {
	__u64 size;
	__u32 flags;
	__u32 pad;
};

/**
 * struct drm_loom_plan_image - declares a slot to be an image
 *
 * Only an image can be bound to the slot then, and all tensors in the slot must be windows of it.
 *
 * @slot: index of a DRAM slot, must be declared once; its size is @height rows of @pitch_bytes
 * @dtype: an &enum drm_loom_dtype
 * @width: elements in a row, not zero
 * @height: rows, not zero
 * @pitch_bytes: bytes from a row to the next: a multiple of the DRAM's alignment, at least a row
 * @pad: zero
 */
struct drm_loom_plan_image {
	__u32 slot;
	__u32 dtype;
	__u32 width;
	__u32 height;
	__u32 pitch_bytes;
	__u32 pad;
};

/* DRM_LOOM_TENSOR_ALIAS: a view of @parent's bytes */
#define DRM_LOOM_TENSOR_ALIAS		(1 << 0)
/* DRM_LOOM_TENSOR_SLOT: SRAM: it lies in @slot, not in the scratch; since minor 2 */
#define DRM_LOOM_TENSOR_SLOT		(1 << 1)

/**
 * struct drm_loom_plan_tensor - a typed n-d value at a place, for a time
 *
 * @region: an &enum drm_loom_region
 * @slot: index of the slot (DRAM, and SRAM with DRM_LOOM_TENSOR_SLOT); zero for the plan's scratch
 * @flags: DRM_LOOM_TENSOR_*
 * @parent: with DRM_LOOM_TENSOR_ALIAS: a tensor that must not be an alias itself, of the same
 *	region and slot, and that contains this one in bytes and in steps; else zero
 * @offset: first byte in the slot or the scratch (per bank)
 * @size: bytes (per bank)
 * @first_step: first step that touches it
 * @last_step: last step that touches it
 * @dtype: an &enum drm_loom_dtype
 * @rank: number of axes, 1 to DRM_LOOM_MAX_RANK
 * @lane_axis: SRAM: the axis that is distributed over the banks; zero for DRAM
 * @pad: zero
 * @dims: elements per axis, not zero; zero past the rank
 * @pad2: zero
 * @strides: bytes per axis; zero past the rank
 */
struct drm_loom_plan_tensor {
	__u32 region;
	__u32 slot;
	__u32 flags;
	__u32 parent;
	__u64 offset;
	__u64 size;
	__u32 first_step;
	__u32 last_step;
	__u8 dtype;
	__u8 rank;
	__u8 lane_axis;
	__u8 pad;
	__u32 pad2;
	__u32 dims[DRM_LOOM_MAX_RANK];
	__u64 strides[DRM_LOOM_MAX_RANK];
};

/**
 * struct drm_loom_plan_step - one tick
 * @first_command: index of its first command: the number of commands in the
 *	steps before it
 * @dma_commands: commands of the DMA stream
 * @compute_commands: commands of the compute stream, behind them
 * @pad: zero
 */
struct drm_loom_plan_step {
	__u32 first_command;
	__u32 dma_commands;
	__u32 compute_commands;
	__u32 pad;
};

/**
 * struct drm_loom_plan_command - an operation on views
 * @opcode: the operation, one of DRM_LOOM_OP_*
 * @operands: number of operands
 * @pad: zero
 * @first_view: index of the first operand in the view table: the output, then the inputs in the
 *	order given with the opcode
 * @attr_offset: byte offset in the attribute table, a multiple of eight; zero without
 *	attributes
 * @attr_size: size of the opcode's attribute structure, zero if it has none; with NATIVE and its
 *	payload
 */
struct drm_loom_plan_command {
	__u16 opcode;
	__u16 operands;
	__u32 pad;
	__u32 first_view;
	__u32 attr_size;
	__u64 attr_offset;
};

/**
 * struct drm_loom_plan_view - an operand
 * @tensor: index of the tensor
 * @dtype: must be the tensor's
 * @rank: number of axes, 1 to DRM_LOOM_MAX_RANK
 * @lane_axis: SRAM: the axis of this view that runs over the lanes; else zero
 * @pad: zero
 * @offset: bytes from the tensor's first byte. For SRAM it does not count the lane
 *	axis, which starts at @lane_start
 * @lane_start: SRAM: first index on the tensor's lane axis; else zero
 * @pad2: zero
 * @dims: elements per axis, not zero; zero past the rank
 * @strides: bytes per axis, may be zero or negative in what is read; zero past the rank.
 *	On the lane axis it must be the tensor's
 */
struct drm_loom_plan_view {
	__u32 tensor;
	__u8 dtype;
	__u8 rank;
	__u8 lane_axis;
	__u8 pad;
	__u64 offset;
	__u32 lane_start;
	__u32 pad2;
	__u32 dims[DRM_LOOM_MAX_RANK];
	__s64 strides[DRM_LOOM_MAX_RANK];
};

/**
 * enum drm_loom_opcode - operations of commands that move data, and of native commands
 *
 * y is the output. DMA commands move elements of one size; LOAD is DRAM to SRAM, STORE is SRAM to
 * DRAM, COPY stays in a region.
 */
enum drm_loom_opcode {
	/** @DRM_LOOM_OP_LOAD: y, x; the same dims */
	DRM_LOOM_OP_LOAD = 1,
	/** @DRM_LOOM_OP_STORE: y, x; the same dims */
	DRM_LOOM_OP_STORE = 2,
	/** @DRM_LOOM_OP_COPY: y, x; the same dims and region */
	DRM_LOOM_OP_COPY = 3,
	/** @DRM_LOOM_OP_FILL: y; &struct drm_loom_attr_fill; either region, DMA stream */
	DRM_LOOM_OP_FILL = 4,
	/**
	 * @DRM_LOOM_OP_NATIVE: outputs, temporaries, in-outs, inputs; &struct drm_loom_attr_native
	 * and a payload, which only the device understands. Compute stream, in plans of
	 * DRM_LOOM_PLAN_VERSION_NATIVE. Not in &drm_loom_chip.opcodes. Since minor 7
	 */
	DRM_LOOM_OP_NATIVE = 256,
};

/**
 * struct drm_loom_attr_fill - attributes of FILL
 * @bits: element, in the low bytes; the others zero
 */
struct drm_loom_attr_fill {
	__u64 bits;
};

/**
 * struct drm_loom_attr_native - attributes of NATIVE; the payload follows
 *
 * A command has 1 to DRM_LOOM_MAX_NATIVE_OPERANDS operands, in this order: outputs, temporaries,
 * in-outs, inputs. Written operands are in SRAM or in an image, may not contain a byte twice, and
 * share no byte with another operand. A chip with DRM_LOOM_CHIP_IN_PLACE reads inputs in that
 * region, too.
 *
 * - An output is undefined before the command; every element is written.
 * - A temporary is undefined before and after it. It must be of a tensor that is no alias, that
 *   nothing else has written, and whose slot, if it has one, is without DRM_LOOM_SLOT_READ.
 * - An in-out must have been written before; any elements may change.
 * - An input must have been written before.
 *
 * Commands must be in the order of their views and attributes in the tables, and share none.
 *
 * @cycles: time on the chip, as promised by the plan
 * @payload_bytes: bytes behind this structure, at most DRM_LOOM_MAX_PAYLOAD_BYTES;
 *	&drm_loom_plan_command.attr_size is the sum of both
 * @outputs: number of outputs
 * @temporaries: number of temporaries
 * @inouts: number of in-outs; an output or in-out must exist
 * @pad: zero
 */
struct drm_loom_attr_native {
	__u64 cycles;
	__u32 payload_bytes;
	__u8 outputs;
	__u8 temporaries;
	__u8 inouts;
	__u8 pad;
};

/**
 * enum drm_loom_rule - rules that a plan must keep
 *
 * The numbers never change. Rules are checked in the order of the tables; the first
 * one that is broken is reported.
 */
enum drm_loom_rule {
	/** @DRM_LOOM_RULE_NONE: nothing was broken */
	DRM_LOOM_RULE_NONE = 0,
	/** @DRM_LOOM_RULE_HEADER: magic, version, size, flags and reserved fields are right */
	DRM_LOOM_RULE_HEADER = 1,
	/** @DRM_LOOM_RULE_TABLE: tables lie in the blob, aligned, disjoint, of the right stride */
	DRM_LOOM_RULE_TABLE = 2,
	/** @DRM_LOOM_RULE_LIMIT: no count is past its cap */
	DRM_LOOM_RULE_LIMIT = 3,
	/** @DRM_LOOM_RULE_TOPOLOGY: the plan was made for this device's lanes */
	DRM_LOOM_RULE_TOPOLOGY = 4,
	/** @DRM_LOOM_RULE_SCRATCH: scratch fits in a bank above its reserved bytes */
	DRM_LOOM_RULE_SCRATCH = 5,
	/** @DRM_LOOM_RULE_SLOT: slots have a size, known flags, no padding, a region of the chip */
	DRM_LOOM_RULE_SLOT = 6,
	/** @DRM_LOOM_RULE_TENSOR_FIELD: region, slot, flags and padding of a tensor are valid */
	DRM_LOOM_RULE_TENSOR_FIELD = 7,
	/**
	 * @DRM_LOOM_RULE_TENSOR_TYPE: type, rank, dims and lane axis of a tensor are valid, and
	 * since minor 5 the type is one that the chip has
	 */
	DRM_LOOM_RULE_TENSOR_TYPE = 8,
	/** @DRM_LOOM_RULE_TENSOR_STRIDE: strides of a tensor nest and keep elements aligned */
	DRM_LOOM_RULE_TENSOR_STRIDE = 9,
	/** @DRM_LOOM_RULE_TENSOR_EXTENT: the elements of a tensor lie in its size */
	DRM_LOOM_RULE_TENSOR_EXTENT = 10,
	/** @DRM_LOOM_RULE_TENSOR_BOUNDS: a tensor lies in its slot or in the scratch */
	DRM_LOOM_RULE_TENSOR_BOUNDS = 11,
	/** @DRM_LOOM_RULE_TENSOR_LIFETIME: first step <= last step < steps */
	DRM_LOOM_RULE_TENSOR_LIFETIME = 12,
	/** @DRM_LOOM_RULE_TENSOR_ALIAS: an alias lies in its parent, in bytes and steps */
	DRM_LOOM_RULE_TENSOR_ALIAS = 13,
	/** @DRM_LOOM_RULE_TENSOR_OVERLAP: tensors alive in the same step do not share bytes */
	DRM_LOOM_RULE_TENSOR_OVERLAP = 14,
	/** @DRM_LOOM_RULE_STEP: the steps tile the command table in order */
	DRM_LOOM_RULE_STEP = 15,
	/** @DRM_LOOM_RULE_STREAM: a command stands in its opcode's stream */
	DRM_LOOM_RULE_STREAM = 16,
	/** @DRM_LOOM_RULE_OPCODE: the opcode is known, and since minor 5 one that the chip has */
	DRM_LOOM_RULE_OPCODE = 17,
	/** @DRM_LOOM_RULE_COMMAND_FIELD: padding of a command is zero */
	DRM_LOOM_RULE_COMMAND_FIELD = 18,
	/** @DRM_LOOM_RULE_OPERANDS: number of operands is the opcode's, they are in the table */
	DRM_LOOM_RULE_OPERANDS = 19,
	/** @DRM_LOOM_RULE_ATTR: attributes are in the table, of the right size, valid */
	DRM_LOOM_RULE_ATTR = 20,
	/** @DRM_LOOM_RULE_VIEW_TENSOR: a view names a tensor */
	DRM_LOOM_RULE_VIEW_TENSOR = 21,
	/** @DRM_LOOM_RULE_VIEW_FIELD: rank, dims, padding of a view valid, its type the tensor's */
	DRM_LOOM_RULE_VIEW_FIELD = 22,
	/** @DRM_LOOM_RULE_VIEW_LIFETIME: the tensor is alive in the step */
	DRM_LOOM_RULE_VIEW_LIFETIME = 23,
	/** @DRM_LOOM_RULE_VIEW_ALIGN: offset and strides keep elements aligned */
	DRM_LOOM_RULE_VIEW_ALIGN = 24,
	/** @DRM_LOOM_RULE_VIEW_LANE: the lane axis runs over the tensor's, and stays on it */
	DRM_LOOM_RULE_VIEW_LANE = 25,
	/** @DRM_LOOM_RULE_VIEW_BOUNDS: a view's elements lie in its tensor */
	DRM_LOOM_RULE_VIEW_BOUNDS = 26,
	/** @DRM_LOOM_RULE_VIEW_REGION: the operand is in a region that the opcode takes */
	DRM_LOOM_RULE_VIEW_REGION = 27,
	/** @DRM_LOOM_RULE_VIEW_DTYPE: the opcode takes these types together */
	DRM_LOOM_RULE_VIEW_DTYPE = 28,
	/** @DRM_LOOM_RULE_VIEW_SHAPE: the operands' dims fit the opcode and its attributes */
	DRM_LOOM_RULE_VIEW_SHAPE = 29,
	/** @DRM_LOOM_RULE_VIEW_DISTINCT: no two elements of a written view share a byte */
	DRM_LOOM_RULE_VIEW_DISTINCT = 30,
	/** @DRM_LOOM_RULE_COST: the smallest piece of a command is small enough to stop between */
	DRM_LOOM_RULE_COST = 31,
	/** @DRM_LOOM_RULE_READ_ONLY: nothing is written in a slot without DRM_LOOM_SLOT_WRITE */
	DRM_LOOM_RULE_READ_ONLY = 32,
	/** @DRM_LOOM_RULE_UNINITIALISED: nothing is read that was not written before */
	DRM_LOOM_RULE_UNINITIALISED = 33,
	/**
	 * @DRM_LOOM_RULE_IN_PLACE: a command does not read what it writes, except elementwise
	 * ones from the very same view
	 */
	DRM_LOOM_RULE_IN_PLACE = 34,
	/** @DRM_LOOM_RULE_HAZARD: in a step, one stream does not touch what the other writes */
	DRM_LOOM_RULE_HAZARD = 35,
	/** @DRM_LOOM_RULE_IMAGE: an image names a slot of its size, once; its fields are valid */
	DRM_LOOM_RULE_IMAGE = 36,
	/** @DRM_LOOM_RULE_TENSOR_IMAGE: a tensor in an image has its type and is a window of it */
	DRM_LOOM_RULE_TENSOR_IMAGE = 37,
	/** @DRM_LOOM_RULE_VIEW_IMAGE: a view in an image stays in the columns of its tensor */
	DRM_LOOM_RULE_VIEW_IMAGE = 38,
	/**
	 * @DRM_LOOM_RULE_WORK: the verifier proves all other rules within a work budget that is
	 * proportional to the bytes of the plan. The command is the one at which the budget was
	 * used up: a plan should write its tensors in fewer pieces. Since minor 4
	 */
	DRM_LOOM_RULE_WORK = 39,
	/** @DRM_LOOM_RULE_FORMAT: the device takes the format of the payloads. Since minor 7 */
	DRM_LOOM_RULE_FORMAT = 40,
	/** @DRM_LOOM_RULE_TEMPORARY: only temporaries use a temporary's tensor. Since minor 7 */
	DRM_LOOM_RULE_TEMPORARY = 41,
	/**
	 * @DRM_LOOM_RULE_PAYLOAD: the back end has proved that the payload of a native command
	 * keeps to its operands. Since minor 7
	 */
	DRM_LOOM_RULE_PAYLOAD = 42,
};

#define DRM_LOOM_RULE_END			43

/* Which fields of a reject record are valid. */
#define DRM_LOOM_REJECT_STEP		(1 << 0)
#define DRM_LOOM_REJECT_COMMAND		(1 << 1)
#define DRM_LOOM_REJECT_OPERAND		(1 << 2)
#define DRM_LOOM_REJECT_TENSOR		(1 << 3)
#define DRM_LOOM_REJECT_OTHER		(1 << 4)
#define DRM_LOOM_REJECT_RANGE		(1 << 5)
#define DRM_LOOM_REJECT_SLOT		(1 << 6)
#define DRM_LOOM_REJECT_PAYLOAD		(1 << 7)

/**
 * struct drm_loom_reject - the rule that a plan breaks, and the place
 * @rule: an &enum drm_loom_rule
 * @valid: DRM_LOOM_REJECT_*: which of the following fields are valid
 * @step: index of the step
 * @command: index of the command
 * @operand: number of the operand
 * @tensor: index of the tensor at fault
 * @other: index of the tensor that it overlaps
 * @slot: index of the slot
 * @region: with DRM_LOOM_REJECT_RANGE: region of the range
 * @pad: zero
 * @start: first byte of the range at fault, in the slot or the scratch (per bank)
 * @end: first byte behind it
 * @reason: with DRM_LOOM_REJECT_PAYLOAD: a number that the format defines. Since minor 7, as the
 *	next
 * @payload_at: with DRM_LOOM_REJECT_PAYLOAD: offset in the payload of the instruction at fault
 */
struct drm_loom_reject {
	__u32 rule;
	__u32 valid;
	__u32 step;
	__u32 command;
	__u32 operand;
	__u32 tensor;
	__u32 other;
	__u32 slot;
	__u32 region;
	__u32 pad;
	__u64 start;
	__u64 end;
	__u32 reason;
	__u32 payload_at;
};

/* --------------------------------------------------------------- counters */

/**
 * struct drm_loom_counters - counts of the engine
 *
 * Sums over the jobs of a context that have ended. A job that was cancelled
 * counts for the part that it completed.
 *
 * @dram_read_bytes: read from DRAM: by the DMA stream, and by commands that take images where they
 *	are, which count the elements of a view once per command
 * @dram_write_bytes: written to DRAM, likewise
 * @sram_read_bytes: read from SRAM by the DMA stream
 * @sram_write_bytes: written to SRAM by the DMA stream
 * @macs: multiply-accumulates
 * @steps: steps
 * @commands: commands
 * @jobs: jobs
 * @busy_ns: time the engine took
 * @cycles: cycles of the steps, by the description of the chip. Since minor 5, as all that follows
 * @dma_cycles: cycles in which the DMA stream had something to do
 * @compute_cycles: the same of the compute stream
 * @energy_fj: femtojoule; zero where the description has no figures
 * @rom_read_bytes: read from ROM, counted as @dram_read_bytes is
 */
struct drm_loom_counters {
	__u64 dram_read_bytes;
	__u64 dram_write_bytes;
	__u64 sram_read_bytes;
	__u64 sram_write_bytes;
	__u64 macs;
	__u64 steps;
	__u64 commands;
	__u64 jobs;
	__u64 busy_ns;
	__u64 cycles;
	__u64 dma_cycles;
	__u64 compute_cycles;
	__u64 energy_fj;
	__u64 rom_read_bytes;
};

#if defined(__cplusplus)
}
#endif

#endif
