// SPDX-License-Identifier: MIT
/* Summary of an array, and random arrays for trying a network. */
#include "dtype.h"
#include "element.h"
#include "random.h"

#include <math.h>

static int64_t array_count(const struct loom_array *array)
{
	size_t bytes = loom_dtype_size(array->dtype);

	return bytes ? (int64_t)(array->size_bytes / bytes) : 0;
}

double loom_array_element(const struct loom_array *array, uint64_t index)
{
	return loom_element_float(array->dtype, array->data, (int64_t)index);
}

void loom_array_set_element(struct loom_array *array, uint64_t index, double number)
{
	loom_element_set_float(array->dtype, array->data, (int64_t)index, number);
}

void loom_array_figures(const struct loom_array *array, struct loom_array_figures *figures)
{
	int64_t count = array_count(array), i;
	double element, sum = 0;

	*figures = (struct loom_array_figures){ .min = NAN, .max = NAN };
	for (i = 0; i < count; i++) {
		element = loom_array_element(array, (uint64_t)i);
		if (isnan(element)) {
			figures->nans++;
			continue;
		}
		figures->numbers++;
		sum += element;
		/* of a number and NaN, fmin() returns the number */
		figures->min = fmin(figures->min, element);
		figures->max = fmax(figures->max, element);
	}
	figures->mean = figures->numbers ? sum / figures->numbers : NAN;
}

void loom_array_randomize(struct loom_array *array, uint64_t seed)
{
	bool is_float = loom_dtype_is_float(array->dtype);
	int64_t count = array_count(array), i;

	for (i = 0; i < count; i++) {
		uint64_t random = loom_random_next(&seed);

		/* an f32 holds 24 bits */
		if (is_float)
			loom_element_set_float(array->dtype, array->data, i,
					       (double)(random >> 40) / (1 << 23) - 1);
		else if (loom_dtype_size(array->dtype) == 1)
			loom_element_set_int(array->dtype, array->data, i,
					     array->dtype == DRM_LOOM_DTYPE_BOOL ?
					     (int64_t)(random >> 63) : (int64_t)(random >> 56));
		else
			loom_element_set_int(array->dtype, array->data, i, (int64_t)(random % 10));
	}
}
