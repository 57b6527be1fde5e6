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
