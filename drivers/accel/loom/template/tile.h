/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TEMPLATE_TILE_H
#define LOOM_TEMPLATE_TILE_H

#include "loom_native.h"

/**
 * DOC: The template's payloads
 *
 * A payload is an array of &struct tile_insn. An instruction works on the same range of bytes of up
 * to three operands in some lanes, each lane by itself. Operands must be in SRAM and dense: at most
 * one row of lanes, from lane 0, and contiguous in each lane.
 *
 * tile.c has no other dependencies than core/, so it can be tested on the host.
 */

#define TILE_FORMAT_ID		0x454c4954544d454cULL
#define TILE_FORMAT_VERSION	1

/**
 * enum tile_op - instructions, by the number of their sources
 */
enum tile_op {
	/** @TILE_FILL: every byte becomes @from[0] */
	TILE_FILL = 1,
	/** @TILE_COPY: bytes of operand @from[0] */
	TILE_COPY = 2,
	/** @TILE_ADD: sum of bytes of operands @from[0] and @from[1], modulo 256 */
	TILE_ADD = 3,
};

/**
 * struct tile_insn - an instruction; unused fields must be zero
 * @op: an &enum tile_op
 * @to: operand to be written
 * @from: operands to be read
 * @first_lane: first lane
 * @lanes: number of lanes, not zero
 * @bytes: number of bytes in each lane, not zero
 * @to_at: first byte of @to in each lane
 * @from_at: first bytes of @from
 */
struct tile_insn {
	u8 op;
	u8 to;
	u8 from[2];
	u16 first_lane;
	u16 lanes;
	u32 bytes;
	u32 to_at;
	u32 from_at[2];
};

/**
 * enum tile_reason - &drm_loom_reject.reason
 */
enum tile_reason {
	/** @TILE_SIZE: the payload is not a whole number of instructions */
	TILE_SIZE = 1,
	/** @TILE_OPERAND: an operand is not in SRAM, or not dense */
	TILE_OPERAND = 2,
	/** @TILE_OP: unknown instruction, or an unused field that is not zero */
	TILE_OP = 3,
	/** @TILE_NO_OPERAND: the command has no such operand */
	TILE_NO_OPERAND = 4,
	/** @TILE_NOT_WRITTEN: it writes an operand that is declared as an input */
	TILE_NOT_WRITTEN = 5,
	/** @TILE_LANES: lanes that the operand does not have */
	TILE_LANES = 6,
	/** @TILE_BYTES: bytes that the operand does not have */
	TILE_BYTES = 7,
	/** @TILE_UNDEFINED: it reads bytes of a temporary that it has not written */
	TILE_UNDEFINED = 8,
	/** @TILE_OVERLAP: it reads other bytes of the range that it writes */
	TILE_OVERLAP = 9,
};

/* Number of sources of an instruction; more than 2 for an unknown one. */
static inline u32 tile_sources(const struct tile_insn *insn)
{
	return (u32)insn->op - TILE_FILL;
}

extern const struct loom_native tile_native;

#endif /* LOOM_TEMPLATE_TILE_H */
