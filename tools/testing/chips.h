/* SPDX-License-Identifier: MIT */
/* Chips that tests make up: the clock of "soft", and memory of any size. */
#ifndef LOOM_TEST_CHIPS_H
#define LOOM_TEST_CHIPS_H

#include "loom_chip.h"

/* In parentheses: banks, sub-banks, bytes, reserved bytes, alignment. */
#define CHIP_SIZES(_banks, _sub_banks, _bytes, _reserved, _align)		\
	.banks = (_banks), .sub_banks = (_sub_banks), .bank_bytes = (_bytes),	\
	.reserved_bytes = (_reserved), .align_bytes = (_align)

/* An initialiser: a name, and the sizes of DRAM and SRAM. */
#define CHIP(_name, _dram, _sram) {						\
	.name = _name, .dtypes = (1U << DRM_LOOM_DTYPE_END) - 2,		\
	.flags = DRM_LOOM_CHIP_OVERLAP, .opcodes = 0x3fff001e,			\
	.frequency_hz = 1000000000, .compute_units = 1,				\
	.region = {								\
		{ CHIP_SIZES _dram, .read_rate = 16000, .write_rate = 16000,	\
		  .flags = DRM_LOOM_CHIP_SHARED },				\
		{ CHIP_SIZES _sram, .read_rate = 1024000, .write_rate = 1024000 },	\
	},									\
	.type = {								\
		[1 ... DRM_LOOM_DTYPE_END - 1] = {				\
			.mac_rate = 64000, .op_rate = 64000,			\
		},								\
	},									\
}

/* The same with 4 GiB of DRAM in one bank: for tests in which only the SRAM is small. */
#define CHIP_SRAM(_name, _sram)	CHIP(_name, (1, 1, 1ULL << 32, 0, 64), _sram)
/* So large that nothing has to be sliced. */
#define CHIP_HUGE		CHIP_SRAM("huge", (4, 1, 1ULL << 26, 0, 64))

/* @dram_banks of @dram_bytes and @lanes of @lane_bytes, without sub-banks, in units of 64 bytes. */
static inline struct drm_loom_chip chip_of(uint32_t dram_banks, uint64_t dram_bytes,
					   uint32_t lanes, uint64_t lane_bytes)
{
	struct drm_loom_chip chip = *loom_preset_find("soft");
	struct drm_loom_chip_region *dram = &chip.region[DRM_LOOM_REGION_DRAM];
	struct drm_loom_chip_region *sram = &chip.region[DRM_LOOM_REGION_SRAM];

	memset(chip.name, 0, sizeof(chip.name));
	memcpy(chip.name, "test", 5);
	dram->banks = dram_banks;
	dram->bank_bytes = dram_bytes;
	dram->reserved_bytes = 0;
	sram->banks = lanes;
	sram->bank_bytes = lane_bytes;
	sram->sub_banks = 1;
	return chip;
}

/* A lane of @bytes, whose work takes as long as that of "soft". */
static inline struct drm_loom_chip chip_flat(uint64_t bytes)
{
	struct drm_loom_chip chip = chip_of(1, 1ULL << 32, 1, bytes);
	uint32_t i;

	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++) {
		chip.type[i].mac_rate *= 16;
		chip.type[i].op_rate *= 16;
	}
	return chip;
}

#endif /* LOOM_TEST_CHIPS_H */
