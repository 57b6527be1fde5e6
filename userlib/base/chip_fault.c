// SPDX-License-Identifier: MIT
/* Messages about invalid descriptions of chips. */
#include "chip_fault.h"

#include "dtype.h"
#include "error.h"
#include "loom_core.h"

#include <errno.h>

static const char *const figures[] = {
	[LOOM_CHIP_KEY_NAME] = "the name",
	[LOOM_CHIP_KEY_DTYPES] = "the mask of types",
	[LOOM_CHIP_KEY_FLAGS] = "the flags",
	[LOOM_CHIP_KEY_OPCODES] = "the mask of operations",
	[LOOM_CHIP_KEY_FREQUENCY] = "the frequency",
	[LOOM_CHIP_KEY_COMPUTE_UNITS] = "the number of compute units",
	[LOOM_CHIP_KEY_DMA_START] = "the start-up time of a DMA command",
	[LOOM_CHIP_KEY_COMPUTE_START] = "the start-up time of a compute command",
	[LOOM_CHIP_KEY_PAD] = "the padding",
	[LOOM_CHIP_KEY_STORAGE_BANKS] = "the number of storage banks",
	[LOOM_CHIP_KEY_BANKS] = "the number of banks",
	[LOOM_CHIP_KEY_SUB_BANKS] = "the number of sub-banks",
	[LOOM_CHIP_KEY_BANK_BYTES] = "the size of a bank",
	[LOOM_CHIP_KEY_RESERVED_BYTES] = "the reserved part of a bank",
	[LOOM_CHIP_KEY_ALIGN_BYTES] = "the alignment",
	[LOOM_CHIP_KEY_FLOOR_BYTES] = "the floor",
	[LOOM_CHIP_KEY_BURST_BYTES] = "the length of a burst",
	[LOOM_CHIP_KEY_READ_RATE] = "the rate of reading",
	[LOOM_CHIP_KEY_WRITE_RATE] = "the rate of writing",
	[LOOM_CHIP_KEY_READ_LATENCY] = "the latency of reading",
	[LOOM_CHIP_KEY_WRITE_LATENCY] = "the latency of writing",
	[LOOM_CHIP_KEY_READ_ENERGY] = "the energy of reading",
	[LOOM_CHIP_KEY_WRITE_ENERGY] = "the energy of writing",
	[LOOM_CHIP_KEY_MAC_RATE] = "the rate of multiply-accumulates",
	[LOOM_CHIP_KEY_OP_RATE] = "the rate of operations",
	[LOOM_CHIP_KEY_MAC_ENERGY] = "the energy of a multiply-accumulate",
	[LOOM_CHIP_KEY_OP_ENERGY] = "the energy of an operation",
	[LOOM_CHIP_KEY_IN_CHANNELS] = "the block of input channels",
	[LOOM_CHIP_KEY_OUT_CHANNELS] = "the block of output channels",
	[LOOM_CHIP_KEY_POSITIONS] = "the block of positions",
	[LOOM_CHIP_KEY_DEPTHWISE_RATE] = "the rate of depthwise convolutions",
	[LOOM_CHIP_KEY_POOL_RATE] = "the rate of pooling",
	[LOOM_CHIP_KEY_ELEMENT_RATE] = "the rate of element-wise operations",
};

int loom_chip_refuse(const struct drm_loom_chip *chip, const struct loom_chip_fault *fault,
		     struct loom_error *err)
{
	static const char *const regions[DRM_LOOM_REGION_COUNT] = {
		[DRM_LOOM_REGION_DRAM] = "DRAM",
		[DRM_LOOM_REGION_SRAM] = "SRAM",
		[DRM_LOOM_REGION_ROM] = "ROM",
	};
	const char *figure = fault->key < ARRAY_SIZE(figures) ? figures[fault->key] : NULL;
	const char *of = NULL;

	if (fault->region < DRM_LOOM_REGION_COUNT)
		of = regions[fault->region];
	else if (fault->type != U32_MAX)
		of = loom_dtype_name(fault->type);
	return loom_error_set(err, -EINVAL, "chip '%.*s': %s%s%s %s", (int)sizeof(chip->name),
			      chip->name, figure ? figure : "a figure", of ? " of " : "",
			      of ? of : "", fault->text);
}
