// SPDX-License-Identifier: MIT
#include "dtype.h"

#include "loom_core.h"

static const struct {
	const char *name;
	size_t size_bytes;
} dtypes[] = {
	[DRM_LOOM_DTYPE_F32] = { "f32", 4 },
	[DRM_LOOM_DTYPE_F16] = { "f16", 2 },
	[DRM_LOOM_DTYPE_F64] = { "f64", 8 },
	[DRM_LOOM_DTYPE_I8] = { "i8", 1 },
	[DRM_LOOM_DTYPE_U8] = { "u8", 1 },
	[DRM_LOOM_DTYPE_I16] = { "i16", 2 },
	[DRM_LOOM_DTYPE_U16] = { "u16", 2 },
	[DRM_LOOM_DTYPE_I32] = { "i32", 4 },
	[DRM_LOOM_DTYPE_U32] = { "u32", 4 },
	[DRM_LOOM_DTYPE_I64] = { "i64", 8 },
	[DRM_LOOM_DTYPE_U64] = { "u64", 8 },
	[DRM_LOOM_DTYPE_BOOL] = { "bool", 1 },
};

size_t loom_dtype_size(uint32_t dtype)
{
	return dtype < ARRAY_SIZE(dtypes) ? dtypes[dtype].size_bytes : 0;
}

const char *loom_dtype_name(uint32_t dtype)
{
	return dtype < ARRAY_SIZE(dtypes) && dtypes[dtype].name ? dtypes[dtype].name : "?";
}

const char *loom_region_name(uint32_t region)
{
	static const char *const names[] = {
		[DRM_LOOM_REGION_DRAM] = "dram",
		[DRM_LOOM_REGION_SRAM] = "sram",
		[DRM_LOOM_REGION_ROM] = "rom",
	};

	return region < ARRAY_SIZE(names) ? names[region] : "?";
}

bool loom_dtype_is_float(uint32_t dtype)
{
	return dtype == DRM_LOOM_DTYPE_F32 || dtype == DRM_LOOM_DTYPE_F16 ||
	       dtype == DRM_LOOM_DTYPE_F64;
}

bool loom_dtype_is_int(uint32_t dtype)
{
	return loom_dtype_size(dtype) && !loom_dtype_is_float(dtype) &&
	       dtype != DRM_LOOM_DTYPE_BOOL;
}

bool loom_dtype_is_signed(uint32_t dtype)
{
	return dtype == DRM_LOOM_DTYPE_I8 || dtype == DRM_LOOM_DTYPE_I16 ||
	       dtype == DRM_LOOM_DTYPE_I32 || dtype == DRM_LOOM_DTYPE_I64;
}

void loom_dtype_range(uint32_t dtype, int64_t *min, int64_t *max)
{
	size_t bits = loom_dtype_size(dtype) * 8;

	if (bits > 32)
		bits = 32;
	if (loom_dtype_is_signed(dtype)) {
		*min = -((int64_t)1 << (bits - 1));
		*max = ((int64_t)1 << (bits - 1)) - 1;
	} else {
		*min = 0;
		*max = ((int64_t)1 << bits) - 1;
	}
}
