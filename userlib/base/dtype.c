// SPDX-License-Identifier: MIT
#include "dtype.h"

#include "loom_core.h"

#include <math.h>

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

float loom_half_to_float(uint16_t half)
{
	uint32_t exponent = (half >> 10) & 0x1f;
	uint32_t mantissa = half & 0x3ff;
	float magnitude;

	if (exponent == 0x1f)
		magnitude = mantissa ? NAN : INFINITY;
	else if (exponent)
		magnitude = ldexpf((float)(mantissa | 0x400), (int)exponent - 25);
	else
		magnitude = ldexpf((float)mantissa, -24);
	return half & 0x8000 ? -magnitude : magnitude;
}

uint16_t loom_half_from_double(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double magnitude = fabs(value);
	int exponent;
	long mantissa;

	if (isnan(value))
		return 0x7e00;
	/* 65520 is halfway between the largest number and the next power of two */
	if (magnitude >= 65520.0)
		return sign | 0x7c00;
	if (magnitude < ldexp(1.0, -14))
		return sign | (uint16_t)lrint(ldexp(magnitude, 24));
	frexp(magnitude, &exponent);
	/* a mantissa rounded up to 0x800 carries into the exponent by itself */
	mantissa = lrint(ldexp(magnitude, 11 - exponent));
	return sign | (uint16_t)(((exponent + 13) << 10) + mantissa);
}
