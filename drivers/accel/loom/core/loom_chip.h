/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_CHIP_H
#define LOOM_CHIP_H

#include "loom_core.h"

/**
 * DOC: Descriptions of chips
 *
 * The room core/chip knows what a description (&struct drm_loom_chip, part of the contract with
 * userspace) means: whether it makes sense. How long a command takes on it says core/clock.
 *
 * - check.c: whether a description makes sense, and if not which figure of it
 * - preset.c: the descriptions that the module has built in, for its parameter "topology". The
 *   library has the same and more of them as files, userlib/chips/; a test compares them
 *
 * Descriptions come from files, from configfs, from the registers of a device: all are checked here
 * before anybody calculates with them, so that nobody else has to look for a zero rate or for a
 * product that overflows.
 */

/* Caps on what a description may say, so that no product of two figures overflows. */
#define LOOM_CHIP_MAX_BANK_BYTES	(1ULL << 44)
#define LOOM_CHIP_MAX_ALIGN_BYTES	(1U << 20)
#define LOOM_CHIP_MAX_RATE		2000000000U
#define LOOM_CHIP_MAX_CYCLES		1000000U
#define LOOM_CHIP_MAX_BURST_BYTES	(1U << 20)
#define LOOM_CHIP_MAX_FREQUENCY_HZ	1000000000000ULL
#define LOOM_CHIP_MAX_ENERGY		2000000000U

/*
 * The figure of a description that is at fault: of a region or a type where &struct loom_chip_fault
 * says so. By these a loader finds the line of the file. In the order of the structure.
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
};

/**
 * struct loom_chip_fault - what is wrong with a description
 * @key: which figure
 * @region: of which region; U32_MAX if of none
 * @type: of which type; U32_MAX if of none
 * @text: what is wrong with it: a phrase that goes on after the name of the figure, "is not a power
 *	of two"
 */
struct loom_chip_fault {
	enum loom_chip_key key;
	u32 region;
	u32 type;
	const char *text;
};

/**
 * loom_chip_check() - whether a description makes sense
 * @chip: the description, any bytes
 * @fault: out: the first figure that does not, in the order of the structure; may be NULL
 *
 * What passes has an SRAM, and a DRAM or a single lane; no rate that is used is zero, and all
 * figures are below the caps above.
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
