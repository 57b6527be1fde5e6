// SPDX-License-Identifier: MIT
#include "value.h"

#include "graph.h"
#include "base/pool.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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

void loom_value_strides(const struct loom_value *value, int64_t *strides)
{
	int64_t stride = 1;
	uint32_t i;

	for (i = value->rank; i-- > 0;) {
		strides[i] = stride;
		stride *= value->dims[i];
	}
}
