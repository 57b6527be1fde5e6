/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_CHIP_H
#define LOOM_CHIP_H

#include "loom_core.h"

/**
 * DOC: Descriptions of chips
 *
 * The room core/chip checks descriptions of chips (&struct drm_loom_chip, part of the contract with
 * userspace). core/clock has the time of a command on a chip.
 *
 * - check.c: validates a description, and finds the first invalid field
 * - preset.c: the descriptions that the module has built in, for its parameter "topology". The
 *   library has the same and more of them as files, userlib/chips/; a test compares them
 *
 * Descriptions come from files, from configfs, from the registers of a device: all must be checked
 * here before their first use, so that no other code needs checks for a zero rate or an overflowing
 * product.
 */

/* Limits of fields of a description, so that no product of two of them overflows. */
#define LOOM_CHIP_MAX_BANK_BYTES	(1ULL << 44)
#define LOOM_CHIP_MAX_ALIGN_BYTES	(1U << 20)
#define LOOM_CHIP_MAX_RATE		2000000000U
#define LOOM_CHIP_MAX_CYCLES		1000000U
#define LOOM_CHIP_MAX_BURST_BYTES	(1U << 20)
#define LOOM_CHIP_MAX_FREQUENCY_HZ	1000000000000ULL
#define LOOM_CHIP_MAX_ENERGY		2000000000U
#define LOOM_CHIP_MAX_BLOCK		65536U

/* Bytes of a description before minor 7; fields behind them are zero where they are missing. */
#define LOOM_CHIP_FIRST_BYTES		offsetof(struct drm_loom_chip, array)
/* The same before minor 8. */
#define LOOM_CHIP_SECOND_BYTES		offsetof(struct drm_loom_chip, storage_banks)

/*
 * Field of a description, in the order of the structure; &struct loom_chip_fault has its region or
 * type. A loader of files maps these to lines.
 */
enum loom_chip_key {
	LOOM_CHIP_KEY_NONE,
	LOOM_CHIP_KEY_NAME,
	LOOM_CHIP_KEY_DTYPES,
	LOOM_CHIP_KEY_FLAGS,
	LOOM_CHIP_KEY_OPCODES,
	LOOM_CHIP_KEY_FREQUENCY,
	LOOM_CHIP_KEY_COMPUTE_UNITS,
	LOOM_CHIP_KEY_DMA_START,
	LOOM_CHIP_KEY_COMPUTE_START,
	LOOM_CHIP_KEY_PAD,
	LOOM_CHIP_KEY_BANKS,
	LOOM_CHIP_KEY_SUB_BANKS,
	LOOM_CHIP_KEY_BANK_BYTES,
	LOOM_CHIP_KEY_RESERVED_BYTES,
	LOOM_CHIP_KEY_ALIGN_BYTES,
	LOOM_CHIP_KEY_FLOOR_BYTES,
	LOOM_CHIP_KEY_BURST_BYTES,
	LOOM_CHIP_KEY_READ_RATE,
	LOOM_CHIP_KEY_WRITE_RATE,
	LOOM_CHIP_KEY_READ_LATENCY,
	LOOM_CHIP_KEY_WRITE_LATENCY,
	LOOM_CHIP_KEY_READ_ENERGY,
	LOOM_CHIP_KEY_WRITE_ENERGY,
	LOOM_CHIP_KEY_MAC_RATE,
	LOOM_CHIP_KEY_OP_RATE,
	LOOM_CHIP_KEY_MAC_ENERGY,
	LOOM_CHIP_KEY_OP_ENERGY,
	LOOM_CHIP_KEY_IN_CHANNELS,
	LOOM_CHIP_KEY_OUT_CHANNELS,
	LOOM_CHIP_KEY_POSITIONS,
	LOOM_CHIP_KEY_DEPTHWISE_RATE,
	LOOM_CHIP_KEY_POOL_RATE,
	LOOM_CHIP_KEY_ELEMENT_RATE,
	LOOM_CHIP_KEY_STORAGE_BANKS,
};

/**
 * struct loom_chip_fault - error in a description
 * @key: the field
 * @region: its region; U32_MAX if none
 * @type: its type; U32_MAX if none
 * @text: the problem, a phrase to follow the name of the field: "is not a power of two"
 */
struct loom_chip_fault {
	enum loom_chip_key key;
	u32 region;
	u32 type;
	const char *text;
};

/**
 * loom_chip_check() - validate a description
 * @chip: the description, any bytes
 * @fault: out: the first invalid field, in the order of the structure, but all fields of a type
 *	one after the other; may be NULL
 *
 * A valid description has an SRAM, and a DRAM or a single lane; no rate that is used is zero, and
 * all fields are below the limits above.
 *
 * Return: 0 or -EINVAL.
 */
int loom_chip_check(const struct drm_loom_chip *chip, struct loom_chip_fault *fault);

/**
 * loom_preset_find() - a built-in description by name
 * @name: its name
 *
 * Return: the description, or NULL.
 */
const struct drm_loom_chip *loom_preset_find(const char *name);

/**
 * loom_preset_get() - built-in descriptions one by one
 * @index: from 0
 *
 * Return: the description, or NULL past the last. Number 0 is the default.
 */
const struct drm_loom_chip *loom_preset_get(unsigned int index);

#endif /* LOOM_CHIP_H */
