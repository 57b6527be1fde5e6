// SPDX-License-Identifier: MIT
#include "loom_chip_file.h"
#include "loom_core.h"

static const char *const regions[] = {
	[DRM_LOOM_REGION_DRAM] = "dram",
	[DRM_LOOM_REGION_SRAM] = "sram",
	[DRM_LOOM_REGION_ROM] = "rom",
};

static const char *const opcodes[] = {
	[DRM_LOOM_OP_LOAD] = "load",
	[DRM_LOOM_OP_STORE] = "store",
	[DRM_LOOM_OP_COPY] = "copy",
	[DRM_LOOM_OP_FILL] = "fill",
	[DRM_LOOM_OP_CONV] = "conv",
	[DRM_LOOM_OP_DECONV] = "deconv",
	[DRM_LOOM_OP_POOL] = "pool",
	[DRM_LOOM_OP_MATMUL] = "matmul",
	[DRM_LOOM_OP_BINARY] = "binary",
	[DRM_LOOM_OP_UNARY] = "unary",
	[DRM_LOOM_OP_SELECT] = "select",
	[DRM_LOOM_OP_REDUCE] = "reduce",
	[DRM_LOOM_OP_SOFTMAX] = "softmax",
	[DRM_LOOM_OP_RESIZE] = "resize",
	[DRM_LOOM_OP_CAST] = "cast",
	[DRM_LOOM_OP_QUANTIZE] = "quantize",
	[DRM_LOOM_OP_DEQUANTIZE] = "dequantize",
};

const char *loom_region_name(uint32_t region)
{
	return region < ARRAY_SIZE(regions) ? regions[region] : "?";
}

const char *loom_opcode_name(uint32_t opcode)
{
	return opcode < ARRAY_SIZE(opcodes) && opcodes[opcode] ? opcodes[opcode] : "?";
}
