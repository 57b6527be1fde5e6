// SPDX-License-Identifier: MIT
#include "value.h"

#include "loom_core.h"
#include "base/pool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int loom_dims_count(uint32_t rank, const int64_t *dims, int64_t *num_elems)
{
	int64_t product = 1, nonzero = 1;
	uint32_t i;

	if (rank > LOOM_GRAPH_RANK)
		return -EOVERFLOW;
	for (i = 0; i < rank; i++) {
		if (dims[i] < 0)
			return -EOVERFLOW;
		/* checked without the zeroes: strides must not overflow either */
		if (dims[i] && __builtin_mul_overflow(nonzero, dims[i], &nonzero))
			return -EOVERFLOW;
		if (nonzero > (int64_t)1 << 44)
			return -EOVERFLOW;
		product *= dims[i];
	}
	*num_elems = product;
	return 0;
}

const char *loom_dims_print(char *text, size_t size, uint32_t rank, const int64_t *dims)
{
	size_t used = 0;
	uint32_t i;

	text[0] = '\0';
	for (i = 0; i < rank && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "[",
					 (long long)dims[i]);
	if (used < size)
		snprintf(text + used, size - used, rank ? "]" : "[]");
	return text;
}

bool loom_dims_equal(const struct loom_value *a, const struct loom_value *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof(a->dims[0]));
}

struct loom_value *loom_value_create(struct loom_graph *graph, const char *name, uint32_t dtype,
				     uint32_t rank, const int64_t *dims)
{
	struct loom_value **values, *value;
	int64_t num_elems;

	if (!loom_dtype_size(dtype) || loom_dims_count(rank, dims, &num_elems))
		return NULL;
	values = loom_pool_grow(graph->pool, graph->values, graph->num_values, &graph->cap_values,
				sizeof(struct loom_value *));
	value = loom_pool_alloc(graph->pool, sizeof(*value));
	if (!values || !value)
		return NULL;
	graph->values = values;
	value->name = name;
	value->id = graph->num_values;
	value->dtype = dtype;
	value->rank = rank;
	if (rank)
		memcpy(value->dims, dims, rank * sizeof(dims[0]));
	value->num_elems = num_elems;
	value->size_bytes = (size_t)num_elems * loom_dtype_size(dtype);
	values[graph->num_values++] = value;
	return value;
}

int loom_value_alloc(struct loom_graph *graph, struct loom_value *value)
{
	value->data = loom_pool_alloc(graph->pool, value->size_bytes);
	return value->data ? 0 : -ENOMEM;
}

double loom_value_float(const struct loom_value *value, int64_t index)
{
	switch (value->dtype) {
	case DRM_LOOM_DTYPE_F32:
		return ((const float *)value->data)[index];
	case DRM_LOOM_DTYPE_F64:
		return ((const double *)value->data)[index];
	case DRM_LOOM_DTYPE_F16:
		return loom_half_to_float(((const uint16_t *)value->data)[index]);
	case DRM_LOOM_DTYPE_U64:
		return (double)((const uint64_t *)value->data)[index];
	default:
		return (double)loom_value_int(value, index);
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

int64_t loom_value_int(const struct loom_value *value, int64_t index)
{
	const void *data = value->data;

	switch (value->dtype) {
	case DRM_LOOM_DTYPE_I8:
		return ((const int8_t *)data)[index];
	case DRM_LOOM_DTYPE_U8:
		return ((const uint8_t *)data)[index];
	case DRM_LOOM_DTYPE_BOOL:
		return !!((const uint8_t *)data)[index];
	case DRM_LOOM_DTYPE_I16:
		return ((const int16_t *)data)[index];
	case DRM_LOOM_DTYPE_U16:
		return ((const uint16_t *)data)[index];
	case DRM_LOOM_DTYPE_I32:
		return ((const int32_t *)data)[index];
	case DRM_LOOM_DTYPE_U32:
		return ((const uint32_t *)data)[index];
	case DRM_LOOM_DTYPE_I64:
	case DRM_LOOM_DTYPE_U64:
		return ((const int64_t *)data)[index];
	default:
		return double_to_int(loom_value_float(value, index));
	}
}

void loom_value_set_float(struct loom_value *value, int64_t index, double element)
{
	int64_t min, max;

	switch (value->dtype) {
	case DRM_LOOM_DTYPE_F32:
		((float *)value->data)[index] = (float)element;
		return;
	case DRM_LOOM_DTYPE_F64:
		((double *)value->data)[index] = element;
		return;
	case DRM_LOOM_DTYPE_F16:
		((uint16_t *)value->data)[index] = loom_half_from_double(element);
		return;
	case DRM_LOOM_DTYPE_BOOL:
		((uint8_t *)value->data)[index] = element != 0;
		return;
	case DRM_LOOM_DTYPE_U64:
		((uint64_t *)value->data)[index] = element >= 9223372036854775808.0 ?
			(element >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)element) :
			element < 0 ? 0 : (uint64_t)double_to_int(element);
		return;
	case DRM_LOOM_DTYPE_I64:
		((int64_t *)value->data)[index] = double_to_int(element);
		return;
	default:
		loom_dtype_range(value->dtype, &min, &max);
		if (element < (double)min)
			loom_value_set_int(value, index, min);
		else if (element > (double)max)
			loom_value_set_int(value, index, max);
		else
			loom_value_set_int(value, index, double_to_int(element));
	}
}

void loom_value_set_int(struct loom_value *value, int64_t index, int64_t element)
{
	void *data = value->data;

	switch (value->dtype) {
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
		loom_value_set_float(value, index, (double)element);
	}
}

int64_t loom_value_trailing(const struct loom_value *value, uint32_t axis)
{
	int64_t product = 1;

	for (; axis < value->rank; axis++)
		product *= value->dims[axis];
	return product;
}

void loom_array_clear(struct loom_array *array)
{
	free(array->name);
	free(array->data);
	memset(array, 0, sizeof(*array));
}
