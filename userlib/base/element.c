// SPDX-License-Identifier: MIT
#include "element.h"

#include "dtype.h"

#include <math.h>
#include <string.h>

/* constants in a mapped file have no alignment */
#define LOAD(type, data, index)							\
({										\
	type loaded;								\
	memcpy(&loaded, (const char *)(data) + (index) * (int64_t)sizeof(type),	\
	       sizeof(type));							\
	loaded;									\
})

static inline float from_bits(int32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * Without branches, so that rows are vectorised, and without arithmetic on subnormals, which a
 * thread may flush to 0. The exponents differ in their bias.
 */
static inline float half_to_float(int32_t half)
{
	const int32_t bits = (half & 0x7fff) << 13;
	/* with the exponent of 2^-14, less what that adds to a mantissa without its leading bit */
	const float small = from_bits(bits + (113 << 23)) - 0x1p-14f;
	const float large = from_bits(bits > 0x1f << 23 ? 0x7fc00000 : 0x7f800000);
	const float usual = from_bits(bits + (112 << 23));
	const float magnitude = bits < 1 << 23 ? small : bits < 0x1f << 23 ? usual : large;

	return half & 0x8000 ? -magnitude : magnitude;
}

float loom_half_to_float(uint16_t half)
{
	return half_to_float(half);
}

uint16_t loom_half_from_double(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double magnitude = fabs(value);
	uint64_t bits;

	if (isnan(value))
		return 0x7e00;
	/* 65520 is halfway between the largest number and the next power of two */
	if (magnitude >= 65520.0)
		return sign | 0x7c00;
	/* multiples of 2^-24 are the lowest bits of the sum, which is rounded to even */
	if (magnitude < 0x1p-14) {
		magnitude += 0x1p28;
		memcpy(&bits, &magnitude, sizeof(bits));
		return sign | (uint16_t)bits;
	}
	memcpy(&bits, &magnitude, sizeof(bits));
	/* a mantissa that is rounded up carries into the exponent by itself */
	bits += (1ULL << 41) - 1 + (bits >> 42 & 1);
	return sign | (uint16_t)((bits >> 42) - ((1023 - 15) << 10));
}

double loom_element_float(uint32_t dtype, const void *data, int64_t index)
{
	switch (dtype) {
	case DRM_LOOM_DTYPE_F32:
		return LOAD(float, data, index);
	case DRM_LOOM_DTYPE_F64:
		return LOAD(double, data, index);
	case DRM_LOOM_DTYPE_F16:
		return loom_half_to_float(LOAD(uint16_t, data, index));
	case DRM_LOOM_DTYPE_U64:
		return (double)LOAD(uint64_t, data, index);
	default:
		return (double)loom_element_int(dtype, data, index);
	}
}

static inline void half_row(const void *data, int64_t index, int64_t step, int64_t count,
			    double *to)
{
	int64_t i;

	for (i = 0; i < count; i++)
		to[i] = half_to_float(LOAD(uint16_t, data, index + i * step));
}

/* Rows of the types that weights and scales have are read and written without a call for each. */
void loom_element_row(uint32_t dtype, const void *data, int64_t index, int64_t step,
		      int64_t count, double *to)
{
	int64_t i;

	if (dtype == DRM_LOOM_DTYPE_F16) {
		/* a constant, so that contiguous elements are vectorised */
		if (step == 1)
			half_row(data, index, 1, count, to);
		else
			half_row(data, index, step, count, to);
		return;
	}
	for (i = 0; i < count; i++, index += step) {
		if (dtype == DRM_LOOM_DTYPE_F32)
			to[i] = LOAD(float, data, index);
		else
			to[i] = loom_element_float(dtype, data, index);
	}
}

void loom_element_set_row(uint32_t dtype, void *data, int64_t index, int64_t count,
			  const double *from)
{
	int64_t i;

	for (i = 0; i < count; i++) {
		if (dtype == DRM_LOOM_DTYPE_F32)
			((float *)data)[index + i] = (float)from[i];
		else if (dtype == DRM_LOOM_DTYPE_F16)
			((uint16_t *)data)[index + i] = loom_half_from_double(from[i]);
		else
			loom_element_set_float(dtype, data, index + i, from[i]);
	}
}

static int64_t double_to_int(double element)
{
	if (isnan(element))
		return 0;
	if (element >= 9223372036854775807.0)
		return INT64_MAX;
	if (element <= -9223372036854775808.0)
		return INT64_MIN;
	return (int64_t)element;
}

int64_t loom_element_int(uint32_t dtype, const void *data, int64_t index)
{
	switch (dtype) {
	case DRM_LOOM_DTYPE_I8:
		return ((const int8_t *)data)[index];
	case DRM_LOOM_DTYPE_U8:
		return ((const uint8_t *)data)[index];
	case DRM_LOOM_DTYPE_BOOL:
		return !!((const uint8_t *)data)[index];
	case DRM_LOOM_DTYPE_I16:
		return LOAD(int16_t, data, index);
	case DRM_LOOM_DTYPE_U16:
		return LOAD(uint16_t, data, index);
	case DRM_LOOM_DTYPE_I32:
		return LOAD(int32_t, data, index);
	case DRM_LOOM_DTYPE_U32:
		return LOAD(uint32_t, data, index);
	case DRM_LOOM_DTYPE_I64:
	case DRM_LOOM_DTYPE_U64:
		return LOAD(int64_t, data, index);
	default:
		return double_to_int(loom_element_float(dtype, data, index));
	}
}

void loom_element_set_float(uint32_t dtype, void *data, int64_t index, double element)
{
	int64_t min, max;

	switch (dtype) {
	case DRM_LOOM_DTYPE_F32:
		((float *)data)[index] = (float)element;
		return;
	case DRM_LOOM_DTYPE_F64:
		((double *)data)[index] = element;
		return;
	case DRM_LOOM_DTYPE_F16:
		((uint16_t *)data)[index] = loom_half_from_double(element);
		return;
	case DRM_LOOM_DTYPE_BOOL:
		((uint8_t *)data)[index] = element != 0;
		return;
	case DRM_LOOM_DTYPE_U64:
		((uint64_t *)data)[index] = element >= 9223372036854775808.0 ?
			(element >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)element) :
			element < 0 ? 0 : (uint64_t)double_to_int(element);
		return;
	case DRM_LOOM_DTYPE_I64:
		((int64_t *)data)[index] = double_to_int(element);
		return;
	default:
		loom_dtype_range(dtype, &min, &max);
		if (element < (double)min)
			loom_element_set_int(dtype, data, index, min);
		else if (element > (double)max)
			loom_element_set_int(dtype, data, index, max);
		else
			loom_element_set_int(dtype, data, index, double_to_int(element));
	}
}

void loom_element_set_int(uint32_t dtype, void *data, int64_t index, int64_t element)
{
	switch (dtype) {
	case DRM_LOOM_DTYPE_I8:
	case DRM_LOOM_DTYPE_U8:
		((uint8_t *)data)[index] = (uint8_t)element;
		break;
	case DRM_LOOM_DTYPE_BOOL:
		((uint8_t *)data)[index] = element != 0;
		break;
	case DRM_LOOM_DTYPE_I16:
	case DRM_LOOM_DTYPE_U16:
		((uint16_t *)data)[index] = (uint16_t)element;
		break;
	case DRM_LOOM_DTYPE_I32:
	case DRM_LOOM_DTYPE_U32:
		((uint32_t *)data)[index] = (uint32_t)element;
		break;
	case DRM_LOOM_DTYPE_I64:
	case DRM_LOOM_DTYPE_U64:
		((int64_t *)data)[index] = element;
		break;
	default:
		loom_element_set_float(dtype, data, index, (double)element);
	}
}
