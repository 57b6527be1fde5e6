/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_CODE_H
#define LOOM_CODE_H

#include "loom_chip.h"
#include "loom_plan.h"

/**
 * DOC: Code interface
 *
 * A decoded plan has pointers, so it must be serialised for a separate device. The room core/code
 * encodes a decoded plan as bytes and decodes them. The result is equal: the same commands on the
 * same operands, with the same units, cycles and energy.
 *
 * - encode.c: from a decoded plan to bytes. None of the client's bytes are copied: it writes the
 *   decoded fields, one by one, including the attributes of commands
 * - decode.c: from bytes to a decoded plan, on the device. It does not trust the host: for any
 *   bytes, accesses of the result stay inside of its slots and scratch, and the operands of every
 *   operation are valid
 *
 * The bytes are a header and six tables, one after the other in the order of the structures here,
 * without gaps. Tensors and lifetimes are not encoded: the host has already proved that a plan only
 * reads bytes that it has written, and none of others.
 *
 * It uses core/op and core/clock for what follows from an operation and its operands (units, work,
 * cycles), which are not in the bytes so that they cannot be wrong there; and core/verify for the
 * end of a decoded plan. Rejected: the client's bytes behind a second verifier on the device. The
 * firmware would need all of its code, and uploading a plan would take twice as long. Rejected:
 * offsets of the tables in the header, because they are determined by the counts.
 *
 * Little endian machines only, as plans are: encode and decode are -EOPNOTSUPP elsewhere. So is
 * encode for a plan with native commands, for which a back end must have bytes of its own.
 */

#define LOOM_CODE_MAGIC		0x444f434c	/* "LCOD" */
#define LOOM_CODE_VERSION	1

/**
 * struct loom_code_header - the first bytes
 * @magic: LOOM_CODE_MAGIC
 * @version: LOOM_CODE_VERSION
 * @size: of all bytes
 * @sum: of all bytes behind this field, see loom_code_sum()
 * @scratch_bytes: &loom_plan.scratch_bytes
 * @lanes: &loom_plan.lanes, the number of &struct loom_code_end
 * @slots: number of &struct loom_code_slot
 * @steps: number of &struct loom_code_step
 * @commands: number of &struct loom_code_command
 * @views: number of &struct loom_code_view
 * @attr_bytes: bytes of attributes, rounded up to eight in the table
 * @tensors: &loom_plan.tensor_count
 * @pad: zero
 */
struct loom_code_header {
	u32 magic;
	u32 version;
	u64 size;
	u64 sum;
	u64 scratch_bytes;
	u32 lanes;
	u32 slots;
	u32 steps;
	u32 commands;
	u32 views;
	u32 attr_bytes;
	u32 tensors;
	u32 pad;
};

/**
 * struct loom_code_end - end of the scratch of a lane
 * @bytes: entry of &loom_plan.scratch_ends
 */
struct loom_code_end {
	u64 bytes;
};

/**
 * struct loom_code_slot - &struct loom_slot
 * @size: as there
 * @flags: as there
 * @dtype: as there
 * @width: as there
 * @height: as there
 * @pitch_bytes: as there
 * @pad: zero
 */
struct loom_code_slot {
	u64 size;
	u32 flags;
	u32 dtype;
	u32 width;
	u32 height;
	u32 pitch_bytes;
	u32 pad;
};

/**
 * struct loom_code_step - &struct loom_step; its first command follows the last of the one before
 * @dma_commands: of the DMA stream
 * @compute_commands: of the compute stream, behind them
 */
struct loom_code_step {
	u32 dma_commands;
	u32 compute_commands;
};

/**
 * struct loom_code_command - &struct loom_command
 * @opcode: one of DRM_LOOM_OP_*
 * @operands: number of views
 * @first_view: index of the first of them
 * @attr_offset: of its attributes in their table, a multiple of eight; zero without
 * @pad: zero
 */
struct loom_code_command {
	u16 opcode;
	u16 operands;
	u32 first_view;
	u32 attr_offset;
	u32 pad;
};

/* LOOM_CODE_VIEW_BOUND: &loom_view.bound */
#define LOOM_CODE_VIEW_BOUND	0x1
/* LOOM_CODE_VIEW_IMAGE: &loom_view.image */
#define LOOM_CODE_VIEW_IMAGE	0x2

/**
 * struct loom_code_view - &struct loom_view; all zero if no command has it
 * @slot: as there
 * @tensor: as there
 * @region: as there
 * @dtype: as there
 * @rank: as there
 * @lane_axis: as there
 * @lane_start: as there
 * @flags: LOOM_CODE_VIEW_*
 * @pad: zero
 * @offset: as there
 * @dims: as there
 * @strides: as there
 */
struct loom_code_view {
	u32 slot;
	u32 tensor;
	u8 region;
	u8 dtype;
	u8 rank;
	u8 lane_axis;
	u32 lane_start;
	u32 flags;
	u32 pad;
	u64 offset;
	u32 dims[DRM_LOOM_MAX_RANK];
	s64 strides[DRM_LOOM_MAX_RANK];
};

/**
 * loom_code_bytes() - number of bytes that loom_code_encode() writes
 * @plan: the plan
 *
 * Return: bytes, a multiple of eight, at most LOOM_CODE_MAX_BYTES.
 */
u64 loom_code_bytes(const struct loom_plan *plan);

/* LOOM_CODE_MAX_BYTES: upper bound for any plan */
#define LOOM_CODE_MAX_BYTES	(768ULL << 20)

/**
 * loom_code_encode() - encode a decoded plan
 * @plan: the plan
 * @bytes: out: eight-byte aligned, as many as loom_code_bytes() says
 *
 * Writes @bytes before it reads them back for the sum, so a device must not be able to write to
 * them. Deterministic.
 *
 * Return: 0; -EINTR if loom_port_relax() returned false; -EOPNOTSUPP.
 */
int __must_check loom_code_encode(const struct loom_plan *plan, void *bytes);

/**
 * loom_code_decode() - decode an encoded plan
 * @bytes: eight-byte aligned; they must not change during the call
 * @size: number of bytes
 * @chip: of the device
 * @plan: out: the caller must call loom_plan_destroy()
 *
 * Return: 0; -EBADMSG if it is no valid plan of this chip; -ENOMEM; -EINTR if loom_port_relax()
 * returned false; -EOPNOTSUPP.
 */
int __must_check loom_code_decode(const void *bytes, u64 size, const struct drm_loom_chip *chip,
				  struct loom_plan **plan);

/**
 * loom_code_sum() - checksum for &loom_code_header.sum
 * @words: the bytes
 * @count: words of eight bytes
 *
 * A change of one word always changes it. It detects accidents, not attacks.
 *
 * Return: the sum.
 */
u64 loom_code_sum(const u64 *words, u64 count);

#endif /* LOOM_CODE_H */
