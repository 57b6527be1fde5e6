// SPDX-License-Identifier: MIT
#include "array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int loom_dims_count(uint32_t rank, const int64_t *dims, int64_t *num_elems)
{
	int64_t product = 1, nonzero = 1;
	uint32_t i;

	if (rank > LOOM_GRAPH_RANK)
		return -EOVERFLOW;
	for (i = 0; i < rank; i++) {
		if (dims[i] < 0)
			return -EOVERFLOW;
		/*
		 * overflow is checked without the zeroes, because strides must not overflow either
		 */
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

int loom_array_alloc(struct loom_array *array, uint32_t dtype, uint32_t rank, const int64_t *dims)
{
	int saved = errno;
	int64_t count;
	size_t bytes;
	int ret;

	memset(array, 0, sizeof(*array));
	if (!loom_dtype_size(dtype) || rank > LOOM_GRAPH_RANK)
		return -EINVAL;
	ret = loom_dims_count(rank, dims, &count);
	if (ret)
		return ret;
	if (__builtin_mul_overflow((size_t)count, loom_dtype_size(dtype), &bytes))
		return -EOVERFLOW;
	array->data = calloc(bytes ? bytes : 1, 1);
	errno = saved;
	if (!array->data)
		return -ENOMEM;
	array->dtype = dtype;
	array->rank = rank;
	memcpy(array->dims, dims, rank * sizeof(*dims));
	array->size_bytes = bytes;
	return 0;
}

void loom_array_clear(struct loom_array *array)
{
	free(array->name);
	free(array->data);
	memset(array, 0, sizeof(*array));
}
